/* Records the cycles in which items enter and leave queues of a rig's machine. */
#ifndef AETIUS_TESTS_WATCHED_H
#define AETIUS_TESTS_WATCHED_H

#include "rigs/rig.h"

enum { MAX_WATCHED = 8, MAX_SENT = 64 };

struct watched { /* a queue, and the cycles in which items entered it */
    const struct queue *queue;
    uint64_t seen, cycles[MAX_SENT];
    uint32_t count;
    uint64_t seen_out, taken[MAX_SENT]; /* cycles in which the receiver took the items */
    uint32_t taken_count;
};

struct watcher {
    struct watched queues[MAX_WATCHED];
    uint32_t count;
};

/* Starts to record this queue. */
const struct watched *watch(struct rig *rig, const char *name);

void assert_sent(const struct watched *w, uint32_t n, uint64_t cycle);

#endif
