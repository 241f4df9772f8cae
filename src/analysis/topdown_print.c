#include "analysis/topdown_print.h"

#include "base/json.h"
#include "base/mem.h"
#include "base/text_table.h"
#include "base/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* OTHER_WIDTH: largest width of a line without its bar (name, value, share, and mark). */
enum { MOST_WIDTH = 160, OTHER_WIDTH = 62 };

struct topdown_style
topdown_style_of(FILE *out)
{
    const uint32_t width = line_width(out);
    return (struct topdown_style){.width = width == LINE_WITHOUT_END ? 80 : width,
                                  .has_color = has_color(out),
                                  .level = TOPDOWN_LEVELS};
}

/* Adds the bar of a share, followed by the mark of the verdict. */
static void
put_bar(struct text_table *table, double share, uint32_t width, bool is_verdict)
{
    char bar[MOST_WIDTH + 1];
    const size_t length = (size_t)lround(fmin(fmax(share, 0), 1) * width);
    memset(bar, '#', length);
    bar[length] = '\0';
    text_table_left(table, "%s%s%s", bar, length && is_verdict ? " " : "", is_verdict ? "<==" : "");
}

static void
put_node(struct text_table *table, const struct topdown_tree *tree, uint32_t node,
         const struct topdown_style *style, bool is_verdict)
{
    const struct topdown_node *info = &tree->shape->nodes[node];
    const uint32_t indent = 2 * (topdown_level(tree->shape, node) - 1);
    const double share = topdown_tree_share(tree, node);
    const bool is_whole =
        !strcmp(tree->shape->unit, "cycles") || !strcmp(tree->shape->unit, "slots");
    const uint32_t width = style->width < MOST_WIDTH ? style->width : MOST_WIDTH;
    if (style->has_color && info->is_loss && topdown_tree_flagged(tree, node))
        text_table_color(table, is_verdict ? COLOR_VERDICT : COLOR_FLAG);
    text_table_cell(table, "%*s%s", (int)indent, "", info->name);
    text_table_cell(table, "%.*f", is_whole ? 0 : 4, tree->values[node]);
    text_table_cell(table, "%.1f %%", 100 * share);
    put_bar(table, share, width > OTHER_WIDTH ? width - OTHER_WIDTH : 0, is_verdict);
    text_table_end_row(table);
}

/* Adds the descendants of a node. */
static void
put_children(struct text_table *table, const struct topdown_tree *tree, uint32_t parent,
             const struct topdown_style *style)
{
    const uint32_t verdict = topdown_tree_verdict(tree);
    for (uint32_t i = parent + 1; i < tree->shape->count; i++) {
        if (tree->shape->nodes[i].parent != parent || !topdown_tree_has(tree, i) ||
            topdown_level(tree->shape, i) > style->level)
            continue;
        put_node(table, tree, i, style, i == verdict && verdict != 0);
        if (style->shows_all || topdown_tree_flagged(tree, i))
            put_children(table, tree, i, style);
    }
}

void
topdown_print(const struct topdown_tree *tree, const struct topdown_style *style, FILE *out)
{
    struct text_table table = {0};
    if (style->node)
        put_node(&table, tree, style->node, style, style->node == topdown_tree_verdict(tree));
    put_children(&table, tree, style->node, style);
    text_table_put(&table, TEXT_TABLE_TEXT, out);
}

/* For example "backend > memory_bound > long_scoreboard". The caller frees the text. */
static char *
path_to(const struct topdown_shape *shape, uint32_t node)
{
    const uint32_t parent = shape->nodes[node].parent;
    if (parent == 0)
        return mem_strdup(shape->nodes[node].name);
    char *above = path_to(shape, parent);
    char *path = mem_printf("%s > %s", above, shape->nodes[node].name);
    free(above);
    return path;
}

/* Whether the share predicts a gain for the whole machine. A share of slots does not, because the
 * unit that owns the slots may be idle while others work. */
static bool
has_gain(const struct topdown_tree *tree)
{
    return strcmp(tree->shape->unit, "slots") != 0;
}

void
topdown_print_verdict(const struct topdown_tree *tree, FILE *out)
{
    const uint32_t verdict = topdown_tree_verdict(tree);
    const struct topdown_node *node = &tree->shape->nodes[verdict];
    if (verdict == 0) {
        fputs("no loss exceeds its threshold\n", out);
        return;
    }
    const double share = topdown_tree_share(tree, verdict);
    const uint32_t width = line_width(out);
    char *path = path_to(tree->shape, verdict);
    print_wrapped(out, width, 0, 2, "largest loss in %s: %s", path, node->doc);
    free(path);
    fprintf(out, "  %.1f %%", 100 * share);
    if (has_gain(tree))
        fprintf(out, "; at most %.2f times as fast without it",
                share < 1 ? 1 / (1 - share) : INFINITY);
    fputc('\n', out);
    if (node->advice)
        print_wrapped(out, width, 2, 4, "advice: %s%s%s", node->advice,
                      node->parameter ? "; parameter " : "",
                      node->parameter ? node->parameter : "");
}

/* ---- JSON ---- */

static cJSON *
node_json(const struct topdown_tree *tree, uint32_t node, uint32_t level)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", tree->shape->nodes[node].name);
    cJSON_AddItemToObject(object, "value", json_number(tree->values[node]));
    cJSON_AddItemToObject(object, "share", json_number(topdown_tree_share(tree, node)));
    cJSON *children = cJSON_AddArrayToObject(object, "children");
    for (uint32_t i = node + 1; i < tree->shape->count; i++)
        if (tree->shape->nodes[i].parent == node && topdown_tree_has(tree, i) &&
            topdown_level(tree->shape, i) <= level)
            cJSON_AddItemToArray(children, node_json(tree, i, level));
    return object;
}

cJSON *
topdown_json(const struct topdown_tree *tree, uint32_t level)
{
    return tree ? node_json(tree, 0, level) : cJSON_CreateNull();
}

cJSON *
topdown_json_verdict(const struct topdown_tree *tree)
{
    const uint32_t verdict = tree ? topdown_tree_verdict(tree) : 0;
    if (verdict == 0)
        return cJSON_CreateNull();
    const struct topdown_node *node = &tree->shape->nodes[verdict];
    const double share = topdown_tree_share(tree, verdict);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", node->name);
    cJSON_AddItemToObject(object, "share", json_number(share));
    cJSON_AddItemToObject(object, "expected_gain",
                          json_number(has_gain(tree) ? share : (double)NAN));
    cJSON_AddItemToObject(object, "parameter", json_text(node->parameter));
    cJSON_AddItemToObject(object, "advice", json_text(node->advice));
    return object;
}

/* ---- CSV ---- */

void
topdown_csv(const struct topdown_tree *tree, uint32_t level, const char *const *lead,
            uint32_t count, FILE *out)
{
    const uint32_t verdict = topdown_tree_verdict(tree);
    struct text_table table = {0};
    uint32_t i = 0;
    do {
        if (!topdown_tree_has(tree, i) || topdown_level(tree->shape, i) > level)
            continue;
        for (uint32_t c = 0; c < count; c++)
            text_table_cell(&table, "%s", lead[c]);
        text_table_cell(&table, "%s", tree->shape->nodes[i].name);
        text_table_cell(&table, "%u", topdown_level(tree->shape, i));
        text_table_cell(&table, "%.12g", tree->values[i]);
        text_table_cell(&table, "%.12g", topdown_tree_share(tree, i));
        text_table_cell(&table, "%s", tree->shape->unit);
        text_table_cell(&table, "%s", i == verdict && verdict ? "<==" : "");
        text_table_cell(&table, "%s", tree->shape->nodes[i].doc);
        text_table_end_row(&table);
    } while ((i = topdown_next(tree->shape, i)));
    text_table_put(&table, TEXT_TABLE_CSV, out);
}
