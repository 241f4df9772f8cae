/* Predicts frames per second from a model and a workload, stage by stage. */
#include "base/file.h"
#include "base/plural.h"
#include "model/model.h"
#include "model/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct predicting {
    const struct model *model; /* may be NULL */
    const struct model_row *row;
    struct model_prediction *out;
    uint32_t stages;
};

/* Cycles per fragment if all fragments agree. mixed_cycles() returns the extra cycles of mixed
 * groups. */
static double
agreed_cycles(const struct model_row *row)
{
    const double call = row->call_cycles > 0 ? row->call_cycles : MODEL_CALL_CYCLES;
    return row->cycles + row->branch_cycles + (row->if_cycles + row->else_cycles) / 2 +
           row->loop_cycles * row->rounds + row->calls * call;
}

static double
mixed_cycles(const struct model_row *row)
{
    const double most = row->rounds_most > row->rounds ? row->rounds_most : row->rounds;
    return (row->if_cycles + row->else_cycles) / 2 + row->loop_cycles * (most - row->rounds);
}

static double
start_of(const struct predicting *p)
{
    return p->model ? model_factor(p->model, "start") : 0;
}

/* Applies a stage. `alone`: the stage's own value. `seconds`: time of the frame if this stage
 * limits it. */
static void
take_stage(const struct predicting *p, enum model_stage stage, double alone, double seconds,
           bool extrapolated)
{
    p->out->stages[stage].counts = true;
    p->out->stages[stage].extrapolated = extrapolated;
    p->out->stages[stage].alone = alone;
    if (seconds > p->out->seconds) {
        p->out->bound = stage;
        p->out->seconds = seconds;
    }
}

/* Beyond the longest measured program, continues the last segment. */
static double
base_cycles(const struct spline *base, double cycles)
{
    const uint32_t last = base->knots - 1;
    if (cycles <= base->x[last])
        return spline_at(base, cycles);
    const double slope = (base->y[last] - base->y[last - 1]) / (base->x[last] - base->x[last - 1]);
    return base->y[last] + slope * (cycles - base->x[last]);
}

double
model_base_rate(const struct model *model, double cycles)
{
    const struct spline *base = model_curve(model, "base");
    return model_factor(model, "rate") / (base ? base_cycles(base, cycles) : cycles);
}

static bool
predict_base(const struct predicting *p, struct error *err)
{
    const struct model_row *row = p->row;
    const struct spline *base = p->model ? model_curve(p->model, "base") : NULL;
    const double given = row->rate > 0 ? row->rate : row->clock * row->pipes;
    const double rate = given > 0 ? given : p->model ? model_factor(p->model, "rate") : 0;
    double cycles = agreed_cycles(row);
    if (!(p->stages >> MODEL_TRIANGLES & 1))
        cycles += mixed_cycles(row);
    if (!(rate > 0))
        return fail(err,
                    "the rate (clock times pipelines) is unknown: give a model, or set rate, or "
                    "clock and pipes");
    if (!(row->fragments > 0) || !(cycles > 0))
        return fail(err, "a workload requires %s above 0, e.g. --set %s",
                    row->fragments > 0 ? "cycles" : "fragments",
                    row->fragments > 0 ? "cycles=9" : "fragments=1e6");
    const bool beyond = base && (!spline_holds(base, cycles) ||
                                 row->fragments < model_factor(p->model, "fragments.least") ||
                                 row->fragments > model_factor(p->model, "fragments.most"));
    const double seconds = row->fragments * (base ? base_cycles(base, cycles) : cycles) / rate;
    p->out->stages[MODEL_BASE].counts = true;
    p->out->stages[MODEL_BASE].extrapolated = beyond;
    p->out->stages[MODEL_BASE].alone = seconds;
    p->out->seconds = start_of(p) + seconds;
    return true;
}

/* ---- triangles and coherence ---- */

static bool
triangles_block(const struct model_curve *curve, double *block)
{
    static const char kind[] = "triangles ";
    if (strncmp(curve->name, kind, strlen(kind)) != 0)
        return false;
    *block = strtod(curve->name + strlen(kind), NULL);
    return true;
}

/* The curves of the two nearest measured widths. */
struct neighbours {
    const struct spline *below, *above, *widest;
    double below_block, above_block;
    double top; /* maximum of all curves */
};

static bool
find_neighbours(const struct model *model, double block, struct neighbours *n)
{
    double widest = -1, one;
    *n = (struct neighbours){0};
    for (size_t i = 0; i < model->curves.count; i++) {
        const struct spline *s = &model->curves.items[i].spline;
        if (!triangles_block(&model->curves.items[i], &one))
            continue;
        n->top = fmax(n->top, spline_top(s));
        if (one <= block && (!n->below || one > n->below_block)) {
            n->below = s;
            n->below_block = one;
        }
        if (one >= block && (!n->above || one < n->above_block)) {
            n->above = s;
            n->above_block = one;
        }
        if (one > widest) {
            n->widest = s;
            widest = one;
        }
    }
    return n->widest != NULL;
}

/* Interpolation weight between two widths. Uses the curve over widths if its values differ enough,
 * otherwise the logarithms of the widths. */
static double
part_between(const struct model *model, const struct neighbours *n, double block)
{
    const struct spline *c = model_curve(model, "coherence");
    const double low = log2(n->below_block), high = log2(n->above_block), at = log2(block);
    if (high <= low)
        return 0;
    if (c) {
        const double from = spline_at(c, low), to = spline_at(c, high);
        if (fabs(to - from) > 0.02 * from)
            return (spline_at(c, at) - from) / (to - from);
    }
    return (at - low) / (high - low);
}

/* Performance G at a triangle size and a block width. */
static double
performance_at(const struct model *model, const struct neighbours *n, double size, double block)
{
    if (!n->below || !n->above)
        return spline_at(n->below ? n->below : n->above, size);
    const double part = part_between(model, n, block);
    return spline_at(n->below, size) * (1 - part) + spline_at(n->above, size) * part;
}

/* Whether a triangle size was measured. Above the largest size of the sweep `triangles`, sizes of
 * other sweeps also count, since performance no longer grows there. */
static bool
size_was_measured(const struct model *model, const struct neighbours *n, double size)
{
    return spline_holds(n->widest, size) ||
           (size > n->widest->x[0] && size <= log2(model_factor(model, "triangles.largest")));
}

static void
predict_triangles(const struct predicting *p)
{
    const struct model_row *row = p->row;
    struct neighbours n;
    if (!(row->triangles > 0) || !find_neighbours(p->model, row->block > 0 ? row->block : 1e9, &n))
        return;
    const double size = log2(row->fragments / row->triangles);
    const double together = spline_at(n.widest, size);
    const double mixed = row->block > 0 ? performance_at(p->model, &n, size, row->block) : together;
    /* Scales the extra cost of a mixed group from the measured program to this one. */
    const double share = model_factor(p->model, "branch.share");
    const double added = share > 0 ? fmax(together / mixed - 1, 0) / share : 0;
    const double slowdown = together / n.top / (1 + added * mixed_cycles(row) / agreed_cycles(row));
    const double before = p->out->seconds - start_of(p);
    const bool beyond = !size_was_measured(p->model, &n, size) || (row->block > 0 && !n.below);
    take_stage(p, MODEL_TRIANGLES, slowdown, start_of(p) + before / slowdown, beyond);
}

/* ---- ceilings ---- */

/* Returns NULL if textures of that format were not measured. RGBX8 is stored as RGBA8. Power-of-two
 * curves replace others that were not measured. Curves for several reads replace curves for one
 * read. */
static const struct spline *
ceiling_of(const struct model *model, const struct model_row *row, double side)
{
    const char *format = !strcmp(row->format, "RGBX8") ? "RGBA8" : row->format;
    const bool is_power = model_is_power_of_two(side);
    const struct {
        double reads;
        bool is_power;
    } curves[] = {{row->reads, is_power}, {row->reads, true}, {0, is_power}, {0, true}};
    const struct spline *s = NULL;
    for (size_t i = 0; !s && i < sizeof curves / sizeof curves[0]; i++) {
        char name[64];
        model_ceiling_name(name, sizeof name, format, curves[i].reads, curves[i].is_power);
        s = model_curve(model, name);
    }
    return s;
}

/* Adds the time of `reads` texels from a texture of `side` texels per side. */
static bool
add_texel_seconds(const struct predicting *p, double reads, double side, double *seconds,
                  bool *beyond, struct error *err)
{
    const char *format = p->row->format;
    if (!(reads > 0))
        return true;
    if (!(side > 0))
        return fail(err, "reads require the size of the texture: set `texture`, or omit the stage "
                         "with --without textures");
    if (!*format)
        return fail(err, "reads require the format of the texture: set `format`, e.g. "
                         "format=RGBA8, or omit the stage with --without textures");
    const struct spline *s = ceiling_of(p->model, p->row, side);
    if (!s) {
        p->out->lacks = MODEL_TEXTURES;
        return fail(err,
                    "the model has no texture rate for '%s': use a measured format, or omit the "
                    "stage with --without textures",
                    format);
    }
    *seconds += reads / spline_at(s, log2(side));
    *beyond = *beyond || !spline_holds(s, log2(side));
    return true;
}

/* Independent reads. The address of each dependent read is itself an independent read, of the
 * address texture. */
static bool
predict_textures(const struct predicting *p, struct error *err)
{
    const struct model_row *row = p->row;
    const double reads = row->reads - row->dependent, addresses = fmin(row->dependent, reads);
    double each = 0;
    bool beyond = false;
    if (!(reads > 0))
        return true;
    if (!add_texel_seconds(p, reads - addresses, row->texture, &each, &beyond, err) ||
        !add_texel_seconds(p, addresses, row->addresses, &each, &beyond, err))
        return false;
    const double seconds = row->fragments * each;
    take_stage(p, MODEL_TEXTURES, seconds, start_of(p) + seconds, beyond);
    return true;
}

/* Ours: additional time to read the address of a dependent texel. The measured times include that
 * read for an address texture that fits in the caches. The result is the difference for a larger
 * address texture. */
static double
address_seconds(const struct predicting *p, bool *beyond)
{
    const struct model_row *row = p->row;
    if (!(row->addresses > PATTERN_SIZE))
        return 0;
    const struct spline *s = ceiling_of(p->model, row, row->addresses);
    const struct spline *measured = ceiling_of(p->model, row, PATTERN_SIZE);
    *beyond = *beyond || !s || !spline_holds(s, log2(row->addresses));
    if (!s || !measured)
        return 0;
    return fmax(
        1 / spline_at(s, log2(row->addresses)) - 1 / spline_at(measured, log2(PATTERN_SIZE)), 0);
}

static bool
predict_dependent(const struct predicting *p, struct error *err)
{
    const struct model_row *row = p->row;
    struct model_dependent found;
    if (!(row->dependent > 0))
        return true;
    if (!(row->texture > 0) || !*row->pattern)
        return fail(err, "dependent reads require the size of the texture and a pattern");
    if (isnan(model_factor(p->model, "dependent.flat")))
        p->out->lacks = MODEL_DEPENDENT;
    if (!(p->stages & MODEL_PUBLISHED ? model_published_find(&found, p->model, row, err)
                                      : model_dependent_find(&found, p->model, row, err)))
        return fail_prefix(err, "stage dependent");
    const double each = found.seconds + address_seconds(p, &found.extrapolated);
    const double seconds = row->fragments * row->dependent * each;
    take_stage(p, MODEL_DEPENDENT, seconds, start_of(p) + seconds, found.extrapolated);
    return true;
}

/* Sets the size of the address texture if the workload does not state it: that of its pattern. */
static bool
set_addresses(struct model_row *row, struct error *err)
{
    struct pattern pattern;
    if (!(row->dependent > 0) || row->addresses > 0 || !*row->pattern)
        return true;
    if (!pattern_make(&pattern, row->pattern, err))
        return false;
    row->addresses = sqrt((double)pattern.width * pattern.height);
    pattern_fini(&pattern);
    return true;
}

/* Returns a bit mask of the stages. */
static uint32_t
set_order(struct model_prediction *prediction, const struct model *model)
{
    uint32_t mask = 0;
    const bool given = model && model->ordered;
    prediction->ordered = given ? model->ordered : MODEL_STAGES;
    for (uint32_t i = 0; i < prediction->ordered; i++)
        mask |= 1u << (prediction->order[i] = given ? model->order[i] : i);
    return mask;
}

bool
model_predict(struct model_prediction *prediction, const struct model *model,
              const struct model_row *asked, uint32_t stages, struct error *err)
{
    struct model_row row = *asked, *workload = &row;
    struct predicting p = {model, workload, prediction, model ? stages : 1u << MODEL_BASE};
    const double clock = model ? model_factor(model, "clock") : 0;
    *prediction = (struct model_prediction){.lacks = MODEL_STAGES};
    p.stages &= set_order(prediction, model) | MODEL_PUBLISHED;
    if (workload->pipes > 0 && !(workload->rate == 0 && workload->clock > 0))
        return fail(err, "pipes requires clock, and no rate: the rate is clock times pipes");
    prediction->clock = workload->clock > 0 ? workload->clock : clock > 0 ? clock : 0;
    bool ok = (workload->dependent <= workload->reads ||
               fail(err, "more dependent reads than reads: %g of %g", workload->dependent,
                    workload->reads)) &&
              set_addresses(workload, err) && predict_base(&p, err);
    for (uint32_t i = 0; ok && i < prediction->ordered; i++) {
        const enum model_stage stage = prediction->order[i];
        if (p.stages >> stage & 1) {
            if (stage == MODEL_TRIANGLES)
                predict_triangles(&p);
            else if (stage == MODEL_TEXTURES)
                ok = predict_textures(&p, err);
            else if (stage == MODEL_DEPENDENT)
                ok = predict_dependent(&p, err);
        }
        prediction->stages[stage].seconds = prediction->seconds;
    }
    return ok && ((prediction->seconds > 0 && isfinite(prediction->seconds) &&
                   isfinite(1 / prediction->seconds)) ||
                  fail(err, "a frame of %g s has no frame rate", prediction->seconds));
}

/* ---- workloads ---- */

/* Replaces comments by spaces: from "//" to the end of its line. A "//" inside of a word, such as
 * a path, is no comment. */
static void
blank_comments(char *text)
{
    for (char *at = text; (at = strstr(at, "//"));)
        if (at == text || strchr(" \t\n;", at[-1]))
            memset(at, ' ', strcspn(at, "\n"));
        else
            at++;
}

static bool
read_lines(struct model_row *workload, char *text, struct error *err)
{
    for (char *line; (line = strsep(&text, "\n"));) {
        line[strcspn(line, ";#\r")] = '\0';
        char *value = strchr(line, '=');
        if (!line[strspn(line, " \t")])
            continue;
        if (!value)
            return fail(err, "'%.40s': expected name = value", line);
        *value++ = '\0';
        line += strspn(line, " \t");
        value += strspn(value, " \t");
        line[strcspn(line, " \t")] = '\0';
        value[strcspn(value, " \t")] = '\0';
        if (!model_row_set(workload, line, value, err))
            return false;
    }
    return true;
}

static bool
read_positions(struct model_row *workload, const char *text, struct error *err)
{
    double *const places[] = {&workload->cycles,    &workload->fragments,
                              &workload->rate,      &workload->branch_cycles,
                              &workload->if_cycles, &workload->else_cycles};
    enum { PLACES = sizeof places / sizeof places[0] };
    static const char between[] = " \t\r\n;";
    uint32_t count = 0;
    for (text += strspn(text, between); *text; text += strspn(text, between)) {
        char *end;
        const double number = strtod(text, &end);
        if (end == text || !isfinite(number) || number < 0 || (*end && !strchr(between, *end)))
            return fail(err, "'%.20s' is not a number of at least 0", text);
        if (count == PLACES)
            return fail(err, "more than %d numbers", PLACES);
        *places[count++] = number;
        text = end;
    }
    return count == PLACES ||
           fail(err,
                "found %u number%s; a workload has %d: cycles outside of branches; "
                "fragments; clock x pipes; cost of the if-else-endif; cycles "
                "inside the if's side; inside the else's",
                count, plural(count), PLACES);
}

bool
model_workload_read(struct model_row *workload, const char *path, struct error *err)
{
    char *text;
    size_t size;
    if (!file_read(path, FILE_MOST_TEXT, &text, &size, err))
        return false;
    blank_comments(text);
    const bool ok = strlen(text) == size ? strchr(text, '=') ? read_lines(workload, text, err)
                                                             : read_positions(workload, text, err)
                                         : fail(err, "no text");
    free(text);
    return ok || fail_prefix(err, "%s", path);
}
