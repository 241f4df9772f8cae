#include "cmd/options.h"

#include "base/build.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/schema.h"
#include "base/whole_number.h"
#include "base/wrap.h"
#include "trace/virgl/vtest/frame_clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *version_text = AETIUS_VERSION;

bool
machine_options_given(const struct machine_options *options)
{
    return options->preset || options->configs.count || options->sets.count;
}

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
    const char *at = text;
    uint64_t first, second = 0;
    bool ok = whole_number_read(&at, &first);
    const bool has_frame = ok && *at == ':';
    ok = ok && (has_frame ? whole_number_parse(at + 1, &second) : !*at);
    if (!ok || first >= UINT32_MAX || second >= UINT32_MAX)
        return fail(err, "'%s': expected FRAME:DRAW or DRAW, in numbers", text);
    *frame = has_frame ? (uint32_t)first : ANY_FRAME;
    *draw = (uint32_t)(has_frame ? second : first);
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
    struct stat st;
    if (!path || stat(path, &st))
        return true;
    if (S_ISDIR(st.st_mode))
        return fail(err, "%s is a folder, not a regular file", path);
    return force || !S_ISREG(st.st_mode) ||
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

const char *
default_output(char name[OUTPUT_NAME], const char *input, const char *ending)
{
    static const char *const endings[] = {".trace", ".run", ".csv", ".json"};
    size_t length = strlen(input);
    while (length > 1 && input[length - 1] == '/')
        length--;
    const char *slash = memrchr(input, '/', length);
    const char *base = slash ? slash + 1 : input;
    length -= (size_t)(base - input);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t n = strlen(endings[i]);
        if (length > n && !strncmp(base + length - n, endings[i], n)) {
            length -= n;
            break;
        }
    }
    const bool is_named = length && strspn(base, ".") < length;
    snprintf(name, OUTPUT_NAME, "%.*s%s", is_named ? (int)length : 6, is_named ? base : "aetius",
             ending);
    return name;
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
print_next(FILE *out, const char *command, const char *run, const char *more)
{
    fputs(color_code(out, COLOR_STRONG), out);
    print_shown(out, "next: aetius %s %s%s\n", command, run, more);
    fputs(color_code(out, COLOR_END), out);
    print_shown(out, "page: aetius open %s\n", run);
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
    if (!ok) {
        fflush(stdout); /* the error comes after the output, even if both go to the same file */
        log_error("%s", err->text);
    }
    return ok ? EXIT_WELL : EXIT_FAILED;
}
