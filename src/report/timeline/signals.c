#include "report/timeline/signals.h"

#include "base/log.h"
#include "base/schema.h"
#include "report/run/csv.h"
#include "report/timeline/signal_item.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Cycles before the first row in which queues are observed, so that rows of items that leave name
 * the item. An item that entered earlier is found in its queue. */
enum { WARM_UP_CYCLES = 1024 };

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
put_number(struct csv *csv, uint64_t number)
{
    if (number == SIGNAL_UNKNOWN)
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
signals_destroy(struct signals *s, bool is_complete, struct error *err)
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
        if (is_complete)
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
