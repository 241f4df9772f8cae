/* Merges consecutive draws with the same state into one draw, as if the program had issued them as
 * one (`aetius whatif --merge-draws`). The primitives become lists, or strips and fans that restart
 * indices separate, whichever needs fewer indices. The vertices of the draws are
 * copied to new buffers unless they are in the same arrays. The buffers live until the end of the
 * frame. Making them costs no simulated time: the program would have made them in advance.
 *
 * If constants differ, they become a table in the constants of the merged draw, which takes the
 * time of other constants. Each vertex gets an attribute that names its draw's row of the table
 * (isa/program_palette.h). */
#include "gfx/vertex.h"
#include "isa/program_palette.h"
#include "sim/machine_internal.h"

#include <stdlib.h>
#include <string.h>

/* Vertices of one of the draws. */
struct part {
    const struct draw *draw;
    uint32_t least, most; /* vertex numbers */
    uint32_t first;       /* number of vertex `least` in the merged draw */
};

#define RESTART UINT32_MAX /* in place of a vertex number */

struct merge {
    struct machine *machine;
    const struct draw_run *run;
    VEC(struct part) parts;
    VEC(uint32_t) vertices;                   /* vertex numbers of the merged draw, in order */
    uint32_t vertex_count;                    /* different numbers at most */
    uint32_t vertices_at, stride, row_offset; /* of the copies: address, and bytes of a vertex */
    enum draw_form form;
    enum primitive mode;
    bool copies, indexed, restarts;
};

static bool
make_buffer(struct machine *m, uint64_t bytes, uint32_t *address, struct error *err)
{
    if (bytes > MEMORY_MAX_BYTES)
        return fail(err, "the changed draw reads more than %u bytes", MEMORY_MAX_BYTES);
    if (!gpu_memory_alloc(&m->device->memory, (uint32_t)bytes, address, err))
        return false;
    VEC_PUSH(&m->merged, ((struct merged_buffer){*address, (uint32_t)bytes}));
    m->hazards.buffers_changed = true;
    return true;
}

void
machine_free_merged(struct machine *m)
{
    for (size_t i = 0; i < m->merged.count; i++)
        gpu_memory_free(&m->device->memory, m->merged.items[i].address, m->merged.items[i].bytes);
    m->merged.count = 0;
    for (size_t i = 0; i < m->merged_programs.count; i++)
        program_destroy(m->merged_programs.items[i]);
    m->merged_programs.count = 0;
}

static bool
same_arrays(const struct draw *a, const struct draw *b)
{
    bool same = true;
    for (uint32_t i = 0; i < a->attribute_count; i++)
        same &= a->attributes[i].address == b->attributes[i].address &&
                a->attributes[i].stride == b->attributes[i].stride;
    return same;
}

static void
add_vertex(struct merge *merge, struct part *part, uint32_t vertex)
{
    part->least = vertex < part->least ? vertex : part->least;
    part->most = vertex > part->most ? vertex : part->most;
    VEC_PUSH(&merge->vertices, vertex);
}

static void
add_restart(struct merge *merge)
{
    VEC_PUSH(&merge->vertices, RESTART);
    merge->restarts = true;
}

static void
add_primitives(struct merge *merge, struct part *part, const struct primitive_out *made,
               uint32_t count)
{
    for (uint32_t p = 0; p < count; p++) {
        for (uint32_t v = 0; v < made[p].vertices; v++)
            add_vertex(merge, part, made[p].v[v]);
        if (merge->form == FORM_STRIP)
            add_restart(merge);
    }
}

/* Adds the primitives of a draw as a list, or as strips of one each. The assembler forms them as in
 * the machine. */
static void
add_as_list(struct merge *merge, struct part *part)
{
    const struct draw *draw = part->draw;
    struct assembler assembler;
    struct primitive_out made[2];
    assembler_begin(&assembler, draw);
    for (uint32_t i = 0; i < draw->params.count; i++) {
        uint32_t index, vertex;
        if (fetch_vertex_number(draw, &merge->machine->device->memory, i, &index, &vertex))
            add_primitives(merge, part, made, assembler_vertex(&assembler, vertex, made));
        else
            add_primitives(merge, part, made, assembler_end(&assembler, made));
    }
    add_primitives(merge, part, made, assembler_end(&assembler, made));
}

/* Adds the vertices of a draw that has the same primitive type as the merged draw. */
static void
add_as_is(struct merge *merge, struct part *part)
{
    const struct draw *draw = part->draw;
    for (uint32_t i = 0; i < draw->params.count; i++) {
        uint32_t index, vertex;
        if (fetch_vertex_number(draw, &merge->machine->device->memory, i, &index, &vertex))
            add_vertex(merge, part, vertex);
        else
            add_restart(merge);
    }
    if (draw_needs_restart(draw))
        add_restart(merge);
}

/* Adds the vertex numbers of a draw. Those of draws that share arrays stay as they are. */
static void
add_part(struct merge *merge, const struct draw *draw)
{
    struct part part = {.draw = draw, .least = UINT32_MAX, .first = merge->vertex_count};
    const size_t begin = merge->vertices.count;
    if (draw->params.mode == merge->mode && draw_needs_restart(draw) <= (merge->form != FORM_LIST))
        add_as_is(merge, &part);
    else
        add_as_list(merge, &part);
    if (part.least > part.most) /* no vertex */
        return;
    for (size_t i = begin; i < merge->vertices.count && merge->copies; i++)
        if (merge->vertices.items[i] != RESTART)
            merge->vertices.items[i] += part.first - part.least;
    merge->vertex_count += part.most - part.least + 1;
    VEC_PUSH(&merge->parts, part);
}

/* Lays out the attributes of a vertex one after another, and last the number of its row. Returns
 * the bytes of a vertex. */
static uint32_t
lay_out(struct merge *merge, struct draw *merged)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < merged->attribute_count; i++) {
        struct bound_attribute *a = &merged->attributes[i];
        a->buffer = 0;
        a->offset = bytes;
        if (a->format)
            bytes += (a->format->block_bytes + 3u) / 4 * 4;
    }
    merge->row_offset = bytes;
    return bytes + (draw_run_row(merge->run) ? sizeof(float) : 0);
}

/* Copies the vertices of one draw. Attributes that lie outside their buffers read as 0. */
static void
copy_part(const struct merge *merge, const struct draw *merged, size_t p, uint8_t *to,
          uint32_t stride)
{
    const struct part *part = &merge->parts.items[p];
    const uint8_t *memory = merge->machine->device->memory.bytes;
    const uint32_t row_length = draw_run_row(merge->run);
    const float row = (float)(p * row_length);
    for (uint32_t v = part->least; v <= part->most && v >= part->least; v++, to += stride) {
        memset(to, 0, stride);
        for (uint32_t i = 0; i < part->draw->attribute_count; i++) {
            const uint32_t from = fetch_address(part->draw, i, v, 0);
            if (from)
                memcpy(to + merged->attributes[i].offset, memory + from,
                       merged->attributes[i].format->block_bytes);
        }
        if (row_length)
            memcpy(to + merge->row_offset, &row, sizeof row);
    }
}

/* Copies the vertices of all draws to one array. Attributes that are constant per draw become one
 * value per vertex. */
static bool
copy_vertices(struct merge *merge, struct draw *merged, struct error *err)
{
    const uint32_t stride = lay_out(merge, merged);
    const uint64_t size = (uint64_t)merge->vertex_count * stride;
    if (!stride)
        return true;
    if (!make_buffer(merge->machine, size, &merge->vertices_at, err))
        return false;
    merge->stride = stride;
    for (size_t p = 0; p < merge->parts.count; p++)
        copy_part(merge, merged, p,
                  merge->machine->device->memory.bytes + merge->vertices_at +
                      (size_t)merge->parts.items[p].first * stride,
                  stride);
    for (uint32_t i = 0; i < merged->attribute_count; i++) {
        struct bound_attribute *a = &merged->attributes[i];
        a->address = merge->vertices_at + a->offset;
        a->end = merge->vertices_at + (uint32_t)size;
        a->stride = stride;
    }
    return true;
}

bool
machine_set_indices(struct machine *m, struct draw *draw, const uint32_t *vertices, uint32_t count,
                    struct error *err)
{
    const bool restarts = draw->params.primitive_restart;
    uint32_t address, most = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!restarts || vertices[i] != RESTART)
            most = vertices[i] > most ? vertices[i] : most;
    draw->index_bytes = most + restarts > UINT16_MAX ? 4 : 2;
    draw->params.restart_index = draw->index_bytes == 2 ? UINT16_MAX : RESTART;
    const uint64_t bytes = (uint64_t)count * draw->index_bytes;
    if (!make_buffer(m, bytes, &address, err))
        return false;
    for (uint32_t i = 0; i < count; i++)
        memcpy(m->device->memory.bytes + address + (size_t)i * draw->index_bytes, &vertices[i],
               draw->index_bytes); /* little-endian */
    draw->index_address = address;
    draw->index_end = address + (uint32_t)bytes;
    draw->params.indexed = true;
    draw->params.start = 0;
    draw->params.count = count;
    draw->params.index_bias = 0;
    draw->params.min_index = 0;
    draw->params.max_index = UINT32_MAX;
    return true;
}

/* Whether the vertex numbers are consecutive. */
static bool
is_run(const struct merge *merge)
{
    for (size_t i = 1; i < merge->vertices.count; i++)
        if (merge->vertices.items[i] != merge->vertices.items[0] + i)
            return false;
    return true;
}

/* The constants of the set, in ascending order. */
static uint32_t
list_constants(const struct constant_set *set, uint16_t *constants)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MAX_CONSTANTS && count < set->count; i++)
        if (constant_set_has(set, i))
            constants[count++] = (uint16_t)i;
    return count;
}

/* Replaces a program of the merged draw by one with this text, which is freed. Programs of equal
 * text are the same program. */
static bool
replace_program(struct machine *m, struct draw *merged, enum shader_stage stage, char *text,
                struct error *err)
{
    struct program *program = NULL;
    for (size_t i = 0; i < m->merged_programs.count && !program; i++)
        if (!strcmp(m->merged_programs.items[i]->text, text))
            program = m->merged_programs.items[i];
    if (!program) {
        enum { FIRST_ID = 1 << 30 }; /* with addresses above those used by the trace */
        program = program_create(stage, text, NULL, err);
        if (program) {
            program->id = FIRST_ID + m->next_merged_id++;
            VEC_PUSH(&m->merged_programs, program);
        }
    }
    free(text);
    merged->program[stage] = program;
    return program != NULL;
}

/* Connects the varyings that carry constants to the fragment program. */
static void
link_constants(struct draw *merged, const struct program *vertex, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t slot = (uint8_t)(vertex->output_count + i);
        merged->varyings[merged->varying_count++] =
            (struct varying){.source = VARYING_VERTEX,
                             .slot = slot,
                             .back_slot = slot,
                             .interpolation = INTERPOLATE_CONSTANT};
    }
}

/* Stores the constants of the merged draw: those of the first draw, then the table. */
static void
fill_table(const struct merge *merge, struct draw *merged, const struct program_palette *palette)
{
    const uint32_t total = merged->program[STAGE_VERTEX]->constant_count;
    const uint32_t first = palette->vertex->constant_buffers[0].count;
    float(*constants)[4] = arena_alloc(&merge->machine->draws, total * sizeof *constants);
    memset(constants, 0, total * sizeof *constants);
    if (first)
        memcpy(constants, merged->constants[STAGE_VERTEX], first * sizeof *constants);
    float(*row)[4] = constants + first;
    for (size_t p = 0; p < merge->parts.count; p++) {
        const struct draw *draw = merge->parts.items[p].draw;
        for (uint32_t i = 0; i < palette->vertex_count; i++)
            memcpy(row++, draw->constants[STAGE_VERTEX][palette->vertex_constants[i]], sizeof *row);
        for (uint32_t i = 0; i < palette->fragment_count; i++)
            memcpy(row++, draw->constants[STAGE_FRAGMENT][palette->fragment_constants[i]],
                   sizeof *row);
    }
    merged->constants[STAGE_VERTEX] = constants;
    merged->constant_count[STAGE_VERTEX] = total;
}

/* Adds the attribute that names the row of each vertex: the number of its first constant. */
static void
add_row_attribute(const struct merge *merge, struct draw *merged)
{
    merged->attributes[merged->attribute_count++] =
        (struct bound_attribute){.offset = merge->row_offset,
                                 .address = merge->vertices_at + merge->row_offset,
                                 .end = merge->vertices_at + merge->vertex_count * merge->stride,
                                 .stride = merge->stride,
                                 .format = format_get(FORMAT_R32_FLOAT)};
}

/* Changes the programs so that they read the differing constants from a table. */
static bool
use_table(const struct merge *merge, struct draw *merged, struct error *err)
{
    uint16_t vertex[MAX_CONSTANTS], fragment[MAX_CONSTANTS];
    const struct constant_set *sets = merge->run->differing;
    const struct program_palette palette = {
        .vertex = merged->program[STAGE_VERTEX],
        .fragment = merged->program[STAGE_FRAGMENT],
        .vertex_constants = vertex,
        .fragment_constants = fragment,
        .vertex_count = list_constants(&sets[STAGE_VERTEX], vertex),
        .fragment_count = list_constants(&sets[STAGE_FRAGMENT], fragment),
        .rows = (uint32_t)merge->parts.count};
    add_row_attribute(merge, merged);
    if (!replace_program(merge->machine, merged, STAGE_VERTEX, program_palette_vertex(&palette),
                         err))
        return false;
    fill_table(merge, merged, &palette);
    if (!palette.fragment_count)
        return true;
    link_constants(merged, palette.vertex, palette.fragment_count);
    return replace_program(merge->machine, merged, STAGE_FRAGMENT,
                           program_palette_fragment(&palette), err);
}

static bool
fill(struct merge *merge, struct draw *merged, struct error *err)
{
    struct draw_params *params = &merged->params;
    if (merge->copies && !copy_vertices(merge, merged, err))
        return false;
    if (draw_run_row(merge->run) && !use_table(merge, merged, err))
        return false;
    if (merge->indexed || merge->restarts || !is_run(merge))
        return machine_set_indices(merge->machine, merged, merge->vertices.items,
                                   (uint32_t)merge->vertices.count, err);
    params->start = merge->vertices.items[0];
    params->count = (uint32_t)merge->vertices.count;
    return true;
}

bool
machine_merge(struct machine *m, const struct draw_run *run, const struct draw *const draws[],
              const struct draw **result, struct error *err)
{
    struct merge merge = {.machine = m, .run = run, .copies = draw_run_row(run) > 0};
    struct draw *merged = arena_alloc(&m->draws, sizeof *merged);
    *merged = *run->first;
    merge.form = draw_form_best(run->indices);
    merge.mode = draw_run_mode(run, merge.form);
    for (uint32_t i = 0; i < run->count; i++) {
        merge.copies |= !same_arrays(run->first, draws[i]);
        merge.indexed |= draws[i]->params.indexed;
    }
    for (uint32_t i = 0; i < run->count; i++)
        add_part(&merge, draws[i]);
    merged->params.mode = merge.mode;
    merged->params.primitive_restart = merge.restarts;
    const bool ok = !merge.parts.count || fill(&merge, merged, err);
    *result = merge.parts.count ? merged : run->first;
    VEC_FREE(&merge.parts);
    VEC_FREE(&merge.vertices);
    return ok;
}
