/* The environment of the shader unit. */
#include "rigs/shader_bench.h"
#include "rigs/assemble.h"
#include "rigs/settings.h"

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
    group->program = b->program;
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

int
bench_set_up(void **state)
{
    *state = mem_alloc(sizeof(struct bench));
    return 0;
}

/* Applies a setting of the bench. Returns false if the word is not such a setting. */
static bool
set_own(struct bench *b, const char *word)
{
    /* one cycle each for the request to the Texture Unit, the reply, and the resumption of the
     * group */
    enum { ON_THE_WAY = 3 };
    const size_t length = strcspn(word, "=");
    const uint32_t value = (uint32_t)strtoul(word + length + 1, NULL, 10);
    const struct {
        const char *name;
        uint32_t *field;
    } fields[] = {
        {"groups", &b->group_count},
        {"threads", &b->threads},
        {"depth", &b->finished_depth},
        {"taken_from", &b->taken_from},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strlen(fields[i].name) == length && !memcmp(word, fields[i].name, length)) {
            *fields[i].field = value;
            return true;
        }
    if (!strncmp(word, "texels=", 7))
        for (uint32_t i = 0; i < MAX_GROUPS; i++)
            b->answer_cycles[i] = value - ON_THE_WAY;
    else if (!strncmp(word, "first_texels=", 13))
        b->answer_cycles[0] = value - ON_THE_WAY;
    else if (!strncmp(word, "ports=", 6))
        b->params.VERTEXSHADER.InputsPerCycle = b->params.VERTEXSHADER.OutputsPerCycle = value;
    else
        return false;
    return true;
}

static void
set_up(struct bench *b)
{
    struct error err;
    memset(b, 0, sizeof *b);
    if (!params_load_preset(&b->params, "reference-2005", &err))
        fail_msg("%s", err.text);
    b->params.GPU.UnifiedShader = false;
    b->params.GPU.NumFragmentShaders = 1;
    settings_apply(&b->params, NULL, NO_STAGES);
    set_own(b, "ports=64");
    b->params.VERTEXSHADER.ThreadResources = 1 << 20;
    b->group_count = b->threads = 1;
    b->finished_depth = 8;
}

static void
set(struct bench *b, const char *settings)
{
    char copy[512], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (!set_own(b, word))
            settings_apply(&b->params, "VERTEXSHADER", word);
}

/* Checks that each issue slot of all cycles has exactly one fate. */
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

/* Checks that the counts of all instructions add up to the unit's statistics. */
static void
assert_profile_adds_up(const struct bench *b)
{
    const struct shader_stats *s = &b->shader.stats;
    uint64_t sums[PROFILE_COUNTS] = {0};
    for (size_t i = 0; i < b->profile->touched.count; i++)
        for (uint32_t c = 0; c < PROFILE_COUNTS; c++)
            sums[c] += b->profile->touched.items[i]->counts[c];
    for (uint32_t f = 0; f < SLOT_COUNT; f++)
        assert_int_equal(sums[f], s->slot_fates[f]);
    assert_int_equal(sums[PROFILE_INSTRUCTIONS], s->instructions);
    assert_int_equal(sums[PROFILE_ACTIVE], s->lanes_active);
    assert_int_equal(sums[PROFILE_HELPER], s->lanes_helper);
    assert_int_equal(sums[PROFILE_DIVERGED], s->lanes_diverged);
    assert_int_equal(sums[PROFILE_EMPTY], s->lanes_empty);
}

static const struct module_ops bench_ops = {.clock = bench_clock};

static void
clear(struct bench *b)
{
    if (!b->runs)
        return;
    queue_fini(&b->groups);
    queue_fini(&b->finished);
    queue_fini(&b->lines);
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
    shader_profile_destroy(b->profile);
}

int
bench_tear_down(void **state)
{
    clear(*state);
    free(*state);
    return 0;
}

void
bench_run(struct bench *b, const char *settings, const char *const *lines)
{
    struct error err;
    clear(b);
    set_up(b);
    if (settings)
        set(b, settings);
    if (!shader_check_params(&b->params, &err))
        fail_msg("%s", err.text);
    b->runs = true;
    b->program = assemble(STAGE_VERTEX, lines);
    b->draw = (struct draw){.program = {b->program}, .attribute_count = 1};
    clock_init(&b->clock);
    pools_init(&b->pools, &b->clock);
    clock_add_module(&b->clock, &b->module, "bench", -1, b, &bench_ops);
    const struct unit_env env = {.clock = &b->clock, .params = &b->params, .pools = &b->pools};
    shader_init(&b->shader, &env, 1);
    b->profile = shader_profile_create();
    shader_profile_attach(b->profile, &b->shader);
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
    /* no program reads uniform blocks */
    queue_init(&b->lines, &b->clock, "lines", -1, unit, bench, sizeof(struct memory_request), 1, 1,
               1);
    b->shader.constants.cache.port.requests = &b->lines;
    b->shader.in = &b->groups;
    b->shader.out = &b->finished;
    if (!clock_run(&b->clock, &b->done, 100000, &err))
        fail_msg("%s", err.text);
    clock_settle(&b->clock);
    assert_slots_add_up(b);
    assert_profile_adds_up(b);
}
