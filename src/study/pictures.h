/* Compares pictures of a study with those of the reference renderer (llvmpipe through
 * virgl_test_server). */
#ifndef AETIUS_STUDY_PICTURES_H
#define AETIUS_STUDY_PICTURES_H

#include "study/study.h"

/* Compares the first frame of each input that [study] lists under `pictures`. With the user's
 * inputs, compares the first frame of each trace. The compared picture is from the run on the first
 * machine. The reference renders the same trace. A picture of one color is omitted with a note.
 *
 * Writes DIR/pictures.md with the number and kind of differing pixels (report/compare/compare.h).
 * Writes DIR/pictures/NAME.png with the frame, its positive differences and its negative
 * differences, side by side at half size. Differences are brightened eightfold. */
bool study_put_pictures(const struct study *study, struct error *err);

#endif
