/* Tracks the memory that work in flight uses, so that uploads can overlap with draws and clears.
 * Finds the work that an upload must wait for, and the uploads that other work must wait for
 * (docs/design/machine.md, Order and hazards).
 *
 * The Streamer reads vertex and index buffers until it has fetched a draw. Shader units read
 * uniform blocks and buffer textures until the draw ends, and their caches keep the lines, as for
 * other textures. (Constant buffer 0 is read when the draw is baked.) Ranges are extended to whole
 * cache lines. So no upload changes a byte that a later draw may read from an older copy of its
 * line.
 *
 * A draw reads textures until it ends, and their lines stay in the texture caches after that.
 * Everything sampled since the last invalidation counts as cached. The ROP caches hold surfaces
 * from their first use as a render target until they are unbound; the machine tracks this. A
 * resource's memory gets a new owner when no draw in flight uses it. Creation of the new resource
 * invalidates stale lines. Buffers change often and are rarely sampled: their lines in the texture
 * caches are invalidated only when a draw samples a buffer that has changed. */
#ifndef AETIUS_SIM_HAZARDS_H
#define AETIUS_SIM_HAZARDS_H

#include "base/mem.h"
#include "state/draw.h"
#include "state/resource.h"

enum { HAZARD_UPLOADS = 64 }; /* maximum number of uploads in flight */

struct hazard_range { /* bytes of memory, extended to whole lines of the read-only cache with the
                         longest lines */
    uint64_t first, end;
};

struct hazards {
    struct hazard_upload {
        uint64_t number;
        struct hazard_range range;
    } uploads[HAZARD_UPLOADS];
    uint32_t count;
    VEC(struct hazard_draw {
        uint64_t number;
        const struct draw *draw;
    })
    fetching, running; /* draws that may still read buffers; draws that have not ended */
    VEC(struct hazard_range) sampled; /* since the last invalidation of the texture caches */
    /* Buffers that have changed since then, and whose memory the texture caches may hold. */
    VEC(struct hazard_range) changed;
    VEC(struct hazard_range) blocks; /* since the last invalidation of the constant caches */
    bool samples_buffers;            /* a draw has sampled a buffer texture */
    bool buffers_changed;            /* since the last draw */
};

void hazards_fini(struct hazards *hazards);
/* Call between frames. */
void hazards_reset(struct hazards *hazards);

/* Range that an upload into the box writes. The range may include bytes outside the box. */
struct hazard_range hazard_range_of(const struct resource *res, const struct box *box);
struct hazard_range hazard_range_of_all(const struct resource *res);
/* Returns whether the draw reads or writes bytes of the range. */
bool hazard_draw_uses(const struct draw *draw, struct hazard_range range);
/* Returns whether the draw reads bytes of the range as a buffer texture. */
bool hazard_draw_samples(const struct draw *draw, struct hazard_range range);

void hazards_note_draw(struct hazards *hazards, uint64_t number, const struct draw *draw);
void hazards_note_upload(struct hazards *hazards, uint64_t number, struct hazard_range range);
void hazards_end_upload(struct hazards *hazards, uint64_t number);
/* All draws up to `number` have read their vertices and indices, or have ended. */
void hazards_end_fetch(struct hazards *hazards, uint64_t number);
void hazards_end_draws(struct hazards *hazards, uint64_t number);
/* Call after invalidating the texture caches, and the constant caches. */
void hazards_forget_textures(struct hazards *hazards);
void hazards_forget_blocks(struct hazards *hazards);

/* Number of the last upload that must end before the draw, or before the use of the resource. 0: no
 * upload. */
uint64_t hazards_before_draw(const struct hazards *hazards, const struct draw *draw);
uint64_t hazards_before_use(const struct hazards *hazards, const struct resource *res);
/* Number of the last upload that writes into the range; 0: no upload. */
uint64_t hazards_before_upload(const struct hazards *hazards, struct hazard_range range);
/* Number of the last draw that must be fetched before the range may change; 0: no draw. */
uint64_t hazards_before_buffer_changes(const struct hazards *hazards, struct hazard_range range);
/* Number of the last draw that reads the range as a buffer texture; 0: no draw. */
uint64_t hazards_before_texel_changes(const struct hazards *hazards, struct hazard_range range);
/* Number of the last draw that must end before the resource's memory gets a new owner; 0: no draw.
 * Vertex and index fetches are not included: hazards_before_buffer_changes() covers them. */
uint64_t hazards_before_end(const struct hazards *hazards, const struct resource *res);
/* Whether a texture cache may hold a part of the resource, or a draw in flight may read it. */
bool hazards_is_sampled(const struct hazards *hazards, const struct resource *res);
/* Call before bytes of a buffer change. */
void hazards_note_change(struct hazards *hazards, const struct resource *res);
/* Whether the draw samples a buffer for which the texture caches may hold stale data. */
bool hazards_samples_changed(const struct hazards *hazards, const struct draw *draw);
/* The same for uniform blocks and the constant caches. */
bool hazards_is_block(const struct hazards *hazards, const struct resource *res);
/* Whether the draw reads uniform blocks in the range. */
bool hazard_reads_blocks(const struct draw *draw, struct hazard_range range);

#endif
