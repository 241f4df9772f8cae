#include "rigs/topdown_json.h"

#include "rigs/command.h"

#include <math.h>
#include <string.h>

const cJSON *
topdown_child(const cJSON *node, const char *name)
{
    const cJSON *found;
    cJSON_ArrayForEach(found, cJSON_GetObjectItem(node, "children"))
    {
        if (!strcmp(cJSON_GetObjectItem(found, "name")->valuestring, name))
            return found;
        const cJSON *below = topdown_child(found, name);
        if (below)
            return below;
    }
    return NULL;
}

double
topdown_value(const cJSON *tree, const char *name)
{
    const cJSON *node = topdown_child(tree, name);
    return node ? cJSON_GetObjectItem(node, "value")->valuedouble : NAN;
}

void
topdown_check_sums(const cJSON *node, double whole)
{
    const double own = cJSON_GetObjectItem(node, "value")->valuedouble;
    const cJSON *part, *children = cJSON_GetObjectItem(node, "children");
    double sum = 0;
    assert_float_equal(cJSON_GetObjectItem(node, "share")->valuedouble, own / whole, 1e-9);
    cJSON_ArrayForEach(part, children)
    {
        sum += cJSON_GetObjectItem(part, "value")->valuedouble;
        topdown_check_sums(part, whole);
    }
    if (cJSON_GetArraySize(children))
        assert_float_equal(sum, own, 1e-9 * whole);
}

cJSON *
topdown_json_of(const char *const *words)
{
    static struct command_result cmd;
    const char *all[16] = {"topdown", "--json"};
    for (size_t i = 0; words[i]; i++)
        all[i + 2] = words[i];
    run_within(&cmd, 0, all);
    if (cmd.status != 0)
        fail_msg("%s", cmd.err);
    cJSON *root = cJSON_Parse(cmd.out);
    assert_non_null(root);
    return root;
}
