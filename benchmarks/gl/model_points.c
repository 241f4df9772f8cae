#include "model_points.h"

#include "model/pattern.h"
#include "springs.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 24, /* operations on each side of a branch */ LARGEST_TEXTURE = 4096 };

static struct point *
add(struct points *points, enum model_sweep sweep, uint32_t width, uint32_t height)
{
    const struct point empty = {.width = width / points->divide, .height = height / points->divide};
    VEC_PUSH(&points->items, empty);
    struct point *point = &points->items.items[points->items.count - 1];
    strcpy(point->row.sweep, model_sweeps[sweep].name);
    point->row.fragments = (double)point->width * point->height;
    point->row.triangles = 2;
    point->columns = point->rows = 1;
    return point;
}

/* Sets the columns of cells, and as many rows as make the cells about square. */
static void
set_cells(const struct points *points, struct point *point, uint32_t columns)
{
    point->columns = columns > points->divide ? columns / points->divide : 1;
    point->rows = (point->columns * point->height + point->width / 2) / point->width;
    point->rows = point->rows ? point->rows : 1;
    point->row.triangles = 2.0 * point->columns * point->rows;
}

/* Fragments per frame, with a short and a longer program. */
static void
add_fragments(struct points *points)
{
    static const uint32_t sizes[][2] = {{160, 120},  {240, 180},  {320, 240},   {400, 300},
                                        {512, 384},  {640, 480},  {800, 600},   {1024, 768},
                                        {1152, 864}, {1280, 960}, {1400, 1050}, {1600, 1200}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint32_t length = 12; length <= 40; length += 28)
            add(points, MODEL_SWEEP_fragments, sizes[i][0], sizes[i][1])->row.cycles = length;
}

static void
add_length(struct points *points)
{
    static const uint32_t lengths[] = {1,  2,  3,  4,  5,  6,  8,  10,  12,  14,  16, 20,
                                       24, 28, 32, 40, 48, 64, 96, 128, 192, 256, 384};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        add(points, MODEL_SWEEP_length, 1200, 800)->row.cycles = lengths[i];
}

static void
set_branch(struct point *point, uint32_t block)
{
    point->row.cycles = 6;
    point->row.branch_cycles = 6;
    point->row.if_cycles = point->row.else_cycles = SIDE;
    point->row.block = block;
}

/* Triangle sizes, for several widths of the columns that branch together. Cells have fractional
 * widths, so that in no size all edges are between quads. */
static void
add_triangles(struct points *points)
{
    static const uint32_t columns[] = {1, 3, 7, 13, 19, 29, 43, 61, 83, 107, 139, 173, 211};
    static const uint32_t blocks[] = {1, 4, 16, 32, 64, 128, 320, 640};
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++)
        for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
            struct point *point = add(points, MODEL_SWEEP_triangles, 640, 384);
            set_branch(point, blocks[b]);
            set_cells(points, point, columns[c]);
        }
    /* 960,000 and 240,000 fragments per triangle. Like 640, the width is a multiple of each block.
     */
    for (size_t b = 0; points->large && b < sizeof blocks / sizeof blocks[0]; b++)
        for (uint32_t cells = 1; cells <= 2; cells++) {
            struct point *point = add(points, MODEL_SWEEP_triangles, 1280, 1500);
            set_branch(point, blocks[b]);
            set_cells(points, point, cells);
        }
}

/* 2 to 640 columns. */
static void
add_coherence(struct points *points)
{
    static const uint32_t blocks[] = {1,  2,  3,   4,   5,   6,   7,   8,   9,   10,
                                      12, 14, 16,  20,  24,  28,  32,  40,  48,  64,
                                      80, 96, 112, 128, 144, 160, 192, 213, 256, 320};
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++)
        set_branch(add(points, MODEL_SWEEP_coherence, 640, 480), blocks[b]);
}

/* One read per fragment in a large frame, or four reads. */
static void
add_texture(struct points *points, const char *format, uint32_t size, uint32_t reads)
{
    struct point *point = reads == 1 ? add(points, MODEL_SWEEP_textures, 1600, 1200)
                                     : add(points, MODEL_SWEEP_textures, 512, 384);
    strcpy(point->row.format, format);
    point->row.cycles = 8;
    point->row.texture = size;
    point->row.reads = reads;
}

/* Sizes above `least` and up to `most`: powers of two, and others. */
static void
add_sizes(struct points *points, const char *format, uint32_t reads, uint32_t least, uint32_t most)
{
    static const uint32_t others[] = {3,   6,   12,  24,  48,   72,   96,   144, 200,
                                      300, 400, 600, 800, 1000, 1500, 2000, 3000};
    for (uint32_t size = 2; size <= most; size *= 2)
        if (size > least)
            add_texture(points, format, size, reads);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i] > least && others[i] <= most)
            add_texture(points, format, others[i], reads);
}

/* Up to 32 MB. The large points are the sizes above, plus one read per fragment for all sizes. */
static void
add_textures(struct points *points)
{
    static const struct {
        const char *name;
        uint32_t most;
    } formats[] = {{"DXT1", 4096}, {"RGBA8", 2048}, {"RGBA16F", 2048}, {"RGBA32F", 1024}};
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        add_sizes(points, formats[f].name, 4, 0, formats[f].most);
        if (points->large) {
            add_sizes(points, formats[f].name, 4, formats[f].most, LARGEST_TEXTURE);
            add_sizes(points, formats[f].name, 1, 0, LARGEST_TEXTURE);
        }
    }
}

static void
add_reads(struct points *points, const char *format, uint32_t size, const char *pattern,
          uint32_t addresses)
{
    struct point *point = !strcmp(format, "RGBX8") ? add(points, MODEL_SWEEP_dependent, 1024, 768)
                                                   : add(points, MODEL_SWEEP_dependent, 512, 384);
    snprintf(point->row.pattern, sizeof point->row.pattern, "%s", pattern);
    strcpy(point->row.format, format);
    point->row.cycles = 4;
    point->row.texture = size;
    point->row.reads = 2;
    point->row.dependent = 1;
    point->row.addresses = addresses;
}

/* Sides of the large points: multiples of the step. Without a step, a few sides. 0 ends them. */
static uint32_t
large_side(const struct points *points, uint32_t number)
{
    static const uint32_t sides[] = {2,   4,   8,   16,  32,  50,  64,   80,   100,  128,  160, 200,
                                     256, 300, 400, 512, 600, 800, 1024, 1300, 1600, 2048, 0};
    const uint32_t side = points->step * (number + 1);
    return !points->step ? sides[number] : side <= 2048 ? side : 0;
}

/* Adds the sweep for the patterns that the user names. Marks an unknown one as an error. */
static void
add_listed(struct points *points, const uint32_t *sizes, size_t count)
{
    char *copy = mem_strdup(points->patterns), *rest = copy;
    for (char *name; (name = strsep(&rest, ","));) {
        struct pattern pattern;
        struct error err = {""};
        if (!pattern_make(&pattern, name, &err)) {
            fprintf(stderr, "model: %s\n", err.text);
            points->failed = true;
            break;
        }
        const uint32_t most = pattern.width > pattern.height ? pattern.width : pattern.height;
        for (size_t s = 0; s < count; s++)
            add_reads(points, "RGBA32F", sizes[s], name, most);
        for (uint32_t s = 0; points->large && large_side(points, s); s++)
            add_reads(points, "RGBX8", large_side(points, s), name, most);
        pattern_fini(&pattern);
    }
    free(copy);
}

static void
add_dependent(struct points *points)
{
    static const uint32_t sizes[] = {8,   12,  16,  20,  24,  32,  40,  50,  64,  80,
                                     100, 128, 200, 256, 300, 400, 512, 600, 800, 1024};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    if (points->patterns) {
        add_listed(points, sizes, SIZES);
        return;
    }
    for (size_t s = 0; s < SIZES; s++)
        for (uint32_t p = 0; pattern_name(p); p++)
            add_reads(points, "RGBA32F", sizes[s], pattern_name(p), PATTERN_SIZE);
    for (uint32_t s = 0; points->large && large_side(points, s); s++)
        for (uint32_t p = 0; pattern_name(p); p++)
            add_reads(points, "RGBX8", large_side(points, s), pattern_name(p), PATTERN_SIZE);
}

/* The mass-spring program: 131,072 particles with 12 springs (springs.h), and 30 iterations of the
 * loop.
 *
 * Addresses of dependent reads: neighbouring particles read neighbouring texels. Of the patterns of
 * the sweep `dependent`, only `ramp` in a texture of 32 texels per side has steps of one texel. The
 * time of a dependent read includes the read of its address. So the two dependent reads of an
 * iteration count as one. */
static void
add_springs(struct points *points)
{
    static const char *const textures[] = {"none", "outside", "all"};
    static const char *const flows[] = {"unrolled", "loop", "break"};
    for (uint32_t t = 0; t < 3; t++)
        for (uint32_t f = 0; f < 3; f++) {
            struct point *point = add(points, MODEL_SWEEP_springs, SPRINGS_WIDTH, SPRINGS_HEIGHT);
            struct model_row *row = &point->row;
            snprintf(row->variant, sizeof row->variant, "%s-%s", textures[t], flows[f]);
            row->cycles = 4;
            row->loop_cycles = 12;
            row->rounds =
                f == 2 ? springs_mean_rounds(t > 0, point->width, point->height) : SPRINGS_ROUNDS;
            row->rounds_most = SPRINGS_ROUNDS;
            row->reads = t == 0 ? 0 : t == 1 ? 2 : 2 + 2 * row->rounds;
            row->dependent = t == 2 ? row->rounds : 0;
            /* about as many texels as particles */
            row->texture = t == 0 ? 0 : t == 1 ? 362 : PATTERN_SIZE;
            row->addresses = t == 2 ? PATTERN_SIZE : 0;
            strcpy(row->format, t == 0 ? "" : "RGBA32F");
            strcpy(row->pattern, t == 2 ? "ramp" : "");
        }
}

static void (*const adders[MODEL_SWEEPS])(struct points *points) = {
#define MODEL_SWEEP(name, ...) add_##name,
#include "model/sweeps.def"
#undef MODEL_SWEEP
};

bool
points_add(struct points *points, const char *sweep)
{
    bool found = false;
    for (uint32_t i = 0; i < MODEL_SWEEPS; i++)
        if (!strcmp(sweep, "all") || !strcmp(sweep, model_sweeps[i].name)) {
            adders[i](points);
            found = true;
        }
    return found && !points->failed;
}

/* ---- shaders ---- */

static void
repeat(FILE *out, uint32_t count, const char *line)
{
    for (uint32_t i = 0; i < count; i++)
        fputs(line, out);
}

static void
write_branch(FILE *out)
{
    fputs("    if (fract(floor(gl_FragCoord.x / width) * 0.5) < 0.25) {\n", out);
    repeat(out, SIDE, "        a = a * b + c;\n");
    fputs("    } else {\n", out);
    repeat(out, SIDE, "        a = a * c + b;\n");
    fputs("    }\n", out);
}

/* Each fragment reads one texel of the address texture, which repeats over the target. */
static void
write_dependent(const struct model_row *row, FILE *out)
{
    struct pattern pattern;
    if (!pattern_make(&pattern, row->pattern, NULL))
        return;
    fputs("    vec2 place = texture2D(places, gl_FragCoord.xy / ", out);
    if (pattern.width == pattern.height)
        fprintf(out, "%u.0", pattern.width);
    else
        fprintf(out, "vec2(%u.0, %u.0)", pattern.width, pattern.height);
    fputs(").xy;\n    a = texture2D(image, place + 0.5 / size);\n", out);
    pattern_fini(&pattern);
}

static void
write_textures(const struct model_row *row, FILE *out)
{
    if (row->reads == 1)
        fputs("    a = texture2D(image, at.xy);\n", out);
    else
        fputs("    a = texture2D(image, at.xy) + texture2D(image, at.yx)\n"
              "      + texture2D(image, 1.0 - at.xy) + texture2D(image, 1.0 - at.yx);\n",
              out);
}

char *
point_shader(const struct point *point)
{
    const struct model_row *row = &point->row;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (model_row_is_of(row, MODEL_SWEEP_springs)) {
        springs_shader(row->variant, out);
        fclose(out);
        return text;
    }
    fputs("#version 120\n"
          "varying vec4 at;\n"
          "uniform float width, size;\n"
          "uniform sampler2D image, places;\n"
          "void main() {\n"
          "    vec4 a = at, b = at * 0.7, c = at.yxwz;\n",
          out);
    if (row->dependent > 0)
        write_dependent(row, out);
    else if (row->reads > 0)
        write_textures(row, out);
    else if (row->block > 0)
        write_branch(out);
    else
        repeat(out, (uint32_t)row->cycles, "    a = a * b + c;\n");
    fputs("    gl_FragColor = a;\n}\n", out);
    fclose(out);
    return text;
}
