/* Compares a timed machine with the functional renderer: all of `aetius verify`, and the comparison
 * that it shares with `aetius sim --verify`. */
#ifndef AETIUS_CMD_VERIFY_H
#define AETIUS_CMD_VERIFY_H

#include "cmd/options.h"
#include "sim/wrong_pixel.h"

struct verify_options {
    struct machine_options machine;
    struct budget budget;
    bool json;
    /* as in struct wrong_run */
    void (*prepare)(void *data, struct simulation *timed);
    void *data;
};

/* Renders the trace on both sides and compares the results. Returns false with a message on errors
 * and on differences. */
bool verify_trace(struct verify_options *options, const char *path, struct error *err);

/* Compares the pictures of the complete run in `dir` with those of the functional renderer. The run
 * has timed the frames `timed` of the trace. Returns false with a message on errors and on
 * differences. */
bool verify_pictures(const char *dir, const struct wrong_run *run, struct error *err);

#endif
