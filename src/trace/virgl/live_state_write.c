/* Writes the live state as messages in stream order: live objects, and the ghosts that they use.
 * Packets are collected in a SUBMIT, which is sent before each message about a resource. */
#include "trace/virgl/live_state_internal.h"

#include <stdlib.h>
#include <string.h>

enum { SUBMIT_DWORDS = 16384 }; /* size at which a SUBMIT is sent, as in Mesa */

struct event {
    uint64_t when;
    uint32_t order; /* order of the bindings of one packet: the key of the binding */
    enum event_kind {
        EVENT_RESOURCE,
        EVENT_UNREF,
        EVENT_SUB_CONTEXT,
        EVENT_OBJECT,
        EVENT_BINDING,
        EVENT_BEGIN_QUERY,
        EVENT_DESTROY,
    } kind;
    const struct live_sub_context *sub;
    union {
        const struct live_resource *resource;
        const struct live_object *object;
        const struct live_binding *binding;
    };
};

struct state_writer {
    const struct live_writer *out;
    const struct live_client *client;
    VEC(struct event) events;
    VEC(uint32_t) dwords; /* dwords of the current SUBMIT */
    uint32_t sub_context; /* sub-context of the dwords so far */
    uint64_t slots_of;    /* time of the packet that set the slots of the last binding; 0: none */
    size_t slots_at;      /* index in `dwords` of the packet that sets these slots */
};

static void
list_resource(struct state_writer *w, const struct live_resource *resource)
{
    VEC_PUSH(
        &w->events,
        ((struct event){.when = resource->made, .kind = EVENT_RESOURCE, .resource = resource}));
    if (resource->dropped)
        VEC_PUSH(
            &w->events,
            ((struct event){.when = resource->dropped, .kind = EVENT_UNREF, .resource = resource}));
}

static void
list_object(struct state_writer *w, const struct live_sub_context *sub,
            const struct live_object *object)
{
    struct event event = {.sub = sub, .object = object};
    event.when = object->made;
    event.kind = EVENT_OBJECT;
    VEC_PUSH(&w->events, event);
    if (object->begun) {
        event.when = object->begun;
        event.kind = EVENT_BEGIN_QUERY;
        VEC_PUSH(&w->events, event);
    }
    if (object->destroyed) {
        event.when = object->destroyed;
        event.kind = EVENT_DESTROY;
        VEC_PUSH(&w->events, event);
    }
}

static void
list_sub_context(struct state_writer *w, const struct live_sub_context *sub)
{
    if (sub->id)
        VEC_PUSH(&w->events,
                 ((struct event){.when = sub->made, .kind = EVENT_SUB_CONTEXT, .sub = sub}));
    for (size_t i = 0; i < sub->objects.capacity; i++)
        if (sub->objects.slots[i].value)
            list_object(w, sub, sub->objects.slots[i].value);
    for (size_t i = 0; i < sub->ghosts.count; i++)
        list_object(w, sub, sub->ghosts.items[i]);
    for (size_t i = 0; i < sub->bindings.capacity; i++) {
        const struct live_binding *binding = sub->bindings.slots[i].value;
        if (binding)
            VEC_PUSH(&w->events, ((struct event){.when = binding->made,
                                                 .order = sub->bindings.slots[i].handle,
                                                 .kind = EVENT_BINDING,
                                                 .sub = sub,
                                                 .binding = binding}));
    }
}

static int
compare_events(const void *left, const void *right)
{
    const struct event *a = left, *b = right;
    if (a->when != b->when)
        return a->when < b->when ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static bool
flush_commands(struct state_writer *w, struct error *err)
{
    struct message message = {.kind = MESSAGE_SUBMIT,
                              .client = w->client->number,
                              .bytes = (const uint8_t *)w->dwords.items,
                              .size_bytes = (uint32_t)(w->dwords.count * 4)};
    if (w->dwords.count == 0)
        return true;
    w->dwords.count = 0;
    w->slots_of = 0;
    return w->out->write(w->out->data, &message, err);
}

static void
append_dwords(struct state_writer *w, const uint32_t *dwords, size_t count)
{
    w->slots_of = 0;
    VEC_RESERVE(&w->dwords, w->dwords.count + count);
    memcpy(w->dwords.items + w->dwords.count, dwords, count * 4);
    w->dwords.count += count;
}

static void
append_command(struct state_writer *w, uint32_t command, uint32_t object, uint32_t value)
{
    append_dwords(w, (const uint32_t[]){packet_header(command, object, 1), value}, 2);
}

static void
enter(struct state_writer *w, uint32_t sub_context)
{
    if (w->sub_context != sub_context)
        append_command(w, CMD_SET_SUB_CTX, 0, sub_context);
    w->sub_context = sub_context;
}

/* Returns the number of the slot after the last slot of the packet. */
static uint32_t
slot_after(const struct live_slots *slots, const uint32_t *packet)
{
    return packet[1 + slots->first] + (header_length(packet[0]) - slots->begin) / slots->each;
}

/* Appends a binding. Slots that came from one packet are merged into one packet again. A renderer
 * may unset the slots after the last one in a packet. */
static void
append_binding(struct state_writer *w, const struct live_binding *binding)
{
    const uint32_t *dwords = binding->dwords.items;
    const struct live_slots slots = live_slots_of(header_command(dwords[0]));
    uint32_t *last = w->dwords.items ? w->dwords.items + w->slots_at : NULL;
    if (slots.each && w->slots_of == binding->made &&
        slot_after(&slots, last) == dwords[1 + slots.first]) {
        last[0] += packet_header(0, 0, slots.each);
        append_dwords(w, dwords + 1 + slots.begin, slots.each);
    } else {
        w->slots_at = w->dwords.count;
        append_dwords(w, dwords, binding->dwords.count);
    }
    w->slots_of = slots.each ? binding->made : 0;
}

static bool
write_resource(struct state_writer *w, const struct live_resource *resource, struct error *err)
{
    const struct live_writer *out = w->out;
    struct message place = {.kind = MESSAGE_ADDRESS, .client = resource->client};
    struct message create = {.kind = MESSAGE_RESOURCE_CREATE, .client = resource->client};
    place.placement.address = resource->address;
    create.resource = resource->desc;
    return flush_commands(w, err) && (!resource->address || out->write(out->data, &place, err)) &&
           out->write(out->data, &create, err) && out->contents(out->data, resource, err);
}

static bool
write_event(struct state_writer *w, const struct event *event, struct error *err)
{
    struct message unref = {.kind = MESSAGE_RESOURCE_UNREF, .client = w->client->number};
    if (event->kind != EVENT_RESOURCE && event->kind != EVENT_UNREF &&
        event->kind != EVENT_SUB_CONTEXT)
        enter(w, event->sub->id);
    switch (event->kind) {
    case EVENT_RESOURCE: return write_resource(w, event->resource, err);
    case EVENT_UNREF:
        unref.resource.handle = event->resource->desc.handle;
        return flush_commands(w, err) && w->out->write(w->out->data, &unref, err);
    case EVENT_SUB_CONTEXT: append_command(w, CMD_CREATE_SUB_CTX, 0, event->sub->id); break;
    case EVENT_OBJECT:
        append_dwords(w, event->object->dwords.items, event->object->dwords.count);
        break;
    case EVENT_BINDING: append_binding(w, event->binding); break;
    case EVENT_BEGIN_QUERY: append_command(w, CMD_BEGIN_QUERY, 0, event->object->handle); break;
    case EVENT_DESTROY:
        append_command(w, CMD_DESTROY_OBJECT, event->object->type, event->object->handle);
        break;
    }
    return w->dwords.count < SUBMIT_DWORDS || flush_commands(w, err);
}

static bool
write_results(struct state_writer *w, const struct live_sub_context *sub, struct error *err)
{
    for (size_t i = 0; i < sub->objects.capacity; i++) {
        const struct live_object *object = sub->objects.slots[i].value;
        const struct live_query query = {w->client->number, sub->id, object ? object->handle : 0};
        const bool has_result =
            object && (object->type == VOBJ_QUERY || object->type == VOBJ_STREAMOUT_TARGET);
        if (has_result && !w->out->result(w->out->data, &query, err))
            return false;
    }
    return true;
}

static bool
write_client(struct state_writer *w, struct error *err)
{
    const struct live_client *client = w->client;
    struct message begin = {.kind = MESSAGE_CLIENT_BEGIN,
                            .client = client->number,
                            .bytes = (const uint8_t *)client->program,
                            .size_bytes = client->program_bytes};
    for (size_t i = 0; i < client->resources.capacity; i++)
        if (client->resources.slots[i].value)
            list_resource(w, client->resources.slots[i].value);
    for (size_t i = 0; i < client->ghosts.count; i++)
        list_resource(w, client->ghosts.items[i]);
    for (size_t i = 0; i < client->sub_contexts.count; i++)
        list_sub_context(w, client->sub_contexts.items[i]);
    if (w->events.count)
        qsort(w->events.items, w->events.count, sizeof w->events.items[0], compare_events);
    bool ok = w->out->write(w->out->data, &begin, err);
    for (size_t i = 0; ok && i < w->events.count; i++)
        ok = write_event(w, &w->events.items[i], err);
    if (ok) {
        enter(w, client->current->id);
        ok = flush_commands(w, err);
    }
    for (size_t i = 0; ok && i < client->sub_contexts.count; i++)
        ok = write_results(w, client->sub_contexts.items[i], err);
    return ok;
}

bool
live_state_write(struct live_state *state, const struct live_writer *writer, struct error *err)
{
    bool ok = true;
    live_state_sweep(state);
    for (size_t i = 0; ok && i < state->clients.count; i++) {
        struct state_writer w = {.out = writer, .client = state->clients.items[i]};
        ok = write_client(&w, err);
        VEC_FREE(&w.events);
        VEC_FREE(&w.dwords);
    }
    return ok;
}
