/* Calculated cycles of the scheduler of the shader units. A source sends vertices and quads. The
 * units take every group at once and return it after a fixed time.
 *
 * An item sent in cycle 0 arrives in 1. A group that the item fills leaves in that cycle and
 * reaches its unit in 2. If a unit returns a group in cycle c, the group reaches the scheduler in c
 * + 1. Its quads or vertices leave in c + 2 and arrive in c + 3. */
#include "base/mem.h"
#include "unit/shader/thread_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { UNITS = 2, RINGS = 2, MAX_EVENTS = 64, LAST_CYCLE = 200, NEVER = LAST_CYCLE };

struct event { /* an item that arrives at the scheduler or that has left it */
    uint64_t cycle;
    bool vertex, triangle;
    uint32_t x, y;        /* position of a quad, in pixels */
    uint32_t unit, count; /* unit of a group, and the number of its items */
};

struct bench {
    struct params params;
    struct clock clock;
    struct pools pools;
    struct module module;
    struct queue vertices_in, vertices_out, quads_in, triangles_in, triangles_out, primitives_in,
        primitives_out, to_shader[UNITS], from_shader[UNITS], early_out[RINGS], late_out[RINGS];
    struct sched sched;
    struct draw draw;
    uint64_t give_back; /* cycles until a unit returns a group; NEVER: the unit keeps it */
    bool done;
    struct event in[MAX_EVENTS], groups[MAX_EVENTS], out[MAX_EVENTS];
    struct group *held[MAX_EVENTS]; /* the groups that `groups` records */
    uint32_t in_count, sent, group_count, given_back, out_count;
};

static void
send(struct bench *b, uint64_t now)
{
    for (; b->sent < b->in_count && b->in[b->sent].cycle <= now; b->sent++) {
        const struct event *event = &b->in[b->sent];
        if (event->triangle) {
            struct triangle_item item = {event->count ? ITEM_DATA : ITEM_END, &b->draw, NULL};
            if (event->count)
                item.triangle = triangle_create(&b->pools);
            *(struct triangle_item *)queue_push(&b->triangles_in, now) = item;
            continue;
        }
        if (event->vertex) {
            *(struct vertex_item *)queue_push(&b->vertices_in, now) =
                (struct vertex_item){ITEM_DATA, &b->draw, vertex_create(&b->pools)};
            continue;
        }
        struct quad *quad = quad_create(&b->pools, triangle_create(&b->pools));
        quad->x = (uint16_t)event->x;
        quad->y = (uint16_t)event->y;
        quad->mask = 15;
        *(struct quad_item *)queue_push(&b->quads_in, now) =
            (struct quad_item){ITEM_DATA, &b->draw, quad, 0};
    }
}

static void
run_groups(struct bench *b, uint64_t now)
{
    for (uint32_t u = 0; u < UNITS; u++)
        for (const struct group_item *item; (item = queue_front(&b->to_shader[u], now));) {
            assert_int_equal(item->group->unit, u);
            b->held[b->group_count] = item->group;
            b->groups[b->group_count++] =
                (struct event){.cycle = now, .unit = u, .count = item->group->count};
            queue_pop(&b->to_shader[u], now);
        }
    for (; b->given_back < b->group_count; b->given_back++) {
        const struct event *event = &b->groups[b->given_back];
        if (b->give_back == NEVER || event->cycle + b->give_back > now)
            break;
        *(struct group_item *)queue_push(&b->from_shader[event->unit], now) =
            (struct group_item){b->held[b->given_back]};
    }
}

static enum unit_state
bench_clock(void *self, uint64_t now)
{
    struct bench *b = self;
    send(b, now);
    run_groups(b, now);
    for (; queue_front(&b->vertices_out, now); b->out_count++) {
        b->out[b->out_count] = (struct event){.cycle = now, .vertex = true};
        queue_pop(&b->vertices_out, now);
    }
    for (; b->sched.triangles_out && queue_front(&b->triangles_out, now); b->out_count++) {
        b->out[b->out_count] = (struct event){.cycle = now, .triangle = true};
        queue_pop(&b->triangles_out, now);
    }
    for (uint32_t r = 0; r < RINGS; r++)
        for (const struct quad_item *item; (item = queue_front(&b->early_out[r], now));) {
            b->out[b->out_count++] =
                (struct event){.cycle = now, .x = item->quad->x, .y = item->quad->y, .unit = r};
            queue_pop(&b->early_out[r], now);
        }
    b->done = now == LAST_CYCLE;
    module_wake_at(&b->module, now + 1);
    return UNIT_BUSY;
}

static void
join(struct bench *b, struct queue *queue, struct module *from, struct module *to, size_t size,
     uint32_t width)
{
    queue_init(queue, &b->clock, "queue", -1, from, to, size, width, 64, 1);
}

static struct bench *
bench_create(void)
{
    struct bench *b = mem_alloc(sizeof *b);
    struct error err;
    if (!params_load_preset(&b->params, "reference-2005", &err))
        fail_msg("%s", err.text);
    assert_int_equal(b->params.GPU.NumFragmentShaders, UNITS);
    b->draw.early_z = true;
    b->give_back = NEVER;
    return b;
}

static const struct module_ops bench_ops = {.clock = bench_clock};

static void
bench_run(struct bench *b)
{
    struct error err;
    struct module *bench = &b->module, *sched = &b->sched.module;
    clock_init(&b->clock);
    pools_init(&b->pools, &b->clock);
    clock_add_module(&b->clock, bench, "bench", -1, b, &bench_ops);
    const struct unit_env env = {.clock = &b->clock,
                                 .params = &b->params,
                                 .pools = &b->pools,
                                 .shaders = UNITS,
                                 .rops = RINGS};
    sched_init(&b->sched, &env, 0);
    join(b, &b->vertices_in, bench, sched, sizeof(struct vertex_item), 8);
    join(b, &b->vertices_out, sched, bench, sizeof(struct vertex_item), 8);
    join(b, &b->quads_in, bench, sched, sizeof(struct quad_item), 8);
    join(b, &b->primitives_in, bench, sched, sizeof(struct geometry_item), 8);
    join(b, &b->primitives_out, sched, bench, sizeof(struct geometry_item), 8);
    b->sched.primitives_in = &b->primitives_in;
    b->sched.primitives_out = &b->primitives_out;
    b->sched.vertices_in = &b->vertices_in;
    b->sched.vertices_out = &b->vertices_out;
    b->sched.quads_in = &b->quads_in;
    if (b->params.RASTERIZER.TriangleSetupOnShader) {
        join(b, &b->triangles_in, bench, sched, sizeof(struct triangle_item), 8);
        join(b, &b->triangles_out, sched, bench, sizeof(struct triangle_item), 1);
        b->sched.triangles_in = &b->triangles_in;
        b->sched.triangles_out = &b->triangles_out;
    }
    for (uint32_t u = 0; u < UNITS; u++) {
        join(b, &b->to_shader[u], sched, bench, sizeof(struct group_item), RINGS);
        join(b, &b->from_shader[u], bench, sched, sizeof(struct group_item), 8);
        b->sched.to_shader[u] = &b->to_shader[u];
        b->sched.from_shader[u] = &b->from_shader[u];
    }
    for (uint32_t r = 0; r < RINGS; r++) {
        join(b, &b->early_out[r], sched, bench, sizeof(struct quad_item), 1);
        join(b, &b->late_out[r], sched, bench, sizeof(struct quad_item), 1);
        b->sched.early_out[r] = &b->early_out[r];
        b->sched.late_out[r] = &b->late_out[r];
    }
    if (!clock_run(&b->clock, &b->done, 2 * LAST_CYCLE, &err))
        fail_msg("%s", err.text);
}

static void
bench_destroy(struct bench *b)
{
    queue_fini(&b->vertices_in);
    queue_fini(&b->vertices_out);
    queue_fini(&b->quads_in);
    queue_fini(&b->primitives_in);
    queue_fini(&b->primitives_out);
    queue_fini(&b->triangles_in);
    queue_fini(&b->triangles_out);
    for (uint32_t u = 0; u < UNITS; u++) {
        queue_fini(&b->to_shader[u]);
        queue_fini(&b->from_shader[u]);
    }
    for (uint32_t r = 0; r < RINGS; r++) {
        queue_fini(&b->early_out[r]);
        queue_fini(&b->late_out[r]);
    }
    module_fini(&b->sched.module);
    pools_fini(&b->pools);
    clock_fini(&b->clock);
    free(b);
}

static void
add_vertex(struct bench *b, uint64_t cycle)
{
    b->in[b->in_count++] = (struct event){.cycle = cycle, .vertex = true};
}

static void
add_quad(struct bench *b, uint64_t cycle, uint32_t x, uint32_t y)
{
    b->in[b->in_count++] = (struct event){.cycle = cycle, .x = x, .y = y};
}

/* `count`: 1 for a triangle, 0 for the end of a draw */
static void
add_triangle(struct bench *b, uint64_t cycle, uint32_t count)
{
    b->in[b->in_count++] = (struct event){.cycle = cycle, .triangle = true, .count = count};
}

static void
assert_group(const struct bench *b, uint32_t n, uint64_t cycle, uint32_t unit, uint32_t count)
{
    assert_true(n < b->group_count);
    assert_int_equal(b->groups[n].cycle, cycle);
    assert_int_equal(b->groups[n].unit, unit);
    assert_int_equal(b->groups[n].count, count);
}

/* Five vertices arrive one per cycle, for groups of four. The fourth arrives in cycle 4, and its
 * group reaches the unit in 5. The fifth arrives in cycle 5 and lingers. It leaves after
 * GroupLinger cycles and goes to the other unit, which is less busy. */
static void
groups_linger(void **state)
{
    static const uint32_t lingers[] = {0, 1, 8, 64};
    (void)state;
    for (uint32_t i = 0; i < sizeof lingers / sizeof lingers[0]; i++) {
        struct bench *b = bench_create();
        b->params.RASTERIZER.GroupLinger = lingers[i];
        b->params.RASTERIZER.BusyGroups = MAX_EVENTS;
        b->params.STREAMER.VerticesCycle = 1;
        for (uint32_t v = 0; v < 5; v++)
            add_vertex(b, v);
        bench_run(b);
        if (lingers[i] == 0) { /* every vertex leaves alone */
            assert_int_equal(b->group_count, 5);
            for (uint32_t v = 0; v < 5; v++)
                assert_int_equal(b->groups[v].cycle, 2 + v);
        } else if (lingers[i] == 1) { /* the next vertex always arrives in time */
            assert_int_equal(b->group_count, 2);
            assert_group(b, 0, 5, 0, 4);
            assert_group(b, 1, 7, 1, 1);
        } else {
            assert_int_equal(b->group_count, 2);
            assert_group(b, 0, 5, 0, 4);
            assert_group(b, 1, 5 + lingers[i] + 1, 1, 1);
        }
        bench_destroy(b);
    }
}

/* If both units are as busy as BusyGroups, the vertex waits until a unit returns a group. The first
 * two groups reach the units in 5 and 9 and are returned 50 cycles later. The first one reaches the
 * scheduler in 56. The remaining vertex leaves in that cycle and arrives in 57. */
static void
busy_units_do_not_get_the_rest(void **state)
{
    (void)state;
    struct bench *b = bench_create();
    b->params.RASTERIZER.BusyGroups = 1;
    b->params.STREAMER.VerticesCycle = 1;
    b->give_back = 50;
    for (uint32_t v = 0; v < 9; v++)
        add_vertex(b, v);
    bench_run(b);
    assert_int_equal(b->group_count, 3);
    assert_group(b, 0, 5, 0, 4);
    assert_group(b, 1, 9, 1, 4);
    assert_group(b, 2, 57, 0, 1);
    assert_int_equal(b->sched.stats.groups, 3);
    assert_int_equal(b->sched.stats.lanes, 12);
    assert_int_equal(b->sched.stats.lanes_used, 9);
    assert_int_equal(b->sched.stats.vertices, 9);
    /* shaded_vertices takes all vertices of a group in one cycle */
    assert_int_equal(b->out_count, 9);
    assert_int_equal(b->out[0].cycle, 5 + 50 + 3);
    assert_int_equal(b->out[3].cycle, 5 + 50 + 3);
    assert_int_equal(b->out[4].cycle, 9 + 50 + 3);
    bench_destroy(b);
}

/* Tiles alternate between two units along x. The scheduler takes as many quads per cycle as there
 * are ROPs. The scheduler forwards them in the same cycle, to one unit or to two. */
static void
two_quads_a_cycle(void **state)
{
    (void)state;
    for (uint32_t step = 0; step <= 8; step += 8) {
        struct bench *b = bench_create();
        for (uint32_t q = 0; q < 16; q++)
            add_quad(b, q / 2, q % 2 * step, 0);
        bench_run(b);
        assert_int_equal(b->group_count, 16);
        assert_int_equal(b->sched.stats.quads, 16);
        uint32_t of_first = 0;
        for (uint32_t q = 0; q < 16; q++) {
            assert_int_equal(b->groups[q].cycle, 2 + q / 2);
            of_first += b->groups[q].unit == 0;
        }
        assert_int_equal(of_first, step ? 8 : 16);
        bench_destroy(b);
    }
}

/* Quads of one ROP leave one per cycle in the order of arrival, although the second unit finishes
 * first. Tiles (0, 0) and (1, 1) belong to ROP 0. */
static void
quads_leave_in_order(void **state)
{
    (void)state;
    struct bench *b = bench_create();
    b->give_back = 20;
    add_quad(b, 0, 0, 0);
    add_quad(b, 0, 8, 8);
    add_quad(b, 1, 2, 0);
    add_quad(b, 1, 0, 8); /* belongs to ROP 1 */
    bench_run(b);
    assert_int_equal(b->out_count, 4);
    static const struct event expected[] = {
        {.cycle = 25, .x = 0, .unit = 0},
        {.cycle = 26, .x = 8, .unit = 0},
        {.cycle = 26, .x = 0, .unit = 1},
        {.cycle = 27, .x = 2, .unit = 0},
    };
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(b->out[i].cycle, expected[i].cycle);
        assert_int_equal(b->out[i].x, expected[i].x);
        assert_int_equal(b->out[i].unit, expected[i].unit);
    }
    bench_destroy(b);
}

/* Without tiled distribution a unit gets ShaderInputBatchSize threads before the next unit gets
 * some. With a size of 8 the quads go in pairs. */
static void
batches_in_turn(void **state)
{
    (void)state;
    struct bench *b = bench_create();
    b->params.RASTERIZER.TiledShaderDistribution = false;
    b->params.RASTERIZER.ShaderInputBatchSize = 8;
    for (uint32_t q = 0; q < 8; q++)
        add_quad(b, 2 * q, 0, 0);
    bench_run(b);
    assert_int_equal(b->group_count, 8);
    for (uint32_t q = 0; q < 8; q++)
        assert_group(b, q, 2 * q + 2, q / 2 % 2, 1);
    bench_destroy(b);
}

/* A group of four vertices keeps each unit busy for good. Triangles do not wait for these units.
 * - The first four triangles arrive in 11 and fill a group, which reaches the unit in 12.
 * - The fifth arrives in 12. It leaves after GroupLinger = 8 cycles, in 20.
 * - The sixth arrives in 31. The end of the draw arrives in cycle 32, and the triangle leaves with
 * it. */
static void
triangles_do_not_wait_for_busy_units(void **state)
{
    (void)state;
    struct bench *b = bench_create();
    b->params.RASTERIZER.TriangleSetupOnShader = true;
    b->params.RASTERIZER.BusyGroups = 1;
    for (uint32_t v = 0; v < 8; v++)
        add_vertex(b, 0);
    for (uint32_t t = 0; t < 6; t++)
        add_triangle(b, t < 4 ? 10 : t < 5 ? 11 : 30, 1);
    add_triangle(b, 31, 0);
    bench_run(b);
    assert_int_equal(b->group_count, 5);
    assert_group(b, 2, 12, 0, 4);
    assert_group(b, 3, 21, 1, 1);
    assert_group(b, 4, 33, 0, 1);
    assert_int_equal(b->sched.stats.triangles, 6);
    bench_destroy(b);
}

/* Triangles enter a unit before vertices that arrive in the same cycle. A group holds no more
 * triangles than Triangle Setup has entries for. The groups reach the units in cycle 2 and are
 * returned in cycle 12. They reach the scheduler in 13, leave in 14 and arrive in 15, one triangle
 * per cycle. */
static void
triangles_go_first(void **state)
{
    (void)state;
    struct bench *b = bench_create();
    b->params.RASTERIZER.TriangleSetupOnShader = true;
    b->params.RASTERIZER.TriangleShaderQueueSize = 2;
    b->params.STREAMER.VerticesCycle = 4;
    b->give_back = 10;
    for (uint32_t v = 0; v < 4; v++)
        add_vertex(b, 0);
    add_triangle(b, 0, 1);
    add_triangle(b, 0, 1);
    bench_run(b);
    assert_int_equal(b->group_count, 2);
    assert_group(b, 0, 2, 0, 2); /* the first unit: triangles */
    assert_group(b, 1, 2, 1, 4); /* the second unit: vertices */
    assert_int_equal(b->out_count, 6);
    for (uint32_t i = 0, triangles = 0; i < 6; i++)
        if (b->out[i].triangle)
            assert_int_equal(b->out[i].cycle, 15 + triangles++);
    bench_destroy(b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_linger),
        cmocka_unit_test(busy_units_do_not_get_the_rest),
        cmocka_unit_test(two_quads_a_cycle),
        cmocka_unit_test(quads_leave_in_order),
        cmocka_unit_test(batches_in_turn),
        cmocka_unit_test(triangles_do_not_wait_for_busy_units),
        cmocka_unit_test(triangles_go_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
