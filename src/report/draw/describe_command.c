#include "report/draw/describe_command.h"

#include "base/memory_text.h"
#include "report/draw/describe_draw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *
format_name(uint32_t number)
{
    const struct format_info *format = format_get(number);
    return format ? format->name : "unknown format";
}

static void
print_box(const struct box *box, FILE *out)
{
    fprintf(out, "%dx%dx%d at %d,%d,%d", box->width, box->height, box->depth, box->x, box->y,
            box->z);
}

static void
print_resource(const struct resource_desc *desc, FILE *out)
{
    fprintf(out, "#%u %s %ux%ux%u %s", desc->handle, gpu_target_name(desc->target), desc->width,
            desc->height, desc->depth, format_name(desc->format));
    if (desc->array_size > 1)
        fprintf(out, ", %u layers", desc->array_size);
    if (desc->last_level)
        fprintf(out, ", %u levels", desc->last_level + 1);
    if (desc->samples > 1)
        fprintf(out, ", %u samples", desc->samples);
}

static void
print_transfer(const struct gpu_cmd *cmd, FILE *out)
{
    fprintf(out, "#%u level %u, ", cmd->transfer.resource, cmd->transfer.level);
    print_box(&cmd->transfer.box, out);
}

static void
print_view(const struct sampler_view *view, bool of_buffer, FILE *out)
{
    fprintf(out, ": #%u %s, ", view->resource, format_name(view->format));
    if (of_buffer)
        fprintf(out, "elements %u-%u", view->first_element, view->last_element);
    else
        fprintf(out, "levels %u-%u", view->first_level, view->last_level);
}

static void
print_created(const struct gpu_cmd *cmd, bool of_buffer, FILE *out)
{
    fprintf(out, "%s %u", gpu_object_name(cmd->create.type), cmd->create.handle);
    switch (cmd->create.type) {
    case OBJECT_SHADER:
        fprintf(out, ": %s, %zu bytes of text", shader_stage_name(cmd->create.shader.stage),
                strlen(cmd->create.shader.text));
        break;
    case OBJECT_VERTEX_ELEMENTS:
        for (uint32_t i = 0; i < cmd->create.elements.count; i++) {
            const struct vertex_element *e = &cmd->create.elements.items[i];
            fprintf(out, "%s buffer %u offset %u %s", i ? "," : ":", e->buffer, e->offset,
                    format_name(e->format));
        }
        break;
    case OBJECT_SAMPLER_VIEW: print_view(&cmd->create.view, of_buffer, out); break;
    case OBJECT_SURFACE:
        fprintf(out, ": #%u %s, level %u, layer %u", cmd->create.surface.resource,
                format_name(cmd->create.surface.format), cmd->create.surface.level,
                cmd->create.surface.first_layer);
        break;
    case OBJECT_QUERY:
        fprintf(out, ": type %u, #%u offset %u", (unsigned)cmd->create.query.type,
                cmd->create.query.resource, cmd->create.query.offset);
        break;
    case OBJECT_STREAMOUT_TARGET:
        fprintf(out, ": #%u offset %u, %u bytes", cmd->create.so_target.resource,
                cmd->create.so_target.offset, cmd->create.so_target.size);
        break;
    case OBJECT_BLEND:
    case OBJECT_RASTERIZER:
    case OBJECT_DSA:
    case OBJECT_SAMPLER_STATE: break;
    }
}

static void
print_handles(const uint32_t *handles, uint32_t count, FILE *out)
{
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, " %u", handles[i]);
}

static void
print_vertex_buffers(const struct gpu_cmd *cmd, FILE *out)
{
    for (uint32_t i = 0; i < cmd->vertex_buffers.count; i++)
        fprintf(out, "%s#%u stride %u offset %u", i ? ", " : "",
                cmd->vertex_buffers.items[i].resource, cmd->vertex_buffers.items[i].stride,
                cmd->vertex_buffers.items[i].offset);
}

static void
print_viewport(const struct viewport_state *v, FILE *out)
{
    fprintf(out, "scale %g %g %g, translate %g %g %g", (double)v->scale[0], (double)v->scale[1],
            (double)v->scale[2], (double)v->translate[0], (double)v->translate[1],
            (double)v->translate[2]);
}

static void
print_draw(const struct draw_params *p, FILE *out)
{
    fprintf(out, "%s %u", p->mode < PRIM_COUNT ? primitive_names[p->mode] : "?", p->count);
    if (p->instance_count != 1)
        fprintf(out, " x%u", p->instance_count);
    if (p->indexed)
        fputs(" indexed", out);
    fprintf(out, ", start %u", p->start);
    if (p->indexed && p->index_bias)
        fprintf(out, ", bias %d", p->index_bias);
    if (p->indexed && p->primitive_restart)
        fprintf(out, ", restart at %u", p->restart_index);
}

static void
print_clear(const struct gpu_cmd *cmd, FILE *out)
{
    const uint32_t buffers = cmd->clear.buffers;
    const float *c = cmd->clear.rgba;
    const char *separator = "";
    if (buffers / MASK_COLOR0) {
        fprintf(out, "color %g %g %g %g", (double)c[0], (double)c[1], (double)c[2], (double)c[3]);
        separator = ", ";
    }
    if (buffers & MASK_DEPTH) {
        fprintf(out, "%sdepth %g", separator, cmd->clear.depth);
        separator = ", ";
    }
    if (buffers & MASK_STENCIL)
        fprintf(out, "%sstencil %u", separator, cmd->clear.stencil);
}

static void
print_blit_side(const struct blit_side *side, FILE *out)
{
    fprintf(out, "#%u level %u %s, ", side->resource, side->level, format_name(side->format));
    print_box(&side->box, out);
}

static void
print_blit(const struct gpu_cmd *cmd, FILE *out)
{
    print_blit_side(&cmd->blit.src, out);
    fputs(" -> ", out);
    print_blit_side(&cmd->blit.dst, out);
}

static void
print_copy(const struct gpu_cmd *cmd, FILE *out)
{
    fprintf(out, "#%u level %u, ", cmd->copy.src, cmd->copy.src_level);
    print_box(&cmd->copy.src_box, out);
    fprintf(out, " -> #%u level %u at %u,%u,%u", cmd->copy.dst, cmd->copy.dst_level,
            cmd->copy.dst_x, cmd->copy.dst_y, cmd->copy.dst_z);
}

/* Bindings and other state. SET_POLYGON_STIPPLE and SET_CLIP have too many arguments for a line. */
static void
print_state(const struct gpu_cmd *cmd, FILE *out)
{
    switch (cmd->op) {
    case GPU_SET_VIEWPORT: print_viewport(&cmd->viewport, out); break;
    case GPU_SET_FRAMEBUFFER:
        fputs("color", out);
        print_handles(cmd->framebuffer.color, cmd->framebuffer.color_count, out);
        fprintf(out, ", depth %u", cmd->framebuffer.depth);
        break;
    case GPU_SET_VERTEX_BUFFERS: print_vertex_buffers(cmd, out); break;
    case GPU_SET_INDEX_BUFFER:
        fprintf(out, "#%u, %u bytes per index, offset %u", cmd->index_buffer.resource,
                cmd->index_buffer.index_bytes, cmd->index_buffer.offset);
        break;
    case GPU_SET_CONSTANT_BUFFER:
        fprintf(out, "%s %u, %u floats", shader_stage_name(cmd->constants.stage),
                cmd->constants.index, cmd->constants.count);
        break;
    case GPU_SET_UNIFORM_BUFFER:
        fprintf(out, "%s %u, #%u offset %u, %u bytes", shader_stage_name(cmd->uniform_buffer.stage),
                cmd->uniform_buffer.index, cmd->uniform_buffer.resource, cmd->uniform_buffer.offset,
                cmd->uniform_buffer.length);
        break;
    case GPU_SET_SAMPLER_VIEWS:
    case GPU_BIND_SAMPLER_STATES:
        fprintf(out, "%s from %u:", shader_stage_name(cmd->samplers.stage), cmd->samplers.start);
        print_handles(cmd->samplers.handles, cmd->samplers.count, out);
        break;
    case GPU_SET_STENCIL_REF:
        fprintf(out, "%u %u", cmd->stencil_ref.ref[0], cmd->stencil_ref.ref[1]);
        break;
    case GPU_SET_BLEND_COLOR:
        fprintf(out, "%g %g %g %g", (double)cmd->blend_color.rgba[0],
                (double)cmd->blend_color.rgba[1], (double)cmd->blend_color.rgba[2],
                (double)cmd->blend_color.rgba[3]);
        break;
    case GPU_SET_SCISSOR:
        fprintf(out, "%u %u %u %u", cmd->scissor.min_x, cmd->scissor.min_y, cmd->scissor.max_x,
                cmd->scissor.max_y);
        break;
    case GPU_SET_SAMPLE_MASK: fprintf(out, "0x%x", cmd->sample_mask.value); break;
    case GPU_SET_MIN_SAMPLES: fprintf(out, "%u", cmd->min_samples.value); break;
    case GPU_SET_STREAMOUT_TARGETS:
        fputs("targets", out);
        print_handles(cmd->streamout.handles, cmd->streamout.count, out);
        break;
    case GPU_SET_RENDER_CONDITION:
        fprintf(out, "query %u, condition %u", cmd->render_condition.query,
                cmd->render_condition.condition);
        break;
    case GPU_SET_LABEL: fwrite(cmd->label.text, 1, cmd->label.length, out); break;
    case GPU_SET_SUB_CTX:
    case GPU_CREATE_SUB_CTX:
    case GPU_DESTROY_SUB_CTX: fprintf(out, "%u", cmd->sub_ctx.value); break;
    default: break;
    }
}

/* Work, and objects. */
static void
print_work(const struct gpu_cmd *cmd, bool of_buffer, FILE *out)
{
    switch (cmd->op) {
    case GPU_CREATE_OBJECT: print_created(cmd, of_buffer, out); break;
    case GPU_BIND_OBJECT:
    case GPU_DESTROY_OBJECT:
    case GPU_BEGIN_QUERY:
    case GPU_END_QUERY:
        fprintf(out, "%s %u", gpu_object_name(cmd->object.type), cmd->object.handle);
        break;
    case GPU_BIND_SHADER:
        fprintf(out, "%s shader %u", shader_stage_name(cmd->object.stage), cmd->object.handle);
        break;
    case GPU_DRAW: print_draw(&cmd->draw, out); break;
    case GPU_CLEAR: print_clear(cmd, out); break;
    case GPU_BLIT: print_blit(cmd, out); break;
    case GPU_COPY_REGION: print_copy(cmd, out); break;
    case GPU_GET_QUERY_RESULT: fprintf(out, "query %u", cmd->query_result.handle); break;
    default: print_state(cmd, out); break;
    }
}

static void
print_arguments(const struct gpu_cmd *cmd, bool of_buffer, FILE *out)
{
    switch (cmd->op) {
    case GPU_CLIENT_BEGIN: fputs(cmd->client_begin.program, out); break;
    case GPU_RESOURCE_CREATE: print_resource(&cmd->resource, out); break;
    case GPU_RESOURCE_UNREF: fprintf(out, "#%u", cmd->unref.handle); break;
    case GPU_PUT:
    case GPU_GET:
    case GPU_SWAP:
    case GPU_FRAME: print_transfer(cmd, out); break;
    case GPU_STATE: fputs(cmd->restore.begins ? "begin" : "end", out); break;
    case GPU_ADDRESS: fprintf(out, "0x%x", cmd->placement.address); break;
    case GPU_CONTENTS:
        fprintf(out, "#%u level %u", cmd->contents.resource, cmd->contents.level);
        break;
    case GPU_RESULT:
        fprintf(out, "query %u is %" PRIu64, cmd->result.handle, cmd->result.value);
        break;
    default: print_work(cmd, of_buffer, out); break;
    }
}

char *
describe_arguments(const struct gpu_cmd *cmd, bool of_buffer)
{
    struct memory_text memory;
    print_arguments(cmd, of_buffer, memory_text_open(&memory));
    char *text = memory_text_take(&memory);
    for (char *at = text; *at; at++)
        *at = *at == '\n' || *at == '\t' ? ' ' : *at;
    char *printable = mem_printable(text);
    free(text);
    return printable;
}
