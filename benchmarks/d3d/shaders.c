/* Direct3D 9, shader models 2 and 3: lights per pixel with a mipmapped texture on the left, and a
 * wave with loops, branches and explicit levels of detail on the right. */
#include "scene9.h"

#include <stdlib.h>

enum { TEXTURE_SIZE = 64 };

/* c0-c3: to clip space. c4-c6: to world space. c7: direction to the light, and the phase. */
static const char vertex_2[] = "vs_2_0\n"
                               "def c8, 0, 1, 0, 0\n"
                               "dcl_position v0\n"
                               "dcl_normal v1\n"
                               "dcl_texcoord v2\n"
                               "m4x4 oPos, v0, c0\n"
                               "m3x3 r0.xyz, v1, c4\n"
                               "dp3 r1.x, r0, c7\n"
                               "max r1.x, r1.x, c8.x\n"
                               "mov oD0, r1.x\n"
                               "mov oT0.xy, v2\n"
                               "mov oT1.xyz, r0\n";

/* c1: half vector. c2: exponent and color of the highlight. */
static const char pixel_2[] = "ps_2_0\n"
                              "def c0, 0.2, 1, 0, 0\n"
                              "dcl v0\n"
                              "dcl t0.xy\n"
                              "dcl t1.xyz\n"
                              "dcl_2d s0\n"
                              "texld r0, t0, s0\n"
                              "nrm r1.xyz, t1\n"
                              "dp3_sat r2.x, r1, c1\n"
                              "pow r2.x, r2.x, c2.x\n"
                              "add r3, v0, c0.x\n"
                              "mul r3, r3, r0\n"
                              "mad r3.xyz, r2.x, c2.yzw, r3\n"
                              "mov r3.w, c0.y\n"
                              "mov oC0, r3\n";

static const char vertex_3[] = "vs_3_0\n"
                               "def c8, 0.05, 2.5, 1.3, 0\n"
                               "defi i0, 3, 0, 0, 0\n"
                               "dcl_position v0\n"
                               "dcl_normal v1\n"
                               "dcl_texcoord v2\n"
                               "dcl_position o0\n"
                               "dcl_texcoord0 o1.xy\n"
                               "dcl_texcoord1 o2.xyz\n"
                               "mov r0, v0\n"
                               "mad r1.x, v0.x, c8.y, c7.w\n"
                               "rep i0\n"
                               "sincos r2.xy, r1.x\n"
                               "mad r0.z, r2.y, c8.x, r0.z\n"
                               "mul r1.x, r1.x, c8.z\n"
                               "endrep\n"
                               "m4x4 o0, r0, c0\n"
                               "m3x3 r3.xyz, v1, c4\n"
                               "mov o1.xy, v2\n"
                               "mov o2.xyz, r3\n";

static const char pixel_3[] = "ps_3_0\n"
                              "def c0, 0, 1, 0.25, 0.03125\n"
                              "defi i0, 4, 0, 0, 0\n"
                              "dcl_texcoord0 v0.xy\n"
                              "dcl_texcoord1 v1.xyz\n"
                              "dcl_2d s0\n"
                              "nrm r0.xyz, v1\n"
                              "dp3 r0.w, r0, c1\n"
                              "if_gt r0.w, c0.x\n"
                              "mov r1, c0.x\n"
                              "mov r2.xyz, v0.xyy\n"
                              "mov r2.w, c0.x\n"
                              "rep i0\n"
                              "texldl r3, r2, s0\n"
                              "mad r1, r3, c0.z, r1\n"
                              "add r2, r2, c0.w\n"
                              "endrep\n"
                              "mul r1, r1, r0.w\n"
                              "else\n"
                              "frc r1.xy, v0\n"
                              "mov r1.zw, c0.z\n"
                              "endif\n"
                              "mov r1.w, c0.y\n"
                              "mov oC0, r1\n";

static struct torus9 torus;
static IDirect3DTexture9 *texture;
static IDirect3DVertexShader9 *vertex_shaders[2];
static IDirect3DPixelShader9 *pixel_shaders[2];
static struct matrix projection;

static void
make_shaders(IDirect3DDevice9 *device)
{
    static const char *const vertex[2] = {vertex_2, vertex_3}, *const pixel[2] = {pixel_2, pixel_3};
    for (int i = 0; i < 2; i++) {
        DWORD *code = assemble_shader(vertex[i]);
        check(IDirect3DDevice9_CreateVertexShader(device, code, &vertex_shaders[i]),
              "CreateVertexShader");
        free(code);
        code = assemble_shader(pixel[i]);
        check(IDirect3DDevice9_CreatePixelShader(device, code, &pixel_shaders[i]),
              "CreatePixelShader");
        free(code);
    }
}

/* Squares, in a different tone in each level, so that a wrong level is visible. */
static void
make_texture(IDirect3DDevice9 *device)
{
    check(IDirect3DDevice9_CreateTexture(device, TEXTURE_SIZE, TEXTURE_SIZE, 0, 0, D3DFMT_A8R8G8B8,
                                         D3DPOOL_MANAGED, &texture, NULL),
          "CreateTexture");
    for (UINT level = 0, size = TEXTURE_SIZE; size; level++, size /= 2) {
        D3DLOCKED_RECT rows;
        check(IDirect3DTexture9_LockRect(texture, level, &rows, NULL, 0), "LockRect");
        for (UINT y = 0; y < size; y++)
            for (UINT x = 0; x < size; x++) {
                const bool light = (x / 8 + y / 8) % 2 == 0;
                const uint32_t blue = 40 * level;
                ((uint32_t *)((char *)rows.pBits + y * (UINT)rows.Pitch))[x] =
                    (light ? 0xffe0d020 : 0xff405080) | blue;
            }
        IDirect3DTexture9_UnlockRect(texture, level);
    }
}

static void
setup(IDirect3DDevice9 *device, const struct options *options)
{
    static const float half_vector[4] = {0.36f, 0.48f, -0.8f, 0},
                       highlight[4] = {24, 1, 0.9f, 0.7f};
    projection = matrix_perspective(options, 0.5f, 20);
    torus = make_torus9(device);
    make_texture(device);
    make_shaders(device);
    IDirect3DDevice9_SetTexture(device, 0, (IDirect3DBaseTexture9 *)texture);
    IDirect3DDevice9_SetSamplerState(device, 0, D3DSAMP_MINFILTER, D3DTEXF_LINEAR);
    IDirect3DDevice9_SetSamplerState(device, 0, D3DSAMP_MAGFILTER, D3DTEXF_LINEAR);
    IDirect3DDevice9_SetSamplerState(device, 0, D3DSAMP_MIPFILTER, D3DTEXF_LINEAR);
    IDirect3DDevice9_SetRenderState(device, D3DRS_CULLMODE, D3DCULL_NONE);
    IDirect3DDevice9_SetPixelShaderConstantF(device, 1, half_vector, 1);
    IDirect3DDevice9_SetPixelShaderConstantF(device, 2, highlight, 1);
}

static void
draw(IDirect3DDevice9 *device, uint32_t frame)
{
    const float turn = 0.08f * (float)frame, light[4] = {0.6f, 0.8f, 0, turn};
    check(IDirect3DDevice9_Clear(device, 0, NULL, D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER, 0xff102040, 1,
                                 0),
          "Clear");
    IDirect3DDevice9_SetFVF(device, D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_TEX1);
    for (int i = 0; i < 2; i++) {
        const struct matrix world = matrix_turned(0.5f + turn, turn, i ? 1.4f : -1.4f, 0, 4);
        struct matrix to_clip = matrix_product(&world, &projection);
        to_clip = matrix_transpose(&to_clip);
        const struct matrix to_world = matrix_transpose(&world);
        IDirect3DDevice9_SetVertexShader(device, vertex_shaders[i]);
        IDirect3DDevice9_SetPixelShader(device, pixel_shaders[i]);
        IDirect3DDevice9_SetVertexShaderConstantF(device, 0, to_clip.at[0], 4);
        IDirect3DDevice9_SetVertexShaderConstantF(device, 4, to_world.at[0], 3);
        IDirect3DDevice9_SetVertexShaderConstantF(device, 7, light, 1);
        draw_torus9(device, &torus);
    }
}

static void
finish(void)
{
    for (int i = 0; i < 2; i++) {
        IDirect3DVertexShader9_Release(vertex_shaders[i]);
        IDirect3DPixelShader9_Release(pixel_shaders[i]);
    }
    IDirect3DTexture9_Release(texture);
    release_torus9(&torus);
}

int
main(int argc, char **argv)
{
    static const struct scene9 scene = {"shaders", setup, draw, finish};
    return scene9_main(&scene, argc, argv);
}
