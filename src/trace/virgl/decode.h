/* Decodes messages into commands, with one function per protocol command. The decoder checks every
 * length, handle, format and range that does not depend on bound state. gfx/context checks the
 * rest. */
#ifndef AETIUS_TRACE_DECODE_H
#define AETIUS_TRACE_DECODE_H

#include "base/budget.h"
#include "state/cmd.h"
#include "trace/message.h"

/* State that spans messages: a client's incomplete shader texts and its current sub-context. */
struct decoder;

struct decoder *decoder_create(void);
void decoder_destroy(struct decoder *decoder);
/* Counts the text of incomplete shaders in `budget`. Without a budget (NULL) the limit is 64
 * MiB. */
void decoder_limit(struct decoder *decoder, struct budget *budget);

/* Begins to decode a message. The caller keeps the message and its bytes valid until the last
 * decoder_next(). */
void decoder_begin(struct decoder *decoder, const struct message *message);

enum decode_result { DECODE_DONE, DECODE_COMMAND, DECODE_ERROR };
/* Decodes the next command of the message. Errors name the command and its dword offset. A command
 * that this GPU does not execute is an error. */
enum decode_result decoder_next(struct decoder *decoder, struct gpu_cmd *cmd, struct error *err);

/* Returns whether this GPU has the stage with this protocol number. */
bool decode_stage_is_executed(uint32_t number);

#endif
