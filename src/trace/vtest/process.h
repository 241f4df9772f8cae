/* Helper processes: the X server, virgl_test_server, and the program under the simulator. */
#ifndef AETIUS_TRACE_PROCESS_H
#define AETIUS_TRACE_PROCESS_H

#include "base/error.h"

#include <sys/types.h>

struct process_setup {
    char **argv;
    const char *const *environment; /* NAME=VALUE to set, or NAME to unset; ends with NULL */
    const char *log;                /* where its output goes; NULL: where ours goes */
    int out_fd;                     /* where its standard output goes, without a log; 0: as ours */
    int kept_fd;                    /* a descriptor that it inherits, or -1 */
    bool helper; /* dies with this process, and hears no Ctrl-C of the terminal */
};

enum { PROCESS_HURRIED_MS = 250 }; /* the grace, when this process itself was told to end */

/* Starts it in a process group of its own. A program that cannot be executed is an error here. */
bool process_start(pid_t *pid, const struct process_setup *setup, struct error *err);

/* Ends the whole group: SIGTERM, and SIGKILL after the grace. Returns its wait status. */
int process_end(pid_t pid, int grace_ms);

/* "exit status 3", "signal 11 (Segmentation fault)" */
void process_tell_status(int status, char *text, unsigned size);

#endif
