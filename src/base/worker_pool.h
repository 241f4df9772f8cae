/* Pool of worker processes. A member is a fork of the coordinator or of another member, and shares
 * its memory copy-on-write. Members send messages to the coordinator. Any member may fork another.
 * All members are child processes of the coordinator, and the kernel kills them when it exits.
 *
 *     struct worker_pool *pool = worker_pool_create(jobs, &err);
 *     int made = worker_pool_fork(pool, first_part);
 *     if (made > 0) { ... worker_pool_send(pool, &message, size); ... worker_pool_leave(pool, 0); }
 *     while ((event = worker_pool_wait(pool, ...)) != WORKER_DONE) ...
 *
 * A part is the number of a piece of work. The coordinator's reports identify a member's current
 * work by its part. */
#ifndef AETIUS_BASE_WORKER_POOL_H
#define AETIUS_BASE_WORKER_POOL_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { WORKER_MAX = 64, WORKER_MESSAGE_BYTES = 131072 };

struct worker_pool;

/* The pool runs at most `limit` members at a time, and never more than WORKER_MAX. */
struct worker_pool *worker_pool_create(uint32_t limit, struct error *err);
void worker_pool_destroy(struct worker_pool *pool);

/* Returns 1 in the new member and 0 in the caller. Returns -1 with an empty `err` if no slot is
 * free, or with the reason if the fork failed. */
int worker_pool_fork(struct worker_pool *pool, uint32_t part, struct error *err);

/* For members only: */
void worker_pool_works_on(struct worker_pool *pool, uint32_t part);
void worker_pool_count(struct worker_pool *pool); /* counts one finished piece of work */
bool worker_pool_send(struct worker_pool *pool, const void *message,
                      size_t size); /* at most WORKER_MESSAGE_BYTES */
noreturn void worker_pool_leave(struct worker_pool *pool, int status);

/* Forbids members to begin parts with this number or a higher one. */
void worker_pool_stop_at(struct worker_pool *pool, uint32_t part);
bool worker_pool_may_begin(const struct worker_pool *pool, uint32_t part);

/* For the coordinator only: */
enum worker_pool_event {
    WORKER_NOTHING, /* nothing happened for 200 ms */
    WORKER_MESSAGE,
    WORKER_FAILED, /* a signal ended a member, or it exited with a nonzero status */
    WORKER_DONE,   /* all members have exited, and all their messages were received */
};
struct worker_pool_report {
    const void *message; /* WORKER_MESSAGE: valid until the next call */
    size_t size;
    uint32_t part; /* WORKER_FAILED: the part that the member was working on */
    int status;    /* WORKER_FAILED: status from waitpid() */
};
enum worker_pool_event worker_pool_wait(struct worker_pool *pool,
                                        struct worker_pool_report *report);
/* Sends a signal once to each member, including members that start later. */
void worker_pool_signal(const struct worker_pool *pool, int signal);
uint64_t worker_pool_counted(const struct worker_pool *pool); /* sum over all members */
uint32_t worker_pool_size(const struct worker_pool *pool);    /* number of running members */
uint32_t worker_pool_limit(const struct worker_pool *pool);

#endif
