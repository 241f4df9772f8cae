#include "common.h"

#include <d3dcompiler.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float PI = 3.14159265f;

static void
quit(const char *name, const char *why)
{
    fprintf(stderr, "%s: %s\n", name, why);
    exit(1);
}

struct options
parse_options(const char *name, int argc, char **argv)
{
    struct options options = {name, 30, 320, 240};
    for (int i = 1; i < argc; i += 2) {
        const bool known =
            i + 1 < argc &&
            ((!strcmp(argv[i], "--frames") && sscanf(argv[i + 1], "%u", &options.frames) == 1) ||
             (!strcmp(argv[i], "--size") &&
              sscanf(argv[i + 1], "%ux%u", &options.width, &options.height) == 2));
        if (!known)
            quit(name, "options: --frames N --size WxH");
    }
    return options;
}

HWND
open_window(const struct options *options)
{
    const WNDCLASSA class = {.lpfnWndProc = DefWindowProcA, .lpszClassName = "aetius"};
    RegisterClassA(&class);
    HWND window = CreateWindowA("aetius", options->name, WS_POPUP | WS_VISIBLE, 0, 0,
                                (int)options->width, (int)options->height, NULL, NULL, NULL, NULL);
    if (!window)
        quit(options->name, "cannot open a window");
    return window;
}

void
handle_events(void)
{
    MSG message;
    while (PeekMessageA(&message, NULL, 0, 0, PM_REMOVE))
        DispatchMessageA(&message);
}

void
check(HRESULT result, const char *what)
{
    if (FAILED(result)) {
        fprintf(stderr, "%s failed: 0x%08lx\n", what, (unsigned long)result);
        exit(1);
    }
}

/* A function of the compiler. It has no import library for D3DAssemble. */
static void *
compiler_function(const char *name)
{
    HMODULE library = LoadLibraryA("d3dcompiler_47.dll");
    void *function = library ? (void *)GetProcAddress(library, name) : NULL;
    if (!function)
        quit(name, "d3dcompiler_47.dll or this function of it is missing");
    return function;
}

/* Prints the messages, and exits if the call has failed. */
static void
check_messages(HRESULT result, ID3DBlob *messages, const char *what)
{
    if (messages) {
        fprintf(stderr, "%s\n", (const char *)ID3D10Blob_GetBufferPointer(messages));
        ID3D10Blob_Release(messages);
    }
    check(result, what);
}

DWORD *
assemble_shader(const char *text)
{
    typedef HRESULT(WINAPI * assemble_fn)(const void *, SIZE_T, const char *, const void *, void *,
                                          UINT, ID3DBlob **, ID3DBlob **);
    const assemble_fn assemble = (assemble_fn)compiler_function("D3DAssemble");
    ID3DBlob *code = NULL, *messages = NULL;
    const HRESULT result = assemble(text, strlen(text), NULL, NULL, NULL, 0, &code, &messages);
    check_messages(result, messages, "D3DAssemble");
    const SIZE_T size_bytes = ID3D10Blob_GetBufferSize(code);
    DWORD *copy = malloc(size_bytes);
    if (!copy)
        quit("D3DAssemble", "no memory");
    memcpy(copy, ID3D10Blob_GetBufferPointer(code), size_bytes);
    ID3D10Blob_Release(code);
    return copy;
}

ID3DBlob *
compile_shader(const char *text, const char *function, const char *target)
{
    const pD3DCompile compile = (pD3DCompile)compiler_function("D3DCompile");
    ID3DBlob *code = NULL, *messages = NULL;
    const HRESULT result =
        compile(text, strlen(text), NULL, NULL, NULL, function, target, 0, 0, &code, &messages);
    check_messages(result, messages, "D3DCompile");
    return code;
}

struct matrix
matrix_product(const struct matrix *a, const struct matrix *b)
{
    struct matrix product = {{{0}}};
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            for (int i = 0; i < 4; i++)
                product.at[row][column] += a->at[row][i] * b->at[i][column];
    return product;
}

struct matrix
matrix_transpose(const struct matrix *m)
{
    struct matrix transpose;
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            transpose.at[row][column] = m->at[column][row];
    return transpose;
}

struct matrix
matrix_turned(float around_x, float around_y, float x, float y, float z)
{
    const float sx = sinf(around_x), cx = cosf(around_x), sy = sinf(around_y), cy = cosf(around_y);
    return (struct matrix){
        {{cy, 0, -sy, 0}, {sx * sy, cx, sx * cy, 0}, {cx * sy, -sx, cx * cy, 0}, {x, y, z, 1}}};
}

struct matrix
matrix_perspective(const struct options *options, float near_z, float far_z)
{
    const float aspect = (float)options->width / (float)options->height;
    const float depth = far_z / (far_z - near_z);
    return (struct matrix){
        {{1.5f / aspect, 0, 0, 0}, {0, 1.5f, 0, 0}, {0, 0, depth, 1}, {0, 0, -near_z * depth, 0}}};
}

static struct vertex
torus_vertex(int ring, int side)
{
    const float around = 2 * PI * (float)ring / TORUS_RINGS;
    const float across = 2 * PI * (float)side / TORUS_SIDES;
    const float radius = 1 + 0.4f * cosf(across);
    return (struct vertex){{radius * cosf(around), radius * sinf(around), 0.4f * sinf(across)},
                           {cosf(across) * cosf(around), cosf(across) * sinf(around), sinf(across)},
                           {4 * (float)ring / TORUS_RINGS, (float)side / TORUS_SIDES}};
}

void
make_torus(struct vertex vertices[TORUS_VERTICES], uint16_t indices[3 * TORUS_TRIANGLES])
{
    for (int ring = 0; ring <= TORUS_RINGS; ring++)
        for (int side = 0; side <= TORUS_SIDES; side++)
            *vertices++ = torus_vertex(ring, side);
    for (int ring = 0; ring < TORUS_RINGS; ring++)
        for (int side = 0; side < TORUS_SIDES; side++) {
            const uint16_t a = (uint16_t)(ring * (TORUS_SIDES + 1) + side);
            const uint16_t b = (uint16_t)(a + TORUS_SIDES + 1);
            const uint16_t quad[] = {
                a, b, (uint16_t)(b + 1), a, (uint16_t)(b + 1), (uint16_t)(a + 1)};
            memcpy(indices, quad, sizeof quad);
            indices += 6;
        }
}
