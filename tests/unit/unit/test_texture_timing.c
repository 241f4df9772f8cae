/* Cycles of one Texture Unit, calculated from the parameters of reference-2008. A shader sends one
 * request per cycle, and a memory answers after a fixed time.
 *
 * The unit takes a request of cycle 0 after AddressALULatency = 6 cycles and looks it up in cycle
 * 7. If all its lines are present, the unit reads and filters the texels in 8. The answer arrives
 * FilterALULatency = 4 cycles later, in 12.
 *
 * If only the second level contains a line, the unit looks it up there and reads it in cycle 8. The
 * line is expanded in 9 and written by 10. The filter reads it in that cycle, 2 cycles later than a
 * hit.
 *
 * If only memory contains a line, its request leaves in cycle 8 and arrives at the memory in 9. The
 * reply arrives MEMORY_CYCLES later. In the same cycle the line is read from the second level, then
 * continues as above. This takes 1 + MEMORY_CYCLES longer than from the second level. */
#include "base/mem.h"
#include "unit/texture/texunit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 64, MAX_QUADS = 64, MEMORY_CYCLES = 50, HIT = 12, WATCHDOG = 10000 };

struct bench {
    struct clock clock;
    struct params params;
    struct module shader, memory_module;
    struct queue in, out, control, done, requests, replies;
    struct texunit unit;
    struct resource res;
    uint8_t *memory;
    struct gpu_memory gpu_memory; /* the same memory for the texture and the unit */
    struct draw draw;
    struct group groups[MAX_QUADS / 16];
    struct exec blocks[MAX_QUADS / 16];
    float texels[MAX_QUADS / 16][4][EXEC_MAX_LANES];
    struct quad *quads[16]; /* of each group */
    struct program program;
    /* state and results of a run */
    uint32_t count, sent, answered;
    /* in order of arrival, relative to the first request */
    uint64_t start, answer_cycle[MAX_QUADS];
    uint32_t memory_reads;
    bool finished;
};

static enum unit_state
shader_clock(void *self, uint64_t now)
{
    struct bench *b = self;
    for (; queue_front(&b->out, now); b->answered++) {
        b->answer_cycle[b->answered] = now - b->start;
        queue_pop(&b->out, now);
    }
    if (b->sent < b->count && queue_space(&b->in, now)) {
        *(struct texture_item *)queue_push(&b->in, now) =
            (struct texture_item){&b->groups[b->sent / 16], b->sent % 16};
        b->sent++;
    }
    b->finished = b->answered == b->count;
    if (b->sent < b->count)
        module_wake_at(&b->shader, now + 1);
    return UNIT_WAITING;
}

static enum unit_state
memory_clock(void *self, uint64_t now)
{
    struct bench *b = self;
    const struct memory_request *request = queue_front(&b->requests, now);
    if (request) {
        struct memory_reply *reply = queue_push_later(&b->replies, now, MEMORY_CYCLES - 1);
        reply->tag = request->tag;
        reply->write = false;
        memcpy(reply->data, b->memory + request->address, TRANSACTION_BYTES);
        queue_pop(&b->requests, now);
        b->memory_reads++;
    }
    return UNIT_WAITING;
}

static void
bench_init(struct bench *b, uint32_t format)
{
    struct error err;
    memset(b, 0, sizeof *b);
    if (!params_load_preset(&b->params, "reference-2008", &err))
        fail_msg("%s", err.text);
    const struct resource_desc desc = {.target = TARGET_2D,
                                       .format = format,
                                       .width = SIDE,
                                       .height = SIDE,
                                       .depth = 1,
                                       .array_size = 1,
                                       .last_level = 6};
    assert_true(resource_init(&b->res, &desc, NULL));
    resource_tile(&b->res, 6);
    b->res.address = 256;
    b->memory = mem_alloc(256 + b->res.size_bytes);
    b->gpu_memory.bytes = b->memory;
    for (uint32_t i = 0; i < b->res.size_bytes; i++)
        b->memory[256 + i] = (uint8_t)(i * 2654435761u >> 24);
    struct bound_view *bound = &b->draw.views[STAGE_FRAGMENT][0];
    bound->res = &b->res;
    bound->format = b->res.format;
    bound->view.last_level = 6;
    for (uint8_t c = 0; c < 4; c++)
        bound->view.swizzle[c] = c;
    bound->view.target = TARGET_2D;
    bound->sampler.wrap_s = bound->sampler.wrap_t = WRAP_REPEAT;
    bound->sampler.min_filter = bound->sampler.mag_filter = FILTER_LINEAR;
    bound->sampler.mip_filter = MIP_LINEAR;
    bound->sampler.max_lod = 10;
    for (uint32_t g = 0; g < MAX_QUADS / 16; g++) {
        struct group *group = &b->groups[g];
        group->exec = &b->blocks[g];
        group->texels = &b->texels[g];
        group->quads = b->quads;
        group->draw = &b->draw;
        group->stage = STAGE_FRAGMENT;
        group->exec->request.opcode = OP_TEX;
        group->exec->request.target = TEX_2D;
        group->exec->request.mask = ~0ull;
    }
}

static const struct module_ops shader_ops = {.clock = shader_clock};

static const struct module_ops memory_ops = {.clock = memory_clock};

/* Builds the unit with the parameters of the test. */
static void
bench_build(struct bench *b)
{
    const struct params *p = &b->params;
    clock_init(&b->clock);
    clock_add_module(&b->clock, &b->shader, "shader", -1, b, &shader_ops);
    const struct unit_env env = {.clock = &b->clock, .params = p, .memory = &b->gpu_memory};
    texunit_init(&b->unit, &env, 0);
    clock_add_module(&b->clock, &b->memory_module, "memory", -1, b, &memory_ops);
    struct module *unit = &b->unit.module;
    queue_init(&b->in, &b->clock, "in", -1, &b->shader, unit, sizeof(struct texture_item), 1,
               p->FRAGMENTSHADER.TextureRequestQueueSize, p->FRAGMENTSHADER.AddressALULatency);
    queue_init(&b->out, &b->clock, "out", -1, unit, &b->shader, sizeof(struct texture_item), 1,
               p->FRAGMENTSHADER.TextureResultQueue, p->FRAGMENTSHADER.FilterALULatency);
    queue_init(&b->control, &b->clock, "control", -1, &b->shader, unit, sizeof(struct control_item),
               1, 1, 1);
    queue_init(&b->done, &b->clock, "done", -1, unit, &b->shader, sizeof(struct done_item), 1, 1,
               1);
    queue_init(&b->requests, &b->clock, "requests", -1, unit, &b->memory_module,
               sizeof(struct memory_request), 1, 8, 1);
    queue_init(&b->replies, &b->clock, "replies", -1, &b->memory_module, unit,
               sizeof(struct memory_reply), 1, 64, 1);
    b->unit.in = &b->in;
    b->unit.out = &b->out;
    b->unit.control = &b->control;
    b->unit.done = &b->done;
    b->unit.cache.l2.port = (struct memory_port){.requests = &b->requests, .replies = &b->replies};
}

static void
bench_fini(struct bench *b)
{
    module_fini(&b->unit.module);
    struct queue *queues[] = {&b->in, &b->out, &b->control, &b->done, &b->requests, &b->replies};
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++)
        queue_fini(queues[i]);
    clock_fini(&b->clock);
    free(b->memory);
}

/* Aims quad q at texels x to x + 2 * step_x, y to y + 2. The upper left texels of its lanes are
 * step_x and 1 apart, and each lane hits a texel center. */
static void
aim(struct bench *b, uint32_t q, uint32_t x, uint32_t y, uint32_t step_x)
{
    struct texture_request *request = &b->groups[q / 16].exec->request;
    for (uint32_t lane = 0; lane < 4; lane++) {
        uint32_t at = q % 16 * 4 + lane;
        request->coord[0][at] = ((float)(x + (lane & 1) * step_x) + 0.5f) / SIDE;
        request->coord[1][at] = ((float)(y + (lane >> 1)) + 0.5f) / SIDE;
    }
}

/* Sends `count` requests. Checks that the texels equal those read directly from memory. */
static void
run(struct bench *b, uint32_t count)
{
    struct error err;
    b->count = count;
    b->sent = b->answered = 0;
    b->memory_reads = 0;
    b->finished = false;
    b->start = b->clock.now;
    module_wake_at(&b->shader, b->start);
    if (!clock_run(&b->clock, &b->finished, WATCHDOG, &err))
        fail_msg("%s", err.text);
    for (uint32_t q = 0; q < count; q++) {
        float rgba[4][EXEC_MAX_LANES];
        const struct group *group = &b->groups[q / 16];
        sample_direct(&b->draw.views[STAGE_FRAGMENT][0], &b->gpu_memory, &group->exec->request,
                      EXEC_MAX_LANES, rgba);
        for (uint32_t c = 0; c < 4; c++)
            assert_memory_equal(group_texels(group, q % 16, c), &rgba[c][q % 16 * 4],
                                4 * sizeof(float));
    }
    const struct texunit_stats *s = &b->unit.stats;
    assert_int_equal(s->cache_accesses, s->cache_hits + s->cache_misses);
    assert_int_equal(s->cache_l1_accesses, s->cache_l1_hits + s->cache_l1_misses);
}

/* One quad needs one line: from memory, then from the first level. After the other 64 lines have
 * passed through the first level, the line comes from the second level. */
static void
latencies(void **state)
{
    struct bench b;
    bench_init(&b, 67);
    bench_build(&b);
    aim(&b, 0, 0, 0, 1);
    run(&b, 1);
    assert_int_equal(b.answer_cycle[0], HIT + 2 + 1 + MEMORY_CYCLES);
    assert_int_equal(b.memory_reads, 1);
    run(&b, 1);
    assert_int_equal(b.answer_cycle[0], HIT);
    assert_int_equal(b.memory_reads, 0);
    for (uint32_t q = 0; q < 64; q++)
        aim(&b, q, q % 8 * 4 + 16, q / 8 * 4 + 16, 1);
    run(&b, 64);
    aim(&b, 0, 0, 0, 1);
    run(&b, 1);
    assert_int_equal(b.answer_cycle[0], HIT + 2);
    assert_int_equal(b.memory_reads, 0);
    assert_int_equal(b.unit.stats.cache_misses, 66);
    assert_int_equal(b.unit.stats.cache_l1_misses, 65);
    bench_fini(&b);
}

/* With one level, a line of 64 bytes is one transaction. Lookup, memory access, read, expansion and
 * write take the same time as with two levels. */
static void
one_level(void **state)
{
    struct bench b;
    bench_init(&b, 67);
    b.params.FRAGMENTSHADER.TwoLevelTextureCache = false;
    bench_build(&b);
    aim(&b, 0, 0, 0, 1);
    run(&b, 1);
    assert_int_equal(b.answer_cycle[0], HIT + 2 + 1 + MEMORY_CYCLES);
    run(&b, 1);
    assert_int_equal(b.answer_cycle[0], HIT);
    assert_int_equal(b.unit.stats.cache_l1_accesses, 0);
    bench_fini(&b);
}

/* Sends sixteen quads twice. The second time all hit in the first level, with one answer per cycle
 * for bilinear samples. */
static void
assert_pace(struct bench *b, uint32_t quads, uint32_t cycles)
{
    run(b, quads);
    run(b, quads);
    assert_int_equal(b->memory_reads, 0);
    for (uint32_t q = 0; q < quads; q++)
        assert_int_equal(b->answer_cycle[q], HIT - 1 + (q + 1) * cycles);
}

static void
bilinear(void **state)
{
    struct bench b;
    bench_init(&b, 67);
    bench_build(&b);
    for (uint32_t q = 0; q < 16; q++)
        aim(&b, q, q % 4 * 4, q / 4 * 4, 1);
    assert_pace(&b, 16, 1);
    assert_int_equal(b.unit.stats.passes, 32);
    /* the rate also holds across lines: 9 texels around a corner of four 4x4 squares */
    for (uint32_t q = 0; q < 16; q++)
        aim(&b, q, 2, 2, 1);
    assert_pace(&b, 16, 1);
    bench_fini(&b);
}

static void
nearest(void **state)
{
    struct bench b;
    bench_init(&b, 67);
    bench_build(&b);
    struct sampler_state *sampler = &b.draw.views[STAGE_FRAGMENT][0].sampler;
    sampler->min_filter = sampler->mag_filter = FILTER_NEAREST;
    for (uint32_t q = 0; q < 16; q++)
        aim(&b, q, q * 2, 0, 1);
    assert_pace(&b, 16, 1);
    assert_int_equal(b.unit.stats.samples_nearest, 32);
    assert_int_equal(b.unit.stats.texels, 32 * 4);
    bench_fini(&b);
}

/* A LOD of 0.5 blends two levels, so a quad takes two samples. */
static void
trilinear(void **state)
{
    struct bench b;
    bench_init(&b, 67);
    b.draw.views[STAGE_FRAGMENT][0].sampler.lod_bias = 0.5f;
    bench_build(&b);
    for (uint32_t q = 0; q < 16; q++)
        aim(&b, q, q % 4 * 4, q / 4 * 4, 1);
    assert_pace(&b, 16, 2);
    assert_int_equal(b.unit.stats.quads_two_levels, 32);
    bench_fini(&b);
}

/* A footprint of 4 x 1 texels takes four probes on level 0. If the LOD is 0.5 higher, each probe
 * reads two levels. */
static void
anisotropic(void **state)
{
    struct bench b;
    bench_init(&b, 67);
    struct sampler_state *sampler = &b.draw.views[STAGE_FRAGMENT][0].sampler;
    sampler->max_anisotropy = 8;
    bench_build(&b);
    for (uint32_t q = 0; q < 16; q++)
        aim(&b, q, 16, q % 4, 4);
    assert_pace(&b, 16, 4);
    assert_int_equal(b.unit.stats.probes, 32 * 4);
    bench_fini(&b);

    bench_init(&b, 67);
    sampler->max_anisotropy = 8;
    sampler->lod_bias = 0.5f;
    bench_build(&b);
    for (uint32_t q = 0; q < 16; q++)
        aim(&b, q, 16, q % 4, 4);
    assert_pace(&b, 16, 8);
    bench_fini(&b);
}

/* Nine texels of 16 bytes around one point are 9 words of bank 0. They take 3 turns of its 4 ports,
 * 4 cycles each. Texels of 8 bytes in even columns are in bank 0 (6 texels) and those in odd
 * columns in bank 2 (3 texels). They take 2 turns of 2 cycles. Texels of 4 bytes through ports of 2
 * bytes take 2 cycles. */
static void
ports(void **state)
{
    static const struct {
        uint32_t format, width, cycles;
    } cases[] = {
        {31 /* R32G32B32A32_FLOAT */, 4, 12},
        {31, 16, 3},
        {94 /* R16G16B16A16_FLOAT */, 4, 4},
        {94, 8, 2},
        {67, 2, 2},
        {67, 4, 1},
        {64 /* R8 */, 4, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b;
        bench_init(&b, cases[i].format);
        b.params.FRAGMENTSHADER.TextureCachePortWidth = cases[i].width;
        memset(b.memory + 256, 0, b.res.size_bytes); /* without NaNs */
        bench_build(&b);
        for (uint32_t q = 0; q < 8; q++)
            aim(&b, q, 0, 0, 1);
        run(&b, 8);
        run(&b, 8);
        for (uint32_t q = 0; q < 8; q++)
            assert_int_equal(b.answer_cycle[q], HIT + q * cases[i].cycles);
        bench_fini(&b);
    }
}

/* The second level contains sixteen lines. With a large window one line arrives per cycle, 2 cycles
 * later than hits. With a window of one sample, the unit looks up a sample when the previous one
 * has its line, 3 cycles later. */
static void
window(void **state)
{
    for (uint32_t size = 1; size <= 32; size += 31) {
        struct bench b;
        bench_init(&b, 67);
        b.params.FRAGMENTSHADER.TextureWaitReadWindow = size;
        b.params.FRAGMENTSHADER.TextureCacheLines = 1; /* 8 lines in total */
        bench_build(&b);
        for (uint32_t q = 0; q < 16; q++)
            aim(&b, q, q % 4 * 4, q / 4 * 4, 1);
        run(&b, 16);
        run(&b, 16);
        assert_int_equal(b.memory_reads, 0);
        assert_int_equal(b.unit.stats.cache_l1_hits, 16);
        for (uint32_t q = 0; q < 16; q++)
            assert_int_equal(b.answer_cycle[q], HIT + 2 + q * (size == 1 ? 3 : 1));
        bench_fini(&b);
    }
}

/* A quad at a corner of four lines that miss in both levels takes 4 / misses cycles of lookup. The
 * next quad hits. It does not wait for the misses, so it is answered first. */
static void
misses_a_cycle(void **state)
{
    for (uint32_t misses = 1; misses <= 4; misses *= 2) {
        struct bench b;
        bench_init(&b, 67);
        b.params.FRAGMENTSHADER.TextureCacheMissesPerCycle = misses;
        bench_build(&b);
        aim(&b, 0, 32, 32, 1);
        run(&b, 1);
        aim(&b, 0, 2, 2, 1);
        aim(&b, 1, 32, 32, 1);
        run(&b, 2);
        assert_int_equal(b.answer_cycle[0], HIT + 4 / misses);
        /* the four lines arrive one per cycle, in the order of their lookup in the second level */
        assert_int_equal(b.answer_cycle[1], HIT + 2 + 1 + MEMORY_CYCLES + 3);
        bench_fini(&b);
    }
}

/* Lines of DXT1: 8 bytes expand to 64 bytes of texels. The decompressor expands one line at a
 * time. */
static void
decompression(void **state)
{
    for (uint32_t latency = 1; latency <= 5; latency += 4) {
        struct bench b;
        bench_init(&b, 105);
        b.params.FRAGMENTSHADER.TextureCacheDecompressLatency = latency;
        b.params.FRAGMENTSHADER.TextureCacheLines = 1;
        bench_build(&b);
        for (uint32_t q = 0; q < 16; q++)
            aim(&b, q, q % 4 * 4, q / 4 * 4, 1);
        run(&b, 16);
        assert_int_equal(b.memory_reads, 2); /* 16 blocks of 8 bytes */
        run(&b, 16);
        for (uint32_t q = 0; q < 16; q++)
            assert_int_equal(b.answer_cycle[q], HIT + 1 + (q + 1) * latency);
        assert_int_equal(b.unit.stats.lines_decompressed, 32);
        bench_fini(&b);
    }
}

/* With one level, neighboring blocks share the transaction that is in flight for them. */
static void
shared_transactions(void **state)
{
    struct bench b;
    bench_init(&b, 105);
    b.params.FRAGMENTSHADER.TwoLevelTextureCache = false;
    bench_build(&b);
    for (uint32_t q = 0; q < 16; q++)
        aim(&b, q, q % 4 * 4, q / 4 * 4, 1);
    run(&b, 16);
    assert_int_equal(b.memory_reads, 2);
    assert_int_equal(b.answer_cycle[0], HIT + 2 + 1 + MEMORY_CYCLES);
    assert_int_equal(b.answer_cycle[15], HIT + 2 + 1 + MEMORY_CYCLES + 15);
    bench_fini(&b);
}

/* In a cache of one line, a sample at a corner of four lines gets them one after another. Its
 * texels are correct. */
static void
one_way(void **state)
{
    struct bench b;
    bench_init(&b, 67);
    b.params.FRAGMENTSHADER.TextureCacheWays = 1;
    b.params.FRAGMENTSHADER.TextureCacheLines = 1;
    b.draw.views[STAGE_FRAGMENT][0].sampler.lod_bias = 0.5f;
    bench_build(&b);
    for (uint32_t q = 0; q < 16; q++)
        aim(&b, q, q * 3 + 2, q * 2 + 2, 1);
    run(&b, 16);
    assert_true(b.unit.stats.cache_misses > 32);
    bench_fini(&b);
}

/* Caches of random sizes return correct texels for every layout and format. */
static void
any_cache(void **state)
{
    static const uint32_t formats[] = {67, 64, 65, 94, 31, 105, 108, 113, 116};
    for (uint32_t n = 0; n < 180; n++) {
        struct bench b;
        bench_init(&b, formats[n % 9]);
        if (b.res.format->is_float)
            memset(b.memory + 256, 0x3c, b.res.size_bytes);
        resource_tile(&b.res, n % 8);
        b.params.FRAGMENTSHADER.TwoLevelTextureCache = n & 1;
        b.params.FRAGMENTSHADER.TextureCacheLineSize = 16u << n % 5;
        b.params.FRAGMENTSHADER.TextureCacheWays = 1 + n % 3;
        b.params.FRAGMENTSHADER.TextureCacheLines = 1u << n % 4;
        b.params.FRAGMENTSHADER.TextureCacheLineSizeL1 = 16u << n / 9 % 5;
        b.params.FRAGMENTSHADER.TextureCacheWaysL1 = 1 + n / 3 % 2;
        b.params.FRAGMENTSHADER.TextureCacheLinesL1 = 1u << n % 3;
        b.params.FRAGMENTSHADER.TextureWaitReadWindow = 1 + n % 5;
        b.params.FRAGMENTSHADER.TextureAccessQueue = 1 + n % 7;
        b.params.FRAGMENTSHADER.TextureCacheRequestQueueSize = 2 + n % 3;
        b.params.FRAGMENTSHADER.TextureCacheInputQueue = 1 + n % 4;
        b.params.FRAGMENTSHADER.TextureCacheInputQueueL1 = 1 + n % 2;
        struct sampler_state *sampler = &b.draw.views[STAGE_FRAGMENT][0].sampler;
        sampler->max_anisotropy = (uint8_t)(n % 17);
        sampler->lod_bias = (float)(n % 4) * 0.3f;
        sampler->wrap_s = (uint8_t)(n / 7 % 8);
        bench_build(&b);
        for (uint32_t q = 0; q < MAX_QUADS; q++)
            aim(&b, q, (q * 7 + n) % SIDE, (q * 5) % SIDE, 1 + (q + n) % 8);
        run(&b, MAX_QUADS);
        bench_fini(&b);
    }
}

/* Each request has four probes of texels that were not read before. With PerfectTextures each is
 * answered like one bilinear hit, at the full rate of one per cycle. */
static void
perfect(void **state)
{
    struct bench b;
    bench_init(&b, 67);
    b.draw.views[STAGE_FRAGMENT][0].sampler.max_anisotropy = 8;
    b.params.FRAGMENTSHADER.PerfectTextures = true;
    bench_build(&b);
    for (uint32_t q = 0; q < 16; q++)
        aim(&b, q, 16, q % 4, 4);
    run(&b, 16);
    assert_int_equal(b.unit.stats.probes, 16 * 4);
    assert_int_equal(b.memory_reads, 0);
    for (uint32_t q = 0; q < 16; q++)
        assert_int_equal(b.answer_cycle[q], HIT + q);
    bench_fini(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies),
        cmocka_unit_test(one_level),
        cmocka_unit_test(bilinear),
        cmocka_unit_test(nearest),
        cmocka_unit_test(trilinear),
        cmocka_unit_test(anisotropic),
        cmocka_unit_test(ports),
        cmocka_unit_test(window),
        cmocka_unit_test(misses_a_cycle),
        cmocka_unit_test(decompression),
        cmocka_unit_test(shared_transactions),
        cmocka_unit_test(one_way),
        cmocka_unit_test(any_cache),
        cmocka_unit_test(perfect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
