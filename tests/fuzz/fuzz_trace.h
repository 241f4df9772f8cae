/* Trace files in memory as input of the trace reader. The fuzzer chooses the bytes of the messages.
 * The file header, the chunk headers and the checksums are valid. */
#ifndef AETIUS_TESTS_FUZZ_TRACE_H
#define AETIUS_TESTS_FUZZ_TRACE_H

#include "trace/file.h"

/* A file in memory that can be opened by its path. */
struct memory_file {
    int fd;
    char path[32];
};
void memory_file_init(struct memory_file *file, const uint8_t *bytes, size_t size);
void memory_file_fini(struct memory_file *file);

/* Returns a reader of these messages, or NULL if the reader refuses the file. */
struct trace_reader *reader_of_messages(struct memory_file *file, const uint8_t *messages,
                                        size_t size);

#endif
