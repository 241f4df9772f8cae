/* Ends of commands under difficult conditions: endless files, folders in use, closed streams, and
 * programs that may not connect. */
#include "rigs/endings.h"

#include "codec/blocks_file.h"
#include "report/run/csv.h"

#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>

static void
files_without_an_end_are_refused(void **state)
{
    static const struct {
        const char *words[6];
        const char *word;
        int status;
    } cases[] = {
        {{"params", "--config", "/dev/urandom"}, "not a regular file", 1},
        {{"params", "--config", "@pipe"}, "not a regular file", 1},
        {{"params", "--config", "@large.ini"}, "larger than 1048576 bytes", 1},
        {{"study", "compression", "--plan", "@pipe"}, "not a regular file", 1},
        {{"study", "compression", "--plan", "@large.ini"}, "larger than 1048576 bytes", 1},
        {{"study", "compression", "--plan", "/dev/zero"}, "not a regular file", 1},
        {{"info", "@pipe"}, "not a regular file", 1},
        {{"sim", "@pipe", "-o", "@run"}, "not a regular file", 1},
        {{"sim", "/dev/zero", "-o", "@run"}, "not a regular file", 1},
        {{"compare", "@pipe", "@pipe"}, "not a regular file", 1},
        {{"blocks", "/dev/zero"}, "not a block file", 1},
    };
    char *pipe = in_dir("pipe");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    free(pipe);
    put("large.ini", (1 << 20) + 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *words[WORDS] = {0};
        memcpy(words, cases[i].words, sizeof cases[i].words);
        if (!strcmp(words[0], "params"))
            words[0] = "stats"; /* stats has machine options */
        assert_int_equal(await(start(words, 0), 10000), cases[i].status);
        assert_true(reports(cases[i].word));
    }
    assert_false(is_there("run"));
    /* a file of the maximum size */
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
    assert_true(reports("--output requires a value"));
    assert_int_equal(RUN("sim", TINY, "-o", "@run", "--config", ""), 2);
    assert_true(reports("--config requires a value"));
}

static void
runs_do_not_mix(void **state)
{
    struct error err;
    int lock = -1;
    char *run = in_dir("run"), *link = in_dir("run/frames"), *target = in_dir("elsewhere");
    assert_true(dir_create(run, &err) && dir_lock(run, &lock, &err));
    assert_int_equal(RUN("sim", TINY, "-o", "@run"), 1);
    assert_true(reports("another process is using"));
    assert_int_equal(RUN("replay", TINY, "-o", "@run", "--force"), 1);
    dir_unlock(lock);
    /* an interrupted run may leave only a frame or only a table */
    assert_true(dir_create(link, &err));
    put("run/frames/frame-0009.png", 1);
    assert_int_equal(RUN("sim", TINY, "-o", "@run"), 1);
    assert_true(reports("--force"));
    assert_int_equal(RUN("replay", TINY, "-o", "@run"), 1);
    assert_int_equal(RUN("replay", TINY, "-o", "@run", "--force"), 0);
    assert_false(is_there("run/frames/frame-0009.png"));
    assert_true(is_there("run/frames/frame-0001.png"));
    clean(NULL);
    assert_true(dir_create(run, &err));
    put("run/stats.cycles.csv.gz", 1);
    assert_int_equal(RUN("sim", TINY, "-o", "@run"), 1);
    clean(NULL);
    /* a parameter sets the name of a file; files of the user are replaced only with --force */
    assert_true(dir_create(run, &err));
    put("run/thesis.tex", 1);
    assert_int_equal(RUN("sim", TINY, "-o", "@run", "--set", "SIMULATOR.StatsFile=thesis.tex"), 1);
    assert_true(reports("--force"));
    assert_int_equal(RUN("sim", TINY, "-o", "@other", "--set", "SIMULATOR.StatsFile=run.json.part"),
                     1);
    assert_true(reports("two output files have the name 'run.json.part'"));
    assert_int_equal(RUN("sim", TINY, "-o", "@other", "--set", "SIMULATOR.StatsFile=frames"), 1);
    assert_true(reports("two output files have the name 'frames'"));
    put("mine.blocks", 3);
    assert_int_equal(RUN("blocks", "-", "-o", "@mine.blocks"), 1);
    assert_true(reports("already exists"));
    clean(NULL);
    /* the command removes or writes nothing through a link */
    assert_true(dir_create(run, &err) && dir_create(target, &err));
    put("elsewhere/frame-0000.png", 1);
    assert_int_equal(symlink(target, link), 0);
    assert_int_equal(RUN("sim", TINY, "-o", "@run", "--force"), 1);
    assert_true(reports("is not a folder"));
    assert_true(is_there("elsewhere/frame-0000.png"));
    unlink(link);
    char *report = in_dir("report"), *part = in_dir("report.part"), *other = in_dir("mine");
    put("mine", 1);
    assert_int_equal(symlink(other, part), 0);
    assert_true(file_write(report, "more", 4, &err));
    free(report);
    free(part);
    free(other);
    char *mine_said = file_text("mine");
    assert_string_equal(mine_said, ";");
    free(mine_said);
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

/* A small file creates 32 textures of 64 MB. The host memory of a file is limited, and an option
 * changes the limit. */
static void
what_resources_hold_has_an_end(void **state)
{
    enum { SIDE = 4096, COUNT = 32 };
    char *path = in_dir("large.trace");
    write_trace(path,
                &(struct resource_desc){.target = TARGET_2D,
                                        .format = FORMAT_B8G8R8A8_UNORM,
                                        .bind = BIND_SAMPLER_VIEW,
                                        .width = SIDE,
                                        .height = SIDE,
                                        .depth = 1,
                                        .array_size = 1},
                COUNT);
    free(path);
    assert_int_equal(RUN("replay", "@large.trace", "-o", "@pictures"), 1);
    assert_true(reports("1536 MiB of host memory: raise --memory"));
    assert_int_equal(RUN("replay", "@large.trace", "-o", "@pictures", "--memory", "2000M"), 1);
    assert_int_equal(RUN("replay", "@large.trace", "-o", "@pictures", "--memory", "3G"), 0);
    assert_int_equal(RUN("replay", "@large.trace", "-o", "@more", "--memory", "much"), 2);
    assert_int_equal(RUN("verify", "@large.trace"), 1);
    assert_true(reports("raise"));
    assert_int_equal(RUN("sim", "@large.trace", "-o", "@run"), 1);
    assert_true(reports("raise MEMORYCONTROLLER.MemorySize"));
    assert_int_equal(
        RUN("sim", "@large.trace", "-o", "@run", "--set", "MEMORYCONTROLLER.MemorySize=3000000000"),
        0);
}

/* If a standard stream is closed, the program opens /dev/null in its place. So messages never go
 * into an output file with that descriptor. */
static void
closed_streams_are_not_files(void **state)
{
    const pid_t child = fork();
    if (child == 0) {
        chdir(dir);
        for (int fd = 0; fd < 3; fd++)
            close(fd);
        execl(aetius, aetius, "sim", WORKLOADS, "-o", "run", (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < 5000 && !is_there("run/frames/frame-0000.png"); i++)
        pause_ms(1);
    for (int fd = 0; fd < 3; fd++) {
        char target[64] = "", *link = mem_printf("/proc/%d/fd/%d", (int)child, fd);
        assert_true(readlink(link, target, sizeof target - 1) > 0);
        assert_string_equal(target, "/dev/null");
        free(link);
    }
    kill(child, SIGTERM);
    await(child, 5000);
    /* a message that cannot be printed is an error */
    char *command = mem_printf("%s sim %s -o %s/other <&- >&- 2>&-", aetius, TINY, dir);
    assert_int_equal(WEXITSTATUS(system(command)), 1);
    assert_true(is_there("other/run.json"));
    free(command);
}

static void
a_cut_that_fails_leaves_no_file(void **state)
{
    static const char *const words[] = {"trim", TINY, "--frames", "1", "-o", "@cut", NULL};
    static const rlim_t limits[] = {20, 1000, 3000}; /* in the header of the file and after it */
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(await(start(words, limits[i]), 20000), 1);
        assert_false(is_there("cut"));
    }
    assert_int_equal(RUN("trim", TINY, "--frames", "1", "-o", "@cut"), 0);
    assert_true(is_there("cut"));
    clean(NULL);
    /* no empty folder is left if the ranges are wrong */
    assert_int_equal(RUN("trim", TINY, "--frames", "0,0,0", "-o", "@cut"), 1);
    assert_false(is_there("cut"));
}

/* Returns the frames in a table, in run.json or in the folder of pictures, one bit each. */
static uint32_t
frames_of(const char *folder, const char *table)
{
    struct csv_table rows;
    struct error err;
    uint32_t frames = 0;
    char *path = mem_printf("%s/%s/%s", dir, folder, table);
    if (!csv_read(&rows, path, &err))
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < rows.rows; i++)
        frames |= 1u << (uint32_t)csv_value(&rows, i, csv_column(&rows, "frame"));
    csv_table_fini(&rows);
    free(path);
    return frames;
}

/* On a disk with space for some of the frames, only whole frames are left, the same ones in all
 * files. Only users with permission to mount file systems can create
 * such a disk. */
static void
a_full_disk_keeps_whole_frames(void **state)
{
    static const char *const tables[] = {"stats.frames.csv.gz", "stats.draws.csv.gz",
                                         "stats.cycles.csv.gz", "stats.draws.shader.csv.gz"};
    char *disk = in_dir("disk");
    struct error err;
    assert_true(dir_create(disk, &err));
    for (uint32_t i = 0; i < 12; i++) {
        char *size = mem_printf("size=%uk", 200 + i / 2 * 50);
        if (mount("tmpfs", disk, "tmpfs", 0, size)) {
            free(size);
            free(disk);
            skip();
        }
        const int status = RUN("sim", WORKLOADS, "--jobs", i % 2 ? "3" : "1", "-o", "@disk/run");
        if (is_there("disk/run/run.json")) {
            const uint32_t frames = frames_of("disk/run", tables[0]);
            for (uint32_t t = 1; t < sizeof tables / sizeof *tables; t++)
                assert_int_equal(frames_of("disk/run", tables[t]), frames);
            char *json = file_text("disk/run/run.json");
            for (uint32_t f = 0; f < 7; f++) {
                char *picture = mem_printf("disk/run/frames/frame-%04u.png", f);
                char *fact = mem_printf("\"frame\":\t%u,", f);
                assert_int_equal(is_there(picture), frames >> f & 1);
                assert_int_equal(strstr(json, fact) != NULL, frames >> f & 1);
                free(picture);
                free(fact);
            }
            assert_true(status == 0 || frames != 127);
            free(json);
        }
        assert_int_equal(umount(disk), 0);
        free(size);
    }
    free(disk);
}

static int
clean_disk(void **state)
{
    char *disk = in_dir("disk");
    umount2(disk, MNT_DETACH); /* mounted by an earlier test that failed */
    free(disk);
    return clean(state);
}

/* The file has 17 blocks, each with a count of 2^32 - 1, which are 18.7 TB. */
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
    assert_true(reports("18691697667840 bytes"));
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

/* If frames cannot be extracted from a recording, the recording is kept. */
static void
a_recording_that_is_not_cut_is_kept(void **state)
{
    char *build = mem_strdup(aetius), *slash = strrchr(build, '/'), *cut = in_dir("cut");
    if (slash)
        *slash = '\0';
    char *program = mem_printf("%s/benchmarks/gl/offscreen", slash ? build : ".");
    const bool built = file_exists(program);
    /* the program makes a folder with the name of the output */
    char *script = mem_printf("mkdir %s && exec %s --frames 3", cut, program);
    if (built) {
        assert_int_equal(
            RUN("capture", "--force", "-o", "@cut", "--frames", "1", "--", "/bin/sh", "-c", script),
            1);
        assert_true(reports("the first 2 frames are in"));
        assert_int_equal(RUN("trim", "@cut.part", "--frames", "1", "-o", "@one"), 0);
        assert_false(is_there("cut.contents.part"));
    }
    free(script);
    free(program);
    free(build);
    free(cut);
    if (!built)
        skip();
}

/* Files and links exist under the names that a command uses for temporary files or in a folder. The
 * command writes nothing through a link, and the next capture does not remove a recording. */
static void
nothing_is_written_through_links(void **state)
{
    static const char *const links[] = {
        "a.part",
        "a.contents.part",
        "b/frames-0-0.trace",
        "a.part.unfinished",
        "a.contents.part.unfinished",
        "b/frames-0-0.trace.unfinished",
    };
    char *build = mem_strdup(aetius), *slash = strrchr(build, '/'), *mine = in_dir("mine");
    if (slash)
        *slash = '\0';
    char *program = mem_printf("%s/benchmarks/gl/offscreen", slash ? build : ".");
    const bool built = file_exists(program);
    char *folder = in_dir("b");
    struct error err;
    put("mine", 100);
    assert_true(dir_create(folder, &err));
    free(folder);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        char *link = in_dir(links[i]);
        assert_int_equal(symlink(mine, link), 0);
        free(link);
    }
    assert_int_equal(RUN("trim", TINY, "--frames", "0,1", "-o", "@b"), 1);
    assert_int_equal(RUN("trim", TINY, "--frames", "0,1", "--force", "-o", "@b"), 0);
    if (built)
        assert_int_equal(
            RUN("capture", "--force", "-o", "@a", "--frames", "1", "--", program, "--frames", "3"),
            0);
    /* the trace replaces a link that the user names */
    struct stat st;
    char *named = in_dir("named");
    assert_int_equal(symlink(mine, named), 0);
    assert_int_equal(RUN("trim", TINY, "--frames", "0", "--force", "-o", "@named"), 0);
    assert_true(!lstat(named, &st) && S_ISREG(st.st_mode));
    free(named);
    assert_int_equal(stat(mine, &st), 0);
    assert_int_equal(st.st_size, 100);
    put("d.part", 100);
    assert_int_equal(RUN("capture", "-o", "@d", "--frames", "1", "--", "true"), 1);
    assert_true(reports("recorded by an earlier capture"));
    assert_true(is_there("d.part"));
    free(program);
    free(build);
    free(mine);
}

/* If a program does not exist or draws nothing, an existing trace is kept. */
static void
an_older_trace_stays(void **state)
{
    static const char *const programs[] = {"./misspelled", "true"};
    struct stat st;
    char *old = in_dir("old");
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        put("old", 100);
        assert_int_equal(RUN("capture", "--force", "-o", "@old", "--", programs[i]), 1);
        assert_int_equal(stat(old, &st), 0);
        assert_int_equal(st.st_size, 100);
        assert_false(is_there("old.unfinished"));
    }
    unlink(old);
    free(old);
}

/* A second capture to the same file does not affect the first one. */
static void
captures_do_not_mix(void **state)
{
    static const char *const words[] = {"capture", "-o", "@capture", "--frames", "3-4",
                                        "--force", "--", "sleep",    "60",       NULL};
    const pid_t first = start(words, 0);
    for (int i = 0; i < 500 && !is_there("capture.part.unfinished"); i++)
        pause_ms(10);
    pause_ms(50);
    assert_int_equal(await(start(words, 0), 5000), 1);
    assert_true(reports("another process is writing"));
    assert_true(is_there("capture.part.unfinished"));
    kill(first, SIGTERM);
    assert_int_equal(await(first, 5000), 143);
}

/* The folder of a run contains a small file that describes very many numbers. */
static void
tables_of_a_run_have_an_end(void **state)
{
    char *command = mem_printf("cd %s && printf a >row && head -c 268435456 /dev/zero | tr '\\0' 1 "
                               ">>row && gzip -1 <row >run/stats.frames.csv.gz",
                               dir);
    assert_int_equal(RUN("sim", TINY, "-o", "@run"), 0);
    assert_int_equal(RUN("compare", "@run", "@run"), 0);
    assert_int_equal(system(command), 0);
    assert_int_equal(RUN("compare", "@run", "@run"), 1);
    assert_true(reports("tables of 268435456 bytes or more"));
    put("run/run.json", (1 << 24) + 1);
    assert_int_equal(RUN("compare", "@run", "@run"), 1);
    assert_true(reports("larger than 16777216 bytes"));
    free(command);
}

/* Sends the first message of the X11 protocol, with or without a cookie. Returns whether the server
 * accepts the client. */
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

/* Acts as the captured program. Returns 7 if the server requires a cookie, and accepts ours. */
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
    assert_true(reports("exit status 7"));
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(files_without_an_end_are_refused, clean),
        cmocka_unit_test_teardown(an_empty_name_is_wrong_usage, clean),
        cmocka_unit_test_teardown(runs_do_not_mix, clean),
        cmocka_unit_test_teardown(closed_streams_are_not_files, clean),
        cmocka_unit_test_teardown(a_cut_that_fails_leaves_no_file, clean),
        cmocka_unit_test_teardown(a_full_disk_keeps_whole_frames, clean_disk),
        cmocka_unit_test_teardown(raw_blocks_are_counted_before_they_are_written, clean),
        cmocka_unit_test_teardown(a_recording_that_is_not_cut_is_kept, clean),
        cmocka_unit_test_teardown(nothing_is_written_through_links, clean),
        cmocka_unit_test_teardown(an_older_trace_stays, clean),
        cmocka_unit_test_teardown(captures_do_not_mix, clean),
        cmocka_unit_test_teardown(tables_of_a_run_have_an_end, clean),
        cmocka_unit_test_teardown(the_x_server_wants_a_cookie, clean),
        cmocka_unit_test_teardown(what_resources_hold_has_an_end, clean),
    };
    if (argc > 1 && !strcmp(argv[1], "probe"))
        return probe();
    return endings_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
