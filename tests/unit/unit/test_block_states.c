/* Block states persist after a surface is unbound. They determine how many bytes move when the
 * surface is sampled, bound again or shown. A surface loses its states when they run out, when
 * another unit writes to the surface, or when it is destroyed. 64x64 pixels of 4 bytes are 64
 * blocks of 256 bytes. A block of one color takes 64 bytes when compressed. */
#include "rigs/rig.h"

enum {
    RES_OTHER = 20,
    RES_THIRD,
    OBJ_OTHER = 200,
    OBJ_THIRD,
    OBJ_OTHER_VIEW,
    OBJ_NEAREST,
    OBJ_TEXTURED,
    OBJ_STRIDES,
    OBJ_ADDS,
    BLOCKS = 64,
    RED = 0xff0000ff,
};

static const char strides_fs[] = "FRAG\n"
                                 "DCL IN[0], POSITION, LINEAR\n"
                                 "DCL OUT[0], COLOR\n"
                                 "DCL SAMP[0]\n"
                                 "DCL SVIEW[0], 2D, FLOAT\n"
                                 "DCL TEMP[0]\n"
                                 "IMM[0] FLT32 {0.125, 0.125, 0.0, 0.0}\n"
                                 "  0: MUL TEMP[0], IN[0], IMM[0]\n"
                                 "  1: TEX OUT[0], TEMP[0], SAMP[0], 2D\n"
                                 "  2: END\n";

static void
create_target(struct rig *rig, uint32_t handle, uint32_t object)
{
    struct stream *s = &rig->stream;
    player_create(&rig->player, (struct resource_desc){handle, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                       BIND_RENDER_TARGET | BIND_SAMPLER_VIEW, SIZE,
                                                       SIZE, 1, 1, 0, 0});
    stream_surface(s, object, handle, FORMAT_B8G8R8A8_UNORM);
    rig_submit(rig);
}

/* Color is compressed. With a single Texture Unit no line is read twice. */
static void
start(struct rig *rig)
{
    static const float corners[4][4] = {
        {-1, -1, -.5f, 1}, {1, -1, -.5f, 1}, {-1, 1, -.5f, 1}, {1, 1, -.5f, 1}};
    struct stream *s = &rig->stream;
    rig->has_depth = false;
    rig->params.GPU.NumFragmentShaders = 1;
    rig->params.COLORWRITE.DisableCompression = false;
    rig_start(rig);
    rig_upload(rig, RES_VERTICES, corners, sizeof corners);
    create_target(rig, RES_OTHER, OBJ_OTHER);
    stream_view(s, OBJ_OTHER_VIEW, RES_OTHER, FORMAT_B8G8R8A8_UNORM, 0);
    stream_sampler(s, OBJ_NEAREST, FILTER_NEAREST);
    stream_shader(s, OBJ_TEXTURED, VSTAGE_FRAGMENT, rig_textured_fs);
    PACKET(s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, OBJ_OTHER_VIEW);
    PACKET(s, CMD_BIND_SAMPLER_STATES, VSTAGE_FRAGMENT, 0, OBJ_NEAREST);
    rig_submit(rig);
}

static void
bind(struct rig *rig, uint32_t surface)
{
    PACKET(&rig->stream, CMD_SET_FRAMEBUFFER_STATE, 1, 0, surface);
    rig_submit(rig);
}

static void
clear_to_red(struct rig *rig, uint32_t surface)
{
    bind(rig, surface);
    stream_clear(&rig->stream, MASK_COLOR0, (float[]){1, 0, 0, 1}, 0, 0);
    rig_submit(rig);
}

static void
draw(struct rig *rig, uint32_t surface)
{
    bind(rig, surface);
    rig_draw(rig, PRIM_TRIANGLE_STRIP, 4, 0);
}

/* Draws the other surface as a texture over the whole shown surface. */
static void
show_other(struct rig *rig)
{
    stream_bind_shader(&rig->stream, OBJ_TEXTURED, VSTAGE_FRAGMENT);
    draw(rig, OBJ_COLOR);
    stream_bind_shader(&rig->stream, OBJ_FS, VSTAGE_FRAGMENT);
    rig_swap(rig);
}

static void
assert_red(const struct rig *rig)
{
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        assert_int_equal(rig->pixels[i], RED);
}

/* Sampling a cleared texture reads no memory. */
static void
cleared_texture(void **state)
{
    struct rig *rig = *state;
    start(rig);
    clear_to_red(rig, OBJ_OTHER);
    show_other(rig);
    assert_red(rig);
    rig_assert_figure(rig, "memctl.texture_bytes_read", 0);
    rig_assert_figure(rig, "texunit.blocks_from_clear", BLOCKS);
    rig_assert_figure(rig, "texunit.blocks_decompressed", 0);
    rig_assert_figure(rig, "texunit.bytes_saved", BLOCKS * 256);
}

/* Each block of a compressed texture is read once, as 64 bytes that serve its four lines. */
static void
compressed_texture(void **state)
{
    struct rig *rig = *state;
    start(rig);
    draw(rig, OBJ_OTHER);
    show_other(rig);
    assert_red(rig);
    rig_assert_figure(rig, "memctl.texture_bytes_read", BLOCKS * 64);
    rig_assert_figure(rig, "texunit.blocks_decompressed", BLOCKS);
    rig_assert_figure(rig, "texunit.bytes_saved", BLOCKS * 192);
}

static uint64_t
cycles_with(uint32_t places)
{
    struct rig *rig = rig_create();
    rig->params.FRAGMENTSHADER.TextureUnpackedBlocks = places;
    start(rig);
    draw(rig, OBJ_OTHER);
    stream_shader(&rig->stream, OBJ_STRIDES, VSTAGE_FRAGMENT, strides_fs);
    stream_bind_shader(&rig->stream, OBJ_STRIDES, VSTAGE_FRAGMENT);
    draw(rig, OBJ_COLOR);
    rig_swap(rig);
    assert_red(rig);
    const uint64_t cycles = rig_figure(rig, "cycles");
    rig_destroy(rig);
    return cycles;
}

/* Each pixel of a tile has its texel in a different block. With only one slot for a
 * decompressed block, the unit does not request the next block until the slot is free. Then each
 * of the 64 blocks waits for its read: ReadLatency 10, a burst of 4, and 8 cycles of decompression.
 * Eight slots are enough to hide the latency. */
static void
places_overlap_reads(void **state)
{
    (void)state;
    assert_true(cycles_with(1) > cycles_with(8) + BLOCKS * 10);
}

/* A surface keeps its block states until it is bound again. */
static void
bound_again(void **state)
{
    struct rig *rig = *state;
    start(rig);
    clear_to_red(rig, OBJ_OTHER);
    draw(rig, OBJ_OTHER);
    draw(rig, OBJ_COLOR);
    rig_swap(rig);
    rig_assert_figure(rig, "memctl.color_bytes_written", 2 * BLOCKS * 64);
    clear_to_red(rig, OBJ_OTHER); /* after a swap all surfaces are raw */
    draw(rig, OBJ_COLOR);
    draw(rig, OBJ_OTHER);
    draw(rig, OBJ_COLOR);
    rig_swap(rig);
    rig_assert_figure(rig, "colorwrite.lines_from_clear", BLOCKS);
    assert_red(rig);
}

/* The machine has block states for one surface: 64 blocks on 2 ROPs are 32 states per ROP. The
 * surface that was bound least recently becomes raw, 256 bytes per block. So the third surface
 * evicts the second one, not the first. */
static void
oldest_gives_way(void **state)
{
    struct rig *rig = *state;
    rig->params.COLORWRITE.BlockStateMemorySize = 64;
    start(rig);
    create_target(rig, RES_THIRD, OBJ_THIRD);
    clear_to_red(rig, OBJ_COLOR);
    clear_to_red(rig, OBJ_OTHER);
    rig_swap(rig);
    rig_assert_figure(rig, "memctl.color_bytes_written", 0);
    clear_to_red(rig, OBJ_COLOR);
    clear_to_red(rig, OBJ_OTHER);
    bind(rig, OBJ_COLOR);
    clear_to_red(rig, OBJ_COLOR);
    clear_to_red(rig, OBJ_THIRD);
    rig_swap(rig);
    rig_assert_figure(rig, "memctl.color_bytes_written", BLOCKS * 256); /* of the other surface */
    rig_assert_figure(rig, "memctl.dac_bytes_read", 0);
    assert_red(rig);
}

/* Blits the whole other surface to the shown one. */
static void
blit_other(struct rig *rig)
{
    stream_blit(&rig->stream, BLIT_COLOR,
                (struct blit_side){RES_COLOR, 0, FORMAT_B8G8R8A8_UNORM, {0, 0, 0, SIZE, SIZE, 1}},
                (struct blit_side){RES_OTHER, 0, FORMAT_B8G8R8A8_UNORM, {0, 0, 0, SIZE, SIZE, 1}});
    rig_submit(rig);
}

/* A blit reads nothing of cleared blocks and 64 bytes of each compressed block. It leaves its
 * destination compressed, and the DAC reads the compressed blocks. */
static void
blits_go_by_states(void **state)
{
    struct rig *rig = *state;
    start(rig);
    clear_to_red(rig, OBJ_OTHER);
    blit_other(rig);
    rig_swap(rig);
    assert_red(rig);
    rig_assert_figure(rig, "blitter.blocks_from_clear", BLOCKS);
    rig_assert_figure(rig, "memctl.blit_bytes_read", 0);
    rig_assert_figure(rig, "memctl.blit_bytes_written", BLOCKS * 64);
    rig_assert_figure(rig, "memctl.dac_bytes_read", BLOCKS * 64);
    draw(rig, OBJ_OTHER);
    blit_other(rig);
    rig_swap(rig);
    assert_red(rig);
    rig_assert_figure(rig, "blitter.blocks_decompressed", BLOCKS);
    rig_assert_figure(rig, "blitter.lines_compressed", BLOCKS);
    rig_assert_figure(rig, "memctl.blit_bytes_read", BLOCKS * 64);
    rig_assert_figure(rig, "memctl.blit_bytes_written", BLOCKS * 64);
}

/* Drawing into a surface invalidates its lines in texture caches. */
static void
textures_see_the_clear(void **state)
{
    struct rig *rig = *state;
    start(rig);
    draw(rig, OBJ_OTHER);
    stream_bind_shader(&rig->stream, OBJ_TEXTURED, VSTAGE_FRAGMENT);
    draw(rig, OBJ_COLOR);
    bind(rig, OBJ_OTHER);
    stream_clear(&rig->stream, MASK_COLOR0, (float[]){0, 0, 1, 1}, 0, 0);
    rig_submit(rig);
    show_other(rig);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        assert_int_equal(rig->pixels[i], 0xffff0000);
}

/* A blit invalidates the lines of its destination in the ROP caches. The test draws red, blits blue
 * over it, and adds red. The result contains both. */
static void
rops_see_the_blit(void **state)
{
    struct rig *rig = *state;
    struct stream *s = &rig->stream;
    start(rig);
    draw(rig, OBJ_COLOR);
    bind(rig, OBJ_OTHER);
    stream_clear(s, MASK_COLOR0, (float[]){0, 0, 1, 1}, 0, 0);
    rig_submit(rig);
    blit_other(rig);
    stream_blend(s, OBJ_ADDS, blend_of(FACTOR_ONE, FACTOR_ONE));
    stream_bind(s, VOBJ_BLEND, OBJ_ADDS);
    draw(rig, OBJ_COLOR);
    rig_swap(rig);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        assert_int_equal(rig->pixels[i], 0xffff00ff);
}

static void
upload_to_other(struct rig *rig, struct box box, uint32_t pixel)
{
    static uint32_t pixels[SIZE * SIZE];
    const uint32_t count = (uint32_t)(box.width * box.height);
    for (uint32_t i = 0; i < count; i++)
        pixels[i] = pixel;
    struct message put = {
        .kind = MESSAGE_PUT, .bytes = (const uint8_t *)pixels, .size_bytes = count * 4};
    put.transfer.handle = RES_OTHER;
    put.transfer.box = box;
    player_take(&rig->player, put, NULL, 0);
}

/* An upload of one pixel decompresses the block of that pixel. The block is raw in memory before
 * the upload. The other blocks stay compressed. (The bytes of an upload are B, G, R, A.) */
static void
upload_opens_a_block(void **state)
{
    struct rig *rig = *state;
    start(rig);
    draw(rig, OBJ_OTHER);
    upload_to_other(rig, (struct box){0, 0, 0, 1, 1, 1}, RED);
    show_other(rig);
    rig_assert_figure(rig, "memctl.color_bytes_read", 0); /* the block is in the ROP cache */
    rig_assert_figure(rig, "texunit.blocks_decompressed", BLOCKS - 1);
    rig_assert_figure(rig, "memctl.texture_bytes_read", (BLOCKS - 1) * 64 + 256);
    /* both surfaces, and the decompressed block again */
    rig_assert_figure(rig, "memctl.color_bytes_written", 2 * BLOCKS * 64 + 256);
    for (uint32_t i = 1; i < SIZE * SIZE; i++)
        assert_int_equal(rig->pixels[i], RED);
    assert_int_equal(rig->pixels[0], 0xffff0000);
}

/* Blocks that an upload covers completely are not read. An upload of 20x9 pixels at the corner
 * touches 3x2 blocks of 8x8 pixels and covers two of them. The other four are decompressed, and
 * read from memory since the caches hold few lines. A later draw over the whole surface compresses
 * all blocks again. */
static void
upload_covers_blocks(void **state)
{
    struct rig *rig = *state;
    rig->params.COLORWRITE.ColorCacheLines = 1;
    start(rig);
    draw(rig, OBJ_OTHER);
    upload_to_other(rig, (struct box){0, 0, 0, 20, 9, 1}, RED);
    show_other(rig);
    rig_assert_figure(rig, "memctl.color_bytes_read", 4 * 64);
    rig_assert_figure(rig, "texunit.blocks_decompressed", BLOCKS - 6);
    rig_assert_figure(rig, "memctl.texture_bytes_read", (BLOCKS - 6) * 64 + 6 * 256);
    rig_assert_figure(rig, "memctl.color_bytes_written", 2 * BLOCKS * 64 + 4 * 256);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        assert_int_equal(rig->pixels[i], i % SIZE < 20 && i / SIZE < 9 ? 0xffff0000 : RED);
    draw(rig, OBJ_OTHER);
    upload_to_other(rig, (struct box){0, 0, 0, 20, 9, 1}, RED);
    draw(rig, OBJ_OTHER);
    show_other(rig);
    rig_assert_figure(rig, "texunit.blocks_decompressed", BLOCKS);
    assert_red(rig);
}

/* An upload invalidates its blocks in the ROP caches, but not the other blocks. The test draws red,
 * uploads blue to the corner, and adds red. */
static void
rops_see_the_upload(void **state)
{
    struct rig *rig = *state;
    struct stream *s = &rig->stream;
    start(rig);
    draw(rig, OBJ_OTHER);
    upload_to_other(rig, (struct box){0, 0, 0, 12, 8, 1}, RED);
    stream_blend(s, OBJ_ADDS, blend_of(FACTOR_ONE, FACTOR_ONE));
    stream_bind(s, VOBJ_BLEND, OBJ_ADDS);
    draw(rig, OBJ_OTHER);
    stream_bind(s, VOBJ_BLEND, OBJ_BLEND);
    show_other(rig);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        assert_int_equal(rig->pixels[i], i % SIZE < 12 && i / SIZE < 8 ? 0xffff00ff : RED);
}

static void
read_other(struct rig *rig, int32_t width, int32_t height)
{
    uint32_t words[SIZE * SIZE];
    player_get(&rig->player, RES_OTHER, width, height, words);
    for (int32_t i = 0; i < width * height; i++)
        assert_int_equal(words[i], 0xffff0000); /* bytes in the order B, G, R, A */
}

/* Asserts that the bus transfers all bytes of a readback at its width in bytes per cycle. */
static void
assert_read_all(const struct rig *rig, uint32_t width)
{
    enum { LATENCY = 100 };
    const uint64_t bus_cycles = BLOCKS * 256 / width;
    const uint64_t cycles = rig_figure(rig, "work.readback_cycles");
    assert_true(cycles >= bus_cycles && cycles < bus_cycles + LATENCY);
}

/* A readback changes neither block states nor bindings. It reads nothing of a cleared surface, and
 * 64 bytes per block of a compressed one. */
static void
readback_goes_by_states(void **state)
{
    struct rig *rig = *state;
    start(rig);
    clear_to_red(rig, OBJ_OTHER);
    read_other(rig, SIZE, SIZE);
    rig_swap(rig);
    rig_assert_figure(rig, "memctl.command_bytes_read", 0);
    rig_assert_figure(rig, "memctl.color_bytes_written", 0);
    assert_read_all(rig, 8);
    draw(rig, OBJ_OTHER);
    read_other(rig, SIZE, SIZE);
    assert_ptr_equal(rig_machine(rig)->color[0].res,
                     gpu_resource(&rig->player.sim.device, 1, RES_OTHER));
    show_other(rig);
    assert_red(rig);
    rig_assert_figure(rig, "memctl.color_bytes_written", 2 * BLOCKS * 64);
    rig_assert_figure(rig, "texunit.blocks_decompressed", BLOCKS);
    assert_read_all(rig, 8);
}

/* The readback takes exactly the time of the bus, because cleared blocks are read on the chip. */
static void
readback_at_the_bus_rate(void **state)
{
    (void)state;
    for (uint32_t width = 4; width <= 64; width *= 2) {
        struct rig *rig = rig_create();
        rig->params.MEMORYCONTROLLER.CommandProcessorBusWidth = width;
        start(rig);
        clear_to_red(rig, OBJ_OTHER);
        read_other(rig, SIZE, SIZE);
        rig_swap(rig);
        assert_read_all(rig, width);
        rig_destroy(rig);
    }
}

/* Returns the bytes that the Command Processor reads in a frame. The frame has a readback of width
 * x height pixels of a compressed surface (0: no readback). */
static uint64_t
command_bytes(int32_t width, int32_t height)
{
    struct rig *rig = rig_create();
    start(rig);
    draw(rig, OBJ_OTHER);
    if (width)
        read_other(rig, width, height);
    rig_swap(rig);
    const uint64_t bytes = rig_figure(rig, "memctl.command_bytes_read");
    rig_destroy(rig);
    return bytes;
}

/* Reading a compressed block takes one transaction, however few of its pixels are read. Here 9x1
 * pixels are in two blocks. The test subtracts the bytes of programs, which use the same port. */
static void
readback_of_compressed(void **state)
{
    (void)state;
    const uint64_t programs = command_bytes(0, 0);
    assert_int_equal(command_bytes(SIZE, SIZE) - programs, BLOCKS * 64);
    assert_int_equal(command_bytes(9, 1) - programs, 2 * 64);
}

/* A destroyed surface is not written back. The next resource at its address starts as zeros. */
static void
gone_is_not_written(void **state)
{
    struct rig *rig = *state;
    start(rig);
    create_target(rig, RES_THIRD, OBJ_THIRD);
    clear_to_red(rig, OBJ_THIRD);
    bind(rig, OBJ_COLOR);
    const uint32_t address = gpu_resource(&rig->player.sim.device, 1, RES_THIRD)->address;
    stream_destroy(&rig->stream, VOBJ_SURFACE, OBJ_THIRD);
    rig_submit(rig);
    player_take(&rig->player,
                (struct message){.kind = MESSAGE_RESOURCE_UNREF, .resource.handle = RES_THIRD},
                NULL, 0);
    create_target(rig, RES_THIRD, OBJ_THIRD);
    assert_int_equal(gpu_resource(&rig->player.sim.device, 1, RES_THIRD)->address, address);
    draw(rig, OBJ_COLOR);
    rig_swap(rig);
    rig_assert_figure(rig, "memctl.color_bytes_written", BLOCKS * 64);
    uint32_t words[SIZE * SIZE];
    player_get(&rig->player, RES_THIRD, SIZE, SIZE, words);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        assert_int_equal(words[i], 0);
}

/* The same when the resource is destroyed before its surface, as drivers do. */
static void
gone_late_is_not_written(void **state)
{
    struct rig *rig = *state;
    rig->params.COLORWRITE.BlockStateMemorySize = 64;
    start(rig);
    create_target(rig, RES_THIRD, OBJ_THIRD);
    clear_to_red(rig, OBJ_THIRD);
    bind(rig, OBJ_OTHER);
    player_take(&rig->player,
                (struct message){.kind = MESSAGE_RESOURCE_UNREF, .resource.handle = RES_THIRD},
                NULL, 0);
    stream_destroy(&rig->stream, VOBJ_SURFACE, OBJ_THIRD);
    clear_to_red(rig, OBJ_OTHER);
    clear_to_red(rig, OBJ_COLOR);
    rig_swap(rig);
    assert_red(rig);
    rig_assert_figure(rig, "memctl.color_bytes_written", 0);
}

/* The test draws into more layers of one resource than there are places for surfaces. The oldest
 * surface gives way each time. */
static void
many_layers(void **state)
{
    enum { LAYERS = BLOCKS_MAX_SURFACES + 3, OBJ_LAYERS = 400 };
    struct rig *rig = *state;
    uint32_t words[SIZE * SIZE];
    start(rig);
    player_create(&rig->player,
                  (struct resource_desc){RES_THIRD, TARGET_2D_ARRAY, FORMAT_B8G8R8A8_UNORM,
                                         BIND_RENDER_TARGET | BIND_SAMPLER_VIEW, 16, 16, 1, LAYERS,
                                         0, 0});
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        CREATE(&rig->stream, VOBJ_SURFACE, OBJ_LAYERS + layer, RES_THIRD, FORMAT_B8G8R8A8_UNORM, 0,
               layer | layer << 16);
        clear_to_red(rig, OBJ_LAYERS + layer);
    }
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        struct message get = {.kind = MESSAGE_GET};
        get.transfer.handle = RES_THIRD;
        get.transfer.box = (struct box){0, 0, (int32_t)layer, 16, 16, 1};
        player_take(&rig->player, get, words, 16 * 16 * 4);
        for (uint32_t i = 0; i < 16 * 16; i++)
            assert_int_equal(words[i], 0xffff0000); /* bytes in the order B, G, R, A */
    }
}

/* The machine has block states for two layers. The layer after the bound one is not bound: it gives
 * way if it is the oldest, and becomes raw. */
static void
next_layer_gives_way(void **state)
{
    enum { LAYERS = 3, OBJ_LAYERS = 400 };
    static const uint32_t order[] = {1, 2, 0, 2};
    struct rig *rig = *state;
    rig->params.COLORWRITE.BlockStateMemorySize = 64;
    start(rig);
    player_create(&rig->player,
                  (struct resource_desc){RES_THIRD, TARGET_2D_ARRAY, FORMAT_B8G8R8A8_UNORM,
                                         BIND_RENDER_TARGET | BIND_SAMPLER_VIEW, SIZE, SIZE, 1,
                                         LAYERS, 0, 0});
    for (uint32_t layer = 0; layer < LAYERS; layer++)
        CREATE(&rig->stream, VOBJ_SURFACE, OBJ_LAYERS + layer, RES_THIRD, FORMAT_B8G8R8A8_UNORM, 0,
               layer | layer << 16);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        clear_to_red(rig, OBJ_LAYERS + order[i]);
    rig_swap(rig);
    rig_assert_figure(rig, "memctl.color_bytes_written", BLOCKS * 256); /* of layer 1 */
}

/* A blit that writes its whole box is a copy of its row. One with a scissor is not, and one that
 * depends on a bound query is not. The query counts no samples, which the condition requires. */
static void
whole_blits_are_copies(void **state)
{
    static const struct {
        uint32_t flags;
        bool binds_query;
        uint32_t from, to;
    } blits[] = {{BLIT_COLOR, false, RES_OTHER, RES_COLOR},
                 {BLIT_COLOR | BLIT_SCISSOR, false, 0, 0},
                 {BLIT_COLOR | BLIT_CONDITION, false, RES_OTHER, RES_COLOR},
                 {BLIT_COLOR | BLIT_CONDITION, true, 0, 0},
                 {BLIT_COLOR, true, RES_OTHER, RES_COLOR}};
    struct rig *rig = *state;
    start(rig);
    player_create(&rig->player, (struct resource_desc){RES_THIRD, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                       BIND_CUSTOM, 16, 1, 1, 1, 0, 0});
    CREATE(&rig->stream, VOBJ_QUERY, OBJ_QUERY, QUERY_OCCLUSION_COUNTER, 0, RES_THIRD);
    PACKET(&rig->stream, CMD_BEGIN_QUERY, OBJ_QUERY);
    PACKET(&rig->stream, CMD_END_QUERY, OBJ_QUERY);
    for (size_t i = 0; i < sizeof blits / sizeof blits[0]; i++) {
        const struct box box = {0, 0, 0, SIZE, SIZE, 1};
        if (blits[i].binds_query)
            PACKET(&rig->stream, CMD_SET_RENDER_CONDITION, OBJ_QUERY, 1, 0);
        stream_blit(&rig->stream, blits[i].flags,
                    (struct blit_side){RES_COLOR, 0, FORMAT_B8G8R8A8_UNORM, box},
                    (struct blit_side){RES_OTHER, 0, FORMAT_B8G8R8A8_UNORM, box});
        rig_submit(rig);
        const struct work_copy *copy = &rig_machine(rig)->accounting.copy;
        assert_int_equal(copy->to, blits[i].to);
        assert_int_equal(copy->from, blits[i].from);
    }
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, rig_set_up, rig_tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(cleared_texture),
        CASE(compressed_texture),
        cmocka_unit_test(places_overlap_reads),
        CASE(bound_again),
        CASE(oldest_gives_way),
        CASE(upload_opens_a_block),
        CASE(upload_covers_blocks),
        CASE(rops_see_the_upload),
        CASE(readback_goes_by_states),
        cmocka_unit_test(readback_at_the_bus_rate),
        cmocka_unit_test(readback_of_compressed),
        CASE(blits_go_by_states),
        CASE(rops_see_the_blit),
        CASE(textures_see_the_clear),
        CASE(gone_is_not_written),
        CASE(gone_late_is_not_written),
        CASE(many_layers),
        CASE(next_layer_gives_way),
        CASE(whole_blits_are_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
