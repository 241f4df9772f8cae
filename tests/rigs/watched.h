/* Queues of a rig's machine, watched: in which cycles something was sent. */
#ifndef AETIUS_TESTS_WATCHED_H
#define AETIUS_TESTS_WATCHED_H

#include "rigs/rig.h"

enum { MAX_WATCHED = 8, MAX_SENT = 64 };

struct watched { /* a queue: the cycles in which something was sent */
    const struct queue *queue;
    uint64_t seen, cycles[MAX_SENT];
    uint32_t count;
    uint64_t seen_out, taken[MAX_SENT]; /* and the cycles in which the receiver took it */
    uint32_t taken_count;
};

struct watcher {
    struct watched queues[MAX_WATCHED];
    uint32_t count;
};

/* From now on. */
const struct watched *watch(struct rig *rig, const char *name);

void assert_sent(const struct watched *w, uint32_t n, uint64_t cycle);

#endif
