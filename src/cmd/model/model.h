/* The subcommands of `aetius model`. */
#ifndef AETIUS_CMD_MODEL_H
#define AETIUS_CMD_MODEL_H

#include "cmd/options.h"
#include "model/model.h"

int model_bench_command(int argc, char **argv);
int model_template_command(int argc, char **argv);
int model_datasheet_command(int argc, char **argv);
int model_rows_command(int argc, char **argv);
int model_fit_command(int argc, char **argv);
int model_predict_command(int argc, char **argv);
int model_check_command(int argc, char **argv);

/* Options that select stages. */
struct stage_options {
    const char *without, *dependent;
};
#define OPTION_WITHOUT(to)                                                                         \
    {                                                                                              \
        "without", 0, ARG_STRING, &(to)->without, "STAGE,...",                                     \
            "stages to omit: triangles, textures, dependent", false                                \
    }
#define OPTION_DEPENDENT(to)                                                                       \
    {                                                                                              \
        "dependent", 0, ARG_STRING, &(to)->dependent, "METHOD",                                    \
            "dependent reads: caches, or published, the lines of the source (caches)", false       \
    }
/* Parses "--without triangles,textures" to a bit mask of the remaining stages, with MODEL_PUBLISHED
 * for "--dependent published". */
bool model_stages_parse(uint32_t *stages, const struct stage_options *options, struct error *err);
/* Path of the micro-benchmark program: the given one, or the one built with aetius. The caller
 * frees it. NULL: there is none. */
char *model_program(const char *given, struct error *err);
bool model_write_rows(const struct model_rows *rows, const char *path, struct error *err);

/* `aetius model predict --trace` (model_trace.c). */
struct model_trace_options {
    struct machine_options machine;
    struct frame_set frames;
    const char *trace, *against;
    uint64_t memory;
    bool json;
};
/* Whether the model can predict frames of this machine. */
bool model_check_frames(const struct model *model, const struct machine_options *machine,
                        struct error *err);
bool model_predict_trace(const struct model *model, const struct model_trace_options *options,
                         struct error *err);
/* Fits the frame stages to cycle-level runs. */
bool model_learn_frames(struct model *model, const struct arg_list *runs, struct error *err);
/* Whether the model was fitted for the machine. */
bool model_is_of(const struct model *model, const struct params *params, struct error *err);

#endif
