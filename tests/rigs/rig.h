/* A machine with a surface of 64x64 pixels, a depth buffer and programs that draw red. Tests draw
 * with manually built streams and calculate the work of each unit. The machine is reference-2005. A
 * test may change its parameters before rig_start(). */
#ifndef AETIUS_TESTS_RIG_H
#define AETIUS_TESTS_RIG_H

#include "rigs/player.h"
#include "rigs/scene.h"

#include <stdlib.h>

enum { SIZE = 64 };

extern const char rig_vs[];
extern const char rig_fs[];
extern const char rig_textured_fs[]; /* each pixel gets its texel of a texture of SIZE x SIZE */

struct rig {
    /* A test may change these members before rig_start(). */
    struct params params;
    uint32_t size;                     /* of the surfaces in pixels; default SIZE */
    bool has_depth;                    /* default true */
    void (*on_batch)(struct rig *rig); /* called after each draw; default NULL */

    struct player player;
    struct stream stream;
    uint64_t *values;             /* statistics of the frame */
    uint32_t pixels[SIZE * SIZE]; /* the first pixels of the frame, RGBA as one number */
    void *data;                   /* data of the test; from malloc() or NULL; the rig frees it */
};

static inline struct machine *
rig_machine(const struct rig *rig)
{
    return rig->player.sim.machine;
}

void rig_submit(struct rig *rig);
void rig_upload(struct rig *rig, uint32_t handle, const void *bytes, uint32_t size);
void rig_start(struct rig *rig);

/* Creates a rig that is not started. The first two functions are for cmocka, the others for tests
 * with several rigs. */
int rig_set_up(void **state);
int rig_tear_down(void **state);
struct rig *rig_create(void);
void rig_destroy(struct rig *rig);

/* Sets the programs of all following draws. */
void rig_use_programs(struct rig *rig, const char *vs, const char *fs);
void rig_clear(struct rig *rig, uint32_t buffers, double depth);
void rig_draw(struct rig *rig, uint32_t mode, uint32_t count, uint32_t index_bytes);
void rig_swap(struct rig *rig);
uint64_t rig_figure(const struct rig *rig, const char *name);
void rig_assert_figure(const struct rig *rig, const char *name, uint64_t expected);

/* Uploads a triangle with a corner in pixel 0, 0 and legs of `size` pixels along the row and the
 * column. */
void rig_upload_corner(struct rig *rig, float size, float z);

#endif
