/* A run as an input: it stands for its trace, its frames and its machine. */
#ifndef AETIUS_CMD_RUN_INPUT_H
#define AETIUS_CMD_RUN_INPUT_H

#include "cmd/options.h"

struct run_input {
    char *trace, *machine; /* paths, or NULL */
};

/* If *path is the folder of a run, replaces it with the path of its trace. `frames`, if empty, gets
 * the frames of the run. Without a preset in `options`, its machine is added as the first
 * configuration file. The texts belong to `input`. */
bool run_input_open(struct run_input *input, const char **path, struct frame_set *frames,
                    struct machine_options *options, struct error *err);
void run_input_fini(struct run_input *input);

#endif
