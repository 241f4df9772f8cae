/* Counters of units, calculated for scenes in which one unit does all the work. */
#include "rigs/ideal_rig.h"

/* Right triangles with both legs slightly longer than n pixels have n (n + 1) / 2 fragments. The
 * counters classify triangles by size, with limits at powers of two. */
static void
triangles_by_size(void **state)
{
    struct rig *rig = *state;
    rig_start(rig);
    for (uint32_t n = 0; n <= SIZE; n++) {
        const uint32_t fragments = n * (n + 1) / 2;
        char own[64], name[64];
        uint32_t from = 1;
        rig_upload_corner(rig, (float)n + 0.25f, 0);
        rig_draw(rig, PRIM_TRIANGLES, 3, 0);
        rig_swap(rig);
        rig_assert_figure(rig, "fraggen.fragments", fragments);
        if (!fragments)
            continue; /* setup drops the triangle */
        while (2 * from <= fragments)
            from *= 2;
        snprintf(own, sizeof own, "fraggen.size_%u_%u", from, 2 * from - 1);
        if (from == 1)
            snprintf(own, sizeof own, "fraggen.size_1");
        rig_assert_figure(rig, own, 1);
        for (uint32_t class = 2; class < 16384; class *= 2) {
            snprintf(name, sizeof name, "fraggen.size_%u_%u", class, 2 * class - 1);
            rig_assert_figure(rig, name, class == from);
        }
    }
}

enum { SLOW = 16, LATENCY = 10, SENT = 5 };

static const struct {
    int real; /* enum ideal_number of the resource that is not ideal, or ALL_IDEAL */
    const char *settings;
    void (*scene)(struct rig *rig);
    struct {
        const char *name;
        uint64_t least, most;
    } expected[8];
} cases[] = {
    /* a vertex takes the bus for five cycles, and the next vertex waits four of them */
    {ALL_IDEAL,
     "STREAMER.VerticesCycle=1 STREAMER.AttributesSentCycle=1",
     frame_outputs,
     {{"streamer.cycles_bus", 3 * TRIANGLES *(SENT - 1) * 49 / 50, 3 * TRIANGLES *(SENT - 1)},
      {"streamer.cycles_assembly", 0, 0},
      {"streamer.bus_cycles", 3 * TRIANGLES *SENT, 3 * TRIANGLES *SENT}}},
    /* the queues hold less than half of the triangles */
    {ALL_IDEAL,
     "CLIPPER.ClipperUnits=1 CLIPPER.StartLatency=16",
     frame_unseen_triangles,
     {{"streamer.cycles_assembly", TRIANGLES / 2 * SLOW, TRIANGLES *SLOW},
      {"streamer.cycles_bus", 0, 0}}},
    /* the z test takes one quad at a time, and the next one waits */
    {ALL_IDEAL,
     "ZSTENCILTEST.OpQueueSize=1 ZSTENCILTEST.ReadQueueSize=1 ZSTENCILTEST.ZALULatency=10",
     frame_layers,
     {{"zstencil.op_queue_stalls", QUADS *(LATENCY - 1), QUADS *LATENCY},
      {"zstencil.read_queue_stalls", QUADS *(LATENCY - 1), QUADS *LATENCY},
      {"zstencil.write_queue_stalls", 0, 0},
      {"colorwrite.op_queue_stalls", 0, 0},
      {"colorwrite.quads_blended", QUADS, QUADS},
      /* one update per tile, because all layers have the same depth */
      {"hz.updates", PIXELS / 64, PIXELS / 64}}},
    {ALL_IDEAL,
     "COLORWRITE.OpQueueSize=1 COLORWRITE.ReadQueueSize=1 COLORWRITE.BlendALULatency=10",
     frame_layers,
     {{"colorwrite.op_queue_stalls", QUADS *(LATENCY - 1), QUADS *LATENCY},
      {"colorwrite.read_queue_stalls", QUADS *(LATENCY - 1), QUADS *LATENCY},
      {"colorwrite.write_queue_stalls", 0, 0},
      {"zstencil.op_queue_stalls", 0, 0}}},
    /* a quad of 16 bytes takes four cycles of a port of 4 bytes, and the next one waits; each line
     * of the surface also uses a write port */
    {ALL_IDEAL,
     "ZSTENCILTEST.ZCachePortWidth=4 ZSTENCILTEST.ZCachePorts=1 "
     "ZSTENCILTEST.ZCacheExtraReadPort=FALSE",
     frame_layers,
     {{"cycles", QUADS / 2 * 4, QUADS / 2 * 4 + QUADS / 2},
      {"zstencil.read_port_stalls", QUADS * 3, QUADS * 4},
      {"zstencil.write_port_stalls", 0, 0}}},
    {ALL_IDEAL,
     "ZSTENCILTEST.ZCachePortWidth=4 ZSTENCILTEST.ZCachePorts=1 "
     "ZSTENCILTEST.ZCacheExtraWritePort=FALSE",
     frame_layers,
     {{"cycles", QUADS / 2 * 4 + PIXELS / 2, QUADS / 2 * 4 + PIXELS / 2 + QUADS / 2},
      {"zstencil.write_port_stalls", QUADS * 3, QUADS * 4 + PIXELS},
      {"zstencil.read_port_stalls", 0, QUADS}}},
    {ALL_IDEAL,
     "COLORWRITE.ColorCachePortWidth=4 COLORWRITE.ColorCachePorts=1 "
     "COLORWRITE.ColorCacheExtraReadPort=FALSE",
     frame_layers,
     {{"cycles", QUADS / 2 * 4, QUADS / 2 * 4 + QUADS / 2},
      {"colorwrite.read_port_stalls", QUADS * 3, QUADS * 4},
      {"colorwrite.write_port_stalls", 0, 0}}},
    {ALL_IDEAL,
     "COLORWRITE.ColorCachePortWidth=4 COLORWRITE.ColorCachePorts=1 "
     "COLORWRITE.ColorCacheExtraWritePort=FALSE",
     frame_layers,
     {{"cycles", QUADS / 2 * 4 + PIXELS / 2, QUADS / 2 * 4 + PIXELS / 2 + QUADS / 2},
      {"colorwrite.write_port_stalls", QUADS * 3, QUADS * 4 + PIXELS},
      {"colorwrite.read_port_stalls", 0, QUADS}}},
    /* blocks of 256 bytes, each looked up once */
    {ALL_IDEAL,
     "",
     frame_blit,
     {{"blitter.source_accesses", PIXELS * 4 / 256, PIXELS * 4 / 256},
      {"blitter.source_misses", PIXELS * 4 / 256, PIXELS * 4 / 256},
      {"blitter.source_hits", 0, 0},
      {"blitter.lines", PIXELS * 4 / 256, PIXELS * 4 / 256},
      {"blitter.lines_merged", 0, 0},
      {"blitter.pieces", PIXELS * 4 / 256, PIXELS * 4 / 256},
      {"blitter.samples", PIXELS, PIXELS}}},
    {ALL_IDEAL,
     "GPU.NumStampPipes=1",
     frame_shifted_blit,
     {{"blitter.source_accesses", 2 * 4 * 4, 2 * 4 * 4},
      {"blitter.source_misses", 5 * 4, 5 * 4},
      {"blitter.source_hits", 3 * 4, 3 * 4}}},
    /* 512 groups of 16 threads, 129 at a time, are four rounds of eight dependent samples. The
     * groups arrive one by one, which takes some more cycles. */
    {ALL_IDEAL,
     "GPU.NumFragmentShaders=1 FRAGMENTSHADER.AddressALULatency=500 "
     "FRAGMENTSHADER.ThreadResources=65536 FRAGMENTSHADER.ExecutableThreads=2048 "
     "FRAGMENTSHADER.InputBuffers=16 FRAGMENTSHADER.ThreadGroup=16",
     frame_texels,
     {{"cycles", 4 * TEXELS * 500, 4 * TEXELS * 500 * 5 / 4},
      {"shader.groups", PIXELS / 4 * 2 / 4, PIXELS / 4 * 2 / 4 + 8}}},
    /* each of eight dependent samples waits for the latency and a few cycles of transfer */
    {ALL_IDEAL,
     "FRAGMENTSHADER.AddressALULatency=50",
     frame_texel_chain,
     {{"texunit.quads", TEXELS, TEXELS},
      {"shader.texel_group_cycles", TEXELS * 50, TEXELS *(50 + 6)}}},
};

static void
one_has_the_work(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rig = rig_create_ideal(cases[i].real, cases[i].settings);
        cases[i].scene(rig);
        for (uint32_t e = 0; cases[i].expected[e].name; e++) {
            const uint64_t value = rig_figure(rig, cases[i].expected[e].name);
            if (value < cases[i].expected[e].least || value > cases[i].expected[e].most)
                fail_msg("%s: %s is %llu, not %llu to %llu", cases[i].settings,
                         cases[i].expected[e].name, (unsigned long long)value,
                         (unsigned long long)cases[i].expected[e].least,
                         (unsigned long long)cases[i].expected[e].most);
        }
        rig_destroy(rig);
    }
}

/* A counter that a unit publishes equals the unit's internal one in every cycle. A row of work may
 * end in any cycle. */
static void
assert_same(uint64_t now, const char *name, uint64_t published, uint64_t own)
{
    if (published != own)
        fail_msg("cycle %llu: %s is %llu, not %llu", (unsigned long long)now, name,
                 (unsigned long long)published, (unsigned long long)own);
}
#define ASSERT_SAME(stats, name, own) assert_same(now, #stats "." #name, (stats).name, own)

static void
compare_channels(const struct memctl *memctl, uint64_t now)
{
#define CHANNEL_STATS(STAT)   STAT(turns) STAT(row_hits) STAT(row_misses) STAT(rows_closed)
#define ADD_UP(name)          sum.name += own->name;
#define SAME_OF_CHANNEL(name) ASSERT_SAME(memctl->channel_stats[c], name, own->name);
#define SAME_OF_ALL(name)     ASSERT_SAME(memctl->stats, name, sum.name);
    struct dram_stats sum = {0};
    for (uint32_t c = 0; c < memctl->channel_count; c++) {
        const struct dram_stats *own = &memctl->channels[c].stats;
        CHANNEL_STATS(ADD_UP)
        CHANNEL_STATS(SAME_OF_CHANNEL)
    }
    CHANNEL_STATS(SAME_OF_ALL)
}

static void
compare_readers(const struct machine *m, uint64_t now)
{
    for (uint32_t t = 0; t < m->texunits; t++) {
        const struct texunit *texunit = &m->texunit[t];
        ASSERT_SAME(texunit->stats, blocks_from_clear, texunit->cache.blocks.from_clear);
        ASSERT_SAME(texunit->stats, blocks_decompressed, texunit->cache.blocks.unpacked);
        ASSERT_SAME(texunit->stats, bytes_saved, texunit->cache.blocks.bytes_saved);
    }
    for (uint32_t r = 0; r < m->rops; r++) {
        const struct block_reader *reader = &m->blitter[r].reader;
        const struct blitter_stats *stats = &m->blitter[r].stats;
        ASSERT_SAME(*stats, source_accesses, reader->hits + reader->misses);
        ASSERT_SAME(*stats, source_hits, reader->hits);
        ASSERT_SAME(*stats, source_misses, reader->misses);
        ASSERT_SAME(*stats, blocks_from_clear, reader->from_clear);
        ASSERT_SAME(*stats, blocks_decompressed, reader->unpacked);
        ASSERT_SAME(*stats, decompressor_stalls, reader->unpack_stalls);
    }
}

static void
compare_counters(void *data, uint64_t now)
{
#define SAME_OF_ROP(name, field) ASSERT_SAME(unit->stats, name, unit->rop.field);
    const struct machine *m = rig_machine(data);
    struct clock *clock = &rig_machine(data)->clock;
    clock_settle(clock);
    compare_channels(m->memctl, now);
    compare_readers(m, now);
    for (uint32_t r = 0; r < m->rops; r++) {
        const struct zstencil *unit = &m->zstencil[r];
        ROP_STATS(SAME_OF_ROP)
    }
    for (uint32_t r = 0; r < m->rops; r++) {
        const struct colorwrite *unit = &m->colorwrite[r];
        ROP_STATS(SAME_OF_ROP)
    }
    clock->sample_cycle = now + 1;
}

static void
counters_are_current(void **state)
{
    static void (*const scenes[])(struct rig * rig) = {frame_layers, frame_texels,
                                                       frame_shifted_blit};
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        struct rig *rig = rig_create();
        rig_set(rig,
                "MEMORYCONTROLLER.MemoryControllerV2=TRUE MEMORYCONTROLLER.V2MemoryRowSize=256 "
                "MEMORYCONTROLLER.V2MemoryChannels=2");
        rig_start(rig);
        struct clock *clock = &rig_machine(rig)->clock;
        clock->sample = compare_counters;
        clock->sample_data = rig;
        rig_clear(rig, MASK_COLOR0 | MASK_DEPTH, 1);
        clock->sample_cycle = clock->now + 1;
        scenes[i](rig);
        assert_true(rig_machine(rig)->memctl->stats.rows_closed > 0);
        rig_destroy(rig);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(triangles_by_size, rig_set_up, rig_tear_down),
        cmocka_unit_test(one_has_the_work),
        cmocka_unit_test(counters_are_current),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
