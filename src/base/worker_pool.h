/* A pool of workers: copies of one process that work at the same time, share the memory that they
 * had when they were made (copy-on-write), and tell one coordinator what they have done. Any member
 * may make another; all are children of the coordinator, and end with it.
 *
 *     struct worker_pool *pool = worker_pool_create(jobs, &err);
 *     int made = worker_pool_fork(pool, first_part);
 *     if (made > 0) { ... worker_pool_send(pool, &message, size); ... worker_pool_leave(pool, 0); }
 *     while ((event = worker_pool_wait(pool, ...)) != WORKER_DONE) ...
 *
 * A part is a number of what the member works on, for the coordinator's messages. */
#ifndef AETIUS_BASE_WORKER_POOL_H
#define AETIUS_BASE_WORKER_POOL_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { WORKER_MAX = 64, WORKER_MESSAGE_BYTES = 131072 };

struct worker_pool;

/* At most `limit` members (WORKER_MAX at most) at a time. */
struct worker_pool *worker_pool_create(uint32_t limit, struct error *err);
void worker_pool_destroy(struct worker_pool *pool);

/* 1 in the new member, 0 in the one that called; -1 when there is no free slot, or no process (then
 * `err` says so; it is "" when all slots are taken). */
int worker_pool_fork(struct worker_pool *pool, uint32_t part, struct error *err);

/* In a member. */
void worker_pool_works_on(struct worker_pool *pool, uint32_t part);
void worker_pool_count(struct worker_pool *pool); /* one piece of work done */
bool worker_pool_send(struct worker_pool *pool, const void *message,
                      size_t size); /* WORKER_MESSAGE_BYTES or less */
noreturn void worker_pool_leave(struct worker_pool *pool, int status);

/* No part from this one on is to be begun any more. */
void worker_pool_stop_at(struct worker_pool *pool, uint32_t part);
bool worker_pool_may_begin(const struct worker_pool *pool, uint32_t part);

/* In the coordinator. */
enum worker_pool_event {
    WORKER_NOTHING, /* for a fifth of a second */
    WORKER_MESSAGE,
    WORKER_FAILED, /* a member was ended by a signal, or left with a status of its own */
    WORKER_DONE,   /* none is left, and all messages were taken */
};
struct worker_pool_report {
    const void *message; /* MESSAGE: lives until the next call */
    size_t size;
    uint32_t part; /* FAILED: what it worked on */
    int status;    /* FAILED: as waitpid() gives it */
};
enum worker_pool_event worker_pool_wait(struct worker_pool *pool,
                                        struct worker_pool_report *report);
void worker_pool_signal(const struct worker_pool *pool,
                        int signal); /* to each member once, also to later ones */
uint64_t worker_pool_counted(const struct worker_pool *pool); /* by all members */
uint32_t worker_pool_size(const struct worker_pool *pool);    /* members at work */
uint32_t worker_pool_limit(const struct worker_pool *pool);

#endif
