/* Exact attribution of a transaction's cycles. The causes are transit to the Memory Controller and
 * back, memory latency, the channel's bus, and waiting for other transactions there. The
 * channel has the simple model: a read takes 10 cycles, a write 5 cycles, a burst 4 cycles, and the
 * change from a write to a read 5 cycles. */
#include "unit/memory/memctl.h"

#include "rigs/settings.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_REQUESTS = 16, LIMIT_CYCLES = 10000 };

/* Requests one transaction after the other, each in its cycle or later, and waits for all replies.
 */
struct client {
    struct module module;
    struct queue requests, replies;
    uint32_t count, sent, here;
    struct {
        uint64_t at;
        uint32_t address;
        bool write;
    } list[MAX_REQUESTS];
    cp_ref cp_ref; /* critical-path reference of the last reply */
    uint64_t last;
    bool done;
};

static const enum path_cause ASKING = CAUSE_lookup;

static enum unit_state
client_clock(void *self, uint64_t now)
{
    struct client *client = self;
    while (queue_front(&client->replies, now)) {
        client->cp_ref = client->module.stage.cp_ref;
        client->last = now;
        client->done = ++client->here == client->count;
        queue_pop(&client->replies, now);
    }
    if (client->sent == client->count)
        return UNIT_WAITING;
    if (client->list[client->sent].at > now) {
        module_wake_at(&client->module, client->list[client->sent].at);
        return UNIT_WAITING;
    }
    if (!queue_space(&client->requests, now))
        return UNIT_BLOCKED;
    struct memory_request *request = queue_push(&client->requests, now);
    memset(request, 0, sizeof *request);
    request->address = client->list[client->sent].address;
    request->write = client->list[client->sent].write;
    request->bytes_written = request->write ? ~UINT64_C(0) : 0;
    client->sent++;
    return UNIT_BUSY;
}

static void
add(struct client *client, uint64_t at, uint32_t address, bool write)
{
    assert_true(client->count < MAX_REQUESTS);
    client->list[client->count].at = at;
    client->list[client->count].address = address;
    client->list[client->count++].write = write;
}

static const struct module_ops client_ops = {.clock = client_clock};

/* Cycles on the critical path to the client's last reply, by cause. The transit of the request to
 * the controller is charged to the client. */
struct charges {
    uint64_t asking, transit, latency, bandwidth, turns, rows;
};

struct machine {
    struct clock clock;
    struct gpu_memory memory;
    struct memctl memctl;
};

/* Runs until the client has all replies. */
static struct machine *
run(const struct params *params, struct client *client, enum memory_client kind)
{
    struct machine *machine = mem_alloc(sizeof *machine);
    struct clock *clock = &machine->clock;
    struct memctl *memctl = &machine->memctl;
    struct error err;
    assert_true(gpu_memory_init(&machine->memory, 1 << 20, &err));
    clock_init(clock);
    clock_add_module(clock, &client->module, "client", -1, client, &client_ops);
    const struct unit_env env = {.clock = clock, .params = params, .memory = &machine->memory};
    memctl_init(memctl, &env, 0);
    queue_init(&client->requests, clock, "requests", -1, &client->module, &memctl->module,
               sizeof(struct memory_request), 1, 64, 1);
    queue_init(&client->replies, clock, "replies", -1, &memctl->module, &client->module,
               sizeof(struct memory_reply), 1, 64, 1);
    memctl_add_port(memctl, kind, &client->requests, &client->replies);
    memctl_join(memctl);
    client->module.stage.cause = ASKING;
    client->module.stage.cp_ref = path_step(&clock->path, clock->path.end, ASKING, 0);
    assert_true(clock_run(clock, &client->done, LIMIT_CYCLES, &err));
    return machine;
}

static void
end(struct machine *machine, struct client *client)
{
    module_fini(&machine->memctl.module);
    queue_fini(&client->requests);
    queue_fini(&client->replies);
    clock_fini(&machine->clock);
    gpu_memory_fini(&machine->memory);
    free(machine);
}

static void
check(const struct params *params, struct client *client, enum memory_client kind,
      struct charges expected)
{
    struct machine *machine = run(params, client, kind);
    path_charge(&machine->clock.path, client->cp_ref, client->last);
    const uint64_t *cycles = machine->clock.path.cycles;
    assert_int_equal(cycles[ASKING], expected.asking);
    assert_int_equal(cycles[CAUSE_transit], expected.transit);
    assert_int_equal(cycles[CAUSE_latency_command + kind], expected.latency);
    assert_int_equal(cycles[CAUSE_bandwidth_command + kind], expected.bandwidth);
    assert_int_equal(cycles[CAUSE_turns], expected.turns);
    assert_int_equal(cycles[CAUSE_rows], expected.rows);
    /* all waits for turns and rows are on the path */
    assert_int_equal(machine->memctl.stats.gap_cycles, expected.turns + expected.rows);
    assert_int_equal(client->last, expected.asking + expected.transit + expected.latency +
                                       expected.bandwidth + expected.turns + expected.rows);
    end(machine, client);
}

/* The request is sent in cycle 0 and arrives in 1. The command issues in 2, its data transfers from
 * 12 to 16, and the reply arrives in 17. */
static void
alone(void **state)
{
    (void)state;
    const struct params p = simple_memory();
    for (enum memory_client kind = 0; kind < CLIENT_KINDS; kind++) {
        struct client reads = {0}, writes = {0};
        add(&reads, 0, 0, false);
        check(&p, &reads, kind,
              (struct charges){.asking = 1, .transit = 1, .latency = 11, .bandwidth = 4});
        add(&writes, 0, 0, true);
        check(&p, &writes, kind,
              (struct charges){.asking = 1, .transit = 1, .latency = 6, .bandwidth = 4});
    }
    struct client later = {0};
    add(&later, 30, 0, false);
    check(&p, &later, CLIENT_z,
          (struct charges){.asking = 31, .transit = 1, .latency = 11, .bandwidth = 4});
}

/* A cycle of the channel is 4 / 3 of a GPU cycle. The command waits from 2 to 2 2/3. Its data
 * transfers from 16 to 21 1/3, which are GPU cycles 16 to 22. */
static void
other_clock(void **state)
{
    (void)state;
    struct params p = simple_memory();
    struct client reads = {0};
    p.MEMORYCONTROLLER.MemoryClockMultiplier = 3;
    p.MEMORYCONTROLLER.MemoryFrequency = 4;
    add(&reads, 0, 0, false);
    check(&p, &reads, CLIENT_color,
          (struct charges){.asking = 1, .transit = 1, .latency = 15, .bandwidth = 6});
}

/* The last of eight reads waits for the bursts of seven others. The first of these waits for its
 * data. */
static void
behind_others(void **state)
{
    (void)state;
    const struct params p = simple_memory();
    struct client reads = {0};
    for (uint32_t i = 0; i < 8; i++)
        add(&reads, 0, i * 64, false);
    check(&p, &reads, CLIENT_texture,
          (struct charges){.asking = 1, .transit = 1, .latency = 11, .bandwidth = 8 * 4});
}

/* Each read opens a new row, which takes 13 cycles in which the bus waits. For the first read these
 * cycles are charged to latency. */
static void
rows(void **state)
{
    (void)state;
    struct params p = simple_memory();
    struct client reads = {0};
    p.MEMORYCONTROLLER.PageOpenLatency = 13;
    for (uint32_t i = 0; i < 8; i++)
        add(&reads, 0, i * 4096, false);
    check(&p, &reads, CLIENT_z,
          (struct charges){
              .asking = 1, .transit = 1, .latency = 11 + 13, .bandwidth = 8 * 4, .rows = 7 * 13});
}

/* Two writes transfer data from 7 to 15. The command of the read issues 5 cycles later, and its
 * data transfers from 30 to 34. On a free bus, a read that arrives in cycle 3 would have its data
 * at 13, while the writes use the bus. So this read waits for the writes. A read that arrives in
 * cycle 5 would have its data at 15, when the bus is free, so it does not wait for them. */
static void
turns(void **state)
{
    (void)state;
    const struct params p = simple_memory();
    struct client waits = {0}, comes_late = {0};
    add(&waits, 0, 0, true);
    add(&waits, 0, 64, true);
    comes_late = waits;
    add(&waits, 2, 128, false);
    check(
        &p, &waits, CLIENT_color,
        (struct charges){.asking = 1, .transit = 1, .latency = 6, .bandwidth = 3 * 4, .turns = 15});
    add(&comes_late, 4, 128, false);
    check(&p, &comes_late, CLIENT_color,
          (struct charges){.asking = 5, .transit = 1, .latency = 25, .bandwidth = 4});
}

/* Four reads on two of four channels, or on one, take 4 cycles each. Two channels work at the same
 * time, if the queues hold a read of either. Each cycle counts once per channel. */
static void
packed_schedule(void **state)
{
    (void)state;
    static const struct {
        uint32_t waiting, channels[4], cycles;
    } cases[] = {
        {16, {0, 0, 1, 1}, 8}, {1, {0, 0, 1, 1}, 16}, {2, {0, 1, 0, 1}, 8}, {16, {2, 2, 2, 2}, 16}};
    struct params p = simple_memory();
    p.MEMORYCONTROLLER.MemoryBuses = 4;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct client reads = {0};
        p.MEMORYCONTROLLER.RequestQueueSize = cases[i].waiting;
        const struct dram_shape shape = dram_shape(&p);
        uint32_t address = 0;
        for (uint32_t r = 0; r < 4; r++, address += TRANSACTION_BYTES) {
            while (dram_channel_of(&shape, address) != cases[i].channels[r])
                address += TRANSACTION_BYTES;
            add(&reads, 0, address, false);
        }
        struct machine *machine = run(&p, &reads, CLIENT_texture);
        assert_int_equal(machine->memctl.stats.packed_cycles, 0);
        for (uint32_t again = 0; again < 2; again++) {
            memctl_end_row(&machine->memctl);
            assert_int_equal(machine->memctl.stats.packed_cycles, 4 * cases[i].cycles);
        }
        end(machine, &reads);
    }
}

/* Two reads on different channels. Work of another kind begins between them, so they do not count
 * as simultaneous. */
static void
packed_rows_follow_each_other(void **state)
{
    (void)state;
    struct params p = simple_memory();
    p.MEMORYCONTROLLER.MemoryBuses = 4;
    const struct dram_shape shape = dram_shape(&p);
    struct client client = {0};
    uint32_t other = 0;
    while (dram_channel_of(&shape, other) == dram_channel_of(&shape, 0))
        other += TRANSACTION_BYTES;
    add(&client, 0, 0, false);
    struct machine *machine = run(&p, &client, CLIENT_color);
    memctl_end_row(&machine->memctl);
    add(&client, 0, other, false);
    client.done = false;
    struct error err;
    module_wake_at(&client.module, machine->clock.now + 1);
    assert_true(clock_run(&machine->clock, &client.done, LIMIT_CYCLES, &err));
    memctl_end_row(&machine->memctl);
    assert_int_equal(machine->memctl.stats.packed_cycles, 4 * (4 + 4));
    end(machine, &client);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone),
        cmocka_unit_test(other_clock),
        cmocka_unit_test(behind_others),
        cmocka_unit_test(rows),
        cmocka_unit_test(turns),
        cmocka_unit_test(packed_schedule),
        cmocka_unit_test(packed_rows_follow_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
