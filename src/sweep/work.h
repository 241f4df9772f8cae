/* Executes a sweep: locks its folder, captures programs, and starts an engine for the runs that the
 * store lacks. Shared by `aetius sweep`, `aetius study` and `aetius topdown --prove`. */
#ifndef AETIUS_SWEEP_WORK_H
#define AETIUS_SWEEP_WORK_H

#include "sweep/engine.h"

struct work_options {
    const char *store;  /* NULL: AETIUS_STORE, or DIR/runs */
    const char *engine; /* NULL: local */
    uint64_t jobs;      /* parallel runs; 0: all available cores, or no limit for slurm */
    bool keep_going;    /* continue after a failure */
    uint64_t limit_seconds, limit_bytes; /* per run; 0: no limit */
    uint64_t per_element, max_array;     /* for slurm; 0: the engine's choice */
    struct arg_list sbatch;
};

/* Initializes a sweep's names and limits. `plan` is the path of the plan's file, or "". The
 * function then also creates the folder, and locks it until sweep_fini(). If `plan` is NULL,
 * nothing is written. Call sweep_fini() even after a failure. */
bool sweep_open(struct sweep *sweep, const char *dir, const char *plan,
                const struct work_options *options, struct error *err);
/* Fails if one of the sweep's folders is a link, which would lead out of the sweep. */
bool sweep_check_folders(const struct sweep *sweep, struct error *err);

/* Copies the plan's file to DIR/plan.ini. */
bool sweep_copy_plan(const struct sweep *sweep, const struct sweep_plan *plan, struct error *err);

/* Adds the plan's inputs as traces. Captures missing programs of DIR/plan.ini into DIR/traces.
 * Without `may_capture`, omits them with a note (capture.c). Fails if a program fails or is not
 * installed, or if a trace is unreadable. With keep_going, omits these inputs, and
 * sweep_check_missing() reports the error at the end. */
bool sweep_take_inputs(struct sweep *sweep, const struct sweep_plan *plan,
                       const struct work_options *options, bool may_capture, struct error *err);

bool sweep_check_missing(const struct sweep *sweep, struct error *err);

/* Adds the inputs and the plan's runs of them. Checks that the machines have the names that the
 * outputs use. */
bool sweep_prepare(struct sweep *sweep, const struct sweep_plan *plan,
                   const struct work_options *options, bool may_capture, struct error *err);

struct run_numbers {
    size_t *items, count, capacity;
};
/* Lists the runs that are not complete, each key once, in sweep order. */
bool sweep_list_todo(struct sweep *sweep, struct run_numbers *todo, struct error *err);
uint64_t work_jobs(const struct work_options *options); /* parallel jobs of an awaited engine */

/* Saves the sweep and executes the remaining runs. Sets *waits if an engine that is not awaited
 * still has runs. The user must repeat the command when these runs have ended. Returns false with
 * `err` if a run failed or a signal arrived. */
bool sweep_do(struct sweep *sweep, const struct work_options *options, bool *waits,
              struct error *err);

/* State of a run. */
enum sweep_state { SWEEP_TODO, SWEEP_DONE, SWEEP_BUSY, SWEEP_FAILED };
enum sweep_state sweep_state_of(const struct sweep *sweep, const struct sweep_run *run);
extern const char *const sweep_state_names[]; /* indexed by enum sweep_state */

/* The output of a capture or a run goes to DIR/logs/NAME, which is renamed to NAME.failed after a
 * failure (work_log.c). */
char *work_log_path(const struct sweep *sweep, const char *name, const char *end);
/* Redirects this process's output to the log. */
void work_log_begin(const struct sweep *sweep, const char *name);
void work_log_append(const struct sweep *sweep, const char *name, const char *text);
void work_log_end(const struct sweep *sweep, const char *name, bool ok);
/* The last lines of a failed log. The caller frees the text. */
char *work_log_last(const struct sweep *sweep, const char *name);

#endif
