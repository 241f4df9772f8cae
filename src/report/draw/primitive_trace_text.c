/* Prints the trace of a triangle as text. */
#include "report/draw/primitive_trace.h"

#include "base/wrap.h"
#include "report/run/cycle.h"

#include <inttypes.h>
#include <string.h>

/* Actions of the receiving unit per queue (machine.def); "" if the unit's name describes the
 * action. */
static const struct {
    const char *queue, *what;
} actions[] = {
#define QUEUE_11(name, action, item, sender, out, receiver, in, width, depth, latency)             \
    {#name, action},
#define MEMORY(name, unit, port, client, traffic, width, who)                                      \
    {#name "_requests", #client "s read"}, {#name "_replies", #client "s taken"},
#include "machine.def"
};

static const char *
action_of(enum follow_kind kind, const char *queue)
{
    if (kind == FOLLOW_STORE)
        return strstr(queue, "_requests") ? "emissions written" : "writes confirmed";
    const size_t length = strcspn(queue, "[");
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strlen(actions[i].queue) == length && !strncmp(actions[i].queue, queue, length))
            return *actions[i].what ? actions[i].what : queue;
    return queue;
}

static const char *
shape_of(const struct follow *follow)
{
    static const char *const shapes[] = {"", "point", "line", "triangle"};
    return shapes[follow->corner_count];
}

/* Formats "vertex 12", "triangle" or "96 quads". */
static void
name_stage(const struct follow *follow, const struct primitive_trace_stage *stage, char *name,
           size_t size)
{
    static const char *const kinds[FOLLOW_KINDS] = {
        [FOLLOW_READ] = "read",         [FOLLOW_STORE] = "write", [FOLLOW_LOAD] = "read",
        [FOLLOW_TRIANGLE] = "triangle", [FOLLOW_TILE] = "tile",   [FOLLOW_QUAD] = "quad",
        [FOLLOW_REQUEST] = "request",
    };
    const char *kind = kinds[stage->kind];
    if (stage->kind == FOLLOW_DRAW)
        snprintf(name, size, "draw");
    else if (stage->kind == FOLLOW_VERTEX)
        snprintf(name, size, "vertex %u", follow->vertices.items[stage->thing].index);
    else if (stage->kind == FOLLOW_INPUT)
        snprintf(name, size, "input");
    else if (stage->kind == FOLLOW_PRIMITIVE ||
             (stage->kind == FOLLOW_TRIANGLE && stage->count < 2))
        snprintf(name, size, "%s", shape_of(follow));
    else
        snprintf(name, size, "%" PRIu64 " %s%s", stage->count, kind, stage->count > 1 ? "s" : "");
}

/* Prints the exact value for one item, the average for several items. */
static void
put_mean(struct text_table *sheet, uint64_t sum, uint64_t count)
{
    if (count == 1)
        text_table_cell(sheet, "%" PRIu64, sum);
    else
        text_table_cell(sheet, "%.1f", (double)sum / (double)count);
}

static void
print_sheet(struct text_table *sheet, const uint32_t *spare, uint32_t count, FILE *out)
{
    text_table_fit(sheet, line_width(out), 0, spare, count);
    text_table_put(sheet, TEXT_TABLE_TEXT, out);
}

static void
print_stages(const struct primitive_trace *trace, FILE *out)
{
    static const uint32_t spare[] = {2, 5};
    struct text_table sheet = {0};
    text_table_cells(&sheet, "step|unit|waited|from|to|took");
    text_table_end_row(&sheet);
    for (size_t i = 0; i < trace->stages.count; i++) {
        const struct primitive_trace_stage *stage = &trace->stages.items[i];
        char name[64];
        name_stage(trace->follow, stage, name, sizeof name);
        text_table_cell(&sheet, "%s: %s", name, action_of(stage->kind, stage->queue));
        if (stage->several)
            text_table_cell(&sheet, "%.*ss", (int)strcspn(stage->unit->name, "["),
                            stage->unit->name);
        else
            text_table_cell(&sheet, "%s", stage->unit->name);
        put_mean(&sheet, stage->waited, stage->count);
        cycle_put(&sheet, stage->first);
        cycle_put(&sheet, stage->last);
        put_mean(&sheet, stage->stayed, stage->count);
        text_table_end_row(&sheet);
    }
    print_sheet(&sheet, spare, sizeof spare / sizeof spare[0], out);
}

/* Formats "written", or "depth 1, written 3". */
static void
name_fates(const struct watched_course *course, char *text, size_t size)
{
    uint32_t counts[FATES] = {0}, kinds = 0;
    size_t used = 0;
    for (uint32_t f = 0; f < 4; f++)
        if (course->fragments >> f & 1)
            counts[course->fates[f]]++;
    for (uint32_t i = 0; i < FATES; i++)
        kinds += counts[i] > 0;
    snprintf(text, size, "%s", "-");
    for (uint32_t i = 0; i < FATES && course->retired != CYCLE_NEVER && used < size; i++)
        if (counts[i] && kinds == 1)
            snprintf(text, size, "%s", fragment_fate_names[i]);
        else if (counts[i])
            used += (size_t)snprintf(text + used, size - used, "%s%s %u", used ? " " : "",
                                     fragment_fate_names[i], counts[i]);
}

static void
print_levels(const struct watch *watch, FILE *out)
{
    struct text_table sheet = {0};
    if (!watch->levels[0].squares)
        return;
    fputs("\nits squares in the levels of the fragment generator:\n", out);
    text_table_cells(&sheet, "level|squares|from|to");
    text_table_end_row(&sheet);
    for (uint32_t i = 0; i < WATCH_LEVELS && watch->levels[i].squares; i++) {
        text_table_cell(&sheet, "level%u", i + 1);
        text_table_cell(&sheet, "%u", watch->levels[i].squares);
        cycle_put(&sheet, watch->levels[i].first);
        cycle_put(&sheet, watch->levels[i].last);
        text_table_end_row(&sheet);
    }
    text_table_put(&sheet, TEXT_TABLE_TEXT, out);
}

static void
print_quads(const struct primitive_trace *trace, FILE *out)
{
    static const uint32_t spare[] = {8, 7, 1, 5, 3};
    const struct watch *watch = trace->follow->watch;
    struct text_table sheet = {0};
    if (!watch->courses.count)
        return;
    fputs("\nits quads, by corner pixel:\n", out);
    text_table_cells(&sheet,
                     "quad|fragments|generated|z test|shader|shaded|written|texels|misses|end");
    text_table_end_row(&sheet);
    for (size_t i = 0; i < watch->courses.count && i < PRIMITIVE_TRACE_QUADS_SHOWN; i++) {
        const struct watched_course *course = &watch->courses.items[i];
        char end[64];
        name_fates(course, end, sizeof end);
        text_table_cell(&sheet, "%u,%u", course->x, course->y);
        text_table_cell(&sheet, "%u", bits_count(course->fragments));
        cycle_put(&sheet, course->generated);
        cycle_put(&sheet, course->tested);
        cycle_put(&sheet, course->shader_began);
        cycle_put(&sheet, course->shader_ended);
        cycle_put(&sheet, course->written);
        text_table_cell(&sheet, "%u", course->texels);
        text_table_cell(&sheet, "%u", course->misses);
        text_table_cell(&sheet, "%s", end);
        text_table_end_row(&sheet);
    }
    print_sheet(&sheet, spare, sizeof spare / sizeof spare[0], out);
    if (watch->courses.count > PRIMITIVE_TRACE_QUADS_SHOWN)
        fprintf(out, "  ... and %zu more (follow.json)\n",
                watch->courses.count - PRIMITIVE_TRACE_QUADS_SHOWN);
}

/* Prints the triangle's setup, or why the triangle was dropped before setup. */
static void
print_shape(const struct follow *follow, uint32_t width, FILE *out)
{
    static const char *const lost[] = {
        [SETUP_LOST_PIXELS] = "no pixel centre lies in its bounding box on the screen",
        [SETUP_LOST_AREA] = "it has no area on the grid of 1/256 pixel",
        [SETUP_LOST_FACE] = "its face is culled",
    };
    if (follow->clip == CLIP_REJECT)
        print_wrapped(out, width, 0, 0, "The clipper rejects it: all of it is outside one plane.");
    else if (!follow->made)
        print_wrapped(out, width, 0, 0, "Setup rejects it: %s.", lost[follow->lost]);
    else
        print_wrapped(out, width, 0, 0, "%s, %s; pixels %d,%d to %d,%d at most%s.",
                      follow->clip == CLIP_NEEDED ? "Clipped geometrically" : "Inside all planes",
                      follow->front ? "front face" : "back face", follow->min_x, follow->min_y,
                      follow->max_x, follow->max_y,
                      follow->made > 1 ? ", in several triangles" : "");
}

static void
print_fates(const struct primitive_trace *trace, uint32_t width, FILE *out)
{
    char text[256];
    size_t used = 0;
    if (!trace->fragments) {
        if (trace->follow->made)
            print_wrapped(out, width, 0, 0, "It covers no pixel centre and has no fragments.");
        return;
    }
    for (uint32_t i = 0; i < FATES; i++)
        if (trace->fates[i])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRIu64 " %s",
                                     used ? ", " : "", trace->fates[i], fragment_fate_names[i]);
    print_wrapped(out, width, 0, 0, "%" PRIu64 " fragments, by the stage where they ended: %s.",
                  trace->fragments, used ? text : "all are in flight");
}

void
primitive_trace_print(const struct primitive_trace *trace, FILE *out)
{
    const struct follow *follow = trace->follow;
    const uint32_t width = line_width(out);
    fprintf(out, "\nframe %u, draw %u, %s %u of %u: ", follow->target.frame, follow->target.draw,
            shape_of(follow), follow->target.triangle, follow->primitives);
    if (follow->inputs.count)
        fprintf(out, "emitted for input %u, ", follow->source);
    fputs("vertices", out);
    for (uint32_t i = 0; i < follow->vertex_count; i++)
        fprintf(out, " %u", follow->vertices.items[follow->corners[i]].index);
    fputc('\n', out);
    print_shape(follow, width, out);
    print_fates(trace, width, out);
    print_wrapped(out, width, 0, 0,
                  "Cycles since the start of the frame. `waited`: in the queue before the unit; "
                  "`took`: in the unit; averages if there are several items.");
    print_stages(trace, out);
    print_levels(follow->watch, out);
    print_quads(trace, out);
}
