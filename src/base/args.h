/* Command-line options, declared as a table:
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
 * `--name VALUE`, `--name=VALUE` and `-n VALUE` are read; options and operands mix freely; after
 * `--` everything is `after` (the program to run and its arguments). `--help` is always there. */
#ifndef AETIUS_BASE_ARGS_H
#define AETIUS_BASE_ARGS_H

#include <stdbool.h>
#include <stdint.h>

enum arg_kind {
    ARG_FLAG,     /* bool *: set to true */
    ARG_STRING,   /* const char ** */
    ARG_OPTIONAL, /* const char **: `--name` gives "", `--name=VALUE` gives VALUE */
    ARG_UINT,     /* uint64_t *: decimal, or hexadecimal after 0x */
    ARG_JOBS,     /* uint64_t *: how many at a time, 1 to 1024 */
    ARG_SIZE,     /* uint64_t *: bytes, or with K, M or G behind it; not 0 */
    ARG_FRAMES,   /* struct frame_set * */
    ARG_LIST,     /* struct arg_list *: may be given several times */
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
    bool required; /* a text or frames */
};

struct arg_spec {
    const char *command; /* the subcommand's name */
    const char *usage;   /* what follows it in the usage line */
    const char *about;   /* a few lines for --help */
    const struct arg_option *options;
    uint32_t least, most; /* operands */
    const char *operands; /* what they are: "one FILE" */
    /* What may come after `--`: nothing; a program, and then there are no operands; either. */
    enum { ARG_NO_PROGRAM, ARG_PROGRAM, ARG_MAYBE_PROGRAM } program;
    const char *exceeds; /* what EXIT_EXCEEDED says of this command; NULL: it never ends so */
};

struct args {
    const char *operands[256];
    uint32_t operand_count;
    char **after; /* NULL when there was no `--`; else NULL-terminated */
    int after_count;
};

enum { EXIT_WELL = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_EXCEEDED = 3 /* a limit */ };

/* Returns -1 to go on, or the exit status to end with (help printed, or wrong usage said). */
int args_parse(struct args *args, const struct arg_spec *spec, int argc, char **argv);

/* Says what is wrong with the usage of `command`, and returns EXIT_USAGE. */
int args_usage_error(const struct arg_spec *spec, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Frame ranges "A-B,C,D-E" (inclusive). */
enum { FRAME_RANGES = 1024 };
struct frame_set {
    struct {
        uint32_t first, last;
    } ranges[FRAME_RANGES];
    uint32_t count;   /* 0: every frame */
    const char *text; /* as it was given (ARG_FRAMES), or NULL */
};
struct error;
bool frame_set_parse(struct frame_set *set, const char *text, struct error *err);
bool frame_set_has(const struct frame_set *set, uint32_t frame);
uint32_t frame_set_last(const struct frame_set *set); /* UINT32_MAX when every frame */
/* Frames as a user names them, of something called `name` that has `count` frames, from 0, of which
 * frame 0 is the program's frame `first`: all are its own numbers, or else all the program's, which
 * become its own. A note says so, and also where both readings were possible. false: they are
 * neither. */
bool frame_set_locate(struct frame_set *set, uint32_t first, uint32_t count, const char *name,
                      struct error *err);
/* The program's numbers become those of `name`; all are at least `first`. */
void frame_set_shift(struct frame_set *set, uint32_t first, const char *name);
/* Notes that the numbers are those of `name`, for a set that could be the program's numbers too. */
void frame_set_note_numbers(const struct frame_set *set, uint32_t first, const char *name);
/* As frame_set_locate(), of one frame. */
bool frame_locate(uint32_t *frame, uint32_t first, uint32_t count, const char *name,
                  struct error *err);

#endif
