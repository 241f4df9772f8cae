/* Runs an OpenGL program on the virtual GPU: the socket, an X server when there is none, the
 * program's environment, and the end of all of them. Ctrl-C and SIGTERM end the program and then
 * the work in good order. */
#ifndef AETIUS_TRACE_LAUNCH_H
#define AETIUS_TRACE_LAUNCH_H

#include "trace/message.h"

struct launch_result {
    bool interrupted;     /* by a signal to this process */
    bool stopped;         /* because *stop became true */
    bool failed;          /* the program ended badly of its own */
    bool segfault;        /* so */
    bool users_display;   /* it had an X server that was there before */
    char how[128];        /* its end, in words */
    uint32_t connections; /* it made */
    bool privileged;      /* it runs as another user or group; that was said */
    struct error refused; /* why the first client was dropped; "" when none was */
};

/* The file that execvp() would run, or the name where there is none; the caller frees. */
char *launch_find(const char *name);

/* Serves until the program has ended and its clients are gone, or *stop is true. `clock`: so many
 * frames are a second of the program's (frame_clock.h); 0: its clock is the host's. false: it could
 * not be run, or the server broke. */
bool launch(char **argv, uint32_t clock, struct message_sink *sink, const bool *stop,
            struct launch_result *result, struct error *err);

/* Says what went wrong with the program, and returns the exit status of the command. */
int launch_conclude(const struct launch_result *result, const char *program);

#endif
