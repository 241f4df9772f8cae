/* Declarations of shaders.c, and of its table of single features in shaders_features.c. */
#ifndef AETIUS_TESTS_SHADERS_H
#define AETIUS_TESTS_SHADERS_H

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdbool.h>
#include <stdint.h>

/* Size of a tile in pixels. The column of a pixel is its k. A tile contains whole quads. */
enum { COLUMNS = 6, ROWS = 2, LAST_K = COLUMNS - 1 };

enum language { LANGUAGE_120, LANGUAGE_130, LANGUAGE_ES };

struct color {
    int rgb[3]; /* 0 to 255 */
};

/* One tile. k is an int in main() of both stages. `sum` in main() of the fragment stage is the
 * color times 255, taken modulo 256. */
struct feature {
    const char *name;
    uint32_t languages; /* one bit per enum language */
    const char *extensions, *vertex_globals, *vertex, *fragment_globals, *fragment;
    struct color (*wanted)(int k);
    void (*before)(GLuint program); /* sets state for the tile; NULL: none */
    void (*after)(void);
};
extern const struct feature features[]; /* ends with an entry without a name */

#endif
