/* Effect of earlier clears that is still valid (state/cleared.h). The tracking is simplified: a
 * resource has only one cleared slice, the last one, and only one stencil value for all of its
 * slices. */
#include "state/cleared.h"

#include <string.h>

void
cleared_init(struct resource *res)
{
    res->cleared =
        (struct resource_cleared){.has_stencil = res->format && res->format->stencil_bits != 0};
}

void
cleared_note_write(struct resource *res, bool stencil)
{
    res->writes++;
    res->cleared.is_whole = false;
    if (stencil)
        res->cleared.has_stencil = false;
}

/* Records that all elements of a slice have this stencil value. */
static void
note_stencil(struct resource *res, uint32_t stencil)
{
    struct resource_cleared *cleared = &res->cleared;
    const bool only_slice = res->desc.last_level == 0 && res->levels[0].slices == 1;
    const uint8_t value = (uint8_t)(stencil & ((1u << res->format->stencil_bits) - 1));
    cleared->has_stencil = only_slice || (cleared->has_stencil && value == cleared->stencil);
    cleared->stencil = value;
}

void
cleared_note_clear(const struct bound_surface *surface, struct resource *res, uint32_t buffers,
                   uint32_t stencil)
{
    const struct format_info *format = surface->format;
    struct resource_cleared *cleared = &res->cleared;
    const uint32_t all =
        (format->depth_bits ? MASK_DEPTH : 0) | (format->stencil_bits ? MASK_STENCIL : 0);
    const bool whole = (buffers & all) == all;
    res->writes++;
    if (format != res->format)
        cleared->has_stencil = false;
    else if (format->stencil_bits && buffers & MASK_STENCIL)
        note_stencil(res, stencil);
    cleared->is_whole = whole || (buffers == MASK_DEPTH && cleared->has_stencil);
    cleared->level = surface->level;
    cleared->layer = surface->layer;
}

bool
cleared_is(const struct resource *res, uint32_t level, uint32_t layer)
{
    const struct resource_cleared *cleared = &res->cleared;
    return cleared->is_whole && cleared->level == level && cleared->layer == layer;
}

struct cleared_code
cleared_encode(const struct resource *res, uint32_t level)
{
    const struct resource_cleared *cleared = &res->cleared;
    struct cleared_code code = {0, 0};
    if (cleared->is_whole && cleared->level == level)
        code.slice = 1 + cleared->layer;
    if (!cleared->has_stencil)
        code.stencil = CLEARED_NO_STENCIL;
    return code;
}

/* Returns whether all elements of the rows are equal. */
static bool
are_alike(const uint8_t *rows, uint32_t bytes, uint32_t element_bytes)
{
    return bytes >= element_bytes && !memcmp(rows, rows + element_bytes, bytes - element_bytes);
}

/* Returns whether all elements of the rows have the same stencil value. */
static bool
have_one_stencil(const struct format_info *format, const uint8_t *rows, uint32_t bytes)
{
    const uint32_t first = format->stencil_shift / 8u;
    for (uint32_t at = first; at < bytes; at += format->block_bytes)
        if (rows[at] != rows[first])
            return false;
    return format->stencil_bits == 8;
}

void
cleared_restore(struct resource *res, uint32_t level, struct cleared_code code, const uint8_t *rows)
{
    struct resource_cleared *cleared = &res->cleared;
    const uint32_t bytes = resource_level_bytes(res, level), slices = res->levels[level].slices;
    const uint32_t slice_bytes = bytes / slices, layer = code.slice - 1;
    if (code.stencil == CLEARED_NO_STENCIL || !res->format ||
        !have_one_stencil(res->format, rows, bytes))
        cleared->has_stencil = false;
    else
        note_stencil(res, rows[res->format->stencil_shift / 8u]);
    if (code.slice && layer < res->levels[level].slices &&
        are_alike(rows + layer * (size_t)slice_bytes, slice_bytes, res->format->block_bytes)) {
        cleared->is_whole = true;
        cleared->level = level;
        cleared->layer = layer;
    } else if (cleared->level == level) {
        cleared->is_whole = false;
    }
}
