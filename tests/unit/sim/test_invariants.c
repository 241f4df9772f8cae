/* Violated invariants of the units. If a unit keeps a credit or a reference, or returns one twice,
 * the run ends, at the latest at the end of the frame. The message names the unit. Only a build
 * with -Dinvariants=true has these checks. */
#include "rigs/bug.h"
#include "rigs/tiny_run.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void
keep_vertex(struct machine *m)
{
    vertex_create(&m->pools);
}

static void
keep_triangle(struct machine *m)
{
    triangle_create(&m->pools);
}

/* Makes a unit keep a quad. The quad also keeps a reference to its triangle. */
static void
keep_quad(struct machine *m)
{
    struct pooled_triangle *triangle = triangle_create(&m->pools);
    quad_create(&m->pools, triangle);
    triangle_release(&m->pools, triangle);
}

static void
keep_group(struct machine *m)
{
    group_create(&m->pools);
}

static void
return_triangle_twice(struct machine *m)
{
    struct pooled_triangle *triangle = triangle_create(&m->pools);
    triangle_release(&m->pools, triangle);
    triangle_release(&m->pools, triangle);
}

static void
hold_what_nobody_holds(struct machine *m)
{
    struct pooled_vertex *vertex = vertex_create(&m->pools);
    vertex_release(&m->pools, vertex);
    vertex_hold(&m->pools, vertex);
}

static void
return_quad_twice(struct machine *m)
{
    struct pooled_triangle *triangle = triangle_create(&m->pools);
    struct quad *quad = quad_create(&m->pools, triangle);
    quad_release(&m->pools, quad);
    quad_release(&m->pools, quad);
}

static void
lock_streamer_line(struct machine *m)
{
    cache_lock(&m->streamer->cache, 0);
}

static void
unlock_streamer_line(struct machine *m)
{
    m->streamer->cache.lines[1].locks = 0;
    cache_unlock(&m->streamer->cache, 1);
}

static void
lock_texels(struct machine *m)
{
    m->texunit[0].cache.lines[0].locks++;
}

static void
lock_far_depths(struct machine *m)
{
    m->hz->buffer.lines[0].locks++;
}

static void
lock_color(struct machine *m)
{
    cache_lock(&m->colorwrite[1].rop.cache.tags, 0);
}

static void
keep_texture(struct machine *m)
{
    m->texunit[1].texture_count = TEXUNIT_TEXTURES;
    m->texunit[1].textures[TEXUNIT_TEXTURES - 1].uses++;
}

static void
keep_triangle_place(struct machine *m)
{
    m->setup->stored++;
}

static void
keep_registers(struct machine *m)
{
    m->shader[1].registers_used += 2;
}

static void
keep_threads(struct machine *m)
{
    m->shader[0].thread_count++;
}

static void
keep_group_credit(struct machine *m)
{
    m->sched->outstanding[0]++;
}

static void
keep_write_buffer(struct machine *m)
{
    m->memctl->writes_waiting++;
}

static void
keep_transaction(struct machine *m)
{
    m->cmdproc->moves_in_flight++;
}

static const struct breach {
    void (*act)(struct machine *m);
    const char *owner, *condition;
} breaches[] = {
    {keep_vertex, "pools", "free_vertices == "},
    {keep_triangle, "pools", "free_triangles == "},
    {keep_quad, "pools", "free_triangles == "},
    {keep_group, "pools", "free_groups == "},
    {return_triangle_twice, "pools", "triangle->references > 0"},
    {return_quad_twice, "pools", "quad->triangle != NULL"},
    {hold_what_nobody_holds, "pools", "vertex->references > 0"},
    {lock_streamer_line, "streamer", "locks"},
    {unlock_streamer_line, "streamer", "locks > 0"},
    {lock_texels, "texunit[0]", "!line->locks"},
    {lock_far_depths, "hz", "hz_buffer_locks"},
    {lock_color, "colorwrite[1]", "locks"},
    {keep_texture, "texunit[1]", "uses == 0"},
    {keep_triangle_place, "setup", "setup->stored == 0"},
    {keep_registers, "shader[1]", "registers_used == 0"},
    {keep_threads, "shader[0]", "!shader->thread_count"},
    {keep_group_credit, "sched", "!sched->outstanding[s]"},
    {keep_write_buffer, "memctl", "memctl->writes_waiting"},
    {keep_transaction, "cmdproc", "moves_in_flight == 0"},
};

/* Breaks an invariant after the first draw of the first frame. */
static void
break_it(struct tiny_run *run, uint32_t frame, uint32_t batch)
{
    const struct breach *breach = run->data;
    if (frame == 0 && batch == 0)
        breach->act(run->sim.machine);
}

static void
run_tiny(void *breach)
{
    struct tiny_run run;
    tiny_init(&run);
    run.on_batch = break_it;
    run.data = breach;
    tiny_go(&run, false);
    if (!run.ok)
        fprintf(stderr, "%s\n", run.err.text);
    tiny_fini(&run);
}

static void
broken_invariants(void **state)
{
    (void)state;
    if (!INVARIANTS)
        skip();
    for (size_t i = 0; i < sizeof breaches / sizeof breaches[0]; i++) {
        assert_invariant(run_tiny, (void *)(uintptr_t)&breaches[i], breaches[i].owner,
                         breaches[i].condition);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_invariants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
