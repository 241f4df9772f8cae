/* Measurements of real cards: their file, calculated scores, and machines in the plan. A run of
 * some lines is compared with the table of docs/studies. */
#include "base/build.h"
#include "base/file.h"
#include "study/hardware.h"
#include "sweep/plan.h"

#include "rigs/command.h"

#include <math.h>

#define DATA    AETIUS_SOURCE_DIR "/studies/data/hardware.csv"
#define SOURCES AETIUS_SOURCE_DIR "/studies/data/hardware-sources.csv"
#define TABLE   AETIUS_SOURCE_DIR "/docs/studies/hardware/hardware.csv"
#define HEADER                                                                                     \
    "card,core_mhz,memory_mhz,test,value,unit,bound,input,against,per_pixel,peak,machine,source,"  \
    "place,note\n"

static const char *rates; /* path of the program that draws */
static char *folder;

static char *
write_data(const char *lines)
{
    char *path = mem_printf("%s/data.csv", folder), *text = mem_printf("%s%s", HEADER, lines);
    struct error err;
    if (!file_write(path, text, strlen(text), &err))
        fail_msg("%s", err.text);
    free(text);
    return path;
}

/* Errors of 10, -30 and 50 % have a mean of 30, a median of 30, and a signed mean of 10. The line
 * with kind `given` is an input and does not count. Lines bound by memory only have 10 and -30:
 * mean and median 20, signed mean -10. */
static void
test_scores(void **state)
{
    (void)state;
    static const double simulated[] = {110, 70, 30, 999};
    struct hardware hardware = {0};
    struct error err;
    char *path =
        write_data("a,100,0,t,100,Mpixel/s,memory,i,,,,m,b3d-x700,\"here, and \"\"there\"\"\",\n"
                   "a,100,0,t,100,Mpixel/s,memory,i,,,,m,b3d-x700,,\n"
                   "a,100,0,t,20,%,z,i,j,,,m,b3d-x700,,\n"
                   "a,100,0,t,4,cycles,given,i,j,8,,m,b3d-x700,,\n"
                   "a,,,t,4,,,,,,,,b3d-x700,,no way\n");
    if (!hardware_read(&hardware, path, SOURCES, &err))
        fail_msg("%s", err.text);
    assert_int_equal(hardware.lines.count, 5);
    assert_string_equal(hardware.lines.items[0].place, "here, and \"there\"");
    assert_false(hardware_is_modelled(&hardware.lines.items[4]));
    for (size_t i = 0; i < 4; i++)
        hardware.lines.items[i].simulated = simulated[i];
    const struct hardware_score all = hardware_score(&hardware, NULL);
    assert_int_equal(all.lines, 3);
    assert_true(fabs(all.mean - 0.3) < 1e-12 && fabs(all.median - 0.3) < 1e-12);
    assert_true(fabs(all.offset - 0.1) < 1e-12);
    const struct hardware_score memory = hardware_score(&hardware, "memory");
    assert_int_equal(memory.lines, 2);
    assert_true(fabs(memory.mean - 0.2) < 1e-12 && fabs(memory.median - 0.2) < 1e-12);
    assert_true(fabs(memory.offset + 0.1) < 1e-12);
    assert_int_equal(hardware_score(&hardware, "texture").lines, 0);
    hardware_fini(&hardware);
    free(path);
}

static void
test_refusals(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"a,100,0,t,ten,Mpixel/s,rop,i,,,,m,b3d-x700,,\n", "line 2: value: 'ten' is not a number"},
        {"a,100,0,t,10,Mpixel/s,rop,i,,,,m,nowhere,,\n", "unknown source 'nowhere'"},
        {"a,100,0,t,10,furlongs,rop,i,,,,m,b3d-x700,,\n", "unit 'furlongs'"},
        {"a,100,0,t,10,%,rop,i,,,,m,b3d-x700,,\n", "against, per_pixel and peak do not match"},
        {"a,100,0,t,10,Mpixel/s,rop,,,,,m,b3d-x700,,\n", "requires an input"},
        {"a,100,0,t,10,Mpixel/s,rop,i,,,,,b3d-x700,,\n", "requires a note with the reason"},
        {"a,100\n", "row 2 has 2 cells, expected 15"},
        {"\"a,100\n", "row 2: misplaced quote"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct hardware hardware = {0};
        struct error err;
        char *path = write_data(wrong[i][0]);
        assert_false(hardware_read(&hardware, path, SOURCES, &err));
        if (!strstr(err.text, wrong[i][1]))
            fail_msg("%s: expected %s", err.text, wrong[i][1]);
        hardware_fini(&hardware);
        free(path);
    }
}

static const struct sweep_machine *
find_machine(const struct sweep_plan *plan, const char *name)
{
    for (size_t m = 0; m < plan->machines.count; m++)
        if (!strcmp(plan->machines.items[m].name, name))
            return &plan->machines.items[m];
    return NULL;
}

/* The plan contains the machine of every line for the inputs of that line, at the card's clock if
 * the plan sets one. At least half of the lines are not bound by the ROP rate. */
static void
test_own_data(void **state)
{
    (void)state;
    struct hardware hardware = {0};
    struct sweep_plan plan;
    struct error err;
    size_t modelled = 0, others = 0;
    if (!hardware_read(&hardware, DATA, SOURCES, &err) ||
        !sweep_plan_load(&plan, AETIUS_SOURCE_DIR "/studies/hardware.ini", &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < hardware.lines.count; i++) {
        const struct hardware_line *line = &hardware.lines.items[i];
        if (!hardware_is_modelled(line))
            continue;
        const struct sweep_machine *machine = find_machine(&plan, line->machine);
        if (!machine || !word_list_has(&machine->inputs, line->input) ||
            (*line->against && !word_list_has(&machine->inputs, line->against)))
            fail_msg("%s, %s: not planned", line->card, line->test);
        modelled++;
        others += strcmp(line->bound, "rop") != 0 && strcmp(line->bound, "z") != 0;
    }
    assert_true(modelled >= 50 && 2 * others >= modelled);
    sweep_plan_fini(&plan);
    hardware_fini(&hardware);
}

static void
draw(const char *kind, const char *trace)
{
    static struct command_result cmd;
    RUN(&cmd, "capture", "-o", trace, "--", rates, "--kind", kind, "--size", "1024x768", "--layers",
        "2");
    if (cmd.status != 0)
        fail_msg("%s", cmd.err);
}

static double
simulated(const char *path, const char *card, const char *test)
{
    struct text_table table = {0};
    struct error err;
    double value = (double)NAN;
    if (!text_table_read(&table, path, &err))
        fail_msg("%s", err.text);
    for (size_t row = 1; row < text_table_rows(&table); row++)
        if (!strcmp(text_table_at(&table, row, (uint32_t)text_table_column(&table, "card")),
                    card) &&
            !strcmp(text_table_at(&table, row, (uint32_t)text_table_column(&table, "test")), test))
            value =
                atof(text_table_at(&table, row, (uint32_t)text_table_column(&table, "simulated")));
    text_table_fini(&table);
    return value;
}

/* Two lines of the committed table are simulated again. The results agree within one per cent. This
 * tolerance permits a different version of Mesa. */
static void
test_committed_table(void **state)
{
    (void)state;
    static struct command_result cmd;
    static const char *const tests[] = {"color fill", "single texture, alpha blend"};
    char *color = mem_printf("%s/color.trace", folder);
    char *blend = mem_printf("%s/texture-blend.trace", folder);
    char *out = mem_printf("%s/study", folder), *table = mem_printf("%s/hardware.csv", out);
    draw("color", color);
    draw("texture-blend", blend);
    RUN(&cmd, "study", "hardware", color, blend, "--machines", "x600-xt", "-o", out);
    if (cmd.status != 0)
        fail_msg("%s", cmd.err);
    for (size_t i = 0; i < 2; i++) {
        const double kept = simulated(TABLE, "Radeon X600 XT", tests[i]);
        const double now = simulated(table, "Radeon X600 XT", tests[i]);
        assert_true(kept > 0);
        if (!(fabs(now / kept - 1) <= 0.01))
            fail_msg("%s: %g in docs/studies, %g now", tests[i], kept, now);
    }
    assert_true(isnan(simulated(table, "Radeon X600 XT", "single texture"))); /* it has no trace */
    free(table);
    free(out);
    free(blend);
    free(color);
}

int
main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_own_data),
        cmocka_unit_test(test_committed_table),
    };
    char name[] = "/tmp/aetius-hardware-XXXXXX";
    BUG_ON(argc != 3, "usage: test_hardware AETIUS RATES");
    aetius = argv[1];
    rates = argv[2];
    folder = mkdtemp(name);
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    char *clean = mem_printf("rm -rf %s", folder);
    BUG_ON(system(clean) != 0, "cannot remove the test's folder");
    free(clean);
    return failures;
}
