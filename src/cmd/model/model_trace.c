/* aetius model predict --trace, and the lessons of aetius model fit --frames: predicts frames of
 * real programs by rendering them without timing. */
#include "base/file.h"
#include "base/plural.h"
#include "base/text_table.h"
#include "base/log.h"
#include "cmd/model/model.h"
#include "model/collect.h"
#include "model/error_bars.h"
#include "model/frames.h"
#include "model/program_cost.h"
#include "report/run/csv.h"
#include "report/run/run_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lessons ---- */

static bool
learn_run(struct frame_lessons *lessons, struct trace_work *work, const char *dir,
          const struct model *model, struct error *err)
{
    struct params params;
    struct trace_reader *reader;
    const struct frame_set all = {0};
    char *ini = mem_printf("%s/machine.ini", dir), *trace = run_trace(dir, err);
    params_init(&params);
    bool ok = trace && params_load_file(&params, ini, err) && model_is_of(model, &params, err) &&
              trace_reader_open(&reader, trace, err);
    if (ok) {
        ok = trace_work_find(work, reader, &all, &params, FILE_MEMORY_BYTES, err) &&
             frame_lessons_add(lessons, work, dir, err);
        trace_reader_close(reader);
    }
    free(trace);
    free(ini);
    return ok || fail_prefix(err, "--frames %s", dir);
}

bool
model_learn_frames(struct model *model, const struct arg_list *runs, struct error *err)
{
    struct frame_lessons lessons = {0};
    struct trace_work *works = mem_array(runs->count + 1, sizeof *works);
    bool ok = true;
    for (uint32_t i = 0; ok && i < runs->count; i++)
        ok = learn_run(&lessons, &works[i], runs->items[i], model, err);
    ok = ok && model_fit_frames(model, &lessons, err);
    for (uint32_t i = 0; i < runs->count; i++)
        trace_work_fini(&works[i]);
    free(works);
    VEC_FREE(&lessons);
    return ok;
}

bool
model_is_of(const struct model *model, const struct params *params, struct error *err)
{
    const double clock = 1e6 * params->GPU.ClockMHz, rate = machine_rate(params);
    return (fabs(model_factor(model, "clock") / clock - 1) < 1e-6 &&
            fabs(model_factor(model, "rate") / rate - 1) < 1e-6) ||
           fail(err,
                "the model describes another machine: %.6g fragment cycles per second at %.6g MHz, "
                "not %.6g at %u MHz",
                model_factor(model, "rate"), model_factor(model, "clock") / 1e6, rate,
                params->GPU.ClockMHz);
}

/* ---- predictions ---- */

struct compared {
    VEC(struct frame_prediction) frames;
    /* seconds per frame of the trace; NaN: not simulated. The array may be NULL. */
    double *measured;
    double mean, worst, seconds;
    uint32_t count, inside; /* compared, and of these within the error bar */
    double bar;             /* relative; NaN: unknown */
};

/* Whether the run simulates the trace's program on the model's machine. */
static bool
is_comparable(const struct model *model, const char *run, const struct trace_reader *reader,
              struct error *err)
{
    struct params params;
    char *ini = mem_printf("%s/machine.ini", run);
    struct run_json facts = {0};
    params_init(&params);
    bool ok = run_json_read(&facts, run, err) && params_load_file(&params, ini, err) &&
              model_is_of(model, &params, err);
    if (ok && facts.program && strcmp(facts.program, trace_program(reader)) != 0)
        ok = fail(err, "it is a run of %.80s, but the trace is of %.80s", facts.program,
                  trace_program(reader));
    run_json_fini(&facts);
    free(ini);
    return ok || fail_prefix(err, "--against %s", run);
}

static bool
read_measured(struct compared *c, const char *run, uint32_t frames, double clock, struct error *err)
{
    struct csv_table table;
    char *path = mem_printf("%s/stats.frames.csv.gz", run);
    const bool ok = csv_read(&table, path, err);
    free(path);
    if (!ok)
        return false;
    const int32_t frame = csv_column(&table, "frame"), cycles = csv_column(&table, "cycles");
    c->measured = mem_array(frames + 1, sizeof *c->measured);
    for (uint32_t f = 0; f < frames; f++)
        c->measured[f] = NAN;
    for (uint32_t r = 0; r < table.rows; r++) {
        const double number = csv_value(&table, r, frame);
        if (number < frames)
            c->measured[(uint32_t)number] = csv_value(&table, r, cycles) / clock;
    }
    csv_table_fini(&table);
    return true;
}

static void
compare(struct compared *c)
{
    for (size_t i = 0; i < c->frames.count && c->measured; i++) {
        const struct frame_prediction *p = &c->frames.items[i];
        const double error = fabs(c->measured[p->frame] / p->seconds - 1);
        if (isnan(error))
            continue;
        c->mean = (c->mean * c->count + error) / (c->count + 1);
        c->worst = fmax(c->worst, error);
        c->inside += fabs(p->seconds / c->measured[p->frame] - 1) <= c->bar;
        c->count++;
    }
}

static void
print_frames(const struct compared *c)
{
    struct text_table sheet = {0};
    const bool has_bar = !isnan(c->bar);
    text_table_cells(&sheet, has_bar ? "frame|frames/s|from|to|bound by|of it"
                                     : "frame|frames/s|bound by|of it");
    if (c->measured) {
        text_table_cells(&sheet, "cycle-level|error");
    }
    text_table_end_row(&sheet);
    for (size_t i = 0; i < c->frames.count; i++) {
        const struct frame_prediction *p = &c->frames.items[i];
        text_table_cell(&sheet, "%u", p->frame);
        text_table_cell(&sheet, "%.1f", 1 / p->seconds);
        if (has_bar) {
            text_table_cell(&sheet, "%.1f", model_bar_low(c->bar) / p->seconds);
            text_table_cell(&sheet, "%.1f", (1 + c->bar) / p->seconds);
        }
        text_table_cell(&sheet, "%s", frame_bound_name(p->bound));
        text_table_cell(&sheet, "%.0f %%", 100 * p->bounds[p->bound] / p->cycles);
        if (c->measured && isnan(c->measured[p->frame])) {
            text_table_cells(&sheet, "-|-");
        } else if (c->measured) {
            text_table_cell(&sheet, "%.1f", 1 / c->measured[p->frame]);
            text_table_cell(&sheet, "%+.1f %%", 100 * (c->measured[p->frame] / p->seconds - 1));
        }
        text_table_end_row(&sheet);
    }
    text_table_put(&sheet, TEXT_TABLE_TEXT, stdout);
    if (c->count)
        printf("\n%u frame%s: mean error %.1f %%, worst %.1f %%\n", c->count, plural(c->count),
               100 * c->mean, 100 * c->worst);
    if (c->count && has_bar)
        printf("%u of %u within the error bar (of 9 of 10 frames of unseen programs)\n", c->inside,
               c->count);
    printf("drawing them without timing took %.2f s\n", c->seconds);
}

static void
print_frames_json(const struct compared *c)
{
    cJSON *root = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(root, "frames");
    for (size_t i = 0; i < c->frames.count; i++) {
        const struct frame_prediction *p = &c->frames.items[i];
        cJSON *frame = cJSON_CreateObject(), *bounds = cJSON_CreateObject();
        cJSON_AddNumberToObject(frame, "frame", p->frame);
        cJSON_AddNumberToObject(frame, "fps", 1 / p->seconds);
        if (!isnan(c->bar)) {
            cJSON_AddNumberToObject(frame, "fps_low", model_bar_low(c->bar) / p->seconds);
            cJSON_AddNumberToObject(frame, "fps_high", (1 + c->bar) / p->seconds);
        }
        cJSON_AddStringToObject(frame, "bound_by", frame_bound_name(p->bound));
        for (uint32_t b = 0; b < FRAME_BOUNDS; b++)
            cJSON_AddNumberToObject(bounds, frame_bound_name(b), p->bounds[b]);
        cJSON_AddItemToObject(frame, "cycles", bounds);
        if (c->measured && !isnan(c->measured[p->frame]))
            cJSON_AddNumberToObject(frame, "measured_fps", 1 / c->measured[p->frame]);
        cJSON_AddItemToArray(list, frame);
    }
    if (c->count) {
        cJSON_AddNumberToObject(root, "mean_error", c->mean);
        cJSON_AddNumberToObject(root, "worst_error", c->worst);
    }
    cJSON_AddNumberToObject(root, "seconds", c->seconds);
    print_json_tree(root);
}

static bool
predict_all(struct compared *c, const struct model *model, struct trace_reader *reader,
            const struct model_trace_options *options, const struct params *params,
            struct error *err)
{
    struct trace_work work;
    if (!trace_work_find(&work, reader, &options->frames, params, options->memory, err))
        return false;
    for (uint32_t f = 0; f < work.frames.count; f++)
        if (frame_set_has(&options->frames, f)) {
            struct frame_prediction prediction;
            model_predict_frame(&prediction, model, &work, f);
            if (prediction.cycles > 0)
                VEC_PUSH(&c->frames, prediction);
        }
    c->seconds = work.seconds;
    trace_work_fini(&work);
    return c->frames.count > 0 || fail(err, "no frames to predict");
}

bool
model_check_frames(const struct model *model, const struct machine_options *machine,
                   struct error *err)
{
    struct params params;
    return (model_has_frames(model) ||
            fail(err, "the model has no frame stages: `aetius model fit CSV --frames RUN -o MODEL` "
                      "makes a model with them")) &&
           machine_options_apply(machine, &params, err) && model_is_of(model, &params, err);
}

bool
model_predict_trace(const struct model *model, const struct model_trace_options *asked,
                    struct error *err)
{
    struct model_trace_options located = *asked;
    const struct model_trace_options *options = &located;
    struct params params;
    struct trace_reader *reader;
    struct compared c = {.bar = model_factor(model, "frames.error")};
    if (!model_check_frames(model, &options->machine, err) ||
        !machine_options_apply(&options->machine, &params, err) ||
        !trace_reader_open_warn(&reader, options->trace, err))
        return false;
    const uint32_t count = trace_frame_count(reader);
    bool ok =
        frame_set_locate(&located.frames, trace_first_frame(reader), count, options->trace, err) &&
        (!options->against ||
         (is_comparable(model, options->against, reader, err) &&
          read_measured(&c, options->against, count, 1e6 * params.GPU.ClockMHz, err))) &&
        predict_all(&c, model, reader, options, &params, err);
    trace_reader_close(reader);
    if (ok) {
        compare(&c);
        if (options->json)
            print_frames_json(&c);
        else
            print_frames(&c);
    }
    VEC_FREE(&c.frames);
    free(c.measured);
    return ok;
}
