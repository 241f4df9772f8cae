/* Texture unit: addresses, cache, filter. */
#ifndef AETIUS_UNIT_TEXUNIT_H
#define AETIUS_UNIT_TEXUNIT_H

#include "gfx/sample.h"
#include "kernel/params.h"
#include "unit/cache.h"
#include "unit/stats.h"

enum { TEXUNIT_PLANS = 32, TEXUNIT_MAX_BLOCK_BYTES = 16, TEXUNIT_LINES = 4 };

struct texunit_plan { /* a quad's request in hand */
    struct texture_item item;
    struct sample_plan plan;
    uint32_t passes_read;
    uint8_t bytes[SAMPLE_MAX_PASSES][4][4][TEXUNIT_MAX_BLOCK_BYTES];
};

struct texunit_chunk { /* lines of a pass, locked, on their way or here: one cycle's look-ups */
    uint32_t plan, pass;
    bool last; /* of the request */
    uint32_t line_count;
    uint32_t lines[TEXUNIT_LINES];
};

struct texunit {
    struct module module;
    struct texunit_stats stats;
    struct queue *in, *out; /* from and to the shader unit */
    struct queue *control, *done;
    struct cache cache;
    bool skip_invalidate; /* fault injection */

    struct texunit_plan *plans; /* ring */
    uint32_t plan_head, plan_count;
    /* the pass being looked up, of the newest plan */
    bool planning; /* there is one */
    bool listed;   /* its lines are in `wanted` */
    uint32_t next_pass;
    uint32_t wanted[16], wanted_count, wanted_done;
    /* chunks waiting for their lines, in order */
    struct texunit_chunk *waiting;
    uint32_t waiting_head, waiting_count, waiting_limit;
};

void texunit_init(struct texunit *texunit, struct clock *clock, const struct params *params,
                  uint32_t index);
void texunit_fini(struct texunit *texunit);

#endif
