/* Parses command-line options that the caller declares as a table:
 *
 *     const char *out = NULL; bool all = false;
 *     const struct arg_option options[] = {
 *         {"output", 'o', ARG_STRING, &out, "DIR", "where pictures and statistics go", true},
 *         {"all", 0, ARG_FLAG, &all, NULL, "the empty ones too"},
 *         {0},
 *     };
 *     struct args args;
 *     const struct arg_spec spec = {"sim", "FILE -o DIR", "...", options, 1, 1, "one FILE"};
 *     int status = args_parse(&args, &spec, argc, argv);
 *     if (status >= 0)
 *         return status;
 *
 * The parser accepts `--name VALUE`, `--name=VALUE` and `-n VALUE`. Options and operands mix
 * freely. Everything after `--` goes to `after` (a program to run and its arguments). Every command
 * accepts `--help`. */
#ifndef AETIUS_BASE_ARGS_H
#define AETIUS_BASE_ARGS_H

#include <stdbool.h>
#include <stdint.h>

enum arg_kind {
    ARG_FLAG,     /* bool *: set to true */
    ARG_STRING,   /* const char ** */
    ARG_OPTIONAL, /* const char **: `--name` gives "", `--name=VALUE` gives VALUE */
    ARG_UINT,     /* uint64_t *: decimal, or hexadecimal after 0x */
    ARG_JOBS,     /* uint64_t *: number of parallel jobs, 1 to 1024 */
    ARG_SIZE,     /* uint64_t *: bytes, optionally with the suffix K, M or G; not 0 */
    ARG_FRAMES,   /* struct frame_set * */
    ARG_LIST,     /* struct arg_list *: the option may be repeated */
};

struct arg_list {
    const char *items[256];
    uint32_t count;
};

struct arg_option {
    const char *name; /* long name; NULL ends the table */
    char letter;      /* short name or 0 */
    enum arg_kind kind;
    void *value;
    const char *placeholder;
    const char *help;
    bool required; /* only for ARG_STRING and ARG_FRAMES */
};

struct arg_spec {
    const char *command; /* the subcommand's name */
    const char *usage;   /* rest of the usage line, after the command */
    const char *about;   /* a few lines for --help */
    const struct arg_option *options;
    uint32_t least, most; /* number of operands */
    const char *operands; /* description of the operands in errors: "one FILE" */
    /* What may follow `--`: nothing; a program, which is required and excludes operands; or an
     * optional program. */
    enum { ARG_NO_PROGRAM, ARG_PROGRAM, ARG_MAYBE_PROGRAM } program;
    /* Meaning of EXIT_EXCEEDED, for --help. NULL: the command never returns it. */
    const char *exceeds;
};

struct args {
    const char *operands[256];
    uint32_t operand_count;
    char **after; /* NULL without `--`; else NULL-terminated */
    int after_count;
};

enum { EXIT_WELL = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_EXCEEDED = 3 /* above a limit */ };

/* Returns -1 if the command can run. Otherwise returns the exit status: help or a usage error was
 * printed. */
int args_parse(struct args *args, const struct arg_spec *spec, int argc, char **argv);

/* Prints a usage error of the command and returns EXIT_USAGE. */
int args_usage_error(const struct arg_spec *spec, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Frame ranges "A-B,C,D-E" (inclusive). */
enum { FRAME_RANGES = 1024 };
struct frame_set {
    struct {
        uint32_t first, last;
    } ranges[FRAME_RANGES];
    uint32_t count;   /* 0: every frame */
    const char *text; /* the text that was parsed (ARG_FRAMES), or NULL */
};
struct error;
bool frame_set_parse(struct frame_set *set, const char *text, struct error *err);
bool frame_set_has(const struct frame_set *set, uint32_t frame);
uint32_t frame_set_last(const struct frame_set *set); /* UINT32_MAX for every frame */
/* Converts frame numbers that a user gave to numbers of `name`, which has `count` frames from 0.
 * Frame 0 of `name` is frame `first` of the program. If every number is a frame of `name`, the set
 * stays unchanged. Otherwise every number must be a frame of the program, and the function
 * subtracts `first`. It prints a note on a conversion, and if both readings were possible. Returns
 * false if neither reading is possible. */
bool frame_set_locate(struct frame_set *set, uint32_t first, uint32_t count, const char *name,
                      struct error *err);
/* Converts numbers of the program to numbers of `name`, with a note. All must be at least
 * `first`. */
void frame_set_shift(struct frame_set *set, uint32_t first, const char *name);
/* Notes that the numbers of the set were read as numbers of `name`, not of the program. */
void frame_set_note_numbers(const struct frame_set *set, uint32_t first, const char *name);
/* Does the same as frame_set_locate() for one frame. */
bool frame_locate(uint32_t *frame, uint32_t first, uint32_t count, const char *name,
                  struct error *err);

#endif
