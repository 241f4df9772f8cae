/* The work of a sweep: its folder is taken, programs are captured, and an engine does the runs that
 * are not in the store. What `aetius sweep`, `aetius study` and `aetius topdown --prove` share. */
#ifndef AETIUS_SWEEP_WORK_H
#define AETIUS_SWEEP_WORK_H

#include "sweep/engine.h"

struct work_options {
    const char *store;  /* NULL: what AETIUS_STORE says, or DIR/runs */
    const char *engine; /* NULL: local */
    uint64_t jobs;      /* at a time; 0: all cores it may run on, of slurm no limit */
    bool keep_going;    /* after a failure */
    uint64_t limit_seconds, limit_bytes; /* of a run; 0: none */
    uint64_t per_element, max_array;     /* of slurm; 0: its choice */
    struct arg_list sbatch;
};

/* The names and the limits of a sweep, and with `plan` (the path of its file, or "") also its
 * folder, taken until sweep_fini(); NULL: nothing is written. Pair with sweep_fini() also after a
 * failure.
 */
bool sweep_open(struct sweep *sweep, const char *dir, const char *plan,
                const struct work_options *options, struct error *err);
/* What a sweep has made are folders of its own: a link in their place leads out of it. */
bool sweep_check_folders(const struct sweep *sweep, struct error *err);

/* The plan's file as it is, as DIR/plan.ini. */
bool sweep_copy_plan(const struct sweep *sweep, const struct sweep_plan *plan, struct error *err);

/* The plan's inputs as traces of the sweep. Programs that are not captured yet are, into
 * DIR/traces, by DIR/plan.ini; without `may_capture` they are left out with a note (capture.c).
 * A program that fails, or is not installed, and a trace that cannot be read are errors; with
 * keep_going they are left out, and sweep_check_missing() is the error when all else is done. */
bool sweep_take_inputs(struct sweep *sweep, const struct sweep_plan *plan,
                       const struct work_options *options, bool may_capture, struct error *err);

bool sweep_check_missing(const struct sweep *sweep, struct error *err);

/* The inputs, and the runs that the plan has of them; its outputs are what a machine counts. */
bool sweep_prepare(struct sweep *sweep, const struct sweep_plan *plan,
                   const struct work_options *options, bool may_capture, struct error *err);

struct run_numbers {
    size_t *items, count, capacity;
};
/* The runs that are not done, each key once, in the order of the sweep. */
bool sweep_list_todo(struct sweep *sweep, struct run_numbers *todo, struct error *err);
uint64_t work_jobs(const struct work_options *options); /* of an engine that is awaited */

/* Saves the sweep and does what is not done. *waits: an engine that is not awaited has runs; the
 * same command goes on when it is through. False, with the message: a run failed, or a signal. */
bool sweep_do(struct sweep *sweep, const struct work_options *options, bool *waits,
              struct error *err);

/* What became of a run. */
enum sweep_state { SWEEP_TODO, SWEEP_DONE, SWEEP_BUSY, SWEEP_FAILED };
enum sweep_state sweep_state_of(const struct sweep *sweep, const struct sweep_run *run);
extern const char *const sweep_state_names[]; /* by SWEEP_TODO ... */

/* What a piece of work says goes to DIR/logs/NAME, NAME.failed when it failed: work_log.c. */
char *work_log_path(const struct sweep *sweep, const char *name, const char *end);
void work_log_begin(const struct sweep *sweep, const char *name); /* output of this process */
void work_log_say(const struct sweep *sweep, const char *name, const char *text);
void work_log_end(const struct sweep *sweep, const char *name, bool ok);
/* The last lines of what failed; the caller frees. */
char *work_log_last(const struct sweep *sweep, const char *name);

#endif
