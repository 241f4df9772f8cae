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

enum { BLITTER_MAX_BLOCKS = 16 /* blocks of the source per piece */ };

struct blitter_line { /* a line of the destination that is being made */
    uint32_t address, z;
    uint32_t elements;   /* number that the blit writes */
    uint64_t covered[4]; /* bytes that it writes, and padding: one bit each */
    bool whole;          /* the blit writes all of its bytes */
    bool merges;         /* its old content is needed */
    bool packs;          /* written as a block with a state; else only its covered bytes */
    bool planned;        /* all of its pieces are planned */
    bool done;           /* its last piece was started, and ends in `done_cycle` */
    uint64_t done_cycle, packed_cycle;
    bool packed;
    uint32_t bytes, sent; /* bytes to write; bytes sent */
    uint8_t data[BLOCK_MAX_BYTES], out[BLOCK_MAX_BYTES];
};

struct blitter_block { /* of the source, or the old content of a line */
    const struct blocks *blocks;
    uint32_t address, parts; /* transactions of it, one bit each */
    int32_t slot;            /* in the reader; -1: none yet */
};

struct blitter_piece { /* elements of a line that are processed together */
    struct blitter_line *line;
    uint32_t first, end; /* offsets in the line */
    uint32_t samples;    /* the larger number of samples read or written, in units of 4 bytes */
    bool last;
    uint32_t block_count;
    struct blitter_block blocks[BLITTER_MAX_BLOCKS + 1];
};

struct blitter {
    struct module module;
    struct blitter_stats stats;
    struct queue *control, *done; /* orders; done_items in return */
    struct memory_port port;
    struct blocks *color, *depth; /* states, owned by the machine */
    uint32_t index, count;        /* number of this slice; number of slices */
    uint32_t samples_cycle;
    struct block_reader reader;

    /* the current order */
    const struct blit_plan *plan; /* NULL: none */
    struct blocks *blocks;        /* states of the destination */
    const struct blocks *source_blocks;
    uint32_t line_bytes, element_bytes;
    uint32_t z, next, end; /* slice; next line and end line, as numbers in the slice */
    bool planned;          /* all lines are planned */

    struct blitter_line *lines;
    struct ring line_ring;
    uint32_t packed_count;        /* of the lines, from the head */
    struct blitter_piece *pieces; /* the last one may still request its blocks */
    struct ring piece_ring;
    bool asking;
    uint32_t next_element; /* offset of the next element in the line that is being divided */
    bool writing;          /* writes lines; else requests blocks */
    uint32_t writes_in_flight;
    uint64_t op_free, pack_free;
};

void blitter_init(struct blitter *blitter, const struct unit_env *env, uint32_t index);

#endif
