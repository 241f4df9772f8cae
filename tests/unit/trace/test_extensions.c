/* The extensions that programs are offered (tests/gl/extensions.c) are those of the table of
 * docs/extensions.md. */
#include "base/file.h"
#include "base/mem.h"
#include "rigs/command.h"

enum { MOST = 512, NAME = 64 };

struct extension {
    char name[NAME], gl[8], es[8]; /* lowest offers; "": not announced */
};
struct table {
    struct extension items[MOST];
    uint32_t count;
};

static const char *program, *page;

/* Offers in the order in which they announce more. */
static const char *const gl_offers[] = {"2.1", "3.0", "3.1", "3.2", "3.3", NULL};
static const char *const es_offers[] = {"es2", "es3", "3.1", "3.2", "3.3", NULL};

static uint32_t
place_of(const char *const *offers, const char *offer)
{
    uint32_t i = 0;
    while (offers[i] && strcmp(offers[i], offer) != 0)
        i++;
    return i;
}

/* Copies a cell of a row, without spaces, and returns the next cell. */
static const char *
take_cell(const char *at, char *cell, size_t size)
{
    size_t n = 0;
    for (; *at && *at != '|' && *at != '\n'; at++)
        if (*at != ' ' && n + 1 < size)
            cell[n++] = *at;
    cell[n] = 0;
    return *at == '|' ? at + 1 : at;
}

static void
read_table(struct table *table)
{
    struct error err;
    char *text;
    size_t size;
    if (!file_read(page, SIZE_MAX, &text, &size, &err))
        fail_msg("%s", err.text);
    for (const char *at = strstr(text, "\n| GL_"); at; at = strstr(at, "\n| GL_")) {
        assert_true(table->count < MOST);
        struct extension *item = &table->items[table->count++];
        at = take_cell(at + 2, item->name, sizeof item->name);
        at = take_cell(at, item->gl, sizeof item->gl);
        at = take_cell(at, item->es, sizeof item->es);
        if ((item->gl[0] && !gl_offers[place_of(gl_offers, item->gl)]) ||
            (item->es[0] && !es_offers[place_of(es_offers, item->es)]))
            fail_msg("%s: unknown offers '%s', '%s'", item->name, item->gl, item->es);
    }
    free(text);
}

static bool
has_line(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += n)
        if ((at == text || at[-1] == '\n') && at[n] == '\n')
            return true;
    return false;
}

static void
check_offer(const struct table *table, const char *const *offers, uint32_t offer, bool is_es)
{
    static struct command_result cmd;
    uint32_t listed = 0, announced = 0;
    RUN(&cmd, "run", "--functional", "--gl", offers[offer], "--", program, is_es ? "--es" : "--gl");
    for (uint32_t i = 0; i < table->count; i++) {
        const struct extension *item = &table->items[i];
        const char *lowest = is_es ? item->es : item->gl;
        const bool expected = lowest[0] && place_of(offers, lowest) <= offer;
        listed += expected;
        if (has_line(cmd.out, item->name) != expected)
            fail_msg("--gl %s, %s: %s is %s in docs/extensions.md only", offers[offer],
                     is_es ? "OpenGL ES" : "OpenGL", item->name, expected ? "present" : "absent");
    }
    for (const char *at = cmd.out; (at = strstr(at, "GL_")); at++)
        announced += at == cmd.out || at[-1] == '\n';
    if (announced != listed)
        fail_msg("--gl %s announces %u extensions, but docs/extensions.md has %u: %s",
                 offers[offer], announced, listed, cmd.out);
}

static void
table_lists_what_is_announced(void **state)
{
    struct table *table = mem_alloc(sizeof *table);
    (void)state;
    read_table(table);
    for (uint32_t i = 0; gl_offers[i]; i++)
        check_offer(table, gl_offers, i, false);
    for (uint32_t i = 0; es_offers[i]; i++)
        check_offer(table, es_offers, i, true);
    free(table);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(table_lists_what_is_announced)};
    if (argc != 4) {
        fprintf(stderr, "usage: test_extensions AETIUS EXTENSIONS PAGE\n");
        return 2;
    }
    aetius = argv[1];
    program = argv[2];
    page = argv[3];
    return cmocka_run_group_tests_name("extensions", tests, NULL, NULL);
}
