/* aetius compress: measures every codec on captured frame-buffer blocks. */
#include "analysis/compression.h"
#include "base/cores.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/text_table.h"
#include "cmd/block_input.h"
#include "cmd/options.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_compress(int argc, char **argv);

static const char *const kind_names[COMPRESSION_KINDS] = {"color", "z"};

struct input { /* one operand */
    const char *name;
    struct compression result;
};

struct compress_file {
    struct compression blank; /* initial value of each input's result */
    VEC(struct input) inputs;
    struct compression sum;
};

static bool
add_raw(struct compression *compression, const struct block_input_options *options,
        struct error *err)
{
    const struct block_tag tag = block_input_tag(options);
    struct raw_blocks *raw = raw_blocks_create(STDIN_FILENO, &tag);
    struct blocks_segment segment;
    bool end = false, ok = true;
    while (ok && !interrupt_pending()) {
        ok = raw_blocks_next(raw, &segment, &end, err);
        if (!ok || end)
            break;
        ok = compression_add_segment(compression, options->z ? CODEC_DEPTH : CODEC_COLOR, &segment,
                                     err);
    }
    raw_blocks_destroy(raw);
    return ok && (end || fail(err, "interrupted while reading raw blocks"));
}

static bool
add_input(struct compression *compression, const char *name,
          const struct block_input_options *options, struct error *err)
{
    if (!strcmp(name, "-"))
        return add_raw(compression, options, err);
    struct block_files files;
    bool ok = block_files_find(&files, name, err);
    for (uint32_t i = 0; ok && i < files.count; i++)
        ok = compression_add_file(compression, files.paths[i], err);
    block_files_fini(&files);
    return ok;
}

/* Mean of a codec's ratio over the inputs; 0 if the codec applies to no input. */
static double
mean_ratio(const struct compress_file *all, uint32_t kind, uint32_t codec, bool geometric)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < all->inputs.count; i++) {
        const double ratio = compression_ratio(&all->inputs.items[i].result, kind, codec);
        if (ratio > 0) {
            sum += geometric ? log(ratio) : ratio;
            count++;
        }
    }
    if (count == 0)
        return 0;
    return geometric ? exp(sum / count) : sum / count;
}

struct rank {
    double ratio;
    uint32_t codec;
};

static int
by_ratio(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->ratio != y->ratio)
        return x->ratio < y->ratio ? 1 : -1;
    return x->codec < y->codec ? -1 : 1;
}

/* Sorts the codecs that apply, best first. Returns their number. */
static uint32_t
rank_codecs(const struct compress_file *all, uint32_t kind, struct rank ranks[CODEC_COUNT])
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < CODEC_COUNT; c++) {
        const double ratio = mean_ratio(all, kind, c, true);
        if (ratio > 0)
            ranks[count++] = (struct rank){ratio, c};
    }
    qsort(ranks, count, sizeof *ranks, by_ratio);
    return count;
}

/* Adds a codec's row: its ratio, and the sizes of the compressed blocks. */
static void
put_codec(const struct compress_file *all, uint32_t kind, const struct rank *rank,
          struct text_table *table)
{
    const struct compression_kind *tally = &all->sum.kinds[kind];
    const uint64_t out = compression_bytes_out(&all->sum, kind, rank->codec);
    const uint32_t step = codec_bus_bytes(all->sum.bus);
    uint64_t sizes[9];
    compression_by_size(&all->sum, kind, rank->codec, sizes);
    text_table_cell(table, "%s", codecs[rank->codec]->name);
    text_table_cell(table, "%.3f", rank->ratio);
    if (all->inputs.count > 1)
        text_table_cell(table, "%.3f", mean_ratio(all, kind, rank->codec, false));
    text_table_cell(table, "%.1f%%", 100.0 * (double)out / (double)compression_bytes_in(tally));
    text_table_cell(table, "%u", codec_latency(codecs[rank->codec]));
    for (uint32_t bytes = step; bytes <= CODEC_BLOCK_BYTES; bytes += step)
        text_table_cell(table, "%.2f%%",
                        100.0 * (double)sizes[bytes / 32] /
                            (double)(tally->transfers - tally->cleared));
    text_table_cell(table, "%.2f%%",
                    100.0 * (double)tally->plain / (double)(tally->transfers - tally->cleared));
    text_table_cell(table, "%" PRIu64, out);
    text_table_end_row(table);
}

static void
print_codecs(const struct compress_file *all, uint32_t kind)
{
    struct text_table table = {0};
    struct rank ranks[CODEC_COUNT];
    const uint32_t count = rank_codecs(all, kind, ranks), step = codec_bus_bytes(all->sum.bus);
    text_table_cells(&table, "codec|ratio");
    if (all->inputs.count > 1)
        text_table_cell(&table, "arithmetic");
    text_table_cell(&table, "out/in");
    text_table_cell(&table, "cycles");
    for (uint32_t bytes = step; bytes <= CODEC_BLOCK_BYTES; bytes += step)
        text_table_cell(&table, "%u B", bytes);
    text_table_cells(&table, "plain|bytes out");
    text_table_end_row(&table);
    for (uint32_t i = 0; i < count; i++)
        put_codec(all, kind, &ranks[i], &table);
    text_table_put(&table, TEXT_TABLE_TEXT, stdout);
}

static void
print_kind(const struct compress_file *all, uint32_t kind)
{
    const struct compression_kind *tally = &all->sum.kinds[kind];
    const uint64_t in = compression_bytes_in(tally);
    if (!tally->transfers)
        return;
    printf("%s: %llu block%s, %llu of them cleared and %llu plain (never compressed); %llu bytes "
           "without codec",
           kind_names[kind], (unsigned long long)tally->transfers, plural(tally->transfers),
           (unsigned long long)tally->cleared, (unsigned long long)tally->plain,
           (unsigned long long)in);
    if (tally->moved_bytes)
        printf(",\n    %llu counted by the simulation", (unsigned long long)tally->moved_bytes);
    if (tally->partial)
        printf(", without %llu masked bytes of %llu partial blocks",
               (unsigned long long)tally->masked_bytes, (unsigned long long)tally->partial);
    printf("\n");
    print_codecs(all, kind);
}

static void
print_compress_text(const struct compress_file *all)
{
    printf(
        "%u-byte bus; ratio of bytes in to bytes out%s; shares of the transferred blocks by size\n",
        codec_bus_bytes(all->sum.bus),
        all->inputs.count > 1 ? ", geometric (and arithmetic) mean over the inputs" : "");
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++)
        print_kind(all, kind);
}

static void
put_levels(const struct compress_file *all, const struct input *input, uint32_t kind,
           uint32_t codec, struct text_table *table)
{
    const double ratio = compression_ratio(&input->result, kind, codec);
    struct compression_level levels[COMPRESSION_LEVELS];
    const uint32_t count = compression_by_level(&input->result, kind, codec, levels);
    for (uint32_t l = 0; ratio > 0 && l < count; l++) {
        text_table_cell(table, "%s", input->name);
        text_table_cell(table, "%s", kind_names[kind]);
        text_table_cell(table, "%s", codecs[codec]->name);
        text_table_cell(table, "%u", codec_latency(codecs[codec]));
        text_table_cell(table, "%u", codec_bus_bytes(all->sum.bus));
        text_table_cell(table, "%s", levels[l].name);
        text_table_cell(table, "%u", levels[l].bytes);
        text_table_cell(table, "%" PRIu64, levels[l].blocks);
        text_table_cell(table, "%" PRIu64, levels[l].blocks * levels[l].bytes);
        text_table_cell(table, "%.6f", ratio);
        text_table_end_row(table);
    }
}

/* Prints one line per input, kind, codec and level. The level's number is that of the block
 * state. */
static void
print_compress_csv(const struct compress_file *all)
{
    static const char *const names[] = {"input",     "kind",  "codec",       "latency_cycles",
                                        "bus_bytes", "level", "level_bytes", "blocks",
                                        "bytes",     "ratio"};
    struct text_table table = {0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        text_table_cell(&table, "%s", names[i]);
    text_table_end_row(&table);
    for (size_t i = 0; i < all->inputs.count; i++)
        for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++)
            for (uint32_t c = 0; c < CODEC_COUNT; c++)
                put_levels(all, &all->inputs.items[i], kind, c, &table);
    text_table_put(&table, TEXT_TABLE_CSV, stdout);
}

static void
add_sizes(cJSON *object, const char *name, const struct compression *compression, uint32_t kind,
          uint32_t codec)
{
    uint64_t sizes[9];
    cJSON *list = cJSON_AddObjectToObject(object, name);
    if (!compression_applies(compression, kind, codec))
        return;
    compression_by_size(compression, kind, codec, sizes);
    sizes[CODEC_BLOCK_BYTES / 32] += compression->kinds[kind].plain;
    for (uint32_t s = 0; s < 9; s++) {
        char bytes[8];
        snprintf(bytes, sizeof bytes, "%u", 32 * s);
        if (sizes[s] || (s && s % (compression->bus == CODEC_BUS_32 ? 1 : 2) == 0))
            cJSON_AddNumberToObject(list, bytes, (double)sizes[s]);
    }
}

static void
add_codecs(cJSON *object, const struct compression *compression)
{
    cJSON *list = cJSON_AddArrayToObject(object, "codecs");
    for (uint32_t c = 0; c < CODEC_COUNT; c++) {
        cJSON *codec = cJSON_CreateObject();
        cJSON_AddItemToArray(list, codec);
        cJSON_AddStringToObject(codec, "name", codecs[c]->name);
        compression_json_ratio(codec, "color_ratio",
                               compression_ratio(compression, COMPRESSION_COLOR, c));
        compression_json_ratio(codec, "z_ratio",
                               compression_ratio(compression, COMPRESSION_DEPTH, c));
        cJSON_AddNumberToObject(codec, "latency", codec_latency(codecs[c]));
        for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++) {
            char name[24];
            snprintf(name, sizeof name, "%s_blocks", kind_names[kind]);
            add_sizes(codec, name, compression, kind, c);
            snprintf(name, sizeof name, "%s_bytes", kind_names[kind]);
            if (compression_applies(compression, kind, c))
                cJSON_AddNumberToObject(codec, name,
                                        (double)compression_bytes_out(compression, kind, c));
            else
                cJSON_AddNullToObject(codec, name);
        }
    }
}

static void
add_traffic(cJSON *object, const struct compression *compression)
{
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++) {
        const struct compression_kind *tally = &compression->kinds[kind];
        cJSON *traffic = cJSON_AddObjectToObject(object, kind_names[kind]);
        cJSON_AddNumberToObject(traffic, "blocks", (double)tally->transfers);
        cJSON_AddNumberToObject(traffic, "cleared", (double)tally->cleared);
        cJSON_AddNumberToObject(traffic, "plain", (double)tally->plain);
        cJSON_AddNumberToObject(traffic, "bytes_in", (double)compression_bytes_in(tally));
        cJSON_AddNumberToObject(traffic, "bytes_counted", (double)tally->moved_bytes);
        cJSON_AddNumberToObject(traffic, "partial", (double)tally->partial);
        cJSON_AddNumberToObject(traffic, "bytes_masked", (double)tally->masked_bytes);
    }
}

static void
print_compress_json(const struct compress_file *all)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "bus", codec_bus_bytes(all->sum.bus));
    add_traffic(root, &all->sum);
    add_codecs(root, &all->sum);
    cJSON *codec, *list = cJSON_GetObjectItem(root, "codecs");
    uint32_t c = 0;
    cJSON_ArrayForEach(codec, list)
    {
        compression_json_ratio(codec, "color_ratio_geometric",
                               mean_ratio(all, COMPRESSION_COLOR, c, true));
        compression_json_ratio(codec, "color_ratio_arithmetic",
                               mean_ratio(all, COMPRESSION_COLOR, c, false));
        compression_json_ratio(codec, "z_ratio_geometric",
                               mean_ratio(all, COMPRESSION_DEPTH, c, true));
        compression_json_ratio(codec, "z_ratio_arithmetic",
                               mean_ratio(all, COMPRESSION_DEPTH, c, false));
        c++;
    }
    cJSON *inputs = cJSON_AddArrayToObject(root, "inputs");
    for (size_t i = 0; i < all->inputs.count; i++) {
        cJSON *input = cJSON_CreateObject();
        cJSON_AddItemToArray(inputs, input);
        cJSON_AddStringToObject(input, "name", all->inputs.items[i].name);
        add_traffic(input, &all->inputs.items[i].result);
        add_codecs(input, &all->inputs.items[i].result);
    }
    print_json_tree(root);
}

static void
print(const struct compress_file *all, bool json, bool csv)
{
    if (json)
        print_compress_json(all);
    else if (csv)
        print_compress_csv(all);
    else
        print_compress_text(all);
}

static bool
compress_file(struct compress_file *all, const struct args *args,
              const struct block_input_options *options, struct error *err)
{
    bool ok = true;
    all->sum = all->blank;
    for (uint32_t i = 0; ok && i < args->operand_count; i++) {
        VEC_PUSH(&all->inputs, ((struct input){args->operands[i], all->blank}));
        struct input *input = &all->inputs.items[i];
        ok = add_input(&input->result, input->name, options, err);
        compression_add(&all->sum, &input->result);
    }
    if (ok && !all->sum.kinds[COMPRESSION_COLOR].transfers &&
        !all->sum.kinds[COMPRESSION_DEPTH].transfers)
        return fail(err, "no blocks to compress%s",
                    all->blank.frames.count ? " in these frames" : "");
    return ok;
}

int
cmd_compress(int argc, char **argv)
{
    struct compress_file all = {0};
    struct block_input_options input_options = {.samples = SAMPLES_UNSET};
    uint64_t bus = 64, jobs = cores_count();
    bool json = false, csv = false, bench = false;
    const struct arg_option options[] = {
        {"bus", 0, ARG_UINT, &bus, "BYTES", "bytes per memory transfer: 64 (default) or 32", false},
        OPTION_FRAMES(&all.blank.frames, "only blocks of these frames"),
        BLOCK_INPUT_OPTIONS(&input_options),
        {"check", 0, ARG_FLAG, &all.blank.check, NULL,
         "verify that every block decompresses to its original", false},
        {"bench", 0, ARG_FLAG, &bench, NULL, "measure blocks per second of each codec on one core",
         false},
        OPTION_JOBS(&jobs, "threads (default: all available cores)"),
        {"csv", 0, ARG_FLAG, &csv, NULL, "print CSV, one line per codec and level", false},
        OPTION_JSON(&json, "print JSON"),
        {0},
    };
    const struct arg_spec spec = {
        "compress", "FILE... [options]",
        "Runs every codec on frame-buffer blocks from `aetius sim --capture-blocks`:\n"
        "blocks per compression level, traffic, ratios, latency. FILE is a block file, a\n"
        "folder with blocks.color and blocks.z, or - for raw blocks on standard input.\n"
        "Raw blocks have 256 bytes: 64 little-endian words, color as R<<24|G<<16|B<<8|A,\n"
        "depth as Z<<8|stencil. Cleared blocks cause no traffic and are excluded\n"
        "from the ratios. Plain blocks are uncompressed in memory, whatever the codec.",
        options, SOME_FILES};
    struct args args;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (bus != 64 && bus != 32)
        return args_usage_error(&spec, "--bus expects 64 or 32");
    if (!block_input_check(&input_options, &args, &err))
        return args_usage_error(&spec, "%s", err.text);
    all.blank.bus = bus == 32 ? CODEC_BUS_32 : CODEC_BUS_64;
    all.blank.threads = (uint32_t)jobs;
    if (bench)
        return block_input_bench(&args, all.blank.bus, &input_options);
    interrupt_watch();
    const bool ok = compress_file(&all, &args, &input_options, &err);
    if (ok || all.sum.kinds[COMPRESSION_COLOR].transfers ||
        all.sum.kinds[COMPRESSION_DEPTH].transfers)
        print(&all, json, csv); /* after a failure: the results of the earlier inputs */
    if (ok && all.blank.check)
        log_note("every codec restored every block exactly");
    VEC_FREE(&all.inputs);
    return conclude(ok, &err);
}
