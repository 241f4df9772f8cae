/* aetius blocks: describes block files, and converts between them and raw blocks. */
#include "analysis/compression.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/schema.h"
#include "cmd/block_input.h"
#include "cmd/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cmd_blocks(int argc, char **argv);

#define MOST_RAW_BYTES ((uint64_t)1 << 32)

struct blocks_options {
    bool raw, once, reads, writes, json, force;
    bool counts; /* first pass of --raw: only counts the bytes */
    uint64_t raw_bytes;
    uint64_t dump; /* number of blocks still to print */
    bool dumps;
    const char *out;
    struct frame_set frames;
    struct block_input_options input;
};

struct description { /* counts of one file */
    uint64_t stored, transfers, reads, writes, cleared, plain, moved_bytes;
    uint64_t by_samples[9];
    uint32_t first_frame, last_frame;
};

static bool
is_wanted(const struct blocks_options *options, const struct block_tag *tag)
{
    if (options->reads != options->writes && options->writes != !!(tag->flags & BLOCK_WRITE))
        return false;
    return frame_set_has(&options->frames, tag->frame);
}

static void
describe(struct description *description, const struct block_count *count)
{
    const struct block_tag *tag = &count->tag;
    if (!description->transfers || tag->frame < description->first_frame)
        description->first_frame = tag->frame;
    if (!description->transfers || tag->frame > description->last_frame)
        description->last_frame = tag->frame;
    description->transfers += count->count;
    *(tag->flags & BLOCK_WRITE ? &description->writes : &description->reads) += count->count;
    description->cleared += tag->flags & BLOCK_IS_CLEARED ? count->count : 0;
    description->plain += tag->flags & BLOCK_IS_PLAIN ? count->count : 0;
    description->moved_bytes += (uint64_t)count->count * tag->moved_bytes;
    description->by_samples[tag->samples] += count->count;
}

static void
dump_text(const struct block_count *count, const uint32_t *block)
{
    const struct block_tag *tag = &count->tag;
    printf("frame %u, %u sample%s, %s%s%s, %u bytes moved, %u time%s\n", tag->frame, tag->samples,
           plural(tag->samples), tag->flags & BLOCK_WRITE ? "write" : "read",
           tag->flags & BLOCK_IS_CLEARED ? ", cleared" : "",
           tag->flags & BLOCK_IS_PLAIN ? ", plain" : "", tag->moved_bytes, count->count,
           plural(count->count));
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        printf("%s%08x%s", i % 8 ? " " : "    ", block[i], i % 8 == 7 ? "\n" : "");
}

/* Writes each transferred block as often as it was transferred, or once with --once. */
static bool
write_raw(struct blocks_options *options, const struct block_count *count, const uint32_t *block,
          uint8_t *seen, struct error *err)
{
    uint32_t times = options->once ? !seen[count->block] : count->count;
    if (count->tag.flags & BLOCK_IS_CLEARED)
        return true;
    seen[count->block] = 1;
    options->raw_bytes += (uint64_t)times * CODEC_BLOCK_BYTES;
    if (options->counts)
        return true;
    while (times--)
        if (fwrite(block, CODEC_BLOCK_BYTES, 1, stdout) != 1)
            return fail(err, "cannot write raw blocks: %s", strerror(errno));
    return true;
}

static bool
take_segment(struct blocks_options *options, const struct blocks_segment *segment,
             struct description *description, struct error *err)
{
    uint8_t *seen = mem_alloc(segment->block_count);
    bool ok = true;
    description->stored += segment->block_count;
    for (uint32_t i = 0; ok && i < segment->count_count; i++) {
        const struct block_count *count = &segment->counts[i];
        const uint32_t *block = segment->blocks[count->block];
        if (!is_wanted(options, &count->tag))
            continue;
        describe(description, count);
        if (options->raw)
            ok = write_raw(options, count, block, seen, err);
        if (options->dump && !options->counts) {
            options->dump--;
            dump_text(count, block);
        }
    }
    free(seen);
    return ok;
}

static bool
read_file(struct blocks_options *options, const char *path, struct description *description,
          enum codec_kind *kind, struct error *err)
{
    struct blocks_reader *reader;
    struct blocks_segment segment;
    bool end = false, ok = true;
    if (!blocks_reader_open(&reader, path, err))
        return false;
    *kind = blocks_reader_kind(reader);
    while (ok) {
        ok = blocks_reader_next(reader, &segment, &end, err);
        if (!ok || end)
            break;
        ok = take_segment(options, &segment, description, err);
    }
    blocks_reader_close(reader);
    return ok;
}

static void
print_blocks_text(const char *path, enum codec_kind kind, const struct description *d)
{
    print_shown(stdout, "%s: %s, frames %u to %u\n", path, kind == CODEC_COLOR ? "color" : "z",
                d->first_frame, d->last_frame);
    printf("  %llu block%s (%llu stored): %llu read, %llu written, %llu cleared, %llu plain; %llu "
           "bytes moved\n",
           (unsigned long long)d->transfers, plural(d->transfers), (unsigned long long)d->stored,
           (unsigned long long)d->reads, (unsigned long long)d->writes,
           (unsigned long long)d->cleared, (unsigned long long)d->plain,
           (unsigned long long)d->moved_bytes);
    for (uint32_t s = 1; s <= 8; s *= 2)
        if (d->by_samples[s])
            printf("  %llu block%s of %u sample%s per pixel\n",
                   (unsigned long long)d->by_samples[s], plural(d->by_samples[s]), s, plural(s));
}

static void
add_json(cJSON *list, const char *path, enum codec_kind kind, const struct description *d)
{
    cJSON *file = cJSON_CreateObject();
    cJSON_AddItemToArray(list, file);
    cJSON_AddStringToObject(file, "file", path);
    cJSON_AddStringToObject(file, "kind", kind == CODEC_COLOR ? "color" : "z");
    cJSON_AddNumberToObject(file, "first_frame", d->first_frame);
    cJSON_AddNumberToObject(file, "last_frame", d->last_frame);
    cJSON_AddNumberToObject(file, "blocks", (double)d->transfers);
    cJSON_AddNumberToObject(file, "stored", (double)d->stored);
    cJSON_AddNumberToObject(file, "reads", (double)d->reads);
    cJSON_AddNumberToObject(file, "writes", (double)d->writes);
    cJSON_AddNumberToObject(file, "cleared", (double)d->cleared);
    cJSON_AddNumberToObject(file, "plain", (double)d->plain);
    cJSON_AddNumberToObject(file, "bytes_moved", (double)d->moved_bytes);
    cJSON *samples = cJSON_AddObjectToObject(file, "samples");
    for (uint32_t s = 1; s <= 8; s *= 2) {
        const char name[2] = {(char)('0' + s), 0};
        if (d->by_samples[s])
            cJSON_AddNumberToObject(samples, name, (double)d->by_samples[s]);
    }
}

static bool
read_operand(struct blocks_options *options, const char *operand, cJSON *list, struct error *err)
{
    struct block_files files;
    bool ok = block_files_find(&files, operand, err);
    for (uint32_t i = 0; ok && i < files.count; i++) {
        struct description description = {0};
        enum codec_kind kind = 0;
        ok = read_file(options, files.paths[i], &description, &kind, err);
        if (!kind || options->raw || (options->dumps && !options->json))
            continue;
        if (options->json)
            add_json(list, files.paths[i], kind, &description);
        else
            print_blocks_text(files.paths[i], kind, &description);
    }
    block_files_fini(&files);
    return ok;
}

/* Converts raw blocks from standard input to a block file. */
static bool
take_raw(const struct blocks_options *options, struct error *err)
{
    if (!check_output(options->out, options->force, err))
        return false;
    interrupt_watch();
    const struct block_tag tag = block_input_tag(&options->input);
    struct blocks_writer *writer;
    struct blocks_segment segment;
    bool end = false, ok = true;
    if (!blocks_writer_create(&writer, options->out, options->input.z ? CODEC_DEPTH : CODEC_COLOR,
                              err))
        return false;
    struct raw_blocks *raw = raw_blocks_create(STDIN_FILENO, &tag);
    while (ok) {
        ok = raw_blocks_next(raw, &segment, &end, err);
        if (!ok || end)
            break;
        for (uint32_t i = 0; ok && i < segment.block_count; i++)
            ok = blocks_writer_add(writer, segment.blocks[i], &tag, err);
    }
    raw_blocks_destroy(raw);
    struct error closing = {""};
    if (!blocks_writer_close(writer, &closing) && ok)
        ok = fail(err, "%s", closing.text);
    if (!ok) /* a partial file would look complete */
        unlink(options->out);
    return ok;
}

/* Checks the total size before the first block is written, because a small file may contain very
 * many blocks. */
static bool
check_raw(struct blocks_options *options, const struct args *args, struct error *err)
{
    bool ok = true;
    options->counts = true;
    for (uint32_t i = 0; ok && i < args->operand_count; i++)
        ok = read_operand(options, args->operands[i], NULL, err);
    options->counts = false;
    if (ok && options->raw_bytes > MOST_RAW_BYTES)
        ok = fail(err,
                  "the output would have %llu bytes: reduce it with --once, --frames, --reads or "
                  "--writes, or write it anyway with --force",
                  (unsigned long long)options->raw_bytes);
    return ok;
}

static bool
read_operands(struct blocks_options *options, const struct args *args, struct error *err)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", AETIUS_SCHEMA);
    cJSON *list = cJSON_AddArrayToObject(root, "files");
    bool ok = !options->raw || options->force || check_raw(options, args, err);
    for (uint32_t i = 0; ok && i < args->operand_count; i++)
        ok = read_operand(options, args->operands[i], list, err);
    if (options->json && !options->raw)
        json_print(root, stdout);
    else
        cJSON_Delete(root);
    if (ok && fflush(stdout))
        ok = fail(err, "cannot write to standard output: %s", strerror(errno));
    return ok;
}

int
cmd_blocks(int argc, char **argv)
{
    struct blocks_options options = {.input = {.samples = SAMPLES_UNSET}};
    const struct arg_option table[] = {
        OPTION_FRAMES(&options.frames, "only blocks of these frames"),
        {"reads", 0, ARG_FLAG, &options.reads, NULL, "only blocks read from memory", false},
        {"writes", 0, ARG_FLAG, &options.writes, NULL, "only blocks written to memory", false},
        {"raw", 0, ARG_FLAG, &options.raw, NULL,
         "write the transferred blocks to standard output, 256 bytes each", false},
        {"once", 0, ARG_FLAG, &options.once, NULL,
         "with --raw: write each stored block once, even if it was transferred several times",
         false},
        {"dump", 0, ARG_UINT, &options.dump, "N", "print N blocks, one word per element", false},
        OPTION_OUTPUT(&options.out, "FILE", "with operand -: write a block file from raw blocks",
                      false),
        OPTION_FORCE(&options.force, "with --raw: allow more than 4 GiB; with -o: overwrite FILE"),
        BLOCK_INPUT_OPTIONS(&options.input),
        OPTION_JSON(&options.json, "print JSON"),
        {0},
    };
    const struct arg_spec spec = {
        "blocks", "FILE... [options]",
        "Describes block files (from `aetius sim --capture-blocks`). FILE is a block\n"
        "file, or a folder with blocks.color and blocks.z.\n"
        "Raw blocks have 64 little-endian words of 4 bytes, in Morton order of pixels;\n"
        "the samples of a pixel are adjacent. Color is R<<24|G<<16|B<<8|A; depth is\n"
        "Z<<8|stencil. `aetius blocks - -o FILE` reads raw blocks from standard input.",
        table, SOME_FILES};
    struct args args;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    options.dumps = options.dump > 0;
    const bool from_stdin = args.operand_count == 1 && !strcmp(args.operands[0], "-");
    if (from_stdin != !!options.out)
        return args_usage_error(&spec, "-o requires exactly one operand, - (raw blocks)");
    if (options.raw && isatty(STDOUT_FILENO))
        return args_usage_error(&spec,
                                "--raw writes binary data: redirect standard output to a file");
    if (!block_input_check(&options.input, &args, &err))
        return args_usage_error(&spec, "%s", err.text);
    return conclude(from_stdin ? take_raw(&options, &err) : read_operands(&options, &args, &err),
                    &err);
}
