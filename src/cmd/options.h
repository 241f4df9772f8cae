/* Options that several subcommands share. */
#ifndef AETIUS_CMD_OPTIONS_H
#define AETIUS_CMD_OPTIONS_H

#include "base/args.h"
#include "sim/simulation.h"
#include "trace/virgl/needed_draws.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* Version, with the commit once main() has set it. */
extern const char *version_text;

/* Layers in order of application: preset (NULL: reference-2008), --config files, --set. */
struct machine_options {
    const char *preset;
    struct arg_list configs, sets;
};

/* Numbers of operands, as the end of a struct arg_spec. */
#define NO_OPERAND 0, 0, "no operand", .program = ARG_NO_PROGRAM
#define ONE_TRACE  1, 1, "one trace FILE", .program = ARG_NO_PROGRAM
#define SOME_FILES 1, UINT32_MAX, "at least one FILE", .program = ARG_NO_PROGRAM

/* Options that several commands share. Each command supplies its description. */
// clang-format off
#define OPTION_OUTPUT(value, what, help, required)                                                 \
    {"output", 'o', ARG_STRING, value, what, help, required}
#define OPTION_FRAMES(value, help)                                                                 \
    {"frames", 0, ARG_FRAMES, value, "R", help ": A, A-B, A-B/STEP or A,B,C-D", false}
#define OPTION_JOBS(value, help)   {"jobs", 'j', ARG_JOBS, value, "N", help, false}
#define OPTION_FORCE(value, help)  {"force", 'f', ARG_FLAG, value, NULL, help, false}
#define OPTION_JSON(value, help)   {"json", 0, ARG_FLAG, value, NULL, help, false}
#define OPTION_PRESET(value, help) {"preset", 0, ARG_STRING, value, "NAME", help, false}
#define OPTION_SET(value, help)    {"set", 0, ARG_LIST, value, "SECTION.Name=VALUE", help, false}
#define OPTION_MEMORY(value)                                                                       \
    {"memory", 0, ARG_SIZE, value, "SIZE",                                                         \
     "maximum host memory for the trace, e.g. 512M or 6G (1536M)", false}
#define OPTION_WARM_UP(value)                                                                      \
    {"warm-up", 0, ARG_STRING, value, "N",                                                         \
     "render only the N frames before each requested range instead of all earlier frames; safe only if each frame is rendered from scratch",                                                                        \
     false}
#define OPTION_CLOCK(value)                                                                        \
    {"clock", 0, ARG_UINT, value, "N",                                                             \
     "advance the program's clock by 1/N s per frame, independent of the host, so that animations are reproducible; 0: use the host clock",                           \
     false}
#define OPTION_GL(value)                                                                           \
    {"gl", 0, ARG_STRING, value, "VERSION",                                                        \
     "OpenGL that the program is offered: 2.1, 3.0, 3.1, 3.2, 3.3 (default), es2 or es3", false}
#define OPTION_REFERENCE(value)                                                                    \
    {"reference", 0, ARG_OPTIONAL, value, "DRIVER",                                                \
     "render with virgl_test_server, on llvmpipe (default) or softpipe", false}
#define MACHINE_OPTIONS(options)                                                                   \
    OPTION_PRESET(&(options)->preset,                                                              \
                  "GPU preset: reference-2008 (default), reference-2005, nv40-like, g70-like, r420-like, r580-like, semi-cycle-accurate"),                                                         \
    {"config", 0, ARG_LIST, &(options)->configs, "INI", "read parameters from a file; overrides the preset", false},  \
    OPTION_SET(&(options)->sets, "set one parameter; overrides presets and files")
// clang-format on

bool machine_options_given(const struct machine_options *options);
/* Name of the preset. */
const char *machine_options_preset(const struct machine_options *options);
bool machine_options_apply(const struct machine_options *options, struct params *params,
                           struct error *err);
/* Builds an idle machine from the options. */
bool machine_options_build(const struct machine_options *options, struct simulation *simulation,
                           struct error *err);

/* Parses "F:D": a frame number, and a draw number within that frame as printed by `aetius draws`.
 * For "D" alone, the frame is ANY_FRAME. */
#define ANY_FRAME UINT32_MAX
bool parse_draw(const char *text, uint32_t *frame, uint32_t *draw, struct error *err);
/* Checks the value of OPTION_CLOCK. */
bool check_clock(uint64_t frames_per_second, struct error *err);
/* Fails if `path` is a folder, or an existing file without `force`. Accepts devices, and NULL: no
 * output. */
bool check_output(const char *path, bool force, struct error *err);
/* Parses the value of OPTION_WARM_UP. If `text` is NULL, sets WARM_UP_ALL. */
bool parse_warm_up(const char *text, uint32_t *frames, struct error *err);

/* Name of an output without -o, in the current folder: default_output(name, "a/game.trace", ".run")
 * writes game.run to `name`, and returns `name`. Replaces the ending .trace, .run, .csv or .json of
 * `input`, or appends `ending` if there is none. */
enum { OUTPUT_NAME = 320 };
const char *default_output(char name[OUTPUT_NAME], const char *input, const char *ending);

/* Prints the next command for a run, "next: aetius COMMAND RUN MORE", and the one for its page. */
void print_next(FILE *out, const char *command, const char *run, const char *more);
/* Prints a tree on standard output with its `schema` (base/schema.h), and frees the tree. */
void print_json_tree(cJSON *root);
/* Prints the message after a failure. Returns the exit status. */
int conclude(bool ok, const struct error *err);

#endif
