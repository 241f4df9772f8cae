/* With every codec the timed picture of the workloads trace equals the functional one, for one
 * sample per pixel and for four (forced). For each kind of block, the machine offers exactly the
 * codecs that apply to it. */
#include "rigs/tiny_run.h"

#include "codec/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define WORKLOADS AETIUS_SOURCE_DIR "/tests/golden/workloads.trace"

enum { FRAMES = 2, MEMORY_BYTES = 16 << 20 };

struct shown {
    uint32_t count;
    uint8_t *rgba[FRAMES];
    size_t bytes[FRAMES];
    uint64_t compressed[2]; /* number of blocks of color and depth that were written compressed */
};

struct play {
    struct simulation sim;
    struct shown *shown;
};

static const char *const section_of[2] = {"COLORWRITE", "ZSTENCILTEST"};
static const uint32_t kind_of[2] = {CODEC_COLOR, CODEC_DEPTH};

static bool
take_frame(void *data, const struct simulation_frame *frame, struct error *err)
{
    struct play *play = data;
    struct shown *shown = play->shown;
    (void)err;
    if (shown->count == FRAMES)
        return true;
    const size_t bytes = (size_t)frame->picture->width * frame->picture->height * 4;
    shown->rgba[shown->count] = mem_alloc(bytes);
    memcpy(shown->rgba[shown->count], frame->picture->rgba, bytes);
    shown->bytes[shown->count++] = bytes;
    if (!frame->timed)
        return true;
    const struct machine *m = play->sim.machine;
    for (uint32_t i = 0; i < m->rops; i++)
        for (uint32_t size = 0; size < 3; size++) {
            shown->compressed[0] += m->colorwrite[i].rop.cache.blocks_written[size];
            shown->compressed[1] += m->zstencil[i].rop.cache.blocks_written[size];
        }
    return true;
}

static bool
is_shown(const struct shown *shown)
{
    return shown->count == FRAMES;
}

static void
play_trace(struct play *play)
{
    struct executor_sink sink;
    struct trace_reader *reader;
    struct message message;
    struct error err;
    bool end = false;
    if (!trace_reader_open(&reader, WORKLOADS, &err))
        fail_msg("%s", err.text);
    executor_sink_init(&sink, &play->sim.executor);
    while (!is_shown(play->shown)) {
        assert_true(trace_reader_next(reader, &message, &end, &err) && !end);
        if (!sink.sink.take(sink.sink.data, &message, NULL, 0, &err))
            fail_msg("%s", err.text);
    }
    executor_sink_fini(&sink);
    trace_reader_close(reader);
}

static void
draw(const struct params *params, bool timed, struct shown *shown)
{
    const struct frame_set all = {0};
    struct play *play = mem_alloc(sizeof *play);
    const struct simulation_listener listener = {.data = play, .frame = take_frame};
    struct error err;
    memset(shown, 0, sizeof *shown);
    play->shown = shown;
    if (!simulation_init(&play->sim, params, timed ? &all : NULL, &listener, &err))
        fail_msg("%s", err.text);
    play_trace(play);
    simulation_fini(&play->sim);
    free(play);
}

static void
forget(struct shown *shown)
{
    for (uint32_t i = 0; i < shown->count; i++)
        free(shown->rgba[i]);
}

static void
assert_same(const struct shown *expected, const struct shown *shown, const char *what)
{
    for (uint32_t i = 0; i < FRAMES; i++)
        if (expected->bytes[i] != shown->bytes[i] ||
            memcmp(expected->rgba[i], shown->rgba[i], shown->bytes[i]) != 0)
            fail_msg("%s: frame %u differs", what, i);
}

static bool
choose_codec(struct params *params, uint32_t kind, const struct codec *codec)
{
    struct error err;
    char text[128];
    snprintf(text, sizeof text, "%s.CompressionAlgorithm=%s", section_of[kind], codec->name);
    return params_set(params, text, &err);
}

/* Returns the next codec of the kind from `from` on; NULL at the end. */
static const struct codec *
next_codec(const struct codec *const **from, uint32_t kind)
{
    while (**from) {
        const struct codec *codec = *(*from)++;
        if (codec->applies & kind_of[kind])
            return codec;
    }
    return NULL;
}

/* Runs pairs of one color codec and one depth codec, until both lists end. Adds the compressed
 * blocks to the count of each codec. */
static void
every_codec(uint32_t samples, uint64_t compressed[CODEC_COUNT][2])
{
    const struct codec *const *from[2] = {codecs, codecs};
    struct shown functional, timed;
    struct params params;
    struct error err;
    assert_true(params_load_preset(&params, "reference-2008", &err));
    params.MEMORYCONTROLLER.MemorySize = MEMORY_BYTES;
    params.SIMULATOR.ForceMSAA = samples > 1;
    params.SIMULATOR.MSAASamples = samples > 1 ? samples : 2;
    draw(&params, false, &functional);
    for (;;) {
        const struct codec *now[2];
        char what[128];
        for (uint32_t kind = 0; kind < 2; kind++)
            now[kind] = next_codec(&from[kind], kind);
        if (!now[0] && !now[1])
            break;
        for (uint32_t kind = 0; kind < 2; kind++)
            if (now[kind])
                assert_true(choose_codec(&params, kind, now[kind]));
        snprintf(what, sizeof what, "%u samples, color %s, depth %s", samples,
                 now[0] ? now[0]->name : "as before", now[1] ? now[1]->name : "as before");
        draw(&params, true, &timed);
        assert_same(&functional, &timed, what);
        for (uint32_t kind = 0; kind < 2; kind++)
            if (now[kind])
                compressed[from[kind] - codecs - 1][kind] += timed.compressed[kind];
        forget(&timed);
    }
    forget(&functional);
}

/* Each codec must compress some blocks, otherwise the test proves nothing. At one sample per pixel
 * some codecs find no block to compress. */
static void
pictures_are_the_same(void **state)
{
    uint64_t compressed[CODEC_COUNT][2] = {0};
    (void)state;
    every_codec(1, compressed);
    every_codec(4, compressed);
    for (uint32_t c = 0; c < CODEC_COUNT; c++)
        for (uint32_t kind = 0; kind < 2; kind++)
            if (codecs[c]->applies & kind_of[kind] && !compressed[c][kind])
                fail_msg("%s compressed no block in %s", codecs[c]->name, section_of[kind]);
}

static void
all_are_offered(void **state)
{
    struct params params;
    struct error err;
    (void)state;
    assert_true(params_load_preset(&params, "reference-2008", &err));
    for (const struct codec *const *c = codecs; *c; c++)
        for (uint32_t kind = 0; kind < 2; kind++)
            assert_int_equal(choose_codec(&params, kind, *c), ((*c)->applies & kind_of[kind]) != 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_offered),
        cmocka_unit_test(pictures_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
