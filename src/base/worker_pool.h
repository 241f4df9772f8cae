/* Pool of worker processes. A member is a fork of the coordinator or of another member and shares
 * its memory copy-on-write. Members send messages to the one coordinator. Any member may fork
 * another. All members are children of the coordinator and end with it.
 *
 *     struct worker_pool *pool = worker_pool_create(jobs, &err);
 *     int made = worker_pool_fork(pool, first_part);
 *     if (made > 0) { ... worker_pool_send(pool, &message, size); ... worker_pool_leave(pool, 0); }
 *     while ((event = worker_pool_wait(pool, ...)) != WORKER_DONE) ...
 *
 * A part is the number of a piece of work. It identifies the member's work in the coordinator's
 * reports. */
#ifndef AETIUS_BASE_WORKER_POOL_H
#define AETIUS_BASE_WORKER_POOL_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { WORKER_MAX = 64, WORKER_MESSAGE_BYTES = 131072 };

struct worker_pool;

/* The pool has at most `limit` members at a time, and never more than WORKER_MAX. */
struct worker_pool *worker_pool_create(uint32_t limit, struct error *err);
void worker_pool_destroy(struct worker_pool *pool);

/* Returns 1 in the new member and 0 in the caller. Returns -1 if no slot is free (`err` is then "")
 * or if the fork failed (`err` has the reason). */
int worker_pool_fork(struct worker_pool *pool, uint32_t part, struct error *err);

/* Called in a member. */
void worker_pool_works_on(struct worker_pool *pool, uint32_t part);
void worker_pool_count(struct worker_pool *pool); /* counts one finished piece of work */
bool worker_pool_send(struct worker_pool *pool, const void *message,
                      size_t size); /* at most WORKER_MESSAGE_BYTES */
noreturn void worker_pool_leave(struct worker_pool *pool, int status);

/* Forbids members to begin a part with this or a higher number. */
void worker_pool_stop_at(struct worker_pool *pool, uint32_t part);
bool worker_pool_may_begin(const struct worker_pool *pool, uint32_t part);

/* Called in the coordinator. */
enum worker_pool_event {
    WORKER_NOTHING, /* nothing happened for 200 ms */
    WORKER_MESSAGE,
    WORKER_FAILED, /* a signal ended a member, or it exited with a nonzero status */
    WORKER_DONE,   /* no member is left, and all messages were received */
};
struct worker_pool_report {
    const void *message; /* MESSAGE: valid until the next call */
    size_t size;
    uint32_t part; /* FAILED: the part that the member worked on */
    int status;    /* FAILED: status from waitpid() */
};
enum worker_pool_event worker_pool_wait(struct worker_pool *pool,
                                        struct worker_pool_report *report);
/* Sends a signal to each member once, and also to members that start later. */
void worker_pool_signal(const struct worker_pool *pool, int signal);
uint64_t worker_pool_counted(const struct worker_pool *pool); /* sum over all members */
uint32_t worker_pool_size(const struct worker_pool *pool);    /* number of running members */
uint32_t worker_pool_limit(const struct worker_pool *pool);

#endif
