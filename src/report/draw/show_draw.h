/* One draw of a trace as pictures: its targets before and after it, what it covered, its textures.
 * A `struct draw_watch` for sim/inspect.h. */
#ifndef AETIUS_REPORT_SHOW_DRAW_H
#define AETIUS_REPORT_SHOW_DRAW_H

#include "base/text_table.h"
#include "sim/inspect.h"

#include <cjson/cJSON.h>

struct shown_draw {
    uint32_t frame, number; /* which */
    const char *dir;        /* where pictures go; NULL: none are made */
    bool found;
    cJSON *facts;               /* report/draw/describe_draw.h, and the figures and files below */
    struct text_table table;    /* the same for a person; without the figures and files */
    uint64_t fragments, pixels; /* that passed all tests; that some of them lie on */
    char **files;               /* in `dir` */
    size_t file_count;
    /* inside */
    struct inspection *inspection;
    uint32_t width, height;
    uint8_t *covered; /* a byte a pixel of the targets */
    bool is_drawing;
};

/* Takes the reader, at its start, to the draw and makes what is asked for; fails when there is none
 * such. `shown` has frame, number and dir. */
bool show_draw(struct shown_draw *shown, struct trace_reader *reader, uint64_t memory_bytes,
               struct error *err);
void shown_draw_fini(struct shown_draw *shown);

#endif
