/* The ROPs by arithmetic: what compression and clears move, how far full-screen layers with
 * blending and depth come to what memory and the ROPs can do, and that the parameters name the
 * codecs that there are. */
#include "stream.h"

#include "base/mem.h"
#include "sim/executor.h"
#include "sim/simulation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    FORMAT_BGRA8 = 1,
    FORMAT_Z24S8 = 19,
    FORMAT_BYTES = 64,
    FORMAT_RGBA_FLOAT = 31,
    RES_COLOR = 1,
    RES_DEPTH,
    RES_VERTICES,
    OBJ_BLEND = 101,
    OBJ_RASTERIZER,
    OBJ_DSA,
    OBJ_VS,
    OBJ_FS,
    OBJ_ELEMENTS,
    OBJ_COLOR,
    OBJ_DEPTH,
    MAX_LAYERS = 16,
};

static const char vs[] = "VERT\n"
                         "DCL IN[0]\n"
                         "DCL OUT[0], POSITION\n"
                         "  0: MOV OUT[0], IN[0]\n"
                         "  1: END\n";
static const char fs[] = "FRAG\n"
                         "DCL OUT[0], COLOR\n"
                         "IMM[0] FLT32 {1.0, 0.0, 0.0, 0.5}\n"
                         "  0: MOV OUT[0], IMM[0]\n"
                         "  1: END\n";

struct rig {
    struct params params;
    uint32_t size;
    bool blends;
    struct simulation sim;
    struct executor_sink sink;
    struct stream stream;
    uint64_t *frame;             /* statistics of the last frame */
    uint64_t *layer[MAX_LAYERS]; /* statistics after each draw */
    uint64_t cycle[MAX_LAYERS];
    uint32_t layers;
    uint32_t first_pixel;
};

static uint64_t *
take_values(struct rig *rig, uint64_t *values)
{
    const struct stat_set *set = &rig->sim.machine->stats;
    values = realloc(values, set->count * sizeof *values);
    stat_set_snapshot(set, values);
    return values;
}

static bool
take_frame(void *data, const struct simulation_frame *frame, struct error *err)
{
    struct rig *rig = data;
    (void)err;
    rig->frame = take_values(rig, rig->frame);
    memcpy(&rig->first_pixel, frame->picture->rgba, 4);
    return true;
}

static void
take_layer(void *data, uint32_t frame, const struct draw *draw)
{
    struct rig *rig = data;
    (void)frame;
    (void)draw;
    assert_true(rig->layers < MAX_LAYERS);
    rig->layer[rig->layers] = take_values(rig, rig->layer[rig->layers]);
    rig->cycle[rig->layers++] = rig->sim.machine->clock.now;
}

static void
take(struct rig *rig, struct message message)
{
    struct error err;
    message.client = 1;
    if (!rig->sink.sink.take(rig->sink.sink.data, &message, NULL, 0, &err))
        fail_msg("%s", err.text);
}

static void
submit(struct rig *rig)
{
    take(rig, stream_message(&rig->stream, 1));
    rig->stream.count = 0;
}

static void
create(struct rig *rig, struct resource_desc desc)
{
    take(rig, (struct message){.kind = MESSAGE_RESOURCE_CREATE, .resource = desc});
}

static void
set_state(struct rig *rig)
{
    struct stream *s = &rig->stream;
    uint32_t blend = 15u << 27;
    if (rig->blends)
        blend |= 1 | FACTOR_SRC_ALPHA << 4 | FACTOR_INV_SRC_ALPHA << 9 | FACTOR_SRC_ALPHA << 17 |
                 FACTOR_INV_SRC_ALPHA << 22;
    PACKET(s, 1, 1, OBJ_BLEND, 0, 0, blend, 0, 0, 0, 0, 0, 0, 0);
    PACKET(s, 1, 2, OBJ_RASTERIZER, 1 << 1 | 1 << 29, float_bits(1), 0, 0, float_bits(1), 0, 0, 0);
    PACKET(s, 1, 3, OBJ_DSA, 1 | 1 << 1 | FUNC_LEQUAL << 2, 0, 0, 0);
    stream_shader(s, OBJ_VS, 0, vs);
    stream_shader(s, OBJ_FS, 1, fs);
    PACKET(s, 1, 5, OBJ_ELEMENTS, 0, 0, 0, FORMAT_RGBA_FLOAT);
    PACKET(s, 1, 8, OBJ_COLOR, RES_COLOR, FORMAT_BGRA8, 0, 0);
    PACKET(s, 1, 8, OBJ_DEPTH, RES_DEPTH, FORMAT_Z24S8, 0, 0);
    PACKET(s, 2, 1, OBJ_BLEND);
    PACKET(s, 2, 2, OBJ_RASTERIZER);
    PACKET(s, 2, 3, OBJ_DSA);
    PACKET(s, 2, 5, OBJ_ELEMENTS);
    PACKET(s, 31, 0, OBJ_VS, 0);
    PACKET(s, 31, 0, OBJ_FS, 1);
    PACKET(s, 5, 0, 1, OBJ_DEPTH, OBJ_COLOR);
    PACKET(s, 6, 0, 16, 0, RES_VERTICES);
    float half = (float)rig->size / 2;
    PACKET(s, 4, 0, 0, float_bits(half), float_bits(half), float_bits(.5f), float_bits(half),
           float_bits(half), float_bits(.5f));
    submit(rig);
}

static void
upload(struct rig *rig)
{
    /* at depth 0, where memory begins: LEQUAL passes without a clear too */
    static const float corners[4][4] = {
        {-1, -1, -1, 1}, {1, -1, -1, 1}, {-1, 1, -1, 1}, {1, 1, -1, 1}};
    struct message message = {
        .kind = MESSAGE_PUT, .bytes = (const uint8_t *)corners, .size_bytes = sizeof corners};
    message.transfer.handle = RES_VERTICES;
    message.transfer.box = (struct box){0, 0, 0, sizeof corners, 1, 1};
    take(rig, message);
}

static struct rig *
rig_create(const char *preset, uint32_t size, bool blends, const char *const *set)
{
    struct rig *rig = mem_alloc(sizeof *rig);
    struct simulation_listener listener = {.data = rig, .frame = take_frame, .batch = take_layer};
    struct frame_set all = {0};
    struct error err;
    rig->size = size;
    rig->blends = blends;
    if (!params_load_preset(&rig->params, preset, &err))
        fail_msg("%s", err.text);
    rig->params.MEMORYCONTROLLER.MemorySize = 8 << 20;
    for (; set && *set; set++)
        if (!params_set(&rig->params, *set, &err))
            fail_msg("%s", err.text);
    if (!simulation_init(&rig->sim, &rig->params, &all, &listener, &err))
        fail_msg("%s", err.text);
    executor_sink_init(&rig->sink, &rig->sim.executor);
    take(rig, (struct message){.kind = MESSAGE_CLIENT_BEGIN});
    create(rig, (struct resource_desc){RES_COLOR, TARGET_2D, FORMAT_BGRA8,
                                       BIND_RENDER_TARGET | BIND_DISPLAY_TARGET, size, size, 1, 1,
                                       0, 0});
    create(rig, (struct resource_desc){RES_DEPTH, TARGET_2D, FORMAT_Z24S8, BIND_DEPTH_STENCIL, size,
                                       size, 1, 1, 0, 0});
    create(rig, (struct resource_desc){RES_VERTICES, TARGET_BUFFER, FORMAT_BYTES,
                                       BIND_VERTEX_BUFFER, 64, 1, 1, 1, 0, 0});
    set_state(rig);
    upload(rig);
    return rig;
}

static void
rig_destroy(struct rig *rig)
{
    executor_sink_fini(&rig->sink);
    simulation_fini(&rig->sim);
    free(rig->frame);
    for (uint32_t i = 0; i < MAX_LAYERS; i++)
        free(rig->layer[i]);
    free(rig);
}

/* Color to opaque green, depth to 1, stencil to 0. */
static void
clear(struct rig *rig)
{
    double one = 1;
    uint32_t depth[2];
    memcpy(depth, &one, sizeof depth);
    PACKET(&rig->stream, 7, 0, 1 << 2 | 3, 0, float_bits(1), 0, float_bits(1), depth[0], depth[1],
           0);
    submit(rig);
}

static void
draw(struct rig *rig)
{
    PACKET(&rig->stream, 8, 0, 0, 4, 5, 0, 1, 0, 0, 0, 0, 0, ~0u, 0);
    submit(rig);
}

static void
swap(struct rig *rig)
{
    struct message message = {.kind = MESSAGE_SWAP};
    message.transfer.handle = RES_COLOR;
    message.transfer.box = (struct box){0, 0, 0, (int32_t)rig->size, (int32_t)rig->size, 1};
    take(rig, message);
}

/* A statistic summed over its unit's instances: "colorwrite.quads_in" is of all color writes. */
static uint64_t
sum(const struct rig *rig, const uint64_t *values, const char *name)
{
    const struct stat_set *set = &rig->sim.machine->stats;
    size_t unit = strcspn(name, ".");
    uint64_t total = 0;
    bool found = false;
    for (uint32_t i = 0; i < set->count; i++) {
        const char *entry = set->entries[i].name;
        if (strncmp(entry, name, unit) || strcmp(entry + strcspn(entry, "."), name + unit) ||
            (entry[unit] != '.' && entry[unit] != '['))
            continue;
        total += values[i];
        found = true;
    }
    if (!found)
        fail_msg("there is no statistic %s", name);
    return total;
}

static void
assert_sum(const struct rig *rig, const char *name, uint64_t expected)
{
    uint64_t value = sum(rig, rig->frame, name);
    if (value != expected)
        fail_msg("%s is %llu, not %llu", name, (unsigned long long)value,
                 (unsigned long long)expected);
}

/* 64x64 pixels of one color are 64 blocks, in each of which the smallest of the word is the
 * largest: the smallest level, 64 bytes, holds it. The depth blocks likewise. The DAC reads the
 * same 64 bytes a block. */
static void
flat_blocks(void **state)
{
    (void)state;
    struct rig *rig = rig_create("reference-2005", 64, false, NULL);
    clear(rig);
    draw(rig);
    swap(rig);
    assert_sum(rig, "colorwrite.blocks_written_64", 64);
    assert_sum(rig, "memctl.color_bytes_written", 64 * 64);
    assert_sum(rig, "memctl.color_bytes_read", 0);
    assert_sum(rig, "zstencil.blocks_written_64", 64);
    assert_sum(rig, "memctl.z_bytes_written", 64 * 64);
    assert_sum(rig, "colorwrite.bytes_saved", 64 * 192);
    assert_sum(rig, "memctl.dac_bytes_read", 64 * 64);
    assert_sum(rig, "dac.blocks_decompressed", 64);
    assert_sum(rig, "dac.blocks", 64);
    rig_destroy(rig);
}

/* Nothing is read twice: the second frame begins with raw blocks in memory. */
static void
frames_begin_raw(void **state)
{
    (void)state;
    struct rig *rig = rig_create("reference-2005", 64, false, NULL);
    clear(rig);
    draw(rig);
    swap(rig);
    draw(rig);
    swap(rig);
    assert_sum(rig, "colorwrite.blocks_read_raw", 64);
    assert_sum(rig, "colorwrite.blocks_read_64", 0);
    assert_sum(rig, "memctl.color_bytes_read", 64 * 256);
    assert_sum(rig, "memctl.color_bytes_written", 64 * 64);
    rig_destroy(rig);
}

/* With 10 states a ROP, 2 ROPs clear 20 of the 64 blocks by their states and write the others; of
 * these a draw reads all, and writes them back as they are. */
static void
few_block_states(void **state)
{
    static const char *const set[] = {"COLORWRITE.BlockStateMemorySize=10", NULL};
    (void)state;
    struct rig *rig = rig_create("reference-2005", 64, false, set);
    assert_int_equal(rig->params.GPU.NumStampPipes, 2);
    clear(rig);
    draw(rig);
    swap(rig);
    assert_sum(rig, "colorwrite.blocks_cleared", 20);
    assert_sum(rig, "colorwrite.lines_from_clear", 20);
    assert_sum(rig, "colorwrite.blocks_read_raw", 44);
    assert_sum(rig, "colorwrite.blocks_written_64", 20);
    assert_sum(rig, "memctl.color_bytes_written", (44 + 44) * 256 + 20 * 64);
    assert_sum(rig, "memctl.dac_bytes_read", 44 * 256 + 20 * 64);
    assert_int_equal(rig->first_pixel & 0xffffff, 0x0000ff); /* red */
    rig_destroy(rig);
}

/* The share of the bound that layers reach: `bound` cycles against those from the third layer's end
 * to the last one's. */
static double
share_of(const struct rig *rig, double bound_a_layer)
{
    uint32_t counted = rig->layers - 3;
    return counted * bound_a_layer / (double)(rig->cycle[rig->layers - 1] - rig->cycle[2]);
}

/* Layers with blending and LEQUAL depth, all of one depth, without a clear or compression: each
 * reads and writes every pixel's color and depth, 16 bytes. The bounds: ROPs * StampsPerCycle quads
 * a cycle; and the bytes that all channels move, when reads and writes come in runs as long as
 * MaxConsecutiveReads and Writes allow, each turn costing its bus idle time. */
static double
fill_share(const char *const *set, bool *rops_bind)
{
    enum { SIZE = 512, LAYERS = 6 };
    struct rig *rig = rig_create("reference-2008", SIZE, true, set);
    for (uint32_t i = 0; i < LAYERS; i++)
        draw(rig);
    swap(rig);
    const struct params *p = &rig->params;
    const double pixels = (double)SIZE * SIZE;
    const uint64_t *last = rig->layer[LAYERS - 1], *third = rig->layer[2];
    double bytes = 0;
    static const char *const names[] = {"memctl.z_bytes_read", "memctl.z_bytes_written",
                                        "memctl.color_bytes_read", "memctl.color_bytes_written"};
    for (uint32_t i = 0; i < 4; i++)
        bytes += (double)(sum(rig, last, names[i]) - sum(rig, third, names[i]));
    /* the caches hold a few lines from one layer to the next */
    assert_true(bytes > 0.97 * 16 * pixels * 3 && bytes < 1.03 * 16 * pixels * 3);
    double rop = pixels / 4 / (p->GPU.NumStampPipes * p->COLORWRITE.StampsPerCycle);
    double channel = 4.0 * p->MEMORYCONTROLLER.V2BurstElementsPerCycle; /* bytes a cycle */
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

/* A bus that is wide enough; and shader units enough, since a fragment takes more than one cycle of
 * theirs. */
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

/* The choices of a parameter are the codecs of its kind and "none", ATTILA's three first. */
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

/* Bytes of the captured transfers, as a codec that chooses for itself has it. */
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

/* What crosses is captured, all of it, with its words: a codec over the capture moves the bytes
 * that the memory controller counted. */
static void
capture_is_the_traffic(void **state)
{
    static const char *const set[] = {
        "COLORWRITE.BlockStateMemorySize=10", "COLORWRITE.CompressionAlgorithm=hilore",
        "COLORWRITE.ColorCacheLines=1", "ZSTENCILTEST.ZCacheLines=2", NULL};
    static const enum codec_kind kinds[2] = {CODEC_COLOR, CODEC_DEPTH};
    struct rop_capture captures[2];
    char paths[2][32] = {"/tmp/aetius-color-XXXXXX", "/tmp/aetius-z-XXXXXX"};
    struct error err;
    (void)state;
    struct rig *rig = rig_create("reference-2005", 64, true, set);
    for (uint32_t i = 0; i < 2; i++) {
        close(mkstemp(paths[i]));
        captures[i] = (struct rop_capture){.frame = &rig->sim.frame};
        assert_true(blocks_writer_create(&captures[i].writer, paths[i], kinds[i], &err));
    }
    for (uint32_t r = 0; r < rig->sim.machine->rops; r++) {
        rig->sim.machine->colorwrite[r].rop.cache.capture = &captures[0];
        rig->sim.machine->zstencil[r].rop.cache.capture = &captures[1];
    }
    clear(rig);
    draw(rig);
    draw(rig);
    swap(rig);
    for (uint32_t i = 0; i < 2; i++)
        assert_true(blocks_writer_close(captures[i].writer, &err));
    uint64_t color = sum(rig, rig->frame, "memctl.color_bytes_read") +
                     sum(rig, rig->frame, "memctl.color_bytes_written");
    uint64_t z = sum(rig, rig->frame, "memctl.z_bytes_read") +
                 sum(rig, rig->frame, "memctl.z_bytes_written");
    assert_true(color && z);
    assert_int_equal(captured_bytes(paths[0], codec_find("hilore")), color);
    assert_int_equal(captured_bytes(paths[1], &codec_hilo), z);
    for (uint32_t i = 0; i < 2; i++)
        unlink(paths[i]);
    rig_destroy(rig);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_blocks),
        cmocka_unit_test(frames_begin_raw),
        cmocka_unit_test(few_block_states),
        cmocka_unit_test(fill_is_bound_by_memory),
        cmocka_unit_test(fill_is_bound_by_rops),
        cmocka_unit_test(parameters_name_the_codecs),
        cmocka_unit_test(capture_is_the_traffic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
