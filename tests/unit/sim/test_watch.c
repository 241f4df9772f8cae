/* The watch and its results. Each fragment of a frame has one fate in the maps. The history of a
 * pixel ends with the color in the picture. Watching does not change results. */
#include "rigs/tiny_run.h"

#include "report/draw/maps.h"
#include "report/draw/pixel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { X = 40, Y = 90 };

struct seen {
    struct watch *watch;
    uint64_t fates[FATES];
    uint64_t generated, killed, hz, written;
    uint8_t shown[4];
    struct pixel_log log;
};

static uint64_t
total(const struct stat_set *set, const uint64_t *values, const char *name)
{
    uint64_t sum = 0;
    assert_true(stat_set_sum(set, values, name, &sum));
    return sum;
}

/* Checks that the map has the times of the pixel's last written fragment, and of its last shaded
 * one. */
static void
compare_times(const struct seen *seen, const struct watched_surface *shown, size_t first)
{
    const struct watched_pixel *pixel = &shown->pixels[(size_t)Y * shown->width + X];
    uint64_t cycles = 0, shader_cycles = 0;
    for (size_t i = first; i < seen->log.fragments.count; i++) {
        const struct watched_fragment *f = &seen->log.fragments.items[i];
        if (f->fate == FATE_WRITTEN)
            cycles = f->written - f->generated;
        if (f->shader_ended != CYCLE_NEVER)
            shader_cycles = f->shader_ended - f->shader_began;
    }
    assert_true(cycles > 0);
    assert_int_equal(pixel->cycles, cycles);
    assert_int_equal(pixel->shader_cycles, shader_cycles);
}

/* The map lists the draws of each tile, last draw first. Their fragments add up to those of the
 * tile's pixels. The tile of the watched pixel lists the draw of each of the pixel's fragments. */
static void
compare_tiles(const struct seen *seen, const struct watched_surface *surface)
{
    const uint32_t across = watch_tiles(surface->width);
    for (uint32_t t = 0; t < across * watch_tiles(surface->height); t++) {
        uint64_t fragments = 0, written = 0;
        for (uint32_t i = 0; i < WATCH_TILE_SIDE * WATCH_TILE_SIDE; i++) {
            const uint32_t x = t % across * WATCH_TILE_SIDE + i % WATCH_TILE_SIDE;
            const uint32_t y = t / across * WATCH_TILE_SIDE + i / WATCH_TILE_SIDE;
            if (x >= surface->width || y >= surface->height)
                continue;
            const struct watched_pixel *pixel = &surface->pixels[(size_t)y * surface->width + x];
            for (uint32_t f = 0; f < FATES; f++)
                fragments += pixel->fates[f];
            written += pixel->fates[FATE_WRITTEN];
        }
        for (const struct watched_part *part = surface->tiles[t]; part; part = part->next) {
            assert_true(part->fragments > 0);
            assert_true(!part->next || part->next->draw < part->draw);
            fragments -= part->fragments;
            written -= part->written;
        }
        assert_int_equal(fragments, 0);
        assert_int_equal(written, 0);
    }
    for (size_t i = 0; i < seen->watch->fragments.count; i++) {
        const struct watched_fragment *f = &seen->watch->fragments.items[i];
        const struct watched_part *part =
            surface->tiles[Y / WATCH_TILE_SIDE * across + X / WATCH_TILE_SIDE];
        while (f->surface == surface->address && part && part->draw != f->draw)
            part = part->next;
        assert_non_null(part);
    }
}

static bool
on_frame(void *data, const struct simulation_frame *frame, struct error *err)
{
    struct tiny_run *run = data;
    struct seen *seen = run->data;
    const struct stat_set *set = &run->sim.machine->stats;
    if (!tiny_take_frame(run, frame, err))
        return false;
    const uint64_t *values = run->frame[run->frame_count - 1].values;
    seen->generated += total(set, values, "fraggen.fragments");
    seen->hz += total(set, values, "hz.fragments_culled");
    seen->killed += total(set, values, "shader.fragments_killed");
    seen->written += total(set, values, "colorwrite.fragments_in");
    for (uint32_t s = 0; s < seen->watch->surface_count; s++) {
        const struct watched_surface *surface = &seen->watch->surfaces[s];
        for (size_t i = 0; i < (size_t)surface->width * surface->height; i++)
            for (uint32_t f = 0; f < FATES; f++)
                seen->fates[f] += surface->pixels[i].fates[f];
        compare_tiles(seen, surface);
    }
    const struct watched_surface *shown = watch_shown(seen->watch, frame->shown);
    assert_non_null(shown);
    const size_t first = seen->log.fragments.count;
    struct watched_surface copy = *shown;
    copy.pixels = mem_array((size_t)shown->width * shown->height, sizeof *copy.pixels);
    memcpy(copy.pixels, shown->pixels, (size_t)shown->width * shown->height * sizeof *copy.pixels);
    pixel_log_take(&seen->log, seen->watch, frame->shown);
    compare_times(seen, &copy, first);
    free(copy.pixels);
    memcpy(seen->shown, frame->picture->rgba + 4 * ((size_t)Y * frame->picture->width + X), 4);
    return true;
}

static void
begin_watch(struct tiny_run *run)
{
    struct seen *seen = run->data;
    seen->watch = watch_create(&run->sim.machine->clock, run->sim.machine->memctl);
    seen->watch->maps = seen->watch->has_pixel = true;
    seen->watch->x = X;
    seen->watch->y = Y;
    run->sim.machine->pools.watch = seen->watch;
    run->sim.listener.frame = on_frame;
}

static void
every_fragment_is_seen(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct tiny_run plain, run;
    tiny_init(&plain);
    tiny_go(&plain, false);
    tiny_init(&run);
    run.data = &seen;
    run.prepare = begin_watch;
    tiny_go(&run, false);
    assert_true(plain.ok && run.ok);
    uint64_t all = 0;
    for (uint32_t f = 0; f < FATES; f++)
        all += seen.fates[f];
    assert_true(seen.generated > 0);
    assert_int_equal(all, seen.generated);
    assert_int_equal(seen.fates[FATE_HZ], seen.hz);
    assert_int_equal(seen.fates[FATE_KILLED], seen.killed);
    assert_int_equal(seen.fates[FATE_WRITTEN] + seen.fates[FATE_NO_COLOR], seen.written);

    /* The last written fragment leaves the color that is shown. Its times are in order, and it
     * finds the depth that the previous fragment left. */
    const struct watched_fragment *last = NULL;
    for (size_t i = 0; i < seen.log.fragments.count; i++) {
        const struct watched_fragment *f = &seen.log.fragments.items[i];
        if (f->fate != FATE_WRITTEN)
            continue;
        assert_true(f->generated < f->shader_began && f->shader_began < f->shader_ended);
        assert_true(f->shader_ended < f->written);
        last = f;
    }
    assert_non_null(last);
    for (uint32_t c = 0; c < 3; c++)
        assert_int_equal((int)(last->color_after[c] * 255.0f + 0.5f), seen.shown[c]);

    /* watching does not change pictures or statistics */
    assert_true(tiny_same_pictures(&plain, &run));
    for (uint32_t i = 0; i < plain.frame_count; i++)
        assert_memory_equal(plain.frame[i].values, run.frame[i].values,
                            run.values_count * sizeof(uint64_t));
    pixel_log_fini(&seen.log);
    watch_destroy(seen.watch);
    tiny_fini(&plain);
    tiny_fini(&run);
}

/* The watch finds the shown surface by its address. Otherwise it takes the surface of that size
 * with the most fragments. */
static void
surface_shown(void **state)
{
    static const struct watched_surface surfaces[] = {
        {.address = 1000, .width = 100, .height = 50, .fragments = 10},
        {.address = 2000, .width = 100, .height = 50, .fragments = 20},
        {.address = 3000, .width = 100, .height = 50, .fragments = 5},
        {.address = 4000, .width = 60, .height = 50, .fragments = 99},
        {.address = 5000, .width = 100, .height = 60, .fragments = 99},
    };
    static const struct {
        uint32_t address, width, height, found;
    } cases[] = {{9000, 100, 50, 2000}, {3000, 100, 50, 3000}, {4000, 100, 50, 4000},
                 {9000, 60, 50, 4000},  {9000, 100, 60, 5000}, {9000, 60, 60, 0}};
    (void)state;
    struct watch *watch = watch_create(NULL, NULL);
    memcpy(watch->surfaces, surfaces, sizeof surfaces);
    watch->surface_count = sizeof surfaces / sizeof surfaces[0];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct resource shown = {.address = cases[i].address};
        shown.levels[0].width = cases[i].width;
        shown.levels[0].height = cases[i].height;
        const struct watched_surface *found = watch_shown(watch, &shown);
        assert_int_equal(found ? found->address : 0, cases[i].found);
    }
    watch_destroy(watch);
}

static void
scales(void **state)
{
    (void)state;
    uint8_t rgb[3];
    map_heat(0, rgb);
    assert_true(rgb[0] == 0 && rgb[1] == 0 && rgb[2] == 0);
    map_heat(255, rgb);
    assert_true(rgb[0] == 255 && rgb[1] == 255 && rgb[2] == 255);
    map_heat(100000, rgb);
    assert_true(rgb[0] == 255 && rgb[1] == 255 && rgb[2] == 255);
    map_heat(85, rgb); /* a third of the scale is the second of six stops */
    assert_true(rgb[0] == 0 && rgb[1] == 255 && rgb[2] == 255);
    assert_int_equal(map_log_level(0), 0);
    assert_int_equal(map_log_level(1), 0);
    for (uint32_t log = 1; log < 16; log++)
        assert_int_equal(map_log_level(UINT64_C(1) << log), 16 * log);
    assert_int_equal(map_log_level(3), 24); /* halfway between two powers of two */
    /* 16 steps per power of two: 16 log + floor(16 (cycles / 2^log - 1)) */
    assert_int_equal(map_log_level(17), 65);
    assert_int_equal(map_log_level(40), 84);
    assert_int_equal(map_log_level(1000), 159);
    assert_int_equal(map_log_level(UINT64_MAX), 255);
}

static void
modes(void **state)
{
    (void)state;
    struct error err;
    uint32_t bits;
    for (uint32_t mode = 0; mode < MAP_MODES; mode++) {
        assert_true(maps_parse(&bits, map_mode_names[mode], &err));
        assert_int_equal(bits, 1u << mode);
    }
    assert_true(maps_parse(&bits, "overdraw,misses", &err));
    assert_int_equal(bits, 1u << MAP_OVERDRAW | 1u << MAP_MISSES);
    assert_true(maps_parse(&bits, "all,color", &err));
    assert_int_equal(bits, (1u << MAP_MODES) - 1);
    assert_false(maps_parse(&bits, "", &err));
    assert_false(maps_parse(&bits, "over", &err));
    assert_false(maps_parse(&bits, "overdraw,", &err));
}

/* The bar of the legend starts at 16,16 and shows the colors of the documented scale, one column
 * per level. The figures are black on white. */
static void
legends_show_the_scale(void **state)
{
    static const struct {
        uint32_t mode;
        uint32_t x, y;
        uint8_t rgb[3];
    } cases[] = {
        {MAP_OVERDRAW, 0, 0, {0, 0, 0}},        {MAP_OVERDRAW, 85, 5, {0, 255, 255}},
        {MAP_LATENCY, 170, 15, {255, 255, 0}},  {MAP_MISSES, 255, 0, {255, 255, 255}},
        {MAP_CULLED, 255, 0, {255, 0, 0}},      {MAP_CULLED, 128, 16, {0, 128, 0}},
        {MAP_CULLED, 255, 47, {0, 0, 255}},     {MAP_COMPRESSION, 10, 0, {0, 0, 0}},
        {MAP_COMPRESSION, 130, 0, {0, 255, 0}}, {MAP_COMPRESSION, 250, 0, {255, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct picture legend;
        uint32_t black = 0;
        map_legend_draw(cases[i].mode, &legend);
        assert_memory_equal(legend.rgba + 4 * ((16 + cases[i].y) * legend.width + 16 + cases[i].x),
                            cases[i].rgb, 3);
        for (size_t at = (legend.height - 30) * (size_t)legend.width;
             at < (size_t)legend.width * legend.height; at++)
            black += !legend.rgba[4 * at] && !legend.rgba[4 * at + 1] && !legend.rgba[4 * at + 2];
        assert_in_range(black, 100, 2000);
        picture_fini(&legend);
    }
    assert_false(map_has_legend(MAP_COLOR));
    assert_false(map_has_legend(MAP_DRAWS));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fragment_is_seen),
        cmocka_unit_test(surface_shown),
        cmocka_unit_test(scales),
        cmocka_unit_test(modes),
        cmocka_unit_test(legends_show_the_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
