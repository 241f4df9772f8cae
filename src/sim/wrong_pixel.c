#include "sim/wrong_pixel.h"

#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "unit/watch.h"

#include <string.h>

/* A draw that writes a surface, as executed by the functional renderer. */
struct drawn {
    uint32_t surface; /* its address, as stored in the watch */
    uint32_t number;
    bool covers, reads;
    float before[4], after[4];
};

struct search {
    struct wrong_pixel *pixel;
    const struct wrong_run *run;
    VEC(struct drawn) drawn; /* draws of the frame, in order */
    bool is_drawing;         /* the last element of `drawn` is in progress */
    struct draw_watch hears;
};

/* Effect of one of the machine's draws on the pixel: colors before and after. */
struct written {
    bool is_there; /* the draw wrote color to the pixel */
    float before[4], after[4];
};

/* ---- functional renderer ---- */

static void
read_color(const struct search *search, const struct functional *renderer, const struct draw *draw,
           float rgba[4])
{
    const struct bound_surface *color = &draw->color[0];
    const uint32_t offset = resource_offset(color->res, color->level, search->pixel->x,
                                            search->pixel->y, color->layer, 0);
    color->format->unpack(renderer->device->memory.bytes + color->res->address + offset, 0, 0,
                          rgba);
}

static bool
before(void *data, const struct functional *renderer, const struct draw *draw, struct error *err)
{
    struct search *search = data;
    const struct bound_surface *color = &draw->color[0];
    const struct wrong_pixel *pixel = search->pixel;
    (void)err;
    search->is_drawing = renderer->device->frame == pixel->frame && draw->color_count &&
                         draw_writes_color(draw, 0) && pixel->x < color->width &&
                         pixel->y < color->height;
    if (!search->is_drawing)
        return true;
    struct drawn drawn = {.number = draw->number, .reads = draw_reads_color(draw, 0)};
    drawn.surface =
        color->res->address + resource_offset(color->res, color->level, 0, 0, color->layer, 0);
    read_color(search, renderer, draw, drawn.before);
    VEC_PUSH(&search->drawn, drawn);
    return true;
}

static void
fragments(void *data, uint32_t x, uint32_t y, uint32_t mask)
{
    struct search *search = data;
    const uint32_t f = (search->pixel->x & 1) | (search->pixel->y & 1) << 1;
    if (search->is_drawing && x == (search->pixel->x & ~1u) && y == (search->pixel->y & ~1u) &&
        mask >> f & 1)
        search->drawn.items[search->drawn.count - 1].covers = true;
}

static bool
after(void *data, const struct functional *renderer, const struct draw *draw, struct error *err)
{
    struct search *search = data;
    (void)err;
    if (search->is_drawing)
        read_color(search, renderer, draw, search->drawn.items[search->drawn.count - 1].after);
    search->is_drawing = false;
    return true;
}

/* ---- comparison per draw ---- */

static struct written
written_by(const struct watch *watch, uint32_t surface, uint32_t draw)
{
    struct written written = {0};
    for (size_t i = 0; i < watch->fragments.count; i++) {
        const struct watched_fragment *fragment = &watch->fragments.items[i];
        if (fragment->surface != surface || fragment->draw != draw || !fragment->has_color)
            continue;
        if (!written.is_there)
            memcpy(written.before, fragment->color_before, sizeof written.before);
        written.is_there = true;
        memcpy(written.after, fragment->color_after, sizeof written.after);
    }
    return written;
}

static bool
is_watched(const struct watch *watch, uint32_t surface)
{
    for (uint32_t i = 0; i < watch->surface_count; i++)
        if (watch->surfaces[i].address == surface)
            return true;
    return watch->surface_count < WATCH_SURFACES;
}

/* Whether the pixel was already wrong before the draw, and the draw blended with it or kept it. */
static bool
was_wrong(const struct drawn *drawn, const struct written *written)
{
    return written->is_there &&
           memcmp(written->before, drawn->before, sizeof written->before) != 0 &&
           (drawn->reads || !memcmp(written->before, written->after, sizeof written->after));
}

static void
compare_pixels(struct search *search, const struct watch *watch, uint32_t surface)
{
    struct wrong_pixel *pixel = search->pixel;
    const bool knows = is_watched(watch, surface);
    pixel->cause = WRONG_UNDRAWN;
    for (size_t i = 0; i < search->drawn.count; i++) {
        const struct drawn *drawn = &search->drawn.items[i];
        if (drawn->surface != surface)
            continue;
        const struct written written = written_by(watch, surface, drawn->number);
        const float *left = written.is_there ? written.after : drawn->before;
        if (drawn->covers || written.is_there) {
            pixel->cause = knows ? WRONG_AFTER : WRONG_UNKNOWN;
            pixel->draw = drawn->number;
        }
        if (knows && memcmp(left, drawn->after, sizeof drawn->after) != 0) {
            pixel->cause = was_wrong(drawn, &written) ? WRONG_FOUND : WRONG_WRITTEN;
            pixel->draw = drawn->number;
            return;
        }
    }
}

/* Runs both renderers up to the message that shows the pixel. Sets *surface to the address of the
 * pixel's surface. */
static bool
repeat(struct search *search, struct executor_sink *timed, struct executor_sink *functional,
       struct simulation *twin, uint32_t *surface, struct error *err)
{
    const struct wrong_pixel *pixel = search->pixel;
    struct message message;
    struct progress progress;
    bool end = false, is_last = false, ok = trace_reader_rewind(search->run->reader, err);
    progress_begin(&progress, "searching for the draw: frame", pixel->frame + 1);
    for (uint64_t n = 0; ok && !is_last; n++) {
        ok = interrupt_check(err) && trace_reader_next(search->run->reader, &message, &end, err);
        if (!ok || end)
            break;
        is_last = pixel->message == UINT64_MAX
                      ? message_ends_frame(&message) && twin->frame == pixel->frame
                      : n == pixel->message;
        const struct resource *res =
            is_last ? gpu_resource(&twin->device, message.client, message.transfer.handle) : NULL;
        if (res)
            *surface = res->address + resource_offset(res, pixel->level, 0, 0, pixel->layer, 0);
        ok = functional->sink.take(functional->sink.data, &message, NULL, 0, err) &&
             timed->sink.take(timed->sink.data, &message, NULL, 0, err);
        progress_at(&progress, twin->frame, NULL);
    }
    progress_end(&progress);
    return ok && (is_last || fail(err, "the trace ends before the end of frame %u", pixel->frame));
}

/* `twin` runs all frames on its functional renderer. It also has a machine, so that its resources
 * get the same addresses. */
static bool
search_sides(struct search *search, struct simulation *sim, struct simulation *twin,
             struct error *err)
{
    struct executor_sink timed, functional;
    uint32_t surface = UINT32_MAX;
    struct watch *watch = watch_create(&sim->machine->clock, sim->machine->memctl);
    watch->has_pixel = true;
    watch->x = search->pixel->x;
    watch->y = search->pixel->y;
    sim->machine->pools.watch = watch;
    sim->needed = twin->needed = search->run->needed;
    twin->whole = search->run->timed;
    twin->functional.watch = &search->hears;
    executor_sink_init(&timed, &sim->executor);
    executor_sink_init(&functional, &twin->executor);
    if (search->run->prepare)
        search->run->prepare(search->run->data, sim);
    const bool ok = repeat(search, &timed, &functional, twin, &surface, err);
    if (ok)
        compare_pixels(search, watch, surface);
    executor_sink_fini(&timed);
    executor_sink_fini(&functional);
    sim->machine->pools.watch = NULL;
    watch_destroy(watch);
    return ok;
}

bool
wrong_pixel_find(struct wrong_pixel *pixel, const struct wrong_run *run, struct error *err)
{
    const struct frame_set none = {.ranges = {{UINT32_MAX, UINT32_MAX}}, .count = 1};
    struct search search = {.pixel = pixel, .run = run};
    struct simulation sim, twin;
    search.hears = (struct draw_watch){
        .data = &search, .before = before, .after = after, .fragments = fragments};
    if (!simulation_init(&sim, run->params, run->timed, NULL, err))
        return false;
    bool ok = simulation_init(&twin, run->params, &none, NULL, err);
    if (ok) {
        ok = search_sides(&search, &sim, &twin, err);
        simulation_fini(&twin);
    }
    simulation_fini(&sim);
    VEC_FREE(&search.drawn);
    return ok;
}

char *
wrong_pixel_text(const struct wrong_pixel *pixel)
{
    const uint32_t frame = pixel->frame, draw = pixel->draw;
    switch (pixel->cause) {
    case WRONG_WRITTEN:
        return mem_printf("draw %u:%u is the first that writes a different color", frame, draw);
    case WRONG_FOUND:
        return mem_printf("it was wrong before draw %u:%u, the first after which the color differs",
                          frame, draw);
    case WRONG_AFTER:
        return mem_printf(
            "all draws write the right color: it changes after draw %u:%u, the last that covers it",
            frame, draw);
    case WRONG_UNKNOWN:
        return mem_printf("the wrong draw is unknown; the last that covers it is %u:%u", frame,
                          draw);
    case WRONG_UNDRAWN: break;
    }
    return mem_printf("no draw of the frame covers it: it was cleared, blitted, uploaded or kept "
                      "from an earlier frame");
}
