/* Hierarchical Z: entries of several surfaces, and the events that invalidate them. Injected faults
 * must change the picture. */
#include "rigs/rig.h"

#include "unit/watch.h"

enum { RES_OTHER_DEPTH = 20, OBJ_OTHER_DEPTH = 201, OBJ_ALWAYS };

static void
start(struct rig *rig)
{
    struct stream *s = &rig->stream;
    rig_start(rig);
    player_create(&rig->player,
                  (struct resource_desc){RES_OTHER_DEPTH, TARGET_2D, FORMAT_Z24_UNORM_S8_UINT,
                                         BIND_DEPTH_STENCIL, SIZE, SIZE, 1, 1, 0, 0});
    stream_surface(s, OBJ_OTHER_DEPTH, RES_OTHER_DEPTH, FORMAT_Z24_UNORM_S8_UINT);
    stream_depth(s, OBJ_ALWAYS, FUNC_ALWAYS);
    rig_submit(rig);
}

/* draw_front() draws a triangle over half of the surface at window depth .25. draw_back() covers
 * the whole surface at window depth .5, which is farther. */
static void
draw_front(struct rig *rig)
{
    rig_upload_corner(rig, SIZE, -0.5f);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
}

static void
draw_back(struct rig *rig)
{
    rig_upload_corner(rig, 2 * SIZE, 0);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
}

static void
use_depth(struct rig *rig, uint32_t surface)
{
    PACKET(&rig->stream, CMD_SET_FRAMEBUFFER_STATE, 1, surface, OBJ_COLOR);
    rig_submit(rig);
}

static uint32_t
pixels_drawn(const struct rig *rig)
{
    const uint8_t red[4] = {255, 0, 0, 255};
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        drawn += memcmp(&rig->pixels[i], red, 3) == 0;
    return drawn;
}

/* An entry is never nearer than the depth that it represents. At most, it is one step of `bits`
 * bits plus one step of the 16-bit scale farther. */
static void
entries_are_rounded_away(void **state)
{
    (void)state;
    for (uint32_t bits = 8; bits <= 16; bits++) {
        const double step = bits < 16 ? 1.0 / ((1 << bits) - 1) + 1.0 / 65535 : 1.0 / 65535;
        for (uint32_t i = 0; i < 100000; i++) {
            const float depth = (float)i / 99991.0f;
            const double far = hz_entry(depth, bits) / 65535.0;
            if (depth < 1.0f && (far < (double)depth || far >= (double)depth + step))
                fail_msg("%.9f becomes %.9f with %u bits", (double)depth, far, bits);
        }
        assert_int_equal(hz_entry(0.0f, bits), 0);
        assert_int_equal(hz_entry(-1.0f, bits), 0);
        assert_int_equal(hz_entry(1.0f, bits), HZ_FARTHEST);
        assert_int_equal(hz_entry(2.0f, bits), HZ_FARTHEST);
        assert_int_equal(hz_entry(__builtin_nanf(""), bits), HZ_FARTHEST);
    }
    assert_int_equal(hz_entry(0.5f, 16), 32768);    /* 32767.5 rounds up */
    assert_int_equal(hz_entry(0.5f, 8), 128 * 257); /* 127.5 rounds up; 65535 / 255 = 257 */
}

/* 4096 fragments are hidden by depth .25. Another depth buffer, in which nothing is hidden, is used
 * between the draws. */
static void
two_surfaces(void **state)
{
    struct rig *rig = *state;
    start(rig);
    rig_clear(rig, MASK_DEPTH | MASK_COLOR0, 0.25);
    use_depth(rig, OBJ_OTHER_DEPTH);
    rig_clear(rig, MASK_DEPTH, 1);
    draw_front(rig);
    use_depth(rig, OBJ_DEPTH);
    draw_back(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "hz.fragments_culled", SIZE * SIZE);
    rig_assert_figure(rig, "fraggen.fragments", SIZE * SIZE + 63 * 64 / 2);
    assert_int_equal(pixels_drawn(rig), 63 * 64 / 2);
}

/* Two layers of one depth buffer are two surfaces. All far depths of the second layer are .25. They
 * must hide nothing in the first layer. */
static void
two_layers(void **state)
{
    enum { RES_LAYERS = 21, OBJ_FIRST_LAYER = 210, OBJ_SECOND_LAYER };
    struct rig *rig = *state;
    struct stream *s = &rig->stream;
    rig->params.ZSTENCILTEST.ZCacheLines = rig->params.ZSTENCILTEST.ZCacheWays = 1;
    start(rig);
    player_create(&rig->player,
                  (struct resource_desc){RES_LAYERS, TARGET_2D_ARRAY, FORMAT_Z24_UNORM_S8_UINT,
                                         BIND_DEPTH_STENCIL, SIZE, SIZE, 1, 2, 0, 0});
    CREATE(s, VOBJ_SURFACE, OBJ_FIRST_LAYER, RES_LAYERS, FORMAT_Z24_UNORM_S8_UINT, 0, 0 | 0 << 16);
    CREATE(s, VOBJ_SURFACE, OBJ_SECOND_LAYER, RES_LAYERS, FORMAT_Z24_UNORM_S8_UINT, 0, 1 | 1 << 16);
    use_depth(rig, OBJ_FIRST_LAYER);
    rig_clear(rig, MASK_DEPTH | MASK_COLOR0, 1);
    use_depth(rig, OBJ_SECOND_LAYER);
    rig_clear(rig, MASK_DEPTH, 1);
    rig_upload_corner(rig, 2 * SIZE, -0.5f);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    draw_back(rig); /* farther, so most of it is culled */
    use_depth(rig, OBJ_FIRST_LAYER);
    draw_back(rig);
    rig_swap(rig);
    assert_true(rig_figure(rig, "hz.fragments_culled") > SIZE * SIZE / 2);
    rig_assert_figure(rig, "colorwrite.fragments_in", 2 * SIZE * SIZE);
}

/* The buffer has entries for only one surface. Those of the other surface are lost, so nothing is
 * culled. */
static void
no_room_for_two_surfaces(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.HierarchicalZBufferSize = 64;
    start(rig);
    rig_clear(rig, MASK_DEPTH | MASK_COLOR0, 0.25);
    use_depth(rig, OBJ_OTHER_DEPTH);
    rig_clear(rig, MASK_DEPTH, 1);
    use_depth(rig, OBJ_DEPTH);
    draw_back(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "hz.fragments_culled", 0);
    assert_int_equal(pixels_drawn(rig), 0);
}

/* The buffer has half as many entries as the surface has tiles, so tiles of the lower half are
 * never culled. */
static void
half_a_buffer(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.HierarchicalZBufferSize = 32;
    start(rig);
    rig_clear(rig, MASK_DEPTH | MASK_COLOR0, 0.25);
    draw_back(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "hz.fragments_culled", SIZE * SIZE / 2);
    rig_assert_figure(rig, "zstencil.fragments_z_failed", SIZE * SIZE / 2);
}

/* The depth .4995 hides the depth .5. With 8 bits, the entry of .4995 is 128/255 = .502, so nothing
 * is culled, and the z test rejects the fragments. */
static void
hide_half(struct rig *rig, uint32_t bits, bool by_draw)
{
    rig->params.RASTERIZER.HZEntryBits = bits;
    rig->params.ZSTENCILTEST.ZCacheLines = rig->params.ZSTENCILTEST.ZCacheWays = 1;
    start(rig);
    rig_clear(rig, MASK_DEPTH | MASK_COLOR0, by_draw ? 1 : 0.4995);
    if (by_draw) {
        rig_upload_corner(rig, 2 * SIZE, -0.001f); /* window depth .4995 */
        rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    }
    draw_back(rig);
    rig_swap(rig);
}

static void
clear_with_8_bits(void **state)
{
    struct rig *rig = *state;
    hide_half(rig, 8, false);
    rig_assert_figure(rig, "hz.fragments_culled", 0);
    rig_assert_figure(rig, "zstencil.fragments_z_failed", SIZE * SIZE);
}

static void
clear_with_16_bits(void **state)
{
    struct rig *rig = *state;
    hide_half(rig, 16, false);
    rig_assert_figure(rig, "hz.fragments_culled", SIZE * SIZE);
    rig_assert_figure(rig, "zstencil.fragments_z_failed", 0);
}

static void
update_with_8_bits(void **state)
{
    struct rig *rig = *state;
    hide_half(rig, 8, true);
    rig_assert_figure(rig, "hz.fragments_culled", 0);
}

/* Most lines have left the z cache before the second draw. */
static void
update_with_16_bits(void **state)
{
    struct rig *rig = *state;
    hide_half(rig, 16, true);
    assert_true(rig_figure(rig, "hz.fragments_culled") > SIZE * SIZE / 2);
}

/* A draw with depth function ALWAYS moves depth away. A later draw between the old and the new
 * depth is visible. */
static void
away_and_back(void **state)
{
    struct rig *rig = *state;
    start(rig);
    rig_clear(rig, MASK_DEPTH | MASK_COLOR0, 0.25);
    stream_bind(&rig->stream, VOBJ_DSA, OBJ_ALWAYS);
    rig_upload_corner(rig, 2 * SIZE, 0.5f); /* window depth .75 */
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    stream_bind(&rig->stream, VOBJ_DSA, OBJ_DSA);
    draw_back(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "hz.poisoned", 1);
    rig_assert_figure(rig, "hz.fragments_culled", 0);
    rig_assert_figure(rig, "colorwrite.fragments_in", 2 * SIZE * SIZE);
}

/* The same when the far depths came from the z test and not from the clear, which sets the far
 * plane. The test draws a layer at .25, a farther one with ALWAYS, and one between them. */
static void
away_from_what_was_tested(void **state)
{
    struct rig *rig = *state;
    rig->params.ZSTENCILTEST.ZCacheLines = rig->params.ZSTENCILTEST.ZCacheWays = 1;
    start(rig);
    rig_clear(rig, MASK_DEPTH | MASK_COLOR0, 1);
    rig_upload_corner(rig, 2 * SIZE, -0.5f);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    stream_bind(&rig->stream, VOBJ_DSA, OBJ_ALWAYS);
    rig_upload_corner(rig, 2 * SIZE, 0.5f);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    stream_bind(&rig->stream, VOBJ_DSA, OBJ_DSA);
    draw_back(rig);
    rig_swap(rig);
    assert_true(rig_figure(rig, "hz.updates") > 0);
    rig_assert_figure(rig, "hz.poisoned", 1);
    rig_assert_figure(rig, "hz.fragments_culled", 0);
    rig_assert_figure(rig, "colorwrite.fragments_in", 3 * SIZE * SIZE);
}

/* The z cache has one line per ROP, so the ROP sends the far depth of a tile when the next tile
 * arrives. */
static void
draw_both(struct rig *rig)
{
    rig->params.ZSTENCILTEST.ZCacheLines = rig->params.ZSTENCILTEST.ZCacheWays = 1;
    start(rig);
    rig_clear(rig, MASK_DEPTH | MASK_COLOR0, 1);
    draw_front(rig);
    rig_clear(rig, MASK_COLOR0, 1);
}

/* The front hides 2016 fragments. It hides 28 tiles completely. All of these tiles except the last
 * one of each ROP have sent their far depth. */
static void
updates_cull(void **state)
{
    struct rig *rig = *state;
    draw_both(rig);
    draw_back(rig);
    rig_swap(rig);
    const uint64_t culled = rig_figure(rig, "hz.fragments_culled");
    assert_true(culled >= 26 * 64 && culled <= 28 * 64);
    assert_int_equal(pixels_drawn(rig), SIZE * SIZE - 63 * 64 / 2);
}

/* Draws a front that covers pixels from (left, top) to (right, bottom), exclusive. */
static void
draw_rectangle(struct rig *rig, uint32_t left, uint32_t top, uint32_t right, uint32_t bottom)
{
    const float x0 = (float)left / (SIZE / 2) - 1, x1 = (float)right / (SIZE / 2) - 1;
    const float y0 = (float)top / (SIZE / 2) - 1, y1 = (float)bottom / (SIZE / 2) - 1;
    const float corners[4][4] = {
        {x0, y0, -.5f, 1}, {x1, y0, -.5f, 1}, {x0, y1, -.5f, 1}, {x1, y1, -.5f, 1}};
    rig_upload(rig, RES_VERTICES, corners, sizeof corners);
    rig_draw(rig, PRIM_TRIANGLE_STRIP, 4, 0);
}

/* A front covers all pixels except one, the first or the last of a tile. A farther draw is visible
 * at that pixel. */
static void
every_pixel_counts(void **state)
{
    (void)state;
    for (uint32_t at = 0; at < 8; at += 7) {
        struct rig *rig = rig_create();
        rig->params.ZSTENCILTEST.ZCacheLines = rig->params.ZSTENCILTEST.ZCacheWays = 1;
        start(rig);
        rig_clear(rig, MASK_DEPTH | MASK_COLOR0, 1);
        draw_rectangle(rig, 0, at + 1, SIZE, SIZE);
        draw_rectangle(rig, 0, 0, SIZE, at);
        draw_rectangle(rig, at + 1, at, SIZE, at + 1);
        draw_rectangle(rig, 0, at, at, at + 1);
        draw_rectangle(rig, SIZE - 1, 0, SIZE, SIZE); /* evicts the line from the z cache */
        rig_clear(rig, MASK_COLOR0, 1);
        draw_back(rig);
        rig_swap(rig);
        assert_true(rig_figure(rig, "hz.fragments_culled") >= 56 * 64);
        assert_int_equal(pixels_drawn(rig), 1);
        rig_destroy(rig);
    }
}

/* With 16-bit depth a fragment is rounded to the nearest of 65536 values (GL 2.1, 2.11.1). A
 * fragment less than half a step behind the cleared depth passes LEQUAL. Hierarchical Z tests the
 * depth before rounding and must not drop it. All fragments four steps behind are dropped: an entry
 * is up to one step too far, and the margin is two steps. */
static void
nearest_of_16_bits(void **state)
{
    enum { RES_DEPTH_16 = 30, OBJ_DEPTH_16 = 230, OBJ_LEQUAL };
    static const struct {
        double steps;
        bool passes;
    } cases[] = {{-0.45, true}, {0, true}, {0.25, true}, {0.45, true}, {0.55, false}, {4, false}};
    static const uint32_t cleared[] = {300, 20000, 65000};
    (void)state;
    for (uint32_t i = 0; i < 3 * sizeof cases / sizeof *cases; i++) {
        const double steps = cases[i / 3].steps, value = cleared[i % 3];
        struct rig *rig = rig_create();
        struct stream *s = &rig->stream;
        rig->params.RASTERIZER.HZEntryBits = 16;
        start(rig);
        player_create(&rig->player,
                      (struct resource_desc){RES_DEPTH_16, TARGET_2D, FORMAT_Z16_UNORM,
                                             BIND_DEPTH_STENCIL, SIZE, SIZE, 1, 1, 0, 0});
        stream_surface(s, OBJ_DEPTH_16, RES_DEPTH_16, FORMAT_Z16_UNORM);
        stream_depth(s, OBJ_LEQUAL, FUNC_LEQUAL);
        stream_bind(s, VOBJ_DSA, OBJ_LEQUAL);
        use_depth(rig, OBJ_DEPTH_16);
        rig_clear(rig, MASK_DEPTH | MASK_COLOR0, value / 65535);
        rig_upload_corner(rig, 2 * SIZE, (float)((value + steps) / 65535 * 2 - 1));
        rig_draw(rig, PRIM_TRIANGLES, 3, 0);
        rig_swap(rig);
        assert_int_equal(pixels_drawn(rig), cases[i / 3].passes ? SIZE * SIZE : 0);
        if (steps >= 4)
            rig_assert_figure(rig, "hz.fragments_culled", SIZE * SIZE);
        rig_destroy(rig);
    }
}

/* Fragments that fail the depth test change the stencil of either face, so none may be culled. With
 * KEEP operations all fragments farther than .25 are culled. */
static void
stencil_is_changed(void **state)
{
    enum { OBJ_STENCIL = 220, KEEP = 0, INCREMENT = 3 };
    (void)state;
    for (uint32_t face = 0; face < 3; face++) { /* face 2: neither face */
        uint32_t words[2];
        for (uint32_t i = 0; i < 2; i++)
            words[i] = FACE_ENABLE | FUNC_ALWAYS * FACE_FUNC |
                       (i == face ? INCREMENT : KEEP) * FACE_ZFAIL_OP | 255 * FACE_VALUEMASK |
                       255 * FACE_WRITEMASK;
        struct rig *rig = rig_create();
        start(rig);
        CREATE(&rig->stream, VOBJ_DSA, OBJ_STENCIL,
               DSA_DEPTH_TEST | DSA_DEPTH_WRITE | FUNC_LESS * DSA_DEPTH_FUNC, words[0], words[1],
               0);
        stream_bind(&rig->stream, VOBJ_DSA, OBJ_STENCIL);
        rig_submit(rig);
        rig_clear(rig, MASK_DEPTH | MASK_COLOR0, 0.25);
        draw_back(rig);
        rig_swap(rig);
        rig_assert_figure(rig, "hz.fragments_culled", face < 2 ? 0 : SIZE * SIZE);
        rig_destroy(rig);
    }
}

/* Culled fragments of the watched pixel have records. A record contains the draw, and no event
 * after Hierarchical Z. */
static void
life_of_a_culled_fragment(void **state)
{
    struct rig *rig = *state;
    start(rig);
    struct watch *watch = watch_create(&rig_machine(rig)->clock, rig_machine(rig)->memctl);
    watch->has_pixel = true;
    watch->x = watch->y = 3;
    rig_machine(rig)->pools.watch = watch;
    rig_clear(rig, MASK_DEPTH | MASK_COLOR0, 0.25);
    draw_back(rig);
    draw_back(rig);
    assert_int_equal(watch->fragments.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct watched_fragment *life = &watch->fragments.items[i];
        assert_int_equal(life->fate, FATE_HZ);
        assert_int_equal(life->draw, watch->fragments.items[0].draw + i);
        assert_true(life->front && life->early_z && life->samples == 1);
        assert_true(life->depth == .5f && life->generated > 0);
        assert_true(life->tested == CYCLE_NEVER && life->shader_began == CYCLE_NEVER);
        assert_true(life->shader_ended == CYCLE_NEVER && life->written == CYCLE_NEVER);
        assert_false(life->has_color || life->has_depth);
    }
    rig_machine(rig)->pools.watch = NULL;
    watch_destroy(watch);
}

static uint64_t
stalled(const struct rig *rig)
{
    const struct hz_stats *stats = &rig_machine(rig)->hz->stats;
    return stats->cycles_ztest + stats->cycles_interpolator + stats->cycles_cache +
           stats->cycles_clearing;
}

struct stalls {
    uint64_t before, longest;
    bool same_direction_run;
};

/* Checks after clock_settle(), in each cycle, that all elapsed cycles are counted. */
static void
look(void *data, uint64_t now)
{
    struct rig *rig = data;
    struct clock *clock = &rig_machine(rig)->clock;
    struct stalls *stalls = rig->data;
    const bool was_blocked = rig_machine(rig)->hz->module.state == UNIT_BLOCKED;
    clock_settle(clock);
    const uint64_t more = stalled(rig) - stalls->before;
    assert_true(more <= 1);
    assert_true(more == 1 || !was_blocked);
    stalls->longest = more ? stalls->longest + 1 : 0;
    stalls->same_direction_run |= stalls->longest > 4;
    stalls->before += more;
    clock->sample_cycle = now + 1;
}

static void
stalls_are_counted_as_they_go_by(void **state)
{
    struct rig *rig = *state;
    rig->params.ZSTENCILTEST.ZALUTestRate = 16;
    rig->data = calloc(1, sizeof(struct stalls));
    start(rig);
    rig_upload_corner(rig, 2 * SIZE, -0.5f);
    struct clock *clock = &rig_machine(rig)->clock;
    clock_settle(clock);
    ((struct stalls *)rig->data)->before = stalled(rig);
    clock->sample = look;
    clock->sample_data = rig;
    clock->sample_cycle = clock->now + 1;
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    clock->sample = NULL;
    assert_true(((struct stalls *)rig->data)->same_direction_run);
}

/* Each far depth is stored one entry too far. So later draws are lost in tiles that the front
 * covers only partly. */
static void
fault_off_by_one(void **state)
{
    struct rig *rig = *state;
    draw_both(rig);
    hz_buffer_reset(&rig_machine(rig)->hz->buffer);
    rig_machine(rig)->hz->buffer.fault_block = 1;
    rig_clear(rig, MASK_DEPTH | MASK_COLOR0, 1);
    draw_front(rig);
    rig_clear(rig, MASK_COLOR0, 1);
    draw_back(rig);
    rig_swap(rig);
    assert_true(pixels_drawn(rig) < SIZE * SIZE - 63 * 64 / 2);
}

/* Clears, draws a hidden layer and clears again. After that nothing is hidden. */
static void
clear_twice(struct rig *rig)
{
    start(rig);
    rig_clear(rig, MASK_DEPTH | MASK_COLOR0, 0.25);
    draw_back(rig);
}

static void
draw_after_second_clear(struct rig *rig)
{
    rig_clear(rig, MASK_DEPTH | MASK_COLOR0, 1);
    draw_back(rig);
    rig_swap(rig);
}

static void
second_clear(void **state)
{
    struct rig *rig = *state;
    clear_twice(rig);
    draw_after_second_clear(rig);
    rig_assert_figure(rig, "hz.fragments_culled", SIZE * SIZE);
    assert_int_equal(pixels_drawn(rig), SIZE * SIZE);
}

static void
fault_stale_after_clear(void **state)
{
    struct rig *rig = *state;
    clear_twice(rig);
    rig_machine(rig)->hz->fault_keep_clear = true;
    draw_after_second_clear(rig);
    assert_int_equal(pixels_drawn(rig), 0);
}

static void
fault_stale_cache_line(void **state)
{
    struct rig *rig = *state;
    clear_twice(rig);
    rig_machine(rig)->hz->buffer.fault_keep_lines = true;
    draw_after_second_clear(rig);
    assert_true(pixels_drawn(rig) < SIZE * SIZE);
}

/* Hierarchical Z must ignore an update from before a clear, or from before a draw that invalidates
 * its entries. */
static void
fault_stale_update(void **state)
{
    struct rig *rig = *state;
    draw_both(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "hz.updates_ignored", 0);
    rig_machine(rig)->zstencil[0].generation--;
    rig_clear(rig, MASK_DEPTH, 1);
    draw_front(rig);
    rig_swap(rig);
    assert_true(rig_figure(rig, "hz.updates_ignored") > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_set_up, rig_tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_rounded_away),
        TEST(two_surfaces),
        TEST(two_layers),
        TEST(no_room_for_two_surfaces),
        TEST(half_a_buffer),
        TEST(clear_with_8_bits),
        TEST(clear_with_16_bits),
        TEST(update_with_8_bits),
        TEST(update_with_16_bits),
        TEST(away_and_back),
        TEST(away_from_what_was_tested),
        TEST(updates_cull),
        cmocka_unit_test(every_pixel_counts),
        cmocka_unit_test(nearest_of_16_bits),
        cmocka_unit_test(stencil_is_changed),
        TEST(life_of_a_culled_fragment),
        TEST(stalls_are_counted_as_they_go_by),
        TEST(fault_off_by_one),
        TEST(second_clear),
        TEST(fault_stale_after_clear),
        TEST(fault_stale_cache_line),
        TEST(fault_stale_update),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
