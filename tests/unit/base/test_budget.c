/* All host memory that a trace uses counts against one budget. The message names the command option
 * that raises the budget. */
#include "base/budget.h"
#include "base/mem.h"
#include "rigs/stream.h"
#include "trace/file.h"
/* last, because cmocka.h defines a macro fail() */
#include "rigs/command.h"

#include <string.h>

enum { MB = 1 << 20, SIDE = 2048, TEXTURE = SIDE * SIDE * 4 };

static char dir[] = "/tmp/aetius-budget-XXXXXX";

static void
shares_add_up(void **state)
{
    struct budget budget = {100, 0, "--memory"};
    struct budget_share a = {.budget = &budget}, b = {.budget = &budget},
                        alone = {.most_bytes = 50};
    struct error err;
    (void)state;
    assert_true(budget_set(&a, 60, &err) && budget_set(&b, 40, &err));
    assert_false(budget_set(&b, 41, &err));
    assert_non_null(strstr(err.text, "raise --memory"));
    assert_int_equal(b.bytes, 40);
    assert_true(budget_set(&a, 10, &err) && budget_set(&b, 90, &err));
    assert_false(budget_fits(&a, 11));
    assert_true(budget_fits(&a, 5));
    budget_move(&b, NULL);
    assert_int_equal(budget.used_bytes, 10);
    assert_true(budget_set(&alone, 50, &err));
    assert_false(budget_set(&alone, 51, &err));
    assert_null(strstr(err.text, "raise"));
    /* already above the limit, so only a smaller amount is accepted */
    assert_true(budget_set(&alone, 30, &err));
    budget.most_bytes = 20;
    budget_move(&alone, &budget);
    assert_int_equal(budget.used_bytes, 40);
    assert_false(budget_set(&alone, 31, &err));
    assert_true(budget_set(&alone, 29, &err));
}

static void
add(struct trace_writer *writer, struct message message)
{
    struct error err;
    message.client = 1;
    assert_true(trace_writer_add(writer, &message, &err));
}

static void
create(struct trace_writer *writer, uint32_t handle, uint32_t target, uint32_t bind, uint32_t width,
       uint32_t height)
{
    add(writer, (struct message){.kind = MESSAGE_RESOURCE_CREATE,
                                 .resource = {.handle = handle,
                                              .target = target,
                                              .format = target == TARGET_BUFFER ? 64 : 1,
                                              .bind = bind,
                                              .width = width,
                                              .height = height,
                                              .depth = 1,
                                              .array_size = 1}});
}

/* Adds two frames of client 1. */
static void
add_frames(struct trace_writer *writer)
{
    struct message swap = {.kind = MESSAGE_SWAP};
    swap.transfer.handle = 1;
    swap.transfer.box = (struct box){0, 0, 0, 8, 8, 1};
    add(writer, swap);
    add(writer, swap);
}

/* Writes a trace of two frames. It has a chunk of `chunk_bytes` (commands without effect), small
 * buffers, and textures of 16 MiB with one written texel each. */
static void
write_trace(const char *path, uint32_t chunk_bytes, uint32_t buffers, uint32_t textures)
{
    static const uint8_t texel[4] = {1, 2, 3, 4};
    struct trace_writer *writer;
    struct error err;
    struct message put = {.kind = MESSAGE_PUT, .bytes = texel, .size_bytes = sizeof texel};
    uint8_t *zeroes = mem_alloc(chunk_bytes + 1);
    put.transfer.box = (struct box){5, 5, 0, 1, 1, 1};
    assert_true(trace_writer_create(&writer, path, "budget", &err));
    add(writer, (struct message){.kind = MESSAGE_CLIENT_BEGIN});
    create(writer, 1, TARGET_2D, BIND_RENDER_TARGET | BIND_DISPLAY_TARGET, 8, 8);
    if (chunk_bytes)
        add(writer,
            (struct message){.kind = MESSAGE_SUBMIT, .bytes = zeroes, .size_bytes = chunk_bytes});
    for (uint32_t i = 0; i < buffers; i++)
        create(writer, 2 + i, TARGET_BUFFER, BIND_VERTEX_BUFFER, 1, 1);
    for (uint32_t i = 0; i < textures; i++) {
        put.transfer.handle = 2 + buffers + i;
        create(writer, put.transfer.handle, TARGET_2D, BIND_SAMPLER_VIEW, SIDE, SIDE);
        add(writer, put);
    }
    add_frames(writer);
    assert_true(trace_writer_close(writer, &err));
    free(zeroes);
}

/* Each of the three needs fits alone into the memory. All together fit into twice the memory, but
 * not into the single amount. */
static const struct {
    const char *name;
    uint32_t chunk_bytes, buffers, textures;
    bool fits;
} traces[] = {
    {"chunk", 200 * MB, 0, 0, true},
    {"buffers", 0, 150000, 0, true},
    {"textures", 0, 0, 10, true},
    {"all", 200 * MB, 150000, 10, false},
};

/* Writes the trace in a child process. Otherwise the memory of this process would count for each
 * command, which starts as a copy of the process. */
static void
prepare(const char *path, size_t which)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        write_trace(path, traces[which].chunk_bytes, traces[which].buffers, traces[which].textures);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Runs a command with this memory. Returns false if the memory was insufficient. */
static bool
does(const char *command, const char *trace, uint32_t memory_mb)
{
    enum { BESIDES_MB = 100 }; /* memory of the program itself */
    static struct command_result cmd;
    char out[64], clean[80], memory[16];
    snprintf(out, sizeof out, "%s/out", dir);
    snprintf(clean, sizeof clean, "rm -rf %s", out);
    snprintf(memory, sizeof memory, "%uM", memory_mb);
    if (!strcmp(command, "show program"))
        RUN(&cmd, "show", trace, "program", "--memory", memory);
    else if (!strcmp(command, "show draw"))
        RUN(&cmd, "show", trace, "draw", "1:0", "--memory", memory);
    else if (!strcmp(command, "verify"))
        RUN(&cmd, "verify", trace, "--memory", memory);
    else if (!strcmp(command, "trim all"))
        RUN(&cmd, "trim", trace, "--frames", "0-1", "-o", out, "--memory", memory);
    else if (!strcmp(command, "trim 2"))
        RUN(&cmd, "trim", trace, "--frames", "2", "-o", out, "--memory", memory);
    else if (!strcmp(command, "trim"))
        RUN(&cmd, "trim", trace, "--frames", "1", "-o", out, "--memory", memory);
    else
        RUN(&cmd, "replay", trace, "-o", out, "--memory", memory);
    assert_int_equal(system(clean), 0);
    assert_int_equal(cmd.status, strstr(cmd.err, "raise --memory") ? 1 : 0);
#ifndef SANITIZED /* sanitizers take additional memory */
    assert_in_range(cmd.rss_kb / 1024, 1, memory_mb + BESIDES_MB);
#endif
    return cmd.status == 0;
}

/* verify has two simulations, one of which has a memory of 192 MiB. */
static void
one_end_for_all(void **state)
{
    static const struct {
        const char *name;
        uint32_t little_mb, much_mb;
    } commands[] = {{"replay", 360, 720}, {"trim", 360, 720}, {"verify", 560, 1100}};
    char trace[64];
    (void)state;
    snprintf(trace, sizeof trace, "%s/trace", dir);
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++)
        for (size_t t = 0; t < sizeof traces / sizeof *traces; t++) {
            prepare(trace, t);
            assert_int_equal(does(commands[c].name, trace, commands[c].little_mb), traces[t].fits);
        }
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++)
        assert_true(does(commands[c].name, trace, commands[c].much_mb));
    unlink(trace);
}

/* An extracted chunk is in memory twice: as read, and as written. A chunk whose programs are
 * printed is in memory once. */
static void
what_is_to_be_written_counts(void **state)
{
    char trace[64];
    (void)state;
    snprintf(trace, sizeof trace, "%s/trace", dir);
    prepare(trace, 0);
    assert_false(does("trim all", trace, 360));
    assert_true(does("trim all", trace, 720));
    assert_false(does("show program", trace, 150));
    assert_true(does("show program", trace, 360));
    assert_false(does("show draw", trace, 50));
    unlink(trace);
}

/* The writer keeps a chunk, and a buffer of the chunk's maximum compressed size. */
static void
both_buffers_of_the_writer_count(void **state)
{
    enum { CHUNK = 4 * MB };
    struct budget budget = {0, 0, "--memory"};
    struct trace_reader *reader;
    struct trace_writer *writer;
    struct error err;
    char trace[64], part[64];
    uint8_t *zeroes = mem_alloc(CHUNK);
    const struct message submit = {
        .kind = MESSAGE_SUBMIT, .client = 1, .bytes = zeroes, .size_bytes = CHUNK};
    (void)state;
    snprintf(trace, sizeof trace, "%s/trace", dir);
    snprintf(part, sizeof part, "%s/part", dir);
    prepare(trace, 1);
    assert_true(trace_reader_open(&reader, trace, &err));
    for (uint32_t half = 1; half <= 4; half++) {
        budget.most_bytes = half * (CHUNK / 2) + MB / 2;
        trace_reader_limit(reader, &budget);
        assert_true(trace_writer_create_part(&writer, part, reader, 0, &err));
        assert_int_equal(trace_writer_add(writer, &submit, &err), half == 4);
        if (half == 4)
            assert_in_range(budget.used_bytes, 2 * CHUNK, budget.most_bytes);
        else
            assert_non_null(strstr(err.text, "raise --memory"));
        trace_writer_close(writer, &err);
        assert_int_equal(budget.used_bytes, 0);
    }
    trace_reader_close(reader);
    free(zeroes);
    unlink(trace);
    unlink(part);
}

/* An extracted level of 64 MiB is in memory four times: in the device, as a copy, and in the two
 * buffers of the writer. */
static void
copies_of_contents_count(void **state)
{
    enum { LARGE_SIDE = 4096, LEVEL_MB = LARGE_SIDE * LARGE_SIDE * 4 / MB };
    static const uint8_t texel[4] = {1, 2, 3, 4};
    static struct stream s;
    char trace[64];
    int status;
    (void)state;
    snprintf(trace, sizeof trace, "%s/trace", dir);
    const pid_t child = fork();
    if (child == 0) {
        struct trace_writer *writer;
        struct error err;
        struct message put = {.kind = MESSAGE_PUT, .bytes = texel, .size_bytes = sizeof texel};
        put.transfer.handle = 2;
        put.transfer.box = (struct box){5, 5, 0, 1, 1, 1};
        if (!trace_writer_create(&writer, trace, "budget", &err))
            _exit(1);
        add(writer, (struct message){.kind = MESSAGE_CLIENT_BEGIN});
        create(writer, 1, TARGET_2D, BIND_RENDER_TARGET | BIND_DISPLAY_TARGET, 8, 8);
        create(writer, 2, TARGET_2D, BIND_SAMPLER_VIEW, LARGE_SIDE, LARGE_SIDE);
        add(writer, put);
        add_frames(writer);
        s.count = 0; /* the second frame uses the texture */
        PACKET(&s, CMD_RESOURCE_COPY_REGION, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 8, 8, 1);
        add(writer, stream_message(&s, 1));
        add_frames(writer);
        _exit(!trace_writer_close(writer, &err));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_false(does("trim 2", trace, 4 * LEVEL_MB - LEVEL_MB / 2));
    assert_true(does("trim 2", trace, 4 * LEVEL_MB + LEVEL_MB / 2));
    unlink(trace);
}

/* Names of clients count in full, although the writer compresses them well. */
static void
names_count(void **state)
{
    enum { CLIENTS = 400 };
    char trace[64];
    int status;
    (void)state;
    snprintf(trace, sizeof trace, "%s/trace", dir);
    const pid_t child = fork();
    if (child == 0) {
        struct trace_writer *writer;
        struct error err;
        uint8_t *name = mem_alloc(MB);
        if (!trace_writer_create(&writer, trace, "budget", &err))
            _exit(1);
        for (uint32_t i = 1; i <= CLIENTS; i++) {
            const struct message begin = {
                .kind = MESSAGE_CLIENT_BEGIN, .client = i, .bytes = name, .size_bytes = MB};
            if (!trace_writer_add(writer, &begin, &err))
                _exit(1);
        }
        create(writer, 1, TARGET_2D, BIND_RENDER_TARGET | BIND_DISPLAY_TARGET, 8, 8);
        add_frames(writer);
        _exit(!trace_writer_close(writer, &err));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_false(does("trim", trace, 128));
    assert_true(does("trim", trace, 600));
    unlink(trace);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_add_up),
        cmocka_unit_test(one_end_for_all),
        cmocka_unit_test(what_is_to_be_written_counts),
        cmocka_unit_test(both_buffers_of_the_writer_count),
        cmocka_unit_test(copies_of_contents_count),
        cmocka_unit_test(names_count),
    };
    aetius = argc > 1 ? argv[1] : "build/aetius";
    assert_non_null(mkdtemp(dir));
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(dir);
    return failed;
}
