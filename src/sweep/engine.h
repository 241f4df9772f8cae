/* Engines do the runs of a sweep: each writes what another program's scheduler reads. One file and
 * one line in engines.def each. All of them call `aetius sweep run DIR KEY...`, which does a run
 * that is not done yet and leaves one that is. */
#ifndef AETIUS_SWEEP_ENGINE_H
#define AETIUS_SWEEP_ENGINE_H

#include "base/subprocess.h"
#include "sweep/sweep.h"

#include <sys/types.h>

struct engine_request {
    const struct sweep *sweep;
    const size_t *todo; /* numbers of the runs to be done */
    size_t count;
    uint64_t jobs;   /* at a time; 0: as many as there is place for */
    bool keep_going; /* after a failure */
    /* of slurm */
    uint64_t per_element, max_array; /* runs an array element, elements an array; 0: its choice */
    const struct arg_list *sbatch;   /* more options of sbatch */
};

struct sweep_engine {
    const char *name;
    /* Whether the runs have ended when begin() returns. */
    bool is_awaited;
    bool (*begin)(const struct engine_request *request, struct error *err);
    /* Of runs that it was given by an earlier process, whether they are still with it: `mine` by
     * the number of the run. NULL: it keeps nothing. */
    bool (*survey)(const struct sweep *sweep, bool *mine, struct error *err);
};
const struct sweep_engine *engine_find(const char *name); /* or NULL */
char *engine_names(void);                                 /* "local, slurm, list" */

/* This program's own file, and a word for a shell; the caller frees. */
char *engine_self(void);
char *shell_word(const char *text);
/* Starts a program in a folder: its output is a pipe, its input empty. Ctrl-C of the terminal does
 * not reach it; it gets SIGTERM when this process ends. `package` of Debian has the program; NULL:
 * it is always there. */
bool engine_start(struct subprocess *child, const char *folder, char *const *words,
                  const char *package, struct error *err);

/* Commands side by side, by ninja: `aetius sweep COMMAND . NAME` in the sweep's folder for each. */
struct ninja_work {
    const char *command, *what; /* what they do, for the progress */
    struct word_list names;
    uint64_t jobs;
    bool keep_going;
};
bool ninja_do(const struct sweep *sweep, const struct ninja_work *work, struct error *err);
char *ninja_file(const struct ninja_work *work); /* the text of DIR/build.ninja */

#endif
