/* The test follows one triangle through the machine. Its record has the calculated counts, each
 * quad once per stage, and cycles in order. Sums equal the statistics. The record of a culled
 * triangle names the unit that culled it. */
#include "rigs/rig.h"

#include "report/draw/primitive_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

struct followed {
    struct watch *watch;
    struct follow follow;
    struct primitive_trace trace;
};

/* Follows triangle `number` of draw 0 of the next frame. */
static struct followed *
begin(struct rig *rig, uint32_t number)
{
    struct followed *f = calloc(1, sizeof *f);
    const struct follow_target target = {0, 0, number};
    rig_start(rig);
    f->watch = watch_create(&rig_machine(rig)->clock, rig_machine(rig)->memctl);
    rig_machine(rig)->pools.watch = f->watch;
    follow_begin(&f->follow, &target, &rig->player.sim, f->watch);
    return f;
}

static void
end(struct followed *f)
{
    follow_end(&f->follow);
    primitive_trace_make(&f->trace, &f->follow);
}

static void
leave(struct rig *rig, struct followed *f)
{
    rig_machine(rig)->pools.watch = NULL;
    primitive_trace_fini(&f->trace);
    follow_fini(&f->follow);
    watch_destroy(f->watch);
    free(f);
}

static const struct primitive_trace_stage *
stage(const struct followed *f, const char *queue, enum follow_kind kind)
{
    for (size_t i = 0; i < f->trace.stages.count; i++) {
        const struct primitive_trace_stage *s = &f->trace.stages.items[i];
        if (s->kind == kind && !strncmp(s->queue, queue, strlen(queue)))
            return s;
    }
    return NULL;
}

static uint64_t
count_at(const struct followed *f, const char *queue, enum follow_kind kind)
{
    const struct primitive_trace_stage *s = stage(f, queue, kind);
    return s ? s->count : 0;
}

/* Whether the printed record contains the text. */
static bool
prints(const struct followed *f, const char *text)
{
    char *all = NULL;
    size_t size;
    FILE *out = open_memstream(&all, &size);
    primitive_trace_print(&f->trace, out);
    fclose(out);
    const bool found = strstr(all, text) != NULL;
    free(all);
    return found;
}

/* Checks that the cycles of each item are in order: sent, taken, sent on, and so on. */
static void
assert_order(const struct followed *f)
{
    const struct follow *follow = &f->follow;
    const struct follow_hop *before = NULL;
    for (size_t i = 0; i < follow->hops.count; i++) {
        const uint32_t at = f->trace.order[i];
        const struct follow_hop *hop = &follow->hops.items[at];
        if (hop->kind == FOLLOW_OTHER_USE)
            continue;
        /* queues have a latency of at least 1 */
        assert_true(hop->taken != CYCLE_NEVER && hop->taken > hop->sent);
        assert_true(f->trace.left[at] != CYCLE_NEVER && f->trace.left[at] >= hop->taken);
        if (before && before->kind == hop->kind && before->thing == hop->thing)
            assert_true(hop->sent >= before->taken);
        before = hop;
    }
}

/* The triangle covers pixels with x + y <= 6: 28 fragments in 10 quads of one tile (as in
 * test_fixed_function_timing.c). Each quad is at each stage once. */
static void
one_triangle(void **state)
{
    struct rig *rig = *state;
    static const char *const stages[] = {"early_quads", "tested_quads",    "interpolated_quads",
                                         "groups",      "finished_groups", "shaded_quads"};
    struct followed *f = begin(rig, 0);
    rig_upload_corner(rig, 8, 0);
    rig_clear(rig, MASK_COLOR0 | MASK_DEPTH, 1);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
    end(f);
    struct error err;
    assert_true(follow_check(&f->follow, &err));
    assert_int_equal(f->follow.primitives, 1);
    assert_int_equal(f->follow.made, 1);
    assert_int_equal(f->trace.fragments, 28);
    assert_int_equal(f->trace.fates[FATE_WRITTEN], 28);
    assert_int_equal(f->watch->courses.count, 10);
    for (size_t i = 0; i < f->watch->courses.count; i++) {
        const struct watched_course *course = &f->watch->courses.items[i];
        assert_true(course->generated < course->tested && course->tested < course->shader_began);
        assert_true(course->shader_began < course->shader_ended);
        assert_true(course->shader_ended < course->written && course->written <= course->retired);
        assert_true(course->retired != CYCLE_NEVER && course->texels == 0 && course->misses == 0);
    }
    assert_int_equal(f->follow.tiles.count, 1);
    assert_int_equal(f->follow.tiles.items[0].fragments, 28);
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
        assert_int_equal(count_at(f, stages[i], FOLLOW_QUAD), 10);
    assert_int_equal(count_at(f, "late_quads", FOLLOW_QUAD), 0);
    assert_int_equal(count_at(f, "texture_requests", FOLLOW_REQUEST), 0);
    assert_int_equal(count_at(f, "clipped", FOLLOW_PRIMITIVE), 1);
    /* a quad passes six queues, each once */
    uint32_t hops[16] = {0};
    for (size_t i = 0; i < f->follow.hops.count; i++)
        if (f->follow.hops.items[i].kind == FOLLOW_QUAD)
            hops[f->follow.hops.items[i].thing]++;
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(hops[i], 6);
    /* the attributes are 48 bytes of one buffer: one transaction, or two if they cross a boundary
     */
    const uint64_t reads = count_at(f, "attribute_memory_requests", FOLLOW_READ);
    assert_in_range(reads, 1, 2);
    assert_int_equal(count_at(f, "attribute_memory_replies", FOLLOW_READ), reads);
    /* three vertices, and five queues for each */
    assert_int_equal(f->follow.vertices.count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(f->follow.vertices.items[f->follow.corners[i]].index, i);
    assert_int_equal(count_at(f, "vertices", FOLLOW_VERTEX), 1);
    assert_true(prints(f, "frame 0, draw 0, triangle 0 of 1: vertices 0 1 2\n"));
    assert_order(f);
    leave(rig, f);
}

/* The triangle covers pixels with x + y <= 6 of one tile. Level 1 takes its square when the
 * triangle arrives, and each further level takes one a cycle later. Of the tile's four blocks, the
 * triangle does not touch the last. */
static void
squares_of_levels(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_seven_level;
    struct followed *f = begin(rig, 0);
    rig_upload_corner(rig, 8, 0);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
    end(f);
    const uint64_t arrival = stage(f, "triangles", FOLLOW_TRIANGLE)->first;
    for (uint32_t i = 0; i < WATCH_LEVELS; i++) {
        const struct watched_level *level = &f->watch->levels[i];
        assert_int_equal(level->squares, i < 5 ? 1 : 3);
        assert_int_equal(level->first, arrival + i);
        assert_int_equal(level->last, level->first + level->squares - 1);
    }
    leave(rig, f);
}

/* Latencies of units: the clipper takes the triangle one cycle after its assembly. Each further
 * cycle of TriangleInputLatency delays setup by one cycle. */
static void
latencies(void **state)
{
    struct rig *rig = *state;
    rig->params.CLIPPER.ExecLatency = 3;
    rig->params.RASTERIZER.TriangleInputLatency = 5;
    rig->params.RASTERIZER.SetupLatency = 1;
    rig->params.RASTERIZER.TriangleOutputLatency = 4;
    struct followed *f = begin(rig, 0);
    rig_upload_corner(rig, 8, 0);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
    end(f);
    const struct primitive_trace_stage *clipper = stage(f, "primitives", FOLLOW_PRIMITIVE);
    const struct primitive_trace_stage *setup = stage(f, "clipped", FOLLOW_PRIMITIVE);
    const struct primitive_trace_stage *fraggen = stage(f, "triangles", FOLLOW_TRIANGLE);
    assert_int_equal(clipper->waited, 1);
    assert_int_equal(setup->waited, 3 + 5);
    assert_int_equal(setup->first, clipper->last + 3 + 5);
    assert_int_equal(fraggen->waited, 1 + 4);
    assert_int_equal(fraggen->first, setup->last + 1 + 4);
    leave(rig, f);
}

/* The triangle is behind the drawn depth. Either HZ culls its tile, or the z test culls its quads.
 * No quad is shaded, and the record agrees with the statistics. */
static void
hidden(void **state)
{
    struct rig *rig = *state;
    struct followed *f = begin(rig, 0);
    rig_upload_corner(rig, 2 * SIZE, 0);
    rig_clear(rig, MASK_COLOR0 | MASK_DEPTH, 0.25);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
    end(f);
    assert_int_equal(f->trace.fragments, SIZE * SIZE);
    assert_int_equal(f->trace.fates[FATE_HZ] + f->trace.fates[FATE_DEPTH], SIZE * SIZE);
    assert_int_equal(f->trace.fates[FATE_HZ], rig_figure(rig, "hz.fragments_culled"));
    assert_int_equal(count_at(f, "tiles", FOLLOW_TILE), rig_figure(rig, "fraggen.tiles_out"));
    assert_int_equal(f->watch->courses.count, rig_figure(rig, "hz.quads_out"));
    assert_int_equal(count_at(f, "groups", FOLLOW_QUAD), 0);
    assert_order(f);
    leave(rig, f);
}

/* A strip repeats three vertices between pixel centers, so triangle 1 ends in setup. The record
 * contains the use of each vertex that precedes the triangle. */
static void
culled(void **state)
{
    struct rig *rig = *state;
    const float x = 2.0f / SIZE * 0.25f;
    const float vertices[3][4] = {{0, 0, 0, 1}, {x, 0, 0, 1}, {0, x, 0, 1}};
    const uint8_t indices[6] = {0, 1, 2, 0, 1, 2};
    struct followed *f = begin(rig, 3);
    rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
    rig_upload(rig, RES_INDICES, indices, sizeof indices);
    rig_draw(rig, PRIM_TRIANGLE_STRIP, 6, 1);
    rig_swap(rig);
    end(f);
    assert_int_equal(f->follow.primitives, 4);
    assert_int_equal(f->follow.made, 0);
    assert_int_equal(f->follow.lost, SETUP_LOST_PIXELS);
    assert_int_equal(f->trace.fragments, 0);
    assert_int_equal(count_at(f, "clipped", FOLLOW_PRIMITIVE), 1);
    assert_int_equal(f->follow.triangles.count, 0);
    assert_order(f);
    leave(rig, f);
}

/* Follows one of two triangles. The first one is outside a clip plane. */
static void
follow_of_two(struct rig *rig, uint32_t number)
{
    const float vertices[6][4] = {{2, 0, 0, 1},  {3, 0, 0, 1}, {2, 1, 0, 1},
                                  {-1, 1, 0, 1}, {1, 1, 0, 1}, {-1, -1, 0, 1}};
    struct followed *f = begin(rig, number);
    rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
    rig_clear(rig, MASK_COLOR0 | MASK_DEPTH, 1);
    rig_draw(rig, PRIM_TRIANGLES, 6, 0);
    rig_swap(rig);
    end(f);
    assert_int_equal(f->follow.primitives, 2);
    assert_int_equal(f->follow.clip == CLIP_REJECT, number == 0);
    assert_int_equal(count_at(f, "primitives", FOLLOW_PRIMITIVE), 1);
    assert_int_equal(count_at(f, "clipped", FOLLOW_PRIMITIVE), number);
    assert_int_equal(f->watch->courses.count, number * rig_figure(rig, "hz.quads_out"));
    assert_int_equal(f->trace.fragments, number * rig_figure(rig, "fraggen.fragments"));
    assert_true(rig_figure(rig, "fraggen.fragments") > 0);
    assert_order(f);
    leave(rig, f);
}

/* The clipper is the last unit of the rejected triangle. */
static void
rejected(void **state)
{
    follow_of_two(*state, 0);
}

/* After a rejected triangle the next one keeps its number, although it is the first triangle that
 * reaches setup. */
static void
behind_a_rejected_one(void **state)
{
    follow_of_two(*state, 1);
}

/* Emits each triangle twice: 6 vertices with one output of 16 bytes are 96 bytes, which take two
 * transactions of 64 bytes. */
static const char twice_gs[] =
    "GEOM\n"
    "PROPERTY GS_INPUT_PRIMITIVE TRIANGLES\n"
    "PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n"
    "PROPERTY GS_MAX_OUTPUT_VERTICES 6\n"
    "PROPERTY GS_INVOCATIONS 1\n"
    "DCL IN[][0], POSITION\n"
    "DCL OUT[0], POSITION\n"
    "IMM[0] UINT32 {0, 0, 0, 0}\n"
    "MOV OUT[0], IN[0][0]\nEMIT IMM[0].xxxx\nMOV OUT[0], IN[1][0]\nEMIT IMM[0].xxxx\n"
    "MOV OUT[0], IN[2][0]\nEMIT IMM[0].xxxx\nENDPRIM IMM[0].xxxx\n"
    "MOV OUT[0], IN[0][0]\nEMIT IMM[0].xxxx\nMOV OUT[0], IN[1][0]\nEMIT IMM[0].xxxx\n"
    "MOV OUT[0], IN[2][0]\nEMIT IMM[0].xxxx\nEND\n";

/* Follows emitted triangle 3 of a strip of three triangles, of which the second one emits it. Two
 * draws use the same ring buffer in memory. */
static void
follow_emitted(struct rig *rig, bool in_memory)
{
    static const char *const stages[] = {"geometry_inputs", "geometry_jobs", "groups",
                                         "finished_groups", "shaded_primitives"};
    enum { OBJ_GS = 140, TRIANGLES = 3, TRANSACTIONS = 2 };
    const float vertices[5][4] = {
        {-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}, {-1, 0.5f, 0, 1}};
    rig->params.GEOMETRYASSEMBLY.OnChipPrimitives = in_memory ? 65536 : 0;
    struct followed *f = begin(rig, 3);
    rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
    stream_shader(&rig->stream, OBJ_GS, VSTAGE_GEOMETRY, twice_gs);
    stream_bind_shader(&rig->stream, OBJ_GS, VSTAGE_GEOMETRY);
    for (uint32_t i = 0; i < 2; i++)
        rig_draw(rig, PRIM_TRIANGLE_STRIP, TRIANGLES + 2, 0);
    rig_swap(rig);
    end(f);
    struct error err;
    assert_true(follow_check(&f->follow, &err));
    assert_int_equal(f->follow.primitives, 2 * TRIANGLES);
    assert_int_equal(f->follow.source, 1);
    assert_int_equal(f->follow.inputs.items[1].made, 2);
    assert_int_equal(f->follow.vertex_count, 3);
    for (uint32_t i = 0; i < 3; i++) /* in the order of an odd triangle */
        assert_int_equal(f->follow.vertices.items[f->follow.corners[i]].index,
                         ((const uint32_t[]){2, 1, 3})[i]);
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
        assert_int_equal(count_at(f, stages[i], FOLLOW_INPUT), 1);
    assert_int_equal(count_at(f, "emitted_primitives", FOLLOW_PRIMITIVE), 1);
    assert_int_equal(count_at(f, "clipped", FOLLOW_PRIMITIVE), 1);
    assert_int_equal(count_at(f, "vertices", FOLLOW_VERTEX), 1);
    static const char *const queues[] = {"emission_memory_requests", "emission_memory_replies"};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(count_at(f, queues[i], FOLLOW_STORE), in_memory * TRANSACTIONS);
        assert_int_equal(count_at(f, queues[i], FOLLOW_LOAD), in_memory * TRANSACTIONS);
    }
    assert_true(prints(f, "triangle 3 of 6: emitted for input 1, vertices 2 1 3\n"));
    assert_int_equal(prints(f, "2 writes: emissions written"), in_memory);
    assert_int_equal(prints(f, "2 writes: writes confirmed"), in_memory);
    assert_int_equal(prints(f, "2 reads: emissions read"), in_memory);
    assert_int_equal(f->follow.emissions.count, in_memory * 2 * TRIANGLES * TRANSACTIONS);
    for (size_t i = 0; i < f->follow.emissions.count; i++)
        assert_true(f->follow.emissions.items[i].is_answered);
    assert_order(f);
    leave(rig, f);
}

static void
emitted(void **state)
{
    follow_emitted(*state, false);
}

static void
emitted_through_memory(void **state)
{
    follow_emitted(*state, true);
}

/* An input triangle with adjacency has six vertices, in the order of the program's inputs. */
static void
adjacent_inputs(void **state)
{
    static const char first_gs[] = "GEOM\n"
                                   "PROPERTY GS_INPUT_PRIMITIVE TRIANGLES_ADJACENCY\n"
                                   "PROPERTY GS_OUTPUT_PRIMITIVE POINTS\n"
                                   "PROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
                                   "PROPERTY GS_INVOCATIONS 1\n"
                                   "DCL IN[][0], POSITION\n"
                                   "DCL OUT[0], POSITION\n"
                                   "IMM[0] UINT32 {0, 0, 0, 0}\n"
                                   "MOV OUT[0], IN[0][0]\nEMIT IMM[0].xxxx\nEND\n";
    struct rig *rig = *state;
    const float vertices[6][4] = {{0, 0, 0, 1}, {1, 0, 0, 1}, {1, 1, 0, 1},
                                  {0, 1, 0, 1}, {0, 0, 0, 1}, {1, 0, 0, 1}};
    struct followed *f = begin(rig, 0);
    rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
    stream_shader(&rig->stream, 140, VSTAGE_GEOMETRY, first_gs);
    stream_bind_shader(&rig->stream, 140, VSTAGE_GEOMETRY);
    rig_draw(rig, PRIM_TRIANGLES_ADJACENCY, 6, 0);
    rig_swap(rig);
    end(f);
    assert_int_equal(f->follow.vertex_count, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(f->follow.vertices.items[f->follow.corners[i]].index, i);
    assert_true(prints(f, "point 0 of 1: emitted for input 0, vertices 0 1 2 3 4 5\n"));
    assert_order(f);
    leave(rig, f);
}

static void
targets(void **state)
{
    struct rig *rig = *state;
    struct follow_target target;
    struct error err;
    assert_true(follow_parse(&target, "1:22:333", &err));
    assert_true(target.frame == 1 && target.draw == 22 && target.triangle == 333);
    static const char *const bad[] = {"",
                                      "1",
                                      "1:2",
                                      "1:2:",
                                      "1:2:3:",
                                      "1:2:3x",
                                      "-1:2:3",
                                      "1: 2:3",
                                      "1:2:+3",
                                      "a:b:c",
                                      "1::3",
                                      ":2:3",
                                      "1:2:4294967295",
                                      "1:2:99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(follow_parse(&target, bad[i], &err));
    struct followed *f = begin(rig, 7);
    rig_upload_corner(rig, 8, 0);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
    end(f);
    assert_false(follow_check(&f->follow, &err));
    assert_non_null(strstr(err.text, "draw 0 has 1 triangle"));
    leave(rig, f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_set_up, rig_tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_triangle),
        TEST(squares_of_levels),
        TEST(latencies),
        TEST(hidden),
        TEST(culled),
        TEST(rejected),
        TEST(behind_a_rejected_one),
        TEST(emitted),
        TEST(emitted_through_memory),
        TEST(adjacent_inputs),
        TEST(targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
