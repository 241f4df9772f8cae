/* Frames that `capture` and `trim` extract from a recording: output paths and options. */
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
    /* `out` is a folder of frames-A-B.trace files, not the file of a single range */
    bool in_folder;
};

/* Checks that no output exists, and creates the folder. */
bool cut_prepare(const struct cut_options *options, struct error *err);
/* Path of a temporary file: in `out` if it is a folder, otherwise beside `out`. Removes a symbolic
 * link at this path. The caller frees the path. */
char *cut_work_path(const struct cut_options *options, const char *what);
/* Extracts the ranges. `read_back` is as for trim_trace(). */
bool cut_frames(const struct cut_options *options, struct trace_reader *reader,
                struct trace_reader *read_back, struct error *err);
/* Prints the number of frames and the size of the extracted traces. */
void cut_report(const struct cut_options *options);

#endif
