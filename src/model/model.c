#include "model/model.h"

#include "base/file.h"
#include "base/ini_file.h"
#include "base/memory_text.h"
#include "base/schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const model_stage_names[MODEL_STAGES] = {"base", "triangles", "textures", "dependent"};

void
model_fini(struct model *model)
{
    VEC_FREE(&model->curves);
    VEC_FREE(&model->factors);
}

const struct spline *
model_curve(const struct model *model, const char *name)
{
    for (size_t i = 0; i < model->curves.count; i++)
        if (!strcmp(model->curves.items[i].name, name))
            return &model->curves.items[i].spline;
    return NULL;
}

static const struct model_factor *
find_factor(const struct model *model, const char *name)
{
    for (size_t i = 0; i < model->factors.count; i++)
        if (!strcmp(model->factors.items[i].name, name))
            return &model->factors.items[i];
    return NULL;
}

double
model_factor(const struct model *model, const char *name)
{
    const struct model_factor *factor = find_factor(model, name);
    return factor ? factor->value : NAN;
}

void
model_set_curve(struct model *model, const char *name, const struct spline *spline)
{
    struct model_curve curve = {.spline = *spline};
    snprintf(curve.name, sizeof curve.name, "%s", name);
    VEC_PUSH(&model->curves, curve);
}

void
model_set_factor(struct model *model, const char *name, double value, double half)
{
    struct model_factor factor = {.value = value, .half = half};
    snprintf(factor.name, sizeof factor.name, "%s", name);
    VEC_PUSH(&model->factors, factor);
}

bool
model_order_parse(struct model *model, const char *names, struct error *err)
{
    char *copy = mem_strdup(names), *rest = copy;
    uint32_t seen = 0;
    bool ok = true;
    model->ordered = 0;
    for (char *name; ok && (name = strsep(&rest, " ,"));) {
        uint32_t stage = 0;
        if (!*name)
            continue;
        while (stage < MODEL_STAGES && strcmp(name, model_stage_names[stage]) != 0)
            stage++;
        if (stage == MODEL_STAGES)
            ok = fail(err,
                      "stages: unknown stage '%.40s': expected base, triangles, textures or "
                      "dependent",
                      name);
        else if (seen >> stage & 1)
            ok = fail(err, "stages: %s occurs twice", name);
        else if (!model->ordered && stage != MODEL_BASE)
            ok = fail(err, "stages: the first stage must be base, which gives the maximum");
        else
            model->order[model->ordered++] = stage;
        seen |= 1u << stage;
    }
    free(copy);
    return ok && (model->ordered || fail(err, "stages: expected base and other stages"));
}

/* ---- file format ---- */

static void
write_numbers(FILE *out, const char *name, const double *numbers, uint32_t count)
{
    fprintf(out, "%s =", name);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, " %.9g", numbers[i]);
    putc('\n', out);
}

bool
model_write(const struct model *model, const char *path, struct error *err)
{
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    fprintf(out,
            "; A staged performance model (aetius model fit). A curve's points are joined by\n"
            "; straight lines (logarithmic: of the logarithms of y); y - half to y + half holds "
            "the truth in 95 of 100 fits.\n"
            "[model]\nschema = %d\nrenderer = %s\n",
            AETIUS_SCHEMA, model->renderer);
    for (uint32_t i = 0; i < model->ordered; i++)
        fprintf(out, "%s %s%s", i ? "" : "stages =", model_stage_names[model->order[i]],
                i + 1 < model->ordered ? "" : "\n");
    fprintf(out, "\n[factors]\n; name = value half\n");
    for (size_t i = 0; i < model->factors.count; i++) {
        const struct model_factor *factor = &model->factors.items[i];
        fprintf(out, "%s = %.9g %.3g\n", factor->name, factor->value, factor->half);
    }
    for (size_t i = 0; i < model->curves.count; i++) {
        const struct spline *s = &model->curves.items[i].spline;
        fprintf(out, "\n[curve %s]\nlogarithmic = %s\n", model->curves.items[i].name,
                s->logarithmic ? "yes" : "no");
        write_numbers(out, "x", s->x, s->knots);
        write_numbers(out, "y", s->y, s->knots);
        write_numbers(out, "half", s->half, s->knots);
    }
    return memory_text_write(&text, path, err);
}

/* Parses up to `most` numbers separated by spaces. Returns 0 for any other text. */
static uint32_t
read_numbers(const char *text, double *numbers, uint32_t most)
{
    uint32_t count = 0;
    for (char *end; *text; text = end + strspn(end, " ")) {
        const double number = strtod(text, &end);
        if (end == text || (*end && *end != ' ') || !isfinite(number) || count == most)
            return 0;
        numbers[count++] = number;
    }
    return count;
}

struct reading {
    struct model *model;
    bool has_schema;
    const char *path;
};

static bool
take_curve(struct model *model, const char *curve, const char *name, const char *value,
           struct error *err)
{
    if (!name) {
        if (strlen(curve) >= sizeof model->curves.items->name || model_curve(model, curve))
            return fail(err, "the curve '%.60s' is defined twice, or its name is too long", curve);
        model_set_curve(model, curve, &(struct spline){0});
        return true;
    }
    struct spline *s = &model->curves.items[model->curves.count - 1].spline;
    if (!strcmp(name, "logarithmic")) {
        s->logarithmic = !strcmp(value, "yes");
        return s->logarithmic || !strcmp(value, "no") ||
               fail(err, "logarithmic: expected yes or no");
    }
    double *to = !strcmp(name, "x") ? s->x : !strcmp(name, "y") ? s->y : s->half;
    if (to == s->half && strcmp(name, "half") != 0)
        return fail(err, "'%.40s': a curve has only x, y, half and logarithmic", name);
    const uint32_t count = read_numbers(value, to, SPLINE_MOST_KNOTS);
    if (count < 2 || (s->knots && s->knots != count))
        return fail(err, "%s: expected 2 to %d numbers, the same count in all lines of a curve",
                    name, SPLINE_MOST_KNOTS);
    s->knots = count;
    for (uint32_t k = 1; to == s->x && k < count; k++)
        if (s->x[k] <= s->x[k - 1])
            return fail(err, "x: expected increasing numbers");
    for (uint32_t k = 0; to == s->y && k < count; k++)
        if (s->y[k] <= 0)
            return fail(err, "y: expected numbers above 0");
    return true;
}

static bool
take_line(void *data, const struct ini_entry *entry, struct error *err)
{
    struct reading *reading = data;
    const char *section = entry->section, *name = entry->name, *value = entry->value;
    struct model *model = reading->model;
    const char *curve = ini_section_name(section, "curve");
    double numbers[2] = {0};
    if (curve)
        return take_curve(model, curve, name, value, err);
    if (strcmp(section, "model") != 0 && strcmp(section, "factors") != 0)
        return fail(err, "[%.40s]: a model has only [model], [factors] and [curve NAME]", section);
    if (!name)
        return true;
    if (!strcmp(section, "factors")) {
        if (!read_numbers(value, numbers, 2) || strlen(name) >= sizeof model->factors.items->name)
            return fail(err, "%.40s: expected a number and half the width of its interval", name);
        model_set_factor(model, name, numbers[0], numbers[1]);
        return true;
    }
    if (!strcmp(name, "renderer")) {
        snprintf(model->renderer, sizeof model->renderer, "%s", value);
        return true;
    }
    if (!strcmp(name, "stages"))
        return model_order_parse(model, value, err);
    if (strcmp(name, "schema") != 0 || read_numbers(value, numbers, 1) != 1)
        return fail(err, "'%.40s': [model] has only schema (a number), renderer and stages", name);
    reading->has_schema = true;
    return schema_check(reading->path, numbers[0], err);
}

bool
model_read(struct model *model, const char *path, struct error *err)
{
    struct reading reading = {.model = model, .path = path};
    *model = (struct model){0};
    bool ok = ini_file_read(path, INI_INDENT_IS_NOTHING, take_line, &reading, err) &&
              (reading.has_schema ||
               fail(err, "%s is not a model: [model] with its schema is missing", path));
    for (size_t i = 0; ok && i < model->curves.count; i++) {
        const struct spline *s = &model->curves.items[i].spline;
        if (!(s->knots && s->x[0] < s->x[1] && s->y[0] > 0))
            ok = fail(err, "%s: the curve %s lacks x or y", path, model->curves.items[i].name);
    }
    if (ok && !(model_factor(model, "rate") > 0))
        ok = fail(err, "%s: the rate is missing, or not above 0", path);
    if (ok && !(model_factor(model, "start") >= 0))
        ok = fail(err, "%s: start is missing, or below 0", path);
    if (!ok)
        model_fini(model);
    return ok;
}
