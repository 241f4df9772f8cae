/* Block files and raw blocks as operands (cmd/block_input.h). */
#include "cmd/block_input.h"

#include "analysis/compression.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/text_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BENCH_BLOCKS = 1 << 19 /* 128 MiB of blocks */ };

bool
block_input_check(struct block_input_options *options, const struct args *args, struct error *err)
{
    bool has_raw = false;
    for (uint32_t i = 0; i < args->operand_count; i++)
        has_raw = has_raw || !strcmp(args->operands[i], "-");
    if (!has_raw && (options->z || options->samples != SAMPLES_UNSET))
        return fail(err, "--z and --samples require raw blocks, operand -: a block file has both");
    if (options->samples == SAMPLES_UNSET)
        options->samples = 1;
    const uint64_t n = options->samples;
    return n == 1 || n == 2 || n == 4 || n == 8 || fail(err, "--samples expects 1, 2, 4 or 8");
}

struct block_tag
block_input_tag(const struct block_input_options *options)
{
    return (struct block_tag){0, CODEC_BLOCK_BYTES, (uint8_t)options->samples, BLOCK_WRITE};
}

bool
block_files_find(struct block_files *files, const char *operand, struct error *err)
{
    static const char *const names[] = {"blocks.color", "blocks.z"};
    struct stat st;
    *files = (struct block_files){0};
    if (stat(operand, &st) || !S_ISDIR(st.st_mode)) {
        files->paths[files->count++] = mem_strdup(operand);
        return true;
    }
    for (uint32_t i = 0; i < 2; i++) {
        char *path = mem_printf("%s/%s", operand, names[i]);
        if (file_exists(path))
            files->paths[files->count++] = path;
        else
            free(path);
    }
    return files->count || fail(err, "%s contains neither blocks.color nor blocks.z", operand);
}

void
block_files_fini(struct block_files *files)
{
    for (uint32_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    files->count = 0;
}

struct block {
    uint32_t words[CODEC_WORDS];
};

/* Distinct blocks of one kind and one number of samples. */
struct bench {
    enum codec_kind kind;
    uint32_t samples;
    VEC(struct block) blocks;
};

/* Adds the blocks that codecs can compress, without duplicates, up to the limit. */
static void
keep_segment(struct bench *bench, const struct blocks_segment *segment)
{
    uint8_t *seen = mem_alloc(segment->block_count);
    for (uint32_t i = 0; i < segment->count_count; i++) {
        const struct block_count *count = &segment->counts[i];
        if (seen[count->block]++ || bench->blocks.count == BENCH_BLOCKS ||
            (count->tag.flags & (BLOCK_IS_CLEARED | BLOCK_IS_PLAIN)))
            continue;
        bench->samples = count->tag.samples;
        struct block block;
        memcpy(block.words, segment->blocks[count->block], sizeof block.words);
        VEC_PUSH(&bench->blocks, block);
    }
    free(seen);
}

static bool
load_file(struct bench *bench, const char *path, struct error *err)
{
    struct blocks_reader *reader;
    struct blocks_segment segment;
    bool end = false, ok = true;
    if (!blocks_reader_open(&reader, path, err))
        return false;
    if (!bench->kind)
        bench->kind = blocks_reader_kind(reader);
    if (bench->kind != blocks_reader_kind(reader))
        ok = fail(err, "%s: --bench expects blocks of one kind, color or z", path);
    while (ok && bench->blocks.count < BENCH_BLOCKS) {
        ok = blocks_reader_next(reader, &segment, &end, err);
        if (!ok || end)
            break;
        keep_segment(bench, &segment);
    }
    blocks_reader_close(reader);
    return ok;
}

static bool
load_raw(struct bench *bench, const struct block_input_options *options, struct error *err)
{
    const struct block_tag tag = block_input_tag(options);
    struct raw_blocks *raw = raw_blocks_create(STDIN_FILENO, &tag);
    struct blocks_segment segment;
    bool end = false, ok = true;
    bench->kind = options->z ? CODEC_DEPTH : CODEC_COLOR;
    while ((ok = raw_blocks_next(raw, &segment, &end, err)) && !end &&
           bench->blocks.count < BENCH_BLOCKS)
        keep_segment(bench, &segment);
    raw_blocks_destroy(raw);
    return ok;
}

static void
print_bench(const struct bench *bench, enum codec_bus bus)
{
    const struct codec_shape shape = {bus, bench->samples};
    struct text_table table = {0};
    printf(
        "%zu different %s block%s of %u sample%s per pixel, each read once, one core; millions of "
        "blocks per second:\n",
        bench->blocks.count, bench->kind == CODEC_COLOR ? "color" : "z",
        plural(bench->blocks.count), bench->samples, plural(bench->samples));
    text_table_cells(&table, "codec|size|with bytes");
    text_table_end_row(&table);
    for (uint32_t c = 0; c < CODEC_COUNT; c++) {
        if (!(codecs[c]->applies & bench->kind))
            continue;
        const struct compression_speed speed = compression_measure(
            codecs[c], shape, (const void *)bench->blocks.items, bench->blocks.count);
        text_table_cell(&table, "%s", codecs[c]->name);
        text_table_cell(&table, "%.2f", speed.choose / 1e6);
        text_table_cell(&table, "%.2f", speed.compress / 1e6);
        text_table_end_row(&table);
    }
    text_table_put(&table, TEXT_TABLE_TEXT, stdout);
}

int
block_input_bench(const struct args *args, enum codec_bus bus,
                  const struct block_input_options *options)
{
    struct bench bench = {0};
    struct error err = {""};
    bool ok = true;
    for (uint32_t i = 0; ok && i < args->operand_count; i++) {
        struct block_files files = {0};
        if (!strcmp(args->operands[i], "-")) {
            ok = load_raw(&bench, options, &err);
            continue;
        }
        ok = block_files_find(&files, args->operands[i], &err);
        for (uint32_t f = 0; ok && f < files.count; f++)
            ok = load_file(&bench, files.paths[f], &err);
        block_files_fini(&files);
    }
    if (ok && !bench.blocks.count)
        ok = fail(&err, "no blocks that a codec may compress");
    if (ok)
        print_bench(&bench, bus);
    VEC_FREE(&bench.blocks);
    if (!ok)
        log_error("%s", err.text);
    return ok ? EXIT_WELL : EXIT_FAILED;
}
