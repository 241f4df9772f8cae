#include "report/draw/show_program.h"

#include "base/file.h"
#include "base/plural.h"
#include "base/text_table.h"
#include "base/wrap.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TGSI = 1 << 22 };

bool
is_tgsi_file(const char *path)
{
    char head[64] = "";
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const size_t n = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    head[n] = '\0';
    return program_text_stage(head) != STAGE_COUNT;
}

static void
add_program(struct shown_programs *shown, struct program *program)
{
    struct shown_program one = {.program = program};
    static_cost_find(&one.cost, program, shown->params);
    VEC_PUSH(&shown->programs, one);
}

bool
shown_program_is_hash(const char *text)
{
    return *text && !text[strspn(text, "0123456789abcdef")];
}

/* Whether the program's hash starts with the wanted prefix. */
static bool
is_wanted(const struct shown_programs *shown, const struct program *program)
{
    char hash[24];
    snprintf(hash, sizeof hash, PROGRAM_HASH, program->hash);
    return !shown->wanted || !strncmp(hash, shown->wanted, strlen(shown->wanted));
}

bool
show_program_file(struct shown_programs *shown, const char *path, struct error *err)
{
    char *text = NULL;
    size_t size;
    if (!file_read(path, MOST_TGSI, &text, &size, err))
        return false;
    struct program *program = program_create(program_text_stage(text), text, NULL, err);
    free(text);
    if (!program)
        return fail_prefix(err, "%s", path);
    add_program(shown, program);
    return is_wanted(shown, program) || fail(err, "the program of %s is " PROGRAM_HASH ", not %s",
                                             path, program->hash, shown->wanted);
}

static bool
found(void *data, const struct program *program)
{
    struct shown_programs *shown = data;
    if (!is_wanted(shown, program))
        return true;
    for (size_t i = 0; i < shown->programs.count; i++)
        if (shown->programs.items[i].program->hash == program->hash)
            return true;
    add_program(shown, program_create(program->stage, program->text, &program->so, NULL));
    return true;
}

bool
show_programs(struct shown_programs *shown, struct trace_reader *reader, struct error *err)
{
    if (!inspect_programs(reader, found, shown, err))
        return false;
    if (shown->wanted && !shown->programs.count)
        return fail(err, "the trace has no program %s", shown->wanted);
    if (shown->wanted && shown->programs.count > 1)
        return fail(err, "%s is a prefix of %zu programs' hashes", shown->wanted,
                    shown->programs.count);
    return true;
}

/* Threads per cycle over all units, if only the ALUs are the limit. */
static double
threads_a_cycle(const struct static_cost *cost)
{
    return cost->alu_cycles ? (double)cost->units * cost->group_threads / cost->alu_cycles : 0;
}

static void
print_list(const struct shown_programs *shown, FILE *out)
{
    struct text_table table = {0};
    text_table_cells(&table, "program|stage|instructions|texture|ALU|registers|threads|latency");
    text_table_end_row(&table);
    for (size_t i = 0; i < shown->programs.count; i++) {
        const struct program *p = shown->programs.items[i].program;
        const struct static_cost *c = &shown->programs.items[i].cost;
        text_table_cell(&table, PROGRAM_HASH, p->hash);
        text_table_left(&table, "%s", shader_stage_name(p->stage));
        text_table_cell(&table, "%u", c->instructions);
        text_table_cell(&table, "%u", c->kinds[KIND_TEXTURE]);
        text_table_cell(&table, "%u", c->turns);
        text_table_cell(&table, "%u", c->thread_registers);
        text_table_cell(&table, "%u", c->threads);
        text_table_cell(&table, "%u", c->latency_cycles);
        text_table_end_row(&table);
    }
    static const uint32_t spare[] = {5, 6, 4, 3};
    text_table_fit(&table, line_width(out), 0, spare, sizeof spare / sizeof spare[0]);
    text_table_put(&table, TEXT_TABLE_TEXT, out);
}

/* Adds the cycle and duration of an instruction; empty cells for other lines. */
static void
put_issue(struct text_table *table, const struct static_cost *cost, uint32_t instruction,
          bool is_code)
{
    if (!is_code) {
        text_table_cells(table, "|");
        return;
    }
    text_table_cell(table, "%u", cost->issues[instruction].cycle);
    if (cost->issues[instruction].takes)
        text_table_cell(table, "%u", cost->issues[instruction].takes);
    else
        text_table_cell(table, "with");
}

static void
print_show_program_text(const struct shown_program *shown, FILE *out)
{
    const struct program *p = shown->program;
    struct text_table table = {0};
    uint32_t line = 1, next = 0;
    text_table_cells(&table, "cycle|ALU|");
    text_table_end_row(&table);
    for (const char *at = p->text; *at; line++) {
        const size_t length = strcspn(at, "\n");
        while (next < p->instruction_count && p->instructions[next].line < line)
            next++;
        const bool is_code = next < p->instruction_count && p->instructions[next].line == line &&
                             p->instructions[next].opcode != OP_END;
        put_issue(&table, &shown->cost, next, is_code);
        text_table_left(&table, "%.*s", (int)length, at);
        text_table_end_row(&table);
        at += length + (at[length] == '\n');
    }
    text_table_put(&table, TEXT_TABLE_TEXT, out);
}

static void
print_textures(const struct program *p, FILE *out)
{
    fprintf(out, "  textures read");
    for (uint32_t i = 0; i < MAX_SAMPLERS; i++)
        if (p->samplers_used >> i & 1)
            fprintf(out, " SAMP[%u] %s", i, texture_target_infos[p->sampler_targets[i]].name);
    fprintf(out, p->samplers_used ? "\n" : " none\n");
}

/* Prints a fact of the program, wrapped to the width. */
static void __attribute__((format(printf, 3, 4)))
print_fact(FILE *out, const char *name, const char *fmt, ...)
{
    enum { COLUMN = 16 };
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const int at = fprintf(out, "  %s", name), gap = COLUMN - at;
    print_wrapped_at(out, line_width(out), (uint32_t)at, gap > 2 ? (uint32_t)gap : 2, COLUMN, text);
    fputc('\n', out);
}

static void
print_one(const struct shown_program *one, FILE *out)
{
    const struct program *p = one->program;
    const struct static_cost *c = &one->cost;
    fprintf(out, "%s program " PROGRAM_HASH "\n", shader_stage_name(p->stage), p->hash);
    print_show_program_text(one, out);
    print_fact(out, "instructions", "%u: %u SIMD, %u scalar, %u texture, %u flow", c->instructions,
               c->kinds[KIND_SIMD], c->kinds[KIND_SCALAR], c->kinds[KIND_TEXTURE],
               c->kinds[KIND_FLOW]);
    print_fact(out, "registers", "%u per thread; %u thread%s of at most %u at once in a unit",
               c->thread_registers, c->threads, plural(c->threads), c->limit_threads);
    print_textures(p, out);
    print_fact(out, "ALUs",
               "%u cycle%s per thread; %u cycle%s per group of %u threads in one of %u unit%s: "
               "%s%.2f %s per cycle in all",
               c->turns, plural(c->turns), c->alu_cycles, plural(c->alu_cycles), c->group_threads,
               c->units, plural(c->units), c->kinds[KIND_FLOW] ? "" : "at most ",
               threads_a_cycle(c), p->stage == STAGE_VERTEX ? "vertices" : "fragments");
    print_fact(out, "latency", "%u cycle%s for a group that runs alone, with texels from the cache",
               c->latency_cycles, plural(c->latency_cycles));
    if (c->kinds[KIND_FLOW])
        print_fact(out, "branches",
                   "both sides and one iteration of each loop are counted: the figures are no "
                   "bounds");
}

void
shown_programs_print(const struct shown_programs *shown, FILE *out)
{
    if (shown->programs.count == 1)
        print_one(&shown->programs.items[0], out);
    else
        print_list(shown, out);
}

static cJSON *
program_json(const struct shown_program *one)
{
    static const char *const kinds[] = {"simd", "scalar", "texture", "flow"};
    const struct program *p = one->program;
    const struct static_cost *c = &one->cost;
    char hash[24];
    cJSON *o = cJSON_CreateObject();
    snprintf(hash, sizeof hash, PROGRAM_HASH, p->hash);
    cJSON_AddStringToObject(o, "hash", hash);
    cJSON_AddStringToObject(o, "stage", shader_stage_name(p->stage));
    cJSON_AddStringToObject(o, "text", p->text);
    cJSON_AddNumberToObject(o, "instructions", c->instructions);
    for (uint32_t k = 0; k <= KIND_FLOW; k++)
        cJSON_AddNumberToObject(o, kinds[k], c->kinds[k]);
    cJSON_AddNumberToObject(o, "alu_cycles_thread", c->turns);
    cJSON_AddNumberToObject(o, "alu_cycles_group", c->alu_cycles);
    cJSON_AddNumberToObject(o, "group_threads", c->group_threads);
    cJSON_AddNumberToObject(o, "units", c->units);
    cJSON_AddNumberToObject(o, "threads_a_cycle", threads_a_cycle(c));
    cJSON_AddNumberToObject(o, "latency_cycles", c->latency_cycles);
    cJSON_AddNumberToObject(o, "registers", c->thread_registers);
    cJSON_AddNumberToObject(o, "threads", c->threads);
    cJSON_AddNumberToObject(o, "limit_threads", c->limit_threads);
    cJSON *textures = cJSON_AddArrayToObject(o, "textures");
    for (uint32_t i = 0; i < MAX_SAMPLERS; i++)
        if (p->samplers_used >> i & 1)
            cJSON_AddItemToArray(textures, cJSON_CreateNumber(i));
    cJSON *issues = cJSON_AddArrayToObject(o, "issue_cycles");
    for (uint32_t i = 0; i < p->instruction_count; i++)
        if (p->instructions[i].opcode != OP_END)
            cJSON_AddItemToArray(issues, cJSON_CreateNumber(c->issues[i].cycle));
    return o;
}

cJSON *
shown_programs_json(const struct shown_programs *shown)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(root, "programs");
    for (size_t i = 0; i < shown->programs.count; i++)
        cJSON_AddItemToArray(list, program_json(&shown->programs.items[i]));
    return root;
}

void
shown_programs_fini(struct shown_programs *shown)
{
    for (size_t i = 0; i < shown->programs.count; i++) {
        static_cost_fini(&shown->programs.items[i].cost);
        program_destroy(shown->programs.items[i].program);
    }
    VEC_FREE(&shown->programs);
}
