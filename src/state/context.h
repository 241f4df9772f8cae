/* The state of the GPU: clients, their resources, sub-contexts, objects and bindings. Both
 * executors pass every command to gpu_apply() and then do the work that it leaves. */
#ifndef AETIUS_STATE_CONTEXT_H
#define AETIUS_STATE_CONTEXT_H

#include "base/mem.h"
#include "state/draw.h"

struct gpu_query {
    enum gpu_query_type type;
    uint32_t resource, offset; /* where the result is written */
    struct resource *res;      /* that resource, referenced; NULL: none */
    bool active;
    uint64_t result;
};

/* Record that GET_QUERY_RESULT writes at the query's offset in its resource. */
struct gpu_query_record {
    uint32_t state, size; /* 1: available; size of `result`, 8 bytes */
    uint64_t result;
};

struct gpu_state; /* one sub-context: objects and bindings */

/* Limits: connected clients, and sub-contexts per client. Both are searched linearly; real programs
 * stay far below. */
enum { GPU_MOST_CLIENTS = 1024, GPU_MOST_SUB_CONTEXTS = 1024 };

struct gpu_device {
    struct gpu_memory memory;
    struct gpu_client *clients;
    uint32_t next_program_id;
    uint32_t frame, draw_in_frame; /* swaps seen; draws since the last */
    uint32_t holds;                /* see gpu_device_hold() */
    bool restoring;                /* between the two STATEs of a trimmed trace */
    uint32_t next_address;         /* address of the next resource; 0: first fit */
    struct gpu_object_head *retired;
    bool pages; /* resources may be paged out (context_paging.c) */
    struct page_spare *spares;
    uint64_t spare_bytes, outside_bytes; /* outside: of resources that are paged out */
    /* Host memory: bytes that resources hold with `pages` (else the memory's share counts), and
     * created objects without the bytes of resources. Decoders before the device share the budget
     * of `objects`. */
    struct budget_share contents, objects;
    uint64_t commands; /* applied so far */
    /* With `squares`, textures are in squares of 2^square_log2 texels a side (resource.h). At their
     * first use as a target they move into the ROPs' tiles. */
    bool squares;
    uint32_t square_log2;
    uint32_t
        forced_samples; /* of display targets and their depth buffers; 0: as the program asks */
    /* Called before the memory of a resource gets a new owner. May be NULL. */
    void (*leaving)(void *data, const struct resource *res);
    void *leaving_data;
};

bool gpu_device_init(struct gpu_device *device, uint32_t memory_bytes, struct error *err);
void gpu_device_fini(struct gpu_device *device);
/* Call before the first command: host memory is then taken from the budget. NULL: unlimited, except
 * for created objects. */
void gpu_device_limit(struct gpu_device *device, struct budget *budget);

/* Baked draws reference resources, programs and queries without counting. An executor that keeps a
 * draw while it applies later commands must hold the device. Destroyed objects are then freed at
 * the release of the last hold. The memory of a resource is reused at once, even under a hold, so
 * that addresses do not depend on time. `leaving` must end all its uses. */
void gpu_device_hold(struct gpu_device *device);
void gpu_device_release(struct gpu_device *device);

/* Whether the executor has work to do: PUT, GET, SWAP, FRAME, DRAW, CLEAR, BLIT, COPY_REGION,
 * END_QUERY, GET_QUERY_RESULT and RESOURCE_UNREF (applied when nothing uses the resource any more).
 * gpu_apply() executes all other commands completely. */
bool gpu_op_is_work(enum gpu_op op);
static inline bool
gpu_op_ends_frame(enum gpu_op op)
{
    return op == GPU_SWAP || op == GPU_FRAME;
}

/* Applies a state change. Of work commands it checks handles and ranges, so that the executor needs
 * no checks. It also has a part in three of them: RESOURCE_UNREF removes the handle, END_QUERY ends
 * counting for later draws, SWAP and FRAME count the frame. */
bool gpu_apply(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err);

/* Bakes a draw from the bound state. `arena` owns the draw and its constants; reset it when the
 * draws have ended. Returns false if this GPU does not support a state; err names it. *draw is NULL
 * if there is nothing to draw (count 0, no rasterization and no stream-out, a false render
 * condition). */
bool gpu_bake_draw(struct gpu_device *device, const struct gpu_cmd *cmd, struct arena *arena,
                   struct draw **draw, struct error *err);

/* Lists the buffers that baking this draw reads from the simulated memory: uniforms, and the
 * indices of triangles with a polygon mode other than fill. Returns their number. */
uint32_t gpu_bake_reads(struct gpu_device *device, const struct gpu_cmd *cmd,
                        const struct resource *buffers[STAGE_COUNT + 1]);

/* Skips a draw whose results are not needed. Its surfaces no longer count as cleared
 * (state/cleared.h), as after the draw. */
void gpu_skip_draw(struct gpu_device *device, const struct gpu_cmd *cmd);

/* The bound framebuffer, for clears: color surfaces, depth, extents. */
bool gpu_bake_framebuffer(struct gpu_device *device, const struct gpu_cmd *cmd,
                          struct bound_surface color[MAX_COLOR_BUFFERS], uint32_t *color_count,
                          struct bound_surface *depth, struct error *err);

struct resource *gpu_resource(struct gpu_device *device, uint32_t client, uint32_t handle);

/* Whether a SET_FRAMEBUFFER changes the number of samples of its depth surface (forced_samples). No
 * draw may be in flight, and no cache may hold its lines, when it is applied. */
bool gpu_changes_samples(struct gpu_device *device, const struct gpu_cmd *cmd);

/* Writes the bytes of a PUT to the memory, or to the resource's pages outside. */
void gpu_put(struct gpu_device *device, const struct gpu_cmd *cmd);

/* After a SWAP or RESOURCE_CREATE: makes the commands that copy the shown picture into a front
 * surface and its multisampled twin. Returns their number. */
uint32_t gpu_present(struct gpu_device *device, const struct gpu_cmd *cmd,
                     struct gpu_cmd commands[2]);
/* Encodes the presentation state of a resource as one number for trimmed traces; 0 if there is
 * none. */
uint32_t gpu_shown_encode(struct gpu_device *device, uint32_t client, const struct resource *res);
/* The code without the twin, for a resource that has one sample. */
uint32_t gpu_shown_alone(uint32_t code);
/* Call it after each command of gpu_present(). */
void gpu_presented(struct gpu_device *device, const struct gpu_cmd *command);
struct gpu_query *gpu_find_query(struct gpu_device *device, const struct gpu_cmd *cmd,
                                 uint32_t handle);
/* Records that the executor clears the bound surfaces (a CLEAR), as described in
 * state/cleared.h. */
void gpu_note_clear(struct gpu_device *device, const struct gpu_cmd *cmd);

/* Whether the bound render condition currently permits draws, clears and blits. */
bool gpu_render_condition(struct gpu_device *device, const struct gpu_cmd *cmd);

#endif
