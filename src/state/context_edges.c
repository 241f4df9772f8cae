/* Finds the edges of a draw's triangles that lie inside a polygon.
 *
 * The stream never contains quads or polygons. The driver splits them into an indexed triangle
 * list, and the stream has no edge flags (docs/design/stream.md, Primitives and indices). This
 * makes a difference if a polygon mode shows edges. The indices of a list may be exactly those that
 * the driver generates for quads, a quad strip or a polygon. Such a list is treated as that
 * primitive: edges that the split added are not drawn. */
#include "state/context_internal.h"

/* Returns the expected index number `i`, relative to the first vertex of the primitive. */
static uint32_t
expected_index(enum inner_edges kind, bool flatshade_first, uint32_t i)
{
    static const uint8_t quads[2][6] = {{0, 1, 3, 1, 2, 3}, {0, 1, 2, 0, 2, 3}};
    static const uint8_t strip[2][6] = {{2, 0, 3, 0, 1, 3}, {0, 1, 3, 0, 3, 2}};
    const uint32_t corner = i % 3, triangle = i / 3;
    switch (kind) {
    case INNER_QUADS: return quads[flatshade_first][i % 6] + i / 6 * 4;
    case INNER_STRIP: return strip[flatshade_first][i % 6] + i / 6 * 2;
    case INNER_POLYGON:
        if (corner == (flatshade_first ? 0 : 2))
            return 0;
        return triangle + corner + !flatshade_first;
    case INNER_NONE: break;
    }
    return 0;
}

static bool
counts_as(const struct draw *draw, const uint8_t *indices, enum inner_edges kind)
{
    const bool first = draw->rasterizer.flatshade_first;
    const uint32_t count = draw->params.count, bytes = draw->index_bytes;
    const uint32_t base = draw_decode_index(draw, indices) - expected_index(kind, first, 0);
    if (count < 6 || count % (kind == INNER_POLYGON ? 3 : 6) != 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (draw_decode_index(draw, indices + (size_t)i * bytes) !=
            base + expected_index(kind, first, i))
            return false;
    return true;
}

void
bake_inner_edges(struct draw *draw, const struct gpu_memory *memory)
{
    const struct rasterizer_state *r = &draw->rasterizer;
    const uint64_t bytes = (uint64_t)draw->params.count * draw->index_bytes;
    if (draw->params.mode != PRIM_TRIANGLES || !draw->params.indexed || draw->params.count == 0 ||
        (r->fill_front == FILL_FILL && r->fill_back == FILL_FILL) ||
        draw->index_address + bytes > draw->index_end)
        return;
    for (enum inner_edges kind = INNER_QUADS; kind <= INNER_POLYGON; kind++)
        if (counts_as(draw, memory->bytes + draw->index_address, kind)) {
            draw->inner_edges = kind;
            return;
        }
}
