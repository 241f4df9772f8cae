/* A simulation: one device with a functional renderer and a timed machine. Selected frames run on
 * the machine, the others on the functional renderer. Both leave identical memory. */
#ifndef AETIUS_SIM_SIMULATION_H
#define AETIUS_SIM_SIMULATION_H

#include "base/args.h"
#include "base/file.h"
#include "sim/executor.h"
#include "sim/machine.h"
#include "trace/virgl/needed_draws.h"

struct simulation_frame {
    uint32_t number, client;
    bool timed;
    uint64_t cycles; /* 0 if not timed */
    const struct resource *shown;
    const struct picture *picture; /* NULL: an untimed frame before a timed one */
};

/* Observer. Any function may be NULL. `work` is called per row (sim/work_accounting.h): the counts
 * since the frame's previous row belong to this row. The machine is drained when `frame` is
 * called. */
struct simulation_listener {
    void *data;
    bool (*frame)(void *data, const struct simulation_frame *frame, struct error *err);
    void (*work)(void *data, uint32_t frame, const struct work *row);
    /* `cycle` counts from the start of the frame. */
    void (*interval)(void *data, uint32_t frame, uint64_t cycle);
};

struct simulation {
    struct gpu_device device;
    struct functional functional;
    struct machine *machine;
    struct executor executor; /* pass this to executor_sink_init() */
    struct frame_set timed;   /* frames that run on the machine */
    bool all_functional;
    uint32_t first, end;               /* frames of `timed` that this process simulates */
    const struct needed_draws *needed; /* other draws of untimed frames are skipped */
    const struct frame_set *whole; /* frames in which no draw is skipped; NULL: no such frames */
    uint64_t draws;                /* draws so far */
    struct simulation_listener listener;
    uint32_t frame;           /* number of the current frame */
    bool frame_open;          /* the machine has executed a command of the frame */
    uint64_t frame_start;     /* in cycles */
    uint32_t interval_cycles; /* 0: no samples */
    double timed_seconds;     /* wall time spent on the machine */
    bool (*stop)(void);       /* polled per command; true ends the run; may be NULL */
    bool stopped;             /* no further command is executed */
};

/* If `timed` is NULL, no frame is timed and no machine is built. */
bool simulation_init(struct simulation *sim, const struct params *params,
                     const struct frame_set *timed, const struct simulation_listener *listener,
                     struct error *err);
void simulation_fini(struct simulation *sim);

/* Warns about queues of the machine that are too shallow to sustain their width, except those that
 * are also in the preset. The message starts with the machine's name, unless `name` is NULL. Does
 * nothing without a machine. */
void simulation_warn(const struct simulation *sim, const char *preset, const char *name);

/* Gives the device's resources the layout that a machine with these parameters uses. */
void simulation_shape_device(struct gpu_device *device, const struct params *params);

/* For a forked process that continues with other frames. Call it between two commands. The open
 * frame then belongs to the other process. */
void simulation_leave_frame(struct simulation *sim);

#endif
