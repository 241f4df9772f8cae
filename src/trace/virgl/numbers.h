/* Conversion of virgl's numbers to those of the simulator. Numbers in trace files or in draw hashes
 * are the same as virgl's and need no conversion. These are targets, bindings, formats and the
 * enumerations of state/state.h. numbers.c asserts this at compile time. The functions here convert
 * the other numbers. */
#ifndef AETIUS_TRACE_VIRGL_NUMBERS_H
#define AETIUS_TRACE_VIRGL_NUMBERS_H

#include "state/cmd.h"
#include "trace/virgl/packets.h"

/* Converts an object type from VOBJ_BLEND to VOBJ_STREAMOUT_TARGET. */
enum gpu_object virgl_object(uint32_t type);
/* Converts a query type below VIRGL_QUERY_TYPES. */
enum gpu_query_type virgl_query_type(uint32_t type);

/* Convert the dwords AT_CLEAR_BUFFERS and AT_BLIT_FLAGS to enum buffer_mask and enum blit_mask. */
uint32_t virgl_clear_buffers(uint32_t buffers);
uint32_t virgl_blit_mask(uint32_t flags);

#endif
