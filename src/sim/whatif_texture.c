/* Changes of textures (sim/whatif.h). Each change keeps the original texels of its texture, with
 * room for all mipmaps. An upload changes them, and uploads of the changed texels follow in place
 * of it. Mipmaps are made with a box filter: the mean of 2x2 texels of the next larger level. */
#include "sim/whatif_internal.h"

#include "state/format_encode.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4 }; /* side of a compressed block, in texels */

struct original {
    /* The texels of the program's texture, without compression, at address 0 of `memory`, with all
     * levels. */
    struct resource res;
    struct gpu_memory memory;
    const struct format_info *compressed; /* format of a compressed texture, otherwise NULL */
    /* The program's texture, if it is compressed: all levels of its blocks. Otherwise without
     * memory. */
    struct resource blocks;
    struct gpu_memory block_memory;
    uint32_t last_level; /* last level of the program's texture */
};

struct step { /* a command at one change in the chain */
    struct whatif *whatif;
    size_t index; /* of the change */
    struct whatif_texture *texture;
    struct original *original;
    const struct gpu_cmd *cmd;
    struct pixels_out out;
    struct error *err;
};

const char *
whatif_texture_option(enum whatif_texture_kind kind)
{
    static const char *const names[WHATIF_TEXTURE_KINDS] = {"--halve-texture", "--mipmaps",
                                                            "--compress"};
    return names[kind];
}

static bool
refuse(const struct step *step, const char *why)
{
    return fail(step->err, "%s %u: the texture %s", whatif_texture_option(step->texture->kind),
                step->texture->handle, why);
}

static bool
forward(const struct step *step, const struct gpu_cmd *cmd)
{
    return whatif_execute_from(step->whatif, step->index + 1, cmd, step->out, step->err);
}

static void
free_original(void *data)
{
    struct original *original = data;
    if (original) {
        free(original->memory.bytes);
        free(original->block_memory.bytes);
    }
    free(original);
}

void
whatif_texture_fini(struct whatif_texture *texture)
{
    handle_map_fini_with(&texture->originals, free_original);
}

static uint32_t
full_chain(const struct resource_desc *desc)
{
    uint32_t last = 0;
    while (desc->width >> (last + 1) || desc->height >> (last + 1))
        last++;
    return last;
}

static bool
check_texture(const struct step *step, const struct resource_desc *desc)
{
    const struct format_info *format = format_get(desc->format);
    const enum whatif_texture_kind kind = step->texture->kind;
    if (desc->target != TARGET_2D && desc->target != TARGET_CUBE && desc->target != TARGET_2D_ARRAY)
        return refuse(step, "is not 2D, a cube or a 2D array");
    if (desc->samples > 1)
        return refuse(step, "is multisampled");
    if (!format || format->depth_bits || format->is_integer ||
        (format->block_width == 1 && !format->pack))
        return refuse(step, "holds no colors");
    if (format->block_width != 1 && kind == WHATIF_COMPRESS)
        return refuse(step, "is compressed already");
    if (format->block_width != 1 && !s3tc_texels_of(format))
        return refuse(step, "has a compressed format other than DXT1 without alpha and DXT5");
    if (kind == WHATIF_HALVE && (desc->width < 2 || desc->height < 2))
        return refuse(step, "is too small");
    if (kind == WHATIF_COMPRESS && !s3tc_format_for(format))
        return refuse(step, "would not become smaller, or has values that S3TC cannot store");
    return true;
}

/* The resources of a trimmed trace have fixed addresses. A texture that grows follows after them.
 */
static bool
place(const struct step *step, const struct resource_desc *desc)
{
    struct resource before, after;
    struct gpu_cmd cmd = {.op = GPU_ADDRESS, .client = step->cmd->client};
    if (!step->whatif->sim->device.restoring ||
        !resource_init(&before, &step->cmd->resource, NULL) || !resource_init(&after, desc, NULL) ||
        after.size_bytes <= before.size_bytes)
        return true;
    cmd.placement.address = step->whatif->free_address;
    step->whatif->free_address +=
        (after.size_bytes + MEMORY_ALIGN - 1) / MEMORY_ALIGN * MEMORY_ALIGN;
    return forward(step, &cmd);
}

static bool
init_texels(struct resource *res, struct gpu_memory *memory, const struct resource_desc *desc,
            struct error *err)
{
    if (!resource_init(res, desc, err))
        return false;
    memory->bytes = mem_alloc(res->size_bytes);
    memory->size_bytes = res->size_bytes;
    return true;
}

static bool
init_original(struct original *original, const struct resource_desc *desc, struct error *err)
{
    const struct format_info *format = format_get(desc->format);
    struct resource_desc all = *desc;
    all.last_level = full_chain(desc);
    original->last_level = desc->last_level;
    if (format->block_width != 1) {
        if (!init_texels(&original->blocks, &original->block_memory, &all, err))
            return false;
        original->compressed = format;
        all.format = s3tc_texels_of(format)->number;
    }
    return init_texels(&original->res, &original->memory, &all, err);
}

static bool
create_texture(struct step *step)
{
    struct gpu_cmd changed = *step->cmd;
    struct resource_desc *desc = &changed.resource;
    if (!check_texture(step, desc))
        return false;
    struct original *original = mem_alloc(sizeof *original);
    if (!init_original(original, desc, step->err)) {
        free_original(original);
        return false;
    }
    if (step->texture->kind == WHATIF_COMPRESS) {
        original->compressed = s3tc_format_for(original->res.format);
        desc->format = original->compressed->number;
    }
    if (step->texture->kind == WHATIF_MIPMAPS)
        desc->last_level = original->res.desc.last_level;
    if (step->texture->kind == WHATIF_HALVE) {
        desc->width /= 2;
        desc->height /= 2;
        desc->last_level -= desc->last_level > 0;
    }
    free_original(handle_map_remove(&step->texture->originals, step->cmd->client));
    handle_map_put(&step->texture->originals, step->cmd->client, original);
    step->texture->found = true;
    return place(step, desc) && forward(step, &changed);
}

static uint8_t *
texel_at(const struct original *original, uint32_t level, uint32_t x, uint32_t y, uint32_t z)
{
    return original->memory.bytes + resource_offset(&original->res, level, x, y, z, 0);
}

/* Makes the texel of a level from the 2x2 texels of the level before it. A level that is one texel
 * wide or high has only one or two. */
static void
make_texel(const struct original *original, uint32_t level, uint32_t x, uint32_t y, uint32_t z)
{
    const struct resource_level *larger = &original->res.levels[level - 1];
    const struct format_info *format = original->res.format;
    float mean[4] = {0};
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t from_x = 2 * x + (i & 1), from_y = 2 * y + (i >> 1);
        float rgba[4];
        format->unpack(texel_at(original, level - 1,
                                from_x < larger->width ? from_x : larger->width - 1,
                                from_y < larger->height ? from_y : larger->height - 1, z),
                       0, 0, rgba);
        for (uint32_t c = 0; c < 4; c++)
            mean[c] += rgba[c] / 4;
    }
    format->pack(mean, texel_at(original, level, x, y, z));
}

/* Box of the next level that holds a box of a level. */
static struct box
smaller_box(const struct original *original, uint32_t level, struct box box)
{
    const struct resource_level *to = &original->res.levels[level + 1];
    struct box small = {box.x / 2, box.y / 2, box.z, 0, 0, box.depth};
    const int32_t end_x = (box.x + box.width + 1) / 2, end_y = (box.y + box.height + 1) / 2;
    const int32_t width = (int32_t)to->width, height = (int32_t)to->height;
    small.x = small.x < width ? small.x : width - 1;
    small.y = small.y < height ? small.y : height - 1;
    small.width = (end_x < width ? end_x : width) - small.x;
    small.height = (end_y < height ? end_y : height) - small.y;
    return small;
}

/* Makes the texels of the next level that depend on the box. Returns their box. */
static struct box
make_smaller(const struct original *original, uint32_t level, struct box box)
{
    const struct box small = smaller_box(original, level, box);
    for (int32_t z = small.z; z < small.z + small.depth; z++)
        for (int32_t y = small.y; y < small.y + small.height; y++)
            for (int32_t x = small.x; x < small.x + small.width; x++)
                make_texel(original, level + 1, (uint32_t)x, (uint32_t)y, (uint32_t)z);
    return small;
}

/* Encodes the block at (x, y). Texels outside the level repeat its edge. */
static void
encode_block(const struct original *original, uint32_t level, const uint32_t at[3], uint8_t *block)
{
    const struct resource_level *l = &original->res.levels[level];
    const struct format_info *bytes =
        format_get(original->res.format->is_srgb ? FORMAT_R8G8B8A8_SRGB : FORMAT_R8G8B8A8_UNORM);
    uint8_t texels[BLOCK * BLOCK][4];
    for (uint32_t i = 0; i < BLOCK * BLOCK; i++) {
        const uint32_t x = at[0] + i % BLOCK, y = at[1] + i / BLOCK;
        float rgba[4];
        original->res.format->unpack(texel_at(original, level, x < l->width ? x : l->width - 1,
                                              y < l->height ? y : l->height - 1, at[2]),
                                     0, 0, rgba);
        bytes->pack(rgba, texels[i]);
    }
    s3tc_encode(original->compressed->channels & 8, texels, block);
}

static struct box
whole_blocks(const struct resource_level *level, struct box box)
{
    const int32_t width = (int32_t)level->width, height = (int32_t)level->height;
    const int32_t end_x = (box.x + box.width + BLOCK - 1) / BLOCK * BLOCK;
    const int32_t end_y = (box.y + box.height + BLOCK - 1) / BLOCK * BLOCK;
    box.x = box.x / BLOCK * BLOCK;
    box.y = box.y / BLOCK * BLOCK;
    box.width = (end_x < width ? end_x : width) - box.x;
    box.height = (end_y < height ? end_y : height) - box.y;
    return box;
}

/* Rows of texels or of blocks. The caller frees them. */
static uint8_t *
read_box(const struct resource *res, const struct gpu_memory *memory, uint32_t level,
         const struct box *box, uint32_t *bytes)
{
    *bytes = resource_box_bytes(res, box);
    uint8_t *rows = mem_alloc(*bytes);
    resource_read_box(res, memory, level, box, rows);
    return rows;
}

/* The texels of a box in the format of the changed texture, row by row. The caller frees them.
 * Generating mipmaps keeps the compressed blocks that the program uploaded. */
static uint8_t *
read_rows(const struct step *step, uint32_t level, const struct box *box, uint32_t *bytes)
{
    const struct original *original = step->original;
    if (!original->compressed)
        return read_box(&original->res, &original->memory, level, box, bytes);
    if (original->block_memory.bytes && step->texture->kind == WHATIF_MIPMAPS && level == 0)
        return read_box(&original->blocks, &original->block_memory, level, box, bytes);
    const uint32_t columns = ((uint32_t)box->width + BLOCK - 1) / BLOCK;
    const uint32_t rows = ((uint32_t)box->height + BLOCK - 1) / BLOCK;
    const uint32_t block_bytes = original->compressed->block_bytes;
    *bytes = columns * rows * (uint32_t)box->depth * block_bytes;
    uint8_t *blocks = mem_alloc(*bytes), *block = blocks;
    for (uint32_t z = 0; z < (uint32_t)box->depth; z++)
        for (uint32_t y = 0; y < rows; y++)
            for (uint32_t x = 0; x < columns; x++, block += block_bytes) {
                const uint32_t at[3] = {(uint32_t)box->x + x * BLOCK, (uint32_t)box->y + y * BLOCK,
                                        (uint32_t)box->z + z};
                encode_block(original, level, at, block);
            }
    return blocks;
}

/* Uploads a box of a level into the level `to` of the changed texture. */
static bool
upload(const struct step *step, uint32_t level, uint32_t to, struct box box)
{
    const struct original *original = step->original;
    struct gpu_cmd put = *step->cmd;
    if (original->compressed)
        box = whole_blocks(&original->res.levels[level], box);
    put.op = GPU_PUT;
    put.transfer.resource = step->texture->handle;
    put.transfer.level = to;
    put.transfer.box = box;
    uint8_t *rows = read_rows(step, level, &box, &put.transfer.size_bytes);
    put.transfer.bytes = rows;
    const bool ok = forward(step, &put);
    free(rows);
    return ok;
}

/* Uploads what follows from a change of the box. */
static bool
upload_changed(const struct step *step, uint32_t level, struct box box)
{
    const struct original *original = step->original;
    const uint32_t last = original->res.desc.last_level;
    if (step->texture->kind == WHATIF_COMPRESS)
        return upload(step, level, level, box);
    if (step->texture->kind == WHATIF_HALVE)
        return level ? upload(step, level, level - 1, box)
                     : upload(step, 1, 0, make_smaller(original, 0, box));
    if (level)
        return refuse(step, "has mipmaps already");
    bool ok = upload(step, 0, 0, box);
    while (ok && level < last) {
        box = make_smaller(original, level++, box);
        ok = upload(step, level, level, box);
    }
    return ok;
}

static struct box
whole_level(const struct original *original, uint32_t level)
{
    const struct resource_level *l = &original->res.levels[level];
    return (struct box){0, 0, 0, (int32_t)l->width, (int32_t)l->height, (int32_t)l->slices};
}

/* The program's texture, with its blocks if it is compressed. */
static const struct resource *
program_texture(struct original *original, struct gpu_memory **memory)
{
    const bool has_blocks = original->block_memory.bytes;
    *memory = has_blocks ? &original->block_memory : &original->memory;
    return has_blocks ? &original->blocks : &original->res;
}

/* Decodes the blocks of a box, if the program's texture is compressed. */
static void
decode(const struct original *original, uint32_t level, const struct box *box)
{
    const struct format_info *to = original->res.format;
    if (!original->block_memory.bytes)
        return;
    for (int32_t z = box->z; z < box->z + box->depth; z++)
        for (int32_t y = box->y; y < box->y + box->height; y++)
            for (int32_t x = box->x; x < box->x + box->width; x++) {
                const uint8_t *block = original->block_memory.bytes +
                                       resource_offset(&original->blocks, level, (uint32_t)x,
                                                       (uint32_t)y, (uint32_t)z, 0);
                float rgba[4];
                original->compressed->unpack(block, (uint32_t)x % BLOCK, (uint32_t)y % BLOCK, rgba);
                to->pack(rgba, texel_at(original, level, (uint32_t)x, (uint32_t)y, (uint32_t)z));
            }
}

/* Takes texels that the program writes, as rows without padding. */
static bool
write_texels(const struct step *step, uint32_t level, struct box box, const uint8_t *rows,
             uint32_t bytes)
{
    struct original *original = step->original;
    struct gpu_memory *memory;
    const struct resource *res = program_texture(original, &memory);
    if (level > original->last_level || !resource_box_ok(res, level, &box) ||
        bytes < resource_box_bytes(res, &box))
        return fail(step->err, "resource %u: texels outside level %u", step->texture->handle,
                    level);
    resource_write_box(res, memory, level, &box, rows);
    decode(original, level, &box);
    return upload_changed(step, level, box);
}

/* The driver assembles a texture by copying from others. Their texels are uploaded instead. */
static bool
copy_texels(const struct step *step)
{
    const struct gpu_cmd *cmd = step->cmd;
    struct simulation *sim = step->whatif->sim;
    struct resource *src = gpu_resource(&sim->device, cmd->client, cmd->copy.src);
    struct box box = cmd->copy.src_box;
    struct gpu_memory *memory;
    if (cmd->copy.src == step->texture->handle || !src || !src->sampled_only ||
        src->format != program_texture(step->original, &memory)->format ||
        !resource_box_ok(src, cmd->copy.src_level, &box))
        return refuse(step, "is copied, or is a copy of a render target");
    if (sim->frame_open && !machine_drain(sim->machine, step->err)) /* uploads into `src` */
        return false;
    uint32_t bytes;
    uint8_t *rows = read_box(src, &sim->device.memory, cmd->copy.src_level, &box, &bytes);
    box.x = (int32_t)cmd->copy.dst_x;
    box.y = (int32_t)cmd->copy.dst_y;
    box.z = (int32_t)cmd->copy.dst_z;
    const bool ok = write_texels(step, cmd->copy.dst_level, box, rows, bytes);
    free(rows);
    return ok;
}

/* Restores a level of a trimmed trace. Unused levels of a texture that gets mipmaps are skipped. */
static bool
restore_texels(const struct step *step)
{
    struct original *original = step->original;
    const uint32_t level = step->cmd->contents.level;
    struct gpu_memory *memory;
    const struct resource *res = program_texture(original, &memory);
    if (level > original->last_level ||
        step->cmd->contents.size_bytes != resource_level_bytes(res, level))
        return fail(step->err, "resource %u: the contents do not fit level %u",
                    step->texture->handle, level);
    if (step->texture->kind == WHATIF_MIPMAPS && level)
        return true;
    resource_write_level(res, memory, level, step->cmd->contents.bytes);
    const struct box box = whole_level(original, level);
    decode(original, level, &box);
    return upload_changed(step, level, box);
}

/* The driver generates mipmaps by blitting from one level to the next. */
static bool
blit_texture(const struct step *step)
{
    const struct gpu_cmd *cmd = step->cmd;
    struct gpu_cmd changed = *cmd;
    const uint32_t from = cmd->blit.src.level, to = cmd->blit.dst.level;
    if (cmd->blit.src.resource != cmd->blit.dst.resource || to != from + 1 ||
        to > step->original->last_level)
        return refuse(step, "is copied by a blit");
    if (step->texture->kind == WHATIF_MIPMAPS)
        return refuse(step, "has mipmaps already");
    if (step->texture->kind == WHATIF_COMPRESS)
        return upload(step, to, to,
                      make_smaller(step->original, from, whole_level(step->original, from)));
    if (from == 0)
        return true; /* the upload of level 0 has made it */
    changed.blit.src.level--;
    changed.blit.dst.level--;
    return forward(step, &changed);
}

static bool
create_view(const struct step *step)
{
    struct gpu_cmd changed = *step->cmd;
    struct sampler_view *view = &changed.create.view;
    switch (step->texture->kind) {
    case WHATIF_HALVE:
        view->first_level -= view->first_level > 0;
        view->last_level -= view->last_level > 0;
        break;
    case WHATIF_MIPMAPS:
        if (view->last_level)
            return refuse(step, "has mipmaps already");
        view->last_level = step->original->res.desc.last_level;
        break;
    default:
        if (view->format != step->original->res.format->number)
            return refuse(step, "has views of different formats");
        view->format = step->original->compressed->number;
    }
    return forward(step, &changed);
}

static bool
create_object(const struct step *step)
{
    if (step->cmd->create.type == OBJECT_SURFACE &&
        step->cmd->create.surface.resource == step->texture->handle)
        return refuse(step, "is a render target");
    if (step->cmd->create.type == OBJECT_SAMPLER_VIEW &&
        step->cmd->create.view.resource == step->texture->handle)
        return create_view(step);
    return forward(step, step->cmd);
}

/* Executes a command of a client that has the texture. */
static bool
change(struct step *step)
{
    const struct gpu_cmd *cmd = step->cmd;
    const uint32_t handle = step->texture->handle;
    switch (cmd->op) {
    case GPU_PUT:
        return cmd->transfer.resource == handle
                   ? write_texels(step, cmd->transfer.level, cmd->transfer.box, cmd->transfer.bytes,
                                  cmd->transfer.size_bytes)
                   : forward(step, cmd);
    case GPU_CONTENTS:
        return cmd->contents.resource == handle ? restore_texels(step) : forward(step, cmd);
    case GPU_GET:
        return cmd->transfer.resource == handle ? refuse(step, "is read back") : forward(step, cmd);
    case GPU_BLIT:
        return cmd->blit.src.resource == handle || cmd->blit.dst.resource == handle
                   ? blit_texture(step)
                   : forward(step, cmd);
    case GPU_COPY_REGION:
        return cmd->copy.src == handle || cmd->copy.dst == handle ? copy_texels(step)
                                                                  : forward(step, cmd);
    case GPU_CREATE_OBJECT: return create_object(step);
    case GPU_RESOURCE_UNREF:
    case GPU_CLIENT_END:
        if (cmd->op == GPU_CLIENT_END || cmd->unref.handle == handle)
            free_original(handle_map_remove(&step->texture->originals, cmd->client));
        return forward(step, cmd);
    default: return forward(step, cmd);
    }
}

bool
whatif_execute_from(struct whatif *whatif, size_t i, const struct gpu_cmd *cmd,
                    struct pixels_out out, struct error *err)
{
    const struct executor *executor = &whatif->sim->executor;
    if (i == whatif->textures.count)
        return executor->execute(executor->data, cmd, out.bytes, out.size_bytes, err);
    struct whatif_texture *texture = &whatif->textures.items[i];
    struct step step = {.whatif = whatif,
                        .index = i,
                        .texture = texture,
                        .original = handle_map_get(&texture->originals, cmd->client),
                        .cmd = cmd,
                        .out = out,
                        .err = err};
    if (cmd->op == GPU_RESOURCE_CREATE && cmd->resource.handle == texture->handle)
        return create_texture(&step);
    return step.original ? change(&step) : forward(&step, cmd);
}

void
whatif_alter_views(struct whatif *whatif, struct draw *draw)
{
    for (size_t i = 0; i < whatif->textures.count; i++) {
        const struct whatif_texture *texture = &whatif->textures.items[i];
        for (uint32_t v = 0; v < STAGE_COUNT * MAX_SAMPLERS; v++) {
            struct bound_view *view = &draw->views[v / MAX_SAMPLERS][v % MAX_SAMPLERS];
            if (texture->kind != WHATIF_MIPMAPS || !view->res ||
                view->res->desc.handle != texture->handle || view->sampler.mip_filter != MIP_NONE)
                continue;
            view->sampler.mip_filter = MIP_LINEAR;
            view->sampler.min_lod = 0;
            view->sampler.max_lod = RESOURCE_MAX_LEVELS;
        }
    }
}
