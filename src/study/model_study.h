/* Results of `aetius study model`: per machine the staged model of its sweeps, the model's errors,
 * and frames of programs predicted from their traces. */
#ifndef AETIUS_STUDY_MODEL_STUDY_H
#define AETIUS_STUDY_MODEL_STUDY_H

#include "params/params.h"
#include "model/check.h"
#include "model/frames.h"
#include "study/study.h"

#include <stdio.h>

/* Use of a frame. */
enum frames_part { FRAMES_LEARN, FRAMES_DEVELOP, FRAMES_JUDGE, FRAMES_PARTS };

/* A frame of a program, simulated and predicted. */
struct model_frame {
    const char *input; /* name owned by the study */
    enum frames_part part;
    struct frame_prediction predicted;
    double seconds; /* simulated time at the GPU's clock */
};

struct model_machine {
    const char *name;
    struct params params;
    struct model_rows rows;    /* empty: the sweeps were not simulated */
    struct model_rows columns; /* rows of the sweep of coherence; empty: not simulated */
    struct model model;
    struct model_check check;
    VEC(struct model_frame) frames; /* grouped by input */
};

struct model_study {
    VEC(struct model_machine) machines;
    VEC(struct model_machine)
    measured; /* other GPUs; the name is the file's, and params are unset */
};

/* Fits the model to half of the machine's rows, and checks it with the other half. */
bool model_machine_fit(struct model_machine *machine, struct error *err);
void model_machine_fini(struct model_machine *machine);

/* Signed relative error of the frame rate: 0.1 means 10 % too high. */
double model_frame_error(const struct model_frame *frame);

/* Performance of columns with different sides of a branch, from the sweep `coherence`. */
struct coherence_widths {
    double least, all; /* fragments per second: minimum, and with all fragments on one side */
    /* Widths in pixels. `flat`: widest column within 2 % of the minimum. `half`: columns of this
     * width or more gain at least half of the difference to `all`. */
    double flat, half;
    char exceptions[96]; /* widths below `flat` with more than the minimum: "8", "" */
};
/* Returns false if the machine's rows lack the sweep, or lack a row in which all fragments
 * agree. */
bool coherence_find(struct coherence_widths *widths, const struct model_machine *machine);

/* Markdown tables of one machine: stages, worst cases, mass-spring. */
void model_machine_tables(const struct model_machine *machine, FILE *out);
/* The page as Markdown, with links to the plots that exist in the folder. */
void model_page(const struct model_study *study, const char *dir, FILE *out);
/* Prints the errors of the models and of the predicted frames. */
void model_page_json(const struct model_study *study, FILE *out);
/* Writes the plots to the study's folder. */
bool model_charts(const struct model_study *study, const struct study *to, struct error *err);

#endif
