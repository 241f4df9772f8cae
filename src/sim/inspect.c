#include "sim/inspect.h"

#include "base/interrupt.h"
#include "base/log.h"
#include "sim/render_sink.h"
#include "trace/virgl/decode.h"
#include "trace/virgl/needed_draws.h"

static bool
feed(struct inspection *inspection, struct trace_reader *reader, struct message_sink *sink,
     struct error *err)
{
    const uint32_t last = frame_set_last(&inspection->frames), count = trace_frame_count(reader);
    struct progress progress;
    struct message message;
    uint32_t frame = 0;
    bool end = false, ok = true;
    progress_begin(&progress, "drawing: frame", last < count ? last + 1 : count);
    while (ok && !end && !inspection->done && frame <= last) {
        ok = interrupt_check(err) && trace_reader_next(reader, &message, &end, err);
        if (!ok || end)
            break;
        ok = sink->take(sink->data, &message, NULL, 0, err) || inspection->done;
        if (!ok)
            fail_at(err, "frame %u", frame);
        frame += message_ends_frame(&message);
        progress_at(&progress, frame, NULL);
    }
    progress_end(&progress);
    return ok;
}

bool
inspect_draws(struct inspection *inspection, struct trace_reader *reader, struct error *err)
{
    struct needed_draws *needed = NULL;
    struct render_sink *render;
    trace_reader_limit(reader, &inspection->budget);
    bool ok = !inspection->frames.count ||
              needed_draws_find(&needed, reader, &inspection->frames, WARM_UP_ALL, err);
    ok = ok && render_sink_create(&render, FUNCTIONAL_MEMORY_BYTES, 0, err);
    if (ok) {
        render_sink_limit(render, &inspection->budget);
        render_sink_need(render, needed);
        render_sink_watch(render, &inspection->watch);
        ok = feed(inspection, reader, render_sink_sink(render), err);
        render_sink_destroy(render);
    }
    needed_draws_destroy(needed);
    trace_reader_limit(reader, NULL); /* the reader may outlive the inspection's budget */
    return ok;
}

bool
inspect_commands(struct trace_reader *reader,
                 bool (*found)(void *data, uint32_t frame, const struct gpu_cmd *cmd), void *data,
                 struct error *err)
{
    struct decoder *decoder = decoder_create();
    struct message message;
    struct gpu_cmd cmd;
    uint32_t frame = 0;
    bool end = false, ok = true, more = true;
    decoder_limit(decoder, trace_reader_budget(reader));
    while (ok && more) {
        enum decode_result result = DECODE_DONE;
        ok = interrupt_check(err) && trace_reader_next(reader, &message, &end, err);
        if (!ok || end)
            break;
        decoder_begin(decoder, &message);
        while (more && (result = decoder_next(decoder, &cmd, err)) == DECODE_COMMAND)
            more = found(data, frame, &cmd);
        ok = result != DECODE_ERROR;
        frame += message_ends_frame(&message);
    }
    decoder_destroy(decoder);
    return ok;
}

struct program_search {
    bool (*found)(void *data, const struct program *program);
    void *data;
};

static bool
find_program(void *data, uint32_t frame, const struct gpu_cmd *cmd)
{
    const struct program_search *search = data;
    (void)frame;
    if (cmd->op != GPU_CREATE_OBJECT || cmd->create.type != OBJECT_SHADER)
        return true;
    struct program *program = program_create(cmd->create.shader.stage, cmd->create.shader.text,
                                             &cmd->create.shader.so, NULL);
    const bool more = !program || search->found(search->data, program);
    program_destroy(program);
    return more;
}

bool
inspect_programs(struct trace_reader *reader,
                 bool (*found)(void *data, const struct program *program), void *data,
                 struct error *err)
{
    struct program_search search = {found, data};
    return inspect_commands(reader, find_program, &search, err);
}
