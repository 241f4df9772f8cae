/* Tracks the memory that work in flight uses, so that uploads can run beside draws and clears.
 * Finds the work that an upload must wait for, and the uploads that other work must wait for
 * (docs/design/machine.md, Order and hazards).
 *
 * Buffers are read by the Streamer only, until it has fetched a draw. (A uniform buffer is read
 * when the draw is baked.) Ranges are extended to whole cache lines. So no upload changes a byte
 * that a later draw may read from an older copy of its line.
 *
 * Textures are read until a draw ends, and stay in the texture caches after that. Everything
 * sampled since the last invalidation counts as cached. Surfaces that are drawn into are in the ROP
 * caches until they are left, which the machine tracks. Memory gets a new owner when no draw in
 * flight uses it. Stale lines are invalidated when a resource is created there. */
#ifndef AETIUS_SIM_HAZARDS_H
#define AETIUS_SIM_HAZARDS_H

#include "base/mem.h"
#include "state/draw.h"
#include "state/resource.h"

enum { HAZARD_UPLOADS = 64 }; /* uploads in flight at once */

struct hazard_range { /* bytes of memory, extended to whole lines of the widest read-only cache */
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
    fetching, running;                /* draws that may still read buffers; that have not ended */
    VEC(struct hazard_range) sampled; /* since the texture caches were invalidated */
    bool buffers_changed;             /* since the last draw */
};

void hazards_fini(struct hazards *hazards);
/* Call between frames. */
void hazards_reset(struct hazards *hazards);

/* Range of the resource that an upload into the box writes. It may be larger than that. */
struct hazard_range hazard_range_of(const struct resource *res, const struct box *box);
struct hazard_range hazard_range_of_all(const struct resource *res);

void hazards_note_draw(struct hazards *hazards, uint64_t number, const struct draw *draw);
void hazards_note_upload(struct hazards *hazards, uint64_t number, struct hazard_range range);
void hazards_end_upload(struct hazards *hazards, uint64_t number);
/* All draws up to `number` have read their vertices and indices, or have ended. */
void hazards_end_fetch(struct hazards *hazards, uint64_t number);
void hazards_end_draws(struct hazards *hazards, uint64_t number);
void hazards_forget_textures(struct hazards *hazards); /* the caches are invalidated */

/* Number of the last upload that must end before the draw, or before the use of the resource; 0:
 * none. */
uint64_t hazards_before_draw(const struct hazards *hazards, const struct draw *draw);
uint64_t hazards_before_use(const struct hazards *hazards, const struct resource *res);
/* Number of the last upload that writes into the range; 0: none. */
uint64_t hazards_before_upload(const struct hazards *hazards, struct hazard_range range);
/* Number of the last draw that must be fetched before the range may change; 0: none. */
uint64_t hazards_before_buffer_changes(const struct hazards *hazards, struct hazard_range range);
/* Number of the last draw that must end before the resource's memory gets a new owner; 0: none. It
 * ignores vertex and index fetches, which hazards_before_buffer_changes() covers. */
uint64_t hazards_before_end(const struct hazards *hazards, const struct resource *res);
/* Whether a texture cache may hold, or a draw in flight may read, part of the resource. */
bool hazards_is_sampled(const struct hazards *hazards, const struct resource *res);

#endif
