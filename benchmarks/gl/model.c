/* The micro-benchmarks of the staged performance model (docs/model.md). Sweeps: fragments per
 * frame, program length, triangle size, width of columns that branch together, size and format of
 * textures, dependent reads, and a mass-spring program. Each point is a CSV row. Each draw has a
 * label with the same content, which identifies it for `aetius model bench`.
 *
 * All points draw into a texture with 8 bits per channel, so that the window's size has no effect.
 * Times are from fence to fence; the median of the samples is used. Uploads for a point are in a
 * separate, earlier frame. */
#include "model/pattern.h"
#include "model_points.h"
#include "pbuffer.h"
#include "springs.h"
#include "window.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WINDOW = 64, MOST_SAMPLES = 1000 };

struct options {
    const char *sweep, *surface, *csv, *patterns;
    uint32_t samples, divide, step;
    bool list, large;
};

/* State kept between points. */
struct drawing {
    struct window *window; /* NULL: uses a pbuffer */
    GLuint framebuffer, target, vertices, indices, program;
    GLuint image, places, geometry, hood, neighbours;
    uint32_t width, height, columns, rows, count; /* size of the current target and mesh */
    char format[MODEL_TEXT_BYTES], pattern[MODEL_TEXT_BYTES];
    double texture;
};

static GLuint
make_texture(GLuint old)
{
    GLuint texture;
    glDeleteTextures(1, &old);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return texture;
}

/* Uploads an image of the given format with arbitrary varying content. */
static void
upload_image(const char *format, uint32_t size)
{
    static const struct {
        const char *name;
        GLint internal;
        GLenum type;
    } formats[] = {{"RGBX8", GL_RGB8, GL_UNSIGNED_BYTE},
                   {"RGBA8", GL_RGBA8, GL_UNSIGNED_BYTE},
                   {"RGBA16F", GL_RGBA16F, GL_HALF_FLOAT},
                   {"RGBA32F", GL_RGBA32F, GL_FLOAT}};
    const GLsizei side = (GLsizei)size;
    const size_t most = (size_t)(size + 3) * (size + 3) * 16;
    uint8_t *bytes = mem_alloc(most);
    for (size_t i = 0; i < most; i++) /* valid floats too: small and positive */
        bytes[i] = i % 4 == 3 ? 0x3d : (uint8_t)(i / 64);
    if (!strcmp(format, "DXT1")) {
        const uint32_t blocks = (size + 3) / 4;
        glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_COMPRESSED_RGB_S3TC_DXT1_EXT, side, side, 0,
                               (GLsizei)(blocks * blocks * 8), bytes);
    }
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++)
        if (!strcmp(format, formats[f].name))
            glTexImage2D(GL_TEXTURE_2D, 0, formats[f].internal, side, side, 0, GL_RGBA,
                         formats[f].type, bytes);
    free(bytes);
}

static void
upload_floats(GLint format, uint32_t width, uint32_t height, const float *texels)
{
    glTexImage2D(GL_TEXTURE_2D, 0, format, (GLsizei)width, (GLsizei)height, 0, GL_RGBA, GL_FLOAT,
                 texels);
}

/* Uploads the addresses of a pattern, with as many bits per channel as the texture that is read. */
static void
prepare_places(struct drawing *d, const struct model_row *row)
{
    struct pattern pattern;
    if (!pattern_make(&pattern, row->pattern, NULL))
        return;
    const uint32_t count = pattern.width * pattern.height;
    const bool is_bytes = !strcmp(row->format, "RGBX8");
    float *texels = mem_array((size_t)count * 4, sizeof *texels);
    for (uint32_t i = 0; i < count; i++)
        memcpy(texels + 4 * i, pattern.texcoords[i], sizeof pattern.texcoords[i]);
    d->places = make_texture(d->places);
    upload_floats(is_bytes ? GL_RGB8 : GL_RGBA32F, pattern.width, pattern.height, texels);
    free(texels);
    pattern_fini(&pattern);
}

static GLuint
make_rectangle(uint32_t width, uint32_t height, float (*texels)[4])
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_RECTANGLE_ARB, texture);
    glTexParameteri(GL_TEXTURE_RECTANGLE_ARB, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_RECTANGLE_ARB, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_RECTANGLE_ARB, 0, GL_RGBA32F, (GLsizei)width, (GLsizei)height, 0,
                 GL_RGBA, GL_FLOAT, texels);
    return texture;
}

static void
prepare_springs(struct drawing *d, const struct point *point)
{
    float(*texels)[4] = mem_array((size_t)SPRINGS_SIDE * SPRINGS_SIDE, sizeof *texels);
    springs_fill_geometry(texels, point->width, point->height);
    d->geometry = make_rectangle(SPRINGS_SIDE, SPRINGS_SIDE, texels);
    springs_fill_hood(texels, point->width, point->height);
    d->hood = make_rectangle(SPRINGS_SIDE, SPRINGS_SIDE, texels);
    springs_fill_neighbours(texels);
    d->neighbours = make_rectangle(SPRINGS_NEIGHBOURS_WIDTH, SPRINGS_NEIGHBOURS_HEIGHT, texels);
    free(texels);
}

static void
prepare_textures(struct drawing *d, const struct point *point)
{
    const struct model_row *row = &point->row;
    if (model_row_is_of(row, MODEL_SWEEP_springs)) {
        if (!d->geometry)
            prepare_springs(d, point);
        return;
    }
    if (strcmp(row->pattern, d->pattern) != 0 || strcmp(row->format, d->format) != 0)
        prepare_places(d, row);
    if (row->texture > 0 && (row->texture != d->texture || strcmp(row->format, d->format) != 0)) {
        d->image = make_texture(d->image);
        upload_image(row->format, (uint32_t)row->texture);
    }
    strcpy(d->pattern, row->pattern);
    strcpy(d->format, row->format);
    d->texture = row->texture;
}

static void
prepare_target(struct drawing *d, const struct point *point)
{
    const GLsizei width = (GLsizei)point->width, height = (GLsizei)point->height;
    glBindFramebuffer(GL_FRAMEBUFFER, d->framebuffer);
    if (d->width != point->width || d->height != point->height) {
        d->target = make_texture(d->target);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, d->target, 0);
    }
    glBindTexture(GL_TEXTURE_2D, 0);
}

/* Uploads an indexed mesh with two triangles per cell, row by row. */
static void
prepare_mesh(struct drawing *d, const struct point *point)
{
    const uint32_t columns = point->columns, rows = point->rows;
    float *corners = mem_array((size_t)(columns + 1) * (rows + 1) * 2, sizeof *corners);
    uint32_t *indices = mem_array((size_t)columns * rows * 6, sizeof *indices), n = 0;
    for (uint32_t y = 0; y <= rows; y++)
        for (uint32_t x = 0; x <= columns; x++) {
            corners[2 * (y * (columns + 1) + x)] = 2.0f * (float)x / (float)columns - 1.0f;
            corners[2 * (y * (columns + 1) + x) + 1] = 2.0f * (float)y / (float)rows - 1.0f;
        }
    for (uint32_t y = 0; y < rows; y++)
        for (uint32_t x = 0; x < columns; x++) {
            const uint32_t low = y * (columns + 1) + x, high = low + columns + 1;
            const uint32_t two[6] = {low, low + 1, high, high, low + 1, high + 1};
            memcpy(indices + n, two, sizeof two);
            n += 6;
        }
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((columns + 1) * (rows + 1) * 2 * sizeof *corners),
                 corners, GL_STATIC_DRAW);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(n * sizeof *indices), indices,
                 GL_STATIC_DRAW);
    d->count = n;
    free(corners);
    free(indices);
}

static void
prepare_program(struct drawing *d, const struct point *point)
{
    static const struct {
        const char *name;
        int unit;
    } samplers[] = {{"image", 0}, {"places", 1}, {"geometry", 2}, {"hood", 3}, {"neighbours", 4}};
    char *text = point_shader(point);
    if (d->program)
        glDeleteProgram(d->program);
    d->program = make_program("#version 120\n"
                              "varying vec4 at;\n"
                              "void main() {\n"
                              "    at = gl_Vertex.xyxy * 0.5 + 0.5;\n"
                              "    gl_Position = vec4(gl_Vertex.xy, 0.0, 1.0);\n"
                              "}\n",
                              text);
    free(text);
    glUseProgram(d->program);
    for (size_t i = 0; i < sizeof samplers / sizeof samplers[0]; i++)
        glUniform1i(glGetUniformLocation(d->program, samplers[i].name), samplers[i].unit);
    glUniform1f(glGetUniformLocation(d->program, "width"),
                point->row.block > 0 ? (float)point->row.block : 64.0f);
    glUniform1f(glGetUniformLocation(d->program, "size"), (float)point->row.texture);
    glUniform1f(glGetUniformLocation(d->program, "rounds"), (float)SPRINGS_ROUNDS);
}

static void
prepare(struct drawing *d, const struct point *point)
{
    prepare_target(d, point);
    prepare_textures(d, point);
    if (d->columns != point->columns || d->rows != point->rows)
        prepare_mesh(d, point);
    d->width = point->width;
    d->height = point->height;
    d->columns = point->columns;
    d->rows = point->rows;
    prepare_program(d, point);
    const GLuint textures[] = {d->image, d->places, d->geometry, d->hood, d->neighbours};
    for (uint32_t i = 0; i < 5; i++) {
        glActiveTexture(GL_TEXTURE0 + i);
        glBindTexture(i < 2 ? GL_TEXTURE_2D : GL_TEXTURE_RECTANGLE_ARB, textures[i]);
    }
    glActiveTexture(GL_TEXTURE0);
}

/* Pushes nested debug groups, split between words, since a name is limited to 63 bytes. Returns
 * their number. */
static uint32_t
push_label(const char *label)
{
    enum { MOST = 63 };
    uint32_t groups = 0;
    for (size_t length; (length = strlen(label)) > 0; label += length, groups++) {
        if (length > MOST) {
            length = MOST;
            while (length > 1 && label[length - 1] != ' ')
                length--;
        }
        glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, (GLsizei)length, label);
    }
    return groups;
}

static void
draw(const struct drawing *d, const char *label)
{
    glBindFramebuffer(GL_FRAMEBUFFER, d->framebuffer);
    glViewport(0, 0, (GLsizei)d->width, (GLsizei)d->height);
    const uint32_t groups = push_label(label);
    glDrawElements(GL_TRIANGLES, (GLsizei)d->count, GL_UNSIGNED_INT, NULL);
    for (uint32_t i = 0; i < groups; i++)
        glPopDebugGroup();
}

/* Ends the frame. The window gets nothing, because the drawing went to a texture. */
static void
end_frame(const struct drawing *d)
{
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    if (d->window)
        window_swap(d->window);
}

static void
wait_for_gpu(void)
{
    GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    while (glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 1000000000) == GL_TIMEOUT_EXPIRED)
        ;
    glDeleteSync(fence);
}

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int
compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* With one sample, the frame is drawn once. With more, one extra frame is drawn first and not
 * measured. */
static void
measure(const struct drawing *d, struct model_row *row, uint32_t samples)
{
    static double seconds[MOST_SAMPLES];
    char label[256];
    model_row_label(row, label, sizeof label);
    for (uint32_t i = 0; i < samples + (samples > 1); i++) {
        wait_for_gpu();
        const double start = now();
        draw(d, label);
        wait_for_gpu();
        seconds[samples > 1 && i ? i - 1 : 0] = now() - start;
        end_frame(d);
    }
    qsort(seconds, samples, sizeof *seconds, compare);
    row->seconds = seconds[samples / 2];
    row->spread = (seconds[samples * 3 / 4] - seconds[samples / 4]) / 2;
}

static void
setup(struct drawing *d)
{
    glGenFramebuffers(1, &d->framebuffer);
    glGenBuffers(1, &d->vertices);
    glGenBuffers(1, &d->indices);
    glBindBuffer(GL_ARRAY_BUFFER, d->vertices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, d->indices);
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, NULL);
    glClear(GL_COLOR_BUFFER_BIT);
}

static void
run(struct drawing *d, const struct points *points, const struct options *options, FILE *out)
{
    char renderer[MODEL_TEXT_BYTES];
    snprintf(renderer, sizeof renderer, "%s", (const char *)glGetString(GL_RENDERER));
    for (char *c = renderer; *c; c++)
        if (*c == ',' || *c == '"')
            *c = ';';
    setup(d);
    model_rows_header(out);
    for (size_t i = 0; i < points->items.count; i++) {
        struct point *point = &points->items.items[i];
        strcpy(point->row.renderer, renderer);
        prepare(d, point);
        end_frame(d);
        measure(d, &point->row, options->samples);
        check_gl(point->row.sweep);
        model_row_print(&point->row, out);
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\rmodel: %zu of %zu points%s", i + 1, points->items.count,
                    i + 1 < points->items.count ? "" : "\n");
    }
}

static int
help(void)
{
    puts("usage: model [--sweep NAME] [--csv FILE] [--samples N] [--surface window|pbuffer] "
         "[--list 1] [--large 1]\n\n"
         "Measures this machine's OpenGL for the staged performance model, as CSV.\n\n"
         "  --csv FILE        where it goes (standard output)\n"
         "  --samples N       frames a point, of which the median counts (7)\n"
         "  --surface KIND    window (GLX), or pbuffer (EGL, needs no display) (window)\n"
         "  --divide N        frames N times narrower and lower, to try things out (1)\n"
         "  --patterns LIST   dependent: patterns or files, separated by commas (the named ones)\n"
         "  --list 1          print what would be drawn\n"
         "  --large 1         also the large points: triangles of 960,000 fragments, textures of "
         "up\n"
         "                    to 4096 texels per side with one and four reads, and RGBX8 textures\n"
         "                    of up to 2048 texels per side with addresses of 8 bits\n"
         "  --step N          --large 1: dependent reads of RGBX8 textures at sides of N, 2 N and "
         "so\n"
         "                    on (22 sides)\n"
         "  --sweep NAME      all, or one of:");
    for (uint32_t i = 0; i < MODEL_SWEEPS; i++)
        printf("                    %s\n", model_sweeps[i].name);
    return 0;
}

static bool
read_options(struct options *options, int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        char *end = NULL;
        if (!strcmp(name, "--sweep"))
            options->sweep = value;
        else if (!strcmp(name, "--csv"))
            options->csv = value;
        else if (!strcmp(name, "--patterns"))
            options->patterns = value;
        else if (!strcmp(name, "--surface"))
            options->surface = value;
        else if (!strcmp(name, "--list"))
            options->list = true;
        else if (!strcmp(name, "--large"))
            options->large = !strcmp(value, "1");
        else if (!strcmp(name, "--step"))
            options->step = (uint32_t)strtoul(value, &end, 10);
        else if (!strcmp(name, "--divide"))
            options->divide = (uint32_t)strtoul(value, &end, 10);
        else if (!strcmp(name, "--samples"))
            options->samples = (uint32_t)strtoul(value, &end, 10);
        else
            return false;
        if (end && (*end || end == value))
            return false;
    }
    return argc % 2 == 1 && options->samples > 0 && options->samples <= MOST_SAMPLES &&
           options->divide > 0 && options->divide <= 64 && options->step <= 2048 &&
           (!strcmp(options->surface, "window") || !strcmp(options->surface, "pbuffer"));
}

static void
list(const struct points *points, FILE *out)
{
    model_rows_header(out);
    for (size_t i = 0; i < points->items.count; i++)
        model_row_print(&points->items.items[i].row, out);
}

static bool
open_surface(struct drawing *drawing, const char *kind)
{
    if (!strcmp(kind, "pbuffer"))
        return pbuffer_open("model", WINDOW, WINDOW);
    drawing->window = window_open("model", WINDOW, WINDOW);
    return drawing->window != NULL;
}

int
main(int argc, char **argv)
{
    struct options options = {.sweep = "all", .surface = "window", .samples = 7, .divide = 1};
    struct drawing drawing = {0};
    struct points points = {0};
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return help();
    const bool known = read_options(&options, argc, argv);
    points.patterns = options.patterns;
    points.divide = options.divide;
    points.large = options.large;
    points.step = options.step;
    if (!known || !points_add(&points, options.sweep)) {
        if (!points.failed) /* it has printed its message */
            fprintf(stderr, "model: wrong options; see --help\n");
        return 2;
    }
    if (!options.list && !open_surface(&drawing, options.surface))
        return 1;
    FILE *out = options.csv ? fopen(options.csv, "w") : stdout;
    if (!out) {
        fprintf(stderr, "model: cannot write %s\n", options.csv);
        return 1;
    }
    if (options.list)
        list(&points, out);
    else
        run(&drawing, &points, &options, out);
    const bool ok = !ferror(out) && !fflush(out);
    if (!ok)
        fprintf(stderr, "model: the CSV could not be written\n");
    VEC_FREE(&points.items);
    return ok ? 0 : 1;
}
