/* Estimates totals over many frames from a few simulated ones, with an error interval. Similar
 * frames form clusters. Some frames of each cluster are selected at random and simulated.
 *
 * The method is stratified sampling without replacement, with the combined regression on a figure
 * known for every frame (Cochran, Sampling Techniques, 3rd ed. 1977, 5.3 to 5.6 and 7.10). Frames
 * are clustered by their GPU workload as in MEGsim (Ortiz et al., ISPASS 2022). */
#ifndef AETIUS_ANALYSIS_SAMPLING_H
#define AETIUS_ANALYSIS_SAMPLING_H

#include "base/error.h"
#include "base/mem.h"
#include "base/sha256.h"

#include <stdbool.h>
#include <stdint.h>

/* Figures of each frame. The first is the regression variable of the estimate. */
struct sampling_figures {
    uint32_t frames, figures;
    const double *values; /* frames x figures */
};

struct sample_frame {
    uint32_t frame;
    double known; /* the frame's first figure */
};

struct sample_cluster {
    uint32_t frames;                /* frames in the cluster */
    double known;                   /* sum of the first figures of all its frames */
    VEC(struct sample_frame) drawn; /* sampled frames, in frame order: all, or at least two */
};

struct sample {
    uint32_t frames; /* population size; frame numbers are 0 to frames - 1 */
    uint64_t seed;
    char trace[SHA256_TEXT]; /* hash of the sampled trace; "": not given */
    double seconds;          /* time to compute the figures */
    VEC(struct sample_cluster) clusters;
};

/* Samples about `count` frames (at least two, at most all). The result is deterministic for given
 * figures, count and seed. */
void sample_draw(struct sample *sample, const struct sampling_figures *figures, uint32_t count,
                 uint64_t seed);
void sample_fini(struct sample *sample);
uint32_t sample_drawn(const struct sample *sample);
bool sample_has(const struct sample *sample, uint32_t frame);

struct sample_estimate {
    double total; /* over all frames */
    double half;  /* half of the 95 % interval around total; 0: all frames were sampled */
};
/* `values` is indexed by frame number. Values of frames outside the sample are ignored. */
struct sample_estimate sample_estimate(const struct sample *sample, const double *values);

/* Student's t, two-sided 95 %. `freedom`: degrees of freedom, at least 1. */
double student_95(double freedom);

/* Writes or reads a sample as a plan: a readable INI file with at most FRAME_RANGES sampled
 * frames. */
bool sample_write(const struct sample *sample, const char *path, struct error *err);
bool sample_read(struct sample *sample, const char *path, struct error *err);

#endif
