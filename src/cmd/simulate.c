#include "cmd/simulate.h"

#include "base/interrupt.h"

#include <stdio.h>
#include <stdlib.h>

static bool
make_simulation(struct simulate *s, struct error *err)
{
    const struct simulate_options *options = s->options;
    struct simulation_listener listener = run_folder_listener(&s->folder);
    if (!machine_options_apply(&options->machine, &s->params, err))
        return false;
    s->frames = options->timed;
    if (!simulation_init(&s->sim, &s->params, options->functional ? NULL : &s->frames, &listener,
                         err))
        return false;
    s->sim.stop = interrupt_pending;
    return true;
}

/* --vcd A-B: cycles of the run, inclusive. */
static bool
parse_vcd(struct simulate_options *options, struct error *err)
{
    unsigned long long first, last;
    char rest;
    if (!options->vcd)
        return true;
    if (!options->dir || options->functional)
        return fail(err, "--vcd wants -o DIR, and a run in time");
    if (sscanf(options->vcd, "%llu-%llu%c", &first, &last, &rest) != 2 || last < first)
        return fail(err, "--vcd '%s': expected cycles A-B", options->vcd);
    options->vcd_first = first;
    options->vcd_last = last;
    return true;
}

bool
simulate_options_parse(struct simulate_options *options, struct error *err)
{
    return (!options->frames || frame_set_parse(&options->timed, options->frames, err)) &&
           parse_vcd(options, err) &&
           (!options->capture_blocks || (options->dir && !options->functional) ||
            fail(err, "--capture-blocks wants -o DIR, and a run in time"));
}

static bool
open_vcd(struct simulate *s, struct error *err)
{
    if (!s->options->vcd)
        return true;
    char *path = mem_printf("%s/signals.vcd", s->options->dir);
    s->vcd =
        vcd_create(path, &s->sim.machine->clock, s->options->vcd_first, s->options->vcd_last, err);
    free(path);
    return s->vcd != NULL;
}

/* --capture-blocks: files of color and of z, one for all ROPs. */
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
        return fail(err, "--capture-blocks wants lines of 16 quads in both caches of the ROPs");
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

bool
simulate_begin(struct simulate *s, const struct simulate_options *options, const char *program,
               const char *trace, struct error *err)
{
    *s = (struct simulate){.options = options};
    if (!make_simulation(s, err))
        return false;
    if (!run_folder_open(&s->folder, options->dir, options->force, err)) {
        simulation_fini(&s->sim);
        return false;
    }
    s->folder.facts.program = program;
    s->folder.facts.trace = trace;
    s->folder.facts.preset = machine_options_preset(&options->machine);
    s->folder.facts.mode = options->functional ? "functional" : "timed";
    s->folder.progress = &s->progress;
    executor_sink_init(&s->sink, &s->sim.executor);
    progress_begin(&s->progress, options->functional ? "drawing" : "simulating", 0);
    if (run_folder_attach(&s->folder, &s->sim, err) && open_vcd(s, err) && open_captures(s, err))
        return true;
    simulate_end(s, false, NULL);
    return false;
}

bool
simulate_end(struct simulate *s, bool complete, struct error *err)
{
    progress_end(&s->progress);
    bool whole = vcd_destroy(s->vcd, err);
    whole = close_captures(s, whole ? err : NULL) && whole;
    complete = complete && !s->sim.stopped;
    bool ok =
        run_folder_close(&s->folder, complete, stdout, s->options->json, whole ? err : NULL) &&
        whole;
    if (ok && s->options->dir && !s->options->json && !s->folder.silent)
        printf("%s: frames/*.png, %srun.json\n", s->options->dir,
               s->options->functional ? "" : "stats.*.csv.gz, machine.ini, ");
    executor_sink_fini(&s->sink);
    simulation_fini(&s->sim);
    return ok;
}
