#include "sweep/plan.h"

#include "base/args.h"
#include "base/file.h"
#include "base/ini_file.h"
#include "params/params.h"
#include "trace/virgl/vtest/frame_clock.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Limit over all axes. Each value creates a run, and even a short range expression may have very
 * many values. */
enum { MOST_VALUES = 1000000 };

void
word_list_add(struct word_list *list, const char *text)
{
    VEC_PUSH(list, mem_strdup(text));
}

void
word_list_split(struct word_list *list, const char *text)
{
    char *copy = mem_strdup(text), *rest = NULL;
    for (char *word = strtok_r(copy, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
        word_list_add(list, word);
    free(copy);
}

char *
word_list_join(const struct word_list *list, const char *between)
{
    char *text = mem_strdup("");
    for (size_t i = 0; i < list->count; i++) {
        char *longer = mem_printf("%s%s%s", text, i ? between : "", list->items[i]);
        free(text);
        text = longer;
    }
    return text;
}

bool
word_list_has(const struct word_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i], text))
            return true;
    return false;
}

void
word_list_copy(struct word_list *to, const struct word_list *from)
{
    for (size_t i = 0; i < from->count; i++)
        word_list_add(to, from->items[i]);
}

void
word_list_fini(struct word_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    VEC_FREE(list);
}

/* Parses "1..64" or "8..64/8". The default step is 1. Returns false if the word is not a range. */
static bool
parse_range(const char *word, unsigned long *first, unsigned long *last, unsigned long *step)
{
    char *end;
    *step = 1;
    if (!isdigit((unsigned char)*word))
        return false;
    *first = strtoul(word, &end, 10);
    if (strncmp(end, "..", 2) != 0 || !isdigit((unsigned char)end[2]))
        return false;
    *last = strtoul(end + 2, &end, 10);
    if (*end == '/' && isdigit((unsigned char)end[1]))
        *step = strtoul(end + 1, &end, 10);
    return !*end;
}

static bool
add_range(struct sweep_axis *axis, size_t most, const char *word, unsigned long first,
          unsigned long last, unsigned long step, struct error *err)
{
    if (!step || last < first || last > UINT32_MAX || step > UINT32_MAX)
        return fail(err, "%s is not a range, e.g. 8..64/8", word);
    if (axis->values.count + (last - first) / step >= most)
        return fail(err, "%s: the axes have more than %d values", word, MOST_VALUES);
    for (unsigned long value = first; value <= last; value += step) {
        char *text = mem_printf("%lu", value);
        VEC_PUSH(&axis->values, text);
    }
    return true;
}

/* Parses a point, such as "16,4" for two names. */
static bool
add_point(struct sweep_axis *axis, const char *word, struct error *err)
{
    size_t parts = 0;
    for (const char *at = word; at; parts++) {
        const size_t length = strcspn(at, ",");
        char *part = mem_printf("%.*s", (int)length, at);
        VEC_PUSH(&axis->values, part);
        if (!length)
            return fail(err, "'%s' lacks a value", word);
        at = at[length] ? at + length + 1 : NULL;
    }
    return parts == axis->names.count ||
           fail(err, "'%s': expected %zu values separated by commas, one for each parameter", word,
                axis->names.count);
}

static bool
add_values(struct sweep_axis *axis, size_t most, const char *values, struct error *err)
{
    struct word_list words = {0};
    unsigned long first, last, step;
    bool ok = true;
    word_list_split(&words, values);
    for (size_t i = 0; ok && i < words.count; i++)
        ok = axis->names.count == 1 && parse_range(words.items[i], &first, &last, &step)
                 ? add_range(axis, most, words.items[i], first, last, step, err)
                 : add_point(axis, words.items[i], err);
    word_list_fini(&words);
    return ok;
}

static bool
check_parameter(const char *name, struct error *err)
{
    char nearest[PARAM_TEXT_BYTES];
    const char *dot = strchr(name, '.');
    char *section = mem_printf("%.*s", dot ? (int)(dot - name) : 0, name);
    const bool is_there = dot && param_find(section, dot + 1);
    free(section);
    if (is_there)
        return true;
    return param_nearest(name, nearest, sizeof nearest)
               ? fail(err, "unknown parameter %s; did you mean %s?", name, nearest)
               : fail(err, "unknown parameter %s", name);
}

static bool
same_words(const struct word_list *a, const struct word_list *b)
{
    for (size_t i = 0; i < a->count && a->count == b->count; i++)
        if (strcmp(a->items[i], b->items[i]) != 0)
            return false;
    return a->count == b->count;
}

/* Parses "axis A.B C.D = ...". Adds values to the axis with these names, or to a new axis. *count:
 * number of values of all axes. */
static bool
take_axis(struct sweep_axes *axes, size_t *count, const char *names, const char *values,
          struct error *err)
{
    struct sweep_axis axis = {0};
    size_t i = 0;
    bool ok = true;
    word_list_split(&axis.names, names);
    for (size_t n = 0; ok && n < axis.names.count; n++)
        ok = check_parameter(axis.names.items[n], err);
    while (i < axes->count && !same_words(&axes->items[i].names, &axis.names))
        i++;
    if (!ok || i < axes->count)
        word_list_fini(&axis.names);
    else
        VEC_PUSH(axes, axis);
    if (!ok)
        return false;
    struct word_list *all = &axes->items[i].values;
    const size_t others = *count - all->count;
    ok = add_values(&axes->items[i], MOST_VALUES - others, values, err);
    *count = others + all->count;
    return ok && (all->count || fail(err, "axis %s has no value", names)) &&
           (*count <= MOST_VALUES || fail(err, "the axes have more than %d values", MOST_VALUES));
}

static bool
set_once(char **text, const char *key, const char *value, struct error *err)
{
    if (*text)
        return fail(err, "'%s' is set twice", key);
    *text = mem_strdup(value);
    return true;
}

static bool
unknown(const char *section, const char *key, const char *known, struct error *err)
{
    return fail(err, "[%s] has no '%s': expected %s", section, key, known);
}

/* Adds the name in "SECTION.Name=value". */
static void
add_varied(struct word_list *varied, const char *text)
{
    char *name = mem_printf("%.*s", (int)strcspn(text, "="), text);
    if (!word_list_has(varied, name))
        word_list_add(varied, name);
    free(name);
}

struct layer {
    char **preset;
    struct word_list *configs, *sets;
    struct sweep_axes *axes;
    size_t *value_count; /* over all axes of the plan */
};

/* Parses keys that machines and [sweep] have in common. Sets *known to false for other keys. */
static bool
take_layer(const struct layer *layer, const char *key, const char *value, bool *known,
           struct error *err)
{
    *known = true;
    if (!strcmp(key, "preset"))
        return set_once(layer->preset, key, value, err);
    if (!strcmp(key, "config"))
        word_list_add(layer->configs, value);
    else if (!strcmp(key, "set"))
        word_list_add(layer->sets, value);
    else if (!strncmp(key, "axis ", 5))
        return take_axis(layer->axes, layer->value_count, key + 5, value, err);
    else
        *known = false;
    return true;
}

static bool
check_output_name(const char *name, struct error *err)
{
    return file_name_is_plain(name) ||
           fail(err, "output %s: a name consists of letters, digits, '-', '_' and '.'", name);
}

static struct sweep_output *
find_output(struct sweep_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->outputs.count; i++)
        if (!strcmp(plan->outputs.items[i].name, name))
            return &plan->outputs.items[i];
    VEC_PUSH(&plan->outputs, ((struct sweep_output){.name = mem_strdup(name), .by = SWEEP_BY_RUN}));
    return &plan->outputs.items[plan->outputs.count - 1];
}

/* Parses outputs that consist of a name only. */
static bool
take_names(struct sweep_plan *plan, const char *value, struct error *err)
{
    struct word_list words = {0};
    bool ok = true;
    word_list_split(&words, value);
    for (size_t i = 0; i < words.count; i++) {
        ok = ok && check_output_name(words.items[i], err);
        find_output(plan, words.items[i]);
    }
    word_list_fini(&words);
    return ok;
}

static bool
parse_blocks(enum sweep_blocks *blocks, const char *value, struct error *err)
{
    *blocks = !strcmp(value, "count")  ? SWEEP_BLOCKS_COUNT
              : !strcmp(value, "keep") ? SWEEP_BLOCKS_KEEP
                                       : SWEEP_BLOCKS_NONE;
    return *blocks || fail(err, "blocks = %s: expected count or keep", value);
}

static bool
parse_clock(uint32_t *clock, const char *value, struct error *err)
{
    char *end;
    const unsigned long number = strtoul(value, &end, 10);
    *clock = (uint32_t)number;
    return (isdigit((unsigned char)*value) && !*end && number && number <= FRAME_CLOCK_MOST) ||
           fail(err, "clock = %s: expected frames per second, 1 to %d", value, FRAME_CLOCK_MOST);
}

static bool
take_sweep(struct sweep_plan *plan, const char *key, const char *value, struct error *err)
{
    const struct layer layer = {&plan->preset, &plan->configs, &plan->sets, &plan->axes,
                                &plan->value_count};
    bool known;
    if (!strcmp(key, "baseline"))
        return set_once(&plan->baseline, key, value, err);
    if (!strcmp(key, "outputs"))
        return take_names(plan, value, err);
    if (!strcmp(key, "blocks"))
        return parse_blocks(&plan->blocks, value, err);
    if (!strcmp(key, "clock"))
        return parse_clock(&plan->clock, value, err);
    if (!strcmp(key, "gl"))
        return gl_offer_parse(value, &plan->offer, err);
    return take_layer(&layer, key, value, &known, err) &&
           (known ||
            unknown("sweep", key,
                    "preset, config, set, axis NAME, outputs, baseline, blocks, clock and gl",
                    err));
}

static bool
take_machine(struct sweep_plan *plan, const char *section, const char *name, const char *key,
             const char *value, struct error *err)
{
    size_t i = 0;
    bool known;
    while (i < plan->machines.count && strcmp(plan->machines.items[i].name, name) != 0)
        i++;
    if (i == plan->machines.count)
        VEC_PUSH(&plan->machines, ((struct sweep_machine){.name = mem_strdup(name)}));
    struct sweep_machine *machine = &plan->machines.items[i];
    if (!key)
        return true;
    if (!strcmp(key, "axes")) {
        machine->is_alone = !strcmp(value, "none");
        return machine->is_alone || fail(err, "axes = %s: expected none", value);
    }
    if (!strcmp(key, "inputs")) {
        word_list_split(&machine->inputs, value);
        return true;
    }
    const struct layer layer = {&machine->preset, &machine->configs, &machine->sets, &machine->axes,
                                &plan->value_count};
    if (!strcmp(key, "set"))
        add_varied(&plan->varied, value);
    return take_layer(&layer, key, value, &known, err) &&
           (known || unknown(section, key, "preset, config, set, axis NAME, axes and inputs", err));
}

static bool
take_input(struct sweep_plan *plan, const char *section, const char *name, const char *key,
           const char *value, struct error *err)
{
    size_t i = 0;
    while (i < plan->inputs.count && strcmp(plan->inputs.items[i].name, name) != 0)
        i++;
    if (i == plan->inputs.count)
        VEC_PUSH(&plan->inputs, ((struct sweep_input){.name = mem_strdup(name)}));
    struct sweep_input *input = &plan->inputs.items[i];
    if (!key)
        return true;
    if (!strcmp(key, "file"))
        return set_once(&input->file, key, value, err);
    if (!strcmp(key, "sha256"))
        return set_once(&input->hash, key, value, err);
    if (!strcmp(key, "frames"))
        return set_once(&input->frames, key, value, err);
    if (!strcmp(key, "simulate"))
        return set_once(&input->simulate, key, value, err);
    if (!strcmp(key, "warm-up"))
        return set_once(&input->warm_up, key, value, err);
    if (!strcmp(key, "one-color")) {
        input->is_plain = !strcmp(value, "yes");
        return input->is_plain || fail(err, "one-color = %s: expected yes", value);
    }
    if (strcmp(key, "program") != 0)
        return unknown(section, key,
                       "file, sha256, program, frames, simulate, warm-up and one-color", err);
    word_list_split(&input->program, value);
    return true;
}

static bool
parse_by(uint32_t *by, const char *value, struct error *err)
{
    static const char *const names[] = {"run", "frame", "draw"};
    struct word_list words = {0};
    bool ok = true;
    word_list_split(&words, value);
    *by = 0;
    for (size_t i = 0; ok && i < words.count; i++) {
        uint32_t bit = 0;
        while (bit < 3 && strcmp(words.items[i], names[bit]) != 0)
            bit++;
        ok = bit < 3 || fail(err, "by = %s: expected run, frame or draw", value);
        *by |= 1u << bit;
    }
    word_list_fini(&words);
    return ok && (*by || fail(err, "by: expected run, frame or draw"));
}

static bool
take_output(struct sweep_plan *plan, const char *section, const char *name, const char *key,
            const char *value, struct error *err)
{
    struct sweep_output *output = find_output(plan, name);
    if (!key)
        return true;
    if (!strcmp(key, "by"))
        return parse_by(&output->by, value, err);
    if (!strcmp(key, "better")) {
        output->more_is_better = !strcmp(value, "more");
        return output->more_is_better || !strcmp(value, "less") ||
               fail(err, "better = %s: expected less or more", value);
    }
    if (strcmp(key, "formula") != 0)
        return unknown(section, key, "formula, by and better", err);
    char *longer = mem_printf("%s%s%s", output->formula ? output->formula : "",
                              output->formula ? " " : "", value);
    free(output->formula);
    output->formula = longer;
    return true;
}

static struct word_list *
find_words(struct sweep_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->study.count; i++)
        if (!strcmp(plan->study.items[i].name, name))
            return &plan->study.items[i].words;
    VEC_PUSH(&plan->study, ((struct sweep_words){.name = mem_strdup(name)}));
    return &plan->study.items[plan->study.count - 1].words;
}

const struct word_list *
sweep_plan_words(const struct sweep_plan *plan, const char *name)
{
    static const struct word_list none;
    for (size_t i = 0; i < plan->study.count; i++)
        if (!strcmp(plan->study.items[i].name, name))
            return &plan->study.items[i].words;
    return &none;
}

/* Parses a line of [table]. A repeated key appends to its value. */
static bool
take_table(struct sweep_plan *plan, const char *name, const char *key, const char *value)
{
    size_t i = 0;
    while (i < plan->tables.count && strcmp(plan->tables.items[i].name, name) != 0)
        i++;
    if (i == plan->tables.count)
        VEC_PUSH(&plan->tables, ((struct sweep_table){.name = mem_strdup(name)}));
    struct word_list *entries = &plan->tables.items[i].entries;
    if (!key)
        return true;
    for (size_t e = 0; e < entries->count; e += 2)
        if (!strcmp(entries->items[e], key)) {
            char *longer = mem_printf("%s %s", entries->items[e + 1], value);
            free(entries->items[e + 1]);
            entries->items[e + 1] = longer;
            return true;
        }
    word_list_add(entries, key);
    word_list_add(entries, value);
    return true;
}

static bool
take_entry(void *data, const struct ini_entry *entry, struct error *err)
{
    struct sweep_plan *plan = data;
    const char *section = entry->section, *key = entry->name, *value = entry->value;
    const char *name;
    const bool is_machine = (name = ini_section_name(section, "machine")) != NULL;
    const bool is_input = !name && (name = ini_section_name(section, "input")) != NULL;
    const bool is_output = !name && (name = ini_section_name(section, "output")) != NULL;
    const bool is_table = !name && (name = ini_section_name(section, "table")) != NULL;
    if (name && !file_name_is_plain(name))
        return fail(err, "[%s]: a name consists of letters, digits, '-', '_' and '.'", section);
    if (is_machine)
        return take_machine(plan, section, name, key, value, err);
    if (is_input)
        return take_input(plan, section, name, key, value, err);
    if (is_output)
        return take_output(plan, section, name, key, value, err);
    if (is_table)
        return take_table(plan, name, key, value);
    if (!strcmp(section, "study")) {
        if (key)
            word_list_split(find_words(plan, key), value);
        return true;
    }
    if (strcmp(section, "sweep") != 0)
        return fail(err,
                    "unknown section [%s]: a plan has [sweep], [machine NAME], [input NAME], "
                    "[output NAME], [study] and [table NAME]",
                    section);
    return !key || take_sweep(plan, key, value, err);
}

/* Compares two points of an axis, values[0] to values[words - 1]. */
static int
by_words(const void *left, const void *right, void *data)
{
    char *const *a = *(char *const *const *)left, *const *b = *(char *const *const *)right;
    const size_t words = *(const size_t *)data;
    int order = 0;
    for (size_t i = 0; i < words && !order; i++)
        order = strcmp(a[i], b[i]);
    return order;
}

/* Rejects duplicate points, which would give two machines with the same name. */
static bool
check_axes(const struct sweep_axes *axes, const char *path, struct error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < axes->count; i++) {
        const struct sweep_axis *axis = &axes->items[i];
        size_t words = axis->names.count;
        const size_t count = axis->values.count / words;
        char ***points = mem_array(count + 1, sizeof *points);
        for (size_t p = 0; p < count; p++)
            points[p] = &axis->values.items[p * words];
        if (count)
            qsort_r(points, count, sizeof *points, by_words, &words);
        for (size_t p = 1; ok && p < count; p++)
            if (!by_words(&points[p - 1], &points[p], &words))
                ok = fail(err, "%s: axis %s has the value %s twice", path, axis->names.items[0],
                          points[p][0]);
        free(points);
    }
    return ok;
}

/* Rejects names of columns that all results have. */
static bool
check_output(const struct sweep_output *output, const char *path, struct error *err)
{
    static const char *const columns[] = {"run", "input", "machine"};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (!strcmp(output->name, columns[i]))
            return fail(err, "%s: [output %s]: the results already have a column of that name",
                        path, output->name);
    return true;
}

static bool
check(const struct sweep_plan *plan, const char *path, struct error *err)
{
    struct frame_set frames;
    if (!check_axes(&plan->axes, path, err))
        return false;
    for (size_t i = 0; i < plan->machines.count; i++)
        if (!check_axes(&plan->machines.items[i].axes, path, err))
            return false;
    for (size_t i = 0; i < plan->outputs.count; i++)
        if (!check_output(&plan->outputs.items[i], path, err))
            return false;
    for (size_t i = 0; i < plan->inputs.count; i++) {
        const struct sweep_input *input = &plan->inputs.items[i];
        if (input->file && (input->program.count || input->warm_up || input->simulate))
            return fail(err, "%s: [input %s] has a file: remove its program, warm-up and simulate",
                        path, input->name);
        if (input->hash && !input->file)
            return fail(err, "%s: [input %s] has a sha256, but no file", path, input->name);
        if (!input->file && (!input->program.count || !input->frames))
            return fail(err, "%s: [input %s] requires a file, or a program and its frames", path,
                        input->name);
        if ((input->frames && !frame_set_parse(&frames, input->frames, err)) ||
            (input->simulate && !frame_set_parse(&frames, input->simulate, err)))
            return fail_prefix(err, "%s: [input %s]", path, input->name);
    }
    return plan->inputs.count || fail(err, "%s: expected at least one [input NAME]", path);
}

static void
add_axes(struct word_list *varied, const struct sweep_axes *axes)
{
    for (size_t i = 0; i < axes->count; i++)
        for (size_t n = 0; n < axes->items[i].names.count; n++)
            add_varied(varied, axes->items[i].names.items[n]);
}

/* Adds the defaults: one machine, one output. */
static void
fill(struct sweep_plan *plan)
{
    add_axes(&plan->varied, &plan->axes);
    for (size_t i = 0; i < plan->machines.count; i++)
        add_axes(&plan->varied, &plan->machines.items[i].axes);
    if (!plan->preset)
        plan->preset = mem_strdup("reference-2008");
    if (!plan->machines.count)
        VEC_PUSH(&plan->machines, ((struct sweep_machine){.name = mem_strdup(plan->preset)}));
    if (!plan->outputs.count)
        VEC_PUSH(&plan->outputs,
                 ((struct sweep_output){.name = mem_strdup("cycles"), .by = SWEEP_BY_RUN}));
    for (size_t i = 0; i < plan->outputs.count; i++)
        if (!plan->outputs.items[i].formula)
            plan->outputs.items[i].formula = mem_strdup(plan->outputs.items[i].name);
}

/* Finds the absolute paths of the plan's folder and file. */
static bool
find_place(struct sweep_plan *plan, const char *path, struct error *err)
{
    const char *slash = strrchr(path, '/');
    char *own = slash ? mem_printf("%.*s", (int)(slash - path) + 1, path) : mem_strdup(".");
    plan->folder = realpath(own, NULL);
    plan->path = realpath(path, NULL);
    free(own);
    return (plan->folder && plan->path) || fail(err, "cannot open %s: %s", path, strerror(errno));
}

bool
sweep_plan_load(struct sweep_plan *plan, const char *path, struct error *err)
{
    memset(plan, 0, sizeof *plan);
    plan->offer = GL_OFFER_DEFAULT;
    const bool ok = find_place(plan, path, err) &&
                    ini_file_read(path, INI_INDENT_GOES_ON, take_entry, plan, err) &&
                    check(plan, path, err);
    if (ok)
        fill(plan);
    else
        sweep_plan_fini(plan);
    return ok;
}

char *
sweep_plan_path(const struct sweep_plan *plan, const char *path)
{
    return path[0] == '/' ? mem_strdup(path) : mem_printf("%s/%s", plan->folder, path);
}

char *
sweep_plan_program(const struct sweep_plan *plan, const char *program)
{
    static const char in_tree[] = "../build/benchmarks/gl/";
    const size_t length = sizeof in_tree - 1;
    char *path = sweep_plan_path(plan, program);
    char *installed = !file_exists(path) && !strncmp(program, in_tree, length)
                          ? data_path("bench", program + length)
                          : NULL;
    free(path);
    return installed ? installed : mem_strdup(program);
}

static void
free_axes(struct sweep_axes *axes)
{
    for (size_t i = 0; i < axes->count; i++) {
        word_list_fini(&axes->items[i].names);
        word_list_fini(&axes->items[i].values);
    }
    VEC_FREE(axes);
}

void
sweep_machine_fini(struct sweep_machine *machine)
{
    free(machine->name);
    free(machine->preset);
    word_list_fini(&machine->configs);
    word_list_fini(&machine->sets);
    word_list_fini(&machine->asked);
    word_list_fini(&machine->inputs);
    free_axes(&machine->axes);
}

void
sweep_input_fini(struct sweep_input *input)
{
    free(input->name);
    free(input->file);
    free(input->hash);
    free(input->frames);
    free(input->warm_up);
    free(input->simulate);
    word_list_fini(&input->program);
}

void
sweep_plan_drop_inputs(struct sweep_plan *plan)
{
    for (size_t i = 0; i < plan->inputs.count; i++)
        sweep_input_fini(&plan->inputs.items[i]);
    VEC_FREE(&plan->inputs);
}

bool
sweep_input_makes(const struct sweep_input *input, const char *trace)
{
    const size_t length = strlen(input->name);
    const char *rest = trace + length;
    return !strncmp(trace, input->name, length) &&
           (!*rest || (input->frames && *rest == '-' && rest[1] &&
                       !rest[1 + strspn(rest + 1, "0123456789")]));
}

void
sweep_plan_fini(struct sweep_plan *plan)
{
    for (size_t i = 0; i < plan->machines.count; i++)
        sweep_machine_fini(&plan->machines.items[i]);
    for (size_t i = 0; i < plan->study.count; i++) {
        free(plan->study.items[i].name);
        word_list_fini(&plan->study.items[i].words);
    }
    VEC_FREE(&plan->study);
    for (size_t i = 0; i < plan->tables.count; i++) {
        free(plan->tables.items[i].name);
        word_list_fini(&plan->tables.items[i].entries);
    }
    VEC_FREE(&plan->tables);
    sweep_plan_drop_inputs(plan);
    for (size_t i = 0; i < plan->outputs.count; i++) {
        free(plan->outputs.items[i].name);
        free(plan->outputs.items[i].formula);
    }
    VEC_FREE(&plan->machines);
    VEC_FREE(&plan->outputs);
    word_list_fini(&plan->varied);
    word_list_fini(&plan->configs);
    word_list_fini(&plan->sets);
    free_axes(&plan->axes);
    free(plan->path);
    free(plan->folder);
    free(plan->frames);
    free(plan->preset);
    free(plan->baseline);
    memset(plan, 0, sizeof *plan);
}
