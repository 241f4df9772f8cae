/* How much memory a trace needs: its resources are laid out as the machine would, in a memory that
 * grows, and nothing is drawn. */
#ifndef AETIUS_SIM_MEMORY_NEED_H
#define AETIUS_SIM_MEMORY_NEED_H

#include "params/params.h"
#include "trace/file.h"

struct memory_need {
    uint32_t size_bytes; /* MemorySize that would do */
    uint32_t used_bytes; /* the most that is in use at once */
};

/* Up to the end of frame `last`, of a trace that is read from its start. */
bool memory_need_find(struct memory_need *need, struct trace_reader *reader,
                      const struct params *params, uint32_t last, struct error *err);

/* Adds the size that would do to an error that says that the memory is exhausted. */
void memory_need_tell(struct trace_reader *reader, const struct params *params, uint32_t last,
                      struct error *err);

#endif
