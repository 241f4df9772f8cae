/* The timed machine builds the units and queues of machine.def, and executes commands on them cycle
 * by cycle. */
#ifndef AETIUS_SIM_MACHINE_H
#define AETIUS_SIM_MACHINE_H

#include "sim/functional.h"
#include "sim/command_stream.h"
#include "sim/hazards.h"
#include "sim/identities.h"
#include "sim/overlap.h"
#include "sim/work_accounting.h"
#include "state/draw_run.h"
#include "state/upload_history.h"

#define UNIT_HEADERS
#include "machine.def"

/* Parts of the framebuffer that draws may have used, in pixels. */
struct used_parts {
    struct scissor_state items[16];
    uint32_t count; /* above the size of `items`: all parts */
};

/* Clears of the bound framebuffer. A clear is unneeded if the next one also clears its buffers, and
 * the draws in between used no part that other draws have used since an equal clear. */
struct noted_clears {
    struct gpu_cmd needed, last; /* the last needed clear, and the last clear after it */
    bool has_needed, has_last;
    struct used_parts before, since; /* between both, and since the latest of them */
};

struct made_copy { /* the last copy of the frame to a resource */
    struct gpu_cmd cmd;
    uint64_t from, to;               /* `created` of the resources */
    uint64_t from_writes, to_writes; /* their `writes` after the copy */
};

struct machine {
    struct params params;
    struct gpu_device *device;     /* not owned */
    struct functional *functional; /* not owned; executes state commands and queries, and computes
                                      the values of blits */
    struct clock clock;
    struct pools pools;
    uint32_t shaders, texunits, rops;

#define UNIT(name, count)                                                                          \
    struct name *name;                                                                             \
    uint32_t name##_count;
#define QUEUE_11(name, action, item, sender, out, receiver, in, width, depth, latency)             \
    struct queue *name##_queue;                                                                    \
    uint32_t name##_queue_count;
#define MEMORY(name, unit, port, client, traffic, width, who)                                      \
    struct queue *name##_requests, *name##_replies;                                                \
    uint32_t name##_count;
#include "machine.def"

    struct stat_set stats;
    struct identities *identities;            /* identities between the counters in `stats` */
    struct cover cover;                       /* of the z test units and Hierarchical Z */
    struct blocks color_blocks, depth_blocks; /* states of all surfaces that the frame renders to */
    /* Bound surfaces. The ROP caches may hold contents of these surfaces that memory lacks. */
    struct bound_surface color[MAX_COLOR_BUFFERS], depth;
    uint32_t color_count;
    bool is_dirty; /* rendered to or cleared since the last write-back */
    struct hazards hazards;
    struct command_stream stream;
    struct upload { /* upload in flight */
        uint64_t number;
        struct cmdproc_move *moves;
        struct arena bytes;
    } uploads[HAZARD_UPLOADS];
    uint32_t upload_count;
    struct upload_history upload_history;
    struct arena draws;           /* baked draws of the frame */
    const struct draw *last_draw; /* latest draw sent; NULL: no draw is in flight */
    bool front_to_back;           /* sort opaque draws by depth (machine_reorder.c) */
    bool merge_draws;             /* merge draws with the same state (machine_merge.c) */
    bool index_order;             /* reorder triangles for vertex reuse (machine_indices.c) */
    bool early_uploads;           /* uploads after the first draw of a frame take no time */
    bool no_repeated_uploads;     /* uploads of bytes that are already there take no time */
    bool no_repeated_clears;      /* leave out clears that the next clear overwrites */
    bool no_repeated_copies;      /* leave out copies that an equal copy has made before */
    VEC(struct held_draw {
        const struct draw *draw;
        float depth; /* mean of its vertices, 0 to 1 */
    })
    held;
    struct draw_run held_run; /* draws that wait to be merged */
    /* no_repeated_clears: the last clear, as long as the next one may replace it. */
    struct gpu_cmd held_clear;
    bool holds_clear;
    VEC(struct made_copy) copies; /* to different resources */
    VEC(struct merged_buffer {
        uint32_t address;
        uint32_t bytes;
    })
    merged; /* vertices and indices of changed draws, until the end of the frame */
    VEC(struct program *) merged_programs; /* likewise */
    uint32_t next_merged_id;
    /* Draws that are not merged although only constants differ. */
    uint32_t unmerged[DRAW_JOIN_COUNT];
    /* Last draws into the bound framebuffer whose results nothing has read. */
    struct unread_draws {
        uint32_t client;
        uint32_t count;
        uint32_t buffers;         /* that they write (enum buffer_mask) */
        uint32_t clears, cleared; /* clears after the last draw, and their buffers */
    } unread;
    struct noted_clears noted_clears; /* like `unread` */
    /* Draws that the next one may continue: no work in between depends on the order. Their objects
     * may be gone. */
    struct draw_run continued;

    /* A wait failed while the device freed a resource's memory. `ending` is the error. */
    bool failed;
    struct error ending;

    struct overlap overlap;
    struct work_accounting accounting; /* an observer sets `on_row_end` */
    struct shader_profile *profile;    /* NULL: no profile (unit/shader/shader_profile.h) */
};

/* Returns whether the machine can be built. The message names the parameters and the limit. */
bool machine_params_check(const struct params *params, struct error *err);

/* `device` and `functional` belong to the caller and must outlive the machine. Returns NULL if a
 * machine with these parameters cannot be built. machine_destroy() frees all units and queues. */
struct machine *machine_create(const struct params *params, struct gpu_device *device,
                               struct functional *functional, struct error *err);
void machine_destroy(struct machine *machine);
/* Starts the profile of the shader programs. Call it before the first command. */
void machine_profile_shaders(struct machine *machine);
/* Whether a queue is too shallow to sustain its width. */
bool machine_has_shallow_queues(const struct machine *machine);
/* Warns about such queues, except those that are also in `accepted`. `accepted` may be NULL. The
 * message starts with the machine's name, unless `name` is NULL. */
void machine_warn(const struct machine *machine, const struct machine *accepted, const char *name);

/* Like functional_execute(), but timed. SWAP fills `out` with the bytes that the DAC read. Returns
 * false if the command is invalid, memory is exhausted, a program does not end, the machine
 * deadlocks, or a signal arrives. The machine must not be used after that. */
bool machine_execute(struct machine *machine, const struct gpu_cmd *cmd, uint8_t *out,
                     uint32_t out_bytes, struct error *err);

/* Runs until nothing is in flight. After that, uploads are in memory. Rendered contents are in
 * memory or in the ROP caches. */
bool machine_drain(struct machine *machine, struct error *err);
void machine_forget_uploads(struct machine *machine); /* called by machine_destroy() */

/* Call after a swap. Writes everything to memory and resets the machine, outside simulated time.
 * The next frame then starts drained and does not depend on this one. */
void machine_sync_memory(struct machine *machine);
/* Part of machine_sync_memory(). Memory then holds the bytes of every surface, and no block has a
 * state. */
void machine_forget_surfaces(struct machine *machine);

/* Checks the identities of a drained machine: states sum to cycles, queues are empty, and
 * statistics agree since their last rebase (sim/identities.def). */
bool machine_check(const struct machine *machine, struct error *err);

#endif
