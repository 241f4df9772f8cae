/* Handling of SIGINT (Ctrl-C), SIGTERM and SIGHUP. After interrupt_init() these signals end the
 * process immediately, with status 128 + the signal number. This suits commands that leave no
 * unfinished files. Other commands call interrupt_watch(), after which a signal is only recorded.
 * Every loop that may run long checks for a recorded signal and stops cleanly within a second. A
 * second signal of the same kind ends the process. */
#ifndef AETIUS_BASE_INTERRUPT_H
#define AETIUS_BASE_INTERRUPT_H

#include "base/error.h"

#include <signal.h>
#include <sys/types.h>

void interrupt_init(void);
void interrupt_watch(void);
/* Returns whether a signal arrived. */
bool interrupt_pending(void);
/* Returns false, with an error, if a signal arrived. */
bool interrupt_check(struct error *err);
/* Clears the recorded signal, so that a command can still use its complete results.
 * interrupt_status() still takes it into account. After `seconds`, or on another signal,
 * interrupt_pending() returns true again. */
void interrupt_grace(unsigned seconds);
/* Reads `size` bytes, or fewer at the end of the file. Returns -1 with an error if the read fails
 * or a signal arrives. */
ssize_t interrupt_read(int fd, void *bytes, size_t size, struct error *err);
/* Waits up to `milliseconds` until `fd` is readable. Returns false on a timeout or a signal. */
bool interrupt_await(int fd, int milliseconds);
/* Returns the exit status of a command whose result is `status`. If the command failed after a
 * signal, that is 128 + the signal number. */
int interrupt_status(int status);

/* Block and unblock the signals around writing a file that must not remain incomplete. */
void interrupt_hold(sigset_t *before);
void interrupt_release(const sigset_t *before);

#endif
