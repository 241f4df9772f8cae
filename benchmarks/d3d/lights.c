/* Direct3D 9, fixed function: a directional light, two point lights and a spot light with specular
 * highlights, and linear fog. */
#include "scene9.h"

#include <math.h>

static struct torus9 torus;

static void
set_light(IDirect3DDevice9 *device, DWORD index, const D3DLIGHT9 *light)
{
    check(IDirect3DDevice9_SetLight(device, index, light), "SetLight");
    check(IDirect3DDevice9_LightEnable(device, index, TRUE), "LightEnable");
}

static void
setup(IDirect3DDevice9 *device, const struct options *options)
{
    const struct matrix projection = matrix_perspective(options, 0.5f, 20);
    const D3DMATERIAL9 material = {.Diffuse = {0.8f, 0.8f, 0.8f, 1},
                                   .Ambient = {0.4f, 0.4f, 0.4f, 1},
                                   .Specular = {0.9f, 0.9f, 0.9f, 1},
                                   .Power = 20};
    const union {
        float value;
        DWORD bits;
    } fog_start = {3}, fog_end = {9};
    torus = make_torus9(device);
    set_matrix9(device, D3DTS_PROJECTION, &projection);
    check(IDirect3DDevice9_SetMaterial(device, &material), "SetMaterial");
    IDirect3DDevice9_SetRenderState(device, D3DRS_LIGHTING, TRUE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_AMBIENT, 0xff404040);
    IDirect3DDevice9_SetRenderState(device, D3DRS_SPECULARENABLE, TRUE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_NORMALIZENORMALS, TRUE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_CULLMODE, D3DCULL_NONE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_FOGENABLE, TRUE);
    IDirect3DDevice9_SetRenderState(device, D3DRS_FOGCOLOR, 0xff203040);
    IDirect3DDevice9_SetRenderState(device, D3DRS_FOGVERTEXMODE, D3DFOG_LINEAR);
    IDirect3DDevice9_SetRenderState(device, D3DRS_FOGSTART, fog_start.bits);
    IDirect3DDevice9_SetRenderState(device, D3DRS_FOGEND, fog_end.bits);
    set_light(device, 0,
              &(D3DLIGHT9){.Type = D3DLIGHT_DIRECTIONAL,
                           .Diffuse = {0.4f, 0.4f, 0.3f, 1},
                           .Direction = {0.3f, -0.5f, 0.8f}});
    set_light(device, 3,
              &(D3DLIGHT9){.Type = D3DLIGHT_SPOT,
                           .Diffuse = {0.1f, 0.9f, 0.2f, 1},
                           .Specular = {0.5f, 1, 0.5f, 1},
                           .Position = {0, 3, 2},
                           .Direction = {0, -0.8f, 0.6f},
                           .Range = 20,
                           .Falloff = 1,
                           .Attenuation0 = 1,
                           .Theta = 0.4f,
                           .Phi = 0.9f});
}

static void
place_point_lights(IDirect3DDevice9 *device, uint32_t frame)
{
    const float turn = 0.1f * (float)frame;
    set_light(device, 1,
              &(D3DLIGHT9){.Type = D3DLIGHT_POINT,
                           .Diffuse = {1, 0.2f, 0.1f, 1},
                           .Specular = {1, 0.6f, 0.6f, 1},
                           .Position = {2 * cosf(turn), 2 * sinf(turn), 3},
                           .Range = 10,
                           .Attenuation1 = 0.4f});
    set_light(device, 2,
              &(D3DLIGHT9){.Type = D3DLIGHT_POINT,
                           .Diffuse = {0.1f, 0.3f, 1, 1},
                           .Specular = {0.6f, 0.6f, 1, 1},
                           .Position = {-2 * cosf(turn), 1, 4 - 2 * sinf(turn)},
                           .Range = 10,
                           .Attenuation0 = 0.5f,
                           .Attenuation2 = 0.1f});
}

static void
draw(IDirect3DDevice9 *device, uint32_t frame)
{
    check(IDirect3DDevice9_Clear(device, 0, NULL, D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER, 0xff203040, 1,
                                 0),
          "Clear");
    place_point_lights(device, frame);
    IDirect3DDevice9_SetFVF(device, D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_TEX1);
    for (int i = 0; i < 6; i++) {
        const float turn = 0.05f * (float)frame + (float)i;
        const struct matrix world = matrix_turned(turn, 0.7f * turn, 1.6f * (float)(i % 3 - 1),
                                                  i / 3 ? 0.8f : -0.8f, 4 + (float)i * 0.7f);
        set_matrix9(device, D3DTS_WORLD, &world);
        IDirect3DDevice9_SetRenderState(device, D3DRS_SHADEMODE,
                                        i == 2 ? D3DSHADE_FLAT : D3DSHADE_GOURAUD);
        draw_torus9(device, &torus);
    }
}

static void
finish(void)
{
    release_torus9(&torus);
}

int
main(int argc, char **argv)
{
    static const struct scene9 scene = {"lights", setup, draw, finish};
    return scene9_main(&scene, argc, argv);
}
