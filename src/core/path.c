#include "core/path.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void
path_init(struct path *path)
{
    memset(path, 0, sizeof *path);
    path->nodes = mem_array(PATH_NODES, sizeof *path->nodes);
    path_begin(path, 0);
}

void
path_fini(struct path *path)
{
    free(path->nodes);
    path->nodes = NULL;
}

void
path_begin(struct path *path, uint64_t now)
{
    path->charged = now;
    path->end = path_add(path, 0, 0, CAUSE_orders, CAUSE_orders, now);
    path->charged_at = path->node_count; /* nothing has left the machine yet */
    path->ended = now;
    path->ended_by = 0;
}

static const struct path_branch branches[] = {
#define CAUSE(name, parent, what)  {#name, #parent, what, CAUSE_##name},
#define BRANCH(name, parent, what) {#name, #parent, what, -1},
#include "causes.def"
};

/* Charges the time from cycle `since` to *until, and moves *until back to `since`. */
static void
charge(struct path *path, uint32_t cause, uint64_t since, uint64_t *until)
{
    if (since < path->charged)
        since = path->charged;
    if (since < *until) {
        path->cycles[cause] += *until - since;
        *until = since;
    }
}

/* An overwritten node was added before the last charge, so its cause gets all of the remaining
 * cycles. */
void
path_charge(struct path *path, cp_ref way, uint64_t now)
{
    uint64_t until = now;
    while (until > path->charged) {
        const uint64_t number = way / PATH_CAUSES;
        const struct path_node *node = &path->nodes[number % PATH_NODES];
        if (number == 0)
            path->unset += until - path->charged;
        if (number == 0 || number + PATH_NODES <= path->node_count) {
            charge(path, way % PATH_CAUSES, 0, &until);
            break;
        }
        charge(path, way % PATH_CAUSES, node->since, &until);
        charge(path, node->hop_cause, node->since - node->hop, &until);
        way = node->parent;
    }
    path->charged = now;
    path->charged_at = path->node_count;
}

uint64_t
path_since(const struct path *path, cp_ref way)
{
    const uint64_t number = way / PATH_CAUSES;
    return number && number + PATH_NODES > path->node_count ? path->nodes[number % PATH_NODES].since
                                                            : 0;
}

void
path_charge_so_far(struct path *path, cp_ref work, uint64_t now)
{
    if (path->end / PATH_CAUSES > path->charged_at)
        path_charge(path, path->end, path->ended);
    path_charge(path, work ? work : path->end, now);
}

const struct path_branch *
path_branches(uint32_t *count)
{
    *count = sizeof branches / sizeof branches[0];
    return branches;
}
