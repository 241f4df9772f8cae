/* Frames that `capture` and `trim` cut out of what was recorded: where they go, and how. */
#ifndef AETIUS_CMD_CUT_H
#define AETIUS_CMD_CUT_H

#include "base/args.h"
#include "trace/file.h"

struct cut_options {
    const char *out, *warm_up_text;
    bool force;
    uint32_t warm_up;
    struct frame_set set;
    uint32_t first; /* what is added to the numbers of `set` in names */
    bool in_folder; /* `out` is the folder of frames-A-B.trace, not one range's file */
};

/* Checks that nothing is in the way, and makes the folder. */
bool cut_prepare(const struct cut_options *options, struct error *err);
/* The name of a file for the time of the work, in or beside `out`, where no link lies any more; the
 * caller's to free. */
char *cut_work_path(const struct cut_options *options, const char *what);
/* Cuts the ranges out; `read_back` as trim_trace() takes it. */
bool cut_frames(const struct cut_options *options, struct trace_reader *reader,
                struct trace_reader *read_back, struct error *err);

#endif
