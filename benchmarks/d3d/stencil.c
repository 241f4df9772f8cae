/* Direct3D 9, fragment operations: a plane mirror in the stencil buffer, a user clip plane, the
 * scissor test, point sprites, lines and separate cull modes. */
#include "scene9.h"

static struct torus9 torus;
static IDirect3DTexture9 *spot;
static LONG width, height;

/* D3DFVF_XYZ | D3DFVF_DIFFUSE */
struct colored {
    float x, y, z;
    D3DCOLOR color;
};

static void
make_spot(IDirect3DDevice9 *device)
{
    enum { SIZE = 16 };
    D3DLOCKED_RECT rows;
    check(IDirect3DDevice9_CreateTexture(device, SIZE, SIZE, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED,
                                         &spot, NULL),
          "CreateTexture");
    check(IDirect3DTexture9_LockRect(spot, 0, &rows, NULL, 0), "LockRect");
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            const int far2 =
                (2 * x - SIZE + 1) * (2 * x - SIZE + 1) + (2 * y - SIZE + 1) * (2 * y - SIZE + 1);
            const uint32_t alpha = far2 < SIZE * SIZE ? (uint32_t)(255 - far2) : 0;
            ((uint32_t *)((char *)rows.pBits + y * rows.Pitch))[x] = alpha << 24 | 0xfff0a0;
        }
    IDirect3DTexture9_UnlockRect(spot, 0);
}

static void
setup(IDirect3DDevice9 *device, const struct options *options)
{
    const struct matrix projection = matrix_perspective(options, 0.5f, 20);
    const D3DMATERIAL9 material = {.Diffuse = {0.9f, 0.6f, 0.3f, 1},
                                   .Ambient = {0.9f, 0.6f, 0.3f, 1}};
    const D3DLIGHT9 light = {.Type = D3DLIGHT_DIRECTIONAL,
                             .Diffuse = {0.8f, 0.8f, 0.8f, 1},
                             .Direction = {0.4f, -0.6f, 0.7f}};
    width = (LONG)options->width;
    height = (LONG)options->height;
    torus = make_torus9(device);
    make_spot(device);
    set_matrix9(device, D3DTS_PROJECTION, &projection);
    check(IDirect3DDevice9_SetMaterial(device, &material), "SetMaterial");
    check(IDirect3DDevice9_SetLight(device, 0, &light), "SetLight");
    check(IDirect3DDevice9_LightEnable(device, 0, TRUE), "LightEnable");
    IDirect3DDevice9_SetRenderState(device, D3DRS_AMBIENT, 0xff505050);
    IDirect3DDevice9_SetRenderState(device, D3DRS_SRCBLEND, D3DBLEND_SRCALPHA);
    IDirect3DDevice9_SetRenderState(device, D3DRS_DESTBLEND, D3DBLEND_ONE);
}

static void
draw_colored(IDirect3DDevice9 *device, D3DPRIMITIVETYPE type, UINT count,
             const struct colored *vertices)
{
    const struct matrix world = matrix_turned(0, 0, 0, 0, 0);
    set_matrix9(device, D3DTS_WORLD, &world);
    IDirect3DDevice9_SetRenderState(device, D3DRS_LIGHTING, FALSE);
    IDirect3DDevice9_SetFVF(device, D3DFVF_XYZ | D3DFVF_DIFFUSE);
    check(IDirect3DDevice9_DrawPrimitiveUP(device, type, count, vertices, sizeof *vertices),
          "DrawPrimitiveUP");
    IDirect3DDevice9_SetRenderState(device, D3DRS_LIGHTING, TRUE);
}

static void
draw_floor(IDirect3DDevice9 *device, D3DCOLOR color)
{
    const struct colored floor[4] = {
        {-3, -1, 2, color}, {-3, -1, 8, color}, {3, -1, 2, color}, {3, -1, 8, color}};
    IDirect3DDevice9_SetRenderState(device, D3DRS_CULLMODE, D3DCULL_CCW);
    draw_colored(device, D3DPT_TRIANGLESTRIP, 2, floor);
}

/* The floor sets the stencil to 1. The mirrored torus, clipped at the floor, is drawn only there.
 */
static void
draw_mirror(IDirect3DDevice9 *device, const struct matrix *world)
{
    static const float below_floor[4] = {0, -1, 0, -1};
    struct matrix mirrored = *world;
    for (int row = 0; row < 3; row++)
        mirrored.at[row][1] = -mirrored.at[row][1];
    mirrored.at[3][1] = -2 - mirrored.at[3][1];
    IDirect3DDevice9_SetRenderState(device, D3DRS_STENCILENABLE, TRUE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_STENCILFUNC, D3DCMP_ALWAYS);
    IDirect3DDevice9_SetRenderState(device, D3DRS_STENCILPASS, D3DSTENCILOP_REPLACE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_STENCILREF, 1);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ZWRITEENABLE, FALSE);
    draw_floor(device, 0xff203850);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ZWRITEENABLE, TRUE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_STENCILFUNC, D3DCMP_EQUAL);
    IDirect3DDevice9_SetRenderState(device, D3DRS_STENCILPASS, D3DSTENCILOP_INCRSAT);
    IDirect3DDevice9_SetClipPlane(device, 0, below_floor);
    IDirect3DDevice9_SetRenderState(device, D3DRS_CLIPPLANEENABLE, 1);
    IDirect3DDevice9_SetRenderState(device, D3DRS_CULLMODE, D3DCULL_CW);
    IDirect3DDevice9_SetFVF(device, D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_TEX1);
    set_matrix9(device, D3DTS_WORLD, &mirrored);
    draw_torus9(device, &torus);
    IDirect3DDevice9_SetRenderState(device, D3DRS_CLIPPLANEENABLE, 0);
    IDirect3DDevice9_SetRenderState(device, D3DRS_STENCILENABLE, FALSE);
}

static void
draw_sprites(IDirect3DDevice9 *device, uint32_t frame)
{
    struct colored points[24];
    const union {
        float value;
        DWORD bits;
    } size = {13};
    for (int i = 0; i < 24; i++)
        points[i] =
            (struct colored){(float)(i % 6) - 2.5f, (float)((i * 7 + (int)frame) % 20) * 0.1f,
                             3 + (float)(i / 6), 0xff8080ffu + 0x1000u * (uint32_t)i};
    IDirect3DDevice9_SetTexture(device, 0, (IDirect3DBaseTexture9 *)spot);
    IDirect3DDevice9_SetRenderState(device, D3DRS_POINTSPRITEENABLE, TRUE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_POINTSIZE, size.bits);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ALPHABLENDENABLE, TRUE);
    draw_colored(device, D3DPT_POINTLIST, 24, points);
    IDirect3DDevice9_SetRenderState(device, D3DRS_ALPHABLENDENABLE, FALSE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_POINTSPRITEENABLE, FALSE);
    IDirect3DDevice9_SetTexture(device, 0, NULL);
}

/* A grid of lines, in a rectangle of the window. */
static void
draw_lines(IDirect3DDevice9 *device)
{
    struct colored lines[40];
    const RECT part = {width / 8, height / 8, width / 2, height / 2};
    for (int i = 0; i < 40; i++) {
        const float end = i % 2 ? 2.0f : -2.0f, at = 0.2f * (float)(i / 2) - 1.87f;
        lines[i] = (struct colored){end, at + 0.113f * end, 4, 0xff40c040u + (uint32_t)i};
    }
    IDirect3DDevice9_SetScissorRect(device, &part);
    IDirect3DDevice9_SetRenderState(device, D3DRS_SCISSORTESTENABLE, TRUE);
    draw_colored(device, D3DPT_LINELIST, 20, lines);
    IDirect3DDevice9_SetRenderState(device, D3DRS_SCISSORTESTENABLE, FALSE);
}

static void
draw(IDirect3DDevice9 *device, uint32_t frame)
{
    const float turn = 0.06f * (float)frame;
    const struct matrix world = matrix_turned(0.4f + turn, turn, 0, 0.1f, 4.5f);
    check(IDirect3DDevice9_Clear(device, 0, NULL,
                                 D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER | D3DCLEAR_STENCIL, 0xff181828,
                                 1, 0),
          "Clear");
    draw_mirror(device, &world);
    IDirect3DDevice9_SetRenderState(device, D3DRS_CULLMODE, D3DCULL_CCW);
    set_matrix9(device, D3DTS_WORLD, &world);
    draw_torus9(device, &torus);
    draw_lines(device);
    draw_sprites(device, frame);
}

static void
finish(void)
{
    IDirect3DTexture9_Release(spot);
    release_torus9(&torus);
}

int
main(int argc, char **argv)
{
    static const struct scene9 scene = {"stencil", setup, draw, finish};
    return scene9_main(&scene, argc, argv);
}
