/* Shows one draw of a trace: its state, its geometry, and pictures of its targets before and after,
 * its coverage and its textures. Implements a `struct draw_watch` for sim/inspect.h. */
#ifndef AETIUS_REPORT_SHOW_DRAW_H
#define AETIUS_REPORT_SHOW_DRAW_H

#include "base/text_table.h"
#include "sim/inspect.h"

#include <cjson/cJSON.h>

#define SHOWN_VERTICES "vertices.csv" /* all vertices, in `dir` */

struct shown_draw {
    uint32_t frame, number; /* the draw to show */
    const char *dir;        /* folder for pictures and vertices; NULL: no files are written */
    uint32_t most;          /* maximum number of listed vertices and constants; the file has all */
    bool json;              /* makes `facts`; otherwise the tables */
    bool found;
    /* report/draw/describe_draw.h and show_geometry.h, plus the counts and files below */
    cJSON *facts;
    struct text_table table; /* the same for readers, without counts, files and the lists below */
    struct text_table vertices, constants[STAGE_COUNT];
    /* fragments that passed all tests; pixels with at least one such fragment */
    uint64_t fragments, pixels;
    char **files; /* names in `dir` */
    size_t file_count;
    /* Private. */
    struct inspection *inspection;
    uint32_t width, height;
    uint8_t *covered; /* one byte per pixel of the targets */
    bool is_drawing;
};

/* Replays the trace from its start to the draw and makes the draw's pictures. The caller sets
 * frame, number, dir, most and json of `shown`. Fails if there is no such draw. */
bool show_draw(struct shown_draw *shown, struct trace_reader *reader, uint64_t memory_bytes,
               struct error *err);
void shown_draw_fini(struct shown_draw *shown);

#endif
