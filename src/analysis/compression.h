/* Codecs over captured frame-buffer blocks (docs/design/compression.md, Offline): for every codec,
 * how many transfers each of its levels takes. Works on all cores, in bounded memory. */
#ifndef AETIUS_ANALYSIS_COMPRESSION_H
#define AETIUS_ANALYSIS_COMPRESSION_H

#include "base/args.h"
#include "codec/blocks_file.h"

#include <cjson/cJSON.h>

enum { COMPRESSION_COLOR, COMPRESSION_DEPTH, COMPRESSION_KINDS };
extern const char *const compression_kinds[COMPRESSION_KINDS]; /* "color", "z" */

struct compression_kind {
    uint64_t transfers;   /* all of them */
    uint64_t cleared;     /* that moved nothing: known by their block state */
    uint64_t plain;       /* that no codec may touch */
    uint64_t sampled;     /* of several samples a pixel */
    uint64_t moved_bytes; /* as the simulation counted them */
    uint64_t fits[CODEC_COUNT][CODEC_MAX_LEVELS];
    uint64_t raw[CODEC_COUNT]; /* without the plain ones */
};

struct compression {
    enum codec_bus bus;
    uint32_t threads;
    bool check; /* compress and decompress every block, and compare */
    struct frame_set frames;
    struct compression_kind kinds[COMPRESSION_KINDS];
};

/* Adds all transfers of a block file. The message of an unreadable one says how much of it was
 * added. */
bool compression_add_file(struct compression *compression, const char *path, struct error *err);
/* One segment, which may be of raw blocks. Fails where a codec gives back other bytes (check). */
bool compression_add_segment(struct compression *compression, enum codec_kind kind,
                             const struct blocks_segment *segment, struct error *err);
void compression_add(struct compression *sum, const struct compression *other);

/* DIR/compression.json: what all codecs make of the blocks of a run, by bus. */
bool compression_write(const struct compression buses[CODEC_BUSES], const char *dir,
                       struct error *err);
bool compression_read(struct compression buses[CODEC_BUSES], const char *dir, struct error *err);

/* Traffic of all transfers without and with the codec. */
uint64_t compression_bytes_in(const struct compression_kind *kind);
uint64_t compression_bytes_out(const struct compression *compression, uint32_t kind,
                               uint32_t codec);
/* Transfers by size, [bytes / 32]: the cleared ones first; without the plain ones. */
void compression_by_size(const struct compression *compression, uint32_t kind, uint32_t codec,
                         uint64_t sizes[CODEC_BLOCK_BYTES / 32 + 1]);
/* Whether the codec is for the kind, and something moved. */
bool compression_applies(const struct compression *compression, uint32_t kind, uint32_t codec);
/* In by out; 0: the codec does not apply, or is made for several samples a pixel and there are
 * none.
 */
double compression_ratio(const struct compression *compression, uint32_t kind, uint32_t codec);

/* Transfers by what the codec made of them: cleared, its levels (named by number), raw; and plain,
 * that it may not touch. */
struct compression_level {
    char name[12];
    uint32_t bytes; /* of a block */
    uint64_t blocks;
};
enum { COMPRESSION_LEVELS = CODEC_MAX_LEVELS + 3 };
uint32_t compression_by_level(const struct compression *compression, uint32_t kind, uint32_t codec,
                              struct compression_level levels[COMPRESSION_LEVELS]);

/* null when it is 0. */
void compression_json_ratio(cJSON *object, const char *name, double ratio);

/* Raw blocks (256 bytes each, little endian) from a pipe or a file, as segments with the tag given.
 */
struct raw_blocks;
struct raw_blocks *raw_blocks_create(int fd, const struct block_tag *tag);
/* *end when there are no more; fails when the stream does not end with a whole block. */
bool raw_blocks_next(struct raw_blocks *raw, struct blocks_segment *segment, bool *end,
                     struct error *err);
void raw_blocks_destroy(struct raw_blocks *raw);

/* Blocks a second that one core takes, over blocks each read once. */
struct compression_speed {
    double choose, compress; /* the size alone; with the bytes */
    uint64_t sum;            /* of what came out, so that nothing is left out */
};
struct compression_speed compression_measure(const struct codec *codec, struct codec_shape shape,
                                             const uint32_t (*blocks)[CODEC_WORDS], size_t count);

#endif
