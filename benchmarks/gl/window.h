/* Common code of the OpenGL programs in this folder: a window of a given size, and a loop that
 * draws a number of frames. A program fills in a `struct scene` and calls scene_main().
 *
 * The programs do not depend on time, or on the host's libm or random numbers. The same options
 * produce the same OpenGL calls on every run. */
#ifndef AETIUS_BENCHMARKS_WINDOW_H
#define AETIUS_BENCHMARKS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An option of a scene, `--name VALUE`: a number, or a word of `words`, whose index is stored. */
struct scene_option {
    const char *name; /* NULL ends the table */
    uint32_t *value;
    const char *const *words; /* NULL: a number; otherwise ends with NULL */
    const char *help;
};

struct scene {
    const char *name, *about;
    uint32_t width, height, frames; /* defaults of --size and --frames */
    const struct scene_option *options;
    void (*setup)(void); /* called before the first frame; may be NULL */
    void (*draw)(uint32_t frame);
};

/* Parses the options, opens the window and draws. Returns the exit status. */
int scene_main(const struct scene *scene, int argc, char **argv);

/* A mapped GLX window whose context is current. Returns NULL after a message on stderr on failure.
 */
struct window;
struct window *window_open(const char *name, uint32_t width, uint32_t height);
void window_swap(struct window *window);
void window_close(struct window *window);

/* Random numbers in [0, 1), the same sequence on every host. */
struct random {
    uint32_t state;
};
float random_next(struct random *random);

/* Exits if OpenGL has recorded an error. */
void check_gl(const char *what);

/* Builds a GLSL program from a vertex and a fragment shader. Exits if it does not compile or link.
 */
uint32_t make_program(const char *vertex, const char *fragment);

#endif
