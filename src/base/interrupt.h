/* SIGINT (Ctrl-C), SIGTERM and SIGHUP. From interrupt_init() on they end the process at once, with
 * status 128 + the signal: right for work that leaves nothing behind. Work that does calls
 * interrupt_watch(): from then on a signal is noted, and every loop that may take long asks whether
 * one came and leaves in good order, within a second. A second one of the same kind ends
 * the process. */
#ifndef AETIUS_BASE_INTERRUPT_H
#define AETIUS_BASE_INTERRUPT_H

#include "base/error.h"

#include <signal.h>
#include <sys/types.h>

void interrupt_init(void);
void interrupt_watch(void);
/* Whether one came. */
bool interrupt_pending(void);
/* false, with the message, when one came. */
bool interrupt_check(struct error *err);
/* The signal that came no longer counts, but for interrupt_status(): what was whole then is worth
 * so many seconds. Their end counts as a signal, as does another one before it. */
void interrupt_grace(unsigned seconds);
/* Reads up to `size` bytes, less only at the end of the file; -1 with the message, also when a
 * signal came while it waited. */
ssize_t interrupt_read(int fd, void *bytes, size_t size, struct error *err);
/* Waits so long for something to read; false also when a signal came. */
bool interrupt_await(int fd, int milliseconds);
/* What a command ends with that comes to `status`: 128 + the signal when one made it fail. */
int interrupt_status(int status);

/* While something is written that is whole or not there: they wait. */
void interrupt_hold(sigset_t *before);
void interrupt_release(const sigset_t *before);

#endif
