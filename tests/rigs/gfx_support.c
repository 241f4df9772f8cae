/* Draws and vertices without a command stream. */
#include "rigs/gfx_support.h"

uint32_t
random_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

float
random_float(uint64_t *state, float low, float high)
{
    return low + (high - low) * ((float)(random_bits(state) >> 8) / 16777216.0f);
}

void
scene_init(struct scene *scene)
{
    memset(scene, 0, sizeof *scene);
    scene->vs.output_count = 2;
    struct draw *draw = &scene->draw;
    draw->program[STAGE_VERTEX] = &scene->vs;
    draw->program[STAGE_FRAGMENT] = &scene->fs;
    draw->width = TEST_WIDTH;
    draw->height = TEST_HEIGHT;
    draw->samples = 1;
    draw->bounds = (struct scissor_state){0, 0, TEST_WIDTH, TEST_HEIGHT};
    draw->viewport = (struct viewport_state){
        .scale = {TEST_WIDTH / 2, TEST_HEIGHT / 2, 0.5f},
        .translate = {TEST_WIDTH / 2, TEST_HEIGHT / 2, 0.5f},
    };
    draw->rasterizer.depth_clip = true;
    draw->rasterizer.line_width = draw->rasterizer.point_size = 1.0f;
    draw->psize_slot = draw->clipvertex_slot = draw->edgeflag_slot = -1;
    draw->clipdist_slot[0] = draw->clipdist_slot[1] = -1;
    draw->depth_output = draw->stencil_output = -1;
    draw->varying_count = 1;
    draw->varyings[0] = (struct varying){
        .source = VARYING_VERTEX, .slot = 1, .back_slot = 1, .interpolation = INTERPOLATE_LINEAR};
}

struct vertex
scene_vertex(float x, float y, float z, float w, const float varying[4])
{
    struct vertex v;
    memset(&v, 0, sizeof v);
    v.out[0][0] = (x / (TEST_WIDTH / 2) - 1.0f) * w;
    v.out[0][1] = (y / (TEST_HEIGHT / 2) - 1.0f) * w;
    v.out[0][2] = (z * 2.0f - 1.0f) * w;
    v.out[0][3] = w;
    if (varying)
        memcpy(v.out[1], varying, sizeof v.out[1]);
    return v;
}

const struct primitive_out test_triangle = {
    .vertices = 3, .provoking = 2, .edge_flags = 7, .v = {0, 1, 2}};

uint32_t
scene_setup(const struct scene *scene, const struct primitive_out *primitive,
            const struct vertex v[3], struct triangle out[SETUP_MAX_TRIANGLES])
{
    const struct vertex *const pointers[3] = {&v[0], &v[1], &v[2]};
    const enum clip_result clip = clip_test(&scene->draw, primitive, pointers);
    struct setup_state state = {0};
    return setup_primitive(&scene->draw, primitive, pointers, clip, &state, out);
}

void
count_pixels(const struct triangle *triangle, uint8_t counts[TEST_HEIGHT][TEST_WIDTH])
{
    for (int32_t y = 0; y < TEST_HEIGHT; y += 8)
        for (int32_t x = 0; x < TEST_WIDTH; x += 8) {
            const uint64_t mask = raster_tile(triangle, x, y);
            for (uint32_t i = 0; i < 64; i++) {
                const uint32_t px = (i & 1) | (i >> 1 & 2) | (i >> 2 & 4);
                const uint32_t py = (i >> 1 & 1) | (i >> 2 & 2) | (i >> 3 & 4);
                counts[(uint32_t)y + py][(uint32_t)x + px] += mask >> i & 1;
            }
        }
}
