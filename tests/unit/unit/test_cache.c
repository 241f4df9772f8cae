/* cache_is_quiet() of the cache that the units share. */
#include "unit/cache.h"

#include "core/clock.h"
#include "core/queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { LINE_BYTES = 2 * TRANSACTION_BYTES, ADDRESS = 5 * LINE_BYTES, DEPTH = 4, LATENCY = 1 };

struct rig {
    struct clock clock;
    struct module owner, memory;
    struct queue requests, replies;
    struct cache cache;
};

static const struct module_ops no_ops; /* never clocked */

static void
rig_init(struct rig *rig)
{
    memset(rig, 0, sizeof *rig);
    clock_init(&rig->clock);
    clock_add_module(&rig->clock, &rig->owner, "owner", -1, NULL, &no_ops);
    clock_add_module(&rig->clock, &rig->memory, "memory", -1, NULL, &no_ops);
    queue_init(&rig->requests, &rig->clock, "requests", -1, &rig->owner, &rig->memory,
               sizeof(struct memory_request), 1, DEPTH, LATENCY);
    queue_init(&rig->replies, &rig->clock, "replies", -1, &rig->memory, &rig->owner,
               sizeof(struct memory_reply), 1, DEPTH, LATENCY);
    cache_init(
        &rig->cache, &rig->owner,
        &(struct cache_shape){.lines = 4, .ways = 4, .line_bytes = LINE_BYTES, .fill_limit = 2});
    rig->cache.port = (struct memory_port){.requests = &rig->requests, .replies = &rig->replies};
}

static void
rig_fini(struct rig *rig)
{
    cache_fini(&rig->cache);
    queue_fini(&rig->requests);
    queue_fini(&rig->replies);
    clock_fini(&rig->clock);
}

/* Answers the oldest request. */
static void
answer(struct rig *rig, uint64_t now)
{
    const struct memory_request *request = queue_front(&rig->requests, now);
    assert_non_null(request);
    struct memory_reply *reply = queue_push(&rig->replies, now);
    *reply = (struct memory_reply){.tag = request->tag};
    memset(reply->data, (int)(request->address / TRANSACTION_BYTES), sizeof reply->data);
    queue_pop(&rig->requests, now);
}

/* A fill has two transactions. Their requests leave in cycles 0 and 1, and the memory answers in 10
 * and 20. The cache is not quiet until the second reply is taken. If it were reset earlier, it
 * would assign the reply to a line that it no longer contains. */
static void
a_cache_with_replies_on_the_way_is_not_quiet(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig);
    assert_true(cache_is_quiet(&rig.cache));
    const int32_t line = cache_allocate(&rig.cache, ADDRESS);
    assert_true(line >= 0);
    assert_false(cache_is_quiet(&rig.cache));
    for (uint64_t now = 0; now < 2; now++)
        cache_clock(&rig.cache, now);
    assert_int_equal(rig.cache.fill_ring.count, 0);
    assert_false(cache_is_quiet(&rig.cache));
    answer(&rig, 10);
    cache_clock(&rig.cache, 11);
    assert_false(cache_is_quiet(&rig.cache));
    answer(&rig, 20);
    assert_false(cache_is_quiet(&rig.cache));
    cache_clock(&rig.cache, 21);
    assert_true(cache_is_quiet(&rig.cache) && cache_ready(&rig.cache, (uint32_t)line));
    assert_int_equal(cache_data(&rig.cache, (uint32_t)line)[0], ADDRESS / TRANSACTION_BYTES);
    assert_int_equal(cache_data(&rig.cache, (uint32_t)line)[TRANSACTION_BYTES],
                     ADDRESS / TRANSACTION_BYTES + 1);
    cache_reset(&rig.cache);
    rig_fini(&rig);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_with_replies_on_the_way_is_not_quiet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
