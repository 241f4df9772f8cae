#include "report/table.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct family {    /* a statistic of all instances */
    char *name;    /* "shader.instructions" */
    uint64_t hash; /* of the name: to find it */
    bool is_peak;
};

struct unit { /* that is there several times */
    char *name;
    uint32_t instances;
    VEC(uint32_t) families;
};

struct table_layout {
    const struct stat_set *set;
    uint32_t *family_of, *instance_of; /* of each entry of the set; no instance: UINT32_MAX */
    VEC(struct family) families;
    VEC(struct unit) units;
    struct formula *metrics;
    uint32_t metric_count, frames_place;
    const struct params *params; /* only while it is made */
    /* of the row at work */
    double *numbers;  /* families, frames, metrics */
    uint64_t *sums;   /* of families */
    uint32_t *places; /* entry of a family and an instance + 1; 0: none */
    uint32_t most_instances;
};

/* Units that may be there several times; queues that are have no table of instances. */
static const char *const unit_names[] = {
#define UNIT(name, count) #name,
#include "machine.def"
    "channel",
};

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

/* The family of a name; `again`: there may be one already, likely behind the last one found. */
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

static void
sort_entries(struct table_layout *layout)
{
    const struct stat_set *set = layout->set;
    uint32_t last = 0;
    layout->family_of = mem_alloc(set->count * sizeof *layout->family_of);
    layout->instance_of = mem_alloc(set->count * sizeof *layout->instance_of);
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
    }
}

static void
note_places(struct table_layout *layout)
{
    const uint32_t width = layout->most_instances;
    layout->places = mem_alloc(layout->families.count * (width + 1) * sizeof *layout->places);
    for (uint32_t i = 0; i < layout->set->count; i++)
        if (layout->instance_of[i] < width) /* of a queue not needed, and there may be more */
            layout->places[layout->family_of[i] * width + layout->instance_of[i]] = i + 1;
}

/* A family, the number of frames, a metric before this one, or a parameter. */
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

/* A metric of what this machine does not count stays empty. */
static void
compile_metrics(struct table_layout *layout)
{
    size_t count;
    const struct metric *metrics = metrics_all(&count);
    layout->metrics = mem_alloc(count * sizeof *layout->metrics);
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
    layout->sums = mem_alloc(layout->families.count * sizeof *layout->sums);
    layout->numbers = mem_alloc((layout->families.count + 1 + metrics) * sizeof(double));
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
    free(layout->metrics);
    free(layout->family_of);
    free(layout->instance_of);
    free(layout->places);
    free(layout->numbers);
    free(layout->sums);
    free(layout);
}

/* Files. */

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
    char *text;
    size_t size, count;
    const struct metric *metrics = metrics_all(&count);
    FILE *out = open_memstream(&text, &size);
    BUG_ON(!out, "no memory for a text");
    fprintf(out, "schema,%s%s%s", key, *facts ? "," : "", facts);
    for (size_t i = 0; i < layout->families.count; i++)
        fprintf(out, ",%s", layout->families.items[i].name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, ",%s", metrics[i].name);
    fclose(out);
    return text;
}

static char *
unit_header(const struct table_layout *layout, const struct unit *unit, const char *key)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    BUG_ON(!out, "no memory for a text");
    fprintf(out, "schema,%s,instance", key);
    for (size_t i = 0; i < unit->families.count; i++)
        fprintf(out, ",%s", layout->families.items[unit->families.items[i]].name);
    fclose(out);
    return text;
}

bool
table_open(struct table *table, const char *path, const char *key, const char *facts,
           const struct table_layout *layout, struct error *err)
{
    *table = (struct table){.layout = layout, .has_facts = *facts};
    table->files = mem_alloc((1 + layout->units.count) * sizeof *table->files);
    for (uint32_t i = 0; i <= layout->units.count; i++) {
        const struct unit *unit = i ? &layout->units.items[i - 1] : NULL;
        char *at = unit ? table_unit_path(path, unit->name) : mem_strdup(path);
        char *header = unit ? unit_header(layout, unit, key) : main_header(layout, key, facts);
        table->files[i] = csv_create(at, header, err);
        table->count += table->files[i] != NULL;
        free(at);
        free(header);
        if (!table->files[i])
            return false;
    }
    return true;
}

/* Rows. */

/* Sums of the instances; of peaks the highest. */
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
    for (size_t i = 0; i < families; i++) {
        csv_number(csv, layout->sums[i]);
        layout->numbers[i] = (double)layout->sums[i];
    }
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

void
table_row(struct table *table, const char *key, const char *facts, const uint64_t *values,
          double frames)
{
    add_up(table->layout, values);
    main_row(table, key, facts, frames);
    for (uint32_t i = 0; i < table->layout->units.count; i++)
        unit_rows(table, i, key, values);
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
table_settle(struct table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        csv_settle(table->files[i]);
}

void
table_take_back(struct table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        csv_take_back(table->files[i]);
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
