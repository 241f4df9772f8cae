/* Exact memory timing: streams through one channel and through the controller. The comments derive
 * the expected cycles from the parameters. A transaction is 64 bytes. A time is the cycle in which
 * the data transfer on the bus ends. */
#include "unit/memory/memctl.h"

#include "rigs/settings.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MAX_REQUESTS = 64, LIMIT_CYCLES = 10000 };

struct stream { /* input and output of a channel */
    uint32_t count;
    struct {
        uint32_t address;
        bool write;
        uint64_t at; /* arrival cycle */
        uint64_t end;
    } requests[MAX_REQUESTS];
    struct dram_stats stats;
    uint32_t window; /* tFAW in cycles; 0: as in the data sheet */
};

static void
add(struct stream *stream, uint64_t at, uint32_t address, bool write)
{
    assert_true(stream->count < MAX_REQUESTS);
    stream->requests[stream->count].at = at;
    stream->requests[stream->count].address = address;
    stream->requests[stream->count++].write = write;
}

static bool
always(void *data, const struct dram_entry *entry)
{
    (void)data;
    (void)entry;
    return true;
}

/* Clocks the channel every cycle, or only in requested cycles and when a request arrives. Both must
 * give the same ends. */
static void
play(const struct params *params, struct stream *stream, bool every_cycle)
{
    struct dram dram;
    uint32_t given = 0, ended = 0;
    dram_init(&dram, params);
    if (stream->window)
        dram.timing.tFAW = stream->window;
    for (uint64_t now = 0; ended < stream->count; now++) {
        assert_true(now < LIMIT_CYCLES);
        for (; given < stream->count && stream->requests[given].at <= now; given++) {
            struct memory_request request = {.address = stream->requests[given].address,
                                             .write = stream->requests[given].write,
                                             .tag = given};
            dram_add(&dram, &request, 0, (struct cp_stamp){0});
        }
        if (!every_cycle && dram.wake > now)
            continue;
        uint64_t delay;
        int32_t place = dram_clock(&dram, now, always, NULL, &delay);
        if (place < 0)
            continue;
        stream->requests[dram_request(&dram, (uint32_t)place)->tag].end = now + delay;
        dram_remove(&dram, (uint32_t)place);
        ended++;
    }
    stream->stats = dram.stats;
    dram_fini(&dram);
}

static void
assert_ends(const struct params *params, struct stream *stream, const uint64_t *ends)
{
    for (uint32_t way = 0; way < 2; way++) {
        play(params, stream, way == 0);
        for (uint32_t i = 0; i < stream->count; i++)
            if (stream->requests[i].end != ends[i])
                fail_msg("transaction %u ends in cycle %llu, not %llu (%s)", i,
                         (unsigned long long)stream->requests[i].end, (unsigned long long)ends[i],
                         way ? "woken" : "every cycle");
    }
}

/* Asserts that the ends are `first`, `first` + `step`, and so on. */
static void
assert_steady(const struct params *params, struct stream *stream, uint64_t first, uint64_t step)
{
    uint64_t ends[MAX_REQUESTS];
    for (uint32_t i = 0; i < stream->count; i++)
        ends[i] = first + i * step;
    assert_ends(params, stream, ends);
}

static struct stream
row_of(uint32_t count, uint32_t step, bool write)
{
    struct stream stream = {0};
    for (uint32_t i = 0; i < count; i++)
        add(&stream, 0, i * step, write);
    return stream;
}

/* One GDDR3 channel with the times of its data sheet. The channel moves 8 bytes per cycle, so a
 * transaction takes 8 cycles. It has 8 banks with rows of 2048 bytes, interleaved every 256 bytes.
 */
static struct params
gddr(uint32_t scheduler)
{
    struct params p;
    params_init(&p);
    p.MEMORYCONTROLLER.V2MemoryChannels = 1;
    p.MEMORYCONTROLLER.V2ChannelScheduler = scheduler;
    p.MEMORYCONTROLLER.V2BankPermutation = false;
    p.MEMORYCONTROLLER.V2GDDR_tRRD = 5;
    p.MEMORYCONTROLLER.V2GDDR_tRCD = 8;
    p.MEMORYCONTROLLER.V2GDDR_tRCDW = 3;
    p.MEMORYCONTROLLER.V2GDDR_tRAS = 14;
    p.MEMORYCONTROLLER.V2GDDR_tRC = 23;
    p.MEMORYCONTROLLER.V2GDDR_tRP = 9;
    p.MEMORYCONTROLLER.V2GDDR_tWTR = 4;
    p.MEMORYCONTROLLER.V2GDDR_tRTW = 2;
    p.MEMORYCONTROLLER.V2GDDR_tWR = 6;
    p.MEMORYCONTROLLER.V2GDDR_CAS = 8;
    p.MEMORYCONTROLLER.V2GDDR_WL = 4;
    return p;
}

/* Returns the address of a transaction in bank 0, which has 256 of every 8 * 256 bytes. */
static uint32_t
bank0(uint32_t row, uint32_t transaction)
{
    uint32_t own = row * 2048 + transaction * 64;
    return own / 256 * 2048 + own % 256;
}

/* Read commands issue every 4 cycles. Their data is on the bus from 10 to 14 cycles after the
 * command. */
static void
simple_reads(void **state)
{
    (void)state;
    struct params p = simple_memory();
    struct stream reads = row_of(16, 64, false), writes = row_of(16, 64, true);
    assert_steady(&p, &reads, 14, 4);
    assert_steady(&p, &writes, 5 + 4, 4);
}

/* A burst always moves BurstLength transfers, two per cycle. A transaction takes as many bursts as
 * its 64 bytes need. */
static void
simple_bursts(void **state)
{
    static const struct {
        uint32_t width, length, cycles;
    } cases[] = {
        {64, 8, 4},   /* 8 transfers: one burst */
        {64, 16, 8},  /* 8 transfers in a burst of 16: half of the burst is unused */
        {32, 8, 8},   /* 16 transfers: two bursts */
        {128, 4, 2},  /* 4 transfers */
        {128, 8, 4},  /* 4 transfers in a burst of 8 */
        {1024, 1, 1}, /* one transfer takes half a cycle, rounded up */
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct params p = simple_memory();
        struct stream reads = row_of(8, 64, false);
        p.MEMORYCONTROLLER.MemoryBusWidth = cases[i].width;
        p.MEMORYCONTROLLER.BurstLength = cases[i].length;
        assert_steady(&p, &reads, 10 + cases[i].cycles, cases[i].cycles);
    }
}

/* A memory cycle is MemoryFrequency / MemoryClockMultiplier GPU cycles. All times scale with it,
 * and ends round up to GPU cycles. */
static void
simple_clocks(void **state)
{
    (void)state;
    struct params p = simple_memory();
    struct stream reads = row_of(8, 64, false);
    p.MEMORYCONTROLLER.MemoryFrequency = 2;
    assert_steady(&p, &reads, 28, 8);
    p.MEMORYCONTROLLER.MemoryClockMultiplier = 2;
    assert_steady(&p, &reads, 14, 4); /* multiplier 2, frequency 2: the GPU clock */
    p.MEMORYCONTROLLER.MemoryFrequency = 1;
    assert_steady(&p, &reads, 7, 2); /* twice as fast */
    p.MEMORYCONTROLLER.MemoryFrequency = 3;
    assert_steady(&p, &reads, 21, 6); /* 14 and 4 cycles times 1.5 */
    /* 14 * 4 / 3 = 18.67, then every 5.33 cycles: 18.67, 24, 29.33, 34.67 */
    p.MEMORYCONTROLLER.MemoryClockMultiplier = 3;
    p.MEMORYCONTROLLER.MemoryFrequency = 4;
    struct stream four = row_of(4, 64, false);
    assert_ends(&p, &four, (const uint64_t[]){19, 24, 30, 35});
}

/* Pages of 4096 bytes; opening one takes 13 cycles. */
static void
simple_pages(void **state)
{
    (void)state;
    struct params p = simple_memory();
    p.MEMORYCONTROLLER.PageOpenLatency = 13;
    struct stream same = row_of(8, 64, false); /* commands 13, 17, 21, ... */
    assert_steady(&p, &same, 13 + 14, 4);
    assert_int_equal(same.stats.row_misses, 1);
    assert_int_equal(same.stats.row_hits, 7);
    struct stream others = row_of(8, 4096, false); /* commands 13, 30, 47, ... */
    assert_steady(&p, &others, 13 + 14, 17);
    assert_int_equal(others.stats.row_misses, 8);
    /* alternating pages: both stay open; with OpenPages = 1 each access opens one */
    struct stream two = {0};
    for (uint32_t i = 0; i < 8; i++)
        add(&two, 0, i % 2 * 4096 + i * 64, false);
    const uint64_t ends[] = {27, 44, 48, 52, 56, 60, 64, 68};
    assert_ends(&p, &two, ends);
    p.MEMORYCONTROLLER.OpenPages = 1;
    assert_steady(&p, &two, 27, 17);
    p.MEMORYCONTROLLER.OpenPages = 8;
    struct stream apart = {0}; /* pages 0 and 8, in the same bank */
    for (uint32_t i = 0; i < 8; i++)
        add(&apart, 0, i % 2 * 8 * 4096 + i * 64, false);
    assert_steady(&p, &apart, 27, 17);
}

/* A write command waits for the end of the last read data. A read command waits for 5 cycles after
 * the last write data. */
static void
simple_turns(void **state)
{
    (void)state;
    struct params p = simple_memory();
    /* Reads go first: commands 0 and 4 (data until 18). Then the write command issues in 18, with
     * data from 23 to 27. */
    struct stream grouped = {0};
    add(&grouped, 0, 0, false);
    add(&grouped, 0, 64, true);
    add(&grouped, 0, 128, false);
    assert_ends(&p, &grouped, (const uint64_t[]){14, 27, 18});
    /* At most two reads pass the waiting write. The command of the third read issues at 27 + 5,
     * with data from 42 to 46. The bus idles 5 cycles before the write and 15 before the read. */
    struct stream limited = {0};
    p.MEMORYCONTROLLER.MaxConsecutiveReads = 2;
    add(&limited, 0, 0, false);
    add(&limited, 0, 64, false);
    add(&limited, 0, 128, true);
    add(&limited, 0, 192, false);
    assert_ends(&p, &limited, (const uint64_t[]){14, 18, 27, 46});
    assert_int_equal(limited.stats.turns, 2);
    assert_int_equal(limited.stats.turn_cycles, 5 + 15);
    /* A read does not pass an earlier write to the same bytes: write data from 5 to 9, read command
     * in 14. */
    struct stream dependent = {0};
    add(&dependent, 0, 0, true);
    add(&dependent, 0, 0, false);
    assert_ends(&p, &dependent, (const uint64_t[]){9, 28});
}

/* The row opens in cycle 0. Reads may issue from cycle 8 on, with data from 16 on. Writes may issue
 * from 3 on, with data from 7 on. Then the transactions follow one another without a gap. */
static void
row_hits(void **state)
{
    (void)state;
    for (uint32_t scheduler = 0; scheduler <= SCHEDULER_LOOK_AHEAD; scheduler++) {
        struct params p = gddr(scheduler);
        struct stream reads = {0}, writes = {0};
        for (uint32_t i = 0; i < 12; i++) {
            add(&reads, 0, bank0(0, i), false);
            add(&writes, 0, bank0(0, i), true);
        }
        assert_steady(&p, &reads, 24, 8);
        assert_steady(&p, &writes, 15, 8);
        assert_int_equal(reads.stats.row_misses, 1);
        assert_int_equal(reads.stats.row_hits, 11);
        assert_int_equal(reads.stats.burst_cycles, 12 * 8);
    }
}

/* Each transaction needs a different row of one bank.
 * - Reads: the row opens in cycle a, the command issues in a + 8, and the data takes a + 16 to a +
 *   24. The row closes at a + 16 (a burst after the command, later than tRAS). The next one opens 9
 *   cycles later, so the interval is 25.
 * - Writes: the command issues in a + 3, and the data takes a + 7 to a + 15. The row closes 6
 *   cycles later, and the next one opens 9 cycles after that, so the interval is 30. */
static void
bank_conflicts(void **state)
{
    (void)state;
    for (uint32_t scheduler = 0; scheduler <= SCHEDULER_LOOK_AHEAD; scheduler++) {
        struct params p = gddr(scheduler);
        struct stream reads = {0}, writes = {0};
        for (uint32_t i = 0; i < 8; i++) {
            add(&reads, 0, bank0(i, 0), false);
            add(&writes, 0, bank0(i, 0), true);
        }
        assert_steady(&p, &reads, 24, 25);
        assert_steady(&p, &writes, 15, 30);
        assert_int_equal(reads.stats.row_misses, 8);
        assert_int_equal(reads.stats.rows_closed, 7);
        /* longer tRAS and tRC determine the interval: a row closes at 20, and the next opens at 29
         * or 40 */
        p.MEMORYCONTROLLER.V2GDDR_tRAS = 20;
        assert_steady(&p, &reads, 24, 29);
        p.MEMORYCONTROLLER.V2GDDR_tRC = 40;
        assert_steady(&p, &reads, 24, 40);
    }
}

/* The same addresses with bank permutation: row r of bank 0 becomes row r of bank r. Each row is
 * then in a separate bank, so opening rows early hides every opening except the first. */
static void
permuted_banks(void **state)
{
    (void)state;
    struct params p = gddr(SCHEDULER_BANK_RW_FIFO);
    struct stream reads = {0};
    p.MEMORYCONTROLLER.V2BankPermutation = true;
    for (uint32_t i = 0; i < 8; i++)
        add(&reads, 0, bank0(i, 0), false);
    assert_steady(&p, &reads, 24, 8);
    assert_int_equal(reads.stats.rows_closed, 0);
}

/* Each transaction needs a row of a different bank. With a queue per bank, rows open early, every 5
 * cycles. The bus never waits: data from 16 on without a gap. With a single queue, or one queue for
 * reads, the next row opens in the cycle after the read command. The rows then open 9 cycles apart.
 */
static void
row_misses_over_banks(void **state)
{
    (void)state;
    for (uint32_t scheduler = 0; scheduler <= SCHEDULER_LOOK_AHEAD; scheduler++) {
        struct params p = gddr(scheduler);
        struct stream reads = row_of(8, 256, false);
        bool ahead = scheduler >= SCHEDULER_BANK_FIFO;
        assert_steady(&p, &reads, 24, ahead ? 8 : 9);
        assert_int_equal(reads.stats.row_misses, 8);
        /* With tRRD = 12, rows open at 0, 12, 24, ... at the earliest. This is slower than the bus,
         * so data follows each opening after 8 + 8 cycles. */
        p.MEMORYCONTROLLER.V2GDDR_tRRD = 12;
        assert_steady(&p, &reads, 24, 12);
    }
}

/* Alternating reads and writes of one row.
 * - In order: the read command is in 8, its data from 16 to 24. Write data follows 2 cycles later,
 *   from 26 to 34. The next read command follows 4 cycles later, in 38, with data from 46 to 54. A
 *   pair takes 30 cycles, of which the bus idles 2 and 12.
 * - A queue per direction: all reads (data 16 to 48), then all writes (50 to 82). The test gives
 *   writes the row opening time of reads. Otherwise writes would be ready first and would go first.
 */
static void
turn_round(void **state)
{
    (void)state;
    struct stream mixed = {0};
    uint64_t in_order[8], grouped[8];
    for (uint32_t i = 0; i < 8; i++) {
        add(&mixed, 0, bank0(0, i), i % 2);
        in_order[i] = i / 2 * 30 + (i % 2 ? 34 : 24);
        grouped[i] = (i % 2 ? 58 : 24) + i / 2 * 8;
    }
    for (uint32_t scheduler = 0; scheduler <= SCHEDULER_LOOK_AHEAD; scheduler++) {
        struct params p = gddr(scheduler);
        p.MEMORYCONTROLLER.V2GDDR_tRCDW = p.MEMORYCONTROLLER.V2GDDR_tRCD;
        bool groups = scheduler != SCHEDULER_FIFO && scheduler != SCHEDULER_BANK_FIFO;
        assert_ends(&p, &mixed, groups ? grouped : in_order);
        assert_int_equal(mixed.stats.turns, groups ? 1 : 7);
        assert_int_equal(mixed.stats.turn_cycles, groups ? 2 : 4 * 2 + 3 * 12);
        if (!groups)
            continue;
        /* one read, then one write, and so on: the same as in order */
        p.MEMORYCONTROLLER.MaxConsecutiveReads = p.MEMORYCONTROLLER.MaxConsecutiveWrites = 1;
        assert_ends(&p, &mixed, in_order);
    }
}

/* A second read of the row arrives when no transaction waits. If the row is still open, the command
 * of this read issues at once. With PAGE_CLOSE the row closed at 16, a burst after command 8, and
 * opens again at 25. The data then ends at 25 + 8 + 8 + 8. */
static void
page_policies(void **state)
{
    (void)state;
    for (uint32_t scheduler = 0; scheduler <= SCHEDULER_LOOK_AHEAD; scheduler++) {
        struct params p = gddr(scheduler);
        struct stream reads = {0};
        add(&reads, 0, bank0(0, 0), false);
        add(&reads, 24, bank0(0, 1), false);
        assert_ends(&p, &reads, (const uint64_t[]){24, 24 + 16});
        assert_int_equal(reads.stats.row_hits, 1);
        p.MEMORYCONTROLLER.V2PagePolicy = PAGE_CLOSE;
        assert_ends(&p, &reads, (const uint64_t[]){24, 49});
        assert_int_equal(reads.stats.row_misses, 2);
        assert_int_equal(reads.stats.rows_closed, 2);
        struct stream together = {0}; /* both wait, so the row stays open for the second one */
        add(&together, 0, bank0(0, 0), false);
        add(&together, 0, bank0(0, 1), false);
        assert_steady(&p, &together, 24, 8);
    }
}

/* Schedulers differ in the priority of a row hit that follows a conflict in the same bank. With one
 * queue per bank or channel, rows 0, 1, 0 are 25 cycles apart. The look-ahead scheduler serves the
 * hit first, with data from 24 to 32. The command of the hit is in 16, so the row closes at 24. The
 * next row opens at 33, and its data ends at 33 + 24. */
static void
look_ahead_prefers_open_rows(void **state)
{
    (void)state;
    struct stream reads = {0};
    add(&reads, 0, bank0(0, 0), false);
    add(&reads, 0, bank0(1, 0), false);
    add(&reads, 0, bank0(0, 1), false);
    for (uint32_t scheduler = 0; scheduler < SCHEDULER_LOOK_AHEAD; scheduler++) {
        struct params p = gddr(scheduler);
        assert_steady(&p, &reads, 24, 25);
    }
    struct params p = gddr(SCHEDULER_LOOK_AHEAD);
    assert_ends(&p, &reads, (const uint64_t[]){24, 57, 32});
}

/* A transaction waits while younger ones hit the open row, but not forever. At most
 * MaxConsecutiveReads + MaxConsecutiveWrites younger ones, here 5, may pass it. Commands 8, 16,
 * ..., 48 hit. The row closes at 56, and the other row opens at 65: command 73, data 81 to 89. */
static void
nobody_waits_for_ever(void **state)
{
    (void)state;
    struct params p = gddr(SCHEDULER_LOOK_AHEAD);
    p.MEMORYCONTROLLER.MaxConsecutiveReads = 3;
    p.MEMORYCONTROLLER.MaxConsecutiveWrites = 2;
    struct stream reads = {0};
    add(&reads, 0, bank0(0, 0), false);
    add(&reads, 0, bank0(1, 0), false);
    for (uint32_t i = 1; i < 20; i++)
        add(&reads, 0, bank0(0, i), false);
    play(&p, &reads, true);
    uint32_t before = 0;
    for (uint32_t i = 2; i < reads.count; i++)
        before += reads.requests[i].end < reads.requests[1].end;
    assert_int_equal(before, 5);
    assert_int_equal(reads.requests[1].end, 89);
}

static void
perfect(void **state)
{
    (void)state;
    struct params p = gddr(SCHEDULER_BANK_RW_FIFO);
    p.MEMORYCONTROLLER.V2PerfectMemory = true;
    struct stream mixed = {0};
    for (uint32_t i = 0; i < 16; i++)
        add(&mixed, 0, bank0(i * 7 % 5, i), i % 3 == 1);
    assert_steady(&p, &mixed, 8, 8);
}

/* A client that sends `count` requests as fast as possible and records the cycle of the last reply.
 */
struct client {
    struct module module;
    struct memory_port port;
    uint32_t count, sent, here;
    uint32_t first, step; /* addresses */
    bool writes;
    uint64_t last; /* cycle of the last reply */
    bool done;
};

static enum unit_state
client_clock(void *self, uint64_t now)
{
    struct client *client = self;
    bool worked = false;
    while (queue_front(client->port.replies, now)) {
        queue_pop(client->port.replies, now);
        client->last = now;
        client->done = ++client->here == client->count;
        worked = true;
    }
    if (client->sent < client->count && queue_space(client->port.requests, now)) {
        struct memory_request *request = queue_push(client->port.requests, now);
        memset(request, 0, sizeof *request);
        request->address = client->first + client->sent++ * client->step;
        request->write = client->writes;
        request->bytes_written = client->writes ? ~UINT64_C(0) : 0;
        worked = true;
    }
    return worked ? UNIT_BUSY : UNIT_WAITING;
}

static const struct module_ops client_ops = {.clock = client_clock};

/* With SystemMemory, addresses from here on are in system memory. */
static uint32_t system_start;

/* Returns the cycle of the last reply to a client that takes `width` replies per cycle. `seed`
 * determines the clocking order. */
static uint64_t
ask(const struct params *params, uint32_t width, uint32_t count, uint32_t step, bool writes,
    uint64_t seed)
{
    struct clock clock;
    struct gpu_memory memory;
    struct memctl *memctl = mem_alloc(sizeof *memctl);
    struct client client = {.count = count, .step = step, .writes = writes};
    struct queue requests, replies;
    struct error err;
    assert_true(gpu_memory_init(&memory, 1 << 20, &err));
    if (params->MEMORYCONTROLLER.SystemMemory)
        gpu_memory_map(&memory, system_start, (1 << 20) - system_start, true);
    clock_init(&clock);
    clock_add_module(&clock, &client.module, "client", -1, &client, &client_ops);
    const struct unit_env env = {.clock = &clock, .params = params, .memory = &memory};
    memctl_init(memctl, &env, 0);
    queue_init(&requests, &clock, "requests", -1, &client.module, &memctl->module,
               sizeof(struct memory_request), 1, 64, 1);
    queue_init(&replies, &clock, "replies", -1, &memctl->module, &client.module,
               sizeof(struct memory_reply), width, 64, 1);
    client.port = (struct memory_port){.requests = &requests, .replies = &replies};
    memctl_add_port(memctl, CLIENT_texture, &requests, &replies);
    if (seed)
        clock_shuffle(&clock, seed);
    assert_true(clock_run(&clock, &client.done, LIMIT_CYCLES, &err));
    module_fini(&memctl->module);
    queue_fini(&requests);
    queue_fini(&replies);
    clock_fini(&clock);
    gpu_memory_fini(&memory);
    free(memctl);
    return client.last;
}

static void
assert_last(const struct params *params, uint32_t count, uint32_t step, bool writes, uint64_t last)
{
    for (uint64_t seed = 0; seed < 3; seed++)
        assert_int_equal(ask(params, 1, count, step, writes, seed), last);
}

/* The client sends the request in cycle 0, and it reaches the controller in 1. The command issues
 * in 2, its data ends at 2 + 14, and the reply reaches the client a cycle later, in 17. Further
 * replies follow every 4 cycles. */
static void
controller(void **state)
{
    (void)state;
    struct params p = simple_memory();
    assert_last(&p, 1, 64, false, 17);
    assert_last(&p, 8, 64, false, 17 + 7 * 4);
    /* With one read buffer, the next command issues when the previous data has left, 14 cycles
     * later. */
    p.MEMORYCONTROLLER.ReadBufferLines = 1;
    assert_last(&p, 8, 64, false, 17 + 7 * 14);
    /* writes need no read buffer: 5 + 4 cycles, then every 4 */
    assert_last(&p, 8, 64, true, 12 + 7 * 4);
    /* With two read buffers, two commands 4 cycles apart issue every 14 cycles. */
    p.MEMORYCONTROLLER.ReadBufferLines = 2;
    assert_last(&p, 8, 64, false, 17 + 3 * 14 + 4);
    /* With one transaction of the client in service, its reply in 17 frees the place in 18. The
     * next command issues in 19. */
    p = simple_memory();
    p.MEMORYCONTROLLER.ServiceQueueSize = 1;
    assert_last(&p, 8, 64, false, 17 + 7 * 17);
}

/* The command issues in 2, as above. Its data ends 100 + 8 cycles later, and the reply reaches the
 * client in 111. Further data follows without gaps, whatever the number of read buffers. */
static void
system_bus(void **state)
{
    (void)state;
    struct params p = simple_memory();
    p.MEMORYCONTROLLER.SystemMemory = true;
    p.MEMORYCONTROLLER.SystemBusWidth = 8;
    p.MEMORYCONTROLLER.SystemBusLatency = 100;
    p.MEMORYCONTROLLER.ReadBufferLines = 1;
    assert_last(&p, 1, 64, false, 111);
    assert_last(&p, 8, 64, false, 111 + 7 * 8);
    assert_last(&p, 8, 64, true, 111 + 7 * 8);
    p.MEMORYCONTROLLER.SystemBusWidth = 10; /* 64 bytes take 7 cycles */
    assert_last(&p, 8, 64, false, 110 + 7 * 7);
    /* The first read, of GPU memory, occupies the only read buffer until 16. The second one, of
     * system memory, does not wait for it: command in 3, data 100 + 7 cycles later, reply in 111.
     */
    system_start = 4096;
    assert_last(&p, 2, 4096, false, 111);
    system_start = 0;
}

/* Four channels, one request per cycle. With a step of 64 bytes, 16 requests are in one kilobyte on
 * one channel: 4 cycles each. With SharedBanks every channel reaches the whole memory, and the four
 * channels take the requests in turn. Then the last command belongs to the 16th request, in cycle
 * 17. */
static void
channels(void **state)
{
    (void)state;
    struct params p = simple_memory();
    p.MEMORYCONTROLLER.MemoryBuses = 4;
    assert_last(&p, 16, 64, false, 17 + 15 * 4);
    assert_last(&p, 16, 1024, false, 17 + 15);
    p.MEMORYCONTROLLER.SharedBanks = true;
    assert_last(&p, 16, 64, false, 17 + 15);
}

/* Queued requests. With RequestQueueSize 1, a request for a free channel waits until an earlier one
 * for a busy channel is taken. Addresses are 512 bytes apart, on channels 0, 0, 1, 1. The second
 * request waits for the burst of the first. Their commands issue in 2 and 6. The controller takes
 * the third request in 6, and its command issues in 7. */
static void
waiting_limits(void **state)
{
    (void)state;
    struct params p = simple_memory();
    p.MEMORYCONTROLLER.MemoryBuses = 2;
    assert_last(&p, 3, 512, false, 17 + 4); /* commands 2, 6 and 4 */
    assert_last(&p, 3, 512, true, 12 + 4);
    p.MEMORYCONTROLLER.WriteBufferLines = 1;
    assert_last(&p, 3, 512, false, 17 + 4);
    assert_last(&p, 3, 512, true, 12 + 5);
    p.MEMORYCONTROLLER.RequestQueueSize = 1;
    assert_last(&p, 3, 512, false, 17 + 5);
}

/* Eight requests on one channel have replies in 17 + 4k, the last one in 45. The client sends the
 * following six, for the other channel, from cycle 8 on. Their replies arrive from 25 on, the last
 * one also in 45. A bus of one transaction per cycle delivers one of these two replies in 46. */
static void
client_bus(void **state)
{
    (void)state;
    struct params p = simple_memory();
    p.MEMORYCONTROLLER.MemoryBuses = 2;
    for (uint64_t seed = 0; seed < 3; seed++) {
        assert_int_equal(ask(&p, 1, 14, 128, false, seed), 46);
        assert_int_equal(ask(&p, 2, 14, 128, false, seed), 45);
        assert_int_equal(ask(&p, 4, 14, 128, false, seed), 45);
    }
}

/* Two clients with 8 reads each, 64 bytes apart. The second client starts at address `first`.
 * Returns the cycle of the last reply. *conflicts is the number of cycles in which requests waited
 * for the port of their channel. */
static uint64_t
ask_two(const struct params *params, uint32_t first, uint64_t seed, uint64_t *conflicts)
{
    struct clock clock;
    struct gpu_memory memory;
    struct memctl *memctl = mem_alloc(sizeof *memctl);
    struct client clients[2] = {{.count = 8, .step = 64}, {.count = 8, .step = 64, .first = first}};
    struct queue requests[2], replies[2];
    struct error err;
    assert_true(gpu_memory_init(&memory, 1 << 20, &err));
    clock_init(&clock);
    for (uint32_t c = 0; c < 2; c++)
        clock_add_module(&clock, &clients[c].module, "client", (int32_t)c, &clients[c],
                         &client_ops);
    const struct unit_env env = {.clock = &clock, .params = params, .memory = &memory};
    memctl_init(memctl, &env, 0);
    for (uint32_t c = 0; c < 2; c++) {
        queue_init(&requests[c], &clock, "requests", (int32_t)c, &clients[c].module,
                   &memctl->module, sizeof(struct memory_request), 1, 64, 1);
        queue_init(&replies[c], &clock, "replies", (int32_t)c, &memctl->module, &clients[c].module,
                   sizeof(struct memory_reply), 1, 64, 1);
        clients[c].port = (struct memory_port){.requests = &requests[c], .replies = &replies[c]};
        memctl_add_port(memctl, CLIENT_texture, &requests[c], &replies[c]);
    }
    if (seed)
        clock_shuffle(&clock, seed);
    for (uint32_t c = 0; c < 2; c++)
        assert_true(clients[c].done || clock_run(&clock, &clients[c].done, LIMIT_CYCLES, &err));
    *conflicts = memctl->stats.crossbar_conflicts;
    module_fini(&memctl->module);
    for (uint32_t c = 0; c < 2; c++) {
        queue_fini(&requests[c]);
        queue_fini(&replies[c]);
    }
    clock_fini(&clock);
    gpu_memory_fini(&memory);
    free(memctl);
    return clients[0].last > clients[1].last ? clients[0].last : clients[1].last;
}

/* Channels that take 64 bytes per cycle. Two clients send requests to one channel, which takes them
 * alternately from cycle 1 to 16. In each of the first 15 cycles one request waits. The request
 * taken in 16 has its command in 17. Its data ends at 17 + 10 + 1, and the reply arrives in 29.
 * With two channels no request waits, since each channel takes eight requests, the last one in
 * cycle 8. */
static void
crossbar(void **state)
{
    (void)state;
    struct params p = simple_memory();
    uint64_t conflicts;
    p.MEMORYCONTROLLER.MemoryBusWidth = 256;
    p.MEMORYCONTROLLER.BurstLength = 2;
    p.MEMORYCONTROLLER.MemoryBuses = 2;
    assert_int_equal(p.MEMORYCONTROLLER.BankGranularity, 1024);
    for (uint64_t seed = 0; seed < 3; seed++) {
        assert_int_equal(ask_two(&p, 512, seed, &conflicts), 29);
        assert_int_equal(conflicts, 15);
        assert_int_equal(ask_two(&p, 1024, seed, &conflicts), 29 - 8);
        assert_int_equal(conflicts, 0);
    }
}

/* GDDR5 at 1 GHz, where a GPU cycle is a memory clock. The bus moves 16 elements per cycle. A
 * transaction therefore takes one cycle, and command timing dominates. Pieces of 64 bytes rotate
 * over 16 banks. Bank n is in group n % 4. */
static struct params
gddr5(void)
{
    struct params p = gddr(SCHEDULER_LOOK_AHEAD);
    p.GPU.ClockMHz = 1000;
    p.MEMORYCONTROLLER.V2Memory = DRAM_gddr5;
    p.MEMORYCONTROLLER.V2BurstElementsPerCycle = 16;
    p.MEMORYCONTROLLER.V2BanksPerMemoryChannel = 16;
    p.MEMORYCONTROLLER.V2BankInterleaving = 64;
    return p;
}

static void
gddr5_rows(void **state)
{
    (void)state;
    struct params p = gddr5();
    /* Each read uses a different bank. Rows open every tRRD = 6 cycles, and data ends tRCD 12 + CL
     * 12 + 1 later. tFAW is 23, less than four times tRRD, and does not limit the rate. */
    struct stream s = row_of(6, 64, false);
    assert_steady(&p, &s, 25, 6);
    /* whole cycles, rounded up: 3, 6 and 6 at 500 MHz; 2 (1.8), 4 and 4 (3.6) at 300 MHz */
    p.GPU.ClockMHz = 500;
    assert_steady(&p, &s, 13, 3);
    p.GPU.ClockMHz = 300;
    assert_steady(&p, &s, 9, 2);
    /* with tFAW = 30 cycles rows open in 0, 6, 12, 18, then in 30 and 36 */
    p.GPU.ClockMHz = 1000;
    s.window = 30;
    assert_ends(&p, &s, (const uint64_t[]){25, 31, 37, 43, 55, 61});
}

/* Commands in one bank group are 2 x tCCDL = 6 cycles apart. In two groups they are one bus cycle
 * apart. */
static void
gddr5_bank_groups(void **state)
{
    (void)state;
    struct params p = gddr5();
    struct stream one_bank = row_of(6, 16 * 64, false), one_group = {0}, two_groups = {0};
    assert_steady(&p, &one_bank, 25, 6);
    for (uint32_t i = 0; i < 6; i++) {
        add(&one_group, 0, i / 2 * 16 * 64 + i % 2 * 4 * 64, false); /* banks 0 and 4 */
        add(&two_groups, 0, i / 2 * 16 * 64 + i % 2 * 64, false);    /* banks 0 and 1 */
    }
    assert_steady(&p, &one_group, 25, 6);
    /* Bank 0 opens in 0 and bank 1 in 6. Commands of bank 0 issue in 12, 19 and 25, those of bank 1
     * in 18, 24 and 30. */
    assert_ends(&p, &two_groups, (const uint64_t[]){25, 31, 32, 37, 38, 43});
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_reads),
        cmocka_unit_test(simple_bursts),
        cmocka_unit_test(simple_clocks),
        cmocka_unit_test(simple_pages),
        cmocka_unit_test(simple_turns),
        cmocka_unit_test(row_hits),
        cmocka_unit_test(bank_conflicts),
        cmocka_unit_test(permuted_banks),
        cmocka_unit_test(row_misses_over_banks),
        cmocka_unit_test(turn_round),
        cmocka_unit_test(page_policies),
        cmocka_unit_test(look_ahead_prefers_open_rows),
        cmocka_unit_test(nobody_waits_for_ever),
        cmocka_unit_test(perfect),
        cmocka_unit_test(gddr5_rows),
        cmocka_unit_test(gddr5_bank_groups),
        cmocka_unit_test(controller),
        cmocka_unit_test(system_bus),
        cmocka_unit_test(channels),
        cmocka_unit_test(waiting_limits),
        cmocka_unit_test(client_bus),
        cmocka_unit_test(crossbar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
