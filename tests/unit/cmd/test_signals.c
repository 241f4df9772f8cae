/* Signals in every phase of every command: commands end in time and keep their complete outputs. */
#include "rigs/scene.h"
/* last, because cmocka.h defines a macro fail() */
#include "rigs/endings.h"

#include "base/interrupt.h"
#include "trace/virgl/vtest/vtest_protocol.h"
#include "trace/virgl/vtest/vtest_wire.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <sys/inotify.h>
#include <sys/socket.h>

enum { MANY = 200000 };

/* Writes many small resources. */
static void
write_many(const char *path, uint32_t count)
{
    write_trace(path,
                &(struct resource_desc){.target = TARGET_BUFFER,
                                        .format = FORMAT_R8_UNORM,
                                        .bind = BIND_VERTEX_BUFFER,
                                        .width = 1,
                                        .height = 1,
                                        .depth = 1,
                                        .array_size = 1},
                count);
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

/* No command finishes its work after a signal, and the exit status shows the signal. Some commands
 * may finish before the signal arrives. */
static void
signals_are_obeyed(void **state)
{
    static const int waits[] = {20, 150, 600};
    char *many = in_dir("many.trace");
    uint32_t obeyed = 0;
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
            obeyed += status == 128 + number;
        }
    print_message("%u of them were obeyed, the last %.2f s after it came\n", obeyed, slowest);
    assert_true(obeyed > 50);
}

/* Writes two frames: either a draw with very many points, or very many uploads. Even a fast host
 * does not finish either before the signal. */
static void
write_long(const char *path, bool draws)
{
    static struct stream s;
    static const uint8_t texel[4] = {1, 2, 3, 4};
    enum { PUTS = 20000000, VERTICES = 1 << 24 };
    struct trace_writer *writer;
    struct error err;
    struct message message = {.kind = MESSAGE_CLIENT_BEGIN, .client = 1};
    assert_true(trace_writer_create(&writer, path, "long", &err));
    trace_writer_add(writer, &message, &err);
    message.kind = MESSAGE_RESOURCE_CREATE;
    for (size_t i = 0; i < sizeof scene_resources / sizeof *scene_resources; i++) {
        message.resource = scene_resources[i];
        trace_writer_add(writer, &message, &err);
    }
    s.count = 0;
    scene_objects(&s);
    scene_bindings(&s);
    if (draws)
        stream_draw(&s, PRIM_POINTS, 0, VERTICES);
    const struct message stream = stream_message(&s, 1);
    trace_writer_add(writer, &stream, &err);
    message = (struct message){
        .kind = MESSAGE_PUT, .client = 1, .bytes = texel, .size_bytes = sizeof texel};
    message.transfer.handle = RES_TEXTURE;
    message.transfer.box = (struct box){1, 1, 0, 1, 1, 1};
    for (uint32_t i = 0; i < PUTS && !draws; i++)
        trace_writer_add(writer, &message, &err);
    message = (struct message){.kind = MESSAGE_SWAP, .client = 1};
    message.transfer.handle = RES_COLOR;
    message.transfer.box = (struct box){0, 0, 0, 64, 32, 1};
    trace_writer_add(writer, &message, &err);
    if (draws) {
        trace_writer_add(writer, &stream, &err);
        trace_writer_add(writer, &message, &err);
    }
    assert_true(trace_writer_close(writer, &err));
}

/* Each of these commands takes seconds. The signal arrives during its work. */
static void
long_commands_are_left(void **state)
{
    static const char *const work[][WORDS] = {
        {"replay", "@puts.trace", "-o", "@run"},
        {"replay", "@draw.trace", "-o", "@run"},
        {"sim", "@draw.trace", "-o", "@run"},
        {"verify", "@draw.trace"},
        {"trim", "@puts.trace", "--frames", "0", "-o", "@cut"},
    };
    char *puts = in_dir("puts.trace"), *draw = in_dir("draw.trace");
    write_long(puts, false);
    write_long(draw, true);
    for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
        const pid_t child = start(work[i], 0);
        pause_ms(300);
        kill(child, SIGINT);
        const int status = await(child, 3000);
        if (status != 130)
            fail_msg("%s %s: %d", work[i][0], work[i][1], status);
        assert_false(is_there("run") || is_there("cut"));
    }
    free(puts);
    free(draw);
}

/* Sends a signal to each child of a process. Returns their number, or -1 if the system does not
 * list them. */
static int
signal_children(pid_t parent, int number)
{
    char *path = mem_printf("/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *file = fopen(path, "r");
    int child, count = 0;
    free(path);
    if (!file)
        return -1;
    for (; fscanf(file, "%d", &child) == 1; count++)
        kill(child, number);
    fclose(file);
    return count;
}

/* A stopped child does not receive a signal until it continues. This must not delay the other
 * children. */
static void
children_that_are_stopped_do_not_hold_the_end(void **state)
{
    static const char *const work[][WORDS] = {
        {"sim", "@draw.trace", "--jobs", "2", "-o", "@run"},
        {"run", "--", "sleep", "60"},
    };
    char *draw = in_dir("draw.trace");
    write_long(draw, true);
    free(draw);
    for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
        const pid_t child = start(work[i], 0);
        int stopped = 0;
        pause_ms(400);
        for (int t = 0; t < 100 && !(stopped = signal_children(child, SIGSTOP)); t++)
            pause_ms(100); /* the host may be slow */
        assert_int_not_equal(stopped, 0);
        pause_ms(50);
        kill(child, SIGTERM);
        assert_int_equal(await(child, 8000), 143);
        if (stopped < 0)
            skip();
    }
}

/* Writes a script to the test's folder, and adds the folder to the PATH. The script and the two
 * processes that it starts ignore SIGTERM. One of these processes is in a separate session. */
static void
write_deaf(const char *name)
{
    static const char text[] = "#!/bin/sh\ntrap '' TERM\nsleep 60 &\necho $! >>pids\n"
                               "setsid sh -c 'echo $$ >>pids; exec sleep 60' &\nsleep 60\n";
    char *path = in_dir(name), *paths = mem_printf("%s:%s", dir, getenv("PATH"));
    struct error err;
    assert_true(file_write(path, text, sizeof text - 1, &err));
    assert_int_equal(chmod(path, 0755), 0);
    setenv("PATH", paths, 1);
    free(path);
    free(paths);
}

static void
await_lines(const char *name, uint32_t count)
{
    for (int waited = 0; waited < 10000; waited += 10, pause_ms(10)) {
        uint32_t lines = 0;
        char *text = is_there(name) ? file_text(name) : mem_strdup("");
        for (const char *at = text; (at = strchr(at, '\n')); at++)
            lines++;
        free(text);
        if (lines >= count)
            return;
    }
    fail_msg("%s has not %u lines: %s", name, count, file_text("err"));
}

/* Returns the number of private folders. */
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

/* Processes that ignore SIGTERM do not delay the end by two seconds. The fastest of three tries
 * counts, because the host may be slow. */
static void
the_deaf_do_not_hold_the_end(void **state)
{
    static const char *const work[][WORDS] = {
        {"run", "--", "deaf"},
        {"capture", "-o", "@trace", "--", "deaf"},
        {"topdown", "--profile", "--cc", "7.5", "--", "program"},
        {"topdown", "--profile", "--", "program"},
    };
    static const char *const names[] = {"deaf", "ncu", "nvidia-smi"};
    char *path = mem_strdup(getenv("PATH"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        write_deaf(names[i]);
    for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
        double quickest = 60;
        for (uint32_t n = 0; n < 3 && quickest >= 1; n++) {
            char *pids = in_dir("pids");
            unlink(pids);
            free(pids);
            const pid_t child = start(work[i], 0);
            await_lines("pids", 2);
            const double begun = wall_seconds();
            if (i == 2) /* left in TMPDIR, where the next command would find it */
                assert_int_equal(count_folders(), 1);
            kill(child, SIGTERM);
            assert_int_equal(await(child, 5000), 143);
            assert_int_equal(count_folders(), 0);
            quickest = fmin(quickest, wall_seconds() - begun);
            char *text = file_text("pids"), *end = text;
            for (long pid; (pid = strtol(end, &end, 10));)
                if (!kill((pid_t)pid, 0) || errno != ESRCH)
                    fail_msg("`%s %s` left %ld", work[i][0], work[i][1], pid);
            free(text);
        }
        if (quickest >= 1)
            fail_msg("`%s %s` took %.2f s to end", work[i][0], work[i][1], quickest);
    }
    setenv("PATH", path, 1);
    free(path);
}

/* Until the first frame is complete, no output file looks complete. */
static void
a_run_killed_in_its_first_frame_leaves_nothing(void **state)
{
    static const char *const words[] = {"sim", WORKLOADS, "-o", "@run", NULL};
    static const int signals[] = {SIGINT, SIGKILL};
    for (uint32_t s = 0; s < 2; s++) {
        const pid_t child = start(words, 0);
        for (int i = 0; i < 5000 && !is_there("run/machine.ini"); i++)
            pause_ms(1);
        assert_true(is_there("run/machine.ini")); /* the run has begun */
        pause_ms(20);
        kill(child, signals[s]);
        await(child, 5000);
        if (is_there("run/frames/frame-0000.png"))
            continue; /* the frame was complete before the signal */
        assert_false(is_there("run/stats.cycles.csv.gz") || is_there("run/stats.frames.csv.gz") ||
                     is_there("run/stats.draws.csv.gz") || is_there("run/frames/frame-0000.png"));
        if (signals[s] == SIGINT)
            assert_false(is_there("run"));
    }
}

/* A table appears only after the first picture is complete, so a killed run can never leave one
 * without a picture. */
static void
tables_come_behind_the_first_picture(void **state)
{
    static _Alignas(struct inotify_event) char events[65536];
    char *run = in_dir("run"), *frames = in_dir("run/frames");
    struct error err;
    const int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    assert_true(watch >= 0 && dir_create(frames, &err));
    assert_true(inotify_add_watch(watch, run, IN_CREATE | IN_MOVED_TO) >= 0);
    assert_true(inotify_add_watch(watch, frames, IN_CREATE | IN_MOVED_TO) >= 0);
    assert_int_equal(RUN("sim", TINY, "-o", "@run"), 0);
    const ssize_t size = read(watch, events, sizeof events);
    uint32_t tables = 0;
    bool has_picture = false;
    for (ssize_t at = 0; at < size;) {
        const struct inotify_event *event = (const struct inotify_event *)(events + at);
        const bool is_table = !strncmp(event->name, "stats.", 6);
        assert_true(has_picture || !is_table);
        has_picture = has_picture || !strcmp(event->name, "frame-0000.png");
        tables += is_table;
        at += (ssize_t)sizeof *event + event->len;
    }
    assert_true(tables >= 3);
    close(watch);
    free(run);
    free(frames);
}

/* The run keeps frames that were complete at the signal, and run.json lists exactly these. */
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
        return; /* the run finished before the signal */
    assert_int_equal(status, 143);
    assert_true(reports("complete"));
    char *json = file_text("run/run.json");
    assert_non_null(strstr(json, "\"complete\":\tfalse"));
    free(json);
}

/* Captures `ranges` of a program that draws three frames and then sleeps. A signal arrives while it
 * sleeps, because the end of the program would end the third frame. */
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
        pause_ms(300); /* time for the end of the last frame to arrive */
        kill(child, SIGINT);
        assert_int_equal(await(child, 10000), 130);
    }
    free(script);
    free(program);
    free(build);
    return built;
}

/* A Ctrl-C keeps the complete ranges. If a range is incomplete, the recording is kept, too. */
static void
ranges_that_are_whole_survive_a_signal(void **state)
{
    if (!interrupt_capture("1-2"))
        skip();
    assert_true(reports("cut: frames 1 to 2"));
    assert_false(is_there("cut.part") || is_there("cut.contents.part"));
    assert_int_equal(RUN("verify", "@cut"), 0);
    clean(state);
    interrupt_capture("1,2-7");
    assert_true(reports("frames-1-1.trace: frame 1"));
    assert_true(reports("the first 3 frames are in"));
    assert_int_equal(RUN("verify", "@cut/frames-1-1.trace"), 0);
    assert_false(is_there("cut/frames-2-7.trace") || is_there("cut/contents.part"));
    assert_int_equal(RUN("trim", "@cut/part", "--frames", "2", "-o", "@two"), 0);
    clean(state);
    interrupt_capture("2-7");
    assert_true(reports("the first 3 frames are in"));
    assert_false(is_there("cut"));
    assert_true(is_there("cut.part"));
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

/* The command keeps the folder of a running process, and a locked folder whose process is not
 * visible. */
static void
folders_of_the_living_stay(void **state)
{
    static const char *const words[] = {"run", "--", "true", NULL};
    char *living = mem_printf("%s/aetius-%d-abcdef", dir, (int)getpid());
    const pid_t dead = fork();
    if (dead == 0)
        _exit(0);
    waitpid(dead, NULL, 0);
    char *locked = mem_printf("%s/aetius-%d-abcdef", dir, (int)dead);
    struct error err;
    int lock = -1;
    assert_true(dir_create(living, &err) && dir_create(locked, &err));
    assert_true(dir_lock(locked, &lock, &err));
    await(start(words, 0), 5000);
    assert_true(file_exists(living) && file_exists(locked));
    dir_unlock(lock);
    await(start(words, 0), 5000);
    assert_true(file_exists(living));
    assert_false(file_exists(locked));
    free(living);
    free(locked);
}

/* Acts as the captured program. Requests the capabilities repeatedly and never reads an answer. */
static int
unread(void)
{
    static const uint32_t ask[] = {0, VTEST_GET_CAPS};
    static const struct {
        uint32_t length, command;
        char name[4];
    } begin = {4, VTEST_CREATE_RENDERER, "own"};
    struct error err;
    const int fd = wire_connect_raw(getenv("VTEST_SOCKET_NAME"), &err);
    char *path = mem_printf("%s/asked", getenv("TMPDIR"));
    uint32_t asked = send(fd, &begin, sizeof begin, MSG_NOSIGNAL) == sizeof begin;
    while (asked && send(fd, ask, sizeof ask, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof ask)
        asked++;
    if (asked) /* until the socket is full, since an answer is much longer than a request */
        close(open(path, O_WRONLY | O_CREAT, 0666));
    pause_ms(60000);
    return 0;
}

/* The server waits ten seconds for a client that does not read, unless a signal arrives. */
static void
answers_that_are_not_read_do_not_hold_the_end(void **state)
{
    const pid_t child = start((const char *const[]){"run", "--", self, "unread", NULL}, 0);
    for (int waited = 0; waited < 10000 && !is_there("asked"); waited += 10)
        pause_ms(10);
    assert_true(is_there("asked"));
    pause_ms(300);
    kill(child, SIGTERM);
    assert_int_equal(await(child, 5000), 143);
}

static void
what_a_killed_process_left_is_removed(void **state)
{
    const pid_t dead = start_sleeper(1);
    kill(dead, SIGKILL);
    assert_int_equal(await(dead, 5000), -2);
    assert_int_equal(count_folders(), 1);
    const pid_t living = start_sleeper(1); /* this start removes the folder of the ended process */
    const pid_t second = start_sleeper(2); /* this start keeps the folder of a running process */
    kill(living, SIGTERM);
    kill(second, SIGTERM);
    assert_int_equal(await(living, 5000), 143);
    assert_int_equal(await(second, 5000), 143);
    assert_int_equal(count_folders(), 0);
}

/* A second signal of the same kind ends the process. One signal of each kind is recorded. */
static void
a_second_signal_is_the_end(void **state)
{
    int status;
    const pid_t child = fork();
    if (!child) {
        interrupt_watch();
        raise(SIGINT);
        raise(SIGTERM);
        if (!interrupt_pending())
            _exit(1);
        raise(SIGTERM);
        _exit(2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 128 + SIGTERM);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_signal_is_the_end),
        cmocka_unit_test_teardown(a_run_killed_in_its_first_frame_leaves_nothing, clean),
        cmocka_unit_test_teardown(tables_come_behind_the_first_picture, clean),
        cmocka_unit_test_teardown(whole_frames_are_kept, clean),
        cmocka_unit_test_teardown(ranges_that_are_whole_survive_a_signal, clean),
        cmocka_unit_test_teardown(folders_of_the_living_stay, clean),
        cmocka_unit_test_teardown(what_a_killed_process_left_is_removed, clean),
        cmocka_unit_test_teardown(signals_are_obeyed, clean),
        cmocka_unit_test_teardown(long_commands_are_left, clean),
        cmocka_unit_test_teardown(answers_that_are_not_read_do_not_hold_the_end, clean),
        cmocka_unit_test_teardown(the_deaf_do_not_hold_the_end, clean),
        cmocka_unit_test_teardown(children_that_are_stopped_do_not_hold_the_end, clean),
    };
    if (argc == 2 && !strcmp(argv[1], "unread"))
        return unread();
    return endings_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
