/* Code shared by `aetius run` and `aetius sim`: options of the machine and the frames, the
 * simulation, its output folder, and the summary. */
#ifndef AETIUS_CMD_SIMULATE_H
#define AETIUS_CMD_SIMULATE_H

#include "base/log.h"
#include "cmd/options.h"
#include "report/draw/primitive_trace.h"
#include "report/timeline/perfetto.h"
#include "report/run/run_folder.h"
#include "report/timeline/signals.h"
#include "report/timeline/vcd.h"

struct simulate_options {
    struct machine_options machine;
    /* NULL: use `machine`; otherwise `machine` only names the preset */
    const struct params *params;
    struct frame_set timed;
    const char *dir;
    const char *vcd, *map, *pixel; /* "A-B", "MODE,...", "X,Y"; or NULL */
    const char *perfetto;          /* output file, or NULL */
    const char *signals, *cycles;  /* output file and its cycles "A-B", or NULL */
    const char *follow;            /* "F:D:T", or NULL */
    bool capture_blocks;
    bool shader_profile;
    bool force, json;
    bool shows_draws, units; /* in the summary: the most expensive draws, the units */
    bool verify; /* `aetius sim`: compare pictures with those of the functional renderer */
    const struct sample *sample; /* `aetius sim`: the sample whose frames are in `timed`, or NULL */
    bool functional;             /* without timing: no machine is built */
    uint64_t jobs;               /* `aetius sim`: number of processes; 0 means 1 */
    const char *warm_up_text;    /* `aetius sim`: --warm-up */
    /* The members below are set by simulate_options_parse(). */
    uint64_t vcd_first, vcd_last, signals_first, signals_last; /* in cycles */
    uint32_t maps;                                             /* bit mask of modes */
    uint32_t warm_up;
    uint32_t pixel_x, pixel_y;
    struct follow_target target;
};
// clang-format off
#define SIMULATE_OPTIONS(options, dir_default)                                                    \
    MACHINE_OPTIONS(&(options)->machine),                                                          \
    OPTION_FRAMES(&(options)->timed, "simulate only these frames with timing, and render the others without"),   \
    OPTION_OUTPUT(&(options)->dir, "DIR", "output folder for images and statistics" dir_default, false),       \
    {"vcd", 0, ARG_STRING, &(options)->vcd, "A-B",                                                 \
     "write queue contents and unit states in these cycles to DIR/signals.vcd (GTKWave)", false},               \
    {"perfetto", 0, ARG_STRING, &(options)->perfetto, "FILE",                                      \
     "write the run as a timeline for ui.perfetto.dev, e.g. run.pftrace", false},             \
    {"signals", 0, ARG_STRING, &(options)->signals, "FILE",                                        \
     "write a table of the items that enter and leave each queue in the cycles of --cycles, e.g. DIR/signals.csv.gz", false},      \
    {"cycles", 0, ARG_STRING, &(options)->cycles, "A-B", "cycles of the run for --signals; with --perfetto, the timeline also shows each item that is in a queue in these cycles", false}, \
    {"map", 0, ARG_STRING, &(options)->map, "MODE,...",                                            \
     "write fragment maps, one image per frame and mode, and a table of draws per tile, to DIR/maps: " MAP_MODE_LIST, false},          \
    {"pixel", 0, ARG_STRING, &(options)->pixel, "X,Y",                                             \
     "print the history of a pixel (from the top left): all its fragments; also writes DIR/pixel.json", false},           \
    {"follow", 0, ARG_STRING, &(options)->follow, "F:D:T",                                                \
     "follow triangle T of draw D of frame F (all from 0) through the GPU; also writes DIR/follow.json", false}, \
    {"capture-blocks", 0, ARG_FLAG, &(options)->capture_blocks, NULL,                              \
     "write the lines transferred between ROPs and memory to DIR/blocks.color and DIR/blocks.z", false},       \
    {"shader-profile", 0, ARG_FLAG, &(options)->shader_profile, NULL,                              \
     "count issues, lanes and issue slots of each shader instruction, for `aetius topdown --program`; also writes DIR/shader-profile.csv.gz and DIR/programs; needs 2 to 3 % more host instructions", false}, \
    OPTION_FORCE(&(options)->force, "replace an existing run in DIR, and existing files of other options"),                             \
    {"units", 0, ARG_FLAG, &(options)->units, NULL,                                                \
     "also print the states of the units, memory traffic and hit rates", false},                  \
    OPTION_JSON(&(options)->json, "print run.json instead of the summary")
// clang-format on

struct simulate {
    const struct simulate_options *options;
    struct params params;
    struct frame_set frames;
    struct simulation sim;
    struct run_folder folder;
    struct progress progress;
    struct executor_sink sink; /* receives the messages */
    struct vcd *vcd;
    struct perfetto *perfetto;
    struct signals *signals;
    struct follow follow; /* valid if --follow is given */
    struct watch *watch;
    struct rop_capture captures[2]; /* color, z */
};

/* Parses the texts above. Returns false on wrong usage. */
bool simulate_options_parse(struct simulate_options *options, struct error *err);

/* Begins a run. run.json stores `program` and `trace`. `trace` may be NULL. From now on, Ctrl-C
 * takes effect between two commands: no later command is executed. If this function returns true,
 * the caller must call simulate_end(). */
bool simulate_begin(struct simulate *simulate, const struct simulate_options *options,
                    const char *program, const char *trace, struct error *err);

/* Writes the remaining output, also after a failure, and prints the summary. `complete`: all
 * requested work was executed. */
bool simulate_end(struct simulate *simulate, bool complete, struct error *err);

/* Executes `aetius sim` (sim.c). */
bool simulate_trace(const struct simulate_options *options, const char *path, struct error *err);

#endif
