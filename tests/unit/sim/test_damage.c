/* Damaged input. From a damaged file the reader returns only the first messages of the undamaged
 * trace, unchanged. A damaged stream either gives an error with a text, or draws. The picture must
 * then be the same on the timed machine and in the functional renderer. The sanitizers check that
 * there is no crash, hang or undefined behavior.
 *
 * AETIUS_SEEDS sets the number of damaged inputs. Each seed gives the same damage in every run. */
#include "base/build.h"
#include "base/file.h"
#include "base/mem.h"
#include "sim/executor.h"
#include "sim/functional.h"
#include "rigs/tiny_run.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GOLDEN AETIUS_SOURCE_DIR "/tests/golden/tiny.trace"

/* Streams take longer on the timed machine, so their number is limited independently of
 * AETIUS_SEEDS. */
enum { DEFAULT_SEEDS = 100, SIMULATED_BYTES = 8 << 20, TIMED_SEEDS = 60, TIMED_SEEDS_MAX = 120 };

struct golden {
    char *bytes; /* content of the file */
    size_t size;
    struct message *messages; /* the bytes of the messages are separate copies */
    uint32_t count;
};

static uint32_t
next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static uint32_t
seed_count(uint32_t usual)
{
    const char *text = getenv("AETIUS_SEEDS");
    return text ? (uint32_t)strtoul(text, NULL, 10) : usual;
}

static int
read_golden(void **state)
{
    struct golden *golden = mem_alloc(sizeof *golden);
    struct error err = {{0}};
    struct trace_reader *reader;
    VEC(struct message) messages = {0};
    assert_true(file_read(GOLDEN, SIZE_MAX, &golden->bytes, &golden->size, &err));
    assert_true(trace_reader_open(&reader, GOLDEN, &err));
    for (;;) {
        struct message message;
        bool end;
        assert_true(trace_reader_next(reader, &message, &end, &err));
        if (end)
            break;
        if (message.size_bytes) {
            uint8_t *copy = mem_alloc(message.size_bytes);
            memcpy(copy, message.bytes, message.size_bytes);
            message.bytes = copy;
        }
        VEC_PUSH(&messages, message);
    }
    trace_reader_close(reader);
    golden->messages = messages.items;
    golden->count = (uint32_t)messages.count;
    *state = golden;
    return 0;
}

static int
free_golden(void **state)
{
    struct golden *golden = *state;
    for (uint32_t i = 0; i < golden->count; i++)
        if (golden->messages[i].size_bytes)
            free((void *)(uintptr_t)golden->messages[i].bytes);
    free(golden->messages);
    free(golden->bytes);
    free(golden);
    return 0;
}

static void
assert_same_message(const struct message *a, const struct message *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->client, b->client);
    assert_int_equal(a->size_bytes, b->size_bytes);
    if (a->size_bytes)
        assert_memory_equal(a->bytes, b->bytes, a->size_bytes);
    if (a->kind == MESSAGE_PUT || a->kind == MESSAGE_GET || a->kind == MESSAGE_SWAP) {
        assert_int_equal(a->transfer.handle, b->transfer.handle);
        assert_int_equal(a->transfer.level, b->transfer.level);
        assert_memory_equal(&a->transfer.box, &b->transfer.box, sizeof a->transfer.box);
    }
}

/* Damages the bytes: flips a bit, overwrites a run, truncates the data, or removes a piece from the
 * middle. Returns the new size. */
static size_t
damage_bytes(char *bytes, size_t size, uint64_t *random)
{
    size_t at = next_random(random) % size;
    size_t run = 1 + next_random(random) % 64;
    if (run > size - at)
        run = size - at;
    switch (next_random(random) % 4) {
    case 0: bytes[at] = (char)(bytes[at] ^ 1 << next_random(random) % 8); return size;
    case 1: memset(bytes + at, (int)(next_random(random) % 256), run); return size;
    case 2: return at;
    default: memmove(bytes + at, bytes + at + run, size - at - run); return size - run;
    }
}

/* Checks that every message that is read equals the message of the golden trace with the same
 * number. Also checks that all frames that the reader reports are complete. */
static void
assert_readable_beginning(const struct golden *golden, const char *path)
{
    struct error err = {{0}};
    struct trace_reader *reader;
    if (!trace_reader_open(&reader, path, &err)) {
        assert_true(strlen(err.text) > 0);
        return;
    }
    uint32_t swaps = 0, promised = trace_frame_count(reader);
    for (uint32_t i = 0;; i++) {
        struct message message;
        bool end;
        if (!trace_reader_next(reader, &message, &end, &err)) {
            assert_true(strlen(err.text) > 0);
            break;
        }
        if (end)
            break;
        assert_true(i < golden->count);
        assert_same_message(&message, &golden->messages[i]);
        swaps += message.kind == MESSAGE_SWAP;
    }
    assert_true(swaps >= promised);
    trace_reader_close(reader);
}

static void
damaged_files(void **state)
{
    const struct golden *golden = *state;
    char path[] = "/tmp/aetius-damage-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    char *bytes = mem_alloc(golden->size);
    for (uint32_t seed = 0; seed < seed_count(DEFAULT_SEEDS); seed++) {
        uint64_t random = seed;
        memcpy(bytes, golden->bytes, golden->size);
        size_t size = damage_bytes(bytes, golden->size, &random);
        assert_true(file_write(path, bytes, size, NULL));
        assert_readable_beginning(golden, path);
    }
    free(bytes);
    unlink(path);
}

static bool
execute(void *data, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes, struct error *err)
{
    return functional_execute(data, cmd, out, out_bytes, err);
}

/* Draws the trace with message `damaged` instead of message `number`. */
static bool
draw_with(const struct golden *golden, uint32_t number, const struct message *damaged,
          struct error *err)
{
    struct gpu_device device;
    struct functional renderer;
    struct executor_sink sink;
    assert_true(gpu_device_init(&device, SIMULATED_BYTES, err));
    functional_init(&renderer, &device);
    executor_sink_init(&sink, &(struct executor){&renderer, &device, execute});
    bool ok = true;
    for (uint32_t i = 0; ok && i < golden->count; i++) {
        const struct message *message = i == number ? damaged : &golden->messages[i];
        ok = sink.sink.take(sink.sink.data, message, NULL, 0, err);
    }
    executor_sink_fini(&sink);
    functional_fini(&renderer);
    gpu_device_fini(&device);
    return ok;
}

/* Changes one to four dwords of a command stream to a small or huge value, or flips a bit. */
static void
damage_stream(uint8_t *bytes, uint32_t size, uint64_t *random)
{
    uint32_t dwords = size / 4;
    for (uint32_t left = 1 + next_random(random) % 4; dwords && left; left--) {
        uint8_t *place = bytes + 4 * (size_t)(next_random(random) % dwords);
        uint32_t value;
        memcpy(&value, place, 4);
        switch (next_random(random) % 4) {
        case 0: value = next_random(random) % 300; break;
        case 1: value ^= 1u << next_random(random) % 32; break;
        case 2: value = UINT32_MAX - next_random(random) % 4; break;
        default: value = next_random(random) << 1 ^ next_random(random); break;
        }
        memcpy(place, &value, 4);
    }
}

/* Finds the dwords that are neither packet headers nor part of a shader. The decoder refuses most
 * damage to headers and shaders. Returns the number of dwords found. */
static uint32_t
find_operands(const uint8_t *bytes, uint32_t dwords, uint32_t *places)
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < dwords;) {
        uint32_t header;
        memcpy(&header, bytes + 4 * (size_t)at, 4);
        bool shader = (header & 0xffff) == (1 | 4 << 8);
        uint32_t end = at + 1 + (header >> 16);
        for (at++; at < end && at < dwords; at++)
            if (!shader)
                places[count++] = at;
    }
    return count;
}

/* Changes one or two operands slightly, so that the stream can often still be drawn. */
static void
nudge_stream(uint8_t *bytes, uint32_t size, uint64_t *random)
{
    uint32_t *places = mem_alloc(size), count = find_operands(bytes, size / 4, places);
    for (uint32_t left = 1 + next_random(random) % 2; count && left; left--) {
        uint8_t *place = bytes + 4 * (size_t)places[next_random(random) % count];
        uint32_t value;
        memcpy(&value, place, 4);
        switch (next_random(random) % 3) {
        case 0: value = next_random(random) % 300; break;
        case 1: value ^= 1u << next_random(random) % 32; break;
        default: value ^= 1u << next_random(random) % 8; break;
        }
        memcpy(place, &value, 4);
    }
    free(places);
}

/* Returns a damaged SUBMIT of the trace, and stores its number. The caller frees its bytes. */
static struct message
damaged_submit(const struct golden *golden, uint64_t *random, uint32_t *number,
               void damage(uint8_t *bytes, uint32_t size, uint64_t *random))
{
    *number = next_random(random) % golden->count;
    while (golden->messages[*number].kind != MESSAGE_SUBMIT)
        *number = (*number + 1) % golden->count;
    struct message damaged = golden->messages[*number];
    uint8_t *bytes = mem_alloc(damaged.size_bytes);
    memcpy(bytes, damaged.bytes, damaged.size_bytes);
    damage(bytes, damaged.size_bytes, random);
    damaged.bytes = bytes;
    return damaged;
}

static void
damaged_streams(void **state)
{
    const struct golden *golden = *state;
    for (uint32_t seed = 0; seed < seed_count(DEFAULT_SEEDS); seed++) {
        uint64_t random = seed ^ 0x9e3779b97f4a7c15u;
        uint32_t number;
        struct message damaged = damaged_submit(golden, &random, &number, damage_stream);
        struct error err = {{0}};
        if (!draw_with(golden, number, &damaged, &err))
            assert_true(strlen(err.text) > 0);
        free((void *)(uintptr_t)damaged.bytes);
    }
}

/* Simulates the trace, with or without timing, with message `damaged` instead of message
 * `number`. */
static void
simulate_with(const struct golden *golden, uint32_t number, const struct message *damaged,
              bool functional, struct tiny_run *run)
{
    struct executor_sink sink;
    struct simulation_listener listener = {.data = run, .frame = tiny_take_frame};
    tiny_init(run);
    if (!simulation_init(&run->sim, &run->params, functional ? NULL : &run->frames, &listener,
                         &run->err))
        fail_msg("%s", run->err.text);
    executor_sink_init(&sink, &run->sim.executor);
    run->ok = true;
    for (uint32_t i = 0; run->ok && i < golden->count; i++) {
        const struct message *message = i == number ? damaged : &golden->messages[i];
        run->ok = sink.sink.take(sink.sink.data, message, NULL, 0, &run->err);
    }
    executor_sink_fini(&sink);
    simulation_fini(&run->sim);
}

static void
damaged_streams_in_time(void **state)
{
    const struct golden *golden = *state;
    uint32_t seeds = seed_count(TIMED_SEEDS), drawn = 0;
    seeds = seeds > TIMED_SEEDS_MAX ? TIMED_SEEDS_MAX : seeds;
    for (uint32_t seed = 0; seed < seeds; seed++) {
        struct tiny_run functional, timed;
        uint64_t random = seed ^ 0xd1b54a32d192ed03u;
        uint32_t number;
        struct message damaged = damaged_submit(golden, &random, &number, nudge_stream);
        simulate_with(golden, number, &damaged, true, &functional);
        simulate_with(golden, number, &damaged, false, &timed);
        if (functional.ok != timed.ok)
            fail_msg("seed %u, message %u: functional '%s', timed '%s'", seed, number,
                     functional.err.text, timed.err.text);
        if (!tiny_same_pictures(&functional, &timed))
            fail_msg("seed %u, message %u: another picture", seed, number);
        drawn += timed.ok;
        tiny_fini(&functional);
        tiny_fini(&timed);
        free((void *)(uintptr_t)damaged.bytes);
    }
    assert_true(drawn > 0 || seeds < TIMED_SEEDS);
}

static void
sound_stream(void **state)
{
    const struct golden *golden = *state;
    struct error err = {{0}};
    if (!draw_with(golden, UINT32_MAX, NULL, &err))
        fail_msg("%s", err.text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_stream),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(damaged_streams),
        cmocka_unit_test(damaged_streams_in_time),
    };
    return cmocka_run_group_tests(tests, read_golden, free_golden);
}
