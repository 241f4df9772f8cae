/* A simulation that receives the messages of a test as one client. */
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
#include <cmocka.h> /* after the project's headers: cmocka.h defines a macro fail() */

struct player {
    struct trace_writer *writer; /* a trace that also receives all messages; NULL: none */
    struct simulation sim;
    struct executor_sink sink;
};

/* Sends a message. The data of a GET is copied to `out`. */
void player_take(struct player *player, struct message message, void *out, uint32_t out_bytes);

/* Starts a simulation: either timed for all frames, or with only the functional renderer. */
void player_start(struct player *player, const struct params *params, bool timed,
                  const struct simulation_listener *listener);

void player_end(struct player *player);
void player_create(struct player *player, struct resource_desc desc);

/* Also writes all further messages to a trace. Call it before player_start(). */
void player_record(struct player *player, const char *path);
/* Ends the frame, which shows this surface, and closes the trace. */
void player_end_record(struct player *player, uint32_t handle, int32_t width, int32_t height);

/* Sends the stream and empties it. */
void player_submit(struct player *player, struct stream *stream);

/* Writes to a buffer. */
void player_put(struct player *player, uint32_t handle, const void *bytes, uint32_t size_bytes);

/* Creates RES_VERTICES, with a vector of four floats per vertex, and RES_COLOR, of size x size
 * pixels. Adds to the stream: the states, both programs, their bindings and the viewport. */
void player_scene(struct player *player, struct stream *stream, const char *vs, const char *fs,
                  const void *vertices, uint32_t size_bytes, uint32_t size);

/* Reads a whole surface of 4 bytes per element. */
void player_get(struct player *player, uint32_t handle, int32_t width, int32_t height, void *out);

#endif
