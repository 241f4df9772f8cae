#include "cmd/simulate.h"

#include "analysis/sampling.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/whole_number.h"
#include "base/wrap.h"

#include <stdio.h>
#include <stdlib.h>

/* Whether an option or the parameters request a signal trace. */
static bool
wants_vcd(const struct simulate *s)
{
    return s->options->dir && !s->options->functional &&
           (s->options->vcd ||
            (s->params.SIMULATOR.DumpSignalTrace && s->params.SIMULATOR.SignalDumpCycles));
}

static bool
make_simulation(struct simulate *s, struct error *err)
{
    const struct simulate_options *options = s->options;
    struct simulation_listener listener = run_folder_listener(&s->folder);
    if (options->params)
        s->params = *options->params;
    else if (!machine_options_apply(&options->machine, &s->params, err))
        return false;
    if (options->jobs > 1 && wants_vcd(s))
        return fail(err, "a signal trace requires --jobs 1");
    s->frames = options->timed;
    if (!simulation_init(&s->sim, &s->params, options->functional ? NULL : &s->frames, &listener,
                         err))
        return false;
    simulation_warn(&s->sim, machine_options_preset(&options->machine), NULL);
    s->sim.stop = interrupt_pending;
    return true;
}

/* Parses A-B: cycles of the run, inclusive. */
static bool
parse_cycles(const char *option, const char *text, uint64_t *first, uint64_t *last,
             struct error *err)
{
    const char *at = text;
    return (whole_number_read(&at, first) && *at++ == '-' && whole_number_parse(at, last) &&
            *first <= *last) ||
           fail(err, "%s '%s': expected cycles A-B", option, text);
}

static bool
parse_vcd(struct simulate_options *options, struct error *err)
{
    if (!options->vcd)
        return true;
    if (!options->dir || options->functional)
        return fail(err, "--vcd requires -o DIR and a timed run");
    return parse_cycles("--vcd", options->vcd, &options->vcd_first, &options->vcd_last, err);
}

static bool
parse_signals(struct simulate_options *options, struct error *err)
{
    if (!options->signals && !options->cycles)
        return true;
    if (!options->cycles)
        return fail(err, "--signals requires --cycles");
    if (!options->signals && !options->perfetto)
        return fail(err, "--cycles requires --signals or --perfetto");
    if (options->functional || options->jobs > 1)
        return fail(err, "--signals requires a timed run with --jobs 1");
    return parse_cycles("--cycles", options->cycles, &options->signals_first,
                        &options->signals_last, err);
}

/* Parses --pixel X,Y: position from the top left of the frame. */
static bool
parse_pixel(struct simulate_options *options, struct error *err)
{
    char rest;
    if (!options->pixel)
        return true;
    if (options->functional)
        return fail(err, "--pixel requires a timed run");
    return (!strpbrk(options->pixel, "+- ") &&
            sscanf(options->pixel, "%5u,%5u%c", &options->pixel_x, &options->pixel_y, &rest) ==
                2) ||
           fail(err, "--pixel '%s': expected X,Y from the top left", options->pixel);
}

static bool
parse_map(struct simulate_options *options, struct error *err)
{
    if (!options->map)
        return true;
    if (!options->dir || options->functional)
        return fail(err, "--map requires -o DIR and a timed run");
    return maps_parse(&options->maps, options->map, err);
}

/* Parses --follow F:D:T. */
static bool
parse_follow(struct simulate_options *options, struct error *err)
{
    if (!options->follow)
        return true;
    if (options->functional || options->jobs > 1)
        return fail(err, "--follow requires a timed run with --jobs 1");
    return follow_parse(&options->target, options->follow, err);
}

static bool
check_perfetto(const struct simulate_options *options, struct error *err)
{
    return !options->perfetto || (!options->functional && options->jobs <= 1) ||
           fail(err, "--perfetto requires a timed run with --jobs 1");
}

bool
simulate_options_parse(struct simulate_options *options, struct error *err)
{
    return parse_vcd(options, err) && parse_map(options, err) && parse_pixel(options, err) &&
           check_perfetto(options, err) && parse_follow(options, err) &&
           parse_signals(options, err) &&
           (!options->shader_profile || (options->dir && !options->functional) ||
            fail(err, "--shader-profile requires -o DIR and a timed run")) &&
           (!options->capture_blocks ||
            (options->dir && !options->functional && options->jobs <= 1) ||
            fail(err, "--capture-blocks requires -o DIR and a timed run with --jobs 1"));
}

/* Opens the signal trace that the option requests, or else the parameters. */
static bool
open_vcd(struct simulate *s, struct error *err)
{
    const struct simulate_options *options = s->options;
    const struct params *p = &s->params;
    if (!wants_vcd(s))
        return true;
    const uint64_t start = p->SIMULATOR.StartSignalDump;
    const uint64_t first = options->vcd ? options->vcd_first : start;
    const uint64_t last =
        options->vcd ? options->vcd_last : start + p->SIMULATOR.SignalDumpCycles - 1;
    char *path = mem_printf("%s/%s", options->dir,
                            options->vcd ? "signals.vcd" : p->SIMULATOR.SignalDumpFile);
    s->vcd = vcd_create(path, &s->sim.machine->clock, p->GPU.ClockMHz, first, last, err);
    free(path);
    return s->vcd != NULL;
}

static bool
open_perfetto(struct simulate *s, struct error *err)
{
    if (!s->options->perfetto)
        return true;
    s->perfetto = perfetto_create(s->options->perfetto, &s->sim, err);
    if (s->perfetto && s->options->cycles)
        perfetto_show_items(s->perfetto, s->options->signals_first, s->options->signals_last);
    return s->perfetto != NULL;
}

static bool
open_signals(struct simulate *s, struct error *err)
{
    const struct simulate_options *options = s->options;
    if (!options->signals)
        return true;
    s->signals = signals_create(options->signals, &s->sim, options->signals_first,
                                options->signals_last, err);
    return s->signals != NULL;
}

/* Opens the files of --capture-blocks: one for color and one for z, shared by all ROPs. */
static bool
open_captures(struct simulate *s, struct error *err)
{
    static const struct {
        const char *name;
        enum codec_kind kind;
    } files[2] = {{"color", CODEC_COLOR}, {"z", CODEC_DEPTH}};
    struct machine *machine = s->sim.machine;
    if (!s->options->capture_blocks)
        return true;
    if (machine->colorwrite->rop.shape.cache.line_bytes != CODEC_BLOCK_BYTES ||
        machine->zstencil->rop.shape.cache.line_bytes != CODEC_BLOCK_BYTES)
        return fail(err, "--capture-blocks requires lines of 16 quads in both ROP caches");
    for (uint32_t i = 0; i < 2; i++) {
        char *path = mem_printf("%s/blocks.%s", s->options->dir, files[i].name);
        bool ok = blocks_writer_create(&s->captures[i].writer, path, files[i].kind, err);
        free(path);
        if (!ok)
            return false;
        s->captures[i].frame = &s->sim.frame;
    }
    for (uint32_t r = 0; r < machine->rops; r++) {
        machine->colorwrite[r].rop.cache.capture = &s->captures[0];
        machine->zstencil[r].rop.cache.capture = &s->captures[1];
    }
    return true;
}

static bool
close_captures(struct simulate *s, struct error *err)
{
    bool ok = true;
    for (uint32_t i = 0; i < 2; i++) {
        struct rop_capture *capture = &s->captures[i];
        if (capture->writer)
            ok = blocks_writer_close(capture->writer, ok ? err : NULL) && ok;
        capture->writer = NULL;
    }
    return ok;
}

/* Starts the watch for the pixel and for maps, which an option or the parameters request. */
static void
begin_watch(struct simulate *s)
{
    const struct simulate_options *options = s->options;
    struct run_folder *folder = &s->folder;
    if (options->functional)
        return;
    folder->maps = options->maps;
    if (s->params.SIMULATOR.GenerateFragmentMap && options->dir)
        folder->maps |= 1u << s->params.SIMULATOR.FragmentMapMode;
    folder->has_pixel = options->pixel != NULL;
    if (!folder->maps && !folder->has_pixel && !options->follow)
        return;
    s->watch = watch_create(&s->sim.machine->clock, s->sim.machine->memctl);
    s->watch->maps = folder->maps != 0;
    s->watch->has_pixel = folder->has_pixel;
    s->watch->x = folder->pixel.x = options->pixel_x;
    s->watch->y = folder->pixel.y = options->pixel_y;
    s->sim.machine->pools.watch = s->watch;
    if (options->follow)
        follow_begin(&s->follow, &options->target, &s->sim, s->watch);
}

bool
simulate_begin(struct simulate *s, const struct simulate_options *options, const char *program,
               const char *trace, struct error *err)
{
    *s = (struct simulate){.options = options};
    if (!check_output(options->perfetto, options->force, err) ||
        !check_output(options->signals, options->force, err) || !make_simulation(s, err))
        return false;
    if (!run_folder_open(&s->folder, options->dir, options->force, &s->params, err)) {
        simulation_fini(&s->sim);
        return false;
    }
    s->folder.facts.program = program;
    s->folder.facts.trace = trace;
    s->folder.facts.preset = machine_options_preset(&options->machine);
    s->folder.facts.mode = options->functional ? "functional" : "timed";
    s->folder.progress = &s->progress;
    s->folder.shows_draws = options->shows_draws;
    s->folder.shows_units = options->units;
    begin_watch(s);
    if (options->shader_profile)
        machine_profile_shaders(s->sim.machine);
    executor_sink_init(&s->sink, &s->sim.executor);
    progress_begin(&s->progress, options->functional ? "drawing" : "simulating", 0);
    if (run_folder_attach(&s->folder, &s->sim, err) && open_vcd(s, err) && open_perfetto(s, err) &&
        open_signals(s, err) && open_captures(s, err))
        return true;
    simulate_end(s, false, NULL);
    return false;
}

/* Estimates the cycles of all frames that the sample represents. */
static void
estimate(struct simulate *s)
{
    const struct sample *sample = s->options->sample;
    if (!sample || s->folder.frames.count != sample_drawn(sample))
        return;
    double *cycles = mem_array(sample->frames, sizeof *cycles);
    for (size_t i = 0; i < s->folder.frames.count; i++)
        cycles[s->folder.frames.items[i].number] = (double)s->folder.frames.items[i].cycles;
    const struct sample_estimate all = sample_estimate(sample, cycles);
    s->folder.facts.sample =
        (struct run_sample){sample->frames, all.total, all.half, sample->seconds};
    free(cycles);
}

/* Writes the followed triangle into the folder. Fills `followed` for print_followed(). In an
 * incomplete run, the triangle may be missing. */
static bool
write_followed(struct simulate *s, struct primitive_trace *followed, bool complete,
               struct error *err)
{
    if (!s->follow.sim)
        return true;
    follow_end(&s->follow);
    if (!s->folder.frames.count || !s->follow.found)
        return !complete || follow_check(&s->follow, err);
    primitive_trace_make(followed, &s->follow);
    return !s->options->dir || primitive_trace_write(followed, s->options->dir, err);
}

static void
print_followed(struct simulate *s, struct primitive_trace *followed)
{
    if (followed->follow && !s->options->json)
        primitive_trace_print(followed, stdout);
    primitive_trace_fini(followed);
    follow_fini(&s->follow);
}

bool
simulate_end(struct simulate *s, bool complete, struct error *err)
{
    struct primitive_trace followed = {0};
    progress_end(&s->progress);
    bool whole = vcd_destroy(s->vcd, err);
    whole = perfetto_destroy(s->perfetto, whole ? err : NULL) && whole;
    complete = complete && !s->sim.stopped;
    whole = signals_destroy(s->signals, complete, whole ? err : NULL) && whole;
    whole = close_captures(s, whole ? err : NULL) && whole;
    estimate(s);
    whole = write_followed(s, &followed, complete, whole ? err : NULL) && whole;
    bool ok =
        run_folder_close(&s->folder, complete, stdout, s->options->json, whole ? err : NULL) &&
        whole;
    print_followed(s, &followed);
    if (ok && s->options->dir && !s->options->json && s->folder.facts.frame_count)
        print_wrapped(stdout, line_width(stdout), 0, 2, "%s: frames/*.png, %srun.json",
                      s->options->dir,
                      s->options->functional ? "" : "stats.*.csv.gz, machine.ini, ");
    executor_sink_fini(&s->sink);
    simulation_fini(&s->sim);
    watch_destroy(s->watch);
    return ok;
}
