/* Manually built command streams for tests, as dwords in the layout of the protocol. */
#ifndef AETIUS_TESTS_STREAM_H
#define AETIUS_TESTS_STREAM_H

#include "state/cmd.h"
#include "trace/virgl/decode.h"
#include "trace/virgl/protocol.h"
#include "trace/file.h"

#include <assert.h>
#include <string.h>

struct stream {
    uint32_t dw[4096];
    uint32_t count;
};

void stream_dwords(struct stream *s, const void *dwords, uint32_t count);

/* Appends the header of a packet and its dwords. */
void stream_packet(struct stream *s, enum virgl_command command, uint32_t object,
                   const uint32_t *dw, uint32_t count);

#define STREAM_PACKET(s, command, object, ...)                                                     \
    stream_packet(s, command, object, (const uint32_t[]){__VA_ARGS__},                             \
                  sizeof((const uint32_t[]){__VA_ARGS__}) / 4)
/* Appends a command without an object; the arguments are its dwords. */
#define PACKET(s, command, ...) STREAM_PACKET(s, command, 0, __VA_ARGS__)
/* Appends the creation of an object; the arguments are its handle, then its dwords. */
#define CREATE(s, object, ...) STREAM_PACKET(s, CMD_CREATE_OBJECT, object, __VA_ARGS__)

/* Fields of dwords. The value of a field is multiplied by its constant. Flags are constants, too.
 */
enum blend_word { /* per color buffer */
                  BLEND_ENABLE = 1 << 0,
                  BLEND_RGB_SRC = 1 << 4,
                  BLEND_RGB_DST = 1 << 9,
                  BLEND_ALPHA_SRC = 1 << 17,
                  BLEND_ALPHA_DST = 1 << 22,
                  BLEND_WRITES_RED = 1 << 27,
                  BLEND_WRITES_GREEN = 1 << 28,
                  BLEND_WRITES_BLUE = 1 << 29,
                  BLEND_WRITES_ALPHA = 1 << 30,
                  BLEND_WRITES_RGB = BLEND_WRITES_RED | BLEND_WRITES_GREEN | BLEND_WRITES_BLUE,
                  BLEND_WRITES = BLEND_WRITES_RGB | BLEND_WRITES_ALPHA,
};
enum blend_flags { /* for all color buffers */
                   BLEND_LOGICOP = 1 << 1,
                   BLEND_ALPHA_TO_COVERAGE = 1 << 3,
};
enum dsa_word {
    DSA_DEPTH_TEST = 1 << 0,
    DSA_DEPTH_WRITE = 1 << 1,
    DSA_DEPTH_FUNC = 1 << 2,
    DSA_ALPHA_TEST = 1 << 8,
    DSA_ALPHA_FUNC = 1 << 9,
};
enum dsa_face { /* stencil test of a face */
                FACE_ENABLE = 1 << 0,
                FACE_FUNC = 1 << 1,
                FACE_FAIL_OP = 1 << 4,
                FACE_ZPASS_OP = 1 << 7,
                FACE_ZFAIL_OP = 1 << 10,
                FACE_VALUEMASK = 1 << 13,
                FACE_WRITEMASK = 1 << 21,
};
enum rasterizer_word {
    RASTERIZER_FLATSHADE = 1 << 0,
    RASTERIZER_DEPTH_CLIP = 1 << 1,
    RASTERIZER_DISCARD = 1 << 3,
    RASTERIZER_LIGHT_TWOSIDE = 1 << 5,
    RASTERIZER_POINT_QUAD = 1 << 7,
    RASTERIZER_FILL_FRONT = 1 << 10,
    RASTERIZER_FILL_BACK = 1 << 12,
    RASTERIZER_SCISSOR = 1 << 14,
    RASTERIZER_MULTISAMPLE = 1 << 25,
    RASTERIZER_HALF_PIXEL_CENTER = 1 << 29,
};
enum blit_flags { /* in addition to enum blit_mask */
                  BLIT_FILTER = 1 << 8,
                  BLIT_SCISSOR = 1 << 10,
                  BLIT_CONDITION = 1 << 11,
};

static inline uint32_t
float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

/* Enables all channels, with the same factors for RGB and alpha. */
static inline uint32_t
blend_of(enum blend_factor src, enum blend_factor dst)
{
    return BLEND_WRITES | BLEND_ENABLE | src * BLEND_RGB_SRC | dst * BLEND_RGB_DST |
           src * BLEND_ALPHA_SRC | dst * BLEND_ALPHA_DST;
}

void stream_bind(struct stream *s, enum virgl_object_type object, uint32_t handle);
void stream_destroy(struct stream *s, enum virgl_object_type object, uint32_t handle);
void stream_bind_shader(struct stream *s, uint32_t handle, enum virgl_stage stage);

/* Appends CREATE_OBJECT of a shader in one packet, without stream output. */
void stream_shader(struct stream *s, uint32_t handle, enum virgl_stage stage, const char *text);

/* Output of a vertex program that is stored: components from `start` of a register, at `offset` (in
 * dwords) of each vertex in a buffer. A second dword has the stream, 0. */
#define STREAMED(number, start, components, buffer, offset)                                        \
    ((number) | (start) << 8 | (components) << 10 | (buffer) << 13 | (offset) << 16)
/* Appends CREATE_OBJECT of a vertex shader with stream output. `strides`: of 4 buffers, in dwords.
 * `outputs`: two dwords each. */
void stream_storing_shader(struct stream *s, uint32_t handle, enum virgl_stage stage,
                           const char *text, const uint32_t strides[4], const uint32_t *outputs,
                           uint32_t count);

/* Creates a blend state with the same word for all color buffers. */
void stream_blend(struct stream *s, uint32_t handle, uint32_t word);

/* Creates a state that tests and writes depth. */
void stream_depth(struct stream *s, uint32_t handle, enum compare_func func);

/* Creates a view of levels 0 to `last_level` of a texture without layers, without a channel
 * swizzle. */
void stream_view(struct stream *s, uint32_t handle, uint32_t resource, uint32_t format,
                 uint32_t last_level);

/* Creates a sampler that repeats, with LOD 0 to 9. */
void stream_sampler(struct stream *s, uint32_t handle, enum img_filter filter);

/* Creates a surface of level 0 and layer 0. */
void stream_surface(struct stream *s, uint32_t handle, uint32_t resource, uint32_t format);

enum { CLEAR_ALL = MASK_DEPTH | MASK_STENCIL | MASK_COLOR0 };
/* rgba NULL means 0, 0, 0, 0. */
void stream_clear(struct stream *s, uint32_t buffers, const float rgba[4], double depth,
                  uint32_t stencil);

/* Draws one instance without indices. */
void stream_draw(struct stream *s, enum primitive mode, uint32_t start, uint32_t count);

/* `flags` combines enum blit_mask and enum blit_flags. */
void stream_blit(struct stream *s, uint32_t flags, struct blit_side dst, struct blit_side src);

struct message stream_message(const struct stream *s, uint32_t client);

/* Writes a message of this client to a trace. */
void write_message(struct trace_writer *writer, uint32_t client, struct message message);

#endif
