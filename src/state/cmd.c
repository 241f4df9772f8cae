/* Names of commands, for messages and statistics. */
#include "state/cmd.h"

const char *
gpu_op_name(enum gpu_op op)
{
    static const char *const names[GPU_OP_COUNT] = {
        [GPU_CLIENT_BEGIN] = "CLIENT_BEGIN",
        [GPU_CLIENT_END] = "CLIENT_END",
        [GPU_RESOURCE_CREATE] = "RESOURCE_CREATE",
        [GPU_RESOURCE_UNREF] = "RESOURCE_UNREF",
        [GPU_PUT] = "PUT",
        [GPU_GET] = "GET",
        [GPU_SWAP] = "SWAP",
        [GPU_FRAME] = "FRAME",
        [GPU_STATE] = "STATE",
        [GPU_ADDRESS] = "PLACE",
        [GPU_CONTENTS] = "CONTENTS",
        [GPU_RESULT] = "RESULT",
        [GPU_CREATE_OBJECT] = "CREATE_OBJECT",
        [GPU_BIND_OBJECT] = "BIND_OBJECT",
        [GPU_DESTROY_OBJECT] = "DESTROY_OBJECT",
        [GPU_BIND_SHADER] = "BIND_SHADER",
        [GPU_SET_VIEWPORT] = "SET_VIEWPORT",
        [GPU_SET_FRAMEBUFFER] = "SET_FRAMEBUFFER",
        [GPU_SET_VERTEX_BUFFERS] = "SET_VERTEX_BUFFERS",
        [GPU_SET_INDEX_BUFFER] = "SET_INDEX_BUFFER",
        [GPU_SET_CONSTANT_BUFFER] = "SET_CONSTANT_BUFFER",
        [GPU_SET_UNIFORM_BUFFER] = "SET_UNIFORM_BUFFER",
        [GPU_SET_SAMPLER_VIEWS] = "SET_SAMPLER_VIEWS",
        [GPU_BIND_SAMPLER_STATES] = "BIND_SAMPLER_STATES",
        [GPU_SET_STENCIL_REF] = "SET_STENCIL_REF",
        [GPU_SET_BLEND_COLOR] = "SET_BLEND_COLOR",
        [GPU_SET_SCISSOR] = "SET_SCISSOR",
        [GPU_SET_POLYGON_STIPPLE] = "SET_POLYGON_STIPPLE",
        [GPU_SET_CLIP] = "SET_CLIP",
        [GPU_SET_SAMPLE_MASK] = "SET_SAMPLE_MASK",
        [GPU_SET_MIN_SAMPLES] = "SET_MIN_SAMPLES",
        [GPU_SET_STREAMOUT_TARGETS] = "SET_STREAMOUT_TARGETS",
        [GPU_SET_RENDER_CONDITION] = "SET_RENDER_CONDITION",
        [GPU_SET_LABEL] = "SET_LABEL",
        [GPU_SET_SUB_CTX] = "SET_SUB_CTX",
        [GPU_CREATE_SUB_CTX] = "CREATE_SUB_CTX",
        [GPU_DESTROY_SUB_CTX] = "DESTROY_SUB_CTX",
        [GPU_DRAW] = "DRAW",
        [GPU_CLEAR] = "CLEAR",
        [GPU_BLIT] = "BLIT",
        [GPU_COPY_REGION] = "COPY_REGION",
        [GPU_BEGIN_QUERY] = "BEGIN_QUERY",
        [GPU_END_QUERY] = "END_QUERY",
        [GPU_GET_QUERY_RESULT] = "GET_QUERY_RESULT",
    };
    return (unsigned)op < GPU_OP_COUNT ? names[op] : "unknown command";
}

const char *
gpu_object_name(enum gpu_object type)
{
    static const char *const names[] = {
        [OBJECT_BLEND] = "blend state",
        [OBJECT_RASTERIZER] = "rasterizer state",
        [OBJECT_DSA] = "depth/stencil/alpha state",
        [OBJECT_SHADER] = "shader",
        [OBJECT_VERTEX_ELEMENTS] = "vertex elements",
        [OBJECT_SAMPLER_VIEW] = "sampler view",
        [OBJECT_SAMPLER_STATE] = "sampler state",
        [OBJECT_SURFACE] = "surface",
        [OBJECT_QUERY] = "query",
        [OBJECT_STREAMOUT_TARGET] = "stream-out target",
    };
    return type >= OBJECT_BLEND && type <= OBJECT_STREAMOUT_TARGET ? names[type] : "object";
}

const char *
gpu_target_name(uint32_t target)
{
    static const char *const names[] = {"buffer", "1d",       "2d",       "3d",        "cube",
                                        "rect",   "1d_array", "2d_array", "cube_array"};
    return target < sizeof names / sizeof *names ? names[target] : "?";
}
