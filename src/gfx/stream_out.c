#include "gfx/stream_out.h"

#include "state/context.h"

#include <string.h>

/* Returns the buffers that the outputs use and that are bound, one bit each. */
static uint32_t
buffers_used(const struct draw *draw)
{
    const struct so_info *so = &draw_last_program(draw)->so;
    uint32_t used = 0;
    for (uint32_t i = 0; i < so->count; i++)
        if (draw->streams[so->outputs[i].buffer])
            used |= 1u << so->outputs[i].buffer;
    return used;
}

static uint32_t
vertex_bytes(const struct draw *draw, uint32_t buffer)
{
    return draw_last_program(draw)->so.stride[buffer] * 4u;
}

static bool
has_room(const struct draw *draw, uint32_t used, uint32_t vertices)
{
    for (uint32_t b = 0; b < MAX_SO_BUFFERS; b++) {
        const struct gpu_stream *stream = draw->streams[b];
        if (used >> b & 1 &&
            (uint64_t)stream->written + (uint64_t)vertices * vertex_bytes(draw, b) > stream->size)
            return false;
    }
    return true;
}

/* Writes the outputs of a vertex at the end of the buffers. Outputs that reach beyond a stride or a
 * buffer are not written. */
static void
write_vertex(const struct draw *draw, const struct vertex *v, stream_store_fn *store, void *data)
{
    const struct so_info *so = &draw_last_program(draw)->so;
    for (uint32_t i = 0; i < so->count; i++) {
        const struct so_output *o = &so->outputs[i];
        const struct gpu_stream *stream = draw->streams[o->buffer];
        const uint32_t bytes = o->num_components * 4u;
        if (!stream)
            continue;
        const uint64_t at = (uint64_t)stream->written + o->dst_offset * 4u;
        if (at + bytes <= stream->size)
            store(data, o->buffer, stream->res->address + stream->offset + (uint32_t)at,
                  &v->out[o->register_index][o->start_component], o->num_components);
    }
}

void
stream_store(void *memory, uint32_t buffer, uint32_t address, const float *values, uint32_t count)
{
    (void)buffer;
    memcpy(((struct gpu_memory *)memory)->bytes + address, values, count * sizeof *values);
}

void
stream_out(const struct draw *draw, uint32_t vertices, const struct vertex *const v[3],
           stream_store_fn *store, void *data)
{
    const uint32_t used = buffers_used(draw);
    if (draw->primitives_generated)
        draw->primitives_generated->result++;
    if (!used || !has_room(draw, used, vertices))
        return;
    for (uint32_t i = 0; i < vertices; i++) {
        write_vertex(draw, v[i], store, data);
        for (uint32_t b = 0; b < MAX_SO_BUFFERS; b++)
            if (used >> b & 1) {
                draw->streams[b]->vertex_bytes = vertex_bytes(draw, b);
                draw->streams[b]->written += vertex_bytes(draw, b);
            }
    }
    if (draw->primitives_written)
        draw->primitives_written->result++;
}
