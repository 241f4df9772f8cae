/* Prints the results of limits: as text, as Markdown for pull requests, as JUnit's XML for test
 * reports, and as JSON. */
#include "base/plural.h"
#include "base/text_table.h"
#include "base/memory_text.h"
#include "report/compare/regression_limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS_SHOWN = 10 };

static bool
is_shown(const struct regression_check *check)
{
    return !*check->where || check->exceeded;
}

static void
growth_text(const struct regression_check *check, double growth, char *text, size_t size)
{
    if (isinf(growth))
        snprintf(text, size, "from 0");
    else if (check->limit->is_percent)
        snprintf(text, size, "%+.2f %%", growth);
    else
        snprintf(text, size, "%+.10g", growth);
}

static void
limit_text(const struct regression_limit *limit, char *text, size_t size)
{
    snprintf(text, size, "%.10g%s", limit->limit, limit->is_percent ? " %" : "");
}

static uint32_t
count_draw_checks(const struct regression_limits *regression)
{
    uint32_t count = 0;
    for (size_t i = 0; i < regression->checks.count; i++)
        count += *regression->checks.items[i].where != '\0';
    return count;
}

void
regression_limits_print(const struct regression_limits *regression, FILE *out)
{
    struct text_table table = {0};
    for (size_t i = 0; i < regression->checks.count; i++) {
        const struct regression_check *check = &regression->checks.items[i];
        char growth[40], limit[40];
        if (!is_shown(check))
            continue;
        growth_text(check, check->growth, growth, sizeof growth);
        limit_text(check->limit, limit, sizeof limit);
        text_table_left(&table, "%s", check->exceeded ? "EXCEEDED" : "held");
        text_table_left(&table, "%s", check->limit->name);
        text_table_cell(&table, "%.10g", check->a);
        text_table_left(&table, "-> %.10g", check->b);
        text_table_left(&table, "%s, limit %s%s%s%s%s", growth, limit,
                        *check->where ? "  draw " : "", check->where, *check->label ? " " : "",
                        check->label);
        text_table_end_row(&table);
    }
    const uint32_t draws = count_draw_checks(regression);
    if (draws)
        text_table_line(&table, "  %u value%s of draws checked", draws, plural(draws));
    text_table_line(&table, "gate: %s", regression->exceeded ? "EXCEEDED" : "held");
    text_table_put(&table, TEXT_TABLE_TEXT, out);
}

/* Escapes a program's text for a Markdown cell. The caller frees the text. */
static char *
markdown_of(const char *text)
{
    struct memory_text markdown;
    FILE *out = memory_text_open(&markdown);
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '\n':
        case '\r': fputc(' ', out); break;
        default:
            if (strchr("\\`*_{}[]()#+-!|~", *text))
                fputc('\\', out);
            fputc(*text, out);
        }
    return memory_text_take(&markdown);
}

static void
put_pair(struct text_table *table, const struct draws_pair *pair)
{
    const struct draw_row *row = pair->b ? pair->b : pair->a;
    char *difference = draws_pair_difference(pair), *label = draw_row_label(row);
    char *markdown = markdown_of(label);
    text_table_cell(table, "%u:%u", row->frame, row->draw);
    text_table_left(table, "%s%s", !pair->a ? "new" : !pair->b ? "gone" : "other ", difference);
    text_table_cell(table, "%.0f", pair->a ? pair->a->cost.cycles : 0);
    text_table_cell(table, "%.0f", pair->b ? pair->b->cost.cycles : 0);
    text_table_left(table, "`%.8s` `%.8s`", row->vertex_program, row->fragment_program);
    text_table_left(table, "%s", markdown);
    text_table_end_row(table);
    free(markdown);
    free(label);
    free(difference);
}

/* Prints the number of unchanged draws, and the first changed ones. */
static void
print_join(const struct draws_join *join, FILE *out)
{
    struct text_table table = {0};
    fprintf(out, "\nDraws: %u before, %u now; %u the same, %u changed, %u new, %u gone.\n",
            join->draws_a, join->draws_b, join->same_hash, join->changed, join->only_b,
            join->only_a);
    text_table_cells(&table, "draw||before|now|programs|label");
    text_table_end_row(&table);
    for (size_t i = 0; i < join->pairs.count && text_table_rows(&table) <= DRAWS_SHOWN; i++) {
        const struct draws_pair *pair = &join->pairs.items[i];
        if (!pair->a || !pair->b || strcmp(pair->a->hash, pair->b->hash) != 0)
            put_pair(&table, pair);
    }
    if (text_table_rows(&table) > 1) {
        fputc('\n', out);
        text_table_write(&table, TEXT_TABLE_MARKDOWN, out);
    }
    text_table_fini(&table);
}

void
regression_limits_print_markdown(const struct regression_limits *regression,
                                 const struct run_comparison *runs, const struct draws_join *join,
                                 FILE *out)
{
    struct text_table table = {0};
    fprintf(out, "### Aetius: %s\n\n",
            regression->exceeded ? "a limit is exceeded" : "within the limits");
    text_table_cells(&table, "|figure|before|now|change|may|");
    text_table_end_row(&table);
    for (size_t i = 0; i < regression->checks.count; i++) {
        const struct regression_check *check = &regression->checks.items[i];
        char growth[40], limit[40];
        if (!is_shown(check))
            continue;
        char *label = markdown_of(check->label);
        growth_text(check, check->growth, growth, sizeof growth);
        limit_text(check->limit, limit, sizeof limit);
        text_table_left(&table, "%s", check->exceeded ? "**exceeded**" : "held");
        text_table_left(&table, "`%s`", check->limit->name);
        text_table_cell(&table, "%.10g", check->a);
        text_table_cell(&table, "%.10g", check->b);
        text_table_cell(&table, "%s", growth);
        text_table_cell(&table, "%s", limit);
        text_table_left(&table, "%s%s%s%s", *check->where ? "draw " : "", check->where,
                        *check->label ? " " : "", label);
        text_table_end_row(&table);
        free(label);
    }
    text_table_put(&table, TEXT_TABLE_MARKDOWN, out);
    if (runs->machine_count)
        fprintf(out, "\nThe machines differ in %zu parameter%s.\n", runs->machine_count,
                plural(runs->machine_count));
    if (join)
        print_join(join, out);
}

static void
put_xml(const char *text, FILE *out)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
        }
}

void
regression_limits_print_junit(const struct regression_limits *regression, FILE *out)
{
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites>\n<testsuite name=\"aetius\" tests=\"%zu\" failures=\"%u\">\n",
            regression->checks.count, regression->exceeded);
    for (size_t i = 0; i < regression->checks.count; i++) {
        const struct regression_check *check = &regression->checks.items[i];
        char growth[40], limit[40];
        growth_text(check, check->growth, growth, sizeof growth);
        limit_text(check->limit, limit, sizeof limit);
        fprintf(out, "<testcase classname=\"");
        put_xml(*check->where ? "draw" : "run", out);
        fprintf(out, "\" name=\"");
        put_xml(check->limit->name, out);
        fprintf(out, "%s", *check->where ? " " : "");
        put_xml(check->where, out);
        fprintf(out, "%s", *check->label ? " " : "");
        put_xml(check->label, out);
        if (check->exceeded)
            fprintf(out, "\"><failure message=\"%.10g -&gt; %.10g, %s, limit %s\"/></testcase>\n",
                    check->a, check->b, growth, limit);
        else
            fprintf(out, "\"/>\n");
    }
    fprintf(out, "</testsuite>\n</testsuites>\n");
}

void
regression_limits_print_failure(const char *why, bool markdown, FILE *out)
{
    if (markdown) {
        fputs("### Aetius: cannot compare\n\n", out);
        char *text = markdown_of(why);
        fprintf(out, "%s\n", text);
        free(text);
        return;
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<testsuites>\n<testsuite name=\"aetius\" tests=\"1\" errors=\"1\">\n"
          "<testcase classname=\"run\" name=\"comparison\"><error message=\"",
          out);
    put_xml(why, out);
    fputs("\"/></testcase>\n</testsuite>\n</testsuites>\n", out);
}

cJSON *
regression_limits_json(const struct regression_limits *regression)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddBoolToObject(root, "exceeded", regression->exceeded > 0);
    cJSON *list = cJSON_AddArrayToObject(root, "checks");
    for (size_t i = 0; i < regression->checks.count; i++) {
        const struct regression_check *check = &regression->checks.items[i];
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "name", check->limit->name);
        if (*check->where)
            cJSON_AddStringToObject(o, "draw", check->where);
        if (*check->label)
            cJSON_AddStringToObject(o, "label", check->label);
        cJSON_AddNumberToObject(o, "a", check->a);
        cJSON_AddNumberToObject(o, "b", check->b);
        if (isinf(check->growth))
            cJSON_AddNullToObject(o, "growth");
        else
            cJSON_AddNumberToObject(o, "growth", check->growth);
        cJSON_AddNumberToObject(o, "limit", check->limit->limit);
        cJSON_AddBoolToObject(o, "percent", check->limit->is_percent);
        cJSON_AddBoolToObject(o, "exceeded", check->exceeded);
        cJSON_AddItemToArray(list, o);
    }
    return root;
}
