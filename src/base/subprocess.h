/* Starts child processes, reads their output, waits for them and ends them. All code uses this
 * interface, except for workers that share memory (base/worker_pool.h). The keeper of a captured
 * program also waits for processes that it did not start (trace/virgl/vtest/keeper.c).
 *
 *     struct subprocess child;
 *     struct subprocess_setup setup = {.argv = words, .output = SUBPROCESS_PIPE};
 *     if (subprocess_start(&child, &setup, err)) {
 *         ... interrupt_read(child.output, ...) ...
 *         ok = subprocess_check(subprocess_wait(&child), words[0], err);
 *     }
 *
 * A struct subprocess owns its process and the read end of the pipe. After a successful start the
 * caller must call subprocess_wait() or subprocess_end() exactly once. The caller keeps ownership
 * of the descriptors in the setup. The child inherits no other descriptors, because all descriptors
 * of this program are close-on-exec. */
#ifndef AETIUS_BASE_SUBPROCESS_H
#define AETIUS_BASE_SUBPROCESS_H

#include "base/error.h"

#include <sys/types.h>

enum subprocess_output {
    SUBPROCESS_AS_OURS,     /* inherits standard output and error */
    SUBPROCESS_PIPE,        /* standard output and error go to the pipe `output` */
    SUBPROCESS_PIPE_STDOUT, /* only standard output goes to the pipe */
};

/* With a zeroed setup the child inherits standard input and output and the process group. It keeps
 * running when the parent exits. */
struct subprocess_setup {
    char *const *argv;   /* NULL-terminated; argv[0] is searched in PATH */
    const char *package; /* Debian package of argv[0], for the error message; or NULL */
    const char *folder;  /* working folder; NULL: the parent's */
    /* "NAME=VALUE" sets a variable, "NAME" unsets it. NULL-terminated, or NULL. */
    const char *const *environment;
    enum subprocess_output output;
    const char *log;  /* standard output and error are appended to this file; or NULL */
    int out_fd;       /* standard output; 0: determined by `output` */
    int in_fd;        /* standard input; 0: inherited, or empty with no_input */
    bool no_input;    /* standard input is empty */
    int kept_fd;      /* additional descriptor that the child inherits; 0: none */
    bool own_group;   /* the child gets its own process group, which Ctrl-C does not reach */
    int death_signal; /* signal that the child receives when the parent exits; 0: none */
};

struct subprocess {
    pid_t pid;      /* 0: no process */
    int output;     /* read end of the pipe, or -1 */
    bool own_group; /* `pid` is also the number of a process group */
    bool not_found; /* set if the start failed because the program does not exist */
};

enum {
    SUBPROCESS_HURRIED_MS = 250
}; /* grace period of subprocess_end() if this process received a signal */

/* Starts a program. Returns false with the reason if exec fails. */
bool subprocess_start(struct subprocess *child, const struct subprocess_setup *setup,
                      struct error *err);
/* Forks a child that calls work(data) and exits with its result. The child writes nothing to the
 * pipe `output`; end-of-file on the pipe means that the child has exited. */
bool subprocess_fork(struct subprocess *child, int (*work)(void *data), void *data,
                     int death_signal, struct error *err);

/* Signals the process, or its whole process group if it has its own. */
void subprocess_signal(const struct subprocess *child, int number);
/* Returns whether the child has exited. If so, reaps it and stores its wait status in *status. */
bool subprocess_has_ended(struct subprocess *child, int *status);
/* Closes the pipe, waits for the child to exit and returns the wait status. */
int subprocess_wait(struct subprocess *child);
/* Reads up to `most` bytes from the pipe, then waits for the child. *text ends with a NUL, which
 * *size does not count. The caller frees *text. On a signal or a read error the function ends the
 * child, sets *text to NULL and returns false. */
bool subprocess_collect(struct subprocess *child, size_t most, char **text, size_t *size,
                        int *status, struct error *err);
/* Sends SIGTERM and waits up to `grace_ms` for the child to exit. Then sends SIGKILL, which also
 * kills remaining processes of its group. Finally does the same as subprocess_wait(). */
int subprocess_end(struct subprocess *child, int grace_ms);

struct subprocess_filter {
    char *const *argv;   /* NULL-terminated; reads standard input, writes standard output */
    const char *package; /* Debian package of argv[0], for the error message; or NULL */
    const char *folder;  /* working folder; NULL: the parent's */
};

/* Runs a program on `input` and collects its standard output (at most 64 MB) in memory. *output
 * ends with a NUL; the caller frees it. It is an error if the program does not exist (sets
 * *missing), fails, or writes nothing. The message for a failure contains the last line of standard
 * error. */
bool subprocess_filter(const struct subprocess_filter *filter, const char *input, size_t size,
                       char **output, size_t *output_size, bool *missing, struct error *err);

/* Formats a wait status: "exit status 3", "signal 11 (Segmentation fault)". */
void subprocess_describe(int status, char *text, unsigned size);
/* Returns whether the wait status means success. Otherwise sets an error such as "NAME ended with
 * exit status 3". */
bool subprocess_check(int status, const char *name, struct error *err);

#endif
