#include "model/collect.h"

#include "base/mem.h"
#include "model/program_cost.h"
#include "report/draw/draws.h"
#include "report/run/run_json.h"
#include "sim/inspect.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct costed {
    char hash[17];
    struct program_cost cost;
};

struct collection {
    const struct params *params;
    VEC(struct costed) programs;
};

static bool
cost_program(void *data, const struct program *program)
{
    struct collection *c = data;
    if (program->stage != STAGE_FRAGMENT)
        return true;
    struct costed costed;
    snprintf(costed.hash, sizeof costed.hash, "%016" PRIx64, program->hash);
    program_cost_find(&costed.cost, program, c->params);
    VEC_PUSH(&c->programs, costed);
    return true;
}

char *
run_trace(const char *dir, struct error *err)
{
    struct run_json run;
    if (!run_json_read(&run, dir, err))
        return NULL;
    char *trace = run.trace ? mem_strdup(run.trace) : NULL;
    if (!trace)
        fail(err, "%s/run.json names no trace, which is needed for the programs' cost", dir);
    run_json_fini(&run);
    return trace;
}

static bool
cost_programs(struct collection *c, const char *path, struct error *err)
{
    struct trace_reader *reader;
    if (!trace_reader_open(&reader, path, err))
        return false;
    const bool ok = inspect_programs(reader, cost_program, c, err);
    trace_reader_close(reader);
    return ok;
}

static void
set_cost(struct model_row *row, const struct collection *c, const char *hash)
{
    for (size_t i = 0; i < c->programs.count; i++) {
        const struct program_cost *cost = &c->programs.items[i].cost;
        if (strcmp(c->programs.items[i].hash, hash) != 0)
            continue;
        row->cycles = cost->cycles;
        row->branch_cycles = cost->branch_cycles;
        row->if_cycles = cost->if_cycles;
        row->else_cycles = cost->else_cycles;
        row->loop_cycles = cost->loop_cycles;
        return;
    }
}

/* All rows of a frame count towards its cycles. */
static void
take_draws(struct model_rows *rows, const struct draws *draws, const struct collection *c,
           const char *renderer)
{
    const double hertz = 1e6 * c->params->GPU.ClockMHz;
    for (size_t i = 0; i < draws->rows.count;) {
        const uint32_t frame = draws->rows.items[i].frame;
        struct model_row row = {0};
        double cycles = 0;
        bool labelled = false;
        for (; i < draws->rows.count && draws->rows.items[i].frame == frame; i++) {
            const struct draw_row *draw = &draws->rows.items[i];
            cycles += draw->cost.cycles;
            if (!draw->is_draw || labelled || !model_row_from_label(&row, draw->label))
                continue;
            labelled = true;
            set_cost(&row, c, draw->fragment_program);
        }
        if (!labelled)
            continue;
        row.seconds = cycles / hertz;
        row.rate = machine_rate(c->params);
        row.clock = hertz;
        snprintf(row.renderer, sizeof row.renderer, "%s", renderer);
        VEC_PUSH(rows, row);
    }
}

static bool
note_label(void *data, const struct functional *renderer, const struct draw *draw,
           struct error *err)
{
    struct inspection *inspection = data;
    struct model_row row = {0};
    inspection->done =
        inspection->done || (draw->names && model_row_from_label(&row, draw->names->label));
    return true;
}

bool
model_check_trace(const char *trace, struct error *err)
{
    struct trace_reader *reader;
    struct inspection inspection = {.budget = {FILE_MEMORY_BYTES, 0, "--memory"}};
    inspection.watch = (struct draw_watch){.data = &inspection, .before = note_label};
    if (!trace_reader_open(&reader, trace, err))
        return false;
    const bool ok =
        inspect_draws(&inspection, reader, err) &&
        (inspection.done || fail(err, "%s: no draw has a label of benchmarks/gl/model", trace));
    trace_reader_close(reader);
    return ok;
}

bool
model_collect(struct model_rows *rows, const char *dir, const char *trace, struct params *params,
              struct error *err)
{
    struct params machine;
    struct collection c = {.params = &machine};
    struct draws draws = {0};
    const size_t before = rows->count;
    char *ini = mem_printf("%s/machine.ini", dir);
    char *path = trace ? mem_strdup(trace) : run_trace(dir, err);
    params_init(&machine);
    bool ok =
        path && params_load_file(&machine, ini, err) && draws_read(&draws, dir, UINT32_MAX, err);
    if (ok) {
        char *renderer = mem_printf("Aetius; %.0f pipes at %u MHz", machine_pipes(&machine),
                                    machine.GPU.ClockMHz);
        ok = cost_programs(&c, path, err);
        if (ok)
            take_draws(rows, &draws, &c, renderer);
        ok = ok && (rows->count > before ||
                    fail(err, "%s: no draw has a label of benchmarks/gl/model", dir));
        draws_fini(&draws);
        free(renderer);
    }
    if (params)
        *params = machine;
    VEC_FREE(&c.programs);
    free(ini);
    free(path);
    return ok;
}
