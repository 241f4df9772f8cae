/* A simulation: one device, the functional renderer and the timed machine on it. Frames that are
 * asked for run on the machine, the others functionally, and both leave the same memory behind. */
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
    uint64_t cycles; /* 0 when not timed */
    const struct resource *shown;
    const struct picture *picture; /* NULL: of a frame on the way to a timed one */
};

/* Who wants to know; any function may be NULL. `work` tells of a row: what was counted since the
 * row before it in the frame (sim/work_accounting.h); the machine is drained at `frame`. */
struct simulation_listener {
    void *data;
    bool (*frame)(void *data, const struct simulation_frame *frame, struct error *err);
    void (*work)(void *data, uint32_t frame, const struct work *row);
    void (*interval)(void *data, uint32_t frame, uint64_t cycle); /* cycle: since the frame began */
};

struct simulation {
    struct gpu_device device;
    struct functional functional;
    struct machine *machine;
    struct executor executor; /* hand this to an executor_sink */
    struct frame_set timed;   /* which frames run on the machine */
    bool all_functional;
    uint32_t first, end;               /* of these, the part that this process simulates */
    const struct needed_draws *needed; /* of frames without time: the other draws are left out */
    const struct frame_set *whole;     /* but of these frames none is; NULL: no frame */
    uint64_t draws;                    /* so far */
    struct simulation_listener listener;
    uint32_t frame;           /* the one that is being drawn */
    bool frame_open;          /* some command of it was executed in time */
    uint64_t frame_start;     /* cycle */
    uint32_t interval_cycles; /* 0: no samples */
    double timed_seconds;     /* wall time spent on the machine */
    bool (*stop)(void);       /* asked at each command, which it may end; NULL: never */
    bool stopped;             /* nothing is executed any more */
};

/* `timed` NULL: no frame is timed, and no machine is built. */
bool simulation_init(struct simulation *sim, const struct params *params,
                     const struct frame_set *timed, const struct simulation_listener *listener,
                     struct error *err);
void simulation_fini(struct simulation *sim);

/* How a machine of these parameters lays its resources out. */
void simulation_shape_device(struct gpu_device *device, const struct params *params);

/* Between two commands, in a copy of a process that goes on with other frames: what was executed of
 * the open frame belongs to the other one. */
void simulation_leave_frame(struct simulation *sim);

#endif
