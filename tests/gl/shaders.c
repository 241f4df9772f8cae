/* Hundreds of shaders made from templates. A template combines an indexed type, a mode of writing
 * it, a mode of reading it, and a stage. shaders_features.c adds single features. Each shader draws
 * a tile of COLUMNS x ROWS pixels into one picture. C code calculates the expected pixels. The
 * program prints one line per tile with its pixels, so that renderers can be compared tile by tile.
 *
 *     shaders 120 | 130 | es      the language: GLSL 1.20, 1.30 or ES 1.00
 *
 * The exit status is 1 if a tile differs from the expected one. The program draws off screen,
 * through EGL. */
#include "shaders.h"

#include <EGL/egl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILES_A_ROW = 24, MAX_TILES = 600 };

/* An indexed type. Elements have the numbers 0 to count - 1. `element` contains %s for the number,
 * which is an integer expression without side effects. */
enum uniform {
    UNIFORM_FLOAT,
    UNIFORM_INT,
    UNIFORM_VEC4,
    UNIFORM_VEC4_Z, /* an array of vec4 of which only z is used */
    UNIFORM_MAT2,
    UNIFORM_MAT3,
    UNIFORM_MAT4,
    UNIFORM_NONE,
    UNIFORM_STRUCTS, /* set one by one: uniform_name has element / inner and element % inner */
};

struct indexed {
    const char *name;
    const char *types;   /* declarations of structs */
    const char *declare; /* declaration of the variable, named v */
    const char *element;
    int count;
    bool integer, varying; /* int elements; permitted as a varying in every language */
    enum uniform uniform;
    const char *uniform_name;
    int inner;
};

enum { MAX_ELEMENTS = 18 };

static const struct indexed indexed[] = {
    {"floats", "", "float v[6]", "v[%s]", 6, false, true, UNIFORM_FLOAT, NULL, 0},
    {"ints", "", "int v[6]", "v[%s]", 6, true, false, UNIFORM_INT, NULL, 0},
    {"vectors", "", "vec4 v[5]", "v[%s].z", 5, false, true, UNIFORM_VEC4_Z, NULL, 0},
    {"channels", "", "vec4 v", "v[%s]", 4, false, true, UNIFORM_VEC4, NULL, 0},
    {"mat2", "", "mat2 v", "v[(%s)/2][(%s)-(%s)/2*2]", 4, false, true, UNIFORM_MAT2, NULL, 0},
    {"mat3", "", "mat3 v", "v[(%s)/3][(%s)-(%s)/3*3]", 9, false, true, UNIFORM_MAT3, NULL, 0},
    {"mat4", "", "mat4 v", "v[(%s)/4][(%s)-(%s)/4*4]", 16, false, true, UNIFORM_MAT4, NULL, 0},
    {"matrices", "", "mat2 v[3]", "v[(%s)/4][((%s)-(%s)/4*4)/2][(%s)-(%s)/2*2]", 12, false, true,
     UNIFORM_MAT2, NULL, 0},
    {"structs", "struct S { vec2 p; float x; };\n", "S v[6]", "v[%s].x", 6, false, false,
     UNIFORM_STRUCTS, "v[%d].x", 1},
    {"nested", "struct I { float a[3]; vec2 b; };\nstruct S { float x; I i; };\n", "S v[2]",
     "v[(%s)/3].i.a[(%s)-(%s)/3*3]", 6, false, false, UNIFORM_STRUCTS, "v[%d].i.a[%d]", 3},
    {"nested-channels", "struct S { float x; vec3 m[2]; };\n", "S v[3]",
     "v[(%s)/6].m[((%s)-(%s)/6*6)/3][(%s)-(%s)/3*3]", 18, false, false, UNIFORM_NONE, NULL, 0},
};

enum mode { MODE_NONE, MODE_STATIC, MODE_DYNAMIC, MODE_LOOP, MODE_COUNT };
static const char *const mode_names[MODE_COUNT] = {"none", "static", "dynamic", "loop"};

enum storage { STORAGE_LOCAL, STORAGE_UNIFORM, STORAGE_VARYING };

/* A string that grows as needed. */
struct text {
    char *at;
    size_t count, capacity;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *text, const char *fmt, ...)
{
    va_list args;
    if (text->capacity - text->count < 4096) {
        text->capacity += 16384;
        text->at = realloc(text->at, text->capacity);
    }
    va_start(args, fmt);
    text->count +=
        (size_t)vsnprintf(text->at + text->count, text->capacity - text->count, fmt, args);
    va_end(args);
}

/* Appends an access to the element whose number is the expression. */
static void
add_element(struct text *text, const struct indexed *what, const char *number)
{
    for (const char *at = what->element; *at; at++) {
        if (at[0] == '%' && at[1] == 's') {
            add(text, "%s", number);
            at++;
        } else {
            add(text, "%c", *at);
        }
    }
}

static void
add_write(struct text *text, const struct indexed *what, const char *number, const char *value)
{
    add(text, "    ");
    add_element(text, what, number);
    add(text, " = %s(%s);\n", what->integer ? "int" : "float", value);
}

/* Appends writes of 3 e + 1 to every element e with constant numbers, then the writes of the mode.
 * STATIC and DYNAMIC write two elements, by constant numbers or by numbers that depend on k. LOOP
 * writes all elements in reverse order. */
static void
add_writes(struct text *text, const struct indexed *what, enum mode mode)
{
    char number[64], value[64];
    for (int e = 0; e < what->count; e++) {
        snprintf(number, sizeof number, "%d", e);
        snprintf(value, sizeof value, "%d", 3 * e + 1);
        add_write(text, what, number, value);
    }
    switch (mode) {
    case MODE_STATIC:
        add_write(text, what, "1", "k + 40");
        add_write(text, what, "3", "k * 2 + 17");
        break;
    case MODE_DYNAMIC:
        snprintf(number, sizeof number, "(k + 2 - (k + 2) / %d * %d)", what->count, what->count);
        add_write(text, what, number, "k + 40");
        snprintf(number, sizeof number, "(%d - k)", what->count - 1);
        add_write(text, what, what->count > LAST_K ? number : "3", "k * 2 + 17");
        break;
    case MODE_LOOP:
        snprintf(number, sizeof number, "%d - i", what->count - 1);
        add(text, "    for (int i = 0; i < %d; i++)\n    ", what->count);
        add_write(text, what, number, "i * 2 + k");
        break;
    default: break;
    }
}

static void
write_elements(const struct indexed *what, enum mode mode, int k, int *v)
{
    const int n = what->count;
    for (int e = 0; e < n; e++)
        v[e] = 3 * e + 1;
    switch (mode) {
    case MODE_STATIC:
        v[1] = k + 40;
        v[3] = k * 2 + 17;
        break;
    case MODE_DYNAMIC:
        v[(k + 2) % n] = k + 40;
        v[n > LAST_K ? n - 1 - k : 3] = k * 2 + 17;
        break;
    case MODE_LOOP:
        for (int i = 0; i < n; i++)
            v[n - 1 - i] = i * 2 + k;
        break;
    default: break;
    }
}

/* Appends three sums of elements, which become the color. STATIC and DYNAMIC read one element per
 * sum, by a constant number or by one that depends on k. LOOP reads all elements. */
static void
add_reads(struct text *text, const struct indexed *what, enum mode mode)
{
    const int n = what->count;
    char number[64];
    add(text, "    vec3 sum = vec3(0.0);\n");
    for (int s = 0; s < 3 && mode != MODE_LOOP; s++) {
        if (mode == MODE_STATIC)
            snprintf(number, sizeof number, "%d", s + 1);
        else
            snprintf(number, sizeof number, "(k + %d - (k + %d) / %d * %d)", s, s, n, n);
        add(text, "    sum[%d] += float(", s);
        add_element(text, what, number);
        add(text, ");\n");
    }
    if (mode == MODE_LOOP) {
        add(text, "    for (int i = 0; i < %d; i++) {\n        float e = float(", n);
        add_element(text, what, "i");
        add(text, ");\n        sum += vec3(e, e * float(i), i == k ? e : 0.0);\n    }\n");
    }
}

static struct color
read_elements(const struct indexed *what, enum mode mode, int k, const int *v)
{
    struct color sum = {{0, 0, 0}};
    for (int s = 0; s < 3 && mode != MODE_LOOP; s++)
        sum.rgb[s] = mode == MODE_STATIC ? v[s + 1] : v[(k + s) % what->count];
    for (int i = 0; i < what->count && mode == MODE_LOOP; i++) {
        sum.rgb[0] += v[i];
        sum.rgb[1] += v[i] * i;
        sum.rgb[2] += i == k ? v[i] : 0;
    }
    for (int s = 0; s < 3; s++)
        sum.rgb[s] %= 256;
    return sum;
}

struct tile {
    char name[64];
    struct color wanted[COLUMNS];
};

static struct {
    struct tile tiles[MAX_TILES];
    int count;
    enum language language;
} grid;

static GLuint
compile(const char *name, GLenum kind, const char *text)
{
    GLuint shader = glCreateShader(kind);
    GLint ok;
    char log[1024] = "";
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    if (!ok) {
        fprintf(stderr, "%s: does not compile: %s\n%s\n", name, log, text);
        exit(2);
    }
    return shader;
}

static GLuint
make_program(const char *name, const char *vertex, const char *fragment)
{
    GLuint program = glCreateProgram();
    GLuint shaders[2] = {compile(name, GL_VERTEX_SHADER, vertex),
                         compile(name, GL_FRAGMENT_SHADER, fragment)};
    GLint ok;
    char log[1024] = "";
    for (int i = 0; i < 2; i++) {
        glAttachShader(program, shaders[i]);
        glDeleteShader(shaders[i]);
    }
    glBindAttribLocation(program, 0, "at");
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    if (!ok) {
        fprintf(stderr, "%s: does not link: %s\n%s\n%s\n", name, log, vertex, fragment);
        exit(2);
    }
    glUseProgram(program);
    return program;
}

/* Appends the declarations that differ between the languages, up to the globals. */
static void
add_head(struct text *text, bool fragment, const char *extensions)
{
    static const char *const versions[] = {"120", "130", "100"};
    const bool modern = grid.language == LANGUAGE_130;
    add(text, "#version %s\n%s", versions[grid.language], extensions);
    if (grid.language == LANGUAGE_ES)
        add(text, "precision highp float;\nprecision highp int;\n");
    add(text, "#define ATTRIBUTE %s\n", modern ? "in" : "attribute");
    add(text, "#define VARYING %s\n", !modern ? "varying" : fragment ? "in" : "out");
    if (!fragment)
        add(text, "ATTRIBUTE vec3 at;\n");
    else if (modern)
        add(text, "out vec4 color;\n");
    else
        add(text, "#define color gl_FragColor\n");
    add(text, "VARYING float column;\n");
}

static void
add_vertex_main(struct text *text)
{
    add(text, "void main() {\n"
              "    gl_Position = vec4(at.xy, 0.0, 1.0);\n"
              "    column = at.z;\n"
              "    int k = int(at.z + 0.5);\n");
}

static void
add_fragment_main(struct text *text)
{
    add(text, "void main() {\n    int k = int(column + 0.5);\n");
}

/* Appends code that outputs the sums modulo 256 as a color. */
static void
add_color(struct text *text)
{
    add(text, "    sum = floor(sum + 0.5);\n"
              "    sum -= floor(sum / 256.0) * 256.0;\n"
              "    color = vec4(sum / 255.0, 1.0);\n}\n");
}

/* Draws each column as a separate pair of triangles, so that k in the vertices equals k in the
 * pixels. */
static void
draw_columns(int tile)
{
    const float width = TILES_A_ROW * COLUMNS, height = MAX_TILES / TILES_A_ROW * ROWS;
    float vertices[COLUMNS * 6][3];
    for (int v = 0; v < COLUMNS * 6; v++) {
        static const int corners[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 1}};
        const int *corner = corners[v % 6];
        const int x = tile % TILES_A_ROW * COLUMNS + v / 6 + corner[0];
        const int y = (tile / TILES_A_ROW + corner[1]) * ROWS;
        vertices[v][0] = (float)x / width * 2.0f - 1.0f;
        vertices[v][1] = (float)y / height * 2.0f - 1.0f;
        vertices[v][2] = (float)(v / 6);
    }
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, vertices);
    glEnableVertexAttribArray(0);
    glDrawArrays(GL_TRIANGLES, 0, COLUMNS * 6);
}

static void
draw_tile(const struct tile *tile)
{
    if (grid.count == MAX_TILES) {
        fprintf(stderr, "more than %d tiles\n", MAX_TILES);
        exit(2);
    }
    draw_columns(grid.count);
    grid.tiles[grid.count++] = *tile;
    const GLenum code = glGetError();
    if (code) {
        fprintf(stderr, "%s: OpenGL error 0x%04x\n", tile->name, code);
        exit(2);
    }
}

/* Sets every element e of a uniform to 3 e + 1. */
static void
set_uniform(GLuint program, const struct indexed *what)
{
    const GLint at = glGetUniformLocation(program, "v");
    float values[16 * 4];
    GLint integers[16];
    for (int e = 0; e < 16 * 4; e++)
        values[e] = (float)(3 * (what->uniform == UNIFORM_VEC4_Z ? e / 4 : e) + 1);
    for (int e = 0; e < 16; e++)
        integers[e] = 3 * e + 1;
    switch (what->uniform) {
    case UNIFORM_FLOAT: glUniform1fv(at, what->count, values); break;
    case UNIFORM_INT: glUniform1iv(at, what->count, integers); break;
    case UNIFORM_VEC4_Z: glUniform4fv(at, what->count, values); break;
    case UNIFORM_VEC4: glUniform4fv(at, 1, values); break;
    case UNIFORM_MAT2: glUniformMatrix2fv(at, what->count / 4, GL_FALSE, values); break;
    case UNIFORM_MAT3: glUniformMatrix3fv(at, 1, GL_FALSE, values); break;
    case UNIFORM_MAT4: glUniformMatrix4fv(at, 1, GL_FALSE, values); break;
    case UNIFORM_STRUCTS:
        for (int e = 0; e < what->count; e++) {
            char name[64];
            snprintf(name, sizeof name, what->uniform_name, e / what->inner, e % what->inner);
            glUniform1f(glGetUniformLocation(program, name), values[e]);
        }
        break;
    default: break;
    }
}

/* Draws one tile. `what` is in the given storage, written by one mode and read by another, in one
 * stage. Only for varyings, the vertex program writes and the fragment program reads. */
static void
draw_indexed(const struct indexed *what, enum storage storage, enum mode write, enum mode read,
             bool fragment)
{
    static const char *const storages[] = {"local", "uniform", "varying"};
    struct text v = {0}, f = {0};
    struct text *at = fragment ? &f : &v; /* the stage that reads */
    struct tile tile;
    snprintf(tile.name, sizeof tile.name, "%s-%s-%s-%s-%s", storages[storage], what->name,
             mode_names[write], mode_names[read],
             storage == STORAGE_VARYING ? "both"
             : fragment                 ? "fragment"
                                        : "vertex");
    add_head(&v, false, "");
    add_head(&f, true, "");
    if (!fragment) {
        add(&v, "VARYING vec3 passed;\n");
        add(&f, "VARYING vec3 passed;\n");
    }
    add(at, "%s", what->types);
    if (storage == STORAGE_UNIFORM)
        add(at, "uniform %s;\n", what->declare);
    if (storage == STORAGE_VARYING) {
        add(&v, "VARYING %s;\n", what->declare);
        add(&f, "VARYING %s;\n", what->declare);
    }
    add_vertex_main(&v);
    add_fragment_main(&f);
    if (storage == STORAGE_LOCAL) {
        add(at, "    %s;\n", what->declare);
        add_writes(at, what, write);
    }
    if (storage == STORAGE_VARYING)
        add_writes(&v, what, write);
    add_reads(at, what, read);
    add(&v, fragment ? "}\n" : "    passed = sum;\n}\n");
    if (!fragment)
        add(&f, "    vec3 sum = passed;\n");
    add_color(&f);
    const GLuint program = make_program(tile.name, v.at, f.at);
    if (storage == STORAGE_UNIFORM)
        set_uniform(program, what);
    for (int k = 0; k < COLUMNS; k++) {
        int values[MAX_ELEMENTS];
        write_elements(what, write, k, values);
        tile.wanted[k] = read_elements(what, read, k, values);
    }
    draw_tile(&tile);
    glDeleteProgram(program);
    free(v.at);
    free(f.at);
}

static void
draw_all_indexed(void)
{
    for (size_t i = 0; i < sizeof indexed / sizeof *indexed; i++) {
        const struct indexed *what = &indexed[i];
        for (enum mode read = MODE_STATIC; read < MODE_COUNT; read++) {
            for (enum mode write = MODE_STATIC; write < MODE_COUNT; write++) {
                draw_indexed(what, STORAGE_LOCAL, write, read, false);
                draw_indexed(what, STORAGE_LOCAL, write, read, true);
                if (what->varying)
                    draw_indexed(what, STORAGE_VARYING, write, read, true);
            }
            for (int stage = 0; stage < 2 && what->uniform != UNIFORM_NONE; stage++)
                draw_indexed(what, STORAGE_UNIFORM, MODE_NONE, read, stage);
        }
    }
}

static void
draw_feature(const struct feature *feature)
{
    struct text v = {0}, f = {0};
    struct tile tile;
    snprintf(tile.name, sizeof tile.name, "feature-%s", feature->name);
    add_head(&v, false, feature->extensions);
    add(&v, "%s", feature->vertex_globals);
    add_vertex_main(&v);
    add(&v, "%s}\n", feature->vertex);
    add_head(&f, true, feature->extensions);
    add(&f, "%s", feature->fragment_globals);
    add_fragment_main(&f);
    add(&f, "    vec3 sum = vec3(0.0);\n%s", feature->fragment);
    add_color(&f);
    const GLuint program = make_program(tile.name, v.at, f.at);
    if (feature->before)
        feature->before(program);
    for (int k = 0; k < COLUMNS; k++) {
        tile.wanted[k] = feature->wanted(k);
        for (int s = 0; s < 3; s++)
            tile.wanted[k].rgb[s] &= 255;
    }
    draw_tile(&tile);
    if (feature->after)
        feature->after();
    glDeleteProgram(program);
    free(v.at);
    free(f.at);
}

static void
draw_features(void)
{
    for (const struct feature *feature = features; feature->name; feature++)
        if (feature->languages >> grid.language & 1)
            draw_feature(feature);
}

/* Prints one line per tile: its name and the drawn color of each column. Returns the number of
 * wrong tiles. */
static int
report(void)
{
    const int width = TILES_A_ROW * COLUMNS, height = MAX_TILES / TILES_A_ROW * ROWS;
    uint8_t *pixels = malloc((size_t)width * (size_t)height * 4);
    int wrong = 0;
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (int t = 0; t < grid.count; t++) {
        bool good = true;
        printf("%s", grid.tiles[t].name);
        for (int i = 0; i < COLUMNS * ROWS; i++) {
            const int x = t % TILES_A_ROW * COLUMNS + i % COLUMNS;
            const int y = t / TILES_A_ROW * ROWS + i / COLUMNS;
            const uint8_t *p = pixels + ((size_t)y * (size_t)width + (size_t)x) * 4;
            printf(" %02x%02x%02x", p[0], p[1], p[2]);
            for (int s = 0; s < 3; s++)
                good &= p[s] == grid.tiles[t].wanted[i % COLUMNS].rgb[s];
        }
        printf("\n");
        if (good)
            continue;
        wrong++;
        fprintf(stderr, "%s is wrong, wanted:", grid.tiles[t].name);
        for (int k = 0; k < COLUMNS; k++)
            fprintf(stderr, " %02x%02x%02x", (unsigned)grid.tiles[t].wanted[k].rgb[0],
                    (unsigned)grid.tiles[t].wanted[k].rgb[1],
                    (unsigned)grid.tiles[t].wanted[k].rgb[2]);
        fprintf(stderr, "\n");
    }
    free(pixels);
    return wrong;
}

static bool
open_context(void)
{
    const bool es = grid.language == LANGUAGE_ES;
    const EGLint config_list[] = {EGL_SURFACE_TYPE,
                                  EGL_PBUFFER_BIT,
                                  EGL_RENDERABLE_TYPE,
                                  es ? EGL_OPENGL_ES2_BIT : EGL_OPENGL_BIT,
                                  EGL_RED_SIZE,
                                  8,
                                  EGL_GREEN_SIZE,
                                  8,
                                  EGL_BLUE_SIZE,
                                  8,
                                  EGL_DEPTH_SIZE,
                                  24,
                                  EGL_NONE};
    const EGLint surface_list[] = {EGL_WIDTH, TILES_A_ROW * COLUMNS, EGL_HEIGHT,
                                   MAX_TILES / TILES_A_ROW * ROWS, EGL_NONE};
    const EGLint context_list[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    EGLConfig config;
    EGLint count = 0;
    if (!eglInitialize(display, NULL, NULL) ||
        !eglBindAPI(es ? EGL_OPENGL_ES_API : EGL_OPENGL_API) ||
        !eglChooseConfig(display, config_list, &config, 1, &count) || !count)
        return false;
    EGLContext context =
        eglCreateContext(display, config, EGL_NO_CONTEXT, es ? context_list : NULL);
    EGLSurface surface = eglCreatePbufferSurface(display, config, surface_list);
    return eglMakeCurrent(display, surface, surface, context);
}

int
main(int argc, char **argv)
{
    static const char *const names[] = {"120", "130", "es"};
    int language = argc == 2 ? 2 : -1;
    while (language >= 0 && strcmp(argv[1], names[language]))
        language--;
    if (language < 0) {
        fprintf(stderr, "usage: shaders 120 | 130 | es\n");
        return 2;
    }
    grid.language = (enum language)language;
    if (!open_context()) {
        fprintf(stderr, "no OpenGL through EGL\n");
        return 2;
    }
    glClearColor(0.0f, 0.0f, 0.0f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw_all_indexed();
    draw_features();
    const int wrong = report();
    fprintf(stderr, "%d tiles, %d wrong\n", grid.count, wrong);
    return wrong != 0;
}
