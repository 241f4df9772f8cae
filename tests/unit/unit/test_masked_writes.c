/* Color that is written without being read (COLORWRITE.ReadBeforeWrite): exact bytes moved, and the
 * resulting surface. The tests draw rectangles on 64x64 pixels of 4 bytes. A line of the color
 * cache is a tile of 8x8 pixels, and a transaction is 4x4 of them. */
#include "rigs/rig.h"

enum { GREEN = 0xff00ff00, RED = 0x800000ff, RED_ON_GREEN = 0x80007f80 };

static const char half_red_fs[] = "FRAG\n"
                                  "DCL OUT[0], COLOR\n"
                                  "IMM[0] FLT32 {1.0, 0.0, 0.0, 0.5}\n"
                                  "  0: MOV OUT[0], IMM[0]\n"
                                  "  1: END\n";

static const char green_fs[] = "FRAG\n"
                               "DCL OUT[0], COLOR\n"
                               "IMM[0] FLT32 {0.0, 1.0, 0.0, 1.0}\n"
                               "  0: MOV OUT[0], IMM[0]\n"
                               "  1: END\n";

enum { OBJ_HALF_RED = 300, OBJ_BLENDED, OBJ_NO_ALPHA, OBJ_LOGIC, OBJ_GREEN };

struct rect {
    float x0, y0, x1, y1;
};

/* Uploads a strip for each rectangle. Rectangle r has vertices 4 * r to 4 * r + 3. */
static void
upload_rects(struct rig *rig, const struct rect *rects, uint32_t count)
{
    float corners[4][4][4];
    const float half = SIZE / 2;
    assert_true(count <= 4);
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t v = 0; v < 4; v++) {
            corners[r][v][0] = (v & 1 ? rects[r].x1 : rects[r].x0) / half - 1;
            corners[r][v][1] = (v & 2 ? rects[r].y1 : rects[r].y0) / half - 1;
            corners[r][v][2] = 0;
            corners[r][v][3] = 1;
        }
    rig_upload(rig, RES_VERTICES, corners, count * sizeof corners[0]);
}

static void
draw_rect(struct rig *rig, uint32_t number)
{
    stream_draw(&rig->stream, PRIM_TRIANGLE_STRIP, 4 * number, 4);
    rig_submit(rig);
}

static void
bind_blend(struct rig *rig, uint32_t object)
{
    stream_bind(&rig->stream, VOBJ_BLEND, object);
    rig_submit(rig);
}

/* Creates a reference-2005 machine. Its green surface is raw in memory, and draws are half
 * transparent red. */
static struct rig *
rig_of(const char *const *set)
{
    struct error err;
    struct rig *rig = rig_create();
    for (; set && *set; set++)
        if (!params_set(&rig->params, *set, &err))
            fail_msg("%s", err.text);
    rig->has_depth = false;
    rig_start(rig);
    struct stream *s = &rig->stream;
    stream_blend(s, OBJ_BLENDED,
                 BLEND_WRITES | BLEND_ENABLE | FACTOR_SRC_ALPHA * BLEND_RGB_SRC |
                     FACTOR_INV_SRC_ALPHA * BLEND_RGB_DST | FACTOR_ONE * BLEND_ALPHA_SRC |
                     FACTOR_ZERO * BLEND_ALPHA_DST);
    stream_blend(s, OBJ_NO_ALPHA, BLEND_WRITES_RGB);
    CREATE(s, VOBJ_BLEND, OBJ_LOGIC, BLEND_LOGICOP, 12 /* COPY */, BLEND_WRITES, 0, 0, 0, 0, 0, 0,
           0);
    stream_shader(s, OBJ_HALF_RED, VSTAGE_FRAGMENT, half_red_fs);
    stream_shader(s, OBJ_GREEN, VSTAGE_FRAGMENT, green_fs);
    stream_bind_shader(s, OBJ_GREEN, VSTAGE_FRAGMENT);
    rig_submit(rig);
    upload_rects(rig, &(struct rect){0, 0, SIZE, SIZE}, 1);
    draw_rect(rig, 0);
    rig_swap(rig);
    stream_bind_shader(s, OBJ_HALF_RED, VSTAGE_FRAGMENT);
    return rig;
}

static uint32_t
pixels_of(const struct rig *rig, uint32_t color)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        count += rig->pixels[i] == color;
    return count;
}

static void
one_rectangle(const struct rect *rect, uint32_t lines, uint32_t parts, uint32_t pieces)
{
    struct rig *rig = rig_of(NULL);
    const uint32_t pixels = (uint32_t)((rect->x1 - rect->x0) * (rect->y1 - rect->y0));
    upload_rects(rig, rect, 1);
    draw_rect(rig, 0);
    rig_swap(rig);
    rig_assert_figure(rig, "colorwrite.lines_unread", lines);
    rig_assert_figure(rig, "colorwrite.lines_written_back", lines);
    rig_assert_figure(rig, "colorwrite.parts_written", parts);
    rig_assert_figure(rig, "colorwrite.lines_completed", 0);
    rig_assert_figure(rig, "memctl.color_bytes_read", 0);
    rig_assert_figure(rig, "memctl.color_bytes_written", 4 * pixels);
    rig_assert_figure(rig, "color_memory_requests.items_in", pieces);
    rig_assert_figure(rig, "colorwrite.bytes_masked", 64 * pieces - 4 * pixels);
    assert_int_equal(pixels_of(rig, RED), pixels);
    assert_int_equal(pixels_of(rig, GREEN), SIZE * SIZE - pixels);
    rig_destroy(rig);
}

static void
bytes_of_rectangles(void **state)
{
    (void)state;
    one_rectangle(&(struct rect){1, 1, 4, 4}, 1, 1, 1); /* in one transaction */
    one_rectangle(&(struct rect){2, 0, 7, 1}, 1, 1, 2); /* in two transactions of a line */
    /* a corner of each of four lines */
    one_rectangle(&(struct rect){6, 6, 10, 10}, 4, 4, 4);
    one_rectangle(&(struct rect){0, 0, 8, 8}, 1, 0, 4);          /* a whole line */
    one_rectangle(&(struct rect){0, 0, 12, 8}, 2, 1, 6);         /* a line and half of the next */
    one_rectangle(&(struct rect){0, 0, SIZE, SIZE}, 64, 0, 256); /* all lines */
}

/* The tests visit a line three times, and the second visit needs the line's content. The line is
 * read once for this visit, and bytes written before are preserved. This also holds if the draws
 * overlap. */
static void
a_part_is_completed(void **state)
{
    static const char *const together[] = {"COMMANDPROCESSOR.PipelinedBatchRendering=TRUE", NULL};
    static const struct rect rects[] = {{1, 1, 4, 4}, {0, 0, 8, 8}, {6, 6, 8, 8}};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct rig *rig = rig_of(i ? together : NULL);
        upload_rects(rig, rects, 3);
        draw_rect(rig, 0);
        bind_blend(rig, OBJ_BLENDED);
        draw_rect(rig, 1);
        bind_blend(rig, OBJ_BLEND);
        draw_rect(rig, 2);
        rig_swap(rig);
        rig_assert_figure(rig, "colorwrite.lines_unread", 1);
        rig_assert_figure(rig, "colorwrite.lines_completed", 1);
        rig_assert_figure(rig, "colorwrite.blocks_read_raw", 1);
        rig_assert_figure(rig, "colorwrite.parts_written", 0);
        rig_assert_figure(rig, "memctl.color_bytes_read", 256);
        rig_assert_figure(rig, "memctl.color_bytes_written", 256);
        /* 255 * 128 / 255 of red and 255 * 127 / 255 of green; red over red does not change */
        assert_int_equal(pixels_of(rig, RED), 9 + 4);
        assert_int_equal(pixels_of(rig, RED_ON_GREEN), 64 - 9 - 4);
        assert_int_equal(pixels_of(rig, GREEN), SIZE * SIZE - 64);
        rig_destroy(rig);
    }
}

/* A partial line is written back, but stays in the cache. It is written again with the new bytes.
 */
static void
a_part_grows(void **state)
{
    static const char *const one_line[] = {"COLORWRITE.ColorCacheLines=1",
                                           "COLORWRITE.ColorCacheWays=1", NULL};
    /* tiles (0, 0) and (2, 0) belong to the same ROP, whose cache has one line */
    static const struct rect rects[] = {{0, 0, 2, 2}, {16, 0, 18, 2}, {2, 0, 4, 2}};
    (void)state;
    struct rig *rig = rig_of(one_line);
    upload_rects(rig, rects, 3);
    for (uint32_t i = 0; i < 3; i++)
        draw_rect(rig, i);
    rig_swap(rig);
    rig_assert_figure(rig, "colorwrite.lines_unread", 3);
    rig_assert_figure(rig, "colorwrite.parts_written", 3);
    rig_assert_figure(rig, "memctl.color_bytes_read", 0);
    rig_assert_figure(rig, "memctl.color_bytes_written", 3 * 16);
    assert_int_equal(pixels_of(rig, RED), 12);
    assert_int_equal(pixels_of(rig, GREEN), SIZE * SIZE - 12);
    rig_destroy(rig);
}

/* A quad that preserves, blends or combines old values requires a read. After that, whole lines are
 * written. */
static void
what_is_needed_is_read(void **state)
{
    static const char *const first[] = {"COLORWRITE.ReadBeforeWrite=TRUE", NULL};
    static const struct {
        const char *const *set;
        uint32_t blend;
    } cases[] = {{first, OBJ_BLEND}, {NULL, OBJ_BLENDED}, {NULL, OBJ_NO_ALPHA}, {NULL, OBJ_LOGIC}};
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rig = rig_of(cases[i].set);
        upload_rects(rig, &(struct rect){1, 1, 4, 4}, 1);
        bind_blend(rig, cases[i].blend);
        draw_rect(rig, 0);
        rig_swap(rig);
        rig_assert_figure(rig, "colorwrite.lines_unread", 0);
        rig_assert_figure(rig, "colorwrite.blocks_read_raw", 1);
        rig_assert_figure(rig, "memctl.color_bytes_read", 256);
        rig_assert_figure(rig, "memctl.color_bytes_written", 256);
        rig_assert_figure(rig, "colorwrite.bytes_masked", 0);
        assert_int_equal(pixels_of(rig, GREEN), SIZE * SIZE - 9);
        rig_destroy(rig);
    }
}

/* A line of a cleared block is created on the chip, and compressed when it is evicted. A later draw
 * reads the line, because the rest of its content must be compressed again. */
static void
compressed_blocks_are_read(void **state)
{
    static const char *const set[] = {"COLORWRITE.DisableCompression=FALSE",
                                      "COLORWRITE.ColorCacheLines=1", "COLORWRITE.ColorCacheWays=1",
                                      NULL};
    static const struct rect rects[] = {{0, 0, 8, 8}, {16, 0, 24, 8}, {1, 1, 4, 4}};
    (void)state;
    struct rig *rig = rig_of(set);
    upload_rects(rig, rects, 3);
    stream_clear(&rig->stream, MASK_COLOR0, (float[]){0, 1, 0, 1}, 0, 0);
    rig_submit(rig);
    for (uint32_t i = 0; i < 3; i++)
        draw_rect(rig, i);
    rig_swap(rig);
    rig_assert_figure(rig, "colorwrite.lines_from_clear", 2);
    rig_assert_figure(rig, "colorwrite.lines_unread", 0);
    rig_assert_figure(rig, "colorwrite.blocks_read_64", 1);
    rig_assert_figure(rig, "memctl.color_bytes_read", 64);
    rig_assert_figure(rig, "memctl.color_bytes_written", 3 * 64);
    assert_int_equal(pixels_of(rig, RED), 128);
    rig_destroy(rig);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_rectangles),
        cmocka_unit_test(a_part_is_completed),
        cmocka_unit_test(a_part_grows),
        cmocka_unit_test(what_is_needed_is_read),
        cmocka_unit_test(compressed_blocks_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
