/* Builds the machine: units, queues and statistics from machine.def. */
#include "sim/machine_internal.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/plural.h"
#include "core/clock_stats.h"
#include "unit/shader/shader_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
init_units(struct machine *m)
{
    const struct unit_env env = {.clock = &m->clock,
                                 .params = &m->params,
                                 .pools = &m->pools,
                                 .memory = &m->device->memory,
                                 .color_blocks = &m->color_blocks,
                                 .depth_blocks = &m->depth_blocks,
                                 .cover = &m->cover,
                                 .shaders = m->shaders,
                                 .texunits = m->texunits,
                                 .rops = m->rops};
    rop_blocks_init(&m->color_blocks, &m->params, CODEC_COLOR);
    rop_blocks_init(&m->depth_blocks, &m->params, CODEC_DEPTH);
#define UNIT(name, count)                                                                          \
    for (uint32_t i = 0; i < m->name##_count; i++)                                                 \
        name##_init(&m->name[i], &env, i);
#include "machine.def"
}

static struct queue *
make_queues(uint32_t count)
{
    return mem_array(count, sizeof(struct queue));
}

/* One macro per kind of queue line in machine.def. BUILD_QUEUES is common to all kinds. */
#define BUILD_QUEUES(name, count, item, sender, out, receiver, in, width, depth, latency)          \
    m->name##_queue_count = (count);                                                               \
    m->name##_queue = make_queues(count);                                                          \
    for (uint32_t i = 0; i < (count); i++) {                                                       \
        struct queue *q = &m->name##_queue[i];                                                     \
        queue_init(q, &m->clock, #name, (count) > 1 ? (int32_t)i : -1, &(sender)->module,          \
                   &(receiver)->module, sizeof(item), width, depth, latency);                      \
        (sender)->out = q;                                                                         \
        (receiver)->in = q;                                                                        \
    }

/* Number of thread groups of a shader unit: at least two, since a queue needs two slots to sustain
 * one item per cycle. */
static uint32_t
groups_of(const struct machine *m, uint32_t shader, uint32_t threads)
{
    uint32_t groups = threads / m->shader[shader].group_threads;
    return groups < 2 ? 2 : groups;
}

static uint32_t
output_latency(const struct params *p, uint32_t shader)
{
    return shader < p->GPU.NumFragmentShaders ? p->FRAGMENTSHADER.OutputLatency
                                              : p->VERTEXSHADER.OutputLatency;
}

/* Number of thread groups that leave a shader unit per cycle, at least one. */
static uint32_t
groups_out(const struct machine *m, uint32_t shader)
{
    return m->shader[shader].output_free.limit;
}

static void
wire(struct machine *m)
{
    const struct params *p = &m->params;
#define ROPS                    m->rops
#define GROUPS(shader, threads) groups_of(m, shader, threads)
#define GROUPS_OUT(shader)      groups_out(m, shader)
#define OUTPUT_LATENCY(shader)  output_latency(p, shader)
#define SHADER_SETUP(size)      (p->RASTERIZER.TriangleSetupOnShader ? (size) : 0)
#define SETUP_LATENCY           (p->RASTERIZER.SetupLatency - SHADER_SETUP(p->RASTERIZER.SetupLatency))
#define UNIT(name, count)
#define QUEUE_11(name, action, item, sender, out, receiver, in, width, depth, latency)             \
    BUILD_QUEUES(name, 1, item, m->sender, out, m->receiver, in, width, depth, latency)
#define QUEUE_01(name, action, item, sender, out, receiver, in, width, depth, latency)             \
    BUILD_QUEUES(name, (depth) ? 1u : 0u, item, m->sender, out, m->receiver, in, width, depth,     \
                 latency)
#define QUEUE_1N(name, action, item, sender, out, receiver, in, width, depth, latency)             \
    BUILD_QUEUES(name, m->receiver##_count, item, m->sender, out[i], &m->receiver[i], in, width,   \
                 depth, latency)
#define QUEUE_N1(name, action, item, sender, out, receiver, in, width, depth, latency)             \
    BUILD_QUEUES(name, m->sender##_count, item, &m->sender[i], out, m->receiver, in[i], width,     \
                 depth, latency)
#define QUEUE_NN(name, action, item, sender, out, receiver, in, width, depth, latency)             \
    BUILD_QUEUES(name, m->sender##_count, item, &m->sender[i], out, &m->receiver[i], in, width,    \
                 depth, latency)
#define QUEUE_NG(name, action, item, sender, out, receiver, in, width, depth, latency)             \
    {                                                                                              \
        const uint32_t g = m->receiver##_count / m->sender##_count;                                \
        BUILD_QUEUES(name, m->receiver##_count, item, &m->sender[i / g], out[i % g],               \
                     &m->receiver[i], in, width, depth, latency)                                   \
    }
#define QUEUE_GN(name, action, item, sender, out, receiver, in, width, depth, latency)             \
    {                                                                                              \
        const uint32_t g = m->sender##_count / m->receiver##_count;                                \
        BUILD_QUEUES(name, m->sender##_count, item, &m->sender[i], out, &m->receiver[i / g],       \
                     in[i % g], width, depth, latency)                                             \
    }
#define MEMORY(name, unit, port, client, traffic, width, who)                                      \
    m->name##_count = m->unit##_count;                                                             \
    m->name##_requests = make_queues(m->unit##_count);                                             \
    m->name##_replies = make_queues(m->unit##_count);                                              \
    for (uint32_t i = 0; i < m->unit##_count; i++) {                                               \
        int32_t index = m->unit##_count > 1 ? (int32_t)i : -1;                                     \
        struct queue *requests = &m->name##_requests[i], *replies = &m->name##_replies[i];         \
        queue_init(requests, &m->clock, #name "_requests", index, &m->unit[i].module,              \
                   &m->memctl->module, sizeof(struct memory_request), 1,                           \
                   p->MEMORYCONTROLLER.ClientRequestQueueSize, 1);                                 \
        queue_init(replies, &m->clock, #name "_replies", index, &m->memctl->module,                \
                   &m->unit[i].module, sizeof(struct memory_reply), width,                         \
                   p->MEMORYCONTROLLER.ClientReplyQueueSize, 1);                                   \
        m->unit[i].port = (struct memory_port){.requests = requests, .replies = replies};          \
        m->unit[i].port.arrival.cause = CAUSE_latency_##client;                                    \
        replies->to = &m->unit[i].port.arrival;                                                    \
        replies->hop_cause = requests->hop_cause = CAUSE_latency_##client;                         \
        memctl_add_port(m->memctl, CLIENT_##client, requests, replies);                            \
    }
#include "machine.def"
#undef GROUPS
#undef GROUPS_OUT
#undef OUTPUT_LATENCY
#undef SETUP_LATENCY
#undef SHADER_SETUP
#undef ROPS
}

/* Connects the units' stages of the critical path to their queues. Primitive assembly, clipper and
 * setup model their processing time as the latency of a queue, so that latency is charged to
 * them. */
static void
wire_stages(struct machine *m)
{
    m->primasm->in->hop_cause = CAUSE_assembly;
    m->setup->in->hop_cause = CAUSE_clip;
    m->fraggen->in->hop_cause = CAUSE_setup;
    for (uint32_t i = 0; i < m->clock.module_count; i++)
        module_wire(m->clock.modules[i]);
}

/* Whether the queue is too shallow to sustain its width. Queues of the command processor are
 * exempt, because orders and completions alternate. */
static bool
is_shallow(const struct machine *m, const struct queue *q)
{
    return q->sender != &m->cmdproc->module && q->receiver != &m->cmdproc->module &&
           !queue_sustains_width(q);
}

/* Whether both queues are instances of the same kind and size, as groups[0] and groups[5] are. */
static bool
are_alike(const struct queue *a, const struct queue *b)
{
    const size_t n = strcspn(a->name, "[");
    return n == strcspn(b->name, "[") && !strncmp(a->name, b->name, n) && a->depth == b->depth &&
           a->width == b->width;
}

bool
machine_has_shallow_queues(const struct machine *m)
{
    for (uint32_t i = 0; i < m->clock.queue_count; i++)
        if (is_shallow(m, m->clock.queues[i]))
            return true;
    return false;
}

/* Whether the machine has a queue of the same kind and size. */
static bool
has_like(const struct machine *m, const struct queue *q)
{
    for (uint32_t i = 0; m && i < m->clock.queue_count; i++)
        if (are_alike(m->clock.queues[i], q))
            return true;
    return false;
}

/* Prints one line for each run of similar queues. */
void
machine_warn(const struct machine *m, const struct machine *accepted, const char *name)
{
    const char *before = name ? "machine " : "", *after = name ? ": " : "";
    name = name ? name : "";
    for (uint32_t i = 0, next; i < m->clock.queue_count; i = next) {
        const struct queue *q = m->clock.queues[i];
        next = i + 1;
        if (!is_shallow(m, q) || has_like(accepted, q))
            continue;
        while (next < m->clock.queue_count && are_alike(q, m->clock.queues[next]))
            next++;
        if (next == i + 1)
            log_warning(
                "%s%s%sthe queue %s from %s to %s has %u %s: %u item%s per cycle require%s %u",
                before, name, after, q->name, q->sender->name, q->receiver->name, q->depth,
                q->depth == 1 ? "entry" : "entries", q->width, plural(q->width),
                q->width == 1 ? "s" : "", 2 * q->width);
        else
            log_warning(
                "%s%s%sthe queues %s to %s have %u %s each: %u item%s per cycle require%s %u",
                before, name, after, q->name, m->clock.queues[next - 1]->name, q->depth,
                q->depth == 1 ? "entry" : "entries", q->width, plural(q->width),
                q->width == 1 ? "s" : "", 2 * q->width);
    }
}

/* Adds one counter per cause of the critical path. */
static void
add_causes(struct machine *m)
{
    uint32_t count;
    const struct path_branch *branches = path_branches(&count);
    for (uint32_t i = 0; i < count; i++) {
        char name[64];
        if (branches[i].cause < 0)
            continue;
        snprintf(name, sizeof name, "lost.%s", branches[i].name);
        stat_set_add_counter(&m->stats, name, "cycles", branches[i].what,
                             &m->clock.path.cycles[branches[i].cause]);
    }
}

static void
add_stats(struct machine *m)
{
    stat_set_init(&m->stats);
    stat_set_add_counter(&m->stats, "cycles", "cycles", "cycles simulated", &m->clock.now);
    stat_set_add_counter(&m->stats, "busy_cycles", "cycles",
                         "cycles in which a shader, a texture unit or a ROP was busy",
                         &m->clock.core_busy_cycles);
    stat_set_add(&m->stats, &work_stat_group, -1, &m->accounting.stats);
    add_causes(m);
#define UNIT(name, count)                                                                          \
    for (uint32_t i = 0; i < m->name##_count; i++)                                                 \
        stat_set_add(&m->stats, &name##_stat_group, (count) > 1 ? (int32_t)i : -1,                 \
                     &m->name[i].stats);
#define SHADERS  m->shaders
#define TEXUNITS m->texunits
#define ROPS     m->rops
#include "machine.def"
#undef SHADERS
#undef TEXUNITS
#undef ROPS
    for (uint32_t c = 0; c < m->memctl->channel_count; c++)
        stat_set_add(&m->stats, &channel_stat_group, (int32_t)c, &m->memctl->channel_stats[c]);
    stat_set_add_clock(&m->stats, &m->clock);
}

static void
add_stages(struct machine *m)
{
    const struct params *p = &m->params;
    const uint32_t shaders = p->GPU.UnifiedShader ? 0 : p->GPU.NumFragmentShaders;
    overlap_init(&m->overlap, &m->clock, p->COMMANDPROCESSOR.PipelinedBatchRendering);
#define STAGE(name, count)                                                                         \
    for (uint32_t i = 0; i < (count); i++)                                                         \
        overlap_add(&m->overlap, OVERLAP_##name, &m->name[i].module, NULL);
    overlap_add(&m->overlap, OVERLAP_streamer, &m->streamer->module, &m->streamer->fetch_end);
    STAGE(primasm, 1)
    STAGE(geomasm, 1)
    STAGE(clipper, 1)
    STAGE(setup, 1)
    STAGE(fraggen, 1)
    STAGE(hz, 1)
    STAGE(interpolator, 1)
    STAGE(shader, shaders)
    STAGE(texunit, p->GPU.NumFragmentShaders * p->FRAGMENTSHADER.TextureUnits)
    STAGE(zstencil, m->rops)
#undef STAGE
    for (uint32_t i = shaders; i < m->shaders; i++)
        overlap_share(&m->overlap, &m->shader[i].module, &m->shader[i].stats.own_cycles);
}

struct machine *
machine_create(const struct params *params, struct gpu_device *device,
               struct functional *functional, struct error *err)
{
    if (!machine_params_check(params, err))
        return NULL;
    struct machine *m = mem_alloc(sizeof *m);
    m->params = *params;
    m->device = device;
    m->functional = functional;
    device->leaving = machine_end_resource;
    device->leaving_data = m;
    device->uploads = &m->upload_history;
    m->shaders = shader_unit_count(params);
    m->texunits = m->shaders * params->FRAGMENTSHADER.TextureUnits;
    m->rops = params->GPU.NumStampPipes;
    clock_init(&m->clock);
    pools_init(&m->pools, &m->clock);
    work_accounting_reset(&m->accounting, 0);
    arena_init(&m->draws);
    command_stream_init(&m->stream, params);
#define SHADERS  m->shaders
#define TEXUNITS m->texunits
#define ROPS     m->rops
#define UNIT(name, count)                                                                          \
    m->name##_count = (count);                                                                     \
    m->name = mem_array(count, sizeof *m->name);
#include "machine.def"
#undef SHADERS
#undef TEXUNITS
#undef ROPS
    m->accounting.repeated = &m->cmdproc->repeated;
    init_units(m);
    wire(m);
    wire_stages(m);
    add_stages(m);
    add_stats(m);
    m->identities = identities_create(&m->stats);
    return m;
}

static void
free_queues(struct queue *queues, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        queue_fini(&queues[i]);
    free(queues);
}

void
machine_destroy(struct machine *m)
{
    if (!m)
        return;
    m->device->leaving = NULL;
    m->device->uploads = NULL;
    upload_history_fini(&m->upload_history);
    for (uint32_t i = 0; i < m->clock.module_count; i++)
        module_fini(m->clock.modules[i]);
    machine_forget_surfaces(m);
    blocks_fini(&m->color_blocks);
    blocks_fini(&m->depth_blocks);
    cover_forget(&m->cover);
    budget_move(&m->cover.share, NULL);
    VEC_FREE(&m->copies);
#define UNIT(name, count) free(m->name);
#define QUEUE_11(name, action, item, sender, out, receiver, in, width, depth, latency)             \
    free_queues(m->name##_queue, m->name##_queue_count);
#define MEMORY(name, unit, port, client, traffic, width, who)                                      \
    free_queues(m->name##_requests, m->name##_count);                                              \
    free_queues(m->name##_replies, m->name##_count);
#include "machine.def"
    machine_forget_uploads(m);
    hazards_fini(&m->hazards);
    command_stream_fini(&m->stream);
    identities_destroy(m->identities);
    stat_set_fini(&m->stats);
    pools_fini(&m->pools);
    arena_fini(&m->draws);
    VEC_FREE(&m->held);
    machine_free_merged(m);
    VEC_FREE(&m->merged);
    VEC_FREE(&m->merged_programs);
    clock_fini(&m->clock);
    shader_profile_destroy(m->profile);
    free(m);
}

void
machine_profile_shaders(struct machine *m)
{
    m->profile = shader_profile_create();
    for (uint32_t s = 0; s < m->shaders; s++)
        shader_profile_attach(m->profile, &m->shader[s]);
}
