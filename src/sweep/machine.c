#include "sweep/machine.h"

#include "base/sha256.h"
#include "params/params_value.h"
#include "sweep/model_version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
preset_cache_get(struct preset_cache *cache, const char *name, struct params *params,
                 struct error *err)
{
    for (size_t i = 0; i < cache->entries.count; i++)
        if (!strcmp(cache->entries.items[i].name, name)) {
            *params = cache->entries.items[i].params;
            return true;
        }
    if (!params_load_preset(params, name, err))
        return false;
    VEC_PUSH(&cache->entries, ((struct preset_entry){mem_strdup(name), *params}));
    return true;
}

void
preset_cache_fini(struct preset_cache *cache)
{
    for (size_t i = 0; i < cache->entries.count; i++)
        free(cache->entries.items[i].name);
    VEC_FREE(&cache->entries);
}

bool
param_is_same(const struct param_info *info, const struct params *a, const struct params *b)
{
    const char *left = (const char *)a + info->offset, *right = (const char *)b + info->offset;
    switch (info->type) {
    case PARAM_TEXT: return !strcmp(left, right);
    case PARAM_BOOL: return *(const bool *)left == *(const bool *)right;
    default: return *(const uint32_t *)left == *(const uint32_t *)right;
    }
}

bool
machine_set(struct params *params, const char *assignment, struct error *err)
{
    const char *dot = strchr(assignment, '.'), *equals = strchr(assignment, '=');
    const struct param_info *info;
    bool changed;
    if (!dot || !equals || dot > equals)
        return fail(err, "%s: expected SECTION.Name=value", assignment);
    char *section = mem_printf("%.*s", (int)(dot - assignment), assignment);
    char *name = mem_printf("%.*s", (int)(equals - dot - 1), dot + 1);
    const bool ok = param_set_value(params, section, name, equals + 1, &changed, &info, err);
    free(section);
    free(name);
    return ok;
}

/* Sets the parameters of `made` that still differ from `params`. Returns false if none differed. */
static bool
set_differences(struct params *made, const struct params *params, struct word_list *sets)
{
    char value[PARAM_TEXT_BYTES];
    struct error err;
    size_t count;
    const struct param_info *infos = param_infos(&count);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (param_is_same(&infos[i], made, params))
            continue;
        param_format(&infos[i], params, value, sizeof value);
        char *set = mem_printf("%s.%s=%s", infos[i].section, infos[i].name, value);
        const bool ok = machine_set(made, set, &err);
        BUG_ON(!ok, "a parameter rejects its current value: %s", err.text);
        VEC_PUSH(sets, set);
        any = true;
    }
    return any;
}

bool
machine_differences(struct preset_cache *cache, const char *preset, const struct params *params,
                    struct word_list *sets, struct error *err)
{
    struct params made;
    if (!preset_cache_get(cache, preset, &made, err))
        return false;
    /* Setting one parameter may change another (MemorySize does). The next round sets that one
     * again. */
    for (uint32_t rounds = 0; set_differences(&made, params, sets); rounds++)
        BUG_ON(rounds > 2, "parameters change each other");
    return true;
}

bool
machine_make(struct preset_cache *cache, const char *preset, const struct word_list *sets,
             struct params *params, struct error *err)
{
    if (!preset_cache_get(cache, preset, params, err))
        return false;
    for (size_t i = 0; i < sets->count; i++)
        if (!machine_set(params, sets->items[i], err))
            return false;
    return true;
}

const char *const sweep_blocks_names[] = {"", "count", "keep"};

void
sweep_key(char key[SWEEP_KEY_TEXT], const struct params *params, const char *trace,
          const char *frames, enum sweep_blocks blocks)
{
    struct sha256 sha;
    char hash[SHA256_TEXT];
    char *ini = params_to_ini(params, NULL);
    char *head =
        mem_printf("aetius run\nmodel %s\ntrace %s\nframes %s\n", AETIUS_MODEL, trace, frames);
    sha256_begin(&sha);
    sha256_add(&sha, head, strlen(head));
    if (blocks) {
        sha256_add(&sha, "blocks ", strlen("blocks "));
        sha256_add(&sha, sweep_blocks_names[blocks], strlen(sweep_blocks_names[blocks]));
        sha256_add(&sha, "\n", 1);
    }
    sha256_add(&sha, ini, strlen(ini));
    sha256_end(&sha, hash);
    memcpy(key, hash, SWEEP_KEY_TEXT - 1);
    key[SWEEP_KEY_TEXT - 1] = '\0';
    free(head);
    free(ini);
}

bool
sweep_key_is_one(const char *text)
{
    return strlen(text) == SWEEP_KEY_TEXT - 1 && !text[strspn(text, "0123456789abcdef")];
}

const char *
sweep_model(void)
{
    return AETIUS_MODEL;
}
