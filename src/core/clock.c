#include "core/clock.h"

#include "base/interrupt.h"
#include "base/text_table.h"
#include "core/queue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { INTERRUPT_TURNS = 1024 }; /* modules clocked between two checks for signals */

const char *const unit_state_names[UNIT_STATES] = {"busy", "starved", "blocked", "waiting"};

void
clock_init(struct clock *clock)
{
    memset(clock, 0, sizeof *clock);
    path_init(&clock->path);
}

void
clock_fini(struct clock *clock)
{
    path_fini(&clock->path);
    memset(clock, 0, sizeof *clock);
}

static void
number_modules(struct clock *clock)
{
    for (uint32_t i = 0; i < clock->module_count; i++)
        clock->modules[i]->slot = i;
}

void
clock_add_module(struct clock *clock, struct module *module, const char *name, int32_t index,
                 void *self, const struct module_ops *ops)
{
    BUG_ON(clock->module_count == CLOCK_MAX_MODULES, "too many modules");
    memset(module, 0, sizeof *module);
    if (index >= 0)
        snprintf(module->name, sizeof module->name, "%s[%d]", name, index);
    else
        snprintf(module->name, sizeof module->name, "%s", name);
    module->self = self;
    module->ops = ops;
    module->clock_fn = ops->clock;
    module->clock = clock;
    module->state = UNIT_STARVED;
    module->since = module->last_end = clock->now;
    module->first_work = CYCLE_NEVER;
    /* Prepend the module, because modules are clocked from the last stage to the first. */
    memmove(clock->modules + 1, clock->modules, clock->module_count * sizeof clock->modules[0]);
    memmove(clock->wake + 1, clock->wake, clock->module_count * sizeof clock->wake[0]);
    clock->modules[0] = module;
    clock->wake[0] = clock->now;
    clock->module_count++;
    number_modules(clock);
}

void
clock_shuffle(struct clock *clock, uint64_t seed)
{
    uint64_t random = seed * 2 + 1;
    for (uint32_t i = clock->module_count; i > 1; i--) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t j = (uint32_t)((random >> 33) % i);
        struct module *t = clock->modules[j];
        clock->modules[j] = clock->modules[i - 1];
        clock->modules[i - 1] = t;
        uint64_t wake = clock->wake[j];
        clock->wake[j] = clock->wake[i - 1];
        clock->wake[i - 1] = wake;
    }
    number_modules(clock);
}

static void
clock_module(struct clock *clock, struct module *module)
{
    uint64_t now = clock->now;
    clock->wake[module->slot] = CYCLE_NEVER;
    enum unit_state state = module->clock_fn(module->self, now);
    if (state != module->state) {
        if (module->is_core)
            clock->busy_cores += (uint32_t)(state == UNIT_BUSY) - (module->state == UNIT_BUSY);
        module->cycles[module->state] += now - module->since;
        if (state == UNIT_STARVED)
            module->last_end = now;
        else if (module->state == UNIT_STARVED && module->first_work > now)
            module->first_work = now;
        module->state = state;
        module->since = now;
    }
    if ((state == UNIT_BUSY && !module->keeps_time) || clock->sleepless)
        clock->wake[module->slot] = now + 1;
}

/* Activity counter for the watchdog. It only grows; an unchanged count means no progress. */
static uint64_t
activity(const struct clock *clock)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < clock->queue_count; i++)
        sum += clock->queues[i]->items_in + clock->queues[i]->items_out;
    for (uint32_t i = 0; i < clock->module_count; i++) {
        const struct module *m = clock->modules[i];
        sum += m->cycles[UNIT_BUSY];
        if (m->state == UNIT_BUSY)
            sum += clock->now - m->since;
    }
    return sum;
}

static bool
deadlock(struct clock *clock, const char *why, struct error *err)
{
    clock_print(clock);
    return fail(err, "deadlock at cycle %" PRIu64 ": %s (the waiting units are listed above)",
                clock->now, why);
}

/* Returns the first cycle in which a module must be clocked. The search stops early at the next
 * cycle, which is the earliest possible result. */
static uint64_t
next_wake(const struct clock *clock)
{
    uint64_t next = CYCLE_NEVER;
    for (uint32_t i = 0; i < clock->module_count && next > clock->now + 1; i++)
        if (clock->wake[i] < next)
            next = clock->wake[i];
    return next;
}

/* Returns whether `a` precedes `b` in the choice among busy units: later cause first, then later
 * name. The result does not depend on the clocking order. */
static bool
is_later(const struct module *a, const struct module *b)
{
    const cp_ref cause = a->stage.cp_ref % PATH_CAUSES, other = b->stage.cp_ref % PATH_CAUSES;
    return cause != other ? cause > other : strcmp(a->name, b->name) > 0;
}

/* Returns the module with the latest event, for cycles in which no module is busy. An item is then
 * on its way from one module to the next. */
static const struct module *
latest_module(const struct clock *clock)
{
    const struct module *last = NULL;
    uint64_t latest = 0;
    for (uint32_t i = 0; i < clock->module_count; i++) {
        const struct module *module = clock->modules[i];
        const uint64_t since = path_since(&clock->path, module->stage.cp_ref);
        if (since > latest || (last && since == latest && is_later(module, last))) {
            last = module;
            latest = since;
        }
    }
    return last;
}

void
clock_charge_so_far(struct clock *clock)
{
    const struct module *last = NULL;
    for (uint32_t i = 0; i < clock->module_count; i++) {
        const struct module *module = clock->modules[i];
        if (module->state == UNIT_BUSY && module->stage.cp_ref && (!last || is_later(module, last)))
            last = module;
    }
    if (!last)
        last = latest_module(clock);
    path_charge_so_far(&clock->path, last ? last->stage.cp_ref : 0, clock->now);
}

void
clock_observe(struct clock *clock, struct clock_observer observer)
{
    BUG_ON(clock->observer_count == CLOCK_MAX_OBSERVERS, "too many observers");
    clock->observers[clock->observer_count++] = observer;
}

void
clock_unobserve(struct clock *clock, const void *data)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < clock->observer_count; i++)
        if (clock->observers[i].data != data)
            clock->observers[kept++] = clock->observers[i];
    clock->observer_count = kept;
}

static void
observe(const struct clock *clock)
{
    for (uint32_t i = 0; i < clock->observer_count; i++) {
        const struct clock_observer *observer = &clock->observers[i];
        if (clock->now >= observer->first && clock->now <= observer->last)
            observer->cycle(observer->data, clock->now);
    }
}

static bool
run(struct clock *clock, const bool *stop, uint64_t limit, struct error *err)
{
    uint64_t checked = clock->now, before = activity(clock);
    uint32_t turns = 0;
    while (!*stop && !clock->is_halted) {
        if (++turns % INTERRUPT_TURNS == 0 && !interrupt_check(err))
            return false;
        for (uint32_t i = 0; i < clock->module_count; i++)
            if (clock->wake[i] <= clock->now)
                clock_module(clock, clock->modules[i]);
        if (__builtin_expect(clock->observer_count != 0, 0))
            observe(clock);
        uint64_t next = next_wake(clock);
        if (next == CYCLE_NEVER) {
            if (*stop || clock->is_halted)
                break;
            return deadlock(clock, "no unit will wake up", err);
        }
        if (next <= clock->now)
            next = clock->now + 1;
        bool sample = clock->sample && next >= clock->sample_cycle;
        if (sample)
            next = clock->sample_cycle;
        clock->core_busy_cycles += clock->busy_cores ? next - clock->now : 0;
        clock->now = next;
        if (path_is_full(&clock->path))
            clock_charge_so_far(clock);
        if (sample) {
            clock->sample(clock->sample_data, clock->now);
            continue;
        }
        if (clock->now - checked >= limit) {
            uint64_t now_active = activity(clock);
            if (now_active == before)
                return deadlock(clock, "no progress within the watchdog time", err);
            before = now_active;
            checked = clock->now;
        }
    }
    return true;
}

static void
print_context(void *clock)
{
    clock_print(clock);
}

bool
clock_run(struct clock *clock, const bool *stop, uint64_t limit, struct error *err)
{
    bug_set_context(print_context, clock);
    clock->is_halted = false;
    const bool ok = run(clock, stop, limit, err);
    bug_set_context(NULL, NULL);
    return ok;
}

void
clock_halt(struct clock *clock)
{
    clock->is_halted = true;
}

void
clock_mark(struct clock *clock)
{
    for (uint32_t i = 0; i < clock->module_count; i++) {
        struct module *module = clock->modules[i];
        module->first_work = module->state == UNIT_STARVED ? CYCLE_NEVER : clock->now;
    }
}

void
clock_settle(struct clock *clock)
{
    for (uint32_t i = 0; i < clock->module_count; i++) {
        struct module *module = clock->modules[i];
        module->cycles[module->state] += clock->now - module->since;
        module->since = clock->now;
        if (module->ops->settle)
            module->ops->settle(module->self, clock->now);
        module_view(module, clock->now);
    }
    for (uint32_t i = 0; i < clock->queue_count; i++)
        queue_settle(clock->queues[i], clock->now);
}

void
clock_print(const struct clock *clock)
{
    struct text_table table = {0};
    text_table_line(&table, "cycle %" PRIu64, clock->now);
    for (uint32_t i = 0; i < clock->module_count; i++) {
        const struct module *m = clock->modules[i];
        const bool is_refused = m->state == UNIT_BLOCKED && m->refused;
        text_table_cell(&table, "%s", m->name);
        text_table_left(&table, "%s", unit_state_names[m->state]);
        text_table_left(&table, "since %" PRIu64 "%s%s", m->since,
                        is_refused ? ", last refused by queue " : "",
                        is_refused ? m->refused->name : "");
        text_table_end_row(&table);
        for (uint32_t q = 0; q < clock->queue_count; q++) {
            const struct queue *queue = clock->queues[q];
            if (queue->receiver == m && queue->count)
                text_table_line(&table, "      holds %u of %u in queue %s from %s", queue->count,
                                queue->capacity, queue->name, queue->sender->name);
        }
    }
    text_table_put(&table, TEXT_TABLE_TEXT, stderr);
}
