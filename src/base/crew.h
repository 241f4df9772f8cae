/* A crew: copies of one process that work at the same time, share the memory that they had when
 * they were made (copy-on-write), and tell one coordinator what they have done. Any member may make
 * another; all are children of the coordinator, and end with it.
 *
 *     struct crew *crew = crew_create(jobs, &err);
 *     int made = crew_fork(crew, first_part);
 *     if (made > 0) { ... crew_send(crew, &message, size); ... crew_leave(crew, 0); }
 *     while ((event = crew_wait(crew, ...)) != CREW_DONE) ...
 *
 * A part is a number of what the member works on, for the coordinator's messages. */
#ifndef AETIUS_BASE_CREW_H
#define AETIUS_BASE_CREW_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { CREW_MAX = 64, CREW_MESSAGE_BYTES = 131072 };

struct crew;

/* At most `limit` members (CREW_MAX at most) at a time. */
struct crew *crew_create(uint32_t limit, struct error *err);
void crew_destroy(struct crew *crew);

/* 1 in the new member, 0 in the one that called; -1 when there is no place, or no process (then
 * `err` says so; it is "" when all places are taken). */
int crew_fork(struct crew *crew, uint32_t part, struct error *err);

/* In a member. */
void crew_works_on(struct crew *crew, uint32_t part);
void crew_count(struct crew *crew); /* one piece of work done */
bool crew_send(struct crew *crew, const void *message,
               size_t size); /* CREW_MESSAGE_BYTES or less */
noreturn void crew_leave(struct crew *crew, int status);

/* No part from this one on is to be begun any more. */
void crew_stop_at(struct crew *crew, uint32_t part);
bool crew_may_begin(const struct crew *crew, uint32_t part);

/* In the coordinator. */
enum crew_event {
    CREW_NOTHING, /* for a fifth of a second */
    CREW_MESSAGE,
    CREW_FAILED, /* a member was ended by a signal, or left with a status of its own */
    CREW_DONE,   /* none is left, and all messages were taken */
};
struct crew_report {
    const void *message; /* MESSAGE: lives until the next call */
    size_t size;
    uint32_t part; /* FAILED: what it worked on */
    int status;    /* FAILED: as waitpid() gives it */
};
enum crew_event crew_wait(struct crew *crew, struct crew_report *report);
void crew_signal(const struct crew *crew, int signal); /* to each member once, also to later ones */
uint64_t crew_counted(const struct crew *crew);        /* by all members */
uint32_t crew_size(const struct crew *crew);           /* members at work */
uint32_t crew_limit(const struct crew *crew);

#endif
