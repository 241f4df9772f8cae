/* What is alive at a moment of a trace, kept as the dwords that made it: the clients, their
 * resources, and of each sub-context the objects (the packets that created them) and the bindings
 * (the last packet of each state, stage or slot). Written out in the order in which it was first
 * said, it brings a new GPU to the same state; what is dead by then is left out, and what lives on
 * without its handle (a destroyed object that is still bound, the resource behind it) is made and
 * let go again. So this needs no encoder of any state. */
#ifndef AETIUS_TRACE_LIVE_STATE_H
#define AETIUS_TRACE_LIVE_STATE_H

#include "base/budget.h"
#include "base/mem.h"
#include "trace/message.h"

struct live_resource {
    struct resource_desc desc;
    uint32_t client,
        number;       /* 0, 1, ...: of all the resources and queries that the trace ever made */
    uint32_t address; /* in the simulated memory; 0: not known */
    uint64_t made, dropped; /* when; dropped 0: the handle is alive */
    bool written;           /* the GPU may have written into it */
    bool streamed;          /* by stream-out */
    uint64_t mark;
};

struct live_query {
    uint32_t client, sub_context, handle;
};

struct live_state;
/* What is followed takes memory of the host: of the budget, or without one (NULL) 512 MiB at most.
 */
struct live_state *live_state_create(struct budget *budget);
void live_state_destroy(struct live_state *state);

/* Follows one message. What makes no sense is the renderer's to refuse: it fails only when what is
 * followed takes too much of the host's memory, or when a signal came. */
bool live_state_take(struct live_state *state, const struct message *message, struct error *err);

/* The resource that the last message created, or NULL: for its address. */
struct live_resource *live_state_new_resource(struct live_state *state);

/* What the client's handle names now, or NULL. */
const struct live_resource *live_state_resource(struct live_state *state, uint32_t client,
                                                uint32_t handle);

/* Whether any client is connected. */
bool live_state_holds_client(const struct live_state *state);

/* Resources by their number: whether a command used them. */
struct live_used {
    bool *items;
    size_t count, capacity;
};

/* From now on notes which resources commands use; those of what is bound now count. NULL: no
 * longer. VEC_FREE() is the caller's. */
void live_state_watch(struct live_state *state, struct live_used *used);
void live_used_add(struct live_used *used, uint32_t number);
bool live_used_has(const struct live_used *used, uint32_t number);

/* How the state is written out. `write` takes each message; `contents` is asked to write what a
 * resource holds, right behind its creation; `result` is told of each query, at the end. */
struct live_writer {
    void *data;
    bool (*write)(void *data, const struct message *message, struct error *err);
    bool (*contents)(void *data, const struct live_resource *resource, struct error *err);
    bool (*result)(void *data, const struct live_query *query, struct error *err);
};
bool live_state_write(struct live_state *state, const struct live_writer *writer,
                      struct error *err);

#endif
