#include "analysis/topdown_print.h"

#include "base/json.h"
#include "base/mem.h"
#include "base/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of a line, what is no bar: the name, the value, the share, and the mark. */
enum { MOST_WIDTH = 160, NAME_WIDTH = 34, OTHER_WIDTH = NAME_WIDTH + 28 };

static const char *const color_flagged = "\033[33m", *const color_verdict = "\033[1;31m",
                         *const color_none = "\033[0m";

struct topdown_style
topdown_style_of(FILE *out)
{
    const char *const plain = getenv("NO_COLOR");
    const uint32_t width = line_width(out);
    return (struct topdown_style){.width = width == LINE_WITHOUT_END ? 80 : width,
                                  .has_color = isatty(fileno(out)) && (!plain || !*plain),
                                  .level = 3};
}

static void
put_bar(double share, uint32_t width, FILE *out)
{
    const uint32_t length = (uint32_t)lround(fmin(fmax(share, 0), 1) * width);
    if (length)
        fputs("  ", out);
    for (uint32_t i = 0; i < length; i++)
        fputc('#', out);
}

static void
put_node(const struct topdown_tree *tree, uint32_t node, const struct topdown_style *style,
         bool is_verdict, FILE *out)
{
    const struct topdown_node *info = &tree->shape->nodes[node];
    const uint32_t indent = 2 * topdown_level(tree->shape, node);
    const bool is_flagged = info->is_loss && topdown_tree_flagged(tree, node);
    const double share = topdown_tree_share(tree, node);
    const bool is_whole =
        !strcmp(tree->shape->unit, "cycles") || !strcmp(tree->shape->unit, "slots");
    if (style->has_color && is_flagged)
        fputs(is_verdict ? color_verdict : color_flagged, out);
    fprintf(out, "%*s%-*s %12.*f %6.1f %%", (int)indent, "", (int)(NAME_WIDTH - indent), info->name,
            is_whole ? 0 : 4, tree->values[node], 100 * share);
    const uint32_t width = style->width < MOST_WIDTH ? style->width : MOST_WIDTH;
    put_bar(share, width > OTHER_WIDTH ? width - OTHER_WIDTH : 0, out);
    fputs(is_verdict ? " <==" : "", out);
    fputs(style->has_color && is_flagged ? color_none : "", out);
    fputc('\n', out);
}

/* The children of a node, and theirs. */
static void
put_children(const struct topdown_tree *tree, uint32_t parent, const struct topdown_style *style,
             FILE *out)
{
    const uint32_t verdict = topdown_tree_verdict(tree);
    for (uint32_t i = parent + 1; i < tree->shape->count; i++) {
        if (tree->shape->nodes[i].parent != parent || !topdown_tree_has(tree, i) ||
            topdown_level(tree->shape, i) > style->level)
            continue;
        put_node(tree, i, style, i == verdict && verdict != 0, out);
        if (style->shows_all || topdown_tree_flagged(tree, i))
            put_children(tree, i, style, out);
    }
}

void
topdown_print(const struct topdown_tree *tree, const struct topdown_style *style, FILE *out)
{
    put_children(tree, 0, style, out);
}

/* "backend > memory_bound > long_scoreboard"; the caller frees. */
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

/* A part of the machine may be idle for as long as the rest takes: of its slots nothing follows for
 * the whole. */
static bool
tells_gain(const struct topdown_tree *tree)
{
    return strcmp(tree->shape->unit, "slots") != 0;
}

void
topdown_print_verdict(const struct topdown_tree *tree, FILE *out)
{
    const uint32_t verdict = topdown_tree_verdict(tree);
    const struct topdown_node *node = &tree->shape->nodes[verdict];
    if (verdict == 0) {
        fputs("nothing is lost beyond the thresholds\n", out);
        return;
    }
    const double share = topdown_tree_share(tree, verdict);
    const uint32_t width = line_width(out);
    char *path = path_to(tree->shape, verdict);
    print_wrapped(out, width, 0, 2, "most is lost in %s: %s", path, node->doc);
    free(path);
    fprintf(out, "  %.1f %%", 100 * share);
    if (tells_gain(tree))
        fprintf(out, "; without it at most %.2f times as fast",
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
                          json_number(tells_gain(tree) ? share : (double)NAN));
    cJSON_AddItemToObject(object, "parameter", json_text(node->parameter));
    cJSON_AddItemToObject(object, "advice", json_text(node->advice));
    return object;
}

/* ---- CSV ---- */

void
topdown_csv_text(const char *text, FILE *out)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void
topdown_csv(const struct topdown_tree *tree, uint32_t level, const char *lead, FILE *out)
{
    const uint32_t verdict = topdown_tree_verdict(tree);
    uint32_t i = 0;
    do {
        if (!topdown_tree_has(tree, i) || topdown_level(tree->shape, i) > level)
            continue;
        fprintf(out, "%s%s,%u,%.12g,%.12g,%s,%s,", lead, tree->shape->nodes[i].name,
                topdown_level(tree->shape, i), tree->values[i], topdown_tree_share(tree, i),
                tree->shape->unit, i == verdict && verdict ? "<==" : "");
        topdown_csv_text(tree->shape->nodes[i].doc, out);
        fputc('\n', out);
    } while ((i = topdown_next(tree->shape, i)));
}
