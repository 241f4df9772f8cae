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
    FACTOR_memory, /* cycles per ideal cycle of memory reads */
    FACTOR_rop,    /* the same for z and color, which are read and written */
    FACTOR_fetch,  /* cycles per ideal cycle of the Streamer */
    /* factor of vertex programs if all vertices are reused: groups are then partly empty */
    FACTOR_vertex,
    FACTOR_depth,
    FACTOR_overlap, /* exponent of together(), less 1 */
    FACTOR_drain,   /* cycles between two draws */
    FACTOR_pipe,    /* additional cycles if the draw shades quads */
    FACTOR_miss,    /* cycles per client that reads memory */
    FACTOR_bus,     /* cycles per ideal cycle of an upload */
    FACTOR_stream,  /* cycles per ideal cycle of the command stream */
    FACTOR_swap,    /* cycles per ideal cycle of memory traffic, for the displayed picture */
    FACTOR_flush,   /* the same, for the lines that the ROPs write back before it */
    FACTOR_show,    /* constant cycles per displayed picture */
    FACTOR_blit,    /* cycles per ideal cycle of the Blitter */
    FACTORS
};
static const char *const names[FACTORS] = {"texture", "color", "z",      "attribute", "memory",
                                           "rop",     "fetch", "vertex", "depth",     "overlap",
                                           "drain",   "pipe",  "miss",   "bus",       "stream",
                                           "swap",    "flush", "show",   "blit"};
static const double starts[FACTORS] = {1,  1,  1,  1, 1, 1, 1, 1,   1, 2,
                                       50, 50, 30, 1, 1, 1, 1, 500, 1};
enum { PARTS = 8, NO_PART = PARTS };   /* of the jackknife */
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
                          : unit == UNIT_depth  ? f->value[FACTOR_depth]
                                                : 1;
    return draw->units[unit] * factor;
}

/* Cycles of parts that work at the same time. If several take about as long as the longest, the
 * total is longer, since the bottleneck changes during a draw. */
static double
together(const double *cycles, size_t count, double exponent)
{
    double longest = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        longest = fmax(longest, cycles[i]);
    for (size_t i = 0; i < count && longest > 0; i++)
        if (cycles[i] >= longest / 16) /* smaller ones have no visible effect */
            sum += pow(cycles[i] / longest, exponent);
    return longest * pow(fmax(sum, 1), 1 / exponent);
}

static double
draw_cycles(const struct factors *f, const struct trace_work *work, const struct trace_draw *draw,
            double *bounds)
{
    double traffic = 0, units[TRACE_UNIT_COUNT];
    for (uint32_t c = 0; c < TRACE_CLIENT_COUNT; c++)
        traffic += draw->bytes[c] * f->value[FACTOR_texture + c] *
                   f->value[c == CACHED_color || c == CACHED_z ? FACTOR_rop : FACTOR_memory];
    for (uint32_t u = 0; u < TRACE_UNIT_COUNT; u++)
        units[u] = unit_cycles(f, draw, u);
    if (work->unified) {
        units[UNIT_fragment] += units[UNIT_vertex];
        units[UNIT_vertex] = 0;
    }
    units[UNIT_fetch] =
        fmax(units[UNIT_fetch], draw->attribute_bytes / work->memory_rate * f->value[FACTOR_fetch]);
    /* the units of a part pass items on at the same pace */
    const double parts[] = {
        traffic * draw->skew / work->memory_rate,
        fmax(units[UNIT_fetch], units[UNIT_setup]),
        units[UNIT_vertex],
        units[UNIT_fragment],
        units[UNIT_texture],
        fmax(units[UNIT_raster], fmax(units[UNIT_depth], units[UNIT_color])),
    };
    const double all = together(parts, sizeof parts / sizeof *parts, 1 + f->value[FACTOR_overlap]);
    const double serial = f->value[FACTOR_drain] + draw->latency +
                          (draw->quads > 0 ? f->value[FACTOR_pipe] : 0) +
                          draw->waits * f->value[FACTOR_miss];
    const double stream = draw->stream_bytes / work->bus_rate * f->value[FACTOR_stream];
    if (bounds) {
        uint32_t bound = BOUND_memory;
        double longest = parts[0];
        for (uint32_t u = 0; u < TRACE_UNIT_COUNT; u++)
            if (units[u] > longest) {
                longest = units[u];
                bound = u;
            }
        bounds[bound] += all;
        bounds[BOUND_drain] += serial;
        bounds[BOUND_upload] += stream;
    }
    return serial + stream + all;
}

/* Index of the first of `count` items whose frame is this one or a later one. Each item has `size`
 * bytes, begins with its frame, and is sorted by it. */
static size_t
first_of_frame(const void *items, size_t count, size_t size, uint32_t frame)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (*(const uint32_t *)((const char *)items + middle * size) < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t
first_draw(const struct trace_work *work, uint32_t frame)
{
    return first_of_frame(work->draws.items, work->draws.count, sizeof *work->draws.items, frame);
}

static size_t
first_upload(const struct trace_work *work, uint32_t frame)
{
    return first_of_frame(work->uploads.items, work->uploads.count, sizeof *work->uploads.items,
                          frame);
}

/* The Command Processor and its bus, which the uploads in flight share equally. An upload begins
 * once the draw before it has begun. A draw begins after the draw before it and the uploads that it
 * reads. */
struct timeline {
    double began, ended; /* begin and end of the last draw */
    double now;          /* the uploads have progressed up to this cycle */
    double cycles_per_byte;
    size_t first, next; /* index of the frame's first upload, and of the next one */
    struct flight {
        size_t upload;
        double bytes; /* left */
    } flights[TRACE_MOST_UPLOADS];
    uint32_t in_flight;
};

static bool
is_in_flight(const struct timeline *t, size_t upload)
{
    for (uint32_t i = 0; i < t->in_flight; i++)
        if (t->flights[i].upload == upload)
            return true;
    return false;
}

/* Moves bytes until the smallest upload in flight ends, or until the cycle `end`. */
static void
move_bytes(struct timeline *t, double end)
{
    double least = t->flights[0].bytes;
    uint32_t left = 0;
    for (uint32_t i = 1; i < t->in_flight; i++)
        least = fmin(least, t->flights[i].bytes);
    const double cycles = least * t->in_flight * t->cycles_per_byte;
    if (t->now + cycles > end)
        least *= (end - t->now) / cycles;
    t->now = fmin(t->now + cycles, end);
    for (uint32_t i = 0; i < t->in_flight; i++) {
        struct flight flight = t->flights[i];
        flight.bytes -= least;
        if (flight.bytes > 1e-6)
            t->flights[left++] = flight;
    }
    t->in_flight = left;
}

static void
advance_to(struct timeline *t, double cycle)
{
    while (t->in_flight && t->now < cycle)
        move_bytes(t, cycle);
    t->now = fmax(t->now, cycle);
}

/* Begins the uploads before a draw of the frame. */
static void
begin_uploads(struct timeline *t, const struct trace_work *work, uint32_t frame, uint32_t draw)
{
    for (; t->next < work->uploads.count; t->next++) {
        const struct trace_upload *upload = &work->uploads.items[t->next];
        if (upload->frame != frame || upload->draw > draw)
            return;
        advance_to(t, upload->waits ? t->ended : t->began);
        while (t->in_flight == work->upload_limit)
            move_bytes(t, INFINITY);
        t->began = fmax(t->began, t->now);
        t->flights[t->in_flight++] = (struct flight){t->next, upload->bytes};
    }
}

/* `bounds`: array of FRAME_BOUNDS elements, or NULL. */
static double
frame_cycles(const struct factors *f, const struct trace_work *work, uint32_t frame, double *bounds)
{
    const struct trace_frame_work *rest = &work->frames.items[frame];
    struct timeline t = {.first = first_upload(work, frame),
                         .cycles_per_byte = f->value[FACTOR_bus] / work->bus_rate};
    double drawn = 0;
    t.next = t.first;
    for (size_t i = first_draw(work, frame), n = 0;
         i < work->draws.count && work->draws.items[i].frame == frame; i++, n++) {
        const struct trace_draw *draw = &work->draws.items[i];
        const double cycles = draw_cycles(f, work, draw, bounds);
        begin_uploads(&t, work, frame, (uint32_t)n);
        advance_to(&t, fmax(t.began, t.ended));
        for (uint32_t k = 0; k < draw->needs; k++)
            while (is_in_flight(&t, work->needs.items[draw->first_need + k]))
                move_bytes(&t, INFINITY);
        t.began = fmax(t.ended, t.now);
        t.ended = t.began + cycles;
        drawn += cycles;
    }
    begin_uploads(&t, work, frame, UINT32_MAX);
    while (t.in_flight)
        move_bytes(&t, INFINITY);
    const double end = fmax(t.ended, t.now);
    const double after =
        (f->value[FACTOR_swap] * rest->shown_bytes + f->value[FACTOR_flush] * rest->dirty_bytes) /
            work->memory_rate +
        (rest->shown_bytes > 0 ? f->value[FACTOR_show] : 0) +
        f->value[FACTOR_blit] * rest->blit_cycles + clear_cycles * rest->clears;
    if (bounds) {
        bounds[BOUND_upload] += end - drawn;
        bounds[BOUND_rest] += after;
    }
    return end + after;
}

/* ---- fit ---- */

/* Whether a lesson belongs to the part that is held out from a fit. A part consists of whole runs,
 * since frames from one run are similar. NO_PART: no lesson. */
static bool
is_left_out(const struct frame_lesson *lesson, size_t part)
{
    return part != NO_PART && lesson->run % PARTS == part;
}

/* Mean square of log(predicted / measured), plus a small penalty per factor for its distance from
 * the start. The penalty keeps factors that the lessons barely constrain near the start. `part` is
 * left out. */
static double
error_of(const struct factors *f, const struct frame_lessons *lessons, size_t part)
{
    const double hold = 1e-3;
    double sum = 0, weights = 0, moved = 0;
    for (size_t i = 0; i < lessons->count; i++) {
        const struct frame_lesson *lesson = &lessons->items[i];
        if (is_left_out(lesson, part))
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
descend(struct factors *f, const struct frame_lessons *lessons, size_t part)
{
    const double last = 0.003; /* the factors are accurate to about this fraction */
    double largest = 1, step[FACTORS], best = error_of(f, lessons, part);
    for (uint32_t k = 0; k < FACTORS; k++)
        step[k] = 0.3;
    while (largest > last) {
        largest = 0;
        for (uint32_t k = FACTOR_memory; k < FACTORS; k++) {
            bool moved = false;
            for (int up = 0; up < 2 && !moved; up++) {
                struct factors other = *f;
                other.value[k] *= up ? 1 + step[k] : 1 / (1 + step[k]);
                const double now = error_of(&other, lessons, part);
                moved = now < best;
                if (moved) {
                    best = now;
                    *f = other;
                }
            }
            step[k] *= moved ? 0.95 : 0.6;
            largest = fmax(largest, step[k]);
        }
    }
}

/* Fits transferred bytes per requested byte over all lessons. */
static void
fit_bytes(struct factors *f, const struct frame_lessons *lessons, size_t part)
{
    for (uint32_t c = 0; c < TRACE_CLIENT_COUNT; c++) {
        double asked = 0, moved = 0;
        for (size_t i = 0; i < lessons->count; i++) {
            const struct frame_lesson *lesson = &lessons->items[i];
            if (is_left_out(lesson, part))
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
fit_all(const struct frame_lessons *lessons, size_t part)
{
    struct factors f;
    memcpy(f.value, starts, sizeof starts);
    fit_bytes(&f, lessons, part);
    descend(&f, lessons, part);
    return f;
}

/* Error bar: each frame is predicted by the fit that omits its run. A run counts as one frame. NAN:
 * there is only one run. */
static double
bar_of_parts(const struct frame_lessons *lessons, const struct factors *parts)
{
    struct model_misses misses = {0};
    if (lessons->items[lessons->count - 1].run == lessons->items[0].run)
        return NAN;
    for (size_t i = 0; i < lessons->count; i++) {
        const struct frame_lesson *lesson = &lessons->items[i];
        const double cycles =
            frame_cycles(&parts[lesson->run % PARTS], lesson->work, lesson->frame, NULL);
        const struct model_miss miss = {fabs(cycles / lesson->cycles - 1),
                                        lesson->weight * lesson->weight};
        VEC_PUSH(&misses, miss);
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
    const struct factors all = fit_all(lessons, NO_PART);
    for (size_t p = 0; p < PARTS; p++)
        parts[p] = fit_all(lessons, p);
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
    const double bar = bar_of_parts(lessons, parts);
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
    const uint32_t run = first ? lessons->items[first - 1].run + 1 : 0;
    if (!draws_read(&draws, dir, UINT32_MAX, err))
        return false;
    for (size_t i = 0; i < draws.rows.count;) {
        struct frame_lesson lesson = {.frame = draws.rows.items[i].frame, .run = run, .work = work};
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
