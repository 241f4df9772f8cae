/* How commands end that something goes against: signals in every phase, files without an end,
 * folders that others work in, processes that were killed. */
#include "base/build.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "codec/blocks_file.h"
#include "trace/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define TINY      AETIUS_SOURCE_DIR "/tests/golden/tiny.trace"
#define WORKLOADS AETIUS_SOURCE_DIR "/tests/golden/workloads.trace"

enum { WORDS = 16, MANY = 200000 };

static const char *aetius, *self;
static char dir[] = "/tmp/aetius-endings-XXXXXX";

static char *
in_dir(const char *name)
{
    return mem_printf("%s/%s", dir, name);
}

static void
pause_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

/* Words that begin with @ are names in the test's folder. Output goes to files there; standard
 * input is a pipe that stays open. */
static pid_t
start(const char *const *words, rlim_t file_bytes)
{
    int ends[2];
    const char *all[WORDS + 2] = {aetius};
    for (uint32_t i = 0; words[i]; i++)
        all[i + 1] = words[i][0] == '@' ? in_dir(words[i] + 1) : words[i];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {file_bytes, file_bytes};
        if (file_bytes)
            setrlimit(RLIMIT_FSIZE, &limit);
        chdir(dir);
        unsetenv("DISPLAY");
        setenv("TMPDIR", dir, 1);
        dup2(ends[0], STDIN_FILENO);
        dup2(open("out", O_WRONLY | O_CREAT | O_TRUNC, 0666), STDOUT_FILENO);
        dup2(open("err", O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
        fcntl(ends[1], F_SETFD, 0);
        execv(aetius, (char *const *)all);
        _exit(127);
    }
    assert_true(child > 0);
    close(ends[0]);
    close(ends[1]);
    for (uint32_t i = 0; words[i]; i++)
        if (words[i][0] == '@')
            free((char *)all[i + 1]);
    return child;
}

/* The exit status; -1 when it did not end in time, -2 when a signal ended it. */
static int
await(pid_t child, int most_ms)
{
    int status;
    for (int waited = 0; waited < most_ms; waited += 10, pause_ms(10))
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
}
#define RUN(...) await(start((const char *const[]){__VA_ARGS__, NULL}, 0), 20000)

static char *
said(const char *where)
{
    char *path = in_dir(where), *text;
    size_t size;
    struct error err;
    if (!file_read(path, SIZE_MAX, &text, &size, &err))
        fail_msg("%s", err.text);
    free(path);
    return text;
}

static bool
says(const char *words)
{
    char *text = said("err");
    const bool does = strstr(text, words);
    if (!does)
        print_message("expected '%s', found '%s'\n", words, text);
    free(text);
    return does;
}

static bool
is_there(const char *name)
{
    char *path = in_dir(name);
    const bool there = file_exists(path);
    free(path);
    return there;
}

static int
clean(void **state)
{
    char *command = mem_printf("rm -rf %s/*", dir);
    const int status = system(command);
    free(command);
    return status;
}

static void
put(const char *name, size_t size)
{
    char *path = in_dir(name), *bytes = mem_alloc(size + 1);
    struct error err;
    memset(bytes, ';', size);
    assert_true(file_write(path, bytes, size, &err));
    free(bytes);
    free(path);
}

static void
files_without_an_end_are_refused(void **state)
{
    static const struct {
        const char *words[6];
        const char *word;
        int status;
    } cases[] = {
        {{"params", "--config", "/dev/urandom"}, "no regular file", 1},
        {{"params", "--config", "@pipe"}, "no regular file", 1},
        {{"params", "--config", "@large.ini"}, "more than 1048576 bytes", 1},
        {{"study", "compression", "--plan", "@pipe"}, "no regular file", 2},
        {{"study", "compression", "--plan", "@large.ini"}, "more than 1048576 bytes", 2},
        {{"study", "compression", "--plan", "/dev/zero"}, "no regular file", 2},
        {{"info", "@pipe"}, "no regular file", 1},
        {{"sim", "@pipe", "-o", "@run"}, "no regular file", 1},
        {{"sim", "/dev/zero", "-o", "@run"}, "no regular file", 1},
        {{"compare", "@pipe", "@pipe"}, "no regular file", 1},
        {{"blocks", "/dev/zero"}, "no block file", 1},
    };
    char *pipe = in_dir("pipe");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    free(pipe);
    put("large.ini", (1 << 20) + 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *words[WORDS] = {0};
        memcpy(words, cases[i].words, sizeof cases[i].words);
        if (!strcmp(words[0], "params"))
            words[0] = "stats"; /* that has machine options */
        assert_int_equal(await(start(words, 0), 10000), cases[i].status);
        assert_true(says(cases[i].word));
    }
    assert_false(is_there("run"));
    /* all that is allowed */
    put("whole.ini", 100);
    assert_int_equal(RUN("stats", "--config", "@whole.ini"), 0);
}

static void
an_empty_name_is_wrong_usage(void **state)
{
    assert_int_equal(RUN("sim", TINY, "-o", ""), 2);
    assert_int_equal(RUN("replay", TINY, "--output="), 2);
    assert_int_equal(RUN("trim", TINY, "--frames", "0", "-o", ""), 2);
    assert_int_equal(RUN("capture", "-o", "", "--", "true"), 2);
    assert_true(says("--output wants a value"));
}

static void
runs_do_not_mix(void **state)
{
    struct error err;
    int lock = -1;
    char *run = in_dir("run"), *link = in_dir("run/frames"), *target = in_dir("elsewhere");
    assert_true(dir_create(run, &err) && dir_lock(run, &lock, &err));
    assert_int_equal(RUN("sim", TINY, "-o", "@run"), 1);
    assert_true(says("another process works in"));
    assert_int_equal(RUN("replay", TINY, "-o", "@run", "--force"), 1);
    dir_unlock(lock);
    /* a frame alone, a table alone: something is left of a run */
    assert_true(dir_create(link, &err));
    put("run/frames/frame-0009.png", 1);
    assert_int_equal(RUN("sim", TINY, "-o", "@run"), 1);
    assert_true(says("--force"));
    assert_int_equal(RUN("replay", TINY, "-o", "@run"), 1);
    assert_int_equal(RUN("replay", TINY, "-o", "@run", "--force"), 0);
    assert_false(is_there("run/frames/frame-0009.png"));
    assert_true(is_there("run/frames/frame-0001.png"));
    clean(NULL);
    assert_true(dir_create(run, &err));
    put("run/stats.cycles.csv.gz", 1);
    assert_int_equal(RUN("sim", TINY, "-o", "@run"), 1);
    /* a name that the parameters give; nobody's file is replaced unasked */
    put("run/thesis.tex", 1);
    assert_int_equal(RUN("sim", TINY, "-o", "@run", "--set", "SIMULATOR.StatsFile=thesis.tex"), 1);
    assert_int_equal(RUN("sim", TINY, "-o", "@other", "--set", "SIMULATOR.StatsFile=run.json.part"),
                     1);
    assert_true(says("two files of a run would be named 'run.json.part'"));
    assert_int_equal(RUN("sim", TINY, "-o", "@other", "--set", "SIMULATOR.StatsFile=frames"), 1);
    assert_true(says("two files of a run would be named 'frames'"));
    put("mine.blocks", 3);
    assert_int_equal(RUN("blocks", "-", "-o", "@mine.blocks"), 1);
    assert_true(says("is there already"));
    clean(NULL);
    /* nothing is removed or written through a link */
    assert_true(dir_create(run, &err) && dir_create(target, &err));
    put("elsewhere/frame-0000.png", 1);
    assert_int_equal(symlink(target, link), 0);
    assert_int_equal(RUN("sim", TINY, "-o", "@run", "--force"), 1);
    assert_true(says("in the way"));
    assert_true(is_there("elsewhere/frame-0000.png"));
    unlink(link);
    put("mine", 1);
    char *table = in_dir("run/stats.frames.csv.gz"), *mine = in_dir("mine");
    assert_int_equal(symlink(mine, table), 0);
    assert_int_equal(RUN("sim", TINY, "-o", "@run", "--force"), 0);
    struct stat st;
    assert_int_equal(stat(mine, &st), 0);
    assert_int_equal(st.st_size, 1);
    free(table);
    free(mine);
    free(run);
    free(link);
    free(target);
}

/* Resources of that shape after a picture, and no draw; where they are textures one texel of each
 * is written. Then a swap. */
static void
write_trace(const char *path, const struct resource_desc *shape, uint32_t count)
{
    static const uint8_t texel[4] = {1, 2, 3, 4};
    struct trace_writer *writer;
    struct error err;
    struct message begin = {.kind = MESSAGE_CLIENT_BEGIN, .client = 1};
    struct message create = {.kind = MESSAGE_RESOURCE_CREATE, .client = 1};
    struct message swap = {.kind = MESSAGE_SWAP, .client = 1};
    create.resource = (struct resource_desc){.handle = 1,
                                             .target = TARGET_2D,
                                             .format = 1,
                                             .bind = BIND_RENDER_TARGET | BIND_DISPLAY_TARGET,
                                             .width = 8,
                                             .height = 8,
                                             .depth = 1,
                                             .array_size = 1};
    swap.transfer.handle = 1;
    swap.transfer.box = (struct box){0, 0, 0, 8, 8, 1};
    assert_true(trace_writer_create(&writer, path, "many", &err));
    trace_writer_add(writer, &begin, &err);
    trace_writer_add(writer, &create, &err);
    create.resource = *shape;
    for (uint32_t i = 0; i < count; i++) {
        struct message put = {
            .kind = MESSAGE_PUT, .client = 1, .bytes = texel, .size_bytes = sizeof texel};
        create.resource.handle = put.transfer.handle = i + 2;
        put.transfer.box = (struct box){5, 5, 0, 1, 1, 1};
        trace_writer_add(writer, &create, &err);
        if (shape->target == TARGET_2D)
            trace_writer_add(writer, &put, &err);
    }
    trace_writer_add(writer, &swap, &err);
    assert_true(trace_writer_close(writer, &err));
}

/* Many small resources. */
static void
write_many(const char *path, uint32_t count)
{
    write_trace(path,
                &(struct resource_desc){.target = TARGET_BUFFER,
                                        .format = 64,
                                        .bind = BIND_VERTEX_BUFFER,
                                        .width = 1,
                                        .height = 1,
                                        .depth = 1,
                                        .array_size = 1},
                count);
}

/* 32 textures of 64 MB in a small file: what a file gets of the host's memory has an end, which an
 * option moves. */
static void
what_resources_hold_has_an_end(void **state)
{
    enum { SIDE = 4096, COUNT = 32 };
    char *path = in_dir("large.trace");
    write_trace(path,
                &(struct resource_desc){.target = TARGET_2D,
                                        .format = 1,
                                        .bind = BIND_SAMPLER_VIEW,
                                        .width = SIDE,
                                        .height = SIDE,
                                        .depth = 1,
                                        .array_size = 1},
                COUNT);
    free(path);
    assert_int_equal(RUN("replay", "@large.trace", "-o", "@pictures"), 1);
    assert_true(says("1536 MiB of this host: raise --memory"));
    assert_int_equal(RUN("replay", "@large.trace", "-o", "@pictures", "--memory", "2000M"), 1);
    assert_int_equal(RUN("replay", "@large.trace", "-o", "@pictures", "--memory", "3G"), 0);
    assert_int_equal(RUN("replay", "@large.trace", "-o", "@more", "--memory", "much"), 2);
    assert_int_equal(RUN("verify", "@large.trace"), 1);
    assert_true(says("raise"));
    assert_int_equal(RUN("verify", "@large.trace", "--memory", "5G"), 0);
    assert_int_equal(RUN("sim", "@large.trace", "-o", "@run"), 1);
    assert_true(says("raise MEMORYCONTROLLER.MemorySize"));
    assert_int_equal(
        RUN("sim", "@large.trace", "-o", "@run", "--set", "MEMORYCONTROLLER.MemorySize=3000000000"),
        0);
}

#define SMALL "--set", "MEMORYCONTROLLER.MemorySize=134217728"
#define AGAIN "--force", "-o"
static const char *const long_work[][WORDS] = {
    {"verify", WORKLOADS},
    {"verify", "@many.trace", SMALL},
    {"sim", WORKLOADS, AGAIN, "@run"},
    {"sim", WORKLOADS, "--jobs", "2", AGAIN, "@run"},
    {"sim", "@many.trace", SMALL, AGAIN, "@run"},
    {"trim", WORKLOADS, "--frames", "1,2,3", AGAIN, "@cut"},
    {"compress", "-"},
    {"blocks", "-", "-o", "@raw"},
    {"study", "compression", WORKLOADS, "--jobs", "2", "-o", "@study"},
    {"run", "--", "sleep", "60"},
    {"run", "--", "sh", "-c", "trap '' TERM; sleep 60"},
    {"capture", "-o", "@capture", "--frames", "3-4", "--", "sleep", "60"},
    {"replay", WORKLOADS, "--reference", AGAIN, "@pictures"},
};

/* Nothing waits for the end of the work, and the status tells of the signal. Some of the work may
 * be done before that comes. */
static void
signals_are_heeded(void **state)
{
    static const int waits[] = {20, 150, 600};
    char *many = in_dir("many.trace");
    uint32_t heeded = 0;
    double slowest = 0;
    write_many(many, MANY);
    free(many);
    for (size_t i = 0; i < sizeof long_work / sizeof long_work[0]; i++)
        for (uint32_t w = 0; w < 6; w++) {
            const int number = w % 2 ? SIGTERM : SIGINT;
            const pid_t child = start(long_work[i], 0);
            pause_ms(waits[w / 2]);
            const double start_time = wall_seconds();
            kill(child, number);
            const int status = await(child, 5000);
            const double seconds = wall_seconds() - start_time;
            if (seconds > slowest)
                print_message("%s %s: %.2f s\n", long_work[i][0], long_work[i][1], seconds);
            slowest = seconds > slowest ? seconds : slowest;
            if (status != 0 && status != 128 + number && !(w < 2 && status == -2))
                fail_msg("`%s` %s, signal %d after %d ms: %d", long_work[i][0], long_work[i][1],
                         number, waits[w / 2], status);
            heeded += status == 128 + number;
        }
    print_message("%u of them were heeded, the last %.2f s after it came\n", heeded, slowest);
    assert_true(heeded > 50);
}

/* The first frame is not whole: nothing claims to be. */
static void
a_run_killed_in_its_first_frame_leaves_nothing(void **state)
{
    static const char *const words[] = {"sim", WORKLOADS, "-o", "@run", NULL};
    static const int signals[] = {SIGINT, SIGKILL};
    for (uint32_t s = 0; s < 2; s++) {
        const pid_t child = start(words, 0);
        for (int i = 0; i < 5000 && !is_there("run/machine.ini"); i++)
            pause_ms(1);
        assert_true(is_there("run/machine.ini")); /* it has begun */
        pause_ms(20);
        kill(child, signals[s]);
        await(child, 5000);
        if (is_there("run/frames/frame-0000.png"))
            continue; /* this host was so fast */
        assert_false(is_there("run/stats.cycles.csv.gz") || is_there("run/stats.frames.csv.gz") ||
                     is_there("run/stats.draws.csv.gz") || is_there("run/frames/frame-0000.png"));
        if (signals[s] == SIGINT)
            assert_false(is_there("run"));
    }
}

/* The place of `name` among the files that were made in the two folders, or SIZE_MAX. */
static size_t
find_made(const char *events, size_t size, const char *name)
{
    for (size_t at = 0; at < size;) {
        const struct inotify_event *event = (const struct inotify_event *)(events + at);
        if (!strcmp(event->name, name))
            return at;
        at += sizeof *event + event->len;
    }
    return SIZE_MAX;
}

/* However short the moment: until a picture is whole there is no table that a killed run could
 * leave. */
static void
tables_come_behind_the_first_picture(void **state)
{
    static const char *const tables[] = {"stats.frames.csv.gz", "stats.draws.csv.gz",
                                         "stats.cycles.csv.gz"};
    static _Alignas(struct inotify_event) char events[65536];
    char *run = in_dir("run"), *frames = in_dir("run/frames");
    struct error err;
    const int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    assert_true(watch >= 0 && dir_create(frames, &err));
    assert_true(inotify_add_watch(watch, run, IN_CREATE | IN_MOVED_TO) >= 0);
    assert_true(inotify_add_watch(watch, frames, IN_CREATE | IN_MOVED_TO) >= 0);
    assert_int_equal(RUN("sim", TINY, "-o", "@run"), 0);
    const ssize_t size = read(watch, events, sizeof events);
    assert_true(size > 0);
    const size_t picture = find_made(events, (size_t)size, "frame-0000.png");
    assert_true(picture != SIZE_MAX);
    for (uint32_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const size_t made = find_made(events, (size_t)size, tables[i]);
        assert_true(made != SIZE_MAX && made > picture);
    }
    close(watch);
    free(run);
    free(frames);
}

/* What was whole when the signal came is there, and run.json tells of just that. */
static void
whole_frames_are_kept(void **state)
{
    static const char *const words[] = {"sim", WORKLOADS, "-o", "@run", NULL};
    const pid_t child = start(words, 0);
    for (int i = 0; i < 5000 && !is_there("run/frames/frame-0000.png"); i++)
        pause_ms(2);
    pause_ms(20);
    kill(child, SIGTERM);
    const int status = await(child, 5000);
    assert_true(is_there("run/run.json") && is_there("run/frames/frame-0000.png") &&
                is_there("run/stats.frames.csv.gz"));
    if (status == 0)
        return; /* it was done */
    assert_int_equal(status, 143);
    assert_true(says("whole"));
    char *json = said("run/run.json");
    assert_non_null(strstr(json, "\"complete\":\tfalse"));
    free(json);
}

/* Nothing that is said goes into a file that took a closed stream's number. */
static void
closed_streams_are_not_files(void **state)
{
    static const char *const tables[] = {"stats.frames.csv.gz", "stats.draws.csv.gz",
                                         "stats.cycles.csv.gz"};
    char *command = mem_printf("%s sim %s -o %s/run <&- >&- 2>&-", aetius, TINY, dir);
    assert_int_equal(WEXITSTATUS(system(command)), 1);
    assert_int_equal(RUN("sim", TINY, "-o", "@other"), 0);
    for (uint32_t i = 0; i < 3; i++) {
        char *path[2] = {mem_printf("%s/run/%s", dir, tables[i]),
                         mem_printf("%s/other/%s", dir, tables[i])};
        char *bytes[2];
        size_t size[2];
        struct error err;
        for (uint32_t f = 0; f < 2; f++)
            assert_true(file_read(path[f], SIZE_MAX, &bytes[f], &size[f], &err));
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        for (uint32_t f = 0; f < 2; f++) {
            free(path[f]);
            free(bytes[f]);
        }
    }
    free(command);
}

static void
a_cut_that_fails_leaves_no_file(void **state)
{
    static const char *const words[] = {"trim", TINY, "--frames", "1", "-o", "@cut", NULL};
    static const rlim_t limits[] = {20, 1000, 3000}; /* in the header, or behind it */
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(await(start(words, limits[i]), 20000), 1);
        assert_false(is_there("cut"));
    }
    assert_int_equal(RUN("trim", TINY, "--frames", "1", "-o", "@cut"), 0);
    assert_true(is_there("cut"));
}

/* 17 blocks, each read 2^32 - 1 times: 18.7 TB. */
static void
raw_blocks_are_counted_before_they_are_written(void **state)
{
    struct blocks_writer *writer;
    struct error err;
    char *path = in_dir("blocks");
    const struct block_tag tag = {0, 256, 1, 0};
    uint32_t block[64] = {0};
    assert_true(blocks_writer_create(&writer, path, CODEC_COLOR, &err));
    for (uint32_t i = 0; i < 17; i++) {
        block[0] = i;
        assert_true(blocks_writer_add_many(writer, block, &tag, UINT32_MAX, &err));
    }
    assert_true(blocks_writer_close(writer, &err));
    assert_int_equal(RUN("blocks", "--raw", "@blocks"), 1);
    assert_true(says("18691697667840 bytes"));
    struct stat st;
    char *out = in_dir("out");
    assert_int_equal(stat(out, &st), 0);
    assert_int_equal(st.st_size, 0);
    assert_int_equal(RUN("blocks", "--raw", "--once", "@blocks"), 0);
    assert_int_equal(stat(out, &st), 0);
    assert_int_equal(st.st_size, 17 * 256);
    free(out);
    free(path);
}

/* Frames that cannot be cut out of what was recorded are not lost. */
static void
a_recording_that_is_not_cut_is_kept(void **state)
{
    char *build = mem_strdup(aetius), *slash = strrchr(build, '/'), *cut = in_dir("cut");
    struct error err;
    if (slash)
        *slash = '\0';
    char *program = mem_printf("%s/benchmarks/gl/offscreen", slash ? build : ".");
    const bool built = file_exists(program);
    assert_true(dir_create(cut, &err)); /* in the way */
    if (built) {
        assert_int_equal(RUN("capture", "--force", "-o", "@cut", "--frames", "1", "--", program,
                             "--frames", "3"),
                         1);
        assert_true(says("the 2 frames from the start on are in"));
        assert_int_equal(RUN("trim", "@cut.part", "--frames", "1", "-o", "@one"), 0);
        assert_false(is_there("cut.contents.part"));
    }
    free(program);
    free(build);
    free(cut);
    if (!built)
        skip();
}

/* A capture of `ranges` of a program that draws three frames, the last of which its end ends, and
 * then sleeps; a signal comes while it does. */
static bool
interrupt_capture(const char *ranges)
{
    char *build = mem_strdup(aetius), *slash = strrchr(build, '/');
    if (slash)
        *slash = '\0';
    char *program = mem_printf("%s/benchmarks/gl/offscreen", slash ? build : ".");
    char *script = mem_printf("%s --frames 3; touch %s/drawn; sleep 60", program, dir);
    const bool built = file_exists(program);
    if (built) {
        const pid_t child = start((const char *const[]){"capture", "-o", "@cut", "--frames", ranges,
                                                        "--", "sh", "-c", script, NULL},
                                  0);
        for (int i = 0; i < 2000 && !is_there("drawn"); i++)
            pause_ms(10);
        pause_ms(300); /* its end has to be heard */
        kill(child, SIGINT);
        assert_int_equal(await(child, 10000), 130);
    }
    free(script);
    free(program);
    free(build);
    return built;
}

/* Ctrl-C leaves the ranges that are whole, and what was recorded where there was to be more. */
static void
ranges_that_are_whole_survive_a_signal(void **state)
{
    if (!interrupt_capture("1-2"))
        skip();
    assert_true(says("cut: frames 1 to 2"));
    assert_false(is_there("cut.part") || is_there("cut.contents.part"));
    assert_int_equal(RUN("verify", "@cut"), 0);
    clean(state);
    interrupt_capture("1,2-7");
    assert_true(says("frames-1-1.trace: frame 1"));
    assert_true(says("the 3 frames from the start on are in"));
    assert_int_equal(RUN("verify", "@cut/frames-1-1.trace"), 0);
    assert_false(is_there("cut/frames-2-7.trace") || is_there("cut/contents.part"));
    assert_int_equal(RUN("trim", "@cut/part", "--frames", "2", "-o", "@two"), 0);
    clean(state);
    interrupt_capture("2-7");
    assert_true(says("the 3 frames from the start on are in"));
    assert_false(is_there("cut"));
    assert_true(is_there("cut.part"));
}

/* The second capture to one file takes nothing from the first. */
static void
captures_do_not_mix(void **state)
{
    static const char *const words[] = {"capture", "-o", "@capture", "--frames", "3-4",
                                        "--force", "--", "sleep",    "60",       NULL};
    const pid_t first = start(words, 0);
    for (int i = 0; i < 500 && !is_there("capture.part"); i++)
        pause_ms(10);
    pause_ms(50);
    assert_int_equal(await(start(words, 0), 5000), 1);
    assert_true(says("another process writes"));
    assert_true(is_there("capture.part"));
    kill(first, SIGTERM);
    assert_int_equal(await(first, 5000), 143);
}

/* A run's folder that holds a small file of very many numbers. */
static void
tables_of_a_run_have_an_end(void **state)
{
    char *command = mem_printf("cd %s && printf a >row && head -c 134217728 /dev/zero | tr '\\0' 1 "
                               ">>row && gzip -1 <row >run/stats.frames.csv.gz",
                               dir);
    assert_int_equal(RUN("sim", TINY, "-o", "@run"), 0);
    assert_int_equal(RUN("compare", "@run", "@run"), 0);
    assert_int_equal(system(command), 0);
    assert_int_equal(RUN("compare", "@run", "@run"), 1);
    assert_true(says("table of 134217728 bytes or more"));
    put("run/run.json", (1 << 24) + 1);
    assert_int_equal(RUN("compare", "@run", "@run"), 1);
    assert_true(says("more than 16777216 bytes"));
    free(command);
}

/* How many private folders there are. */
static uint32_t
count_folders(void)
{
    DIR *folder = opendir(dir);
    uint32_t count = 0;
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (!strncmp(entry->d_name, "aetius-", 7)) {
            struct stat st;
            assert_int_equal(fstatat(dirfd(folder), entry->d_name, &st, 0), 0);
            assert_int_equal(st.st_mode & 0777, 0700);
            count++;
        }
    closedir(folder);
    return count;
}

static pid_t
start_sleeper(uint32_t folders)
{
    static const char *const words[] = {"run", "--", "sleep", "60", NULL};
    const pid_t child = start(words, 0);
    for (int i = 0; i < 500 && count_folders() != folders; i++)
        pause_ms(10);
    assert_int_equal(count_folders(), folders);
    return child;
}

static void
what_a_killed_process_left_is_removed(void **state)
{
    const pid_t dead = start_sleeper(1);
    kill(dead, SIGKILL);
    assert_int_equal(await(dead, 5000), -2);
    assert_int_equal(count_folders(), 1);
    const pid_t living = start_sleeper(1); /* it has removed the other one's */
    const pid_t second = start_sleeper(2); /* and a living one's stays */
    kill(living, SIGTERM);
    kill(second, SIGTERM);
    assert_int_equal(await(living, 5000), 143);
    assert_int_equal(await(second, 5000), 143);
    assert_int_equal(count_folders(), 0);
}

/* The X11 protocol's first words, with a cookie or without; whether the server lets us in. */
static bool
is_let_in(int display, const uint8_t *cookie)
{
    static const char name[] = "MIT-MAGIC-COOKIE-1";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    uint8_t words[12 + 20 + 16] = {'l', 0, 11, 0, 0, 0}, answer = 0;
    const size_t size = cookie ? sizeof words : 12;
    if (cookie) {
        words[6] = 18;
        words[8] = 16;
        memcpy(words + 12, name, 18);
        memcpy(words + 32, cookie, 16);
    }
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/.X11-unix/X%d", display);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    const bool answered = !connect(fd, (struct sockaddr *)&address, sizeof address) &&
                          write(fd, words, size) == (ssize_t)size && read(fd, &answer, 1) == 1;
    close(fd);
    return answered && answer == 1;
}

/* As the program: 7 when the cookie is wanted, and ours is the one. */
static int
probe(void)
{
    const char *display = getenv("DISPLAY"), *path = getenv("XAUTHORITY");
    char *bytes;
    size_t size;
    struct error err;
    struct stat st;
    if (!display || !path || stat(path, &st) ||
        !file_read(path, FILE_MOST_TEXT, &bytes, &size, &err) || size < 16)
        return 1;
    const bool with = is_let_in(atoi(display + 1), (uint8_t *)bytes + size - 16);
    const bool without = is_let_in(atoi(display + 1), NULL);
    free(bytes);
    return with && !without ? 7 : 2;
}

static void
the_x_server_wants_a_cookie(void **state)
{
    assert_int_equal(RUN("run", "--", self, "probe"), 1);
    assert_true(says("exit status 7"));
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(files_without_an_end_are_refused, clean),
        cmocka_unit_test_teardown(an_empty_name_is_wrong_usage, clean),
        cmocka_unit_test_teardown(runs_do_not_mix, clean),
        cmocka_unit_test_teardown(a_run_killed_in_its_first_frame_leaves_nothing, clean),
        cmocka_unit_test_teardown(tables_come_behind_the_first_picture, clean),
        cmocka_unit_test_teardown(whole_frames_are_kept, clean),
        cmocka_unit_test_teardown(closed_streams_are_not_files, clean),
        cmocka_unit_test_teardown(a_cut_that_fails_leaves_no_file, clean),
        cmocka_unit_test_teardown(raw_blocks_are_counted_before_they_are_written, clean),
        cmocka_unit_test_teardown(a_recording_that_is_not_cut_is_kept, clean),
        cmocka_unit_test_teardown(ranges_that_are_whole_survive_a_signal, clean),
        cmocka_unit_test_teardown(captures_do_not_mix, clean),
        cmocka_unit_test_teardown(tables_of_a_run_have_an_end, clean),
        cmocka_unit_test_teardown(what_a_killed_process_left_is_removed, clean),
        cmocka_unit_test_teardown(the_x_server_wants_a_cookie, clean),
        cmocka_unit_test_teardown(what_resources_hold_has_an_end, clean),
        cmocka_unit_test_teardown(signals_are_heeded, clean),
    };
    if (argc > 1 && !strcmp(argv[1], "probe"))
        return probe();
    aetius = argc > 1 ? argv[1] : "build/aetius";
    if (argc > 2)
        cmocka_set_test_filter(argv[2]);
    self = realpath("/proc/self/exe", NULL);
    assert_non_null(mkdtemp(dir));
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char *command = mem_printf("rm -rf %s", dir);
    const int removed = system(command);
    free(command);
    free((char *)self);
    return failed || removed;
}
