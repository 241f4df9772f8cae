/* The state of the GPU: clients, their resources, sub-contexts, objects and bindings. Both
 * executors pass every command to gpu_apply(), and then do the work of commands that gpu_apply()
 * does not complete. */
#ifndef AETIUS_STATE_CONTEXT_H
#define AETIUS_STATE_CONTEXT_H

#include "base/mem.h"
#include "state/draw.h"

struct gpu_query {
    enum gpu_query_type type;
    uint32_t resource, offset; /* destination of the result */
    struct resource *res;      /* the resource with that handle, referenced; NULL: none */
    bool active;
    uint64_t result;
};

struct gpu_stream { /* a buffer range into which stream output is stored */
    struct resource *res;
    uint32_t offset, size; /* bytes */
    uint32_t written;      /* bytes stored so far */
    bool begun;            /* was bound to slot 0 before */
    uint32_t vertex_bytes; /* bytes of each vertex stored last */
};

/* Record that GET_QUERY_RESULT writes into the query's resource, at the query's offset. */
struct gpu_query_record {
    uint32_t state, size; /* state: 1 if available; size: bytes of `result`, 8 */
    uint64_t result;
};

struct gpu_state; /* one sub-context: objects and bindings */

/* Maximum numbers of connected clients, and of sub-contexts per client. Both are searched linearly.
 * Real programs stay far below these limits. */
enum { GPU_MOST_CLIENTS = 1024, GPU_MOST_SUB_CONTEXTS = 1024 };

struct upload_history;

struct gpu_device {
    struct gpu_memory memory;
    struct gpu_client *clients;
    uint32_t next_program_id;
    uint32_t frame, draw_in_frame; /* number of swaps so far, and of draws since the last swap */
    uint32_t holds;                /* see gpu_device_hold() */
    bool restoring;                /* true between the two STATE messages of a trimmed trace */
    uint32_t next_address;         /* address of the next resource; 0: allocate first fit */
    struct gpu_object_head *retired;
    bool pages; /* enables paging of resources (context_paging.c) */
    struct page_spare *spares;
    uint64_t spare_bytes, outside_bytes; /* outside_bytes: bytes of paged-out resources */
    /* Host memory. `contents`: bytes that resources hold if `pages` is set; otherwise the share of
     * `memory` counts them. `objects`: created objects, excluding the bytes of resources. The
     * decoders that feed the device share the budget of `objects`. */
    struct budget_share contents, objects;
    uint64_t commands; /* number of commands applied so far */
    /* If `squares` is set, textures are stored in squares with a side of 2^square_log2 texels
     * (resource.h). A texture moves to the ROPs' tiles when it is first used as a target. */
    bool squares;
    uint32_t square_log2;
    /* Vertex and index buffers of up to mapped_limit_bytes in total are mapped (state/memory.h).
     * With `pages`, none is. */
    uint32_t mapped_limit_bytes, mapped_bytes;
    uint32_t forced_samples; /* forced on display targets and renderbuffers; 0: off */
    /* Called before the memory of a resource is reused. May be NULL. */
    void (*leaving)(void *data, const struct resource *res);
    void *leaving_data;
    /* Changes a baked draw before the flags that depend on several kinds of state are computed.
     * Returns false to leave the draw out. May be NULL. */
    bool (*alter)(void *data, struct draw *draw);
    void *alter_data;
    /* NULL, or records the uploads. `put_repeats`: whether the last PUT repeated earlier bytes. */
    struct upload_history *uploads;
    bool put_repeats;
};

bool gpu_device_init(struct gpu_device *device, uint32_t memory_bytes, struct error *err);
void gpu_device_fini(struct gpu_device *device);
/* Makes the device take host memory from `budget` (NULL: unlimited, except for created objects).
 * Must be called before the first command. */
void gpu_device_limit(struct gpu_device *device, struct budget *budget);

/* Baked draws reference resources, programs and queries without counting. An executor that keeps a
 * draw while it applies later commands must therefore hold the device. Destroyed objects are then
 * freed when the last hold is released. The memory of a resource is reused immediately, even under
 * a hold, so that addresses do not depend on timing. Before that, the callback `leaving` must end
 * all uses of the memory. */
void gpu_device_hold(struct gpu_device *device);
void gpu_device_release(struct gpu_device *device);

/* Returns whether the executor must do work for the command. This holds for PUT, GET, SWAP, FRAME,
 * DRAW, CLEAR, BLIT, COPY_REGION, END_QUERY, GET_QUERY_RESULT and RESOURCE_UNREF. A RESOURCE_UNREF
 * takes effect when the resource is no longer in use. gpu_apply() executes all other commands
 * completely. */
bool gpu_op_is_work(enum gpu_op op);
static inline bool
gpu_op_ends_frame(enum gpu_op op)
{
    return op == GPU_SWAP || op == GPU_FRAME;
}

/* Applies a state change. For work commands it checks handles and ranges, so that the executor
 * needs no checks. It also does a part of some work commands: RESOURCE_UNREF removes the handle,
 * END_QUERY ends counting for later draws, and SWAP and FRAME count the frame. */
bool gpu_apply(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err);

/* Bakes a draw from the bound state. `arena` owns the draw and its constants; reset it after the
 * draws have ended. Returns false with an error if this GPU does not support part of the state.
 * *draw is NULL if nothing would be drawn (count 0, no rasterization and no stream-out, or a false
 * render condition). */
bool gpu_bake_draw(struct gpu_device *device, const struct gpu_cmd *cmd, struct arena *arena,
                   struct draw **draw, struct error *err);

/* Lists the buffers that the bake reads from simulated memory: uniform buffers, and the index
 * buffer of triangles whose polygon mode is not fill. Returns the number of buffers. */
enum { GPU_BAKE_READS_MOST = STAGE_COUNT * MAX_CONSTANT_BUFFERS + 1 };
uint32_t gpu_bake_reads(struct gpu_device *device, const struct gpu_cmd *cmd,
                        const struct resource *buffers[GPU_BAKE_READS_MOST]);

/* Skips a draw whose results are not needed. Like the draw itself, this marks its surfaces as no
 * longer cleared (state/cleared.h). Returns the geometry program of the draw. Returns NULL if there
 * is none, and if the draw has no effect. */
const struct program *gpu_skip_draw(struct gpu_device *device, const struct gpu_cmd *cmd);

/* Returns the bound framebuffer for a clear: color and depth surfaces with their extents. */
bool gpu_bake_framebuffer(struct gpu_device *device, const struct gpu_cmd *cmd,
                          struct bound_surface color[MAX_COLOR_BUFFERS], uint32_t *color_count,
                          struct bound_surface *depth, struct error *err);

struct resource *gpu_resource(struct gpu_device *device, uint32_t client, uint32_t handle);

/* Returns whether a SET_FRAMEBUFFER changes the number of samples of one of its surfaces
 * (forced_samples). Such a command must not be applied while a draw is in flight, or while a cache
 * holds lines of the surface. */
bool gpu_changes_samples(struct gpu_device *device, const struct gpu_cmd *cmd);

/* Writes the bytes of a PUT to simulated memory, or to the resource's pages if it is paged out. */
void gpu_put(struct gpu_device *device, const struct gpu_cmd *cmd);

/* Called after a SWAP or RESOURCE_CREATE. Makes the commands that copy the shown picture into a
 * front surface and its multisampled twin. Returns the number of commands. */
uint32_t gpu_present(struct gpu_device *device, const struct gpu_cmd *cmd,
                     struct gpu_cmd commands[2]);
/* Presentation state of a resource, for trimmed traces. */
struct shown_state gpu_shown_state(struct gpu_device *device, uint32_t client,
                                   const struct resource *res);
/* Must be called after each command of gpu_present(). */
void gpu_presented(struct gpu_device *device, const struct gpu_cmd *command);
struct gpu_query *gpu_find_query(struct gpu_device *device, const struct gpu_cmd *cmd,
                                 uint32_t handle);
/* Returns a stream output target. */
struct gpu_stream *gpu_find_stream(struct gpu_device *device, const struct gpu_cmd *cmd,
                                   uint32_t handle);
/* Records that a CLEAR clears the bound surfaces (state/cleared.h). */
void gpu_note_clear(struct gpu_device *device, const struct gpu_cmd *cmd);

/* Returns whether the bound render condition currently permits draws, clears and blits. */
bool gpu_render_condition(struct gpu_device *device, const struct gpu_cmd *cmd);
/* Returns whether a render condition is bound. */
bool gpu_has_render_condition(struct gpu_device *device, const struct gpu_cmd *cmd);

#endif
