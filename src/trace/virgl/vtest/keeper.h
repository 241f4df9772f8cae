/* A program and all that it starts, kept by a process between this one and them: those that left
 * the program's group or session (daemons) or lost their parent are its children too. They end when
 * this process says so, or when it is no more, however it ended. */
#ifndef AETIUS_TRACE_VTEST_KEEPER_H
#define AETIUS_TRACE_VTEST_KEEPER_H

#include "base/subprocess.h"

struct keeper {
    struct subprocess process; /* the one between; pid 0: nothing is kept */
    int line;                  /* readable when the program has ended */
};

/* As subprocess_start(). */
bool keeper_start(struct keeper *keeper, const struct subprocess_setup *setup, struct error *err);

/* Whether the program itself has ended, and its wait status; true once. Does not wait. */
bool keeper_heard(struct keeper *keeper, int *status);

/* Ends them all: SIGTERM, and SIGKILL after the grace, which is short when this process itself was
 * told to end. Returns the program's wait status, if that was not heard yet. */
int keeper_end(struct keeper *keeper);

/* The program has ended; what it left behind goes on by itself. */
void keeper_leave(struct keeper *keeper);

#endif
