/* The smallest resources, formats and programs that the context's tests need. */
#include "gfx/program.h"
#include "gfx/resource.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct format_info formats[] = {
    {.number = 1,
     .name = "B8G8R8A8_UNORM",
     .block_bytes = 4,
     .block_width = 1,
     .block_height = 1,
     .uses = 7},
    {.number = 18,
     .name = "Z32_FLOAT",
     .block_bytes = 4,
     .block_width = 1,
     .block_height = 1,
     .uses = 10,
     .depth_bits = 32},
    {.number = 19,
     .name = "Z24_UNORM_S8_UINT",
     .block_bytes = 4,
     .block_width = 1,
     .block_height = 1,
     .uses = 10,
     .depth_bits = 24,
     .stencil_bits = 8},
    {.number = 28,
     .name = "R32_FLOAT",
     .block_bytes = 4,
     .block_width = 1,
     .block_height = 1,
     .uses = 7},
    {.number = 31,
     .name = "R32G32B32A32_FLOAT",
     .block_bytes = 16,
     .block_width = 1,
     .block_height = 1,
     .uses = 7},
    {.number = 64,
     .name = "R8_UNORM",
     .block_bytes = 1,
     .block_width = 1,
     .block_height = 1,
     .uses = 7},
};

const struct format_info *
format_get(uint32_t number)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].number == number)
            return &formats[i];
    return NULL;
}

bool
resource_init(struct resource *res, const struct resource_desc *desc, struct error *err)
{
    const struct format_info *format = format_get(desc->format);
    if (!format || desc->last_level >= RESOURCE_MAX_LEVELS || desc->target > TARGET_CUBE_ARRAY ||
        desc->width == 0 || (desc->target != TARGET_BUFFER && desc->width > 4096) ||
        desc->width > 1 << 20 || desc->height == 0 || desc->height > 4096 || desc->depth == 0 ||
        desc->depth > 64 || desc->array_size == 0 || desc->array_size > 64 || desc->samples > 4)
        return fail(err, "description is out of range");
    *res = (struct resource){.desc = *desc, .format = format};
    res->samples = desc->samples > 1 ? desc->samples : 1;
    res->tile_bytes = 64 * format->block_bytes * res->samples;
    if (desc->target == TARGET_BUFFER) {
        res->levels[0] = (struct resource_level){.width = desc->width, .height = 1, .slices = 1};
        res->size_bytes = desc->width;
        return true;
    }
    for (uint32_t i = 0; i <= desc->last_level; i++) {
        struct resource_level *l = &res->levels[i];
        l->offset = res->size_bytes;
        l->width = desc->width >> i ? desc->width >> i : 1;
        l->height = desc->height >> i ? desc->height >> i : 1;
        l->slices = desc->target == TARGET_CUBE ? 6
                    : desc->target == TARGET_3D ? desc->depth
                                                : desc->array_size;
        l->tiles_x = (l->width + 7) / 8;
        l->tiles_y = (l->height + 7) / 8;
        l->slice_bytes = l->tiles_x * l->tiles_y * res->tile_bytes;
        res->size_bytes += l->slice_bytes * l->slices;
        if (res->size_bytes > 64 << 20)
            return fail(err, "too large");
    }
    return true;
}

bool
resource_box_ok(const struct resource *res, uint32_t level, const struct box *box)
{
    const struct resource_level *l = &res->levels[level];
    return box->x >= 0 && box->y >= 0 && box->z >= 0 && box->width > 0 && box->height > 0 &&
           box->depth > 0 && (int64_t)box->x + box->width <= l->width &&
           (int64_t)box->y + box->height <= l->height && (int64_t)box->z + box->depth <= l->slices;
}

uint32_t
resource_box_bytes(const struct resource *res, const struct box *box)
{
    uint32_t bytes = (uint32_t)box->width;
    if (res->desc.target == TARGET_BUFFER)
        return bytes;
    return bytes * (uint32_t)box->height * (uint32_t)box->depth * res->format->block_bytes;
}

static enum semantic
semantic_of(const char *name)
{
    static const char *const names[] = {"POSITION",   "COLOR",    "BCOLOR", "FOG",      "PSIZE",
                                        "GENERIC",    "NORMAL",   "FACE",   "EDGEFLAG", "CLIPDIST",
                                        "CLIPVERTEX", "TEXCOORD", "PCOORD", "STENCIL"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum semantic)i;
    return SEMANTIC_NONE;
}

static enum interpolation
interpolation_of(const char *name)
{
    return strcmp(name, "CONSTANT") == 0 ? INTERPOLATE_CONSTANT
           : strcmp(name, "LINEAR") == 0 ? INTERPOLATE_LINEAR
           : strcmp(name, "COLOR") == 0  ? INTERPOLATE_COLOR
                                         : INTERPOLATE_PERSPECTIVE;
}

static void
read_line(struct program *p, const char *line)
{
    char semantic[32] = "", interpolation[32] = "";
    unsigned index, last = 0, semantic_index = 0;
    if (sscanf(line, "DCL SAMP[%u]", &index) == 1 && index < MAX_SAMPLERS)
        p->samplers_used |= 1u << index;
    if (sscanf(line, "DCL SVIEW[%u], %31[A-Z0-9]", &index, semantic) == 2 && index < MAX_SAMPLERS)
        p->sampler_targets[index] = strcmp(semantic, "CUBE") == 0 ? TEX_CUBE : TEX_2D;
    if (sscanf(line, "DCL CONST[0][%u..%u]", &index, &last) == 2 && last < MAX_CONSTANTS)
        p->constant_count = last + 1;
    if (strncmp(line, "PROPERTY FS_COLOR0_WRITES_ALL_CBUFS", 35) == 0)
        p->writes_all_cbufs = true;
    if (strstr(line, "KILL"))
        p->uses_kill = true;
    bool in = sscanf(line, "DCL IN[%u]", &index) == 1;
    if (!in && sscanf(line, "DCL OUT[%u]", &index) != 1)
        return;
    if (index >= MAX_VARYINGS)
        return;
    const char *comma = strchr(line, ',');
    if (comma && sscanf(comma, ", %31[A-Z][%u]", semantic, &semantic_index) < 1)
        return;
    if (comma && (comma = strchr(comma + 1, ',')))
        sscanf(comma, ", %31[A-Z]", interpolation);
    struct io_decl *decl = in ? &p->inputs[index] : &p->outputs[index];
    *decl = (struct io_decl){semantic_of(semantic), (uint8_t)semantic_index,
                             interpolation_of(interpolation), false};
    uint32_t *count = in ? &p->input_count : &p->output_count;
    *count = index + 1 > *count ? index + 1 : *count;
    p->writes_depth |= !in && p->stage == STAGE_FRAGMENT && decl->semantic == SEMANTIC_POSITION;
}

struct program *
program_create(enum shader_stage stage, const char *tgsi, const struct so_info *so,
               struct error *err)
{
    if (strncmp(tgsi, stage == STAGE_VERTEX ? "VERT" : "FRAG", 4) != 0) {
        fail(err, "line 1: no program of that stage");
        return NULL;
    }
    struct program *p = mem_alloc(sizeof *p);
    p->stage = stage;
    p->so = *so;
    for (const char *line = tgsi; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        read_line(p, line);
    return p;
}

void
program_destroy(struct program *program)
{
    free(program);
}
