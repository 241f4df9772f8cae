/* Direct3D 8: fixed function with two texture stages and a light on the left, and shaders of
 * version 1.1 on the right. */
#include "common.h"

#include <d3d8.h>
#include <stdlib.h>

enum { TEXTURE_SIZE = 32 };

static IDirect3DDevice8 *device;
static IDirect3DVertexBuffer8 *vertices;
static IDirect3DIndexBuffer8 *indices;
static IDirect3DTexture8 *textures[2];
static DWORD vertex_shader, pixel_shader;
static struct matrix projection;

static void
create_device(HWND window, const struct options *options)
{
    typedef IDirect3D8 *(WINAPI * create_fn)(UINT);
    HMODULE library = LoadLibraryA("d3d8.dll"); /* MinGW has no import library for it */
    const create_fn create =
        library ? (create_fn)(void *)GetProcAddress(library, "Direct3DCreate8") : NULL;
    IDirect3D8 *d3d = create ? create(D3D_SDK_VERSION) : NULL;
    D3DPRESENT_PARAMETERS parameters = {.BackBufferWidth = options->width,
                                        .BackBufferHeight = options->height,
                                        .BackBufferFormat = D3DFMT_X8R8G8B8,
                                        .BackBufferCount = 1,
                                        .SwapEffect = D3DSWAPEFFECT_DISCARD,
                                        .hDeviceWindow = window,
                                        .Windowed = TRUE,
                                        .EnableAutoDepthStencil = TRUE,
                                        .AutoDepthStencilFormat = D3DFMT_D24S8};
    check(d3d ? D3D_OK : E_FAIL, "Direct3DCreate8");
    check(IDirect3D8_CreateDevice(d3d, D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, window,
                                  D3DCREATE_HARDWARE_VERTEXPROCESSING, &parameters, &device),
          "CreateDevice");
    IDirect3D8_Release(d3d);
}

static void
make_mesh(void)
{
    enum { INDICES = 3 * TORUS_TRIANGLES };
    BYTE *vertex_bytes, *index_bytes;
    check(IDirect3DDevice8_CreateVertexBuffer(
              device, TORUS_VERTICES * sizeof(struct vertex), D3DUSAGE_WRITEONLY,
              D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_TEX1, D3DPOOL_MANAGED, &vertices),
          "CreateVertexBuffer");
    check(IDirect3DDevice8_CreateIndexBuffer(device, INDICES * sizeof(uint16_t), D3DUSAGE_WRITEONLY,
                                             D3DFMT_INDEX16, D3DPOOL_MANAGED, &indices),
          "CreateIndexBuffer");
    check(IDirect3DVertexBuffer8_Lock(vertices, 0, 0, &vertex_bytes, 0), "Lock");
    check(IDirect3DIndexBuffer8_Lock(indices, 0, 0, &index_bytes, 0), "Lock");
    make_torus((struct vertex *)vertex_bytes, (uint16_t *)index_bytes);
    IDirect3DVertexBuffer8_Unlock(vertices);
    IDirect3DIndexBuffer8_Unlock(indices);
}

/* Bricks, and a light map that is bright in the center. */
static uint32_t
texel(int which, int x, int y)
{
    const int far2 = (x - TEXTURE_SIZE / 2) * (x - TEXTURE_SIZE / 2) +
                     (y - TEXTURE_SIZE / 2) * (y - TEXTURE_SIZE / 2);
    const uint32_t light = far2 < 200 ? (uint32_t)(255 - far2) : 55;
    const bool mortar = y % 8 == 0 || (x + y / 8 % 2 * 8) % 16 == 0;
    if (which)
        return 0xff000000 | light * 0x10101;
    return mortar ? 0xffb0b0a8 : 0xff903820;
}

static void
make_texture(int which)
{
    D3DLOCKED_RECT rows;
    check(IDirect3DDevice8_CreateTexture(device, TEXTURE_SIZE, TEXTURE_SIZE, 1, 0, D3DFMT_X8R8G8B8,
                                         D3DPOOL_MANAGED, &textures[which]),
          "CreateTexture");
    check(IDirect3DTexture8_LockRect(textures[which], 0, &rows, NULL, 0), "LockRect");
    for (int y = 0; y < TEXTURE_SIZE; y++)
        for (int x = 0; x < TEXTURE_SIZE; x++)
            ((uint32_t *)((char *)rows.pBits + y * rows.Pitch))[x] = texel(which, x, y);
    IDirect3DTexture8_UnlockRect(textures[which], 0);
    IDirect3DDevice8_SetTexture(device, (DWORD)which, (IDirect3DBaseTexture8 *)textures[which]);
    IDirect3DDevice8_SetTextureStageState(device, (DWORD)which, D3DTSS_MINFILTER, D3DTEXF_LINEAR);
    IDirect3DDevice8_SetTextureStageState(device, (DWORD)which, D3DTSS_MAGFILTER, D3DTEXF_LINEAR);
}

/* c0-c3: to clip space. c4: direction to the light in object space. c5: smallest intensity. */
static void
make_shaders(void)
{
    static const DWORD declaration[] = {D3DVSD_STREAM(0), D3DVSD_REG(0, D3DVSDT_FLOAT3),
                                        D3DVSD_REG(1, D3DVSDT_FLOAT3),
                                        D3DVSD_REG(2, D3DVSDT_FLOAT2), D3DVSD_END()};
    DWORD *vertex = assemble_shader("vs_1_1\n"
                                    "dcl_position v0\n"
                                    "dcl_normal v1\n"
                                    "dcl_texcoord v2\n"
                                    "m4x4 oPos, v0, c0\n"
                                    "dp3 r0.x, v1, c4\n"
                                    "max oD0, r0.x, c5\n"
                                    "mov oT0.xy, v2\n"
                                    "mov oT1.xy, v2\n");
    DWORD *pixel = assemble_shader("ps_1_1\n"
                                   "def c0, 0.1, 0.2, 0.5, 1\n"
                                   "tex t0\n"
                                   "tex t1\n"
                                   "mul r0, t0, v0\n"
                                   "mad r0, t1, c0, r0\n");
    check(IDirect3DDevice8_CreateVertexShader(device, declaration, vertex, &vertex_shader, 0),
          "CreateVertexShader");
    check(IDirect3DDevice8_CreatePixelShader(device, pixel, &pixel_shader), "CreatePixelShader");
    free(vertex);
    free(pixel);
}

static void
setup(const struct options *options)
{
    const D3DMATERIAL8 material = {.Diffuse = {1, 1, 1, 1}, .Ambient = {1, 1, 1, 1}};
    const D3DLIGHT8 light = {.Type = D3DLIGHT_POINT,
                             .Diffuse = {1, 1, 0.8f, 1},
                             .Position = {-2, 2, 1},
                             .Range = 20,
                             .Attenuation0 = 0.6f,
                             .Attenuation1 = 0.1f};
    projection = matrix_perspective(options, 0.5f, 20);
    make_mesh();
    make_texture(0);
    make_texture(1);
    make_shaders();
    IDirect3DDevice8_SetTransform(device, D3DTS_PROJECTION, (const D3DMATRIX *)&projection);
    IDirect3DDevice8_SetMaterial(device, &material);
    IDirect3DDevice8_SetLight(device, 0, &light);
    IDirect3DDevice8_LightEnable(device, 0, TRUE);
    IDirect3DDevice8_SetRenderState(device, D3DRS_AMBIENT, 0xff303030);
    IDirect3DDevice8_SetRenderState(device, D3DRS_CULLMODE, D3DCULL_NONE);
    IDirect3DDevice8_SetTextureStageState(device, 1, D3DTSS_COLOROP, D3DTOP_MODULATE2X);
    IDirect3DDevice8_SetTextureStageState(device, 1, D3DTSS_COLORARG1, D3DTA_TEXTURE);
    IDirect3DDevice8_SetTextureStageState(device, 1, D3DTSS_COLORARG2, D3DTA_CURRENT);
    IDirect3DDevice8_SetTextureStageState(device, 1, D3DTSS_TEXCOORDINDEX, 0);
    IDirect3DDevice8_SetStreamSource(device, 0, vertices, sizeof(struct vertex));
    IDirect3DDevice8_SetIndices(device, indices, 0);
}

static void
draw_mesh(void)
{
    check(IDirect3DDevice8_DrawIndexedPrimitive(device, D3DPT_TRIANGLELIST, 0, TORUS_VERTICES, 0,
                                                TORUS_TRIANGLES),
          "DrawIndexedPrimitive");
}

static void
draw(uint32_t frame)
{
    static const float least[4] = {0.2f, 0.2f, 0.25f, 1}, to_light[4] = {0.6f, 0.64f, 0.48f, 0};
    const float turn = 0.06f * (float)frame;
    struct matrix world = matrix_turned(0.5f + turn, turn, -1.4f, 0, 4);
    check(IDirect3DDevice8_Clear(device, 0, NULL, D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER, 0xff401830, 1,
                                 0),
          "Clear");
    IDirect3DDevice8_SetTransform(device, D3DTS_WORLD, (const D3DMATRIX *)&world);
    IDirect3DDevice8_SetVertexShader(device, D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_TEX1);
    IDirect3DDevice8_SetPixelShader(device, 0);
    draw_mesh();
    world.at[3][0] = 1.4f;
    struct matrix to_clip = matrix_product(&world, &projection);
    to_clip = matrix_transpose(&to_clip);
    IDirect3DDevice8_SetVertexShader(device, vertex_shader);
    IDirect3DDevice8_SetPixelShader(device, pixel_shader);
    IDirect3DDevice8_SetVertexShaderConstant(device, 0, to_clip.at, 4);
    IDirect3DDevice8_SetVertexShaderConstant(device, 4, to_light, 1);
    IDirect3DDevice8_SetVertexShaderConstant(device, 5, least, 1);
    draw_mesh();
}

static void
finish(void)
{
    IDirect3DDevice8_DeleteVertexShader(device, vertex_shader);
    IDirect3DDevice8_DeletePixelShader(device, pixel_shader);
    IDirect3DTexture8_Release(textures[0]);
    IDirect3DTexture8_Release(textures[1]);
    IDirect3DVertexBuffer8_Release(vertices);
    IDirect3DIndexBuffer8_Release(indices);
    check(IDirect3DDevice8_Release(device) ? E_FAIL : D3D_OK, "releasing all objects");
}

int
main(int argc, char **argv)
{
    const struct options options = parse_options("eight", argc, argv);
    create_device(open_window(&options), &options);
    setup(&options);
    for (uint32_t frame = 0; frame < options.frames; frame++) {
        handle_events();
        check(IDirect3DDevice8_BeginScene(device), "BeginScene");
        draw(frame);
        check(IDirect3DDevice8_EndScene(device), "EndScene");
        check(IDirect3DDevice8_Present(device, NULL, NULL, NULL, NULL), "Present");
    }
    finish();
    return 0;
}
