/* A machine with a surface of 64x64 pixels, its depth buffer and one red material, drawn on by
 * hand-made streams: for tests that reckon what each unit does. reference-2005, whose parameters a
 * test may change before rig_start(). */
#ifndef AETIUS_TESTS_RIG_H
#define AETIUS_TESTS_RIG_H

#include "rigs/player.h"
#include "rigs/scene.h"

#include <stdlib.h>

enum { SIZE = 64 };

extern const char rig_vs[];
extern const char rig_fs[];
extern const char rig_textured_fs[]; /* of a texture of SIZE x SIZE its texel at each pixel */

struct rig {
    /* what a test may change before rig_start() */
    struct params params;
    uint32_t size;                     /* of the surfaces; SIZE */
    bool has_depth;                    /* a depth buffer; it has one */
    void (*on_batch)(struct rig *rig); /* after a draw; NULL */

    struct player player;
    struct stream stream;
    uint64_t *values;             /* of the frame */
    uint32_t pixels[SIZE * SIZE]; /* of the frame, the first ones, RGBA as one number */
    void *data;                   /* the test's own, from malloc, or NULL */
};

static inline struct machine *
rig_machine(const struct rig *rig)
{
    return rig->player.sim.machine;
}

void rig_submit(struct rig *rig);
void rig_upload(struct rig *rig, uint32_t handle, const void *bytes, uint32_t size);
void rig_start(struct rig *rig);

/* A rig that is not started yet; for cmocka, and for who has several in a test. */
int rig_set_up(void **state);
int rig_tear_down(void **state);
struct rig *rig_create(void);
void rig_destroy(struct rig *rig);

/* Draws go through these programs from now on. */
void rig_use_programs(struct rig *rig, const char *vs, const char *fs);
void rig_clear(struct rig *rig, uint32_t buffers, double depth);
void rig_draw(struct rig *rig, uint32_t mode, uint32_t count, uint32_t index_bytes);
void rig_swap(struct rig *rig);
uint64_t rig_figure(const struct rig *rig, const char *name);
void rig_assert_figure(const struct rig *rig, const char *name, uint64_t expected);

/* The triangle with a corner in pixel 0, 0 and legs of `size` pixels along the row and column. */
void rig_upload_corner(struct rig *rig, float size, float z);

#endif
