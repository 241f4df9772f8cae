/* Simulations that are kept, each in a folder named by what it is the run of: the bytes of the
 * trace, the frames, every parameter of the machine, and this program's version. A run that is
 * there is whole; what asks for it again, for whatever purpose, finds it. */
#ifndef AETIUS_CMD_RUN_CACHE_H
#define AETIUS_CMD_RUN_CACHE_H

#include "cmd/options.h"

struct cached_run {
    const char *root; /* the folder that runs have theirs in */
    const char *trace;
    struct machine_options machine;
    const char *frames; /* "A-B"; NULL: all */
};

/* FNV-1a of a file's bytes, and how many there are. */
bool file_identity(const char *path, uint64_t *hash, size_t *size, struct error *err);

/* The run's folder, whether it is there or not; the caller frees. NULL after a failure. */
char *run_cache_folder(const struct cached_run *run, bool *is_there, struct error *err);
/* Simulates it, in this process. */
bool run_cache_make(const struct cached_run *run, struct error *err);

#endif
