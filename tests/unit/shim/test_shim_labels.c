/* Labels of a program. Threads that set and read labels concurrently see whole labels, and the
 * number of labels is not limited. Without Mesa nothing is sent. `now.sent` is the text that would
 * be sent. */
#include "shim/labels.c"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { OBJECTS = 50, ROUNDS = 1000 };

static _Atomic bool has_read, ended;

/* Labels objects one after the other, then each again with a different letter. Waits for the first
 * read, because on a busy host this thread could end before it. */
static void *
give_names(void *data)
{
    (void)data;
    while (!has_read)
        sched_yield();
    char name[MOST_NAME + 1] = "";
    for (uint32_t round = 0; round < ROUNDS; round++) {
        memset(name, 'a' + (int)(round % 26), MOST_NAME);
        for (uint32_t object = 1; object <= OBJECTS; object++)
            set_label(GL_PROGRAM, object, name, -1, false);
    }
    ended = true;
    return NULL;
}

/* Returns whether the text is "program NAME", where NAME is one letter MOST_NAME times. */
static bool
is_whole(const char *text)
{
    static const char head[] = "\nprogram ";
    const char *name = text + sizeof head - 1;
    if (!text[0] || !strcmp(text, "\n"))
        return true; /* the program has no label yet */
    if (strncmp(text, head, sizeof head - 1) != 0 || strlen(name) != MOST_NAME + 1)
        return false;
    for (uint32_t i = 1; i < MOST_NAME; i++)
        if (name[i] != name[0])
            return false;
    return name[MOST_NAME] == '\n';
}

static void
names_are_read_whole(void **state)
{
    (void)state;
    pthread_t thread;
    uint64_t reads = 0;
    assert_int_equal(pthread_create(&thread, NULL, give_names, NULL), 0);
    for (uint32_t object = 1; !ended; object = object % OBJECTS + 1, reads++) {
        use_program(object);
        if (!is_whole(now.sent))
            fail_msg("object %u after %llu reads: \"%s\"", object, (unsigned long long)reads,
                     now.sent);
        has_read = true;
    }
    pthread_join(thread, NULL);
    assert_true(reads > 0);
    assert_int_equal(label_count, OBJECTS);
    use_program(7);
    assert_true(is_whole(now.sent) && now.sent[sizeof "\nprogram " - 1] == 'a' + (ROUNDS - 1) % 26);
}

/* Destroyed objects take no place, and neither do kinds of objects that are never sent. */
static void
labels_do_not_fill_up(void **state)
{
    (void)state;
    const uint32_t before = label_count;
    for (uint32_t object = 1; object <= 3 * MOST_LABELS; object++) {
        set_label(0x1702 /* GL_TEXTURE */, object, "texture", -1, false);
        set_label(GL_FRAMEBUFFER, object, "framebuffer", -1, false);
        set_label(GL_FRAMEBUFFER, object, "", 0, false);
    }
    assert_true(label_count <= before + 1);
    set_label(GL_PROGRAM, 77777, "late", -1, false);
    use_program(77777);
    assert_string_equal(now.sent, "\nprogram late\n");
}

/* The text includes the program's label, however deep the groups are. */
static void
groups_leave_room_for_the_program(void **state)
{
    (void)state;
    char name[MOST_NAME + 1];
    memset(name, 'g', MOST_NAME);
    name[MOST_NAME] = 0;
    for (uint32_t i = 0; i < MOST_DEPTH; i++)
        push(name, -1, false);
    const char *line = strchr(now.sent, '\n');
    assert_non_null(line);
    assert_string_equal(line, "\nprogram late\n");
    for (uint32_t i = 0; i < MOST_DEPTH; i++)
        pop();
}

/* Contexts have different extensions, and each context reports its list. */
static void
extensions_are_those_of_the_context(void **state)
{
    (void)state;
    char first[] = "GL_A GL_B", second[] = "GL_A";
    const char *with_first = with_ours(first);
    assert_string_equal(with_first, "GL_A GL_B GL_EXT_debug_marker");
    assert_string_equal(with_ours(second), "GL_A GL_EXT_debug_marker");
    assert_ptr_equal(with_ours(first), with_first);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_read_whole),
                                       cmocka_unit_test(labels_do_not_fill_up),
                                       cmocka_unit_test(groups_leave_room_for_the_program),
                                       cmocka_unit_test(extensions_are_those_of_the_context)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
