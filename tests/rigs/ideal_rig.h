/* Scenes in which one unit has all the work, and the machine for them: ideal (ideals.def) but for
 * what a test says. */
#ifndef AETIUS_TESTS_IDEAL_RIG_H
#define AETIUS_TESTS_IDEAL_RIG_H

#include "rigs/rig.h"

#include "report/compare/ideals.h"

enum {
    ALL_IDEAL = IDEALS,
    TRIANGLES = 600,
    LAYERS = 6,
    PIXELS = SIZE * SIZE,
    QUADS = LAYERS * PIXELS / 4,
};

void rig_set(struct rig *rig, const char *assignments);

/* All of the machine but what is `real`, and draws one after the other. */
void rig_make_ideal(struct rig *rig, int real);

/* Such a machine with these settings, started. */
struct rig *rig_create_ideal(int real, const char *settings);

/* One triangle of the vertices, drawn `count` times at once. */
void rig_draw_triangles(struct rig *rig, const float corners[3][4], uint32_t count);

/* Between the centres of pixels: they come as far as Triangle Setup. */
void frame_unseen_triangles(struct rig *rig);

/* Blended, with LEQUAL, at the depth where memory begins: all pass. */
void rig_set_layers(struct rig *rig);

void frame_layers(struct rig *rig);

/* So many in the same quad. */
void rig_draw_quads(struct rig *rig, uint32_t count);

void frame_quad(struct rig *rig);
void frame_quad_many_times(struct rig *rig);

enum { OBJ_PROGRAM = 310, INSTRUCTIONS = 64, ADD_LATENCY = 3, VERTICES = 240 };

/* As many instructions in a row, of independent temporaries or each of the one before. */
void rig_set_program(struct rig *rig, uint32_t stage, bool chain);

void frame_long_fragments(struct rig *rig);

/* Two draws with long fragment programs, each after changed constants, which go over the command
 * bus, in a few cycles. */
void frame_two_with_constants(struct rig *rig);

void frame_vertices(struct rig *rig);
void frame_long_vertices(struct rig *rig);

/* One quad, whose instructions wait for one another. */
void frame_chain(struct rig *rig);

/* Of vertices that are shaded once. */
void frame_outputs(struct rig *rig);

void frame_varied_vertices(struct rig *rig);
void frame_varyings(struct rig *rig);

enum { TEXELS = 8 };
void rig_set_texels(struct rig *rig);
void frame_texels(struct rig *rig);
void frame_texel_chain(struct rig *rig);
void frame_swap_alone(struct rig *rig);
void frame_blit(struct rig *rig);

/* Four blocks by four, each from two. */
void frame_shifted_blit(struct rig *rig);

/* Four transactions. */
void frame_small_blit(struct rig *rig);

void frame_uploads(struct rig *rig);

/* Quads to one shader unit and the other. */
#define IN_TURN "RASTERIZER.TiledShaderDistribution=FALSE RASTERIZER.ShaderInputBatchSize=4"

#endif
