/* Device and frame loop of the Direct3D 9 programs. */
#ifndef AETIUS_BENCHMARKS_D3D_SCENE9_H
#define AETIUS_BENCHMARKS_D3D_SCENE9_H

#include "common.h"

#include <d3d9.h>

struct scene9 {
    const char *name;
    void (*setup)(IDirect3DDevice9 *device, const struct options *options);
    void (*draw)(IDirect3DDevice9 *device, uint32_t frame); /* between BeginScene and EndScene */
    /* Releases all objects. Otherwise Wine's renderer is killed at exit, before the last frames. */
    void (*finish)(void);
};

/* Parses the options, opens the window and presents one picture per frame. Returns the exit
 * status. */
int scene9_main(const struct scene9 *scene, int argc, char **argv);

/* A torus in a vertex and an index buffer. */
struct torus9 {
    IDirect3DVertexBuffer9 *vertices;
    IDirect3DIndexBuffer9 *indices;
};
struct torus9 make_torus9(IDirect3DDevice9 *device);
void draw_torus9(IDirect3DDevice9 *device, const struct torus9 *torus);
void release_torus9(const struct torus9 *torus);

void set_matrix9(IDirect3DDevice9 *device, D3DTRANSFORMSTATETYPE which,
                 const struct matrix *matrix);

#endif
