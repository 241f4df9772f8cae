/* Reader and writer of trace files: a versioned header, chunks (length, checksum, zstd), and an
 * index of frames. Layout: docs/design/file-formats.md, Trace. Each frame ends with the end of a
 * chunk. So a file truncated anywhere is readable up to its last complete frame. The reader scans
 * the chunks and only reports a missing or damaged index. */
#ifndef AETIUS_TRACE_FILE_H
#define AETIUS_TRACE_FILE_H

#include "base/budget.h"
#include "trace/message.h"
#include "trace/virgl/vtest/caps.h"

/* Properties of a frame, known without reading its messages. */
struct trace_frame {
    uint32_t client;        /* client that ended the frame */
    uint32_t width, height; /* box of the target that is shown, in pixels */
    uint32_t messages, draws, chunks;
    uint64_t packed_bytes; /* size in the file */
};

struct trace_writer;
struct trace_reader;
/* Creates a trace with the capabilities that the server offers now. An existing file at `path`
 * stays until the first frame is complete (base/new_file.h); its readers are not disturbed. */
bool trace_writer_create(struct trace_writer **writer, const char *path, const char *program,
                         struct error *err);
/* Creates a trace with part of `whole`. `first_frame` is the original number of its frame 0. An
 * existing file at `path` stays until the writer is closed. */
bool trace_writer_create_part(struct trace_writer **writer, const char *path,
                              const struct trace_reader *whole, uint32_t first_frame,
                              struct error *err);
bool trace_writer_add(struct trace_writer *writer, const struct message *message,
                      struct error *err);
uint32_t trace_writer_frames(const struct trace_writer *writer);
uint64_t
trace_writer_draws(const struct trace_writer *writer); /* includes draws after the last frame */
uint64_t trace_writer_bytes(const struct trace_writer *writer); /* written to the file so far */
/* Writes pending messages and the index, then frees the writer, even on failure. After a failure
 * the file has the complete frames, or does not exist. */
bool trace_writer_close(struct trace_writer *writer, struct error *err);
/* Frees the writer without writing more. Removes the file if it is not yet at its path. */
void trace_writer_discard(struct trace_writer *writer);

/* Opens a trace. A damaged file with at least one complete frame opens with a warning in `warning`
 * ("" if the file is intact). */
bool trace_reader_open(struct trace_reader **reader, const char *path, struct error *warning,
                       struct error *err);
void trace_reader_close(struct trace_reader *reader);
/* Counts the reader's buffers in `budget` from now on. Later stages that process the trace use the
 * same budget. Without a budget (NULL) the limit of the buffers is FILE_MEMORY_BYTES. */
void trace_reader_limit(struct trace_reader *reader, struct budget *budget);
struct budget *trace_reader_budget(const struct trace_reader *reader); /* or NULL */

const char *trace_program(const struct trace_reader *reader);
/* Returns the capabilities that the captured program saw. Fields that the file is too old for are
 * 0. */
const struct caps_v2 *trace_caps(const struct trace_reader *reader);
uint32_t trace_frame_count(const struct trace_reader *reader);
uint32_t trace_first_frame(const struct trace_reader *reader); /* original number of frame 0 */
const struct trace_frame *trace_frame(const struct trace_reader *reader, uint32_t index);
/* Returns the part after the last frame: only messages, draws, chunks and packed_bytes are
 * valid. */
const struct trace_frame *trace_rest(const struct trace_reader *reader);
uint64_t trace_bytes(const struct trace_reader *reader); /* size of the file */
/* Returns whether `path` leads to the file that is being read. */
bool trace_is_at(const struct trace_reader *reader, const char *path);

/* Reads the next message. *end is true if there are none left. The bytes of the message are valid
 * until the next call. */
bool trace_reader_next(struct trace_reader *reader, struct message *message, bool *end,
                       struct error *err);
/* Returns to the first message. */
bool trace_reader_rewind(struct trace_reader *reader, struct error *err);

#endif
