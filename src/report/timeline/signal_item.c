#include "report/timeline/signal_item.h"

#include "unit/watch.h"

static void
take_quad(struct signal_item *to, const struct quad *quad)
{
    if (!quad)
        return;
    to->triangle = quad->triangle->number;
    to->x = quad->x;
    to->y = quad->y;
}

static const char *
name_of(enum item_kind kind, const char *name)
{
    return kind == ITEM_DATA ? name : kind == ITEM_END ? "end" : "restart";
}

static void
take_vertex(struct signal_item *to, const struct vertex_item *item)
{
    to->name = name_of(item->kind, "vertex");
    if (item->kind == ITEM_DATA)
        to->vertex = item->vertex->index;
}

static void
take_primitive(struct signal_item *to, const struct primitive_item *item)
{
    to->name = name_of(item->kind, "primitive");
    if (item->kind == ITEM_DATA)
        to->triangle = item->number;
}

static void
take_tile(struct signal_item *to, const struct tile_item *item)
{
    to->name = name_of(item->kind, "tile");
    if (item->kind != ITEM_DATA)
        return;
    to->triangle = item->triangle->number;
    to->x = item->x;
    to->y = item->y;
}

static void
take_request(struct signal_item *to, const struct memory_request *item)
{
    to->name = item->write ? "write" : "read";
    to->address = item->address;
}

struct signal_item
signal_item(enum traffic_kind kind, const void *item)
{
    struct signal_item to = {.name = "",
                             SIGNAL_UNKNOWN,
                             SIGNAL_UNKNOWN,
                             SIGNAL_UNKNOWN,
                             SIGNAL_UNKNOWN,
                             SIGNAL_UNKNOWN,
                             SIGNAL_UNKNOWN,
                             SIGNAL_UNKNOWN};
    const struct triangle_item *triangle = item;
    const struct quad_item *quad = item;
    const struct texture_item *texture = item;
    const struct draw *draw = traffic_draw(kind, item);
    if (draw)
        to.draw = draw->number;
    switch (kind) {
    case TRAFFIC_DRAW: to.name = "draw"; break;
    case TRAFFIC_VERTEX: take_vertex(&to, item); break;
    case TRAFFIC_PRIMITIVE: take_primitive(&to, item); break;
    case TRAFFIC_JOB:
        to.name = "primitive";
        to.triangle = ((const struct geometry_item *)item)->job->number;
        break;
    case TRAFFIC_TRIANGLE:
        to.name = name_of(triangle->kind, "triangle");
        if (triangle->kind == ITEM_DATA)
            to.triangle = triangle->triangle->number;
        break;
    case TRAFFIC_TILE: take_tile(&to, item); break;
    case TRAFFIC_QUAD:
        to.name = name_of(quad->kind, "quad");
        take_quad(&to, quad->kind == ITEM_DATA ? quad->quad : NULL);
        break;
    case TRAFFIC_GROUP:
        to.name = "group";
        to.thread_group = ((const struct group_item *)item)->group->number;
        break;
    case TRAFFIC_TEXTURE:
        to.name = "texture";
        to.thread_group = texture->group->number;
        take_quad(&to, watch_quad_of(texture));
        break;
    case TRAFFIC_REQUEST: take_request(&to, item); break;
    case TRAFFIC_REPLY:
        to.name = "reply";
        to.address = ((const struct memory_reply *)item)->address;
        break;
    case TRAFFIC_ORDER: to.name = "order"; break;
    case TRAFFIC_DONE: to.name = "done"; break;
    case TRAFFIC_UPDATE: to.name = "update"; break;
    }
    return to;
}
