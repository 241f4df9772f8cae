/* virgl's numbers and ours. Ours that are kept in trace files or in hashes of draws (targets,
 * bindings, formats, the enumerations of state/state.h) have virgl's values, which numbers.c holds
 * at compile time: they are taken as they come. The others are converted here. */
#ifndef AETIUS_TRACE_VIRGL_NUMBERS_H
#define AETIUS_TRACE_VIRGL_NUMBERS_H

#include "state/cmd.h"
#include "trace/virgl/packets.h"

/* Of a type from VOBJ_BLEND to VOBJ_STREAMOUT_TARGET. */
enum gpu_object virgl_object(uint32_t type);
/* Of a type below VIRGL_QUERY_TYPES. */
enum gpu_query_type virgl_query_type(uint32_t type);

/* The dwords AT_CLEAR_BUFFERS and AT_BLIT_FLAGS: enum buffer_mask, enum blit_mask. */
uint32_t virgl_clear_buffers(uint32_t buffers);
uint32_t virgl_blit_mask(uint32_t flags);

#endif
