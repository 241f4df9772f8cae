/* What a gate found, for people, for pull requests (Markdown), for test reports (JUnit), as JSON.
 */
#include "base/log.h"
#include "report/compare/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS_SHOWN = 10 };

static bool
is_shown(const struct gate_check *check)
{
    return !*check->where || check->exceeded;
}

static void
growth_text(const struct gate_check *check, double growth, char *text, size_t size)
{
    if (isinf(growth))
        snprintf(text, size, "from nothing");
    else if (check->limit->is_percent)
        snprintf(text, size, "%+.2f %%", growth);
    else
        snprintf(text, size, "%+.10g", growth);
}

static void
limit_text(const struct gate_limit *limit, char *text, size_t size)
{
    snprintf(text, size, "%.10g%s", limit->limit, limit->is_percent ? " %" : "");
}

static uint32_t
count_draw_checks(const struct gate *gate)
{
    uint32_t count = 0;
    for (size_t i = 0; i < gate->checks.count; i++)
        count += *gate->checks.items[i].where != '\0';
    return count;
}

void
gate_print(const struct gate *gate, FILE *out)
{
    fprintf(out, "gate: %s\n", gate->exceeded ? "EXCEEDED" : "held");
    for (size_t i = 0; i < gate->checks.count; i++) {
        const struct gate_check *check = &gate->checks.items[i];
        char growth[40], limit[40];
        if (!is_shown(check))
            continue;
        growth_text(check, check->growth, growth, sizeof growth);
        limit_text(check->limit, limit, sizeof limit);
        print_shown(out, "  %-8s %-28s %14.10g -> %-14.10g %s, may %s%s%s%s%s\n",
                    check->exceeded ? "EXCEEDED" : "held", check->limit->name, check->a, check->b,
                    growth, limit, *check->where ? "  draw " : "", check->where,
                    *check->label ? " " : "", check->label);
    }
    const uint32_t draws = count_draw_checks(gate);
    if (draws)
        fprintf(out, "  %u figures of draws looked at\n", draws);
}

/* A program's own words into a cell of Markdown: as text, whatever means something there. */
static void
put_markdown(const char *text, FILE *out)
{
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
}

static void
print_pair(const struct draws_pair *pair, FILE *out)
{
    const struct draw_row *row = pair->b ? pair->b : pair->a;
    char *difference = draws_pair_difference(pair), *label = draw_row_label(row);
    fprintf(out, "| %u:%u | %s%s | %.0f | %.0f | `%.8s` `%.8s` | ", row->frame, row->draw,
            !pair->a   ? "new"
            : !pair->b ? "gone"
                       : "other ",
            difference, pair->a ? pair->a->cost.cycles : 0, pair->b ? pair->b->cost.cycles : 0,
            row->vertex_program, row->fragment_program);
    put_markdown(label, out);
    fputs(" |\n", out);
    free(label);
    free(difference);
}

/* How many draws are what they were, and the first of those that are not. */
static void
print_join(const struct draws_join *join, FILE *out)
{
    static const char head[] = "\n| draw | | before | now | programs | label |\n"
                               "|---|---|---:|---:|---|---|\n";
    uint32_t shown = 0;
    fprintf(out, "\nDraws: %u before, %u now; %u the same, %u changed, %u new, %u gone.\n",
            join->draws_a, join->draws_b, join->same_hash, join->changed, join->only_b,
            join->only_a);
    for (size_t i = 0; i < join->pairs.count && shown < DRAWS_SHOWN; i++) {
        const struct draws_pair *pair = &join->pairs.items[i];
        if (pair->a && pair->b && !strcmp(pair->a->hash, pair->b->hash))
            continue;
        if (!shown++)
            fputs(head, out);
        print_pair(pair, out);
    }
}

void
gate_print_markdown(const struct gate *gate, const struct run_comparison *runs,
                    const struct draws_join *join, FILE *out)
{
    fprintf(out, "### Aetius: %s\n\n| | figure | before | now | change | may | |\n",
            gate->exceeded ? "a limit is exceeded" : "within the limits");
    fprintf(out, "|---|---|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < gate->checks.count; i++) {
        const struct gate_check *check = &gate->checks.items[i];
        char growth[40], limit[40];
        if (!is_shown(check))
            continue;
        growth_text(check, check->growth, growth, sizeof growth);
        limit_text(check->limit, limit, sizeof limit);
        fprintf(out, "| %s | `%s` | %.10g | %.10g | %s | %s | %s%s%s",
                check->exceeded ? "**exceeded**" : "held", check->limit->name, check->a, check->b,
                growth, limit, *check->where ? "draw " : "", check->where,
                *check->label ? " " : "");
        put_markdown(check->label, out);
        fputs(" |\n", out);
    }
    if (runs->machine_count)
        fprintf(out, "\nThe machines differ in %zu parameters.\n", runs->machine_count);
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
gate_print_junit(const struct gate *gate, FILE *out)
{
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites>\n<testsuite name=\"aetius\" tests=\"%zu\" failures=\"%u\">\n",
            gate->checks.count, gate->exceeded);
    for (size_t i = 0; i < gate->checks.count; i++) {
        const struct gate_check *check = &gate->checks.items[i];
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
            fprintf(out, "\"><failure message=\"%.10g -&gt; %.10g, %s, may %s\"/></testcase>\n",
                    check->a, check->b, growth, limit);
        else
            fprintf(out, "\"/>\n");
    }
    fprintf(out, "</testsuite>\n</testsuites>\n");
}

void
gate_print_failure(const char *why, bool markdown, FILE *out)
{
    if (markdown) {
        fputs("### Aetius: cannot compare\n\n", out);
        put_markdown(why, out);
        fputc('\n', out);
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
gate_json(const struct gate *gate)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddBoolToObject(root, "exceeded", gate->exceeded > 0);
    cJSON *list = cJSON_AddArrayToObject(root, "checks");
    for (size_t i = 0; i < gate->checks.count; i++) {
        const struct gate_check *check = &gate->checks.items[i];
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
