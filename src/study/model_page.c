/* The page of `aetius study model`. */
#include "model/program_cost.h"
#include "model/tables.h"
#include "study/model_study.h"

#include "base/file.h"
#include "base/json.h"
#include "base/schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
put_mean(struct text_table *sheet, const struct model_errors *errors)
{
    if (errors->count)
        text_table_cell(sheet, "%.2f", 100 * errors->mean);
    else
        text_table_cell(sheet, "-");
}

/* Mean errors of the held-out half, one row per machine. */
static void
put_summary(const struct model_study *study, FILE *out)
{
    struct text_table sheet = {0};
    text_table_cells(&sheet,
                     "mean error %, held out|base|from 900,000 fragments|triangles|textures|"
                     "dependent|in all|springs, 1 stage|2 stages|3 stages");
    text_table_end_row(&sheet);
    for (size_t m = 0; m < study->machines.count; m++) {
        const struct model_machine *machine = &study->machines.items[m];
        if (!machine->rows.count)
            continue;
        text_table_cell(&sheet, "%s", machine->name);
        for (uint32_t s = 0; s < MODEL_STAGES; s++) {
            put_mean(&sheet, &machine->check.stages[s].held_out);
            if (s == MODEL_BASE)
                put_mean(&sheet, &machine->check.large);
        }
        put_mean(&sheet, &machine->check.held_out);
        for (uint32_t n = 0; n < 3; n++)
            put_mean(&sheet, &machine->check.springs[n]);
        text_table_end_row(&sheet);
    }
    text_table_cell(&sheet, "target");
    static const double aims[] = {10, 2, 10, 10, 10, 33, 10, 21, 33};
    for (size_t i = 0; i < sizeof aims / sizeof aims[0]; i++)
        text_table_cell(&sheet, "%.0f", aims[i]);
    text_table_end_row(&sheet);
    text_table_put(&sheet, TEXT_TABLE_MARKDOWN, out);
}

/* ---- coherence ---- */

static double
performance(const struct model_row *row)
{
    return row->fragments / row->seconds;
}

static double
performance_at(const struct model_rows *rows, double block)
{
    for (size_t r = 0; r < rows->count; r++) {
        const struct model_row *row = &rows->items[r];
        if (model_row_is_of(row, MODEL_SWEEP_coherence) && row->block == block)
            return performance(row);
    }
    return NAN;
}

/* Performance of the sweep `triangles` with its widest column. That column covers the whole screen,
 * so all fragments agree. */
static double
agreed_performance(const struct model_machine *machine)
{
    const struct model_row *widest = NULL;
    for (size_t r = 0; r < machine->rows.count; r++) {
        const struct model_row *row = &machine->rows.items[r];
        if (model_row_is_of(row, MODEL_SWEEP_triangles) && row->triangles == 2 &&
            (!widest || row->block > widest->block))
            widest = row;
    }
    return widest ? performance(widest) : (double)NAN;
}

bool
coherence_find(struct coherence_widths *widths, const struct model_machine *machine)
{
    const double within = 1.02;
    *widths = (struct coherence_widths){.least = INFINITY, .all = agreed_performance(machine)};
    for (size_t r = 0; r < machine->rows.count; r++)
        if (model_row_is_of(&machine->rows.items[r], MODEL_SWEEP_coherence))
            widths->least = fmin(widths->least, performance(&machine->rows.items[r]));
    if (isinf(widths->least) || isnan(widths->all))
        return false;
    const double half = (widths->least + widths->all) / 2;
    double below = 0; /* widest column that gains less than half */
    for (size_t r = 0; r < machine->rows.count; r++) {
        const struct model_row *row = &machine->rows.items[r];
        if (!model_row_is_of(row, MODEL_SWEEP_coherence))
            continue;
        if (performance(row) <= within * widths->least)
            widths->flat = fmax(widths->flat, row->block);
        if (performance(row) < half)
            below = fmax(below, row->block);
    }
    widths->half = INFINITY;
    for (size_t r = 0; r < machine->rows.count; r++) {
        const struct model_row *row = &machine->rows.items[r];
        if (!model_row_is_of(row, MODEL_SWEEP_coherence))
            continue;
        if (row->block > below)
            widths->half = fmin(widths->half, row->block);
        const size_t used = strlen(widths->exceptions);
        if (row->block < widths->flat && performance(row) > within * widths->least)
            snprintf(widths->exceptions + used, sizeof widths->exceptions - used, "%s%g",
                     used ? ", " : "", row->block);
    }
    return true;
}

/* Explains the results by group size and shape, from the machine's parameters. */
static void
explain_groups(const struct model_machine *machine, FILE *out)
{
    enum { TILE_FRAGMENTS = 64 };
    const uint32_t group = machine->params.FRAGMENTSHADER.ThreadGroup;
    const uint32_t units = machine->params.GPU.NumFragmentShaders;
    if (group <= TILE_FRAGMENTS) {
        fprintf(out,
                "- %s: a group has %u fragments (%.2g of an 8x8 tile) and takes its unit's quads "
                "in order "
                "of arrival. With one ROP they arrive tile by tile, so both sides of the branch "
                "meet only "
                "at the edge of a column. With %u ROPs the tiles of different ROPs are "
                "interleaved. Their "
                "distance depends on how far one ROP is ahead of the others.\n",
                machine->name, group, (double)group / TILE_FRAGMENTS,
                machine->params.GPU.NumStampPipes);
        return;
    }
    fprintf(
        out,
        "- %s: a group has %u fragments: %.3g tiles of 8x8, all of one of %u units. The tiles of "
        "the other units lie between them, so a group spans %u pixels of the rasterizer's walk "
        "(%.0f across, if they were a square). Both sides of the branch meet in a group unless "
        "columns are wider.\n",
        machine->name, group, (double)group / TILE_FRAGMENTS, units, group * units,
        sqrt((double)group * units));
}

static void
put_columns(struct text_table *sheet, const char *name, const struct model_rows *rows)
{
    static const double shown[] = {1, 4, 8, 16, 32, 64, 96, 128, 192, 320};
    text_table_cell(sheet, "%s", name);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        text_table_cell(sheet, "%.0f", 1e-6 * performance_at(rows, shown[i]));
}

static bool
has_coherence(const struct model_study *study)
{
    struct coherence_widths widths;
    for (size_t m = 0; m < study->machines.count; m++) {
        const struct model_machine *machine = &study->machines.items[m];
        if ((machine->columns.count && !machine->rows.count) || coherence_find(&widths, machine))
            return true;
    }
    return false;
}

static void
put_coherence(const struct model_study *study, FILE *out)
{
    struct text_table sheet = {0};
    struct coherence_widths widths;
    if (!has_coherence(study))
        return;
    fputs(
        "\n## Coherence\n\nColumns of a 640x480 screen take the two sides of a branch alternately. "
        "*Minimum up to*: the widest column with the lowest\nperformance. *Except*: narrower "
        "columns "
        "that are faster. *Halfway from*: the column width that recovers half of\nthe loss.\n\n",
        out);
    text_table_cells(&sheet, "Mfragments/s, columns of|1|4|8|16|32|64|96|128|192|320|"
                             "all agree|minimum up to|except|halfway from");
    text_table_end_row(&sheet);
    for (size_t m = 0; m < study->machines.count; m++) {
        const struct model_machine *machine = &study->machines.items[m];
        if (machine->columns.count && !machine->rows.count) {
            put_columns(&sheet, machine->name, &machine->columns);
            for (uint32_t i = 0; i < 4; i++)
                text_table_cell(&sheet, "-");
            text_table_end_row(&sheet);
        }
        if (!coherence_find(&widths, machine))
            continue;
        put_columns(&sheet, machine->name, &machine->rows);
        text_table_cell(&sheet, "%.0f", 1e-6 * widths.all);
        text_table_cell(&sheet, "%g", widths.flat);
        text_table_cell(&sheet, "%s", *widths.exceptions ? widths.exceptions : "-");
        if (isinf(widths.half))
            text_table_cell(&sheet, "-");
        else
            text_table_cell(&sheet, "%g", widths.half);
        text_table_end_row(&sheet);
    }
    text_table_put(&sheet, TEXT_TABLE_MARKDOWN, out);
    fputs("\n", out);
    for (size_t m = 0; m < study->machines.count; m++)
        if (coherence_find(&widths, &study->machines.items[m]))
            explain_groups(&study->machines.items[m], out);
    fputs("\nColumns of exactly one tile differ if neighbouring tiles go to different units: each\n"
          "unit then gets tiles of only one side.\n",
          out);
}

/* ---- mass-spring ---- */

/* Table 5.1 of the source publication: frames per second of a GeForce 7800 GTX, and of its model.
 */
static const struct {
    const char *variant;
    double measured, predicted;
} published[] = {
    {"none-unrolled", 344, 338},    {"none-loop", 206, 209},    {"none-break", 295, 307},
    {"outside-unrolled", 171, 172}, {"outside-loop", 122, 123}, {"outside-break", 270, 253},
    {"all-unrolled", 67, 68},       {"all-loop", 63, 59},       {"all-break", 162, 177},
};

/* Measured frame rate and error of a machine, or empty cells if the case was not measured. */
static void
put_spring(struct text_table *sheet, const struct model_machine *machine, const char *variant)
{
    for (size_t r = 0; r < machine->rows.count; r++) {
        const struct model_row *row = &machine->rows.items[r];
        if (!model_row_is_of(row, MODEL_SWEEP_springs) || strcmp(row->variant, variant) != 0)
            continue;
        text_table_cell(sheet, "%.0f", 1 / row->seconds);
        text_table_cell(sheet, "%+.0f", 100 * machine->check.error[r]);
        return;
    }
    text_table_cells(sheet, "-|-");
}

static bool
has_springs(const struct model_machine *machine)
{
    for (size_t r = 0; r < machine->rows.count; r++)
        if (model_row_is_of(&machine->rows.items[r], MODEL_SWEEP_springs))
            return true;
    return false;
}

/* The published cases beside those of each machine. */
static void
put_springs(const struct model_study *study, FILE *out)
{
    struct text_table sheet = {0};
    uint32_t shown = 0;
    text_table_cells(&sheet, "textures and loop|7800 GTX|error %");
    for (size_t m = 0; m < study->machines.count; m++)
        if (has_springs(&study->machines.items[m])) {
            text_table_cell(&sheet, "%s", study->machines.items[m].name);
            text_table_cell(&sheet, "error %%");
            shown++;
        }
    text_table_end_row(&sheet);
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        text_table_cell(&sheet, "%s", published[i].variant);
        text_table_cell(&sheet, "%.0f", published[i].measured);
        text_table_cell(&sheet, "%+.0f",
                        100 * (published[i].predicted / published[i].measured - 1));
        for (size_t m = 0; m < study->machines.count; m++)
            if (has_springs(&study->machines.items[m]))
                put_spring(&sheet, &study->machines.items[m], published[i].variant);
        text_table_end_row(&sheet);
    }
    if (shown) {
        fputs("\n## Mass-spring\n\nMeasured frames per second, and the error of the prediction: "
              "table 5.1 of the publication, and each\nmachine. No case was fitted.\n\n",
              out);
        text_table_write(&sheet, TEXT_TABLE_MARKDOWN, out);
    }
    text_table_fini(&sheet);
}

/* ---- machines ---- */

static void
put_worst(const struct model_machine *machine, FILE *out)
{
    enum { SHOWN = 5 };
    size_t worst[SHOWN];
    const uint32_t count = model_worst_rows(&machine->check, &machine->rows, worst, SHOWN);
    for (uint32_t i = 0; i < count; i++) {
        char text[256];
        model_row_describe(&machine->rows.items[worst[i]], text, sizeof text);
        fprintf(out, "- %+.1f %%: %s\n", 100 * machine->check.error[worst[i]], text);
    }
}

void
model_machine_tables(const struct model_machine *machine, FILE *out)
{
    struct text_table stages = {0}, springs = {0};
    const struct model *model = &machine->model;
    fprintf(out, "%s: %.6g fragment cycles per second, %.3g us per frame in addition.\n\n",
            model->renderer, model_factor(model, "rate"), 1e6 * model_factor(model, "start"));
    model_stages_sheet(&stages, &machine->check);
    text_table_put(&stages, TEXT_TABLE_MARKDOWN, out);
    fputs("\nLargest errors of the frame rate:\n\n", out);
    put_worst(machine, out);
    if (model_springs_sheet(&springs, &machine->check, &machine->rows)) {
        fputs("\nMass-spring, frames per second (no case was fitted):\n\n", out);
        text_table_write(&springs, TEXT_TABLE_MARKDOWN, out);
    }
    text_table_fini(&springs);
}

/* Whether DIR/NAME-OF.svg exists, or DIR/NAME.svg if `of` is NULL. */
static bool
has_chart(const char *dir, const char *name, const char *of)
{
    char *path = mem_printf("%s/%s%s%s.svg", dir, name, of ? "-" : "", of ? of : "");
    const bool is_there = file_exists(path);
    free(path);
    return is_there;
}

static void
put_machine(const struct model_machine *machine, const char *dir, FILE *out)
{
    fprintf(out, "\n## %s\n\n", machine->name);
    model_machine_tables(machine, out);
    static const struct {
        const char *name, *title;
    } others[] = {{"triangles-error", "errors by size of triangles"},
                  {"triangles-map", "rate by size of triangles and columns"},
                  {"textures-one-read", "textures with one read"},
                  {"dependent-rgbx8", "dependent reads of RGBX8 textures"}};
    uint32_t linked = 0;
    for (uint32_t i = 0; i < MODEL_SWEEPS; i++)
        if (has_chart(dir, model_sweeps[i].name, machine->name))
            fprintf(out, "%s [%s](%s-%s.svg)",
                    linked++ ? "," : "\nMeasured and predicted:", model_sweeps[i].chart,
                    model_sweeps[i].name, machine->name);
    for (uint32_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (has_chart(dir, others[i].name, machine->name))
            fprintf(out, "%s [%s](%s-%s.svg)", linked++ ? "," : "\nPlots:", others[i].title,
                    others[i].name, machine->name);
    if (linked)
        fputs(".\n", out);
}

/* ---- frames ---- */

struct frame_errors {
    uint32_t count;
    double mean, worst, offset; /* errors of the frame rate; worst and offset are signed */
};

static void
add_error(struct frame_errors *errors, double error)
{
    errors->mean = (errors->mean * errors->count + fabs(error)) / (errors->count + 1);
    errors->offset = (errors->offset * errors->count + error) / (errors->count + 1);
    errors->worst = fabs(error) > fabs(errors->worst) ? error : errors->worst;
    errors->count++;
}

static void
put_errors(struct text_table *sheet, const struct frame_errors *errors)
{
    text_table_cell(sheet, "%.1f", 100 * errors->mean);
    text_table_cell(sheet, "%+.1f", 100 * errors->offset);
    text_table_cell(sheet, "%+.1f", 100 * errors->worst);
}

/* Requires that frames of the same input are adjacent. */
static size_t
input_end(const struct model_machine *machine, size_t first)
{
    size_t end = first;
    while (end < machine->frames.count &&
           machine->frames.items[end].input == machine->frames.items[first].input)
        end++;
    return end;
}

static const char *
bound_of(const struct model_machine *machine, size_t first, size_t end)
{
    uint32_t votes[FRAME_BOUNDS] = {0}, most = 0;
    for (size_t i = first; i < end; i++)
        votes[machine->frames.items[i].predicted.bound]++;
    for (uint32_t b = 1; b < FRAME_BOUNDS; b++)
        most = votes[b] > votes[most] ? b : most;
    return frame_bound_name(most);
}

static void
put_inputs(const struct model_machine *machine, enum frames_part part, FILE *out)
{
    struct text_table sheet = {0};
    text_table_cells(&sheet,
                     "input|frames|predicted|cycle-level|mean error %|signed|worst|bound by");
    text_table_end_row(&sheet);
    for (size_t i = 0, end; i < machine->frames.count; i = end) {
        struct frame_errors errors = {0};
        double predicted = 0, simulated = 0;
        end = input_end(machine, i);
        if (machine->frames.items[i].part != part)
            continue;
        for (size_t f = i; f < end; f++) {
            add_error(&errors, model_frame_error(&machine->frames.items[f]));
            predicted += machine->frames.items[f].predicted.seconds;
            simulated += machine->frames.items[f].seconds;
        }
        text_table_cell(&sheet, "%s", machine->frames.items[i].input);
        text_table_cell(&sheet, "%u", errors.count);
        text_table_cell(&sheet, "%.1f", errors.count / predicted);
        text_table_cell(&sheet, "%.1f", errors.count / simulated);
        put_errors(&sheet, &errors);
        text_table_cell(&sheet, "%s", bound_of(machine, i, end));
        text_table_end_row(&sheet);
    }
    text_table_put(&sheet, TEXT_TABLE_MARKDOWN, out);
}

static struct frame_errors
errors_of(const struct model_machine *machine, enum frames_part part)
{
    struct frame_errors errors = {0};
    for (size_t i = 0; i < machine->frames.count; i++)
        if (machine->frames.items[i].part == part)
            add_error(&errors, model_frame_error(&machine->frames.items[i]));
    return errors;
}

static void
put_frames(const struct model_machine *machine, FILE *out)
{
    static const char *const parts[FRAMES_PARTS] = {
        [FRAMES_LEARN] = "used for fitting",
        [FRAMES_DEVELOP] = "known while the stages were designed",
        [FRAMES_JUDGE] = "used for judging, in no fit",
    };
    struct text_table sheet = {0};
    fprintf(out,
            "\n## Frames of programs: %s\n\n"
            "The frame stages (docs/model.md) are fitted to frames of benchmarks/gl and of other "
            "programs.\n"
            "They predict the frame rate of a trace that is rendered without timing. Values are "
            "frames per\n"
            "second, and their errors.\n\n",
            machine->name);
    text_table_cells(&sheet, "frames|number|mean error %|signed|worst");
    text_table_end_row(&sheet);
    for (uint32_t part = 0; part < FRAMES_PARTS; part++) {
        const struct frame_errors errors = errors_of(machine, part);
        if (!errors.count)
            continue;
        text_table_cell(&sheet, "%s", parts[part]);
        text_table_cell(&sheet, "%u", errors.count);
        put_errors(&sheet, &errors);
        text_table_end_row(&sheet);
    }
    text_table_put(&sheet, TEXT_TABLE_MARKDOWN, out);
    for (uint32_t part = FRAMES_PARTS; part-- > 0;)
        if (errors_of(machine, part).count) {
            fprintf(out, "\nFrames %s:\n\n", parts[part]);
            put_inputs(machine, part, out);
        }
}

void
model_page(const struct model_study *study, const char *dir, FILE *out)
{
    fputs("# Accuracy of the staged model\n\n"
          "*Springs*: nine variants of the mass-spring program, by the number of stages used.\n\n",
          out);
    put_summary(study, out);
    if (has_chart(dir, "errors", NULL))
        fputs("\n![mean errors](errors.svg)\n", out);
    put_coherence(study, out);
    put_springs(study, out);
    for (size_t m = 0; m < study->machines.count; m++)
        if (study->machines.items[m].rows.count)
            put_machine(&study->machines.items[m], dir, out);
    for (size_t m = 0; m < study->machines.count; m++)
        if (study->machines.items[m].frames.count)
            put_frames(&study->machines.items[m], out);
    for (size_t m = 0; m < study->measured.count; m++) {
        fprintf(out,
                "\n## Other renderers: %s\n\nMeasured by `aetius model bench --native`. Each "
                "operation of the "
                "GLSL text counts as one cycle.\n\n",
                study->measured.items[m].name);
        model_machine_tables(&study->measured.items[m], out);
    }
}

/* ---- JSON ---- */

static void
add_errors(cJSON *to, const char *name, const struct model_errors *errors)
{
    cJSON *object = cJSON_AddObjectToObject(to, name);
    cJSON_AddNumberToObject(object, "rows", errors->count);
    cJSON_AddNumberToObject(object, "mean_error", errors->mean);
    cJSON_AddNumberToObject(object, "worst_error", errors->worst);
}

static void
add_machine(cJSON *machines, const struct model_machine *machine)
{
    static const char *const springs[] = {"springs_1", "springs_2", "springs_3"};
    cJSON *object = cJSON_AddObjectToObject(machines, machine->name);
    cJSON *held_out = cJSON_AddObjectToObject(object, "held_out");
    cJSON *frames = cJSON_AddArrayToObject(object, "frames");
    for (uint32_t s = 0; s < MODEL_STAGES; s++)
        add_errors(held_out, model_stage_names[s], &machine->check.stages[s].held_out);
    add_errors(held_out, "all", &machine->check.held_out);
    for (uint32_t n = 0; n < 3; n++)
        add_errors(held_out, springs[n], &machine->check.springs[n]);
    for (size_t i = 0; i < machine->frames.count; i++) {
        static const char *const parts[FRAMES_PARTS] = {"learn", "develop", "judge"};
        const struct model_frame *frame = &machine->frames.items[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "input", frame->input);
        cJSON_AddNumberToObject(one, "frame", frame->predicted.frame);
        cJSON_AddStringToObject(one, "part", parts[frame->part]);
        cJSON_AddNumberToObject(one, "predicted_fps", 1 / frame->predicted.seconds);
        cJSON_AddNumberToObject(one, "measured_fps", 1 / frame->seconds);
        cJSON_AddStringToObject(one, "bound_by", frame_bound_name(frame->predicted.bound));
        cJSON_AddItemToArray(frames, one);
    }
}

void
model_page_json(const struct model_study *study, FILE *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", AETIUS_SCHEMA);
    cJSON *machines = cJSON_AddObjectToObject(root, "machines");
    for (size_t m = 0; m < study->machines.count; m++)
        add_machine(machines, &study->machines.items[m]);
    json_print(root, out);
}
