/* `aetius explain` knows every word that commands print: verdicts, branches and causes of lost
 * cycles, fates of issue slots, states of units, kinds of work, values of parameters, statistics
 * without their unit. */
#include "analysis/nvidia.h"
#include "analysis/pipeline_tree.h"
#include "analysis/shader_tree.h"
#include "base/build.h"
#include "base/mem.h"
#include "core/clock.h"
#include "model/model.h"
#include "params/params.h"
#include "report/compare/ideals.h"
#include "report/draw/maps.h"
#include "sim/work_accounting.h"
#include "unit/watch.h"
#include "rigs/command.h"
#include "rigs/folder.h"

#include <cjson/cJSON.h>
#include <dirent.h>

static struct command_result cmd;

/* Whether a meaning of the word has this kind and this text. */
static bool
has_meaning(const cJSON *meaning, const char *kind, const char *doc)
{
    return strstr(cJSON_GetStringValue(cJSON_GetObjectItem(meaning, "kind")), kind) &&
           strstr(cJSON_GetStringValue(cJSON_GetObjectItem(meaning, "doc")), doc);
}

static void
check_word(const char *word, const char *kind, const char *doc)
{
    const cJSON *meaning;
    RUN(&cmd, "explain", word, "--json");
    cJSON *root = cJSON_Parse(cmd.out);
    bool found = cmd.status == 0 && has_meaning(root, kind, doc);
    cJSON_ArrayForEach(meaning, cJSON_GetObjectItem(root, "also")) found =
        found || has_meaning(meaning, kind, doc);
    if (!found)
        fail_msg("explain %s lacks '%s': %s\n%s%s", word, kind, doc, cmd.out, cmd.err);
    cJSON_Delete(root);
}

static void
verdicts_are_explained(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < IDEALS; i++)
        check_word(ideals[i].name, "verdict", ideals[i].what);
}

static void
check_tree(const struct topdown_shape *shape, const char *what)
{
    for (uint32_t i = 1; i < shape->count; i++) {
        const char *parent = shape->nodes[shape->nodes[i].parent].name;
        check_word(shape->nodes[i].name, what, shape->nodes[i].doc);
        if (shape->nodes[i].parent)
            check_word(shape->nodes[i].name, parent, shape->nodes[i].doc);
    }
}

static void
branches_and_causes_are_explained(void **state)
{
    (void)state;
    check_tree(&pipeline_shape, "lost cycles");
    check_tree(&shader_shape, "issue slots");
    check_tree(&nvidia_shape, "NVIDIA");
    check_word("memory", "branch of lost cycles", "memory");
    check_word("orders", "cause of lost cycles", "command processor");
}

static void
states_and_works_are_explained(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < UNIT_STATES; i++)
        check_word(unit_state_names[i], "state of a unit", "cycles in which");
    for (uint32_t i = 0; i < WORK_KINDS; i++)
        check_word(work_kind_names[i], "kind of work", "cycles");
    check_word("blocked", "state of a unit", "full output");
    check_word("swap", "kind of work", "end of a frame");
}

static void
maps_ends_and_stages_are_explained(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MAP_MODES; i++)
        check_word(map_mode_names[i], "fragment map", "");
    for (uint32_t i = 0; i < FATES; i++)
        check_word(fragment_fate_names[i], "end of a fragment", "");
    for (uint32_t i = 0; i < MODEL_STAGES; i++)
        check_word(model_stage_names[i], "stage of the staged model", "");
    check_word("overdraw", "column of draws", "pixels of the target");
    check_word("verdict", "term", "save the most cycles");
}

static void
values_are_explained(void **state)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        if (!infos[i].choices)
            continue;
        char *choices = mem_strdup(infos[i].choices), *rest = choices;
        char *kind = mem_printf("value of %s.%s", infos[i].section, infos[i].name);
        for (const char *one; (one = strsep(&rest, "|"));)
            check_word(one, kind, infos[i].doc);
        free(choices);
        free(kind);
    }
    check_word("seven-level", "value of RASTERIZER.Generator", "fragment generator");
}

/* Each file in configs is a preset. */
static void
presets_and_columns_are_explained(void **state)
{
    struct dirent **entries;
    uint32_t count = 0;
    (void)state;
    const int files = scandir(AETIUS_SOURCE_DIR "/configs", &entries, NULL, alphasort);
    assert_true(files > 0);
    for (int i = 0; i < files; i++) {
        char *end = strstr(entries[i]->d_name, ".ini");
        if (end) {
            *end = '\0';
            check_word(entries[i]->d_name, "preset", "");
            count++;
        }
        free(entries[i]);
    }
    free(entries);
    assert_int_equal(count, 7);
    check_word("hash", "column of draws", "");
    check_word("tex miss", "column of draws", "texture caches");
    check_word("all", "row of draws", "sum");
    check_word("all", "fragment map", "every map");
    check_word("nth", "column of vertices", "from 0");
    check_word("hidden", "term", "another resource");
}

static void
statistics_need_no_unit(void **state)
{
    (void)state;
    check_word("level5_tested", "statistic fraggen.level5_tested", "tested by level 5");
    check_word("GPU", "section of parameters", "shader units");
    check_word("index", "client of the memory", "streamer");
    /* its unit's parameters follow */
    RUN(&cmd, "explain", "streamer.indices");
    assert_non_null(strstr(cmd.out, "  parameters of [STREAMER]:"));
    RUN(&cmd, "explain", "level9_tested");
    assert_int_equal(cmd.status, 1);
    RUN(&cmd, "explain", "draen");
    assert_int_equal(cmd.status, 1);
    assert_string_equal(cmd.err, "aetius: unknown name draen; did you mean drain?\n");
    RUN(&cmd, "explain", "qq"); /* no name is near */
    assert_null(strstr(cmd.err, "did you mean"));
}

/* Commands whose tables have a line of column names, and the first words of this line. */
#define TINY       AETIUS_SOURCE_DIR "/tests/golden/tiny.trace"
#define MODEL_ROWS AETIUS_SOURCE_DIR "/tests/golden/model-points.csv"
static const struct {
    const char *command[8], *names;
} tables[] = {
    {{"draws", "run"}, "draw "},
    {{"draws", "run", "--group", "program"}, "draws "},
    {{"stats", "run", "--units"}, "% of cycles"},
    {{"topdown", "run", "--over-time"}, "frame "},
    {{"topdown", "run", "--draws"}, "draw  "},
    {{"topdown", "run", "--prove"}, "ideal "},
    {{"topdown", "run", "--diff", "other"}, "cause "},
    {{"topdown", "run", "--program", "all"}, "program "},
    {{"topdown", "run", "--program", "330a"}, "cycles "},
    {{"sim", TINY, "--pixel", "64,64", "-o", "pixel", "--force"}, "frame  draw  prim  prog"},
    {{"sim", TINY, "--pixel", "64,64", "-o", "pixel", "--force"}, "frame  draw  prim  "},
    {{"sim", TINY, "--follow", "0:0:0", "-o", "pixel", "--force"}, "step "},
    {{"sim", TINY, "--follow", "0:0:0", "-o", "pixel", "--force"}, "quad "},
    {{"show", TINY, "program"}, "program "},
    {{"show", TINY, "program", "330a"}, "cycle "},
    {{"whatif", TINY, "--front-to-back"}, "frame "},
    {{"info", TINY, "--commands"}, "frame "},
    {{"compress", AETIUS_SOURCE_DIR "/tests/golden/x0.blocks.color"}, "codec "},
    {{"sample", TINY, "-o", "plan", "--force"}, "cluster "},
    {{"model", "check", "a.model", MODEL_ROWS}, "stage "},
    {{"model", "predict", "a.model", "--set", "fragments=1000", "--set", "cycles=9"}, "stage "},
};

/* Names that need no description: "%", sizes in bytes, and lists of several facts. */
static bool
is_list(const char *name)
{
    return !strcmp(name, "%") || strchr(name, ',') || strstr(name, " B") ||
           !strncmp(name, "cycles before", 13);
}

static bool
was_checked(const char *name)
{
    static char names[4096] = "|";
    char *wanted = mem_printf("|%s|", name);
    const bool is_known = strstr(names, wanted);
    if (!is_known && strlen(names) + strlen(wanted) < sizeof names)
        strcat(names, wanted + 1);
    free(wanted);
    return is_known;
}

/* Checks each name of a line; two spaces separate the names. */
static void
check_columns(const char *line)
{
    char *copy = mem_strdup(line), *at = copy;
    while (*(at += strspn(at, " "))) {
        char *end = strstr(at, "  ");
        end = end ? end : at + strlen(at);
        const bool more = *end;
        *end = '\0';
        if (!is_list(at) && !was_checked(at)) {
            RUN(&cmd, "explain", at);
            if (cmd.status)
                fail_msg("%s of \"%s\"", cmd.err, line);
        }
        at = end + more;
    }
    free(copy);
}

/* Names of columns are explained, except those of is_list(). */
static void
columns_are_explained(void **state)
{
    char dir[] = "/tmp/aetius-columns-XXXXXX";
    (void)state;
    assert_true(mkdtemp(dir) && !chdir(dir));
    RUN(&cmd, "sim", TINY, "-o", "run", "--shader-profile");
    assert_int_equal(cmd.status, 0);
    RUN(&cmd, "sim", TINY, "-o", "other", "--set", "GPU.NumFragmentShaders=1");
    assert_int_equal(cmd.status, 0);
    RUN(&cmd, "model", "fit", MODEL_ROWS, "-o", "a.model");
    assert_int_equal(cmd.status, 0);
#ifdef SANITIZED /* sanitizers take several times as long */
    const size_t stride = 5;
#else
    const size_t stride = 1;
#endif
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i += stride) {
        run_within(&cmd, 0, tables[i].command);
        const char *at = cmd.status ? NULL : cmd.out;
        while (at && strncmp(at + strspn(at, " "), tables[i].names, strlen(tables[i].names)) != 0)
            at = (at = strchr(at, '\n')) ? at + 1 : NULL;
        if (!at)
            fail_msg("%s %s: no line '%s'\n%s", tables[i].command[0], tables[i].command[1],
                     tables[i].names, cmd.out);
        char *line = mem_printf("%.*s", (int)strcspn(at, "\n"), at);
        check_columns(line);
        free(line);
    }
    assert_true(!chdir("/") && remove_folder(dir));
}

/* Text output has all meanings of a word, including that of a name. */
static void
text_has_all_meanings(void **state)
{
    (void)state;
    RUN(&cmd, "explain", "shader");
    assert_int_equal(cmd.status, 0);
    assert_int_equal(strncmp(cmd.out, "shader (verdict)\n", 17), 0);
    assert_non_null(strstr(cmd.out, "  parameter: GPU.NumFragmentShaders\n\nshader ("));
    assert_non_null(strstr(cmd.out, "\n\nshader (fragment map)\n"));
    assert_non_null(strstr(cmd.out, "\n\nshader (unit)\n"));
    RUN(&cmd, "explain", "drain");
    assert_non_null(strstr(cmd.out, "  advice: fewer and larger draws"));
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_are_explained),
        cmocka_unit_test(branches_and_causes_are_explained),
        cmocka_unit_test(states_and_works_are_explained),
        cmocka_unit_test(maps_ends_and_stages_are_explained),
        cmocka_unit_test(values_are_explained),
        cmocka_unit_test(presets_and_columns_are_explained),
        cmocka_unit_test(columns_are_explained),
        cmocka_unit_test(statistics_need_no_unit),
        cmocka_unit_test(text_has_all_meanings),
    };
    aetius = argc > 1 ? argv[1] : "build/aetius";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
