/* Contents of memory, read back from the functional renderer or made up. */
#include "rigs/contents.h"

static void
write_contents(struct trace_reader *reader, const struct frame_set *frames, enum contents contents,
               const char *path)
{
    struct render_sink *render;
    struct read_back *read_back;
    struct message message;
    struct error err = {""};
    bool end = false;
    assert_true(render_sink_create(&render, 256 << 20, 0, &err));
    assert_true(read_back_create(&read_back, path, frames, render_sink_sink(render),
                                 contents == CONTENTS_OURS, &err));
    struct message_sink *sink = read_back_sink(read_back);
    while (!read_back_done(read_back)) {
        assert_true(trace_reader_next(reader, &message, &end, &err) && !end);
        assert_true(sink->take(sink->data, &message, NULL, 0, &err));
    }
    assert_true(read_back_close(read_back, &err) && trace_reader_rewind(reader, &err));
    render_sink_destroy(render);
}

static void
write_no_contents(const char *path)
{
    struct trace_writer *writer;
    struct error err = {""};
    const struct message mark = {.kind = MESSAGE_SWAP};
    assert_true(trace_writer_create(&writer, path, "nothing", &err));
    assert_true(trace_writer_add(writer, &mark, &err) && trace_writer_close(writer, &err));
}

void
cut_with_contents(const char *from, enum contents contents, const char *to)
{
    const struct frame_set frame_1 = {.ranges = {{1, 1}}, .count = 1};
    char path[] = "/tmp/aetius-contents-XXXXXX";
    struct trace_reader *reader, *reading;
    struct error err = {""};
    close(mkstemp(path));
    assert_true(trace_reader_open(&reader, from, &err));
    if (contents == CONTENTS_NONE)
        write_no_contents(path);
    else
        write_contents(reader, &frame_1, contents, path);
    assert_true(trace_reader_open(&reading, path, &err));
    if (!trim_trace(reader, &frame_1, UINT32_MAX, reading, &to, &err))
        fail_msg("%s", err.text);
    trace_reader_close(reading);
    trace_reader_close(reader);
    unlink(path);
}
