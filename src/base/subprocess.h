/* Child processes: started, read, waited for and ended here alone (workers that share memory:
 * base/worker_pool.h).
 *
 *     struct subprocess child;
 *     struct subprocess_setup setup = {.argv = words, .output = SUBPROCESS_PIPE};
 *     if (subprocess_start(&child, &setup, err)) {
 *         ... interrupt_read(child.output, ...) ...
 *         ok = subprocess_check(subprocess_wait(&child), words[0], err);
 *     }
 *
 * A struct subprocess owns its process and its end of the pipe from the start until
 * subprocess_wait() or subprocess_end(), which must be called once. The descriptors of a setup stay
 * the caller's. Nothing else of the parent's is inherited: every descriptor of the program is
 * close-on-exec. */
#ifndef AETIUS_BASE_SUBPROCESS_H
#define AETIUS_BASE_SUBPROCESS_H

#include "base/error.h"

#include <sys/types.h>

enum subprocess_output {
    SUBPROCESS_AS_OURS,     /* standard output and error are the parent's */
    SUBPROCESS_PIPE,        /* both go into the pipe `output` */
    SUBPROCESS_PIPE_STDOUT, /* standard output goes into the pipe */
};

/* Zero is a program with the parent's standard input and output, in its process group, that lives
 * on when the parent ends. */
struct subprocess_setup {
    char *const *argv;   /* ends with NULL; argv[0] is looked for in PATH */
    const char *package; /* Debian's that has argv[0], for the message; or NULL */
    const char *folder;  /* that it runs in; NULL: the parent's */
    const char *const
        *environment; /* NAME=VALUE to set, or NAME to unset; ends with NULL; or NULL */
    enum subprocess_output output;
    const char *log;  /* file to which standard output and error are appended; or NULL */
    int out_fd;       /* standard output; 0: as `output` says */
    int in_fd;        /* standard input; 0: the parent's, or nothing with no_input */
    bool no_input;    /* standard input is empty */
    int kept_fd;      /* inherited besides; 0: none */
    bool own_group;   /* its own process group: Ctrl-C of the terminal does not reach it */
    int death_signal; /* sent to it when the parent ends; 0: none */
};

struct subprocess {
    pid_t pid;      /* 0: none */
    int output;     /* the reading end of the pipe, or -1 */
    bool own_group; /* pid is also a process group */
    bool not_found; /* after a start that failed: there is no such program */
};

enum {
    SUBPROCESS_HURRIED_MS = 250
}; /* the grace of subprocess_end() after a signal to this process */

/* Starts a program. A program that cannot be executed is an error, with its reason. */
bool subprocess_start(struct subprocess *child, const struct subprocess_setup *setup,
                      struct error *err);
/* A copy of this process calls work(data), and exits with what it returns. The pipe `output` only
 * tells that it has ended. */
bool subprocess_fork(struct subprocess *child, int (*work)(void *data), void *data,
                     int death_signal, struct error *err);

/* To the process, or to its group when it has its own. */
void subprocess_signal(const struct subprocess *child, int number);
/* Whether it has ended; then it is reaped, and *status is its wait status. */
bool subprocess_has_ended(struct subprocess *child, int *status);
/* Closes the pipe, waits for the end and returns the wait status. */
int subprocess_wait(struct subprocess *child);
/* Reads the pipe to its end, at most `most` bytes, and waits. *text ends with NUL and is the
 * caller's, *size is without that. False, with nothing to free, when a signal came to this process:
 * the child is ended. */
bool subprocess_collect(struct subprocess *child, size_t most, char **text, size_t *size,
                        int *status, struct error *err);
/* SIGTERM, and SIGKILL after the grace or when it has ended (to what is left of its group); then as
 * subprocess_wait(). */
int subprocess_end(struct subprocess *child, int grace_ms);

struct subprocess_filter {
    char *const *argv;   /* ends with NULL; reads standard input, writes standard output */
    const char *package; /* Debian's that has argv[0], for the message; or NULL */
    const char *folder;  /* in which it runs */
};

/* Runs a program on `input` and collects its standard output (at most 64 MB) in memory. *output
 * ends with NUL and belongs to the caller. Errors: the program does not exist (*missing), fails
 * (the message holds the last line that it wrote to standard error) or writes nothing. */
bool subprocess_filter(const struct subprocess_filter *filter, const char *input, size_t size,
                       char **output, size_t *output_size, bool *missing, struct error *err);

/* "exit status 3", "signal 11 (Segmentation fault)" */
void subprocess_describe(int status, char *text, unsigned size);
/* Whether the wait status is that of success; else the message "NAME ended with exit status 3". */
bool subprocess_check(int status, const char *name, struct error *err);

#endif
