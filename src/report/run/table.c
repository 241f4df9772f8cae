#include "report/run/table.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/memory_text.h"
#include "base/schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct family {    /* a statistic, summed over all instances */
    char *name;    /* "shader.instructions" */
    uint64_t hash; /* hash of the name, for lookup */
    bool is_peak;
};

struct unit { /* a unit with several instances */
    char *name;
    uint32_t instances;
    VEC(uint32_t) families;
};

enum { QUEUE_STATISTICS = 16 }; /* upper limit */

struct queue_instance { /* one instance of a queue with several instances */
    const char *entry;  /* the queue's first entry, "texels[3].items_in" */
    uint32_t instance, name_length;
    uint32_t places[QUEUE_STATISTICS]; /* per statistic: index of its entry plus 1; 0: no entry */
};

struct table_layout {
    const struct stat_set *set;
    uint32_t *family_of, *instance_of; /* per entry of the set; UINT32_MAX: not an instance */
    VEC(struct family) families;
    const char **names; /* names of the families */
    VEC(struct unit) units;
    VEC(struct queue_instance) queues;
    VEC(const char *) queue_statistics; /* "items_in" */
    struct formula *metrics;
    uint32_t metric_count, frames_place;
    const struct params *params; /* valid only during creation */
    /* Scratch space for the current row. */
    double *numbers;  /* families, frames, metrics */
    uint64_t *sums;   /* per family */
    uint32_t *places; /* per family and instance: index of the entry plus 1; 0: no entry */
    uint32_t most_instances;
};

static const char queue_table[] = "queue";
static const char *const unit_names[] = {/* units that may have several instances */
#define UNIT(name, count) #name,
#include "machine.def"
                                         "channel", queue_table};

const char *
table_unit(uint32_t number)
{
    return number < sizeof unit_names / sizeof unit_names[0] ? unit_names[number] : NULL;
}

static bool
is_unit(const char *name)
{
    const size_t length = strcspn(name, "[");
    for (size_t i = 0; i < sizeof unit_names / sizeof unit_names[0]; i++)
        if (strlen(unit_names[i]) == length && !strncmp(unit_names[i], name, length))
            return true;
    return false;
}

static uint32_t
find_unit(struct table_layout *layout, const char *name)
{
    char *unit = mem_printf("%.*s", (int)strcspn(name, "["), name);
    uint32_t i = 0;
    while (i < layout->units.count && strcmp(layout->units.items[i].name, unit) != 0)
        i++;
    if (i < layout->units.count)
        free(unit);
    else
        VEC_PUSH(&layout->units, ((struct unit){.name = unit}));
    return i;
}

/* Finds or adds the family of a name. `again`: the family may exist; the search starts after the
 * family found last. */
static uint32_t
find_family(struct table_layout *layout, char *name, bool is_peak, bool again, uint32_t *last)
{
    const uint32_t count = (uint32_t)layout->families.count;
    const uint64_t hash = hash_bytes(HASH_START, name, strlen(name));
    for (uint32_t i = 0; again && i < count; i++) {
        if (++*last >= count)
            *last = 0;
        const struct family *family = &layout->families.items[*last];
        if (family->hash == hash && !strcmp(family->name, name)) {
            free(name);
            return *last;
        }
    }
    VEC_PUSH(&layout->families, ((struct family){name, hash, is_peak}));
    return *last = count;
}

static void
add_to_unit(struct table_layout *layout, const char *name, uint32_t family, uint32_t instance)
{
    const uint32_t number = find_unit(layout, name);
    struct unit *unit = &layout->units.items[number];
    if (instance >= unit->instances)
        unit->instances = instance + 1;
    if (unit->instances > layout->most_instances)
        layout->most_instances = unit->instances;
    for (size_t i = 0; i < unit->families.count; i++)
        if (unit->families.items[i] == family)
            return;
    VEC_PUSH(&unit->families, family);
}

static uint32_t
find_queue_statistic(struct table_layout *layout, const char *name)
{
    uint32_t i = 0;
    while (i < layout->queue_statistics.count &&
           strcmp(layout->queue_statistics.items[i], name) != 0)
        i++;
    BUG_ON(i == QUEUE_STATISTICS, "too many statistics of queues");
    if (i == layout->queue_statistics.count)
        VEC_PUSH(&layout->queue_statistics, name);
    return i;
}

/* Requires that entries of one queue are adjacent in the set. */
static void
add_to_queue(struct table_layout *layout, const char *entry, uint32_t number, uint32_t instance)
{
    const uint32_t length = (uint32_t)strcspn(entry, "[");
    struct queue_instance *last =
        layout->queues.count ? &layout->queues.items[layout->queues.count - 1] : NULL;
    if (!last || last->instance != instance || last->name_length != length ||
        strncmp(last->entry, entry, length) != 0) {
        VEC_PUSH(
            &layout->queues,
            ((struct queue_instance){.entry = entry, .instance = instance, .name_length = length}));
        last = &layout->queues.items[layout->queues.count - 1];
    }
    last->places[find_queue_statistic(layout, strchr(entry, '.') + 1)] = number + 1;
}

static void
sort_entries(struct table_layout *layout)
{
    const struct stat_set *set = layout->set;
    uint32_t last = 0;
    layout->family_of = mem_array(set->count, sizeof *layout->family_of);
    layout->instance_of = mem_array(set->count, sizeof *layout->instance_of);
    for (uint32_t i = 0; i < set->count; i++) {
        const struct stat_entry *entry = &set->entries[i];
        const char *open = strchr(entry->name, '['), *close = open ? strchr(open, ']') : NULL;
        char *name = close ? mem_printf("%.*s%s", (int)(open - entry->name), entry->name, close + 1)
                           : mem_strdup(entry->name);
        const uint32_t instance = close ? (uint32_t)strtoul(open + 1, NULL, 10) : UINT32_MAX;
        const uint32_t family = find_family(layout, name, entry->is_peak, close != NULL, &last);
        layout->family_of[i] = family;
        layout->instance_of[i] = instance;
        if (close && is_unit(entry->name))
            add_to_unit(layout, entry->name, family, instance);
        else if (close)
            add_to_queue(layout, entry->name, i, instance);
    }
}

static void
note_places(struct table_layout *layout)
{
    const uint32_t width = layout->most_instances;
    layout->places = mem_array(layout->families.count * (width + 1), sizeof *layout->places);
    for (uint32_t i = 0; i < layout->set->count; i++)
        /* Skips queues, which are not looked up here and may have more instances. */
        if (layout->instance_of[i] < width)
            layout->places[layout->family_of[i] * width + layout->instance_of[i]] = i + 1;
}

/* Resolves a family, the number of frames, an earlier metric, or a parameter. */
static bool
resolve(void *data, const char *name, int32_t *place, double *number)
{
    const struct table_layout *layout = data;
    size_t count;
    const struct metric *metrics = metrics_all(&count);
    const uint64_t hash = hash_bytes(HASH_START, name, strlen(name));
    for (size_t i = 0; i < layout->families.count; i++)
        if (layout->families.items[i].hash == hash &&
            !strcmp(layout->families.items[i].name, name)) {
            *place = (int32_t)i;
            return true;
        }
    *place = (int32_t)layout->frames_place;
    if (!strcmp(name, "frames"))
        return true;
    for (uint32_t i = 0; i < layout->metric_count; i++)
        if (!strcmp(metrics[i].name, name)) {
            *place = (int32_t)(layout->frames_place + 1 + i);
            return true;
        }
    *place = -1;
    return param_number(layout->params, name, number);
}

/* A metric stays empty if the machine lacks one of its statistics. */
static void
compile_metrics(struct table_layout *layout)
{
    size_t count;
    const struct metric *metrics = metrics_all(&count);
    layout->metrics = mem_array(count, sizeof *layout->metrics);
    for (; layout->metric_count < count; layout->metric_count++)
        formula_compile(&layout->metrics[layout->metric_count],
                        metrics[layout->metric_count].formula, resolve, layout, NULL);
}

struct table_layout *
table_layout_create(const struct stat_set *set, const struct params *params)
{
    struct table_layout *layout = mem_alloc(sizeof *layout);
    size_t metrics;
    layout->set = set;
    layout->params = params;
    sort_entries(layout);
    note_places(layout);
    metrics_all(&metrics);
    layout->frames_place = (uint32_t)layout->families.count;
    layout->names = mem_array(layout->families.count, sizeof *layout->names);
    for (size_t i = 0; i < layout->families.count; i++)
        layout->names[i] = layout->families.items[i].name;
    layout->sums = mem_array(layout->families.count, sizeof *layout->sums);
    layout->numbers = mem_array(layout->families.count + 1 + metrics, sizeof(double));
    compile_metrics(layout);
    layout->params = NULL;
    return layout;
}

void
table_layout_destroy(struct table_layout *layout)
{
    if (!layout)
        return;
    for (size_t i = 0; i < layout->families.count; i++)
        free(layout->families.items[i].name);
    for (size_t i = 0; i < layout->units.count; i++) {
        free(layout->units.items[i].name);
        VEC_FREE(&layout->units.items[i].families);
    }
    for (uint32_t i = 0; i < layout->metric_count; i++)
        formula_fini(&layout->metrics[i]);
    VEC_FREE(&layout->families);
    VEC_FREE(&layout->units);
    VEC_FREE(&layout->queues);
    VEC_FREE(&layout->queue_statistics);
    free(layout->metrics);
    free(layout->names);
    free(layout->family_of);
    free(layout->instance_of);
    free(layout->places);
    free(layout->numbers);
    free(layout->sums);
    free(layout);
}

/* ---- files ---- */

const char *const *
table_layout_names(const struct table_layout *layout, uint32_t *count)
{
    *count = (uint32_t)layout->families.count;
    return layout->names;
}

static bool
has_end(const char *path, const char *end)
{
    const size_t n = strlen(path), m = strlen(end);
    return n >= m && !strcmp(path + n - m, end);
}

char *
table_unit_path(const char *path, const char *unit)
{
    static const char end[] = ".csv.gz";
    const size_t stem = has_end(path, end) ? strlen(path) - strlen(end) : strlen(path);
    return mem_printf("%.*s.%s%s", (int)stem, path, unit, end);
}

bool
table_is_file(const char *name, const char *base)
{
    static const char end[] = ".csv.gz";
    const size_t stem = has_end(base, end) ? strlen(base) - strlen(end) : strlen(base);
    if (!strcmp(name, base))
        return true;
    if (strncmp(name, base, stem) != 0 || name[stem] != '.' || !has_end(name, end))
        return false;
    size_t word = strspn(name + stem + 1, "abcdefghijklmnopqrstuvwxyz_");
    return word > 0 && !strcmp(name + stem + 1 + word, end);
}

static char *
main_header(const struct table_layout *layout, const char *key, const char *facts)
{
    struct memory_text text;
    size_t count;
    const struct metric *metrics = metrics_all(&count);
    FILE *out = memory_text_open(&text);
    fprintf(out, "schema,%s%s%s", key, *facts ? "," : "", facts);
    for (size_t i = 0; i < layout->families.count; i++)
        fprintf(out, ",%s", layout->families.items[i].name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, ",%s", metrics[i].name);
    return memory_text_take(&text);
}

static char *
unit_header(const struct table_layout *layout, const struct unit *unit, const char *key)
{
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    fprintf(out, "schema,%s,instance", key);
    for (size_t i = 0; i < unit->families.count; i++)
        fprintf(out, ",%s", layout->families.items[unit->families.items[i]].name);
    return memory_text_take(&text);
}

static char *
queue_header(const struct table_layout *layout, const char *key)
{
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    fprintf(out, "schema,%s,queue,instance", key);
    for (size_t i = 0; i < layout->queue_statistics.count; i++)
        fprintf(out, ",%s.%s", queue_table, layout->queue_statistics.items[i]);
    return memory_text_take(&text);
}

/* Name and header line of file `number`. */
static void
name_file(const struct table_layout *layout, uint32_t number, const char *path,
          const struct table_kind *kind, char **at, char **header)
{
    const uint32_t units = (uint32_t)layout->units.count;
    if (number == 0) {
        *at = mem_strdup(path);
        *header = main_header(layout, kind->key, kind->facts);
    } else if (number <= units) {
        const struct unit *unit = &layout->units.items[number - 1];
        *at = table_unit_path(path, unit->name);
        *header = unit_header(layout, unit, kind->key);
    } else {
        *at = table_unit_path(path, queue_table);
        *header = queue_header(layout, kind->key);
    }
}

bool
table_open(struct table *table, const char *path, const struct table_kind *kind,
           const struct table_layout *layout, struct error *err)
{
    *table = (struct table){.layout = layout,
                            .has_facts = *kind->facts,
                            .has_queues = kind->queues && layout->queues.count};
    const uint32_t files = 1 + (uint32_t)layout->units.count + table->has_queues;
    table->files = mem_array(files, sizeof *table->files);
    for (uint32_t i = 0; i < files; i++) {
        char *at, *header;
        name_file(layout, i, path, kind, &at, &header);
        table->files[i] = csv_create(at, header, err);
        table->count += table->files[i] != NULL;
        free(at);
        free(header);
        if (!table->files[i])
            return false;
    }
    return true;
}

bool
table_open_single(struct table *table, const char *path, const char *header, struct error *err)
{
    *table = (struct table){.files = mem_array(1, sizeof *table->files)};
    table->files[0] = csv_create(path, header, err);
    table->count = table->files[0] != NULL;
    return table->files[0] != NULL;
}

/* ---- rows ---- */

/* Sums the instances of each family, or takes the maximum for a peak. */
static void
add_up(const struct table_layout *layout, const uint64_t *values)
{
    uint64_t *sums = layout->sums;
    memset(sums, 0, layout->families.count * sizeof *sums);
    for (uint32_t i = 0; i < layout->set->count; i++) {
        const uint32_t family = layout->family_of[i];
        if (!layout->families.items[family].is_peak)
            sums[family] += values[i];
        else if (values[i] > sums[family])
            sums[family] = values[i];
    }
}

const double *
table_layout_numbers(const struct table_layout *layout, const uint64_t *values)
{
    add_up(layout, values);
    for (size_t i = 0; i < layout->families.count; i++)
        layout->numbers[i] = (double)layout->sums[i];
    return layout->numbers;
}

static void
main_row(struct table *table, const char *key, const char *facts, double frames)
{
    const struct table_layout *layout = table->layout;
    const size_t families = layout->families.count;
    double *metrics = layout->numbers + layout->frames_place + 1;
    struct csv *csv = table->files[0];
    csv_number(csv, AETIUS_SCHEMA);
    csv_text(csv, key);
    if (table->has_facts)
        csv_text(csv, facts);
    for (size_t i = 0; i < families; i++)
        csv_number(csv, layout->sums[i]);
    layout->numbers[layout->frames_place] = frames;
    for (uint32_t i = 0; i < layout->metric_count; i++) {
        const struct formula *formula = &layout->metrics[i];
        metrics[i] = formula->count ? formula_run(formula, layout->numbers) : (double)NAN;
        csv_real(csv, metrics[i]);
    }
    csv_end_row(csv);
}

static void
unit_rows(struct table *table, uint32_t number, const char *key, const uint64_t *values)
{
    const struct table_layout *layout = table->layout;
    const struct unit *unit = &layout->units.items[number];
    struct csv *csv = table->files[1 + number];
    for (uint32_t instance = 0; instance < unit->instances; instance++) {
        csv_number(csv, AETIUS_SCHEMA);
        csv_text(csv, key);
        csv_number(csv, instance);
        for (size_t i = 0; i < unit->families.count; i++) {
            const uint32_t place =
                layout->places[unit->families.items[i] * layout->most_instances + instance];
            if (place)
                csv_number(csv, values[place - 1]);
            else
                csv_text(csv, "");
        }
        csv_end_row(csv);
    }
}

static void
queue_rows(struct table *table, const char *key, const uint64_t *values)
{
    const struct table_layout *layout = table->layout;
    struct csv *csv = table->files[table->count - 1];
    for (size_t i = 0; i < layout->queues.count; i++) {
        const struct queue_instance *queue = &layout->queues.items[i];
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)queue->name_length, queue->entry);
        csv_number(csv, AETIUS_SCHEMA);
        csv_text(csv, key);
        csv_text(csv, name);
        csv_number(csv, queue->instance);
        for (size_t s = 0; s < layout->queue_statistics.count; s++)
            if (queue->places[s])
                csv_number(csv, values[queue->places[s] - 1]);
            else
                csv_text(csv, "");
        csv_end_row(csv);
    }
}

void
table_row(struct table *table, const char *key, const char *facts, const uint64_t *values,
          double frames)
{
    table_layout_numbers(table->layout, values);
    main_row(table, key, facts, frames);
    for (uint32_t i = 0; i < table->layout->units.count; i++)
        unit_rows(table, i, key, values);
    if (table->has_queues)
        queue_rows(table, key, values);
}

bool
table_flush(struct table *table, struct error *err)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (!csv_flush(table->files[i], err))
            return false;
    return true;
}

void
table_commit(struct table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        csv_commit(table->files[i]);
}

void
table_roll_back(struct table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        csv_roll_back(table->files[i]);
}

void
table_redirect(struct table *table, const char *path)
{
    for (uint32_t i = 0; i < table->count; i++) {
        char *part = mem_printf("%s.%u", path, i);
        csv_redirect(table->files[i], part);
        free(part);
    }
}

void
table_discard(struct table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        csv_discard(table->files[i]);
}

bool
table_append(struct table *table, const char *path, struct error *err)
{
    bool ok = true;
    for (uint32_t i = 0; i < table->count; i++) {
        char *part = mem_printf("%s.%u", path, i);
        ok = ok && (!file_exists(part) || csv_append(table->files[i], part, err));
        remove(part);
        free(part);
    }
    return ok;
}

bool
table_close(struct table *table, bool keep, struct error *err)
{
    bool ok = true;
    for (uint32_t i = 0; i < table->count; i++)
        if (keep)
            ok = csv_destroy(table->files[i], ok ? err : NULL) && ok;
        else
            csv_abandon(table->files[i]);
    free(table->files);
    memset(table, 0, sizeof *table);
    return ok;
}
