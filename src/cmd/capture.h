/* Records what a program sends to the virtual GPU: of `aetius capture`, and of `aetius import`,
 * whose program replays OpenGL calls. */
#ifndef AETIUS_CMD_CAPTURE_H
#define AETIUS_CMD_CAPTURE_H

#include "cmd/cut.h"
#include "trace/virgl/vtest/launch.h"

struct capture_options {
    struct cut_options cut; /* prepared with cut_prepare() */
    bool stop;              /* ends the program after the last requested frame */
    /* If the program ends before the last requested frame, extract the same number of its last
     * frames. */
    bool takes_last;
    struct launch_options launch;
    const char *name;     /* of the program, for the trace and messages */
    const char *progress; /* head of the progress line */
    uint32_t frames;      /* expected number of frames; 0: unknown */
    /* Adds the reason to the description of how a program failed; or NULL. */
    void (*explain)(const struct capture_options *options, struct launch_result *result);
};

/* Runs the program and writes the trace. Returns the exit status of the command. After a failure,
 * prints what launch_conclude() prints, or sets the error. */
int capture_program(const struct capture_options *options, char **program, struct error *err);

#endif
