/* What stands around the shader unit. */
#include "rigs/shader_bench.h"

static uint32_t
number_of(const struct bench *b, const struct group *group)
{
    uint32_t i = 0;
    while (b->order[i] != group)
        i++;
    return i;
}

static void
give(struct bench *b, uint64_t now)
{
    if (b->given == b->group_count || !queue_space(&b->groups, now))
        return;
    struct group *group = group_create(&b->pools);
    group->source = &thread_vertices;
    group->stage = STAGE_VERTEX;
    group->draw = &b->draw;
    for (; group->count < b->threads; group->count++) {
        struct pooled_vertex *vertex = vertex_create(&b->pools);
        for (uint32_t c = 0; c < 4; c++)
            vertex->inputs[0][c] = 1.0f;
        group->vertices[group->count] = vertex;
    }
    b->order[b->given++] = group;
    *(struct group_item *)queue_push(&b->groups, now) = (struct group_item){group};
}

static void
take_requests(struct bench *b, uint32_t unit, uint64_t now)
{
    for (struct texture_item *item; (item = queue_front(&b->requests[unit], now));) {
        uint64_t due = now + b->answer_cycles[number_of(b, item->group)];
        uint32_t at = b->pending_count++;
        for (; at > 0 && b->pending[at - 1].due > due; at--)
            b->pending[at] = b->pending[at - 1];
        b->pending[at].item = *item;
        b->pending[at].unit = unit;
        b->pending[at].due = due;
        b->asked[b->asked_count++] = (uint8_t)unit;
        queue_pop(&b->requests[unit], now);
    }
}

static void
answer(struct bench *b, uint64_t now)
{
    for (uint32_t unit = 0; unit < b->shader.texture_units; unit++)
        take_requests(b, unit, now);
    while (b->pending_count && b->pending[0].due <= now) {
        const struct texture_item item = b->pending[0].item;
        struct queue *texels = &b->texels[b->pending[0].unit];
        if (!queue_space(texels, now))
            break;
        for (uint32_t c = 0; c < 4; c++)
            for (uint32_t i = 0; i < 4; i++)
                group_texels(item.group, item.quad, c)[i] = 0.5f;
        *(struct texture_item *)queue_push(texels, now) = item;
        b->pending_count--;
        memmove(&b->pending[0], &b->pending[1], b->pending_count * sizeof b->pending[0]);
    }
}

static enum unit_state
bench_clock(void *self, uint64_t now)
{
    struct bench *b = self;
    for (const struct group_item *item;
         now >= b->taken_from && (item = queue_front(&b->finished, now));) {
        b->over[number_of(b, item->group)] = now - 1 - FIRST_ISSUE;
        b->done = ++b->taken == b->group_count;
        queue_pop(&b->finished, now);
    }
    answer(b, now);
    give(b, now);
    module_wake_at(&b->module, now + 1);
    return UNIT_WAITING;
}

struct bench *
bench_create(void)
{
    struct bench *b = mem_alloc(sizeof *b);
    struct error err;
    if (!params_load_preset(&b->params, "reference-2005", &err))
        fail_msg("%s", err.text);
    b->params.GPU.UnifiedShader = false;
    b->params.GPU.NumFragmentShaders = 1;
    b->params.VERTEXSHADER.InputsPerCycle = b->params.VERTEXSHADER.OutputsPerCycle = 64;
    b->params.VERTEXSHADER.ThreadResources = 1 << 20;
    b->group_count = b->threads = 1;
    b->finished_depth = 8;
    return b;
}

/* Lines of a program, numbered here; T: how many temporaries. */
static struct program *
assemble(const char *const *lines)
{
    static char text[4096];
    struct error err;
    int at = snprintf(text, sizeof text,
                      "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0..15]\n"
                      "DCL ADDR[0]\nDCL CONST[0..3]\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n");
    for (int i = 0; lines[i]; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%d: %s\n", i, lines[i]);
    struct program *program = program_create(STAGE_VERTEX, text, NULL, &err);
    if (!program)
        fail_msg("%s in\n%s", err.text, text);
    return program;
}

/* The slots of all cycles, once each. */
static void
assert_slots_add_up(const struct bench *b)
{
    const struct shader_stats *s = &b->shader.stats;
    assert_int_equal(s->slots, b->clock.now * b->shader.slots_cycle);
    uint64_t sum = 0;
    for (uint32_t f = 0; f < SLOT_COUNT; f++)
        sum += s->slot_fates[f];
    assert_int_equal(s->slots, sum);
    assert_int_equal(s->slot_fates[SLOT_ISSUED], s->instructions * b->shader.issue_cycles);
}

static const struct module_ops bench_ops = {.clock = bench_clock};

void
bench_run(struct bench *b, const char *const *lines)
{
    struct error err;
    if (!shader_check_params(&b->params, &err))
        fail_msg("%s", err.text);
    b->program = assemble(lines);
    b->draw = (struct draw){.vs = b->program, .attribute_count = 1};
    clock_init(&b->clock);
    pools_init(&b->pools);
    clock_add_module(&b->clock, &b->module, "bench", -1, b, &bench_ops);
    const struct unit_env env = {.clock = &b->clock, .params = &b->params, .pools = &b->pools};
    shader_init(&b->shader, &env, 1);
    b->pools.group_threads = b->shader.group_threads;
    struct module *unit = &b->shader.module, *bench = &b->module;
    queue_init(&b->groups, &b->clock, "groups", -1, bench, unit, sizeof(struct group_item), 1, 8,
               1);
    queue_init(&b->finished, &b->clock, "finished", -1, unit, bench, sizeof(struct group_item), 1,
               b->finished_depth, 1);
    for (uint32_t i = 0; i < b->shader.texture_units; i++) {
        queue_init(&b->requests[i], &b->clock, "requests", (int32_t)i, unit, bench,
                   sizeof(struct texture_item), 1, 4, 1);
        queue_init(&b->texels[i], &b->clock, "texels", (int32_t)i, bench, unit,
                   sizeof(struct texture_item), 1, 4, 1);
        b->shader.texture[i] = &b->requests[i];
        b->shader.texels[i] = &b->texels[i];
    }
    b->shader.in = &b->groups;
    b->shader.out = &b->finished;
    if (!clock_run(&b->clock, &b->done, 100000, &err))
        fail_msg("%s", err.text);
    clock_settle(&b->clock);
    assert_slots_add_up(b);
}

void
bench_destroy(struct bench *b)
{
    queue_fini(&b->groups);
    queue_fini(&b->finished);
    for (uint32_t i = 0; i < b->shader.texture_units; i++) {
        queue_fini(&b->requests[i]);
        queue_fini(&b->texels[i]);
    }
    module_fini(&b->shader.module);
    for (uint32_t i = 0; i < b->given; i++)
        group_release(&b->pools, b->order[i]);
    pools_fini(&b->pools);
    clock_fini(&b->clock);
    program_destroy(b->program);
    free(b);
}
