/* Runs a trace through a simulation, frame by frame. */
#include "rigs/tiny_run.h"

void
tiny_init(struct tiny_run *run)
{
    struct error err;
    memset(run, 0, sizeof *run);
    if (!params_load_preset(&run->params, "reference-2005", &err))
        BUG("%s", err.text);
    run->params.MEMORYCONTROLLER.MemorySize = TINY_MEMORY;
}

void
tiny_fini(struct tiny_run *run)
{
    for (uint32_t i = 0; i < TINY_FRAMES; i++) {
        free(run->frame[i].rgba);
        free(run->frame[i].values);
    }
}

bool
tiny_take_frame(void *data, const struct simulation_frame *frame, struct error *err)
{
    struct tiny_run *run = data;
    const struct picture *picture = frame->picture;
    uint32_t i = run->frame_count++, count = frame->timed ? run->sim.machine->stats.count : 0;
    if (i >= TINY_FRAMES)
        return fail(err, "more than %d frames", TINY_FRAMES);
    if (frame->timed && run->sim.machine->clock.path.unset)
        return fail(err, "cycles were charged along a way that begins nowhere (core/path.h)");
    if (picture) {
        run->frame[i].bytes = picture->width * picture->height * 4;
        run->frame[i].rgba = mem_alloc(run->frame[i].bytes);
        memcpy(run->frame[i].rgba, picture->rgba, run->frame[i].bytes);
    }
    run->frame[i].cycles = frame->cycles;
    run->batch = 0;
    if (count) {
        run->values_count = count;
        run->frame[i].values = mem_array(count, sizeof(uint64_t));
        stat_set_snapshot(&run->sim.machine->stats, run->frame[i].values);
    }
    return true;
}

static void
tiny_take_row(void *data, uint32_t frame, const struct work *row)
{
    struct tiny_run *run = data;
    if (row->kind != WORK_DRAW)
        return;
    if (run->on_batch)
        run->on_batch(run, frame, run->batch);
    run->batch++;
}

static bool
tiny_play(struct tiny_run *run)
{
    struct executor_sink sink;
    struct trace_reader *reader;
    if (!trace_reader_open(&reader, run->trace ? run->trace : TINY_TRACE, &run->err))
        return false;
    executor_sink_init(&sink, &run->sim.executor);
    bool ok = true;
    for (;;) {
        struct message message;
        bool end;
        ok = trace_reader_next(reader, &message, &end, &run->err);
        if (!ok || end)
            break;
        ok = sink.sink.take(sink.sink.data, &message, NULL, 0, &run->err);
        if (!ok)
            break;
    }
    executor_sink_fini(&sink);
    trace_reader_close(reader);
    return ok;
}

void
tiny_go(struct tiny_run *run, bool keep)
{
    struct simulation_listener listener = {
        .data = run, .frame = tiny_take_frame, .work = tiny_take_row};
    run->ok = simulation_init(&run->sim, &run->params, run->functional ? NULL : &run->frames,
                              &listener, &run->err);
    if (!run->ok)
        return;
    if (run->prepare)
        run->prepare(run);
    run->ok = tiny_play(run);
    if (!keep)
        simulation_fini(&run->sim);
}

bool
tiny_same_pictures(const struct tiny_run *a, const struct tiny_run *b)
{
    bool same = a->frame_count == b->frame_count;
    for (uint32_t i = 0; same && i < a->frame_count; i++)
        same = a->frame[i].bytes == b->frame[i].bytes &&
               !memcmp(a->frame[i].rgba, b->frame[i].rgba, a->frame[i].bytes);
    return same;
}
