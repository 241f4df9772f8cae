/* Labels while several threads of a program give and use them: a name is read whole. Without Mesa
 * nothing is sent; `now.said` is what would be. */
#include "shim/labels.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { OBJECTS = 200, ROUNDS = 3000 };

static _Atomic bool ended;

/* Names objects one after the other, and each again with another letter. */
static void *
give_names(void *data)
{
    (void)data;
    char name[MOST_NAME + 1] = "";
    for (uint32_t round = 0; round < ROUNDS; round++) {
        memset(name, 'a' + (int)(round % 26), MOST_NAME);
        for (uint32_t object = 1; object <= OBJECTS; object++)
            set_label(GL_PROGRAM, object, name, -1, false);
    }
    ended = true;
    return NULL;
}

/* "program NAME": one letter, MOST_NAME times. */
static bool
is_whole(const char *text)
{
    static const char head[] = "\nprogram ";
    const char *name = text + sizeof head - 1;
    if (!text[0] || !strcmp(text, "\n"))
        return true; /* no name yet */
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
        if (!is_whole(now.said))
            fail_msg("object %u after %llu reads: \"%s\"", object, (unsigned long long)reads,
                     now.said);
    }
    pthread_join(thread, NULL);
    assert_true(reads > 0);
    assert_int_equal(label_count, OBJECTS);
    use_program(7);
    assert_true(is_whole(now.said) && now.said[sizeof "\nprogram " - 1] == 'a' + (ROUNDS - 1) % 26);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_read_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
