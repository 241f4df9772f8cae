/* Block states, and conversion of blocks by codecs (unit/rop/blocks.h). */
#include "unit/rop/blocks.h"

#include "base/bits.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void
blocks_init(struct blocks *blocks, uint32_t rops, uint32_t block_bytes, uint32_t memory_bytes,
            uint32_t limit, const struct codec *codec)
{
    memset(blocks, 0, sizeof *blocks);
    blocks->rops = rops;
    blocks->block_bytes = block_bytes;
    blocks->limit = limit;
    blocks->codec = codec;
    blocks->states = mem_alloc(memory_bytes / block_bytes);
}

void
blocks_fini(struct blocks *blocks)
{
    free(blocks->states);
}

uint32_t
blocks_quad_address(const struct bound_surface *surface, uint32_t layer, uint32_t x, uint32_t y)
{
    return surface->res->address +
           resource_offset(surface->res, surface->level, x, y, surface->layer + layer, 0);
}

/* Index of the byte that holds this color channel and nothing else. Returns 4 if the format has no
 * such byte. */
static uint32_t
byte_of_channel(const struct format_info *format, uint32_t channel)
{
    float rgba[4] = {0, 0, 0, 0};
    uint8_t zero[4], one[4];
    uint32_t byte = 4, changed = 0;
    format->pack(rgba, zero);
    rgba[channel] = 1;
    format->pack(rgba, one);
    for (uint32_t i = 0; i < 4; i++) {
        changed += one[i] != zero[i];
        if (one[i] != zero[i] && (one[i] == 0xff || one[i] == 0x7f)) /* 0x7f in signed formats */
            byte = i;
    }
    return changed == 1 ? byte : 4;
}

/* Finds the position of each byte of an element in a codec's word. Color words hold R, G, B and A
 * from high to low. X takes the position of A. Depth words hold depth above stencil. Formats
 * without 8-bit channels keep their byte order. */
static void
find_shifts(struct block_surface *surface)
{
    const struct format_info *format = surface->bound.format;
    uint32_t bytes_placed = 0, last_channel = 3;
    bool low = format->depth_bits == 24 && format->depth_shift == 0;
    for (uint32_t i = 0; i < 4; i++)
        surface->shift[i] = (uint8_t)(8 * ((i + low) % 4));
    if (format->depth_bits || format->stencil_bits)
        return;
    for (uint32_t channel = 0; channel < 4; channel++) {
        uint32_t byte = byte_of_channel(format, channel);
        if (byte == 4) {
            last_channel = channel;
            continue;
        }
        surface->shift[byte] = (uint8_t)(8 * (3 - channel));
        bytes_placed |= 1u << byte;
    }
    if (bits_count(bytes_placed) == 3)
        surface->shift[__builtin_ctz(~bytes_placed)] = (uint8_t)(8 * (3 - last_channel));
    else if (bytes_placed != 15)
        for (uint32_t i = 0; i < 4; i++)
            surface->shift[i] = (uint8_t)(8 * i);
}

struct block_surface *
blocks_find(struct blocks *blocks, const struct bound_surface *bound)
{
    uint32_t first = blocks_quad_address(bound, 0, 0, 0);
    for (uint32_t s = 0; s < blocks->surface_count; s++)
        if (blocks->surfaces[s].first == first)
            return &blocks->surfaces[s];
    return NULL;
}

/* Number of states per ROP that a surface needs. */
static uint32_t
states_for(const struct blocks *blocks, const struct bound_surface *bound)
{
    const uint32_t a_round = blocks->block_bytes * blocks->rops;
    return (bound->res->levels[bound->level].slice_bytes + a_round - 1) / a_round;
}

bool
blocks_have_room(const struct blocks *blocks, const struct bound_surface *bound)
{
    return blocks->surface_count < BLOCKS_MAX_SURFACES &&
           blocks->limit - blocks->given >= states_for(blocks, bound);
}

struct block_surface *
blocks_add(struct blocks *blocks, const struct bound_surface *bound)
{
    const struct resource_level *level = &bound->res->levels[bound->level];
    BUG_ON(blocks->surface_count == BLOCKS_MAX_SURFACES, "rop: too many surfaces");
    struct block_surface *surface = &blocks->surfaces[blocks->surface_count++];
    const uint32_t left = blocks->limit - blocks->given, wanted = states_for(blocks, bound);
    *surface = (struct block_surface){.bound = *bound,
                                      .first = blocks_quad_address(bound, 0, 0, 0),
                                      .tiles_x = level->tiles_x,
                                      .states = wanted < left ? wanted : left};
    surface->end = surface->first + level->slice_bytes;
    surface->has_words =
        blocks->block_bytes == CODEC_BLOCK_BYTES && bound->format->block_bytes == 4;
    if (surface->has_words)
        find_shifts(surface);
    blocks->given += surface->states;
    return surface;
}

void
blocks_touch(struct blocks *blocks, struct block_surface *surface)
{
    surface->used = ++blocks->uses;
}

void
blocks_remove(struct blocks *blocks, struct block_surface *surface)
{
    memset(blocks->states + surface->first / blocks->block_bytes, BLOCK_RAW,
           blocks_of_surface(blocks, surface));
    blocks->given -= surface->states;
    *surface = blocks->surfaces[--blocks->surface_count];
}

const struct block_surface *
blocks_surface(const struct blocks *blocks, uint32_t address)
{
    for (uint32_t s = 0; s < blocks->surface_count; s++)
        if (address >= blocks->surfaces[s].first && address < blocks->surfaces[s].end)
            return &blocks->surfaces[s];
    return NULL;
}

uint32_t
blocks_owner(const struct blocks *blocks, const struct block_surface *surface, uint32_t n)
{
    uint32_t tile = n / (surface->bound.res->tile_bytes / blocks->block_bytes);
    return rop_of_tile(tile % surface->tiles_x, tile / surface->tiles_x, blocks->rops);
}

/* words_of_line() and line_of_words() convert between a line and the words of codec.h. */
static void
words_of_line(const struct block_surface *surface, const uint8_t *line, uint32_t *words)
{
    for (uint32_t i = 0; i < CODEC_WORDS; i++, line += 4)
        words[i] = (uint32_t)line[0] << surface->shift[0] | (uint32_t)line[1] << surface->shift[1] |
                   (uint32_t)line[2] << surface->shift[2] | (uint32_t)line[3] << surface->shift[3];
}

static void
line_of_words(const struct block_surface *surface, const uint32_t *words, uint8_t *line)
{
    for (uint32_t i = 0; i < CODEC_WORDS; i++, line += 4)
        for (uint32_t b = 0; b < 4; b++)
            line[b] = (uint8_t)(words[i] >> surface->shift[b]);
}

static struct codec_shape
shape_of(const struct block_surface *surface)
{
    return (struct codec_shape){CODEC_BUS_64, surface->bound.samples};
}

/* Whether a line at this address would be compressed by any codec. */
static bool
is_for_codec(const struct blocks *blocks, const struct block_surface *surface, uint32_t address)
{
    return surface && surface->has_words &&
           blocks_reach(blocks, surface, (address - surface->first) / blocks->block_bytes);
}

bool
blocks_compress(const struct blocks *blocks, uint32_t address)
{
    return blocks->codec && is_for_codec(blocks, blocks_surface(blocks, address), address);
}

bool
blocks_words(const struct blocks *blocks, uint32_t address, const uint8_t *line, uint32_t *words)
{
    const struct block_surface *surface = blocks_surface(blocks, address);
    if (surface && surface->has_words) {
        words_of_line(surface, line, words);
        return true;
    }
    for (uint32_t i = 0; i < CODEC_WORDS; i++, line += 4)
        words[i] = (uint32_t)line[0] | (uint32_t)line[1] << 8 | (uint32_t)line[2] << 16 |
                   (uint32_t)line[3] << 24;
    return false;
}

uint32_t
blocks_pack(struct blocks *blocks, uint32_t address, const uint8_t *line, bool raw, uint8_t *out)
{
    const struct block_surface *surface = blocks_surface(blocks, address);
    uint32_t words[CODEC_WORDS], state = BLOCK_RAW;
    if (!raw && is_for_codec(blocks, surface, address)) {
        state = BLOCK_KEPT;
        if (blocks->codec) {
            words_of_line(surface, line, words);
            int32_t level = blocks->codec->choose(words, shape_of(surface));
            if (level >= 0) {
                blocks->codec->compress(words, shape_of(surface), level, out);
                state = BLOCK_LEVEL + (uint32_t)level;
            }
        }
    }
    uint32_t noted = state;
    if (state < BLOCK_LEVEL)
        memcpy(out, line, blocks->block_bytes);
    else if (++blocks->levels_noted == blocks->fault_level_at)
        noted = state == BLOCK_LEVEL ? state + 1 : state - 1;
    blocks_note(blocks, address, noted);
    return state;
}

void
blocks_unpack(const struct blocks *blocks, uint32_t address, uint32_t state, const uint8_t *in,
              uint8_t *line)
{
    const struct block_surface *surface = blocks_surface(blocks, address);
    uint32_t words[CODEC_WORDS];
    if (blocks_is_raw(state)) {
        memmove(line, in, blocks->block_bytes);
        return;
    }
    BUG_ON(!surface, "rop: block at %#x has a state but belongs to no surface", address);
    if (state == BLOCK_CLEARED) {
        memcpy(line, surface->clear_line, blocks->block_bytes);
        return;
    }
    blocks->codec->decompress(in, shape_of(surface), (int32_t)(state - BLOCK_LEVEL), words);
    line_of_words(surface, words, line);
}

void
blocks_sync(struct blocks *blocks, const struct block_surface *surface, struct gpu_memory *memory)
{
    for (uint32_t address = surface->first; address < surface->end;
         address += blocks->block_bytes) {
        uint32_t state = blocks_state(blocks, address);
        uint8_t *bytes = memory->bytes + address;
        if (!blocks_is_raw(state))
            blocks_unpack(blocks, address, state, bytes, bytes);
        blocks_note(blocks, address, BLOCK_RAW);
    }
}
