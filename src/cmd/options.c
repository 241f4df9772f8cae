#include "cmd/options.h"

#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/schema.h"
#include "trace/virgl/vtest/frame_clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *
machine_options_preset(const struct machine_options *options)
{
    return options->preset ? options->preset : "reference-2008";
}

bool
machine_options_apply(const struct machine_options *options, struct params *params,
                      struct error *err)
{
    if (!params_load_preset(params, machine_options_preset(options), err))
        return false;
    struct param_names names = {0};
    for (uint32_t i = 0; i < options->configs.count; i++)
        if (!params_load_file_named(params, options->configs.items[i], &names, err))
            return false;
    for (uint32_t i = 0; i < options->sets.count; i++)
        if (!params_set_named(params, options->sets.items[i], &names, err))
            return false;
    params_warn_idle(params, &names);
    return true;
}

bool
machine_options_build(const struct machine_options *options, struct simulation *simulation,
                      struct error *err)
{
    const struct frame_set all = {0};
    struct params params;
    if (!machine_options_apply(options, &params, err) ||
        !simulation_init(simulation, &params, &all, NULL, err))
        return false;
    simulation_warn(simulation, machine_options_preset(options), NULL);
    return true;
}

bool
parse_draw(const char *text, uint32_t *frame, uint32_t *draw, struct error *err)
{
    char *end;
    const unsigned long f = strtoul(text, &end, 10);
    const bool has_colon = end != text && *end == ':' && text[0] >= '0' && text[0] <= '9';
    const char *second = has_colon ? end + 1 : "";
    const unsigned long d = strtoul(second, &end, 10);
    if (!has_colon || *second < '0' || *second > '9' || *end || f >= UINT32_MAX || d >= UINT32_MAX)
        return fail(err, "'%s': expected FRAME:DRAW, two numbers", text);
    *frame = (uint32_t)f;
    *draw = (uint32_t)d;
    return true;
}

bool
check_clock(uint64_t frames_per_second, struct error *err)
{
    return frames_per_second <= FRAME_CLOCK_MOST ||
           fail(err, "--clock expects at most %d frames per second", FRAME_CLOCK_MOST);
}

bool
check_output(const char *path, bool force, struct error *err)
{
    return force || !file_exists(path) ||
           fail(err, "%s already exists; --force overwrites it", path);
}

bool
parse_warm_up(const char *text, uint32_t *frames, struct error *err)
{
    *frames = WARM_UP_ALL;
    if (!text)
        return true;
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 9 || text[digits])
        return fail(err, "--warm-up expects a number of frames");
    *frames = (uint32_t)strtoul(text, NULL, 10);
    return true;
}

/* `"schema": N`, to be inserted before an object's members. */
static cJSON *
schema_item(void)
{
    cJSON *holder = cJSON_CreateObject();
    cJSON_AddNumberToObject(holder, "schema", AETIUS_SCHEMA);
    cJSON *item = cJSON_DetachItemFromObject(holder, "schema");
    cJSON_Delete(holder);
    return item;
}

void
print_json_tree(cJSON *root)
{
    if (cJSON_IsObject(root) && !cJSON_HasObjectItem(root, "schema"))
        cJSON_InsertItemInArray(root, 0, schema_item());
    json_print(root, stdout);
}

int
conclude(bool ok, const struct error *err)
{
    if (!ok)
        log_error("%s", err->text);
    return ok ? EXIT_WELL : EXIT_FAILED;
}
