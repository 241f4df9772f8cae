#include "core/stats.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void
stat_set_init(struct stat_set *set)
{
    memset(set, 0, sizeof *set);
}

void
stat_set_fini(struct stat_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        free(set->entries[i].name);
    free(set->entries);
    handle_map_fini(&set->by_hash);
    stat_set_init(set);
}

static uint32_t
hash_name(const char *name)
{
    return (uint32_t)hash_bytes(HASH_START, name, strlen(name));
}

static uint32_t
first_with_hash(const struct stat_set *set, uint32_t hash)
{
    return (uint32_t)(uintptr_t)handle_map_get(&set->by_hash, hash);
}

/* Returns the index + 1 of the entry with this name, or 0. `i` is the first one with its hash. */
static uint32_t
find_from(const struct stat_set *set, uint32_t i, const char *name)
{
    while (i && strcmp(set->entries[i - 1].name, name) != 0)
        i = set->entries[i - 1].next;
    return i;
}

void
stat_set_add_counter(struct stat_set *set, const char *name, const char *measure, const char *doc,
                     const uint64_t *value)
{
    const uint32_t hash = hash_name(name);
    const uint32_t first = first_with_hash(set, hash);
    BUG_ON(find_from(set, first, name), "two statistics are named %s", name);
    if (set->count == set->capacity) {
        set->capacity = set->capacity ? 2 * set->capacity : 256;
        set->entries = mem_resize(set->entries, set->capacity, sizeof *set->entries);
    }
    set->entries[set->count++] = (struct stat_entry){
        .name = mem_strdup(name), .measure = measure, .doc = doc, .value = value, .next = first};
    handle_map_put(&set->by_hash, hash, (void *)(uintptr_t)set->count);
}

void
stat_set_add(struct stat_set *set, const struct stat_group *group, int32_t index, const void *stats)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct stat_info *info = &group->infos[i];
        const void *value = (const char *)stats + info->offset;
        char *name = index < 0 ? mem_printf("%s.%s", group->unit, info->name)
                               : mem_printf("%s[%d].%s", group->unit, (int)index, info->name);
        stat_set_add_counter(set, name, info->measure, info->doc, value);
        set->entries[set->count - 1].is_peak = info->is_peak;
        free(name);
    }
}

void
stat_set_snapshot(const struct stat_set *set, uint64_t *values)
{
    for (uint32_t i = 0; i < set->count; i++)
        values[i] = *set->entries[i].value - set->entries[i].base;
}

void
stat_set_subtract(const struct stat_set *set, uint64_t *delta, const uint64_t *now,
                  const uint64_t *before)
{
    for (uint32_t i = 0; i < set->count; i++)
        delta[i] = set->entries[i].is_peak ? now[i] : now[i] - before[i];
}

static void
accumulate(bool is_peak, uint64_t *total, uint64_t more)
{
    if (!is_peak)
        *total += more;
    else if (more > *total)
        *total = more;
}

void
stat_set_accumulate(const struct stat_set *set, uint64_t *total, const uint64_t *more)
{
    for (uint32_t i = 0; i < set->count; i++)
        accumulate(set->entries[i].is_peak, &total[i], more[i]);
}

void
stat_set_rebase(struct stat_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        set->entries[i].base = set->entries[i].is_peak ? 0 : *set->entries[i].value;
}

const struct stat_entry *
stat_set_find(const struct stat_set *set, const char *name)
{
    const uint32_t i = find_from(set, first_with_hash(set, hash_name(name)), name);
    return i ? &set->entries[i - 1] : NULL;
}

bool
stat_is_instance(const char *name, const char *family)
{
    size_t same = 0;
    while (name[same] && name[same] == family[same])
        same++;
    if (name[same] != '[') /* no index: a statistic of a unit without instances */
        return !name[same] && !family[same] && !strchr(name, '[');
    const char *rest = strchr(name + same, ']');
    return rest && !strcmp(rest + 1, family + same);
}

bool
stat_set_sum(const struct stat_set *set, const uint64_t *values, const char *name, uint64_t *sum)
{
    const struct stat_entry *exact = stat_set_find(set, name);
    if (exact) {
        *sum = values[exact - set->entries];
        return true;
    }
    bool any = false;
    *sum = 0;
    for (uint32_t i = 0; i < set->count; i++)
        if (stat_is_instance(set->entries[i].name, name)) {
            accumulate(set->entries[i].is_peak, sum, values[i]);
            any = true;
        }
    return any;
}
