/* Evaluates codecs on captured frame-buffer blocks (docs/design/compression.md, Offline): counts
 * transfers per level of each codec. Uses all cores and bounded memory. */
#ifndef AETIUS_ANALYSIS_COMPRESSION_H
#define AETIUS_ANALYSIS_COMPRESSION_H

#include "base/args.h"
#include "codec/blocks_file.h"

#include <cjson/cJSON.h>

enum { COMPRESSION_COLOR, COMPRESSION_DEPTH, COMPRESSION_KINDS };
extern const char *const compression_kinds[COMPRESSION_KINDS]; /* "color", "z" */

struct compression_kind {
    uint64_t transfers;    /* all transfers */
    uint64_t cleared;      /* transferred no bytes: the block state was sufficient */
    uint64_t plain;        /* not available to codecs */
    uint64_t partial;      /* plain ones that moved less than a block: some bytes were masked */
    uint64_t moved_bytes;  /* as counted by the simulation */
    uint64_t masked_bytes; /* of partial transfers */
    uint64_t fits[CODEC_COUNT][CODEC_MAX_LEVELS];
    uint64_t raw[CODEC_COUNT]; /* without plain blocks */
};

struct compression {
    enum codec_bus bus;
    uint32_t threads;
    bool check; /* compress and decompress every block, and compare the result */
    struct frame_set frames;
    struct compression_kind kinds[COMPRESSION_KINDS];
};

/* Adds all transfers of a block file. If part of the file is unreadable, the message states how
 * much was added. */
bool compression_add_file(struct compression *compression, const char *path, struct error *err);
/* Adds one segment, which may consist of raw blocks. With `check`, fails if a codec does not
 * restore a block. */
bool compression_add_segment(struct compression *compression, enum codec_kind kind,
                             const struct blocks_segment *segment, struct error *err);
void compression_add(struct compression *sum, const struct compression *other);

/* Reads or writes DIR/compression.json: results of all codecs for the blocks of a run, per bus. */
bool compression_write(const struct compression buses[CODEC_BUSES], const char *dir,
                       struct error *err);
bool compression_read(struct compression buses[CODEC_BUSES], const char *dir, struct error *err);

/* Total bytes of all transfers, without and with the codec. */
uint64_t compression_bytes_in(const struct compression_kind *kind);
uint64_t compression_bytes_out(const struct compression *compression, uint32_t kind,
                               uint32_t codec);
/* Number of transfers by size, indexed by bytes / 32. Cleared blocks have size 0. Plain blocks are
 * excluded. */
void compression_by_size(const struct compression *compression, uint32_t kind, uint32_t codec,
                         uint64_t sizes[CODEC_BLOCK_BYTES / 32 + 1]);
/* Whether the codec supports the kind, and at least one block was transferred. */
bool compression_applies(const struct compression *compression, uint32_t kind, uint32_t codec);
/* Bytes in divided by bytes out. 0 if the codec does not apply. */
double compression_ratio(const struct compression *compression, uint32_t kind, uint32_t codec);

/* Transfers by outcome: cleared, each level (named by its number), raw, and plain. */
struct compression_level {
    char name[12];
    uint32_t bytes; /* per block */
    uint64_t blocks;
};
enum { COMPRESSION_LEVELS = CODEC_MAX_LEVELS + 3 };
uint32_t compression_by_level(const struct compression *compression, uint32_t kind, uint32_t codec,
                              struct compression_level levels[COMPRESSION_LEVELS]);

/* Writes null for a ratio of 0. */
void compression_json_ratio(cJSON *object, const char *name, double ratio);

/* Reads raw blocks (256 bytes each, little endian) from a pipe or a file, as segments with the
 * given tag. */
struct raw_blocks;
struct raw_blocks *raw_blocks_create(int fd, const struct block_tag *tag);
/* Sets *end at the end of the stream. Fails if the stream ends inside a block. */
bool raw_blocks_next(struct raw_blocks *raw, struct blocks_segment *segment, bool *end,
                     struct error *err);
void raw_blocks_destroy(struct raw_blocks *raw);

/* Blocks per second on one core. Each block is read once. */
struct compression_speed {
    double choose, compress; /* choose: finds only the size; compress: also produces the bytes */
    uint64_t sum; /* checksum of the results, so that the compiler does not remove the work */
};
struct compression_speed compression_measure(const struct codec *codec, struct codec_shape shape,
                                             const uint32_t (*blocks)[CODEC_WORDS], size_t count);

#endif
