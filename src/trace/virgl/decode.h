/* Messages to commands: one function a protocol command; every length, handle, format and range
 * that can be judged without the bound state is checked here, the rest in gfx/context. */
#ifndef AETIUS_TRACE_DECODE_H
#define AETIUS_TRACE_DECODE_H

#include "base/budget.h"
#include "state/cmd.h"
#include "trace/message.h"

struct decoder; /* holds what spans messages: a client's half-sent shader text, its sub-context */

struct decoder *decoder_create(void);
void decoder_destroy(struct decoder *decoder);
/* The text of half-sent shaders takes memory of the host: of the budget, or without one (NULL) 64
 * MiB at most. */
void decoder_limit(struct decoder *decoder, struct budget *budget);

/* Starts on a message; it and its bytes must live until the last decoder_next(). */
void decoder_begin(struct decoder *decoder, const struct message *message);

enum decode_result { DECODE_DONE, DECODE_COMMAND, DECODE_ERROR };
/* The next command of the message. The error names the command and the dword offset. Commands that
 * this GPU does not execute are errors that name them. */
enum decode_result decoder_next(struct decoder *decoder, struct gpu_cmd *cmd, struct error *err);

/* Whether this GPU has the stage of that number in the protocol. */
bool decode_stage_is_executed(uint32_t number);

#endif
