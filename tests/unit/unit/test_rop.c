/* The ROPs: calculated bytes of compression and clears, and the codec names that parameters accept.
 * Full-screen layers with blending and depth approach the bound of memory or of the ROPs. */
#include "rigs/rig.h"

#include <unistd.h>

enum { MAX_LAYERS = 16 };

static const char half_red_fs[] = "FRAG\n"
                                  "DCL OUT[0], COLOR\n"
                                  "IMM[0] FLT32 {1.0, 0.0, 0.0, 0.5}\n"
                                  "  0: MOV OUT[0], IMM[0]\n"
                                  "  1: END\n";

/* The cycle at the end of each draw, and the bytes of z and color that have moved in the frame by
 * then. */
struct layers {
    uint32_t count;
    uint64_t cycle[MAX_LAYERS], bytes[MAX_LAYERS];
};

static uint64_t
frame_bytes(const struct rig *rig)
{
    static const char *const names[] = {"memctl.z_bytes_read", "memctl.z_bytes_written",
                                        "memctl.color_bytes_read", "memctl.color_bytes_written"};
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < 4; i++)
        bytes += rig_figure(rig, names[i]);
    return bytes;
}

static void
take_layer(struct rig *rig)
{
    struct layers *layers = rig->data;
    assert_true(layers->count < MAX_LAYERS);
    stat_set_snapshot(&rig_machine(rig)->stats, rig->values);
    layers->bytes[layers->count] = frame_bytes(rig);
    layers->cycle[layers->count++] = rig_machine(rig)->clock.now;
}

/* Sets half transparent red and LEQUAL. Uploads a strip over the surface at depth 0. Memory
 * initially contains 0, so LEQUAL passes without a clear. */
static void
set_layers(struct rig *rig, bool blends)
{
    static const float corners[4][4] = {
        {-1, -1, -1, 1}, {1, -1, -1, 1}, {-1, 1, -1, 1}, {1, 1, -1, 1}};
    enum { OBJ_LAYER_BLEND = 300, OBJ_LAYER_DSA, OBJ_LAYER_FS };
    struct stream *s = &rig->stream;
    uint32_t blend = BLEND_WRITES;
    if (blends)
        blend = blend_of(FACTOR_SRC_ALPHA, FACTOR_INV_SRC_ALPHA);
    stream_blend(s, OBJ_LAYER_BLEND, blend);
    stream_depth(s, OBJ_LAYER_DSA, FUNC_LEQUAL);
    stream_shader(s, OBJ_LAYER_FS, VSTAGE_FRAGMENT, half_red_fs);
    stream_bind(s, VOBJ_BLEND, OBJ_LAYER_BLEND);
    stream_bind(s, VOBJ_DSA, OBJ_LAYER_DSA);
    stream_bind_shader(s, OBJ_LAYER_FS, VSTAGE_FRAGMENT);
    rig_submit(rig);
    rig_upload(rig, RES_VERTICES, corners, sizeof corners);
}

static struct rig *
rig_of(const char *preset, uint32_t size, bool blends, const char *const *set)
{
    struct error err;
    struct rig *rig = rig_create();
    if (!params_load_preset(&rig->params, preset, &err))
        fail_msg("%s", err.text);
    rig->params.MEMORYCONTROLLER.MemorySize = 8 << 20;
    for (; set && *set; set++)
        if (!params_set(&rig->params, *set, &err))
            fail_msg("%s", err.text);
    rig->size = size;
    rig->data = calloc(1, sizeof(struct layers));
    rig->on_batch = take_layer;
    rig_start(rig);
    set_layers(rig, blends);
    return rig;
}

/* Clears color to opaque green, depth to 1 and stencil to 0. */
static void
clear(struct rig *rig)
{
    stream_clear(&rig->stream, CLEAR_ALL, (float[]){0, 1, 0, 1}, 1, 0);
    rig_submit(rig);
}

static void
draw(struct rig *rig)
{
    rig_draw(rig, PRIM_TRIANGLE_STRIP, 4, 0);
}

#define COLOR_COMPRESSED "COLORWRITE.DisableCompression=FALSE"
static const char *const color_compressed[] = {COLOR_COMPRESSED, NULL};

/* 64x64 pixels of one color are 64 blocks. All words of a block are equal, so the smallest level,
 * 64 bytes, is sufficient. The same is true for depth blocks. The DAC reads 64 bytes per block,
 * too. */
static void
flat_blocks(void **state)
{
    (void)state;
    struct rig *rig = rig_of("reference-2005", 64, false, color_compressed);
    clear(rig);
    draw(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "colorwrite.blocks_written_64", 64);
    rig_assert_figure(rig, "memctl.color_bytes_written", 64 * 64);
    rig_assert_figure(rig, "memctl.color_bytes_read", 0);
    rig_assert_figure(rig, "zstencil.blocks_written_64", 64);
    rig_assert_figure(rig, "memctl.z_bytes_written", 64 * 64);
    rig_assert_figure(rig, "colorwrite.bytes_saved", 64 * 192);
    rig_assert_figure(rig, "memctl.dac_bytes_read", 64 * 64);
    rig_assert_figure(rig, "dac.blocks_decompressed", 64);
    rig_assert_figure(rig, "dac.blocks", 64);
    rig_destroy(rig);
}

/* A target whose channels are all masked off moves no bytes. Only the DAC reads it. */
static void
masked_off(void **state)
{
    enum { OBJ_MASKED = 330 };
    (void)state;
    struct rig *rig = rig_of("reference-2005", 64, false, NULL);
    stream_blend(&rig->stream, OBJ_MASKED, 0);
    stream_bind(&rig->stream, VOBJ_BLEND, OBJ_MASKED);
    rig_submit(rig);
    draw(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "memctl.color_bytes_read", 0);
    rig_assert_figure(rig, "memctl.color_bytes_written", 0);
    rig_assert_figure(rig, "colorwrite.cache_accesses", 0);
    rig_destroy(rig);
}

/* reference-2005 compresses only depth (configs/reference-2005.ini). Block states record clears of
 * both surfaces, so nothing is read, and color moves uncompressed. */
static void
color_moves_whole_in_2005(void **state)
{
    (void)state;
    struct rig *rig = rig_of("reference-2005", 64, false, NULL);
    clear(rig);
    draw(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "colorwrite.blocks_cleared", 64);
    rig_assert_figure(rig, "colorwrite.blocks_written_raw", 64);
    rig_assert_figure(rig, "colorwrite.bytes_saved", 0);
    rig_assert_figure(rig, "memctl.color_bytes_written", 64 * 256);
    rig_assert_figure(rig, "memctl.color_bytes_read", 0);
    rig_assert_figure(rig, "memctl.dac_bytes_read", 64 * 256);
    rig_assert_figure(rig, "zstencil.blocks_written_64", 64);
    rig_destroy(rig);
}

/* The second frame begins with raw blocks in memory; no block is read twice. */
static void
frames_begin_raw(void **state)
{
    static const char *const set[] = {COLOR_COMPRESSED, "COLORWRITE.ReadBeforeWrite=TRUE", NULL};
    (void)state;
    struct rig *rig = rig_of("reference-2005", 64, false, set);
    clear(rig);
    draw(rig);
    rig_swap(rig);
    draw(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "colorwrite.blocks_read_raw", 64);
    rig_assert_figure(rig, "colorwrite.blocks_read_64", 0);
    rig_assert_figure(rig, "memctl.color_bytes_read", 64 * 256);
    rig_assert_figure(rig, "memctl.color_bytes_written", 64 * 64);
    rig_destroy(rig);
}

/* With 10 states per ROP, 2 ROPs clear 20 of the 64 blocks by their states and write the others. A
 * draw reads those 44 blocks and writes them back raw. */
static void
few_block_states(void **state)
{
    static const char *const set[] = {COLOR_COMPRESSED, "COLORWRITE.BlockStateMemorySize=10",
                                      "COLORWRITE.ReadBeforeWrite=TRUE", NULL};
    (void)state;
    struct rig *rig = rig_of("reference-2005", 64, false, set);
    assert_int_equal(rig->params.GPU.NumStampPipes, 2);
    clear(rig);
    draw(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "colorwrite.blocks_cleared", 20);
    rig_assert_figure(rig, "colorwrite.lines_from_clear", 20);
    rig_assert_figure(rig, "colorwrite.blocks_read_raw", 44);
    rig_assert_figure(rig, "colorwrite.blocks_written_64", 20);
    rig_assert_figure(rig, "memctl.color_bytes_written", (44 + 44) * 256 + 20 * 64);
    rig_assert_figure(rig, "memctl.dac_bytes_read", 44 * 256 + 20 * 64);
    assert_int_equal(rig->pixels[0] & 0xffffff, 0x0000ff); /* red */
    rig_destroy(rig);
}

/* Returns the bound of a layer divided by its cycles. The cycles are from the end of the third
 * layer to the end of the last one. */
static double
share_of(const struct rig *rig, double bound_a_layer)
{
    const struct layers *layers = rig->data;
    const uint32_t last = layers->count - 1;
    return (last - 2) * bound_a_layer / (double)(layers->cycle[last] - layers->cycle[2]);
}

/* Draws layers with blending and LEQUAL, all of the same depth, without a clear or compression.
 * Each layer reads and writes color and depth of every pixel, 16 bytes. One bound is ROPs *
 * StampsPerCycle quads per cycle. The other is the bandwidth of all channels. The second bound
 * assumes runs of MaxConsecutiveReads and MaxConsecutiveWrites, with idle time of the bus at each
 * turn. */
static double
fill_share(const char *const *set, bool *rops_bind)
{
    enum { SIDE = 512, LAYERS = 6 };
    struct rig *rig = rig_of("reference-2008", SIDE, true, set);
    for (uint32_t i = 0; i < LAYERS; i++)
        draw(rig);
    rig_swap(rig);
    const struct params *p = &rig->params;
    const double pixels = (double)SIDE * SIDE;
    const struct layers *layers = rig->data;
    const double bytes = (double)(layers->bytes[LAYERS - 1] - layers->bytes[2]);
    /* the caches keep a few lines from one layer to the next */
    assert_true(bytes > 0.97 * 16 * pixels * 3 && bytes < 1.03 * 16 * pixels * 3);
    double rop = pixels / 4 / (p->GPU.NumStampPipes * p->COLORWRITE.StampsPerCycle);
    double channel = 4.0 * p->MEMORYCONTROLLER.V2BurstElementsPerCycle; /* bytes per cycle */
    double reads = p->MEMORYCONTROLLER.MaxConsecutiveReads * 64.0 / channel;
    double writes = p->MEMORYCONTROLLER.MaxConsecutiveWrites * 64.0 / channel;
    double turns = p->MEMORYCONTROLLER.V2GDDR_tRTW + p->MEMORYCONTROLLER.V2GDDR_tWTR +
                   p->MEMORYCONTROLLER.V2GDDR_CAS;
    if (p->MEMORYCONTROLLER.V2PerfectMemory)
        turns = 0;
    double memory = 16 * pixels / (channel * p->MEMORYCONTROLLER.V2MemoryChannels) *
                    ((reads + writes + turns) / (reads + writes));
    *rops_bind = rop > memory;
    double share = share_of(rig, rop > memory ? rop : memory);
    rig_destroy(rig);
    return share;
}

static void
assert_share(const char *what, double share)
{
    if (share < 0.8 || share > 1)
        fail_msg("%s: %.1f %% of the bound", what, 100 * share);
    if (getenv("AETIUS_ALL"))
        print_message("%s: %.1f %% of the bound\n", what, 100 * share);
}

#define NO_COMPRESSION "ZSTENCILTEST.DisableCompression=TRUE", "COLORWRITE.DisableCompression=TRUE"

static void
fill_is_bound_by_memory(void **state)
{
    static const char *const set[] = {NO_COMPRESSION, NULL};
    bool rops_bind;
    (void)state;
    assert_share("as in the preset", fill_share(set, &rops_bind));
    assert_false(rops_bind);
}

/* The bus is wide enough. A fragment takes more than one cycle of a shader unit, so the machine has
 * more of these units. */
static void
fill_is_bound_by_rops(void **state)
{
    static const char *const one[] = {NO_COMPRESSION, "GPU.NumStampPipes=1",
                                      "MEMORYCONTROLLER.V2PerfectMemory=TRUE",
                                      "MEMORYCONTROLLER.V2BurstElementsPerCycle=4", NULL};
    static const char *const four[] = {NO_COMPRESSION, "GPU.NumFragmentShaders=16",
                                       "MEMORYCONTROLLER.V2PerfectMemory=TRUE",
                                       "MEMORYCONTROLLER.V2BurstElementsPerCycle=16", NULL};
    bool rops_bind;
    (void)state;
    assert_share("one ROP, perfect memory", fill_share(one, &rops_bind));
    assert_true(rops_bind);
    assert_share("four ROPs, perfect memory", fill_share(four, &rops_bind));
    assert_true(rops_bind);
}

/* Each of the two shader units of reference-2005 takes a quad per cycle, and a layer has one
 * instruction. Each of the two ROPs takes a quad per cycle, too. The units keep up, because
 * neighboring tiles go to different units. Quads that arrive together for the same unit do not
 * block those for the other one. */
static void
two_units_keep_up_with_two_rops(void **state)
{
    static const char *const set[] = {"MEMORYCONTROLLER.MemoryBuses=16", NULL};
    enum { SIDE = 256, LAYERS = 6 };
    (void)state;
    struct rig *rig = rig_of("reference-2005", SIDE, false, set);
    for (uint32_t i = 0; i < LAYERS; i++)
        draw(rig);
    rig_swap(rig);
    const struct params *p = &rig->params;
    assert_int_equal(p->GPU.NumStampPipes, 2);
    assert_int_equal(p->GPU.NumFragmentShaders, 2);
    assert_share("opaque layers", share_of(rig, SIDE * SIDE / 4 / 2.0));
    rig_destroy(rig);
}

/* A parameter accepts the codecs of its kind and "none". ATTILA's three codecs are first. */
static void
parameters_name_the_codecs(void **state)
{
    static const struct {
        const char *section;
        uint32_t kind;
    } units[] = {{"ZSTENCILTEST", CODEC_DEPTH}, {"COLORWRITE", CODEC_COLOR}};
    (void)state;
    for (uint32_t u = 0; u < 2; u++) {
        const struct param_info *info = param_find(units[u].section, "CompressionAlgorithm");
        char choices[512];
        uint32_t named = 0, applying = 0;
        snprintf(choices, sizeof choices, "|%s|", info->choices);
        for (const char *p = choices + 1; *p; p++)
            named += *p == '|';
        for (const struct codec *const *codec = codecs; *codec; codec++) {
            char name[64];
            snprintf(name, sizeof name, "|%s|", (*codec)->name);
            applying += ((*codec)->applies & units[u].kind) != 0;
            if (((*codec)->applies & units[u].kind) && !strstr(choices, name))
                fail_msg("%s.CompressionAlgorithm: %s is missing", units[u].section, name);
        }
        assert_int_equal(named, applying + 1);
        assert_ptr_equal(strstr(choices, "|hilo|hilore|msaa|none|"), choices);
    }
}

/* Returns the bytes of the captured transfers if `codec` chooses the levels. */
static uint64_t
captured_bytes(const char *path, const struct codec *codec)
{
    struct blocks_reader *reader;
    struct error err;
    uint64_t bytes = 0;
    bool end = false;
    if (!blocks_reader_open(&reader, path, &err))
        fail_msg("%s", err.text);
    for (;;) {
        struct blocks_segment segment;
        assert_true(blocks_reader_next(reader, &segment, &end, &err));
        if (end)
            break;
        for (uint32_t i = 0; i < segment.count_count; i++) {
            const struct block_count *count = &segment.counts[i];
            const struct codec_shape shape = {CODEC_BUS_64, count->tag.samples};
            int32_t level = count->tag.flags & BLOCK_IS_PLAIN
                                ? CODEC_RAW
                                : codec->choose(segment.blocks[count->block], shape);
            if (!(count->tag.flags & BLOCK_IS_CLEARED))
                bytes += count->count * (uint64_t)codec_level_bytes(codec, CODEC_BUS_64, level);
        }
    }
    blocks_reader_close(reader);
    return bytes;
}

/* A capture contains all transfers with their words. A codec applied to the capture yields the
 * bytes that the Memory Controller counted. */
static void
capture_is_the_traffic(void **state)
{
    static const char *const set[] = {COLOR_COMPRESSED,
                                      "COLORWRITE.BlockStateMemorySize=10",
                                      "COLORWRITE.CompressionAlgorithm=hilore",
                                      "COLORWRITE.ColorCacheLines=1",
                                      "ZSTENCILTEST.ZCacheLines=2",
                                      NULL};
    static const enum codec_kind kinds[2] = {CODEC_COLOR, CODEC_DEPTH};
    struct rop_capture captures[2];
    char paths[2][32] = {"/tmp/aetius-color-XXXXXX", "/tmp/aetius-z-XXXXXX"};
    struct error err;
    (void)state;
    struct rig *rig = rig_of("reference-2005", 64, true, set);
    for (uint32_t i = 0; i < 2; i++) {
        close(mkstemp(paths[i]));
        captures[i] = (struct rop_capture){.frame = &rig->player.sim.frame};
        assert_true(blocks_writer_create(&captures[i].writer, paths[i], kinds[i], &err));
    }
    for (uint32_t r = 0; r < rig_machine(rig)->rops; r++) {
        rig_machine(rig)->colorwrite[r].rop.cache.capture = &captures[0];
        rig_machine(rig)->zstencil[r].rop.cache.capture = &captures[1];
    }
    clear(rig);
    draw(rig);
    draw(rig);
    rig_swap(rig);
    for (uint32_t i = 0; i < 2; i++)
        assert_true(blocks_writer_close(captures[i].writer, &err));
    uint64_t color =
        rig_figure(rig, "memctl.color_bytes_read") + rig_figure(rig, "memctl.color_bytes_written");
    uint64_t z = rig_figure(rig, "memctl.z_bytes_read") + rig_figure(rig, "memctl.z_bytes_written");
    assert_true(color && z);
    assert_int_equal(captured_bytes(paths[0], codec_find("hilore")), color);
    assert_int_equal(captured_bytes(paths[1], &codec_hilo), z);
    for (uint32_t i = 0; i < 2; i++)
        unlink(paths[i]);
    rig_destroy(rig);
}

static uint64_t
moved_bytes(const char *path)
{
    struct blocks_reader *reader;
    struct blocks_segment segment;
    struct error err;
    uint64_t bytes = 0;
    bool end = false;
    if (!blocks_reader_open(&reader, path, &err))
        fail_msg("%s", err.text);
    while (blocks_reader_next(reader, &segment, &end, &err) && !end)
        for (uint32_t i = 0; i < segment.count_count; i++)
            bytes += segment.counts[i].count * (uint64_t)segment.counts[i].tag.moved_bytes;
    blocks_reader_close(reader);
    return bytes;
}

/* The capture records the bytes of lines written under a mask. The cache has one line per ROP, so
 * that both triangles of a layer write their parts of the shared tiles. */
static void
capture_knows_masks(void **state)
{
    static const char *const set[] = {"COLORWRITE.ColorCacheLines=1", "COLORWRITE.ColorCacheWays=1",
                                      "RASTERIZER.RasterizationBatchSize=1", NULL};
    char path[] = "/tmp/aetius-color-XXXXXX";
    struct rop_capture capture;
    struct error err;
    (void)state;
    struct rig *rig = rig_of("reference-2005", 64, false, set);
    close(mkstemp(path));
    capture = (struct rop_capture){.frame = &rig->player.sim.frame};
    assert_true(blocks_writer_create(&capture.writer, path, CODEC_COLOR, &err));
    for (uint32_t r = 0; r < rig_machine(rig)->rops; r++)
        rig_machine(rig)->colorwrite[r].rop.cache.capture = &capture;
    draw(rig);
    rig_swap(rig);
    assert_true(blocks_writer_close(capture.writer, &err));
    assert_true(rig_figure(rig, "colorwrite.parts_written") >= 8);
    rig_assert_figure(rig, "memctl.color_bytes_written", 64 * 64 * 4);
    assert_int_equal(moved_bytes(path), 64 * 64 * 4);
    unlink(path);
    rig_destroy(rig);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_blocks),
        cmocka_unit_test(masked_off),
        cmocka_unit_test(color_moves_whole_in_2005),
        cmocka_unit_test(frames_begin_raw),
        cmocka_unit_test(few_block_states),
        cmocka_unit_test(fill_is_bound_by_memory),
        cmocka_unit_test(fill_is_bound_by_rops),
        cmocka_unit_test(two_units_keep_up_with_two_rops),
        cmocka_unit_test(parameters_name_the_codecs),
        cmocka_unit_test(capture_is_the_traffic),
        cmocka_unit_test(capture_knows_masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
