/* Effects of a clear on later frames. 64x64 pixels are 64 blocks of 256 bytes. If a surface is not
 * modified after its clear, its blocks are cleared at the start of the next frame; otherwise they
 * are raw. A clear of only depth sets block states only if all stencil values are known to be
 * equal. */
#include "rigs/tiny_run.h"
/* last, because cmocka.h defines a macro fail() */
#include "rigs/contents.h"
#include "rigs/rig.h"

#include <unistd.h>

enum { BLOCKS = SIZE * SIZE / 64, RED = 0xff0000ff };

/* Draws all pixels at window depth 0. */
static void
layer(struct rig *rig)
{
    static const float corners[4][4] = {
        {-1, -1, -1, 1}, {1, -1, -1, 1}, {-1, 1, -1, 1}, {1, 1, -1, 1}};
    rig_upload(rig, RES_VERTICES, corners, sizeof corners);
    rig_draw(rig, PRIM_TRIANGLE_STRIP, 4, 0);
}

/* Sets depth test LESS and a stencil test that always passes and writes `ref`. */
static void
replace_stencil(struct rig *rig, uint32_t ref)
{
    const uint32_t face = FACE_ENABLE | FUNC_ALWAYS * FACE_FUNC | STENCIL_REPLACE * FACE_ZPASS_OP |
                          0xff * FACE_VALUEMASK | 0xff * FACE_WRITEMASK;
    CREATE(&rig->stream, VOBJ_DSA, 150 + ref,
           DSA_DEPTH_TEST | DSA_DEPTH_WRITE | FUNC_LESS * DSA_DEPTH_FUNC, face, 0, 0);
    stream_bind(&rig->stream, VOBJ_DSA, 150 + ref);
    PACKET(&rig->stream, CMD_SET_STENCIL_REF, ref);
    rig_submit(rig);
}

/* Sets depth test LESS and a stencil test that passes where the stencil is `ref`. */
static void
test_stencil(struct rig *rig, uint32_t ref)
{
    const uint32_t face = FACE_ENABLE | FUNC_EQUAL * FACE_FUNC | 0xff * FACE_VALUEMASK;
    CREATE(&rig->stream, VOBJ_DSA, 170 + ref,
           DSA_DEPTH_TEST | DSA_DEPTH_WRITE | FUNC_LESS * DSA_DEPTH_FUNC, face, 0, 0);
    stream_bind(&rig->stream, VOBJ_DSA, 170 + ref);
    PACKET(&rig->stream, CMD_SET_STENCIL_REF, ref);
    rig_submit(rig);
}

/* Sets depth test LESS without writes, in a state object with this handle. */
static void
keep_depth(struct rig *rig, uint32_t handle)
{
    CREATE(&rig->stream, VOBJ_DSA, handle, DSA_DEPTH_TEST | FUNC_LESS * DSA_DEPTH_FUNC, 0, 0, 0);
    stream_bind(&rig->stream, VOBJ_DSA, handle);
    rig_submit(rig);
}

static void
clear_all(struct rig *rig, uint32_t stencil)
{
    stream_clear(&rig->stream, CLEAR_ALL, NULL, 1, stencil);
    rig_submit(rig);
}

static void
assert_all_pixels(const struct rig *rig, uint32_t pixel)
{
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        assert_int_equal(rig->pixels[i], pixel);
}

/* The frame after the clear creates all its lines on the chip and reads nothing. The next frame
 * reads the drawn lines. */
static void
a_clear_lasts_until_a_draw(void **state)
{
    struct rig *rig = *state;
    rig_start(rig);
    layer(rig);
    clear_all(rig, 0);
    rig_swap(rig);
    layer(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "colorwrite.lines_from_clear", BLOCKS);
    rig_assert_figure(rig, "zstencil.lines_from_clear", BLOCKS);
    rig_assert_figure(rig, "colorwrite.blocks_cleared", 0);
    rig_assert_figure(rig, "memctl.color_bytes_read", 0);
    rig_assert_figure(rig, "memctl.z_bytes_read", 0);
    assert_all_pixels(rig, RED);
    layer(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "zstencil.lines_from_clear", 0);
    rig_assert_figure(rig, "zstencil.blocks_read_raw", BLOCKS);
    rig_assert_figure(rig, "memctl.z_bytes_read", BLOCKS * 256);
}

/* Uploads one pixel of the color buffer. After that no surface is in use. */
static void
upload_pixel(struct rig *rig)
{
    const uint32_t pixel = RED;
    struct message put = {
        .kind = MESSAGE_PUT, .bytes = (const uint8_t *)&pixel, .size_bytes = sizeof pixel};
    put.transfer.handle = RES_COLOR;
    put.transfer.box = (struct box){0, 0, 0, 1, 1, 1};
    player_take(&rig->player, put, NULL, 0);
}

/* The DAC reads nothing to show a cleared surface. After an upload of one pixel it reads the whole
 * surface. */
static void
a_cleared_surface_is_shown_without_reads(void **state)
{
    struct rig *rig = *state;
    rig_start(rig);
    layer(rig);
    clear_all(rig, 0);
    rig_swap(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "dac.blocks_from_clear", BLOCKS);
    rig_assert_figure(rig, "memctl.dac_bytes_read", 0);
    assert_all_pixels(rig, 0);
    upload_pixel(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "dac.blocks_from_clear", 0);
    rig_assert_figure(rig, "memctl.dac_bytes_read", BLOCKS * 256);
}

/* A block that an upload modifies must be raw in memory. A clear of the same frame is first written
 * there. After a clear of an earlier frame the block is already there. The other blocks and the
 * depth keep their states. */
static void
a_clear_is_written_once(void **state)
{
    struct rig *rig = *state;
    rig_start(rig);
    clear_all(rig, 0);
    upload_pixel(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "memctl.color_bytes_written", 256);
    rig_assert_figure(rig, "memctl.z_bytes_written", 0);
    clear_all(rig, 0);
    rig_swap(rig);
    rig_clear(rig, MASK_DEPTH, 1); /* the surfaces are in use again */
    upload_pixel(rig);
    layer(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "zstencil.lines_from_clear", BLOCKS);
    /* the uploaded block is raw, and is written completely */
    rig_assert_figure(rig, "colorwrite.lines_unread", 1);
    rig_assert_figure(rig, "colorwrite.lines_from_clear", BLOCKS - 1);
    rig_assert_figure(rig, "memctl.color_bytes_written", BLOCKS * 256); /* written by the layer */
    assert_all_pixels(rig, RED);
}

/* A depth buffer that is read but not written stays cleared, unlike the color buffer that is drawn
 * into. */
static void
what_only_reads_leaves_the_clear(void **state)
{
    struct rig *rig = *state;
    rig_start(rig);
    clear_all(rig, 0);
    rig_swap(rig);
    for (uint32_t frame = 0; frame < 2; frame++) {
        keep_depth(rig, 190 + frame);
        layer(rig);
        rig_swap(rig);
        rig_assert_figure(rig, "zstencil.lines_from_clear", BLOCKS);
        rig_assert_figure(rig, "memctl.z_bytes_read", 0);
        rig_assert_figure(rig, "colorwrite.lines_from_clear", frame ? 0 : BLOCKS);
    }
}

/* The stencil values of a new depth buffer are 0. A clear of depth and stencil sets all of them to
 * the clear value. Clears of only depth preserve the stencil values and set block states. After a
 * draw that writes stencil, every line is read and written until the stencil is cleared again. */
static void
depth_alone(void **state)
{
    struct rig *rig = *state;
    rig_start(rig);
    rig_clear(rig, MASK_DEPTH, 1);
    layer(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "zstencil.blocks_cleared", BLOCKS);
    rig_assert_figure(rig, "zstencil.lines_from_clear", BLOCKS);
    rig_assert_figure(rig, "memctl.z_bytes_read", 0);
    clear_all(rig, 5);
    layer(rig);
    rig_clear(rig, MASK_DEPTH, 1);
    test_stencil(rig, 5);
    layer(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "zstencil.blocks_cleared", 2 * BLOCKS);
    rig_assert_figure(rig, "zstencil.fragments_stencil_failed", 0);
    rig_assert_figure(rig, "zstencil.fragments_z_failed", 0);
    replace_stencil(rig, 9);
    rig_clear(rig, MASK_DEPTH, 1);
    layer(rig);
    rig_clear(rig, MASK_DEPTH, 1);
    rig_swap(rig);
    rig_assert_figure(rig, "zstencil.blocks_cleared", BLOCKS); /* blocks of the first clear */
    test_stencil(rig, 9);
    layer(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "zstencil.lines_from_clear", 0);
    rig_assert_figure(rig, "zstencil.blocks_read_raw", BLOCKS);
    rig_assert_figure(rig, "zstencil.fragments_stencil_failed", 0);
    rig_assert_figure(rig, "zstencil.fragments_z_failed", 0);
    rig_clear(rig, MASK_STENCIL, 1);
    rig_clear(rig, MASK_DEPTH, 1);
    rig_swap(rig);
    rig_assert_figure(rig, "zstencil.blocks_cleared", BLOCKS);
}

/* Frame 0 leaves cleared surfaces, and frame 1 draws into them. */
static void
left_cleared(struct rig *rig)
{
    layer(rig);
    clear_all(rig, 7);
    rig_swap(rig);
    rig_clear(rig, MASK_DEPTH, 0.5);
    layer(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "zstencil.lines_from_clear", BLOCKS);
    rig_assert_figure(rig, "zstencil.blocks_cleared", BLOCKS);
    rig_assert_figure(rig, "colorwrite.lines_from_clear", BLOCKS);
}

/* Frame 0 clears and draws. Frame 1 needs nothing from frame 0, so the draw of frame 0 is skipped.
 */
static void
left_drawn(struct rig *rig)
{
    clear_all(rig, 7);
    layer(rig);
    rig_swap(rig);
    clear_all(rig, 7);
    layer(rig);
    rig_swap(rig);
}

static uint64_t *
values_of_frame_1(const struct tiny_run *run, uint32_t frame)
{
    if (!run->ok)
        fail_msg("%s", run->err.text);
    return run->frame[frame].values;
}

/* Skips draws that no requested frame needs, like `aetius sim --frames`. */
static void
need_only_wanted(struct tiny_run *run)
{
    struct trace_reader *reader;
    struct needed_draws *needed;
    struct error err;
    assert_true(trace_reader_open(&reader, run->trace, &err));
    assert_true(needed_draws_find_later(&needed, reader, &run->frames, WARM_UP_ALL, &err));
    trace_reader_close(reader);
    run->sim.needed = run->data = needed;
}

/* Frame 1 draws over a part of the picture of frame 0. */
static void
left_to_be_seen(struct rig *rig)
{
    static const float corner[4][4] = {{-1, -1, 0, 1}, {0, -1, 0, 1}, {-1, 0, 0, 1}, {0, 0, 0, 1}};
    clear_all(rig, 7);
    layer(rig);
    rig_swap(rig);
    rig_upload(rig, RES_VERTICES, corner, sizeof corner);
    rig_draw(rig, PRIM_TRIANGLE_STRIP, 4, 0);
    rig_swap(rig);
    assert_all_pixels(rig, RED);
}

/* Checks that a trace of only frame 1 has the statistics and the picture of frame 1 in the whole
 * trace. */
static void
assert_cut_is_the_same(const struct tiny_run *whole, const char *path)
{
    struct tiny_run cut;
    tiny_init(&cut);
    cut.trace = path;
    tiny_go(&cut, false);
    assert_memory_equal(values_of_frame_1(whole, 1), values_of_frame_1(&cut, 0),
                        whole->values_count * sizeof(uint64_t));
    assert_memory_equal(whole->frame[1].rgba, cut.frame[0].rgba, cut.frame[0].bytes);
    tiny_fini(&cut);
}

/* Checks that frame 1 is the same after a timed and after an untimed frame 0. It must also be the
 * same when extracted. The extracted trace either draws the preceding content, or contains it as
 * read from a renderer. */
static void
assert_the_way_makes_no_difference(struct rig *rig, void (*two_frames)(struct rig *rig))
{
    struct tiny_run whole, alone;
    struct trace_reader *reader;
    struct error err;
    char path[] = "/tmp/aetius-cleared-XXXXXX", part[] = "/tmp/aetius-cleared-XXXXXX";
    const char *const parts[] = {part};
    close(mkstemp(path));
    close(mkstemp(part));
    assert_true(trace_writer_create(&rig->player.writer, path, "two frames", &err));
    rig_start(rig);
    two_frames(rig);
    assert_true(trace_writer_close(rig->player.writer, &err));
    rig->player.writer = NULL;

    assert_true(trace_reader_open(&reader, path, &err));
    const struct frame_set frame_1 = {.ranges = {{1, 1}}, .count = 1};
    assert_true(trim_trace(reader, &frame_1, UINT32_MAX, NULL, parts, &err));
    trace_reader_close(reader);

    tiny_init(&whole);
    tiny_init(&alone);
    whole.trace = alone.trace = path;
    alone.frames = frame_1;
    alone.prepare = need_only_wanted;
    tiny_go(&whole, false);
    tiny_go(&alone, false);
    const size_t bytes = whole.values_count * sizeof(uint64_t);
    assert_memory_equal(values_of_frame_1(&whole, 1), values_of_frame_1(&alone, 1), bytes);
    assert_cut_is_the_same(&whole, part);
    for (int contents = CONTENTS_OURS; contents <= CONTENTS_NONE; contents++) {
        cut_with_contents(path, (enum contents)contents, part);
        assert_cut_is_the_same(&whole, part);
    }
    tiny_fini(&whole);
    tiny_fini(&alone);
    needed_draws_destroy(alone.data);
    unlink(path);
    unlink(part);
}

static void
the_way_to_cleared_surfaces(void **state)
{
    assert_the_way_makes_no_difference(*state, left_cleared);
}

static void
the_way_to_drawn_surfaces(void **state)
{
    assert_the_way_makes_no_difference(*state, left_drawn);
}

static void
the_way_to_what_is_seen(void **state)
{
    assert_the_way_makes_no_difference(*state, left_to_be_seen);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_clear_lasts_until_a_draw, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(a_cleared_surface_is_shown_without_reads, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(what_only_reads_leaves_the_clear, rig_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(depth_alone, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(a_clear_is_written_once, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(the_way_to_cleared_surfaces, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(the_way_to_drawn_surfaces, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(the_way_to_what_is_seen, rig_set_up, rig_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
