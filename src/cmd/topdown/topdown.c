/* aetius topdown: attributes the time of a GPU, either a simulated one or one measured by NVIDIA's
 * profilers. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "cmd/options.h"
#include "cmd/topdown/topdown.h"
#include "report/draw/show_program.h"
#include "trace/virgl/vtest/private_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cmd_topdown(int argc, char **argv);

struct command_line {
    struct topdown_request request;
    const char *nvprof, *ncu; /* NULL: not given; otherwise a file, or "" */
    const char *cc, *out, *diff;
    struct frame_set frames;
    bool profile, print_command, force;
    const char *node, *folder; /* NULL: not given */
    uint64_t level;            /* UINT64_MAX: not given */
    uint64_t launches;         /* UINT64_MAX: not given */
    const char *draw;          /* NULL: not given */
};

enum { MOST_FILES = 258 }; /* operands, plus one file per option */

/* Files of one application: all files with the same NAME=, or all files without a name. */
struct file_group {
    char *name;
    bool is_named; /* false: named after its first file */
    const char *paths[MOST_FILES];
    uint32_t count;
    struct profile profile;
    double seconds_alone, seconds_profiled; /* 0: not measured */
};
typedef VEC(struct file_group *) group_list;

static void
add_file(group_list *groups, const char *operand)
{
    const char *equals = strchr(operand, '=');
    const bool is_named = equals && equals > operand && !file_exists(operand);
    const char *path = is_named ? equals + 1 : operand;
    const char *slash = strrchr(operand, '/');
    char *name = is_named ? mem_printf("%.*s", (int)(equals - operand), operand)
                          : mem_strdup(slash ? slash + 1 : operand);
    struct file_group *group = NULL;
    for (size_t i = 0; i < groups->count; i++)
        if (groups->items[i]->is_named == is_named &&
            (!is_named || !strcmp(groups->items[i]->name, name)))
            group = groups->items[i];
    if (!group) {
        group = mem_alloc(sizeof *group);
        group->name = mem_strdup(name);
        group->is_named = is_named;
        VEC_PUSH(groups, group);
    }
    free(name);
    group->paths[group->count++] = path;
}

/* Reads the files and prints the report. */
static bool
analyse(const group_list *groups, const struct command_line *line,
        const struct nvidia_capability *given, struct error *err)
{
    const struct application_filter filter = {.kernel = line->request.kernel,
                                              .launches = line->request.launches,
                                              .level = line->request.level,
                                              .published = line->request.published};
    application_list applications = {0};
    size_t read = 0, before;
    bool ok = true;
    for (; ok && read < groups->count; read++) {
        struct file_group *group = groups->items[read];
        profile_init(&group->profile);
        before = applications.count;
        ok = profile_read(&group->profile, group->paths, group->count, given, err) &&
             application_list_add(&applications, &group->profile, group->name, &filter, err);
        if (!ok && line->folder) { /* the other programs are analysed */
            log_warning("%s", err->text);
            ok = true;
        }
        for (size_t i = before; i < applications.count; i++) {
            applications.items[i].seconds_alone = group->seconds_alone;
            applications.items[i].seconds_profiled = group->seconds_profiled;
        }
    }
    if (ok)
        ok = applications.count || fail(err, "no program can be analysed");
    if (ok)
        ok = topdown_report(&applications, &line->request, err);
    application_list_fini(&applications);
    for (size_t i = 0; i < read; i++)
        profile_fini(&groups->items[i]->profile);
    return ok;
}

static void
free_groups(group_list *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        free(groups->items[i]->name);
        free(groups->items[i]);
    }
    VEC_FREE(groups);
}

static bool
analyse_profiled(struct command_line *line, const struct topdown_profiled *programs, size_t count,
                 const struct nvidia_capability *capability, struct error *err)
{
    group_list groups = {0};
    for (size_t i = 0; i < count; i++) {
        struct file_group *group = mem_alloc(sizeof *group);
        group->name = mem_strdup(programs[i].name);
        group->paths[group->count++] = programs[i].path;
        group->seconds_alone = programs[i].seconds_alone;
        group->seconds_profiled = programs[i].seconds_profiled;
        VEC_PUSH(&groups, group);
    }
    const bool ok = analyse(&groups, line, capability, err);
    free_groups(&groups);
    return ok;
}

/* Moves the log from the temporary folder, which is deleted at exit, to the parent of that
 * folder. */
static void
keep_log(const char *log, const char *folder)
{
    char *path =
        mem_printf("%.*s/aetius-topdown-XXXXXX", (int)(strrchr(folder, '/') - folder), folder);
    const int fd = mkstemp(path);
    if (fd >= 0 && !rename(log, path))
        log_note("the profiler's output is in %s", path);
    else if (fd >= 0)
        unlink(path);
    if (fd >= 0)
        close(fd);
    free(path);
}

/* Writes the profiler's tables to -o FILE, or to a temporary file that is deleted after the
 * analysis. */
static bool
profile_and_analyse(struct command_line *line, char **program,
                    const struct nvidia_capability *given, struct error *err)
{
    struct private_folder folder = {0};
    interrupt_watch();
    const struct nvidia_capability *capability = given ? given : topdown_find_capability(err);
    if (!capability || !private_folder_create(&folder, err))
        return false;
    char *log = line->out ? mem_strdup(line->out) : mem_printf("%s/log", folder.path);
    const struct topdown_program run = {.words = program};
    struct topdown_profiled done = {.name = program[0], .path = log};
    const struct nvidia_request asks = topdown_asks(&line->request, log);
    const bool has_log =
        (!line->request.overhead || topdown_run_alone(&run, &done.seconds_alone, err)) &&
        topdown_profile(capability, &asks, &run, &done.seconds_profiled, err);
    const bool ok = has_log && analyse_profiled(line, &done, 1, capability, err);
    if (has_log && !ok && line->out)
        log_note("the profiler's output is in %s", log);
    else if (has_log && !ok)
        keep_log(log, folder.path);
    private_folder_remove(&folder);
    free(log);
    return ok;
}

static bool
profile_folder_and_analyse(struct command_line *line, const struct nvidia_capability *given,
                           struct error *err)
{
    topdown_profiled_list list = {0};
    uint32_t failed = 0;
    interrupt_watch();
    const struct nvidia_capability *capability = given ? given : topdown_find_capability(err);
    const bool ok =
        capability &&
        topdown_profile_folder(line->folder, line->out, capability, &line->request, &list, &failed,
                               err) &&
        analyse_profiled(line, list.items, list.count, capability, err) &&
        (!failed || fail(err, "%u of %zu programs were not profiled", failed, failed + list.count));
    topdown_profiled_free(&list);
    return ok;
}

/* Checks the usage of `topdown RUN`. */
static int
check_run(const struct command_line *line, const struct args *args, const struct arg_spec *spec)
{
    const struct topdown_request *request = &line->request;
    if (args->operand_count != 1 || args->after)
        return args_usage_error(spec, "expected one RUN, or files with --nvprof or --ncu");
    if (line->cc || line->out || line->request.overhead || request->kernel ||
        line->launches != UINT64_MAX || line->node || request->published)
        return args_usage_error(
            spec, "--cc, --output, --overhead, --kernel, --launches, --node and --published "
                  "cannot be combined with a RUN");
    if (line->draw && (request->draws || request->over_time || line->diff || request->prove))
        return args_usage_error(
            spec, "--draw cannot be combined with --draws, --over-time, --diff or --prove");
    if (request->program && (request->draws || request->over_time || line->diff || request->prove ||
                             request->svg || request->level || request->shows_all))
        return args_usage_error(spec, "--program can be combined only with --frame, --draw, --csv "
                                      "and --json");
    if (request->program && strcmp(request->program, TOPDOWN_ALL_PROGRAMS) != 0 &&
        !shown_program_is_hash(request->program))
        return args_usage_error(
            spec,
            "--program %s: expected the hexadecimal digits of a hash, or " TOPDOWN_ALL_PROGRAMS,
            request->program);
    if (request->draws && request->over_time)
        return args_usage_error(spec, "--draws and --over-time cannot be combined");
    if (request->prove && (request->json || request->csv || line->diff))
        return args_usage_error(spec, "--prove cannot be combined with --json, --csv or --diff");
    if (!request->prove && (request->trace || request->jobs || request->most || request->limits))
        return args_usage_error(spec, "--trace, --jobs, --most and --limits require --prove");
    if (line->diff && (request->csv || request->svg || request->over_time || request->draws))
        return args_usage_error(
            spec, "--diff cannot be combined with --csv, --svg, --over-time or --draws");
    return -1;
}

static int
check(const struct command_line *line, const struct args *args, const struct arg_spec *spec)
{
    const bool has_files =
        args->operand_count || (line->nvprof && *line->nvprof) || (line->ncu && *line->ncu);
    const bool of_files = line->nvprof || line->ncu;
    if (line->level != UINT64_MAX && (line->level < 1 || line->level > TOPDOWN_LEVELS))
        return args_usage_error(spec, "--level expects 1 to %d", TOPDOWN_LEVELS);
    if (line->node && !topdown_find(&nvidia_shape, line->node))
        return args_usage_error(spec, "--node %s is no node of the tree of a profile", line->node);
    if (line->node && (line->request.json || line->request.csv))
        return args_usage_error(spec, "--node cannot be combined with --json or --csv");
    if (line->launches == 0)
        return args_usage_error(spec, "--launches expects a number above 0");
    if (line->request.json && line->request.csv)
        return args_usage_error(spec, "--json and --csv cannot be combined");
    const bool is_folder = line->folder != NULL;
    if (!line->profile && !of_files && !line->print_command && !is_folder)
        return check_run(line, args, spec);
    if (line->profile + of_files + line->print_command + is_folder != 1)
        return args_usage_error(spec, "expected only one of: --nvprof or --ncu, --profile, "
                                      "--profile-folder, --print-command");
    if (line->diff || line->frames.text || line->draw || line->request.draws ||
        line->request.prove || line->request.trace || line->request.jobs || line->request.most ||
        line->request.limits || line->request.program)
        return args_usage_error(spec, "--frame, --draw, --draws, --program, --diff, --prove, "
                                      "--trace, --jobs, --most and --limits require a RUN");
    if (of_files != has_files)
        return args_usage_error(spec, of_files ? "expected at least one FILE"
                                               : "files require --nvprof or --ncu");
    if (of_files && args->after)
        return args_usage_error(spec, "a PROGRAM requires --profile");
    if (line->profile && !args->after_count)
        return args_usage_error(spec, "expected PROGRAM after `--`");
    if (is_folder && args->after)
        return args_usage_error(spec, "a PROGRAM requires --profile");
    if (is_folder && !line->out)
        return args_usage_error(spec, "--profile-folder requires --output");
    if (line->request.overhead && !line->profile && !is_folder)
        return args_usage_error(spec, "--overhead requires --profile or --profile-folder");
    return -1;
}

/* Parses "F:N", or "N" in the selected frames. */
static bool
take_draw(struct command_line *line, struct error *err)
{
    uint32_t frame, draw;
    line->request.has_draw = true;
    if (!parse_draw(line->draw, &frame, &draw, err))
        return false;
    line->request.draw = draw;
    if (frame == ANY_FRAME)
        return true;
    if (line->frames.count && !frame_set_has(&line->frames, frame))
        return fail(err, "--draw %s is not in --frame %s", line->draw, line->frames.text);
    line->frames = (struct frame_set){.ranges = {{frame, frame}}, .count = 1};
    return true;
}

static bool
run_topdown(struct command_line *line, const struct args *args, struct error *err)
{
    const struct nvidia_capability *given = NULL;
    group_list groups = {0};
    if (line->cc && !(given = nvidia_capability_parse(line->cc, err)))
        return false;
    line->request.level = line->level != UINT64_MAX ? (uint32_t)line->level : 0;
    line->request.node = line->node ? topdown_find(&nvidia_shape, line->node) : 0;
    line->request.launches = line->launches != UINT64_MAX ? line->launches : 0;
    if ((line->draw && !take_draw(line, err)) ||
        !check_output(line->request.svg, line->force, err) ||
        (line->profile && !check_output(line->out, line->force, err)))
        return false;
    if (line->profile)
        return profile_and_analyse(line, args->after, given, err);
    if (line->folder)
        return profile_folder_and_analyse(line, given, err);
    if (line->print_command) {
        if (!given && !(given = topdown_find_capability(err)))
            return false;
        const struct nvidia_request asks =
            topdown_asks(&line->request, line->out ? line->out : "topdown.csv");
        topdown_print_command(given, &asks, args->after_count ? args->after : NULL, stdout);
        puts("");
        return true;
    }
    if (!line->nvprof && !line->ncu)
        return topdown_run(args->operands[0], line->diff, &line->frames, &line->request, err);
    if (line->nvprof && *line->nvprof)
        add_file(&groups, line->nvprof);
    if (line->ncu && *line->ncu)
        add_file(&groups, line->ncu);
    for (uint32_t i = 0; i < args->operand_count; i++)
        add_file(&groups, args->operands[i]);
    const bool ok = analyse(&groups, line, given, err);
    free_groups(&groups);
    return ok;
}

int
cmd_topdown(int argc, char **argv)
{
    struct command_line line = {.level = UINT64_MAX, .launches = UINT64_MAX};
    const struct arg_option options[] = {
        {"frame", 0, ARG_FRAMES, &line.frames, "N",
         "RUN: only these frames: A, A-B, A-B/STEP or A,B,C-D", false},
        {"draw", 0, ARG_STRING, &line.draw, "F:N",
         "RUN: only this draw, numbered as in `aetius draws`; N alone if only one frame has draw N",
         false},
        {"draws", 0, ARG_FLAG, &line.request.draws, NULL, "RUN: each draw, in order", false},
        {"program", 0, ARG_STRING, &line.request.program, "HASH",
         "RUN of `sim --shader-profile`: the instructions of this program (a hash or its prefix) "
         "with cycles, issues, active lanes and lost issue slots by cause; `all` lists the "
         "programs",
         false},
        {"prove", 0, ARG_FLAG, &line.request.prove, NULL,
         "RUN: simulate again with each ideal resource that may gain 3 % or more", false},
        {"trace", 0, ARG_STRING, &line.request.trace, "FILE", "--prove: trace of the run, if moved",
         false},
        OPTION_JOBS(&line.request.jobs, "--prove: concurrent simulations (1)"),
        {"most", 0, ARG_UINT, &line.request.most, "N", "--prove: most simulations (12)", false},
        {"limits", 0, ARG_FLAG, &line.request.limits, NULL,
         "--prove: also simulate without each limit of the verdict's resource "
         "(`aetius params --ideal`)",
         false},
        {"diff", 0, ARG_STRING, &line.diff, "RUN", "RUN: compare with another run", false},
        {"nvprof", 0, ARG_OPTIONAL, &line.nvprof, "FILE", "analyze nvprof output", false},
        {"ncu", 0, ARG_OPTIONAL, &line.ncu, "FILE", "analyze ncu output", false},
        {"profile", 0, ARG_FLAG, &line.profile, NULL,
         "run PROGRAM under nvprof or ncu and analyze the result", false},
        {"profile-folder", 0, ARG_STRING, &line.folder, "DIR",
         "profile each executable in DIR, and each command line of the files named `run` in its "
         "subfolders; resumes an earlier invocation",
         false},
        {"print-command", 0, ARG_FLAG, &line.print_command, NULL,
         "print the profiler command line that --profile would run", false},
        {"cc", 0, ARG_STRING, &line.cc, "X.Y",
         "compute capability, if missing or wrong in the file", false},
        {"level", 0, ARG_UINT, &line.level, "N",
         "depth of the tree: 1 to 4 (default 4; with --svg 1). --profile asks only for the metrics "
         "of this depth",
         false},
        {"node", 0, ARG_STRING, &line.node, "NAME",
         "profile: only this node and the nodes below it, e.g. memory_bound", false},
        {"published", 0, ARG_FLAG, &line.request.published, NULL,
         "profile: the equations of the study of 2021 as published, whose parts do not add up",
         false},
        {"kernel", 0, ARG_STRING, &line.request.kernel, "NAME",
         "only kernels with this name: complete, without parameters, or a substring", false},
        {"launches", 0, ARG_UINT, &line.launches, "N",
         "only the first N launches of each kernel (default all)", false},
        {"over-time", 0, ARG_FLAG, &line.request.over_time, NULL, "each launch or frame, in order",
         false},
        {"all", 0, ARG_FLAG, &line.request.shows_all, NULL,
         "also nodes below their threshold, and all kernels", false},
        {"svg", 0, ARG_STRING, &line.request.svg, "FILE",
         "write a bar chart. RUN: one bar, or one per draw (--draws) or frame (--over-time). "
         "Profile: one bar per kernel, launch (--over-time) or application, or the profiling "
         "times (--overhead)",
         false},
        OPTION_FORCE(&line.force, "overwrite the FILE of --svg and --output"),
        {"csv", 0, ARG_FLAG, &line.request.csv, NULL,
         "print CSV, one line per node and per measured value", false},
        OPTION_JSON(&line.request.json, "print JSON"),
        OPTION_OUTPUT(&line.out, "FILE",
                      "--profile: file for the profiler's tables; --profile-folder: folder", false),
        {"overhead", 0, ARG_FLAG, &line.request.overhead, NULL,
         "--profile, --profile-folder: also run without the profiler, and compare the times",
         false},
        {0},
    };
    const struct arg_spec spec = {
        .command = "topdown",
        .usage = "RUN | --nvprof|--ncu [NAME=]FILE... | --profile -- PROGRAM ... | "
                 "--profile-folder DIR -o FOLDER",
        .about =
            "The Top-Down method: where does the time go?\n"
            "For a simulated RUN (a folder of `aetius sim`): cycles by cause, the predicted\n"
            "gain from each ideal resource, and shader issue slots by cause.\n"
            "For an NVIDIA GPU: used and lost issue slots by cause, from nvprof or ncu output\n"
            "(CSV of any layout, or text). Any number of files is accepted; kernels are\n"
            "matched across files. Files with the same NAME= form one application;\n"
            "applications are compared side by side.\n"
            "docs/topdown.md explains the method.",
        .options = options,
        .most = UINT32_MAX,
        .operands = "a run, or files of nvprof or ncu",
        .program = ARG_MAYBE_PROGRAM,
    };
    struct args args;
    struct error err;
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    const int usage = check(&line, &args, &spec);
    return usage >= 0 ? usage : conclude(run_topdown(&line, &args, &err), &err);
}
