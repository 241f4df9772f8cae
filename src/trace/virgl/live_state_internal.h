/* Internals of the live state, which live_state.c tracks and live_state_write.c writes. */
#ifndef AETIUS_TRACE_LIVE_STATE_INTERNAL_H
#define AETIUS_TRACE_LIVE_STATE_INTERNAL_H

#include "base/handles.h"
#include "trace/virgl/live_state.h"
#include "trace/virgl/packets.h"
#include "trace/virgl/submit.h"

struct live_object {
    uint32_t handle, type;
    /* Number of a query, from the same sequence as the numbers of resources. */
    uint32_t number;
    uint64_t made, destroyed; /* destroyed 0: not destroyed */
    uint64_t begun;           /* active query: time of its BEGIN_QUERY; otherwise 0 */
    size_t begun_index;       /* active query: its index in the list `begun` */
    uint64_t mark;
    struct live_resource *resource; /* resource used by the object, or NULL */
    VEC(uint32_t) dwords;           /* packets that created the object, with headers */
};

/* The last packet that set a state or a slot. A packet for several slots is split into one binding
 * per slot. */
struct live_binding {
    uint64_t made, kept_bytes;
    VEC(uint32_t) dwords;
    VEC(struct live_object *) objects;
    VEC(struct live_resource *) resources;
};

/* Layout of a packet that sets consecutive slots. */
struct live_slots {
    bool are_objects;      /* slots are handles; the stage is at AT_SAMPLERS_STAGE */
    uint32_t first, begin; /* dwords of the first slot's number and of its value */
    uint32_t each;         /* dwords per slot; 0: the packet sets no slots */
};
struct live_slots live_slots_of(uint32_t command);

struct live_sub_context {
    uint32_t id;
    uint64_t made;
    /* Objects that are not destroyed. Destroyed objects that may still be in use are in
     * `ghosts`. */
    struct handle_map objects;
    VEC(struct live_object *) ghosts;
    VEC(struct live_object *) begun; /* active queries */
    struct handle_map bindings;      /* key: binding_key() */
};

struct live_client {
    uint32_t number;
    char *program;
    uint32_t program_bytes;
    struct handle_map resources;
    VEC(struct live_resource *) ghosts;
    VEC(struct live_sub_context *) sub_contexts;
    struct live_sub_context *current;
};

/* A packet that does work. It is the argument of the callback live_state.work. */
struct live_work {
    struct live_client *client;
    struct live_sub_context *sub_context;
    const struct submit_walk *walk;
};

struct live_state {
    void (*work)(void *data, const struct live_work *work); /* NULL: no callback */
    void *work_data;
    VEC(struct live_client *) clients;
    uint64_t now;              /* time: the number of messages and packets so far */
    uint64_t mark;             /* number of the last sweep */
    uint64_t kept_bytes;       /* host memory of the whole state */
    struct budget_share share; /* budget for kept_bytes */
    uint32_t number_count;     /* number of resources and queries so far */
    struct live_resource *newest;
    struct live_used *used; /* NULL: uses are not recorded */
};

/* Returns payload dword `i` of the packet that created the object, or 0 if the packet is
 * shorter. */
static inline uint32_t
live_object_dword(const struct live_object *object, uint32_t i)
{
    return 1 + i < object->dwords.count ? object->dwords.items[1 + i] : 0;
}

/* Returns the connected client with this number, or NULL. */
struct live_client *live_state_client(struct live_state *state, uint32_t number);

/* Returns the binding that a command has set for a stage (or object type) and a slot, or NULL. */
const struct live_binding *live_binding_of(const struct live_sub_context *sub, uint32_t command,
                                           uint32_t stage, uint32_t slot);

/* Frees destroyed objects and resources that are no longer in use. */
void live_state_sweep(struct live_state *state);

#endif
