/* Ctrl-C, SIGTERM and SIGHUP, noted and obeyed where the work can be left in good order. A second
 * one ends the process at once. */
#ifndef AETIUS_BASE_INTERRUPT_H
#define AETIUS_BASE_INTERRUPT_H

#include <stdbool.h>

void interrupt_watch(void);
/* Whether one came; also true of one that waits while they are blocked (trace/launch.c). */
bool interrupt_pending(void);

#endif
