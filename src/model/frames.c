#include "model/frames.h"

#include "analysis/sampling.h"
#include "base/plural.h"
#include "model/error_bars.h"
#include "report/draw/draws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The fitted factors. The search starts from ideal values. Byte factors are fitted to transferred
 * bytes, the others to cycles. */
enum frame_factor {
    FACTOR_texture, /* bytes transferred per byte requested */
    FACTOR_color,
    FACTOR_z,
    FACTOR_attribute,
    FACTOR_memory, /* cycles per ideal cycle of memory traffic */
    FACTOR_fetch,  /* cycles per ideal cycle of the Streamer */
    /* factor of vertex programs if all vertices are reused: groups are then partly empty */
    FACTOR_vertex,
    FACTOR_raster,
    FACTOR_beside, /* visible share of the second slowest unit */
    FACTOR_drain,  /* cycles between two draws */
    FACTOR_bus,    /* cycles per uploaded byte */
    FACTOR_swap,   /* cycles per ideal cycle of memory traffic, for the displayed picture */
    FACTOR_show,   /* constant cycles per displayed picture */
    FACTOR_blit,   /* cycles per pixel */
    FACTORS
};
static const char *const names[FACTORS] = {"texture", "color",  "z",      "attribute", "memory",
                                           "fetch",   "vertex", "raster", "beside",    "drain",
                                           "bus",     "swap",   "show",   "blit"};
static const double starts[FACTORS] = {1, 1, 1, 1, 1, 1, 1, 1, 0.25, 100, 0.125, 1, 500, 0.25};
enum { PARTS = 8 };                    /* of the jackknife */
static const double clear_cycles = 15; /* a fast clear only writes block states */

struct factors {
    double value[FACTORS];
};

const char *
frame_bound_name(uint32_t bound)
{
    static const char *const others[] = {"memory", "drain", "upload", "rest"};
    return bound < TRACE_UNIT_COUNT ? trace_unit_names[bound] : others[bound - TRACE_UNIT_COUNT];
}

/* Cycles of a unit: those at its full rate times its fitted factor. */
static double
unit_cycles(const struct factors *f, const struct trace_draw *draw, uint32_t unit)
{
    const double factor = unit == UNIT_fetch    ? f->value[FACTOR_fetch]
                          : unit == UNIT_vertex ? 1 + draw->reused * (f->value[FACTOR_vertex] - 1)
                          : unit == UNIT_raster ? f->value[FACTOR_raster]
                                                : 1;
    return draw->units[unit] * factor;
}

static double
draw_cycles(const struct factors *f, const struct trace_work *work, const struct trace_draw *draw,
            double *bounds)
{
    double bytes = 0, longest, second = 0;
    uint32_t bound = BOUND_memory;
    for (uint32_t c = 0; c < TRACE_CLIENT_COUNT; c++)
        bytes += draw->bytes[c] * f->value[FACTOR_texture + c];
    longest = bytes / work->memory_rate * f->value[FACTOR_memory];
    for (uint32_t u = 0; u < TRACE_UNIT_COUNT; u++) {
        double cycles = unit_cycles(f, draw, u);
        if (work->unified && u == UNIT_fragment)
            cycles += unit_cycles(f, draw, UNIT_vertex);
        if (work->unified && u == UNIT_vertex)
            continue;
        if (cycles > longest) {
            second = longest;
            longest = cycles;
            bound = u;
        } else if (cycles > second) {
            second = cycles;
        }
    }
    const double serial = f->value[FACTOR_drain] + draw->latency;
    const double stream = draw->stream_bytes * f->value[FACTOR_bus];
    longest += second * f->value[FACTOR_beside];
    if (bounds) {
        bounds[bound] += longest;
        bounds[BOUND_drain] += serial;
        bounds[BOUND_upload] += stream;
    }
    return serial + stream + longest;
}

/* Index of the first draw of a frame. Draws are sorted by frame. */
static size_t
first_draw(const struct trace_work *work, uint32_t frame)
{
    size_t low = 0, high = work->draws.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (work->draws.items[middle].frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* `bounds`: array of FRAME_BOUNDS elements, or NULL. */
static double
frame_cycles(const struct factors *f, const struct trace_work *work, uint32_t frame, double *bounds)
{
    const struct trace_frame_work *rest = &work->frames.items[frame];
    const double bus = f->value[FACTOR_bus];
    double bus_free = 0, gpu_free = 0, drawn = 0;
    for (size_t i = first_draw(work, frame);
         i < work->draws.count && work->draws.items[i].frame == frame; i++) {
        const struct trace_draw *draw = &work->draws.items[i];
        const double cycles = draw_cycles(f, work, draw, bounds);
        bus_free += draw->put_bytes * bus;
        double start = gpu_free > bus_free ? gpu_free : bus_free;
        start += draw->buffer_bytes * bus;
        bus_free = draw->buffer_bytes > 0 ? start : bus_free;
        gpu_free = start + cycles;
        drawn += cycles;
    }
    bus_free += rest->put_bytes * bus;
    gpu_free = (gpu_free > bus_free ? gpu_free : bus_free) + rest->buffer_bytes * bus;
    const double after =
        f->value[FACTOR_swap] * (rest->shown_bytes + rest->dirty_bytes) / work->memory_rate +
        (rest->shown_bytes > 0 ? f->value[FACTOR_show] : 0) +
        f->value[FACTOR_blit] * rest->blitted + clear_cycles * rest->clears;
    if (bounds) {
        bounds[BOUND_upload] += gpu_free - drawn;
        bounds[BOUND_rest] += after;
    }
    return gpu_free + after;
}

/* ---- fit ---- */

/* Mean square of log(predicted / measured), plus a small penalty per factor for its distance from
 * the start. The penalty keeps factors that the lessons hardly determine near the start. `part` of
 * `parts` is left out (parts 0: no part). */
static double
error_of(const struct factors *f, const struct frame_lessons *lessons, size_t part, size_t parts)
{
    const double hold = 1e-3;
    double sum = 0, weights = 0, moved = 0;
    for (size_t i = 0; i < lessons->count; i++) {
        const struct frame_lesson *lesson = &lessons->items[i];
        if (parts && i % parts == part)
            continue;
        const double off = log(frame_cycles(f, lesson->work, lesson->frame, NULL) / lesson->cycles);
        sum += lesson->weight * off * off;
        weights += lesson->weight;
    }
    for (uint32_t k = FACTOR_memory; k < FACTORS; k++)
        moved += log(f->value[k] / starts[k]) * log(f->value[k] / starts[k]);
    return weights > 0 ? sum / weights + hold * moved : 0;
}

/* Coordinate descent: moves one factor at a time by a step while the error falls, then reduces the
 * step. */
static void
descend(struct factors *f, const struct frame_lessons *lessons, size_t part, size_t parts)
{
    enum { ROUNDS = 40 };
    double step[FACTORS], best = error_of(f, lessons, part, parts);
    for (uint32_t k = 0; k < FACTORS; k++)
        step[k] = 0.3;
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t k = FACTOR_memory; k < FACTORS; k++) {
            bool moved = false;
            for (int up = 0; up < 2 && !moved; up++) {
                struct factors other = *f;
                other.value[k] *= up ? 1 + step[k] : 1 / (1 + step[k]);
                const double now = error_of(&other, lessons, part, parts);
                moved = now < best;
                if (moved) {
                    best = now;
                    *f = other;
                }
            }
            step[k] *= moved ? 1 : 0.6;
        }
}

/* Fits transferred bytes per requested byte over all lessons. */
static void
fit_bytes(struct factors *f, const struct frame_lessons *lessons, size_t part, size_t parts)
{
    for (uint32_t c = 0; c < TRACE_CLIENT_COUNT; c++) {
        double asked = 0, moved = 0;
        for (size_t i = 0; i < lessons->count; i++) {
            const struct frame_lesson *lesson = &lessons->items[i];
            if (parts && i % parts == part)
                continue;
            moved += lesson->weight * lesson->bytes[c];
            for (size_t d = first_draw(lesson->work, lesson->frame);
                 d < lesson->work->draws.count &&
                 lesson->work->draws.items[d].frame == lesson->frame;
                 d++)
                asked += lesson->weight * lesson->work->draws.items[d].bytes[c];
        }
        if (asked > 0 && moved > 0)
            f->value[FACTOR_texture + c] = moved / asked;
    }
}

static struct factors
fit_all(const struct frame_lessons *lessons, size_t part, size_t parts)
{
    struct factors f;
    memcpy(f.value, starts, sizeof starts);
    fit_bytes(&f, lessons, part, parts);
    descend(&f, lessons, part, parts);
    return f;
}

/* Error bar: the frames of each run are predicted by the other runs. A run counts as one frame. */
static double
bar_of_runs(const struct frame_lessons *lessons)
{
    struct model_misses misses = {0};
    for (size_t first = 0, end; first < lessons->count; first = end) {
        struct frame_lessons others = {0};
        for (end = first; end < lessons->count; end++)
            if (lessons->items[end].work != lessons->items[first].work)
                break;
        for (size_t i = 0; i < lessons->count; i++)
            if (i < first || i >= end)
                VEC_PUSH(&others, lessons->items[i]);
        const struct factors f =
            others.count >= PARTS ? fit_all(&others, 0, 0) : (struct factors){0};
        for (size_t i = first; i < end && others.count >= PARTS; i++) {
            const struct frame_lesson *lesson = &lessons->items[i];
            double bounds[FRAME_BOUNDS] = {0};
            const double cycles = frame_cycles(&f, lesson->work, lesson->frame, bounds);
            const struct model_miss miss = {fabs(cycles / lesson->cycles - 1),
                                            1.0 / (double)(end - first)};
            VEC_PUSH(&misses, miss);
        }
        VEC_FREE(&others);
    }
    const double bar = model_bar_of(&misses);
    VEC_FREE(&misses);
    return bar;
}

bool
model_fit_frames(struct model *model, const struct frame_lessons *lessons, struct error *err)
{
    struct factors parts[PARTS];
    if (lessons->count < 2 * PARTS)
        return fail(err, "%zu frame%s, but the frame stages require %d", lessons->count,
                    plural(lessons->count), 2 * PARTS);
    const struct factors all = fit_all(lessons, 0, 0);
    for (size_t p = 0; p < PARTS; p++)
        parts[p] = fit_all(lessons, p, PARTS);
    for (uint32_t k = 0; k < FACTORS; k++) {
        double mean = 0, spread = 0;
        for (size_t p = 0; p < PARTS; p++)
            mean += parts[p].value[k] / PARTS;
        for (size_t p = 0; p < PARTS; p++)
            spread += (parts[p].value[k] - mean) * (parts[p].value[k] - mean);
        char *name = mem_printf("frames.%s", names[k]); /* the interval is computed by jackknife */
        model_set_factor(model, name, all.value[k],
                         student_95(PARTS - 1) * sqrt(spread * (PARTS - 1) / PARTS));
        free(name);
    }
    const double bar = bar_of_runs(lessons);
    if (!isnan(bar))
        model_set_factor(model, "frames.error", bar, 0);
    return true;
}

static struct factors
factors_of(const struct model *model)
{
    struct factors f;
    for (uint32_t k = 0; k < FACTORS; k++) {
        char *name = mem_printf("frames.%s", names[k]);
        f.value[k] = model_factor(model, name);
        free(name);
    }
    return f;
}

bool
model_has_frames(const struct model *model)
{
    const struct factors f = factors_of(model);
    for (uint32_t k = 0; k < FACTORS; k++)
        if (isnan(f.value[k]))
            return false;
    return true;
}

void
model_predict_frame(struct frame_prediction *prediction, const struct model *model,
                    const struct trace_work *work, uint32_t frame)
{
    const struct factors f = factors_of(model);
    *prediction = (struct frame_prediction){.frame = frame};
    prediction->cycles = frame_cycles(&f, work, frame, prediction->bounds);
    prediction->seconds = prediction->cycles / model_factor(model, "clock");
    for (uint32_t b = 1; b < FRAME_BOUNDS; b++)
        if (prediction->bounds[b] > prediction->bounds[prediction->bound])
            prediction->bound = b;
}

/* ---- lessons ---- */

static double
cell(const struct draws *draws, const struct draw_row *row, const char *format, const char *client)
{
    char name[64];
    snprintf(name, sizeof name, format, client);
    const double value = csv_value(&draws->table, row->row, csv_column(&draws->table, name));
    return isnan(value) ? 0 : value;
}

bool
frame_lessons_add(struct frame_lessons *lessons, const struct trace_work *work, const char *dir,
                  struct error *err)
{
    struct draws draws;
    const size_t first = lessons->count;
    if (!draws_read(&draws, dir, UINT32_MAX, err))
        return false;
    for (size_t i = 0; i < draws.rows.count;) {
        struct frame_lesson lesson = {.frame = draws.rows.items[i].frame, .work = work};
        size_t drawn = 0, known = first_draw(work, lesson.frame);
        for (; i < draws.rows.count && draws.rows.items[i].frame == lesson.frame; i++) {
            const struct draw_row *row = &draws.rows.items[i];
            lesson.cycles += row->cost.cycles;
            drawn += row->is_draw;
            for (uint32_t c = 0; c < TRACE_CLIENT_COUNT && row->is_draw; c++)
                lesson.bytes[c] +=
                    cell(&draws, row, "memctl.%s_bytes_read", trace_client_names[c]) +
                    cell(&draws, row, "memctl.%s_bytes_written", trace_client_names[c]);
        }
        for (; known < work->draws.count && work->draws.items[known].frame == lesson.frame; known++)
            drawn--;
        if (drawn == 0 && lesson.frame < work->frames.count && lesson.cycles > 0 &&
            first_draw(work, lesson.frame) < first_draw(work, lesson.frame + 1))
            VEC_PUSH(lessons, lesson);
    }
    for (size_t i = first; i < lessons->count; i++)
        lessons->items[i].weight = 1 / sqrt((double)(lessons->count - first));
    draws_fini(&draws);
    return true;
}
