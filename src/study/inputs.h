/* Checks the inputs of a study before simulation. */
#ifndef AETIUS_STUDY_INPUTS_H
#define AETIUS_STUDY_INPUTS_H

#include "study/study.h"

/* Checks that each trace can be rendered. Also checks that pictures of the plan's inputs have more
 * than one color, unless one-color = yes. A trace without a completed run is rendered without
 * timing. With keep_going, faulty inputs are omitted with a warning. */
bool study_check_inputs(struct study *study, struct error *err);

/* Runs `aetius replay`: renders frames of a trace to FOLDER/frames in the study's folder. `by` is
 * "reference", or NULL for the functional renderer. */
bool study_draw(const struct study *study, const char *trace, const char *by, const char *frames,
                const char *folder, struct error *err);

#endif
