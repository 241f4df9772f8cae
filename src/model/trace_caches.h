/* Caches and block states of a machine, without timing. They receive the addresses that the
 * functional renderer uses, and count the bytes that move between caches and memory. Replacement is
 * LRU. Written lines are compressed by the machine's codecs. */
#ifndef AETIUS_MODEL_TRACE_CACHES_H
#define AETIUS_MODEL_TRACE_CACHES_H

#include "gfx/sample.h"
#include "params/params.h"
#include "unit/memory/dram.h"
#include "unit/rop/blocks.h"

/* Memory clients, with the bytes of a draw that they transfer. */
#define TRACE_CLIENTS(X)                                                                           \
    X(texture)                                                                                     \
    X(color)                                                                                       \
    X(z)                                                                                           \
    X(attribute) /* including indices */

enum trace_client {
#define TRACE_CLIENT(name) CACHED_##name,
    TRACE_CLIENTS(TRACE_CLIENT)
#undef TRACE_CLIENT
        TRACE_CLIENT_COUNT
};
extern const char *const trace_client_names[TRACE_CLIENT_COUNT];

enum { TRACE_MOST_CHANNELS = 64 };

struct tag_line {
    uint32_t address;
    bool valid;
    bool partial;  /* only the written bytes are known */
    uint8_t dirty; /* one bit per 64 bytes */
};
struct tag_cache {
    uint32_t sets, ways, line_bytes;
    struct tag_line *lines; /* sets x ways; in each set, the most recently used line comes first */
};

struct trace_caches {
    struct tag_cache attributes;
    struct tag_cache *textures;  /* one per Texture Unit */
    struct tag_cache *z, *color; /* one per ROP */
    uint32_t texture_units, rops;
    struct blocks z_blocks, color_blocks;
    struct dram_shape memory_shape;
    const struct gpu_memory *memory;

    /* the draw in progress */
    double bytes[TRACE_CLIENT_COUNT];
    double channel_bytes[TRACE_MOST_CHANNELS]; /* of all clients */
    bool waits[TRACE_CLIENT_COUNT];            /* the client has read memory */
    /* Attributes: the lines requested together, per channel; bytes of the busiest channel, summed
     * over these groups of lines. */
    uint32_t window[TRACE_MOST_CHANNELS], window_lines, window_limit;
    double busiest_bytes;
    struct sample_texture samplers[MAX_SAMPLERS];
    uint32_t targets[MAX_SAMPLERS]; /* target of each sampler; UINT32_MAX: not used yet */
    bool reads_color[MAX_COLOR_BUFFERS];
    const struct resource *surfaces[MAX_COLOR_BUFFERS + 1]; /* bound to the last draw */
};

/* `params` must be valid for a machine. The caller calls trace_caches_fini(). */
void trace_caches_init(struct trace_caches *caches, const struct params *params);
void trace_caches_fini(struct trace_caches *caches);

/* Resets `bytes` and `waits`, and reads the indices of the draw. `memory` holds all contents. */
void trace_caches_begin_draw(struct trace_caches *caches, const struct draw *draw,
                             const struct gpu_memory *memory);
void trace_caches_vertex(struct trace_caches *caches, const struct draw *draw, uint32_t vertex,
                         uint32_t instance);
void trace_caches_texels(struct trace_caches *caches, const struct draw *draw,
                         const struct texture_request *request, uint32_t quad, uint32_t x,
                         uint32_t y);
/* A quad's depth or stencil is read. */
void trace_caches_test(struct trace_caches *caches, const struct draw *draw, uint32_t x,
                       uint32_t y);
/* A quad passes all tests. */
void trace_caches_write(struct trace_caches *caches, const struct draw *draw, uint32_t x,
                        uint32_t y);
void trace_caches_upload(struct trace_caches *caches, const struct resource *res);
/* Attribute bytes, times the number of channels if the lines requested together are in one channel.
 */
double trace_caches_attribute_bytes(struct trace_caches *caches);
/* Ratio of the time for the draw's bytes to the time for bytes that are evenly distributed across
 * the memory channels. At least 1. */
double trace_caches_skew(const struct trace_caches *caches);
/* Writes back all lines of the ROPs. Returns the number of bytes. */
double trace_caches_flush(struct trace_caches *caches);
/* Bytes that the DAC reads to show level 0 of the surface. */
double trace_caches_shown(const struct trace_caches *caches, const struct resource *res);

#endif
