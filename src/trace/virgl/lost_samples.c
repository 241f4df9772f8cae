#include "trace/virgl/lost_samples.h"

#include "trace/virgl/live_state.h"
#include "trace/virgl/needed_draws.h"

#include <stdio.h>

struct lost_resource {
    uint32_t number, handle; /* number: see live_state.h */
    struct resource_desc desc;
};

struct lost_list {
    struct lost_resource *items;
    size_t count, capacity;
};

static void
note(struct lost_list *list, struct live_state *state, const struct message *message)
{
    const struct live_resource *resource =
        live_state_resource(state, message->client, message->contents.handle);
    /* CONTENTS of another level of the previous resource */
    const bool again =
        list->count && resource && list->items[list->count - 1].number == resource->number;
    if (resource && resource->desc.samples > 1 && format_get(resource->desc.format) && !again)
        VEC_PUSH(list, ((struct lost_resource){resource->number, message->contents.handle,
                                               resource->desc}));
}

/* Lists the multisampled resources whose contents precede the first frame of the trace. */
static bool
list_contents(struct lost_list *list, struct trace_reader *reader, struct error *err)
{
    struct live_state *state = live_state_create(trace_reader_budget(reader));
    struct message message;
    bool end = false, restoring = false, ok;
    do {
        ok = trace_reader_next(reader, &message, &end, err) &&
             (end || live_state_take(state, &message, err));
        if (!ok || end)
            break;
        if (message.kind == MESSAGE_STATE)
            restoring = message.state.begins;
        else if (message.kind == MESSAGE_CONTENTS)
            note(list, state, &message);
    } while (restoring);
    live_state_destroy(state);
    return ok && trace_reader_rewind(reader, err);
}

/* Describes the listed resources that the frames may read. */
static void
describe_lost(const struct lost_list *list, const struct needed_draws *needed, struct error *lost)
{
    const struct lost_resource *first = NULL;
    uint32_t more = 0;
    char others[32] = "";
    for (size_t i = 0; i < list->count; i++) {
        if (!needed_draws_is_live(needed, 0, list->items[i].number))
            continue;
        more += first != NULL;
        first = first ? first : &list->items[i];
    }
    if (!first)
        return;
    if (more)
        snprintf(others, sizeof others, " and %u more", more);
    fail(lost,
         "the frames may see what resource %u (%s, %ux%u, %u samples)%s held before them, and "
         "virgl_test_server cannot be given samples",
         first->handle, format_get(first->desc.format)->name, first->desc.width, first->desc.height,
         first->desc.samples, others);
}

bool
lost_samples_find(struct trace_reader *reader, uint32_t last, struct error *lost, struct error *err)
{
    const struct frame_set drawn = {.ranges = {{0, last}}, .count = 1};
    struct needed_draws *needed = NULL;
    struct lost_list list = {0};
    *lost = (struct error){""};
    bool ok = list_contents(&list, reader, err);
    if (ok && list.count && (ok = needed_draws_find(&needed, reader, &drawn, WARM_UP_ALL, err)))
        describe_lost(&list, needed, lost);
    needed_draws_destroy(needed);
    VEC_FREE(&list);
    return ok;
}
