/* Block files and raw blocks as operands, shared by `blocks` and `compress`. */
#ifndef AETIUS_CMD_BLOCK_INPUT_H
#define AETIUS_CMD_BLOCK_INPUT_H

#include "base/args.h"
#include "codec/blocks_file.h"

/* Kind and samples of the raw blocks on standard input, which have no header. */
#define SAMPLES_UNSET UINT64_MAX
struct block_input_options {
    bool z;
    uint64_t samples; /* initially SAMPLES_UNSET */
};
// clang-format off
#define BLOCK_INPUT_OPTIONS(options)                                                               \
    {"z", 0, ARG_FLAG, &(options)->z, NULL, "raw blocks contain depth and stencil, not color", false}, \
    {"samples", 0, ARG_UINT, &(options)->samples, "N",                                             \
     "samples per pixel in raw blocks: 1 (default), 2, 4 or 8", false}
// clang-format on

/* Checks the options for these operands, and sets the default. */
bool block_input_check(struct block_input_options *options, const struct args *args,
                       struct error *err);
struct block_tag block_input_tag(const struct block_input_options *options);

/* Block files that an operand names: the file itself, or the block files in a folder. */
struct block_files {
    char *paths[2];
    uint32_t count;
};
bool block_files_find(struct block_files *files, const char *operand, struct error *err);
void block_files_fini(struct block_files *files);

/* Runs `compress --bench` over the operands' blocks. Returns the exit status. */
int block_input_bench(const struct args *args, enum codec_bus bus,
                      const struct block_input_options *options);

#endif
