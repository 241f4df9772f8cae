/* aetius open: opens the page of a program, a trace or a run in a browser. */
#include "base/args.h"
#include "base/cores.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/subprocess.h"
#include "cmd/capture.h"
#include "cmd/report.h"
#include "cmd/simulate.h"
#include "report/run/run_json.h"
#include "sim/trim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cmd_open(int argc, char **argv);

/* Frames without --frames. The first two seconds of a program are its start-up: its clock advances
 * by 1/60 s per frame. */
enum { FIRST_FRAME = 120, FRAMES = 3, CLOCK = 60, MOST_SECONDS = 60, ALL_FRAMES = 8 };

struct open_options {
    struct simulate_options sim;
    struct frame_set frames; /* --frames */
    uint64_t clock;
    enum gl_offer offer;
    const char *page; /* -o */
    bool force, no_browser;
    char trace[OUTPUT_NAME], run[OUTPUT_NAME], name[OUTPUT_NAME]; /* default outputs */
};

/* Checks before the first step that no step would overwrite a file. `trace` is NULL if none is
 * written. */
static bool
are_free(const struct open_options *options, const char *trace, struct error *err)
{
    const char *const steps[] = {trace, options->run};
    for (size_t i = 0; i < 2; i++)
        if (!options->force && steps[i] && file_exists(steps[i]))
            return fail(err, "%s already exists: `aetius open %s` opens it; --force replaces it",
                        steps[i], steps[i]);
    return options->force || !file_exists(options->page) ||
           fail(err, "%s already exists; --force overwrites it", options->page);
}

static int
record(const struct open_options *options, char **program, struct error *err)
{
    struct capture_options capture = {
        .cut = {.out = options->trace,
                .force = options->force,
                .warm_up = WARM_UP_ALL,
                .set = options->frames},
        .stop = true,
        .takes_last = !options->frames.count,
        .launch = {.clock = (uint32_t)options->clock, .offer = options->offer},
        .name = program[0],
        .progress = "capture: frame"};
    if (!options->frames.count) {
        capture.cut.set.ranges[0].first = FIRST_FRAME;
        capture.cut.set.ranges[0].last = FIRST_FRAME + FRAMES - 1;
        capture.cut.set.count = 1;
        capture.launch.most_seconds = MOST_SECONDS;
    }
    return cut_prepare(&capture.cut, err) ? capture_program(&capture, program, err) : EXIT_FAILED;
}

/* Selects the middle frames of a trace with `count` frames, if it is long. */
static void
select_frames(struct open_options *options, const char *trace, uint32_t count)
{
    const uint32_t middle = (count - FRAMES) / 2;
    if (options->sim.timed.count || count <= ALL_FRAMES)
        return;
    options->sim.timed.ranges[0].first = middle;
    options->sim.timed.ranges[0].last = middle + FRAMES - 1;
    options->sim.timed.count = 1;
    log_note("%s has %u frames: simulating frames %u to %u (--frames selects others)", trace, count,
             middle, middle + FRAMES - 1);
}

static bool
simulate(struct open_options *options, const char *trace, struct error *err)
{
    options->sim.dir = options->run;
    options->sim.force = options->force;
    if (!simulate_options_parse(&options->sim, err) || !simulate_trace(&options->sim, trace, err))
        return false;
    print_shown(stdout, "next: aetius topdown %s\n", options->run);
    return true;
}

/* Whether the page was made after the run. */
static bool
is_current(const char *page, const char *run)
{
    struct stat made, ran;
    char *facts = mem_printf("%s/run.json", run);
    const bool known = !stat(page, &made) && !stat(facts, &ran);
    free(facts);
    return known && (made.st_mtim.tv_sec > ran.st_mtim.tv_sec ||
                     (made.st_mtim.tv_sec == ran.st_mtim.tv_sec &&
                      made.st_mtim.tv_nsec >= ran.st_mtim.tv_nsec));
}

/* Runs the desktop's browser on the page, in a session that outlives this process. Returns whether
 * there is a desktop and a browser. */
static bool
browse(const char *page)
{
    const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    char *opener = launch_find("xdg-open"), *path = realpath(page, NULL);
    char *const words[] = {"setsid", "--fork", opener, path, NULL};
    const struct subprocess_setup setup = {.argv = words, .log = "/dev/null", .no_input = true};
    struct subprocess child;
    struct error ignored;
    const bool ok = ((x11 && *x11) || (wayland && *wayland)) && path && strchr(opener, '/') &&
                    subprocess_start(&child, &setup, &ignored) &&
                    subprocess_check(subprocess_wait(&child), words[0], &ignored);
    free(opener);
    free(path);
    return ok;
}

/* Makes the page of the run, unless it exists and is current, and shows it. */
static bool
show_page(const struct open_options *options, const char *run, struct error *err)
{
    const char *page = options->page;
    if (!options->force && is_current(page, run))
        log_note("%s is current; --force makes it again", page);
    else if (!report_write(&run, 1, page, options->force, err))
        return false;
    if (options->no_browser || !browse(page))
        print_shown(stdout, "%s\n", page);
    return true;
}

static bool
open_program(struct open_options *options, char **program, int *status, struct error *err)
{
    if (!are_free(options, options->trace, err))
        return false;
    *status = record(options, program, err);
    if (*status != EXIT_WELL && !interrupt_pending() && file_exists(options->trace))
        log_note("`aetius open %s` opens what was captured", options->trace);
    return *status == EXIT_WELL && simulate(options, options->trace, err) &&
           show_page(options, options->run, err);
}

static bool
open_file(struct open_options *options, const char *path, struct error *err)
{
    struct trace_reader *reader;
    struct stat st;
    if (is_run_folder(path))
        return show_page(options, path, err);
    if (stat(path, &st))
        return fail(err, "%s does not exist (a program must follow --: aetius open -- %s)", path,
                    path);
    if (S_ISDIR(st.st_mode))
        return check_run_folder(path, err);
    if (!trace_reader_open(&reader, path, err))
        return access(path, X_OK) ? false
                                  : fail(err, "%s is a program: aetius open -- %s", path, path);
    options->sim.timed = options->frames;
    select_frames(options, path, trace_frame_count(reader));
    trace_reader_close(reader);
    return are_free(options, NULL, err) && simulate(options, path, err) &&
           show_page(options, options->run, err);
}

int
cmd_open(int argc, char **argv)
{
    struct open_options options = {
        .sim = {.map = "all", .shows_draws = true, .jobs = cores_count()}, .clock = CLOCK};
    const char *gl = NULL;
    const struct arg_option table[] = {
        OPTION_OUTPUT(&options.page, "FILE.html", "page to write (NAME.html)", false),
        OPTION_FRAMES(&options.frames,
                      "frames to capture (120-122), or to simulate (all of at most 8 frames, else "
                      "3 in the middle)"),
        OPTION_CLOCK(&options.clock),
        OPTION_GL(&gl),
        OPTION_JOBS(&options.sim.jobs, "simulate frames in N processes (as many as cores)"),
        {"no-browser", 0, ARG_FLAG, &options.no_browser, NULL,
         "print the path of the page instead of opening it", false},
        OPTION_FORCE(&options.force, "replace NAME.trace, NAME.run and FILE.html"),
        MACHINE_OPTIONS(&options.sim.machine),
        {0},
    };
    const struct arg_spec spec = {
        "open",
        "[options] -- PROGRAM ... | TRACE | RUN",
        "Opens the report page in a browser, after the steps that are still missing:\n"
        "\n"
        "  capture   PROGRAM to NAME.trace\n"
        "  sim       TRACE to NAME.run, with all maps; prints the summary\n"
        "  report    RUN to NAME.html, one file that needs no network\n"
        "\n"
        "The files are written to the current folder and kept. From a program, captures\n"
        "frames 120 to 122 and then ends the program. Its clock advances by 1/60 s per\n"
        "frame (--clock), so its first two seconds are skipped. If it has fewer frames, or\n"
        "does not get there in 60 s, takes its last 3 frames. The page opens with xdg-open.\n"
        "Without a display or xdg-open, prints its path.",
        table,
        0,
        1,
        "PROGRAM after `--`, or one TRACE or RUN",
        .program = ARG_MAYBE_PROGRAM};
    struct args args;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if ((args.after_count > 0) + args.operand_count != 1)
        return args_usage_error(&spec, "expected %s", spec.operands);
    if (!check_clock(options.clock, &err) || !trim_in_order(&options.frames, &err) ||
        !gl_offer_parse(gl, &options.offer, &err))
        return args_usage_error(&spec, "%s", err.text);
    if (args.after_count && options.frames.count > 1)
        return args_usage_error(&spec, "--frames expects one range for a program");
    const char *input = args.after_count ? args.after[0] : args.operands[0];
    default_output(options.trace, input, ".trace");
    default_output(options.run, input, ".run");
    if (!options.page)
        options.page = default_output(options.name, input, ".html");
    status = EXIT_FAILED;
    const bool ok = args.after_count ? open_program(&options, args.after, &status, &err)
                                     : open_file(&options, input, &err);
    if (err.text[0])
        log_error("%s", err.text);
    return ok ? EXIT_WELL : status == EXIT_WELL ? EXIT_FAILED : status;
}
