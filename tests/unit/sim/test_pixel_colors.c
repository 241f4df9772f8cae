/* The watch reports the colors of a pixel before and after each draw. They equal those of the
 * functional renderer in every format and number of samples. The block of the pixel may be cleared,
 * compressed or untouched. The ROP may have the whole line, or only written bytes. Further lines
 * may be in flight to memory. Watching does not change a statistic. */
#include "rigs/rig.h"

#include "unit/watch.h"

enum {
    RES_TARGET = 40,
    OBJ_TARGET = 400,
    OBJ_BACKGROUND,
    OBJ_KILLS,
    OBJ_PLAIN,
    OBJ_BLENDED,
    OBJ_NO_ALPHA,
    OBJ_MULTISAMPLED,
    X = 13,
    Y = 21,
    DRAWS = 24,
    MAX_DRAWS = DRAWS + 1,
};

/* Gives each pixel a different color. */
static const char background_fs[] = "FRAG\n"
                                    "DCL IN[0], POSITION, LINEAR\n"
                                    "DCL OUT[0], COLOR\n"
                                    "IMM[0] FLT32 {0.015, 0.01, 0.0, 1.0}\n"
                                    "  0: MUL OUT[0], IN[0], IMM[0]\n"
                                    "  1: END\n";
static const char plain_fs[] = "FRAG\n"
                               "DCL OUT[0], COLOR\n"
                               "DCL CONST[0]\n"
                               "  0: MOV OUT[0], CONST[0]\n"
                               "  1: END\n";
/* Kills the pixels of odd columns. */
static const char kills_fs[] = "FRAG\n"
                               "DCL IN[0], POSITION, LINEAR\n"
                               "DCL OUT[0], COLOR\n"
                               "DCL CONST[0]\n"
                               "DCL TEMP[0]\n"
                               "IMM[0] FLT32 {0.5, -0.5, 0.0, 0.0}\n"
                               "  0: MUL TEMP[0].x, IN[0].xxxx, IMM[0].xxxx\n"
                               "  1: FRC TEMP[0].x, TEMP[0].xxxx\n"
                               "  2: ADD TEMP[0].x, IMM[0].xxxx, -TEMP[0].xxxx\n"
                               "  3: KILL_IF TEMP[0].xxxx\n"
                               "  4: MOV OUT[0], CONST[0]\n"
                               "  5: END\n";

enum background { UNTOUCHED, CLEARED, DRAWN, BACKGROUNDS };
static const char *const background_names[BACKGROUNDS] = {"untouched", "cleared", "drawn"};

struct colors { /* colors of the pixel's first sample, by draw number in the frame */
    bool drawn;
    float before[4], after[4];
};

struct play {
    struct player player;
    const struct format_info *format;
    uint32_t samples;
    enum background background;
    uint32_t frame;
    struct colors colors[MAX_DRAWS]; /* colors of the last frame */
    struct watch *watch;             /* NULL if the run is functional or has no watch */
    uint64_t *values;                /* statistics of the last frame */
    uint64_t random;
};

static uint32_t
random_below(struct play *play, uint32_t count)
{
    play->random = play->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((play->random >> 33) % count);
}

/* Reads the pixel from memory. */
static void
read_pixel(struct play *play, float rgba[4])
{
    struct gpu_device *device = &play->player.sim.device;
    const struct resource *res = gpu_resource(device, 1, RES_TARGET);
    play->format->unpack(device->memory.bytes + res->address + resource_offset(res, 0, X, Y, 0, 0),
                         0, 0, rgba);
}

static bool
before_draw(void *data, const struct functional *renderer, const struct draw *draw,
            struct error *err)
{
    struct play *play = data;
    (void)renderer;
    (void)err;
    assert_true(draw->number < MAX_DRAWS);
    read_pixel(play, play->colors[draw->number].before);
    play->colors[draw->number].drawn = true;
    return true;
}

static bool
after_draw(void *data, const struct functional *renderer, const struct draw *draw,
           struct error *err)
{
    struct play *play = data;
    (void)renderer;
    (void)err;
    read_pixel(play, play->colors[draw->number].after);
    return true;
}

/* Takes the colors from the fragments of a draw. The first one has the color before the draw, the
 * last one the color after it. */
static bool
take_frame(void *data, const struct simulation_frame *frame, struct error *err)
{
    struct play *play = data;
    (void)err;
    play->frame++;
    if (play->player.sim.machine)
        stat_set_snapshot(&play->player.sim.machine->stats, play->values);
    if (!play->watch)
        return true;
    memset(play->colors, 0, sizeof play->colors);
    for (size_t i = 0; i < play->watch->fragments.count; i++) {
        const struct watched_fragment *f = &play->watch->fragments.items[i];
        assert_true(f->draw < MAX_DRAWS);
        struct colors *colors = &play->colors[f->draw];
        if (f->frame != frame->number || !f->has_color)
            continue;
        if (!colors->drawn)
            memcpy(colors->before, f->color_before, sizeof colors->before);
        memcpy(colors->after, f->color_after, sizeof colors->after);
        colors->drawn = true;
    }
    return true;
}

static void
make_states(struct play *play, struct stream *s)
{
    scene_states(s, play->samples > 1 ? RASTERIZER_MULTISAMPLE : 0);
    stream_blend(s, OBJ_BLENDED,
                 BLEND_WRITES | BLEND_ENABLE | FACTOR_SRC_ALPHA * BLEND_RGB_SRC |
                     FACTOR_INV_SRC_ALPHA * BLEND_RGB_DST | FACTOR_ONE * BLEND_ALPHA_SRC |
                     FACTOR_ZERO * BLEND_ALPHA_DST);
    stream_blend(s, OBJ_NO_ALPHA, BLEND_WRITES_RGB);
    stream_shader(s, OBJ_VS, VSTAGE_VERTEX, rig_vs);
    stream_shader(s, OBJ_FS, VSTAGE_FRAGMENT, plain_fs);
    stream_shader(s, OBJ_BACKGROUND, VSTAGE_FRAGMENT, background_fs);
    stream_shader(s, OBJ_KILLS, VSTAGE_FRAGMENT, kills_fs);
    CREATE(s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT);
    stream_surface(s, OBJ_TARGET, RES_TARGET, play->format->number);
    scene_bind(s);
    PACKET(s, CMD_SET_FRAMEBUFFER_STATE, 1, 0, OBJ_TARGET);
    PACKET(s, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_VERTICES);
    scene_viewport(s, SIZE, SIZE);
    player_submit(&play->player, s);
}

static void
start(struct play *play, const struct params *params, bool timed)
{
    static const struct simulation_listener none;
    struct simulation_listener listener = none;
    struct stream s = {0};
    listener.data = play;
    listener.frame = take_frame;
    play->random = play->format->number * 8 + play->samples;
    player_start(&play->player, params, timed, &listener);
    if (timed)
        play->values = calloc(play->player.sim.machine->stats.count, sizeof *play->values);
    const struct resource_desc resources[] = {
        {RES_COLOR, TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET | BIND_DISPLAY_TARGET,
         SIZE, SIZE, 1, 1, 0, 0},
        {RES_TARGET, TARGET_2D, play->format->number, BIND_RENDER_TARGET, SIZE, SIZE, 1, 1, 0,
         play->samples > 1 ? play->samples : 0},
        {RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_VERTEX_BUFFER, 4096, 1, 1, 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof resources / sizeof resources[0]; i++)
        player_create(&play->player, resources[i]);
    make_states(play, &s);
}

/* Stores the corners of a rectangle, given in eighths of a pixel. */
static void
put_rectangle(float (*corners)[4], uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1)
{
    for (uint32_t v = 0; v < 4; v++) {
        corners[v][0] = (float)(v & 1 ? x1 : x0) / (4 * SIZE) - 1;
        corners[v][1] = (float)(v & 2 ? y1 : y0) / (4 * SIZE) - 1;
        corners[v][2] = 0;
        corners[v][3] = 1;
    }
}

/* Stores a rectangle with a corner near the pixel. Every third rectangle covers other tiles of the
 * same ROP. */
static void
put_random_rectangle(struct play *play, float (*corners)[4], uint32_t draw)
{
    const uint32_t x = draw % 3 == 2 ? 8 * (X + 16) : 8 * X, y = 8 * Y;
    put_rectangle(corners, x - random_below(play, 40), y - random_below(play, 40),
                  x + random_below(play, 40), y + random_below(play, 40));
}

static void
add_draw(struct stream *s, uint32_t number)
{
    stream_draw(s, PRIM_TRIANGLE_STRIP, 4 * number, 4);
}

static void
draw_background(struct stream *s)
{
    stream_bind(s, VOBJ_BLEND, OBJ_BLEND);
    stream_bind_shader(s, OBJ_BACKGROUND, VSTAGE_FRAGMENT);
    add_draw(s, 0);
}

static void
swap(struct play *play)
{
    player_take(&play->player,
                (struct message){.kind = MESSAGE_SWAP,
                                 .transfer = {RES_COLOR, 0, {0, 0, 0, SIZE, SIZE, 1}}},
                NULL, 0);
}

static void
draw_frames(struct play *play)
{
    static float corners[MAX_DRAWS][4][4];
    struct stream s = {0};
    put_rectangle(corners[0], 0, 0, 8 * SIZE, 8 * SIZE);
    for (uint32_t d = 0; d < DRAWS; d++)
        put_random_rectangle(play, corners[1 + d], d);
    player_put(&play->player, RES_VERTICES, corners, sizeof corners);
    draw_background(&s);
    player_submit(&play->player, &s);
    swap(play);
    if (play->background == CLEARED)
        stream_clear(&s, MASK_COLOR0, (float[]){.25f, .5f, 1, .75f}, 0, 0);
    if (play->background == DRAWN)
        draw_background(&s);
    for (uint32_t d = 0; d < DRAWS; d++) {
        static const uint32_t blends[] = {OBJ_BLEND, OBJ_BLEND, OBJ_BLEND, OBJ_BLENDED,
                                          OBJ_NO_ALPHA};
        stream_bind(&s, VOBJ_BLEND, blends[random_below(play, 5)]);
        stream_bind_shader(&s, random_below(play, 4) ? OBJ_FS : OBJ_KILLS, VSTAGE_FRAGMENT);
        PACKET(&s, CMD_SET_CONSTANT_BUFFER, VSTAGE_FRAGMENT, 0,
               float_bits((float)random_below(play, 256) / 255),
               float_bits((float)random_below(play, 256) / 255),
               float_bits((float)random_below(play, 256) / 255),
               float_bits((float)random_below(play, 256) / 255));
        add_draw(&s, 1 + d);
    }
    player_submit(&play->player, &s);
    swap(play);
}

static void
play_functional(struct play *play, const struct params *params)
{
    const struct draw_watch watch = {.data = play, .before = before_draw, .after = after_draw};
    start(play, params, false);
    play->player.sim.functional.watch = &watch;
    draw_frames(play);
    player_end(&play->player);
}

static void
play_timed(struct play *play, const struct params *params, bool watched)
{
    start(play, params, true);
    struct machine *m = play->player.sim.machine;
    if (watched) {
        play->watch = watch_create(&m->clock, m->memctl);
        play->watch->has_pixel = true;
        play->watch->x = X;
        play->watch->y = Y;
        m->pools.watch = play->watch;
    }
    draw_frames(play);
}

static void
end_timed(struct play *play)
{
    player_end(&play->player);
    watch_destroy(play->watch);
    free(play->values);
}

static void
compare(const struct play *seen, const struct play *plain, const struct play *expected,
        const char *settings)
{
    const struct stat_set *stats = &seen->player.sim.machine->stats;
    uint32_t fragments = 0;
    for (uint32_t d = 0; d < MAX_DRAWS; d++) {
        const struct colors *is = &seen->colors[d], *wanted = &expected->colors[d];
        fragments += is->drawn;
        if (is->drawn && (memcmp(is->before, wanted->before, sizeof is->before) ||
                          memcmp(is->after, wanted->after, sizeof is->after)))
            fail_msg("%s, %u samples, %s, %s: draw %u: %g %g %g %g -> %g %g %g %g, not %g %g %g %g "
                     "-> %g %g %g %g",
                     seen->format->name, seen->samples, background_names[seen->background],
                     settings, d, (double)is->before[0], (double)is->before[1],
                     (double)is->before[2], (double)is->before[3], (double)is->after[0],
                     (double)is->after[1], (double)is->after[2], (double)is->after[3],
                     (double)wanted->before[0], (double)wanted->before[1],
                     (double)wanted->before[2], (double)wanted->before[3], (double)wanted->after[0],
                     (double)wanted->after[1], (double)wanted->after[2], (double)wanted->after[3]);
    }
    assert_true(fragments > DRAWS / 4);
    for (uint32_t v = 0; v < stats->count; v++)
        if (seen->values[v] != plain->values[v])
            fail_msg("%s: %s is %llu with a watch, not %llu", settings, stats->entries[v].name,
                     (unsigned long long)seen->values[v], (unsigned long long)plain->values[v]);
}

#define ONE_LINE "COLORWRITE.ColorCacheLines=1 COLORWRITE.ColorCacheWays=1"
#define SLOW                                                                                       \
    "COMMANDPROCESSOR.PipelinedBatchRendering=TRUE MEMORYCONTROLLER.MemoryBuses=1 "                \
    "MEMORYCONTROLLER.MemoryBusWidth=8 MEMORYCONTROLLER.MaxConsecutiveReads=1024"
static const char *const settings[] = {
    "COLORWRITE.DisableCompression=TRUE",
    "COLORWRITE.DisableCompression=TRUE " ONE_LINE " " SLOW,
    "COLORWRITE.DisableCompression=FALSE " ONE_LINE " " SLOW,
    "COLORWRITE.DisableCompression=FALSE " ONE_LINE
    " COMMANDPROCESSOR.PipelinedBatchRendering=TRUE MEMORYCONTROLLER.MemoryControllerV2=TRUE",
    "COLORWRITE.DisableCompression=TRUE COLORWRITE.ColorCacheStampsPerLine=4 "
    "COLORWRITE.ColorCacheLines=4 COLORWRITE.ColorCacheWays=1 " SLOW,
};

static void
set(struct params *params, const char *assignments)
{
    char copy[512], *rest = NULL;
    struct error err;
    if (!params_load_preset(params, "reference-2005", &err))
        fail_msg("%s", err.text);
    params->MEMORYCONTROLLER.MemorySize = 1 << 20;
    snprintf(copy, sizeof copy, "%s", assignments);
    for (char *one = strtok_r(copy, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
        if (!params_set(params, one, &err))
            fail_msg("%s", err.text);
}

static void
check(const struct format_info *format, uint32_t samples, enum background background,
      const char *setting)
{
    struct params params;
    set(&params, setting);
    struct play *plays = calloc(3, sizeof *plays);
    for (uint32_t i = 0; i < 3; i++) {
        plays[i].format = format;
        plays[i].samples = samples;
        plays[i].background = background;
    }
    play_functional(&plays[0], &params);
    play_timed(&plays[1], &params, false);
    play_timed(&plays[2], &params, true);
    compare(&plays[2], &plays[1], &plays[0], setting);
    end_timed(&plays[1]);
    end_timed(&plays[2]);
    free(plays);
}

static void
colors_are_those_of_the_buffer(void **state)
{
    (void)state;
    const size_t count = sizeof settings / sizeof settings[0];
    size_t turn = 0;
    for (size_t f = 0; f < format_count(); f++) {
        const struct format_info *format = format_at(f);
        if (!(format->uses & FORMAT_COLOR))
            continue;
        for (uint32_t samples = 1; samples <= 8 && 4 * format->block_bytes * samples <= 256;
             samples *= 2)
            for (enum background b = 0; b < BACKGROUNDS; b++)
                for (size_t i = 0; i < count; i++, turn++)
                    if (format->number == FORMAT_B8G8R8A8_UNORM || turn % (count + 1) == 0)
                        check(format, samples, b, settings[i]);
    }
    assert_true(turn > 10 * count);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colors_are_those_of_the_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
