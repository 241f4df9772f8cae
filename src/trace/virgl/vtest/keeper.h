/* Runs a program and its descendants below a keeper process, which is a child of this process. The
 * keeper adopts orphans. Therefore processes that have left the program's group or session
 * (daemons) are also its descendants. All of them end when this process requests it, or when this
 * process ends for any reason. */
#ifndef AETIUS_TRACE_VTEST_KEEPER_H
#define AETIUS_TRACE_VTEST_KEEPER_H

#include "base/subprocess.h"

struct keeper {
    struct subprocess process; /* the keeper process; pid 0: none */
    int line;                  /* socket to the keeper; readable after the program has ended */
};

/* The parameters and errors are those of subprocess_start(). `end_signal` is the first signal with
 * which all processes are ended, usually SIGTERM. */
bool keeper_start(struct keeper *keeper, const struct subprocess_setup *setup, int end_signal,
                  struct error *err);

/* Returns whether the program itself has ended, and stores its wait status. Returns true only once.
 * Does not block. */
bool keeper_heard(struct keeper *keeper, int *status);

/* Ends all processes with `end_signal`, and with SIGKILL after a grace period. The period is short
 * if this process received a signal. Returns the program's wait status, or 0 if keeper_heard() has
 * already returned it. */
int keeper_end(struct keeper *keeper);

/* Releases the keeper after the program has ended. Remaining descendants keep running. */
void keeper_leave(struct keeper *keeper);

#endif
