/* A simulation that a test plays messages to, as one client. */
#ifndef AETIUS_TESTS_PLAYER_H
#define AETIUS_TESTS_PLAYER_H

#include "rigs/stream.h"

#include "sim/executor.h"
#include "sim/simulation.h"
#include "trace/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h> /* behind our own headers: it has a macro fail() */

struct player {
    struct trace_writer *writer; /* takes all messages too; NULL */
    struct simulation sim;
    struct executor_sink sink;
};

/* What a GET reads comes to `out`. */
void player_take(struct player *player, struct message message, void *out, uint32_t out_bytes);

/* Timed: all frames; else the functional renderer alone. */
void player_start(struct player *player, const struct params *params, bool timed,
                  const struct simulation_listener *listener);

void player_end(struct player *player);
void player_create(struct player *player, struct resource_desc desc);

/* Also empties the stream. */
void player_submit(struct player *player, struct stream *stream);

/* Into a buffer. */
void player_put(struct player *player, uint32_t handle, const void *bytes, uint32_t size_bytes);

/* A whole surface of 4 bytes an element. */
void player_get(struct player *player, uint32_t handle, int32_t width, int32_t height, void *out);

#endif
