/* Scenes in which one unit does all the work, and a machine for them. All resources of the machine
 * are ideal (ideals.def), except those that a test names. */
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

/* Makes all resources ideal except `real`. Draws do not overlap on this machine. */
void rig_make_ideal(struct rig *rig, int real);

/* Creates and starts a rig of this kind with these settings. */
struct rig *rig_create_ideal(int real, const char *settings);

/* Draws one triangle `count` times in one draw. */
void rig_draw_triangles(struct rig *rig, const float corners[3][4], uint32_t count);

/* Draws triangles between pixel centers. They reach Triangle Setup and cover no pixel. */
void frame_unseen_triangles(struct rig *rig);

/* Sets blending, and depth test LEQUAL at the cleared depth, so that all fragments pass. */
void rig_set_layers(struct rig *rig);

void frame_layers(struct rig *rig);

/* Draws `count` quads at the same position. */
void rig_draw_quads(struct rig *rig, uint32_t count);

void frame_quad(struct rig *rig);
void frame_quad_many_times(struct rig *rig);

enum { OBJ_PROGRAM = 310, INSTRUCTIONS = 64, ADD_LATENCY = 3, VERTICES = 240 };

/* Sets a program of INSTRUCTIONS instructions. They are independent, or with `chain` each depends
 * on the previous one. */
void rig_set_program(struct rig *rig, uint32_t stage, bool chain);

void frame_long_fragments(struct rig *rig);

/* Draws twice with long fragment programs. Each draw follows a change of constants, which the
 * command bus transfers in a few cycles. */
void frame_two_with_constants(struct rig *rig);

void frame_vertices(struct rig *rig);
void frame_long_vertices(struct rig *rig);

/* Draws one quad with a chain of dependent instructions. */
void frame_chain(struct rig *rig);

/* Draws triangles with varyings. Each vertex is shaded once. */
void frame_outputs(struct rig *rig);

void frame_varied_vertices(struct rig *rig);
void frame_varyings(struct rig *rig);

enum { TEXELS = 8 };
void rig_set_texels(struct rig *rig);
void frame_texels(struct rig *rig);
void frame_texel_chain(struct rig *rig);
void frame_swap_alone(struct rig *rig);
void frame_blit(struct rig *rig);

/* Writes 4x4 blocks, each from two source blocks. */
void frame_shifted_blit(struct rig *rig);

/* Copies 256 bytes, which are four transactions. */
void frame_small_blit(struct rig *rig);

void frame_uploads(struct rig *rig);

/* Settings that distribute quads to shader units in turn. */
#define IN_TURN "RASTERIZER.TiledShaderDistribution=FALSE RASTERIZER.ShaderInputBatchSize=4"

#endif
