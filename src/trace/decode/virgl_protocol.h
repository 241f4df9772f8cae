/* Numbers of the virgl context protocol, as the dwords of a SUBMIT carry them (frontend.md, "The
 * socket"; facts from Mesa 22.3's encoder). A packet is a header dword and `length` dwords: the
 * header is command | object type << 8 | length << 16. Fields are counted from the first dword
 * behind the header. */
#ifndef AETIUS_TRACE_VIRGL_PROTOCOL_H
#define AETIUS_TRACE_VIRGL_PROTOCOL_H

enum virgl_command {
    CMD_NOP = 0,
    CMD_CREATE_OBJECT = 1,
    CMD_BIND_OBJECT = 2,
    CMD_DESTROY_OBJECT = 3,
    CMD_SET_VIEWPORT_STATE = 4,
    CMD_SET_FRAMEBUFFER_STATE = 5,
    CMD_SET_VERTEX_BUFFERS = 6,
    CMD_CLEAR = 7,
    CMD_DRAW_VBO = 8,
    CMD_RESOURCE_INLINE_WRITE = 9,
    CMD_SET_SAMPLER_VIEWS = 10,
    CMD_SET_INDEX_BUFFER = 11,
    CMD_SET_CONSTANT_BUFFER = 12,
    CMD_SET_STENCIL_REF = 13,
    CMD_SET_BLEND_COLOR = 14,
    CMD_SET_SCISSOR_STATE = 15,
    CMD_BLIT = 16,
    CMD_RESOURCE_COPY_REGION = 17,
    CMD_BIND_SAMPLER_STATES = 18,
    CMD_BEGIN_QUERY = 19,
    CMD_END_QUERY = 20,
    CMD_GET_QUERY_RESULT = 21,
    CMD_SET_POLYGON_STIPPLE = 22,
    CMD_SET_CLIP_STATE = 23,
    CMD_SET_SAMPLE_MASK = 24,
    CMD_SET_STREAMOUT_TARGETS = 25,
    CMD_SET_RENDER_CONDITION = 26,
    CMD_SET_UNIFORM_BUFFER = 27,
    CMD_SET_SUB_CTX = 28,
    CMD_CREATE_SUB_CTX = 29,
    CMD_DESTROY_SUB_CTX = 30,
    CMD_BIND_SHADER = 31,
    CMD_SET_TESS_STATE = 32,
    CMD_SET_MIN_SAMPLES = 33,
    CMD_SET_SHADER_BUFFERS = 34,
    CMD_SET_SHADER_IMAGES = 35,
    CMD_MEMORY_BARRIER = 36,
    CMD_LAUNCH_GRID = 37,
    CMD_SET_FRAMEBUFFER_STATE_NO_ATTACH = 38,
    CMD_TEXTURE_BARRIER = 39,
    CMD_SET_ATOMIC_BUFFERS = 40,
    CMD_SET_DEBUG_FLAGS = 41,
    CMD_GET_QUERY_RESULT_QBO = 42,
    CMD_TRANSFER3D = 43,
    CMD_END_TRANSFERS = 44,
    CMD_COPY_TRANSFER3D = 45,
    CMD_SET_TWEAKS = 46,
    CMD_CLEAR_TEXTURE = 47,
    CMD_PIPE_RESOURCE_CREATE = 48,
    CMD_PIPE_RESOURCE_SET_TYPE = 49,
    CMD_GET_MEMORY_INFO = 50,
    CMD_SEND_STRING_MARKER = 51,
    CMD_LINK_SHADER = 52,
    CMD_CREATE_VIDEO_CODEC = 53,
    CMD_DESTROY_VIDEO_CODEC = 54,
    CMD_CREATE_VIDEO_BUFFER = 55,
    CMD_DESTROY_VIDEO_BUFFER = 56,
    CMD_BEGIN_FRAME = 57,
    CMD_DECODE_MACROBLOCK = 58,
    CMD_DECODE_BITSTREAM = 59,
    CMD_ENCODE_BITSTREAM = 60,
    CMD_END_FRAME = 61,
    CMD_COUNT,
};

enum virgl_object_type {
    VOBJ_BLEND = 1,
    VOBJ_RASTERIZER,
    VOBJ_DSA,
    VOBJ_SHADER,
    VOBJ_VERTEX_ELEMENTS,
    VOBJ_SAMPLER_VIEW,
    VOBJ_SAMPLER_STATE,
    VOBJ_SURFACE,
    VOBJ_QUERY,
    VOBJ_STREAMOUT_TARGET,
    VOBJ_MSAA_SURFACE,
    VOBJ_COUNT,
};

enum virgl_stage {
    VSTAGE_VERTEX,
    VSTAGE_FRAGMENT,
    VSTAGE_GEOMETRY,
    VSTAGE_TESS_CONTROL,
    VSTAGE_TESS_EVALUATION,
    VSTAGE_COMPUTE,
    VSTAGE_COUNT,
};

enum {
    VIRGL_FORMAT_LIMIT = 322, /* formats are numbered 0 (none) .. 321 */
    VIRGL_TARGET_COUNT = 9,
    VIRGL_QUERY_TYPES = 13,
    VIRGL_MAX_VIEWPORTS = 16,
    VIRGL_MAX_SLOTS = 32, /* sampler views, sampler states, constant buffers a stage */

    /* Payload lengths in dwords, the handle of an object included */
    LEN_BLEND = 3 + 8,
    LEN_RASTERIZER = 9,
    LEN_DSA = 5,
    LEN_SAMPLER_VIEW = 6,
    LEN_SAMPLER_STATE = 9,
    LEN_SURFACE = 5,
    LEN_QUERY = 4,
    LEN_STREAMOUT_TARGET = 4,
    LEN_SHADER_MIN = 5,
    LEN_CLEAR = 8,
    LEN_DRAW = 12,
    LEN_DRAW_TESS = 14,
    LEN_DRAW_INDIRECT = 20,
    LEN_BLIT = 21,
    LEN_COPY_REGION = 13,
    LEN_INLINE_WRITE_HEADER = 11,
    LEN_STIPPLE = 32,
    LEN_CLIP = 32,
    LEN_UNIFORM_BUFFER = 5,
    LEN_RENDER_CONDITION = 3,
};

/* Shader text that spans packets: the first one's offlen is the whole length in bytes, later ones
 * have this bit and the offset of their part. */
#define SHADER_CONTINUES 0x80000000u

#endif
