/* Checks whether a machine can be built. The limits here involve several parameters. The range of a
 * single parameter (params/params.def) cannot express them. Each message names the parameters and
 * the limit. */
#include "sim/machine.h"

enum { ROP_CACHES = 2, CACHE_BYTES = 16 << 20, HZ_CACHE_BLOCKS = 1 << 20 };

static bool
check_units(const struct params *p, struct error *err)
{
    const uint32_t shaders = shader_unit_count(p);
    if (shaders > MAX_SHADERS)
        return fail(err,
                    "GPU.NumVertexShaders = %u and GPU.NumFragmentShaders = %u: at most %d shader "
                    "units are allowed",
                    p->GPU.NumVertexShaders, p->GPU.NumFragmentShaders, MAX_SHADERS);
    if (shaders * p->FRAGMENTSHADER.TextureUnits > MAX_TEXUNITS)
        return fail(err,
                    "FRAGMENTSHADER.TextureUnits = %u of %u shader units: at most %d texture units "
                    "are allowed",
                    p->FRAGMENTSHADER.TextureUnits, shaders, MAX_TEXUNITS);
    return true;
}

/* A cache: its section, the names of the parameters for ways, lines per way and line size, and
 * their values. */
struct cache_params {
    const char *section, *ways_name, *lines_name, *line_name;
    uint32_t ways, lines, line, line_bytes; /* line: in the parameter's unit */
};

static bool
check_cache(const struct cache_params *cache, struct error *err)
{
    const uint64_t bytes = (uint64_t)cache->ways * cache->lines * cache->line_bytes;
    return bytes <= CACHE_BYTES ||
           fail(err, "%s.%s = %u, %s = %u, %s = %u: a cache of %llu bytes; at most %d are allowed",
                cache->section, cache->ways_name, cache->ways, cache->lines_name, cache->lines,
                cache->line_name, cache->line, (unsigned long long)bytes, CACHE_BYTES);
}

/* A quad locks all of its lines, one after another. With fewer lines than the largest quad needs,
 * the quad would deadlock. Comparing totals suffices, because lines per way and lines per quad are
 * powers of two. Consecutive lines fill all sets before any set gets a second line. */
static bool
check_quad(const struct cache_params *cache, struct error *err)
{
    const uint32_t wanted = (MAX_QUAD_BYTES + cache->line_bytes - 1) / cache->line_bytes;
    return (uint64_t)cache->ways * cache->lines >= wanted ||
           fail(err,
                "%s.%s = %u, %s = %u, %s = %u: a quad of %d bytes (8 samples) needs %u lines at "
                "once, but the cache has %u",
                cache->section, cache->ways_name, cache->ways, cache->lines_name, cache->lines,
                cache->line_name, cache->line, MAX_QUAD_BYTES, wanted, cache->ways * cache->lines);
}

static bool
check_caches(const struct params *p, struct error *err)
{
#define CACHE(section, ways, lines, line, unit_bytes)                                              \
    {                                                                                              \
#section, #ways, #lines, #line, p->section.ways, p->section.lines, p->section.line,        \
            p->section.line *(unit_bytes)                                                          \
    }
    const struct cache_params caches[] = {
        CACHE(ZSTENCILTEST, ZCacheWays, ZCacheLines, ZCacheStampsPerLine, ROP_QUAD_BYTES),
        CACHE(COLORWRITE, ColorCacheWays, ColorCacheLines, ColorCacheStampsPerLine, ROP_QUAD_BYTES),
        CACHE(FRAGMENTSHADER, TextureCacheWays, TextureCacheLines, TextureCacheLineSize, 1),
        CACHE(FRAGMENTSHADER, TextureCacheWaysL1, TextureCacheLinesL1, TextureCacheLineSizeL1, 1),
    };
#undef CACHE
    const uint32_t count =
        sizeof caches / sizeof caches[0] - !p->FRAGMENTSHADER.TwoLevelTextureCache;
    for (uint32_t i = 0; i < count; i++)
        if (!check_cache(&caches[i], err) || (i < ROP_CACHES && !check_quad(&caches[i], err)))
            return false;
    const uint64_t blocks = (uint64_t)p->RASTERIZER.HZCacheLines * p->RASTERIZER.HZCacheLineSize;
    return blocks <= HZ_CACHE_BLOCKS ||
           fail(err,
                "RASTERIZER.HZCacheLines = %u, HZCacheLineSize = %u: a cache of %llu blocks; at "
                "most %d are allowed",
                p->RASTERIZER.HZCacheLines, p->RASTERIZER.HZCacheLineSize,
                (unsigned long long)blocks, HZ_CACHE_BLOCKS);
}

bool
machine_params_check(const struct params *p, struct error *err)
{
    const struct codec *codec;
    return check_units(p, err) && shader_check_params(p, err) && check_caches(p, err) &&
           rop_codec(p, CODEC_DEPTH, &codec, err) && rop_codec(p, CODEC_COLOR, &codec, err);
}
