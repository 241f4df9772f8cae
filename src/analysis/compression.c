/* Evaluates codecs on captured blocks (analysis/compression.h). The levels of a block are computed
 * once for all its transfers. All threads process blocks of the same segment. A single thread sums
 * the counts, so results do not depend on the number of threads. */
#include "analysis/compression.h"

#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE_BLOCKS = 512, MAX_THREADS = 64 };

/* A segment that all threads process. */
struct segment_job {
    const struct blocks_segment *segment;
    enum codec_kind kind;
    enum codec_bus bus;
    bool check;
    const uint8_t *samples;        /* per block */
    int8_t (*levels)[CODEC_COUNT]; /* per block */
    atomic_uint_fast32_t next;
    /* 1 + index of a codec that did not restore a block; 0: all blocks were restored */
    atomic_uint_fast32_t wrong;
};

static int32_t
level_of(const struct codec *codec, const uint32_t *block, struct codec_shape shape, bool check,
         bool *wrong)
{
    int32_t level = codec->choose(block, shape);
    if (check && level != CODEC_RAW) {
        uint8_t packed[CODEC_BLOCK_BYTES];
        uint32_t unpacked[CODEC_WORDS];
        codec->compress(block, shape, level, packed);
        codec->decompress(packed, shape, level, unpacked);
        *wrong = memcmp(unpacked, block, sizeof unpacked);
    }
    return level;
}

static void *
find_levels(void *data)
{
    struct segment_job *job = data;
    const uint32_t count = job->segment->block_count;
    for (;;) {
        const uint32_t first = (uint32_t)atomic_fetch_add(&job->next, SLICE_BLOCKS);
        if (interrupt_pending())
            return NULL;
        for (uint32_t i = first; i < first + SLICE_BLOCKS && i < count; i++) {
            if (!job->samples[i])
                continue;
            const struct codec_shape shape = {job->bus, job->samples[i]};
            for (uint32_t c = 0; c < CODEC_COUNT; c++) {
                bool wrong = false;
                if (!(codecs[c]->applies & job->kind))
                    continue;
                job->levels[i][c] =
                    (int8_t)level_of(codecs[c], job->segment->blocks[i], shape, job->check, &wrong);
                if (wrong)
                    atomic_store(&job->wrong, c + 1);
            }
        }
        if (first >= count)
            return NULL;
    }
}

static void
run_threads(struct segment_job *job, uint32_t threads)
{
    pthread_t others[MAX_THREADS];
    uint32_t started = 0;
    for (; started + 1 < threads && started < MAX_THREADS; started++)
        if (pthread_create(&others[started], NULL, find_levels, job))
            break;
    find_levels(job);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(others[i], NULL);
}

/* Samples per pixel of each block, taken from its first compressible transfer in a selected frame.
 * 0: the block has no such transfer, and codecs skip it. */
static uint8_t *
samples_of_blocks(const struct compression *compression, const struct blocks_segment *segment)
{
    uint8_t *samples = mem_alloc(segment->block_count);
    for (uint32_t i = segment->count_count; i-- > 0;) {
        const struct block_count *count = &segment->counts[i];
        if (!(count->tag.flags & (BLOCK_IS_CLEARED | BLOCK_IS_PLAIN)) &&
            frame_set_has(&compression->frames, count->tag.frame))
            samples[count->block] = count->tag.samples;
    }
    return samples;
}

static void
add_level(struct compression_kind *tally, uint32_t codec, int32_t level, uint64_t count)
{
    if (level == CODEC_RAW)
        tally->raw[codec] += count;
    else
        tally->fits[codec][level] += count;
}

static void
add_count(struct compression *compression, const struct segment_job *job,
          const struct block_count *count)
{
    struct compression_kind *tally =
        &compression->kinds[job->kind == CODEC_COLOR ? COMPRESSION_COLOR : COMPRESSION_DEPTH];
    const struct codec_shape shape = {job->bus, count->tag.samples};
    tally->transfers += count->count;
    tally->moved_bytes += (uint64_t)count->count * count->tag.moved_bytes;
    if (count->tag.flags & BLOCK_IS_CLEARED) {
        tally->cleared += count->count;
    } else if (count->tag.flags & BLOCK_IS_PLAIN) {
        const uint64_t masked = CODEC_BLOCK_BYTES - count->tag.moved_bytes;
        tally->plain += count->count;
        tally->partial += masked ? count->count : 0;
        tally->masked_bytes += count->count * masked;
    } else {
        const bool alike = job->samples[count->block] == count->tag.samples;
        for (uint32_t c = 0; c < CODEC_COUNT; c++) {
            bool wrong = false;
            if (!(codecs[c]->applies & job->kind))
                continue;
            int32_t level = alike ? job->levels[count->block][c]
                                  : level_of(codecs[c], job->segment->blocks[count->block], shape,
                                             false, &wrong);
            add_level(tally, c, level, count->count);
        }
    }
}

bool
compression_add_segment(struct compression *compression, enum codec_kind kind,
                        const struct blocks_segment *segment, struct error *err)
{
    struct segment_job job = {
        .segment = segment, .kind = kind, .bus = compression->bus, .check = compression->check};
    uint8_t *samples = samples_of_blocks(compression, segment);
    job.samples = samples;
    job.levels = mem_array(segment->block_count, sizeof *job.levels);
    run_threads(&job, compression->threads);
    const bool whole = interrupt_check(err);
    for (uint32_t i = 0; i < segment->count_count && whole; i++)
        if (frame_set_has(&compression->frames, segment->counts[i].tag.frame))
            add_count(compression, &job, &segment->counts[i]);
    free(samples);
    free(job.levels);
    return whole && (!job.wrong ||
                     fail(err, "codec %s does not restore its input", codecs[job.wrong - 1]->name));
}

bool
compression_add_file(struct compression *compression, const char *path, struct error *err)
{
    struct blocks_reader *reader;
    struct blocks_segment segment;
    struct progress progress;
    uint64_t size;
    bool end = false;
    if (!blocks_reader_open(&reader, path, err))
        return false;
    blocks_reader_position(reader, &size);
    progress_begin(&progress, "compressing: byte", size);
    bool ok = true;
    while (ok && !interrupt_pending()) {
        ok = blocks_reader_next(reader, &segment, &end, err);
        if (!ok || end)
            break;
        ok = compression_add_segment(compression, blocks_reader_kind(reader), &segment, err);
        progress_at(&progress, blocks_reader_position(reader, &size), path);
    }
    progress_end(&progress);
    blocks_reader_close(reader);
    return ok && (end || fail(err, "interrupted in %s", path));
}

void
compression_add(struct compression *sum, const struct compression *other)
{
    for (uint32_t k = 0; k < COMPRESSION_KINDS; k++) {
        struct compression_kind *to = &sum->kinds[k];
        const struct compression_kind *from = &other->kinds[k];
        to->transfers += from->transfers;
        to->cleared += from->cleared;
        to->plain += from->plain;
        to->partial += from->partial;
        to->moved_bytes += from->moved_bytes;
        to->masked_bytes += from->masked_bytes;
        for (uint32_t c = 0; c < CODEC_COUNT; c++) {
            to->raw[c] += from->raw[c];
            for (uint32_t l = 0; l < CODEC_MAX_LEVELS; l++)
                to->fits[c][l] += from->fits[c][l];
        }
    }
}

uint64_t
compression_bytes_in(const struct compression_kind *kind)
{
    return (kind->transfers - kind->cleared) * CODEC_BLOCK_BYTES;
}

uint64_t
compression_bytes_out(const struct compression *compression, uint32_t kind, uint32_t codec)
{
    const struct compression_kind *tally = &compression->kinds[kind];
    const struct codec_levels *levels = &codecs[codec]->levels[compression->bus];
    uint64_t bytes = (tally->raw[codec] + tally->plain) * CODEC_BLOCK_BYTES;
    for (uint32_t l = 0; l < levels->count; l++)
        bytes += tally->fits[codec][l] * levels->bytes[l];
    return bytes;
}

void
compression_by_size(const struct compression *compression, uint32_t kind, uint32_t codec,
                    uint64_t sizes[CODEC_BLOCK_BYTES / 32 + 1])
{
    const struct compression_kind *tally = &compression->kinds[kind];
    const struct codec_levels *levels = &codecs[codec]->levels[compression->bus];
    memset(sizes, 0, (CODEC_BLOCK_BYTES / 32 + 1) * sizeof *sizes);
    sizes[0] = tally->cleared;
    sizes[CODEC_BLOCK_BYTES / 32] = tally->raw[codec];
    for (uint32_t l = 0; l < levels->count; l++)
        sizes[levels->bytes[l] / 32] += tally->fits[codec][l];
}

bool
compression_applies(const struct compression *compression, uint32_t kind, uint32_t codec)
{
    const enum codec_kind applies = kind == COMPRESSION_COLOR ? CODEC_COLOR : CODEC_DEPTH;
    return compression_bytes_in(&compression->kinds[kind]) && (codecs[codec]->applies & applies);
}

double
compression_ratio(const struct compression *compression, uint32_t kind, uint32_t codec)
{
    const struct compression_kind *tally = &compression->kinds[kind];
    if (!compression_applies(compression, kind, codec))
        return 0;
    return (double)compression_bytes_in(tally) /
           (double)compression_bytes_out(compression, kind, codec);
}

uint32_t
compression_by_level(const struct compression *compression, uint32_t kind, uint32_t codec,
                     struct compression_level levels[COMPRESSION_LEVELS])
{
    const struct compression_kind *tally = &compression->kinds[kind];
    const struct codec_levels *of = &codecs[codec]->levels[compression->bus];
    uint32_t count = 0;
    levels[count++] = (struct compression_level){"cleared", 0, tally->cleared};
    for (uint32_t l = 0; l < of->count; l++) {
        levels[count] = (struct compression_level){"", of->bytes[l], tally->fits[codec][l]};
        snprintf(levels[count].name, sizeof levels[count].name, "%u", l);
        count++;
    }
    levels[count++] = (struct compression_level){"raw", CODEC_BLOCK_BYTES, tally->raw[codec]};
    levels[count++] = (struct compression_level){"plain", CODEC_BLOCK_BYTES, tally->plain};
    return count;
}

void
compression_json_ratio(cJSON *object, const char *name, double ratio)
{
    if (ratio > 0)
        cJSON_AddNumberToObject(object, name, ratio);
    else
        cJSON_AddNullToObject(object, name);
}
