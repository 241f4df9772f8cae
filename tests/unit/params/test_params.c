/* Parameters: the reference file, ranges, layers, errors, and conversion to a file. */
#include "params/params.h"

#include "base/file.h"
#include "base/mem.h"
#include "cmd/options.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rigs/listen.h"

/* Writes `text` to a file and loads it. Returns whether this succeeded. */
static bool
load_named(struct params *params, const char *text, struct param_names *names, struct error *err)
{
    char path[] = "/tmp/aetius-params-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_true(file_write(path, text, strlen(text), err));
    bool ok = params_load_file_named(params, path, names, err);
    unlink(path);
    return ok;
}

static bool
load_text(struct params *params, const char *text, struct error *err)
{
    struct param_names names = {0};
    return load_named(params, text, &names, err);
}

static void
assert_tells(const struct error *err, const char *part)
{
    if (!strstr(err->text, part))
        fail_msg("'%s' does not say '%s'", err->text, part);
}

/* Reads the reference file with an independent reader. Every line `Name = value` must be a
 * parameter of its section, with that value as the default. */
static void
reference_2008_is_the_default(void **state)
{
    char *path = data_path("configs", "reference-2008.ini"), *bytes, section[64] = "", value[128];
    size_t size;
    struct error err;
    struct params defaults;
    uint32_t found = 0;
    assert_non_null(path);
    assert_true(file_read(path, SIZE_MAX, &bytes, &size, &err));
    params_init(&defaults);
    for (char *line = strtok(bytes, "\n"); line; line = strtok(NULL, "\n")) {
        char name[64], text[128];
        sscanf(line, "[%63[^]]]", section);
        if (line[0] == ';' || sscanf(line, "%63s = %127s", name, text) != 2)
            continue;
        const struct param_info *info = param_find(section, name);
        if (!info)
            fail_msg("%s.%s is missing", section, name);
        char *unquoted = text[0] == '"' ? strtok_r(text, "\"", &(char *){NULL}) : text;
        param_format(info, &defaults, value, sizeof value);
        assert_string_equal(value, unquoted);
        found++;
    }
    assert_int_equal(found,
                     237); /* 236, as in the description of the study's file, plus MemoryGrows */
    free(bytes);
    free(path);
}

static void
presets_load(void **state)
{
    struct params defaults, params;
    struct error err;
    params_init(&defaults);
    params.GPU.NumStampPipes = 77;
    assert_true(params_load_preset(&params, "reference-2008", &err));
    assert_memory_equal(&params, &defaults, sizeof params);
    assert_true(params_load_preset(&params, "reference-2005", &err));
    assert_int_equal(params.GPU.NumFragmentShaders, 2);
    assert_int_equal(params.GPU.NumStampPipes, 2);
    assert_false(params.MEMORYCONTROLLER.MemoryControllerV2);
    /* four channels of 64 bits, two transfers per cycle: 64 bytes */
    assert_int_equal(
        params.MEMORYCONTROLLER.MemoryBuses * params.MEMORYCONTROLLER.MemoryBusWidth / 8 * 2, 64);
    /* 16 KiB in 64 lines, 4-way */
    assert_int_equal(
        params.FRAGMENTSHADER.TextureCacheWays * params.FRAGMENTSHADER.TextureCacheLines, 64);
    assert_int_equal(64 * params.FRAGMENTSHADER.TextureCacheLineSize, 16384);
    assert_int_equal(params.DAC.RefreshRate, 5000000); /* as in reference-2008 */
    /* 24 fragment pipes and 8 vertex shaders; 48 pipelines with 16 texels per cycle */
    assert_true(params_load_preset(&params, "g70-like", &err));
    assert_int_equal(params.GPU.ClockMHz, 486);
    assert_int_equal(params.GPU.NumFragmentShaders * params.FRAGMENTSHADER.ThreadRate, 24);
    assert_int_equal(params.GPU.NumVertexShaders, 8);
    assert_true(params_load_preset(&params, "r580-like", &err));
    assert_int_equal(params.GPU.ClockMHz, 500);
    assert_int_equal(params.GPU.NumFragmentShaders * params.FRAGMENTSHADER.ThreadRate, 48);
    assert_int_equal(params.GPU.NumFragmentShaders * 4, 16);
    /* four unified shaders without a pipeline, the seven-level generator; all else of the base */
    assert_true(params_load_preset(&params, "semi-cycle-accurate", &err));
    assert_true(params.GPU.UnifiedShader && params.GPU.NumFragmentShaders == 4);
    assert_int_equal(params.SHADER.Mode, SHADER_INSTANT);
    assert_int_equal(params_generator(&params), GENERATOR_seven_level);
    params.SHADER.Mode = defaults.SHADER.Mode;
    params.RASTERIZER.Generator = defaults.RASTERIZER.Generator;
    assert_memory_equal(&params, &defaults, sizeof params);
    /* 16 fragment pipes and 6 vertex shaders in both */
    assert_true(params_load_preset(&params, "nv40-like", &err));
    assert_int_equal(params.GPU.ClockMHz, 400);
    assert_int_equal(params.GPU.NumFragmentShaders * params.FRAGMENTSHADER.ThreadRate, 16);
    assert_int_equal(params.GPU.NumVertexShaders, 6);
    assert_true(params_load_preset(&params, "r420-like", &err));
    assert_int_equal(params.GPU.ClockMHz, 500);
    assert_int_equal(params.GPU.NumFragmentShaders * params.FRAGMENTSHADER.ThreadRate, 16);
    assert_int_equal(params.GPU.NumVertexShaders, 6);
    assert_false(params_load_preset(&params, "reference-1999", &err));
    assert_tells(&err, "reference-1999");
}

/* A preset equals its file loaded over the default machine, byte for byte, also in commands. */
static void
a_preset_is_its_file(void **state)
{
    (void)state;
    char *folder = data_path("configs", "."), *path;
    DIR *dir = opendir(folder);
    uint32_t presets = 0;
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)); presets++) {
        struct params by_name, by_file;
        struct error err = {""};
        const size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 4, ".ini") != 0) {
            presets--;
            continue;
        }
        path = mem_printf("%s/%s", folder, entry->d_name);
        char *name = mem_printf("%.*s", (int)length - 4, entry->d_name);
        struct machine_options preset = {.preset = name}, config = {.configs = {{path}, 1}};
        if (!machine_options_apply(&preset, &by_name, &err) ||
            !machine_options_apply(&config, &by_file, &err))
            fail_msg("%s", err.text);
        char *left = params_to_ini(&by_name, NULL), *right = params_to_ini(&by_file, NULL);
        assert_string_equal(left, right);
        assert_true(params_load_preset(&by_file, name, &err));
        assert_memory_equal(&by_name, &by_file, sizeof by_name);
        free(left);
        free(right);
        free(name);
        free(path);
    }
    closedir(dir);
    free(folder);
    assert_true(presets >= 6);
}

static void
every_default_is_allowed(void **state)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    struct params params;
    struct error err;
    char value[PARAM_TEXT_BYTES], assignment[512], allowed[512];
    params_init(&params);
    for (size_t i = 0; i < count; i++) {
        param_format(&infos[i], &params, value, sizeof value);
        snprintf(assignment, sizeof assignment, "%s.%s=%s", infos[i].section, infos[i].name, value);
        if (!infos[i].unmodelled && !params_set(&params, assignment, &err))
            fail_msg("%s", err.text);
        param_format_allowed(&infos[i], allowed, sizeof allowed);
        assert_true(strlen(allowed) > 3 && strlen(infos[i].doc) > 8);
    }
}

/* Setting a parameter that is not modelled gives a message. Setting any other parameter gives none.
 */
static void
parameters_without_effect_are_reported(void **state)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    struct params params;
    struct error err;
    char value[PARAM_TEXT_BYTES], assignment[512];
    (void)state;
    params_init(&params);
    for (size_t i = 0; i < count; i++) {
        param_format(&infos[i], &params, value, sizeof value);
        snprintf(assignment, sizeof assignment, "%s.%s=%s", infos[i].section, infos[i].name, value);
        struct listener listener;
        listen_begin(&listener);
        const bool set = params_set(&params, assignment, &err);
        const char *warning = listen_end(&listener);
        if (set && (strstr(warning, "has no effect") != NULL) != (infos[i].unmodelled != NULL))
            fail_msg("%s: '%s'", assignment, warning);
    }
}

/* If the user sets a parameter that has no effect on the machine, one warning names it, whatever
 * its value. There is no warning if a later layer gives the parameter an effect, or if the file
 * describes a whole machine. */
#define BOX_IS_IDLE                                                                                \
    "aetius: warning: RASTERIZER.BoundingBoxTest has no effect: it requires "                      \
    "RASTERIZER.Generator=seven-level\n"
#define TIMES_ARE_IDLE                                                                             \
    "aetius: warning: MEMORYCONTROLLER.V2GDDR_tRP has no effect: it requires "                     \
    "MEMORYCONTROLLER.MemoryControllerV2=TRUE and MEMORYCONTROLLER.V2Memory=gddr3 and "            \
    "MEMORYCONTROLLER.V2PerfectMemory=FALSE\n"
static void
idle_parameters_are_reported(void **state)
{
    static const struct {
        const char *preset, *file, *sets[3], *warning;
    } cases[] = {
        {"reference-2008", "", {"RASTERIZER.BoundingBoxTest=FALSE"}, BOX_IS_IDLE},
        {"reference-2008", "", {"RASTERIZER.BoundingBoxTest=TRUE"}, BOX_IS_IDLE},
        {"reference-2008",
         "",
         {"RASTERIZER.BoundingBoxTest=FALSE", "RASTERIZER.Generator=seven-level"},
         ""},
        {"reference-2008",
         "",
         {"RASTERIZER.Generator=seven-level", "RASTERIZER.BoundingBoxTest=FALSE"},
         ""},
        {"reference-2008",
         "",
         {"RASTERIZER.BoundingBoxTest=FALSE", "RASTERIZER.BoundingBoxTest=TRUE"},
         BOX_IS_IDLE},
        {"reference-2008", "[RASTERIZER]\nBoundingBoxTest = TRUE\n", {NULL}, BOX_IS_IDLE},
        {"reference-2008",
         "[RASTERIZER]\nBoundingBoxTest = FALSE\nGenerator = seven-level\n",
         {NULL},
         ""},
        {"reference-2008",
         "[RASTERIZER]\nBoundingBoxTest = FALSE\nGenerator = seven-level\n",
         {"RASTERIZER.Generator=scan"},
         BOX_IS_IDLE},
        {"reference-2008", "", {"MEMORYCONTROLLER.V2GDDR_tRP=3"}, ""},
        {"reference-2008",
         "",
         {"MEMORYCONTROLLER.V2GDDR_tRP=3", "MEMORYCONTROLLER.V2Memory=gddr5"},
         TIMES_ARE_IDLE},
        {"reference-2005", "", {"MEMORYCONTROLLER.V2GDDR_tRP=3"}, TIMES_ARE_IDLE},
        {"reference-2005", "", {"GPU.ClockMHz=300"}, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct params params;
        struct param_names names = {0};
        struct error err;
        struct listener listener;
        listen_begin(&listener);
        assert_true(params_load_preset(&params, cases[i].preset, &err));
        assert_true(load_named(&params, cases[i].file, &names, &err));
        for (uint32_t s = 0; s < 3 && cases[i].sets[s]; s++)
            assert_true(params_set_named(&params, cases[i].sets[s], &names, &err));
        params_warn_idle(&params, &names);
        assert_string_equal(listen_end(&listener), cases[i].warning);
    }
}

/* A run's machine.ini and the reference file describe whole machines. Neither gives a warning if
 * loaded over any machine. */
static void
whole_machines_name_nothing(void **state)
{
    static const char *const presets[] = {"reference-2008",     "reference-2005", "nv40-like",
                                          "g70-like",           "r420-like",      "r580-like",
                                          "semi-cycle-accurate"};
    (void)state;
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        static const struct param_names none;
        struct params params, written;
        struct param_names names = {0};
        struct error err;
        char *reference = data_path("configs", "reference-2008.ini");
        assert_true(params_load_preset(&written, presets[i], &err));
        assert_true(params_load_preset(&params, "reference-2005", &err));
        char *text = params_to_ini(&written, NULL);
        assert_true(load_named(&params, text, &names, &err));
        assert_true(params_load_file_named(&params, reference, &names, &err));
        assert_memory_equal(&names, &none, sizeof names);
        free(text);
        free(reference);
    }
}

static void
a_written_machine_reads_back(void **state)
{
    struct params params, back;
    struct error err;
    params_init(&params);
    assert_true(params_set(&params, "GPU.NumStampPipes = 2", &err));
    assert_true(params_set(&params, "RASTERIZER.Generator=seven-level", &err));
    assert_true(params_set(&params, "SIMULATOR.StatsFile=\" with space.csv\"", &err));
    assert_true(params_set(&params, "CLIPPER.ExecLatency=0x10", &err));
    assert_int_equal(params.CLIPPER.ExecLatency, 16);
    assert_string_equal(params.SIMULATOR.StatsFile, " with space.csv");
    assert_false(params_set(&params, "SIMULATOR.StatsFile=with ; comment.csv", &err));
    char *text = params_to_ini(&params, "two lines\nof comment");
    params_init(&back);
    assert_true(load_text(&back, text, &err));
    assert_memory_equal(&params, &back, sizeof params);
    free(text);
}

static void
files_are_read_leniently_where_it_is_safe(void **state)
{
    struct params params;
    struct error err;
    params_init(&params);
    assert_true(load_text(&params,
                          "# a comment\r\n; another\r\n\r\n[GPU]\r\n"
                          "   NumVertexShaders = 3   ; after a value\r\n"
                          "\tNumStampPipes=0x2\r\nUnifiedShader = false\r\n"
                          "[SHADER]\r\nMode = Instant",
                          &err));
    assert_int_equal(params.GPU.NumVertexShaders, 3);
    assert_int_equal(params.GPU.NumStampPipes, 2);
    assert_false(params.GPU.UnifiedShader);
    assert_int_equal(params.SHADER.Mode, SHADER_INSTANT);
}

static void
errors_name_line_parameter_and_what_is_allowed(void **state)
{
    struct params params, before;
    struct error err;
    params_init(&params);
    before = params;
    assert_false(
        load_text(&params, "[GPU]\nNumStampPipes = 2\n\n[STREAMER]\nIndicesCycle = 0\n", &err));
    assert_tells(&err, ":5: STREAMER.IndicesCycle = 0: expected 1 to 64 indices");
    assert_memory_equal(&params, &before, sizeof params); /* either all lines apply or none */

    assert_false(load_text(&params, "; first\n[STREAMER]\nIndicesCycel = 1\n", &err));
    assert_tells(&err, ":3: ");
    assert_tells(&err, "STREAMER.IndicesCycel; did you mean STREAMER.IndicesCycle?");
    assert_false(load_text(&params, "NumStampPipes = 2\n", &err));
    assert_tells(&err, ":1: parameter NumStampPipes is outside of a section");
    assert_false(load_text(&params, "[GPU]\nNumStampPipes\n", &err));
    assert_tells(&err, ":2: expected");
    assert_false(
        load_text(&params, "[GPU]\nNumStampPipes = 2\n[STREAMER\nIndicesCycle = 1\n", &err));
    assert_tells(&err, ":3: expected [SECTION], found [STREAMER");
    assert_false(load_text(&params, "[GPU ; a comment ]\nNumStampPipes = 2\n", &err));
    assert_tells(&err, ":1: expected [SECTION]");
    assert_true(load_text(&params, " [GPU] ; four ROPs\r\nNumStampPipes = 4\n", &err));
    assert_false(load_text(&params, "[GPU]\nNumStampPipes = 4294967297\n", &err));
    assert_tells(&err, ":2: GPU.NumStampPipes = 4294967297: expected 1 to");

    assert_false(params_set(&params, "GPU.NumStampPipes=-1", &err));
    assert_tells(&err, "expected 1 to");
    assert_false(params_set(&params, "GPU.UnifiedShader=maybe", &err));
    assert_tells(&err, "TRUE or FALSE");
    assert_false(params_set(&params, "SHADER.Mode=slow", &err));
    assert_tells(&err, "timed or instant");
    assert_false(params_set(&params, "SIMULATOR.MSAASamples=3", &err));
    assert_tells(&err, "a power of two from 2 to 8 samples");
    assert_false(params_set(&params, "numstamppipes=3", &err));
    assert_tells(&err, "expected a section: GPU.NumStampPipes=3");
    assert_false(params_set(&params, "Nothing=3", &err));
    assert_tells(&err, "SECTION.Name=value");
    assert_false(params_load_preset(&params, "g70-lik", &err));
    assert_tells(&err, "unknown preset 'g70-lik'; did you mean g70-like?");
    assert_false(params_load_preset(&params, "xxxxxxxxxx", &err));
    assert_tells(&err, "reference-2008, reference-2005, nv40-like");
    assert_false(params_set(&params, "MEMORYCONTROLLER.BankGranurality=512", &err));
    assert_tells(&err, "did you mean MEMORYCONTROLLER.BankGranularity?");
    assert_memory_equal(&params, &before, sizeof params);
    assert_false(params_load_file(&params, "/nowhere/at/all.ini", &err));
    assert_tells(&err, "/nowhere/at/all.ini");
}

static void
the_generator_follows_recursive_mode(void **state)
{
    struct params params;
    struct error err;
    params_init(&params);
    assert_int_equal(params_generator(&params), GENERATOR_recursive);
    assert_true(params_set(&params, "RASTERIZER.RecursiveMode=FALSE", &err));
    assert_int_equal(params_generator(&params), GENERATOR_scan);
    assert_true(params_set(&params, "RASTERIZER.Generator=seven-level", &err));
    assert_int_equal(params_generator(&params), GENERATOR_seven_level);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_2008_is_the_default),
        cmocka_unit_test(presets_load),
        cmocka_unit_test(every_default_is_allowed),
        cmocka_unit_test(parameters_without_effect_are_reported),
        cmocka_unit_test(a_preset_is_its_file),
        cmocka_unit_test(idle_parameters_are_reported),
        cmocka_unit_test(whole_machines_name_nothing),
        cmocka_unit_test(a_written_machine_reads_back),
        cmocka_unit_test(files_are_read_leniently_where_it_is_safe),
        cmocka_unit_test(errors_name_line_parameter_and_what_is_allowed),
        cmocka_unit_test(the_generator_follows_recursive_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
