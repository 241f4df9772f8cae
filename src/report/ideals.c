#include "report/ideals.h"

#include "base/mem.h"
#include "kernel/path.h"
#include "report/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct ideal ideals[IDEALS] = {
#define IDEAL(name, branches, bound, settings, what, advice, parameter)                            \
    {#name, branches, bound, settings, what, advice, parameter},
#include "ideals.def"
};

/* Calls for each word of a text with spaces; stops when that returns false. */
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
    return each_word(ideal->settings, set_one, params, err);
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

/* ---- reading rows ---- */

struct reader {
    const struct csv_table *rows;
    const struct params *params;
    int32_t frame, cycles;
    int32_t lost[CAUSE_COUNT]; /* columns */
    bool owns[IDEALS][CAUSE_COUNT];
    struct formula bounds[IDEALS], texture_traffic;
    int32_t work, front_rests; /* columns of drains; -1: this table tells of none */
};

static bool
resolve(void *data, const char *name, int32_t *place, double *number)
{
    const struct reader *reader = data;
    const struct metric *metric = metric_find(name);
    if (metric) /* none of the bounds stands on another one */
        return false;
    *place = csv_column(reader->rows, name);
    return *place >= 0 || param_number(reader->params, name, number);
}

static bool
open_metric(struct reader *reader, const char *name, struct formula *formula, struct error *err)
{
    const struct metric *metric = metric_find(name);
    BUG_ON(!metric, "no metric '%s'", name);
    return formula_compile(formula, metric->formula, resolve, reader, err) ||
           fail(err, "the run lacks what %s is made of: it was made by another version", name);
}

static bool
open_bounds(struct reader *reader, struct error *err)
{
    bool ok = open_metric(reader, "texture_traffic", &reader->texture_traffic, err);
    for (uint32_t i = 0; ok && i < IDEALS; i++)
        ok = !*ideals[i].bound || open_metric(reader, ideals[i].bound, &reader->bounds[i], err);
    return ok;
}

static bool
open_causes(struct reader *reader, struct error *err)
{
    uint32_t count;
    const struct path_branch *branches = path_branches(&count);
    for (uint32_t b = 0; b < count; b++) {
        char name[64];
        const int32_t cause = branches[b].cause;
        if (cause < 0)
            continue;
        snprintf(name, sizeof name, "lost.%s", branches[b].name);
        if ((reader->lost[cause] = csv_column(reader->rows, name)) < 0)
            return fail(err, "the run does not count %s", name);
        for (uint32_t i = 0; i < IDEALS; i++)
            reader->owns[i][cause] = ideal_has(&ideals[i], branches[b].name);
    }
    return true;
}

static void
close_reader(struct reader *reader)
{
    for (uint32_t i = 0; i < IDEALS; i++)
        formula_fini(&reader->bounds[i]);
    formula_fini(&reader->texture_traffic);
}

/* What memory needs by itself is more than its channels' bursts: rows are opened and closed, and
 * not all channels have as much to do. Where it alone was left to bound a frame, it moved data in
 * this share of the cycles: between 0.43 and 0.72 in glmark2's scenes, 0.6 fits best. */
#define MEMORY_EFFICIENCY 0.6

/* One row: what is charged, and what each needs by itself. */
struct work {
    double cycles, charged[IDEALS], own[IDEALS];
    double bound[IDEALS];   /* own, at the share of its peak that memory reaches */
    double texture_traffic; /* of what memory moves, 0 to 1 */
    bool is_draw;
    double drain; /* of a draw: cycles that work of the next one could fill */
};

static double
most_of(const double bounds[IDEALS])
{
    double most = 0;
    for (uint32_t i = 0; i < IDEALS; i++)
        most = fmax(most, bounds[i]);
    return most;
}

/* The own work of each resource, from its metric. */
static void
limit(struct work *work, const double bounds[IDEALS], double texture_traffic)
{
    work->texture_traffic = isnan(texture_traffic) ? 0 : texture_traffic / 100;
    for (uint32_t i = 0; i < IDEALS; i++) {
        work->own[i] = isnan(bounds[i]) ? 0 : bounds[i];
        const double bound = work->own[i] / (i == IDEAL_memory ? MEMORY_EFFICIENCY : 1);
        work->bound[i] = fmin(bound, work->cycles);
    }
}

/* While a draw's front, the Streamer, has nothing left to fetch, the next one's could be at work;
 * but what a resource has to do for this draw it has to do beside the next one too. */
static void
read_drain(const struct reader *reader, uint32_t row, struct work *work)
{
    work->is_draw = reader->work >= 0 && reader->front_rests >= 0 &&
                    !strcmp(csv_field(reader->rows, row, reader->work), "draw");
    if (work->is_draw)
        work->drain = fmin(csv_value(reader->rows, row, reader->front_rests),
                           work->cycles - most_of(work->bound));
}

static void
read_row(const struct reader *reader, uint32_t row, double *values, struct work *work)
{
    const uint64_t *cells = &reader->rows->values[(size_t)row * reader->rows->columns];
    *work = (struct work){.cycles = (double)cells[reader->cycles]};
    for (uint32_t i = 0; i < IDEALS; i++)
        for (uint32_t c = 0; c < CAUSE_COUNT; c++)
            work->charged[i] += reader->owns[i][c] ? (double)cells[reader->lost[c]] : 0;
    for (uint32_t c = 0; c < reader->rows->columns; c++)
        values[c] = reader->rows->is_number[c] ? (double)cells[c] : NAN;
    double bounds[IDEALS];
    for (uint32_t i = 0; i < IDEALS; i++)
        bounds[i] = *ideals[i].bound ? formula_run(&reader->bounds[i], values) : 0;
    limit(work, bounds, formula_run(&reader->texture_traffic, values));
    read_drain(reader, row, work);
}

/* ---- the rule ---- */

/* What another resource needs by itself while one is ideal: memory need not read textures that
 * are there without. */
static double
bound_beside(const struct work *work, uint32_t ideal, uint32_t other)
{
    const double left =
        ideal == IDEAL_texture && other == IDEAL_memory ? 1 - work->texture_traffic : 1;
    return work->bound[other] * left;
}

static void
predict(struct ideal_gains *gains, const struct work *work)
{
    gains->cycles += work->cycles;
    for (uint32_t i = 0; i < IDEALS; i++) {
        const double left = work->cycles - work->charged[i];
        uint32_t longest = i;
        double bound = 0;
        for (uint32_t k = 0; k < IDEALS; k++)
            if (k != i && bound_beside(work, i, k) > bound) {
                bound = bound_beside(work, i, k);
                longest = k;
            }
        gains->charged[i] += work->charged[i];
        gains->own[i] += work->own[i];
        gains->expected[i] += work->cycles - fmax(left, bound);
        if (bound > left)
            gains->hidden[i][longest] += bound - left;
    }
}

/* Draws that follow each other, the last one that was seen. */
struct draws {
    struct work last;
    double cycles, own[IDEALS]; /* of all of them */
};

/* The drain of the draw before is filled by this one, which is no longer than it is. */
static double
fill_drain(struct draws *draws, const struct work *work)
{
    double filled = 0;
    if (work->is_draw) {
        filled = draws->last.is_draw ? fmax(0, fmin(draws->last.drain, work->cycles)) : 0;
        draws->cycles += work->cycles;
        for (uint32_t i = 0; i < IDEALS; i++)
            draws->own[i] += work->bound[i];
        draws->last = *work;
    }
    return filled;
}

/* All draws together take no less than the own work of any resource. */
static void
predict_drain(struct ideal_gains *gains, const struct draws *draws)
{
    const double most = fmax(0, draws->cycles - most_of(draws->own));
    gains->expected[IDEAL_drain] = fmin(gains->charged[IDEAL_drain], most);
}

static bool
is_wanted(const struct ideal_rows *wanted, int32_t frame, uint32_t row)
{
    return wanted->row >= 0
               ? row == wanted->row
               : frame_set_has(wanted->frames, (uint32_t)csv_value(wanted->table, row, frame));
}

static bool
open_reader(struct reader *reader, const struct csv_table *rows, const struct params *params,
            struct error *err)
{
    *reader = (struct reader){.rows = rows, .params = params};
    reader->frame = csv_column(rows, "frame");
    reader->work = csv_column(rows, "work");
    reader->front_rests = params->COMMANDPROCESSOR.PipelinedBatchRendering
                              ? -1
                              : csv_column(rows, "streamer.starved_cycles");
    reader->cycles = csv_column(rows, "cycles");
    return ((reader->frame >= 0 && reader->cycles >= 0) ||
            fail(err, "the run does not count cycles by frame")) &&
           open_causes(reader, err) && open_bounds(reader, err);
}

bool
ideals_predict(const struct ideal_rows *wanted, const struct params *params,
               struct ideal_gains *gains, struct error *err)
{
    const struct csv_table *rows = wanted->table;
    struct reader reader;
    struct draws draws = {0};
    double *values = mem_alloc((size_t)rows->columns * sizeof *values);
    memset(gains, 0, sizeof *gains);
    const bool ok = open_reader(&reader, rows, params, err);
    for (uint32_t r = 0; ok && r < rows->rows; r++) {
        struct work work;
        if (!is_wanted(wanted, reader.frame, r))
            continue;
        read_row(&reader, r, values, &work);
        predict(gains, &work);
        gains->charged[IDEAL_drain] += fill_drain(&draws, &work);
    }
    predict_drain(gains, &draws);
    close_reader(&reader);
    free(values);
    return ok;
}

bool
ideals_predict_each(const struct csv_table *rows, const struct params *params,
                    struct ideal_gains *gains, struct error *err)
{
    struct reader reader;
    double *values = mem_alloc((size_t)rows->columns * sizeof *values);
    const bool ok = open_reader(&reader, rows, params, err);
    memset(gains, 0, rows->rows * sizeof *gains);
    for (uint32_t r = 0; ok && r < rows->rows; r++) {
        struct work work;
        read_row(&reader, r, values, &work);
        predict(&gains[r], &work);
    }
    close_reader(&reader);
    free(values);
    return ok;
}

bool
ideals_predict_totals(const struct totals *totals, double cycles, struct ideal_gains *gains)
{
    uint32_t count;
    struct totals copy = *totals;
    const struct path_branch *branches = path_branches(&count);
    struct work work = {.cycles = cycles};
    memset(gains, 0, sizeof *gains);
    for (uint32_t b = 0; b < count; b++) {
        char name[64];
        double lost;
        snprintf(name, sizeof name, "lost.%s", branches[b].name);
        if (branches[b].cause < 0)
            continue;
        if (!totals_lookup(&copy, name, &lost))
            return false;
        for (uint32_t i = 0; i < IDEALS; i++)
            work.charged[i] += ideal_has(&ideals[i], branches[b].name) ? lost : 0;
    }
    double bounds[IDEALS];
    for (uint32_t i = 0; i < IDEALS; i++)
        bounds[i] = *ideals[i].bound ? metric_value(metric_find(ideals[i].bound), totals) : 0;
    limit(&work, bounds, metric_value(metric_find("texture_traffic"), totals));
    predict(gains, &work);
    return true;
}

void
ideals_add(struct ideal_gains *to, const struct ideal_gains *more)
{
    to->cycles += more->cycles;
    for (uint32_t i = 0; i < IDEALS; i++) {
        to->charged[i] += more->charged[i];
        to->expected[i] += more->expected[i];
        for (uint32_t k = 0; k < IDEALS; k++)
            to->hidden[i][k] += more->hidden[i][k];
    }
}

enum ideal_number
ideals_verdict(const struct ideal_gains *gains)
{
    enum ideal_number best = 0;
    for (uint32_t i = 1; i < IDEALS; i++)
        if (gains->expected[i] > gains->expected[best])
            best = i;
    return best;
}

const char *
ideals_bound_by(const struct ideal_gains *gains)
{
    const enum ideal_number verdict = ideals_verdict(gains);
    return gains->expected[verdict] > 0 ? ideals[verdict].name : "";
}

enum ideal_number
ideals_behind(const struct ideal_gains *gains, enum ideal_number verdict)
{
    enum ideal_number behind = IDEALS;
    double most = gains->cycles / 50;
    for (uint32_t i = 0; i < IDEALS; i++)
        if (gains->hidden[verdict][i] >= most) {
            most = gains->hidden[verdict][i];
            behind = i;
        }
    return behind;
}
