/* Holding a timed machine against the functional renderer: all of `aetius verify`, and what
 * `aetius sim --verify` shares with it. */
#ifndef AETIUS_CMD_VERIFY_H
#define AETIUS_CMD_VERIFY_H

#include "cmd/options.h"
#include "sim/wrong_pixel.h"

struct verify_options {
    struct machine_options machine;
    struct budget budget;
    bool json;
    /* as struct wrong_run has them */
    void (*prepare)(void *data, struct simulation *timed);
    void *data;
};

/* Draws the trace on both sides and compares. false: with a message, also where they differ. */
bool verify_trace(struct verify_options *options, const char *path, struct error *err);

/* Of a run of `timed` frames of the trace, which is whole in `dir`: whether its pictures are those
 * that are drawn without time. false: with a message, also where they differ. */
bool verify_pictures(const char *dir, const struct wrong_run *run, struct error *err);

#endif
