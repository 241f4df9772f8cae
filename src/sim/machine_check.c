/* Identities checked at the end of every frame: those of each unit and queue, and those between
 * statistics (sim/identities.def). */
#include "sim/machine.h"

#include <inttypes.h>

static bool
check_states(const struct machine *m, struct error *err)
{
    for (uint32_t i = 0; i < m->clock.module_count; i++) {
        const struct module *module = m->clock.modules[i];
        uint64_t sum = 0;
        for (uint32_t s = 0; s < UNIT_STATES; s++)
            sum += module->cycles[s];
        if (sum != m->clock.now)
            return fail(err, "identity: states of %s add up to %" PRIu64 " of %" PRIu64 " cycles",
                        module->name, sum, m->clock.now);
    }
    return true;
}

static bool
check_queues(const struct machine *m, struct error *err)
{
    for (uint32_t i = 0; i < m->clock.queue_count; i++) {
        const struct queue *q = m->clock.queues[i];
        if (q->items_in != q->items_out + q->count || q->count)
            return fail(err,
                        "identity: queue %s received %" PRIu64 " items, delivered %" PRIu64
                        " and contains %u",
                        q->name, q->items_in, q->items_out, q->count);
    }
    return true;
}

bool
machine_check(const struct machine *m, struct error *err)
{
    return check_states(m, err) && check_queues(m, err) &&
           identities_check(m->identities, &m->stats, err);
}
