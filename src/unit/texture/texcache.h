/* The cache of a texture unit: one or two levels. The first, beside the filter, holds texels as the
 * filter reads them: those of compressed blocks expanded. The second holds memory as it is. */
#ifndef AETIUS_UNIT_TEXCACHE_H
#define AETIUS_UNIT_TEXCACHE_H

#include "gfx/sample.h"
#include "params/params.h"
#include "unit/cache.h"
#include "unit/stats.h"

enum {
    TEXCACHE_MAX_PARTS = 17, /* 256 bytes in lines of 16 of the second level, not aligned to them */
    TEXCACHE_MAX_LINE_BYTES = 256,
    TEXCACHE_HINTS = 512,
    TEXCACHE_SPILL_BYTES = 256, /* behind the lines */
    TEXCACHE_NOBODY = UINT32_MAX,
};

enum texcache_refusal { TEXCACHE_NO_WAY = -1, TEXCACHE_NO_REQUEST = -2 };

/* A texture as the cache sees it. */
struct texcache_texture {
    struct sample_texture sample;
    uint64_t first_tag;           /* of the resource's first line */
    uint32_t line_stride_log2;    /* places a line */
    uint32_t address;             /* of the resource */
    bool conflict_free;           /* a bilinear sample never waits for a port */
    const struct bound_view *key; /* whose it is, with `target`; and who uses it */
    uint32_t target, uses;
};

struct texcache_line {
    uint32_t locks;
    bool filling;
    uint32_t first_waiter, last_waiter; /* the owner's list of who waits for it */
    cp_ref way;                         /* on which it came */
};

struct texcache_fill { /* a line of the first level on its way */
    uint32_t line, address, bytes;
    uint32_t skip;                    /* texels of the block before the line's first */
    const struct format_info *format; /* compressed: else NULL */
    uint32_t parts, looked_up, read;  /* lines of the level behind: in all, so far */
    uint32_t part_line[TEXCACHE_MAX_PARTS];
    struct cp_stamp asked;
};

struct texcache {
    uint32_t sets, ways, line_bytes, line_log2;
    uint64_t *tags; /* sets x ways; UINT64_MAX: invalid */
    struct texcache_line *lines;
    uint8_t *data; /* the lines, then room for the owner */
    struct replacement replacement;
    uint32_t hints[TEXCACHE_HINTS]; /* where a tag was found last */
    struct module *owner;
    struct texunit_stats *stats; /* the owner's */
    struct cp_stamp filled;      /* the last line was written */

    struct texcache_fill *fills; /* those that are looked up come first */
    struct ring fill_ring;
    uint32_t fills_looked_up, input_limit;
    uint8_t staging[TEXCACHE_MAX_LINE_BYTES]; /* bytes of the fill in front, as in memory */
    uint32_t staged;
    uint32_t decompress_latency, write_cycles;
    uint64_t decompressor_free, write_port_free;
    struct {
        uint32_t line;
        uint64_t cycle;
    } * written; /* lines that will be there in a cycle */
    struct ring written_ring;

    const struct gpu_memory *memory; /* perfect: every line comes from here, at once; else NULL */
    bool two_levels;
    struct cache l2;            /* the second level; else the transactions on their way */
    struct block_reader blocks; /* what lies behind that */
    uint32_t l2_limit;

    /* fault injection */
    bool skip_invalidate, skip_invalidate_l2;
    uint64_t fill_number, wrong_fill_at; /* this fill gets the bytes of the line behind; 0: none */
};

/* `module`: the owner's. `memory`: for a perfect cache alone. The states of what is drawn into;
 * NULL: memory has everything as it is. */
void texcache_init(struct texcache *cache, const struct params *params, struct module *module,
                   const struct gpu_memory *memory, const struct blocks *color,
                   const struct blocks *depth, struct texunit_stats *stats);
void texcache_fini(struct texcache *cache);
void texcache_invalidate(struct texcache *cache);
bool texcache_is_quiet(const struct texcache *cache);

/* A texture's part in the cache's names; `sample` is made. */
void texcache_name(const struct texcache *cache, struct texcache_texture *texture);

/* Index of the line with the tag, or -1. */
int32_t texcache_search(struct texcache *cache, uint64_t tag);
static inline int32_t
texcache_find(struct texcache *cache, uint64_t tag)
{
    uint32_t hint = cache->hints[tag % TEXCACHE_HINTS];
    return cache->tags[hint] == tag ? (int32_t)hint : texcache_search(cache, tag);
}
/* Makes room for the texture's n-th line, which is not here, and asks for it; or a refusal. */
int32_t texcache_allocate(struct texcache *cache, const struct texcache_texture *texture,
                          uint32_t n);

/* A line that is there from now on, or -1 when there is no (other) one. */
int32_t texcache_next_filled(struct texcache *cache, uint64_t now);
/* A locked line stays until it is unlocked as often. */
static inline void
texcache_unlock(struct texcache *cache, uint32_t line)
{
    INVARIANT(cache->owner, cache->lines[line].locks > 0);
    cache->lines[line].locks--;
}
/* One cycle of what lies behind the first level: at most one look-up, one line read, one
 * transaction sent. Returns the cycle in which it has to be clocked again, whatever comes. */
uint64_t texcache_clock(struct texcache *cache, uint64_t now);

#endif
