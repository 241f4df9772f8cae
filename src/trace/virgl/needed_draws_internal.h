/* Internals of the search for needed draws: the list of accesses, which needed_draws_list.c creates
 * and needed_draws.c analyses. An access reads, writes or overwrites planes. Resources have planes.
 * Queries also have a plane, to which draws add. */
#ifndef AETIUS_TRACE_NEEDED_DRAWS_INTERNAL_H
#define AETIUS_TRACE_NEEDED_DRAWS_INTERNAL_H

#include "trace/virgl/live_state_internal.h"
#include "trace/virgl/needed_draws.h"

/* Planes per number (live_state.h). Stencil has a separate plane, because a clear may affect only
 * the stencil or only the depth of a resource. */
enum { PLANE_FIRST, PLANE_STENCIL, PLANES };

enum access_kind {
    ACCESS_DRAW,  /* modifies its written planes, and reads the others */
    ACCESS_CLEAR, /* overwrites its planes */
    ACCESS_COPY,  /* modifies or overwrites its written planes, and reads the others */
    ACCESS_READ,  /* its planes are read outside the GPU */
    ACCESS_STATE, /* start of a range of wanted frames; `whole`: all memory is read */
    ACCESS_FRAME, /* end of a frame */
};

struct plane_access {
    uint8_t kind;
    bool wanted; /* is in a wanted frame */
    bool whole;
    uint32_t written; /* number of written planes, which are listed first */
    uint32_t count;   /* number of planes; they follow those of the previous access */
};

#define ACCESS_LIST_MAX_BYTES ((uint64_t)1 << 30) /* limit of host memory, without a budget */
struct access_list {
    struct live_state *state;
    struct budget_share share; /* memory of both lists */
    bool in_wanted;
    bool full;
    VEC(struct plane_access) accesses;
    VEC(uint32_t) planes;
};

/* Lists the work of all frames up to the last wanted one. If `whole_state` is true, all memory
 * counts as read at the start of each range. If `read_back` is not NULL, the resources that it
 * contains for a range count as overwritten at the start of that range. */
bool access_list_make(struct access_list *list, struct trace_reader *reader,
                      const struct frame_set *wanted, bool whole_state,
                      struct trace_reader *read_back, struct error *err);
void access_list_fini(struct access_list *list);

#endif
