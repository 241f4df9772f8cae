/* Predicts from a run's tables what one step of a parameter gains (src/steps.def): twice the units,
 * ports or channels. Making a resource ideal (report/compare/ideals.h) gives an upper bound on the
 * possible gain. A step is a change that a GPU can make.
 *
 * In each row, a step divides the cycles attributed to the causes it affects. Doubling a rate
 * removes half of them. Units that execute whole pieces, such as thread groups, save the rounds for
 * pieces that no longer exist: a draw with two groups does not use a third unit. More memory
 * channels help in proportion to the channels that transfer at once. The work of each resource is
 * evaluated with the stepped parameters. Hidden work of other resources may overlap with all
 * remaining cycles of the divided causes, and hides the gain beyond that. If several rates of a
 * resource are equal, its work does not shrink until all of them are doubled.
 *
 * A step never leaves the range of its parameters, and only parameters with an effect on the
 * machine are doubled. Overlapping draws (COMMANDPROCESSOR.PipelinedBatchRendering) are a step,
 * too; its expected gain is that of the resource drain. */
#ifndef AETIUS_REPORT_STEPS_H
#define AETIUS_REPORT_STEPS_H

#include "base/mem.h"
#include "report/compare/ideals.h"

#include <cjson/cJSON.h>

enum { STEP_SETTINGS = 4 };

struct step_setting {
    const struct param_info *info;
    uint32_t from, to; /* a switch: 0, 1 */
};

struct step {
    struct step_setting settings[STEP_SETTINGS];
    uint32_t count;
    bool is_of[IDEALS]; /* whether the step divides causes that the ideal resource removes */
    double expected;    /* in cycles */
};

/* Steps below this share of the cycles are left out. The expected gains of ideal resources are 4.6
 * points off on average (docs/studies/verdicts.md). */
#define STEP_LEAST 0.05

/* Steps that are expected to gain at least STEP_LEAST of the cycles, the best one first. A
 * step of several parameters is better than another if it gains more by IDEALS_NOTHING for each
 * parameter beyond the first. */
struct steps {
    VEC(struct step) items;
};

/* `gains`: of the same rows. Returns false if columns are missing. */
bool steps_predict(const struct ideal_rows *rows, const struct params *params,
                   const struct ideal_gains *gains, struct steps *steps, struct error *err);
/* All steps that the machine can make, without expected gains. */
void steps_list(const struct params *params, struct steps *steps);
void steps_fini(struct steps *steps);
/* The best step of all resources, or NULL. */
const struct step *steps_best(const struct steps *steps);
/* The best step of a resource, or NULL. */
const struct step *steps_of(const struct steps *steps, enum ideal_number ideal);
bool step_apply(const struct step *step, struct params *params, struct error *err);
/* Writes "GPU.NumFragmentShaders=8", with `between` between several settings. The caller frees it.
 */
char *step_text(const struct step *step, const char *between);

/* steps_print.c. Prints the best step of all resources, unless it is that of `verdict`. */
void steps_print_best(const struct steps *steps, const struct ideal_gains *gains,
                      enum ideal_number verdict, FILE *out);
/* null without a step. */
cJSON *step_json(const struct step *step, const struct ideal_gains *gains);
cJSON *steps_json(const struct steps *steps, const struct ideal_gains *gains);
/* Lines of TOPDOWN_CSV_COLUMNS (analysis/topdown_print.h). `lead`: the first field. */
void steps_csv(const struct steps *steps, const struct ideal_gains *gains, const char *lead,
               FILE *out);

#endif
