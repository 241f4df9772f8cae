/* Blitter: the slice of one ROP (docs/design/machine.md, Blitter).
 *
 * Input: struct blit_item. The machine keeps its plan alive until the done_item. The slice writes
 * the destination lines that its ROP owns. A line has at most 256 bytes. The slice owns its lines,
 * pieces and block reader. blitter_init() cannot fail. */
#ifndef AETIUS_UNIT_BLITTER_H
#define AETIUS_UNIT_BLITTER_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/block_reader.h"
#include "unit/env.h"
#include "unit/stats.h"

struct blit_plan;

enum { BLITTER_MAX_BLOCKS = 16 /* maximum number of source blocks per piece */ };

struct blitter_line { /* a destination line in progress */
    uint32_t address, z;
    uint32_t elements;   /* number of elements that the blit writes */
    uint64_t covered[4]; /* bytes that the blit writes, and padding: one bit each */
    bool whole;          /* the blit writes all its bytes */
    bool merges;         /* the old content is needed */
    bool packs;   /* written as a block with a state; if false, only covered bytes are written */
    bool planned; /* all its pieces are planned */
    bool done;    /* its last piece has started, and ends in `done_cycle` */
    uint64_t done_cycle, packed_cycle;
    bool packed;
    uint32_t bytes, sent; /* bytes to write; bytes sent */
    uint8_t data[BLOCK_MAX_BYTES], out[BLOCK_MAX_BYTES];
};

struct blitter_block { /* a source block, or the old content of a line */
    const struct blocks *blocks;
    uint32_t address, parts; /* parts: transactions of the block, one bit each */
    int32_t slot;            /* slot in the reader; -1: none yet */
};

struct blitter_piece { /* elements of a line that are processed together */
    struct blitter_line *line;
    uint32_t first, end; /* offsets in the line */
    /* number of samples read or written, whichever is larger, in units of 4 bytes */
    uint32_t samples;
    bool last;
    uint32_t block_count;
    struct blitter_block blocks[BLITTER_MAX_BLOCKS + 1];
};

struct blitter {
    struct module module;
    struct blitter_stats stats;
    struct queue *control, *done; /* orders, and the done_items that answer them */
    struct memory_port port;
    struct blocks *color, *depth; /* block states, which the machine owns */
    uint32_t index, count;        /* number of this slice; number of slices */
    uint32_t samples_cycle;
    struct block_reader reader;

    /* the current order */
    const struct blit_plan *plan; /* NULL: none */
    struct blocks *blocks;        /* block states of the destination */
    const struct blocks *source_blocks;
    uint32_t line_bytes, element_bytes;
    /* depth slice; next line and end of the lines, as numbers in the slice */
    uint32_t z, next, end;
    bool planned; /* all lines are planned */

    struct blitter_line *lines;
    struct ring line_ring;
    uint32_t packed_count;        /* number of packed lines, counted from the head */
    struct blitter_piece *pieces; /* the newest piece may still be requesting its blocks */
    struct ring piece_ring;
    bool asking;
    uint32_t next_element; /* offset of the next element in the line that is being divided */
    bool writing;          /* writes have priority over block requests */
    uint32_t writes_in_flight;
    uint64_t op_free, pack_free;
};

void blitter_init(struct blitter *blitter, const struct unit_env *env, uint32_t index);

#endif
