/* Internals of the context: reference-counted objects and bindings. */
#ifndef AETIUS_STATE_CONTEXT_INTERNAL_H
#define AETIUS_STATE_CONTEXT_INTERNAL_H

#include "base/handles.h"
#include "state/cleared.h"
#include "state/context.h"

struct gpu_object_head { /* header of objects that may outlive their handles */
    struct gpu_object_head *next_retired;
    bool is_resource;
};

struct device_resource {
    struct gpu_object_head head;
    struct resource res;
};

struct object {
    struct gpu_object_head head;
    uint32_t references; /* references by the handle and by bindings */
    enum gpu_object type;
    struct resource *res; /* resource of a view, surface, query or stream-out target */
    union {
        struct blend_state blend;
        struct rasterizer_state rasterizer;
        struct dsa_state dsa;
        struct vertex_elements elements;
        struct sampler_view view;
        struct sampler_state sampler;
        struct surface surface;
        struct gpu_stream stream;
        struct gpu_query query;
        struct program *program;
    };
};

struct gpu_state {
    uint32_t id;
    struct gpu_state *next;
    struct handle_map objects;

    struct object *blend, *rasterizer, *dsa, *elements, *shaders[STAGE_COUNT];
    struct object *views[STAGE_COUNT][MAX_SAMPLERS], *samplers[STAGE_COUNT][MAX_SAMPLERS];
    struct object *color[MAX_COLOR_BUFFERS], *depth;
    uint32_t color_count;
    struct object *streamout[MAX_SO_BUFFERS];
    struct object *last_stream; /* the last target that was bound to slot 0 */
    struct object *occlusion;   /* the active occlusion query */
    struct object *primitives_generated, *primitives_written; /* active queries */
    struct object *condition;                                 /* query of the render condition */
    bool condition_value;

    struct buffer_binding vertex_buffers[MAX_ATTRIBUTES], index_buffer;
    uint32_t index_bytes;
    struct buffer_binding uniforms[STAGE_COUNT][MAX_CONSTANT_BUFFERS]; /* those in resources */
    VEC(uint32_t) constants[STAGE_COUNT]; /* constant buffer 0, if it is inline */

    struct viewport_state viewport;
    struct scissor_state scissor;
    uint8_t stencil_ref[2];
    float blend_color[4];
    float clip_planes[MAX_CLIP_PLANES][4];
    uint32_t stipple[32], sample_mask, min_samples;
    struct draw_names names;
    bool is_named;
};

struct gpu_client {
    uint32_t id;
    struct gpu_client *next;
    struct handle_map resources;
    struct gpu_state *states;
    uint32_t shown; /* handle of the display target that was presented last, or 0 */
};

/* context.c */
/* Limit of the host memory for objects, if there is no budget. */
#define OBJECTS_MAX_BYTES ((uint64_t)512 << 20)
bool keep_bytes(struct gpu_device *device, uint64_t bytes, struct error *err);
void drop_bytes(struct gpu_device *device, uint64_t bytes);
struct gpu_client *find_client(struct gpu_device *device, uint32_t id);
struct gpu_state *find_state(struct gpu_device *device, const struct gpu_cmd *cmd,
                             struct error *err);
struct resource *find_resource(struct gpu_device *device, const struct gpu_cmd *cmd,
                               uint32_t handle, struct error *err);
struct resource *find_buffer(struct gpu_device *device, const struct gpu_cmd *cmd, uint32_t handle,
                             struct error *err);
void resource_ref(struct resource *res);
void resource_unref(struct gpu_device *device, struct resource *res); /* NULL is allowed */

/* context_object.c */
struct object *find_object(struct gpu_state *state, enum gpu_object type, uint32_t handle,
                           struct error *err);
bool create_object(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
                   struct error *err);
bool destroy_object(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
                    struct error *err);
void object_unref(struct gpu_device *device, struct object *object); /* NULL is allowed */
void object_free(struct gpu_device *device, struct object *object);

/* context_bind.c */
bool apply_binding(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
                   struct error *err);
void unbind_all(struct gpu_device *device, struct gpu_state *state);
/* Returns the place of the active query to which draws add results, for queries of this type. NULL:
 * draws do not add to such a query, or it is not a query. */
struct object **active_query(struct gpu_state *state, const struct object *object);

/* context_check.c */
bool check_work(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err);
/* Returns whether the pipeline supports everything that the draw uses. The error names the
 * unsupported feature. */
bool gpu_check_executable(const struct draw *draw, struct error *err);

/* context_link.c */
bool link_programs(struct draw *draw, struct error *err);

/* context_edges.c */
void bake_inner_edges(struct draw *draw, const struct gpu_memory *memory);

/* context_present.c: updates the presentation state of display targets. Either resource may be
 * NULL. */
void note_blit(struct resource *src, struct resource *dst);
void shown_restore(struct gpu_client *client, struct resource *res,
                   const struct shown_state *state);

/* context_paging.c: page_alloc() allocates a new resource. page_in() and its variants move
 * resources back into simulated memory. */
bool page_alloc(struct gpu_device *device, struct resource *res, struct error *err);
void page_free(struct gpu_device *device, struct resource *res);
void page_free_spares(struct gpu_device *device);
/* Prepares a PUT. The PUT then writes either to simulated memory or to the resource's pages outside
 * it. */
bool page_for_put(struct gpu_device *device, struct resource *res, const struct gpu_cmd *cmd,
                  struct error *err);
bool page_in(struct gpu_device *device, struct resource *res, struct error *err);
bool page_in_surfaces(struct gpu_device *device, const struct gpu_state *state, struct error *err);
bool page_in_bound(struct gpu_device *device, const struct gpu_state *state, struct error *err);

#endif
