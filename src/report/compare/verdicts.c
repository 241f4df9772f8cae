#include "report/compare/verdicts.h"

#include "base/json.h"
#include "base/schema.h"
#include "base/text_table.h"

#include <math.h>
#include <string.h>

static double
share(const struct verdict_case *one, double cycles)
{
    return one->gains.cycles > 0 ? cycles / one->gains.cycles : 0;
}

enum ideal_number
verdict_by_bounds(const struct verdict_case *one)
{
    enum ideal_number longest = 0;
    for (uint32_t i = 1; i < IDEALS; i++)
        if (one->gains.own[i] > one->gains.own[longest])
            longest = i;
    return longest;
}

static bool
has_half(const struct verdict_case *cases, size_t count, bool develops)
{
    for (size_t i = 0; i < count; i++)
        if (cases[i].develops == develops)
            return true;
    return false;
}

enum ideal_number
verdicts_commonest(const struct verdict_case *cases, size_t count)
{
    const bool half = has_half(cases, count, true);
    uint32_t frames[IDEALS] = {0};
    enum ideal_number most = 0;
    for (size_t i = 0; i < count; i++)
        if (cases[i].develops || !half)
            frames[ideals_verdict(&cases[i].gains)]++;
    for (uint32_t i = 1; i < IDEALS; i++)
        if (frames[i] > frames[most])
            most = i;
    return most;
}

bool
verdict_tries(const struct verdict_case *one, uint32_t ideal, enum ideal_number commonest)
{
    return share(one, one->gains.most[ideal]) >= VERDICT_ACCUSED ||
           ideal == ideals_verdict(&one->gains) || ideal == verdict_by_bounds(one) ||
           ideal == commonest;
}

enum ideal_number
verdict_best(const struct verdict_case *one)
{
    enum ideal_number best = ideals_verdict(&one->gains);
    for (uint32_t i = 0; i < IDEALS; i++)
        if (one->gained[i] > one->gained[best])
            best = i;
    return best;
}

bool
verdict_is_right(const struct verdict_case *one, enum ideal_number answer)
{
    return one->gained[answer] + VERDICT_WITHIN * one->gains.cycles >=
           one->gained[verdict_best(one)];
}

static void
score_errors(struct verdict_score *score, const struct verdict_case *one)
{
    for (uint32_t i = 0; i < IDEALS; i++) {
        if (isnan(one->gained[i]) || share(one, one->gains.most[i]) < VERDICT_JUDGED)
            continue;
        score->causes++;
        score->error += fabs(share(one, one->gains.expected[i] - one->gained[i]));
        score->error_of_most += fabs(share(one, one->gains.most[i] - one->gained[i]));
    }
}

struct verdict_score
verdicts_score(const struct verdict_case *cases, size_t count, bool develops, const char *machine)
{
    struct verdict_score score = {0};
    const enum ideal_number commonest = verdicts_commonest(cases, count);
    for (size_t i = 0; i < count; i++) {
        const struct verdict_case *one = &cases[i];
        if (one->develops != develops || (machine && strcmp(one->machine, machine) != 0))
            continue;
        score.frames++;
        score.right += verdict_is_right(one, ideals_verdict(&one->gains));
        score.right_by_bounds += verdict_is_right(one, verdict_by_bounds(one));
        score.right_by_commonest += verdict_is_right(one, commonest);
        score_errors(&score, one);
    }
    if (score.causes) {
        score.error /= score.causes;
        score.error_of_most /= score.causes;
    }
    return score;
}

/* ---- the page ---- */

/* Collects the distinct names of machines in order. Returns their number. */
static size_t
machines_of(const struct verdict_case *cases, size_t count, const char *names[], size_t most)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t n = 0;
        while (n < found && strcmp(names[n], cases[i].machine) != 0)
            n++;
        if (n == found && found < most)
            names[found++] = cases[i].machine;
    }
    return found;
}

static void
put_share(struct text_table *table, uint32_t part, uint32_t whole)
{
    text_table_cell(table, "%u of %u (%.0f %%)", part, whole, whole ? 100.0 * part / whole : 0);
}

static void
put_score(struct text_table *table, const char *what, const struct verdict_score *score)
{
    text_table_cell(table, "%s", what);
    put_share(table, score->right, score->frames);
    put_share(table, score->right_by_bounds, score->frames);
    put_share(table, score->right_by_commonest, score->frames);
    text_table_cell(table, "%.1f", 100 * score->error);
    text_table_cell(table, "%.1f", 100 * score->error_of_most);
    text_table_cell(table, "%u", score->causes);
    text_table_end_row(table);
}

static void
write_scores(const struct verdict_case *cases, size_t count, FILE *out)
{
    enum { MOST = 16 };
    const char *machines[MOST];
    const size_t machine_count = machines_of(cases, count, machines, MOST);
    struct text_table table = {0};
    text_table_cells(&table, "frames|verdict right|largest `bound_*` right|most frequent "
                             "right|error, points|error of the upper bound, points|cases");
    text_table_end_row(&table);
    for (uint32_t half = 0; half < 2; half++) {
        if (!has_half(cases, count, half))
            continue;
        const struct verdict_score all = verdicts_score(cases, count, half, NULL);
        put_score(&table, half ? "development frames" : "judging frames", &all);
        for (size_t m = 0; machine_count > 1 && m < machine_count; m++) {
            char what[64];
            const struct verdict_score of = verdicts_score(cases, count, half, machines[m]);
            snprintf(what, sizeof what, "- %s", machines[m]);
            put_score(&table, what, &of);
        }
    }
    text_table_put(&table, TEXT_TABLE_MARKDOWN, out);
}

static void
put_frame(struct text_table *table, const struct verdict_case *one)
{
    const enum ideal_number verdict = ideals_verdict(&one->gains), best = verdict_best(one);
    const enum ideal_number longest = verdict_by_bounds(one);
    text_table_cell(table, "%s", one->trace);
    text_table_cell(table, "%s", one->machine);
    text_table_cell(table, "%.0f", one->gains.cycles);
    text_table_cell(table, "%s", ideals[verdict].name);
    text_table_cell(table, "%.1f", 100 * share(one, one->gains.most[verdict]));
    text_table_cell(table, "%.1f", 100 * share(one, one->gains.expected[verdict]));
    text_table_cell(table, "%.1f", 100 * share(one, one->gained[verdict]));
    text_table_cell(table, "%s", ideals[best].name);
    text_table_cell(table, "%.1f", 100 * share(one, one->gained[best]));
    text_table_cell(table, "%s", verdict_is_right(one, verdict) ? "yes" : "no");
    text_table_cell(table, "%s%s", ideals[longest].name,
                    verdict_is_right(one, longest) ? "" : " (no)");
    text_table_end_row(table);
}

static void
write_frames(const struct verdict_case *cases, size_t count, bool develops, FILE *out)
{
    struct text_table table = {0};
    text_table_cells(&table, "frame|machine|cycles|verdict|at most %|expected %|gained "
                             "%|best|gained %|right|largest `bound_*`");
    text_table_end_row(&table);
    for (size_t i = 0; i < count; i++)
        if (cases[i].develops == develops)
            put_frame(&table, &cases[i]);
    text_table_put(&table, TEXT_TABLE_MARKDOWN, out);
}

/* Prints the probable error. The verdict gained less than expected, the best resource gained more
 * than expected, or the best resource gained more than its upper bound. */
static void
explain(const struct verdict_case *one, FILE *out)
{
    const enum ideal_number verdict = ideals_verdict(&one->gains), best = verdict_best(one);
    const double less = share(one, one->gains.expected[verdict] - one->gained[verdict]);
    const double more = share(one, one->gained[best] - one->gains.expected[best]);
    const double beyond = share(one, one->gained[best] - one->gains.most[best]);
    fprintf(out,
            "- %s on %s: verdict %s (expected %.1f %%, gained %.1f %%); best %s (at most %.1f %%, "
            "expected %.1f %%, gained %.1f %%). ",
            one->trace, one->machine, ideals[verdict].name,
            100 * share(one, one->gains.expected[verdict]), 100 * share(one, one->gained[verdict]),
            ideals[best].name, 100 * share(one, one->gains.most[best]),
            100 * share(one, one->gains.expected[best]), 100 * share(one, one->gained[best]));
    if (less >= more)
        fprintf(out,
                "The gain from ideal %s is probably limited by a path only slightly shorter than "
                "the critical one: work "
                "that the metrics do not count, or waits that remain.\n",
                ideals[verdict].name);
    else if (beyond > VERDICT_WITHIN)
        fprintf(out,
                "The gain of %s exceeds its upper bound. Probably the ideal resource reduces other "
                "losses, too (order of transactions, cache hits, queue space).\n",
                ideals[best].name);
    else
        fprintf(out,
                "The rule overestimated how much of the gain of %s is hidden, probably because "
                "another resource's work overlapped it.\n",
                ideals[best].name);
}

static void
write_misses(const struct verdict_case *cases, size_t count, FILE *out)
{
    bool any = false;
    for (size_t i = 0; i < count; i++)
        if (!verdict_is_right(&cases[i], ideals_verdict(&cases[i].gains))) {
            explain(&cases[i], out);
            any = true;
        }
    if (!any)
        fputs("None.\n", out);
}

void
verdicts_page(const struct verdict_case *cases, size_t count, FILE *out)
{
    fprintf(
        out,
        "# Accuracy of the Top-Down verdicts\n\n"
        "`aetius study verdicts` generates this page. It checks the verdicts of `aetius topdown`\n"
        "(docs/topdown.md) by experiment.\n\n"
        "The study simulates each frame of `studies/verdicts.ini` on each of its machines.\n"
        "`aetius topdown` names the limiting resource and predicts the gain of each ideal "
        "resource. The\n"
        "frame is then simulated again with an ideal resource: each one that can gain at least "
        "%.0f %% of\n"
        "the cycles, and those that two simpler methods name. These methods take the resource with "
        "the\n"
        "largest `bound_*` metric, and the most frequent verdict (here %s).\n\n"
        "- A verdict is *right* if no ideal resource gains over %.0f points more than the "
        "verdict.\n"
        "- *Error* is |expected - gained| in points of the frame's cycles, averaged over the "
        "*cases*: the\n"
        "  resources that can gain at least %.0f %%. *Error of the upper bound* is |upper bound - "
        "gained|.\n"
        "- The rule was developed on some frames (`develop` in the plan) and is judged by the "
        "others.\n\n",
        100 * VERDICT_ACCUSED, ideals[verdicts_commonest(cases, count)].name, 100 * VERDICT_WITHIN,
        100 * VERDICT_JUDGED);
    write_scores(cases, count, out);
    fputs("\n## Wrong verdicts\n\n", out);
    write_misses(cases, count, out);
    for (uint32_t half = 0; half < 2; half++) {
        if (!has_half(cases, count, half))
            continue;
        fprintf(out, "\n## %s\n\n", half ? "Development frames" : "Judging frames");
        write_frames(cases, count, half, out);
    }
}

void
verdicts_csv(const struct verdict_case *cases, size_t count, FILE *out)
{
    struct text_table table = {0};
    text_table_cells(&table,
                     "frame|machine|half|cycles|resource|at_most|expected|own|gained|verdict|best");
    text_table_end_row(&table);
    for (size_t c = 0; c < count; c++) {
        const struct verdict_case *one = &cases[c];
        for (uint32_t i = 0; i < IDEALS; i++) {
            if (isnan(one->gained[i]))
                continue;
            text_table_cell(&table, "%s", one->trace);
            text_table_cell(&table, "%s", one->machine);
            text_table_cell(&table, "%s", one->develops ? "develop" : "report");
            text_table_cell(&table, "%.0f", one->gains.cycles);
            text_table_cell(&table, "%s", ideals[i].name);
            text_table_cell(&table, "%.0f", one->gains.most[i]);
            text_table_cell(&table, "%.0f", one->gains.expected[i]);
            text_table_cell(&table, "%.0f", one->gains.own[i]);
            text_table_cell(&table, "%.0f", one->gained[i]);
            text_table_cell(&table, "%s", ideals[ideals_verdict(&one->gains)].name);
            text_table_cell(&table, "%s", ideals[verdict_best(one)].name);
            text_table_end_row(&table);
        }
    }
    text_table_put(&table, TEXT_TABLE_CSV, out);
}

void
verdicts_json(const struct verdict_case *cases, size_t count, FILE *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", AETIUS_SCHEMA);
    cJSON_AddStringToObject(root, "commonest", ideals[verdicts_commonest(cases, count)].name);
    for (uint32_t half = 0; half < 2; half++) {
        const struct verdict_score score = verdicts_score(cases, count, half, NULL);
        cJSON *object = cJSON_AddObjectToObject(root, half ? "develop" : "report");
        cJSON_AddNumberToObject(object, "frames", score.frames);
        cJSON_AddNumberToObject(object, "right", score.right);
        cJSON_AddNumberToObject(object, "right_by_bounds", score.right_by_bounds);
        cJSON_AddNumberToObject(object, "right_by_commonest", score.right_by_commonest);
        cJSON_AddNumberToObject(object, "causes", score.causes);
        cJSON_AddItemToObject(object, "error_points", json_decimals(100 * score.error, 3));
    }
    json_put(root, out);
    putc('\n', out);
}
