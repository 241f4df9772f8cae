/* Frames that `capture` and `trim` cut out of a recording: output paths and options. */
#ifndef AETIUS_CMD_CUT_H
#define AETIUS_CMD_CUT_H

#include "base/args.h"
#include "trace/file.h"

struct cut_options {
    const char *out, *warm_up_text;
    bool force;
    uint32_t warm_up;
    struct frame_set set;
    uint32_t first; /* added to the numbers of `set` in file names */
    bool in_folder; /* `out` is a folder of frames-A-B.trace, not one range's file */
};

/* Checks that no output exists, and creates the folder. */
bool cut_prepare(const struct cut_options *options, struct error *err);
/* Path of a temporary file in or beside `out`, after removing a symbolic link at this path. The
 * caller frees it. */
char *cut_work_path(const struct cut_options *options, const char *what);
/* Cuts the ranges out; `read_back` as for trim_trace(). */
bool cut_frames(const struct cut_options *options, struct trace_reader *reader,
                struct trace_reader *read_back, struct error *err);

#endif
