/* Per-quad operations on fragments. A quad has 2x2 fragments: top left, top right, bottom left,
 * bottom right; masks have one bit each in that order. Bytes of surfaces are in memory order: the
 * quad's four elements in a row, with the samples of a pixel adjacent. Functions whose names end in
 * _samples take any number of samples (masks: gfx/samples.h), the others one. */
#ifndef AETIUS_GFX_FRAGMENT_H
#define AETIUS_GFX_FRAGMENT_H

#include "gfx/triangle.h"
#include "isa/exec.h"

/* Range to which window depth is clamped: 0..1, or the viewport's depth range if clipping is
 * off. */
void depth_range(const struct draw *draw, float *low, float *high);

/* Window depth of the quad at (x, y) from the plane, clamped to the triangle's z_min..z_max, which
 * are in the depth range. */
void depth_interpolate(const struct triangle *triangle, uint32_t x, uint32_t y, float z[4]);

void depth_interpolate_samples(const struct triangle *triangle, uint32_t x, uint32_t y,
                               float z[MAX_SAMPLES][4]);

struct depth_result {
    uint32_t pass; /* fragments (or samples) that passed */
    uint32_t z_fail, stencil_fail;
    bool wrote; /* bytes were changed or written */
};
/* Depth and stencil test with all its updates. `z` is interpolated or written by the shader; it is
 * clamped to the depth range here. `bytes`: 4 elements of the depth surface, ignored if the draw
 * tests neither. */
struct depth_result depth_test_quad(const struct draw *draw, bool front, uint32_t mask,
                                    const float z[4], uint8_t *bytes);

/* The same for every sample; z[sample][fragment]. */
struct depth_result depth_test_samples(const struct draw *draw, bool front, uint32_t mask,
                                       const float z[MAX_SAMPLES][4], uint8_t *bytes);

/* The word that a clear writes, and the depth of an element (for Hierarchical Z). */
void depth_clear_element(const struct format_info *format, uint32_t buffers, double depth,
                         uint32_t stencil, uint8_t *element);
float depth_of_element(const struct format_info *format, const uint8_t *element);

/* Writes the fragment shader inputs (and the system values FACE and POSITION) of one quad to
 * `exec`, at lanes `lane` .. `lane` + 3. */
void interpolate_quad(const struct triangle *triangle, uint32_t x, uint32_t y, struct exec *exec,
                      uint32_t lane);

/* Multisampled (draw->multisample): overwrites inputs of interpolate_quad() that use centroid
 * interpolation. A pixel with all samples in the mask, or none, keeps its center. Any other pixel
 * uses its first sample in the mask, as in the reference renderer. */
void interpolate_centroids(const struct triangle *triangle, uint32_t x, uint32_t y, uint32_t mask,
                           struct exec *exec, uint32_t lane);

/* Alpha test on FS output 0's alpha. Returns the fragments that pass. */
uint32_t alpha_test_quad(const struct draw *draw, uint32_t mask, const float alpha[4]);

/* Alpha to coverage: keeps sample s of n if alpha is above s / n. */
uint32_t alpha_to_coverage(const struct draw *draw, uint32_t mask, const float alpha[4]);

/* Blends (or applies the logic op), masks and writes the quad to color buffer `target`.
 * rgba[fragment][channel] is the shader's output, clamped here if the state requires it. There is
 * no second source: its factors count as those of zeros. blend_quad_general() is the same without
 * fast paths. */
void blend_quad(const struct draw *draw, uint32_t target, uint32_t mask, const float rgba[4][4],
                uint8_t *bytes);
void blend_quad_general(const struct draw *draw, uint32_t target, uint32_t mask,
                        const float rgba[4][4], uint8_t *bytes);
/* The same for every sample, after alpha to one. */
void blend_quad_samples(const struct draw *draw, uint32_t target, uint32_t mask,
                        const float rgba[4][4], uint8_t *bytes);

/* The following act on a quad after its fragment program, in lanes `lane` .. `lane` + 3 of `exec`.
 * Color for a target; false: the program does not write one. */
bool shaded_color(const struct draw *draw, const struct exec *exec, uint32_t lane, uint32_t target,
                  float rgba[4][4]);
/* The mask after KILL, the alpha test and alpha to coverage. */
uint32_t shaded_mask(const struct draw *draw, const struct exec *exec, uint32_t lane,
                     uint32_t mask);
/* Multiplies the alpha of the outputs by the coverage of an antialiased shape. Call it before the
 * others. */
void shaded_coverage(const struct triangle *triangle, uint32_t x, uint32_t y, struct exec *exec,
                     uint32_t lane);

#endif
