/* Changes a plan's inputs and machines according to options. */
#include "base/file.h"
#include "sweep/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A file's name without folders and extension, as the name of an input, which also names files.
 * Characters that such a name must not have become '_'. */
static char *
input_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    char *name = mem_strdup(slash ? slash + 1 : file);
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = '\0';
    for (char *at = name; *at; at++)
        if (!file_name_is_plain((const char[]){*at, '\0'}) && *at != '.')
            *at = '_';
    if (!file_name_is_plain(name)) /* dots alone */
        memset(name, '_', strlen(name));
    return name;
}

bool
sweep_plan_use_files(struct sweep_plan *plan, const char *const *files, uint32_t count,
                     struct error *err)
{
    bool ok = true;
    sweep_plan_drop_inputs(plan);
    for (size_t i = 0; i < plan->machines.count; i++) /* the lists name inputs of the plan */
        word_list_fini(&plan->machines.items[i].inputs);
    for (uint32_t i = 0; ok && i < count; i++) {
        char *path = realpath(files[i], NULL);
        ok = path || fail(err, "cannot open %s: %s", files[i], strerror(errno));
        if (ok)
            VEC_PUSH(&plan->inputs,
                     ((struct sweep_input){.name = input_name(files[i]), .file = path}));
    }
    return ok;
}

static bool
is_needed(const struct sweep_plan *plan, const struct sweep_input *input)
{
    for (size_t m = 0; m < plan->machines.count; m++) {
        const struct word_list *names = &plan->machines.items[m].inputs;
        bool needed = !names->count;
        for (size_t i = 0; !needed && i < names->count; i++)
            needed = sweep_input_makes(input, names->items[i]);
        if (needed)
            return true;
    }
    return false;
}

/* Drops inputs that no machine uses, so that they are not captured. */
static void
drop_inputs(struct sweep_plan *plan)
{
    size_t kept = 0;
    for (size_t i = 0; i < plan->inputs.count; i++)
        if (is_needed(plan, &plan->inputs.items[i]))
            plan->inputs.items[kept++] = plan->inputs.items[i];
        else
            sweep_input_fini(&plan->inputs.items[i]);
    plan->inputs.count = kept;
}

/* Whether the plan has a machine of each name. If not, the message lists the machines of the
 * plan. */
static bool
has_machines(const struct sweep_plan *plan, const struct word_list *names, struct error *err)
{
    struct word_list there = {0};
    const char *missing = names->count ? NULL : "";
    for (size_t i = 0; i < plan->machines.count; i++)
        word_list_add(&there, plan->machines.items[i].name);
    for (size_t i = 0; i < names->count && !missing; i++)
        if (!word_list_has(&there, names->items[i]))
            missing = names->items[i];
    char *known = word_list_join(&there, ", ");
    if (missing)
        fail(err, "unknown machine '%s': expected one of %s", missing, known);
    free(known);
    word_list_fini(&there);
    return !missing;
}

bool
sweep_plan_narrow(struct sweep_plan *plan, const char *names, struct error *err)
{
    size_t kept = 0;
    struct word_list list = {0};
    char *copy = mem_strdup(names), *rest = NULL;
    for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        word_list_add(&list, name);
    free(copy);
    const bool ok = has_machines(plan, &list, err);
    for (size_t i = 0; ok && i < plan->machines.count; i++) {
        struct sweep_machine *machine = &plan->machines.items[i];
        if (word_list_has(&list, machine->name))
            plan->machines.items[kept++] = *machine;
        else
            sweep_machine_fini(machine);
    }
    if (ok) {
        plan->machines.count = kept;
        drop_inputs(plan);
    }
    word_list_fini(&list);
    return ok;
}

/* Renames a machine that is named after its preset, or after its preset and its differences
 * ("g70-like", "g70-like-one-rop"). */
static void
rename_machine(struct sweep_plan *plan, struct sweep_machine *machine, const char *preset)
{
    const char *old = machine->preset ? machine->preset : plan->preset;
    const size_t length = strlen(old);
    char *name = machine->name;
    if (strncmp(name, old, length) != 0 || (name[length] && name[length] != '-'))
        return;
    machine->name = mem_printf("%s%s", preset, name + length);
    if (plan->baseline && !strcmp(plan->baseline, name)) {
        free(plan->baseline);
        plan->baseline = mem_strdup(machine->name);
    }
    free(name);
}

static bool
same_words(const struct word_list *a, const struct word_list *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = !strcmp(a->items[i], b->items[i]);
    return same;
}

/* Merges two machines of the same name into one that has the inputs of both. */
static bool
merge(struct sweep_machine *to, struct sweep_machine *from, struct error *err)
{
    if (!same_words(&to->configs, &from->configs) || !same_words(&to->sets, &from->sets) ||
        to->axes.count || from->axes.count || to->is_alone != from->is_alone)
        return fail(err, "two machines have the name %s: select one with --machines", to->name);
    if (!from->inputs.count)
        word_list_fini(&to->inputs);
    else if (to->inputs.count)
        word_list_copy(&to->inputs, &from->inputs);
    sweep_machine_fini(from);
    return true;
}

static struct sweep_machine *
find_machine(struct sweep_machine *machines, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(machines[i].name, name))
            return &machines[i];
    return NULL;
}

bool
sweep_plan_use_preset(struct sweep_plan *plan, const char *preset, struct error *err)
{
    struct sweep_machine *machines = plan->machines.items;
    const size_t count = plan->machines.count;
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        rename_machine(plan, &machines[i], preset);
        free(machines[i].preset);
        machines[i].preset = NULL;
    }
    free(plan->preset);
    plan->preset = mem_strdup(preset);
    plan->machines.count = 0;
    for (size_t i = 0; i < count; i++) {
        struct sweep_machine *same = find_machine(machines, plan->machines.count, machines[i].name);
        if (!same || !(ok = ok && merge(same, &machines[i], err)))
            machines[plan->machines.count++] = machines[i];
    }
    return ok;
}
