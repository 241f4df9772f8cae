/* The Blitter. One slice with a memory of fixed latency takes the calculated cycles. On the whole
 * machine, blits and copies of every kind leave the same memory as the functional renderer, on
 * machines of several sizes. Large blits approach the bound of memory or of the sample rate. Block
 * states determine how many bytes move. */
#include "rigs/rig.h"

#include "gfx/transfer.h"
#include "sim/machine.h"

enum {
    MEMORY = 4 << 20,
    CLIENT = 1,
    DST = 1,
    SRC,
    LATENCY = 50, /* latency of the bench's memory, from the arrival of a request to its reply */
    RGBA8 = 67,
    Z24S8 = 19,
    NEAREST = 0,
    LINEAR = 1,
    COLOR_MASK = 15,
    DEPTH_MASK = 16,
    STENCIL_MASK = 32,
};

/* A Blitter with a single slice. */

struct bench {
    struct params params;
    struct clock clock;
    struct module orders, memory_module; /* sender of orders; the memory */
    struct blitter blitter;
    struct queue control, done, requests, replies;
    struct blocks color, depth;
    struct resource dst, src;
    struct blit_plan plan;
    uint8_t *memory;
    bool flat; /* source and destination have block states and are compressed */
    bool sent, finished;
    uint64_t done_cycle;
};

static enum unit_state
orders_clock(void *self, uint64_t now)
{
    struct bench *b = self;
    if (!b->sent) {
        *(struct blit_item *)queue_push(&b->control, now) = (struct blit_item){&b->plan};
        b->sent = true;
    }
    if (queue_front(&b->done, now)) {
        queue_pop(&b->done, now);
        b->finished = true;
        b->done_cycle = now;
    }
    return UNIT_WAITING;
}

static enum unit_state
memory_clock(void *self, uint64_t now)
{
    struct bench *b = self;
    const struct memory_request *request = queue_front(&b->requests, now);
    if (!request)
        return UNIT_WAITING;
    struct memory_reply *reply = queue_push_later(&b->replies, now, LATENCY - 1);
    uint8_t *bytes = b->memory + request->address;
    reply->tag = request->tag;
    reply->write = request->write;
    if (request->write)
        memcpy(bytes, request->data, TRANSACTION_BYTES);
    else
        memcpy(reply->data, bytes, TRANSACTION_BYTES);
    queue_pop(&b->requests, now);
    return UNIT_WAITING;
}

static void
init_image(struct resource *res, uint32_t address, uint32_t side, uint32_t samples)
{
    const struct resource_desc desc = {.target = TARGET_2D,
                                       .format = RGBA8,
                                       .bind = BIND_RENDER_TARGET,
                                       .width = side,
                                       .height = side,
                                       .depth = 1,
                                       .array_size = 1,
                                       .samples = samples};
    assert_true(resource_init(res, &desc, NULL));
    res->address = address;
}

/* Creates a blit of a square of src_side pixels per side to a square of 8, which is one line. */
static struct bench *
bench_create(uint32_t src_side, uint32_t samples, bool linear)
{
    struct bench *b = mem_alloc(sizeof *b);
    struct error err;
    if (!params_load_preset(&b->params, "reference-2008", &err))
        fail_msg("%s", err.text);
    b->params.GPU.NumStampPipes = 1;
    b->params.MEMORYCONTROLLER.MemoryGrows = false;
    b->params.MEMORYCONTROLLER.MemorySize = MEMORY;
    b->memory = mem_alloc(MEMORY);
    for (uint32_t i = 0; i < MEMORY; i++)
        b->memory[i] = (uint8_t)(i * 2654435761u >> 24);
    init_image(&b->dst, 1 << 20, 8, 1);
    init_image(&b->src, 2 << 20, src_side, samples);
    b->plan = (struct blit_plan){.dst = {&b->dst, b->dst.format, 0},
                                 .src = {&b->src, b->src.format, 0},
                                 .x = {0, 8, 0, 0, src_side / 8.0, src_side},
                                 .y = {0, 8, 0, 0, src_side / 8.0, src_side},
                                 .z = {0, 1, 0, 0, 1, 1},
                                 .mask = COLOR_MASK,
                                 .linear = linear,
                                 .same = true};
    return b;
}

static void
make_flat(struct bench *b)
{
    const struct bound_surface dst = {.res = &b->dst, .format = b->dst.format};
    const struct bound_surface src = {.res = &b->src, .format = b->src.format};
    const uint8_t line[BLOCK_MAX_BYTES] = {0};
    blocks_add(&b->color, &dst);
    blocks_add(&b->color, &src);
    for (uint32_t at = b->src.address; at < b->src.address + b->src.size_bytes; at += 256) {
        const uint32_t state = blocks_pack(&b->color, at, line, false, b->memory + at);
        assert_int_equal(blocks_bytes(&b->color, state), 64);
    }
}

static const struct module_ops orders_ops = {.clock = orders_clock};

static const struct module_ops memory_ops = {.clock = memory_clock};

static void
bench_run(struct bench *b)
{
    struct error err;
    blocks_init(&b->color, 1, 256, MEMORY, 4096, &codec_hilo);
    b->color.pack_cycles = b->color.unpack_cycles = 8;
    blocks_init(&b->depth, 1, 256, MEMORY, 4096, NULL);
    if (b->flat)
        make_flat(b);
    clock_init(&b->clock);
    clock_add_module(&b->clock, &b->orders, "orders", -1, b, &orders_ops);
    const struct unit_env env = {.clock = &b->clock,
                                 .params = &b->params,
                                 .color_blocks = &b->color,
                                 .depth_blocks = &b->depth};
    blitter_init(&b->blitter, &env, 0);
    clock_add_module(&b->clock, &b->memory_module, "memory", -1, b, &memory_ops);
    struct module *unit = &b->blitter.module;
    queue_init(&b->control, &b->clock, "control", -1, &b->orders, unit, sizeof(struct blit_item), 1,
               1, 1);
    queue_init(&b->done, &b->clock, "done", -1, unit, &b->orders, sizeof(struct done_item), 1, 1,
               1);
    queue_init(&b->requests, &b->clock, "requests", -1, unit, &b->memory_module,
               sizeof(struct memory_request), 1, 8, 1);
    queue_init(&b->replies, &b->clock, "replies", -1, &b->memory_module, unit,
               sizeof(struct memory_reply), 1, 64, 1);
    b->blitter.control = &b->control;
    b->blitter.done = &b->done;
    b->blitter.port = (struct memory_port){.requests = &b->requests, .replies = &b->replies};
    if (!clock_run(&b->clock, &b->finished, 100000, &err))
        fail_msg("%s", err.text);
}

static void
bench_destroy(struct bench *b)
{
    struct queue *queues[] = {&b->control, &b->done, &b->requests, &b->replies};
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++)
        queue_fini(queues[i]);
    module_fini(&b->blitter.module);
    blocks_fini(&b->color);
    blocks_fini(&b->depth);
    clock_fini(&b->clock);
    free(b->memory);
    free(b);
}

static uint64_t
cycles_of(struct bench *b)
{
    bench_run(b);
    const uint64_t cycles = b->done_cycle;
    bench_destroy(b);
    return cycles;
}

/* The order is sent in cycle 0 and taken in 1. In cycle 2 its line is planned, and the first of
 * `reads` transactions leaves. The last one leaves in 1 + reads, arrives a cycle later, and is
 * answered after LATENCY. Then the slice processes 4 samples per cycle. After that it packs the
 * line, and the first of `writes` transactions leaves. The order ends with the last reply, and its
 * end takes a cycle to arrive. */
static uint64_t
cycles_of_line(uint32_t reads, uint32_t samples, uint32_t pack, uint32_t writes)
{
    const uint32_t operation = 1 + reads + 1 + LATENCY;
    const uint32_t written = operation + (samples + 3) / 4 + pack + writes - 1;
    return written + 1 + LATENCY + 1;
}

/* A line of 64 pixels is 4 transactions. A resolve of 4 samples reads 4 lines. A linear blit of
 * 16x16 pixels to 8x8 also reads 4 lines, and takes 4 samples per pixel. */
static void
a_line(void **state)
{
    (void)state;
    assert_int_equal(cycles_of(bench_create(8, 1, false)), cycles_of_line(4, 64, 0, 4));
    assert_int_equal(cycles_of(bench_create(8, 4, false)), cycles_of_line(16, 256, 0, 4));
    assert_int_equal(cycles_of(bench_create(16, 1, true)), cycles_of_line(16, 256, 0, 4));
}

static void
samples_cycle(void **state)
{
    (void)state;
    struct bench *b = bench_create(8, 4, false);
    b->params.BLITTER.SamplesCycle = 16;
    assert_int_equal(cycles_of(b), cycles_of_line(16, 64, 0, 4));
    b = bench_create(8, 4, false);
    b->params.BLITTER.SamplesCycle = 5; /* the 256 samples of each line take 52 cycles */
    assert_int_equal(cycles_of(b), cycles_of_line(16, 4 * 52, 0, 4));
}

/* The line has one color, so it is compressed in 8 cycles and moves as one transaction. The source
 * also moves as one transaction and is decompressed in 8 cycles. */
static void
codec_units(void **state)
{
    (void)state;
    struct bench *b = bench_create(8, 1, false);
    b->flat = true;
    assert_int_equal(cycles_of(b), cycles_of_line(1, 64, 8, 1) + 8);
    b = bench_create(8, 4, false); /* four blocks, decompressed one after another */
    b->flat = true;
    assert_int_equal(cycles_of(b), cycles_of_line(1, 256, 8, 1) + 4 * 8);
}

/* A nearest blit reads each of its 64 pixels from a different block, 16 per piece. With 64 places
 * all transactions follow each other. 17 places hold one piece and the first block of the next. The
 * slice requests the other 15 blocks in the cycle in which it processes the previous piece. So 15
 * transactions and the latency of the last one separate two pieces. */
static void
source_blocks(void **state)
{
    (void)state;
    struct bench *b = bench_create(64, 1, false);
    const uint32_t way = 1 + LATENCY;
    b->params.BLITTER.SourceBlocks = 64;
    assert_int_equal(cycles_of(b), cycles_of_line(64, 16, 0, 4));
    b = bench_create(64, 1, false);
    b->params.BLITTER.SourceBlocks = 17;
    assert_int_equal(cycles_of(b), cycles_of_line(16, 16, 0, 4) + 3 * (15 - 1 + way));
}

/* The whole machine. */

struct gpu {
    struct gpu_device device;
    struct functional functional;
    struct machine *machine; /* NULL: only the functional renderer */
};

static void
execute(struct gpu *gpu, const struct gpu_cmd *cmd)
{
    struct error err = {""};
    bool ok = gpu->machine ? machine_execute(gpu->machine, cmd, NULL, 0, &err)
                           : functional_execute(&gpu->functional, cmd, NULL, 0, &err);
    if (!ok)
        fail_msg("%s", err.text);
}

static void
gpu_begin(struct gpu *gpu, const struct params *params)
{
    struct error err = {""};
    const struct gpu_cmd begin = {.op = GPU_CLIENT_BEGIN, .client = CLIENT};
    assert_true(gpu_device_init(&gpu->device, MEMORY, &err));
    functional_init(&gpu->functional, &gpu->device);
    gpu->machine = params ? machine_create(params, &gpu->device, &gpu->functional, &err) : NULL;
    if (params && !gpu->machine)
        fail_msg("%s", err.text);
    execute(gpu, &begin);
}

static void
gpu_end(struct gpu *gpu)
{
    machine_destroy(gpu->machine);
    functional_fini(&gpu->functional);
    gpu_device_fini(&gpu->device);
}

static void
create(struct gpu *gpu, struct resource_desc desc)
{
    struct gpu_cmd cmd = {.op = GPU_RESOURCE_CREATE, .client = CLIENT};
    cmd.resource = desc;
    execute(gpu, &cmd);
}

static const struct resource *
resource(struct gpu *gpu, uint32_t handle)
{
    return gpu_resource(&gpu->device, CLIENT, handle);
}

static void
fill_memory(struct gpu *a, struct gpu *b)
{
    for (uint32_t i = 0; i < MEMORY; i++)
        a->device.memory.bytes[i] = b->device.memory.bytes[i] =
            (uint8_t)((i * 2654435761u >> 24) & 0x7f); /* without NaNs */
}

static bool
is_in(const struct resource *res, uint32_t address)
{
    return address >= res->address && address < res->address + res->size_bytes;
}

/* Checks that the resource is equal in both memories, except for padding. The rest of memory must
 * also be equal, except for free memory that may have contained a copy of the resource. */
static void
assert_same(struct gpu *timed, struct gpu *functional, bool in_place, const char *what)
{
    const struct resource *res = resource(timed, DST);
    const uint8_t *a = timed->device.memory.bytes, *b = functional->device.memory.bytes;
    machine_sync_memory(timed->machine);
    for (uint32_t i = 0; i < MEMORY; i++) {
        uint32_t x = 0, y = 0, sample, level = 0;
        if (a[i] == b[i])
            continue;
        if (!is_in(res, i) && in_place && !is_in(resource(timed, SRC), i))
            continue;
        if (!is_in(res, i))
            fail_msg("%s: byte %u of the memory, outside", what, i);
        const uint32_t at = i - res->address;
        while (level < res->desc.last_level && at >= res->levels[level + 1].offset)
            level++;
        const struct resource_level *l = &res->levels[level];
        const uint32_t in_slice = (at - l->offset) % l->slice_bytes;
        if (resource_locate(res, level, in_slice - in_slice % res->format->block_bytes, &x, &y,
                            &sample) &&
            x * res->format->block_width < l->width && y * res->format->block_height < l->height)
            fail_msg("%s: level %u, slice %u, %u, %u, sample %u, byte %u: %u, not %u", what, level,
                     (at - l->offset) / l->slice_bytes, x, y, sample,
                     in_slice % res->format->block_bytes, a[i], b[i]);
    }
}

static uint32_t seed;

static uint32_t
next(uint32_t limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % limit;
}

static int32_t
spread(int32_t size) /* a position, sometimes outside the resource */
{
    return (int32_t)next((uint32_t)size + 8) - 4;
}

static uint32_t
format_named(const char *name)
{
    for (size_t i = 0; i < format_count(); i++)
        if (!strcmp(format_at(i)->name, name))
            return format_at(i)->number;
    fail_msg("there is no format %s", name);
    return 0;
}

/* A kind of resource, and the formats that it is copied and blitted to and from. */
static const struct kind {
    const char *format;
    uint32_t target, samples, bind;
    bool depth;
} kinds[] = {
    {"R8G8B8A8_UNORM", TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET, false},
    {"B8G8R8A8_UNORM", TARGET_2D, 4, BIND_RENDER_TARGET, false},
    {"R8G8B8A8_UNORM", TARGET_2D, 8, BIND_RENDER_TARGET, false},
    {"R8_UNORM", TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET, false},
    {"R16G16B16A16_FLOAT", TARGET_2D_ARRAY, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET, false},
    {"R32G32B32A32_FLOAT", TARGET_2D, 2, BIND_RENDER_TARGET, false},
    {"R8G8B8A8_SRGB", TARGET_3D, FORMAT_B8G8R8A8_UNORM, BIND_SAMPLER_VIEW, false},
    {"R8_UNORM", TARGET_CUBE, FORMAT_B8G8R8A8_UNORM, BIND_SAMPLER_VIEW, false},
    {"DXT1_RGB", TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_SAMPLER_VIEW, false},
    {"Z24_UNORM_S8_UINT", TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_DEPTH_STENCIL, true},
    {"S8_UINT_Z24_UNORM", TARGET_2D, 4, BIND_DEPTH_STENCIL, true},
    {"Z16_UNORM", TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_DEPTH_STENCIL, true},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static struct resource_desc
describe_kind(const struct kind *kind, uint32_t handle)
{
    const bool cube = kind->target == TARGET_CUBE;
    return (struct resource_desc){.handle = handle,
                                  .target = kind->target,
                                  .format = format_named(kind->format),
                                  .bind = kind->bind,
                                  .width = cube ? 40 : 52,
                                  .height = cube ? 40 : 36,
                                  .depth = kind->target == TARGET_3D ? 4 : 1,
                                  .array_size = cube                              ? 6
                                                : kind->target == TARGET_2D_ARRAY ? 3
                                                                                  : 1,
                                  .last_level = kind->samples == 1 ? 1 : 0,
                                  .samples = kind->samples};
}

static struct blit_side
side_of(const struct resource *res, bool scaled)
{
    struct blit_side side = {.resource = res->desc.handle,
                             .level = next(res->desc.last_level + 1),
                             .format = res->desc.format};
    const struct resource_level *l = &res->levels[side.level];
    const int32_t w = (int32_t)l->width, h = (int32_t)l->height;
    side.box = (struct box){spread(w), spread(h), (int32_t)next(l->slices), 12, 9, 1};
    if (scaled)
        side.box.width = (int32_t)next(80) - 30, side.box.height = (int32_t)next(60) - 20;
    if (next(4) == 0)
        side.box = (struct box){0, 0, 0, w, h, (int32_t)l->slices};
    return side;
}

/* Returns a random blit between the resources, with random scissor, mask, filter and mirroring. */
static struct gpu_cmd
random_blit(struct gpu *gpu, bool depth)
{
    struct gpu_cmd cmd = {.op = GPU_BLIT, .client = CLIENT};
    const uint32_t src = next(8) ? SRC : DST;
    cmd.blit.mask = depth ? DEPTH_MASK | STENCIL_MASK : COLOR_MASK;
    if (next(4) == 0)
        cmd.blit.mask = depth ? next(3) * 16 + 16 : 1 + next(15);
    cmd.blit.filter = next(2) ? LINEAR : NEAREST;
    cmd.blit.dst = side_of(resource(gpu, DST), next(2));
    cmd.blit.src = side_of(resource(gpu, src), next(2));
    cmd.blit.scissor_enable = next(4) == 0;
    cmd.blit.scissor = (struct scissor_state){next(20), next(20), 20 + next(40), 20 + next(40)};
    return cmd;
}

static void
check_random(const struct params *params, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct gpu timed, functional;
        const struct kind *to = &kinds[next(KINDS)], *from = &kinds[next(KINDS)];
        char what[160];
        struct error err;
        if (to->depth != from->depth || !strcmp(to->format, "DXT1_RGB"))
            continue;
        gpu_begin(&timed, params);
        gpu_begin(&functional, NULL);
        create(&timed, describe_kind(to, DST));
        create(&timed, describe_kind(from, SRC));
        create(&functional, describe_kind(to, DST));
        create(&functional, describe_kind(from, SRC));
        fill_memory(&timed, &functional);
        bool in_place = false;
        for (uint32_t blits = 0; blits < 4; blits++) {
            const struct gpu_cmd cmd = random_blit(&timed, to->depth);
            snprintf(what, sizeof what, "machine %u, blit %u.%u: %s to %s",
                     params->GPU.NumStampPipes, i, blits, from->format, to->format);
            if (!blit_check(&functional.device, &cmd, &err))
                continue;
            execute(&timed, &cmd);
            execute(&functional, &cmd);
            in_place |= cmd.blit.src.resource == DST;
        }
        assert_same(&timed, &functional, in_place, what);
        gpu_end(&timed);
        gpu_end(&functional);
    }
}

/* Checks random copies, also within one resource. */
static void
check_copies(const struct params *params, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct gpu timed, functional;
        const struct kind *kind = &kinds[next(KINDS)];
        struct gpu_cmd cmd = {.op = GPU_COPY_REGION, .client = CLIENT};
        struct error err;
        gpu_begin(&timed, params);
        gpu_begin(&functional, NULL);
        for (uint32_t handle = DST; handle <= SRC; handle++) {
            create(&timed, describe_kind(kind, handle));
            create(&functional, describe_kind(kind, handle));
        }
        fill_memory(&timed, &functional);
        const struct resource *res = resource(&timed, DST);
        const uint32_t step = res->format->block_width, level = next(res->desc.last_level + 1);
        const struct resource_level *l = &res->levels[level];
        const uint32_t w = 1 + next(l->width / step), h = 1 + next(l->height / step);
        cmd.copy.dst = DST;
        cmd.copy.src = next(4) ? SRC : DST;
        cmd.copy.dst_level = cmd.copy.src_level = level;
        cmd.copy.dst_x = next(l->width / step - w + 1) * step;
        cmd.copy.dst_y = next(l->height / step - h + 1) * step;
        cmd.copy.dst_z = next(l->slices);
        cmd.copy.src_box = (struct box){(int32_t)(next(l->width / step - w + 1) * step),
                                        (int32_t)(next(l->height / step - h + 1) * step),
                                        (int32_t)next(l->slices),
                                        (int32_t)(w * step),
                                        (int32_t)(h * step),
                                        1};
        if (copy_check(&functional.device, &cmd, &err)) {
            execute(&timed, &cmd);
            execute(&functional, &cmd);
            assert_same(&timed, &functional, cmd.copy.src == DST, kind->format);
        }
        gpu_end(&timed);
        gpu_end(&functional);
    }
}

/* Checks copies of random bytes. The first copy ends with the first byte of a line. */
static void
check_buffers(const struct params *params, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct gpu timed, functional;
        struct gpu_cmd cmd = {.op = GPU_COPY_REGION, .client = CLIENT};
        struct resource_desc desc = {.handle = DST,
                                     .target = TARGET_BUFFER,
                                     .format = FORMAT_R8_UNORM,
                                     .bind = BIND_VERTEX_BUFFER,
                                     .width = 3001,
                                     .height = 1,
                                     .depth = 1,
                                     .array_size = 1};
        gpu_begin(&timed, params);
        gpu_begin(&functional, NULL);
        for (desc.handle = DST; desc.handle <= SRC; desc.handle++) {
            create(&timed, desc);
            create(&functional, desc);
        }
        fill_memory(&timed, &functional);
        const uint32_t in_line = resource(&timed, DST)->address % 256;
        const uint32_t bytes = i ? 1 + next(3000) : 513 - in_line;
        cmd.copy.dst = DST;
        cmd.copy.src = next(2) ? SRC : DST;
        cmd.copy.dst_x = i ? next(3002 - bytes) : 0;
        cmd.copy.src_box = (struct box){(int32_t)next(3002 - bytes), 0, 0, (int32_t)bytes, 1, 1};
        execute(&timed, &cmd);
        execute(&functional, &cmd);
        assert_same(&timed, &functional, cmd.copy.src == DST, "bytes");
        gpu_end(&timed);
        gpu_end(&functional);
    }
}

static void
check_machine(const char *preset, const char *const *set, uint32_t count)
{
    struct params params;
    struct error err;
    assert_true(params_load_preset(&params, preset, &err));
    params.MEMORYCONTROLLER.MemorySize = MEMORY;
    params.MEMORYCONTROLLER.MemoryGrows = false;
    for (; set && *set; set++)
        if (!params_set(&params, *set, &err))
            fail_msg("%s", err.text);
    check_random(&params, count);
    check_copies(&params, count / 2);
    check_buffers(&params, 4);
}

static void
any_blit(void **state)
{
    static const char *const least[] = {"BLITTER.Lines=2",
                                        "BLITTER.SourceBlocks=17",
                                        "BLITTER.SamplesCycle=1",
                                        "GPU.NumStampPipes=1",
                                        "MEMORYCONTROLLER.ServiceQueueSize=1",
                                        NULL};
    static const char *const short_lines[] = {"GPU.NumStampPipes=3",
                                              "COLORWRITE.DisableCompression=TRUE",
                                              "COLORWRITE.ColorCacheStampsPerLine=4",
                                              "ZSTENCILTEST.DisableCompression=TRUE",
                                              "ZSTENCILTEST.ZCacheStampsPerLine=8",
                                              NULL};
    static const char *const few_states[] = {"COLORWRITE.BlockStateMemorySize=5",
                                             "ZSTENCILTEST.BlockStateMemorySize=1", NULL};
    (void)state;
    seed = 1;
    check_machine("reference-2008", NULL, 60);
    check_machine("reference-2005", NULL, 40);
    check_machine("reference-2008", least, 30);
    check_machine("reference-2008", short_lines, 40);
    check_machine("reference-2008", few_states, 30);
}

/* Returns the cycles of a blit of a whole square that is raw in memory. */
static uint64_t
blit_cycles(uint32_t side, uint32_t samples, uint64_t *bytes)
{
    struct gpu gpu;
    struct params params;
    struct error err;
    struct gpu_cmd cmd = {.op = GPU_BLIT, .client = CLIENT};
    const struct box box = {0, 0, 0, (int32_t)side, (int32_t)side, 1};
    struct resource_desc desc = {DST, TARGET_2D, RGBA8, BIND_RENDER_TARGET, side, side, 1, 1, 0, 0};
    assert_true(params_load_preset(&params, "reference-2008", &err));
    params.MEMORYCONTROLLER.MemorySize = MEMORY;
    params.MEMORYCONTROLLER.MemoryGrows = false;
    gpu_begin(&gpu, &params);
    create(&gpu, desc);
    desc.handle = SRC;
    desc.samples = samples;
    create(&gpu, desc);
    for (uint32_t i = 0; i < MEMORY; i++) /* noise, which no codec compresses */
        gpu.device.memory.bytes[i] = (uint8_t)(i * 2654435761u >> 24);
    cmd.blit.mask = COLOR_MASK;
    cmd.blit.dst = (struct blit_side){DST, 0, RGBA8, box};
    cmd.blit.src = (struct blit_side){SRC, 0, RGBA8, box};
    const uint64_t begin = gpu.machine->clock.now;
    execute(&gpu, &cmd);
    const uint64_t cycles = gpu.machine->clock.now - begin;
    const struct memctl_stats *s = &gpu.machine->memctl->stats;
    *bytes = s->bytes_read + s->bytes_written;
    gpu_end(&gpu);
    return cycles;
}

/* The preset moves 64 bytes per cycle, and each of its 4 slices takes 4 samples per cycle. Blits of
 * 256x256 pixels and more reach 80 % of the slower rate. */
static void
near_the_bound(void **state)
{
    static const struct {
        uint32_t side, samples;
    } cases[] = {{192, 4}, {256, 1}, {256, 2}, {256, 4}, {256, 8}, {400, 4}, {512, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint32_t side = cases[i].side, samples = cases[i].samples;
        const uint64_t pixels = (uint64_t)side * side;
        uint64_t bytes;
        const uint64_t cycles = blit_cycles(side, samples, &bytes);
        const uint64_t rate = pixels * samples / 16, memory = bytes / 64;
        const uint64_t bound = rate > memory ? rate : memory;
        print_message("# %ux%u, %u samples: %u cycles, %.1f %% of the bound\n", side, side, samples,
                      (unsigned)cycles, 100.0 * (double)bound / (double)cycles);
        assert_true(bytes >= pixels * 4 * samples + pixels * 2);
        assert_true(bound * 10 >= cycles * 8);
        if (side == 192)
            assert_true(cycles < 16000);
    }
}

#define CASE(test) cmocka_unit_test(test)

/* For a block of an unknown surface, the words contain its bytes in little-endian order. */
static void
words_of_no_surface(void **state)
{
    struct blocks blocks;
    uint8_t line[BLOCK_MAX_BYTES];
    uint32_t words[CODEC_WORDS];
    (void)state;
    blocks_init(&blocks, 1, 256, MEMORY, 4096, &codec_hilo);
    for (uint32_t i = 0; i < sizeof line; i++)
        line[i] = (uint8_t)(i * 37 + i / 7);
    assert_false(blocks_words(&blocks, 0, line, words));
    for (uint32_t w = 0; w < CODEC_WORDS; w++)
        for (uint32_t b = 0; b < 4; b++)
            assert_int_equal(words[w] >> 8 * b & 0xff, line[4 * w + b]);
    blocks_fini(&blocks);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_no_surface),
        CASE(a_line),
        CASE(codec_units),
        CASE(samples_cycle),
        CASE(source_blocks),
        CASE(any_blit),
        CASE(near_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
