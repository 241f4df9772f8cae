/* Dead draws are found as a compiler finds dead stores: the work of the trace is listed forwards,
 * with what it reads, writes and overwrites as a whole, and then walked backwards with the set of
 * planes whose contents are still going to be seen. Only draws are judged: transfers, clears,
 * copies and blits are always done. */
#include "trace/virgl/needed_draws_internal.h"

#include "base/interrupt.h"

#include <stdlib.h>
#include <string.h>

struct needed_draws {
    VEC(uint8_t) bits;
    VEC(bool) seen; /* at the start of each range, by plane */
    uint32_t planes;
    struct budget_share share; /* of the host, for all of this */
};

/* Whose sight is kept apart from that of later frames. */
enum apart {
    APART_NONE,   /* wanted frames are drawn: all of their work is needed */
    APART_FRAMES, /* each is drawn for itself */
    APART_RANGES, /* only the state at the start of each range is wanted */
};

/* What is still going to be seen, of each plane: by the frame (range) itself, and by what comes
 * behind it. */
struct sight {
    bool *own, *later;
    uint32_t count;
    enum apart apart;
};

static bool
any_seen(const bool *seen, const uint32_t *planes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (seen[planes[i]])
            return true;
    return false;
}

static void
mark_seen(bool *seen, const uint32_t *planes, uint32_t count, bool value)
{
    for (uint32_t i = 0; i < count; i++)
        seen[planes[i]] = value;
}

/* Before the first command of a frame (range) its own sight is that of a later one. */
static void
join_sights(struct sight *sight)
{
    for (uint32_t p = 0; p < sight->count; p++) {
        sight->later[p] |= sight->own[p];
        sight->own[p] = false;
    }
}

/* Work that writes the first of its planes, and sees the others; the first too, unless it
 * overwrites them. Returns whether those who walk past the frame need it. */
static bool
look_at(struct sight *sight, const struct work *work, const uint32_t *planes)
{
    const uint32_t read_from = work->whole ? work->written : 0;
    const bool apart = sight->apart != APART_NONE;
    const bool needed = (work->wanted && !apart) || any_seen(sight->later, planes, work->written);
    if (work->whole) {
        mark_seen(sight->own, planes, work->written, false);
        mark_seen(sight->later, planes, work->written, false);
    }
    if (needed)
        mark_seen(sight->later, planes + read_from, work->count - read_from, true);
    if (work->wanted && apart)
        mark_seen(sight->own, planes + read_from, work->count - read_from, true);
    return needed;
}

/* Ranges are met from the last on. */
static void
begin_range(struct sight *sight, const struct work *work, struct needed_draws *needed)
{
    join_sights(sight);
    if (work->whole)
        memset(sight->later, true, sight->count);
    needed->seen.count -= sight->count;
    memcpy(needed->seen.items + needed->seen.count, sight->later, sight->count);
}

/* Where a walk backwards stands: behind so many draws, in a frame. */
struct countdown {
    const struct frame_set *wanted;
    uint32_t warm_up;
    uint32_t distance; /* in frames, to the next one that is wanted */
    uint64_t draws, frame;
};

static void
enter_frame(struct countdown *at)
{
    at->frame--;
    at->distance = frame_set_has(at->wanted, (uint32_t)at->frame) ? 0 : at->distance + 1;
}

static void
judge(const struct work_list *list, struct countdown *at, struct sight *sight,
      struct needed_draws *needed)
{
    const uint32_t *planes = list->planes.items + list->planes.count;
    enter_frame(at); /* that of what comes behind the last end of a frame */
    for (size_t i = list->works.count; i-- > 0 && !interrupt_pending();) {
        const struct work *work = &list->works.items[i];
        planes -= work->count;
        switch ((enum work_kind)work->kind) {
        case WORK_STATE: begin_range(sight, work, needed); break;
        case WORK_FRAME:
            enter_frame(at);
            if (sight->apart == APART_FRAMES)
                join_sights(sight);
            break;
        case WORK_READ:
            mark_seen(sight->apart ? sight->own : sight->later, planes, work->count, true);
            break;
        case WORK_CLEAR:
            mark_seen(sight->own, planes, work->count, false);
            mark_seen(sight->later, planes, work->count, false);
            break;
        case WORK_COPY: look_at(sight, work, planes); break;
        case WORK_DRAW:
            at->draws--;
            if (at->distance <= at->warm_up && look_at(sight, work, planes))
                needed->bits.items[at->draws / 8] |= (uint8_t)(1u << at->draws % 8);
            break;
        }
    }
}

static size_t
count_of(const struct work_list *list, enum work_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < list->works.count; i++)
        count += list->works.items[i].kind == kind;
    return count;
}

static struct needed_draws *
judge_all(const struct work_list *list, const struct frame_set *wanted, uint32_t warm_up,
          enum apart apart)
{
    struct needed_draws *needed = mem_alloc(sizeof *needed);
    struct sight sight = {.count = PLANES * list->state->number_count, .apart = apart};
    const size_t draws = count_of(list, WORK_DRAW), frames = count_of(list, WORK_FRAME);
    const size_t seen = count_of(list, WORK_STATE) * sight.count;
    needed->planes = sight.count;
    VEC_RESERVE(&needed->bits, draws / 8 + 1);
    needed->bits.count = draws / 8 + 1;
    memset(needed->bits.items, 0, needed->bits.count);
    VEC_RESERVE(&needed->seen, seen + 1);
    needed->seen.count = seen;
    sight.own = mem_alloc(sight.count + 1);
    sight.later = mem_alloc(sight.count + 1);
    judge(list, &(struct countdown){wanted, warm_up, 0, draws, frames + 1}, &sight, needed);
    free(sight.own);
    free(sight.later);
    needed->seen.count = seen;
    return needed;
}

/* What each range sees is noted for all that was ever created. */
static bool
has_room(const struct work_list *list, struct budget_share *share, struct error *err)
{
    const uint64_t planes = PLANES * (uint64_t)list->state->number_count;
    const size_t ranges = count_of(list, WORK_STATE);
    return budget_set(share, planes * (ranges + 2) + count_of(list, WORK_DRAW) / 8, err) ||
           fail_prefix(err, "%u resources and queries, in %zu ranges of frames",
                       list->state->number_count, ranges);
}

static bool
find(struct needed_draws **needed, struct trace_reader *reader, const struct frame_set *wanted,
     uint32_t warm_up, enum apart apart, struct trace_reader *read_back, struct error *err)
{
    struct work_list list;
    const bool whole_state = apart == APART_RANGES && !read_back;
    struct budget_share share = {.budget = trace_reader_budget(reader),
                                 .most_bytes = WORK_MAX_BYTES};
    const bool ok = work_list_make(&list, reader, wanted, whole_state, read_back, err) &&
                    has_room(&list, &share, err);
    *needed = ok ? judge_all(&list, wanted, warm_up, apart) : NULL;
    if (ok)
        (*needed)->share = share;
    work_list_fini(&list);
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
    return find(needed, reader, wanted, warm_up, APART_NONE, NULL, err);
}

bool
needed_draws_find_later(struct needed_draws **needed, struct trace_reader *reader,
                        const struct frame_set *wanted, uint32_t warm_up, struct error *err)
{
    return find(needed, reader, wanted, warm_up, APART_FRAMES, NULL, err);
}

bool
needed_draws_find_states(struct needed_draws **needed, struct trace_reader *reader,
                         const struct frame_set *wanted, uint32_t warm_up,
                         struct trace_reader *read_back, struct error *err)
{
    return find(needed, reader, wanted, warm_up, APART_RANGES, read_back, err);
}

void
needed_draws_destroy(struct needed_draws *needed)
{
    if (!needed)
        return;
    VEC_FREE(&needed->bits);
    VEC_FREE(&needed->seen);
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
needed_draws_sees(const struct needed_draws *needed, uint32_t range, uint32_t resource)
{
    const uint64_t plane = PLANES * (uint64_t)resource;
    if ((range + UINT64_C(1)) * needed->planes > needed->seen.count ||
        plane + PLANES > needed->planes)
        return true;
    const bool *seen = needed->seen.items + (uint64_t)range * needed->planes + plane;
    return seen[PLANE_FIRST] || seen[PLANE_STENCIL];
}
