/* A trace file around messages, in memory: what the fuzz targets feed the reader. The messages are
 * bytes of the fuzzer's; header, heads of chunks and checksums are right. */
#ifndef AETIUS_TESTS_FUZZ_TRACE_H
#define AETIUS_TESTS_FUZZ_TRACE_H

#include "trace/file.h"

/* A file that lives in memory, under a path. */
struct memory_file {
    int fd;
    char path[32];
};
void memory_file_init(struct memory_file *file, const uint8_t *bytes, size_t size);
void memory_file_fini(struct memory_file *file);

/* NULL: the reader refuses it. */
struct trace_reader *reader_of_messages(struct memory_file *file, const uint8_t *messages,
                                        size_t size);

#endif
