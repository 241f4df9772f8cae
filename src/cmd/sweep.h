/* The parts of `aetius sweep`: each takes the words behind its own name, as main() would. */
#ifndef AETIUS_CMD_SWEEP_H
#define AETIUS_CMD_SWEEP_H

#include "base/sheet.h"
#include "cmd/options.h"
#include "sweep/sweep.h"

int sweep_plan_command(int argc, char **argv);   /* PLAN.ini: sweep_plan.c */
int sweep_run_command(int argc, char **argv);    /* run DIR KEY...: sweep_run.c */
int sweep_status_command(int argc, char **argv); /* sweep_folder.c, as the next two */
int sweep_collect_command(int argc, char **argv);
int sweep_clean_command(int argc, char **argv);
int sweep_query_command(int argc, char **argv); /* sweep_results.c, as the next two */
int sweep_pareto_command(int argc, char **argv);
int sweep_sensitivity_command(int argc, char **argv);

/* The plan's inputs as traces of the sweep; programs are captured into DIR/traces where they are
 * not there, or else left out with a note (sweep_capture.c). */
bool sweep_capture_inputs(struct sweep *sweep, const struct sweep_plan *plan, bool may_capture,
                          struct error *err);

/* results.db of the runs that are done, of a sweep and the plan in its folder. */
bool sweep_collect(const struct sweep *sweep, const struct sweep_plan *plan, struct error *err);

/* What became of a run (sweep_folder.c). */
enum sweep_state { SWEEP_TODO, SWEEP_DONE, SWEEP_BUSY, SWEEP_FAILED };
enum sweep_state sweep_state_of(const struct sweep *sweep, const struct sweep_run *run);
extern const char *const sweep_state_names[]; /* by SWEEP_TODO ... */
/* The last lines of what a failed run said; the caller frees. */
char *sweep_last_words(const struct sweep *sweep, const struct sweep_run *run);

#endif
