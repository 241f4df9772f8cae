/* The live state at a point of a trace, stored as the dwords that created it. It consists of the
 * clients, their resources, and the objects and bindings of each sub-context. For an object it
 * stores the packets that created the object. For a binding it stores the last packet per state,
 * stage or slot. A new GPU that executes these messages in stream order reaches the same state.
 * Therefore no kind of state needs an encoder.
 *
 * Dead objects are omitted. A destroyed object that is still bound is created and destroyed again.
 * The same applies to a destroyed resource that such an object uses. */
#ifndef AETIUS_TRACE_LIVE_STATE_H
#define AETIUS_TRACE_LIVE_STATE_H

#include "base/budget.h"
#include "base/mem.h"
#include "trace/message.h"

struct live_resource {
    struct resource_desc desc;
    /* `number` is an index, from 0, over all resources and queries that the trace has ever
     * created. */
    uint32_t client, number;
    uint32_t address;       /* address in simulated memory; 0: unknown */
    uint64_t made, dropped; /* times of creation and destruction; dropped 0: not destroyed */
    bool written;           /* GPU commands may have written to it */
    bool streamed;          /* it has been bound as a stream-out target */
    uint64_t mark;
};

struct live_query { /* or a stream output target */
    uint32_t client, sub_context, handle;
};

struct live_state;
/* Counts the host memory of the state in `budget`. Without a budget (NULL) the limit is 512 MiB. */
struct live_state *live_state_create(struct budget *budget);
void live_state_destroy(struct live_state *state);

/* Updates the state for one message. Invalid commands are not errors here, because the renderer
 * rejects them. Fails only if the state exceeds its memory limit or a signal arrives. */
bool live_state_take(struct live_state *state, const struct message *message, struct error *err);

/* Returns the resource that the last message created, or NULL. The caller may set its address. */
struct live_resource *live_state_new_resource(struct live_state *state);

/* Returns the resource with the client's handle, or NULL. */
const struct live_resource *live_state_resource(struct live_state *state, uint32_t client,
                                                uint32_t handle);

/* Returns whether at least one client is connected. */
bool live_state_holds_client(const struct live_state *state);

/* Set of the resources that commands used, indexed by their number. */
struct live_used {
    bool *items;
    size_t count, capacity;
};

/* Starts to record the resources that commands use in `used`, beginning with those bound now. NULL
 * stops the recording. The caller frees `used` with VEC_FREE(). */
void live_state_watch(struct live_state *state, struct live_used *used);
void live_used_add(struct live_used *used, uint32_t number);
bool live_used_has(const struct live_used *used, uint32_t number);

/* Callbacks of live_state_write(). `write` is called for each message. `contents` is called
 * directly after the creation of a resource and writes its contents. `result` is called for each
 * query and stream output target, at the end. */
struct live_writer {
    void *data;
    bool (*write)(void *data, const struct message *message, struct error *err);
    bool (*contents)(void *data, const struct live_resource *resource, struct error *err);
    bool (*result)(void *data, const struct live_query *query, struct error *err);
};
bool live_state_write(struct live_state *state, const struct live_writer *writer,
                      struct error *err);

#endif
