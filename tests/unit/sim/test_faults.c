/* Faults injected into the machine. Each fault must change the picture, violate an identity, or
 * stop the machine until the watchdog reports it. This proves that values reach the frame buffer
 * only through queues, caches and memory. Each fault runs in a child process. */
#include "rigs/tiny_run.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define TWO_LEVELS "FRAGMENTSHADER.TwoLevelTextureCache=TRUE"

/* How a fault was detected; one bit each. */
enum caught { UNCAUGHT = 1, PICTURE = 2, IDENTITY = 4, WATCHDOG = 8, BUG_CHECK = 16 };

struct fault {
    const char *queue;     /* name of the queue with the fault; NULL: `inject` makes the fault */
    enum queue_fault kind; /* kind of the queue's fault */
    uint64_t at;
    void (*inject)(struct tiny_run *run);
    void (*on_batch)(struct tiny_run *run, uint32_t frame, uint32_t batch);
    const char *machine; /* parameter settings, separated by spaces; NULL: none */
};

struct sound {
    struct tiny_run run; /* a run without a fault, whose machine still exists */
};

static struct queue *
find_queue(const struct machine *machine, const char *name)
{
    for (uint32_t i = 0; i < machine->clock.queue_count; i++)
        if (!strcmp(machine->clock.queues[i]->name, name))
            return machine->clock.queues[i];
    fail_msg("there is no queue %s", name);
    return NULL;
}

static int
set_up(void **state)
{
    struct sound *sound = mem_alloc(sizeof *sound);
    tiny_init(&sound->run);
    tiny_go(&sound->run, true);
    if (!sound->run.ok)
        return -1;
    *state = sound;
    return 0;
}

static int
tear_down(void **state)
{
    struct sound *sound = *state;
    simulation_fini(&sound->run.sim);
    tiny_fini(&sound->run);
    free(sound);
    return 0;
}

static void
prepare(struct tiny_run *run)
{
    const struct fault *fault = run->data;
    if (fault->queue) {
        struct queue *queue = find_queue(run->sim.machine, fault->queue);
        queue->fault = fault->kind;
        queue->fault_at = fault->at;
    } else if (fault->inject) {
        fault->inject(run);
    }
}

static enum caught
outcome(const struct tiny_run *run, const struct tiny_run *sound)
{
    if (!run->ok)
        return strstr(run->err.text, "identity") ? IDENTITY : WATCHDOG;
    return tiny_same_pictures(run, sound) ? UNCAUGHT : PICTURE;
}

static void
change_machine(struct tiny_run *run, const char *changes)
{
    struct error err;
    char text[256], *rest = text;
    snprintf(text, sizeof text, "%s", changes ? changes : "");
    for (char *word; (word = strsep(&rest, " "));)
        if (*word && !params_set(&run->params, word, &err))
            BUG("%s", err.text);
}

/* Runs the trace with the fault in a child process, whose error messages are discarded. */
static enum caught
try_fault(const struct sound *sound, const struct fault *fault)
{
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct tiny_run run;
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 2);
        signal(SIGABRT, SIG_DFL);
        tiny_init(&run);
        change_machine(&run, fault->machine);
        run.prepare = prepare;
        run.on_batch = fault->on_batch;
        run.data = (void *)(uintptr_t)fault;
        tiny_go(&run, true);
        _exit((int)outcome(&run, &sound->run));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status))
        return (enum caught)WEXITSTATUS(status);
    assert_int_equal(WTERMSIG(status), SIGABRT);
    return BUG_CHECK;
}

static void
assert_caught(const struct sound *sound, const struct fault *fault, const char *what, uint32_t by)
{
    enum caught caught = try_fault(sound, fault);
    if (!(caught & by))
        fail_msg("%s: caught by %d (2 picture, 4 identity, 8 watchdog, 16 BUG; 1 nothing)", what,
                 (int)caught);
}

static void
no_fault(void **state)
{
    assert_int_equal(try_fault(*state, &(struct fault){0}), UNCAUGHT);
}

/* A dropped item is detected: either a unit waits for it forever, or counters disagree. */
static void
dropped_item(void **state)
{
    static const char *const queues[] = {
        "vertices",
        "clipped",
        "triangles",
        "tiles",
        "early_quads[0]",
        "tested_quads[0]",
        "interpolated_quads",
        "shaded_quads[1]",
        "texture_requests[0]",
        "zstencil_memory_replies[0]",
        "texture_memory_replies[0]",
        "color_memory_requests[0]",
    };
    const struct sound *sound = *state;
    for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++) {
        const struct queue *queue = find_queue(sound->run.sim.machine, queues[i]);
        const struct fault fault = {
            .queue = queues[i], .kind = QUEUE_DROP, .at = queue->items_in / 4};
        assert_caught(sound, &fault, queues[i], IDENTITY | WATCHDOG | BUG_CHECK);
    }
}

/* Exchanges two primitives or quads of the same pixel. Such a pair exists in the last draw of a
 * frame. Neighbors in a queue may have different pixels, so the test tries several positions. */
static void
swapped_items(void **state)
{
    static const char *const queues[] = {"clipped", "interpolated_quads"};
    const struct sound *sound = *state;
    for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++) {
        const struct queue *queue = find_queue(sound->run.sim.machine, queues[i]);
        bool caught = false;
        for (uint32_t back = 2; back < 40 && !caught; back++) {
            const struct fault fault = {
                .queue = queues[i], .kind = QUEUE_SWAP, .at = queue->items_in - back};
            caught = try_fault(sound, &fault) == PICTURE;
        }
        if (!caught)
            fail_msg("%s: no swap is seen", queues[i]);
    }
}

static void
lose_color(struct tiny_run *run)
{
    run->sim.machine->colorwrite[0].rop.cache.lose_writeback_at = 5;
}

static void
lose_depth(struct tiny_run *run)
{
    run->sim.machine->zstencil[1].rop.cache.lose_writeback_at =
        ((const struct fault *)run->data)->at;
}

/* A lost depth is detected only if a later draw is behind that depth. The test tries the first
 * lines that the cache evicts. */
static void
lost_write_back(void **state)
{
    assert_caught(*state, &(struct fault){.inject = lose_color}, "color", PICTURE);
    bool caught = false;
    for (uint64_t at = 1; at < 60 && !caught; at++)
        caught = try_fault(*state, &(struct fault){.inject = lose_depth, .at = at}) == PICTURE;
    assert_true(caught);
}

/* Skips the invalidation of texture lines. The texture of the curtain is repainted after the first
 * half of the curtain is drawn. */
static void
keep_texels(struct tiny_run *run, uint32_t frame, uint32_t batch)
{
    if (batch == 0 && frame == 0)
        for (uint32_t i = 0; i < run->sim.machine->texunit_count; i++)
            run->sim.machine->texunit[i].cache.skip_invalidate = true;
}

static void
keep_texels_behind(struct tiny_run *run, uint32_t frame, uint32_t batch)
{
    if (batch == 0 && frame == 0)
        for (uint32_t i = 0; i < run->sim.machine->texunit_count; i++)
            run->sim.machine->texunit[i].cache.skip_invalidate_l2 = true;
}

static void
skipped_invalidate(void **state)
{
    assert_caught(*state, &(struct fault){.on_batch = keep_texels}, "texture", PICTURE);
    struct fault two_levels = {.machine = TWO_LEVELS};
    assert_int_equal(try_fault(*state, &two_levels), UNCAUGHT);
    two_levels.on_batch = keep_texels;
    assert_caught(*state, &two_levels, "first level", PICTURE);
    two_levels.on_batch = keep_texels_behind;
    assert_caught(*state, &two_levels, "second level", PICTURE);
}

static void
mistake_line(struct tiny_run *run)
{
    run->sim.machine->texunit[0].cache.wrong_fill_at = 10;
}

/* A line of the first level gets the bytes of the next line. */
static void
wrong_line(void **state)
{
    assert_caught(*state, &(struct fault){.inject = mistake_line}, "one level", PICTURE);
    assert_caught(*state, &(struct fault){.inject = mistake_line, .machine = TWO_LEVELS},
                  "two levels", PICTURE);
}

/* In the first frame, the clear of one block is not recorded. Memory contains zeros there. These
 * are a depth in front of everything, and black where the background should be. */
static void
forget_depth_clear(struct tiny_run *run)
{
    run->sim.machine->zstencil[0].rop.fault_state = 1;
}

static void
forget_color_clear(struct tiny_run *run)
{
    run->sim.machine->colorwrite[0].rop.fault_state = 8;
}

static void
wrong_block_state(void **state)
{
    assert_caught(*state, &(struct fault){.inject = forget_depth_clear}, "depth", PICTURE);
    assert_caught(*state, &(struct fault){.inject = forget_color_clear}, "color", PICTURE);
}

#define COLOR_COMPRESSED "COLORWRITE.DisableCompression=FALSE"

/* One of the first compressed lines gets a wrong level in its block state. */
static void
mistake_level(struct tiny_run *run)
{
    run->sim.machine->color_blocks.fault_level_at = 3;
}

static void
mistake_depth_level(struct tiny_run *run)
{
    run->sim.machine->depth_blocks.fault_level_at = ((const struct fault *)run->data)->at;
}

static void
wrong_level(void **state)
{
    assert_caught(*state, &(struct fault){.inject = mistake_level, .machine = COLOR_COMPRESSED},
                  "color", PICTURE);
    bool caught = false;
    for (uint64_t at = 1; at < 60 && !caught; at++)
        caught =
            try_fault(*state, &(struct fault){.inject = mistake_depth_level, .at = at}) == PICTURE;
    assert_true(caught);
}

/* A codec that decompresses one bit wrongly: the highest bit of one word, in red or in depth. */
static uint32_t wrong_word;
static const struct codec *sound_codec;

static void
wrong_bit(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    sound_codec->decompress(in, shape, level, block);
    block[wrong_word] ^= 1u << 31;
}

static struct codec wrong_codec;

static void
change_color_codec(struct tiny_run *run)
{
    run->sim.machine->color_blocks.codec = &wrong_codec;
}

static void
change_depth_codec(struct tiny_run *run)
{
    run->sim.machine->depth_blocks.codec = &wrong_codec;
}

static void
make_wrong(const struct codec *codec)
{
    sound_codec = codec;
    wrong_codec = *codec;
    wrong_codec.decompress = wrong_bit;
}

/* A wrong depth is detected only if a later draw covers it, so the test tries several words. */
static void
wrong_codec_is_seen(void **state)
{
    char color[64], depth[64];
    uint32_t word = CODEC_WORDS;
    for (const struct codec *const *codec = codecs; *codec; codec++) {
        bool caught = false;
        make_wrong(*codec);
        wrong_word = 0;
        snprintf(color, sizeof color, "COLORWRITE.CompressionAlgorithm=%s", (*codec)->name);
        snprintf(depth, sizeof depth, "ZSTENCILTEST.CompressionAlgorithm=%s", (*codec)->name);
        if ((*codec)->applies & CODEC_COLOR)
            assert_caught(*state, &(struct fault){.inject = change_color_codec, .machine = color},
                          color, PICTURE);
        if (!((*codec)->applies & CODEC_DEPTH))
            continue;
        /* starts with the word that detected the fault of the previous codec */
        for (uint32_t i = 0; i <= CODEC_WORDS && !caught; i++) {
            wrong_word = i ? i - 1 : word % CODEC_WORDS;
            caught = try_fault(*state, &(struct fault){.inject = change_depth_codec,
                                                       .machine = depth}) == PICTURE;
        }
        if (!caught)
            fail_msg("no wrong bit of %s is seen", depth);
        word = wrong_word;
    }
}

static void
move_hz(struct tiny_run *run)
{
    run->sim.machine->hz->fault_offset = 0.25f;
}

/* test_hz.c has more faults of Hierarchical Z. */
static void
wrong_hz(void **state)
{
    assert_caught(*state, &(struct fault){.inject = move_hz}, "depth compared by HZ", PICTURE);
}

/* One of the last reads of frame 0 gets a wrong tag, so the DAC stores its data at the wrong
 * position. */
static void
mistake_tag(struct tiny_run *run)
{
    run->sim.machine->memctl->fault_tag_at = *(uint64_t *)((struct fault *)run->data + 1);
}

static void
wrong_tag(void **state)
{
    const struct sound *sound = *state;
    struct {
        struct fault fault;
        uint64_t at;
    } late = {{.inject = mistake_tag}, sound->run.sim.machine->memctl->reads_served - 300};
    assert_caught(sound, &late.fault, "tag of the DAC's read", PICTURE);
    late.at = late.at / 2; /* a cache's read, whose line never arrives or is overwritten */
    assert_caught(sound, &late.fault, "tag of a read", PICTURE | WATCHDOG | BUG_CHECK);
}

static void
drop_request(struct tiny_run *run)
{
    run->sim.machine->memctl->fault_drop_at = ((const struct fault *)run->data)->at;
}

static void
forget_order(struct tiny_run *run)
{
    struct memctl *memctl = run->sim.machine->memctl;
    for (uint32_t c = 0; c < memctl->channel_count; c++)
        memctl->channels[c].fault_order = true;
}

/* The memory scheduler loses a transaction, or lets reads pass a write-back of the same line. The
 * second fault is detected if caches are so small that lines are soon read again. */
static void
wrong_schedule(void **state)
{
#define SMALL_CACHES                                                                               \
    "COLORWRITE.ColorCacheLines=1 COLORWRITE.ColorCacheWays=1 ZSTENCILTEST.ZCacheLines=1 "         \
    "ZSTENCILTEST.ZCacheWays=1 "
    static const char *const machines[] = {
        SMALL_CACHES "MEMORYCONTROLLER.MemoryBuses=1",
        SMALL_CACHES "MEMORYCONTROLLER.MemoryControllerV2=TRUE MEMORYCONTROLLER.V2MemoryChannels=1 "
                     "MEMORYCONTROLLER.V2ChannelScheduler=1",
        SMALL_CACHES "MEMORYCONTROLLER.MemoryControllerV2=TRUE MEMORYCONTROLLER.V2MemoryChannels=1 "
                     "MEMORYCONTROLLER.V2ChannelScheduler=3",
        SMALL_CACHES "MEMORYCONTROLLER.MemoryControllerV2=TRUE MEMORYCONTROLLER.V2MemoryChannels=1 "
                     "MEMORYCONTROLLER.V2ChannelScheduler=4",
    };
    const struct sound *sound = *state;
    const uint64_t last = sound->run.sim.machine->memctl->stats.transactions;
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        const struct fault none = {.machine = machines[i]};
        assert_int_equal(try_fault(sound, &none), UNCAUGHT);
        const struct fault order = {.machine = machines[i], .inject = forget_order};
        assert_caught(sound, &order, machines[i], PICTURE);
        for (uint64_t at = 1; at < 4; at++) {
            const struct fault drop = {
                .machine = machines[i], .inject = drop_request, .at = last * at / 4};
            assert_caught(sound, &drop, machines[i], IDENTITY | WATCHDOG | BUG_CHECK);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_fault),           cmocka_unit_test(dropped_item),
        cmocka_unit_test(swapped_items),      cmocka_unit_test(lost_write_back),
        cmocka_unit_test(skipped_invalidate), cmocka_unit_test(wrong_block_state),
        cmocka_unit_test(wrong_hz),           cmocka_unit_test(wrong_tag),
        cmocka_unit_test(wrong_level),        cmocka_unit_test(wrong_codec_is_seen),
        cmocka_unit_test(wrong_schedule),     cmocka_unit_test(wrong_line),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
