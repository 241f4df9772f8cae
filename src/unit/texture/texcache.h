/* The cache of a Texture Unit, with one or two levels. The first level, next to the filter, holds
 * texels in the filter's format: compressed blocks are expanded. The second level holds bytes in
 * their memory format. */
#ifndef AETIUS_UNIT_TEXCACHE_H
#define AETIUS_UNIT_TEXCACHE_H

#include "gfx/sample.h"
#include "params/params.h"
#include "unit/cache.h"
#include "unit/stats.h"

enum {
    TEXCACHE_MAX_PARTS = 17, /* for 256 unaligned bytes in second-level lines of 16 bytes */
    TEXCACHE_MAX_LINE_BYTES = 256,
    TEXCACHE_HINTS = 512,
    TEXCACHE_SPILL_BYTES = 256, /* bytes after the lines */
    TEXCACHE_NOBODY = UINT32_MAX,
};

enum texcache_refusal { TEXCACHE_NO_WAY = -1, TEXCACHE_NO_REQUEST = -2 };

/* A texture, with the data that the cache needs to find its lines. */
struct texcache_texture {
    struct sample_texture sample;
    uint64_t first_tag;        /* tag of the resource's first line */
    uint32_t line_stride_log2; /* log2 of positions per line */
    uint32_t address;          /* address of the resource */
    bool conflict_free;        /* a bilinear sample never waits for a port */
    /* for the statistics: mipmaps could be added; S3TC could store it */
    bool lacks_mipmaps, is_compressible;
    const struct bound_view *key; /* key of the entry, with `target`; uses: accesses in flight */
    uint32_t target, uses;
};

struct texcache_line {
    uint32_t locks;
    bool filling;
    uint32_t first_waiter, last_waiter; /* the owner's list of samples that wait for the line */
    cp_ref cp_ref;                      /* critical path of the line's arrival */
};

struct texcache_fill { /* a first-level line that is being filled */
    uint32_t line, address, bytes;
    uint32_t skip;                    /* number of the block's texels that precede the line */
    const struct format_info *format; /* NULL: not compressed */
    uint32_t parts, looked_up, read;  /* second-level lines: in total, looked up, read */
    uint32_t part_line[TEXCACHE_MAX_PARTS];
    struct cp_stamp asked;
};

struct texcache {
    uint32_t sets, ways, line_bytes, line_log2;
    uint64_t *tags; /* sets x ways; UINT64_MAX: invalid */
    struct texcache_line *lines;
    uint8_t *data; /* the lines, followed by space for the owner */
    struct replacement replacement;
    uint32_t hints[TEXCACHE_HINTS]; /* line in which a tag was last found */
    struct module *owner;
    struct texunit_stats *stats; /* the owner's */
    struct cp_stamp filled;      /* critical path: the write of the last line */

    struct texcache_fill *fills; /* fills that have been looked up come first */
    struct ring fill_ring;
    uint32_t fills_looked_up, input_limit;
    uint8_t staging[TEXCACHE_MAX_LINE_BYTES]; /* bytes of the first fill, in their memory format */
    uint32_t staged;
    uint32_t decompress_latency, write_cycles;
    uint64_t decompressor_free, write_port_free;
    struct {
        uint32_t line;
        uint64_t cycle;
    } * written; /* lines, and the cycles in which they are complete */
    struct ring written_ring;

    const struct gpu_memory *memory; /* source of all lines of a perfect cache; NULL: not perfect */
    bool two_levels;
    struct cache l2;            /* second level; with one level: transactions in flight */
    struct block_reader blocks; /* source of cleared and compressed blocks */
    uint32_t l2_limit;

    /* fault injection */
    bool skip_invalidate, skip_invalidate_l2;
    /* number of the fill that gets the bytes of the next line; 0: none */
    uint64_t fill_number, wrong_fill_at;
};

/* `module` is the owner's. Only a perfect cache uses `memory`. `color` and `depth` are the block
 * states of rendered surfaces. NULL: memory holds all blocks raw. */
void texcache_init(struct texcache *cache, const struct params *params, struct module *module,
                   const struct gpu_memory *memory, const struct blocks *color,
                   const struct blocks *depth, struct texunit_stats *stats);
void texcache_fini(struct texcache *cache);
void texcache_invalidate(struct texcache *cache);
bool texcache_is_quiet(const struct texcache *cache);

/* Sets the members of a texture that the cache uses. `sample` must be initialized. */
void texcache_name(const struct texcache *cache, struct texcache_texture *texture);

/* Index of the line with the tag, or -1. */
int32_t texcache_search(struct texcache *cache, uint64_t tag);
static inline int32_t
texcache_find(struct texcache *cache, uint64_t tag)
{
    uint32_t hint = cache->hints[tag % TEXCACHE_HINTS];
    return cache->tags[hint] == tag ? (int32_t)hint : texcache_search(cache, tag);
}
/* Allocates a line for the texture's n-th line, which must not be in the cache, and requests its
 * bytes. Returns the line, or an enum texcache_refusal. */
int32_t texcache_allocate(struct texcache *cache, const struct texcache_texture *texture,
                          uint32_t n);

/* The next line that has become complete, or -1 if there is none. */
int32_t texcache_next_filled(struct texcache *cache, uint64_t now);
/* Locks are counted. A line can be evicted only when all its locks have been released. */
static inline void
texcache_unlock(struct texcache *cache, uint32_t line)
{
    INVARIANT(cache->owner, cache->lines[line].locks > 0);
    cache->lines[line].locks--;
}
/* Runs one cycle of the second level: at most one lookup, one line read, and one transaction sent.
 * Returns the cycle by which the cache must be clocked again. */
uint64_t texcache_clock(struct texcache *cache, uint64_t now);

#endif
