#include "report/compare/steps.h"

#include "base/memory_text.h"
#include "sim/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 2, NAME_BYTES = 64 };

enum {
#define IDEAL(name, branches, own, settings, what, advice, parameter) WORK_##name = IDEAL_##name,
#include "ideals.def"
    WORK_NONE = -1
};

/* A line of steps.def. */
struct line {
    const char *parameters, *pieces;
    int32_t work; /* enum ideal_number; -1: none */
    const char *causes;
    bool (*holds)(const struct params *p);
};

static bool
always(const struct params *p)
{
    (void)p;
    return true;
}

static bool
is_unified(const struct params *p)
{
    return p->GPU.UnifiedShader;
}

static const struct line lines[] = {
#define STEP(parameters, pieces, work, causes, condition)                                          \
    {parameters, pieces, WORK_##work, causes, condition},
#include "steps.def"
};
enum { LINES = sizeof lines / sizeof *lines };

/* Copies the next word of a text separated by spaces. Returns false at the end. */
static bool
next_word(const char **text, char word[NAME_BYTES])
{
    *text += strspn(*text, " ");
    const size_t length = strcspn(*text, " ");
    snprintf(word, NAME_BYTES, "%.*s", (int)length, *text);
    *text += length;
    return length > 0;
}

/* ---- the changed machine ---- */

static const struct param_info *
find_parameter(const char *full_name)
{
    char section[NAME_BYTES];
    const size_t length = strcspn(full_name, ".");
    snprintf(section, sizeof section, "%.*s", (int)length, full_name);
    const struct param_info *info = param_find(section, full_name + length + 1);
    BUG_ON(!info, "no parameter %s", full_name);
    return info;
}

/* Adds the setting that doubles the parameter, within its range. Parameters that have no effect on
 * the machine, or are already at the end of their range, are left unchanged. */
static void
add_setting(struct step *step, const char *full_name, const struct params *params)
{
    const struct param_info *info = find_parameter(full_name);
    struct step_setting *setting = &step->settings[step->count];
    double value;
    BUG_ON(!param_number(params, full_name, &value), "%s is not a number", full_name);
    setting->info = info;
    setting->from = (uint32_t)value;
    setting->to = setting->from > info->max / 2 ? info->max : 2 * setting->from;
    step->count += param_has_effect(info, params) && setting->to > setting->from;
}

bool
step_apply(const struct step *step, struct params *params, struct error *err)
{
    bool ok = true;
    for (uint32_t i = 0; i < step->count && ok; i++) {
        const struct step_setting *setting = &step->settings[i];
        char *text =
            setting->info->type == PARAM_BOOL
                ? mem_printf("%s.%s=TRUE", setting->info->section, setting->info->name)
                : mem_printf("%s.%s=%u", setting->info->section, setting->info->name, setting->to);
        ok = params_set(params, text, err);
        free(text);
    }
    return ok;
}

char *
step_text(const struct step *step, const char *between)
{
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    for (uint32_t i = 0; i < step->count; i++) {
        const struct step_setting *setting = &step->settings[i];
        fprintf(out, "%s%s.%s=", i ? between : "", setting->info->section, setting->info->name);
        if (setting->info->type == PARAM_BOOL)
            fputs("TRUE", out);
        else
            fprintf(out, "%u", setting->to);
    }
    return memory_text_take(&text);
}

/* Creates the step described by a line. Returns false if it changes nothing, or if the machine
 * cannot be built.
 */
static bool
make_step(struct step *step, const struct line *line, const struct params *params,
          struct params *after)
{
    const char *text = line->parameters;
    char name[NAME_BYTES];
    struct error ignored;
    *step = (struct step){0};
    *after = *params;
    while (next_word(&text, name))
        add_setting(step, name, params);
    return step->count && step_apply(step, after, &ignored) &&
           machine_params_check(after, &ignored);
}

/* ---- the expected gain ---- */

/* What a line of a step divides. */
struct division {
    bool causes[CAUSE_COUNT], grows[CAUSE_COUNT]; /* grows: multiplied instead of divided */
    bool has_pieces, is_ratio; /* is_ratio: pieces[0] / pieces[1] units work at once */
    int32_t pieces[PIECES];    /* columns; -1: none */
};

/* A step while its gain is computed. */
struct trial {
    struct step step;
    struct params params; /* of the changed machine */
    struct division divisions[LINES];
    uint32_t division_count;
    double work[IDEALS]; /* share of each resource's work that remains, beyond its metric */
};

static bool
read_cause(const char *name, bool causes[CAUSE_COUNT], bool is_of[IDEALS])
{
    uint32_t count;
    const struct path_branch *branches = path_branches(&count);
    for (uint32_t b = 0; b < count; b++)
        if (branches[b].cause >= 0 && !strcmp(branches[b].name, name)) {
            causes[branches[b].cause] = true;
            for (uint32_t i = 0; i < IDEALS; i++)
                is_of[i] |= ideal_has(&ideals[i], name);
            return true;
        }
    return false;
}

static void
add_division(struct trial *trial, const struct line *line, const struct csv_table *table)
{
    struct division *division = &trial->divisions[trial->division_count++];
    const struct step *step = &trial->step;
    const char *text = line->causes;
    char name[NAME_BYTES];
    uint32_t pieces = 0;
    bool ignored[IDEALS];
    *division = (struct division){.pieces = {-1, -1}};
    while (next_word(&text, name)) {
        const bool found = *name == '+' ? read_cause(name + 1, division->grows, ignored)
                                        : read_cause(name, division->causes, trial->step.is_of);
        BUG_ON(!found, "steps.def: no cause %s", name);
    }
    if (line->work >= 0)
        trial->work[line->work] = (double)step->settings[0].from / step->settings[0].to;
    char *list = mem_strdup(line->pieces), *slash = strchr(list, '/');
    division->is_ratio = slash != NULL;
    if (slash)
        *slash = ' ';
    text = list;
    while (next_word(&text, name)) {
        BUG_ON(pieces == PIECES, "steps.def: too many statistics in '%s'", line->pieces);
        division->pieces[pieces++] = csv_column(table, name);
        division->has_pieces = true;
    }
    free(list);
}

/* Share of the cycles that the step removes from the causes of a division. Each unit may start with
 * a piece that is only partly filled, which adds a round. */
static double
share_gone(const struct division *division, const struct step *step, const double *numbers)
{
    const double from = step->settings[0].from, to = step->settings[0].to;
    double pieces = 0;
    if (!division->has_pieces)
        return 1 - from / to;
    if (division->is_ratio) {
        const double all = numbers[division->pieces[0]], any = numbers[division->pieces[1]];
        return any > 0 ? (1 - from / to) * fmin(1, all / any / from) : 0;
    }
    for (uint32_t i = 0; i < PIECES; i++)
        pieces += division->pieces[i] >= 0 ? numbers[division->pieces[i]] : 0;
    const double before = ceil(pieces / from), after = ceil(pieces / to) + 1;
    return after < before ? 1 - after / before : 0;
}

static double
gain_of_row(const struct trial *trial, const struct ideal_sum *before,
            const struct ideal_sum *after, const double *numbers)
{
    double gone[CAUSE_COUNT] = {0};
    for (uint32_t d = 0; d < trial->division_count; d++) {
        const struct division *division = &trial->divisions[d];
        const double share = share_gone(division, &trial->step, numbers);
        for (uint32_t c = 0; c < CAUSE_COUNT; c++)
            if (division->causes[c])
                gone[c] = share;
            else if (division->grows[c])
                gone[c] = 1 - (double)trial->step.settings[0].to / trial->step.settings[0].from;
    }
    return ideals_changed_row(before, after, numbers, gone, trial->work);
}

/* `before`: a sum with the parameters of the unchanged machine. */
static bool
predict(struct trial *trial, const struct ideal_rows *wanted, const struct ideal_sum *before,
        struct error *err)
{
    const struct csv_table *table = wanted->table;
    const int32_t frame = csv_column(table, "frame");
    struct ideal_sum *after =
        ideals_begin((const char *const *)table->names, table->columns, &trial->params, err);
    if (!after)
        return false;
    double *numbers = mem_array((size_t)table->columns, sizeof *numbers);
    for (uint32_t r = 0; r < table->rows; r++) {
        if (!ideals_want(wanted, (uint32_t)csv_value(table, r, frame), r))
            continue;
        ideals_read_row(table, r, numbers);
        trial->step.expected += gain_of_row(trial, before, after, numbers);
    }
    free(numbers);
    ideals_end(after);
    return true;
}

/* The cycles that the step divides. The gain is at most that many. */
static double
most_of(const struct trial *trial, const struct ideal_gains *gains)
{
    double most = 0;
    for (uint32_t c = 0; c < CAUSE_COUNT; c++)
        for (uint32_t d = 0; d < trial->division_count; d++)
            if (trial->divisions[d].causes[c]) {
                most += gains->causes[c];
                break;
            }
    return most;
}

/* ---- all steps ---- */

/* Inserts the step in order of its expected gain. */
static void
keep(struct steps *steps, const struct step *step, const struct ideal_gains *gains)
{
    if (!(step->expected >= STEP_LEAST * gains->cycles))
        return;
    VEC_PUSH(&steps->items, *step);
    for (size_t i = steps->items.count - 1; i > 0; i--) {
        struct step *before = &steps->items.items[i - 1], *after = &steps->items.items[i];
        if (before->expected >= after->expected)
            break;
        const struct step swapped = *before;
        *before = *after;
        *after = swapped;
    }
}

/* Predicts the step of lines[first] and of the later lines with the same parameters. */
static bool
try_step(struct steps *steps, uint32_t first, const struct ideal_rows *rows,
         const struct params *params, const struct ideal_sum *before,
         const struct ideal_gains *gains, struct error *err)
{
    struct trial trial = {0};
    for (uint32_t i = 0; i < IDEALS; i++)
        trial.work[i] = 1;
    if (!make_step(&trial.step, &lines[first], params, &trial.params))
        return true;
    for (uint32_t i = first; i < LINES; i++)
        if (!strcmp(lines[i].parameters, lines[first].parameters) && lines[i].holds(params))
            add_division(&trial, &lines[i], rows->table);
    if (most_of(&trial, gains) < STEP_LEAST * gains->cycles)
        return true;
    const bool ok = predict(&trial, rows, before, err);
    if (ok)
        keep(steps, &trial.step, gains);
    return ok;
}

/* Draws that overlap: the gain of the resource drain. Not a step if they already overlap. */
static bool
make_overlap(struct step *step, const struct params *params)
{
    *step = (struct step){.count = 1};
    step->settings[0].info = find_parameter("COMMANDPROCESSOR.PipelinedBatchRendering");
    step->settings[0].to = 1;
    step->is_of[IDEAL_drain] = true;
    return !params->COMMANDPROCESSOR.PipelinedBatchRendering;
}

static void
try_overlap(struct steps *steps, const struct params *params, const struct ideal_gains *gains)
{
    struct step step;
    const bool is_step = make_overlap(&step, params);
    step.expected = gains->expected[IDEAL_drain];
    if (is_step)
        keep(steps, &step, gains);
}

static bool
is_first(uint32_t line)
{
    for (uint32_t i = 0; i < line; i++)
        if (!strcmp(lines[i].parameters, lines[line].parameters))
            return false;
    return true;
}

/* Adds the resources that remove a cause of the line. */
static void
note_resources(struct step *step, const struct line *line)
{
    bool causes[CAUSE_COUNT];
    const char *text = line->causes;
    char name[NAME_BYTES];
    while (next_word(&text, name))
        read_cause(name, causes, step->is_of);
}

void
steps_list(const struct params *params, struct steps *steps)
{
    struct params after;
    struct step step;
    *steps = (struct steps){0};
    for (uint32_t first = 0; first < LINES; first++) {
        if (!is_first(first) || !make_step(&step, &lines[first], params, &after))
            continue;
        for (uint32_t i = first; i < LINES; i++)
            if (!strcmp(lines[i].parameters, lines[first].parameters) && lines[i].holds(params))
                note_resources(&step, &lines[i]);
        VEC_PUSH(&steps->items, step);
    }
    if (make_overlap(&step, params))
        VEC_PUSH(&steps->items, step);
}

bool
steps_predict(const struct ideal_rows *rows, const struct params *params,
              const struct ideal_gains *gains, struct steps *steps, struct error *err)
{
    const struct csv_table *table = rows->table;
    struct ideal_sum *before =
        ideals_begin((const char *const *)table->names, table->columns, params, err);
    bool ok = before != NULL;
    *steps = (struct steps){0};
    for (uint32_t i = 0; i < LINES && ok; i++)
        ok = !is_first(i) || try_step(steps, i, rows, params, before, gains, err);
    ideals_end(before);
    try_overlap(steps, params, gains);
    if (!ok)
        steps_fini(steps);
    return ok;
}

void
steps_fini(struct steps *steps)
{
    VEC_FREE(&steps->items);
}

const struct step *
steps_best(const struct steps *steps)
{
    return steps->items.count ? &steps->items.items[0] : NULL;
}

const struct step *
steps_of(const struct steps *steps, enum ideal_number ideal)
{
    for (size_t i = 0; i < steps->items.count; i++)
        if (steps->items.items[i].is_of[ideal])
            return &steps->items.items[i];
    return NULL;
}
