/* Pixel history: every fragment of one pixel in the order in which the fragments ended, as a text
 * table and as DIR/pixel.json. */
#ifndef AETIUS_REPORT_PIXEL_H
#define AETIUS_REPORT_PIXEL_H

#include "base/mem.h"
#include "unit/watch.h"

#include <stdio.h>

struct pixel_log {
    uint32_t x, y;
    VEC(struct watched_fragment) fragments;
};

/* Adds the fragments that a frame's watch recorded on the shown surface. */
void pixel_log_take(struct pixel_log *log, const struct watch *watch, const struct resource *shown);
void pixel_log_add(struct pixel_log *log, const struct watched_fragment *fragments, size_t count);
/* Sorts by frame. Call it before writing the log. */
void pixel_log_sort(struct pixel_log *log);
void pixel_log_print(const struct pixel_log *log, FILE *out);
bool pixel_log_write(const struct pixel_log *log, const char *dir, struct error *err);
void pixel_log_fini(struct pixel_log *log);

#endif
