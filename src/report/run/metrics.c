#include "report/run/metrics.h"

#include "base/handles.h"
#include "base/hash.h"
#include "base/mem.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct metric metrics[] = {
#define METRIC(name, unit, formula, doc) {#name, unit, formula, doc},
#include "report/run/metrics.def"
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

enum { MOST_STACK = 128 }; /* deeper formulas are rejected */

struct formula_op {
    enum {
        FORMULA_NUMBER,
        FORMULA_VALUE,
        FORMULA_ADD,
        FORMULA_SUBTRACT,
        FORMULA_MULTIPLY,
        FORMULA_DIVIDE,
        FORMULA_MAX
    } kind;
    uint32_t index;
    double number;
};

struct formula_parser {
    const char *text, *at;
    struct formula *formula;
    formula_resolve_fn *resolve;
    void *data;
    struct error *err;
    uint32_t nesting;
    uint32_t stack; /* stack depth after the last operation */
};

static bool
emit(struct formula_parser *parser, struct formula_op op)
{
    const bool pushes = op.kind == FORMULA_NUMBER || op.kind == FORMULA_VALUE;
    parser->stack += pushes ? 1 : -1u;
    VEC_PUSH(parser->formula, op);
    return parser->stack <= MOST_STACK ||
           fail(parser->err, "formula '%s': nested too deeply", parser->text);
}

static void
skip_space(struct formula_parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

static bool
expected(struct formula_parser *parser, const char *what)
{
    return fail(parser->err, "formula '%s': expected %s at '%s'", parser->text, what, parser->at);
}

static bool
parse_name(struct formula_parser *parser)
{
    char name[128];
    size_t n = 0;
    int32_t index = -1;
    double number = 0;
    while (isalnum((unsigned char)parser->at[n]) ||
           (parser->at[n] && strchr("_.[]", parser->at[n])))
        n++;
    if (n == 0 || n >= sizeof name)
        return expected(parser, "a number, a name or '('");
    memcpy(name, parser->at, n);
    name[n] = '\0';
    parser->at += n;
    if (!parser->resolve(parser->data, name, &index, &number))
        return fail(parser->err, "formula '%s': unknown name %s", parser->text, name);
    return emit(parser, index < 0
                            ? (struct formula_op){.kind = FORMULA_NUMBER, .number = number}
                            : (struct formula_op){.kind = FORMULA_VALUE, .index = (uint32_t)index});
}

static bool parse_sum(struct formula_parser *parser);

/* Parses the arguments of "max(". The result has no value if an argument has no value. */
static bool
parse_max(struct formula_parser *parser)
{
    if (!parse_sum(parser))
        return false;
    while (*parser->at == ',') {
        parser->at++;
        if (!parse_sum(parser) || !emit(parser, (struct formula_op){.kind = FORMULA_MAX}))
            return false;
    }
    if (*parser->at != ')')
        return expected(parser, "')'");
    parser->at++;
    return true;
}

static bool
parse_number(struct formula_parser *parser)
{
    char *end;
    const double number = strtod(parser->at, &end);
    parser->at = end;
    return emit(parser, (struct formula_op){.kind = FORMULA_NUMBER, .number = number});
}

static bool
parse_factor(struct formula_parser *parser)
{
    bool ok;
    skip_space(parser);
    if (++parser->nesting > 64)
        return fail(parser->err, "formula '%s': nested too deeply", parser->text);
    if (*parser->at == '-') {
        parser->at++;
        ok = emit(parser, (struct formula_op){.kind = FORMULA_NUMBER}) && parse_factor(parser) &&
             emit(parser, (struct formula_op){.kind = FORMULA_SUBTRACT});
    } else if (*parser->at == '(') {
        parser->at++;
        ok = parse_sum(parser);
        if (ok && *parser->at != ')')
            return expected(parser, "')'");
        parser->at += ok;
    } else if (!strncmp(parser->at, "max(", 4)) {
        parser->at += 4;
        ok = parse_max(parser);
    } else if (isdigit((unsigned char)*parser->at)) {
        ok = parse_number(parser);
    } else {
        ok = parse_name(parser);
    }
    parser->nesting--;
    skip_space(parser);
    return ok;
}

static bool
parse_product(struct formula_parser *parser)
{
    if (!parse_factor(parser))
        return false;
    while (*parser->at == '*' || *parser->at == '/') {
        const char op = *parser->at++;
        if (!parse_factor(parser) ||
            !emit(parser,
                  (struct formula_op){.kind = op == '*' ? FORMULA_MULTIPLY : FORMULA_DIVIDE}))
            return false;
    }
    return true;
}

static bool
parse_sum(struct formula_parser *parser)
{
    if (!parse_product(parser))
        return false;
    while (*parser->at == '+' || *parser->at == '-') {
        const char op = *parser->at++;
        if (!parse_product(parser) ||
            !emit(parser, (struct formula_op){.kind = op == '+' ? FORMULA_ADD : FORMULA_SUBTRACT}))
            return false;
    }
    return true;
}

bool
formula_compile(struct formula *formula, const char *text, formula_resolve_fn *resolve, void *data,
                struct error *err)
{
    struct formula_parser parser = {
        .text = text, .at = text, .formula = formula, .resolve = resolve, .data = data, .err = err};
    memset(formula, 0, sizeof *formula);
    if (parse_sum(&parser) && (!*parser.at || expected(&parser, "an operator")))
        return true;
    formula_fini(formula);
    return false;
}

static double
operate(const struct formula_op *op, double left, double right)
{
    switch (op->kind) {
    case FORMULA_ADD: return left + right;
    case FORMULA_SUBTRACT: return left - right;
    case FORMULA_MULTIPLY: return left * right;
    case FORMULA_DIVIDE: return right == 0 ? (double)NAN : left / right;
    default: return isnan(right) || right > left ? right : left;
    }
}

double
formula_run(const struct formula *formula, const double *values)
{
    double stack[MOST_STACK] = {0};
    uint32_t top = 0;
    for (size_t i = 0; i < formula->count; i++) {
        const struct formula_op *op = &formula->items[i];
        if (op->kind == FORMULA_NUMBER || op->kind == FORMULA_VALUE) {
            stack[top++] = op->kind == FORMULA_NUMBER ? op->number : values[op->index];
            continue;
        }
        top--;
        stack[top - 1] = operate(op, stack[top - 1], stack[top]);
    }
    return stack[0];
}

void
formula_fini(struct formula *formula)
{
    VEC_FREE(formula);
}

struct lookup {
    formula_lookup_fn *look_up;
    void *data;
};

static bool
resolve_now(void *data, const char *name, int32_t *index, double *number)
{
    const struct lookup *lookup = data;
    *index = -1;
    return lookup->look_up(lookup->data, name, number);
}

bool
formula_evaluate(const char *text, formula_lookup_fn *look_up, void *data, double *value,
                 struct error *err)
{
    struct lookup lookup = {look_up, data};
    struct formula formula;
    *value = 0;
    if (!formula_compile(&formula, text, resolve_now, &lookup, err))
        return false;
    *value = formula_run(&formula, NULL);
    formula_fini(&formula);
    return true;
}

bool
param_number(const struct params *params, const char *name, double *value)
{
    char section[64], text[PARAM_TEXT_BYTES];
    const char *dot = strchr(name, '.');
    if (!params || !dot || (size_t)(dot - name) >= sizeof section)
        return false;
    snprintf(section, sizeof section, "%.*s", (int)(dot - name), name);
    const struct param_info *info = param_find(section, dot + 1);
    if (!info || (info->type != PARAM_UINT && info->type != PARAM_POW2 && info->type != PARAM_BOOL))
        return false;
    param_format(info, params, text, sizeof text);
    *value = info->type == PARAM_BOOL ? !strcmp(text, "TRUE") : strtod(text, NULL);
    return true;
}

/* Names and families, found by a hash. */
struct totals_index {
    struct handle_map by_hash; /* from a name's hash to a list of struct total */
    size_t count;
    struct total {
        struct total *next;
        char name[96];
        double sum;
    } entries[];
};

static uint32_t
hash_name(const char *name)
{
    return (uint32_t)hash_bytes(HASH_START, name, strlen(name));
}

/* Returns NULL if the index lacks the name. */
static struct total *
index_entry(const struct totals_index *index, const char *name)
{
    struct total *total = handle_map_get(&index->by_hash, hash_name(name));
    while (total && strcmp(total->name, name) != 0)
        total = total->next;
    return total;
}

static void
index_add(struct totals_index *index, const char *name, double value)
{
    struct total *total = index_entry(index, name);
    if (!total) {
        const uint32_t hash = hash_name(name);
        total = &index->entries[index->count++];
        BUG_ON(strlen(name) >= sizeof total->name, "a name of %zu characters is too long",
               strlen(name));
        snprintf(total->name, sizeof total->name, "%s", name);
        total->next = handle_map_get(&index->by_hash, hash);
        handle_map_put(&index->by_hash, hash, total);
    }
    total->sum += value;
}

void
totals_index_destroy(struct totals_index *index)
{
    if (index)
        handle_map_fini(&index->by_hash);
    free(index);
}

struct totals_index *
totals_index_names(const struct totals *totals)
{
    /* at most a name and a family for each total */
    struct totals_index *index =
        mem_alloc(sizeof *index + 2 * totals->count * sizeof index->entries[0]);
    for (size_t i = 0; i < totals->count; i++) {
        const char *name = totals->names[i], *bracket = strchr(name, '[');
        const char *rest = bracket ? strchr(bracket, ']') : NULL;
        index_add(index, name, totals->values[i]);
        if (rest) { /* an instance: added to its family */
            char family[sizeof index->entries[0].name];
            snprintf(family, sizeof family, "%.*s%s", (int)(bracket - name), name, rest + 1);
            index_add(index, family, totals->values[i]);
        }
    }
    return index;
}

/* Sums the entries with this name or family. Returns false if no entry matches. */
static bool
sum_of(const struct totals *totals, const char *name, double *sum)
{
    *sum = 0;
    if (totals->index) {
        const struct total *total = index_entry(totals->index, name);
        *sum = total ? total->sum : 0;
        return total != NULL;
    }
    bool found = false;
    for (size_t i = 0; i < totals->count; i++)
        if (totals->names[i][0] == name[0] && /* most names differ in it */
            (!strcmp(totals->names[i], name) || stat_is_instance(totals->names[i], name))) {
            *sum += totals->values[i];
            found = true;
        }
    return found;
}

bool
totals_lookup(void *data, const char *name, double *value)
{
    const struct totals *totals = data;
    if (sum_of(totals, name, value))
        return true;
    const struct metric *metric = metric_find(name);
    if (metric) {
        *value = metric_value(metric, totals);
        return true;
    }
    return param_number(totals->params, name, value);
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
