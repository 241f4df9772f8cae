/* One decoded command, made by the decoder (trace/virgl). gpu_apply() (state/context.h) executes
 * commands that only change state. An executor (the functional renderer, or the machine's command
 * processor) does the work of the others. Handles belong to `client` and `sub_context`. */
#ifndef AETIUS_STATE_CMD_H
#define AETIUS_STATE_CMD_H

#include "state/resource.h"
#include "state/state.h"

enum gpu_object {
    OBJECT_BLEND = 1,
    OBJECT_RASTERIZER,
    OBJECT_DSA,
    OBJECT_SHADER,
    OBJECT_VERTEX_ELEMENTS,
    OBJECT_SAMPLER_VIEW,
    OBJECT_SAMPLER_STATE,
    OBJECT_SURFACE,
    OBJECT_QUERY,
    OBJECT_STREAMOUT_TARGET,
};

enum gpu_op {
    /* resources and connections */
    GPU_CLIENT_BEGIN,
    GPU_CLIENT_END,
    GPU_RESOURCE_CREATE,
    GPU_RESOURCE_UNREF,
    GPU_PUT,   /* writes bytes of a PUT message, TRANSFER3D or INLINE_WRITE */
    GPU_GET,   /* reads bytes back from a resource */
    GPU_SWAP,  /* ends a frame: a GET of a display target that counts as a swap */
    GPU_FRAME, /* ends a frame that has no swap: reads its picture */
    /* state at the start of a trimmed trace (trace/message.h), which is restored without timing */
    GPU_STATE,
    GPU_ADDRESS,
    GPU_CONTENTS,
    GPU_RESULT,
    /* state */
    GPU_CREATE_OBJECT,
    GPU_BIND_OBJECT,
    GPU_DESTROY_OBJECT,
    GPU_BIND_SHADER,
    GPU_SET_VIEWPORT,
    GPU_SET_FRAMEBUFFER,
    GPU_SET_VERTEX_BUFFERS,
    GPU_SET_INDEX_BUFFER,
    GPU_SET_CONSTANT_BUFFER,
    GPU_SET_UNIFORM_BUFFER,
    GPU_SET_SAMPLER_VIEWS,
    GPU_BIND_SAMPLER_STATES,
    GPU_SET_STENCIL_REF,
    GPU_SET_BLEND_COLOR,
    GPU_SET_SCISSOR,
    GPU_SET_POLYGON_STIPPLE,
    GPU_SET_CLIP,
    GPU_SET_SAMPLE_MASK,
    GPU_SET_MIN_SAMPLES,
    GPU_SET_STREAMOUT_TARGETS,
    GPU_SET_RENDER_CONDITION,
    GPU_SET_LABEL, /* names that the program gives to the following draws; no effect on pictures */
    GPU_SET_SUB_CTX,
    GPU_CREATE_SUB_CTX,
    GPU_DESTROY_SUB_CTX,
    /* work */
    GPU_DRAW,
    GPU_CLEAR,
    GPU_BLIT,
    GPU_COPY_REGION,
    GPU_BEGIN_QUERY,
    GPU_END_QUERY,
    GPU_GET_QUERY_RESULT,
    GPU_OP_COUNT,
};

enum gpu_query_type {
    QUERY_OCCLUSION_COUNTER,
    QUERY_OCCLUSION_PREDICATE,
    QUERY_TIMESTAMP,
    QUERY_TIMESTAMP_DISJOINT,
    QUERY_TIME_ELAPSED,
    QUERY_PRIMITIVES_GENERATED,
    QUERY_PRIMITIVES_EMITTED,
    QUERY_SO_STATISTICS,
    QUERY_SO_OVERFLOW_PREDICATE,
    QUERY_GPU_FINISHED,
    QUERY_PIPELINE_STATISTICS,
    QUERY_OCCLUSION_PREDICATE_CONSERVATIVE,
    QUERY_SO_OVERFLOW_ANY_PREDICATE,
};

struct draw_params {
    uint32_t start, count, mode; /* mode: enum primitive */
    bool indexed, primitive_restart;
    uint32_t instance_count, start_instance;
    int32_t index_bias;
    uint32_t restart_index, min_index, max_index;
    uint32_t count_from_so; /* size of the stream-out target that has the count, or 0 */
};

enum blit_mask { /* channels to write */
                 BLIT_RED = 1 << 0,
                 BLIT_GREEN = 1 << 1,
                 BLIT_BLUE = 1 << 2,
                 BLIT_ALPHA = 1 << 3,
                 BLIT_COLOR = BLIT_RED | BLIT_GREEN | BLIT_BLUE | BLIT_ALPHA,
                 BLIT_DEPTH = 1 << 4,
                 BLIT_STENCIL = 1 << 5,
};

struct blit_side {
    uint32_t resource, level, format;
    struct box box; /* negative width or height: mirrored */
};

struct gpu_cmd {
    enum gpu_op op;
    uint32_t client, sub_context;
    uint32_t offset; /* dword offset of the command within its SUBMIT, for messages */
    /* Size in the trace before compression: of the packets since the previous command of the
     * SUBMIT, or of the contents of another message. */
    uint32_t trace_bytes;
    bool shows; /* not a command of the program: updates the front surface after a SWAP */
    union {
        struct resource_desc resource; /* RESOURCE_CREATE */
        struct {
            bool begins;
        } restore; /* STATE */
        struct {
            uint32_t address;
        } placement;
        struct {
            uint32_t handle;
            uint64_t value;
        } result;
        struct {
            uint32_t handle;
        } unref;
        struct { /* PUT, GET, SWAP, FRAME */
            uint32_t resource, level;
            struct box box;
            const uint8_t *bytes; /* PUT: rows without padding; valid until the next command */
            uint32_t size_bytes;  /* inline writes are padded to dwords */
        } transfer;
        struct { /* CONTENTS: a whole level, in the format of message.h */
            uint32_t resource, level;
            struct cleared_code cleared;
            struct shown_state shown; /* only of level 0 */
            const uint8_t *bytes;
            uint32_t size_bytes;
        } contents;
        struct {
            enum gpu_object type;
            uint32_t handle;
            union {
                struct blend_state blend;
                struct rasterizer_state rasterizer;
                struct dsa_state dsa;
                struct vertex_elements elements;
                struct sampler_view view;
                struct sampler_state sampler;
                struct surface surface;
                struct so_target so_target;
                struct {
                    enum shader_stage stage;
                    const char *text; /* TGSI text with its NUL; valid as long as `bytes` */
                    struct so_info so;
                } shader;
                struct {
                    enum gpu_query_type type;
                    uint32_t index, resource, offset;
                } query;
            };
        } create;
        struct { /* BIND_*, DESTROY_OBJECT, BEGIN_QUERY, END_QUERY; handle 0 unbinds */
            enum gpu_object type;
            uint32_t handle;
            enum shader_stage stage; /* BIND_SHADER */
        } object;
        struct viewport_state viewport;
        struct {
            uint32_t color_count, color[MAX_COLOR_BUFFERS], depth; /* surface handles or 0 */
        } framebuffer;
        struct {
            uint32_t count;
            struct {
                uint32_t stride, offset, resource;
            } items[MAX_ATTRIBUTES];
        } vertex_buffers;
        struct {
            uint32_t resource, index_bytes, offset; /* resource 0: no index buffer */
        } index_buffer;
        struct {
            enum shader_stage stage;
            uint32_t index, count; /* count: number of floats */
            const uint32_t *values;
        } constants;
        struct {
            enum shader_stage stage;
            uint32_t index, offset, length, resource;
        } uniform_buffer;
        struct { /* SET_SAMPLER_VIEWS, BIND_SAMPLER_STATES */
            enum shader_stage stage;
            uint32_t start, count, handles[32];
        } samplers;
        struct {
            uint8_t ref[2];
        } stencil_ref;
        struct {
            float rgba[4];
        } blend_color;
        struct scissor_state scissor;
        struct {
            uint32_t rows[32];
        } stipple;
        struct {
            float planes[MAX_CLIP_PLANES][4];
        } clip;
        struct {              /* SET_LABEL, in the format of src/shim/labels.c */
            const char *text; /* valid as long as `bytes`; not NUL-terminated */
            uint32_t length;
        } label;
        struct {
            uint32_t value;
        } sample_mask, min_samples, sub_ctx;
        struct {
            uint32_t append_mask, count, handles[MAX_SO_BUFFERS];
        } streamout;
        struct {
            uint32_t query, condition, mode;
        } render_condition;
        struct draw_params draw;
        struct {
            uint32_t buffers; /* enum buffer_mask */
            float rgba[4];
            double depth;
            uint32_t stencil;
        } clear;
        struct {
            uint32_t mask; /* enum blit_mask */
            uint32_t filter;
            bool scissor_enable, render_condition, alpha_blend;
            struct scissor_state scissor;
            struct blit_side dst, src;
        } blit;
        struct {
            uint32_t dst, dst_level, dst_x, dst_y, dst_z, src, src_level;
            struct box src_box;
        } copy;
        struct {
            uint32_t handle, wait;
        } query_result;
        struct {
            char program[256];
        } client_begin;
    };
};

const char *gpu_op_name(enum gpu_op op);
const char *gpu_object_name(enum gpu_object type); /* "vertex elements" */
const char *gpu_target_name(uint32_t target);      /* enum gpu_target: "2d_array" */

#endif
