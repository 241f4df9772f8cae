/* Dead draws are found as a compiler finds dead stores: the work of the trace is listed forwards,
 * with what it reads, writes and clears as a whole, and then walked backwards with the set of
 * resources whose contents are still going to be seen. Only draws are judged: transfers, clears,
 * copies and blits are always done. */
#include "trace/needed_draws.h"

#include "gfx/state.h"
#include "trace/live_state_internal.h"
#include "trace/virgl_protocol.h"

#include <stdlib.h>
#include <string.h>

enum { STAGES = 2, SLOTS = 32 };

enum work_kind {
    WORK_DRAW,  /* writes and reads */
    WORK_CLEAR, /* overwrites */
    WORK_COPY,  /* writes the first, reads the second */
    WORK_READ,  /* is seen */
    WORK_ALL,   /* all of memory is seen */
    WORK_FRAME, /* a frame ends here */
};

struct work {
    uint8_t kind;
    bool wanted;     /* in a frame that is wanted */
    bool effect;     /* besides its pixels */
    uint8_t written; /* the first of its resources: what a draw writes */
    uint8_t count;
    uint32_t first; /* of its resources in the list */
};

struct needed_draws {
    VEC(uint8_t) bits;
};

struct finder {
    struct live_state *state;
    bool in_wanted;
    VEC(struct work) works;
    VEC(uint32_t) resources;
};

static void
begin_work(struct finder *finder, enum work_kind kind, bool wanted)
{
    VEC_PUSH(&finder->works, ((struct work){.kind = (uint8_t)kind,
                                            .wanted = wanted,
                                            .first = (uint32_t)finder->resources.count}));
}

static void
add_resource(struct finder *finder, const struct live_resource *resource)
{
    if (!resource || finder->works.items[finder->works.count - 1].count == UINT8_MAX)
        return;
    VEC_PUSH(&finder->resources, resource->number);
    finder->works.items[finder->works.count - 1].count++;
}

static bool
has_objects(const struct live_sub_context *sub, uint32_t command)
{
    const struct live_binding *binding = live_binding_of(sub, command, 0, 0);
    return binding && binding->objects.count;
}

static bool
query_is_open(const struct live_sub_context *sub)
{
    for (size_t i = 0; i < sub->objects.capacity; i++) {
        const struct live_object *object = sub->objects.slots[i].value;
        if (object && object->begun)
            return true;
    }
    return false;
}

static void
add_draw(struct finder *finder, const struct live_sub_context *sub)
{
    const struct live_binding *binding = live_binding_of(sub, CMD_SET_FRAMEBUFFER_STATE, 0, 0);
    begin_work(finder, WORK_DRAW, finder->in_wanted);
    finder->works.items[finder->works.count - 1].effect =
        has_objects(sub, CMD_SET_STREAMOUT_TARGETS) || query_is_open(sub);
    for (size_t i = 0; binding && i < binding->objects.count; i++)
        add_resource(finder, binding->objects.items[i]->resource);
    struct work *work = &finder->works.items[finder->works.count - 1];
    work->written = work->count;
    for (uint32_t stage = 0; stage < STAGES; stage++)
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            binding = live_binding_of(sub, CMD_SET_SAMPLER_VIEWS, stage, slot);
            if (binding && binding->objects.count)
                add_resource(finder, binding->objects.items[0]->resource);
        }
}

/* A clear fills the one slice of a surface, all of it: is that all that the resource has? */
static bool
clears_all(const struct live_object *surface, uint32_t buffers, uint32_t color)
{
    const struct live_resource *resource = surface->resource;
    const struct format_info *format = resource ? format_get(resource->desc.format) : NULL;
    if (!format || resource->desc.last_level || resource->desc.depth > 1 ||
        resource->desc.array_size > 1 || resource->desc.target == TARGET_BUFFER)
        return false;
    uint32_t all = (format->depth_bits ? (uint32_t)MASK_DEPTH : 0) |
                   (format->stencil_bits ? (uint32_t)MASK_STENCIL : 0);
    if (all == 0)
        all = (uint32_t)MASK_COLOR0 << color;
    return (buffers & all) == all;
}

static void
add_clear(struct finder *finder, const struct live_work *work)
{
    const struct live_binding *binding =
        live_binding_of(work->sub_context, CMD_SET_FRAMEBUFFER_STATE, 0, 0);
    const struct submit_walk *walk = work->walk;
    if (!binding || walk->length == 0 || has_objects(work->sub_context, CMD_SET_RENDER_CONDITION))
        return;
    begin_work(finder, WORK_CLEAR, false);
    /* Behind the header: count, depth, color 0, 1, ... */
    for (uint32_t i = 2; i < binding->dwords.count; i++)
        for (size_t k = 0; k < binding->objects.count; k++) {
            const struct live_object *surface = binding->objects.items[k];
            if (surface->handle == binding->dwords.items[i] &&
                clears_all(surface, submit_walk_dword(walk, 0), i > 2 ? i - 3 : 0))
                add_resource(finder, surface->resource);
        }
}

static void
add_copy(struct finder *finder, const struct live_work *work, uint32_t to, uint32_t from)
{
    if (work->walk->length <= from)
        return;
    const struct handle_map *resources = &work->client->resources;
    const struct live_resource *dst = handle_map_get(resources, submit_walk_dword(work->walk, to));
    const struct live_resource *src =
        handle_map_get(resources, submit_walk_dword(work->walk, from));
    if (!dst || !src)
        return;
    begin_work(finder, WORK_COPY, finder->in_wanted);
    add_resource(finder, dst);
    add_resource(finder, src);
}

static bool
is_display(const struct resource_desc *desc)
{
    return desc->bind & (BIND_DISPLAY_TARGET | BIND_SCANOUT);
}

static bool
same_picture(const struct resource_desc *a, const struct resource_desc *b)
{
    return a->width == b->width && a->height == b->height && a->format == b->format &&
           a->target == b->target;
}

/* Whether what is shown in `back` may be brought into `front` (gfx/context_present.c, which knows
 * more of both when it does that: here what may be counts). */
static bool
may_be_front(const struct resource_desc *back, const struct resource_desc *front)
{
    return is_display(back) && is_display(front) && front->handle > back->handle &&
           same_picture(back, front) && back->samples == front->samples;
}

static bool
may_be_twin(const struct resource_desc *front, const struct resource_desc *twin)
{
    return is_display(front) && twin->samples > 1 && same_picture(front, twin);
}

static void
add_show(struct finder *finder, const struct live_resource *from, const struct live_resource *to)
{
    begin_work(finder, WORK_COPY, finder->in_wanted);
    add_resource(finder, to);
    add_resource(finder, from);
}

static void
add_shows_of(struct finder *finder, const struct live_client *client,
             const struct live_resource *from, const struct live_resource *made, bool twins)
{
    for (size_t i = 0; i < client->resources.capacity; i++) {
        const struct live_resource *to = client->resources.slots[i].value;
        if (!to || to == from || (made && to != made))
            continue;
        if (twins ? may_be_twin(&from->desc, &to->desc) : may_be_front(&from->desc, &to->desc))
            add_show(finder, from, to);
    }
}

/* What the GPU copies by itself when a picture is shown, or when a front surface is made (`made`):
 * into front surfaces, and from them into their multisampled twins. */
static void
add_shows(struct finder *finder, uint32_t client_number, const struct live_resource *shown,
          const struct live_resource *made)
{
    const struct live_client *client = live_state_client(finder->state, client_number);
    for (int twins = 0; client && twins < 2; twins++)
        for (size_t i = 0; i < client->resources.capacity; i++) {
            const struct live_resource *from = client->resources.slots[i].value;
            if (from && is_display(&from->desc) && (twins || !shown || from == shown))
                add_shows_of(finder, client, from, twins ? NULL : made, twins != 0);
        }
}

static void
take_work(void *data, const struct live_work *work)
{
    struct finder *finder = data;
    switch (work->walk->command) {
    case CMD_DRAW_VBO: add_draw(finder, work->sub_context); break;
    case CMD_CLEAR: add_clear(finder, work); break;
    case CMD_BLIT: add_copy(finder, work, 3, 12); break;
    case CMD_RESOURCE_COPY_REGION: add_copy(finder, work, 0, 5); break;
    default: break;
    }
}

static void
see_all(struct finder *finder)
{
    begin_work(finder, WORK_ALL, true);
}

/* Lists the work of all frames up to the last one that is wanted. */
static bool
list_work(struct finder *finder, struct trace_reader *reader, const struct frame_set *wanted,
          bool whole_state, struct error *err)
{
    uint32_t frame = 0, last = frame_set_last(wanted);
    struct message message;
    bool end = false;
    while (frame <= last) {
        if (!trace_reader_next(reader, &message, &end, err))
            return false;
        if (end)
            break;
        bool was_wanted = finder->in_wanted;
        finder->in_wanted = frame_set_has(wanted, frame);
        if (whole_state && finder->in_wanted && !was_wanted)
            see_all(finder);
        live_state_take(finder->state, &message);
        if ((message_ends_frame(&message) || message.kind == MESSAGE_GET) && finder->in_wanted) {
            const struct live_resource *read =
                live_state_resource(finder->state, message.client, message.transfer.handle);
            begin_work(finder, WORK_READ, true);
            add_resource(finder, read);
        }
        const struct live_resource *made = live_state_new_resource(finder->state);
        if (made && is_display(&made->desc))
            add_shows(finder, message.client, NULL, made);
        if (message_ends_frame(&message)) {
            const struct live_resource *shown =
                live_state_resource(finder->state, message.client, message.transfer.handle);
            frame++;
            begin_work(finder, WORK_FRAME, false);
            const bool is_wanted = finder->in_wanted;
            finder->in_wanted = frame_set_has(wanted, frame); /* the next frame copies */
            if (shown && message.kind == MESSAGE_SWAP)
                add_shows(finder, message.client, shown, NULL);
            finder->in_wanted = is_wanted;
        }
    }
    return true;
}

static bool
any_seen(const bool *seen, const uint32_t *resources, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (seen[resources[i]])
            return true;
    return false;
}

static void
mark_seen(bool *seen, const uint32_t *resources, uint32_t count, bool value)
{
    for (uint32_t i = 0; i < count; i++)
        seen[resources[i]] = value;
}

/* What is still going to be seen, of each resource: by the frame itself, and by the frames behind
 * it. Where wanted frames are not drawn each for itself the two are one. */
struct sight {
    bool *own, *later;
    uint32_t count;
    bool apart;
};

/* Before the first command of a frame its own sight is that of a later frame. */
static void
join_sights(struct sight *sight)
{
    for (uint32_t r = 0; r < sight->count; r++) {
        sight->later[r] |= sight->own[r];
        sight->own[r] = false;
    }
}

/* Work that writes the first of its resources, and reads all: seen, and by whom? Returns whether
 * those who walk past the frame need it. */
static bool
look_at(struct sight *sight, const struct work *work, const uint32_t *list, uint32_t written)
{
    const bool wanted = work->wanted && sight->apart;
    const bool needed =
        work->effect || (work->wanted && !sight->apart) || any_seen(sight->later, list, written);
    if (needed)
        mark_seen(sight->later, list, work->count, true);
    if (wanted)
        mark_seen(sight->own, list, work->count, true);
    return needed;
}

/* Backwards; draws are counted down from their number. */
static void
judge(const struct finder *finder, struct sight *sight, uint64_t draws, struct needed_draws *needed)
{
    for (size_t i = finder->works.count; i-- > 0;) {
        const struct work *work = &finder->works.items[i];
        const uint32_t *list = finder->resources.items + work->first;
        switch ((enum work_kind)work->kind) {
        case WORK_ALL:
            for (uint32_t r = 0; r < sight->count; r++)
                sight->later[r] = true;
            break;
        case WORK_FRAME: join_sights(sight); break;
        case WORK_READ:
            mark_seen(sight->apart ? sight->own : sight->later, list, work->count, true);
            break;
        case WORK_CLEAR:
            mark_seen(sight->own, list, work->count, false);
            mark_seen(sight->later, list, work->count, false);
            break;
        case WORK_COPY: look_at(sight, work, list, 1); break;
        case WORK_DRAW:
            draws--;
            if (look_at(sight, work, list, work->written))
                needed->bits.items[draws / 8] |= (uint8_t)(1u << draws % 8);
            break;
        }
    }
}

static bool
find(struct needed_draws **out, struct trace_reader *reader, const struct frame_set *wanted,
     bool whole_state, bool apart, struct error *err)
{
    struct finder finder = {.state = live_state_create()};
    struct needed_draws *needed = NULL;
    finder.state->work = take_work;
    finder.state->work_data = &finder;
    bool ok = list_work(&finder, reader, wanted, whole_state, err);
    if (ok) {
        uint64_t draws = 0;
        for (size_t i = 0; i < finder.works.count; i++)
            draws += finder.works.items[i].kind == WORK_DRAW;
        needed = mem_alloc(sizeof *needed);
        VEC_RESERVE(&needed->bits, draws / 8 + 1);
        needed->bits.count = draws / 8 + 1;
        memset(needed->bits.items, 0, needed->bits.count);
        struct sight sight = {.count = finder.state->resource_count, .apart = apart};
        sight.own = mem_alloc(sight.count + 1);
        sight.later = mem_alloc(sight.count + 1);
        judge(&finder, &sight, draws, needed);
        free(sight.own);
        free(sight.later);
    }
    live_state_destroy(finder.state);
    VEC_FREE(&finder.works);
    VEC_FREE(&finder.resources);
    *out = needed;
    return ok && trace_reader_rewind(reader, err);
}

bool
needed_draws_find(struct needed_draws **needed, struct trace_reader *reader,
                  const struct frame_set *wanted, bool whole_state, struct error *err)
{
    return find(needed, reader, wanted, whole_state, false, err);
}

bool
needed_draws_find_later(struct needed_draws **needed, struct trace_reader *reader,
                        const struct frame_set *wanted, struct error *err)
{
    return find(needed, reader, wanted, false, true, err);
}

void
needed_draws_destroy(struct needed_draws *needed)
{
    if (!needed)
        return;
    VEC_FREE(&needed->bits);
    free(needed);
}

bool
needed_draws_has(const struct needed_draws *needed, uint64_t draw)
{
    return !needed || draw / 8 >= needed->bits.count ||
           (needed->bits.items[draw / 8] >> draw % 8 & 1);
}
