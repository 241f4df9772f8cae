#include "sim/command_stream.h"

#include <string.h>

void
command_stream_init(struct command_stream *stream, const struct params *params)
{
    memset(stream, 0, sizeof *stream);
    stream->counts_constants = params->COMMANDPROCESSOR.ConstantTraffic;
    stream->memory_size = params->COMMANDPROCESSOR.InstructionMemory;
    stream->unified = params->GPU.UnifiedShader;
}

void
command_stream_fini(struct command_stream *stream)
{
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++) {
        VEC_FREE(&stream->constants[stage]);
        VEC_FREE(&stream->memories[stage].programs);
    }
}

void
command_stream_reset(struct command_stream *stream)
{
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++) {
        stream->constants[stage].count = 0;
        stream->memories[stage].programs.count = stream->memories[stage].used = 0;
    }
}

uint32_t
command_stream_take_constants(struct command_stream *stream, const struct draw *draw)
{
    uint32_t changed = 0;
    for (uint32_t stage = 0; stage < STAGE_COUNT && stream->counts_constants; stage++) {
        const struct program *program = draw->program[stage];
        const uint32_t count = program ? program->constant_buffers[0].count : 0;
        const uint32_t known = (uint32_t)stream->constants[stage].count;
        VEC_RESERVE(&stream->constants[stage], count);
        struct stream_constant *file = stream->constants[stage].items;
        for (uint32_t i = 0; i < count; i++) {
            const float *value = draw->constants[stage][i];
            if (i < known && !memcmp(file[i].value, value, sizeof file[i]))
                continue;
            memcpy(file[i].value, value, sizeof file[i]);
            changed++;
        }
        if (count > known)
            stream->constants[stage].count = count;
    }
    return changed;
}

static void
remove_program(struct stream_memory *memory, size_t at)
{
    memory->used -= memory->programs.items[at].instructions;
    memory->programs.count--;
    memmove(memory->programs.items + at, memory->programs.items + at + 1,
            (memory->programs.count - at) * sizeof *memory->programs.items);
}

uint32_t
command_stream_take_program(struct command_stream *stream, const struct program *program,
                            bool *evicts)
{
    struct stream_memory *memory = &stream->memories[stream->unified ? 0 : program->stage];
    const struct stream_program entry = {program->id, program->instruction_count};
    bool there = false;
    if (!stream->memory_size)
        return 0;
    for (size_t i = 0; i < memory->programs.count && !there; i++)
        if ((there = memory->programs.items[i].id == entry.id))
            remove_program(memory, i);
    while (memory->programs.count && memory->used + entry.instructions > stream->memory_size) {
        remove_program(memory, 0);
        *evicts = true;
    }
    VEC_PUSH(&memory->programs, entry);
    memory->used += entry.instructions;
    return there ? 0 : entry.instructions;
}
