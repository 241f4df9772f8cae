/* Runs a program and its descendants below a keeper process, which is a child of this process. The
 * keeper adopts orphans, so processes that left the program's group or session (daemons) are its
 * descendants too. All of them end when this process requests it, or when this process ends for any
 * reason. */
#ifndef AETIUS_TRACE_VTEST_KEEPER_H
#define AETIUS_TRACE_VTEST_KEEPER_H

#include "base/subprocess.h"

struct keeper {
    struct subprocess process; /* the keeper process; pid 0: none */
    int line;                  /* socket to the keeper, readable once the program has ended */
};

/* Has the same parameters and errors as subprocess_start(). */
bool keeper_start(struct keeper *keeper, const struct subprocess_setup *setup, struct error *err);

/* Returns whether the program itself has ended, with its wait status; true only once. Does not
 * block. */
bool keeper_heard(struct keeper *keeper, int *status);

/* Ends all processes with SIGTERM, and with SIGKILL after a grace period. The period is short if
 * this process got a signal. Returns the program's wait status, or 0 if keeper_heard() already
 * returned it. */
int keeper_end(struct keeper *keeper);

/* Releases the keeper after the program has ended. Remaining descendants continue to run. */
void keeper_leave(struct keeper *keeper);

#endif
