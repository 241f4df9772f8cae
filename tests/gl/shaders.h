/* What shaders.c and its table of single features share. */
#ifndef AETIUS_TESTS_SHADERS_H
#define AETIUS_TESTS_SHADERS_H

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdbool.h>
#include <stdint.h>

/* Of a tile; a pixel's column is its k. Tiles hold whole quads. */
enum { COLUMNS = 6, ROWS = 2, LAST_K = COLUMNS - 1 };

enum language { LANGUAGE_120, LANGUAGE_130, LANGUAGE_ES };

struct color {
    int rgb[3]; /* 0 .. 255 */
};

/* A tile of its own: k is an int in both mains, `sum` the color times 255 in the fragment's; it is
 * taken modulo 256. */
struct feature {
    const char *name;
    uint32_t languages; /* a bit each */
    const char *extensions, *vertex_globals, *vertex, *fragment_globals, *fragment;
    struct color (*wanted)(int k);
    void (*before)(GLuint program); /* its state, and back; or NULL */
    void (*after)(void);
};
extern const struct feature features[]; /* ends with one without a name */

#endif
