/* What `aetius study model` finds: by machine the staged model of its sweeps and how far that is
 * off, and frames of programs told from their traces. */
#ifndef AETIUS_STUDY_MODEL_STUDY_H
#define AETIUS_STUDY_MODEL_STUDY_H

#include "params/params.h"
#include "model/check.h"
#include "model/frames.h"
#include "study/study.h"

#include <stdio.h>

/* What frames are there for. */
enum frames_part { FRAMES_LEARN, FRAMES_DEVELOP, FRAMES_JUDGE, FRAMES_PARTS };

/* A frame of a program, simulated and predicted. */
struct model_frame {
    const char *input; /* the study's */
    enum frames_part part;
    struct frame_prediction predicted;
    double seconds; /* cycle-level */
};

struct model_machine {
    const char *name;
    struct params params;
    struct model_rows rows;    /* none: its sweeps were not simulated */
    struct model_rows columns; /* none: nor was the sweep of coherence alone */
    struct model model;
    struct model_check check;
    VEC(struct model_frame) frames; /* input after input */
};

struct model_study {
    VEC(struct model_machine) machines;
    VEC(struct model_machine)
    measured; /* of other GPUs; the name is the file's, there are no params */
};

/* Fits half of the machine's rows, and checks. */
bool model_machine_fit(struct model_machine *machine, struct error *err);
void model_machine_fini(struct model_machine *machine);

/* Signed, of frames a second: 0.1 is 10 % too many. */
double model_frame_error(const struct model_frame *frame);

/* How columns that take different sides of a branch do, from the sweep `coherence`. */
struct coherence_widths {
    double least, all;   /* fragments a second: the minimum, and when all agree */
    double flat, half;   /* pixels: the widest column at the minimum (to 2 %), and the narrowest
                          * from which on half of what agreement gains is gained */
    char exceptions[96]; /* narrower than `flat`, and not at the minimum: "8", "" */
};
/* False: the machine's rows have no such sweep, or do not say what agreement comes to. */
bool coherence_find(struct coherence_widths *widths, const struct model_machine *machine);

/* Of one machine: stages, worst cases, mass-spring; Markdown. */
void model_machine_tables(const struct model_machine *machine, FILE *out);
/* Markdown, with links to the plots that are in the folder. */
void model_page(const struct model_study *study, const char *dir, FILE *out);
void model_page_json(const struct model_study *study, FILE *out); /* the errors */
/* The plots, into the folder of the study. */
bool model_charts(const struct model_study *study, const struct study *to, struct error *err);

#endif
