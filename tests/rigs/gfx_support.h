/* Helpers of the tests of geometry and fragments: a draw into a small framebuffer. The tests use
 * only the number of outputs of its vertex program (0: position, 1: one varying). */
#ifndef AETIUS_TESTS_GFX_SUPPORT_H
#define AETIUS_TESTS_GFX_SUPPORT_H

#include "gfx/fragment.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h> /* after the project's headers: cmocka.h defines a macro fail() */

enum { TEST_WIDTH = 64, TEST_HEIGHT = 64 };

/* Random numbers. The sequence is the same on every host (Steele and Vigna's splitmix64). */
uint32_t random_bits(uint64_t *state);

float random_float(uint64_t *state, float low, float high);

struct scene {
    struct program vs, fs;
    struct draw draw;
};

/* Initializes a scene. Clip coordinates x, y in -1..1 span the framebuffer from its top left to its
 * bottom right corner. */
void scene_init(struct scene *scene);

/* Returns a vertex at a window position, with w and a varying. */
struct vertex scene_vertex(float x, float y, float z, float w, const float varying[4]);

extern const struct primitive_out test_triangle;

uint32_t scene_setup(const struct scene *scene, const struct primitive_out *primitive,
                     const struct vertex v[3], struct triangle out[SETUP_MAX_TRIANGLES]);

/* Increments the count of each pixel that the triangle covers. */
void count_pixels(const struct triangle *triangle, uint8_t counts[TEST_HEIGHT][TEST_WIDTH]);

#endif
