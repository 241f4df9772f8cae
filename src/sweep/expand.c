/* Expands a plan's machines and a sweep's traces into runs. */
#include "base/interrupt.h"
#include "base/log.h"
#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 1000000 };

struct expander {
    struct sweep *sweep;
    const struct sweep_plan *plan;
    struct preset_cache presets;
    const struct sweep_machine *machine;
    struct params base; /* before axes are applied */
    /* named: parameters set by axes or options. used: parameters with an effect in some run.
     * Assignments of the plan are not checked, because runs derived from its machines may use
     * them. */
    struct param_names named, used;
    const struct sweep_axis **axes; /* axes of the current machine */
    size_t axis_count;
    struct error *err;
};

static bool
apply_sets(const struct word_list *sets, struct params *params, struct param_names *names,
           struct error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < sets->count; i++)
        ok = params_set_named(params, sets->items[i], names, err);
    return ok;
}

static bool
apply_layer(const struct expander *x, const struct word_list *configs, const struct word_list *sets,
            struct params *params)
{
    struct param_names names = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < configs->count; i++) {
        char *path = sweep_plan_path(x->plan, configs->items[i]);
        ok = params_load_file(params, path, x->err);
        free(path);
    }
    return ok && apply_sets(sets, params, &names, x->err);
}

static const char *
preset_of(const struct expander *x)
{
    return x->machine->preset ? x->machine->preset : x->plan->preset;
}

static void
list_axes(struct expander *x)
{
    const struct sweep_axes *own = &x->machine->axes, *all = &x->plan->axes;
    x->axes = mem_array(own->count + all->count + 1, sizeof *x->axes);
    x->axis_count = 0;
    for (size_t i = 0; i < all->count && !x->machine->is_alone; i++)
        x->axes[x->axis_count++] = &all->items[i];
    for (size_t i = 0; i < own->count; i++)
        x->axes[x->axis_count++] = &own->items[i];
}

/* Collects the names of axes. Warns once per axis, not for each machine. */
static void
name_axes(struct expander *x, const struct sweep_axes *axes)
{
    for (size_t i = 0; i < axes->count; i++)
        for (size_t n = 0; n < axes->items[i].names.count; n++) {
            const char *name = axes->items[i].names.items[n], *dot = strchr(name, '.');
            char *section = mem_printf("%.*s", (int)(dot - name), name);
            const struct param_info *info = param_find(section, dot + 1);
            if (info->unmodelled)
                log_warning("axis %s has no effect: %s", name, info->unmodelled);
            param_names_add(&x->named, info);
            free(section);
        }
}

static void
note_used(struct expander *x, const struct params *params)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    for (size_t i = 0; i < count; i++)
        if (param_has_effect(&infos[i], params))
            param_names_add(&x->used, &infos[i]);
}

/* Warns once per parameter. */
static void
warn_of_idle(const struct expander *x)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    for (size_t i = 0; i < count; i++)
        if (infos[i].needs[0] && param_names_have(&x->named, &infos[i]) &&
            !param_names_have(&x->used, &infos[i]))
            param_warn_idle(&infos[i]);
}

static size_t
points_of(const struct sweep_axis *axis)
{
    return axis->values.count / axis->names.count;
}

/* Checks the number of runs before they are created. */
static bool
check_count(const struct expander *x)
{
    uint64_t runs = x->sweep->traces.count ? x->sweep->traces.count : 1;
    for (size_t i = 0; i < x->axis_count && runs <= MOST_RUNS; i++)
        runs *= points_of(x->axes[i]);
    return runs + x->sweep->runs.count <= MOST_RUNS ||
           fail(x->err, "[machine %s]: the plan has more than %d runs", x->machine->name,
                MOST_RUNS);
}

/* Adds a run. Trace, names, sets and blocks are copied from `like`. */
static void
push_run(struct sweep *sweep, const struct sweep_run *like, const struct params *params)
{
    const struct sweep_trace *trace = &sweep->traces.items[like->trace];
    struct sweep_run run = {.trace = like->trace, .blocks = like->blocks};
    sweep_key(run.key, params, trace->hash, trace->frames, run.blocks);
    run.machine = mem_strdup(like->machine);
    run.preset = mem_strdup(like->preset);
    word_list_copy(&run.sets, &like->sets);
    VEC_PUSH(&sweep->runs, run);
}

static bool
is_for(const struct sweep_machine *machine, const char *input)
{
    return !machine->inputs.count || word_list_has(&machine->inputs, input);
}

/* Whether the name belongs to a trace, or to a trace that a capture will create. */
static bool
is_input(const struct expander *x, const char *name)
{
    bool found = false;
    for (size_t t = 0; !found && t < x->sweep->traces.count; t++)
        found = !strcmp(x->sweep->traces.items[t].name, name);
    for (size_t i = 0; !found && i < x->plan->inputs.count; i++)
        found = sweep_input_makes(&x->plan->inputs.items[i], name);
    return found;
}

static bool
check_inputs(const struct expander *x)
{
    const struct word_list *inputs = &x->machine->inputs;
    for (size_t i = 0; i < inputs->count; i++)
        if (!is_input(x, inputs->items[i]))
            return fail(x->err, "[machine %s] inputs: unknown input '%s'", x->machine->name,
                        inputs->items[i]);
    return true;
}

/* Adds a run of one machine for each of its traces. */
static bool
add_runs(struct expander *x, const struct params *params, char *name)
{
    struct sweep_run run = {
        .machine = name, .preset = (char *)preset_of(x), .blocks = x->plan->blocks};
    const bool ok = machine_differences(&x->presets, run.preset, params, &run.sets, x->err);
    note_used(x, params);
    for (; ok && run.trace < x->sweep->traces.count; run.trace++)
        if (is_for(x->machine, x->sweep->traces.items[run.trace].name))
            push_run(x->sweep, &run, params);
    word_list_fini(&run.sets);
    return ok;
}

bool
sweep_add_run(struct sweep *sweep, uint32_t trace, const char *machine, const char *preset,
              const struct params *params, enum sweep_blocks blocks, struct error *err)
{
    struct preset_cache presets = {0};
    struct sweep_run run = {
        .trace = trace, .machine = (char *)machine, .preset = (char *)preset, .blocks = blocks};
    const bool ok = machine_differences(&presets, preset, params, &run.sets, err);
    if (ok)
        push_run(sweep, &run, params);
    word_list_fini(&run.sets);
    preset_cache_fini(&presets);
    return ok;
}

/* Applies the axes with index `number` and above to `params`, recursively. */
static bool
walk(struct expander *x, size_t number, const struct params *params, char *name)
{
    if (number == x->axis_count)
        return add_runs(x, params, name);
    const struct sweep_axis *axis = x->axes[number];
    bool ok = true;
    for (size_t p = 0; ok && p < points_of(axis); p++) {
        if (!interrupt_check(x->err))
            return false;
        struct params changed = *params;
        char *longer = mem_strdup(name);
        for (size_t n = 0; ok && n < axis->names.count; n++) {
            char *set = mem_printf("%s=%s", axis->names.items[n],
                                   axis->values.items[p * axis->names.count + n]);
            char *next = mem_printf("%s,%s", longer, set);
            ok = machine_set(&changed, set, x->err) ||
                 fail_prefix(x->err, "[machine %s]", x->machine->name);
            free(longer);
            free(set);
            longer = next;
        }
        ok = ok && walk(x, number + 1, &changed, longer);
        free(longer);
    }
    return ok;
}

static bool
expand_machine(struct expander *x)
{
    const bool ok = preset_cache_get(&x->presets, preset_of(x), &x->base, x->err) &&
                    apply_layer(x, &x->plan->configs, &x->plan->sets, &x->base) &&
                    apply_layer(x, &x->machine->configs, &x->machine->sets, &x->base) &&
                    apply_sets(&x->machine->asked, &x->base, &x->named, x->err);
    if (!ok)
        return fail_prefix(x->err, "[machine %s]", x->machine->name);
    list_axes(x);
    const bool done = check_count(x) && walk(x, 0, &x->base, x->machine->name);
    free(x->axes);
    return done;
}

/* Checks that the baseline is exactly one machine. */
static bool
check_baseline(const struct sweep *sweep, const struct sweep_plan *plan, struct error *err)
{
    const char *name = plan->baseline;
    const char *like = NULL;
    if (!name)
        return true;
    for (size_t i = 0; i < sweep->runs.count; i++) {
        const char *machine = sweep->runs.items[i].machine;
        if (!strcmp(machine, name))
            return true;
        if (!like && !strncmp(machine, name, strlen(name)))
            like = machine;
    }
    return like ? fail(err, "baseline = %s: unknown machine; one is %s", name, like)
                : fail(err, "baseline = %s: unknown machine", name);
}

bool
sweep_expand(struct sweep *sweep, const struct sweep_plan *plan, struct error *err)
{
    struct expander x = {.sweep = sweep, .plan = plan, .err = err};
    bool ok = true;
    name_axes(&x, &plan->axes);
    for (size_t i = 0; ok && i < plan->machines.count; i++) {
        x.machine = &plan->machines.items[i];
        name_axes(&x, &x.machine->axes);
        ok = check_inputs(&x) && expand_machine(&x);
    }
    preset_cache_fini(&x.presets);
    if (ok)
        warn_of_idle(&x);
    return ok && check_baseline(sweep, plan, err);
}
