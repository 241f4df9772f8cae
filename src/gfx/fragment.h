/* What happens to a quad (2x2 fragments: top left, top right, bottom left, bottom right; masks have
 * a bit each in that order). Bytes of surfaces are given as they lie in memory: the quad's four
 * elements in a row, multisampled the samples of each pixel side by side. Functions whose names end
 * in _samples take any number of samples (masks: gfx/samples.h), the others one. */
#ifndef AETIUS_GFX_FRAGMENT_H
#define AETIUS_GFX_FRAGMENT_H

#include "gfx/triangle.h"
#include "isa/exec.h"

/* What window depth is clamped to: 0..1, or the viewport's depth range when clipping is off. */
void depth_range(const struct draw *draw, float *low, float *high);

/* Window depth of the quad at (x, y) from the plane, held between the triangle's z_min and z_max,
 * which lie in the depth range. */
void depth_interpolate(const struct triangle *triangle, uint32_t x, uint32_t y, float z[4]);

void depth_interpolate_samples(const struct triangle *triangle, uint32_t x, uint32_t y,
                               float z[MAX_SAMPLES][4]);

struct depth_result {
    uint32_t pass; /* fragments (or samples) that go on */
    uint32_t z_fail, stencil_fail;
    bool wrote; /* bytes changed or were written */
};
/* Depth and stencil test with all its updates. `z` as interpolated or as the shader wrote it (it is
 * clamped to the depth range here). `bytes`: 4 elements of the depth surface; not looked at when
 * the draw tests neither. */
struct depth_result depth_test_quad(const struct draw *draw, bool front, uint32_t mask,
                                    const float z[4], uint8_t *bytes);

/* The same for every sample; z[sample][fragment]. */
struct depth_result depth_test_samples(const struct draw *draw, bool front, uint32_t mask,
                                       const float z[MAX_SAMPLES][4], uint8_t *bytes);

/* The word that a clear writes, and the depth of an element (for hierarchical Z). */
void depth_clear_element(const struct format_info *format, uint32_t buffers, double depth,
                         uint32_t stencil, uint8_t *element);
float depth_of_element(const struct format_info *format, const uint8_t *element);

/* Fragment shader inputs (and the system values FACE and POSITION) of one quad into exec inputs at
 * lanes `lane` .. `lane` + 3. */
void interpolate_quad(const struct triangle *triangle, uint32_t x, uint32_t y, struct exec *exec,
                      uint32_t lane);

/* Multisampled (draw->multisample): inputs that are interpolated at the centroid, over those of
 * interpolate_quad(). A pixel with all samples in the mask, or none, keeps its centre; another one
 * takes its first sample in the mask, as the reference renderer does. */
void interpolate_centroids(const struct triangle *triangle, uint32_t x, uint32_t y, uint32_t mask,
                           struct exec *exec, uint32_t lane);

/* Alpha test on FS output 0's alpha; returns the fragments that pass. */
uint32_t alpha_test_quad(const struct draw *draw, uint32_t mask, const float alpha[4]);

/* Alpha to coverage: sample s of n is kept where alpha is above s / n. */
uint32_t alpha_to_coverage(const struct draw *draw, uint32_t mask, const float alpha[4]);

/* Blend (or logic op), mask and write the quad into color buffer `target`. rgba[fragment][channel]
 * as the shader gave it, clamped here if the state says so. There is no second source: its factors
 * count as those of zeros. blend_quad_general() is the same without shortcuts. */
void blend_quad(const struct draw *draw, uint32_t target, uint32_t mask, const float rgba[4][4],
                uint8_t *bytes);
void blend_quad_general(const struct draw *draw, uint32_t target, uint32_t mask,
                        const float rgba[4][4], uint8_t *bytes);
/* The same for every sample, after alpha to one. */
void blend_quad_samples(const struct draw *draw, uint32_t target, uint32_t mask,
                        const float rgba[4][4], uint8_t *bytes);

/* Of a quad whose fragment program has run, its lanes being `lane` .. `lane` + 3 of `exec`:
 * the color for a target (false: the program writes none), */
bool shaded_color(const struct draw *draw, const struct exec *exec, uint32_t lane, uint32_t target,
                  float rgba[4][4]);
/* what KILL, the alpha test and alpha to coverage leave of its mask, */
uint32_t shaded_mask(const struct draw *draw, const struct exec *exec, uint32_t lane,
                     uint32_t mask);
/* and the coverage of an antialiased shape, multiplied into the alpha of its outputs: first. */
void shaded_coverage(const struct triangle *triangle, uint32_t x, uint32_t y, struct exec *exec,
                     uint32_t lane);

#endif
