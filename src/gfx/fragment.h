/* Per-quad operations on fragments. A quad has 2x2 fragments: top left, top right, bottom left,
 * bottom right. Masks have one bit per fragment in that order. Bytes of surfaces are in memory
 * order: the quad's four elements in a row, with the samples of a pixel adjacent. Functions whose
 * names end in _samples handle any number of samples (masks: gfx/samples.h), the others only
 * one. */
#ifndef AETIUS_GFX_FRAGMENT_H
#define AETIUS_GFX_FRAGMENT_H

#include "gfx/triangle.h"
#include "isa/exec.h"

/* Returns the range to which window depth is clamped: 0..1, or the viewport's depth range if depth
 * clipping is off. */
void depth_range(const struct draw *draw, float *low, float *high);

/* Computes the window depth of the quad at (x, y) from the plane. Clamps it to the triangle's
 * z_min..z_max, which are within the depth range. */
void depth_interpolate(const struct triangle *triangle, uint32_t x, uint32_t y, float z[4]);

void depth_interpolate_samples(const struct triangle *triangle, uint32_t x, uint32_t y,
                               float z[MAX_SAMPLES][4]);

struct depth_result {
    uint32_t pass; /* number of fragments (or samples) that passed */
    uint32_t z_fail, stencil_fail;
    bool wrote; /* bytes were written */
};
/* Performs the depth and stencil test with all its updates. `z` is interpolated or written by the
 * shader; it is clamped to the depth range here. `bytes` are 4 elements of the depth surface,
 * ignored if the draw tests neither depth nor stencil. */
struct depth_result depth_test_quad(const struct draw *draw, bool front, uint32_t mask,
                                    const float z[4], uint8_t *bytes);

/* Like depth_test_quad(), for every sample; z[sample][fragment]. */
struct depth_result depth_test_samples(const struct draw *draw, bool front, uint32_t mask,
                                       const float z[MAX_SAMPLES][4], uint8_t *bytes);

/* Applies a clear of `buffers` to an element. Also used to find the cleared depth for Hierarchical
 * Z. */
void depth_clear_element(const struct format_info *format, uint32_t buffers, double depth,
                         uint32_t stencil, uint8_t *element);
float depth_of_element(const struct format_info *format, const uint8_t *element);

/* Writes the fragment shader inputs (and the system values FACE and POSITION) of one quad to
 * `exec`, in lanes `lane` to `lane` + 3. */
void interpolate_quad(const struct triangle *triangle, uint32_t x, uint32_t y, struct exec *exec,
                      uint32_t lane);

/* For multisampled draws (draw->multisample): overwrites the inputs that use centroid
 * interpolation. Call it after interpolate_quad(). A pixel keeps its center if all or none of its
 * samples are in the mask. Any other pixel uses its first sample in the mask, as in the reference
 * renderer. */
void interpolate_centroids(const struct triangle *triangle, uint32_t x, uint32_t y, uint32_t mask,
                           struct exec *exec, uint32_t lane);

/* Applies the alpha test to the alpha of fragment shader output 0. Returns the fragments that
 * pass. */
uint32_t alpha_test_quad(const struct draw *draw, uint32_t mask, const float alpha[4]);

/* Applies alpha to coverage: sample s of n remains if alpha is above s / n. */
uint32_t alpha_to_coverage(const struct draw *draw, uint32_t mask, const float alpha[4]);

/* Blends (or applies the logic op to) a quad, and writes it to color buffer `target` under the
 * color mask. `rgba[fragment][channel]` is the shader's output, which is clamped here if the state
 * requires it. `source1`: likewise the second source color; NULL: none.
 * blend_quad_general() does the same without fast paths. */
void blend_quad(const struct draw *draw, uint32_t target, uint32_t mask, const float rgba[4][4],
                const float source1[4][4], uint8_t *bytes);
void blend_quad_general(const struct draw *draw, uint32_t target, uint32_t mask,
                        const float rgba[4][4], const float source1[4][4], uint8_t *bytes);
/* Like blend_quad(), for every sample; applies alpha to one first. */
void blend_quad_samples(const struct draw *draw, uint32_t target, uint32_t mask,
                        const float rgba[4][4], const float source1[4][4], uint8_t *bytes);

/* The following functions work on a quad after its fragment program, in lanes `lane` to `lane` + 3.
 * Returns the color for a target in `rgba`, or false if the program does not write that color. */
bool shaded_color(const struct draw *draw, const struct exec *exec, uint32_t lane, uint32_t target,
                  float rgba[4][4]);
/* Returns the second source color, or false if the draw does not blend with it. */
bool shaded_source1(const struct draw *draw, const struct exec *exec, uint32_t lane,
                    float rgba[4][4]);
/* Returns the mask after KILL, the alpha test and alpha to coverage. */
uint32_t shaded_mask(const struct draw *draw, const struct exec *exec, uint32_t lane,
                     uint32_t mask);
/* Multiplies the alpha of the outputs by the coverage of an antialiased shape. Must be called
 * before shaded_color() and shaded_mask(). */
void shaded_coverage(const struct triangle *triangle, uint32_t x, uint32_t y, struct exec *exec,
                     uint32_t lane);

#endif
