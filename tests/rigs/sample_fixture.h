/* A texture of random bytes and one sample of it. The sample is planned, fetched and filtered as in
 * a Texture Unit. */
#ifndef AETIUS_TESTS_SAMPLE_FIXTURE_H
#define AETIUS_TESTS_SAMPLE_FIXTURE_H

#include "gfx/sample.h"
#include "state/draw.h"
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct fixture {
    struct resource res;
    struct gpu_memory memory;
    struct bound_view bound;
    struct texture_request request;
    bool long_way; /* whether to use the general plan and filter, which work for every texture */
};

uint32_t fixture_random_below(uint32_t n);
float fixture_random_float(double low, double high);
void fixture_init(struct fixture *f, const struct resource_desc *desc);
void fixture_fini(struct fixture *f);
void fixture_plan(const struct fixture *f, struct sample_texture *texture,
                  struct sample_plan *plan);
void sample_planned(const struct fixture *f, float rgba[4][4]);

/* Stores the direction of a point of a face, with s, t in -1..1 (table 3.19 of the OpenGL
 * specification). */
void face_direction(uint32_t face, double s, double t, double d[3]);

#endif
