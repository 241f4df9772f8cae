/* Direct3D 10, shader model 4: a ring of tori in one instanced draw, with constant buffers and a
 * mipmapped texture. The first pass draws to a texture, and the second pass reads it by integer
 * coordinates. */
#include "common.h"

#include <d3d10.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTURE_SIZE = 64, LEVELS = 7, TORI = 9 };

static const char scene_shaders[] =
    "cbuffer camera : register(b0) { float4x4 to_clip; float4 light; };\n"
    "Texture2D squares : register(t0);\n"
    "SamplerState filtered : register(s0);\n"
    "struct corner {\n"
    "    float4 position : SV_Position;\n"
    "    float3 normal : NORMAL;\n"
    "    float2 at : TEXCOORD;\n"
    "    float4 color : COLOR;\n"
    "};\n"
    "corner to_corner(float3 position : POSITION, float3 normal : NORMAL, float2 at : TEXCOORD,\n"
    "                 float4 place : PLACE, float4 color : COLOR)\n"
    "{\n"
    "    corner c;\n"
    "    float3 turned = float3(position.x * place.w - position.y * place.z,\n"
    "                           position.x * place.z + position.y * place.w, position.z);\n"
    "    c.position = mul(float4(turned * 0.4 + float3(place.xy, 0), 1), to_clip);\n"
    "    c.normal = float3(normal.x * place.w - normal.y * place.z,\n"
    "                      normal.x * place.z + normal.y * place.w, normal.z);\n"
    "    c.at = at;\n"
    "    c.color = color;\n"
    "    return c;\n"
    "}\n"
    "float4 to_color(corner c) : SV_Target\n"
    "{\n"
    "    float lit = 0.2 + 0.8 * saturate(dot(normalize(c.normal), light.xyz));\n"
    "    return squares.Sample(filtered, c.at) * c.color * lit;\n"
    "}\n";

static const char copy_shaders[] = "Texture2D drawn : register(t0);\n"
                                   "float4 to_corner(float2 at : POSITION) : SV_Position\n"
                                   "{\n"
                                   "    return float4(at, 0, 1);\n"
                                   "}\n"
                                   "float4 to_color(float4 position : SV_Position) : SV_Target\n"
                                   "{\n"
                                   "    float4 here = drawn.Load(int3(position.xy, 0));\n"
                                   "    return float4(here.bgr, 1);\n"
                                   "}\n";

/* Constants of the scene, as declared by `camera`. */
struct camera {
    struct matrix to_clip;
    float light[4];
};

struct instance {
    float place[4]; /* x, y, sine and cosine of its rotation */
    float color[4];
};

struct pass {
    ID3D10VertexShader *vertex;
    ID3D10PixelShader *pixel;
    ID3D10InputLayout *layout;
};

static ID3D10Device *device;
static IDXGISwapChain *chain;
static ID3D10RenderTargetView *window_target, *texture_target;
static ID3D10DepthStencilView *depth;
static ID3D10ShaderResourceView *squares, *drawn;
static ID3D10Buffer *vertices, *indices, *instances, *triangle, *constants;
static struct pass scene, copy;

static void
open_device(const struct options *options)
{
    DXGI_SWAP_CHAIN_DESC desc = {
        .BufferDesc = {options->width, options->height, {60, 1}, DXGI_FORMAT_R8G8B8A8_UNORM, 0, 0},
        .SampleDesc = {1, 0},
        .BufferUsage = DXGI_USAGE_RENDER_TARGET_OUTPUT,
        .BufferCount = 1,
        .OutputWindow = open_window(options),
        .Windowed = TRUE};
    check(D3D10CreateDeviceAndSwapChain(NULL, D3D10_DRIVER_TYPE_HARDWARE, NULL, 0,
                                        D3D10_SDK_VERSION, &desc, &chain, &device),
          "D3D10CreateDeviceAndSwapChain");
}

static ID3D10Texture2D *
make_texture(const struct options *options, DXGI_FORMAT format, UINT bind)
{
    const D3D10_TEXTURE2D_DESC desc = {.Width = options->width,
                                       .Height = options->height,
                                       .MipLevels = 1,
                                       .ArraySize = 1,
                                       .Format = format,
                                       .SampleDesc = {1, 0},
                                       .BindFlags = bind};
    ID3D10Texture2D *texture;
    check(ID3D10Device_CreateTexture2D(device, &desc, NULL, &texture), "CreateTexture2D");
    return texture;
}

static void
make_targets(const struct options *options)
{
    ID3D10Texture2D *texture;
    check(IDXGISwapChain_GetBuffer(chain, 0, &IID_ID3D10Texture2D, (void **)&texture), "GetBuffer");
    check(ID3D10Device_CreateRenderTargetView(device, (ID3D10Resource *)texture, NULL,
                                              &window_target),
          "CreateRenderTargetView");
    ID3D10Texture2D_Release(texture);
    texture = make_texture(options, DXGI_FORMAT_R8G8B8A8_UNORM,
                           D3D10_BIND_RENDER_TARGET | D3D10_BIND_SHADER_RESOURCE);
    check(ID3D10Device_CreateRenderTargetView(device, (ID3D10Resource *)texture, NULL,
                                              &texture_target),
          "CreateRenderTargetView");
    check(ID3D10Device_CreateShaderResourceView(device, (ID3D10Resource *)texture, NULL, &drawn),
          "CreateShaderResourceView");
    ID3D10Texture2D_Release(texture);
    texture = make_texture(options, DXGI_FORMAT_D24_UNORM_S8_UINT, D3D10_BIND_DEPTH_STENCIL);
    check(ID3D10Device_CreateDepthStencilView(device, (ID3D10Resource *)texture, NULL, &depth),
          "CreateDepthStencilView");
    ID3D10Texture2D_Release(texture);
    const D3D10_VIEWPORT viewport = {0, 0, options->width, options->height, 0, 1};
    ID3D10Device_RSSetViewports(device, 1, &viewport);
}

/* Squares, in a different tone in each level, so that a wrong level is visible. */
static void
make_squares(void)
{
    static uint32_t texels[LEVELS][TEXTURE_SIZE * TEXTURE_SIZE];
    D3D10_SUBRESOURCE_DATA data[LEVELS];
    for (uint32_t level = 0; level < LEVELS; level++) {
        const uint32_t size = TEXTURE_SIZE >> level;
        for (uint32_t i = 0; i < size * size; i++) {
            const bool light = (i % size / 8 + i / size / 8) % 2 == 0;
            texels[level][i] = (light ? 0xff20d0e0 : 0xff805040) + (level * 10 << 16);
        }
        data[level] = (D3D10_SUBRESOURCE_DATA){texels[level], 4 * size, 0};
    }
    const D3D10_TEXTURE2D_DESC desc = {.Width = TEXTURE_SIZE,
                                       .Height = TEXTURE_SIZE,
                                       .MipLevels = LEVELS,
                                       .ArraySize = 1,
                                       .Format = DXGI_FORMAT_R8G8B8A8_UNORM,
                                       .SampleDesc = {1, 0},
                                       .Usage = D3D10_USAGE_IMMUTABLE,
                                       .BindFlags = D3D10_BIND_SHADER_RESOURCE};
    ID3D10Texture2D *texture;
    check(ID3D10Device_CreateTexture2D(device, &desc, data, &texture), "CreateTexture2D");
    check(ID3D10Device_CreateShaderResourceView(device, (ID3D10Resource *)texture, NULL, &squares),
          "CreateShaderResourceView");
    ID3D10Texture2D_Release(texture);
}

static ID3D10Buffer *
make_buffer(const void *bytes, size_t size_bytes, UINT bind)
{
    const D3D10_BUFFER_DESC desc = {.ByteWidth = (UINT)size_bytes, .BindFlags = bind};
    const D3D10_SUBRESOURCE_DATA data = {bytes, 0, 0};
    ID3D10Buffer *buffer;
    check(ID3D10Device_CreateBuffer(device, &desc, bytes ? &data : NULL, &buffer), "CreateBuffer");
    return buffer;
}

static void
make_buffers(void)
{
    static struct vertex corners[TORUS_VERTICES];
    static uint16_t order[3 * TORUS_TRIANGLES];
    static const float covering[3][2] = {{-1, -1}, {-1, 3}, {3, -1}};
    struct instance tori[TORI];
    for (int i = 0; i < TORI; i++) {
        const float around = 6.2831853f * (float)i / TORI;
        tori[i] = (struct instance){
            {1.3f * cosf(around), 1.3f * sinf(around), sinf(around), cosf(around)},
            {0.5f + 0.5f * cosf(around), 0.5f + 0.5f * sinf(around), i % 2 ? 1 : 0.4f, 1}};
    }
    make_torus(corners, order);
    vertices = make_buffer(corners, sizeof corners, D3D10_BIND_VERTEX_BUFFER);
    indices = make_buffer(order, sizeof order, D3D10_BIND_INDEX_BUFFER);
    instances = make_buffer(tori, sizeof tori, D3D10_BIND_VERTEX_BUFFER);
    triangle = make_buffer(covering, sizeof covering, D3D10_BIND_VERTEX_BUFFER);
    constants = make_buffer(NULL, sizeof(struct camera), D3D10_BIND_CONSTANT_BUFFER);
}

static struct pass
make_pass(const char *text, const D3D10_INPUT_ELEMENT_DESC *elements, UINT count)
{
    struct pass pass;
    ID3DBlob *code = compile_shader(text, "to_corner", "vs_4_0");
    const void *bytes = ID3D10Blob_GetBufferPointer(code);
    const SIZE_T size_bytes = ID3D10Blob_GetBufferSize(code);
    check(ID3D10Device_CreateVertexShader(device, bytes, size_bytes, &pass.vertex),
          "CreateVertexShader");
    check(ID3D10Device_CreateInputLayout(device, elements, count, bytes, size_bytes, &pass.layout),
          "CreateInputLayout");
    ID3D10Blob_Release(code);
    code = compile_shader(text, "to_color", "ps_4_0");
    check(ID3D10Device_CreatePixelShader(device, ID3D10Blob_GetBufferPointer(code),
                                         ID3D10Blob_GetBufferSize(code), &pass.pixel),
          "CreatePixelShader");
    ID3D10Blob_Release(code);
    return pass;
}

static void
make_passes(void)
{
    static const D3D10_INPUT_ELEMENT_DESC of_scene[] = {
        {"POSITION", 0, DXGI_FORMAT_R32G32B32_FLOAT, 0, 0, D3D10_INPUT_PER_VERTEX_DATA, 0},
        {"NORMAL", 0, DXGI_FORMAT_R32G32B32_FLOAT, 0, 12, D3D10_INPUT_PER_VERTEX_DATA, 0},
        {"TEXCOORD", 0, DXGI_FORMAT_R32G32_FLOAT, 0, 24, D3D10_INPUT_PER_VERTEX_DATA, 0},
        {"PLACE", 0, DXGI_FORMAT_R32G32B32A32_FLOAT, 1, 0, D3D10_INPUT_PER_INSTANCE_DATA, 1},
        {"COLOR", 0, DXGI_FORMAT_R32G32B32A32_FLOAT, 1, 16, D3D10_INPUT_PER_INSTANCE_DATA, 1}};
    static const D3D10_INPUT_ELEMENT_DESC of_copy[] = {
        {"POSITION", 0, DXGI_FORMAT_R32G32_FLOAT, 0, 0, D3D10_INPUT_PER_VERTEX_DATA, 0}};
    scene = make_pass(scene_shaders, of_scene, 5);
    copy = make_pass(copy_shaders, of_copy, 1);
}

static void
start_pass(const struct pass *pass, ID3D10RenderTargetView *target,
           ID3D10DepthStencilView *with_depth, ID3D10ShaderResourceView *source)
{
    /* A texture that is bound as source and as target is not written. */
    ID3D10ShaderResourceView *none = NULL;
    ID3D10Device_PSSetShaderResources(device, 0, 1, &none);
    ID3D10Device_OMSetRenderTargets(device, 1, &target, with_depth);
    ID3D10Device_PSSetShaderResources(device, 0, 1, &source);
    ID3D10Device_IASetInputLayout(device, pass->layout);
    ID3D10Device_VSSetShader(device, pass->vertex);
    ID3D10Device_PSSetShader(device, pass->pixel);
}

static void
draw(const struct options *options, uint32_t frame)
{
    static const float background[4] = {0.2f, 0.2f, 0.4f, 1};
    const float turn = 0.08f * (float)frame;
    const struct matrix world = matrix_turned(0.5f + turn, turn, 0, 0, 4);
    const struct matrix projection = matrix_perspective(options, 0.5f, 20);
    struct camera camera = {matrix_product(&world, &projection), {0.6f, 0, -0.8f, 0}};
    camera.to_clip = matrix_transpose(&camera.to_clip);
    ID3D10Device_UpdateSubresource(device, (ID3D10Resource *)constants, 0, NULL, &camera, 0, 0);
    ID3D10Device_VSSetConstantBuffers(device, 0, 1, &constants);
    ID3D10Device_PSSetConstantBuffers(device, 0, 1, &constants);
    ID3D10Device_IASetPrimitiveTopology(device, D3D10_PRIMITIVE_TOPOLOGY_TRIANGLELIST);

    ID3D10Device_ClearRenderTargetView(device, texture_target, background);
    ID3D10Device_ClearDepthStencilView(device, depth, D3D10_CLEAR_DEPTH | D3D10_CLEAR_STENCIL, 1,
                                       0);
    start_pass(&scene, texture_target, depth, squares);
    ID3D10Buffer *const buffers[2] = {vertices, instances};
    const UINT strides[2] = {sizeof(struct vertex), sizeof(struct instance)}, offsets[2] = {0};
    ID3D10Device_IASetVertexBuffers(device, 0, 2, buffers, strides, offsets);
    ID3D10Device_IASetIndexBuffer(device, indices, DXGI_FORMAT_R16_UINT, 0);
    ID3D10Device_DrawIndexedInstanced(device, 3 * TORUS_TRIANGLES, TORI, 0, 0, 0);

    start_pass(&copy, window_target, NULL, drawn);
    const UINT corner_bytes = 2 * sizeof(float);
    ID3D10Device_IASetVertexBuffers(device, 0, 1, &triangle, &corner_bytes, offsets);
    ID3D10Device_Draw(device, 3, 0);
}

/* Releases everything. The last frame is complete when the device is released. */
static void
finish(void)
{
    ID3D10Device_ClearState(device);
    void *const objects[] = {scene.vertex, scene.pixel,   scene.layout,   copy.vertex, copy.pixel,
                             copy.layout,  window_target, texture_target, depth,       squares,
                             drawn,        vertices,      indices,        instances,   triangle,
                             constants,    chain,         device};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        IUnknown_Release((IUnknown *)objects[i]);
}

int
main(int argc, char **argv)
{
    const struct options options = parse_options("ten", argc, argv);
    open_device(&options);
    make_targets(&options);
    make_squares();
    make_buffers();
    make_passes();
    for (uint32_t frame = 0; frame < options.frames; frame++) {
        handle_events();
        draw(&options, frame);
        check(IDXGISwapChain_Present(chain, 0, 0), "Present");
    }
    finish();
    return 0;
}
