/* Lists the planes that the work of a trace reads, writes and overwrites. */
#include "trace/virgl/needed_draws_internal.h"

#include "base/interrupt.h"
#include "trace/virgl/decode.h"
#include "trace/virgl/numbers.h"

enum { BIT_FIRST = 1 << PLANE_FIRST, BIT_STENCIL = 1 << PLANE_STENCIL };

static uint64_t
bytes_of(const struct access_list *list)
{
    return list->accesses.count * sizeof *list->accesses.items +
           list->planes.count * sizeof *list->planes.items;
}

/* Appends an access. Once the list exceeds its budget it is emptied, and access_list_make()
 * fails. */
static struct plane_access *
begin_access(struct access_list *list, enum access_kind kind, bool wanted)
{
    list->full = list->full || !budget_fits(&list->share, bytes_of(list));
    if (list->full)
        list->accesses.count = 0;
    VEC_PUSH(&list->accesses, ((struct plane_access){.kind = (uint8_t)kind, .wanted = wanted}));
    return &list->accesses.items[list->accesses.count - 1];
}

/* Adds planes of a resource or query to the last access. */
static void
add_planes(struct access_list *list, uint32_t number, unsigned planes)
{
    struct plane_access *access = &list->accesses.items[list->accesses.count - 1];
    for (uint32_t plane = 0; plane < PLANES && !list->full; plane++)
        if (planes >> plane & 1) {
            VEC_PUSH(&list->planes, PLANES * number + plane);
            access->count++;
        }
}

/* Returns the planes that the resource has. */
static unsigned
planes_of(const struct live_resource *resource)
{
    const struct format_info *format = format_get(resource->desc.format);
    return format && format->depth_bits && format->stencil_bits ? BIT_FIRST | BIT_STENCIL
                                                                : BIT_FIRST;
}

static void
add_resource(struct access_list *list, const struct live_resource *resource)
{
    if (resource)
        add_planes(list, resource->number, planes_of(resource));
}

static bool
has_objects(const struct live_sub_context *sub, uint32_t command)
{
    const struct live_binding *binding = live_binding_of(sub, command, 0, 0);
    return binding && binding->objects.count;
}

/* Planes of a depth and stencil surface that a draw uses. */
struct depth_use {
    unsigned written, read;
};

static struct depth_use
depth_use(const struct live_sub_context *sub)
{
    const struct live_binding *binding = live_binding_of(sub, CMD_BIND_OBJECT, VOBJ_DSA, 0);
    struct depth_use use = {0, 0};
    if (!binding || !binding->objects.count ||
        binding->objects.items[0]->dwords.count != 1 + LEN_DSA)
        return (struct depth_use){BIT_FIRST | BIT_STENCIL, BIT_FIRST | BIT_STENCIL};
    const struct live_object *dsa = binding->objects.items[0];
    const uint32_t flags = live_object_dword(dsa, AT_DSA_FLAGS);
    const uint32_t stencils =
        live_object_dword(dsa, AT_DSA_STENCIL) | live_object_dword(dsa, AT_DSA_STENCIL + 1);
    const bool tests = bit_field_get(flags, BITS_DSA_DEPTH_ENABLE);
    const bool writes = bit_field_get(flags, BITS_DSA_DEPTH_WRITE);
    const bool has_stencil = bit_field_get(stencils, BITS_DSA_STENCIL_ENABLE);
    if (tests)
        *(writes ? &use.written : &use.read) |= BIT_FIRST;
    if (has_stencil)
        use.written |= BIT_STENCIL;
    return use;
}

/* Maps used planes to those of the resource. A surface with only depth or only stencil has one
 * plane, the first. */
static unsigned
used_planes(const struct live_resource *resource, unsigned use)
{
    return planes_of(resource) == BIT_FIRST ? (use ? (unsigned)BIT_FIRST : 0u) : use;
}

static void
add_surfaces(struct access_list *list, const struct live_binding *framebuffer, unsigned depth,
             bool color)
{
    for (size_t i = 0; framebuffer && i < framebuffer->objects.count; i++) {
        const struct live_resource *resource = framebuffer->objects.items[i]->resource;
        const struct format_info *format = resource ? format_get(resource->desc.format) : NULL;
        if (format && (format->depth_bits || format->stencil_bits))
            add_planes(list, resource->number, used_planes(resource, depth));
        else if (color)
            add_resource(list, resource);
    }
}

/* Returns whether draws add to the query's result. */
static bool
adds_to(const struct live_object *query)
{
    const uint32_t type = live_object_dword(query, AT_QUERY_TYPE);
    if (query->dwords.count <= 1 + AT_QUERY_TYPE)
        return true;
    switch (bit_field_get(type, BITS_QUERY_TYPE)) {
    case VQUERY_OCCLUSION_COUNTER:
    case VQUERY_OCCLUSION_PREDICATE:
    case VQUERY_OCCLUSION_PREDICATE_CONSERVATIVE:
    case VQUERY_PRIMITIVES_GENERATED:
    case VQUERY_PRIMITIVES_EMITTED: return true;
    default: return false;
    }
}

static void
add_query(struct access_list *list, const struct live_object *query)
{
    add_planes(list, query->number, BIT_FIRST);
}

/* Adds the query that determines whether the work is executed. */
static void
add_condition(struct access_list *list, const struct live_sub_context *sub)
{
    const struct live_binding *binding = live_binding_of(sub, CMD_SET_RENDER_CONDITION, 0, 0);
    if (binding && binding->objects.count && binding->objects.items[0]->type == VOBJ_QUERY)
        add_query(list, binding->objects.items[0]);
}

static void
add_buffers(struct access_list *list, const struct live_sub_context *sub, uint32_t command,
            uint32_t stage, uint32_t slot)
{
    const struct live_binding *binding = live_binding_of(sub, command, stage, slot);
    for (size_t i = 0; binding && i < binding->resources.count; i++)
        if (binding->resources.items[i]->streamed)
            add_resource(list, binding->resources.items[i]);
}

static void
add_draw(struct access_list *list, const struct live_sub_context *sub)
{
    const struct live_binding *framebuffer = live_binding_of(sub, CMD_SET_FRAMEBUFFER_STATE, 0, 0);
    const struct live_binding *streamout = live_binding_of(sub, CMD_SET_STREAMOUT_TARGETS, 0, 0);
    const struct depth_use use = depth_use(sub);
    begin_access(list, ACCESS_DRAW, list->in_wanted);
    add_surfaces(list, framebuffer, use.written, true);
    for (size_t i = 0; streamout && i < streamout->objects.count; i++)
        add_resource(list, streamout->objects.items[i]->resource);
    for (size_t i = 0; i < sub->begun.count; i++)
        if (adds_to(sub->begun.items[i]))
            add_query(list, sub->begun.items[i]);
    struct plane_access *access = &list->accesses.items[list->accesses.count - 1];
    access->written = access->count;
    add_surfaces(list, framebuffer, use.read, false);
    add_condition(list, sub);
    add_buffers(list, sub, CMD_SET_VERTEX_BUFFERS, 0, 0);
    add_buffers(list, sub, CMD_SET_INDEX_BUFFER, 0, 0);
    for (uint32_t stage = 0; stage < VSTAGE_COUNT; stage++) {
        if (!decode_stage_is_executed(stage))
            continue;
        for (uint32_t slot = 0; slot < VIRGL_MAX_SLOTS; slot++) {
            add_buffers(list, sub, CMD_SET_CONSTANT_BUFFER, stage, slot);
            const struct live_binding *binding =
                live_binding_of(sub, CMD_SET_SAMPLER_VIEWS, stage, slot);
            if (binding && binding->objects.count)
                add_resource(list, binding->objects.items[0]->resource);
        }
    }
}

static bool
has_one_slice(const struct live_resource *resource)
{
    const struct resource_desc *desc = &resource->desc;
    return desc->last_level == 0 && desc->depth <= 1 && desc->array_size <= 1 &&
           desc->target != TARGET_BUFFER;
}

/* Returns the planes of a surface that a clear overwrites completely. */
static unsigned
cleared_planes(const struct live_resource *resource, uint32_t buffers, uint32_t color)
{
    const struct format_info *format = format_get(resource->desc.format);
    unsigned planes = 0;
    if (!format || !(format->depth_bits || format->stencil_bits))
        return buffers & (uint32_t)MASK_COLOR0 << color ? BIT_FIRST : 0;
    if (!format->stencil_bits || !format->depth_bits)
        return buffers & (format->depth_bits ? MASK_DEPTH : MASK_STENCIL) ? BIT_FIRST : 0;
    if (buffers & MASK_DEPTH)
        planes |= BIT_FIRST;
    if (buffers & MASK_STENCIL)
        planes |= BIT_STENCIL;
    return planes;
}

/* A conditional clear may not be executed. It therefore counts as a copy, which keeps the old
 * contents live. */
static void
add_clear(struct access_list *list, const struct live_work *packet)
{
    const struct live_sub_context *sub = packet->sub_context;
    const struct live_binding *binding = live_binding_of(sub, CMD_SET_FRAMEBUFFER_STATE, 0, 0);
    const bool may_not = has_objects(sub, CMD_SET_RENDER_CONDITION);
    if (!binding || packet->walk->length <= AT_CLEAR_BUFFERS)
        return;
    const uint32_t buffers = virgl_clear_buffers(submit_walk_dword(packet->walk, AT_CLEAR_BUFFERS));
    begin_access(list, may_not ? ACCESS_COPY : ACCESS_CLEAR, may_not && list->in_wanted);
    for (uint32_t i = AT_FRAMEBUFFER_DEPTH; 1 + i < binding->dwords.count; i++) {
        const uint32_t color = i == AT_FRAMEBUFFER_DEPTH ? 0 : i - AT_FRAMEBUFFER_COLORS;
        for (size_t k = 0; k < binding->objects.count; k++) {
            const struct live_object *surface = binding->objects.items[k];
            if (surface->handle != binding->dwords.items[1 + i] || !surface->resource ||
                (!may_not && !has_one_slice(surface->resource)))
                continue;
            add_planes(list, surface->resource->number,
                       cleared_planes(surface->resource, buffers, color));
        }
    }
    struct plane_access *access = &list->accesses.items[list->accesses.count - 1];
    access->written = access->count;
    if (may_not)
        add_condition(list, sub);
}

static void
add_query_event(struct access_list *list, const struct live_work *packet)
{
    const bool begins = packet->walk->command == CMD_BEGIN_QUERY;
    const struct live_object *query =
        packet->walk->length > AT_QUERY_HANDLE
            ? handle_map_get(&packet->sub_context->objects,
                             submit_walk_dword(packet->walk, AT_QUERY_HANDLE))
            : NULL;
    if (!query || query->type != VOBJ_QUERY || !(begins || list->in_wanted))
        return;
    begin_access(list, begins ? ACCESS_CLEAR : ACCESS_READ, list->in_wanted);
    add_query(list, query);
}

/* Adds a copy of planes between resources. `whole`: the copy overwrites `to` completely. */
static void
add_copy(struct access_list *list, const struct live_resource *to, const struct live_resource *from,
         unsigned planes, bool whole)
{
    struct plane_access *access = begin_access(list, ACCESS_COPY, list->in_wanted);
    access->whole = whole && to != from;
    add_planes(list, to->number, planes & planes_of(to));
    access = &list->accesses.items[list->accesses.count - 1];
    access->written = access->count;
    add_resource(list, from);
}

/* Returns whether the box in a packet covers the whole resource. The box may be mirrored. */
static bool
covers(const struct live_work *packet, uint32_t box, const struct live_resource *resource)
{
    const uint32_t extents[] = {resource->desc.width, resource->desc.height};
    for (uint32_t i = 0; i < 2; i++) {
        const int64_t start = (int32_t)submit_walk_dword(packet->walk, box + AT_BOX_X + i);
        const int64_t end =
            start + (int32_t)submit_walk_dword(packet->walk, box + AT_BOX_WIDTH + i);
        if ((start < end ? start : end) > 0 || (start < end ? end : start) < extents[i])
            return false;
    }
    return has_one_slice(resource);
}

/* Returns the planes that the mask of a blit selects. Sets *all if the mask selects all
 * channels. */
static unsigned
blit_planes(const struct submit_walk *walk, const struct live_resource *to, bool *all)
{
    const uint32_t colors = (1u << BITS_BLIT_COLOR.count) - 1;
    const struct format_info *format = format_get(to->desc.format);
    *all = true;
    if (!format || !(format->depth_bits || format->stencil_bits)) {
        *all = submit_walk_field(walk, BITS_BLIT_COLOR) == colors;
        return BIT_FIRST;
    }
    if (planes_of(to) == BIT_FIRST)
        return BIT_FIRST;
    return (submit_walk_field(walk, BITS_BLIT_DEPTH) ? (unsigned)BIT_FIRST : 0u) |
           (submit_walk_field(walk, BITS_BLIT_STENCIL) ? (unsigned)BIT_STENCIL : 0u);
}

static void
add_blit(struct access_list *list, const struct live_work *packet)
{
    const struct handle_map *resources = &packet->client->resources;
    const struct submit_walk *walk = packet->walk;
    if (walk->length < LEN_BLIT)
        return;
    const struct live_resource *to =
        handle_map_get(resources, submit_walk_dword(walk, AT_BLIT_DST + AT_SIDE_RESOURCE));
    const struct live_resource *from =
        handle_map_get(resources, submit_walk_dword(walk, AT_BLIT_SRC + AT_SIDE_RESOURCE));
    if (!to || !from)
        return;
    const bool may_not = submit_walk_field(walk, BITS_BLIT_CONDITION) &&
                         has_objects(packet->sub_context, CMD_SET_RENDER_CONDITION);
    bool all;
    const unsigned planes = blit_planes(walk, to, &all);
    const bool whole = all && !may_not && !submit_walk_field(walk, BITS_BLIT_SCISSOR) &&
                       !submit_walk_field(walk, BITS_BLIT_BLEND) &&
                       covers(packet, AT_BLIT_DST + AT_SIDE_BOX, to);
    add_copy(list, to, from, planes, whole);
    if (may_not)
        add_condition(list, packet->sub_context);
}

static void
add_region(struct access_list *list, const struct live_work *packet)
{
    const struct handle_map *resources = &packet->client->resources;
    const struct submit_walk *walk = packet->walk;
    if (walk->length < LEN_COPY_REGION)
        return;
    const struct live_resource *to =
        handle_map_get(resources, submit_walk_dword(walk, AT_COPY_DST));
    const struct live_resource *from =
        handle_map_get(resources, submit_walk_dword(walk, AT_COPY_SRC));
    if (!to || !from)
        return;
    const uint32_t width = submit_walk_dword(walk, AT_COPY_SRC_BOX + AT_BOX_WIDTH);
    const uint32_t height = submit_walk_dword(walk, AT_COPY_SRC_BOX + AT_BOX_HEIGHT);
    const bool whole = has_one_slice(to) && submit_walk_dword(walk, AT_COPY_DST_X) == 0 &&
                       submit_walk_dword(walk, AT_COPY_DST_Y) == 0 && width >= to->desc.width &&
                       height >= to->desc.height;
    add_copy(list, to, from, BIT_FIRST | BIT_STENCIL, whole);
}

/* Conservative version of the rule in state/context_present.c. */
static bool
may_be_twin(const struct resource_desc *front, const struct resource_desc *twin)
{
    return resource_is_display(front) && twin->samples > 1 && resource_same_picture(front, twin);
}

static void
add_shows_of(struct access_list *list, const struct live_client *client,
             const struct live_resource *from, const struct live_resource *made, bool twins)
{
    for (size_t i = 0; i < client->resources.capacity && !list->full; i++) {
        const struct live_resource *to = client->resources.slots[i].value;
        if (!to || to == from || (made && to != made))
            continue;
        if (twins ? may_be_twin(&from->desc, &to->desc)
                  : resource_may_be_front(&to->desc, &from->desc))
            add_copy(list, to, from, BIT_FIRST | BIT_STENCIL, false);
    }
}

/* Adds the implicit copies by the GPU at a swap, or at the creation of a front surface (`made`).
 * The GPU copies to front surfaces, and from these to their multisampled twins. */
static void
add_shows(struct access_list *list, uint32_t client_number, const struct live_resource *shown,
          const struct live_resource *made)
{
    const struct live_client *client = live_state_client(list->state, client_number);
    for (int twins = 0; client && twins < 2; twins++)
        for (size_t i = 0; i < client->resources.capacity && !interrupt_pending(); i++) {
            const struct live_resource *from = client->resources.slots[i].value;
            if (from && resource_is_display(&from->desc) && (twins || !shown || from == shown))
                add_shows_of(list, client, from, twins ? NULL : made, twins != 0);
        }
}

static void
take_work(void *data, const struct live_work *work)
{
    struct access_list *list = data;
    if (list->full)
        return;
    switch (work->walk->command) {
    case CMD_DRAW_VBO: add_draw(list, work->sub_context); break;
    case CMD_CLEAR: add_clear(list, work); break;
    case CMD_BLIT: add_blit(list, work); break;
    case CMD_RESOURCE_COPY_REGION: add_region(list, work); break;
    case CMD_BEGIN_QUERY:
    case CMD_GET_QUERY_RESULT: add_query_event(list, work); break;
    default: break;
    }
}

/* Adds the accesses at the start of a range. The resources that `read_back` contains for the range
 * count as overwritten. */
static bool
begin_range(struct access_list *list, bool whole_state, struct trace_reader *read_back,
            struct error *err)
{
    struct message message;
    bool end = false;
    while (read_back) {
        if (!trace_reader_next(read_back, &message, &end, err))
            return false;
        if (end || message.kind == MESSAGE_SWAP)
            break;
        begin_access(list, ACCESS_CLEAR, false);
        add_resource(list,
                     live_state_resource(list->state, message.client, message.transfer.handle));
    }
    begin_access(list, ACCESS_STATE, true)->whole = whole_state;
    return true;
}

static void
end_frame(struct access_list *list, const struct message *message, bool next_wanted)
{
    const struct live_resource *shown =
        live_state_resource(list->state, message->client, message->transfer.handle);
    begin_access(list, ACCESS_FRAME, false);
    list->in_wanted = next_wanted; /* the copies below belong to the next frame */
    if (shown && message->kind == MESSAGE_SWAP)
        add_shows(list, message->client, shown, NULL);
}

static bool
has_room_for_accesses(struct access_list *list, struct error *err)
{
    return budget_set(&list->share, list->full ? UINT64_MAX : bytes_of(list), err) ||
           fail_prefix(err, "the list of the draws before these frames");
}

static bool
take_message(struct access_list *list, const struct message *message, struct error *err)
{
    if (!live_state_take(list->state, message, err))
        return false;
    if ((message_ends_frame(message) || message->kind == MESSAGE_GET) && list->in_wanted) {
        begin_access(list, ACCESS_READ, true);
        add_resource(list,
                     live_state_resource(list->state, message->client, message->transfer.handle));
    }
    const struct live_resource *made = live_state_new_resource(list->state);
    if (made && resource_is_display(&made->desc))
        add_shows(list, message->client, NULL, made);
    return has_room_for_accesses(list, err);
}

bool
access_list_make(struct access_list *list, struct trace_reader *reader,
                 const struct frame_set *wanted, bool whole_state, struct trace_reader *read_back,
                 struct error *err)
{
    uint32_t frame = 0, range = 0, last = frame_set_last(wanted);
    struct message message;
    bool end = false, restoring = false;
    struct budget *budget = trace_reader_budget(reader);
    *list = (struct access_list){.state = live_state_create(budget),
                                 .share = {.budget = budget, .most_bytes = ACCESS_LIST_MAX_BYTES}};
    /* Makes `items` non-NULL even if no access has a plane. */
    VEC_RESERVE(&list->planes, 1);
    list->state->work = take_work;
    list->state->work_data = list;
    while (frame <= last) {
        if (!trace_reader_next(reader, &message, &end, err))
            return false;
        if (end)
            break;
        if (message.kind == MESSAGE_STATE)
            restoring = message.state.begins;
        list->in_wanted = frame_set_has(wanted, frame);
        if (range < wanted->count && frame == wanted->ranges[range].first && !restoring &&
            message.kind != MESSAGE_STATE) {
            range++;
            if (!begin_range(list, whole_state, read_back, err))
                return false;
        }
        if (!take_message(list, &message, err))
            return false;
        if (message_ends_frame(&message))
            end_frame(list, &message, frame_set_has(wanted, ++frame));
    }
    return has_room_for_accesses(list, err);
}

void
access_list_fini(struct access_list *list)
{
    live_state_destroy(list->state);
    budget_move(&list->share, NULL);
    VEC_FREE(&list->accesses);
    VEC_FREE(&list->planes);
}
