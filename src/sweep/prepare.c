/* Prepares the runs of a plan. */
#include "report/run/run.h"
#include "sim/simulation.h"
#include "sweep/outputs.h"
#include "sweep/work.h"

#include <stdlib.h>

/* Builds the first machine of the plan that can be built. For other machines, their runs report why
 * they cannot be built. */
static bool
build_one(const struct sweep *sweep, struct params *params, struct simulation *simulation)
{
    const struct frame_set all = {0};
    struct preset_cache presets = {0};
    struct error ignored;
    bool ok = false;
    for (size_t i = 0; !ok && i < sweep->runs.count; i++) {
        const struct sweep_run *run = &sweep->runs.items[i];
        ok = machine_make(&presets, run->preset, &run->sets, params, &ignored) &&
             simulation_init(simulation, params, &all, NULL, &ignored);
        if (ok)
            simulation_warn(simulation, run->preset, run->machine);
    }
    preset_cache_fini(&presets);
    return ok;
}

/* Checks that the outputs' formulas use only names that a machine has. */
static bool
check_outputs(const struct sweep *sweep, const struct sweep_plan *plan, struct error *err)
{
    struct params params;
    struct simulation simulation;
    if (!build_one(sweep, &params, &simulation))
        return true;
    const struct run_facts facts = {0};
    const struct stat_set *set = &simulation.machine->stats;
    uint64_t *values = mem_array(set->count, sizeof *values);
    struct totals totals = run_totals(&facts, set, values, &params);
    const bool ok = outputs_check(plan, &totals, err);
    totals_free(&totals);
    free(values);
    simulation_fini(&simulation);
    return ok;
}

bool
sweep_prepare(struct sweep *sweep, const struct sweep_plan *plan,
              const struct work_options *options, bool may_capture, struct error *err)
{
    return sweep_take_inputs(sweep, plan, options, may_capture, err) &&
           sweep_expand(sweep, plan, err) &&
           (!sweep->runs.count || check_outputs(sweep, plan, err));
}
