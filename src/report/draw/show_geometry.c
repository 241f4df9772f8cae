#include "report/draw/show_geometry.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory_text.h"
#include "gfx/vertex.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char channels[] = "xyzw";

struct geometry_vertex {
    uint32_t instance, nth, index, vertex; /* `nth`: position in the instance, from 0 */
    bool is_restart;                       /* ends the primitive: there is no vertex */
    float values[MAX_ATTRIBUTES][4];
};

/* Vertices of all instances. The limit of a draw's vertices keeps it below 2^32. */
static uint32_t
vertex_count(const struct draw *draw)
{
    return draw->params.count * draw->params.instance_count;
}

static void
fetch(const struct draw *draw, const struct gpu_memory *memory, uint32_t i,
      struct geometry_vertex *out)
{
    out->instance = i / draw->params.count;
    out->nth = i % draw->params.count;
    out->is_restart = !fetch_vertex_number(draw, memory, out->nth, &out->index, &out->vertex);
    for (uint32_t a = 0; a < draw->attribute_count; a++)
        fetch_from_memory(draw, memory, a, out->vertex, out->instance, out->values[a]);
}

/* An attribute without a buffer has the four channels of its constant value. */
static bool
has_channel(const struct bound_attribute *attribute, uint32_t channel)
{
    return !attribute->format || attribute->format->channels >> channel & 1;
}

static uint32_t
shown_of(uint32_t count, uint32_t most)
{
    return count < most ? count : most;
}

static void
note_rest(struct text_table *table, uint32_t count, uint32_t most)
{
    if (count > most)
        text_table_line(table, "and %u more (--all)", count - most);
}

/* Calls `fn` for each bound buffer that the draw can read. */
static void
each_buffer(const struct draw *draw,
            void (*fn)(void *data, const char *use, uint32_t slot, const struct buffer_binding *b),
            void *data)
{
    static const char *const names[STAGE_COUNT] = {"vertex constants", "fragment constants",
                                                   "geometry constants"};
    for (uint32_t i = 0; i < MAX_ATTRIBUTES; i++)
        if (draw->vertex_buffers[i].res)
            fn(data, "vertex", i, &draw->vertex_buffers[i]);
    if (draw->params.indexed)
        fn(data, "index", 0, &draw->index_buffer);
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        for (uint32_t i = 0; i < MAX_CONSTANT_BUFFERS; i++)
            if (draw->uniforms[stage][i].res && draw->program[stage] &&
                draw->program[stage]->constant_buffers[i].count)
                fn(data, names[stage], i, &draw->uniforms[stage][i]);
}

/* ---- text ---- */

static void
put_buffer(void *data, const char *use, uint32_t slot, const struct buffer_binding *buffer)
{
    struct text_table *table = data;
    if (!strcmp(use, "vertex"))
        text_table_cell(table, "vertex buffer %u", slot);
    else
        text_table_cell(table, "%s%s", use, strcmp(use, "index") ? "" : " buffer");
    text_table_left(table, "#%u, %u bytes, stride %u, offset %u", buffer->res->desc.handle,
                    buffer->res->desc.width, buffer->stride, buffer->offset);
    text_table_end_row(table);
}

void
geometry_rows(const struct draw *draw, struct text_table *table)
{
    each_buffer(draw, put_buffer, table);
    for (uint32_t a = 0; a < draw->attribute_count; a++) {
        const struct bound_attribute *attribute = &draw->attributes[a];
        text_table_cell(table, "attribute %u", a);
        if (!attribute->format)
            text_table_left(table, "no buffer");
        else if (attribute->divisor)
            text_table_left(table, "%s, vertex buffer %u, offset %u, divisor %u",
                            attribute->format->name, attribute->buffer, attribute->offset,
                            attribute->divisor);
        else
            text_table_left(table, "%s, vertex buffer %u, offset %u", attribute->format->name,
                            attribute->buffer, attribute->offset);
        text_table_end_row(table);
    }
}

static void
put_values(struct text_table *table, const struct bound_attribute *attribute, const float values[4])
{
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    for (uint32_t c = 0; c < 4; c++)
        if (has_channel(attribute, c))
            fprintf(out, "%s%.6g", ftell(out) ? " " : "", (double)values[c]);
    char *cell = memory_text_take(&text);
    text_table_left(table, "%s", cell);
    free(cell);
}

void
geometry_vertices(const struct draw *draw, const struct gpu_memory *memory, uint32_t most,
                  struct text_table *table)
{
    struct geometry_vertex vertex;
    const bool indexed = draw->params.indexed, instanced = draw->params.instance_count > 1;
    if (instanced)
        text_table_cell(table, "instance");
    text_table_cells(table, indexed ? "nth|index|vertex" : "nth|vertex");
    for (uint32_t a = 0; a < draw->attribute_count; a++)
        text_table_left(table, "attribute %u", a);
    text_table_end_row(table);
    for (uint32_t i = 0; i < shown_of(vertex_count(draw), most); i++) {
        fetch(draw, memory, i, &vertex);
        if (instanced)
            text_table_cell(table, "%u", vertex.instance);
        text_table_cell(table, "%u", vertex.nth);
        if (indexed)
            text_table_cell(table, "%u", vertex.index);
        text_table_cell(table, vertex.is_restart ? "restart" : "%u", vertex.vertex);
        for (uint32_t a = 0; a < draw->attribute_count; a++)
            if (vertex.is_restart)
                text_table_cell(table, "%s", "");
            else
                put_values(table, &draw->attributes[a], vertex.values[a]);
        text_table_end_row(table);
    }
    note_rest(table, vertex_count(draw), most);
}

void
geometry_constants(const struct draw *draw, enum shader_stage stage, uint32_t most,
                   struct text_table *table)
{
    const uint32_t count = draw->constant_count[stage];
    if (count) {
        text_table_cell(table, "%s constant", shader_stage_name(stage));
        text_table_cells(table, "x|y|z|w");
        text_table_end_row(table);
    }
    for (uint32_t i = 0; i < shown_of(count, most); i++) {
        text_table_cell(table, "%u", i);
        for (uint32_t c = 0; c < 4; c++)
            text_table_cell(table, "%.6g", (double)draw->constants[stage][i][c]);
        text_table_end_row(table);
    }
    note_rest(table, count, most);
}

/* ---- JSON and CSV ---- */

/* Nine digits identify a float. JSON has no infinities and no NaN. */
static void
print_json_number(FILE *out, float value)
{
    if (isfinite(value))
        fprintf(out, "%.9g", (double)value);
    else
        fputs("null", out);
}

static void
add_buffer(void *data, const char *use, uint32_t slot, const struct buffer_binding *buffer)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "use", use);
    cJSON_AddNumberToObject(o, "slot", slot);
    cJSON_AddNumberToObject(o, "resource", buffer->res->desc.handle);
    cJSON_AddNumberToObject(o, "bytes", buffer->res->desc.width);
    cJSON_AddNumberToObject(o, "stride", buffer->stride);
    cJSON_AddNumberToObject(o, "offset", buffer->offset);
    cJSON_AddItemToArray(data, o);
}

static void
add_attributes(const struct draw *draw, cJSON *list)
{
    for (uint32_t a = 0; a < draw->attribute_count; a++) {
        const struct bound_attribute *attribute = &draw->attributes[a];
        cJSON *o = cJSON_CreateObject();
        cJSON_AddNumberToObject(o, "attribute", a);
        if (attribute->format) {
            cJSON_AddStringToObject(o, "format", attribute->format->name);
            cJSON_AddNumberToObject(o, "buffer", attribute->buffer);
            cJSON_AddNumberToObject(o, "offset", attribute->offset);
            cJSON_AddNumberToObject(o, "divisor", attribute->divisor);
        }
        cJSON_AddItemToArray(list, o);
    }
}

static void
print_json_vertex(FILE *out, const struct draw *draw, const struct geometry_vertex *vertex)
{
    fprintf(out, "{\"instance\": %u, \"nth\": %u, \"index\": %u", vertex->instance, vertex->nth,
            vertex->index);
    if (vertex->is_restart) {
        fputs(", \"restart\": true}", out);
        return;
    }
    fprintf(out, ", \"vertex\": %u, \"values\": [", vertex->vertex);
    for (uint32_t a = 0; a < draw->attribute_count; a++) {
        const char *separator = a ? ", [" : "[";
        for (uint32_t c = 0; c < 4; c++)
            if (has_channel(&draw->attributes[a], c)) {
                fputs(separator, out);
                print_json_number(out, vertex->values[a][c]);
                separator = ", ";
            }
        fputc(']', out);
    }
    fputs("]}", out);
}

/* Adds the vertices as text, because a tree of numbers needs ten times as much memory. */
static void
add_vertices(const struct draw *draw, const struct gpu_memory *memory, uint32_t most, cJSON *facts)
{
    struct geometry_vertex vertex;
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    for (uint32_t i = 0; i < shown_of(vertex_count(draw), most); i++) {
        fputs(i ? ",\n" : "[\n", out);
        fetch(draw, memory, i, &vertex);
        print_json_vertex(out, draw, &vertex);
    }
    fputs("\n]", out);
    char *list = memory_text_take(&text);
    cJSON_AddRawToObject(facts, "vertex_list", list);
    free(list);
}

static void
add_constants(const struct draw *draw, enum shader_stage stage, uint32_t most, cJSON *lists)
{
    const uint32_t count = draw->constant_count[stage];
    cJSON *o = cJSON_AddObjectToObject(lists, shader_stage_name(stage));
    cJSON_AddNumberToObject(o, "count", count);
    cJSON *list = cJSON_AddArrayToObject(o, "values");
    for (uint32_t i = 0; i < shown_of(count, most); i++) {
        struct memory_text text;
        FILE *out = memory_text_open(&text);
        for (uint32_t c = 0; c < 4; c++) {
            fputs(c ? ", " : "[", out);
            print_json_number(out, draw->constants[stage][i][c]);
        }
        fputc(']', out);
        char *four = memory_text_take(&text);
        cJSON_AddItemToArray(list, cJSON_CreateRaw(four));
        free(four);
    }
}

void
geometry_json(const struct draw *draw, const struct gpu_memory *memory, uint32_t most, cJSON *facts)
{
    each_buffer(draw, add_buffer, cJSON_AddArrayToObject(facts, "buffers"));
    add_attributes(draw, cJSON_AddArrayToObject(facts, "attributes"));
    add_vertices(draw, memory, most, facts);
    cJSON *lists = cJSON_AddObjectToObject(facts, "constants");
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        if (draw->program[stage])
            add_constants(draw, stage, most, lists);
}

static void
print_csv_header(FILE *out, const struct draw *draw)
{
    fputs("instance,nth,index,vertex", out);
    for (uint32_t a = 0; a < draw->attribute_count; a++)
        for (uint32_t c = 0; c < 4; c++)
            if (has_channel(&draw->attributes[a], c))
                fprintf(out, ",attribute%u.%c", a, channels[c]);
    fputc('\n', out);
}

static void
print_csv_vertex(FILE *out, const struct draw *draw, const struct geometry_vertex *vertex)
{
    fprintf(out, "%u,%u,%u,", vertex->instance, vertex->nth, vertex->index);
    if (!vertex->is_restart)
        fprintf(out, "%u", vertex->vertex);
    for (uint32_t a = 0; a < draw->attribute_count; a++)
        for (uint32_t c = 0; c < 4; c++) {
            if (!has_channel(&draw->attributes[a], c))
                continue;
            fputc(',', out);
            if (!vertex->is_restart)
                fprintf(out, "%.9g", (double)vertex->values[a][c]);
        }
    fputc('\n', out);
}

bool
geometry_write(const struct draw *draw, const struct gpu_memory *memory, const char *path,
               struct error *err)
{
    struct geometry_vertex vertex;
    FILE *out = file_create(path, err);
    bool ok = out != NULL;
    if (!ok)
        return false;
    print_csv_header(out, draw);
    for (uint32_t i = 0; ok && i < vertex_count(draw); i++) {
        fetch(draw, memory, i, &vertex);
        print_csv_vertex(out, draw, &vertex);
        ok = interrupt_check(err);
    }
    const bool written = !ferror(out);
    if ((fclose(out) || !written) && ok)
        ok = fail(err, "cannot write %s: %s", path, strerror(errno));
    return ok;
}
