/* Simulates a trace with only the machine's library (meson.build: aetius-machine). The program
 * links only if no code below `sim` depends on the tools.
 *
 *     machine_alone TRACE    prints the cycles of its first two frames */
#include "sim/simulation.h"

#include "trace/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void
check(bool ok, const struct error *err)
{
    if (ok)
        return;
    fprintf(stderr, "machine_alone: %s\n", err->text);
    exit(1);
}

int
main(int argc, char **argv)
{
    struct error err = {""};
    struct params params;
    struct frame_set all;
    struct simulation simulation;
    struct trace_reader *reader;
    struct executor_sink sink;
    if (argc != 2)
        return 2;
    params_init(&params);
    check(frame_set_parse(&all, "0-1", &err), &err);
    check(simulation_init(&simulation, &params, &all, NULL, &err), &err);
    check(trace_reader_open(&reader, argv[1], &err), &err);
    executor_sink_init(&sink, &simulation.executor);
    for (bool end = false; !end;) {
        struct message message;
        check(trace_reader_next(reader, &message, &end, &err), &err);
        check(end || sink.sink.take(sink.sink.data, &message, NULL, 0, &err), &err);
    }
    const uint64_t cycles = simulation.machine->clock.now;
    printf("%" PRIu64 " cycles\n", cycles);
    executor_sink_fini(&sink);
    trace_reader_close(reader);
    simulation_fini(&simulation);
    return cycles ? 0 : 1;
}
