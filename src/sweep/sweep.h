/* A sweep's folder, and the store of runs that it works with.
 *
 *     DIR/plan.ini       the plan
 *     DIR/sweep.json     the store, limits, and the inputs as they were found
 *     DIR/runs.jsonl     the runs of the plan, a JSON object a line, in the order of the plan
 *     DIR/traces         what was captured of programs
 *     DIR/logs/KEY       what a run said; KEY.failed of one that failed
 *     DIR/results.db     what `aetius sweep collect` made of the runs that are done
 *     STORE/KEY          a run's folder, which is there when the run is done; DIR/runs is the store
 *                        unless another one is named
 *
 * All but the store and the traces can be made anew. */
#ifndef AETIUS_SWEEP_SWEEP_H
#define AETIUS_SWEEP_SWEEP_H

#include "base/args.h"
#include "base/sha256.h"
#include "sweep/machine.h"
#include "sweep/plan.h"

/* A trace that the machines are to simulate. */
struct sweep_trace {
    char *name, *path;
    char
        *captured; /* the plan's input, of whose program this is one of several captures; or NULL */
    char hash[SHA256_TEXT];
    char *frames;         /* "0-3,7": what is simulated, all that there is to be named */
    uint32_t frame_count; /* of these */
    uint64_t draws;       /* in these */
};

struct sweep_run {
    char key[SWEEP_KEY_TEXT];
    uint32_t trace; /* of the sweep */
    char *machine;  /* its name: "small", "small,SHADER.Count=2" */
    char *preset;
    struct word_list sets;
    enum sweep_blocks blocks;
};

struct sweep {
    char *dir, *store;
    uint64_t limit_seconds, limit_bytes; /* of a run; 0: none */
    VEC(struct sweep_trace) traces;
    VEC(struct sweep_run) runs;
    size_t missing; /* inputs that are left out: not captured, or not to be read or drawn */
    int lock;       /* of the folder; -1: it is not taken */
};

/* Only the names: `store` NULL is DIR/runs. sweep_fini() also lets go of the folder. */
void sweep_init(struct sweep *sweep, const char *dir, const char *store);
void sweep_fini(struct sweep *sweep);
/* DIR/NAME; the caller frees. */
char *sweep_path(const struct sweep *sweep, const char *name);

/* Frames of a trace that has so many, as a text that is the same for the same frames. */
char *sweep_frames_text(const struct frame_set *frames, uint32_t count);
/* Reads the trace's facts; `hash` comes from the store's list where the file is as it was. */
bool sweep_add_trace(struct sweep *sweep, const char *name, const char *path, const char *frames,
                     struct error *err);
/* Leaves a trace out, with its runs; the numbers of those behind it change. */
void sweep_drop_trace(struct sweep *sweep, uint32_t trace);
/* A run of a trace on a machine called so, told as a preset and what differs from it. */
bool sweep_add_run(struct sweep *sweep, uint32_t trace, const char *machine, const char *preset,
                   const struct params *params, enum sweep_blocks blocks, struct error *err);
/* The plan's machines times the sweep's traces, a machine after the other. */
bool sweep_expand(struct sweep *sweep, const struct sweep_plan *plan, struct error *err);

/* sweep.json and runs.jsonl; loading reads what was saved. */
bool sweep_save(const struct sweep *sweep, struct error *err);
bool sweep_load(struct sweep *sweep, const char *dir, struct error *err);
/* The same with one run alone: fast when there are many. */
bool sweep_load_run(struct sweep *sweep, const char *dir, const char *key, struct error *err);

#endif
