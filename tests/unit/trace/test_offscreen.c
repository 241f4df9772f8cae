/* Frames of programs that never swap: the readbacks that end a frame
 * (trace/virgl/vtest/offscreen.h). Pictures are upright in timed runs, functional runs and files.
 */
#include "rigs/rig.h"
#include "base/file.h"
#include "base/mem.h"
#include "rigs/command.h"
#include "rigs/folder.h"
#include "trace/frames.h"
#include "trace/virgl/vtest/offscreen.h"

#include <string.h>
#include <unistd.h>

enum { FBO = 100, SMALL, LOW, NARROW, DEPTH, WINDOW, LOG_MAX = 64 };

struct ear {
    struct message_sink sink;
    char heard[LOG_MAX];
    struct message frames[LOG_MAX];
    uint32_t count, frame_count;
};

static bool
listen(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
       struct error *err)
{
    static const char letters[] = {
        [MESSAGE_CLIENT_END] = 'E', [MESSAGE_RESOURCE_UNREF] = 'u', [MESSAGE_PUT] = 'p',
        [MESSAGE_GET] = 'r',        [MESSAGE_SUBMIT] = 'c',         [MESSAGE_SWAP] = 'S',
        [MESSAGE_FRAME] = 'F'};
    struct ear *ear = data;
    if (message->kind < sizeof letters && letters[message->kind])
        ear->heard[ear->count++] = letters[message->kind];
    if (message->kind == MESSAGE_FRAME)
        ear->frames[ear->frame_count++] = *message;
    return true;
}

static struct message
transfer(enum message_kind kind, uint32_t handle, int32_t width, int32_t height)
{
    struct message m = {.kind = kind, .client = 1};
    m.transfer.handle = handle;
    m.transfer.box = (struct box){0, 0, 0, width, height, 1};
    return m;
}

static struct message
submit(uint32_t command)
{
    static uint32_t words[2];
    words[0] = command | 1 << 16;
    return (struct message){
        .kind = MESSAGE_SUBMIT, .client = 1, .bytes = (const uint8_t *)words, .size_bytes = 8};
}

static struct message
message_of(char letter)
{
    struct message m = {.client = 1};
    switch (letter) {
    case 'c': return submit(7);  /* CLEAR */
    case 'd': return submit(8);  /* DRAW_VBO */
    case 'b': return submit(16); /* BLIT */
    case 'y': return submit(17); /* RESOURCE_COPY_REGION */
    case 's': return submit(23); /* change of state */
    case 'r': return transfer(MESSAGE_GET, FBO, 1, 1);
    case 'R': return transfer(MESSAGE_GET, FBO, 8, 4);
    case 't': return transfer(MESSAGE_GET, FBO, 2, 2);
    case 'x': return transfer(MESSAGE_GET, SMALL, 2, 2);
    case 'l': return transfer(MESSAGE_GET, LOW, 64, 15);
    case 'k': return transfer(MESSAGE_GET, NARROW, 15, 64);
    case 'm':
        m = transfer(MESSAGE_GET, FBO, 16, 8);
        m.transfer.level = 1;
        return m;
    case 'z': return transfer(MESSAGE_GET, DEPTH, 8, 4);
    case 'v': return transfer(MESSAGE_GET, RES_VERTICES, 64, 1);
    case 'p': return transfer(MESSAGE_PUT, FBO, 1, 1);
    case 'P': return transfer(MESSAGE_PUT, SMALL, 1, 1);
    case 'S': return transfer(MESSAGE_SWAP, WINDOW, 8, 4);
    case 'u':
        m.kind = MESSAGE_RESOURCE_UNREF;
        m.resource.handle = FBO;
        return m;
    case 'U':
        m.kind = MESSAGE_RESOURCE_UNREF;
        m.resource.handle = SMALL;
        return m;
    default: m.kind = MESSAGE_CLIENT_END; return m;
    }
}

static void
play(struct ear *ear, const char *script)
{
    const struct resource_desc textures[] = {
        {FBO, TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET, 32, 16, 1, 1, 1, 0},
        {SMALL, TARGET_2D, FORMAT_R32G32B32A32_FLOAT, BIND_RENDER_TARGET, 16, 16, 1, 1, 0, 0},
        {LOW, TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET, 64, 15, 1, 1, 0, 0},
        {NARROW, TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET, 15, 64, 1, 1, 0, 0},
        {DEPTH, TARGET_2D, FORMAT_Z24_UNORM_S8_UINT, BIND_DEPTH_STENCIL, 8, 4, 1, 1, 0, 0},
        {WINDOW, TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_DISPLAY_TARGET, 8, 4, 1, 1, 0, 0},
        {RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_VERTEX_BUFFER, 64, 1, 1, 1, 0, 0},
    };
    struct offscreen offscreen;
    *ear = (struct ear){.sink = {.data = ear, .take = listen}};
    offscreen_init(&offscreen, &ear->sink);
    for (size_t i = 0; i < sizeof textures / sizeof textures[0]; i++) {
        const struct message m = {
            .kind = MESSAGE_RESOURCE_CREATE, .client = 1, .resource = textures[i]};
        assert_true(offscreen.sink.take(offscreen.sink.data, &m, NULL, 0, NULL));
    }
    for (; *script; script++) {
        const struct message m = message_of(*script);
        assert_true(offscreen.sink.take(offscreen.sink.data, &m, NULL, 0, NULL));
    }
    offscreen_fini(&offscreen);
}

static void
test_what_ends_a_frame(void **state)
{
    static const struct {
        const char *calls, *heard;
    } cases[] = {
        {"dRE", "crFE"},          /* draw, read, end of the program */
        {"dRdRE", "crFcrFE"},     /* two frames */
        {"dRsRE", "crcrFE"},      /* a change of state draws nothing */
        {"drrrdrE", "crrrFcrFE"}, /* several small boxes end one frame */
        {"RE", "rE"},             /* no draw */
        {"dE", "cE"},             /* no readback */
        {"dRRE", "crrFE"},
        {"dcbyRE", "ccccrFE"},
        {"cRE", "crFE"},
        {"bRE", "crFE"},
        {"yRE", "crFE"},
        {"dRuE", "crFuE"}, /* the surface that was read is destroyed */
        {"dRUE", "cruFE"}, /* another surface is destroyed */
        {"dRpE", "crFpE"},
        {"dRPE", "crpFE"},
        {"dlE", "crE"}, /* the surface has fewer than 16 rows */
        {"dkE", "crE"},
        {"dmE", "crE"},           /* a level of 16x8 */
        {"dxE", "crFE"},          /* 16x16 */
        {"dzE", "crE"},           /* a depth surface is not a picture */
        {"dvE", "crE"},           /* a buffer is not a picture either */
        {"dRSdRdSE", "crScrcSE"}, /* the program swaps, so only swaps end frames */
        {"dRdRSE", "crFcrSE"}, /* before the first swap the program may be one that never swaps */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ear ear;
        play(&ear, cases[i].calls);
        assert_string_equal(ear.heard, cases[i].heard);
    }
}

/* The picture is the whole level that contains the largest box that was read. If several boxes are
 * equal, it is that of the first one. */
static void
test_what_it_shows(void **state)
{
    const struct {
        const char *calls;
        uint32_t handle;
        int32_t width, height;
    } cases[] = {{"drxE", SMALL, 16, 16}, {"dxrE", SMALL, 16, 16}, {"drE", FBO, 32, 16},
                 {"dxtE", SMALL, 16, 16}, {"dtxE", FBO, 32, 16},   {"dxRE", FBO, 32, 16},
                 {"dRxzE", FBO, 32, 16},  {"dlkmrE", FBO, 32, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ear ear;
        play(&ear, cases[i].calls);
        assert_int_equal(ear.frame_count, 1);
        const struct box box = {0, 0, 0, cases[i].width, cases[i].height, 1};
        assert_int_equal(ear.frames[0].transfer.handle, cases[i].handle);
        assert_memory_equal(&ear.frames[0].transfer.box, &box, sizeof box);
    }
}

/* Returns RGBA of texel x, y of a picture without symmetry. */
static uint32_t
texel(uint32_t x, uint32_t y)
{
    return 0xff000000u | (x * 30) | (y * 50) << 8 | 7u << 16;
}

enum { WIDTH = 8, HEIGHT = 4 };

static void
fill_bgra(uint32_t bgra[HEIGHT * WIDTH])
{
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        const uint32_t rgba = texel(i % WIDTH, i / WIDTH);
        bgra[i] = (rgba & 0xff00ff00) | (rgba & 0xff) << 16 | (rgba >> 16 & 0xff);
    }
}

static void
assert_upright(const uint8_t *rgba, bool row_0_is_top)
{
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        const uint32_t y = i / WIDTH;
        uint32_t value;
        memcpy(&value, rgba + 4 * (size_t)i, 4);
        assert_int_equal(value | 0xff000000u, texel(i % WIDTH, row_0_is_top ? y : HEIGHT - 1 - y));
    }
}

struct seen {
    uint32_t frames;
    uint8_t rgba[4 * WIDTH * HEIGHT];
    bool has_alpha;
};

static bool
see(void *data, const struct simulation_frame *frame, struct error *err)
{
    struct seen *seen = data;
    seen->frames++;
    assert_int_equal(frame->picture->width, WIDTH);
    assert_int_equal(frame->picture->height, HEIGHT);
    memcpy(seen->rgba, frame->picture->rgba, sizeof seen->rgba);
    seen->has_alpha = frame->picture->has_alpha;
    return true;
}

static const struct resource_desc surfaces[2] = {
    {FBO, TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET, WIDTH, HEIGHT, 1, 1, 0, 0},
    {WINDOW, TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_DISPLAY_TARGET, WIDTH, HEIGHT, 1, 1, 0, 0},
};

static void
test_pictures_are_upright(void **state)
{
    uint32_t bgra[HEIGHT * WIDTH];
    struct params params;
    struct error err;
    assert_true(params_load_preset(&params, "reference-2005", &err));
    params.MEMORYCONTROLLER.MemorySize = 1 << 20;
    fill_bgra(bgra);
    for (int timed = 0; timed < 2; timed++)
        for (int i = 0; i < 2; i++) {
            struct seen seen = {0};
            const struct simulation_listener listener = {.data = &seen, .frame = see};
            struct player player = {0};
            struct message put = transfer(MESSAGE_PUT, surfaces[i].handle, WIDTH, HEIGHT);
            put.bytes = (const uint8_t *)bgra;
            put.size_bytes = sizeof bgra;
            player_start(&player, &params, timed, &listener);
            player_create(&player, surfaces[i]);
            player_take(&player, put, NULL, 0);
            player_take(&player, transfer(MESSAGE_FRAME, surfaces[i].handle, WIDTH, HEIGHT), NULL,
                        0);
            assert_int_equal(seen.frames, 1);
            assert_false(seen.has_alpha);
            assert_upright(seen.rgba, resource_is_display(&surfaces[i]));
            player_end(&player);
        }
}

static bool
give_rows(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
          struct error *err)
{
    if (message->kind == MESSAGE_FRAME)
        memcpy(out, data, out_bytes);
    return true;
}

static void
test_files_are_upright(void **state)
{
    uint32_t bgra[HEIGHT * WIDTH];
    fill_bgra(bgra);
    for (int i = 0; i < 2; i++) {
        char dir[] = "/tmp/aetius-offscreen-XXXXXX", path[64];
        struct message_sink renderer = {.data = bgra, .take = give_rows};
        const struct frame_set all = {0};
        const struct message create = {
            .kind = MESSAGE_RESOURCE_CREATE, .client = 1, .resource = surfaces[i]};
        const struct message frame = transfer(MESSAGE_FRAME, surfaces[i].handle, WIDTH, HEIGHT);
        struct frames frames;
        struct picture picture;
        struct error err;
        assert_non_null(mkdtemp(dir));
        snprintf(path, sizeof path, "%s/frames", dir);
        assert_true(dir_create(path, &err));
        frames_init(&frames, &renderer, dir, &all);
        assert_true(frames.sink.take(frames.sink.data, &create, NULL, 0, &err));
        assert_true(frames.sink.take(frames.sink.data, &frame, NULL, 0, &err));
        assert_int_equal(frames.count, 1);
        snprintf(path, sizeof path, "%s/frames/frame-0000.png", dir);
        assert_true(picture_read_png(&picture, path, &err));
        assert_upright(picture.rgba, resource_is_display(&surfaces[i]));
        picture_fini(&picture);
        frames_fini(&frames);
        unlink(path);
        snprintf(path, sizeof path, "%s/frames", dir);
        rmdir(path);
        rmdir(dir);
    }
}

/* Drawn pixels are in the ROP caches until they are read back. The end of the frame takes no cycle
 * and is not a command. */
static void
test_a_drawn_frame(void **state)
{
    struct rig *rig = *state;
    static uint32_t read[SIZE * SIZE];
    rig_start(rig);
    rig_clear(rig, MASK_COLOR0 | MASK_DEPTH, 1.0);
    rig_upload_corner(rig, 16, 0);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    player_take(&rig->player, transfer(MESSAGE_GET, RES_COLOR, SIZE, SIZE), read, sizeof read);
    const uint64_t now = rig_machine(rig)->clock.now;
    const uint64_t commands = rig_machine(rig)->cmdproc->stats.commands;
    player_take(&rig->player, transfer(MESSAGE_FRAME, RES_COLOR, SIZE, SIZE), NULL, 0);
    assert_int_equal(rig->player.sim.frame, 1);
    assert_int_equal(rig_machine(rig)->clock.now, now);
    rig_assert_figure(rig, "cmdproc.commands", commands);
    rig_assert_figure(rig, "cmdproc.draws", 1);
    uint32_t red = 0;
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        assert_int_equal(rig->pixels[i] & 0xff, read[i] >> 16 & 0xff); /* red of RGBA and of BGRA */
        red += (rig->pixels[i] & 0xff) == 255;
    }
    assert_int_equal(red, 16 * 15 / 2); /* a triangle without the pixel centers on its long side */
}

/* In damaged traces the picture is a depth surface or has more than one layer. */
static void
test_no_picture(void **state)
{
    struct rig *rig = *state;
    struct error err;
    rig_start(rig);
    const struct message frame = transfer(MESSAGE_FRAME, RES_DEPTH, SIZE, SIZE);
    struct executor_sink *sink = &rig->player.sink;
    assert_false(sink->sink.take(sink->sink.data, &frame, NULL, 0, &err));
    assert_non_null(strstr(err.text, "is not a texture that can be shown"));
}

/* Asserts that a picture equals the RGB bytes of a binary PPM that the program wrote. */
static void
assert_same_as_ppm(const struct picture *picture, const char *path)
{
    char *bytes;
    size_t size, pixels = (size_t)picture->width * picture->height;
    struct error err;
    assert_true(file_read(path, SIZE_MAX, &bytes, &size, &err));
    assert_true(size > 3 * pixels);
    const char *rgb = bytes + size - 3 * pixels;
    for (size_t i = 0; i < pixels; i++)
        assert_memory_equal(rgb + 3 * i, picture->rgba + 4 * i, 3);
    free(bytes);
}

static char dir[] = "/tmp/aetius-offscreen-XXXXXX";

static void
assert_run(const char *run)
{
    for (int frame = 0; frame < 2; frame++) {
        char ppm[32], png[64];
        struct picture picture;
        struct error err;
        snprintf(ppm, sizeof ppm, "offscreen-%04d.ppm", frame);
        snprintf(png, sizeof png, "%s/frames/frame-%04d.png", run, frame);
        assert_true(picture_read_png(&picture, png, &err));
        assert_int_equal(picture.width, 64);
        assert_int_equal(picture.height, 48);
        assert_same_as_ppm(&picture, ppm);
        picture_fini(&picture);
    }
    char next[64];
    snprintf(next, sizeof next, "%s/frames/frame-0002.png", run);
    assert_false(file_exists(next));
}

/* A program writes a file from its readback. The picture equals this file in live, timed and traced
 * runs. */
static void
test_a_real_program(void **state)
{
    static struct command_result cmd;
    static const char *const surfaces_of[] = {"none", "pbuffer"};
    char *folder = mem_strdup(aetius), *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    char *program = mem_printf("%s/benchmarks/gl/offscreen", slash ? folder : ".");
    free(folder);
    if (!file_exists(program)) {
        free(program);
        skip();
    }
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chdir(dir), 0);
    setenv("DISPLAY", ":77", 1);                 /* no X server is needed */
    setenv("LSAN_OPTIONS", "detect_leaks=0", 1); /* the OpenGL library leaks */
    for (int i = 0; i < 2; i++) {
#define PROGRAM                                                                                    \
    "--", program, "--surface", surfaces_of[i], "--frames", "2", "--probes", "3", "--dump", "1"
        RUN(&cmd, "run", "--functional", "--force", "-o", "live", PROGRAM);
        assert_int_equal(cmd.status, 0);
        assert_run("live");
        RUN(&cmd, "run", "--force", "-o", "timed", PROGRAM);
        assert_run("timed");
        /* No frame has this pixel. The error follows as soon as the size is known, after frame 0.
         */
        for (uint32_t first = 0; first < 2; first++) {
            RUN(&cmd, "run", "--pixel", "64,5", "--frames", first ? "1" : "0-1", "-o", "far",
                PROGRAM);
            assert_int_equal(cmd.status, 1);
            assert_non_null(strstr(cmd.err, "--pixel 64,5"));
            assert_non_null(strstr(cmd.err, "frame 0 is 64x48"));
            assert_false(file_exists("far/run.json"));
        }
        RUN(&cmd, "capture", "--force", "-o", "trace", PROGRAM);
        RUN(&cmd, "replay", "trace", "-o", "replayed");
        assert_run("replayed");
        RUN(&cmd, "sim", "trace", "--force", "--jobs", "2", "-o", "simulated");
        assert_run("simulated");
        RUN(&cmd, "trim", "trace", "--force", "--frames", "1", "-o", "cut");
        RUN(&cmd, "info", "cut");
        assert_non_null(strstr(cmd.out, "1 frame of 64x48"));
    }
    unsetenv("DISPLAY");
    unsetenv("LSAN_OPTIONS");
    assert_int_equal(chdir("/"), 0);
    assert_true(remove_folder(dir));
    free(program);
}

int
main(int argc, char **argv)
{
    char *whole = realpath(argc > 1 ? argv[1] : "build/aetius", NULL);
    aetius = whole ? whole : "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_ends_a_frame),
        cmocka_unit_test(test_what_it_shows),
        cmocka_unit_test(test_pictures_are_upright),
        cmocka_unit_test(test_files_are_upright),
        cmocka_unit_test_setup_teardown(test_a_drawn_frame, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_no_picture, rig_set_up, rig_tear_down),
        cmocka_unit_test(test_a_real_program),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(whole);
    return failed;
}
