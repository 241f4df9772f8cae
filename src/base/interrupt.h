/* Handling of SIGINT (Ctrl-C), SIGTERM and SIGHUP. After interrupt_init() these signals end the
 * process at once, with status 128 + the signal number. This suits commands that leave no
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
/* Clears the recorded signal for all but interrupt_status(), so that a command can still use its
 * complete results. After `seconds`, or at another signal, interrupt_pending() is true again. */
void interrupt_grace(unsigned seconds);
/* Reads `size` bytes, or fewer at the end of the file. Returns -1 with an error on failure, and if
 * a signal arrived. */
ssize_t interrupt_read(int fd, void *bytes, size_t size, struct error *err);
/* Waits up to `milliseconds` until `fd` is readable. Returns false at the timeout or if a signal
 * came. */
bool interrupt_await(int fd, int milliseconds);
/* Returns the exit status of a command: `status`, or 128 + the signal if the command failed after a
 * signal. */
int interrupt_status(int status);

/* Block the signals while a file is written that must not be left incomplete. */
void interrupt_hold(sigset_t *before);
void interrupt_release(const sigset_t *before);

#endif
