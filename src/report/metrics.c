#include "report/metrics.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct metric metrics[] = {
#define METRIC(name, unit, formula, doc) {#name, unit, formula, doc},
#include "report/metrics.def"
};

const struct metric *
metrics_all(size_t *count)
{
    *count = sizeof metrics / sizeof metrics[0];
    return metrics;
}

const struct metric *
metric_find(const char *name)
{
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
        if (!strcmp(metrics[i].name, name))
            return &metrics[i];
    return NULL;
}

struct parser {
    const char *formula, *at;
    formula_lookup_fn *lookup;
    void *data;
    struct error *err;
    uint32_t nesting;
};

static void
skip_space(struct parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

static bool
expected(struct parser *parser, const char *what)
{
    return fail(parser->err, "formula '%s': expected %s at '%s'", parser->formula, what,
                parser->at);
}

static bool
parse_name(struct parser *parser, double *value)
{
    char name[128];
    size_t n = 0;
    while (isalnum((unsigned char)parser->at[n]) ||
           (parser->at[n] && strchr("_.[]", parser->at[n])))
        n++;
    if (n == 0 || n >= sizeof name)
        return expected(parser, "a number, a name or '('");
    memcpy(name, parser->at, n);
    name[n] = '\0';
    parser->at += n;
    if (!parser->lookup(parser->data, name, value))
        return fail(parser->err, "formula '%s': there is no %s", parser->formula, name);
    return true;
}

static bool parse_sum(struct parser *parser, double *value);

/* What stands behind "max(": the largest of several sums; one without a value leaves none. */
static bool
parse_max(struct parser *parser, double *value)
{
    if (!parse_sum(parser, value))
        return false;
    while (*parser->at == ',') {
        double other;
        parser->at++;
        if (!parse_sum(parser, &other))
            return false;
        if (isnan(other) || other > *value)
            *value = other;
    }
    if (*parser->at != ')')
        return expected(parser, "')'");
    parser->at++;
    return true;
}

static bool
parse_factor(struct parser *parser, double *value)
{
    bool ok;
    skip_space(parser);
    if (++parser->nesting > 64)
        return fail(parser->err, "formula '%s': nested too deep", parser->formula);
    if (*parser->at == '-') {
        parser->at++;
        ok = parse_factor(parser, value);
        *value = -*value;
    } else if (*parser->at == '(') {
        parser->at++;
        ok = parse_sum(parser, value);
        if (ok && *parser->at != ')')
            return expected(parser, "')'");
        parser->at += ok;
    } else if (!strncmp(parser->at, "max(", 4)) {
        parser->at += 4;
        ok = parse_max(parser, value);
    } else if (isdigit((unsigned char)*parser->at)) {
        char *end;
        *value = strtod(parser->at, &end);
        parser->at = end;
        ok = true;
    } else {
        ok = parse_name(parser, value);
    }
    parser->nesting--;
    skip_space(parser);
    return ok;
}

static bool
parse_product(struct parser *parser, double *value)
{
    if (!parse_factor(parser, value))
        return false;
    while (*parser->at == '*' || *parser->at == '/') {
        double right = 0;
        char op = *parser->at++;
        if (!parse_factor(parser, &right))
            return false;
        *value = op == '*' ? *value * right : right == 0 ? (double)NAN : *value / right;
    }
    return true;
}

static bool
parse_sum(struct parser *parser, double *value)
{
    if (!parse_product(parser, value))
        return false;
    while (*parser->at == '+' || *parser->at == '-') {
        double right = 0;
        char op = *parser->at++;
        if (!parse_product(parser, &right))
            return false;
        *value = op == '+' ? *value + right : *value - right;
    }
    return true;
}

bool
formula_evaluate(const char *formula, formula_lookup_fn *lookup, void *data, double *value,
                 struct error *err)
{
    struct parser parser = {
        .formula = formula, .at = formula, .lookup = lookup, .data = data, .err = err};
    *value = 0;
    return parse_sum(&parser, value) && (!*parser.at || expected(&parser, "an operator"));
}

static bool
param_lookup(const struct params *params, const char *name, double *value)
{
    char section[64], text[PARAM_TEXT_BYTES];
    const char *dot = strchr(name, '.');
    if (!params || !dot || (size_t)(dot - name) >= sizeof section)
        return false;
    snprintf(section, sizeof section, "%.*s", (int)(dot - name), name);
    const struct param_info *info = param_find(section, dot + 1);
    if (!info || (info->kind != PARAM_UINT && info->kind != PARAM_POW2 && info->kind != PARAM_BOOL))
        return false;
    param_format(info, params, text, sizeof text);
    *value = info->kind == PARAM_BOOL ? !strcmp(text, "TRUE") : strtod(text, NULL);
    return true;
}

bool
totals_lookup(void *data, const char *name, double *value)
{
    const struct totals *totals = data;
    bool found = false;
    *value = 0;
    for (size_t i = 0; i < totals->count; i++)
        if (!strcmp(totals->names[i], name) || stat_is_instance(totals->names[i], name)) {
            *value += totals->values[i];
            found = true;
        }
    const struct metric *metric = found ? NULL : metric_find(name);
    if (metric)
        *value = metric_value(metric, totals);
    return found || metric || param_lookup(totals->params, name, value);
}

double
metric_value(const struct metric *metric, const struct totals *totals)
{
    double value;
    struct totals copy = *totals;
    if (!formula_evaluate(metric->formula, totals_lookup, &copy, &value, NULL))
        return (double)NAN;
    return value;
}
