/* Starts child processes, reads their output, waits for them and ends them. All code uses this
 * interface, except for workers that share memory (base/worker_pool.h).
 *
 *     struct subprocess child;
 *     struct subprocess_setup setup = {.argv = words, .output = SUBPROCESS_PIPE};
 *     if (subprocess_start(&child, &setup, err)) {
 *         ... interrupt_read(child.output, ...) ...
 *         ok = subprocess_check(subprocess_wait(&child), words[0], err);
 *     }
 *
 * A struct subprocess owns its process and its end of the pipe. After a successful start the caller
 * calls subprocess_wait() or subprocess_end() exactly once. The caller keeps the descriptors of the
 * setup. The child inherits no other descriptors: all descriptors of this program are
 * close-on-exec. */
#ifndef AETIUS_BASE_SUBPROCESS_H
#define AETIUS_BASE_SUBPROCESS_H

#include "base/error.h"

#include <sys/types.h>

enum subprocess_output {
    SUBPROCESS_AS_OURS,     /* inherits standard output and error */
    SUBPROCESS_PIPE,        /* both go to the pipe `output` */
    SUBPROCESS_PIPE_STDOUT, /* standard output goes to the pipe */
};

/* A zeroed setup inherits standard input and output and the process group. The child keeps running
 * when the parent ends. */
struct subprocess_setup {
    char *const *argv;   /* NULL-terminated; argv[0] is searched in PATH */
    const char *package; /* Debian package of argv[0], for the error message; or NULL */
    const char *folder;  /* working folder; NULL: the parent's */
    /* "NAME=VALUE" sets a variable, "NAME" unsets it. NULL-terminated, or NULL. */
    const char *const *environment;
    enum subprocess_output output;
    const char *log;  /* file to which standard output and error are appended; or NULL */
    int out_fd;       /* standard output; 0: set by `output` */
    int in_fd;        /* standard input; 0: inherited, or empty with no_input */
    bool no_input;    /* standard input is empty */
    int kept_fd;      /* another descriptor that the child inherits; 0: none */
    bool own_group;   /* runs in a separate process group, so that Ctrl-C does not reach it */
    int death_signal; /* signal that the child receives when the parent ends; 0: none */
};

struct subprocess {
    pid_t pid;      /* 0: no process */
    int output;     /* read end of the pipe, or -1 */
    bool own_group; /* pid is also a process group */
    bool not_found; /* set by a failed start: the program does not exist */
};

enum {
    SUBPROCESS_HURRIED_MS = 250
}; /* grace period of subprocess_end() once this process got a signal */

/* Starts a program. If exec fails, the function returns false with the reason. */
bool subprocess_start(struct subprocess *child, const struct subprocess_setup *setup,
                      struct error *err);
/* Forks a child that calls work(data) and exits with its result. The child writes nothing to the
 * pipe `output`, whose end-of-file reports its exit. */
bool subprocess_fork(struct subprocess *child, int (*work)(void *data), void *data,
                     int death_signal, struct error *err);

/* Signals the process, or its process group if it has a separate one. */
void subprocess_signal(const struct subprocess *child, int number);
/* Returns whether the child has exited. If so, the child is reaped and *status is its wait
 * status. */
bool subprocess_has_ended(struct subprocess *child, int *status);
/* Closes the pipe, waits for the child to exit and returns the wait status. */
int subprocess_wait(struct subprocess *child);
/* Reads up to `most` bytes from the pipe, then waits for the child. *text ends with a NUL, which
 * *size does not count; the caller frees it. If this process got a signal or the read failed, the
 * function ends the child and returns false. *text is then NULL. */
bool subprocess_collect(struct subprocess *child, size_t most, char **text, size_t *size,
                        int *status, struct error *err);
/* Sends SIGTERM and waits up to `grace_ms` for the child to exit. Then sends SIGKILL, which also
 * ends the rest of its process group. Finally does the same as subprocess_wait(). */
int subprocess_end(struct subprocess *child, int grace_ms);

struct subprocess_filter {
    char *const *argv;   /* NULL-terminated; reads standard input, writes standard output */
    const char *package; /* Debian package of argv[0], for the error message; or NULL */
    const char *folder;  /* working folder; NULL: the parent's */
};

/* Runs a program on `input` and collects its standard output (at most 64 MB) in memory. *output
 * ends with a NUL; the caller frees it. Errors: the program does not exist (sets *missing), fails
 * (the message contains the last line of its standard error), or writes nothing. */
bool subprocess_filter(const struct subprocess_filter *filter, const char *input, size_t size,
                       char **output, size_t *output_size, bool *missing, struct error *err);

/* Formats a wait status: "exit status 3", "signal 11 (Segmentation fault)". */
void subprocess_describe(int status, char *text, unsigned size);
/* Returns whether the wait status is success. Otherwise sets an error such as "NAME ended with exit
 * status 3". */
bool subprocess_check(int status, const char *name, struct error *err);

#endif
