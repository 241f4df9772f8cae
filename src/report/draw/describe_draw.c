#include "report/draw/describe_draw.h"
#include "base/log.h"

#include "base/mem.h"
#include "base/memory_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const primitive_names[PRIM_COUNT] = {
    "points",
    "lines",
    "line_loop",
    "line_strip",
    "triangles",
    "triangle_strip",
    "triangle_fan",
    "quads",
    "quad_strip",
    "polygon",
    "lines_adjacency",
    "line_strip_adjacency",
    "triangles_adjacency",
    "triangle_strip_adjacency",
};

static const char *const funcs[] = {"never",   "less",     "equal",  "lequal",
                                    "greater", "notequal", "gequal", "always"};
static const char *const stencil_ops[] = {"keep", "zero",      "replace",   "incr",
                                          "decr", "incr_wrap", "decr_wrap", "invert"};
static const char *const blend_funcs[] = {"add", "subtract", "reverse_subtract", "min", "max"};
static const char *const logic_ops[] = {
    "clear", "nor",   "and_inverted", "copy_inverted", "and_reverse", "invert",     "xor", "nand",
    "and",   "equiv", "noop",         "or_inverted",   "copy",        "or_reverse", "or",  "set",
};
static const char *const wraps[] = {
    "repeat",        "clamp",        "clamp_to_edge",        "clamp_to_border",
    "mirror_repeat", "mirror_clamp", "mirror_clamp_to_edge", "mirror_clamp_to_border",
};
static const char *const mip_filters[] = {"nearest", "linear", "none"};

#define NAME_OF(names, number) ((number) < sizeof(names) / sizeof *(names) ? (names)[number] : "?")

static const char *
factor_name(uint8_t factor)
{
    static const char *const names[] = {
        [FACTOR_ONE] = "one",
        [FACTOR_SRC_COLOR] = "src_color",
        [FACTOR_SRC_ALPHA] = "src_alpha",
        [FACTOR_DST_ALPHA] = "dst_alpha",
        [FACTOR_DST_COLOR] = "dst_color",
        [FACTOR_SRC_ALPHA_SATURATE] = "src_alpha_saturate",
        [FACTOR_CONST_COLOR] = "const_color",
        [FACTOR_CONST_ALPHA] = "const_alpha",
        [FACTOR_SRC1_COLOR] = "src1_color",
        [FACTOR_SRC1_ALPHA] = "src1_alpha",
        [FACTOR_ZERO] = "zero",
        [FACTOR_INV_SRC_COLOR] = "inv_src_color",
        [FACTOR_INV_SRC_ALPHA] = "inv_src_alpha",
        [FACTOR_INV_DST_ALPHA] = "inv_dst_alpha",
        [FACTOR_INV_DST_COLOR] = "inv_dst_color",
        [FACTOR_INV_CONST_COLOR] = "inv_const_color",
        [FACTOR_INV_CONST_ALPHA] = "inv_const_alpha",
        [FACTOR_INV_SRC1_COLOR] = "inv_src1_color",
        [FACTOR_INV_SRC1_ALPHA] = "inv_src1_alpha",
    };
    const char *name = NAME_OF(names, factor);
    return name ? name : "?";
}

/* The functions below report differences from the default state as pairs of name and value. */

typedef void state_fn(void *data, const char *name, const char *value);

static void report_value(state_fn *fn, void *data, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static void
report_value(state_fn *fn, void *data, const char *name, const char *fmt, ...)
{
    char value[160];
    va_list args;
    va_start(args, fmt);
    vsnprintf(value, sizeof value, fmt, args);
    va_end(args);
    fn(data, name, value);
}

static void
blend_words(const struct blend_target *t, char *text, size_t size)
{
    int n = snprintf(text, size, "%s %s", factor_name(t->rgb_src), factor_name(t->rgb_dst));
    if (t->rgb_func != BLEND_ADD)
        n += snprintf(text + n, size - (size_t)n, " %s", NAME_OF(blend_funcs, t->rgb_func));
    if (t->alpha_src != t->rgb_src || t->alpha_dst != t->rgb_dst || t->alpha_func != t->rgb_func)
        snprintf(text + n, size - (size_t)n, " alpha %s %s %s", factor_name(t->alpha_src),
                 factor_name(t->alpha_dst), NAME_OF(blend_funcs, t->alpha_func));
}

static void
report_blend(const struct draw *draw, state_fn *fn, void *data)
{
    const struct blend_state *b = &draw->blend;
    for (uint32_t i = 0; i < draw->color_count; i++) {
        const struct blend_target *t = &b->rt[i];
        char name[24], words[128];
        if (!draw->color[i].res || (i > 0 && !b->independent))
            continue;
        if (t->enable) {
            blend_words(t, words, sizeof words);
            snprintf(name, sizeof name, i ? "blend%u" : "blend", i);
            fn(data, name, words);
        }
        if (t->colormask != 0xf) {
            snprintf(name, sizeof name, i ? "colormask%u" : "colormask", i);
            report_value(fn, data, name, "%s%s%s%s%s", t->colormask & 1 ? "r" : "",
                         t->colormask & 2 ? "g" : "", t->colormask & 4 ? "b" : "",
                         t->colormask & 8 ? "a" : "", t->colormask ? "" : "none");
        }
    }
    if (b->logicop_enable)
        fn(data, "logicop", NAME_OF(logic_ops, b->logicop));
    if (b->alpha_to_coverage)
        fn(data, "alpha_to_coverage", "on");
    if (b->alpha_to_one)
        fn(data, "alpha_to_one", "on");
}

static void
report_stencil(const struct stencil_face *f, uint8_t ref, const char *name, state_fn *fn,
               void *data)
{
    if (f->enabled)
        report_value(fn, data, name, "%s ref %u mask %02x fail %s zfail %s zpass %s write %02x",
                     NAME_OF(funcs, f->func), ref, f->valuemask, NAME_OF(stencil_ops, f->fail_op),
                     NAME_OF(stencil_ops, f->zfail_op), NAME_OF(stencil_ops, f->zpass_op),
                     f->writemask);
}

static void
report_depth(const struct draw *draw, state_fn *fn, void *data)
{
    const struct dsa_state *d = &draw->dsa;
    if (d->depth_enable)
        report_value(fn, data, "depth", "%s%s", NAME_OF(funcs, d->depth_func),
                     d->depth_write ? "" : " no write");
    if (d->alpha_enable)
        report_value(fn, data, "alpha_test", "%s %g", NAME_OF(funcs, d->alpha_func),
                     (double)d->alpha_ref);
    report_stencil(&d->stencil[0], draw->stencil_ref[0], "stencil", fn, data);
    report_stencil(&d->stencil[1], draw->stencil_ref[1], "stencil_back", fn, data);
}

/* Whether the scissor excludes a part of the target. */
static bool
cuts(const struct draw *draw)
{
    return draw->rasterizer.scissor &&
           (draw->bounds.min_x > 0 || draw->bounds.min_y > 0 || draw->bounds.max_x < draw->width ||
            draw->bounds.max_y < draw->height);
}

static void
report_raster(const struct draw *draw, state_fn *fn, void *data)
{
    static const char *const culls[] = {"none", "front", "back", "both"};
    static const char *const fills[] = {"fill", "line", "point"};
    const struct rasterizer_state *r = &draw->rasterizer;
    if (r->cull != CULL_NONE)
        report_value(fn, data, "cull", "%s%s", NAME_OF(culls, r->cull),
                     r->front_ccw ? "" : " front cw");
    if (r->fill_front != FILL_FILL || r->fill_back != FILL_FILL)
        report_value(fn, data, "polygon_mode", "%s %s", NAME_OF(fills, r->fill_front),
                     NAME_OF(fills, r->fill_back));
    if (cuts(draw))
        report_value(fn, data, "scissor", "%u %u %u %u", draw->bounds.min_x, draw->bounds.min_y,
                     draw->bounds.max_x, draw->bounds.max_y);
    if (r->offset_tri || r->offset_line || r->offset_point)
        report_value(fn, data, "polygon_offset", "%g %g", (double)r->offset_scale,
                     (double)r->offset_units);
    if (r->flatshade)
        fn(data, "flatshade", "on");
    if (r->light_twoside)
        fn(data, "two_sided_light", "on");
    if (!r->depth_clip)
        fn(data, "depth_clamp", "on");
    if (r->clip_plane_enable)
        report_value(fn, data, "clip_planes", "%02x", r->clip_plane_enable);
    if (r->poly_stipple)
        fn(data, "polygon_stipple", "on");
    if (r->line_stipple)
        report_value(fn, data, "line_stipple", "%04x x%u", r->line_stipple_pattern,
                     r->line_stipple_factor);
    if (r->line_smooth || r->point_smooth || r->poly_smooth)
        report_value(fn, data, "smooth", "%s%s%s", r->point_smooth ? "points " : "",
                     r->line_smooth ? "lines " : "", r->poly_smooth ? "polygons " : "");
    if (draw->occlusion)
        fn(data, "query", "occlusion");
}

static void
report_state(const struct draw *draw, state_fn *fn, void *data)
{
    report_blend(draw, fn, data);
    report_depth(draw, fn, data);
    report_raster(draw, fn, data);
}

struct list {
    FILE *out;
    bool some;
};

static void
separate(struct list *list)
{
    if (list->some)
        fputs("; ", list->out);
    list->some = true;
}

static void
list_state(void *data, const char *name, const char *value)
{
    struct list *list = data;
    separate(list);
    fprintf(list->out, "%s %s", name, value);
}

void
describe_state(const struct draw *draw, FILE *out)
{
    report_state(draw, list_state, &(struct list){out, false});
}

void
describe_targets(const struct draw *draw, FILE *out)
{
    struct list list = {out, false};
    bool some = draw->depth.res != NULL;
    for (uint32_t i = 0; i < draw->color_count; i++)
        some |= draw->color[i].res != NULL;
    if (!some) {
        fputs("none", out);
        return;
    }
    fprintf(out, "%ux%u", draw->width, draw->height);
    for (uint32_t i = 0; i < draw->color_count; i++)
        if (draw->color[i].res) {
            fprintf(out, "%s%s", list.some ? " + " : " ", draw->color[i].format->name);
            list.some = true;
        }
    if (draw->depth.res)
        fprintf(out, "%s%s", list.some ? " + " : " ", draw->depth.format->name);
    if (draw->samples > 1)
        fprintf(out, " x%u", draw->samples);
}

/* Width in texels. */
static uint32_t
width_of(const struct bound_view *view)
{
    return view->view.target == TARGET_BUFFER ? view_elements(&view->view) : view->res->desc.width;
}

static void
list_textures(const struct draw *draw, enum shader_stage stage, bool single_level,
              struct list *list)
{
    const struct program *program = draw->program[stage];
    for (uint32_t i = 0; i < MAX_SAMPLERS && program; i++) {
        const struct bound_view *view = &draw->views[stage][i];
        if (!(program->samplers_used >> i & 1) || (single_level && !bound_view_has_one_level(view)))
            continue;
        separate(list);
        if (view->res)
            fprintf(list->out, "#%u %ux%u %s", view->res->desc.handle, width_of(view),
                    view->res->desc.height, view->format->name);
        else
            fputs("none", list->out);
    }
}

static void
list_all_textures(const struct draw *draw, bool single_level, FILE *out)
{
    struct list list = {out, false};
    for (uint32_t stage = STAGE_COUNT; stage-- > 0;)
        list_textures(draw, stage, single_level, &list);
}

void
describe_textures(const struct draw *draw, FILE *out)
{
    list_all_textures(draw, false, out);
}

static char *
field_of(const char *label)
{
    char *text = mem_strdup(label);
    for (char *at = text; *at; at++) {
        const unsigned char c = (unsigned char)*at;
        *at = c == ',' ? ';' : c == '"' ? '\'' : c < ' ' || c == 0x7f ? ' ' : *at;
    }
    return text;
}

void
describe_label(const char *label, FILE *out)
{
    char *text = field_of(label);
    print_shown(out, "%s", text);
    free(text);
}

static char *
geometry_of(const struct draw *draw)
{
    const char *primitive = NAME_OF(primitive_names, draw->params.mode);
    const uint32_t count = draw->params.count, instances = draw->params.instance_count;
    return instances == 1 ? mem_printf("%s %u", primitive, count)
                          : mem_printf("%s %u x%u", primitive, count, instances);
}

/* The fields of work that is not a draw. */
static char *
facts_of_copies(const struct work *work)
{
    const struct work_copy *copy = &work->copy;
    const struct box *box = &copy->box;
    if (!copy->to)
        return mem_printf(",,,,,,,,,,,,,,,,,,%u,", work->copies_repeated);
    return mem_printf(",,,,,,#%u level %u %dx%dx%d at %d %d %d%s,#%u,,,,,,,,,,,%u,", copy->to,
                      copy->level, box->width, box->height, box->depth, box->x, box->y, box->z,
                      copy->mask == BLIT_COLOR ? "" : " masked", copy->from, work->copies_repeated);
}

char *
describe_facts(const struct work *work)
{
    const struct draw *draw = work->baked;
    struct draw_identity identity;
    struct memory_text text;
    if (work->kind == WORK_CLEAR)
        return mem_printf(",,,,,,,,,,,,,%u,,,%u,,,%u", work->erases, work->clears_repeated,
                          work->clears_unneeded);
    if (work->kind == WORK_UPLOAD)
        return mem_printf(",,,,,,,,,,,,,,,%" PRIu64 ",,,,", work->repeated);
    if (work->kind == WORK_BLIT)
        return facts_of_copies(work);
    if (!draw)
        return mem_strdup(",,,,,,,,,,,,,,,,,,,");
    FILE *out = memory_text_open(&text);
    draw_identify(draw, &identity);
    fprintf(out, PROGRAM_HASH "," PROGRAM_HASH "," PROGRAM_HASH ",%s,%u,%u,", identity.hash,
            draw->program[STAGE_VERTEX]->hash, draw->program[STAGE_FRAGMENT]->hash,
            NAME_OF(primitive_names, draw->params.mode), draw->params.count,
            draw->params.instance_count);
    describe_targets(draw, out);
    fputc(',', out);
    describe_textures(draw, out);
    fputc(',', out);
    describe_state(draw, out);
    fputc(',', out);
    describe_label(draw->names->label, out);
    fputc(',', out);
    describe_label(draw->names->program, out);
    fputc(',', out);
    describe_label(draw->names->target, out);
    fprintf(out, ",%u,,%u,,,", draw->merges, draw->textures_uploaded);
    list_all_textures(draw, true, out);
    fputs(",,", out);
    return memory_text_take(&text);
}

void
describe_row(const struct draw *draw, struct text_table *table)
{
    struct draw_identity identity;
    struct memory_text memory;
    char *geometry = geometry_of(draw);
    draw_identify(draw, &identity);
    FILE *out = memory_text_open(&memory);
    fprintf(out, "%s  ", geometry);
    describe_targets(draw, out);
    fputs("  ", out);
    describe_state(draw, out);
    fputs("  ", out);
    describe_textures(draw, out);
    if (draw->names->label[0]) {
        fputs("  ", out);
        describe_label(draw->names->label, out);
    }
    char *text = memory_text_take(&memory);
    text_table_cell(table, "%u", draw->number);
    text_table_cell(table, PROGRAM_HASH, identity.hash);
    text_table_cell(table, "%08x", (unsigned)(draw->program[STAGE_VERTEX]->hash >> 32));
    text_table_cell(table, "%08x", (unsigned)(draw->program[STAGE_FRAGMENT]->hash >> 32));
    text_table_left(table, "%s", text);
    text_table_end_row(table);
    free(geometry);
    free(text);
}

static void
add_state(void *data, const char *name, const char *value)
{
    cJSON_AddStringToObject(data, name, value);
}

static void
add_hash(cJSON *object, const char *name, uint64_t hash)
{
    char text[24];
    snprintf(text, sizeof text, PROGRAM_HASH, hash);
    cJSON_AddStringToObject(object, name, text);
}

static cJSON *
surface_json(const struct bound_surface *surface)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "resource", surface->res->desc.handle);
    cJSON_AddStringToObject(o, "format", surface->format->name);
    cJSON_AddNumberToObject(o, "width", surface->width);
    cJSON_AddNumberToObject(o, "height", surface->height);
    cJSON_AddNumberToObject(o, "samples", surface->samples);
    cJSON_AddNumberToObject(o, "level", surface->level);
    cJSON_AddNumberToObject(o, "layer", surface->layer);
    return o;
}

static void
add_targets(cJSON *root, const struct draw *draw)
{
    cJSON *list = cJSON_AddArrayToObject(root, "targets");
    for (uint32_t i = 0; i < draw->color_count; i++)
        if (draw->color[i].res)
            cJSON_AddItemToArray(list, surface_json(&draw->color[i]));
    if (draw->depth.res)
        cJSON_AddItemToArray(list, surface_json(&draw->depth));
}

static void
add_sampler(cJSON *o, const struct sampler_state *s)
{
    cJSON_AddStringToObject(o, "wrap_s", NAME_OF(wraps, s->wrap_s));
    cJSON_AddStringToObject(o, "wrap_t", NAME_OF(wraps, s->wrap_t));
    cJSON_AddStringToObject(o, "wrap_r", NAME_OF(wraps, s->wrap_r));
    cJSON_AddStringToObject(o, "min_filter", s->min_filter == FILTER_LINEAR ? "linear" : "nearest");
    cJSON_AddStringToObject(o, "mag_filter", s->mag_filter == FILTER_LINEAR ? "linear" : "nearest");
    cJSON_AddStringToObject(o, "mip_filter", NAME_OF(mip_filters, s->mip_filter));
    cJSON_AddNumberToObject(o, "anisotropy", s->max_anisotropy > 1 ? s->max_anisotropy : 1);
    cJSON_AddNumberToObject(o, "lod_bias", (double)s->lod_bias);
    if (s->compare)
        cJSON_AddStringToObject(o, "compare", NAME_OF(funcs, s->compare_func));
}

static void
add_textures(cJSON *list, const struct draw *draw, enum shader_stage stage)
{
    const struct program *program = draw->program[stage];
    for (uint32_t i = 0; i < MAX_SAMPLERS && program; i++) {
        const struct bound_view *view = &draw->views[stage][i];
        if (!(program->samplers_used >> i & 1))
            continue;
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "stage", shader_stage_name(stage));
        cJSON_AddNumberToObject(o, "sampler", i);
        if (view->res) {
            const struct resource_desc *d = &view->res->desc;
            cJSON_AddNumberToObject(o, "resource", d->handle);
            cJSON_AddStringToObject(o, "target", gpu_target_name(view->view.target));
            cJSON_AddStringToObject(o, "format", view->format->name);
            cJSON_AddNumberToObject(o, "width", width_of(view));
            cJSON_AddNumberToObject(o, "height", d->height);
            cJSON_AddNumberToObject(o, "depth", d->depth);
            cJSON_AddNumberToObject(o, "layers", d->array_size);
            cJSON_AddNumberToObject(o, "levels", d->last_level + 1);
            cJSON_AddNumberToObject(o, "first_level", view->view.first_level);
            cJSON_AddNumberToObject(o, "last_level", view->view.last_level);
            add_sampler(o, &view->sampler);
        }
        cJSON_AddItemToArray(list, o);
    }
}

cJSON *
describe_json(const struct draw *draw)
{
    struct draw_identity identity;
    cJSON *o = cJSON_CreateObject();
    draw_identify(draw, &identity);
    cJSON_AddNumberToObject(o, "draw", draw->number);
    add_hash(o, "hash", identity.hash);
    cJSON_AddNumberToObject(o, "client", draw->client);
    cJSON_AddStringToObject(o, "label", draw->names->label);
    cJSON_AddStringToObject(o, "program_name", draw->names->program);
    cJSON_AddStringToObject(o, "target_name", draw->names->target);
    cJSON_AddStringToObject(o, "primitive", NAME_OF(primitive_names, draw->params.mode));
    cJSON_AddNumberToObject(o, "vertices", draw->params.count);
    cJSON_AddNumberToObject(o, "instances", draw->params.instance_count);
    cJSON_AddBoolToObject(o, "indexed", draw->params.indexed);
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++) {
        char name[24];
        if (!draw->program[stage])
            continue;
        snprintf(name, sizeof name, "%s_program", shader_stage_name(stage));
        add_hash(o, name, draw->program[stage]->hash);
    }
    add_targets(o, draw);
    cJSON *textures = cJSON_AddArrayToObject(o, "textures");
    for (uint32_t stage = STAGE_COUNT; stage-- > 0;)
        add_textures(textures, draw, stage);
    report_state(draw, add_state, cJSON_AddObjectToObject(o, "state"));
    return o;
}

static void
put_state(void *data, const char *name, const char *value)
{
    struct text_table *table = data;
    text_table_cell(table, "%s", name);
    text_table_left(table, "%s", value);
    text_table_end_row(table);
}

static void
print_texture(const struct bound_view *view, FILE *out)
{
    const struct sampler_state *s = &view->sampler;
    if (!view->res) {
        fputs("none", out);
        return;
    }
    const struct resource_desc *d = &view->res->desc;
    fprintf(out, "#%u %s %ux%u", d->handle, gpu_target_name(view->view.target), width_of(view),
            d->height);
    if (d->depth > 1 || d->array_size > 1)
        fprintf(out, "x%u", d->depth > 1 ? d->depth : d->array_size);
    fprintf(out, " %s, levels %u-%u of %u, min %s mip %s mag %s, %s %s", view->format->name,
            view->view.first_level, view->view.last_level, d->last_level + 1,
            s->min_filter == FILTER_LINEAR ? "linear" : "nearest",
            NAME_OF(mip_filters, s->mip_filter),
            s->mag_filter == FILTER_LINEAR ? "linear" : "nearest", NAME_OF(wraps, s->wrap_s),
            NAME_OF(wraps, s->wrap_t));
    if (s->max_anisotropy > 1)
        fprintf(out, ", anisotropy %u", s->max_anisotropy);
}

static void
put_textures(struct text_table *table, const struct draw *draw, enum shader_stage stage)
{
    const struct program *program = draw->program[stage];
    for (uint32_t i = 0; i < MAX_SAMPLERS && program; i++) {
        struct memory_text memory;
        if (!(program->samplers_used >> i & 1))
            continue;
        print_texture(&draw->views[stage][i], memory_text_open(&memory));
        char *text = memory_text_take(&memory);
        text_table_cell(table, "%-8s %2u", shader_stage_name(stage), i);
        text_table_left(table, "%s", text);
        text_table_end_row(table);
        free(text);
    }
}

static void
put_surface(struct text_table *table, const char *name, const struct bound_surface *s)
{
    char samples[32] = "";
    if (!s->res)
        return;
    if (s->samples > 1)
        snprintf(samples, sizeof samples, ", %u samples", s->samples);
    text_table_cell(table, "%s", name);
    text_table_left(table, "#%u %ux%u %s, level %u, layer %u%s", s->res->desc.handle, s->width,
                    s->height, s->format->name, s->level, s->layer, samples);
    text_table_end_row(table);
}

static void
put_name(struct text_table *table, const char *what, const char *name)
{
    char *field = field_of(name);
    if (*name)
        put_state(table, what, field);
    free(field);
}

static void
put_hash(struct text_table *table, const char *name, uint64_t hash)
{
    text_table_cell(table, "%s", name);
    text_table_left(table, PROGRAM_HASH, hash);
    text_table_end_row(table);
}

void
describe_table(const struct draw *draw, struct text_table *table)
{
    struct draw_identity identity;
    char name[24], *geometry = geometry_of(draw);
    draw_identify(draw, &identity);
    put_hash(table, "hash", identity.hash);
    text_table_cell(table, "primitive");
    text_table_left(table, "%s%s", geometry, draw->params.indexed ? " indexed" : "");
    text_table_end_row(table);
    put_name(table, "label", draw->names->label);
    put_name(table, "program", draw->names->program);
    put_name(table, "target", draw->names->target);
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++) {
        if (!draw->program[stage])
            continue;
        snprintf(name, sizeof name, "%s program", shader_stage_name(stage));
        put_hash(table, name, draw->program[stage]->hash);
    }
    for (uint32_t i = 0; i < draw->color_count; i++) {
        snprintf(name, sizeof name, "color %u", i);
        put_surface(table, name, &draw->color[i]);
    }
    put_surface(table, "depth", &draw->depth);
    report_state(draw, put_state, table);
    for (uint32_t stage = STAGE_COUNT; stage-- > 0;)
        put_textures(table, draw, stage);
    free(geometry);
}
