#include "sim/whatif_internal.h"

#include "base/interrupt.h"
#include "sim/inspect.h"
#include "trace/virgl/submit.h"

#include <stdlib.h>
#include <string.h>
#include <math.h>

static bool
is_simulated(const struct whatif *whatif)
{
    return frame_set_has(&whatif->frames, whatif->sim->device.frame);
}

static bool
is_listed(struct whatif_draw *draws, size_t count, const struct whatif *whatif, uint32_t number)
{
    for (size_t i = 0; i < count; i++)
        if (draws[i].frame == whatif->sim->device.frame && draws[i].draw <= number &&
            number <= draws[i].last)
            return draws[i].found = true;
    return false;
}

/* Scales the viewport and the scissor about the origin of the framebuffer. */
static void
scale_viewport(struct draw *draw, double scale)
{
    struct scissor_state *b = &draw->bounds;
    for (uint32_t i = 0; i < 2; i++) {
        draw->viewport.scale[i] = (float)(draw->viewport.scale[i] * scale);
        draw->viewport.translate[i] = (float)(draw->viewport.translate[i] * scale);
    }
    b->min_x = (uint16_t)(b->min_x * scale);
    b->min_y = (uint16_t)(b->min_y * scale);
    b->max_x = (uint16_t)ceil(b->max_x * scale);
    b->max_y = (uint16_t)ceil(b->max_y * scale);
}

static bool
alter(void *data, struct draw *draw)
{
    struct whatif *whatif = data;
    whatif_alter_views(whatif, draw);
    if (!is_simulated(whatif))
        return true;
    if (whatif->viewport_scale > 0)
        scale_viewport(draw, whatif->viewport_scale);
    if (is_listed(whatif->unblended.items, whatif->unblended.count, whatif, draw->number))
        for (uint32_t i = 0; i < MAX_COLOR_BUFFERS; i++)
            draw->blend.rt[i].enable = false;
    if (is_listed(whatif->untested.items, whatif->untested.count, whatif, draw->number))
        draw->dsa.alpha_enable = false;
    whatif->leaves_out_draw =
        is_listed(whatif->dropped.items, whatif->dropped.count, whatif, draw->number);
    return !whatif->leaves_out_draw;
}

/* Replaces the text of a program to change. */
static void
replace_program(struct whatif *whatif, struct gpu_cmd *cmd)
{
    char hash[24] = "";
    struct program *program = NULL;
    if (whatif->programs.count)
        program = program_create(cmd->create.shader.stage, cmd->create.shader.text,
                                 &cmd->create.shader.so, NULL);
    if (program)
        snprintf(hash, sizeof hash, PROGRAM_HASH, program->hash);
    program_destroy(program);
    for (size_t i = 0; i < whatif->programs.count && *hash; i++) {
        struct whatif_program *p = &whatif->programs.items[i];
        if (p->stage != cmd->create.shader.stage || strncmp(hash, p->hash, strlen(p->hash)) != 0)
            continue;
        cmd->create.shader.text = p->text;
        p->found = true;
    }
}

static bool
leaves_out(struct whatif *whatif, const struct gpu_cmd *cmd)
{
    if (cmd->op == GPU_GET)
        return whatif->no_readbacks && is_simulated(whatif);
    if (cmd->op == GPU_CLEAR)
        return is_listed(whatif->uncleared.items, whatif->uncleared.count, whatif,
                         whatif->sim->device.draw_in_frame);
    return (cmd->op == GPU_BLIT || cmd->op == GPU_COPY_REGION) && !cmd->shows &&
           is_listed(whatif->uncopied.items, whatif->uncopied.count, whatif,
                     whatif->sim->device.draw_in_frame);
}

static bool
execute(void *data, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes, struct error *err)
{
    struct whatif *whatif = data;
    struct gpu_cmd changed = *cmd;
    if (leaves_out(whatif, cmd)) {
        VEC_PUSH(&whatif->left_out, cmd->offset);
        return true;
    }
    if (cmd->op == GPU_CREATE_OBJECT && cmd->create.type == OBJECT_SHADER)
        replace_program(whatif, &changed);
    whatif->leaves_out_draw = false;
    const bool ok =
        whatif_execute_from(whatif, 0, &changed, (struct pixels_out){out, out_bytes}, err);
    if (whatif->leaves_out_draw)
        VEC_PUSH(&whatif->left_out, cmd->offset);
    return ok;
}

bool
whatif_is_trace(const struct whatif *whatif, struct error *err)
{
    const struct {
        bool is_set;
        const char *option;
    } others[] = {{whatif->front_to_back, "--front-to-back"},
                  {whatif->merge_draws, "--merge-draws"},
                  {whatif->index_order, "--index-order"},
                  {whatif->early_uploads, "--early-uploads"},
                  {whatif->no_repeated_uploads, "--no-repeated-uploads"},
                  {whatif->no_repeated_clears, "--no-repeated-clears"},
                  {whatif->no_repeated_copies, "--no-repeated-copies"},
                  {whatif->unblended.count > 0, "--no-blend"},
                  {whatif->untested.count > 0, "--no-alpha-test"},
                  {whatif->programs.count > 0, "--replace-program"},
                  {whatif->viewport_scale > 0, "--scale-viewport"}};
    if (whatif->textures.count)
        return fail(err, "--trace: a trace cannot express %s",
                    whatif_texture_option(whatif->textures.items[0].kind));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].is_set)
            return fail(err, "--trace: a trace cannot express %s", others[i].option);
    return true;
}

void
whatif_begin_message(struct whatif *whatif)
{
    whatif->left_out.count = 0;
}

bool
whatif_change_message(struct whatif *whatif, const struct message *message, struct message *changed)
{
    struct submit_walk walk = submit_walk(message->bytes, message->size_bytes);
    uint32_t begin = 0;
    size_t next = 0;
    *changed = *message;
    if (!whatif->left_out.count)
        return true;
    if (message->kind != MESSAGE_SUBMIT)
        return false;
    whatif->bytes.count = 0;
    for (; submit_walk_next(&walk); begin = walk.at) {
        if (next < whatif->left_out.count && whatif->left_out.items[next] == begin) {
            next++;
            continue;
        }
        for (uint32_t i = 4 * begin; i < 4 * walk.at; i++)
            VEC_PUSH(&whatif->bytes, message->bytes[i]);
    }
    changed->bytes = whatif->bytes.items;
    changed->size_bytes = (uint32_t)whatif->bytes.count;
    return true;
}

struct placements {
    uint32_t address, end;
};

/* Finds the end of the resources that the state of a trimmed trace places. */
static bool
note_placement(void *data, uint32_t frame, const struct gpu_cmd *cmd)
{
    struct placements *placements = data;
    struct resource res;
    if (cmd->op == GPU_ADDRESS)
        placements->address = cmd->placement.address;
    if (cmd->op == GPU_RESOURCE_CREATE && placements->address &&
        resource_init(&res, &cmd->resource, NULL)) {
        const uint64_t end = (uint64_t)placements->address + res.size_bytes + MEMORY_ALIGN - 1;
        if (end > placements->end && end <= MEMORY_MAX_BYTES)
            placements->end = (uint32_t)end / MEMORY_ALIGN * MEMORY_ALIGN;
        placements->address = 0;
    }
    return frame == 0 && (cmd->op != GPU_STATE || cmd->restore.begins);
}

bool
whatif_attach(struct whatif *whatif, struct simulation *sim, struct trace_reader *reader,
              struct executor *executor, struct error *err)
{
    struct placements placements = {0, 0};
    if (reader && whatif->textures.count &&
        (!inspect_commands(reader, note_placement, &placements, err) ||
         !trace_reader_rewind(reader, err)))
        return false;
    whatif->free_address = placements.end;
    whatif->sim = sim;
    sim->device.alter = alter;
    sim->device.alter_data = whatif;
    if (sim->machine) {
        sim->machine->front_to_back = whatif->front_to_back;
        sim->machine->merge_draws = whatif->merge_draws;
        sim->machine->index_order = whatif->index_order;
        sim->machine->early_uploads = whatif->early_uploads;
        sim->machine->no_repeated_uploads = whatif->no_repeated_uploads;
        sim->machine->no_repeated_clears = whatif->no_repeated_clears;
        sim->machine->no_repeated_copies = whatif->no_repeated_copies;
    }
    *executor = (struct executor){whatif, &sim->device, execute};
    return true;
}

bool
whatif_check(const struct whatif *whatif, struct error *err)
{
    for (size_t i = 0; i < whatif->textures.count; i++)
        if (!whatif->textures.items[i].found)
            return fail(err, "%s %u: the trace has no texture %u",
                        whatif_texture_option(whatif->textures.items[i].kind),
                        whatif->textures.items[i].handle, whatif->textures.items[i].handle);
    for (size_t i = 0; i < whatif->uncopied.count; i++)
        if (!whatif->uncopied.items[i].found)
            return fail(err, "--drop-copy %u:%u: there is no copy right before this draw",
                        whatif->uncopied.items[i].frame, whatif->uncopied.items[i].draw);
    for (size_t i = 0; i < whatif->uncleared.count; i++)
        if (!whatif->uncleared.items[i].found)
            return fail(err, "--drop-clear %u:%u: there is no clear right before this draw",
                        whatif->uncleared.items[i].frame, whatif->uncleared.items[i].draw);
    for (size_t i = 0; i < whatif->programs.count; i++)
        if (!whatif->programs.items[i].found)
            return fail(err, "--replace-program: the trace has no %s program %s",
                        shader_stage_name(whatif->programs.items[i].stage),
                        whatif->programs.items[i].hash);
    return true;
}

void
whatif_fini(struct whatif *whatif)
{
    for (size_t i = 0; i < whatif->textures.count; i++)
        whatif_texture_fini(&whatif->textures.items[i]);
    for (size_t i = 0; i < whatif->programs.count; i++)
        free(whatif->programs.items[i].text);
    VEC_FREE(&whatif->dropped);
    VEC_FREE(&whatif->uncopied);
    VEC_FREE(&whatif->uncleared);
    VEC_FREE(&whatif->unblended);
    VEC_FREE(&whatif->untested);
    VEC_FREE(&whatif->textures);
    VEC_FREE(&whatif->programs);
    VEC_FREE(&whatif->left_out);
    VEC_FREE(&whatif->bytes);
}
