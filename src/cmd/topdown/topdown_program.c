/* aetius topdown RUN --program: the instructions of shader programs, from the run's shader profile
 * (report/run/profile_table.h). */
#include "base/file.h"
#include "base/json.h"
#include "base/plural.h"
#include "base/schema.h"
#include "base/text_table.h"
#include "base/wrap.h"
#include "cmd/topdown/topdown.h"
#include "isa/program.h"
#include "report/run/profile_table.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TGSI = 1 << 22, MARKED = 3 };

/* An instruction is marked if it has at least this share of the program's slots. */
static const double marked_share = 0.05;
/* A cause has a column if it has at least this share of the program's slots. */
static const double shown_share = 0.01;

struct line { /* counts of one instruction, or of all */
    double counts[PROFILE_COUNTS];
    bool is_marked;
};

struct profiled {
    char hash[24];
    enum shader_stage stage;
    double slots_cycle;
    VEC(struct line) lines; /* by number of the instruction */
    struct line all;
    struct program *program; /* NULL: not read */
};

struct profiles {
    VEC(struct profiled) programs; /* most expensive first */
    struct line all;               /* includes slots without a group */
};

/* ---- reading ---- */

static double
slots_of(const struct line *line)
{
    double slots = 0;
    for (uint32_t f = 0; f < SLOT_COUNT; f++)
        slots += line->counts[f];
    return slots;
}

static double
lanes_of(const struct line *line)
{
    return line->counts[PROFILE_ACTIVE] + line->counts[PROFILE_HELPER] +
           line->counts[PROFILE_DIVERGED] + line->counts[PROFILE_EMPTY];
}

static double
share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void
add_line(struct line *to, const struct line *more)
{
    for (uint32_t c = 0; c < PROFILE_COUNTS; c++)
        to->counts[c] += more->counts[c];
}

static struct profiled *
find_program(struct profiles *profiles, const char *hash)
{
    for (size_t i = 0; i < profiles->programs.count; i++)
        if (!strcmp(profiles->programs.items[i].hash, hash))
            return &profiles->programs.items[i];
    struct profiled made = {0};
    snprintf(made.hash, sizeof made.hash, "%s", hash);
    VEC_PUSH(&profiles->programs, made);
    return &profiles->programs.items[profiles->programs.count - 1];
}

static void
add_row(struct profiles *profiles, const struct csv_table *table, uint32_t row,
        const int32_t *columns)
{
    const char *hash = csv_field(table, row, csv_column(table, "program"));
    const uint32_t number = (uint32_t)csv_value(table, row, csv_column(table, "instruction"));
    struct line line = {0};
    for (uint32_t c = 0; c < PROFILE_COUNTS; c++)
        line.counts[c] = csv_value(table, row, columns[c]);
    add_line(&profiles->all, &line);
    if (!*hash)
        return;
    struct profiled *program = find_program(profiles, hash);
    while (program->lines.count <= number && number < MAX_INSTRUCTIONS)
        VEC_PUSH(&program->lines, (struct line){0});
    if (number < program->lines.count)
        add_line(&program->lines.items[number], &line);
    add_line(&program->all, &line);
    program->slots_cycle = csv_value(table, row, csv_column(table, "slots_cycle"));
    program->stage =
        strcmp(csv_field(table, row, csv_column(table, "stage")), shader_stage_name(STAGE_VERTEX))
            ? STAGE_FRAGMENT
            : STAGE_VERTEX;
}

static bool
is_selected(const struct topdown_selection *selection, const struct csv_table *table, uint32_t row)
{
    const uint32_t frame = (uint32_t)csv_value(table, row, csv_column(table, "frame"));
    if (!selection->has_draw)
        return frame_set_has(selection->frames, frame);
    return frame == selection->frame &&
           csv_value(table, row, csv_column(table, "draw")) == (double)selection->draw &&
           !strcmp(csv_field(table, row, csv_column(table, "work")), "draw");
}

static int
compare_slots(const void *a, const void *b)
{
    const struct profiled *x = a, *y = b;
    const double i = slots_of(&x->all), j = slots_of(&y->all);
    return i != j ? (i < j) - (i > j) : strcmp(x->hash, y->hash);
}

static bool
take_rows(struct profiles *profiles, const struct csv_table *table, const char *path,
          const struct topdown_selection *selection, struct error *err)
{
    int32_t columns[PROFILE_COUNTS];
    static const char *const keys[] = {"frame",       "draw",  "work",       "program",
                                       "instruction", "stage", "slots_cycle"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (csv_column(table, keys[i]) < 0)
            return fail(err, "%s has no column %s", path, keys[i]);
    for (uint32_t c = 0; c < PROFILE_COUNTS; c++)
        if ((columns[c] = csv_column(table, profile_count_names[c])) < 0)
            return fail(err, "%s has no column %s", path, profile_count_names[c]);
    for (uint32_t r = 0; r < table->rows; r++)
        if (is_selected(selection, table, r))
            add_row(profiles, table, r, columns);
    for (uint32_t c = 0; c < PROFILE_COUNTS; c++)
        if (profiles->all.counts[c] != selection->statistics[c])
            return fail(err, "%s: %s adds up to %.0f, but the statistics have %.0f", path,
                        profile_count_names[c], profiles->all.counts[c], selection->statistics[c]);
    if (profiles->programs.count)
        qsort(profiles->programs.items, profiles->programs.count, sizeof *profiles->programs.items,
              compare_slots);
    return true;
}

/* Keeps only the programs whose hash starts with `wanted`. NULL keeps all. */
static bool
keep_wanted(struct profiles *profiles, const char *wanted, struct error *err)
{
    const size_t before = profiles->programs.count;
    size_t kept = 0;
    for (size_t i = 0; i < before; i++) {
        struct profiled *program = &profiles->programs.items[i];
        if (!wanted || !strncmp(program->hash, wanted, strlen(wanted)))
            profiles->programs.items[kept++] = *program;
        else
            VEC_FREE(&program->lines);
    }
    profiles->programs.count = kept;
    if (wanted && kept > 1)
        return fail(err, "%s is a prefix of %zu programs' hashes", wanted, kept);
    return kept || !wanted ||
           fail(err, "no instruction of a program %s was profiled here: `--program all` lists %zu",
                wanted, before);
}

static bool
read_text(struct profiled *program, const char *dir, struct error *err)
{
    char *text = NULL, *path = profile_program_path(dir, program->hash);
    size_t size;
    bool ok = file_read(path, MOST_TGSI, &text, &size, err);
    if (ok) {
        program->program = program_create(program->stage, text, NULL, err);
        ok = program->program || fail_prefix(err, "%s", path);
    }
    if (ok && program->program->instruction_count < program->lines.count)
        ok = fail(err, "%s has fewer instructions than the profile", path);
    while (ok && program->lines.count < program->program->instruction_count)
        VEC_PUSH(&program->lines, (struct line){0});
    free(text);
    free(path);
    return ok;
}

static void
mark_expensive(struct profiled *program)
{
    for (uint32_t marked = 0; marked < MARKED; marked++) {
        struct line *most = NULL;
        for (size_t i = 0; i < program->lines.count; i++) {
            struct line *line = &program->lines.items[i];
            if (!line->is_marked && (!most || slots_of(line) > slots_of(most)))
                most = line;
        }
        if (!most || share(slots_of(most), slots_of(&program->all)) < marked_share)
            return;
        most->is_marked = true;
    }
}

static bool
read_profiles(struct profiles *profiles, const struct topdown_selection *selection,
              const char *wanted, struct error *err)
{
    struct csv_table table = {0};
    char *path = mem_printf("%s/" PROFILE_FILE, selection->dir);
    bool ok = file_exists(path) ||
              fail(err, "%s has no shader profile: simulate with --shader-profile", selection->dir);
    ok = ok && csv_read(&table, path, err) && take_rows(profiles, &table, path, selection, err) &&
         keep_wanted(profiles, wanted, err);
    for (size_t i = 0; ok && i < profiles->programs.count; i++) {
        ok = read_text(&profiles->programs.items[i], selection->dir, err);
        mark_expensive(&profiles->programs.items[i]);
    }
    csv_table_fini(&table);
    free(path);
    return ok;
}

static void
profiles_fini(struct profiles *profiles)
{
    for (size_t i = 0; i < profiles->programs.count; i++) {
        VEC_FREE(&profiles->programs.items[i].lines);
        if (profiles->programs.items[i].program)
            program_destroy(profiles->programs.items[i].program);
    }
    VEC_FREE(&profiles->programs);
}

/* ---- text ---- */

/* "shader.slots_issued" is the cause "issued". */
static const char *
cause_name(uint32_t fate)
{
    return profile_count_names[fate] + strlen("shader.slots_");
}

/* The cells of an instruction or a program: cycles, their share of `whole`, issues, active lanes.
 */
static void
put_figures(struct text_table *table, const struct line *line, double slots_cycle, double whole)
{
    const double slots = slots_of(line), lanes = lanes_of(line);
    text_table_cell(table, "%.0f", share(slots, slots_cycle));
    text_table_cell(table, "%.1f %%", 100 * share(slots, whole));
    text_table_cell(table, "%.0f", line->counts[PROFILE_INSTRUCTIONS]);
    if (lanes > 0)
        text_table_cell(table, "%.0f %%", 100 * line->counts[PROFILE_ACTIVE] / lanes);
    else
        text_table_cell(table, "-");
}

static void
put_causes(struct text_table *table, const struct line *line, const uint32_t *causes,
           uint32_t count, double whole)
{
    for (uint32_t i = 0; i < count; i++)
        if (line->counts[causes[i]] > 0)
            text_table_cell(table, "%.1f %%", 100 * share(line->counts[causes[i]], whole));
        else
            text_table_cell(table, "-");
}

/* Lists the causes to show, largest first. Returns their number. */
static uint32_t
causes_shown(const struct line *all, uint32_t *causes)
{
    const double whole = slots_of(all);
    uint32_t count = 0;
    for (uint32_t f = 0; f < SLOT_COUNT; f++) {
        if (share(all->counts[f], whole) < shown_share)
            continue;
        uint32_t at = count++;
        for (; at && all->counts[causes[at - 1]] < all->counts[f]; at--)
            causes[at] = causes[at - 1];
        causes[at] = f;
    }
    return count;
}

/* Prints the columns that fit the terminal: drops the smallest causes first. */
static void
print_table(struct text_table *table, uint32_t name, uint32_t first, uint32_t causes)
{
    uint32_t spare[SLOT_COUNT];
    for (uint32_t i = 0; i < causes; i++)
        spare[i] = first + causes - 1 - i;
    const uint32_t dropped = text_table_fit(table, line_width(stdout), name, spare, causes);
    text_table_put(table, TEXT_TABLE_TEXT, stdout);
    if (dropped)
        print_wrapped(stdout, line_width(stdout), 2, 2,
                      "%u cause%s omitted because the terminal is too narrow (--csv prints all)",
                      dropped, plural(dropped));
}

static void
put_heads(struct text_table *table, const uint32_t *causes, uint32_t count)
{
    text_table_cells(table, "cycles|share|issues|active");
    for (uint32_t i = 0; i < count; i++)
        text_table_cell(table, "%s", cause_name(causes[i]));
}

static void
print_instructions(const struct profiled *profiled)
{
    const struct program *program = profiled->program;
    const double whole = slots_of(&profiled->all);
    struct text_table table = {0};
    uint32_t causes[SLOT_COUNT], line = 1, next = 0;
    const uint32_t count = causes_shown(&profiled->all, causes);
    put_heads(&table, causes, count);
    text_table_cells(&table, "|");
    text_table_end_row(&table);
    for (const char *at = program->text; *at; line++) {
        const size_t length = strcspn(at, "\n");
        while (next < program->instruction_count && program->instructions[next].line < line)
            next++;
        const bool is_code =
            next < program->instruction_count && program->instructions[next].line == line;
        const struct line *figures = is_code ? &profiled->lines.items[next] : NULL;
        if (is_code && slots_of(figures) + lanes_of(figures) > 0) {
            if (figures->is_marked && has_color(stdout))
                text_table_color(&table, COLOR_VERDICT);
            put_figures(&table, figures, profiled->slots_cycle, whole);
            put_causes(&table, figures, causes, count, whole);
        } else {
            for (uint32_t c = 0; c < 4 + count; c++)
                text_table_cell(&table, "%s", "");
        }
        text_table_cell(&table, "%s", figures && figures->is_marked ? "<==" : "");
        text_table_left(&table, "%.*s", (int)length, at);
        text_table_end_row(&table);
        at += length + (at[length] == '\n');
    }
    print_table(&table, 5 + count, 4, count);
}

static void
print_program(const struct profiles *profiles, const struct profiled *profiled)
{
    const double slots = slots_of(&profiled->all);
    print_wrapped(
        stdout, line_width(stdout), 0, 2,
        "%s program %s: %.0f unit cycles, %.1f %% of the issue slots of all shader units; %.1f %% "
        "of its lanes were active",
        shader_stage_name(profiled->stage), profiled->hash, share(slots, profiled->slots_cycle),
        100 * share(slots, slots_of(&profiles->all)),
        100 * share(profiled->all.counts[PROFILE_ACTIVE], lanes_of(&profiled->all)));
    puts("");
    print_instructions(profiled);
    puts("");
    print_wrapped(stdout, line_width(stdout), 0, 2,
                  "shares are of the program's issue slots; <== marks the most expensive "
                  "instructions");
}

static void
print_programs(const struct profiles *profiles)
{
    struct text_table table = {0};
    uint32_t causes[SLOT_COUNT];
    struct line all = {0};
    for (size_t i = 0; i < profiles->programs.count; i++)
        add_line(&all, &profiles->programs.items[i].all);
    const uint32_t count = causes_shown(&all, causes);
    text_table_cells(&table, "program|stage");
    put_heads(&table, causes, count);
    text_table_end_row(&table);
    for (size_t i = 0; i < profiles->programs.count; i++) {
        const struct profiled *profiled = &profiles->programs.items[i];
        text_table_cell(&table, "%s", profiled->hash);
        text_table_left(&table, "%s", shader_stage_name(profiled->stage));
        put_figures(&table, &profiled->all, profiled->slots_cycle, slots_of(&all));
        put_causes(&table, &profiled->all, causes, count, slots_of(&all));
        text_table_end_row(&table);
    }
    print_table(&table, 0, 6, count);
    puts("");
    print_wrapped(stdout, line_width(stdout), 0, 2,
                  "shares are of the issue slots of these programs; for %.1f %% of the slots of "
                  "all shader units there was no thread group",
                  100 * share(slots_of(&profiles->all) - slots_of(&all), slots_of(&profiles->all)));
}

/* ---- CSV and JSON ---- */

/* Copies the line of the program's text that contains the instruction. The caller frees it. */
static char *
text_of(const struct program *program, uint32_t number)
{
    const char *at = program->text;
    for (uint32_t line = 1; line < program->instructions[number].line; line++)
        at += strcspn(at, "\n") + 1;
    at += strspn(at, " \t");
    return mem_printf("%.*s", (int)strcspn(at, "\n"), at);
}

static void
put_csv(const struct profiles *profiles)
{
    struct text_table table = {0};
    text_table_cells(&table, "program|stage|instruction|text|cycles|share|expensive");
    for (uint32_t c = 0; c < PROFILE_COUNTS; c++)
        text_table_cell(&table, "%s", profile_count_names[c]);
    text_table_end_row(&table);
    for (size_t i = 0; i < profiles->programs.count; i++) {
        const struct profiled *profiled = &profiles->programs.items[i];
        for (uint32_t n = 0; n < profiled->lines.count; n++) {
            const struct line *line = &profiled->lines.items[n];
            char *text = text_of(profiled->program, n);
            text_table_cell(&table, "%s", profiled->hash);
            text_table_cell(&table, "%s", shader_stage_name(profiled->stage));
            text_table_cell(&table, "%u", n);
            text_table_cell(&table, "%s", text);
            text_table_cell(&table, "%.12g", share(slots_of(line), profiled->slots_cycle));
            text_table_cell(&table, "%.12g", share(slots_of(line), slots_of(&profiled->all)));
            text_table_cell(&table, "%d", line->is_marked);
            for (uint32_t c = 0; c < PROFILE_COUNTS; c++)
                text_table_cell(&table, "%.0f", line->counts[c]);
            text_table_end_row(&table);
            free(text);
        }
    }
    text_table_put(&table, TEXT_TABLE_CSV, stdout);
}

static void
add_figures(cJSON *object, const struct line *line, double slots_cycle, double whole)
{
    static const char *const lanes[] = {"active", "helper", "diverged", "empty"};
    cJSON_AddItemToObject(object, "slots", json_number(slots_of(line)));
    cJSON_AddItemToObject(object, "cycles", json_number(share(slots_of(line), slots_cycle)));
    cJSON_AddItemToObject(object, "share", json_number(share(slots_of(line), whole)));
    cJSON_AddItemToObject(object, "issues", json_number(line->counts[PROFILE_INSTRUCTIONS]));
    cJSON *states = cJSON_AddObjectToObject(object, "lanes");
    for (uint32_t i = 0; i < sizeof lanes / sizeof lanes[0]; i++)
        cJSON_AddItemToObject(states, lanes[i], json_number(line->counts[PROFILE_ACTIVE + i]));
    cJSON *causes = cJSON_AddObjectToObject(object, "causes");
    for (uint32_t f = 0; f < SLOT_COUNT; f++)
        cJSON_AddItemToObject(causes, cause_name(f), json_number(line->counts[f]));
}

static void
put_json(const struct profiles *profiles)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", AETIUS_SCHEMA);
    cJSON_AddItemToObject(root, "total", json_number(slots_of(&profiles->all)));
    cJSON_AddStringToObject(root, "unit", "slots");
    cJSON *programs = cJSON_AddArrayToObject(root, "programs");
    for (size_t i = 0; i < profiles->programs.count; i++) {
        const struct profiled *profiled = &profiles->programs.items[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "hash", profiled->hash);
        cJSON_AddStringToObject(object, "stage", shader_stage_name(profiled->stage));
        add_figures(object, &profiled->all, profiled->slots_cycle, slots_of(&profiles->all));
        cJSON *instructions = cJSON_AddArrayToObject(object, "instructions");
        for (uint32_t n = 0; n < profiled->lines.count; n++) {
            const struct line *line = &profiled->lines.items[n];
            cJSON *one = cJSON_CreateObject();
            char *text = text_of(profiled->program, n);
            cJSON_AddStringToObject(one, "text", text);
            free(text);
            cJSON_AddBoolToObject(one, "expensive", line->is_marked);
            add_figures(one, line, profiled->slots_cycle, slots_of(&profiled->all));
            cJSON_AddItemToArray(instructions, one);
        }
        cJSON_AddItemToArray(programs, object);
    }
    json_put(root, stdout);
    putchar('\n');
}

bool
topdown_program(const struct topdown_selection *selection, const struct topdown_request *request,
                struct error *err)
{
    const char *wanted = strcmp(request->program, TOPDOWN_ALL_PROGRAMS) ? request->program : NULL;
    struct profiles profiles = {0};
    const bool ok = read_profiles(&profiles, selection, wanted, err);
    if (ok && request->json)
        put_json(&profiles);
    else if (ok && request->csv)
        put_csv(&profiles);
    else if (ok && wanted)
        print_program(&profiles, &profiles.programs.items[0]);
    else if (ok)
        print_programs(&profiles);
    profiles_fini(&profiles);
    return ok;
}
