/* The judge of verdicts (study/verdict_judge.h) with calculated gains, and the upper bounds of
 * gains (study/verdict_floors.h). The study of verdicts with a small trace keeps finished runs, and
 * repeats changed ones. */
#include "study/verdict_floors.h"
#include "study/verdict_judge.h"

#include "base/bits.h"
#include "base/build.h"
#include "base/file.h"
#include "report/run/csv.h"
#include "sweep/machine.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#define GOLDEN AETIUS_SOURCE_DIR "/tests/golden/"
#define TINY   GOLDEN "tiny.trace"
#define BIT(i) (1u << IDEAL_##i)

/* Cycles of a calculated case; a point is CYCLES / 100. */
enum { CYCLES = 1000 };

static void
charge(struct ideal_gains *gains, uint32_t ideal, double charged, double expected)
{
    gains->charged[ideal] = gains->most[ideal] = charged;
    gains->expected[ideal] = expected;
}

/* The verdict is shader, expected to gain 300; z is charged a little. */
static struct ideal_gains
shader_gains(void)
{
    struct ideal_gains gains = {.cycles = CYCLES};
    charge(&gains, IDEAL_shader, 500, 300);
    charge(&gains, IDEAL_memory, 200, 100);
    charge(&gains, IDEAL_z, 40, 40);
    return gains;
}

/* The verdict is memory and shader, expected to gain 500 together. */
static struct ideal_gains
group_gains(void)
{
    struct ideal_gains gains = shader_gains();
    gains.together[IDEAL_memory][IDEAL_shader] = 500;
    return gains;
}

static void
start(struct verdict_case *one, const struct ideal_gains *gains)
{
    *one =
        (struct verdict_case){.gains = *gains, .program = strdup("p"), .machine = "m", .frames = 1};
    verdict_list_trials(one, 0);
}

static void
set_gain(struct verdict_trials *trials, uint32_t set, double gained)
{
    struct verdict_trial *trial = (struct verdict_trial *)(uintptr_t)verdict_trial(trials, set);
    assert_non_null(trial);
    trial->gained = gained;
}

/* All trials gain 100, and those with a gain of the list gain that. */
struct listed_gain {
    uint32_t set;
    double gained;
};
enum { LISTED = 4 };
static void
set_gains(struct verdict_trials *trials, const struct listed_gain list[LISTED])
{
    for (size_t i = 0; i < trials->count; i++)
        trials->items[i].gained = 100;
    for (uint32_t i = 0; i < LISTED && list[i].set; i++)
        set_gain(trials, list[i].set, list[i].gained);
}

/* 2 points of 1000 cycles are 20. */
static void
judgements(void **state)
{
    (void)state;
    static const struct {
        bool is_group, right;
        struct listed_gain gains[LISTED];
    } cases[] = {
        {false, true, {{BIT(shader), 300}}},
        {false, true, {{BIT(shader), 300}, {BIT(memory), 320}}},
        {false, false, {{BIT(shader), 300}, {BIT(memory), 321}}},
        {false, true, {{BIT(shader), 300}, {BIT(shader) | BIT(memory), 320}}},
        {false, false, {{BIT(shader), 300}, {BIT(shader) | BIT(memory), 321}}},
        /* a pair without the verdict */
        {false, false, {{BIT(shader), 300}, {BIT(z) | BIT(memory), 400}}},
        {true, true, {{BIT(shader) | BIT(memory), 500}, {BIT(shader), 480}, {BIT(memory), 100}}},
        /* memory adds less than 2 points to shader, or shader to memory */
        {true, false, {{BIT(shader) | BIT(memory), 500}, {BIT(shader), 481}, {BIT(memory), 100}}},
        {true, false, {{BIT(shader) | BIT(memory), 500}, {BIT(shader), 100}, {BIT(memory), 481}}},
        {true, false, {{BIT(shader) | BIT(memory), 500}, {BIT(z), 521}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct ideal_gains gains = cases[i].is_group ? group_gains() : shader_gains();
        struct verdict_case one;
        start(&one, &gains);
        assert_int_equal(one.verdict, cases[i].is_group ? BIT(shader) | BIT(memory) : BIT(shader));
        assert_true(one.expected == (cases[i].is_group ? 500 : 300));
        set_gains(&one.trials, cases[i].gains);
        if (verdict_is_right(&one) != cases[i].right)
            fail_msg("case %zu is %s", i, cases[i].right ? "wrong" : "right");
        verdict_case_fini(&one);
    }
}

/* The older definition ignores pairs and parts of groups, and has its own gains. */
static void
older_definition(void **state)
{
    (void)state;
    const struct ideal_gains gains = group_gains();
    struct verdict_case one;
    start(&one, &gains);
    assert_int_equal(one.older.count, 1 + 10);
    assert_null(verdict_trial(&one.older, BIT(constants)));
    set_gains(&one.older, (struct listed_gain[LISTED]){{one.verdict, 300}, {BIT(shader), 320}});
    assert_true(verdict_is_right_by_older(&one));
    set_gain(&one.older, BIT(color), 321);
    assert_false(verdict_is_right_by_older(&one));
    verdict_case_fini(&one);
}

/* 11 resources and 8 * 7 / 2 pairs, of which one is the verdict. If a resource has no work, its
 * trial and all pairs that contain it are omitted. */
static void
trials_are_listed(void **state)
{
    (void)state;
    struct ideal_gains gains = group_gains();
    struct verdict_case one, less;
    for (uint32_t i = 0; i < IDEALS; i++)
        if (!(gains.charged[i] > 0))
            gains.charged[i] = i == IDEAL_blitter     ? 9
                               : i == IDEAL_drain     ? 0
                               : i == IDEAL_constants ? 1
                                                      : 10;
    gains.most[IDEAL_drain] = 2;
    /* memory, shader, z, and five of 10 cycles; then blitter, drain, constants */
    assert_int_equal(verdict_most_charged(&gains, 8) | BIT(blitter) | BIT(drain) | BIT(constants),
                     (1u << IDEALS) - 1);
    assert_int_equal(bits_count(verdict_most_charged(&gains, 8)), 8);
    assert_int_equal(verdict_most_charged(&gains, 10), ((1u << IDEALS) - 1) & ~BIT(constants));
    start(&one, &gains);
    assert_int_equal(one.trials.count, 11 + 28);
    assert_null(verdict_trial(&one.trials, BIT(blitter) | BIT(z)));
    gains.charged[IDEAL_blitter] = 11;
    less = (struct verdict_case){.gains = gains};
    verdict_list_trials(&less, BIT(blitter));
    assert_null(verdict_trial(&less.trials, BIT(blitter)));
    /* 10 resources, the empty set, and 7 * 6 / 2 pairs */
    assert_int_equal(less.trials.count, 11 + 21);
    assert_true(verdict_trial(&less.trials, 0)->gained == 0);
    verdict_case_fini(&less);
    verdict_case_fini(&one);
}

/* A trial is simulated if its upper bound exceeds the limit that would change the judgement, or if
 * its gain is compared with the expected one. */
static void
bounds_decide(void **state)
{
    (void)state;
    static const struct {
        uint32_t set;
        double most;
        bool open;
    } cases[] = {
        {BIT(z), 521, true},
        {BIT(z), 520, false},
        {BIT(z) | BIT(color), 521, true},
        {BIT(z) | BIT(color), 520, false},
        {BIT(memory), 480, true}, /* charged 20 %, so its error counts */
        {BIT(shader), 0, true},
    };
    const struct ideal_gains gains = group_gains();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct verdict_case one;
        start(&one, &gains);
        one.trials.items[0].gained = 500;
        struct verdict_trial *trial =
            (struct verdict_trial *)(uintptr_t)verdict_trial(&one.trials, cases[i].set);
        trial->most = cases[i].most;
        assert_int_equal(verdict_is_open(&one.trials, (size_t)(trial - one.trials.items), CYCLES),
                         cases[i].open);
        trial->gained = 0; /* known */
        assert_false(verdict_is_open(&one.trials, (size_t)(trial - one.trials.items), CYCLES));
        verdict_case_fini(&one);
    }
}

/* A part of a group with a small charge: open if it may gain over 480 of the group's 500. */
static void
bounds_of_parts(void **state)
{
    (void)state;
    struct ideal_gains gains = shader_gains();
    struct verdict_case one;
    gains.together[IDEAL_shader][IDEAL_z] = 500;
    start(&one, &gains);
    one.trials.items[0].gained = 500;
    struct verdict_trial *z = (struct verdict_trial *)(uintptr_t)verdict_trial(&one.trials, BIT(z));
    const size_t place = (size_t)(z - one.trials.items);
    assert_true(z->is_part);
    z->most = 480;
    assert_false(verdict_is_open(&one.trials, place, CYCLES));
    z->most = 481;
    assert_true(verdict_is_open(&one.trials, place, CYCLES));
    verdict_case_fini(&one);
}

static void
steps_are_judged(void **state)
{
    (void)state;
    static const struct {
        double advised, other;
        bool good;
    } cases[] = {
        {100, 120, true}, {100, 121, false}, {-5, 0, true}, {NAN, 20, true}, {NAN, 21, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct verdict_case one = {.gains = {.cycles = CYCLES}};
        if (!isnan(cases[i].advised)) /* otherwise no step is advised */
            VEC_PUSH(&one.steps, ((struct verdict_step){.gained = cases[i].advised}));
        VEC_PUSH(&one.steps, ((struct verdict_step){.gained = NAN, .most = cases[i].other}));
        one.advised = isnan(cases[i].advised) ? one.steps.count : 0;
        const size_t other = one.steps.count - 1;
        assert_int_equal(verdict_step_is_open(&one, other), !cases[i].good);
        one.steps.items[other].gained = cases[i].other;
        assert_int_equal(verdict_step_is_good(&one), cases[i].good);
        verdict_case_fini(&one);
    }
}

/* The ends of Wilson's interval are the shares q at which the found share p is 1.96 standard
 * deviations away: (p - q)^2 = z^2 q (1 - q) / n. */
static void
intervals(void **state)
{
    (void)state;
    static const struct verdict_share shares[] = {{25, 30}, {10, 20}, {18.5, 20}, {80, 80}, {0, 7}};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        const double n = shares[i].whole, p = shares[i].part / n, z = 1.959964;
        double ends[2];
        verdict_interval(&shares[i], &ends[0], &ends[1]);
        assert_true(ends[0] <= p + 1e-12 && p <= ends[1] + 1e-12 && ends[0] < ends[1]);
        for (uint32_t e = 0; e < 2; e++)
            assert_float_equal((p - ends[e]) * (p - ends[e]), z * z * ends[e] * (1 - ends[e]) / n,
                               1e-9);
    }
    double low, high;
    verdict_interval(&(struct verdict_share){0, 0}, &low, &high);
    assert_true(low == 0 && high == 1);
}

/* Three judged cases of two programs. Program a is right in one of two, b in one of one. Errors of
 * verdicts: 0, 20 and 10 %. Errors of resources with 5 %: shader 0, 20, 10 %; memory 0, 0, 15 %. */
static void
scores(void **state)
{
    (void)state;
    static const struct {
        const char *program, *machine;
        double shader, memory;
    } lines[] = {
        {"a", "m", 300, 100}, {"a", "n", 100, 121}, {"b", "m", 200, 220}, {"b", "m", 1, 2}};
    struct verdict_case cases[4];
    const struct ideal_gains gains = shader_gains();
    for (size_t i = 0; i < 4; i++) {
        start(&cases[i], &gains);
        free(cases[i].program);
        cases[i].program = strdup(lines[i].program);
        cases[i].machine = lines[i].machine;
        cases[i].part = i == 3 ? VERDICT_DEVELOP : VERDICT_JUDGING;
        cases[i].draws = i == 0 ? 100 : 99;
        set_gains(&cases[i].trials, (struct listed_gain[LISTED]){{BIT(shader), lines[i].shader},
                                                                 {BIT(memory), lines[i].memory}});
        set_gains(&cases[i].older, (struct listed_gain[LISTED]){{BIT(z), 121}});
    }
    const struct verdict_score all = verdicts_score(cases, 4, VERDICT_JUDGING, NULL);
    assert_int_equal(all.right.whole, 3);
    assert_true(all.right.part == 2);
    assert_true(all.older.part == 0);
    assert_int_equal(all.programs.whole, 2);
    assert_float_equal(all.programs.part, 0.5 + 1, 1e-9);
    assert_float_equal(all.verdict_error, (0 + 0.2 + 0.1) / 3, 1e-9);
    assert_int_equal(all.resources, 6);
    assert_float_equal(all.error, (0 + 0.2 + 0.1 + 0 + 0.021 + 0.12) / 6, 1e-9);
    assert_int_equal(all.large, 1);
    assert_int_equal(verdicts_score(cases, 4, VERDICT_JUDGING, "n").right.whole, 1);
    assert_true(verdicts_score(cases, 4, VERDICT_JUDGING, "n").right.part == 0);
    assert_int_equal(verdicts_score(cases, 4, VERDICT_DEVELOP, NULL).right.whole, 1);
    assert_int_equal(verdicts_score(cases, 4, VERDICT_MICRO, NULL).right.whole, 0);
    for (size_t i = 0; i < 4; i++)
        verdict_case_fini(&cases[i]);
}

/* ---- upper bounds ---- */

/* Writes the differences from a preset as a configuration file. */
static void
write_config(const char *path, const char *preset, const struct params *params)
{
    struct preset_cache presets = {0};
    struct word_list sets = {0};
    struct error err;
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(machine_differences(&presets, preset, params, &sets, &err));
    for (size_t i = 0; i < sets.count; i++) {
        const char *dot = strchr(sets.items[i], '.');
        fprintf(out, "[%.*s]\n%s\n", (int)(dot - sets.items[i]), sets.items[i], dot + 1);
    }
    assert_int_equal(fclose(out), 0);
    word_list_fini(&sets);
    preset_cache_fini(&presets);
}

/* Returns the cycles. The run is in `dir`. */
static double
simulate(const char *trace, const char *frames, const char *preset, const struct params *params,
         const char *dir)
{
    static struct command_result cmd;
    char config[128];
    struct error err;
    snprintf(config, sizeof config, "%s.ini", dir);
    write_config(config, preset, params);
    RUN(&cmd, "sim", trace, "--frames", frames, "--preset", preset, "--config", config, "-o", dir,
        "--force");
    assert_int_equal(cmd.status, 0);
    char path[128];
    double cycles;
    snprintf(path, sizeof path, "%s/stats.frames.csv.gz", dir);
    assert_true(csv_read_sum(path, "cycles", &cycles, &err));
    return cycles;
}

static void
read_floors(const char *dir, const struct params *params, struct verdict_floors *floors)
{
    struct verdict_work work;
    struct error err;
    assert_true(verdict_work_read(&work, dir, &err));
    assert_true(verdict_floors_of(&work, params, floors, &err));
    verdict_work_fini(&work);
}

static uint32_t
read_unused(const char *dir)
{
    struct verdict_work work;
    struct error err;
    uint32_t unused;
    assert_true(verdict_work_read(&work, dir, &err));
    assert_true(verdict_unused(&work, &unused, &err));
    verdict_work_fini(&work);
    return unused;
}

/* The amounts of work of the floors do not change if another resource is ideal, in today's and in
 * the older definition, and neither do their rates. No run is shorter than its floors. */
static void
floors_hold(void **state)
{
    (void)state;
    static const struct {
        const char *preset, *trace, *frames;
    } cases[] = {
        {"reference-2005", TINY, "0-1"},
        {"reference-2008", GOLDEN "faults.trace", "3"},
        {"g70-like", TINY, "0-1"},
        {"r580-like", TINY, "0-1"},
    };
    char dir[] = "/tmp/aetius-floors-XXXXXX";
    struct preset_cache cache = {0};
    struct error err;
    assert_non_null(mkdtemp(dir));
    for (size_t p = 0; p < sizeof cases / sizeof cases[0]; p++) {
        struct verdict_floors before, after;
        struct params params;
        assert_true(preset_cache_get(&cache, cases[p].preset, &params, &err));
        simulate(cases[p].trace, cases[p].frames, cases[p].preset, &params, dir);
        read_floors(dir, &params, &before);
        for (uint32_t i = 0; i < 2 * IDEALS; i++) {
            const uint32_t set = 1u << i % IDEALS;
            struct params changed = params;
            assert_true(i < IDEALS ? ideal_apply(&ideals[i], &changed, &err)
                                   : older_set_apply(set, &changed, &err));
            const double cycles =
                simulate(cases[p].trace, cases[p].frames, cases[p].preset, &changed, dir);
            read_floors(dir, &changed, &after);
            for (uint32_t k = 0; k < IDEALS; k++)
                if (!(set >> k & 1) && before.cycles[k] != after.cycles[k])
                    fail_msg("%s: %s changes the floor of %s from %g to %g", cases[p].preset,
                             ideals[i % IDEALS].name, ideals[k].name, before.cycles[k],
                             after.cycles[k]);
            assert_true(cycles >= verdict_least_cycles(&before, set));
        }
        for (uint32_t k = 0; k < IDEALS; k++)
            assert_int_equal(before.cycles[k] > 0,
                             k == IDEAL_transfers || k == IDEAL_geometry || k == IDEAL_color);
    }
    preset_cache_fini(&cache);
    run_shell("rm -r %s %s.ini", dir, dir);
}

/* An ideal resource without work changes no cycle. The first frame of tiny.trace uses the
 * blitter. */
static void
unused_resources(void **state)
{
    (void)state;
    char dir[] = "/tmp/aetius-unused-XXXXXX";
    struct preset_cache cache = {0};
    struct params params, changed;
    struct error err;
    assert_non_null(mkdtemp(dir));
    assert_true(preset_cache_get(&cache, "reference-2008", &params, &err));
    const double cycles = simulate(TINY, "1", "reference-2008", &params, dir);
    const uint32_t unused = read_unused(dir);
    assert_int_equal(unused, BIT(blitter) | BIT(constants));
    changed = params;
    for (uint32_t i = 0; i < IDEALS; i++)
        assert_true(!(unused >> i & 1) || ideal_apply(&ideals[i], &changed, &err));
    assert_true(simulate(TINY, "1", "reference-2008", &changed, dir) == cycles);
    simulate(TINY, "0", "reference-2008", &params, dir);
    assert_int_equal(read_unused(dir), BIT(constants));
    simulate(GOLDEN "blocks.trace", "0", "reference-2008", &params, dir);
    assert_false(read_unused(dir) & BIT(constants));
    preset_cache_fini(&cache);
    run_shell("rm -r %s %s.ini", dir, dir);
}

/* Returns the number of complete runs. */
static uint32_t
count_runs(const char *dir)
{
    char command[128];
    uint32_t count = 0;
    snprintf(command, sizeof command, "ls -d %s/runs/*/ | wc -l >%s/count", dir, dir);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s/count", dir);
    FILE *file = fopen(command, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%u", &count), 1);
    fclose(file);
    return count;
}

/* Overwrites the wall time of the simulations in a page. */
static void
mask_hours(char *page)
{
    char *text = strstr(page, "wall times add up to ");
    assert_non_null(text);
    for (; *text && *text != '\n'; text++)
        *text = '-';
}

static void
study_goes_on(void **state)
{
    (void)state;
    static struct command_result cmd;
    char dir[] = "/tmp/aetius-verdicts-XXXXXX", page[64], other[64], command[128];
    char *first, *second;
    size_t size, size_again;
    struct error err;
    assert_non_null(mkdtemp(dir));
    snprintf(page, sizeof page, "%s/verdicts.md", dir);
    RUN(&cmd, "study", "verdicts", TINY, "-o", dir, "--machines", "reference-2008", "--jobs", "2");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "# Accuracy of the Top-Down verdicts"));
    assert_non_null(strstr(cmd.out, "1 of 1"));
    const uint32_t runs = count_runs(dir);
    assert_true(runs >= 2); /* the frame itself, and at least the ideal that the verdict names */
    assert_true(file_read(page, FILE_MOST_TEXT, &first, &size, &err));
    /* the same command again repeats no run */
    RUN(&cmd, "study", "verdicts", TINY, "-o", dir, "--machines", "reference-2008");
    assert_int_equal(cmd.status, 0);
    assert_int_equal(count_runs(dir), runs);
    /* the command repeats only the missing run */
    snprintf(command, sizeof command, "rm -r %s/logs/* $(ls -d %s/runs/*/ | head -n 1)", dir, dir);
    assert_int_equal(system(command), 0);
    RUN(&cmd, "study", "verdicts", TINY, "-o", dir, "--machines", "reference-2008");
    assert_int_equal(cmd.status, 0);
    snprintf(command, sizeof command, "[ $(ls %s/logs | wc -l) = 1 ]", dir);
    assert_int_equal(system(command), 0);
    assert_int_equal(count_runs(dir), runs);
    assert_true(file_read(page, FILE_MOST_TEXT, &second, &size_again, &err));
    mask_hours(first);
    mask_hours(second);
    assert_string_equal(first, second);
    free(first);
    free(second);
    /* a different machine needs new runs */
    RUN(&cmd, "study", "verdicts", TINY, "-o", dir, "--machines", "reference-2008", "--set",
        "GPU.ClockMHz=501", "--json");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "\"judging\":{\"pairs\":1"));
    assert_true(count_runs(dir) >= 2 * runs);
    snprintf(other, sizeof other, "rm -r %s", dir);
    assert_int_equal(system(other), 0);
    RUN(&cmd, "study", "verdict");
    assert_int_equal(cmd.status, 2);
}

int
main(int argc, char **argv)
{
    aetius = argc > 1 ? argv[1] : "build/aetius";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judgements),        cmocka_unit_test(older_definition),
        cmocka_unit_test(trials_are_listed), cmocka_unit_test(bounds_decide),
        cmocka_unit_test(bounds_of_parts),   cmocka_unit_test(steps_are_judged),
        cmocka_unit_test(intervals),         cmocka_unit_test(scores),
        cmocka_unit_test(floors_hold),       cmocka_unit_test(unused_resources),
        cmocka_unit_test(study_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
