/* A sweep's folder, and its store of runs.
 *
 *     DIR/plan.ini       the plan
 *     DIR/sweep.json     store, limits, and the inputs found
 *     DIR/runs.jsonl     the plan's runs in order, one JSON object per line
 *     DIR/traces         captures of programs
 *     DIR/logs/KEY       output of a run; KEY.failed if it failed
 *     DIR/results.db     database of the completed runs, made by `aetius sweep collect`
 *     STORE/KEY          folder of a completed run; the store is DIR/runs by default
 *
 * All files except the store and the traces can be regenerated. */
#ifndef AETIUS_SWEEP_SWEEP_H
#define AETIUS_SWEEP_SWEEP_H

#include "base/args.h"
#include "base/sha256.h"
#include "sweep/machine.h"
#include "sweep/plan.h"

/* A trace to simulate. */
struct sweep_trace {
    char *name, *path;
    /* The plan's input, if this is one of several captures of its program; or NULL. */
    char *captured;
    char hash[SHA256_TEXT];
    char *frames;         /* list of all frames to simulate: "0-3,7" */
    uint32_t frame_count; /* number of these frames */
    uint64_t draws;       /* number of draws in these frames */
};

struct sweep_run {
    char key[SWEEP_KEY_TEXT];
    uint32_t trace; /* index into the sweep's traces */
    char *machine;  /* name: "small", "small,SHADER.Count=2" */
    char *preset;
    struct word_list sets;
    enum sweep_blocks blocks;
};

struct sweep {
    char *dir, *store;
    uint64_t limit_seconds, limit_bytes; /* per run; 0: no limit */
    VEC(struct sweep_trace) traces;
    VEC(struct sweep_run) runs;
    size_t missing; /* omitted inputs: not captured, unreadable, or impossible to render */
    int lock;       /* lock of the folder; -1: not locked */
};

/* Sets only the names. `store` NULL: DIR/runs. sweep_fini() also unlocks the folder. */
void sweep_init(struct sweep *sweep, const char *dir, const char *store);
void sweep_fini(struct sweep *sweep);
/* Returns DIR/NAME. The caller frees the path. */
char *sweep_path(const struct sweep *sweep, const char *name);

/* Canonical text of the selected frames of a trace with `count` frames. */
char *sweep_frames_text(const struct frame_set *frames, uint32_t count);
/* Adds a trace and reads its hash, frames and draws. The hash comes from the store's list if the
 * file is unchanged. */
bool sweep_add_trace(struct sweep *sweep, const char *name, const char *path, const char *frames,
                     struct error *err);
/* Removes a trace and its runs. The indices of later traces change. */
void sweep_drop_trace(struct sweep *sweep, uint32_t trace);
/* Adds a run of a trace on a machine. The run stores `params` as differences from the preset. */
bool sweep_add_run(struct sweep *sweep, uint32_t trace, const char *machine, const char *preset,
                   const struct params *params, enum sweep_blocks blocks, struct error *err);
/* Adds all pairs of the plan's machines and the sweep's traces, machine by machine. */
bool sweep_expand(struct sweep *sweep, const struct sweep_plan *plan, struct error *err);

/* Writes and reads sweep.json and runs.jsonl. */
bool sweep_save(const struct sweep *sweep, struct error *err);
bool sweep_load(struct sweep *sweep, const char *dir, struct error *err);
/* Loads the sweep with a single run, which is fast for long plans. */
bool sweep_load_run(struct sweep *sweep, const char *dir, const char *key, struct error *err);

#endif
