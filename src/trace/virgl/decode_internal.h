/* Internals of the decoder: packets of the command stream, and functions that report their
 * errors. */
#ifndef AETIUS_TRACE_DECODE_INTERNAL_H
#define AETIUS_TRACE_DECODE_INTERNAL_H

#include "base/mem.h"
#include "trace/virgl/decode.h"
#include "trace/virgl/numbers.h"
#include "base/handles.h"

enum {
    SHADER_TEXT_LIMIT = 4 << 20,    /* maximum size of one shader's text */
    PENDING_SHADER_LIMIT = 256,     /* maximum number of incomplete shaders, over all clients */
    PENDING_BYTES_LIMIT = 64 << 20, /* maximum size of their texts together, without a budget */
};

enum packet_result { PACKET_ERROR, PACKET_COMMAND, PACKET_SKIP };

struct pending_shader { /* a shader whose text is incomplete */
    uint32_t client, sub_context, handle;
    enum shader_stage stage;
    uint32_t total_bytes, have_bytes;
    char *text;
    struct so_info so;
};

struct decoder {
    struct message message;
    bool message_done; /* for messages that are one command */
    /* Dwords of a SUBMIT: the bytes of the message itself, or an aligned copy. */
    const uint32_t *dwords;
    size_t dword_count;
    VEC(uint32_t) aligned;
    uint32_t at;                    /* index of the next packet header */
    struct handle_map sub_contexts; /* client to its current sub-context; missing: 0 */
    VEC(struct pending_shader) pending;
    struct budget_share share; /* memory of the texts in `pending` */
    /* Text of the last complete shader; valid until the next command. */
    char *text;
};

struct decode_stage { /* a stage of the protocol */
    const char *name;
    bool is_executed;
    enum shader_stage stage; /* valid only if is_executed */
};

struct packet {
    struct decoder *decoder;
    uint32_t client, sub_context; /* target of the packet */
    const char *name;
    uint32_t offset, length, object;
    const uint32_t *dw; /* payload, after the header */
    struct error *err;
};

/* Sets an error such as "SUBMIT at dword 117: SET_VIEWPORT_STATE: ...". Returns PACKET_ERROR. */
enum packet_result packet_fail(const struct packet *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns whether the packet has this length. Otherwise the error contains the expected length. */
bool packet_has_length(const struct packet *p, uint32_t length);
bool packet_format_ok(const struct packet *p, uint32_t format);
/* Returns the stage with a protocol number, or NULL if the number is invalid. */
const struct decode_stage *packet_stage(const struct packet *p, uint32_t number);
/* Sets the error "WHAT of the geometry shader stage: this GPU has no such stage". Returns
 * PACKET_ERROR. */
enum packet_result packet_refuse_stage(const struct packet *p, const struct decode_stage *stage,
                                       const char *what);
float packet_float(const struct packet *p, uint32_t i);
static inline uint32_t
packet_field(const struct packet *p, struct bit_field field)
{
    return bit_field_get(p->dw[field.word], field);
}
struct scissor_state packet_scissor(const struct packet *p, uint32_t first);
const char *virgl_object_name(uint32_t type);

typedef enum packet_result packet_fn(struct packet *p, struct gpu_cmd *cmd);

/* One function per command, in decode_object.c, decode_state.c, decode_work.c and
 * decode_shader.c. */
packet_fn decode_create_object, decode_bind_object, decode_destroy_object, decode_create_shader;
packet_fn decode_viewport, decode_framebuffer, decode_vertex_buffers, decode_sampler_views,
    decode_index_buffer, decode_constant_buffer, decode_stencil_ref, decode_blend_color,
    decode_scissor, decode_sampler_states, decode_stipple, decode_clip, decode_sample_mask,
    decode_streamout_targets, decode_render_condition, decode_uniform_buffer, decode_sub_ctx,
    decode_create_sub_ctx, decode_destroy_sub_ctx, decode_bind_shader, decode_min_samples,
    decode_string_marker;
packet_fn decode_clear, decode_draw, decode_inline_write, decode_blit, decode_copy_region,
    decode_begin_query, decode_end_query, decode_query_result;

/* Sets the sub-context to which later packets of the client apply. */
void decode_set_sub_context(struct decoder *decoder, uint32_t client, uint32_t sub_context);

/* Frees the text of an incomplete shader. */
void decode_release_text(struct decoder *decoder, struct pending_shader *shader);
/* Discards the incomplete shaders of a client. If `sub_context` is not NULL, discards only those of
 * that sub-context. */
void decode_forget_shaders(struct decoder *decoder, uint32_t client, const uint32_t *sub_context);

#endif
