#include "report/timeline/signals.h"

#include "base/log.h"
#include "base/schema.h"
#include "report/run/csv.h"
#include "sim/traffic.h"
#include "unit/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Cycles before the first row in which queues are observed, so that rows of items that leave name
 * the item. An item that entered earlier is found in its queue. */
enum { WARM_UP_CYCLES = 1024 };

#define UNKNOWN UINT64_MAX

struct signal_item {
    const char *name;
    uint64_t draw, triangle, vertex, x, y, thread_group, address; /* UNKNOWN: an empty field */
};

struct signals {
    struct csv *csv;
    char *path;
    struct simulation *sim;
    struct traffic traffic;
    uint64_t first;
    uint64_t rows;
    VEC(struct signal_item) items; /* items in the queues; their tags are indices plus 1 */
    VEC(uint64_t) free;            /* unused tags */
    bool failed;
    struct error err; /* valid if `failed` */
};

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

/* Copies the fields, because the objects of an item change after it leaves the queue. */
static struct signal_item
signal_item(enum traffic_kind kind, const void *item)
{
    struct signal_item to = {
        .name = "", UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN};
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

static void
put_number(struct csv *csv, uint64_t number)
{
    if (number == UNKNOWN)
        csv_text(csv, "");
    else
        csv_number(csv, number);
}

/* The name of a queue with several instances is "groups[3]". */
static void
put_queue(struct csv *csv, const struct queue *queue)
{
    const size_t length = strcspn(queue->name, "[");
    char name[sizeof queue->name];
    snprintf(name, sizeof name, "%.*s", (int)length, queue->name);
    csv_text(csv, name);
    csv_number(csv, queue->name[length] ? strtoull(queue->name + length + 1, NULL, 10) : 0);
}

static void
put_row(struct signals *s, const struct queue *queue, const char *direction,
        const struct signal_item *item, uint64_t now)
{
    if (now < s->first || s->failed)
        return;
    csv_number(s->csv, AETIUS_SCHEMA);
    csv_number(s->csv, s->sim->frame);
    csv_number(s->csv, now);
    put_queue(s->csv, queue);
    csv_text(s->csv, direction);
    csv_text(s->csv, item->name);
    put_number(s->csv, item->draw);
    put_number(s->csv, item->triangle);
    put_number(s->csv, item->vertex);
    put_number(s->csv, item->x);
    put_number(s->csv, item->y);
    put_number(s->csv, item->thread_group);
    put_number(s->csv, item->address);
    csv_end_row(s->csv);
    s->rows++;
}

static uint64_t
on_sent(void *data, const struct traffic_queue *queue, const void *item, uint64_t now)
{
    struct signals *s = data;
    const struct signal_item described = signal_item(queue->kind, item);
    put_row(s, queue->queue, "in", &described, now);
    if (!s->free.count) {
        VEC_PUSH(&s->items, described);
        return s->items.count;
    }
    const uint64_t tag = s->free.items[--s->free.count];
    s->items.items[tag - 1] = described;
    return tag;
}

static void
on_taken(void *data, const struct traffic_queue *queue, uint64_t tag, uint64_t now)
{
    struct signals *s = data;
    put_row(s, queue->queue, "out", &s->items.items[tag - 1], now);
    VEC_PUSH(&s->free, tag);
}

/* A failed write, for example on a full disk, ends the table but not the run. signals_destroy()
 * reports it. */
static void
on_cycle(void *data, uint64_t now)
{
    struct signals *s = data;
    (void)now;
    s->failed = s->failed || !csv_write(s->csv, &s->err);
}

/* csv_create() replaces the file at its path. */
static bool
check_path(const char *path, struct error *err)
{
    struct stat st;
    return lstat(path, &st) || S_ISREG(st.st_mode) ||
           fail(err, "%s exists and is not a regular file", path);
}

struct signals *
signals_create(const char *path, struct simulation *sim, uint64_t first, uint64_t last,
               struct error *err)
{
    struct csv *csv = check_path(path, err)
                          ? csv_create(path,
                                       "schema,frame,cycle,queue,instance,direction,item,draw,"
                                       "triangle,vertex,x,y,thread_group,address",
                                       err)
                          : NULL;
    if (!csv)
        return NULL;
    struct signals *s = mem_alloc(sizeof *s);
    s->csv = csv;
    s->path = mem_strdup(path);
    s->sim = sim;
    s->first = first;
    traffic_begin(&s->traffic, sim->machine,
                  &(struct traffic_listener){s, on_sent, on_taken, on_cycle},
                  first > WARM_UP_CYCLES ? first - WARM_UP_CYCLES : 0, last);
    return s;
}

bool
signals_destroy(struct signals *s, struct error *err)
{
    if (!s)
        return true;
    bool ok = true;
    traffic_end(&s->traffic);
    if (s->failed) {
        csv_abandon(s->csv);
        ok = fail(err, "%s", s->err.text);
    } else if (s->rows) {
        ok = csv_destroy(s->csv, err);
    } else {
        csv_abandon(s->csv);
        log_warning("%s was not written: no item entered or left a queue from cycle %" PRIu64
                    ", and the run ended at %" PRIu64,
                    s->path, s->first, s->sim->machine->clock.now);
    }
    VEC_FREE(&s->items);
    VEC_FREE(&s->free);
    free(s->path);
    free(s);
    return ok;
}
