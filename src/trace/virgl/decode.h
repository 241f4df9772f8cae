/* Decodes messages into commands, with one function per protocol command. The decoder checks every
 * length, handle, format and range that does not depend on bound state. gpu_apply() and
 * gpu_bake_draw() (state/context.h) check the rest. */
#ifndef AETIUS_TRACE_DECODE_H
#define AETIUS_TRACE_DECODE_H

#include "base/budget.h"
#include "state/cmd.h"
#include "trace/message.h"

/* State that persists between messages: incomplete shader texts and the current sub-context of each
 * client. */
struct decoder;

struct decoder *decoder_create(void);
void decoder_destroy(struct decoder *decoder);
/* Counts the text of incomplete shaders in `budget`. Without a budget (NULL) the limit is 64
 * MiB. */
void decoder_limit(struct decoder *decoder, struct budget *budget);

/* Starts to decode a message. The caller keeps the message and its bytes valid until the last
 * decoder_next(). */
void decoder_begin(struct decoder *decoder, const struct message *message);

enum decode_result { DECODE_DONE, DECODE_COMMAND, DECODE_ERROR };
/* Decodes the next command of the message. An error contains the command and its dword offset. A
 * command that this GPU does not support is an error. */
enum decode_result decoder_next(struct decoder *decoder, struct gpu_cmd *cmd, struct error *err);

/* Returns whether this GPU supports the stage with this protocol number. */
bool decode_stage_is_executed(uint32_t number);

#endif
