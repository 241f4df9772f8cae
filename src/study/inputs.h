/* What a study asks of its inputs before it simulates them. */
#ifndef AETIUS_STUDY_INPUTS_H
#define AETIUS_STUDY_INPUTS_H

#include "study/study.h"

/* Each trace can be drawn, and the pictures of the plan's own inputs have more than one color,
 * unless the plan says that they may not (one-color = yes). A trace without a run that is done is
 * drawn for that, without time. With keep_going the others are left out, with a warning. */
bool study_check_inputs(struct study *study, struct error *err);

/* aetius replay: frames of a trace to FOLDER/frames, in the study's folder; `by` is "reference" or
 * NULL. */
bool study_draw(const struct study *study, const char *trace, const char *by, const char *frames,
                const char *folder, struct error *err);

#endif
