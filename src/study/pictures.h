/* Compares pictures of a study with those of the reference renderer (llvmpipe through
 * virgl_test_server). */
#ifndef AETIUS_STUDY_PICTURES_H
#define AETIUS_STUDY_PICTURES_H

#include "study/study.h"

/* Compares the first frame of each input that [study] names under `pictures`, or of each trace of
 * the user's. The frame is that of the run on the first machine. The reference draws the same
 * trace. Writes DIR/pictures.md with the number and kind of differing pixels
 * (report/compare/compare.h). Writes DIR/pictures/NAME.png with the frame, its positive and its
 * negative differences, side by side at half size, differences brightened eightfold. A picture of
 * one color is left out with a note. */
bool study_put_pictures(const struct study *study, struct error *err);

#endif
