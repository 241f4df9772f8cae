/* Objects in very large numbers. The cost of each object must not grow with the number of the
 * others. */
#include "rigs/player.h"

#include "base/mem.h"
#include "state/free_ranges.h"
#include "trace/virgl/live_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FEW = 10000, MANY = 160000, MOST_RATIO = 60 };

static double
processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct resource_desc
buffer(uint32_t handle)
{
    return (struct resource_desc){.handle = handle,
                                  .target = TARGET_BUFFER,
                                  .format = FORMAT_R8_UNORM,
                                  .bind = BIND_VERTEX_BUFFER,
                                  .width = 1,
                                  .height = 1,
                                  .depth = 1,
                                  .array_size = 1};
}

/* Creates `count` buffers, then destroys them in a shuffled order, or together at the end of the
 * client. Returns the processor time in seconds. */
static double
seconds_for(uint32_t count, bool timed, bool at_the_end)
{
    struct player player = {0};
    struct params params;
    params_init(&params);
    params.MEMORYCONTROLLER.MemorySize = 64 << 20;
    player_start(&player, &params, timed, NULL);
    const double start = processor_seconds();
    for (uint32_t i = 1; i <= count; i++)
        player_create(&player, buffer(i));
    for (uint32_t i = 0; i < count && !at_the_end; i++) {
        const uint32_t handle = (uint32_t)((uint64_t)i * 40503 % count) + 1;
        player_take(&player,
                    (struct message){.kind = MESSAGE_RESOURCE_UNREF, .resource = buffer(handle)},
                    NULL, 0);
    }
    player_take(&player, (struct message){.kind = MESSAGE_CLIENT_END}, NULL, 0);
    assert_int_equal(player.sim.device.memory.used_bytes, 0);
    const double seconds = processor_seconds() - start;
    player_end(&player);
    return seconds;
}

static void
resources_cost_no_more_each(void **state)
{
    for (uint32_t way = 0; way < 4; way++) {
        const double few = seconds_for(FEW, way & 1, way & 2);
        const double many = seconds_for(MANY, way & 1, way & 2);
        print_message("# %s, removed %s: %.3f s of %d, %.3f s of %d\n",
                      way & 1 ? "timed" : "functional", way & 2 ? "at the end" : "one by one", few,
                      FEW, many, MANY);
        assert_true(many < MOST_RATIO * few + 0.2);
    }
}

static bool
creates(struct gpu_device *device, uint32_t handle, bool resource, struct error *err)
{
    struct gpu_cmd cmd = {.op = GPU_RESOURCE_CREATE, .client = 1, .resource = buffer(handle)};
    if (!resource) {
        cmd = (struct gpu_cmd){.op = GPU_CREATE_OBJECT, .client = 1};
        cmd.create.type = OBJECT_SAMPLER_STATE;
        cmd.create.handle = handle;
    }
    return gpu_apply(device, &cmd, err);
}

/* Objects of a trace take memory of the host. Their number is limited, and their memory is
 * available again after the end of the client. */
static void
there_is_an_end_to_them(void **state)
{
    enum { ABOVE_ALL = 1 << 23, LEAST = 300000 };
    for (uint32_t resource = 0; resource < 2; resource++) {
        struct gpu_device device;
        struct error err;
        const struct gpu_cmd begin = {.op = GPU_CLIENT_BEGIN, .client = 1};
        const struct gpu_cmd end = {.op = GPU_CLIENT_END, .client = 1};
        assert_true(gpu_device_init(&device, 1 << 30, &err));
        device.pages = true; /* only reserves addresses, so that no memory is used */
        for (uint32_t round = 0; round < 2; round++) {
            uint32_t count = 0;
            assert_true(gpu_apply(&device, &begin, &err));
            while (count < ABOVE_ALL && creates(&device, count + 1, resource, &err))
                count++;
            assert_in_range(count, LEAST, ABOVE_ALL - 1);
            assert_non_null(strstr(err.text, "512 MiB of host memory"));
            assert_true(gpu_apply(&device, &end, &err));
            assert_int_equal(device.objects.bytes, 0);
        }
        gpu_device_fini(&device);
    }
}

/* The same limit applies to the live state, which follows a trace without executing it. */
static void
there_is_an_end_to_what_is_followed(void **state)
{
    enum { ABOVE_ALL = 1 << 24, LEAST = 300000 };
    struct live_state *live = live_state_create(NULL);
    struct error err;
    const struct message begin = {.kind = MESSAGE_CLIENT_BEGIN, .client = 1};
    const struct message end = {.kind = MESSAGE_CLIENT_END, .client = 1};
    for (uint32_t round = 0; round < 2; round++) {
        struct message create = {.kind = MESSAGE_RESOURCE_CREATE, .client = 1};
        uint32_t count = 0;
        assert_true(live_state_take(live, &begin, &err));
        do
            create.resource = buffer(++count);
        while (count < ABOVE_ALL && live_state_take(live, &create, &err));
        assert_in_range(count, LEAST, ABOVE_ALL - 1);
        assert_non_null(strstr(err.text, "512 MiB of host memory"));
        assert_true(live_state_take(live, &end, &err));
    }
    live_state_destroy(live);
}

/* Constant buffers of 64 K dwords are bound in each slot of a stage. Together they exceed the
 * limit, although each SUBMIT is small. */
static void
there_is_an_end_to_what_is_bound(void **state)
{
    enum { DWORDS = 65535, STAGES = 16, NUMBERS = 256, SET_CONSTANT_BUFFER = 12 };
    struct live_state *live = live_state_create(NULL);
    struct error err;
    uint32_t *packet = mem_array(DWORDS + 1, sizeof *packet);
    const struct message begin = {.kind = MESSAGE_CLIENT_BEGIN, .client = 1};
    struct message submit = {.kind = MESSAGE_SUBMIT, .client = 1};
    submit.bytes = (const uint8_t *)packet;
    submit.size_bytes = (DWORDS + 1) * sizeof *packet;
    packet[0] = SET_CONSTANT_BUFFER | (uint32_t)DWORDS << 16;
    assert_true(live_state_take(live, &begin, &err));
    bool ok = true;
    uint32_t count = 0;
    for (; ok && count < STAGES * NUMBERS; count++) {
        packet[1] = count / NUMBERS;
        packet[2] = count % NUMBERS;
        ok = live_state_take(live, &submit, &err);
        if (count == 0) /* a repeated packet replaces the previous one */
            for (uint32_t again = 0; again < 4 * NUMBERS; again++)
                assert_true(live_state_take(live, &submit, &err));
    }
    assert_false(ok);
    assert_in_range(count, 1000, 2100); /* 256 KB each, or 512 KB since buffers grow by doubling */
    live_state_destroy(live);
    free(packet);
}

/* Compares the ranges of the allocator with a bit map. */
static void
ranges_are_found_as_by_looking_at_all(void **state)
{
    enum { LINES = 512, STEPS = 20000 };
    bool is_free[LINES + 1] = {0};
    struct free_ranges ranges = {0};
    uint32_t seed = 7;
    for (uint32_t step = 0; step < STEPS; step++) {
        seed = seed * 1664525 + 1013904223;
        const uint32_t at = seed >> 16 & (LINES - 1), align = 1u << (seed >> 28 & 3);
        const uint32_t wanted = 1 + (seed >> 8 & 7);
        struct free_range found;
        /* ranges are the runs of free lines, so a changed line also changes the adjacent runs */
        uint32_t first = at, end = at + 1;
        while (first > 0 && is_free[first - 1])
            first--;
        while (end < LINES && is_free[end])
            end++;
        if (is_free[at]) {
            free_ranges_remove(&ranges, first);
        } else {
            if (first < at)
                free_ranges_remove(&ranges, first);
            if (end > at + 1)
                free_ranges_remove(&ranges, at + 1);
        }
        is_free[at] = !is_free[at];
        if (is_free[at]) {
            free_ranges_add(&ranges, first, end - first);
        } else {
            if (first < at)
                free_ranges_add(&ranges, first, at - first);
            if (end > at + 1)
                free_ranges_add(&ranges, at + 1, end - at - 1);
        }
        /* the expected range is the first fit, found by linear search */
        uint32_t expected = LINES, start = 0, largest = 0;
        for (uint32_t i = 0; i <= LINES; i++) {
            if (i < LINES && is_free[i])
                continue;
            const uint32_t aligned = (start + align - 1) / align * align;
            if (i > start && aligned + wanted <= i && expected == LINES)
                expected = start;
            largest = i - start > largest ? i - start : largest;
            start = i + 1;
        }
        assert_int_equal(free_ranges_largest(&ranges), largest);
        assert_int_equal(free_ranges_fit(&ranges, wanted, align, &found), expected < LINES);
        if (expected < LINES)
            assert_int_equal(found.address, expected);
    }
    free_ranges_fini(&ranges);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_found_as_by_looking_at_all),
        cmocka_unit_test(resources_cost_no_more_each),
        cmocka_unit_test(there_is_an_end_to_them),
        cmocka_unit_test(there_is_an_end_to_what_is_followed),
        cmocka_unit_test(there_is_an_end_to_what_is_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
