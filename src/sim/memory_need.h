/* Finds how much memory a trace needs. Allocates resources like the machine, in a memory that
 * grows, and renders nothing. */
#ifndef AETIUS_SIM_MEMORY_NEED_H
#define AETIUS_SIM_MEMORY_NEED_H

#include "params/params.h"
#include "trace/file.h"

struct memory_need {
    uint32_t size_bytes; /* sufficient MemorySize */
    uint32_t used_bytes; /* peak of the bytes in use at once */
};

/* Reads the trace from its start up to the end of frame `last`. */
bool memory_need_find(struct memory_need *need, struct trace_reader *reader,
                      const struct params *params, uint32_t last, struct error *err);

/* Adds the sufficient size to an error about exhausted memory. Leaves other errors unchanged. */
void memory_need_explain(struct trace_reader *reader, const struct params *params, uint32_t last,
                         struct error *err);

#endif
