/* Reader and writer of trace files: a versioned header, chunks (length, checksum, zstd), and an
 * index of frames. Layout: docs/design/file-formats.md, Trace. The end of a frame is always the end
 * of a chunk, so a truncated file remains readable up to its last complete frame. The reader scans
 * the chunks. If the index is missing or damaged, it only reports that. */
#ifndef AETIUS_TRACE_FILE_H
#define AETIUS_TRACE_FILE_H

#include "base/budget.h"
#include "trace/message.h"
#include "trace/virgl/vtest/caps.h"

/* Properties of a frame that are known without reading its messages. */
struct trace_frame {
    uint32_t client;        /* client that ended the frame */
    uint32_t width, height; /* box of the shown target, in pixels */
    uint32_t messages, draws, chunks;
    uint64_t packed_bytes; /* size in the file */
};

struct trace_writer;
struct trace_reader;
/* Creates a trace with the capabilities that the server offers by default. An existing file at
 * `path` remains until the first frame is complete (base/new_file.h). Processes that read the old
 * file are not disturbed. */
bool trace_writer_create(struct trace_writer **writer, const char *path, const char *program,
                         struct error *err);
/* The same for another offer. */
bool trace_writer_create_for(struct trace_writer **writer, const char *path, const char *program,
                             enum gl_offer offer, struct error *err);
/* Creates a trace that contains part of `whole`. `first_frame` is the original number of its frame
 * 0. An existing file at `path` remains until the writer is closed. */
bool trace_writer_create_part(struct trace_writer **writer, const char *path,
                              const struct trace_reader *whole, uint32_t first_frame,
                              struct error *err);
bool trace_writer_add(struct trace_writer *writer, const struct message *message,
                      struct error *err);
uint32_t trace_writer_frames(const struct trace_writer *writer);
uint64_t
trace_writer_draws(const struct trace_writer *writer); /* including draws after the last frame */
uint64_t trace_writer_bytes(const struct trace_writer *writer); /* bytes in the file so far */
/* Writes pending messages and the index, then frees the writer, even on failure. After a failure
 * the file either contains the complete frames or does not exist. */
bool trace_writer_close(struct trace_writer *writer, struct error *err);
/* Frees the writer without writing more. Removes the file if it does not have its final name
 * yet. */
void trace_writer_discard(struct trace_writer *writer);

/* Opens a trace. A damaged file with at least one complete frame can be opened. */
bool trace_reader_open(struct trace_reader **reader, const char *path, struct error *err);
/* Also prints trace_damage() as a warning. */
bool trace_reader_open_warn(struct trace_reader **reader, const char *path, struct error *err);
const char *trace_damage(const struct trace_reader *reader); /* "" for an intact file */
void trace_reader_close(struct trace_reader *reader);
/* Makes the reader's buffers count in `budget`, which later stages that process the trace share.
 * Without a budget (NULL) the limit of the buffers is FILE_MEMORY_BYTES. */
void trace_reader_limit(struct trace_reader *reader, struct budget *budget);
struct budget *trace_reader_budget(const struct trace_reader *reader); /* or NULL */

const char *trace_program(const struct trace_reader *reader);
/* Returns the capabilities that the captured program saw. Fields that did not exist when the trace
 * was written are 0. */
const struct caps_v2 *trace_caps(const struct trace_reader *reader);
uint32_t trace_frame_count(const struct trace_reader *reader);
uint32_t trace_first_frame(const struct trace_reader *reader); /* original number of frame 0 */
const struct trace_frame *trace_frame(const struct trace_reader *reader, uint32_t index);
/* Describes the messages after the last frame. Only the members messages, draws, chunks and
 * packed_bytes are valid. */
const struct trace_frame *trace_rest(const struct trace_reader *reader);
uint64_t trace_bytes(const struct trace_reader *reader); /* size of the file */
/* Returns whether `path` refers to the file that the reader has open. */
bool trace_is_at(const struct trace_reader *reader, const char *path);

/* Reads the next message. Sets *end if there is none. The bytes of the message are valid until the
 * next call. */
bool trace_reader_next(struct trace_reader *reader, struct message *message, bool *end,
                       struct error *err);
/* Returns to the first message. */
bool trace_reader_rewind(struct trace_reader *reader, struct error *err);

#endif
