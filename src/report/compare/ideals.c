#include "report/compare/ideals.h"

#include "base/bits.h"
#include "base/mem.h"
#include "report/run/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct ideal ideals[IDEALS] = {
#define IDEAL(name, branches, own, settings, what, advice, parameter)                              \
    {#name, branches, own, settings, what, advice, parameter},
#include "ideals.def"
};

const struct limit limits[LIMITS] = {
#define LIMIT(name, resource, settings, what) {#name, IDEAL_##resource, settings, what},
#include "ideals.def"
};

/* Calls `fn` for each word of a text separated by spaces, until `fn` returns false. */
static bool
each_word(const char *text, bool (*fn)(void *data, const char *word, struct error *err), void *data,
          struct error *err)
{
    while (*(text += strspn(text, " "))) {
        char word[128];
        const size_t n = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, text);
        if (!fn(data, word, err))
            return false;
        text += n;
    }
    return true;
}

static bool
set_one(void *params, const char *setting, struct error *err)
{
    return params_set(params, setting, err);
}

bool
ideal_apply(const struct ideal *ideal, struct params *params, struct error *err)
{
    bool ok = each_word(ideal->settings, set_one, params, err);
    for (uint32_t i = 0; ok && i < LIMITS; i++)
        if (&ideals[limits[i].ideal] == ideal)
            ok = limit_apply(&limits[i], params, err);
    return ok;
}

bool
limit_apply(const struct limit *limit, struct params *params, struct error *err)
{
    return each_word(limit->settings, set_one, params, err);
}

static bool
is_other(void *name, const char *word, struct error *err)
{
    (void)err;
    return strcmp(name, word) != 0;
}

bool
ideal_has(const struct ideal *ideal, const char *branch)
{
    uint32_t count;
    const struct path_branch *branches = path_branches(&count);
    for (uint32_t i = count; i-- > 0;) {
        if (strcmp(branches[i].name, branch))
            continue;
        if (!each_word(ideal->branches, is_other, (void *)(uintptr_t)branch, NULL))
            return true;
        branch = branches[i].parent;
    }
    return false;
}

bool
ideal_is_charged(const struct ideal *ideal, const char *branch)
{
    uint32_t count;
    const struct path_branch *branches = path_branches(&count);
    for (uint32_t i = count; i-- > 0;) {
        if (strcmp(branches[i].name, branch) != 0)
            continue;
        if (!strcmp(branches[i].parent, "cycles"))
            return ideal_has(ideal, branch);
        branch = branches[i].parent;
    }
    return false;
}

/* ---- reading rows ---- */

/* Upper bounds and work of each resource in one row. */
struct row_costs {
    double causes[CAUSE_COUNT];
    double cycles, charged[IDEALS], most[IDEALS], own[IDEALS];
    /* texture_reads: cycles of texture reads from memory, which both ideals remove.
     * texture_traffic: share of these reads in memory traffic, 0 to 1. */
    double texture_reads, texture_traffic;
    double busy_memory; /* memory's own work if channels overlap no more than they do now */
    double display;     /* the DAC's own work, which no ideal resource removes */
    double overlap;     /* cycles that would overlap with earlier draws of the rows */
};

struct ideal_sum {
    const char *const *names; /* columns of a row */
    uint32_t count;
    const struct params *params;
    int32_t cycles, overlap; /* column indices */
    int32_t lost[CAUSE_COUNT];
    bool removes[IDEALS][CAUSE_COUNT], is_charged[IDEALS][CAUSE_COUNT];
    struct formula bounds[IDEALS], texture_traffic, busy_memory, display;
    bool has_draw; /* one of the rows was a draw */
    struct ideal_gains gains;
    bool keeps; /* keeps all rows */
    VEC(struct row_costs) kept;
};

static int32_t
column_of(const struct ideal_sum *sum, const char *name)
{
    for (uint32_t i = 0; i < sum->count; i++)
        if (sum->names[i][0] == name[0] && !strcmp(sum->names[i], name))
            return (int32_t)i;
    return -1;
}

static bool
resolve(void *data, const char *name, int32_t *place, double *number)
{
    const struct ideal_sum *sum = data;
    if (metric_find(name)) /* bounds do not depend on other metrics */
        return false;
    *place = column_of(sum, name);
    return *place >= 0 || param_number(sum->params, name, number);
}

static bool
open_metric(struct ideal_sum *sum, const char *name, struct formula *formula, struct error *err)
{
    const struct metric *metric = metric_find(name);
    BUG_ON(!metric, "no metric '%s'", name);
    return formula_compile(formula, metric->formula, resolve, sum, err) ||
           fail(err, "the run lacks statistics for %s: another version made it", name);
}

static bool
open_bounds(struct ideal_sum *sum, struct error *err)
{
    bool ok = open_metric(sum, "texture_traffic", &sum->texture_traffic, err) &&
              open_metric(sum, "busy_memory", &sum->busy_memory, err) &&
              open_metric(sum, "bound_display", &sum->display, err);
    for (uint32_t i = 0; ok && i < IDEALS; i++)
        ok = !*ideals[i].own || open_metric(sum, ideals[i].own, &sum->bounds[i], err);
    return ok;
}

/* Sets of resources: those that remove a branch, and those to which its cycles are charged. They
 * are what ideal_has() and ideal_is_charged() return, but take less time for all branches. */
struct branch_sets {
    uint32_t removed_by, charged_to;
};

static struct branch_sets
sets_of(const struct path_branch *branches, uint32_t b, const struct branch_sets *before)
{
    struct branch_sets sets = {0, 0};
    for (uint32_t i = 0; i < IDEALS; i++)
        if (!each_word(ideals[i].branches, is_other, (void *)(uintptr_t)branches[b].name, NULL))
            sets.removed_by |= 1u << i;
    uint32_t parent = b;
    while (parent-- && strcmp(branches[parent].name, branches[b].parent) != 0)
        ;
    const bool top = parent >= b;
    sets.removed_by |= top ? 0 : before[parent].removed_by;
    sets.charged_to = top ? sets.removed_by : before[parent].charged_to;
    return sets;
}

static bool
open_causes(struct ideal_sum *sum, struct error *err)
{
    struct branch_sets sets[PATH_CAUSES];
    uint32_t count;
    const struct path_branch *branches = path_branches(&count);
    for (uint32_t b = 0; b < count; b++) {
        sets[b] = sets_of(branches, b, sets);
        char name[64];
        const int32_t cause = branches[b].cause;
        if (cause < 0)
            continue;
        snprintf(name, sizeof name, "lost.%s", branches[b].name);
        if ((sum->lost[cause] = column_of(sum, name)) < 0)
            return fail(err, "the run has no statistic %s", name);
        for (uint32_t i = 0; i < IDEALS; i++) {
            sum->removes[i][cause] = sets[b].removed_by >> i & 1;
            sum->is_charged[i][cause] = sets[b].charged_to >> i & 1;
        }
    }
    return true;
}

struct ideal_sum *
ideals_begin(const char *const *names, uint32_t count, const struct params *params,
             struct error *err)
{
    struct ideal_sum *sum = mem_alloc(sizeof *sum);
    *sum = (struct ideal_sum){.names = names, .count = count, .params = params};
    sum->cycles = column_of(sum, "cycles");
    sum->overlap = column_of(sum, "cmdproc.overlap_cycles");
    if ((sum->cycles >= 0 || fail(err, "the run has no statistic cycles")) &&
        open_causes(sum, err) && open_bounds(sum, err) &&
        (sum->overlap >= 0 || fail(err, "the run has no statistic cmdproc.overlap_cycles")))
        return sum;
    ideals_end(sum);
    return NULL;
}

void
ideals_end(struct ideal_sum *sum)
{
    if (!sum)
        return;
    for (uint32_t i = 0; i < IDEALS; i++)
        formula_fini(&sum->bounds[i]);
    formula_fini(&sum->texture_traffic);
    formula_fini(&sum->busy_memory);
    formula_fini(&sum->display);
    VEC_FREE(&sum->kept);
    free(sum);
}

static double
most_of(const double bounds[IDEALS])
{
    double most = 0;
    for (uint32_t i = 0; i < IDEALS; i++)
        most = fmax(most, bounds[i]);
    return most;
}

/* Evaluates the metric of each resource's work. */
static void
read_bounds(const struct ideal_sum *sum, const double *numbers, struct row_costs *costs)
{
    const double traffic = formula_run(&sum->texture_traffic, numbers);
    costs->texture_traffic = isnan(traffic) ? 0 : traffic / 100;
    costs->busy_memory = fmin(formula_run(&sum->busy_memory, numbers), costs->cycles);
    costs->display = fmin(formula_run(&sum->display, numbers), costs->cycles);
    for (uint32_t i = 0; i < IDEALS; i++) {
        const double own = *ideals[i].own ? formula_run(&sum->bounds[i], numbers) : 0;
        costs->own[i] = isnan(own) ? 0 : fmin(own, costs->cycles);
    }
}

static void
read_row(const struct ideal_sum *sum, const double *numbers, struct row_costs *costs)
{
    *costs = (struct row_costs){.cycles = numbers[sum->cycles]};
    for (uint32_t c = 0; c < CAUSE_COUNT; c++) {
        const double lost = costs->causes[c] = numbers[sum->lost[c]];
        for (uint32_t i = 0; i < IDEALS; i++) {
            costs->charged[i] += sum->is_charged[i][c] ? lost : 0;
            costs->most[i] += sum->removes[i][c] ? lost : 0;
        }
        if (sum->removes[IDEAL_memory][c] && sum->removes[IDEAL_texture][c])
            costs->texture_reads += lost;
    }
    read_bounds(sum, numbers, costs);
}

/* ---- the rule ---- */

#define BIT(i) (1u << (i))

/* Cycles of all causes that the resources of the set remove. `set`: bits of enum ideal_number. */
static double
removed_by(const struct row_costs *costs, uint32_t set)
{
    const uint32_t both = BIT(IDEAL_memory) | BIT(IDEAL_texture);
    double removed = 0;
    for (uint32_t i = 0; i < IDEALS; i++)
        removed += set & BIT(i) ? costs->most[i] : 0;
    return (set & both) == both ? removed - costs->texture_reads : removed;
}

/* Returns the part of a resource's work that is done in the removed cycles. They cannot become
 * shorter than this work. `part` cycles of the row are attributed to the resource. Work that this
 * part does not contain was hidden. It is spread evenly over the cycles attributed to other
 * causes. */
static double
work_in_removed(const struct row_costs *costs, double removed, double work, double part)
{
    const double hidden = fmax(0, work - part), others = costs->cycles - part;
    return others > 0 ? hidden * removed / others : 0;
}

/* Own work of resource `other`, and the cycles attributed to it, if the resources of `set` are
 * free. If textures are ideal, memory does not read them. */
static void
work_beside(const struct row_costs *costs, uint32_t set, uint32_t other, double *work, double *part)
{
    *work = costs->own[other];
    *part = costs->most[other];
    if (set & BIT(IDEAL_texture) && other == IDEAL_memory)
        *work *= 1 - costs->texture_traffic;
    if ((set & BIT(IDEAL_texture) && other == IDEAL_memory) ||
        (set & BIT(IDEAL_memory) && other == IDEAL_texture))
        *part -= costs->texture_reads;
}

/* Expected cycles of the row if the resources of `set` are free and resource `other` is the
 * limit. */
static double
cycles_without(const struct row_costs *costs, uint32_t set, uint32_t other)
{
    const double removed = removed_by(costs, set);
    double work, part;
    work_beside(costs, set, other, &work, &part);
    return costs->cycles - removed + work_in_removed(costs, removed, work, part);
}

/* Expected cycles of the row if the resources of `set` are free. *longest: the resource that is the
 * limit then, or `longest` as before if nothing else takes longer than the remaining cycles. */
static double
expect_without(const struct row_costs *costs, uint32_t set, uint32_t *longest)
{
    const double removed = removed_by(costs, set), shown = costs->causes[CAUSE_show];
    double without =
        costs->cycles - removed + work_in_removed(costs, removed, costs->display, shown);
    for (uint32_t k = 0; k < IDEALS; k++)
        if (!(set & BIT(k)) && cycles_without(costs, set, k) > without) {
            without = cycles_without(costs, set, k);
            *longest = k;
        }
    return without;
}

/* Cycles of the row that overlap with earlier draws if the resources of `set` are free. The row
 * then takes `without` cycles. The same share of them overlaps as of today's cycles, but they
 * contain all own work of the busiest resource. */
static double
overlap_without(const struct row_costs *costs, uint32_t set, double without)
{
    double busiest = costs->display, work, part;
    for (uint32_t k = 0; k < IDEALS; k++) {
        work_beside(costs, set, k, &work, &part);
        busiest = set & BIT(k) ? busiest : fmax(busiest, work);
    }
    const double overlap = costs->cycles > 0 ? costs->overlap * without / costs->cycles : 0;
    return fmax(0, fmin(overlap, without - busiest));
}

/* Expected gain in the row if the resources of `set` are free. *longest: as expect_without(). */
static double
gain_of(const struct row_costs *costs, uint32_t set, uint32_t *longest)
{
    const double without = expect_without(costs, set, longest);
    const double overlap = set & BIT(IDEAL_drain) ? overlap_without(costs, set, without) : 0;
    return costs->cycles - without + overlap;
}

/* The gain is largest if all hidden work overlaps with the remaining cycles. It is smallest if the
 * hidden work follows them, and memory's channels overlap no more than they do now. */
static void
add_range(struct ideal_gains *gains, const struct row_costs *costs, uint32_t i)
{
    double hidden = fmax(0, costs->display - costs->causes[CAUSE_show]);
    double longest = costs->display, work, part;
    for (uint32_t k = 0; k < IDEALS; k++)
        if (k != i) {
            work_beside(costs, BIT(i), k, &work, &part);
            longest = fmax(longest, work);
            if (k == IDEAL_memory && costs->own[k] > 0)
                work *= fmax(1, costs->busy_memory / costs->own[k]);
            hidden = fmax(hidden, work - part);
        }
    gains->low[i] += fmax(0, costs->most[i] - hidden);
    gains->high[i] += fmin(costs->most[i], costs->cycles - longest);
}

static void
predict(struct ideal_gains *gains, const struct row_costs *costs)
{
    gains->cycles += costs->cycles;
    gains->most[IDEAL_drain] += costs->overlap;
    for (uint32_t c = 0; c < CAUSE_COUNT; c++)
        gains->causes[c] += costs->causes[c];
    for (uint32_t i = 0; i < IDEALS; i++) {
        uint32_t longest = i, ignored;
        const double gain = gain_of(costs, BIT(i), &longest);
        gains->charged[i] += costs->charged[i];
        gains->most[i] += costs->most[i];
        gains->own[i] += costs->own[i];
        gains->expected[i] += gain;
        add_range(gains, costs, i);
        if (longest != i)
            gains->hidden[i][longest] += costs->most[i] - gain;
        for (uint32_t k = i + 1; k < IDEALS; k++)
            gains->together[i][k] += gain_of(costs, BIT(i) | BIT(k), &ignored);
    }
}

/* Cycles that a step removes from a row, and all cycles of the causes that it shortens. */
struct change {
    double affected, removed;
};

/* The part of a step that concerns one resource. */
struct part_change {
    double part;              /* cycles of the row attributed to the resource */
    double affected, removed; /* among them, as in struct change */
    double before, after;     /* own work without and with the step */
};

/* Returns the cycles by which a resource keeps the affected cycles from becoming shorter. As much
 * work as before stays hidden in cycles that are not attributed to the resource, and can overlap
 * with all that remains of them. More hidden work than before keeps the resource's own cycles. */
static double
kept_by(const struct row_costs *costs, const struct change *change, const struct part_change *own)
{
    const double hidden = fmax(0, own->after - (own->part - own->removed));
    const double more = hidden - fmax(0, own->before - own->part);
    const double kept = fmin(fmax(0, more), own->removed);
    const double others = costs->cycles - own->part, affected = change->affected - own->affected;
    const double remaining = affected - (change->removed - own->removed);
    return kept +
           (others > 0 ? fmax(0, (hidden - kept) * affected / others - fmax(0, remaining)) : 0);
}

double
ideals_changed_row(const struct ideal_sum *before, const struct ideal_sum *after,
                   const double *numbers, const double gone[CAUSE_COUNT], const double work[IDEALS])
{
    struct row_costs costs, changed;
    struct change change = {0, 0};
    struct part_change own[IDEALS] = {0}, display = {0};
    read_row(before, numbers, &costs);
    read_row(after, numbers, &changed);
    for (uint32_t c = 0; c < CAUSE_COUNT; c++) {
        const double less = gone[c] * costs.causes[c], all = gone[c] > 0 ? costs.causes[c] : 0;
        change.removed += less;
        change.affected += all;
        for (uint32_t i = 0; i < IDEALS; i++) {
            own[i].removed += before->removes[i][c] ? less : 0;
            own[i].affected += before->removes[i][c] ? all : 0;
        }
    }
    display.part = costs.causes[CAUSE_show];
    display.before = display.after = costs.display;
    double kept = kept_by(&costs, &change, &display);
    for (uint32_t k = 0; k < IDEALS; k++) {
        own[k].part = costs.most[k];
        own[k].before = costs.own[k];
        own[k].after = changed.own[k] * work[k];
        kept = fmax(kept, kept_by(&costs, &change, &own[k]));
    }
    return change.removed - kept;
}

void
ideals_row(struct ideal_sum *sum, const double *numbers, const char *kind)
{
    struct row_costs costs;
    const bool is_draw = kind && !strcmp(kind, "draw");
    read_row(sum, numbers, &costs);
    costs.overlap = is_draw && sum->has_draw ? numbers[sum->overlap] : 0;
    sum->has_draw |= is_draw;
    predict(&sum->gains, &costs);
    if (sum->keeps)
        VEC_PUSH(&sum->kept, costs);
}

void
ideals_take(struct ideal_sum *sum, struct ideal_gains *gains)
{
    *gains = sum->gains;
    gains->low[IDEAL_drain] = gains->high[IDEAL_drain] = gains->expected[IDEAL_drain];
    memset(&sum->gains, 0, sizeof sum->gains);
    sum->has_draw = false;
}

/* ---- resources that hide each other ---- */

/* The expected gain of a set in the kept rows. hidden[k]: cycles that resource k absorbs. */
static double
expect_gain(const struct ideal_sum *sum, uint32_t set, double hidden[IDEALS])
{
    double gain = 0;
    memset(hidden, 0, IDEALS * sizeof *hidden);
    for (size_t r = 0; r < sum->kept.count; r++) {
        const struct row_costs *costs = &sum->kept.items[r];
        uint32_t longest = IDEALS;
        const double row = gain_of(costs, set, &longest);
        gain += row;
        if (longest < IDEALS)
            hidden[longest] += removed_by(costs, set) - row;
    }
    return gain;
}

static double
removed_in_all(const struct ideal_sum *sum, uint32_t set)
{
    double removed = 0;
    for (size_t r = 0; r < sum->kept.count; r++)
        removed += removed_by(&sum->kept.items[r], set);
    return removed;
}

/* Removes the resources without which the group gains nearly as much. */
static void
leave_out(const struct ideal_sum *sum, double nothing, struct ideal_group *group)
{
    double ignored[IDEALS];
    for (uint32_t i = 0; i < IDEALS; i++) {
        const double without =
            group->set & BIT(i) ? expect_gain(sum, group->set & ~BIT(i), ignored) : 0;
        if (!(group->set & BIT(i)) || group->expected - without >= nothing)
            continue;
        group->set &= ~BIT(i);
        group->expected = without;
    }
}

/* Finds the resources that hide each other (ideals.h). */
static struct ideal_group
find_one_pace(const struct ideal_sum *sum, const struct ideal_gains *gains)
{
    enum { MOST = 5 };
    const double nothing = IDEALS_NOTHING * gains->cycles;
    struct ideal_group group = {0}, none = {0};
    double hidden[IDEALS];
    uint32_t next = ideals_verdict(gains);
    if (!(gains->cycles > 0) || next == IDEAL_drain ||
        2 * gains->expected[next] >= gains->most[next])
        return none;
    for (uint32_t size = 0; size < MOST; size++) {
        group.set |= BIT(next);
        group.expected = expect_gain(sum, group.set, hidden);
        if (group.expected >= nothing && 2 * group.expected >= removed_in_all(sum, group.set))
            break;
        for (uint32_t k = next = 0; k < IDEALS; k++)
            next = hidden[k] > hidden[next] ? k : next;
        if (!(hidden[next] >= nothing))
            break;
    }
    leave_out(sum, nothing, &group);
    return group.expected >= nothing ? group : none;
}

/* ---- rows of a table ---- */

void
ideals_read_row(const struct csv_table *table, uint32_t row, double *numbers)
{
    const uint64_t *cells = &table->values[(size_t)row * table->columns];
    for (uint32_t c = 0; c < table->columns; c++)
        numbers[c] = table->is_number[c] ? (double)cells[c] : (double)NAN;
}

void
ideals_table_row(struct ideal_sum *sum, const struct csv_table *table, uint32_t row,
                 double *numbers)
{
    const int32_t work = csv_column(table, "work");
    ideals_read_row(table, row, numbers);
    ideals_row(sum, numbers, work >= 0 ? csv_field(table, row, work) : NULL);
}

bool
ideals_want(const struct ideal_rows *wanted, uint32_t frame, uint32_t row)
{
    return wanted->row >= 0 ? row == wanted->row : frame_set_has(wanted->frames, frame);
}

bool
ideals_predict(const struct ideal_rows *wanted, const struct params *params,
               struct ideal_gains *gains, struct error *err)
{
    const struct csv_table *table = wanted->table;
    const int32_t frame = csv_column(table, "frame");
    struct ideal_gains some;
    uint32_t last = UINT32_MAX;
    memset(gains, 0, sizeof *gains);
    if (frame < 0)
        return fail(err, "the run has no frames");
    struct ideal_sum *sum =
        ideals_begin((const char *const *)table->names, table->columns, params, err);
    double *numbers = mem_array((size_t)table->columns, sizeof *numbers);
    if (sum)
        sum->keeps = true;
    for (uint32_t r = 0; sum && r < table->rows; r++) {
        const uint32_t number = (uint32_t)csv_value(table, r, frame);
        if (!ideals_want(wanted, number, r))
            continue;
        if (number != last) {
            ideals_take(sum, &some);
            ideals_add(gains, &some);
        }
        last = number;
        ideals_table_row(sum, table, r, numbers);
    }
    if (sum) {
        ideals_take(sum, &some);
        ideals_add(gains, &some);
        gains->one_pace = find_one_pace(sum, gains);
    }
    free(numbers);
    ideals_end(sum);
    return sum != NULL;
}

void
ideals_add(struct ideal_gains *to, const struct ideal_gains *more)
{
    to->cycles += more->cycles;
    for (uint32_t c = 0; c < CAUSE_COUNT; c++)
        to->causes[c] += more->causes[c];
    for (uint32_t i = 0; i < IDEALS; i++) {
        to->charged[i] += more->charged[i];
        to->most[i] += more->most[i];
        to->expected[i] += more->expected[i];
        to->low[i] += more->low[i];
        to->high[i] += more->high[i];
        to->own[i] += more->own[i];
        for (uint32_t k = 0; k < IDEALS; k++) {
            to->hidden[i][k] += more->hidden[i][k];
            to->together[i][k] += more->together[i][k];
        }
    }
}

static enum ideal_number
place_of_most(const double cycles[IDEALS])
{
    enum ideal_number most = 0;
    for (uint32_t i = 1; i < IDEALS; i++)
        if (cycles[i] > cycles[most])
            most = i;
    return most;
}

bool
ideals_hide_each_other(const struct ideal_gains *gains)
{
    return !(most_of(gains->expected) >= IDEALS_NOTHING * gains->cycles);
}

enum ideal_number
ideals_verdict(const struct ideal_gains *gains)
{
    return place_of_most(ideals_hide_each_other(gains) ? gains->most : gains->expected);
}

const char *
ideals_bound_by(const struct ideal_gains *gains)
{
    const enum ideal_number verdict = ideals_verdict(gains);
    return gains->most[verdict] > 0 ? ideals[verdict].name : "";
}

bool
ideals_together(const struct ideal_gains *gains, struct ideal_group *group)
{
    const double nothing = IDEALS_NOTHING * gains->cycles;
    *group = (struct ideal_group){0};
    for (uint32_t i = 0; i < IDEALS; i++)
        for (uint32_t k = i + 1; k < IDEALS; k++)
            if (gains->together[i][k] > group->expected)
                *group = (struct ideal_group){BIT(i) | BIT(k), gains->together[i][k]};
    if (gains->one_pace.expected > group->expected)
        *group = gains->one_pace;
    if (group->expected < most_of(gains->expected) + nothing)
        *group = (struct ideal_group){0};
    return group->set != 0;
}

bool
ideal_group_apply(const struct ideal_group *group, struct params *params, struct error *err)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < IDEALS; i++)
        ok = !(group->set & BIT(i)) || ideal_apply(&ideals[i], params, err);
    return ok;
}

void
ideal_group_name(const struct ideal_group *group, char words[IDEAL_GROUP_WORDS])
{
    size_t used = 0;
    for (uint32_t i = 0, left = bits_count(group->set); i < IDEALS; i++)
        if (group->set & BIT(i)) {
            left--;
            const char *after = left > 1 ? ", " : left ? " and " : "";
            used += (size_t)snprintf(words + used, IDEAL_GROUP_WORDS - used, "%s%s", ideals[i].name,
                                     after);
        }
}

enum ideal_number
ideals_hidden_by(const struct ideal_gains *gains, enum ideal_number verdict)
{
    enum ideal_number behind = IDEALS;
    double most = gains->cycles * IDEALS_NOTHING;
    for (uint32_t i = 0; i < IDEALS; i++)
        if (gains->hidden[verdict][i] >= most) {
            most = gains->hidden[verdict][i];
            behind = i;
        }
    return behind;
}

void
ideals_describe(const struct ideal_gains *gains, enum ideal_number n, char words[IDEALS_WORDS])
{
    const double percent = 100 / gains->cycles;
    const enum ideal_number behind = ideals_hidden_by(gains, n);
    char charged[48] = "no cycle is attributed to it", most[32] = "", hidden[64] = "";
    if (gains->charged[n] > 0)
        snprintf(charged, sizeof charged, "%.1f %% of the cycles are attributed to it",
                 percent * gains->charged[n]);
    if (gains->most[n] != gains->charged[n])
        snprintf(most, sizeof most, ", %.1f %% at most", percent * gains->most[n]);
    if (behind < IDEALS)
        snprintf(hidden, sizeof hidden, " (%.1f %% hidden by %s)",
                 percent * gains->hidden[n][behind], ideals[behind].name);
    snprintf(words, IDEALS_WORDS, "%s; %.1f %% fewer are predicted without it%s%s", charged,
             percent * gains->expected[n], most, hidden);
}

bool
ideals_describe_together(const struct ideal_gains *gains, char words[IDEALS_WORDS])
{
    struct ideal_group group;
    char names[IDEAL_GROUP_WORDS];
    if (!ideals_together(gains, &group))
        return false;
    ideal_group_name(&group, names);
    snprintf(words, IDEALS_WORDS, "together, %s: %.1f %% fewer are predicted without %s", names,
             100 * group.expected / gains->cycles,
             bits_count(group.set) > 2 ? "all of them" : "both");
    return true;
}

bool
ideals_describe_range(const struct ideal_gains *gains, enum ideal_number n,
                      char words[IDEALS_WORDS])
{
    const double percent = 100 / gains->cycles;
    struct ideal_group within = {0};
    char names[IDEAL_GROUP_WORDS] = "";
    for (uint32_t i = 0; i < IDEALS; i++)
        if (i != n && gains->expected[i] >= fmax(gains->low[n], IDEALS_NOTHING * gains->cycles))
            within.set |= BIT(i);
    ideal_group_name(&within, names);
    const char *verb = bits_count(within.set) > 1 ? " are within it" : " is within it";
    snprintf(words, IDEALS_WORDS, "range: %.1f to %.1f %%%s%s%s", percent * gains->low[n],
             percent * gains->high[n], within.set ? "; " : "", names, within.set ? verb : "");
    return n != IDEAL_drain;
}
