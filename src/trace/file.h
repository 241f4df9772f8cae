/* The trace file: a versioned header, chunks (length, checksum, zstd), and an index of frames.
 * Layout: docs/design/file-formats.md, Trace. A chunk ends with each frame, so that a file cut
 * anywhere is readable up to its last whole frame; a missing or damaged index is rebuilt by
 * scanning. */
#ifndef AETIUS_TRACE_FILE_H
#define AETIUS_TRACE_FILE_H

#include "base/budget.h"
#include "trace/message.h"
#include "trace/virgl/vtest/caps.h"

/* What is known of a frame without reading it. */
struct trace_frame {
    uint32_t client;        /* who ended it */
    uint32_t width, height; /* of the box shown */
    uint32_t messages, draws, chunks;
    uint64_t packed_bytes; /* in the file */
};

struct trace_writer;
struct trace_reader;
/* A trace of what is offered now. A file that is there already stays until the first frame is whole
 * (base/new_file.h); who reads it may go on. */
bool trace_writer_create(struct trace_writer **writer, const char *path, const char *program,
                         struct error *err);
/* A part of another trace: `first_frame` is the original number of its frame 0. A file that is
 * there already stays until the part is closed. */
bool trace_writer_create_part(struct trace_writer **writer, const char *path,
                              const struct trace_reader *whole, uint32_t first_frame,
                              struct error *err);
bool trace_writer_add(struct trace_writer *writer, const struct message *message,
                      struct error *err);
uint32_t trace_writer_frames(const struct trace_writer *writer);
uint64_t
trace_writer_draws(const struct trace_writer *writer); /* those behind the last frame too */
uint64_t trace_writer_bytes(const struct trace_writer *writer); /* in the file so far */
/* Writes what is pending and the index; the writer is gone either way. When it fails, the file has
 * the frames that were whole, or is not there. */
bool trace_writer_close(struct trace_writer *writer, struct error *err);
/* Writes nothing more; the writer is gone, and so is a file that is not in its place yet. */
void trace_writer_discard(struct trace_writer *writer);

/* A damaged file opens with a warning in `warning` ("" when sound) if it has one whole frame. */
bool trace_reader_open(struct trace_reader **reader, const char *path, struct error *warning,
                       struct error *err);
void trace_reader_close(struct trace_reader *reader);
/* What it unpacks is of the budget from now on, and so is what others make of the trace by it.
 * Without one (NULL) it unpacks FILE_MEMORY_BYTES at most. */
void trace_reader_limit(struct trace_reader *reader, struct budget *budget);
struct budget *trace_reader_budget(const struct trace_reader *reader); /* or NULL */

const char *trace_program(const struct trace_reader *reader);
/* What its program was offered; a field that its file is too old for is 0. */
const struct caps_v2 *trace_caps(const struct trace_reader *reader);
uint32_t trace_frame_count(const struct trace_reader *reader);
uint32_t trace_first_frame(const struct trace_reader *reader); /* original number of frame 0 */
const struct trace_frame *trace_frame(const struct trace_reader *reader, uint32_t index);
/* What came after the last frame: only messages, draws and packed_bytes count. */
const struct trace_frame *trace_rest(const struct trace_reader *reader);
uint64_t trace_bytes(const struct trace_reader *reader); /* of the file */
/* Whether `path` leads to the file that is being read. */
bool trace_is_at(const struct trace_reader *reader, const char *path);

/* The next message; *end is true when there are none left. Its bytes live until the next call. */
bool trace_reader_next(struct trace_reader *reader, struct message *message, bool *end,
                       struct error *err);
/* Back to the first message. */
bool trace_reader_rewind(struct trace_reader *reader, struct error *err);

#endif
