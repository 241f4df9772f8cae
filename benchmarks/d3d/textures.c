/* Direct3D 9, textures: DXT1, DXT3 and DXT5 with mipmaps, a render target that is used as a
 * texture, a cube map with reflection coordinates, the alpha test and blending. */
#include "scene9.h"

#include <string.h>

enum { TEXTURE_SIZE = 64, TARGET_SIZE = 128, CUBE_SIZE = 16, KINDS = 3 };

/* A vertex in pixels: D3DFVF_XYZRHW | D3DFVF_DIFFUSE | D3DFVF_TEX1. */
struct corner {
    float x, y, z, rhw;
    D3DCOLOR color;
    float at[2];
};

static struct torus9 torus;
static IDirect3DTexture9 *compressed[KINDS], *target;
static IDirect3DSurface9 *target_color, *target_depth;
static IDirect3DCubeTexture9 *cube;
static struct matrix projection, target_projection;
static float width, height;

/* Writes a block of 4x4 texels: two 565 colors and 2-bit indices, after the alpha of DXT3 (4 bits
 * per texel) or DXT5 (two values and 3-bit indices). */
static void
put_block(uint8_t *block, int kind, uint32_t x, uint32_t y, uint32_t level)
{
    static const uint16_t colors[4][2] = {
        {0xf800, 0x07e0}, {0xffe0, 0x001f}, {0x07ff, 0xf81f}, {0xffff, 0x4208}};
    static const uint8_t dxt3_alpha[8] = {0x22, 0x22, 0x66, 0x66, 0xaa, 0xaa, 0xee, 0xee};
    static const uint8_t dxt5_alpha[8] = {255, 40, 0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa};
    /* a gradient: down or to the right */
    const uint32_t indices = (x + y) % 2 ? 0x55ffaa00 : 0x78787878;
    if (kind) {
        memcpy(block, kind == 1 ? dxt3_alpha : dxt5_alpha, 8);
        block += 8;
    }
    memcpy(block, colors[(x / 2 + y / 2 + level) % 4], 4);
    memcpy(block + 4, &indices, 4);
}

static void
make_compressed(IDirect3DDevice9 *device, int kind)
{
    static const D3DFORMAT formats[KINDS] = {D3DFMT_DXT1, D3DFMT_DXT3, D3DFMT_DXT5};
    const UINT block_bytes = kind ? 16 : 8;
    check(IDirect3DDevice9_CreateTexture(device, TEXTURE_SIZE, TEXTURE_SIZE, 0, 0, formats[kind],
                                         D3DPOOL_MANAGED, &compressed[kind], NULL),
          "CreateTexture");
    for (UINT level = 0, size = TEXTURE_SIZE; size; level++, size /= 2) {
        const UINT blocks = (size + 3) / 4;
        D3DLOCKED_RECT rows;
        check(IDirect3DTexture9_LockRect(compressed[kind], level, &rows, NULL, 0), "LockRect");
        for (UINT i = 0; i < blocks * blocks; i++)
            put_block((uint8_t *)rows.pBits + i / blocks * (UINT)rows.Pitch +
                          i % blocks * block_bytes,
                      kind, i % blocks, i / blocks, level);
        IDirect3DTexture9_UnlockRect(compressed[kind], level);
    }
}

static void
make_cube(IDirect3DDevice9 *device)
{
    check(IDirect3DDevice9_CreateCubeTexture(device, CUBE_SIZE, 1, 0, D3DFMT_X8R8G8B8,
                                             D3DPOOL_MANAGED, &cube, NULL),
          "CreateCubeTexture");
    for (uint32_t face = 0; face < 6; face++) {
        D3DLOCKED_RECT rows;
        check(IDirect3DCubeTexture9_LockRect(cube, (D3DCUBEMAP_FACES)face, 0, &rows, NULL, 0),
              "LockRect");
        for (uint32_t i = 0; i < CUBE_SIZE * CUBE_SIZE; i++) {
            const uint32_t x = i % CUBE_SIZE, y = i / CUBE_SIZE;
            ((uint32_t *)((char *)rows.pBits + y * (uint32_t)rows.Pitch))[x] =
                (40 * face) << 16 | (15 * x) << 8 | 15 * y;
        }
        IDirect3DCubeTexture9_UnlockRect(cube, (D3DCUBEMAP_FACES)face, 0);
    }
}

static void
make_target(IDirect3DDevice9 *device)
{
    check(IDirect3DDevice9_CreateTexture(device, TARGET_SIZE, TARGET_SIZE, 1, D3DUSAGE_RENDERTARGET,
                                         D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, &target, NULL),
          "CreateTexture");
    check(IDirect3DTexture9_GetSurfaceLevel(target, 0, &target_color), "GetSurfaceLevel");
    check(IDirect3DDevice9_CreateDepthStencilSurface(device, TARGET_SIZE, TARGET_SIZE, D3DFMT_D24S8,
                                                     D3DMULTISAMPLE_NONE, 0, TRUE, &target_depth,
                                                     NULL),
          "CreateDepthStencilSurface");
}

static void
setup(IDirect3DDevice9 *device, const struct options *options)
{
    const struct options square = {.width = TARGET_SIZE, .height = TARGET_SIZE};
    width = (float)options->width;
    height = (float)options->height;
    projection = matrix_perspective(options, 0.5f, 20);
    target_projection = matrix_perspective(&square, 0.5f, 20);
    torus = make_torus9(device);
    for (int kind = 0; kind < KINDS; kind++)
        make_compressed(device, kind);
    make_cube(device);
    make_target(device);
    IDirect3DDevice9_SetSamplerState(device, 0, D3DSAMP_MINFILTER, D3DTEXF_LINEAR);
    IDirect3DDevice9_SetSamplerState(device, 0, D3DSAMP_MAGFILTER, D3DTEXF_LINEAR);
    IDirect3DDevice9_SetSamplerState(device, 0, D3DSAMP_MIPFILTER, D3DTEXF_LINEAR);
    IDirect3DDevice9_SetRenderState(device, D3DRS_LIGHTING, FALSE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_CULLMODE, D3DCULL_NONE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_SRCBLEND, D3DBLEND_SRCALPHA);
    IDirect3DDevice9_SetRenderState(device, D3DRS_DESTBLEND, D3DBLEND_INVSRCALPHA);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ALPHAREF, 128);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ALPHAFUNC, D3DCMP_GREATEREQUAL);
}

static void
draw_mesh(IDirect3DDevice9 *device, const struct matrix *view_projection,
          IDirect3DBaseTexture9 *image, float turn, float x, float z)
{
    const struct matrix world = matrix_turned(0.5f + turn, turn, x, 0, z);
    set_matrix9(device, D3DTS_WORLD, &world);
    set_matrix9(device, D3DTS_PROJECTION, view_projection);
    IDirect3DDevice9_SetTexture(device, 0, image);
    IDirect3DDevice9_SetFVF(device, D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_TEX1);
    draw_torus9(device, &torus);
}

/* Renders the torus into the target, with the alpha test. */
static void
draw_target(IDirect3DDevice9 *device, float turn)
{
    IDirect3DSurface9 *color, *depth;
    check(IDirect3DDevice9_GetRenderTarget(device, 0, &color), "GetRenderTarget");
    check(IDirect3DDevice9_GetDepthStencilSurface(device, &depth), "GetDepthStencilSurface");
    check(IDirect3DDevice9_SetRenderTarget(device, 0, target_color), "SetRenderTarget");
    check(IDirect3DDevice9_SetDepthStencilSurface(device, target_depth), "SetDepthStencilSurface");
    IDirect3DDevice9_Clear(device, 0, NULL, D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER, 0x80304000, 1, 0);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ALPHATESTENABLE, TRUE);
    draw_mesh(device, &target_projection, (IDirect3DBaseTexture9 *)compressed[1], turn, 0, 3);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ALPHATESTENABLE, FALSE);
    IDirect3DDevice9_SetRenderTarget(device, 0, color);
    IDirect3DDevice9_SetDepthStencilSurface(device, depth);
    IDirect3DSurface9_Release(color);
    IDirect3DSurface9_Release(depth);
}

static void
draw_reflection(IDirect3DDevice9 *device, float turn)
{
    IDirect3DDevice9_SetTextureStageState(device, 0, D3DTSS_TEXCOORDINDEX,
                                          D3DTSS_TCI_CAMERASPACEREFLECTIONVECTOR);
    IDirect3DDevice9_SetTextureStageState(device, 0, D3DTSS_TEXTURETRANSFORMFLAGS, D3DTTFF_COUNT3);
    draw_mesh(device, &projection, (IDirect3DBaseTexture9 *)cube, turn, 1.3f, 4.5f);
    IDirect3DDevice9_SetTextureStageState(device, 0, D3DTSS_TEXCOORDINDEX, 0);
    IDirect3DDevice9_SetTextureStageState(device, 0, D3DTSS_TEXTURETRANSFORMFLAGS, D3DTTFF_DISABLE);
}

/* A rectangle in pixels, with the texture repeated `repeat` times. */
static void
draw_rectangle(IDirect3DDevice9 *device, IDirect3DTexture9 *image, float x, float y, float size,
               float repeat, D3DCOLOR color)
{
    const struct corner corners[4] = {{x, y, 0.5f, 1, color, {0, 0}},
                                      {x + size, y, 0.5f, 1, color, {repeat, 0}},
                                      {x, y + size, 0.5f, 1, color, {0, repeat}},
                                      {x + size, y + size, 0.5f, 1, color, {repeat, repeat}}};
    IDirect3DDevice9_SetTexture(device, 0, (IDirect3DBaseTexture9 *)image);
    IDirect3DDevice9_SetFVF(device, D3DFVF_XYZRHW | D3DFVF_DIFFUSE | D3DFVF_TEX1);
    check(IDirect3DDevice9_DrawPrimitiveUP(device, D3DPT_TRIANGLESTRIP, 2, corners,
                                           sizeof corners[0]),
          "DrawPrimitiveUP");
}

static void
draw_overlay(IDirect3DDevice9 *device, float turn)
{
    const float size = height * 0.4f;
    IDirect3DDevice9_SetRenderState(device, D3DRS_ZENABLE, FALSE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ALPHABLENDENABLE, TRUE);
    draw_rectangle(device, target, 4, 4, size, 1, 0xffffffff);
    draw_rectangle(device, compressed[1], width - size - 4.3f, 4.3f, size, 0.7f, 0xffffffff);
    draw_rectangle(device, compressed[2], 8 * turn, height - size - 3.7f, size, 1.9f, 0xffc0ffc0);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ALPHABLENDENABLE, FALSE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ZENABLE, TRUE);
}

static void
draw(IDirect3DDevice9 *device, uint32_t frame)
{
    const float turn = 0.07f * (float)frame;
    IDirect3DDevice9_SetTextureStageState(device, 0, D3DTSS_ALPHAOP, D3DTOP_MODULATE);
    draw_target(device, turn);
    check(IDirect3DDevice9_Clear(device, 0, NULL, D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER, 0xff205030, 1,
                                 0),
          "Clear");
    draw_mesh(device, &projection, (IDirect3DBaseTexture9 *)compressed[0], turn, -1.3f, 4.5f);
    draw_reflection(device, turn);
    draw_overlay(device, turn);
}

static void
finish(void)
{
    for (int kind = 0; kind < KINDS; kind++)
        IDirect3DTexture9_Release(compressed[kind]);
    IDirect3DCubeTexture9_Release(cube);
    IDirect3DSurface9_Release(target_color);
    IDirect3DSurface9_Release(target_depth);
    IDirect3DTexture9_Release(target);
    release_torus9(&torus);
}

int
main(int argc, char **argv)
{
    static const struct scene9 scene = {"textures", setup, draw, finish};
    return scene9_main(&scene, argc, argv);
}
