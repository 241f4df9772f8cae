/* Who uses which memory, so that uploads may go on beside draws and clears: what an upload has to
 * wait for, and what has to wait for it (docs/design/machine.md, Order and hazards).
 *
 * Buffers are read by the Streamer alone, until it has fetched a draw (a uniform buffer is read
 * when the draw is baked); a byte that a later draw may read from a line that is there already is
 * never changed behind it, since ranges are taken to whole lines. Textures are read until a draw
 * ends, and stay in the texture caches behind that: to these belongs whatever was sampled since
 * they were invalidated. What is drawn into is in the ROP caches until it is left, which the
 * machine knows. Memory is another's when no draw on its way uses it any more; what caches still
 * have of it goes when a resource is made there. */
#ifndef AETIUS_SIM_HAZARDS_H
#define AETIUS_SIM_HAZARDS_H

#include "base/mem.h"
#include "state/draw.h"
#include "state/resource.h"

enum { HAZARD_UPLOADS = 64 }; /* on their way at once */

struct hazard_range { /* of memory: whole lines of the widest read-only cache */
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
/* Between frames. */
void hazards_reset(struct hazards *hazards);

/* The bytes of the resource that an upload into the box writes, or some more. */
struct hazard_range hazard_range_of(const struct resource *res, const struct box *box);
struct hazard_range hazard_range_of_all(const struct resource *res);

void hazards_note_draw(struct hazards *hazards, uint64_t number, const struct draw *draw);
void hazards_note_upload(struct hazards *hazards, uint64_t number, struct hazard_range range);
void hazards_end_upload(struct hazards *hazards, uint64_t number);
/* All draws up to this one have read their vertices and indices, or have ended. */
void hazards_end_fetch(struct hazards *hazards, uint64_t number);
void hazards_end_draws(struct hazards *hazards, uint64_t number);
void hazards_forget_textures(struct hazards *hazards); /* the caches are invalidated */

/* The last upload that has to be over before; 0: none. */
uint64_t hazards_before_draw(const struct hazards *hazards, const struct draw *draw);
uint64_t hazards_before_use(const struct hazards *hazards, const struct resource *res);
/* The last one that changes the same bytes. */
uint64_t hazards_before_upload(const struct hazards *hazards, struct hazard_range range);
/* The last draw that has to be fetched before; 0: none. */
uint64_t hazards_before_buffer_changes(const struct hazards *hazards, struct hazard_range range);
/* The last draw that has to have ended before the resource's memory is another's; 0: none. Buffers
 * that are fetched alone: see above. */
uint64_t hazards_before_end(const struct hazards *hazards, const struct resource *res);
/* Whether a texture cache may hold, or a draw that is on its way may read, some of it. */
bool hazards_is_sampled(const struct hazards *hazards, const struct resource *res);

#endif
