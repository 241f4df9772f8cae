/* Ctrl-C, SIGTERM and SIGHUP, noted and obeyed where the work can be left in good order: they are
 * blocked, so that a second one does no harm, and asked for. */
#ifndef AETIUS_BASE_INTERRUPT_H
#define AETIUS_BASE_INTERRUPT_H

#include <stdbool.h>

void interrupt_block(void);
/* Whether one waits; also true for whoever blocked them (trace/launch.c). */
bool interrupt_pending(void);

#endif
