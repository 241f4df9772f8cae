/* The signal trace of a model with two stages. The test reads the trace back, which contains
 * exactly the pushed items. */
#include "base/file.h"
#include "report/timeline/vcd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct end {
    struct module module;
    struct queue *queue;
    struct module_part part;
    uint32_t items;
    bool done;
};

/* Pushes items in cycles 10 and 20. */
static enum unit_state
source_clock(void *self, uint64_t now)
{
    struct end *end = self;
    if (now < 20)
        module_wake_at(&end->module, now < 10 ? 10 : 20);
    if (now != 10 && now != 20)
        return UNIT_STARVED;
    BUG_ON(!queue_space(end->queue, now), "no room");
    *(uint32_t *)queue_push(end->queue, now) = ++end->items;
    return UNIT_BUSY;
}

static enum unit_state
sink_clock(void *self, uint64_t now)
{
    struct end *end = self;
    if (!queue_front(end->queue, now))
        return UNIT_STARVED;
    queue_pop(end->queue, now);
    end->done = ++end->items == 2;
    return UNIT_BUSY;
}

/* The source's part is busy in cycles 11 and 12, in which no module is clocked. */
static void
source_view(void *self, uint64_t now)
{
    struct end *end = self;
    end->part.state = now == 11 || now == 12 ? UNIT_BUSY : UNIT_STARVED;
}

static const struct module_ops source_ops = {.clock = source_clock, .view = source_view};

static const struct module_ops sink_ops = {.clock = sink_clock};

/* With a latency of 3, items are pushed in 10 and 20 and popped in 13 and 23. The trace covers
 * cycles 0 to 15. So it contains the first item from push to pop, and nothing of the second one. */
static void
pushes_and_pops(void **state)
{
    (void)state;
    struct clock clock;
    struct queue queue;
    struct end source = {0}, sink = {0};
    struct error err;
    char path[] = "/tmp/aetius-vcd-XXXXXX", *text;
    size_t size;
    close(mkstemp(path));
    clock_init(&clock);
    clock_add_module(&clock, &source.module, "source", -1, &source, &source_ops);
    source.part = (struct module_part){.name = "stage1"};
    source.module.parts = &source.part;
    source.module.part_count = 1;
    clock_add_module(&clock, &sink.module, "sink", 3, &sink, &sink_ops);
    queue_init(&queue, &clock, "wire", -1, &source.module, &sink.module, 4, 1, 2, 3);
    source.queue = sink.queue = &queue;
    struct vcd *vcd = vcd_create(path, &clock, 300, 0, 15, &err);
    assert_non_null(vcd);
    assert_true(clock_run(&clock, &sink.done, 1000, &err));
    assert_true(vcd_destroy(vcd, &err));
    assert_true(file_read(path, SIZE_MAX, &text, &size, &err));
    /* identifiers in order: ! source, " sink, # held, $ pushed, % popped */
    assert_non_null(strstr(text, "$var string 1 ! source.state $end"));
    assert_non_null(strstr(text, "$var string 1 \" sink_3.state $end"));
    assert_non_null(strstr(text, "$var wire 16 $ wire.pushed $end"));
    /* at 300 MHz a cycle takes 3333.3 ps */
    assert_non_null(strstr(text, "$timescale 1 ps $end"));
    assert_non_null(strstr(text, "#33333\nsbusy !\nb1 #\nb1 $\n"));
    assert_non_null(strstr(text, "#36666\nsstarved !\nb0 $\n"));
    assert_non_null(strstr(text, "#43333\nsbusy \"\nb0 #\nb1 %\n"));
    assert_non_null(strstr(text, "#46666\nsstarved \"\nb0 %\n"));
    /* the part has the identifier after the queue's */
    assert_non_null(strstr(text, "$var string 1 & stage1.state $end"));
    assert_non_null(strstr(text, "#36666\nsstarved !\nb0 $\nsbusy &\n#43333\n"));
    assert_non_null(strstr(text, "sbusy \"\nb0 #\nb1 %\nsstarved &\n"));
    assert_null(strstr(text, "#66666"));
    assert_null(strstr(text, "#76666"));
    free(text);
    unlink(path);
    queue_fini(&queue);
    clock_fini(&clock);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pushes_and_pops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
