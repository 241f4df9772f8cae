/* Inside the search for needed draws: the list of accesses that needed_draws_list.c makes and
 * needed_draws.c analyses. What is read, written and overwritten are planes: of resources, and of
 * queries, which count what is drawn. */
#ifndef AETIUS_TRACE_NEEDED_DRAWS_INTERNAL_H
#define AETIUS_TRACE_NEEDED_DRAWS_INTERNAL_H

#include "trace/virgl/live_state_internal.h"
#include "trace/virgl/needed_draws.h"

/* Two a number (live_state.h): stencils are cleared apart from the depth that they lie beside. */
enum { PLANE_FIRST, PLANE_STENCIL, PLANES };

enum access_kind {
    ACCESS_DRAW,  /* changes what it writes, and reads */
    ACCESS_CLEAR, /* overwrites */
    ACCESS_COPY,  /* changes what it writes, or overwrites it, and reads the rest */
    ACCESS_READ,  /* is seen */
    ACCESS_STATE, /* a range of wanted frames begins here; whole: all of memory is seen */
    ACCESS_FRAME, /* a frame ends here */
};

struct plane_access {
    uint8_t kind;
    bool wanted; /* in a frame that is wanted */
    bool whole;
    uint32_t written; /* how many of its planes, from the first on */
    uint32_t count;   /* of its planes: they follow those of the access before it in the list */
};

#define ACCESS_LIST_MAX_BYTES ((uint64_t)1 << 30) /* of the host, without a budget */
struct access_list {
    struct live_state *state;
    struct budget_share share; /* what is listed */
    bool in_wanted;
    bool full;
    VEC(struct plane_access) accesses;
    VEC(uint32_t) planes;
};

/* Lists the work of all frames up to the last one that is wanted. `whole_state`: at the start of
 * each range all of memory is seen. `read_back` or NULL: what each range's part of it holds is
 * overwritten there. */
bool access_list_make(struct access_list *list, struct trace_reader *reader,
                      const struct frame_set *wanted, bool whole_state,
                      struct trace_reader *read_back, struct error *err);
void access_list_fini(struct access_list *list);

#endif
