/* What the OpenGL programs of this folder share: a window of a given size, and the loop that draws
 * a number of frames into it. A program fills in a `struct scene` and calls scene_main().
 *
 * Nothing here or in the scenes depends on time, on the host's libm or on its random numbers: the
 * same options give the same OpenGL calls on every run. */
#ifndef AETIUS_BENCHMARKS_WINDOW_H
#define AETIUS_BENCHMARKS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An option of one scene, `--name VALUE`: a number, or one word of `words` (its place is stored).
 */
struct scene_option {
    const char *name; /* NULL ends the table */
    uint32_t *value;
    const char *const *words; /* NULL: a number; else ended by NULL */
    const char *help;
};

struct scene {
    const char *name, *about;
    uint32_t width, height, frames; /* unless --size and --frames say otherwise */
    const struct scene_option *options;
    void (*setup)(void); /* NULL: nothing to do before the first frame */
    void (*draw)(uint32_t frame);
};

/* Reads the options, opens the window, draws; returns the exit status. */
int scene_main(const struct scene *scene, int argc, char **argv);

/* A mapped GLX window whose context is current; NULL: that was said on stderr. */
struct window;
struct window *window_open(const char *name, uint32_t width, uint32_t height);
void window_swap(struct window *window);
void window_close(struct window *window);

/* The same sequence of numbers everywhere: 0 up to and without 1. */
struct random {
    uint32_t state;
};
float random_next(struct random *random);

/* Ends the program when OpenGL has noted an error. */
void check_gl(const char *what);

/* A GLSL program of a vertex and a fragment shader; ends ours when it does not compile or link. */
uint32_t make_program(const char *vertex, const char *fragment);

#endif
