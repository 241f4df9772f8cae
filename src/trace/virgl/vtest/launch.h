/* Runs an OpenGL program on the virtual GPU. Creates the socket, an X server if there is none, and
 * the program's environment, and cleans them up. After Ctrl-C or SIGTERM it ends the program first,
 * then finishes its work. */
#ifndef AETIUS_TRACE_LAUNCH_H
#define AETIUS_TRACE_LAUNCH_H

#include "trace/message.h"

struct launch_result {
    bool interrupted;     /* this process got a signal */
    bool stopped;         /* *stop became true */
    bool failed;          /* the program itself failed */
    bool segfault;        /* the failure was a segmentation fault */
    bool users_display;   /* the program used an existing X server */
    char how[128];        /* description of the program's end */
    uint32_t connections; /* number of connections from the program */
    bool privileged;      /* the program runs as another user or group; a warning was printed */
    struct error refused; /* why the first rejected client was dropped; "" if none was */
};

/* Returns the file that execvp() would run, or `name` if there is none. The caller frees the
 * result. */
char *launch_find(const char *name);

/* Serves clients until the program has ended and all clients are gone, or until *stop is true.
 * `clock`: frames per second of the program's clock (frame_clock.h); 0: the host's clock. Returns
 * false if the program could not start, or if the server failed. */
bool launch(char **argv, uint32_t clock, struct message_sink *sink, const bool *stop,
            struct launch_result *result, struct error *err);

/* Prints the failures of the program and returns the exit status of the command. */
int launch_conclude(const struct launch_result *result, const char *program);

#endif
