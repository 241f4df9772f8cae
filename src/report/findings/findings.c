#include "report/findings/findings.h"

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/memory_text.h"
#include "base/plural.h"
#include "base/text_table.h"
#include "base/wrap.h"
#include "report/findings/findings_rules.h"

#include <stdlib.h>
#include <string.h>

enum { DRAWS_SHOWN = 5 };

const struct finding_info finding_infos[FINDINGS] = {
#define FINDING(name, what, advice) [FINDING_##name] = {#name, what, advice},
#include "findings.def"
};

static void (*const rules[FINDINGS])(struct finding_list *list) = {
#define FINDING(name, what, advice) [FINDING_##name] = find_##name,
#include "findings.def"
};

static int
compare_draws(const void *a, const void *b)
{
    const struct finding_draw *first = a, *second = b;
    if (first->cycles != second->cycles)
        return first->cycles > second->cycles ? -1 : 1;
    return first->row < second->row ? -1 : 1;
}

static int
compare_findings(const void *a, const void *b)
{
    const struct finding *first = a, *second = b;
    if (first->cycles != second->cycles)
        return first->cycles > second->cycles ? -1 : 1;
    return (int)first->number - (int)second->number;
}

bool
finding_next_texture(const char **at, uint32_t *number, const struct format_info **format)
{
    unsigned handle, width, height;
    char name[64];
    *format = NULL;
    if (!**at)
        return false;
    if (sscanf(*at, "#%u %ux%u %63[^; ]", &handle, &width, &height, name) == 4) {
        *number = handle;
        for (size_t i = 0; i < format_count() && !*format; i++)
            if (!strcmp(format_at(i)->name, name))
                *format = format_at(i);
    }
    *at += strcspn(*at, ";");
    *at += strspn(*at, "; ");
    return true;
}

/* Adds the option once per texture. */
static void
put_textures(const struct finding *finding, const char *option, bool single_level, FILE *out)
{
    VEC(uint32_t) seen = {0};
    for (size_t i = 0; i < finding->draw_count; i++) {
        const struct format_info *format;
        const struct draw_row *row = finding->draws[i].row;
        const char *at = single_level ? row->single_level : row->textures;
        uint32_t number = 0;
        while (finding_next_texture(&at, &number, &format)) {
            size_t s = 0;
            while (s < seen.count && seen.items[s] != number)
                s++;
            if (s < seen.count)
                continue;
            VEC_PUSH(&seen, number);
            fprintf(out, " %s %u", option, number);
        }
    }
    VEC_FREE(&seen);
}

/* Whether the draw, unlike the first `count` ones, has this program and no alpha test. */
static bool
is_first_of_program(const struct finding *finding, size_t count)
{
    const struct draw_row *row = finding->draws[count].row;
    size_t s = 0;
    while (s < count && (finding_has_alpha_test(finding->draws[s].row) ||
                         strcmp(finding->draws[s].row->fragment_program, row->fragment_program)))
        s++;
    return s == count && !finding_has_alpha_test(row);
}

/* Adds the option once per row of copies. */
static void
put_copies(const struct finding *finding, FILE *out)
{
    for (size_t i = 0; i < finding->draw_count; i++)
        fprintf(out, " --drop-copy %u:%u", finding->draws[i].row->frame,
                finding->draws[i].row->draw);
}

static void
put_clears(const struct finding *finding, FILE *out)
{
    bool repeated = false;
    for (size_t i = 0; i < finding->draw_count; i++) {
        repeated |= !finding->draws[i].unneeded;
        if (finding->draws[i].unneeded)
            fprintf(out, " --drop-clear %u:%u", finding->draws[i].row->frame,
                    finding->draws[i].row->draw);
    }
    if (repeated)
        fputs(" --no-repeated-clears", out);
}

static int
compare_rows(const void *a, const void *b)
{
    const struct finding_draw *first = a, *second = b;
    return first->row->row < second->row->row ? -1 : first->row->row > second->row->row;
}

/* Adds the option once per sequence of draws. `with`: NULL, or only draws for which it holds. */
static void
put_draws(const struct finding *finding, const char *option,
          bool (*with)(const struct draw_row *row), FILE *out)
{
    struct finding_draw *draws = mem_array(finding->draw_count, sizeof *draws);
    size_t count = 0;
    for (size_t i = 0; i < finding->draw_count; i++)
        if (!with || with(finding->draws[i].row))
            draws[count++] = finding->draws[i];
    qsort(draws, count, sizeof *draws, compare_rows);
    for (size_t i = 0, next; i < count; i = next) {
        const struct draw_row *first = draws[i].row;
        for (next = i + 1; next < count && draws[next].row->frame == first->frame &&
                           draws[next].row->draw == first->draw + (next - i);)
            next++;
        fprintf(out, " %s %u:%u", option, first->frame, first->draw);
        if (next > i + 1)
            fprintf(out, "-%u", draws[next - 1].row->draw);
    }
    free(draws);
}

/* Leaves the alpha test out. For the other draws, the user supplies programs without `discard` or a
 * depth output. */
static void
put_early_tests(const struct finding *finding, FILE *out)
{
    for (size_t i = 0; i < finding->draw_count; i++)
        if (is_first_of_program(finding, i))
            fprintf(out, " --replace-program %s=FILE", finding->draws[i].row->fragment_program);
    put_draws(finding, "--no-alpha-test", finding_has_alpha_test, out);
}

/* Prints the option that selects the frames. The numbers are those of the run. */
static void
put_frames(const struct frame_set *frames, FILE *out)
{
    for (uint32_t i = 0; frames && i < frames->count; i++) {
        const uint32_t first = frames->ranges[i].first, last = frames->ranges[i].last;
        fprintf(out, "%s%u", i ? "," : " --frames ", first);
        if (last > first)
            fprintf(out, "-%u", last);
    }
}

static char *
make_command(const struct finding *finding, const char *dir, const struct frame_set *frames)
{
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    fprintf(out, "whatif %s", dir);
    put_frames(frames, out);
    switch (finding->number) {
    case FINDING_back_to_front: fputs(" --front-to-back", out); break;
    case FINDING_late_z: put_early_tests(finding, out); break;
    case FINDING_mipmaps: put_textures(finding, "--mipmaps", true, out); break;
    case FINDING_uncompressed: put_textures(finding, "--compress", false, out); break;
    case FINDING_tiny_draws: fputs(" --merge-draws", out); break;
    case FINDING_index_order: fputs(" --index-order", out); break;
    case FINDING_erased_draws: put_draws(finding, "--drop", NULL, out); break;
    case FINDING_uploads: fputs(" --early-uploads", out); break;
    case FINDING_repeated_uploads: fputs(" --no-repeated-uploads", out); break;
    case FINDING_repeated_clears: put_clears(finding, out); break;
    case FINDING_repeated_copies: fputs(" --no-repeated-copies", out); break;
    case FINDING_unused_copies: put_copies(finding, out); break;
    default: fputs(" --no-readbacks", out); break;
    }
    return memory_text_take(&text);
}

void
findings_make(struct findings *findings, const struct draws *draws, const struct params *params,
              const struct frame_set *frames)
{
    memset(findings, 0, sizeof *findings);
    findings->cycles = draws->total.cycles;
    for (uint32_t n = 0; n < FINDINGS; n++) {
        struct finding_list list;
        struct finding *finding = &findings->items[findings->count];
        double cycles = 0;
        finding_list_init(&list, draws, params);
        rules[n](&list);
        for (size_t i = 0; i < list.found.count; i++)
            cycles += list.found.items[i].cycles;
        if (!(cycles >= FINDING_LEAST * findings->cycles)) {
            VEC_FREE(&list.found);
            continue;
        }
        qsort(list.found.items, list.found.count, sizeof *list.found.items, compare_draws);
        *finding = (struct finding){(enum finding_number)n, cycles, list.found.items,
                                    list.found.count, NULL};
        finding->command = make_command(finding, draws->dir, frames);
        findings->count++;
    }
    qsort(findings->items, findings->count, sizeof *findings->items, compare_findings);
}

void
findings_fini(struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        free(findings->items[i].draws);
        free(findings->items[i].command);
    }
    findings->count = 0;
}

static double
share_of(const struct findings *findings, const struct finding *finding)
{
    return findings->cycles > 0 ? finding->cycles / findings->cycles : 0;
}

/* Writes "draws 1:0, 1:1 and 3 more". */
static char *
list_draws(const struct finding *finding)
{
    const size_t shown = finding->draw_count < DRAWS_SHOWN ? finding->draw_count : DRAWS_SHOWN;
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    fprintf(out, "draw%s", plural(finding->draw_count));
    for (size_t i = 0; i < shown; i++)
        fprintf(out, "%s %u:%u", i ? "," : "", finding->draws[i].row->frame,
                finding->draws[i].row->draw);
    if (finding->draw_count > shown)
        fprintf(out, " and %zu more", finding->draw_count - shown);
    return memory_text_take(&text);
}

void
findings_print(const struct findings *findings, FILE *out)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        const struct finding_info *info = &finding_infos[finding->number];
        char *draws = list_draws(finding);
        print_wrapped(out, line_width(out), 0, 2,
                      "found %s: %s; %.1f %% fewer cycles are predicted without them; %s",
                      info->name, info->what, 100 * share_of(findings, finding), draws);
        print_wrapped(out, line_width(out), 2, 4, "advice: %s", info->advice);
        print_shown(out, "  simulate: aetius %s\n", finding->command);
        free(draws);
    }
}

cJSON *
findings_json(const struct findings *findings)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        const struct finding_info *info = &finding_infos[finding->number];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", info->name);
        cJSON_AddStringToObject(object, "what", info->what);
        cJSON_AddItemToObject(object, "cycles", json_number(finding->cycles));
        cJSON_AddItemToObject(object, "expected_gain", json_number(share_of(findings, finding)));
        cJSON_AddStringToObject(object, "advice", info->advice);
        cJSON_AddStringToObject(object, "command", finding->command);
        cJSON *draws = cJSON_AddArrayToObject(object, "draws");
        for (size_t d = 0; d < finding->draw_count; d++) {
            char name[32];
            snprintf(name, sizeof name, "%u:%u", finding->draws[d].row->frame,
                     finding->draws[d].row->draw);
            cJSON_AddItemToArray(draws, cJSON_CreateString(name));
        }
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

void
findings_csv(const struct findings *findings, const char *lead, FILE *out)
{
    struct text_table table = {0};
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        const struct finding_info *info = &finding_infos[finding->number];
        text_table_cell(&table, "%s", lead);
        text_table_cell(&table, "found.%s", info->name);
        text_table_cell(&table, "%s", "");
        text_table_cell(&table, "%.12g", finding->cycles);
        text_table_cell(&table, "%.12g", share_of(findings, finding));
        text_table_cell(&table, "cycles");
        text_table_cell(&table, "%s", "");
        text_table_cell(&table, "%s", info->what);
        text_table_end_row(&table);
    }
    text_table_put(&table, TEXT_TABLE_CSV, out);
}
