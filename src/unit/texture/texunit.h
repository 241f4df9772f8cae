/* Texture Unit: addresses, cache, filter (docs/design/machine.md, Texture Unit).
 *
 * Input: struct texture_item, one quad of a thread group. Output: the same item when its texels are
 * in the group (group_texels()). Replies for different quads leave in any order. The samples of one
 * access are added in order. The unit owns its cache, accesses and samples. Groups belong to their
 * shader unit. texunit_init() cannot fail. */
#ifndef AETIUS_UNIT_TEXUNIT_H
#define AETIUS_UNIT_TEXUNIT_H

#include "params/params.h"
#include "unit/env.h"
#include "unit/texture/texcache.h"

enum {
    TEXUNIT_TEXTURES = 32,
    TEXUNIT_PERFECT_RATE = 64, /* samples per cycle with PerfectTextures */
    TEXUNIT_NONE = UINT32_MAX,
};

/* Reasons why the fetch stage does not look up the next sample. */
enum texunit_stall {
    STALL_NONE,
    STALL_WINDOW,
    STALL_READY,
    STALL_WAYS,
    STALL_REQUESTS,
    STALL_SAMPLES,
    STALL_COUNT
};

struct texunit_access { /* request of a quad */
    struct texture_item item;
    struct cp_stamp asked;
    struct texcache_texture *texture;
    uint64_t since;
    uint32_t passes, left, added; /* samples: in total, not read yet, already added */
    uint32_t first, last;         /* list of samples that are not added yet, in order */
    uint8_t mask;
    bool is_reduced; /* would read a smaller mipmap, if the texture had it */
    float reference[4];
    sample_value sum[4];
};

struct texunit_sample { /* a bilinear sample of a quad, from its lookup on */
    struct sample_pass pass;
    uint32_t access, next; /* next: next sample of the access */
    uint32_t port_cycles;
    uint32_t line_count, missing; /* number of locked lines; number of those not yet filled */
    bool read;                    /* `value` is valid */
    struct cp_stamp ready;        /* critical path: its lines are filled */
    uint32_t lines[16];
    uint32_t next_waiter[16]; /* next in the line's list: 16 * sample + line */
    sample_value value[4];
};

struct texunit {
    struct module module;
    struct texunit_stats stats;
    struct queue *in, *out; /* from and to the shader unit */
    struct queue *control, *done;
    struct texcache cache;
    uint32_t port_width, misses_cycle;
    uint32_t samples_cycle; /* samples looked up, and filtered, per cycle */

    struct texcache_texture *textures; /* textures of the draws of a frame, initialized */
    uint32_t texture_count, texture_rr;

    struct texunit_access *accesses;
    uint32_t access_limit, access_count;
    uint32_t *free_accesses; /* stack of unused accesses */
    uint32_t *order;         /* accesses whose samples are not planned yet */
    struct ring order_ring;

    /* The access whose samples are being looked up. */
    uint32_t planned; /* the access, or TEXUNIT_NONE */
    uint32_t next_pass;
    struct sample_plan plan;
    uint32_t begun; /* the access's current sample, or TEXUNIT_NONE; its lines follow */
    uint32_t wanted[16], wanted_count, wanted_done;
    uint16_t wanted_by[16]; /* texels in each line */

    struct texunit_sample *samples;
    uint32_t sample_limit, free_count, *free_samples; /* stack of unused samples */
    uint32_t window_limit, window_count;              /* samples that wait for lines */
    uint32_t *ready;                                  /* samples whose lines are all filled */
    struct ring ready_ring;
    uint64_t port_free;

    enum texunit_stall stall; /* state since the last clock */
    uint64_t counted;         /* cycle up to which stalls and occupancies are counted */

    /* Critical path. The module's stage follows the last lookup or the last memory reply. */
    struct cp_stage input_stage, lookup_stage, output_stage;
    bool was_stalled, line_stalled; /* the lookup waits for a free entry, or for a line */
    cp_ref freed;                   /* critical path: the last event that freed an entry or line */
};

/* Samples looked up, filtered and returned per cycle. */
static inline uint32_t
texunit_rate(const struct params *params)
{
    return params->FRAGMENTSHADER.PerfectTextures ? TEXUNIT_PERFECT_RATE
                                                  : params->FRAGMENTSHADER.TextureSamplesPerCycle;
}

void texunit_init(struct texunit *texunit, const struct unit_env *env, uint32_t index);

#endif
