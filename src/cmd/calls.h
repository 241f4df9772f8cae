/* OpenGL calls that apitrace recorded. Its program glretrace replays them, also those with EGL. */
#ifndef AETIUS_CMD_CALLS_H
#define AETIUS_CMD_CALLS_H

#include "base/error.h"

#include <stdint.h>

struct calls {
    const char *path;
    uint32_t swaps;
    char window[24]; /* first viewport, "WxH"; "" if there is none in the first calls */
};

/* Examines a file with apitrace. An error if apitrace is not installed, or if the file is not a
 * complete recording of OpenGL calls. `calls` refers to `path`. */
bool calls_open(struct calls *calls, const char *path, struct error *err);

/* Returns the file as an argument of glretrace, which is not an option even if the path begins
 * with a dash. The caller frees it. */
char *calls_operand(const char *path);
/* Returns the path of the recorded calls of a trace: X.api.trace for X.trace. The caller frees it.
 */
char *calls_path(const char *trace);

/* Finds the last error that glretrace has written to its log. Returns false if there is none. */
bool calls_error(const char *log, char *text, uint32_t size);
/* Prints how many warnings glretrace has written to its log, and the first one. */
void calls_report_warnings(const char *log);

#endif
