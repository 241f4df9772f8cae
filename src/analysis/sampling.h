/* Few frames that stand for many, with the error known: frames are put into clusters of those that
 * are alike, some of each cluster are drawn by chance and simulated, and the total over all frames
 * is estimated with an interval. Stratified sampling without replacement, with the combined
 * regression on a figure that is known of every frame (Cochran, Sampling Techniques, 3rd ed. 1977,
 * 5.3 to 5.6 and 7.10); clusters of frames by what they ask of the GPU as in MEGsim (Ortiz et al.,
 * ISPASS 2022). */
#ifndef AETIUS_ANALYSIS_SAMPLING_H
#define AETIUS_ANALYSIS_SAMPLING_H

#include "base/error.h"
#include "base/mem.h"
#include "base/sha256.h"

#include <stdbool.h>
#include <stdint.h>

/* Figures of each frame; the first is the one that an estimate leans on. */
struct sampling_figures {
    uint32_t frames, figures;
    const double *values; /* frames x figures */
};

struct sample_frame {
    uint32_t frame;
    double known; /* its first figure */
};

struct sample_cluster {
    uint32_t frames;                /* in it */
    double known;                   /* the sum of their first figures */
    VEC(struct sample_frame) drawn; /* all of them, or two and more; in the order of frames */
};

struct sample {
    uint32_t frames; /* that it stands for: 0 to frames - 1 */
    uint64_t seed;
    char trace[SHA256_TEXT]; /* whose frames they are; "": not said */
    double seconds;          /* that the figures took */
    VEC(struct sample_cluster) clusters;
};

/* Draws about `count` frames (at least two, at most all). The same figures, count and seed give the
 * same sample. */
void sample_draw(struct sample *sample, const struct sampling_figures *figures, uint32_t count,
                 uint64_t seed);
void sample_fini(struct sample *sample);
uint32_t sample_drawn(const struct sample *sample);
bool sample_has(const struct sample *sample, uint32_t frame);

struct sample_estimate {
    double total; /* over all frames */
    double half;  /* the 95 % interval: total - half to total + half; 0: all were drawn */
};
/* `values`: by frame number; those of frames that were not drawn are not read. */
struct sample_estimate sample_estimate(const struct sample *sample, const double *values);

/* Student's t, two-sided 95 %, by degrees of freedom from 1. */
double student_95(double freedom);

/* As a plan: an INI file that people can read, of FRAME_RANGES drawn frames at most. */
bool sample_write(const struct sample *sample, const char *path, struct error *err);
bool sample_read(struct sample *sample, const char *path, struct error *err);

#endif
