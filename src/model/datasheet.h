/* A first model from the numbers of a datasheet, without measurements (ours). */
#ifndef AETIUS_MODEL_DATASHEET_H
#define AETIUS_MODEL_DATASHEET_H

#include "model/model.h"

struct datasheet {
    double clock;         /* Hz, of the pipelines */
    double pipes;         /* fragment pipelines; each executes one instruction per cycle */
    double bandwidth;     /* bytes per second, of the memory; 0: unknown */
    double texture_units; /* each reads one texel per cycle; 0: as many as pipelines */
};

/* Sets a number from "name=value". All must be above 0; clock and bandwidth at least 1e6. */
bool datasheet_set(struct datasheet *datasheet, const char *word, struct error *err);

/* Makes a model of two stages. Base: rate = clock x pipes. Textures, if the bandwidth is known: per
 * format, texels per second are limited by the texture units, and by the bandwidth if each texel is
 * fetched once. Fails if clock or pipes is missing. The caller frees the model. */
bool datasheet_model(struct model *model, const struct datasheet *datasheet, struct error *err);

#endif
