/* Engines execute the runs of a sweep, usually through another program's scheduler. Each engine has
 * one file and one line in engines.def. All engines call `aetius sweep run DIR KEY...`, which skips
 * completed runs. */
#ifndef AETIUS_SWEEP_ENGINE_H
#define AETIUS_SWEEP_ENGINE_H

#include "base/subprocess.h"
#include "sweep/sweep.h"

#include <sys/types.h>

struct engine_request {
    const struct sweep *sweep;
    const size_t *todo; /* numbers of the runs to execute */
    size_t count;
    uint64_t jobs;   /* parallel runs; 0: limited only by the resources */
    bool keep_going; /* continue after a failure */
    /* For slurm: runs per array element, elements per array. 0: the engine's choice. */
    uint64_t per_element, max_array;
    const struct arg_list *sbatch; /* for slurm: further options of sbatch */
};

struct sweep_engine {
    const char *name;
    /* Whether the runs have ended when begin() returns. */
    bool is_awaited;
    bool (*begin)(const struct engine_request *request, struct error *err);
    /* Finds runs that an earlier process submitted to the engine and that have not ended. Sets
     * mine[run] for them. NULL: the engine keeps no runs. */
    bool (*survey)(const struct sweep *sweep, bool *mine, struct error *err);
};
const struct sweep_engine *engine_find(const char *name); /* NULL: unknown name */
char *engine_names(void); /* "local, slurm, list"; the caller frees the text */

/* engine_self(): path of this program. shell_word(): `text`, quoted for a shell. The caller frees
 * both results. */
char *engine_self(void);
char *shell_word(const char *text);
/* Starts a program in a folder. Its output is a pipe, and its input is empty. The terminal's Ctrl-C
 * does not reach the program. The program gets SIGTERM when this process ends. If the program is
 * missing, the error suggests the Debian package `package`. NULL: the program cannot be missing. */
bool engine_start(struct subprocess *child, const char *folder, char *const *words,
                  const char *package, struct error *err);

/* Commands that ninja executes in parallel: `aetius sweep COMMAND . NAME` in the sweep's folder,
 * for each name. */
struct ninja_work {
    const char *command, *what; /* what: text for the progress display */
    struct word_list names;
    uint64_t jobs;
    bool keep_going;
};
bool ninja_do(const struct sweep *sweep, const struct ninja_work *work, struct error *err);
/* contents of DIR/build.ninja; the caller frees the text */
char *ninja_file(const struct ninja_work *work);

#endif
