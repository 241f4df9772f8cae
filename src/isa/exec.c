/* The executor: steps, flow control, masks (docs/design/shader.md, Flow control). A group shares
 * one program counter and has a stack of active masks.
 *
 * Each open IF, loop or call has a frame. Lanes that leave early (BRK, CONT, RET) are removed from
 * all frames above their target, so that these frames do not reactivate them. If no active lane is
 * left, the group jumps to the point at which the innermost frame reactivates lanes. Each block has
 * its own masks, but a branch is taken or not for the whole group. */
#include "isa/exec.h"

#include "base/bits.h"
#include "isa/exec_operand.h"

#include <string.h>

enum frame_kind {
    FRAME_IF,   /* saved: resume at ENDIF; other: wait for ELSE; pc: ELSE or ENDIF */
    FRAME_LOOP, /* saved: resume after the loop; other: wait at ENDLOOP; pc: ENDLOOP */
    FRAME_CALL, /* saved: resume after the call; pc: return address */
};

/* Returns the bytes of a register file. Even an empty file gets one register, so that its pointer
 * is valid. */
static uint32_t
file_bytes(uint32_t registers, uint32_t lanes)
{
    return (registers ? registers : 1) * 4 * lanes * (uint32_t)sizeof(float);
}

/* Returns the bytes of the vertices that `lanes` threads of a geometry program emit. */
static uint32_t
emitted_bytes(const struct program *program, uint32_t lanes)
{
    const uint32_t vertices = lanes * program->emitted_vertices;
    if (program->stage != STAGE_GEOMETRY)
        return 0;
    return vertices * program->output_count * 4 * (uint32_t)sizeof(float) +
           lanes * (uint32_t)sizeof(uint32_t) + vertices;
}

uint32_t
exec_size(const struct program *program, uint32_t lanes)
{
    return emitted_bytes(program, lanes) + file_bytes(program_input_registers(program), lanes) +
           file_bytes(program->output_count, lanes) + file_bytes(program->temp_count, lanes) +
           file_bytes(program->address_count, lanes) + file_bytes(program->system_count, lanes);
}

static float *
take_file(uint8_t **memory, uint32_t registers, uint32_t lanes)
{
    float *file = (float *)*memory;
    *memory += file_bytes(registers, lanes);
    return file;
}

static void
begin_emitting(struct exec *exec, uint8_t *memory)
{
    const struct program *program = exec->program;
    const size_t vertices = (size_t)exec->lanes * program->emitted_vertices;
    exec->emitted = (float *)memory;
    memory += vertices * program->output_count * 4 * sizeof(float);
    exec->emitted_count = (uint32_t *)memory;
    exec->ends = memory + exec->lanes * sizeof(uint32_t);
    memset(exec->emitted_count, 0, exec->lanes * sizeof(uint32_t));
    memset(exec->ends, 0, vertices);
}

void
exec_begin(struct exec *exec, const struct program *program, const float (*constants)[4],
           uint32_t constant_count, uint32_t lanes, uint64_t mask, void *memory)
{
    BUG_ON(lanes == 0 || lanes % 4 || lanes > EXEC_MAX_LANES, "%u lanes", lanes);
    uint8_t *at = memory;
    exec->program = program;
    exec->constants = constants;
    exec->constant_count = constants ? constant_count : 0;
    exec->lanes = lanes;
    exec->blocks = 1;
    exec->pc = 0;
    exec->full = exec->active = exec->alive = mask;
    exec->killed = exec->helpers = 0;
    exec->depth = 0;
    exec->limit = exec->look_at = EXEC_THREAD_LIMIT;
    exec->issued = exec->counted = 0;
    exec->counted_lanes = mask;
    memset(exec->ran, 0, sizeof exec->ran);
    exec->lane_mask_of = 0;
    memset(exec->lane_mask, 0, sizeof exec->lane_mask);
    exec->texture_instruction = NULL;
    exec->inputs = take_file(&at, program_input_registers(program), lanes);
    exec->systems = take_file(&at, program->system_count, lanes);
    exec->outputs = take_file(&at, program->output_count, lanes);
    exec->temps = take_file(&at, program->temp_count, lanes);
    exec->address = (int32_t *)take_file(&at, program->address_count, lanes);
    memset(exec->files, 0, sizeof exec->files);
    exec->files[FILE_INPUT] = exec->inputs;
    exec->files[FILE_SYSTEM] = exec->systems;
    exec->files[FILE_OUTPUT] = exec->outputs;
    exec->files[FILE_TEMP] = exec->temps;
    exec->files[FILE_ADDRESS] = (float *)exec->address;
    memset(exec->outputs, 0, (size_t)(at - (uint8_t *)exec->outputs));
    if (program->stage == STAGE_GEOMETRY)
        begin_emitting(exec, at);
}

void
exec_join(struct exec *blocks, uint32_t count)
{
    BUG_ON(count == 0 || count > EXEC_MAX_BLOCKS, "%u blocks", count);
    blocks->blocks = count;
}

uint32_t
exec_active_lanes(const struct exec *exec)
{
    uint32_t lanes = 0;
    for (uint32_t b = 0; b < exec->blocks; b++)
        lanes += bits_count(exec[b].active);
    return lanes;
}

uint32_t
exec_helper_lanes(const struct exec *exec)
{
    uint32_t lanes = 0;
    for (uint32_t b = 0; b < exec->blocks; b++) {
        const uint64_t helpers = exec[b].active & (exec[b].helpers | exec[b].killed);
        if (helpers)
            lanes += bits_count(helpers);
    }
    return lanes;
}

static bool
any_active(const struct exec *exec)
{
    uint64_t lanes = 0;
    for (uint32_t b = 0; b < exec->blocks; b++)
        lanes |= exec[b].active;
    return lanes != 0;
}

static bool
any_alive(const struct exec *exec)
{
    uint64_t lanes = 0;
    for (uint32_t b = 0; b < exec->blocks; b++)
        lanes |= exec[b].alive;
    return lanes != 0;
}

static void
end_all(struct exec *exec)
{
    for (uint32_t b = 0; b < exec->blocks; b++)
        exec[b].alive = 0;
}

/* Opens a frame with an empty `other`. Returns its index in the stacks. */
static uint32_t
push_frame(struct exec *exec, enum frame_kind kind, uint32_t pc)
{
    BUG_ON(exec->depth == EXEC_MAX_NESTING, "program %u nests too deeply", exec->program->id);
    const uint32_t at = exec->depth++;
    exec->stack[at].kind = kind;
    exec->stack[at].pc = pc;
    for (uint32_t b = 0; b < exec->blocks; b++) {
        exec[b].stack[at].saved = exec[b].active;
        exec[b].stack[at].other = 0;
    }
    return at;
}

static uint32_t
top_frame(const struct exec *exec)
{
    BUG_ON(!exec->depth, "program %u ends a block that is not open", exec->program->id);
    return exec->depth - 1;
}

/* Closes the innermost frame and reactivates the lanes that it saved. */
static void
pop_frame(struct exec *exec)
{
    const uint32_t at = top_frame(exec);
    for (uint32_t b = 0; b < exec->blocks; b++)
        exec[b].active = exec[b].stack[at].saved;
    exec->depth--;
}

/* Called when no lane is active. Jumps to the point at which the innermost frame reactivates
 * lanes. */
static void
skip_to_rejoin(struct exec *exec)
{
    if (exec->depth) {
        const struct exec_frame *frame = &exec->stack[top_frame(exec)];
        exec->pc = frame->pc;
        if (frame->kind == FRAME_CALL)
            pop_frame(exec);
        return;
    }
    end_all(exec);
}

/* Returns the lanes whose x is nonzero: as a float for IF, as bits for UIF. */
static uint64_t
lanes_true(struct exec *block, const struct instruction *instruction)
{
    bool integer = instruction->opcode == OP_UIF;
    struct scratch scratch;
    struct operand operand = exec_operand(block, &instruction->src[0], 0, integer, &scratch);
    uint64_t lanes = 0;
    for (uint32_t q = 0; q < block->lanes / 4; q++) {
        vec4f v = operand_quad(&operand, q);
        vec4i yes = integer ? (vec4u)v != 0 : v != 0.0f;
        for (uint32_t i = 0; i < 4; i++)
            lanes |= (uint64_t)(yes[i] & 1) << (q * 4 + i);
    }
    return lanes;
}

static void
flow_if(struct exec *exec, const struct instruction *instruction)
{
    const uint32_t at = push_frame(exec, FRAME_IF, instruction->label);
    for (uint32_t b = 0; b < exec->blocks; b++) {
        if (!exec[b].active)
            continue;
        uint64_t yes = lanes_true(&exec[b], instruction);
        exec[b].stack[at].other = exec[b].active & ~yes;
        exec[b].active &= yes;
    }
    if (!any_active(exec))
        exec->pc = instruction->label;
}

static void
flow_else(struct exec *exec, const struct instruction *instruction)
{
    const uint32_t at = top_frame(exec);
    for (uint32_t b = 0; b < exec->blocks; b++) {
        exec[b].active = exec[b].stack[at].other;
        exec[b].stack[at].other = 0;
    }
    exec->stack[at].pc = instruction->label;
    if (!any_active(exec))
        exec->pc = instruction->label;
}

/* Closes the frame at ENDIF, ENDLOOP or ENDSUB. Its saved lanes continue. */
static void
flow_close(struct exec *exec)
{
    pop_frame(exec);
    if (!any_active(exec))
        skip_to_rejoin(exec);
}

static void
flow_endloop(struct exec *exec, const struct instruction *instruction)
{
    const uint32_t at = top_frame(exec);
    for (uint32_t b = 0; b < exec->blocks; b++) {
        exec[b].active |= exec[b].stack[at].other;
        exec[b].stack[at].other = 0;
    }
    if (any_active(exec))
        exec->pc = instruction->label + 1u;
    else
        flow_close(exec);
}

/* Removes active lanes from all frames above the innermost frame of a kind, or from all frames.
 * Returns the index of that frame, or -1 if there is none. */
static int32_t
leave_blocks(struct exec *exec, enum frame_kind kind)
{
    for (uint32_t d = exec->depth; d-- > 0;) {
        if (exec->stack[d].kind == kind)
            return (int32_t)d;
        for (uint32_t b = 0; b < exec->blocks; b++)
            /* `other` needs no change, because lanes that wait there are not active */
            exec[b].stack[d].saved &= ~exec[b].active;
    }
    return -1;
}

static void
flow_leave_loop(struct exec *exec, bool comes_back)
{
    const int32_t at = leave_blocks(exec, FRAME_LOOP);
    BUG_ON(at < 0, "program %u leaves a loop outside of a loop", exec->program->id);
    for (uint32_t b = 0; b < exec->blocks; b++) {
        if (comes_back)
            exec[b].stack[at].other |= exec[b].active;
        exec[b].active = 0;
    }
    skip_to_rejoin(exec);
}

static void
flow_return(struct exec *exec)
{
    const bool ends = leave_blocks(exec, FRAME_CALL) < 0;
    for (uint32_t b = 0; b < exec->blocks; b++) {
        if (ends)
            exec[b].alive &= ~exec[b].active;
        exec[b].active = 0;
    }
    skip_to_rejoin(exec);
}

/* Returns the lanes with at least one negative channel. */
static uint64_t
lanes_negative(struct exec *block, const struct instruction *instruction)
{
    uint64_t lanes = 0;
    for (uint32_t c = 0; c < 4; c++) {
        struct scratch scratch;
        struct operand operand = exec_operand(block, &instruction->src[0], c, false, &scratch);
        for (uint32_t q = 0; q < block->lanes / 4; q++) {
            vec4i less = operand_quad(&operand, q) < 0.0f;
            for (uint32_t i = 0; i < 4; i++)
                lanes |= (uint64_t)(less[i] & 1) << (q * 4 + i);
        }
    }
    return lanes;
}

static void
flow_kill(struct exec *exec, const struct instruction *instruction)
{
    for (uint32_t b = 0; b < exec->blocks; b++) {
        uint64_t lanes = exec[b].active;
        if (instruction->opcode == OP_KILL_IF && lanes)
            lanes &= lanes_negative(&exec[b], instruction);
        exec[b].killed |= lanes;
        exec[b].alive &= ~lanes;
    }
}

/* Copies the outputs of a lane to its next vertex. A thread that has emitted all vertices of its
 * limit emits no more (GLSL 1.50, 8.10). */
static void
emit_vertex(struct exec *block, uint32_t lane)
{
    const struct program *program = block->program;
    if (block->emitted_count[lane] == program->emitted_vertices)
        return;
    float(*to)[4] = exec_emitted(block, lane, block->emitted_count[lane]++);
    for (uint32_t o = 0; o < program->output_count; o++)
        for (uint32_t c = 0; c < 4; c++)
            to[o][c] = block->outputs[((size_t)o * 4 + c) * block->lanes + lane];
}

static void
flow_emit(struct exec *exec, const struct instruction *instruction)
{
    for (uint32_t b = 0; b < exec->blocks; b++) {
        struct exec *block = &exec[b];
        for (uint32_t lane = 0; lane < block->lanes; lane++) {
            const uint32_t count = block->emitted_count[lane];
            if (!(block->active >> lane & 1))
                continue;
            if (instruction->opcode == OP_EMIT)
                emit_vertex(block, lane);
            else if (count)
                block->ends[lane * block->program->emitted_vertices + count - 1] = 1;
        }
    }
}

static void
exec_flow(struct exec *exec, const struct instruction *instruction)
{
    switch (instruction->opcode) {
    case OP_IF:
    case OP_UIF: flow_if(exec, instruction); break;
    case OP_ELSE: flow_else(exec, instruction); break;
    case OP_ENDIF: flow_close(exec); break;
    case OP_BGNLOOP: push_frame(exec, FRAME_LOOP, instruction->label); break;
    case OP_ENDLOOP: flow_endloop(exec, instruction); break;
    case OP_BRK: flow_leave_loop(exec, false); break;
    case OP_CONT: flow_leave_loop(exec, true); break;
    case OP_CAL:
        push_frame(exec, FRAME_CALL, exec->pc);
        exec->pc = instruction->label;
        break;
    case OP_RET: flow_return(exec); break;
    case OP_ENDSUB:
        exec->pc = exec->stack[top_frame(exec)].pc;
        flow_close(exec);
        break;
    case OP_KILL:
    case OP_KILL_IF: flow_kill(exec, instruction); break;
    case OP_EMIT:
    case OP_ENDPRIM: flow_emit(exec, instruction); break;
    case OP_END: end_all(exec); break;
    case OP_BGNSUB:
    case OP_NOP: break;
    default: BUG("%s is not a flow control instruction", opcode_infos[instruction->opcode].name);
    }
}

/* Per-thread instruction counts, which are updated only when the active mask changes. */

static void
count_block(struct exec *block, uint64_t issued)
{
    const uint32_t more = (uint32_t)(issued - block->counted);
    for (uint32_t lane = 0; lane < block->lanes; lane++)
        block->ran[lane] += block->counted_lanes >> lane & 1 ? more : 0;
    block->counted = issued;
    block->counted_lanes = block->active;
}

static void
count_changed(struct exec *exec)
{
    for (uint32_t b = 0; b < exec->blocks; b++)
        if (exec[b].active != exec[b].counted_lanes)
            count_block(&exec[b], exec->issued);
}

/* Returns the lanes that are active or that wait in one of the first `depth` frames. */
static uint64_t
lanes_inside(const struct exec *block, uint32_t depth)
{
    uint64_t lanes = block->active;
    for (uint32_t d = 0; d < depth; d++)
        lanes |= block->stack[d].saved | block->stack[d].other;
    return lanes;
}

/* Returns the lanes of quads without a live lane. */
static uint64_t
lanes_of_dead_quads(const struct exec *block)
{
    const uint64_t firsts = UINT64_C(0x1111111111111111);
    const uint64_t pairs = block->alive | block->alive >> 1;
    return ~(((pairs | pairs >> 2) & firsts) * 15);
}

static void
stop_lanes(struct exec *block, uint32_t depth, uint64_t lanes)
{
    block->active &= ~lanes;
    for (uint32_t d = 0; d < depth; d++) {
        block->stack[d].saved &= ~lanes;
        block->stack[d].other &= ~lanes;
    }
}

/* Stops active lanes that have reached the limit in a quad without a live lane. Returns true if any
 * other lane has reached the limit, which means that the program is endless. Raises *most to the
 * largest count of the remaining threads. */
static bool
stop_at_limit(struct exec *exec, struct exec *block, uint64_t *most)
{
    uint64_t at_limit = 0;
    count_block(block, exec->issued);
    for (uint32_t lane = 0; lane < block->lanes; lane++)
        at_limit |= (uint64_t)(block->ran[lane] >= exec->limit) << lane;
    if (at_limit & block->active & ~lanes_of_dead_quads(block))
        return true;
    stop_lanes(block, exec->depth, at_limit & block->active);
    block->counted_lanes = block->active;
    const uint64_t inside = lanes_inside(block, exec->depth);
    for (uint32_t lane = 0; lane < block->lanes; lane++)
        if (inside >> lane & 1 && block->ran[lane] > *most)
            *most = block->ran[lane];
    return false;
}

/* Called when a thread may have reached its limit. If no thread has, computes when to check again.
 * A waiting thread may already be at its limit, so the next check is at least one instruction
 * later. */
static bool
is_endless(struct exec *exec)
{
    const bool active = any_active(exec);
    uint64_t most = 0;
    for (uint32_t b = 0; b < exec->blocks; b++)
        if (stop_at_limit(exec, &exec[b], &most))
            return true;
    exec->look_at = exec->issued + (most < exec->limit ? exec->limit - most : 1);
    if (active && !any_active(exec))
        skip_to_rejoin(exec);
    return false;
}

static void
request_texels(struct exec *exec, const struct instruction *instruction)
{
    for (uint32_t b = 0; b < exec->blocks; b++)
        if (exec[b].active)
            exec_request_texture(&exec[b], instruction);
        else
            exec[b].request.mask = 0;
}

enum exec_event
exec_step(struct exec *exec)
{
    if (!any_alive(exec))
        return EXEC_END;
    if (exec->issued >= exec->look_at && exec->program->instructions[exec->pc].opcode != OP_END &&
        is_endless(exec))
        return EXEC_ENDLESS;
    const struct instruction *instruction = &exec->program->instructions[exec->pc++];
    exec->issued += instruction->opcode != OP_END;
    switch (opcode_infos[instruction->opcode].shape) {
    case SHAPE_TEXTURE: request_texels(exec, instruction); return EXEC_TEXTURE;
    case SHAPE_FLOW:
        exec_flow(exec, instruction);
        count_changed(exec);
        return any_alive(exec) ? EXEC_NEXT : EXEC_END;
    default:
        for (uint32_t b = 0; b < exec->blocks; b++)
            if (exec[b].active)
                exec_alu(&exec[b], instruction);
        return EXEC_NEXT;
    }
}

static void
sample_blocks(struct exec *exec, exec_sample_fn *sample, void *data)
{
    float rgba[4][EXEC_MAX_LANES];
    for (uint32_t b = 0; b < exec->blocks; b++) {
        if (!exec[b].request.mask)
            continue;
        sample(data, &exec[b].request, exec[b].lanes, rgba);
        exec_texture_done(&exec[b], rgba);
    }
}

bool
exec_run(struct exec *exec, exec_sample_fn *sample, void *data)
{
    for (exec->steps = 0;; exec->steps++) {
        switch (exec_step(exec)) {
        case EXEC_NEXT: break;
        case EXEC_TEXTURE: sample_blocks(exec, sample, data); break;
        case EXEC_END: return true;
        case EXEC_ENDLESS: return false;
        }
    }
}
