/* A device with one client, and a stream that draws. The stream creates a color and a depth buffer
 * of 64x32 pixels, a texture, a vertex and an index buffer, two programs and all states. The tests
 * of the context and of hostile streams share it. */
#ifndef AETIUS_TESTS_SCENE_H
#define AETIUS_TESTS_SCENE_H

#include "rigs/stream.h"

#include "state/context.h"

enum {
    RES_COLOR = 1,
    RES_DEPTH,
    RES_TEXTURE,
    RES_VERTICES,
    RES_INDICES,
    RES_QUERY,
    OBJ_BLEND = 101,
    OBJ_RASTERIZER,
    OBJ_DSA,
    OBJ_VS,
    OBJ_FS,
    OBJ_ELEMENTS,
    OBJ_VIEW,
    OBJ_SAMPLER,
    OBJ_COLOR,
    OBJ_DEPTH,
    OBJ_QUERY,
};

extern const struct resource_desc scene_resources[6];

/* Sets no blending, flat shading, points and lines of size 1, and depth test LESS. `rasterizer`
 * adds bits to the rasterizer state. */
void scene_states(struct stream *s, uint32_t rasterizer);

void scene_shaders(struct stream *s, const char *vs, const char *fs);
void scene_bind(struct stream *s);

/* Creates color and depth surfaces of these formats. Depth format 0: no depth surface. */
void scene_surfaces(struct stream *s, uint32_t color_format, uint32_t depth_format);

/* Sets a viewport that maps NDC -1..1 to 0..width and 0..height. Row 0 is at -1. */
void scene_viewport(struct stream *s, float width, float height);

void scene_objects(struct stream *s);
void scene_bindings(struct stream *s);
void scene_draw(struct stream *s, uint32_t mode, bool indexed);

#endif
