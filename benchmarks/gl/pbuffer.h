/* A context without a window system: EGL, a pbuffer. Works on a machine without a display. */
#ifndef AETIUS_BENCHMARKS_PBUFFER_H
#define AETIUS_BENCHMARKS_PBUFFER_H

#include <stdbool.h>
#include <stdint.h>

/* Makes it current; false: that was said on stderr. */
bool pbuffer_open(const char *name, uint32_t width, uint32_t height);

#endif
