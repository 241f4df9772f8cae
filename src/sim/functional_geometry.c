/* Geometry programs of the functional renderer. Primitives are collected in a batch, one lane each.
 * The emitted vertices of the lanes are assembled in order. The batch copies its inputs, because
 * the slots of the vertices are reused. */
#include "sim/functional_draw.h"

#include "base/interrupt.h"

#include <stdlib.h>

struct geometry_batch {
    struct functional_program program;
    struct vertex inputs[EXEC_MAX_LANES][MAX_PRIMITIVE_VERTICES];
    uint32_t ids[EXEC_MAX_LANES];
    struct vertex emitted[MAX_EMITTED_VERTICES]; /* of one lane */
};

void
geometry_destroy(struct functional_scratch *scratch)
{
    if (scratch->geometry)
        free(scratch->geometry->program.registers_memory);
    free(scratch->geometry);
}

bool
geometry_primitive(const struct functional_run *run, const struct primitive_out *primitive,
                   const struct vertex *const v[MAX_PRIMITIVE_VERTICES])
{
    if (!run->scratch->geometry)
        run->scratch->geometry = mem_alloc(sizeof *run->scratch->geometry);
    struct geometry_batch *batch = run->scratch->geometry;
    const uint32_t lane = run->scratch->geometry_count++;
    for (uint32_t i = 0; i < primitive_input_count(primitive); i++)
        batch->inputs[lane][i] = *v[i];
    batch->ids[lane] = primitive->id;
    return lane + 1 < EXEC_MAX_LANES || geometry_flush(run);
}

static bool
draw_emitted(const struct functional_run *run, const struct primitive_out *primitives,
             uint32_t count)
{
    const struct vertex *const emitted = run->scratch->geometry->emitted;
    for (uint32_t p = 0; p < count; p++) {
        const uint32_t *number = primitives[p].v;
        const struct vertex *const v[3] = {&emitted[number[0]], &emitted[number[1]],
                                           &emitted[number[2]]};
        if (!functional_primitive(run, &primitives[p], v))
            return false;
    }
    return true;
}

static bool
draw_lane(const struct functional_run *run, struct assembler *assembler, const struct exec *exec,
          uint32_t lane)
{
    struct vertex *emitted = run->scratch->geometry->emitted;
    struct primitive_out primitives[2];
    for (uint32_t n = 0; n < exec->emitted_count[lane]; n++) {
        emitted_store(exec, lane, n, &emitted[n]);
        if (!draw_emitted(run, primitives, assembler_vertex(assembler, n, primitives)))
            return false;
        if (exec_ends_strip(exec, lane, n))
            assembler_end(assembler, primitives);
    }
    assembler_end(assembler, primitives);
    return true;
}

bool
geometry_flush(const struct functional_run *run)
{
    struct geometry_batch *batch = run->scratch->geometry;
    const uint32_t count = run->scratch->geometry_count;
    const uint32_t lanes = (count + 3) & ~3u;
    struct assembler assembler;
    if (!count)
        return true;
    run->scratch->geometry_count = 0;
    functional_begin_program(run, &batch->program, run->draw->program[STAGE_GEOMETRY], lanes);
    struct exec *exec = &batch->program.exec;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const uint32_t from = lane < count ? lane : 0;
        const struct vertex *v[MAX_PRIMITIVE_VERTICES];
        for (uint32_t i = 0; i < MAX_PRIMITIVE_VERTICES; i++)
            v[i] = &batch->inputs[from][i];
        geometry_load(run->draw, v, exec, lane, batch->ids[from]);
    }
    if (!functional_finish_program(run, &batch->program))
        return false;
    assembler_begin_emitted(&assembler, run->draw);
    for (uint32_t lane = 0; lane < count; lane++)
        if (!interrupt_check(run->err) || !draw_lane(run, &assembler, exec, lane))
            return false;
    return true;
}
