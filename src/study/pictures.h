/* A study's pictures beside those of the reference renderer (llvmpipe behind virgl_test_server). */
#ifndef AETIUS_STUDY_PICTURES_H
#define AETIUS_STUDY_PICTURES_H

#include "study/study.h"

/* For each input that [study] names under `pictures`, or each trace of the user's: the first frame
 * of its run on the first machine is compared with what the reference draws of the trace. Writes
 * DIR/pictures.md (how many pixels differ, and how: report/compare/compare.h) and
 * DIR/pictures/NAME.png: the frame, what it has more than the reference and what less, eight times
 * as bright, side by side in half the size. A picture of one color is left out, with a note. */
bool study_put_pictures(const struct study *study, struct error *err);

#endif
