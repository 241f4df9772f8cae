/* Runs the tiny trace (tests/golden) with or without timing, and keeps the picture and the
 * statistics of every frame. */
#ifndef AETIUS_TESTS_TINY_RUN_H
#define AETIUS_TESTS_TINY_RUN_H

#include "base/build.h"
#include "base/mem.h"
#include "sim/simulation.h"
#include "trace/file.h"

#include <stdlib.h>
#include <string.h>

#define TINY_TRACE AETIUS_SOURCE_DIR "/tests/golden/tiny.trace"

enum { TINY_FRAMES = 2, TINY_MEMORY = 8 << 20 };

struct tiny_run {
    /* inputs */
    const char *trace; /* NULL: the tiny trace */
    struct params params;
    struct frame_set frames; /* empty: all frames */
    bool functional;
    /* called after `sim` is created, before the first command */
    void (*prepare)(struct tiny_run *run);
    void (*on_batch)(struct tiny_run *run, uint32_t frame, uint32_t batch);
    void *data;
    /* state of the run */
    struct simulation sim;
    uint32_t batch;
    /* results */
    bool ok;
    struct error err;
    uint32_t frame_count, values_count;
    struct {
        uint8_t *rgba;
        uint32_t bytes;
        uint64_t cycles;
        uint64_t *values; /* of the statistics set; NULL if not timed */
    } frame[TINY_FRAMES];
};

void tiny_init(struct tiny_run *run);
void tiny_fini(struct tiny_run *run);

/* Is the `frame` callback of a simulation_listener. */
bool tiny_take_frame(void *data, const struct simulation_frame *frame, struct error *err);

/* Runs the trace. With `keep`, `sim` stays alive and the caller ends it with simulation_fini(). */
void tiny_go(struct tiny_run *run, bool keep);

bool tiny_same_pictures(const struct tiny_run *a, const struct tiny_run *b);

#endif
