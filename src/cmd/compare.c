/* aetius compare: compares two pictures, two folders of pictures frame by frame, or two runs. */
#include "base/log.h"
#include "cmd/options.h"
#include "base/mem.h"
#include "base/memory_text.h"
#include "base/text_table.h"
#include "report/compare/compare.h"
#include "report/compare/compare_columns.h"
#include "report/compare/compare_runs.h"
#include "report/compare/regression_limits.h"
#include "report/run/run_json.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int cmd_compare(int argc, char **argv);

struct pair {
    char *name; /* file name, equal in both folders */
    struct picture_difference difference;
};

struct comparison {
    const char *a, *b, *out_dir;
    VEC(struct pair) pairs;
    uint32_t only_in_a, only_in_b;
    struct picture_difference total;
    struct run_comparison runs;
    bool are_runs;
    /* Values of --fail-over, --markdown, --junit, --per-draw. */
    const char *limits, *markdown, *junit;
    bool per_draw, renew, force;
    struct regression_limits regression;
    struct draws draws_a, draws_b; /* valid if is_joined is set: both runs have tables of draws */
    struct draws_join join;
    bool is_joined;
};

enum { MOVES_SHOWN = 20 };

static bool
is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool
write_differences(const struct comparison *comparison, const char *name, const struct picture *a,
                  const struct picture *b, struct error *err)
{
    size_t stem = strlen(name) > 4 ? strlen(name) - 4 : strlen(name);
    bool ok = true;
    for (int sign = 1; ok && sign >= -1; sign -= 2) {
        struct picture difference;
        char *path = mem_printf("%s/%.*s.%s.png", comparison->out_dir, (int)stem, name,
                                sign > 0 ? "positive" : "negative");
        picture_subtract(a, b, sign, &difference);
        ok =
            check_output(path, comparison->force, err) && picture_write_png(&difference, path, err);
        picture_fini(&difference);
        free(path);
    }
    return ok;
}

static bool
compare_files(struct comparison *comparison, const char *path_a, const char *path_b,
              const char *name, struct error *err)
{
    struct picture a = {0}, b = {0};
    struct pair pair = {0};
    bool ok = picture_read_png(&a, path_a, err) && picture_read_png(&b, path_b, err);
    if (ok && !picture_compare(&a, &b, &pair.difference, err))
        ok = fail_prefix(err, "%s and %s", path_a, path_b);
    if (ok && comparison->out_dir)
        ok = write_differences(comparison, name, &a, &b, err);
    if (ok) {
        pair.name = mem_strdup(name);
        VEC_PUSH(&comparison->pairs, pair);
        picture_difference_add(&comparison->total, &pair.difference);
    }
    picture_fini(&a);
    picture_fini(&b);
    return ok;
}

static int
is_png(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 4 && !strcmp(entry->d_name + n - 4, ".png");
}

/* Returns DIR/frames if it exists, else DIR. The caller frees the path. */
static char *
frames_of(const char *dir)
{
    char *frames = mem_printf("%s/frames", dir);
    if (is_folder(frames))
        return frames;
    free(frames);
    return mem_strdup(dir);
}

static bool
compare_common(struct comparison *comparison, const char *dir_a, const char *dir_b,
               struct error *err)
{
    struct dirent **names = NULL;
    int count = scandir(dir_a, &names, is_png, alphasort);
    bool ok = count >= 0 || fail(err, "cannot read %s: %s", dir_a, strerror(errno));
    for (int i = 0; i < count; i++) {
        char *path_a = mem_printf("%s/%s", dir_a, names[i]->d_name);
        char *path_b = mem_printf("%s/%s", dir_b, names[i]->d_name);
        if (!file_exists(path_b))
            comparison->only_in_a++;
        else if (ok)
            ok = compare_files(comparison, path_a, path_b, names[i]->d_name, err);
        free(path_a);
        free(path_b);
        free(names[i]);
    }
    free(names);
    return ok;
}

static uint32_t
count_pictures(const char *dir)
{
    struct dirent **names = NULL;
    int count = scandir(dir, &names, is_png, alphasort);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return count > 0 ? (uint32_t)count : 0;
}

static bool
compare_folders(struct comparison *comparison, struct error *err)
{
    char *a = frames_of(comparison->a), *b = frames_of(comparison->b);
    bool ok = compare_common(comparison, a, b, err);
    uint32_t in_b = count_pictures(b), common = (uint32_t)comparison->pairs.count;
    if (ok && common == 0 && !comparison->are_runs)
        ok = fail(err, "%s and %s have no pictures with the same name", a, b);
    comparison->only_in_b = ok ? in_b - common : 0;
    if (ok && (comparison->only_in_a || comparison->only_in_b))
        log_warning("pictures only in one folder: %u in %s, %u in %s", comparison->only_in_a, a,
                    comparison->only_in_b, b);
    free(a);
    free(b);
    return ok;
}

static bool
compare(struct comparison *comparison, struct error *err)
{
    const char *a = comparison->a, *b = comparison->b;
    if (comparison->out_dir && !dir_create(comparison->out_dir, err))
        return false;
    if (!file_exists(a) || !file_exists(b))
        return fail(err, "%s does not exist", file_exists(a) ? b : a);
    if (baseline_is_unfinished(a) || baseline_is_unfinished(b))
        return fail(err, "%s is incomplete: `compare --renew` was interrupted; run it again",
                    baseline_is_unfinished(a) ? a : b);
    if ((comparison->limits || comparison->per_draw) &&
        (!check_run_folder(a, err) || !check_run_folder(b, err)))
        return false;
    if (is_folder(a) != is_folder(b))
        return fail(err, "%s and %s: expected two PNG files or two folders", a, b);
    if (!is_folder(a)) {
        const char *slash = strrchr(a, '/');
        return compare_files(comparison, a, b, slash ? slash + 1 : a, err);
    }
    comparison->are_runs = is_run_folder(a) && is_run_folder(b);
    if (comparison->are_runs && !compare_runs(a, b, &comparison->runs, err))
        return false;
    return compare_folders(comparison, err);
}

static void
add_difference(cJSON *object, const struct picture_difference *difference)
{
    double psnr = picture_psnr(difference);
    cJSON_AddNumberToObject(object, "pixels", (double)difference->pixels);
    cJSON_AddNumberToObject(object, "identical", (double)difference->identical);
    cJSON_AddNumberToObject(object, "within_1", (double)difference->within_1);
    cJSON_AddNumberToObject(object, "edge_differences", (double)difference->edge_differences);
    cJSON_AddNumberToObject(object, "interior_errors", (double)difference->interior_errors);
    cJSON_AddNumberToObject(object, "max_difference", difference->max_difference);
    if (isnan(psnr))
        cJSON_AddNullToObject(object, "psnr");
    else
        cJSON_AddNumberToObject(object, "psnr", psnr);
}

static void
add_pair(cJSON *list, const struct pair *pair)
{
    cJSON *object = cJSON_CreateObject();
    unsigned number;
    cJSON_AddStringToObject(object, "name", pair->name);
    if (sscanf(pair->name, "frame-%u", &number) == 1)
        cJSON_AddNumberToObject(object, "frame", number);
    add_difference(object, &pair->difference);
    cJSON_AddItemToArray(list, object);
}

/* Adds a statistic of both runs. The caller may add members to the returned object. */
static cJSON *
add_move(cJSON *list, const char *name, double a, double b)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddNumberToObject(object, "a", a);
    cJSON_AddNumberToObject(object, "b", b);
    cJSON_AddItemToArray(list, object);
    return object;
}

static void
add_runs(cJSON *root, const struct run_comparison *runs)
{
    cJSON *machine = cJSON_AddArrayToObject(root, "machine");
    for (size_t i = 0; i < runs->machine_count; i++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", runs->machine[i].name);
        cJSON_AddStringToObject(object, "a", runs->machine[i].a);
        cJSON_AddStringToObject(object, "b", runs->machine[i].b);
        cJSON_AddItemToArray(machine, object);
    }
    if (runs->unlike[0])
        cJSON_AddStringToObject(root, "unlike", runs->unlike);
    cJSON *cycles = cJSON_AddObjectToObject(root, "cycles");
    cJSON_AddNumberToObject(cycles, "a", runs->cycles_a);
    cJSON_AddNumberToObject(cycles, "b", runs->cycles_b);
    cJSON *metrics = cJSON_AddArrayToObject(root, "metrics");
    for (size_t i = 0; i < runs->metric_count; i++) {
        const struct metric_move *move = &runs->metrics[i];
        cJSON_AddStringToObject(add_move(metrics, move->name, move->a, move->b), "unit",
                                move->unit);
    }
    cJSON_AddBoolToObject(root, "no_effect", run_comparison_is_no_effect(runs));
    cJSON *moves = cJSON_AddArrayToObject(root, "statistics");
    for (size_t i = 0; i < runs->move_count; i++)
        add_move(moves, runs->moves[i].name, (double)runs->moves[i].a, (double)runs->moves[i].b);
}

static void
print_compare_json(const struct comparison *comparison)
{
    cJSON *root = cJSON_CreateObject();
    add_difference(cJSON_AddObjectToObject(root, "total"), &comparison->total);
    cJSON *frames = cJSON_AddArrayToObject(root, "frames");
    for (size_t i = 0; i < comparison->pairs.count; i++)
        add_pair(frames, &comparison->pairs.items[i]);
    cJSON_AddNumberToObject(root, "only_in_a", comparison->only_in_a);
    cJSON_AddNumberToObject(root, "only_in_b", comparison->only_in_b);
    if (comparison->are_runs)
        add_runs(root, &comparison->runs);
    if (comparison->limits)
        cJSON_AddItemToObject(root, "gate", regression_limits_json(&comparison->regression));
    if (comparison->per_draw)
        cJSON_AddItemToObject(
            root, "per_draw",
            draws_join_json(&comparison->join, &comparison->draws_a, &comparison->draws_b));
    print_json_tree(root);
}

static void
put_difference(struct text_table *table, const char *name, const struct picture_difference *d)
{
    const double psnr = picture_psnr(d), all = d->pixels ? 100.0 / (double)d->pixels : 0;
    text_table_cell(table, "%s", name);
    text_table_cell(table, "%" PRIu64, d->pixels);
    text_table_cell(table, "%.4f%%", all * (double)d->identical);
    text_table_cell(table, "%.4f%%", all * (double)d->within_1);
    text_table_cell(table, "%" PRIu64, d->edge_differences);
    text_table_cell(table, "%" PRIu64, d->interior_errors);
    text_table_cell(table, "%u", d->max_difference);
    if (isnan(psnr))
        text_table_cell(table, "-");
    else
        text_table_cell(table, "%.2f", psnr);
    text_table_end_row(table);
}

static void
put_machines(struct text_table *table, const struct run_comparison *runs)
{
    if (runs->has_machines && runs->machine_count == 0)
        text_table_line(table, "machines: the same");
    for (size_t i = 0; i < runs->machine_count; i++) {
        text_table_cell(table, "%s", runs->machine[i].name);
        text_table_cell(table, "%s", runs->machine[i].a);
        text_table_left(table, "-> %s", runs->machine[i].b);
        text_table_left(table, "%s", "");
        text_table_end_row(table);
    }
    if (run_comparison_is_no_effect(runs))
        text_table_line(table,
                        "no effect: the machines differ, but cycles and statistics are equal");
}

static void
put_metrics(struct text_table *table, const struct run_comparison *runs)
{
    if (runs->metrics_moved)
        text_table_line(table, "metrics:");
    for (size_t i = 0; i < runs->metric_count; i++) {
        const struct metric_move *move = &runs->metrics[i];
        if (move->a == move->b)
            continue;
        text_table_cell(table, "%s", move->name);
        text_table_cell(table, "%.6g", move->a);
        text_table_left(table, "-> %.6g", move->b);
        text_table_left(table, "%s", move->unit);
        text_table_end_row(table);
    }
}

static void
put_statistics(struct text_table *table, const struct run_comparison *runs)
{
    if (runs->has_stats)
        text_table_line(table, "statistics, summed over the instances of a unit: %zu differ%s",
                        runs->moved, runs->moved > MOVES_SHOWN ? "; largest changes:" : "");
    for (size_t i = 0; i < runs->moved && i < MOVES_SHOWN; i++) {
        text_table_cell(table, "%s", runs->moves[i].name);
        text_table_cell(table, "%" PRIu64, runs->moves[i].a);
        text_table_left(table, "-> %" PRIu64, runs->moves[i].b);
        text_table_left(table, "%s", "");
        text_table_end_row(table);
    }
}

static void
print_runs(const struct run_comparison *runs)
{
    struct text_table table = {0};
    double change = 100 * (runs->cycles_b / runs->cycles_a - 1);
    printf("cycles: %.0f and %.0f (%+.2f%%)\n", runs->cycles_a, runs->cycles_b, change);
    if (runs->unlike[0])
        printf("the runs are %s\n", runs->unlike);
    put_machines(&table, runs);
    put_metrics(&table, runs);
    put_statistics(&table, runs);
    text_table_put(&table, TEXT_TABLE_TEXT, stdout);
}

static void
print_pictures(const struct comparison *comparison)
{
    struct text_table table = {0};
    if (comparison->pairs.count == 0)
        return;
    text_table_cells(&table, "picture|pixels|identical|within 1|edge|interior|max|PSNR dB");
    text_table_end_row(&table);
    for (size_t i = 0; i < comparison->pairs.count; i++)
        put_difference(&table, comparison->pairs.items[i].name,
                       &comparison->pairs.items[i].difference);
    if (comparison->pairs.count > 1)
        put_difference(&table, "total", &comparison->total);
    text_table_put(&table, TEXT_TABLE_TEXT, stdout);
}

/* The numbers show whether the runs have the same scene. Runs of different scenes share few
 * draws. */
static void
print_join(const struct draws_join *join)
{
    printf("  draws: %u before, %u now; %u the same, %u changed, %u new, %u gone\n", join->draws_a,
           join->draws_b, join->same_hash, join->changed, join->only_b, join->only_a);
}

/* Prints limits last, so that a log of continuous integration ends with them. */
static void
print_compare_text(const struct comparison *comparison)
{
    if (comparison->are_runs)
        print_runs(&comparison->runs);
    print_pictures(comparison);
    if (comparison->is_joined)
        print_join(&comparison->join);
    if (comparison->limits)
        regression_limits_print(&comparison->regression, stdout);
}

static void
comparison_fini(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->pairs.count; i++)
        free(comparison->pairs.items[i].name);
    VEC_FREE(&comparison->pairs);
    run_comparison_fini(&comparison->runs);
    regression_limits_fini(&comparison->regression);
    draws_join_fini(&comparison->join);
    draws_fini(&comparison->draws_a);
    draws_fini(&comparison->draws_b);
}

/* Compares draw by draw if requested, or if both runs have tables of draws. */
static bool
judge_draws(struct comparison *c, struct error *err)
{
    bool in_a = true, in_b = true;
    if (!c->per_draw && !(draws_find(c->a, &in_a, err) && draws_find(c->b, &in_b, err)))
        return false;
    if (!in_a || !in_b)
        return true;
    if (!draws_read(&c->draws_a, c->a, UINT32_MAX, err) ||
        !draws_read(&c->draws_b, c->b, UINT32_MAX, err))
        return false;
    draws_join_make(&c->join, &c->draws_a, &c->draws_b);
    c->is_joined = true;
    if (!c->limits)
        return true;
    return regression_limits_check_join(&c->regression, &c->join, err) &&
           (!c->per_draw ||
            regression_limits_check_draws(&c->regression, &c->draws_a, &c->draws_b, &c->join, err));
}

/* Checks the limits for the two runs and their draws. */
static bool
check_limits(struct comparison *c, struct error *err)
{
    const struct picture_difference *total = &c->total;
    const struct regression_pictures pictures = {.pixels = total->pixels - total->identical,
                                                 .compared = (uint32_t)c->pairs.count,
                                                 .only_in_one = c->only_in_a + c->only_in_b};
    if (!c->limits && !c->per_draw)
        return true;
    return (!c->limits || regression_limits_check_runs(&c->regression, &c->runs, &pictures, err)) &&
           judge_draws(c, err);
}

/* `failure`: reason for a failed comparison, or NULL. */
static bool
write_report(const struct comparison *c, const char *path, bool markdown, const char *failure,
             struct error *err)
{
    struct memory_text text;
    if (!path)
        return true;
    FILE *out = memory_text_open(&text);
    if (failure)
        regression_limits_print_failure(failure, markdown, out);
    else if (markdown)
        regression_limits_print_markdown(&c->regression, &c->runs, c->is_joined ? &c->join : NULL,
                                         out);
    else
        regression_limits_print_junit(&c->regression, out);
    return memory_text_write(&text, path, err);
}

static bool
compare_many(const char *const *dirs, uint32_t count, bool json, struct error *err)
{
    struct compare_columns *columns;
    if (!compare_columns_make(&columns, dirs, count, err))
        return false;
    if (json)
        print_json_tree(compare_columns_json(columns));
    else
        compare_columns_print(columns, MOVES_SHOWN, stdout);
    compare_columns_destroy(columns);
    return true;
}

/* Compares two operands. Returns the exit status. */
static int
compare_two(struct comparison *c, bool json)
{
    struct error err, unwritten;
    bool ok = compare(c, &err) && check_limits(c, &err);
    char *why = ok ? NULL : mem_printable(err.text);
    const bool written = write_report(c, c->markdown, true, why, &unwritten) &&
                         write_report(c, c->junit, false, why, &unwritten);
    if (ok && !written)
        err = unwritten;
    ok &= written;
    free(why);
    if (ok && json)
        print_compare_json(c);
    else if (ok)
        print_compare_text(c);
    const bool exceeded = ok && c->regression.exceeded;
    comparison_fini(c);
    return exceeded ? EXIT_EXCEEDED : conclude(ok, &err);
}

int
cmd_compare(int argc, char **argv)
{
    struct comparison c = {0};
    bool json = false;
    const struct arg_option options[] = {
        OPTION_OUTPUT(
            &c.out_dir, "DIR",
            "write NAME.positive.png (B - A where positive) and NAME.negative.png (A - B)", false),
        {"fail-over", 0, ARG_STRING, &c.limits, "NAME=LIMIT,...",
         "exit with 3 if a value of run B exceeds A's by more than LIMIT (a number, or a "
         "percentage with %). NAME: a statistic, a metric, cycles, or pictures (pixels that "
         "differ)",
         false},
        {"per-draw", 0, ARG_FLAG, &c.per_draw, NULL,
         "apply the limits to each draw in both runs; with --json, print all draws of both", false},
        {"across", 0, ARG_FLAG, &c.regression.across, NULL,
         "allow --fail-over between runs of different programs or frames", false},
        {"markdown", 0, ARG_STRING, &c.markdown, "FILE", "write the limits as a Markdown table",
         false},
        {"junit", 0, ARG_STRING, &c.junit, "FILE", "write the limits as JUnit XML test cases",
         false},
        {"renew", 0, ARG_FLAG, &c.renew, NULL,
         "copy run B to A as the new baseline, instead of comparing", false},
        OPTION_FORCE(&c.force, "with -o: overwrite pictures; with --renew: replace a run in A that "
                               "is no baseline"),
        OPTION_JSON(&json, "print all values as JSON"),
        {0},
    };
    const struct arg_spec spec = {
        "compare",
        "A B [-o DIR] [--fail-over NAME=LIMIT,... [--per-draw]] | A B C... | A B --renew",
        "Compares B with the reference A: two PNG files, or two folders (DIR or\n"
        "DIR/frames) frame by frame. For two run folders, also compares machines, cycles,\n"
        "metrics and statistics. Several run folders become the columns of a table.\n"
        "A pixel that differs by more than 2 of 255 in any channel is an edge difference\n"
        "if it lies at an edge of the reference, within the colors of the 3x3 pixels\n"
        "around it; otherwise an interior error. Differing pixels do not change the exit\n"
        "status; differing image sizes do.",
        options,
        2,
        64,
        "two files or two folders, or several runs",
        .program = ARG_NO_PROGRAM,
        .exceeds = "--fail-over limit exceeded"};
    struct args args;
    struct error err;
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    c.a = args.operands[0];
    c.b = args.operands[1];
    const bool has_limits = c.limits || c.per_draw || c.markdown || c.junit || c.regression.across;
    if ((c.markdown || c.junit || c.regression.across) && !c.limits)
        return args_usage_error(&spec, "--markdown, --junit and --across require --fail-over");
    if (c.limits && !regression_limits_parse(&c.regression, c.limits, &err))
        return args_usage_error(&spec, "--fail-over %s", err.text);
    if (args.operand_count > 2 && (has_limits || c.out_dir || c.renew))
        return args_usage_error(&spec,
                                "--fail-over, --per-draw, -o and --renew require exactly two runs");
    if (c.force && !c.renew && !c.out_dir)
        return args_usage_error(&spec, "--force requires -o or --renew");
    if (c.renew && (has_limits || c.out_dir || json))
        return args_usage_error(&spec, "--renew cannot be combined with other options");
    if (c.renew) {
        const bool ok = baseline_renew(c.a, c.b, c.force, &err);
        if (ok)
            log_note("%s: the baseline is now a copy of %s", c.a, c.b);
        return conclude(ok, &err);
    }
    if (args.operand_count > 2)
        return conclude(compare_many(args.operands, args.operand_count, json, &err), &err);
    return compare_two(&c, json);
}
