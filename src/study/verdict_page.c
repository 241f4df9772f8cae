#include "study/verdict_page.h"

#include "base/bits.h"
#include "base/json.h"
#include "base/schema.h"
#include "base/text_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *row, *title, *name; /* in the table of scores, as a heading, in CSV and JSON */
} parts[VERDICT_PARTS] = {
    [VERDICT_JUDGING] = {"judging frames", "Judging frames", "judging"},
    [VERDICT_MICRO] = {"micro-benchmarks", "Micro-benchmarks", "micro"},
    [VERDICT_DEVELOP] = {"development frames", "Development frames", "develop"},
};

static double
percent(const struct verdict_case *one, double cycles)
{
    return 100 * cycles / one->gains.cycles;
}

static bool
has_part(const struct verdict_set *set, enum verdict_part part)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->cases[i].part == part)
            return true;
    return false;
}

/* Writes "z, color and raster"; "no resource" for the empty set. */
static const char *
set_name(uint32_t set, char words[IDEAL_GROUP_WORDS])
{
    const struct ideal_group group = {.set = set};
    snprintf(words, IDEAL_GROUP_WORDS, "no resource");
    if (set)
        ideal_group_name(&group, words);
    return words;
}

/* ---- scores ---- */

/* Collects the distinct names of machines in order. Returns their number. */
static size_t
machines_of(const struct verdict_set *set, const char *names[], size_t most)
{
    size_t found = 0;
    for (size_t i = 0; i < set->count; i++) {
        size_t n = 0;
        while (n < found && strcmp(names[n], set->cases[i].machine) != 0)
            n++;
        if (n == found && found < most)
            names[found++] = set->cases[i].machine;
    }
    return found;
}

static void
put_share(struct text_table *table, const struct verdict_share *share)
{
    text_table_cell(table, "%.0f of %u (%.0f %%)", share->part, share->whole,
                    share->whole ? 100 * share->part / share->whole : 0);
}

static void
put_score(struct text_table *table, const char *what, const struct verdict_score *score)
{
    double low, high;
    verdict_interval(&score->programs, &low, &high);
    text_table_cell(table, "%s", what);
    put_share(table, &score->right);
    text_table_cell(table, "%.0f-%.0f %%, %u programs", 100 * low, 100 * high,
                    score->programs.whole);
    put_share(table, &score->older);
    text_table_cell(table, "%.1f", 100 * score->verdict_error);
    text_table_cell(table, "%.1f (%u)", 100 * score->error, score->resources);
    put_share(table, &score->steps);
    text_table_cell(table, "%u of %u", score->large, score->right.whole);
    text_table_end_row(table);
}

static void
write_scores(const struct verdict_set *set, FILE *out)
{
    enum { MOST = 16 };
    const char *machines[MOST];
    const size_t machine_count = machines_of(set, machines, MOST);
    struct text_table table = {0};
    text_table_cells(&table, "frames|verdict right|95 % interval|right by the older "
                             "definition|error of the verdict, points|error of all "
                             "resources, points|advised step good|large");
    text_table_end_row(&table);
    for (uint32_t part = 0; part < VERDICT_PARTS; part++) {
        if (!has_part(set, part))
            continue;
        const struct verdict_score all = verdicts_score(set->cases, set->count, part, NULL);
        put_score(&table, parts[part].row, &all);
        for (size_t m = 0; machine_count > 1 && m < machine_count; m++) {
            char what[64];
            const struct verdict_score of =
                verdicts_score(set->cases, set->count, part, machines[m]);
            snprintf(what, sizeof what, "- %s", machines[m]);
            if (of.right.whole)
                put_score(&table, what, &of);
        }
    }
    text_table_put(&table, TEXT_TABLE_MARKDOWN, out);
}

/* ---- wrong verdicts ---- */

static void
write_rival(const struct verdict_case *one, const struct verdict_trial *best, FILE *out)
{
    char words[IDEAL_GROUP_WORDS];
    fprintf(out, " Ideal %s gained %.1f %%", set_name(best->set, words),
            percent(one, best->gained));
    for (uint32_t i = 0; i < IDEALS; i++)
        if (best->set >> i & 1)
            fprintf(out, "; %s: %.1f %% charged, %.1f %% expected", ideals[i].name,
                    percent(one, verdict_charged(&one->gains, i)),
                    percent(one, one->gains.expected[i]));
    fputs(".", out);
}

/* Lists the members of the verdict that add too little. */
static void
write_parts(const struct verdict_case *one, FILE *out)
{
    for (size_t i = 1; i < one->trials.count; i++) {
        const struct verdict_trial *trial = &one->trials.items[i];
        char words[IDEAL_GROUP_WORDS];
        if (trial->is_part &&
            trial->gained > one->trials.items[0].gained - VERDICT_WITHIN * one->gains.cycles)
            fprintf(out, " Without %s, it gained %.1f %%.",
                    set_name(one->trials.items[0].set & ~trial->set, words),
                    percent(one, trial->gained));
    }
}

static void
write_miss(const struct verdict_case *one, FILE *out)
{
    const struct verdict_trial *best = verdict_best(&one->trials);
    char words[IDEAL_GROUP_WORDS];
    fprintf(out, "- %s on %s: verdict %s, expected %.1f %%, gained %.1f %%.", one->trace,
            one->machine, set_name(one->verdict, words), percent(one, one->expected),
            percent(one, one->trials.items[0].gained));
    if (best->gained > one->trials.items[0].gained + VERDICT_WITHIN * one->gains.cycles)
        write_rival(one, best, out);
    write_parts(one, out);
    putc('\n', out);
}

static void
write_misses(const struct verdict_set *set, FILE *out)
{
    bool any = false;
    for (size_t i = 0; i < set->count; i++)
        if (!verdict_is_right(&set->cases[i])) {
            write_miss(&set->cases[i], out);
            any = true;
        }
    if (!any)
        fputs("None.\n", out);
}

/* ---- frames ---- */

static void
put_step(struct text_table *table, const struct verdict_case *one, const struct verdict_step *step)
{
    char *text = step ? step_text(&step->step, " ") : mem_strdup("-");
    text_table_cell(table, "%s", text);
    text_table_cell(table, "%.1f", step ? percent(one, step->gained) : 0);
    free(text);
}

static const struct verdict_step *
advised_step(const struct verdict_case *one)
{
    return one->advised < one->steps.count ? &one->steps.items[one->advised] : NULL;
}

static void
put_pair(struct text_table *table, const struct verdict_case *one)
{
    const struct verdict_trial *best = verdict_best(&one->trials);
    char words[IDEAL_GROUP_WORDS];
    text_table_cell(table, "%s", one->trace);
    text_table_cell(table, "%s", one->machine);
    text_table_cell(table, "%.0f", one->draws);
    text_table_cell(table, "%.0f", one->gains.cycles);
    text_table_cell(table, "%s", set_name(one->verdict, words));
    text_table_cell(table, "%.1f", percent(one, one->expected));
    text_table_cell(table, "%.1f", percent(one, one->trials.items[0].gained));
    text_table_cell(table, "%s", set_name(best->set, words));
    text_table_cell(table, "%.1f", percent(one, best->gained));
    text_table_cell(table, "%s", verdict_is_right(one) ? "yes" : "no");
    text_table_cell(table, "%s", verdict_is_right_by_older(one) ? "yes" : "no");
    put_step(table, one, advised_step(one));
    put_step(table, one, verdict_best_step(one));
    text_table_end_row(table);
}

static const char pair_columns[] =
    "frame|machine|draws|cycles|verdict|expected %|gained %|best|best gained %|right|right by "
    "older|advised step|step gained %|best step|best step gained %";

static void
write_pairs(const struct verdict_set *set, enum verdict_part part, FILE *out)
{
    struct text_table table = {0};
    text_table_cells(&table, pair_columns);
    text_table_end_row(&table);
    for (size_t i = 0; i < set->count; i++)
        if (set->cases[i].part == part)
            put_pair(&table, &set->cases[i]);
    text_table_put(&table, TEXT_TABLE_MARKDOWN, out);
}

/* ---- the page ---- */

static void
write_definitions(const struct verdict_set *set, FILE *out)
{
    fprintf(out,
            "- A verdict is a resource, or the group of resources that `aetius topdown` expects to "
            "gain more\n"
            "  together. It is *right* if no single resource gains over %.0f points more than the "
            "verdict, and no\n"
            "  pair among the %d resources with the most attributed cycles. A group is wrong if it "
            "gains less than\n"
            "  %.0f points more than without one of its members. Each gain is that of a "
            "simulation.\n",
            100 * VERDICT_WITHIN, VERDICT_PAIRED, 100 * VERDICT_WITHIN);
    fputs("- The *older definition* compares the verdict with ten single resources, whose settings "
          "were narrower\n"
          "  (`src/study/older_ideals.def`).\n"
          "- The *95 % interval* (Wilson) is that of the share of right verdicts of a program. "
          "Frames of one\n"
          "  program are not independent. So each program counts once, with its share of right "
          "verdicts.\n",
          out);
    fprintf(
        out,
        "- *Error of the verdict* is |expected - gained| in points of the frame's cycles, on "
        "average. *Error of\n"
        "  all resources* is the same for each single resource to which at least %.0f %% of the "
        "cycles are\n"
        "  attributed (their number in parentheses). No cycles are attributed to drain; its "
        "upper bound is\n"
        "  used instead.\n",
        100 * VERDICT_JUDGED);
    fprintf(
        out,
        "- The *advised step* is good if no step gains over %.0f points more. Candidates are the "
        "steps\n"
        "  (`src/steps.def`) of the %d resources with the most attributed cycles.\n"
        "- A frame is *large* if it has at least %d draws or %d cycles.\n",
        100 * VERDICT_WITHIN, VERDICT_STEPPED, VERDICT_LARGE_DRAWS, VERDICT_LARGE_CYCLES);
    fprintf(out,
            "- A simulation is skipped only if an upper bound of its gain already decides\n"
            "  (`src/study/verdict_floors.def`).\n"
            "- The study needed %u simulations. Their wall times add up to %.1f hours.\n\n",
            set->cost.simulations, set->cost.hours);
}

void
verdict_page(const struct verdict_set *set, FILE *out)
{
    fputs(
        "# Accuracy of the Top-Down verdicts\n\n"
        "`aetius study verdicts` generates this page. It checks the verdicts of `aetius topdown`\n"
        "(docs/topdown.md) by experiment. Each frame is simulated on each machine. It is then\n"
        "simulated again with other sets of ideal resources, and with steps of parameters.\n\n",
        out);
    write_definitions(set, out);
    write_scores(set, out);
    fputs("\n## Wrong verdicts\n\n", out);
    write_misses(set, out);
    for (uint32_t part = 0; part < VERDICT_PARTS; part++) {
        if (!has_part(set, part))
            continue;
        fprintf(out, "\n## %s\n\n", parts[part].title);
        write_pairs(set, part, out);
    }
}

/* ---- CSV and JSON ---- */

void
verdict_pairs_csv(const struct verdict_set *set, FILE *out)
{
    struct text_table table = {0};
    text_table_cells(&table, pair_columns);
    text_table_end_row(&table);
    for (size_t i = 0; i < set->count; i++)
        put_pair(&table, &set->cases[i]);
    text_table_put(&table, TEXT_TABLE_CSV, out);
}

/* Adds a line of a trial or a step. `expected` NAN: not predicted. */
static void
put_line(struct text_table *table, const struct verdict_case *one, const char *kind,
         const char *name, const double values[3])
{
    text_table_cell(table, "%s", one->trace);
    text_table_cell(table, "%s", one->machine);
    text_table_cell(table, "%s", parts[one->part].name);
    text_table_cell(table, "%.0f", one->gains.cycles);
    text_table_cell(table, "%s", kind);
    text_table_cell(table, "%s", name);
    for (uint32_t i = 0; i < 3; i++)
        if (isnan(values[i]))
            text_table_cell(table, "%s", "");
        else
            text_table_cell(table, "%.0f", values[i]);
    text_table_end_row(table);
}

static void
put_trials(struct text_table *table, const struct verdict_case *one,
           const struct verdict_trials *trials, const char *kind)
{
    for (size_t i = 0; i < trials->count; i++) {
        const struct verdict_trial *trial = &trials->items[i];
        char words[IDEAL_GROUP_WORDS];
        double expected = i || one->verdict != trial->set ? (double)NAN : one->expected;
        for (uint32_t k = 0; k < IDEALS; k++)
            if (trial->set == 1u << k)
                expected = one->gains.expected[k];
        put_line(table, one, i ? kind : "verdict", set_name(trial->set, words),
                 (const double[]){trial->most, expected, trial->gained});
    }
}

void
verdict_trials_csv(const struct verdict_set *set, FILE *out)
{
    struct text_table table = {0};
    text_table_cells(&table, "frame|machine|part|cycles|kind|name|at_most|expected|gained");
    text_table_end_row(&table);
    for (size_t c = 0; c < set->count; c++) {
        const struct verdict_case *one = &set->cases[c];
        put_trials(&table, one, &one->trials, "ideal");
        put_trials(&table, one, &one->older, "older");
        for (size_t s = 0; s < one->steps.count; s++) {
            char *text = step_text(&one->steps.items[s].step, " ");
            put_line(&table, one, s == one->advised ? "advised" : "step", text,
                     (const double[]){one->steps.items[s].most, (double)NAN,
                                      one->steps.items[s].gained});
            free(text);
        }
    }
    text_table_put(&table, TEXT_TABLE_CSV, out);
}

static void
add_share(cJSON *object, const char *name, const struct verdict_share *share)
{
    cJSON_AddNumberToObject(object, name, share->part);
}

void
verdict_json(const struct verdict_set *set, FILE *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", AETIUS_SCHEMA);
    cJSON_AddNumberToObject(root, "simulations", set->cost.simulations);
    for (uint32_t part = 0; part < VERDICT_PARTS; part++) {
        const struct verdict_score score = verdicts_score(set->cases, set->count, part, NULL);
        cJSON *object = cJSON_AddObjectToObject(root, parts[part].name);
        double low, high;
        verdict_interval(&score.programs, &low, &high);
        cJSON_AddNumberToObject(object, "pairs", score.right.whole);
        add_share(object, "right", &score.right);
        add_share(object, "right_by_older", &score.older);
        add_share(object, "good_steps", &score.steps);
        cJSON_AddNumberToObject(object, "programs", score.programs.whole);
        cJSON_AddItemToObject(object, "interval_low", json_decimals(low, 4));
        cJSON_AddItemToObject(object, "interval_high", json_decimals(high, 4));
        cJSON_AddNumberToObject(object, "resources", score.resources);
        cJSON_AddItemToObject(object, "verdict_error_points",
                              json_decimals(100 * score.verdict_error, 3));
        cJSON_AddItemToObject(object, "error_points", json_decimals(100 * score.error, 3));
    }
    json_put(root, out);
    putc('\n', out);
}
