/* Writes the trace of a triangle as follow.json. */
#include "report/draw/primitive_trace.h"

#include "base/file.h"
#include "base/schema.h"
#include "report/run/cycle.h"

#include <stdlib.h>
#include <string.h>

static cJSON *
step_json(const struct primitive_trace *trace, uint32_t at)
{
    const struct follow_hop *hop = &trace->follow->hops.items[at];
    cJSON *step = cJSON_CreateObject();
    cJSON_AddStringToObject(step, "unit", hop->queue->receiver->name);
    cJSON_AddStringToObject(step, "queue", hop->queue->name);
    cycle_add(step, "sent", hop->sent);
    cycle_add(step, "from", hop->taken);
    cycle_add(step, "to", trace->left[at]);
    return step;
}

/* The hops of an item, starting at index *at of the order. Sets *at to the index after them. */
static cJSON *
steps_json(const struct primitive_trace *trace, enum follow_kind kind, uint32_t thing, size_t *at)
{
    const struct follow *follow = trace->follow;
    cJSON *steps = cJSON_CreateArray();
    for (; *at < follow->hops.count; ++*at) {
        const uint32_t hop = trace->order[*at];
        if (follow->hops.items[hop].kind != kind || follow->hops.items[hop].thing != thing)
            break;
        cJSON_AddItemToArray(steps, step_json(trace, hop));
    }
    return steps;
}

/* Index in the order of the first hop of a kind, or of an item. */
static size_t
find_kind(const struct primitive_trace *trace, enum follow_kind kind, uint32_t thing)
{
    const struct follow *follow = trace->follow;
    size_t at = 0;
    for (; at < follow->hops.count; at++) {
        const struct follow_hop *hop = &follow->hops.items[trace->order[at]];
        if (hop->kind > kind || (hop->kind == kind && hop->thing >= thing))
            break;
    }
    return at;
}

static cJSON *
vertices_json(const struct primitive_trace *trace)
{
    const struct follow *follow = trace->follow;
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < follow->vertex_count; i++) {
        const struct follow_vertex *vertex = &follow->vertices.items[follow->corners[i]];
        size_t at = find_kind(trace, FOLLOW_VERTEX, follow->corners[i]);
        cJSON *object = cJSON_CreateObject();
        cJSON_AddNumberToObject(object, "index", vertex->index);
        cJSON_AddNumberToObject(object, "instance", vertex->instance);
        cJSON_AddItemToObject(object, "steps",
                              steps_json(trace, FOLLOW_VERTEX, follow->corners[i], &at));
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

static cJSON *
reads_json(const struct primitive_trace *trace)
{
    const struct follow *follow = trace->follow;
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < follow->reads.count; i++) {
        if (!follow->reads.items[i].is_of_corner)
            continue;
        size_t at = find_kind(trace, FOLLOW_READ, i);
        cJSON *object = cJSON_CreateObject();
        cJSON_AddNumberToObject(object, "address", follow->reads.items[i].address);
        cJSON_AddItemToObject(object, "steps", steps_json(trace, FOLLOW_READ, i, &at));
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

/* The writes or the reads of the vertices that the input primitive emitted. */
static cJSON *
emissions_json(const struct primitive_trace *trace, enum follow_kind kind)
{
    const struct follow *follow = trace->follow;
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < follow->emissions.count; i++) {
        const struct follow_emission *emission = &follow->emissions.items[i];
        if (emission->input != follow->source || emission->write != (kind == FOLLOW_STORE))
            continue;
        size_t at = find_kind(trace, kind, i);
        cJSON *object = cJSON_CreateObject();
        cJSON_AddNumberToObject(object, "address", emission->address);
        cJSON_AddItemToObject(object, "steps", steps_json(trace, kind, i, &at));
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

/* Adds the input primitive that emitted the followed one, if there is one. */
static void
add_input(cJSON *root, const struct primitive_trace *trace)
{
    const struct follow *follow = trace->follow;
    size_t at = find_kind(trace, FOLLOW_INPUT, follow->source);
    if (!follow->inputs.count)
        return;
    cJSON *input = cJSON_AddObjectToObject(root, "input");
    cJSON_AddNumberToObject(input, "number", follow->source);
    cJSON_AddNumberToObject(input, "emitted", follow->inputs.items[follow->source].made);
    cJSON_AddItemToObject(input, "steps", steps_json(trace, FOLLOW_INPUT, follow->source, &at));
    cJSON_AddItemToObject(input, "writes", emissions_json(trace, FOLLOW_STORE));
    cJSON_AddItemToObject(input, "reads", emissions_json(trace, FOLLOW_LOAD));
}

static cJSON *
triangles_json(const struct primitive_trace *trace)
{
    const struct follow *follow = trace->follow;
    size_t at = find_kind(trace, FOLLOW_TRIANGLE, 0);
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < follow->triangles.count; i++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddItemToObject(object, "steps", steps_json(trace, FOLLOW_TRIANGLE, i, &at));
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

static cJSON *
tiles_json(const struct primitive_trace *trace)
{
    const struct follow *follow = trace->follow;
    size_t at = find_kind(trace, FOLLOW_TILE, 0);
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < follow->tiles.count && i < PRIMITIVE_TRACE_QUADS; i++) {
        const struct follow_tile *tile = &follow->tiles.items[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddNumberToObject(object, "x", tile->x);
        cJSON_AddNumberToObject(object, "y", tile->y);
        cJSON_AddNumberToObject(object, "fragments", tile->fragments);
        cJSON_AddItemToObject(object, "steps", steps_json(trace, FOLLOW_TILE, i, &at));
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

static cJSON *
quad_json(const struct watched_course *course)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "x", course->x);
    cJSON_AddNumberToObject(object, "y", course->y);
    cJSON *ends = cJSON_AddArrayToObject(object, "fragments");
    for (uint32_t f = 0; f < 4; f++) {
        const bool there = course->fragments >> f & 1;
        cJSON_AddItemToArray(ends,
                             there ? cJSON_CreateString(course->retired == CYCLE_NEVER
                                                            ? "on its way"
                                                            : fragment_fate_names[course->fates[f]])
                                   : cJSON_CreateNull());
    }
    cycle_add(object, "generated", course->generated);
    cycle_add(object, "tested", course->tested);
    cycle_add(object, "shader_began", course->shader_began);
    cycle_add(object, "shader_ended", course->shader_ended);
    cycle_add(object, "written", course->written);
    cycle_add(object, "gone", course->retired);
    cJSON_AddNumberToObject(object, "texels", course->texels);
    cJSON_AddNumberToObject(object, "misses", course->misses);
    return object;
}

static cJSON *
quads_json(const struct primitive_trace *trace)
{
    const struct follow *follow = trace->follow;
    const struct watch *watch = follow->watch;
    size_t at = find_kind(trace, FOLLOW_QUAD, 0);
    size_t request = find_kind(trace, FOLLOW_REQUEST, 0);
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < watch->courses.count && i < PRIMITIVE_TRACE_QUADS; i++) {
        cJSON *object = quad_json(&watch->courses.items[i]);
        cJSON_AddItemToObject(object, "steps", steps_json(trace, FOLLOW_QUAD, i, &at));
        cJSON_AddItemToObject(object, "requests", steps_json(trace, FOLLOW_REQUEST, i, &request));
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

/* Adds the squares in the levels of the fragment generator, if it has levels. */
static void
add_levels(cJSON *root, const struct watch *watch)
{
    if (!watch->levels[0].squares)
        return;
    cJSON *list = cJSON_AddArrayToObject(root, "levels");
    for (uint32_t i = 0; i < WATCH_LEVELS && watch->levels[i].squares; i++) {
        cJSON *level = cJSON_CreateObject();
        cJSON_AddNumberToObject(level, "squares", watch->levels[i].squares);
        cycle_add(level, "from", watch->levels[i].first);
        cycle_add(level, "to", watch->levels[i].last);
        cJSON_AddItemToArray(list, level);
    }
}

static const char *
clip_name(enum clip_result clip)
{
    return clip == CLIP_REJECT ? "outside" : clip == CLIP_INSIDE ? "inside" : "clipped";
}

static void
add_shape(cJSON *root, const struct follow *follow)
{
    static const char *const lost[] = {[SETUP_LOST_PIXELS] = "no pixel",
                                       [SETUP_LOST_AREA] = "no area",
                                       [SETUP_LOST_FACE] = "face"};
    cJSON_AddStringToObject(root, "clip", clip_name(follow->clip));
    if (follow->clip != CLIP_REJECT && !follow->made)
        cJSON_AddStringToObject(root, "culled", lost[follow->lost]);
    else
        cJSON_AddNullToObject(root, "culled");
    if (!follow->made)
        return;
    const int bounds[4] = {follow->min_x, follow->min_y, follow->max_x, follow->max_y};
    cJSON_AddBoolToObject(root, "front", follow->front);
    cJSON_AddItemToObject(root, "bounds", cJSON_CreateIntArray(bounds, 4));
}

static cJSON *
primitive_trace_json(const struct primitive_trace *trace)
{
    const struct follow *follow = trace->follow;
    const size_t quads = follow->watch->courses.count;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", AETIUS_SCHEMA);
    cJSON_AddNumberToObject(root, "frame", follow->target.frame);
    cJSON_AddNumberToObject(root, "draw", follow->target.draw);
    cJSON_AddNumberToObject(root, "triangle", follow->target.triangle);
    cJSON_AddNumberToObject(root, "triangles_of_draw", follow->primitives);
    add_shape(root, follow);
    cJSON *fates = cJSON_AddObjectToObject(root, "fragments");
    for (uint32_t i = 0; i < FATES; i++)
        cJSON_AddNumberToObject(fates, fragment_fate_names[i], (double)trace->fates[i]);
    size_t at = find_kind(trace, FOLLOW_PRIMITIVE, 0);
    cJSON_AddItemToObject(root, "reads", reads_json(trace));
    cJSON_AddItemToObject(root, "vertices", vertices_json(trace));
    add_input(root, trace);
    cJSON_AddItemToObject(root, "steps", steps_json(trace, FOLLOW_PRIMITIVE, 0, &at));
    cJSON_AddItemToObject(root, "triangles", triangles_json(trace));
    add_levels(root, follow->watch);
    cJSON_AddNumberToObject(root, "tile_count", (double)follow->tiles.count);
    cJSON_AddItemToObject(root, "tiles", tiles_json(trace));
    cJSON_AddNumberToObject(root, "quad_count", (double)quads);
    cJSON_AddItemToObject(root, "quads", quads_json(trace));
    return root;
}

bool
primitive_trace_write(const struct primitive_trace *trace, const char *dir, struct error *err)
{
    cJSON *root = primitive_trace_json(trace);
    char *text = cJSON_PrintUnformatted(root), *path = mem_printf("%s/follow.json", dir);
    const bool ok = file_write(path, text, strlen(text), err);
    free(path);
    free(text);
    cJSON_Delete(root);
    return ok;
}
