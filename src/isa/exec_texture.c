/* Converts a texture instruction to a request for the texture unit, and stores the returned texels.
 * Operands in TGSI (Mesa 22.3, docs/gallium/tgsi.rst, TEX ... TXQ):
 * - coordinates: from src0.x on
 * - reference of a shadow target: src0.z, or src0.w if z is taken
 * - bias and LOD: src0.w, or src1.x for opcodes with a 2
 * - divisor of TXP: src0.w */
#include "isa/exec_operand.h"

#include <string.h>

static void
fetch_lanes(const struct exec *exec, const struct source *source, uint32_t channel, bool integer,
            float *values)
{
    struct scratch scratch;
    struct operand operand = exec_operand(exec, source, channel, integer, &scratch);
    for (uint32_t q = 0; q < exec->lanes / 4; q++) {
        vec4f quad = operand_quad(&operand, q);
        memcpy(values + q * 4, &quad, sizeof quad);
    }
}

/* Maps a texture opcode to one of the six opcodes that the texture unit implements. */
static uint8_t
plain_opcode(const struct exec *exec, uint8_t opcode)
{
    bool derivatives = exec->program->stage == STAGE_FRAGMENT;
    switch (opcode) {
    case OP_TEX:
    case OP_TEX2:
    case OP_TXP: return derivatives ? OP_TEX : OP_TXL;
    case OP_TXB:
    case OP_TXB2: return derivatives ? OP_TXB : OP_TXL;
    case OP_TXL2:
    case OP_TEX_LZ: return OP_TXL;
    case OP_TXF_LZ: return OP_TXF;
    default: return opcode;
    }
}

static void
fetch_coordinates(const struct exec *exec, const struct instruction *instruction,
                  struct texture_request *request)
{
    const struct texture_target_info *target = &texture_target_infos[instruction->target];
    bool integer = opcode_infos[instruction->opcode].type == TYPE_INTEGER;
    for (uint32_t c = 0; c < target->coordinates; c++)
        fetch_lanes(exec, &instruction->src[0], c, integer, request->coord[c]);
    if (target->reference < 0)
        return;
    if (instruction->opcode == OP_TEX2)
        fetch_lanes(exec, &instruction->src[1], 0, false, request->coord[3]);
    else
        fetch_lanes(exec, &instruction->src[0], (uint32_t)target->reference, false,
                    request->coord[3]);
}

static void
project(const struct exec *exec, const struct instruction *instruction,
        struct texture_request *request)
{
    float divisor[EXEC_MAX_LANES];
    fetch_lanes(exec, &instruction->src[0], 3, false, divisor);
    for (uint32_t c = 0; c < 4; c++) {
        bool used = c < texture_target_infos[instruction->target].coordinates ||
                    (c == 3 && texture_target_infos[instruction->target].reference >= 0);
        for (uint32_t lane = 0; lane < exec->lanes && used; lane++)
            request->coord[c][lane] /= divisor[lane];
    }
}

static void
fetch_gradients(const struct exec *exec, const struct instruction *instruction,
                struct texture_request *request)
{
    memset(request->ddx, 0, sizeof request->ddx);
    memset(request->ddy, 0, sizeof request->ddy);
    for (uint32_t c = 0; c < texture_target_infos[instruction->target].coordinates; c++) {
        fetch_lanes(exec, &instruction->src[1], c, false, request->ddx[c]);
        fetch_lanes(exec, &instruction->src[2], c, false, request->ddy[c]);
    }
}

/* Returns the sampler that an index selects. OpenGL leaves the result undefined if the index
 * differs between lanes, so the first active lane determines the index. An index out of range
 * selects the first sampler. */
static uint8_t
pick_sampler(const struct exec *exec, const struct instruction *instruction)
{
    const struct source *source = &instruction->src[opcode_infos[instruction->opcode].sources - 1];
    if (!instruction->indirect_sampler || !exec->active)
        return instruction->sampler;
    const int64_t index = exec_lane_index(exec, source->address_index, source->address_channel,
                                          source->index, (uint32_t)__builtin_ctzll(exec->active));
    const bool known =
        index >= 0 && index < MAX_SAMPLERS && exec->program->samplers_used >> index & 1;
    return known ? (uint8_t)index : instruction->sampler;
}

void
exec_request_texture(struct exec *exec, const struct instruction *instruction)
{
    struct texture_request *request = &exec->request;
    request->opcode = plain_opcode(exec, instruction->opcode);
    request->target = instruction->target;
    request->sampler = pick_sampler(exec, instruction);
    memcpy(request->offset, instruction->tex_offset, sizeof request->offset);
    request->mask = exec->active;
    memset(request->coord, 0, sizeof request->coord);
    if (instruction->opcode != OP_TXQ)
        fetch_coordinates(exec, instruction, request);
    switch (instruction->opcode) {
    case OP_TXP: project(exec, instruction, request); break;
    case OP_TXB:
    case OP_TXL: fetch_lanes(exec, &instruction->src[0], 3, false, request->coord[4]); break;
    case OP_TXF: fetch_lanes(exec, &instruction->src[0], 3, true, request->coord[4]); break;
    case OP_TXQ: fetch_lanes(exec, &instruction->src[0], 0, true, request->coord[4]); break;
    case OP_TXB2:
    case OP_TXL2: fetch_lanes(exec, &instruction->src[1], 0, false, request->coord[4]); break;
    case OP_TXD: fetch_gradients(exec, instruction, request); break;
    default: break;
    }
    exec->texture_instruction = instruction;
}

void
exec_texture_done(struct exec *exec, float (*rgba)[EXEC_MAX_LANES])
{
    const struct instruction *instruction = exec->texture_instruction;
    BUG_ON(!instruction, "texels arrive that no instruction waits for");
    vec4f values[MAX_QUADS];
    for (uint32_t c = 0; c < 4; c++) {
        if (!(instruction->dst[0].write_mask >> c & 1))
            continue;
        memcpy(values, rgba[c], exec->lanes * sizeof(float));
        exec_store(exec, &instruction->dst[0], c, values);
    }
    exec->texture_instruction = NULL;
}
