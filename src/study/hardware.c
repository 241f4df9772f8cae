/* aetius study hardware: how large are the simulator's errors? Repeats measurements of real cards
 * (studies/data/hardware.csv) on machines modelled after them (studies/hardware.ini). An input has
 * three frames. The first frame uploads data, and the last does twice the work of the second. So
 * the difference between the last two frames gives the work and its time. */
#include "study/hardware.h"

#include "base/log.h"
#include "report/run/csv.h"
#include "report/compare/ideals.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 3 };

/* Difference between the last frame and the frame before it. */
struct extra_work {
    double cycles, fragments;
    struct csv_table table;
    struct params params;
};

static bool
find_run(const struct study *study, const char *input, const char *machine, size_t *run)
{
    for (*run = 0; *run < study->planned; ++*run) {
        const struct sweep_run *one = &study->sweep.runs.items[*run];
        if (!strcmp(one->machine, machine) && !strcmp(study_trace_name(study, one->trace), input))
            return true;
    }
    return false;
}

static double
difference(const struct csv_table *table, const char *name)
{
    const int32_t column = csv_column(table, name);
    return csv_value(table, FRAMES - 1, column) - csv_value(table, FRAMES - 2, column);
}

static bool
read_work(const struct study *study, const struct hardware_line *line, const char *input,
          struct extra_work *work, struct error *err)
{
    size_t run;
    if (!find_run(study, input, line->machine, &run))
        return fail(err, "%s: machine '%s' is not planned for input '%s' (%s, %s)",
                    study->plan->path, line->machine, input, line->card, line->test);
    char *dir = study_folder(study, run), *path = mem_printf("%s/stats.frames.csv.gz", dir);
    bool ok = csv_read(&work->table, path, err) && study_params(study, run, &work->params, err);
    if (ok) {
        const bool is_whole = work->table.rows == FRAMES;
        work->cycles = is_whole ? difference(&work->table, "cycles") : 0;
        work->fragments = is_whole ? difference(&work->table, "fraggen.fragments") : 0;
        ok = (work->cycles > 0 && work->fragments > 0) ||
             fail(err, "%s: expected three frames, the last with more work", path);
    }
    free(path);
    free(dir);
    return ok;
}

static double
pipes(const struct params *params)
{
    return (double)params->GPU.NumFragmentShaders * params->FRAGMENTSHADER.ThreadRate;
}

/* The machine's result in the line's unit. */
static double
value_of(const struct hardware_line *line, const struct extra_work *work,
         const struct extra_work *against)
{
    const double rate = work->fragments / work->cycles;
    if (!strcmp(line->unit, "Mpixel/s"))
        return rate * line->core_mhz;
    if (!strcmp(line->unit, "% of peak"))
        return 100 * rate * line->per_pixel / (pipes(&work->params) * line->peak);
    const double other = against->fragments / against->cycles;
    if (!strcmp(line->unit, "%"))
        return 100 * rate / other;
    return (1 / rate - 1 / other) * pipes(&work->params) / line->per_pixel;
}

/* Finds the two largest causes of the work's cycles (docs/topdown.md). */
static void
find_causes(struct hardware_line *line, const struct extra_work *work)
{
    static const char start[] = "lost.";
    for (uint32_t c = 0; c < work->table.columns; c++) {
        const char *name = work->table.names[c];
        if (strncmp(name, start, strlen(start)) != 0)
            continue;
        const double share = difference(&work->table, name) / work->cycles;
        const uint32_t place = share > line->shares[0] ? 0 : 1;
        if (!(share > line->shares[place]))
            continue;
        if (!place) {
            line->shares[1] = line->shares[0];
            memcpy(line->causes[1], line->causes[0], sizeof line->causes[0]);
        }
        line->shares[place] = share;
        snprintf(line->causes[place], sizeof line->causes[place], "%s", name + strlen(start));
    }
}

static bool
find_verdict(struct hardware_line *line, const struct extra_work *work, struct error *err)
{
    const struct ideal_rows last = {&work->table, NULL, FRAMES - 1};
    struct ideal_gains gains;
    const bool ok = ideals_predict(&last, &work->params, &gains, err);
    line->verdict = ok ? ideals[ideals_verdict(&gains)].name : "";
    return ok;
}

static bool
simulate_line(const struct study *study, struct hardware_line *line, struct error *err)
{
    struct extra_work work = {0}, against = {0};
    bool ok = read_work(study, line, line->input, &work, err) &&
              (!*line->against || read_work(study, line, line->against, &against, err));
    if (ok && work.params.GPU.ClockMHz != line->core_mhz)
        ok = fail(err, "%s: machine '%s' has %u MHz, the %s %g", study->plan->path, line->machine,
                  work.params.GPU.ClockMHz, line->card, line->core_mhz);
    if (ok) {
        line->simulated = value_of(line, &work, &against);
        find_causes(line, &work);
        ok = find_verdict(line, &work, err);
    }
    csv_table_fini(&work.table);
    csv_table_fini(&against.table);
    return ok;
}

/* Lists the machines, with the parameters of the first run on each. */
static bool
list_machines(const struct study *study, struct hardware *hardware, struct error *err)
{
    const char *last = "";
    for (size_t run = 0; run < study->planned; run++) {
        const struct sweep_run *one = &study->sweep.runs.items[run];
        struct params params;
        if (!strcmp(one->machine, last))
            continue;
        last = one->machine;
        if (!study_params(study, run, &params, err))
            return false;
        VEC_PUSH(&hardware->machines,
                 ((struct hardware_machine){
                     .name = mem_strdup(one->machine),
                     .preset = mem_strdup(one->preset),
                     .clock_mhz = params.GPU.ClockMHz,
                     .pipes = (uint32_t)pipes(&params),
                     .rops = 4 * params.GPU.NumStampPipes * params.COLORWRITE.StampsPerCycle,
                     .bytes = 4.0 * params.MEMORYCONTROLLER.V2MemoryChannels *
                              params.MEMORYCONTROLLER.V2BurstElementsPerCycle}));
    }
    return true;
}

/* Removes lines that were not simulated. Other inputs or fewer machines than the plan's cause such
 * lines. */
static bool
leave_out(const struct study *study, struct hardware *hardware, struct error *err)
{
    struct hardware_line one = {0}; /* a line that is modelled, for the message */
    size_t kept = 0, modelled = 0, run;
    for (size_t i = 0; i < hardware->lines.count; i++) {
        const struct hardware_line *line = &hardware->lines.items[i];
        const bool is_modelled = hardware_is_modelled(line);
        one = is_modelled && !one.input ? *line : one;
        if (is_modelled &&
            (!find_run(study, line->input, line->machine, &run) ||
             (*line->against && !find_run(study, line->against, line->machine, &run))))
            continue;
        modelled += is_modelled;
        hardware->lines.items[kept++] = *line;
    }
    hardware->lines.count = kept;
    return modelled || !one.input ||
           fail(err, "no measurement uses these inputs on these machines: one uses %s on %s",
                one.input, one.machine);
}

static bool
write_all(const struct study *study, const struct hardware *hardware, struct error *err)
{
    struct memory_text page, csv;
    hardware_csv(hardware, memory_text_open(&csv));
    bool ok = study_write_text(study, "hardware.csv", &csv, err);
    if (ok) {
        hardware_page(hardware, memory_text_open(&page));
        ok = study_put_text(study, "hardware.md", &page, err);
    }
    if (ok && study->json)
        hardware_json(hardware, stdout);
    return ok;
}

/* The path given by a key of [study]. */
static char *
path_of(const struct study *study, const char *name, struct error *err)
{
    const struct word_list *words = study_words(study, name);
    if (words->count != 1) {
        fail(err, "%s: [study] %s: expected a file", study->plan->path, name);
        return NULL;
    }
    return sweep_plan_path(study->plan, words->items[0]);
}

bool
study_hardware(struct study *study, struct error *err)
{
    struct hardware hardware = {0};
    char *data = path_of(study, "data", err);
    char *sources = data ? path_of(study, "sources", err) : NULL;
    bool ok = sources && hardware_read(&hardware, data, sources, err) &&
              (study->is_whole || leave_out(study, &hardware, err)) && study_do(study, err) &&
              (study->is_whole || leave_out(study, &hardware, err)) &&
              list_machines(study, &hardware, err);
    for (size_t i = 0; ok && i < hardware.lines.count; i++)
        if (hardware_is_modelled(&hardware.lines.items[i]))
            ok = simulate_line(study, &hardware.lines.items[i], err);
    ok = ok && hardware_plot(&hardware, study, err);
    hardware.has_plot = ok && study_has_plot(study, "measured");
    ok = ok && write_all(study, &hardware, err);
    hardware_fini(&hardware);
    free(sources);
    free(data);
    return ok;
}
