/* Common code of the scenes that draw a grid of tiles, one case each (features3.c, features31.c).
 */
#ifndef AETIUS_BENCHMARKS_TILES_H
#define AETIUS_BENCHMARKS_TILES_H

#define GL_GLEXT_PROTOTYPES
#include "window.h"

#include <GL/gl.h>
#include <GL/glext.h>

enum { TILE = 64, COLUMNS = 4, ROWS = 3, TILES = COLUMNS * ROWS };
enum { WIDTH = TILE * COLUMNS, HEIGHT = TILE * ROWS };
enum { SIDE = 16 }; /* of a target, in pixels */

/* GLSL 1.30: passes the position, and `at` from 0 to 1. */
extern const char tiles_vertex[];

void tiles_begin(uint32_t number);
/* Uses a program whose uniform `image` is texture unit 0. */
void tiles_use(uint32_t program);
void tiles_set_float(uint32_t program, const char *name, float value);
/* Draws a square over the tile. Its size is the side length, where 1 is the whole tile. */
void tiles_square(uint32_t program, float size);
uint32_t tiles_make_texture(GLenum target, GLint filter);
/* A framebuffer object with a texture of SIDE x SIDE. */
uint32_t tiles_make_target(GLenum internal, GLenum format, GLenum type, uint32_t *framebuffer);
void tiles_begin_target(uint32_t framebuffer);

#endif
