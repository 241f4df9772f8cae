/* aetius topdown --profile and --profile-folder. Scripts that print real files of nvprof and ncu
 * replace the profilers. */
#include "base/build.h"
#include "base/file.h"
#include "base/mem.h"

#include "rigs/command.h"
#include "rigs/folder.h"
#include "rigs/needs.h"

#include <cjson/cJSON.h>
#include <string.h>
#include <sys/stat.h>

#define FILES AETIUS_SOURCE_DIR "/tests/golden/profiler/"

/* Writes a script of one line of shell to a folder of the PATH. */
static void
script(const char *dir, const char *name, const char *line)
{
    char path[256], text[1024];
    struct error err;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", line);
    assert_true(file_write(path, text, strlen(text), &err));
    assert_int_equal(chmod(path, 0755), 0);
}

/* The script parses --log-file and the program as the real profilers do. */
#define AS_PROFILER(file)                                                                          \
    "echo \"args=$*\"; while [ \"$1\" ]; do case $1 in --log-file) log=$2; shift 2;; "             \
    "--metrics|--events|--page|--kernels|--kernel-id) shift 2;; --csv) shift;; "                   \
    "--print-gpu-trace) each=1; shift;; *) break;; esac; done; echo "                              \
    "each=$each; \"$@\" || exit 3; cat " file " >\"$log\""

static void
profilers(void **state)
{
    static struct command_result cmd;
    char dir[] = "/tmp/aetius-bin-XXXXXX", path[512], log[64], *old = strdup(getenv("PATH"));
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s:%s", dir, old);
    snprintf(log, sizeof log, "%s/log.csv", dir);
    setenv("PATH", path, 1);
    script(dir, "nvprof", AS_PROFILER(FILES "nvprof-metrics.csv"));
    script(dir, "ncu", AS_PROFILER(FILES "ncu-wide.csv"));
    script(dir, "program", "echo \"output of $*\"");

    /* nvidia-smi determines the chip; the output of the program is not part of the result */
    script(dir, "nvidia-smi", "echo 8.6");
    RUN(&cmd, "topdown", "--profile", "--json", "--", "program", "a b");
    assert_int_equal(cmd.status, 0);
    assert_null(strstr(cmd.out, "output of"));
    assert_non_null(strstr(cmd.err, "output of a b"));
    assert_non_null(strstr(cmd.out, "\"vector_add(double *, double *, double *)\""));
    script(dir, "nvidia-smi", "echo 3.5");
    RUN(&cmd, "topdown", "--profile", "-o", log, "--", "program");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "IPC at most 8"));
    assert_true(file_exists(log));
    assert_null(strstr(cmd.err, "each=1"));
    RUN(&cmd, "topdown", "--profile", "--over-time", "--", "program");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.err, "each=1"));
    /* the profiler gets the kernel's name and the limit of launches */
    RUN(&cmd, "topdown", "--profile", "--kernel", "__kernel___forma_kernel__0__", "--launches", "2",
        "--", "program");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.err, " --kernels ::__kernel___forma_kernel__0__:^(1|2)$ --events"));
    /* a level asks only for its metrics, and misses no others */
    RUN(&cmd, "topdown", "--print-command", "--cc", "7.5", "--level", "1");
    assert_null(strstr(cmd.out, "long_scoreboard"));
    assert_non_null(strstr(cmd.out, "barrier"));
    RUN(&cmd, "topdown", "--print-command", "--cc", "7.5");
    assert_non_null(strstr(cmd.out, "long_scoreboard"));

    /* --cc has priority; a failure of the profiler is a failure of the command */
    RUN(&cmd, "topdown", "--profile", "--cc", "7.5", "--overhead", "--", "program");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "times as long"));
    if (has_program("gnuplot")) { /* the figure has the program's bar */
        char *text;
        size_t size;
        struct error err;
        RUN(&cmd, "topdown", "--profile", "--cc", "7.5", "--overhead", "--svg", log, "--force",
            "--", "program");
        assert_int_equal(cmd.status, 0);
        assert_true(file_read(log, FILE_MOST_TEXT, &text, &size, &err));
        assert_non_null(strstr(text, "Overhead of profiling"));
        assert_non_null(strstr(text, ">program<"));
        free(text);
    }
    RUN(&cmd, "topdown", "--profile", "--cc", "7.5", "--", "no-such-program");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "ncu ended with exit status 3"));
    /* the profiler's own message is in the file of its tables */
    script(dir, "ncu",
           "while [ \"$1\" != --log-file ]; do shift; done; "
           "printf '==PROF== a\\n==ERROR== LaunchFailed\\n==ERROR== b\\n' >\"$2\"; exit 9");
    RUN(&cmd, "topdown", "--profile", "--cc", "7.5", "--", "program");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "ncu ended with exit status 9: LaunchFailed\n"));
    script(dir, "nvidia-smi", "exit 9");
    RUN(&cmd, "topdown", "--profile", "--", "program");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "--cc X.Y"));
    /* a profile that cannot be analyzed is kept */
    script(dir, "ncu", AS_PROFILER("/dev/null"));
    RUN(&cmd, "topdown", "--profile", "--cc", "7.5", "--", "program");
    assert_int_equal(cmd.status, 1);
    char *kept = strstr(cmd.err, "/tmp/aetius-topdown-");
    assert_non_null(kept);
    kept[strcspn(kept, " \n")] = '\0';
    assert_int_equal(unlink(kept), 0);

    setenv("PATH", old, 1);
    free(old);
    dir_remove_files(dir, NULL);
}

/* ---- the programs of a folder ---- */

/* A folder with scripts in bin, programs in it, and results in out. */
struct bench {
    char dir[32], programs[64], out[64], *path;
};

static void
put(const struct bench *bench, const char *name, const char *text)
{
    char path[256];
    struct error err;
    snprintf(path, sizeof path, "%s/%s", bench->programs, name);
    assert_true(file_write(path, text, strlen(text), &err));
}

static void
make_folder(const struct bench *bench, const char *name)
{
    char path[256];
    struct error err;
    snprintf(path, sizeof path, "%s/%s", bench->programs, name);
    assert_true(dir_create(path, &err));
}

static void
bench_init(struct bench *bench)
{
    char bin[64], path[512], folder[128];
    struct error err;
    strcpy(bench->dir, "/tmp/aetius-bench-XXXXXX");
    assert_non_null(mkdtemp(bench->dir));
    snprintf(bin, sizeof bin, "%s/bin", bench->dir);
    snprintf(bench->programs, sizeof bench->programs, "%s/programs", bench->dir);
    snprintf(bench->out, sizeof bench->out, "%s/out", bench->dir);
    assert_true(dir_create(bin, &err));
    bench->path = strdup(getenv("PATH"));
    snprintf(path, sizeof path, "%s:%s", bin, bench->path);
    setenv("PATH", path, 1);
    snprintf(path, sizeof path, "echo \"$*\" >>%s/calls; " AS_PROFILER(FILES "ncu-wide.csv"),
             bench->dir);
    script(bin, "ncu", path);
    snprintf(path, sizeof path, "echo \"$*\" >>%s/calls; " AS_PROFILER(FILES "nvprof-metrics.csv"),
             bench->dir);
    script(bin, "nvprof", path);
    script(bin, "nvidia-smi", "echo 8.6");
    make_folder(bench, "suite/gamma");
    make_folder(bench, "empty");
    put(bench, "text", "not executable");
    put(bench, "suite/gamma/run", "#!/bin/sh\nset -ue\n\n./prog 1 'a b'\n  ./prog 2\n");
    script(bench->programs, "alpha", "exit 0");
    snprintf(folder, sizeof folder, "%s/suite/gamma", bench->programs);
    script(folder, "prog", "echo \"$# arguments, the last is $2, in $(basename $(pwd))\"");
}

static void
bench_fini(struct bench *bench)
{
    setenv("PATH", bench->path, 1);
    free(bench->path);
    assert_true(remove_folder(bench->dir));
}

/* Number of calls of the profilers so far. *last: the last command line; the caller frees it. */
static uint32_t
calls(const struct bench *bench, char **last)
{
    char path[64], *text;
    size_t size;
    struct error err;
    uint32_t count = 0;
    snprintf(path, sizeof path, "%s/calls", bench->dir);
    assert_true(file_read(path, FILE_MOST_TEXT, &text, &size, &err));
    *last = strdup("");
    for (char *save, *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        free(*last);
        *last = strdup(line);
        count++;
    }
    free(text);
    return count;
}

static void
expect_calls(const struct bench *bench, uint32_t expected)
{
    char *last;
    assert_int_equal(calls(bench, &last), expected);
    free(last);
}

#define FOLDER(cmd, bench, ...)                                                                    \
    RUN(cmd, "topdown", "--profile-folder", (bench)->programs, "-o", (bench)->out, __VA_ARGS__)

/* Profiles the three programs, and each of them once. */
static void
folder_of_programs(void **state)
{
    static const char *const names[] = {"alpha", "suite-gamma-1", "suite-gamma-2"};
    static struct command_result cmd;
    struct bench bench;
    struct error err;
    char path[128], *text, *last;
    size_t size;
    bench_init(&bench);
    FOLDER(&cmd, &bench, "--overhead", "--json");
    assert_int_equal(cmd.status, 0);
    cJSON *root = cJSON_Parse(cmd.out), *application;
    const cJSON *applications = cJSON_GetObjectItem(root, "applications");
    assert_int_equal(cJSON_GetArraySize(applications), 3);
    uint32_t count = 0;
    cJSON_ArrayForEach(application, applications)
    {
        const cJSON *overhead = cJSON_GetObjectItem(application, "overhead");
        assert_string_equal(cJSON_GetObjectItem(application, "name")->valuestring, names[count++]);
        assert_true(cJSON_GetObjectItem(overhead, "seconds_alone")->valuedouble > 0);
        assert_true(cJSON_GetObjectItem(overhead, "seconds_profiled")->valuedouble > 0);
        assert_true(cJSON_IsObject(cJSON_GetObjectItem(application, "tree")));
    }
    cJSON_Delete(root);
    expect_calls(&bench, 3);
    /* the programs ran in their folders with their arguments: alone, and below the profiler */
    snprintf(path, sizeof path, "%s/suite-gamma-1.log", bench.out);
    assert_true(file_read(path, FILE_MOST_TEXT, &text, &size, &err));
    const char *first = strstr(text, "2 arguments, the last is a b, in gamma\n");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, "2 arguments, the last is a b, in gamma\n"));
    free(text);

    /* another call runs nothing, and prints the overheads again */
    FOLDER(&cmd, &bench, "--level", "4"); /* asks for the same metrics as no level */
    assert_int_equal(cmd.status, 0);
    expect_calls(&bench, 3);
    assert_non_null(strstr(cmd.out, "overhead"));
    assert_non_null(strstr(cmd.out, "suite-gamma-2 "));
    assert_non_null(strstr(cmd.out, " times as long"));
    /* a program without a record, as after an interruption, is profiled; so is one whose tables
     * are damaged */
    snprintf(path, sizeof path, "%s/suite-gamma-1.json", bench.out);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/alpha.csv", bench.out);
    assert_true(file_write(path, "cut", 3, &err));
    FOLDER(&cmd, &bench, "--overhead");
    assert_int_equal(cmd.status, 0);
    expect_calls(&bench, 5);
    /* the first level asks for fewer metrics; the other profiler */
    FOLDER(&cmd, &bench, "--level", "1", "--kernel", "vector_add", "--launches", "9");
    assert_int_equal(cmd.status, 0);
    assert_int_equal(calls(&bench, &last), 8);
    assert_null(strstr(last, "long_scoreboard"));
    assert_non_null(strstr(last, "--kernel-id ::regex:vector_add:^([1-8]|9)$"));
    assert_non_null(strstr(last, " ./prog 2"));
    free(last);
    FOLDER(&cmd, &bench, "--cc", "3.5");
    assert_int_equal(cmd.status, 0);
    assert_int_equal(calls(&bench, &last), 11);
    assert_non_null(strstr(last, "--events elapsed_cycles_sm"));
    free(last);
    bench_fini(&bench);
}

/* A program without the kernel is named, and the others are analysed. */
static void
folder_without_kernel(void **state)
{
    static const char other[] = "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\","
                                "\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n"
                                "\"Tesla K40c (0)\",\"other\",1,\"ipc\",\"IPC\",1,1,1\n";
    static struct command_result cmd;
    struct bench bench;
    struct error err;
    char path[128];
    bench_init(&bench);
    FOLDER(&cmd, &bench, "--cc", "3.5", "--kernel", "forma", "--json");
    assert_int_equal(cmd.status, 0);
    snprintf(path, sizeof path, "%s/alpha.csv", bench.out);
    assert_true(file_write(path, other, strlen(other), &err));
    FOLDER(&cmd, &bench, "--cc", "3.5", "--kernel", "forma", "--json");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.err, "warning: alpha: no kernel is named forma"));
    cJSON *root = cJSON_Parse(cmd.out);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(root, "applications")), 2);
    cJSON_Delete(root);
    FOLDER(&cmd, &bench, "--cc", "3.5", "--kernel", "nonesuch");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "no program can be analysed"));
    bench_fini(&bench);
}

/* Programs that fail are named, the others are analysed, and a later call tries them again. */
static void
folder_with_failures(void **state)
{
    static struct command_result cmd;
    struct bench bench;
    bench_init(&bench);
    make_folder(&bench, "shell");
    put(&bench, "shell/run", "./a >file\n");
    make_folder(&bench, "nothing");
    put(&bench, "nothing/run", "$EMPTY_WORD\n"); /* expands to no word */
    setenv("EMPTY_WORD", "", 1);
    script(bench.programs, "beta", "exit 4");
    FOLDER(&cmd, &bench, "--json");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "beta: ncu ended with exit status 3"));
    assert_non_null(strstr(cmd.err, "shell/run: './a >file'"));
    assert_non_null(strstr(cmd.err, "3 of 6 programs were not profiled"));
    cJSON *root = cJSON_Parse(cmd.out);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(root, "applications")), 3);
    cJSON_Delete(root);
    expect_calls(&bench, 4);
    script(bench.programs, "beta", "exit 0");
    FOLDER(&cmd, &bench, "--json");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "2 of 6 programs were not profiled"));
    expect_calls(&bench, 5);
    bench_fini(&bench);
    RUN(&cmd, "topdown", "--profile-folder", "/nowhere", "-o", "/tmp/aetius-no", "--cc", "8.6");
    assert_int_equal(cmd.status, 1);
    assert_false(file_exists("/tmp/aetius-no"));
    RUN(&cmd, "topdown", "--profile-folder", "/tmp");
    assert_int_equal(cmd.status, 2);
    RUN(&cmd, "topdown", "--profile-folder", "/tmp", "-o", "/tmp/aetius-no", "--profile", "--",
        "a");
    assert_int_equal(cmd.status, 2);
}

/* One figure has the overhead of all programs, another their trees. */
static void
folder_figures(void **state)
{
    static struct command_result cmd;
    struct bench bench;
    char svg[64], *text;
    size_t size;
    struct error err;
    needs_program("gnuplot");
    bench_init(&bench);
    snprintf(svg, sizeof svg, "%s/figure.svg", bench.dir);
    for (int overhead = 1; overhead >= 0; overhead--) {
        FOLDER(&cmd, &bench, "--svg", svg, "--force", overhead ? "--overhead" : NULL);
        assert_int_equal(cmd.status, 0);
        assert_true(file_read(svg, FILE_MOST_TEXT, &text, &size, &err));
        assert_int_equal(strstr(text, "Overhead of profiling") != NULL, overhead);
        assert_int_equal(strstr(text, ">backend<") != NULL, !overhead);
        assert_non_null(strstr(text, ">alpha"));
        assert_non_null(strstr(text, ">suite-gamma-1"));
        assert_non_null(strstr(text, ">suite-gamma-2"));
        free(text);
    }
    expect_calls(&bench, 3);
    bench_fini(&bench);
}

int
main(int argc, char **argv)
{
    unsetenv("COLUMNS"); /* output to a file has no line width */
    aetius = argc > 1 ? argv[1] : "build/aetius";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profilers),
        cmocka_unit_test(folder_of_programs),
        cmocka_unit_test(folder_with_failures),
        cmocka_unit_test(folder_without_kernel),
        cmocka_unit_test(folder_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
