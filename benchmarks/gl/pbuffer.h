/* An OpenGL context without a window system: EGL with a pbuffer. Needs no display. */
#ifndef AETIUS_BENCHMARKS_PBUFFER_H
#define AETIUS_BENCHMARKS_PBUFFER_H

#include <stdbool.h>
#include <stdint.h>

/* Makes the context current. On failure, prints a message on stderr and returns false. */
bool pbuffer_open(const char *name, uint32_t width, uint32_t height);

#endif
