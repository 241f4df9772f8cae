#include "scene9.h"

static IDirect3DDevice9 *
create_device(HWND window, const struct options *options)
{
    D3DPRESENT_PARAMETERS parameters = {.BackBufferWidth = options->width,
                                        .BackBufferHeight = options->height,
                                        .BackBufferFormat = D3DFMT_X8R8G8B8,
                                        .BackBufferCount = 1,
                                        .SwapEffect = D3DSWAPEFFECT_DISCARD,
                                        .hDeviceWindow = window,
                                        .Windowed = TRUE,
                                        .EnableAutoDepthStencil = TRUE,
                                        .AutoDepthStencilFormat = D3DFMT_D24S8,
                                        .PresentationInterval = D3DPRESENT_INTERVAL_IMMEDIATE};
    IDirect3DDevice9 *device = NULL;
    IDirect3D9 *d3d = Direct3DCreate9(D3D_SDK_VERSION);
    check(d3d ? D3D_OK : E_FAIL, "Direct3DCreate9");
    check(IDirect3D9_CreateDevice(d3d, D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, window,
                                  D3DCREATE_HARDWARE_VERTEXPROCESSING, &parameters, &device),
          "CreateDevice");
    IDirect3D9_Release(d3d);
    return device;
}

int
scene9_main(const struct scene9 *scene, int argc, char **argv)
{
    const struct options options = parse_options(scene->name, argc, argv);
    IDirect3DDevice9 *device = create_device(open_window(&options), &options);
    scene->setup(device, &options);
    for (uint32_t frame = 0; frame < options.frames; frame++) {
        handle_events();
        check(IDirect3DDevice9_BeginScene(device), "BeginScene");
        scene->draw(device, frame);
        check(IDirect3DDevice9_EndScene(device), "EndScene");
        check(IDirect3DDevice9_Present(device, NULL, NULL, NULL, NULL), "Present");
    }
    scene->finish();
    check(IDirect3DDevice9_Release(device) ? E_FAIL : D3D_OK, "releasing all objects");
    return 0;
}

struct torus9
make_torus9(IDirect3DDevice9 *device)
{
    enum { INDICES = 3 * TORUS_TRIANGLES };
    struct torus9 torus;
    void *vertices = NULL, *indices = NULL;
    check(IDirect3DDevice9_CreateVertexBuffer(
              device, TORUS_VERTICES * sizeof(struct vertex), D3DUSAGE_WRITEONLY,
              D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_TEX1, D3DPOOL_MANAGED, &torus.vertices, NULL),
          "CreateVertexBuffer");
    check(IDirect3DDevice9_CreateIndexBuffer(device, INDICES * sizeof(uint16_t), D3DUSAGE_WRITEONLY,
                                             D3DFMT_INDEX16, D3DPOOL_MANAGED, &torus.indices, NULL),
          "CreateIndexBuffer");
    check(IDirect3DVertexBuffer9_Lock(torus.vertices, 0, 0, &vertices, 0), "Lock");
    check(IDirect3DIndexBuffer9_Lock(torus.indices, 0, 0, &indices, 0), "Lock");
    make_torus(vertices, indices);
    IDirect3DVertexBuffer9_Unlock(torus.vertices);
    IDirect3DIndexBuffer9_Unlock(torus.indices);
    return torus;
}

void
draw_torus9(IDirect3DDevice9 *device, const struct torus9 *torus)
{
    IDirect3DDevice9_SetStreamSource(device, 0, torus->vertices, 0, sizeof(struct vertex));
    IDirect3DDevice9_SetIndices(device, torus->indices);
    check(IDirect3DDevice9_DrawIndexedPrimitive(device, D3DPT_TRIANGLELIST, 0, 0, TORUS_VERTICES, 0,
                                                TORUS_TRIANGLES),
          "DrawIndexedPrimitive");
}

void
release_torus9(const struct torus9 *torus)
{
    IDirect3DVertexBuffer9_Release(torus->vertices);
    IDirect3DIndexBuffer9_Release(torus->indices);
}

void
set_matrix9(IDirect3DDevice9 *device, D3DTRANSFORMSTATETYPE which, const struct matrix *matrix)
{
    check(IDirect3DDevice9_SetTransform(device, which, (const D3DMATRIX *)matrix), "SetTransform");
}
