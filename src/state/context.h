/* The state side of the GPU: clients, their resources, sub-contexts, objects and what is bound.
 * Both executors feed every command through gpu_apply() and then do the work that it leaves. */
#ifndef AETIUS_STATE_CONTEXT_H
#define AETIUS_STATE_CONTEXT_H

#include "base/mem.h"
#include "state/draw.h"

struct gpu_query {
    enum gpu_query_type type;
    uint32_t resource, offset; /* where its result goes */
    struct resource *res;      /* the resource itself, kept alive; NULL: none */
    bool active;
    uint64_t result;
};

/* What GET_QUERY_RESULT writes at the query's place in its resource. */
struct gpu_query_record {
    uint32_t state, size; /* 1: there; 8: bytes of the result */
    uint64_t result;
};

struct gpu_state; /* one sub-context: objects and bindings */

/* Connected at a time, and of a client at a time. They are found by a linear search; no real
 * program comes near. */
enum { GPU_MOST_CLIENTS = 1024, GPU_MOST_SUB_CONTEXTS = 1024 };

struct gpu_device {
    struct gpu_memory memory;
    struct gpu_client *clients;
    uint32_t next_program_id;
    uint32_t frame, draw_in_frame; /* swaps seen; draws since the last */
    uint32_t holds;                /* see gpu_device_hold() */
    bool restoring;                /* between the two STATEs of a trimmed trace */
    uint32_t next_address;         /* where the next resource goes; 0: first fit */
    struct gpu_object_head *retired;
    bool pages; /* resources that do not fit may leave the memory (context_paging.c) */
    struct page_spare *spares;
    uint64_t spare_bytes, outside_bytes; /* outside: of resources that are out */
    /* Of the host: what resources hold with `pages` (else the memory's share counts), and what was
     * created, without the bytes of resources. Decoders in front of it share the latter's budget.
     */
    struct budget_share contents, objects;
    uint64_t commands; /* applied so far */
    /* With `squares` textures lie in squares of 2^square_log2 texels a side (resource.h) until they
     * are drawn into: then they move into the ROPs' tiles, once. */
    bool squares;
    uint32_t square_log2;
    uint32_t forced_samples; /* of display targets and their depth; 0: as the program asks */
    /* Before the memory of a resource is free for others; NULL: nobody wants to know. */
    void (*leaving)(void *data, const struct resource *res);
    void *leaving_data;
};

bool gpu_device_init(struct gpu_device *device, uint32_t memory_bytes, struct error *err);
void gpu_device_fini(struct gpu_device *device);
/* From the start: what it takes of the host is of the budget; NULL: it has no end but for what is
 * created. */
void gpu_device_limit(struct gpu_device *device, struct budget *budget);

/* Baked draws point at resources, programs and queries without counting. An executor that lets a
 * draw live while later commands are applied holds the device: what is destroyed meanwhile is freed
 * at the release of the last hold. The memory of a resource is free at once, whoever holds the
 * device, so that addresses do not depend on time: `leaving` makes an end of whatever uses it. */
void gpu_device_hold(struct gpu_device *device);
void gpu_device_release(struct gpu_device *device);

/* Whether a command only changes state (gpu_apply does all of it) or is work for the executor:
 * PUT, GET, SWAP, DRAW, CLEAR, BLIT, COPY_REGION, END_QUERY, GET_QUERY_RESULT, RESOURCE_UNREF (the
 * executor applies it when nothing uses the resource any more). */
bool gpu_op_is_work(enum gpu_op op);
static inline bool
gpu_op_ends_frame(enum gpu_op op)
{
    return op == GPU_SWAP || op == GPU_FRAME;
}

/* Applies the state change; for work commands checks handles and ranges, so that the executor needs
 * no checks of its own. Three of them have a share here too: RESOURCE_UNREF takes the handle away,
 * END_QUERY ends the counting by later draws, SWAP counts the frame. */
bool gpu_apply(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err);

/* Bakes a draw from what is bound now. `arena` holds the draw and its constants: reset it when the
 * draws of the last frames are done. false with err: a state that this GPU does not execute, named.
 * *draw is NULL when there is nothing to draw (count 0, no rasterization and no stream-out, a false
 * render condition). */
bool gpu_bake_draw(struct gpu_device *device, const struct gpu_cmd *cmd, struct arena *arena,
                   struct draw **draw, struct error *err);

/* The buffers whose bytes that reads from the simulated memory: uniforms, and the indices of
 * triangles that are not filled. Returns how many. */
uint32_t gpu_bake_reads(struct gpu_device *device, const struct gpu_cmd *cmd,
                        const struct resource *buffers[STAGE_COUNT + 1]);

/* A draw that is not executed since nothing wanted depends on what it writes: it is noted that its
 * surfaces are no longer as a clear left them (state/cleared.h), as after the draw. */
void gpu_skip_draw(struct gpu_device *device, const struct gpu_cmd *cmd);

/* The framebuffer as bound now, for clears: color surfaces, depth, extents. */
bool gpu_bake_framebuffer(struct gpu_device *device, const struct gpu_cmd *cmd,
                          struct bound_surface color[MAX_COLOR_BUFFERS], uint32_t *color_count,
                          struct bound_surface *depth, struct error *err);

struct resource *gpu_resource(struct gpu_device *device, uint32_t client, uint32_t handle);

/* Whether a SET_FRAMEBUFFER changes the number of samples of its depth surface (forced_samples):
 * nothing may be drawing, and no cache may hold its lines, when it is applied. */
bool gpu_changes_samples(struct gpu_device *device, const struct gpu_cmd *cmd);

/* The bytes of a PUT, into the memory or where the resource is kept out of it. */
void gpu_put(struct gpu_device *device, const struct gpu_cmd *cmd);

/* After a SWAP, or a RESOURCE_CREATE: which commands bring the picture that is shown into a front
 * surface, and into its multisampled twin; returns how many. */
uint32_t gpu_present(struct gpu_device *device, const struct gpu_cmd *cmd,
                     struct gpu_cmd commands[2]);
/* For trimmed traces, what of that there is to know of a resource as one number (0 where nothing);
 * and back. */
uint32_t gpu_shown_encode(struct gpu_device *device, uint32_t client, const struct resource *res);
/* The same of a resource that is no twin, since it has one sample. */
uint32_t gpu_shown_alone(uint32_t code);
/* After those. */
void gpu_presented(struct gpu_device *device, const struct gpu_cmd *command);
struct gpu_query *gpu_find_query(struct gpu_device *device, const struct gpu_cmd *cmd,
                                 uint32_t handle);
/* The executor clears what is bound now (a CLEAR): remembered as state/cleared.h says. */
void gpu_note_clear(struct gpu_device *device, const struct gpu_cmd *cmd);

/* Whether the bound render condition lets draws, clears and blits through now. */
bool gpu_render_condition(struct gpu_device *device, const struct gpu_cmd *cmd);

#endif
