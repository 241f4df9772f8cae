/* aetius sample: selects a few frames of a trace, to be simulated instead of all frames. */
#include "analysis/sampling.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/memory_text.h"
#include "base/plural.h"
#include "base/text_table.h"
#include "cmd/options.h"
#include "report/run/csv.h"
#include "sim/frame_work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_sample(int argc, char **argv);

struct sample_options {
    struct machine_options machine;
    const char *plan, *against;
    uint64_t count, seed, redraws, memory;
    bool json, force;
};

/* Finds the figures of all frames. The caller frees the array. */
static double *
measure_frames(const struct sample_options *options, struct trace_reader *reader, uint32_t frames,
               struct error *err)
{
    struct params params;
    struct frame_work *work = mem_array(frames, sizeof *work);
    double *values = mem_array((size_t)frames * FRAME_FIGURES_COUNT, sizeof *values);
    const bool ok = machine_options_apply(&options->machine, &params, err) &&
                    frame_work_find(work, frames, reader, &params, options->memory, err);
    for (uint32_t f = 0; ok && f < frames; f++)
        memcpy(values + (size_t)f * FRAME_FIGURES_COUNT, work[f].figures, sizeof work[f].figures);
    free(work);
    if (ok)
        return values;
    free(values);
    return NULL;
}

/* Default: a tenth of the frames, but enough to estimate their spread. */
static uint32_t
size_of(const struct sample_options *options, uint32_t frames)
{
    enum { LEAST = 6 };
    const uint64_t wanted = options->count ? options->count : (frames + 9) / 10;
    const uint64_t count = options->count || wanted > LEAST ? wanted : LEAST;
    return (uint32_t)(count < frames ? count : frames);
}

static cJSON *
sample_json(const struct sample *sample)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "frames", sample->frames);
    cJSON_AddNumberToObject(root, "drawn", sample_drawn(sample));
    cJSON_AddNumberToObject(root, "seed", (double)sample->seed);
    cJSON_AddNumberToObject(root, "seconds", sample->seconds);
    cJSON *clusters = cJSON_AddArrayToObject(root, "clusters");
    for (size_t i = 0; i < sample->clusters.count; i++) {
        const struct sample_cluster *cluster = &sample->clusters.items[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddNumberToObject(object, "frames", cluster->frames);
        cJSON_AddNumberToObject(object, "known", cluster->known);
        cJSON *drawn = cJSON_AddArrayToObject(object, "drawn");
        for (size_t j = 0; j < cluster->drawn.count; j++)
            cJSON_AddItemToArray(drawn, cJSON_CreateNumber(cluster->drawn.items[j].frame));
        cJSON_AddItemToArray(clusters, object);
    }
    return root;
}

/* Lists the cluster's sampled frame numbers. The caller frees the text. */
static char *
drawn_of(const struct sample_cluster *cluster)
{
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    for (size_t j = 0; j < cluster->drawn.count; j++)
        fprintf(out, "%s%u", j ? " " : "", cluster->drawn.items[j].frame);
    return memory_text_take(&text);
}

static void
print_sample(const struct sample *sample)
{
    struct text_table table = {0};
    double all = 0;
    text_table_cells(&table, "cluster|frames|share of estimated cycles|drawn");
    text_table_end_row(&table);
    for (size_t i = 0; i < sample->clusters.count; i++)
        all += sample->clusters.items[i].known;
    for (size_t i = 0; i < sample->clusters.count; i++) {
        const struct sample_cluster *cluster = &sample->clusters.items[i];
        char *drawn = drawn_of(cluster);
        text_table_cell(&table, "%zu", i + 1);
        text_table_cell(&table, "%u", cluster->frames);
        text_table_cell(&table, "%.1f %%", all > 0 ? 100 * cluster->known / all : 0);
        text_table_left(&table, "%s", drawn);
        text_table_end_row(&table);
        free(drawn);
    }
    text_table_put(&table, TEXT_TABLE_TEXT, stdout);
    printf("%u of %u frame%s; analysis of all frames took %.1f s\n", sample_drawn(sample),
           sample->frames, plural(sample->frames), sample->seconds);
}

static int
compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Reads the cycles of each frame from a run of the whole trace. The caller frees the array. */
static double *
read_cycles(const char *run, uint32_t frames, struct error *err)
{
    struct csv_table table;
    char *path = mem_printf("%s/stats.frames.csv.gz", run);
    bool ok = csv_read(&table, path, err);
    double *cycles = ok ? mem_array(frames, sizeof *cycles) : NULL;
    if (ok) {
        const int32_t frame = csv_column(&table, "frame"), column = csv_column(&table, "cycles");
        ok = table.rows == frames;
        for (uint32_t r = 0; ok && r < table.rows; r++) {
            ok = csv_value(&table, r, frame) == r;
            cycles[r] = csv_value(&table, r, column);
        }
        if (!ok)
            fail(err, "%s: expected frames 0 to %u, each once", path, frames - 1);
        csv_table_fini(&table);
    }
    free(path);
    if (ok)
        return cycles;
    free(cycles);
    return NULL;
}

struct trial {
    double truth, median_error, worst_error, held; /* errors and `held` are fractions of 1 */
    uint32_t redraws, drawn;
};

/* Repeats the sampling with consecutive seeds, starting with the given one. */
static struct trial
try_redraws(const struct sampling_figures *figures, const struct sample_options *options,
            const double *cycles, uint32_t count)
{
    struct trial trial = {.redraws = (uint32_t)options->redraws};
    double *errors = mem_array(trial.redraws, sizeof *errors);
    for (uint32_t f = 0; f < figures->frames; f++)
        trial.truth += cycles[f];
    for (uint32_t i = 0; i < trial.redraws; i++) {
        struct sample sample;
        sample_draw(&sample, figures, count, options->seed + i);
        const struct sample_estimate estimate = sample_estimate(&sample, cycles);
        errors[i] = fabs(estimate.total - trial.truth) / trial.truth;
        trial.held += (fabs(estimate.total - trial.truth) <= estimate.half) / (double)trial.redraws;
        trial.drawn = sample_drawn(&sample);
        sample_fini(&sample);
    }
    qsort(errors, trial.redraws, sizeof *errors, compare_doubles);
    trial.median_error = errors[trial.redraws / 2];
    trial.worst_error = errors[trial.redraws - 1];
    free(errors);
    return trial;
}

static bool
try_against(const struct sampling_figures *figures, const struct sample_options *options,
            uint32_t count, struct error *err)
{
    double *cycles = read_cycles(options->against, figures->frames, err);
    if (!cycles)
        return false;
    const struct trial t = try_redraws(figures, options, cycles, count);
    free(cycles);
    if (options->json) {
        cJSON *root = cJSON_CreateObject();
        cJSON_AddNumberToObject(root, "frames", figures->frames);
        cJSON_AddNumberToObject(root, "drawn", t.drawn);
        cJSON_AddNumberToObject(root, "redraws", t.redraws);
        cJSON_AddNumberToObject(root, "cycles", t.truth);
        cJSON_AddNumberToObject(root, "median_error", t.median_error);
        cJSON_AddNumberToObject(root, "worst_error", t.worst_error);
        cJSON_AddNumberToObject(root, "held", t.held);
        print_json_tree(root);
    } else {
        printf("%u sample%s of %u of %u frame%s, %.0f cycles: median error %.2f %%, worst %.2f %%; "
               "the 95 %% interval contained the true value in %.1f %%\n",
               t.redraws, plural(t.redraws), t.drawn, figures->frames, plural(figures->frames),
               t.truth, 100 * t.median_error, 100 * t.worst_error, 100 * t.held);
    }
    return true;
}

static bool
draw_plan(const struct sampling_figures *figures, const struct sample_options *options,
          const char *trace, double seconds, uint32_t count, struct error *err)
{
    struct sample sample;
    sample_draw(&sample, figures, count, options->seed);
    sample.seconds = seconds;
    const bool ok =
        sha256_file(trace, sample.trace, err) && sample_write(&sample, options->plan, err);
    if (ok && options->json)
        print_json_tree(sample_json(&sample));
    else if (ok)
        print_sample(&sample);
    sample_fini(&sample);
    return ok;
}

static bool
sample_trace(const struct sample_options *options, const char *path, struct error *err)
{
    struct trace_reader *reader;
    const double start = wall_seconds();
    if (options->plan && !check_output(options->plan, options->force, err))
        return false;
    if (!trace_reader_open_warn(&reader, path, err))
        return false;
    interrupt_watch();
    struct sampling_figures figures = {trace_frame_count(reader), FRAME_FIGURES_COUNT, NULL};
    double *values = figures.frames ? measure_frames(options, reader, figures.frames, err) : NULL;
    bool ok = values || (figures.frames ? false : fail(err, "%s has no frames", path));
    const double seconds = wall_seconds() - start;
    const uint32_t count = size_of(options, figures.frames);
    figures.values = values;
    trace_reader_close(reader);
    if (ok)
        ok = options->against ? try_against(&figures, options, count, err)
                              : draw_plan(&figures, options, path, seconds, count, err);
    free(values);
    return ok;
}

int
cmd_sample(int argc, char **argv)
{
    struct sample_options request = {.seed = 1, .redraws = 200, .memory = FILE_MEMORY_BYTES};
    const struct arg_option options[] = {
        OPTION_OUTPUT(&request.plan, "PLAN", "sampling plan to write, for `aetius sim --sample`",
                      false),
        {"count", 0, ARG_UINT, &request.count, "N",
         "number of frames to pick (a tenth of all, at least six)", false},
        {"seed", 0, ARG_UINT, &request.seed, "N", "random seed (1)", false},
        {"against", 0, ARG_STRING, &request.against, "RUN",
         "instead of writing a plan, measure the sampling error against a run of all frames",
         false},
        {"redraws", 0, ARG_UINT, &request.redraws, "N",
         "number of random samples to evaluate with --against (200)", false},
        MACHINE_OPTIONS(&request.machine),
        OPTION_MEMORY(&request.memory),
        OPTION_FORCE(&request.force, "overwrite PLAN"),
        OPTION_JSON(&request.json, "print the sample or the measured error as JSON"),
        {0}};
    const struct arg_spec spec = {
        "sample", "TRACE -o PLAN [options]",
        "Renders all frames of a trace without timing, clusters similar frames, and picks\n"
        "random frames from each cluster. `aetius sim --sample` simulates these frames\n"
        "and estimates the cycles of all frames, with a 95 % confidence interval.",
        options, ONE_TRACE};
    struct args args;
    struct error err = {""};
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (!request.plan == !request.against)
        return args_usage_error(&spec,
                                "expected a plan to write (-o PLAN) or a run (--against RUN)");
    if (request.count == 1 || request.count > FRAME_RANGES)
        return args_usage_error(&spec, "--count expects a number from 2 to %d", FRAME_RANGES);
    if (!request.redraws || request.redraws > 1000000)
        return args_usage_error(&spec, "--redraws expects a number from 1 to 1000000");
    return conclude(sample_trace(&request, args.operands[0], &err), &err);
}
