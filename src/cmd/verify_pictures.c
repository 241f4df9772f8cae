/* Compares the pictures of a run with those of the functional renderer. */
#include "base/file.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/plural.h"
#include "cmd/verify.h"
#include "report/run/run_json.h"

#include <stdlib.h>
#include <string.h>

struct checked {
    uint32_t frame;
    uint64_t hash; /* hash of the run's picture */
};

struct check {
    const char *dir;
    VEC(struct checked) frames; /* frames for which the run has pictures */
    uint32_t last, differing;
    struct wrong_pixel pixel; /* first pixel that differs */
    char text[256];           /* describes the difference */
};

static bool
read_hashes(struct check *check, struct error *err)
{
    struct run_json run;
    if (!run_json_read(&run, check->dir, err))
        return false;
    for (size_t i = 0; i < run.per_frame_count; i++) {
        const struct run_json_frame *frame = &run.per_frame[i];
        if (!(frame->number >= 0 && frame->number <= UINT32_MAX) || !frame->hash)
            continue;
        const struct checked checked = {(uint32_t)frame->number, strtoull(frame->hash, NULL, 16)};
        VEC_PUSH(&check->frames, checked);
        check->last = checked.frame > check->last ? checked.frame : check->last;
    }
    run_json_fini(&run);
    return check->frames.count > 0 || fail(err, "%s has no frames", check->dir);
}

static const struct checked *
find_frame(const struct check *check, uint32_t number)
{
    for (size_t i = 0; i < check->frames.count; i++)
        if (check->frames.items[i].frame == number)
            return &check->frames.items[i];
    return NULL;
}

/* Finds and describes the first pixel in which the run's picture differs. If no pixel differs, the
 * size or the transparency does. The picture's file does not store transparency. */
static bool
find_pixel(struct check *check, const struct simulation_frame *frame, struct error *err)
{
    const struct picture *right = frame->picture;
    struct picture wrong;
    char *path = mem_printf("%s/frames/frame-%04u.png", check->dir, frame->number);
    const bool is_read = picture_read_png(&wrong, path, err);
    free(path);
    if (!is_read)
        return false;
    const size_t count = (size_t)right->width * right->height;
    size_t at = 0;
    const bool same_size = right->width == wrong.width && right->height == wrong.height;
    while (same_size && at < count && !memcmp(right->rgba + 4 * at, wrong.rgba + 4 * at, 3))
        at++;
    check->pixel =
        (struct wrong_pixel){.message = UINT64_MAX, .frame = frame->number, .x = UINT32_MAX};
    if (!same_size || at == count) {
        snprintf(check->text, sizeof check->text, "frame %u (its %s)", frame->number,
                 same_size ? "transparency" : "size");
    } else {
        const uint8_t *a = wrong.rgba + 4 * at, *b = right->rgba + 4 * at;
        const uint32_t row = (uint32_t)(at / right->width);
        check->pixel.x = (uint32_t)(at % right->width);
        check->pixel.y = resource_is_display(&frame->shown->desc) ? row : right->height - 1 - row;
        snprintf(check->text, sizeof check->text,
                 "frame %u, pixel %u,%u: timed %u,%u,%u, functional %u,%u,%u", frame->number,
                 check->pixel.x, check->pixel.y, a[0], a[1], a[2], b[0], b[1], b[2]);
    }
    picture_fini(&wrong);
    return true;
}

static bool
on_frame(void *data, const struct simulation_frame *frame, struct error *err)
{
    struct check *check = data;
    const struct picture *picture = frame->picture;
    const struct checked *checked = find_frame(check, frame->number);
    if (!checked || hash_bytes(HASH_START, picture->rgba,
                               (size_t)picture->width * picture->height * 4) == checked->hash)
        return true;
    return check->differing++ || find_pixel(check, frame, err);
}

/* Renders the frames of the run. */
static bool
draw(struct check *check, const struct wrong_run *run, struct error *err)
{
    const struct simulation_listener listener = {.data = check, .frame = on_frame};
    struct budget budget = {FILE_MEMORY_BYTES, 0, "--verify"};
    struct simulation sim;
    struct executor_sink sink;
    struct message message;
    struct progress progress;
    bool end = false;
    if (!simulation_init(&sim, run->params, NULL, &listener, err))
        return false;
    sim.needed = run->needed;
    sim.whole = run->timed;
    trace_reader_limit(run->reader, &budget);
    gpu_device_limit(&sim.device, &budget);
    executor_sink_init(&sink, &sim.executor);
    progress_begin(&progress, "drawing without timing: frame", check->last + 1);
    bool ok = trace_reader_rewind(run->reader, err);
    while (ok && sim.frame <= check->last) {
        ok = interrupt_check(err) && trace_reader_next(run->reader, &message, &end, err);
        if (!ok || end)
            break;
        ok = sink.sink.take(sink.sink.data, &message, NULL, 0, err) ||
             fail_prefix(err, "frame %u", sim.frame);
        progress_at(&progress, sim.frame, NULL);
    }
    progress_end(&progress);
    executor_sink_fini(&sink);
    simulation_fini(&sim);
    trace_reader_limit(run->reader, NULL);
    return ok;
}

static bool
fail_differing(struct check *check, const struct wrong_run *run, struct error *err)
{
    struct error searching;
    char *draw_text = NULL;
    if (check->pixel.x != UINT32_MAX)
        draw_text = wrong_pixel_find(&check->pixel, run, &searching)
                        ? wrong_pixel_text(&check->pixel)
                        : mem_printf("cannot find the draw: %s", searching.text);
    fail(err, "%s: %u of %zu picture%s differ%s from drawing without timing, first in %s%s%s",
         check->dir, check->differing, check->frames.count, plural(check->frames.count),
         check->differing == 1 ? "s" : "", check->text, draw_text ? "; " : "",
         draw_text ? draw_text : "");
    free(draw_text);
    return false;
}

bool
verify_pictures(const char *dir, const struct wrong_run *run, struct error *err)
{
    struct check check = {.dir = dir};
    bool ok = read_hashes(&check, err) && draw(&check, run, err);
    if (ok && check.differing)
        ok = fail_differing(&check, run, err);
    else if (ok)
        log_note("%s: %zu picture%s identical to drawing without timing", dir, check.frames.count,
                 plural(check.frames.count));
    VEC_FREE(&check.frames);
    return ok;
}
