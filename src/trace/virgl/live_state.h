/* The live state at a point of a trace, stored as the dwords that created it. It has the clients,
 * their resources, and per sub-context the objects and bindings. An object keeps the packets that
 * created it. A binding keeps the last packet per state, stage or slot. Written in stream order,
 * these messages bring a new GPU to the same state. So no state needs an encoder.
 *
 * Dead objects are left out. A destroyed object that is still bound, or a resource that such an
 * object uses, is created and destroyed again. */
#ifndef AETIUS_TRACE_LIVE_STATE_H
#define AETIUS_TRACE_LIVE_STATE_H

#include "base/budget.h"
#include "base/mem.h"
#include "trace/message.h"

struct live_resource {
    struct resource_desc desc;
    /* number: index over all resources and queries that the trace ever created, from 0 */
    uint32_t client, number;
    uint32_t address;       /* in simulated memory; 0: unknown */
    uint64_t made, dropped; /* times of creation and destruction; dropped 0: the handle is alive */
    bool written;           /* commands of the GPU may have written to it */
    bool streamed;          /* bound as a stream-out target */
    uint64_t mark;
};

struct live_query {
    uint32_t client, sub_context, handle;
};

struct live_state;
/* Counts the memory of the state in `budget`. Without a budget (NULL) the limit is 512 MiB. */
struct live_state *live_state_create(struct budget *budget);
void live_state_destroy(struct live_state *state);

/* Updates the state by one message. Invalid commands are not errors here: the renderer rejects
 * them. Fails only if the state exceeds its memory limit or a signal arrived. */
bool live_state_take(struct live_state *state, const struct message *message, struct error *err);

/* Returns the resource that the last message created, or NULL. The caller may set its address. */
struct live_resource *live_state_new_resource(struct live_state *state);

/* Returns the resource that the client's handle refers to, or NULL. */
const struct live_resource *live_state_resource(struct live_state *state, uint32_t client,
                                                uint32_t handle);

/* Returns whether any client is connected. */
bool live_state_holds_client(const struct live_state *state);

/* Set of resources that commands used, by number. */
struct live_used {
    bool *items;
    size_t count, capacity;
};

/* Starts to add the resources that commands use to `used`, beginning with the resources bound now.
 * NULL stops it. The caller frees `used` with VEC_FREE(). */
void live_state_watch(struct live_state *state, struct live_used *used);
void live_used_add(struct live_used *used, uint32_t number);
bool live_used_has(const struct live_used *used, uint32_t number);

/* Callbacks of live_state_write(). `write` gets each message. `contents` writes the contents of a
 * resource, directly after its creation. `result` gets each query, at the end. */
struct live_writer {
    void *data;
    bool (*write)(void *data, const struct message *message, struct error *err);
    bool (*contents)(void *data, const struct live_resource *resource, struct error *err);
    bool (*result)(void *data, const struct live_query *query, struct error *err);
};
bool live_state_write(struct live_state *state, const struct live_writer *writer,
                      struct error *err);

#endif
