/* Finds dead draws as a compiler finds dead stores. A forward pass lists the accesses of the trace:
 * the planes that each access reads, writes or overwrites completely. A backward scan maintains the
 * set of live planes, whose contents a later access reads. Only draws can be skipped. Transfers,
 * clears, copies and blits are always executed. */
#include "trace/virgl/needed_draws_internal.h"

#include "base/interrupt.h"
#include "base/plural.h"

#include <stdlib.h>
#include <string.h>

struct needed_draws {
    VEC(uint8_t) bits;
    VEC(bool) live; /* per plane, at the start of each range */
    uint32_t planes;
    struct budget_share share; /* host memory of all members */
};

/* How liveness within a wanted frame is separated from liveness in later frames. */
enum separation {
    SEPARATION_NONE,   /* wanted frames are rendered, so all of their accesses are needed */
    SEPARATION_FRAMES, /* each wanted frame is rendered separately */
    SEPARATION_RANGES, /* only the state at the start of each range is needed */
};

/* Live planes: `own` is for the current frame (or range), `later` is for all later ones. */
struct liveness {
    bool *own, *later;
    uint32_t count;
    enum separation separation;
};

static bool
any_live(const bool *live, const uint32_t *planes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (live[planes[i]])
            return true;
    return false;
}

static void
mark_live(bool *live, const uint32_t *planes, uint32_t count, bool value)
{
    for (uint32_t i = 0; i < count; i++)
        live[planes[i]] = value;
}

/* Called when the backward scan leaves a frame (or range) at its first command. The reads of that
 * frame then count as reads of a later frame. */
static void
join_liveness(struct liveness *liveness)
{
    for (uint32_t p = 0; p < liveness->count; p++) {
        liveness->later[p] |= liveness->own[p];
        liveness->own[p] = false;
    }
}

/* Processes one access. An access writes its first `written` planes and reads the others. It also
 * reads the written planes, unless it overwrites them. Returns whether the access is needed even if
 * its frame is not rendered. */
static bool
visit_access(struct liveness *liveness, const struct plane_access *access, const uint32_t *planes)
{
    const uint32_t read_from = access->whole ? access->written : 0;
    const bool is_separate = liveness->separation != SEPARATION_NONE;
    const bool needed =
        (access->wanted && !is_separate) || any_live(liveness->later, planes, access->written);
    if (access->whole) {
        mark_live(liveness->own, planes, access->written, false);
        mark_live(liveness->later, planes, access->written, false);
    }
    if (needed)
        mark_live(liveness->later, planes + read_from, access->count - read_from, true);
    if (access->wanted && is_separate)
        mark_live(liveness->own, planes + read_from, access->count - read_from, true);
    return needed;
}

/* Stores the live planes of a range. The scan reaches the ranges from last to first. */
static void
begin_range(struct liveness *liveness, const struct plane_access *access,
            struct needed_draws *needed)
{
    join_liveness(liveness);
    if (access->whole)
        memset(liveness->later, true, liveness->count);
    needed->live.count -= liveness->count;
    memcpy(needed->live.items + needed->live.count, liveness->later, liveness->count);
}

/* Position of the backward scan. */
struct countdown {
    const struct frame_set *wanted;
    uint32_t warm_up;
    uint32_t distance; /* number of frames up to the next wanted frame */
    uint64_t draws, frame;
};

static void
enter_frame(struct countdown *at)
{
    at->frame--;
    at->distance = frame_set_has(at->wanted, (uint32_t)at->frame) ? 0 : at->distance + 1;
}

static void
scan_backwards(const struct access_list *list, struct countdown *at, struct liveness *liveness,
               struct needed_draws *needed)
{
    const uint32_t *planes = list->planes.items + list->planes.count;
    enter_frame(at); /* the messages after the last frame */
    for (size_t i = list->accesses.count; i-- > 0 && !interrupt_pending();) {
        const struct plane_access *access = &list->accesses.items[i];
        planes -= access->count;
        switch ((enum access_kind)access->kind) {
        case ACCESS_STATE: begin_range(liveness, access, needed); break;
        case ACCESS_FRAME:
            enter_frame(at);
            if (liveness->separation == SEPARATION_FRAMES)
                join_liveness(liveness);
            break;
        case ACCESS_READ:
            mark_live(liveness->separation ? liveness->own : liveness->later, planes, access->count,
                      true);
            break;
        case ACCESS_CLEAR:
            mark_live(liveness->own, planes, access->count, false);
            mark_live(liveness->later, planes, access->count, false);
            break;
        case ACCESS_COPY: visit_access(liveness, access, planes); break;
        case ACCESS_DRAW:
            at->draws--;
            if (at->distance <= at->warm_up && visit_access(liveness, access, planes))
                needed->bits.items[at->draws / 8] |= (uint8_t)(1u << at->draws % 8);
            break;
        }
    }
}

static size_t
count_of(const struct access_list *list, enum access_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < list->accesses.count; i++)
        count += list->accesses.items[i].kind == kind;
    return count;
}

static struct needed_draws *
find_needed(const struct access_list *list, const struct frame_set *wanted, uint32_t warm_up,
            enum separation separation)
{
    struct needed_draws *needed = mem_alloc(sizeof *needed);
    struct liveness liveness = {.count = PLANES * list->state->number_count,
                                .separation = separation};
    const size_t draws = count_of(list, ACCESS_DRAW), frames = count_of(list, ACCESS_FRAME);
    const size_t live = count_of(list, ACCESS_STATE) * liveness.count;
    needed->planes = liveness.count;
    VEC_RESERVE(&needed->bits, draws / 8 + 1);
    needed->bits.count = draws / 8 + 1;
    memset(needed->bits.items, 0, needed->bits.count);
    VEC_RESERVE(&needed->live, live + 1);
    needed->live.count = live;
    liveness.own = mem_alloc(liveness.count + 1);
    liveness.later = mem_alloc(liveness.count + 1);
    scan_backwards(list, &(struct countdown){wanted, warm_up, 0, draws, frames + 1}, &liveness,
                   needed);
    free(liveness.own);
    free(liveness.later);
    needed->live.count = live;
    return needed;
}

/* Reserves memory for the live planes of all resources and queries, for each range. */
static bool
has_room_for_liveness(const struct access_list *list, struct budget_share *share, struct error *err)
{
    const uint64_t planes = PLANES * (uint64_t)list->state->number_count;
    const size_t ranges = count_of(list, ACCESS_STATE);
    return budget_set(share, planes * (ranges + 2) + count_of(list, ACCESS_DRAW) / 8, err) ||
           fail_prefix(err, "%u resources and queries, in %zu range%s of frames",
                       list->state->number_count, ranges, plural(ranges));
}

static bool
find_needed_draws(struct needed_draws **needed, struct trace_reader *reader,
                  const struct frame_set *wanted, uint32_t warm_up, enum separation separation,
                  struct trace_reader *read_back, struct error *err)
{
    struct access_list list;
    const bool whole_state = separation == SEPARATION_RANGES && !read_back;
    struct budget_share share = {.budget = trace_reader_budget(reader),
                                 .most_bytes = ACCESS_LIST_MAX_BYTES};
    *needed = NULL;
    if (!trace_reader_rewind(reader, err))
        return false;
    const bool ok = access_list_make(&list, reader, wanted, whole_state, read_back, err) &&
                    has_room_for_liveness(&list, &share, err);
    *needed = ok ? find_needed(&list, wanted, warm_up, separation) : NULL;
    if (ok)
        (*needed)->share = share;
    access_list_fini(&list);
    if (*needed && interrupt_check(err) && trace_reader_rewind(reader, err) &&
        (!read_back || trace_reader_rewind(read_back, err)))
        return true;
    needed_draws_destroy(*needed);
    *needed = NULL;
    return false;
}

bool
needed_draws_find(struct needed_draws **needed, struct trace_reader *reader,
                  const struct frame_set *wanted, uint32_t warm_up, struct error *err)
{
    return find_needed_draws(needed, reader, wanted, warm_up, SEPARATION_NONE, NULL, err);
}

bool
needed_draws_find_later(struct needed_draws **needed, struct trace_reader *reader,
                        const struct frame_set *wanted, uint32_t warm_up, struct error *err)
{
    return find_needed_draws(needed, reader, wanted, warm_up, SEPARATION_FRAMES, NULL, err);
}

bool
needed_draws_find_states(struct needed_draws **needed, struct trace_reader *reader,
                         const struct frame_set *wanted, uint32_t warm_up,
                         struct trace_reader *read_back, struct error *err)
{
    return find_needed_draws(needed, reader, wanted, warm_up, SEPARATION_RANGES, read_back, err);
}

void
needed_draws_destroy(struct needed_draws *needed)
{
    if (!needed)
        return;
    VEC_FREE(&needed->bits);
    VEC_FREE(&needed->live);
    budget_move(&needed->share, NULL);
    free(needed);
}

bool
needed_draws_has(const struct needed_draws *needed, uint64_t draw)
{
    return !needed || draw / 8 >= needed->bits.count ||
           (needed->bits.items[draw / 8] >> draw % 8 & 1);
}

uint64_t
needed_draws_count(const struct needed_draws *needed)
{
    uint64_t count = 0;
    for (size_t i = 0; i < needed->bits.count; i++)
        count += (uint64_t)__builtin_popcount(needed->bits.items[i]);
    return count;
}

bool
needed_draws_is_live(const struct needed_draws *needed, uint32_t range, uint32_t resource)
{
    const uint64_t plane = PLANES * (uint64_t)resource;
    if ((range + UINT64_C(1)) * needed->planes > needed->live.count ||
        plane + PLANES > needed->planes)
        return true;
    const bool *live = needed->live.items + (uint64_t)range * needed->planes + plane;
    return live[PLANE_FIRST] || live[PLANE_STENCIL];
}
