/* The Top-Down trees for the report page: their nodes, and the formulas that compute the shaders'
 * tree from statistics. The page sums values over the selection (page/tree.js). */
#include "analysis/pipeline_tree.h"
#include "analysis/shader_tree.h"
#include "cmd/report.h"

#include <string.h>

/* Adds a list of {"name", "parent", "what", "threshold", "loss", "leaf"}, without the root. Parents
 * precede their children. */
static cJSON *
add_shape(cJSON *page, const char *name, const struct topdown_shape *shape)
{
    cJSON *list = cJSON_AddArrayToObject(page, name);
    for (uint32_t n = 1; n < shape->count; n++) {
        const struct topdown_node *node = &shape->nodes[n];
        bool leaf = true;
        for (uint32_t k = n + 1; k < shape->count; k++)
            leaf &= shape->nodes[k].parent != n;
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "name", node->name);
        cJSON_AddStringToObject(one, "parent", shape->nodes[node->parent].name);
        cJSON_AddStringToObject(one, "what", node->doc);
        cJSON_AddNumberToObject(one, "threshold", node->threshold);
        cJSON_AddBoolToObject(one, "loss", node->is_loss);
        cJSON_AddBoolToObject(one, "leaf", leaf);
        cJSON_AddItemToArray(list, one);
    }
    return list;
}

/* Adds a counter of the shaders' tree, with its "formula" if it is derived from others. */
static void
add_counter(cJSON *counters, const char *name, const char *formula)
{
    cJSON *one = cJSON_CreateObject();
    cJSON_AddStringToObject(one, "name", name);
    if (formula)
        cJSON_AddStringToObject(one, "formula", formula);
    cJSON_AddItemToArray(counters, one);
}

static void
add_formula(cJSON *tree, uint32_t node, const char *formula)
{
    if (node && strcmp(formula, "SUM") != 0)
        cJSON_AddStringToObject(cJSON_GetArrayItem(tree, (int)node - 1), "formula", formula);
}

void
report_add_trees(cJSON *page)
{
    add_shape(page, "tree", &pipeline_shape);
    cJSON *shaders = add_shape(page, "shader_tree", &shader_shape);
    cJSON *counters = cJSON_AddArrayToObject(page, "shader_counters");
#define COUNTER(name)          add_counter(counters, #name, NULL);
#define DERIVED(name, formula) add_counter(counters, #name, #formula);
#define NODE(name, parent, formula, threshold, is_loss, doc, advice, parameter)                    \
    add_formula(shaders, SHADER_##name, #formula);
#include "analysis/shader_tree.def"
}
