/* Common code of the Direct3D programs in this folder: options, the window, matrices and a mesh.
 * The programs are for Windows, and run on Linux through Wine. They do not depend on time: the
 * picture is a function of the frame number.
 *
 * This header includes no header of a Direct3D device, because those of versions 8 and 9 exclude
 * each other. */
#ifndef AETIUS_BENCHMARKS_D3D_COMMON_H
#define AETIUS_BENCHMARKS_D3D_COMMON_H

#define COBJMACROS /* methods as C functions: IDirect3DDevice9_Present() */
#include <windows.h>

#include <d3dcommon.h>

#include <stdbool.h>
#include <stdint.h>

struct options {
    const char *name; /* title of the window */
    uint32_t frames, width, height;
};

/* Parses `--frames N` and `--size WxH`. The defaults are 30 frames of 320x240. Exits on failure. */
struct options parse_options(const char *name, int argc, char **argv);

/* Opens a visible window. Its client area has the size of the options. */
HWND open_window(const struct options *options);
void handle_events(void);

/* Exits with a message if a call has failed. */
void check(HRESULT result, const char *what);

/* Assembles a shader (shader model versions 1.1 to 3.0). The caller frees the result. */
DWORD *assemble_shader(const char *text);

/* Compiles a function of HLSL for a target, e.g. "ps_4_0". The caller releases the result. */
ID3DBlob *compile_shader(const char *text, const char *function, const char *target);

/* Row vectors, as in Direct3D: v * (A * B) applies A first. Layout of D3DMATRIX. */
struct matrix {
    float at[4][4];
};
struct matrix matrix_product(const struct matrix *a, const struct matrix *b);
struct matrix matrix_transpose(const struct matrix *m); /* columns, for shader constants */
struct matrix matrix_turned(float around_x, float around_y, float x, float y, float z);
struct matrix matrix_perspective(const struct options *options, float near_z, float far_z);

/* Vertices of D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_TEX1. */
struct vertex {
    float position[3], normal[3], at[2];
};

enum {
    TORUS_RINGS = 32,
    TORUS_SIDES = 16,
    TORUS_VERTICES = (TORUS_RINGS + 1) * (TORUS_SIDES + 1),
    TORUS_TRIANGLES = TORUS_RINGS * TORUS_SIDES * 2
};
void make_torus(struct vertex vertices[TORUS_VERTICES], uint16_t indices[3 * TORUS_TRIANGLES]);

#endif
