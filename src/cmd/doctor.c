/* aetius doctor: checks what Aetius needs on this machine: its files, the packages, the X server
 * and the limits. Then it captures a scene of two frames (benchmarks/gl/tiny), simulates it, and
 * checks the pictures. The steps of this test are separate processes of this program, so that a
 * crash in one step is reported as a result. */
#include "base/build.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/subprocess.h"
#include "base/text_table.h"
#include "cmd/options.h"
#include "sweep/store.h"
#include "trace/virgl/vtest/launch.h"
#include "trace/virgl/vtest/private_folder.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

int cmd_doctor(int argc, char **argv);

enum { MOST_OUTPUT = 1 << 20 };

/* FACT is not a check. WARNING: a part of Aetius is not available. */
enum state { FACT, WELL, WARNING, FAILED };
static const char *const state_names[] = {"", "ok", "warning", "failed"};

struct doctor {
    struct text_table table; /* state, name, text */
    cJSON *list;
    bool failed;
};

static void add(struct doctor *doctor, enum state state, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static void
add(struct doctor *doctor, enum state state, const char *name, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    text_table_left(&doctor->table, "%s", state_names[state]);
    text_table_left(&doctor->table, "%s", name);
    text_table_left(&doctor->table, "%s", text);
    text_table_end_row(&doctor->table);
    cJSON *check = cJSON_CreateObject();
    if (state != FACT)
        cJSON_AddStringToObject(check, "state", state_names[state]);
    cJSON_AddStringToObject(check, "name", name);
    cJSON_AddStringToObject(check, "text", text);
    cJSON_AddItemToArray(doctor->list, check);
    doctor->failed = doctor->failed || state == FAILED;
}

/* Runs a program and collects its output. Returns false with the last line of the output if it
 * fails. The caller frees *text. */
static bool
run(char *const *argv, char **text, struct error *err)
{
    const struct subprocess_setup setup = {
        .argv = argv, .output = SUBPROCESS_PIPE, .no_input = true};
    struct subprocess child;
    size_t size;
    int status;
    *text = NULL;
    if (!subprocess_start(&child, &setup, err) ||
        !subprocess_collect(&child, MOST_OUTPUT, text, &size, &status, err))
        return false;
    if (!status)
        return true;
    while (size && (*text)[size - 1] == '\n')
        (*text)[--size] = '\0';
    const char *last = strrchr(*text, '\n');
    last = last ? last + 1 : *text;
    char how[64];
    subprocess_describe(status, how, sizeof how);
    return fail(err, "%s", *last ? last : how);
}

/* ---- the machine ---- */

static void
check_system(struct doctor *doctor)
{
    struct utsname system;
    char *text = NULL;
    size_t size;
    struct error ignored;
    add(doctor, FACT, "aetius", "%s", version_text);
    const char *name = NULL;
    if (file_read("/etc/os-release", FILE_MOST_TEXT, &text, &size, &ignored))
        name = strstr(text, "PRETTY_NAME=\"");
    name = name ? name + strlen("PRETTY_NAME=\"") : "";
    if (!uname(&system))
        add(doctor, FACT, "system", "%s %s %s%s%.*s", system.sysname, system.release,
            system.machine, *name ? ", " : "", (int)strcspn(name, "\"\n"), name);
    free(text);
}

static void
check_file(struct doctor *doctor, enum state missing, const char *kind, const char *name,
           const char *what)
{
    char *path = data_path(kind, name);
    if (path)
        add(doctor, WELL, name, "%s", path);
    else
        add(doctor, missing, name, "not found: %s", what);
    free(path);
}

static void
check_files(struct doctor *doctor)
{
    check_file(doctor, FAILED, "configs", "reference-2008.ini", "the presets of GPUs");
    check_file(doctor, FAILED, "shim", "libaetius-shim.so", "`run` and `capture` need it");
    check_file(doctor, WARNING, "shim", "libaetius-clock.so", "--clock needs it");
    check_file(doctor, WARNING, "shim", "libaetius-window.so",
               "`import` needs it; it is built with libx11-dev");
    check_file(doctor, WARNING, "shim", "aetius-keys",
               "`capture --keys` needs it; it is built with libxtst-dev");
}

/* Debian packages. `tried`: the version with which Aetius is tested. A package without a program
 * has a library. */
static const struct {
    const char *package, *program, *tried, *needed_for;
    enum state missing;
} packages[] = {
    {"libgl1-mesa-dri", NULL, "22.3.6", "`run` and `capture`: Mesa's driver virpipe", FACT},
    {"virgl-server", "virgl_test_server", "0.10.4", "faster `capture`, and `--reference`", WARNING},
    {"xvfb", "Xvfb", "21.1.7", "programs without an X server (DISPLAY)", WARNING},
    {"apitrace", "apitrace", "11.1", "`import`, and `capture --api`", WARNING},
    {"gnuplot-nox", "gnuplot", "5.4", "charts", WARNING},
    {"graphviz", "dot", "2.42", "`diagram -o` with a picture", WARNING},
};

/* Returns the version of an installed package, or "". The caller frees the text. */
static char *
version_of(const char *package)
{
    char query[] = "dpkg-query", show[] = "-W", format[] = "-f=${Version}";
    char *name = mem_strdup(package), *text, *const argv[] = {query, show, format, name, NULL};
    struct error ignored;
    if (!run(argv, &text, &ignored)) {
        free(text);
        text = mem_strdup("");
    }
    free(name);
    return text;
}

static void
check_packages(struct doctor *doctor)
{
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
        const char *program = packages[i].program;
        char *path = program ? launch_find(program) : NULL;
        const bool is_there = !path || strchr(path, '/');
        char *version = version_of(packages[i].package);
        if (!is_there)
            add(doctor, packages[i].missing, program, "not found (package %s), for %s",
                packages[i].package, packages[i].needed_for);
        else if (path || *version)
            add(doctor, WELL, path ? program : packages[i].package, "%s%s%s (tried: %s)",
                path ? path : "", path && *version ? ", version " : "", version, packages[i].tried);
        free(version);
        free(path);
    }
}

static void
check_limit(struct doctor *doctor, int resource, const char *name, uint64_t least)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return;
    add(doctor, limit.rlim_cur < least ? WARNING : FACT, name, "%llu MB%s",
        (unsigned long long)limit.rlim_cur >> 20,
        limit.rlim_cur < least ? ": `sim` needs MEMORYCONTROLLER.MemoryGrows=FALSE" : "");
}

static void
check_environment(struct doctor *doctor)
{
    static const char *const names[] = {"TMPDIR",          "LD_PRELOAD",
                                        "LD_LIBRARY_PATH", "GALLIUM_DRIVER",
                                        "MESA_DEBUG",      "MESA_GL_VERSION_OVERRIDE",
                                        "LIBGL_DEBUG",     "__GLX_VENDOR_LIBRARY_NAME"};
    const char *display = getenv("DISPLAY");
    add(doctor, FACT, "processors", "%ld, %.1f GB of memory", sysconf(_SC_NPROCESSORS_ONLN),
        (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e9);
    check_limit(doctor, RLIMIT_AS, "ulimit -v", 5ull << 30);
    check_limit(doctor, RLIMIT_STACK, "ulimit -s", 0);
    if (display && *display)
        add(doctor, FACT, "DISPLAY", "%s: programs use this X server", display);
    else
        add(doctor, FACT, "DISPLAY", "not set: Aetius starts Xvfb");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            add(doctor, FACT, names[i], "%s", getenv(names[i]));
}

/* ---- the test ---- */

/* Runs this program. `words` end with NULL. */
static bool
run_self(const char *const *words, char **text, struct error *err)
{
    enum { MOST_WORDS = 16 };
    char *argv[MOST_WORDS + 2] = {mem_strdup("/proc/self/exe")};
    size_t count = 1;
    for (; words[count - 1] && count <= MOST_WORDS; count++)
        argv[count] = mem_strdup(words[count - 1]);
    const bool ok = run(argv, text, err);
    while (count-- > 0)
        free(argv[count]);
    return ok;
}
#define RUN(text, err, ...) run_self((const char *const[]){__VA_ARGS__, NULL}, text, err)

/* Adds the lines "NAME: text" that the scene printed. */
static void
add_strings(struct doctor *doctor, const char *text)
{
    static const char *const names[] = {"OpenGL", "GLSL", "renderer"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *head = mem_printf("%s: ", names[i]);
        const char *line = strstr(text, head);
        if (line)
            line += strlen(head);
        if (line)
            add(doctor, FACT, names[i], "%.*s", (int)strcspn(line, "\n"), line);
        free(head);
    }
}

/* Checks the comparison of the simulated pictures with those that the program read back. */
static void
check_pictures(struct doctor *doctor, const char *json, double seconds)
{
    cJSON *root = cJSON_Parse(json);
    const cJSON *total = cJSON_GetObjectItem(root, "total");
    const cJSON *wrong = cJSON_GetObjectItem(total, "interior_errors");
    const cJSON *psnr = cJSON_GetObjectItem(total, "psnr");
    if (!cJSON_IsNumber(wrong))
        add(doctor, FAILED, "pictures", "`aetius compare` printed no result");
    else if (wrong->valuedouble > 0)
        add(doctor, FAILED, "pictures", "%.0f pixels differ from those that the program read back",
            wrong->valuedouble);
    else if (cJSON_IsNumber(psnr))
        add(doctor, WELL, "pictures", "%.0f dB against those that the program read back (%.1f s)",
            psnr->valuedouble, seconds);
    else
        add(doctor, WELL, "pictures", "identical to those that the program read back (%.1f s)",
            seconds);
    cJSON_Delete(root);
}

/* Runs the steps until one fails. */
static void
test_in(struct doctor *doctor, const char *scene, const char *folder)
{
    char *trace = mem_printf("%s/tiny.trace", folder), *read = mem_printf("%s/read", folder);
    char *run_folder = mem_printf("%s/run", folder), *text;
    struct error err;
    const double begin = wall_seconds();
    const char *step = "capture";
    bool ok = RUN(&text, &err, "capture", "-o", trace, "--", scene, "--strings", "--save", read);
    if (text)
        add_strings(doctor, text);
    if (ok) {
        add(doctor, WELL, step, "recorded in %.1f s", wall_seconds() - begin);
        free(text);
        step = "verify";
        ok = RUN(&text, &err, "verify", trace);
    }
    if (ok) {
        add(doctor, WELL, step, "%.*s", (int)strcspn(text, "\n"), text);
        free(text);
        step = "sim";
        ok = RUN(&text, &err, "sim", trace, "-o", run_folder);
    }
    if (ok) {
        const char *cycles = strchr(text, '\n') ? strchr(text, '\n') + 1 : text;
        add(doctor, WELL, step, "%.*s", (int)strcspn(cycles, "\n"), cycles);
        free(text);
        step = "pictures";
        ok = RUN(&text, &err, "compare", read, run_folder, "--json");
    }
    if (ok)
        check_pictures(doctor, text, wall_seconds() - begin);
    else
        add(doctor, FAILED, step, "%s", err.text);
    free(text);
    free(run_folder);
    free(read);
    free(trace);
}

static void
run_test(struct doctor *doctor)
{
    char *scene = data_path("bench", "tiny");
    struct private_folder folder = {0};
    struct error err;
    if (!scene)
        add(doctor, WARNING, "test",
            "the scene is not found: it is built with libgl-dev and libx11-dev");
    else if (!private_folder_create(&folder, &err))
        add(doctor, FAILED, "test", "%s", err.text);
    else
        test_in(doctor, scene, folder.path);
    if (folder.path)
        tree_remove(folder.path, &err);
    private_folder_remove(&folder);
    free(scene);
}

int
cmd_doctor(int argc, char **argv)
{
    bool json = false;
    const struct arg_option options[] = {OPTION_JSON(&json, "print the checks as JSON"), {0}};
    const struct arg_spec spec = {
        "doctor", "[--json]",
        "Checks the files, packages, X server and limits that Aetius needs, and prints what\n"
        "a program will see. Then captures a scene, simulates it and checks the pictures,\n"
        "which takes about two seconds. The output is suitable for a bug report.",
        options, NO_OPERAND};
    struct args args;
    struct error err;
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    interrupt_watch();
    struct doctor doctor = {.list = cJSON_CreateArray()};
    check_system(&doctor);
    check_files(&doctor);
    check_packages(&doctor);
    check_environment(&doctor);
    run_test(&doctor);
    cJSON *root = cJSON_CreateObject();
    cJSON_AddBoolToObject(root, "ok", !doctor.failed);
    cJSON_AddItemToObject(root, "checks", doctor.list);
    if (json)
        print_json_tree(root);
    else
        text_table_write(&doctor.table, TEXT_TABLE_TEXT, stdout);
    if (!json)
        cJSON_Delete(root);
    text_table_fini(&doctor.table);
    return conclude(
        interrupt_check(&err) &&
            (!doctor.failed || fail(&err, "this machine lacks what the failed checks name")),
        &err);
}
