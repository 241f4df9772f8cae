/* Parses command-line options, which the caller declares as a table:
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
 * The parser accepts `--name VALUE`, `--name=VALUE` and `-n VALUE`. Options and operands may appear
 * in any order. All arguments after `--`, usually a program and its arguments, are stored in
 * `after`. Every command accepts `-h` and `--help`. */
#ifndef AETIUS_BASE_ARGS_H
#define AETIUS_BASE_ARGS_H

#include <stdbool.h>
#include <stdint.h>

enum arg_kind {
    ARG_FLAG,     /* bool *: set to true */
    ARG_STRING,   /* const char ** */
    ARG_OPTIONAL, /* const char **: `--name` gives "", `--name=VALUE` gives VALUE; at most one VALUE
                   */
    ARG_UINT,     /* uint64_t *: whole number (base/whole_number.h) */
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
    const char *about;   /* description for --help, a few lines */
    const struct arg_option *options;
    uint32_t least, most; /* minimum and maximum number of operands */
    const char *operands; /* description of the operands in errors: "one FILE" */
    /* Arguments after `--`. ARG_NO_PROGRAM: an error. ARG_PROGRAM: a program is required, and
     * operands are an error. ARG_MAYBE_PROGRAM: a program is optional. */
    enum { ARG_NO_PROGRAM, ARG_PROGRAM, ARG_MAYBE_PROGRAM } program;
    /* Meaning of EXIT_EXCEEDED in --help; NULL if the command never returns it. */
    const char *exceeds;
};

struct args {
    const char *operands[256];
    uint32_t operand_count;
    char **after; /* NULL without `--`, otherwise NULL-terminated */
    int after_count;
};

enum { EXIT_WELL = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_EXCEEDED = 3 /* above a limit */ };

/* Returns -1 if the command should run. Otherwise prints help or a usage error and returns the exit
 * status. */
int args_parse(struct args *args, const struct arg_spec *spec, int argc, char **argv);

/* Prints a usage error of the command and returns EXIT_USAGE. */
int args_usage_error(const struct arg_spec *spec, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Frame ranges "A-B,C,D-E"; both ends are inclusive. */
enum { FRAME_RANGES = 1024 };
struct frame_set {
    struct {
        uint32_t first, last;
    } ranges[FRAME_RANGES];
    uint32_t count;   /* 0: every frame */
    const char *text; /* the parsed text (ARG_FRAMES), or NULL */
};
struct error;
/* Parses A, A-B or A-B/STEP (every STEPth frame from A to B), separated by commas. */
bool frame_set_parse(struct frame_set *set, const char *text, struct error *err);
bool frame_set_has(const struct frame_set *set, uint32_t frame);
uint32_t frame_set_last(const struct frame_set *set); /* UINT32_MAX for every frame */
/* Converts frame numbers from the user to frame numbers of the trace or run `name`. `name` has
 * `count` frames, numbered from 0. Its frame 0 is frame `first` of the program. If all numbers are
 * below `count`, the set stays unchanged. Otherwise all numbers must be frame numbers of the
 * program, and the function subtracts `first`. It prints a note when it converts, and when both
 * interpretations were valid. Returns false if neither is valid. */
bool frame_set_locate(struct frame_set *set, uint32_t first, uint32_t count, const char *name,
                      struct error *err);
/* Converts frame numbers of the program to frame numbers of `name` and prints a note. All numbers
 * must be at least `first`. */
void frame_set_shift(struct frame_set *set, uint32_t first, const char *name);
/* Prints a note that the numbers of the set are frame numbers of `name`, not of the program. */
void frame_set_note_numbers(const struct frame_set *set, uint32_t first, const char *name);
/* Like frame_set_locate(), for a single frame. */
bool frame_locate(uint32_t *frame, uint32_t first, uint32_t count, const char *name,
                  struct error *err);

#endif
