/* Blitter: the slice of one ROP (docs/design/machine.md, Blitter).
 *
 * In: struct blit_item, whose plan the machine keeps alive until the done_item. The slice writes
 * the destination lines that its ROP owns, 256 bytes each at most. It owns its lines, pieces and
 * block reader. blitter_init() cannot fail. */
#ifndef AETIUS_UNIT_BLITTER_H
#define AETIUS_UNIT_BLITTER_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/block_reader.h"
#include "unit/env.h"
#include "unit/stats.h"

struct blit_plan;

enum { BLITTER_MAX_BLOCKS = 16 /* of the source that elements worked on together come from */ };

struct blitter_line { /* of the destination, on its way */
    uint32_t address, z;
    uint32_t elements;   /* that the blit writes */
    uint64_t covered[4]; /* bytes that it writes, and padding: a bit each */
    bool whole;          /* all of its bytes */
    bool merges;         /* what it held is wanted */
    bool packs;          /* it goes back as a block, with a state; else its covered bytes go */
    bool planned;        /* its last piece is */
    bool done;           /* the last piece has been operated on, and ends in: */
    uint64_t done_cycle, packed_cycle;
    bool packed;
    uint32_t bytes, sent; /* to be written; so far */
    uint8_t data[BLOCK_MAX_BYTES], out[BLOCK_MAX_BYTES];
};

struct blitter_block { /* of the source, or what a line held */
    const struct blocks *blocks;
    uint32_t address, parts; /* transactions of it, a bit each */
    int32_t slot;            /* in the reader; -1: not yet */
};

struct blitter_piece { /* elements of a line that are worked on together */
    struct blitter_line *line;
    uint32_t first, end; /* offsets in the line */
    uint32_t samples;    /* read, or written: the larger number, in turns of 4 bytes */
    bool last;
    uint32_t block_count;
    struct blitter_block blocks[BLITTER_MAX_BLOCKS + 1];
};

struct blitter {
    struct module module;
    struct blitter_stats stats;
    struct queue *control, *done; /* orders, and done_items back */
    struct memory_port port;
    struct blocks *color, *depth; /* states, of the machine */
    uint32_t index, count;        /* of the slices */
    uint32_t samples_cycle;
    struct block_reader reader;

    /* the order in hand */
    const struct blit_plan *plan; /* NULL: none */
    struct blocks *blocks;        /* of the destination */
    const struct blocks *source_blocks;
    uint32_t line_bytes, element_bytes;
    uint32_t z, next, end; /* slice; the next line, and the first behind, as numbers in the slice */
    bool planned;          /* all lines are */

    struct blitter_line *lines;
    struct ring line_ring;
    uint32_t packed_count;        /* of the lines, from the front on */
    struct blitter_piece *pieces; /* the last one may still be asking for its blocks */
    struct ring piece_ring;
    bool asking;
    uint32_t next_element; /* of the line that is being cut into pieces: its offset */
    bool writing;          /* lines are being written; else blocks asked for */
    uint32_t writes_in_flight;
    uint64_t op_free, pack_free;
};

void blitter_init(struct blitter *blitter, const struct unit_env *env, uint32_t index);

#endif
