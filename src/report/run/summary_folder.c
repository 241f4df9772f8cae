/* Prints the summary of a run folder, from its run.json and tables. */
#include "base/file.h"
#include "base/mem.h"
#include "report/draw/draws.h"
#include "report/run/csv.h"
#include "report/run/run.h"
#include "report/run/run_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run that was read. */
struct past {
    struct run_json json;
    struct params params;
    struct csv_table table; /* of frames */
    struct run_facts facts;
    struct run_frame *frames;
    struct totals totals;
};

static uint64_t
whole(double number)
{
    return number > 0 ? (uint64_t)number : 0;
}

/* The facts are from run.json. The uploads are from the frame table, which has the same frames. */
static void
take_facts(struct past *past)
{
    const struct run_json *json = &past->json;
    const int32_t uploads = csv_column(&past->table, "work.upload_cycles");
    past->frames = mem_array(json->per_frame_count + 1, sizeof *past->frames);
    for (size_t i = 0; i < json->per_frame_count; i++)
        past->frames[i] = (struct run_frame){
            .number = (uint32_t)whole(json->per_frame[i].number),
            .cycles = whole(json->per_frame[i].cycles),
            .upload_cycles =
                i < past->table.rows ? whole(csv_value(&past->table, (uint32_t)i, uploads)) : 0};
    past->facts = (struct run_facts){.program = json->program,
                                     .trace = json->trace,
                                     .preset = json->preset,
                                     .mode = json->mode,
                                     .width = (uint32_t)whole(json->width),
                                     .height = (uint32_t)whole(json->height),
                                     .frames = past->frames,
                                     .frame_count = (uint32_t)json->per_frame_count,
                                     .cycles = whole(json->cycles),
                                     .complete = json->is_complete};
}

/* Sums the statistics over the frames. */
static void
take_totals(struct past *past)
{
    const struct csv_table *table = &past->table;
    const char **names = mem_array(table->columns + 1, sizeof *names);
    double *sums = mem_array(table->columns + 1, sizeof *sums);
    size_t count = 0;
    for (uint32_t c = 0; c < table->columns; c++) {
        const char *name = table->names[c];
        if (!table->is_number[c] || (!strchr(name, '.') && csv_kind_of(name) != CSV_WHOLE) ||
            !strcmp(name, "frame") || csv_is_peak(name))
            continue;
        names[count] = name;
        for (uint32_t r = 0; r < table->rows; r++)
            sums[count] += csv_value(table, r, (int32_t)c);
        count++;
    }
    names[count] = "frames";
    sums[count++] = past->facts.frame_count;
    past->totals = (struct totals){names, sums, count, &past->params, NULL};
    past->totals.index = totals_index_names(&past->totals);
}

static bool
read_tables(struct past *past, const char *dir, struct error *err)
{
    char *ini = mem_printf("%s/machine.ini", dir), *path = NULL;
    params_init(&past->params);
    bool ok = params_load_file(&past->params, ini, err);
    if (ok) {
        path = mem_printf("%s/%s", dir, past->params.SIMULATOR.StatsFilePerFrame);
        ok = file_exists(path) ? csv_read(&past->table, path, err)
                               : fail(err,
                                      "%s has no table of frames: simulate with "
                                      "SIMULATOR.PerFrameStatistics=TRUE",
                                      dir);
    }
    free(path);
    free(ini);
    return ok;
}

static void
past_fini(struct past *past)
{
    totals_free(&past->totals);
    csv_table_fini(&past->table);
    run_json_fini(&past->json);
    free(past->frames);
}

bool
run_print_folder(const char *dir, bool units, FILE *out, struct error *err)
{
    struct past past = {0};
    struct draws draws = {0};
    struct ideal_gains gains;
    const struct frame_set all = {0};
    struct error why;
    if (!run_json_read(&past.json, dir, err))
        return false;
    const bool is_timed = !past.json.mode || strcmp(past.json.mode, "functional") != 0;
    const bool ok = !is_timed || read_tables(&past, dir, err);
    if (ok) {
        take_facts(&past);
        if (is_timed)
            take_totals(&past);
        bool there;
        const bool has_draws = is_timed && draws_find(dir, &there, &why) && there &&
                               draws_read(&draws, dir, UINT32_MAX, &why);
        const struct ideal_rows rows = {&past.table, &all, -1};
        bool has_gains = has_draws;
        if (has_draws)
            gains = draws.total.gains;
        else if (is_timed)
            has_gains = ideals_predict(&rows, &past.params, &gains, &why);
        run_print_summary(&past.facts, is_timed ? &past.totals : NULL, has_gains ? &gains : NULL,
                          has_draws ? &draws : NULL, units, out);
        if (has_draws)
            draws_fini(&draws);
    }
    past_fini(&past);
    return ok;
}
