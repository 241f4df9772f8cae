/* The parts of `aetius model`. */
#ifndef AETIUS_CMD_MODEL_H
#define AETIUS_CMD_MODEL_H

#include "model/model.h"

int model_bench_command(int argc, char **argv);
int model_rows_command(int argc, char **argv);
int model_fit_command(int argc, char **argv);
int model_predict_command(int argc, char **argv);
int model_check_command(int argc, char **argv);

/* "--without triangles,textures": a bit for each stage that is left. */
bool model_stages_parse(uint32_t *stages, const char *without, struct error *err);
bool model_write_rows(const struct model_rows *rows, const char *path, struct error *err);

#endif
