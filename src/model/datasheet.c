#include "model/datasheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset;
    double least; /* smaller numbers were given in MHz or GB */
    const char *unit;
} fields[] = {{"clock", offsetof(struct datasheet, clock), 1e6, "Hz"},
              {"pipes", offsetof(struct datasheet, pipes), 0, ""},
              {"bandwidth", offsetof(struct datasheet, bandwidth), 1e6, "bytes per second"},
              {"texture_units", offsetof(struct datasheet, texture_units), 0, ""}};

bool
datasheet_set(struct datasheet *datasheet, const char *word, struct error *err)
{
    const char *equals = strchr(word, '=');
    const size_t length = equals ? (size_t)(equals - word) : 0;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const char *name = fields[i].name;
        if (length != strlen(name) || strncmp(word, name, length) != 0)
            continue;
        char *end;
        const double number = strtod(equals + 1, &end);
        if (!equals[1] || *end || !isfinite(number) || !(number > 0))
            return fail(err, "%s: '%.40s' is not a number above 0", name, equals + 1);
        if (number < fields[i].least)
            return fail(err, "%s: %g %s is too little: expected at least %g", name, number,
                        fields[i].unit, fields[i].least);
        double *field = (double *)((char *)datasheet + fields[i].offset);
        if (*field > 0)
            return fail(err, "%s occurs twice", name);
        *field = number;
        return true;
    }
    return fail(err,
                "'%.40s': expected clock=HZ, pipes=N, bandwidth=BYTES_PER_SECOND or "
                "texture_units=N",
                word);
}

/* A texture's size does not change the limits, so each curve is flat, for any size. */
static void
set_ceiling(struct model *model, const char *format, double texels_per_second)
{
    enum { MOST_LOG2 = 14 };
    char name[64];
    const struct spline flat = {
        .knots = 2, .x = {0, MOST_LOG2}, .y = {texels_per_second, texels_per_second}};
    snprintf(name, sizeof name, "textures %s powers", format);
    model_set_curve(model, name, &flat);
}

bool
datasheet_model(struct model *model, const struct datasheet *datasheet, struct error *err)
{
    static const char *const formats[] = {"DXT1", "RGBA8", "RGBA16F", "RGBA32F"};
    const double units = datasheet->texture_units > 0 ? datasheet->texture_units : datasheet->pipes;
    *model = (struct model){0};
    if (!(datasheet->clock > 0) || !(datasheet->pipes > 0))
        return fail(err, "a datasheet model requires %s",
                    datasheet->clock > 0 ? "pipes=N" : "clock=HZ");
    snprintf(model->renderer, sizeof model->renderer, "datasheet; %g pipes at %g MHz",
             datasheet->pipes, datasheet->clock / 1e6);
    model_set_factor(model, "start", 0, 0);
    model_set_factor(model, "rate", datasheet->clock * datasheet->pipes, 0);
    model_set_factor(model, "clock", datasheet->clock, 0);
    for (size_t i = 0; datasheet->bandwidth > 0 && i < sizeof formats / sizeof formats[0]; i++)
        set_ceiling(
            model, formats[i],
            fmin(units * datasheet->clock, datasheet->bandwidth / model_texel_bytes(formats[i])));
    return true;
}
