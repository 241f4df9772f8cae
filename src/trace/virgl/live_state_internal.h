/* Inside the live state: what live_state.c keeps and live_state_write.c writes out. */
#ifndef AETIUS_TRACE_LIVE_STATE_INTERNAL_H
#define AETIUS_TRACE_LIVE_STATE_INTERNAL_H

#include "base/handles.h"
#include "trace/virgl/live_state.h"
#include "trace/virgl/packets.h"
#include "trace/virgl/submit.h"

struct live_object {
    uint32_t handle, type;
    uint32_t
        number; /* of a query: it is numbered as resources are, and no resource has its number */
    uint64_t made, destroyed; /* destroyed 0: the handle is alive */
    uint64_t begun;           /* of an active query: its BEGIN_QUERY; else 0 */
    size_t begun_index;       /* of an active query: in the list of these */
    uint64_t mark;
    struct live_resource *resource; /* that it looks at, or NULL */
    VEC(uint32_t) dwords;           /* the packets that made it, headers included */
};

/* The last packet that set a state, or a slot of one; the packet holds one slot only then. */
struct live_binding {
    uint64_t made, kept_bytes;
    VEC(uint32_t) dwords;
    VEC(struct live_object *) objects;
    VEC(struct live_resource *) resources;
};

/* How a packet sets slots from a first one on. */
struct live_slots {
    bool are_objects;      /* of a stage, AT_SAMPLERS_STAGE; each slot is a handle */
    uint32_t first, begin; /* dword with the first slot's number, which the slots follow */
    uint32_t each;         /* dwords of a slot; 0: the packet sets none */
};
struct live_slots live_slots_of(uint32_t command);

struct live_sub_context {
    uint32_t id;
    uint64_t made;
    struct handle_map objects; /* alive; destroyed ones that something may hold are in ghosts */
    VEC(struct live_object *) ghosts;
    VEC(struct live_object *) begun; /* the queries that are active */
    struct handle_map bindings;      /* by binding_key() */
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

/* A packet that does work, as it is followed: told to who asks. */
struct live_work {
    struct live_client *client;
    struct live_sub_context *sub_context;
    const struct submit_walk *walk;
};

struct live_state {
    void (*work)(void *data, const struct live_work *work); /* NULL: nobody asks */
    void *work_data;
    VEC(struct live_client *) clients;
    uint64_t now;              /* counts what is said */
    uint64_t mark;             /* of the last sweep */
    uint64_t kept_bytes;       /* of the host, for what is there */
    struct budget_share share; /* as much of it as was told */
    uint32_t number_count;     /* of resources and queries */
    struct live_resource *newest;
    struct live_used *used; /* NULL: nobody watches */
};

/* Dword i behind the first header of what made an object; 0: there is none. */
static inline uint32_t
live_object_dword(const struct live_object *object, uint32_t i)
{
    return 1 + i < object->dwords.count ? object->dwords.items[1 + i] : 0;
}

/* The client that is connected under that number, or NULL. */
struct live_client *live_state_client(struct live_state *state, uint32_t number);

/* What a packet of that command set last, of a stage (or object type) and a slot; or NULL. */
const struct live_binding *live_binding_of(const struct live_sub_context *sub, uint32_t command,
                                           uint32_t stage, uint32_t slot);

/* Frees the ghosts that nothing holds. */
void live_state_sweep(struct live_state *state);

#endif
