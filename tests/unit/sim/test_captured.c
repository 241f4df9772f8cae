/* Stream output after a geometry program, in the trace of an OpenGL program
 * (benchmarks/gl/geometry.c, scene `captured`), with and without timing. The expected positions and
 * counts follow from the program's text. */
#include "rigs/player.h"
#include "rigs/settings.h"

#include "base/build.h"

#include <math.h>
#include <string.h>

#define TRACE AETIUS_SOURCE_DIR "/tests/golden/captured.trace"

enum {
    CORNERS = 9,   /* of the strip that the program draws */
    TRIANGLES = 7, /* of the strip */
    MOST = 13,     /* triangles that the geometry program makes of them */
    STORES = 4,    /* draws that store vertices */
    WIDTH = 256,
    HEIGHT = 192,
    PICTURE_BYTES = WIDTH * HEIGHT * 4
};

/* Sizes of the buffers, and the number of triangles (3 x 16 bytes each) that fit into them. */
static const struct {
    uint32_t bytes, triangles;
} stores[STORES] = {{4096, MOST}, {300, 6}, {4096, MOST}, {144, 3}};

struct watch {
    struct player player;
    uint32_t stores;                /* checked so far */
    uint32_t buffers, buffer;       /* number of buffers so far; handle of the last one */
    uint32_t query_count, query[2]; /* generated and written triangles */
    const char *settings;
};

/* Corner c of triangle t of a strip: odd triangles have their first two corners exchanged, so that
 * all have the same orientation and the last corner is the newest. */
static uint32_t
strip_corner(uint32_t t, uint32_t c)
{
    return t + (t % 2 && c < 2 ? 1 - c : c);
}

static void
zigzag(uint32_t i, double at[2])
{
    at[0] = -0.843 + 1.671 * i / (CORNERS - 1);
    at[1] = i % 2 ? 0.613 - 0.031 * i : -0.587 + 0.023 * i;
}

/* Stores the vertices of all triangles that the geometry program emits. Triangle t of the strip
 * becomes a strip of 3 + t % 3 vertices. Vertex i is the input vertex i % 3, moved by 0.03 i and
 * 0.02. */
static uint32_t
expected_corners(double corners[MOST * 3][2])
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < TRIANGLES; t++)
        for (uint32_t made = 0; made <= t % 3; made++)
            for (uint32_t c = 0; c < 3; c++) {
                const uint32_t i = strip_corner(made, c);
                double *at = corners[count++];
                zigzag(strip_corner(t, i % 3), at);
                at[0] += 0.03 * i;
                at[1] += 0.02;
            }
    return count / 3;
}

static void
get(struct watch *watch, uint32_t handle, void *out, uint32_t bytes)
{
    player_take(&watch->player,
                (struct message){.kind = MESSAGE_GET,
                                 .transfer = {handle, 0, {0, 0, 0, (int32_t)bytes, 1, 1}}},
                out, bytes);
}

/* Checks the buffer and the results of the last draw that stored vertices. */
static void
check_store(struct watch *watch)
{
    double corners[MOST * 3][2];
    float stored[MOST * 3][4];
    const uint32_t triangles = stores[watch->stores].triangles;
    assert_int_equal(expected_corners(corners), MOST);
    get(watch, watch->buffer, stored, triangles * 48);
    for (uint32_t v = 0; v < triangles * 3; v++) {
        const float *at = stored[v];
        if (fabs(at[0] - corners[v][0]) > 1e-6 || fabs(at[1] - corners[v][1]) > 1e-6 ||
            at[2] != 0 || at[3] != 1)
            fail_msg("%s: draw %u, vertex %u is %f %f %f %f, not %f %f 0 1", watch->settings,
                     watch->stores, v, at[0], at[1], at[2], at[3], corners[v][0], corners[v][1]);
    }
    const uint32_t results[2] = {MOST, triangles};
    for (uint32_t q = 0; q < 2; q++) {
        struct gpu_query_record record;
        get(watch, watch->query[q], &record, sizeof record);
        assert_int_equal(record.result, results[q]);
    }
    watch->stores++;
}

/* A new buffer for vertices, or the end of the frame, follows each draw that stores vertices. */
static void
note_message(struct watch *watch, const struct message *message)
{
    const struct resource_desc *desc = &message->resource;
    if (message->kind == MESSAGE_SWAP)
        check_store(watch);
    if (message->kind != MESSAGE_RESOURCE_CREATE)
        return;
    if (desc->bind & BIND_STREAM_OUTPUT) {
        if (watch->buffers)
            check_store(watch);
        assert_int_equal(desc->width, stores[watch->buffers++].bytes);
        watch->buffer = desc->handle;
    } else if (desc->width == sizeof(struct gpu_query_record)) {
        watch->query[watch->query_count++] = desc->handle;
    }
}

static void
check_trace(const char *settings, bool timed, uint8_t picture[PICTURE_BYTES])
{
    struct watch watch = {.settings = settings};
    struct params params;
    struct trace_reader *reader;
    struct message message;
    struct error err = {""};
    bool end = false;
    assert_true(params_load_preset(&params, "reference-2008", &err));
    settings_apply(&params, NULL, settings);
    player_start(&watch.player, &params, timed, NULL);
    assert_true(trace_reader_open(&reader, TRACE, &err));
    while (!end && watch.stores < STORES) {
        assert_true(trace_reader_next(reader, &message, &end, &err));
        if (end || message.kind == MESSAGE_CLIENT_BEGIN)
            continue;
        note_message(&watch, &message);
        const bool is_swap = message.kind == MESSAGE_SWAP;
        player_take(&watch.player, message, is_swap ? picture : NULL, is_swap ? PICTURE_BYTES : 0);
    }
    assert_int_equal(watch.stores, STORES);
    if (timed) /* 39, 18, 39 and 9 vertices */
        assert_int_equal(watch.player.sim.machine->geomasm->stats.stream_bytes, 105 * 16);
    trace_reader_close(reader);
    player_end(&watch.player);
}

static void
vertices_are_stored(void **state)
{
    static const char *const machines[] = {
        "GEOMETRYASSEMBLY.OnChipPrimitives=0",
        "GEOMETRYASSEMBLY.OnChipPrimitives=65536 GEOMETRYASSEMBLY.OverflowSize=64",
        "GEOMETRYASSEMBLY.Entries=1 PRIMITIVEASSEMBLY.StreamOutputRate=1",
        "GPU.UnifiedShader=FALSE",
    };
    static uint8_t pictures[2][PICTURE_BYTES];
    (void)state;
    check_trace("GEOMETRYASSEMBLY.OnChipPrimitives=0", false, pictures[0]);
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        memset(pictures[1], 0, sizeof pictures[1]);
        check_trace(machines[i], true, pictures[1]);
        assert_memory_equal(pictures[0], pictures[1], PICTURE_BYTES);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vertices_are_stored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
