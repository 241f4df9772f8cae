/* Finds the temporaries that each instruction reads and writes, and the maximum number alive at
 * once. Mesa declares more registers than a thread needs at any time. The thread limit of the
 * shader unit depends on that maximum (docs/design/shader.md, Registers and liveness).
 *
 * The method is backward data flow with one bit per channel. It is conservative: temporaries that
 * an indirect access can reach are alive everywhere, and a subroutine returns to all its
 * callers. */
#include "isa/program_parser.h"

#include <stdlib.h>
#include <string.h>

struct liveness {
    struct parser *parser;
    uint32_t count, words;
    uint64_t *in;      /* [instruction][word]: alive before the instruction */
    uint64_t *returns; /* alive after any call */
    uint64_t *pinned;  /* temporaries that indirect accesses can reach */
    uint64_t *scratch;
};

static struct temp_range
indirect_range(const struct parser *parser, uint8_t array)
{
    struct temp_range range = parser->arrays[array];
    if (array && range.last >= range.first && range.last < parser->program->temp_count)
        return range;
    return (struct temp_range){0, parser->program->temp_count - 1};
}

/* Returns the temporaries of one operand; first > last if there are none. */
static struct temp_range
operand_temps(const struct parser *parser, uint8_t file, bool indirect, uint8_t array,
              int32_t index)
{
    if (file != FILE_TEMP || !parser->program->temp_count)
        return (struct temp_range){1, 0};
    if (indirect)
        return indirect_range(parser, array);
    return (struct temp_range){(uint32_t)index, (uint32_t)index};
}

static struct temp_range
source_temps(const struct parser *parser, const struct source *source)
{
    return operand_temps(parser, source->file, source->indirect, source->array, source->index);
}

static struct temp_range
destination_temps(const struct parser *parser, const struct destination *dst)
{
    return operand_temps(parser, dst->file, dst->indirect, dst->array, dst->index);
}

static void
add_range(uint64_t *mask, struct temp_range range)
{
    for (uint32_t t = range.first; t <= range.last && t - range.first < 64; t++)
        *mask |= 1ull << t % 64;
}

static bool
same_register(const struct source *a, const struct source *b)
{
    return a->file == b->file && a->index == b->index && a->indirect == b->indirect &&
           (!a->indirect ||
            (a->address_index == b->address_index && a->address_channel == b->address_channel));
}

/* Returns whether writing the channels in the order x y z w could overwrite the source of a later
 * one. */
static bool
finds_overlap(const struct instruction *instruction)
{
    const struct destination *dst = &instruction->dst[0];
    for (uint32_t s = 0; s < opcode_infos[instruction->opcode].sources; s++) {
        const struct source *source = &instruction->src[s];
        if (source->file != dst->file)
            continue;
        if (source->indirect)
            return true;
        if (source->index != dst->index)
            continue;
        for (uint32_t c = 0; c < 4; c++)
            if (dst->write_mask >> c & 1 && source->swizzle[c] < c &&
                dst->write_mask >> source->swizzle[c] & 1)
                return true;
    }
    return false;
}

static bool
file_of_lanes(uint8_t file)
{
    return file == FILE_INPUT || file == FILE_OUTPUT || file == FILE_TEMP || file == FILE_ADDRESS ||
           file == FILE_SYSTEM;
}

/* Returns the number of channels that execution can process together (program.h). */
static uint8_t
contiguous_channels(const struct instruction *instruction)
{
    const struct opcode_info *info = &opcode_infos[instruction->opcode];
    const struct destination *dst = &instruction->dst[0];
    bool prefix = (dst->write_mask & (dst->write_mask + 1)) == 0;
    if (info->shape != SHAPE_COMPONENT || !prefix || dst->indirect || !file_of_lanes(dst->file))
        return 0;
    uint8_t channels = (uint8_t)__builtin_popcount(dst->write_mask);
    for (uint32_t s = 0; s < info->sources; s++) {
        const struct source *source = &instruction->src[s];
        if (!file_of_lanes(source->file) || source->indirect || source->negate || source->absolute)
            return 0;
        for (uint32_t c = 0; c < channels; c++)
            if (source->swizzle[c] != c)
                return 0;
    }
    return channels;
}

static void
describe_instruction(const struct parser *parser, struct instruction *instruction)
{
    const struct opcode_info *info = &opcode_infos[instruction->opcode];
    for (uint32_t d = 0; d < info->destinations; d++) {
        const struct destination *dst = &instruction->dst[d];
        add_range(&instruction->temps_written, destination_temps(parser, dst));
        instruction->reads_address |= dst->indirect;
        instruction->writes_address |= dst->file == FILE_ADDRESS;
    }
    for (uint32_t s = 0; s < info->sources; s++) {
        const struct source *source = &instruction->src[s];
        add_range(&instruction->temps_read, source_temps(parser, source));
        instruction->reads_address |= source->indirect || source->file == FILE_ADDRESS;
        if (source->file == FILE_CONSTANT && source->buffer > 0)
            instruction->block_sources |= (uint8_t)(1u << s);
        bool is_new = source->file != FILE_NULL && source->file != FILE_SAMPLER;
        for (uint32_t k = 0; k < s && is_new; k++)
            is_new = !same_register(source, &instruction->src[k]);
        instruction->port_count += is_new;
    }
    instruction->overlaps = info->destinations && finds_overlap(instruction);
    instruction->contiguous = contiguous_channels(instruction);
}

static uint64_t *
live_in(struct liveness *live, uint32_t i)
{
    return live->in + (size_t)i * live->words;
}

static void
unite(uint64_t *set, const uint64_t *other, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        set[w] |= other[w];
}

/* Sets `out` to the channels that are alive after instruction i. */
static void
live_out(struct liveness *live, uint32_t i, uint64_t *out)
{
    const struct instruction *items = live->parser->instructions.items;
    const struct instruction *instruction = &items[i];
    uint32_t next = i + 1, other = UINT32_MAX;
    switch (instruction->opcode) {
    case OP_IF:
    case OP_UIF:
        other = items[instruction->label].opcode == OP_ELSE ? instruction->label + 1u
                                                            : instruction->label;
        break;
    case OP_CAL: other = instruction->label; break;
    case OP_BRK: next = instruction->label + 1u; break;
    case OP_ELSE:
    case OP_ENDLOOP:
    case OP_CONT:
    case OP_RET: next = instruction->label; break;
    case OP_END:
    case OP_ENDSUB: next = UINT32_MAX; break;
    default: break;
    }
    memset(out, 0, live->words * sizeof *out);
    if (next < live->count)
        unite(out, live_in(live, next), live->words);
    if (other < live->count)
        unite(out, live_in(live, other), live->words);
    if (instruction->opcode == OP_ENDSUB)
        unite(out, live->returns, live->words);
}

static void
add_channels(uint64_t *set, uint32_t temp, uint8_t channels)
{
    set[temp / 16] |= (uint64_t)channels << temp % 16 * 4;
}

/* Recomputes the set of one instruction. Returns whether it changed. */
static bool
live_update(struct liveness *live, uint32_t i)
{
    const struct instruction *instruction = &live->parser->instructions.items[i];
    const struct opcode_info *info = &opcode_infos[instruction->opcode];
    uint64_t *set = live->scratch, *in = live_in(live, i);
    live_out(live, i, set);
    if (instruction->opcode == OP_CAL && i + 1 < live->count)
        unite(live->returns, live_in(live, i + 1), live->words);
    for (uint32_t d = 0; d < info->destinations; d++) {
        const struct destination *dst = &instruction->dst[d];
        if (dst->file == FILE_TEMP && !dst->indirect)
            set[dst->index / 16] &= ~((uint64_t)dst->write_mask << dst->index % 16 * 4);
    }
    for (uint32_t s = 0; s < info->sources; s++) {
        const struct source *source = &instruction->src[s];
        if (source->file == FILE_TEMP && !source->indirect)
            add_channels(set, (uint32_t)source->index, instruction_channels_read(instruction, s));
    }
    bool changed = false;
    for (uint32_t w = 0; w < live->words; w++) {
        changed = changed || in[w] != set[w];
        in[w] = set[w];
    }
    return changed;
}

static uint32_t
count_temps(const struct liveness *live, const uint64_t *set)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < live->words; w++) {
        uint64_t x = set[w] | live->pinned[w];
        x |= x >> 1;
        x |= x >> 2;
        n += (uint32_t)__builtin_popcountll(x & 0x1111111111111111u);
    }
    return n;
}

/* Returns the maximum over all points: before each instruction, and after it including its
 * results. */
static uint32_t
live_maximum(struct liveness *live)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < live->count; i++) {
        const struct instruction *instruction = &live->parser->instructions.items[i];
        uint32_t before = count_temps(live, live_in(live, i));
        live_out(live, i, live->scratch);
        for (uint32_t d = 0; d < opcode_infos[instruction->opcode].destinations; d++)
            if (instruction->dst[d].file == FILE_TEMP && !instruction->dst[d].indirect)
                add_channels(live->scratch, (uint32_t)instruction->dst[d].index, 0xf);
        uint32_t behind = count_temps(live, live->scratch);
        most = before > most ? before : most;
        most = behind > most ? behind : most;
    }
    return most;
}

static void
pin(struct liveness *live, struct temp_range range)
{
    for (uint32_t t = range.first; t <= range.last; t++)
        add_channels(live->pinned, t, 0xf);
}

/* Pins the temporaries that indirect accesses can reach. Without indirect accesses, drops the
 * registers above the last one used. */
static void
live_pin(struct liveness *live)
{
    struct parser *parser = live->parser;
    uint32_t used = 0;
    bool indirect = false;
    for (uint32_t i = 0; i < live->count; i++) {
        const struct instruction *instruction = &parser->instructions.items[i];
        const struct opcode_info *info = &opcode_infos[instruction->opcode];
        for (uint32_t k = 0; k < info->destinations + info->sources; k++) {
            bool is_dst = k < info->destinations;
            const struct destination *dst = &instruction->dst[is_dst ? k : 0];
            const struct source *source = &instruction->src[is_dst ? 0 : k - info->destinations];
            struct temp_range range =
                is_dst ? destination_temps(parser, dst) : source_temps(parser, source);
            bool reaches = range.first <= range.last && (is_dst ? dst->indirect : source->indirect);
            if (reaches)
                pin(live, range);
            indirect = indirect || reaches;
            if (range.first <= range.last && range.last >= used)
                used = range.last + 1;
        }
    }
    if (!indirect)
        parser->program->temp_count = used;
}

void
program_find_liveness(struct parser *parser)
{
    struct liveness live = {
        .parser = parser,
        .count = (uint32_t)parser->instructions.count,
        .words = (parser->program->temp_count + 15) / 16,
    };
    live.in = mem_array((size_t)live.count * live.words, sizeof *live.in);
    live.returns = mem_array(live.words, sizeof *live.returns);
    live.pinned = mem_array(live.words, sizeof *live.pinned);
    live.scratch = mem_array(live.words, sizeof *live.scratch);
    live_pin(&live);
    for (uint32_t i = 0; i < live.count; i++)
        describe_instruction(parser, &parser->instructions.items[i]);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = live.count; i-- > 0;)
            changed = live_update(&live, i) || changed;
    }
    parser->program->live_temps = live_maximum(&live);
    free(live.in);
    free(live.returns);
    free(live.pinned);
    free(live.scratch);
}
