/* The machine, its surfaces and its frames. */
#include "rigs/rig.h"

const char rig_vs[] = "VERT\n"
                      "DCL IN[0]\n"
                      "DCL OUT[0], POSITION\n"
                      "  0: MOV OUT[0], IN[0]\n"
                      "  1: END\n";

const char rig_fs[] = "FRAG\n"
                      "DCL OUT[0], COLOR\n"
                      "IMM[0] FLT32 {1.0, 0.0, 0.0, 1.0}\n"
                      "  0: MOV OUT[0], IMM[0]\n"
                      "  1: END\n";

const char rig_textured_fs[] = "FRAG\n"
                               "DCL IN[0], POSITION, LINEAR\n"
                               "DCL OUT[0], COLOR\n"
                               "DCL SAMP[0]\n"
                               "DCL SVIEW[0], 2D, FLOAT\n"
                               "DCL TEMP[0]\n"
                               "IMM[0] FLT32 {0.015625, 0.015625, 0.0, 0.0}\n"
                               "  0: MUL TEMP[0], IN[0], IMM[0]\n"
                               "  1: TEX OUT[0], TEMP[0], SAMP[0], 2D\n"
                               "  2: END\n";

static bool
rig_take_frame(void *data, const struct simulation_frame *frame, struct error *err)
{
    struct rig *rig = data;
    (void)err;
    const size_t bytes = (size_t)rig->size * rig->size * sizeof rig->pixels[0];
    memcpy(rig->pixels, frame->picture->rgba,
           bytes < sizeof rig->pixels ? bytes : sizeof rig->pixels);
    stat_set_snapshot(&rig_machine(rig)->stats, rig->values);
    return true;
}

static void
rig_take_row(void *data, uint32_t frame, const struct work *row)
{
    struct rig *rig = data;
    (void)frame;
    if (rig->on_batch && row->kind == WORK_DRAW)
        rig->on_batch(rig);
}

void
rig_submit(struct rig *rig)
{
    player_submit(&rig->player, &rig->stream);
}

void
rig_upload(struct rig *rig, uint32_t handle, const void *bytes, uint32_t size)
{
    player_put(&rig->player, handle, bytes, size);
}

/* Sets the initial state. The depth test is LESS if there is a depth buffer. */
static void
rig_set_state(struct rig *rig)
{
    struct stream *s = &rig->stream;
    scene_states(s, 0);
    scene_shaders(s, rig_vs, rig_fs);
    CREATE(s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT);
    scene_surfaces(s, FORMAT_B8G8R8A8_UNORM, rig->has_depth ? FORMAT_Z24_UNORM_S8_UINT : 0);
    scene_bind(s);
    PACKET(s, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_VERTICES);
    scene_viewport(s, (float)rig->size, (float)rig->size);
    rig_submit(rig);
}

void
rig_start(struct rig *rig)
{
    const struct simulation_listener listener = {
        .data = rig, .frame = rig_take_frame, .work = rig_take_row};
    const uint32_t size = rig->size;
    const struct resource_desc resources[] = {
        {RES_COLOR, TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET | BIND_DISPLAY_TARGET,
         size, size, 1, 1, 0, 0},
        {RES_DEPTH, TARGET_2D, FORMAT_Z24_UNORM_S8_UINT, BIND_DEPTH_STENCIL, size, size, 1, 1, 0,
         0},
        {RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_VERTEX_BUFFER, 4096, 1, 1, 1, 0, 0},
        {RES_INDICES, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_INDEX_BUFFER, 4096, 1, 1, 1, 0, 0},
    };
    player_start(&rig->player, &rig->params, true, &listener);
    rig->values = calloc(rig_machine(rig)->stats.count, sizeof *rig->values);
    for (size_t i = 0; i < sizeof resources / sizeof resources[0]; i++)
        player_create(&rig->player, resources[i]);
    rig_set_state(rig);
}

struct rig *
rig_create(void)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct error err;
    if (!params_load_preset(&rig->params, "reference-2005", &err))
        fail_msg("%s", err.text);
    rig->params.MEMORYCONTROLLER.MemorySize = 1 << 20;
    rig->size = SIZE;
    rig->has_depth = true;
    return rig;
}

void
rig_destroy(struct rig *rig)
{
    if (rig->values)
        player_end(&rig->player);
    free(rig->values);
    free(rig->data);
    free(rig);
}

int
rig_set_up(void **state)
{
    *state = rig_create();
    return 0;
}

int
rig_tear_down(void **state)
{
    rig_destroy(*state);
    return 0;
}

void
rig_use_programs(struct rig *rig, const char *vs, const char *fs)
{
    enum { OBJ_OTHER_VS = 310, OBJ_OTHER_FS };
    struct stream *s = &rig->stream;
    stream_shader(s, OBJ_OTHER_VS, VSTAGE_VERTEX, vs);
    stream_shader(s, OBJ_OTHER_FS, VSTAGE_FRAGMENT, fs);
    stream_bind_shader(s, OBJ_OTHER_VS, VSTAGE_VERTEX);
    stream_bind_shader(s, OBJ_OTHER_FS, VSTAGE_FRAGMENT);
    rig_submit(rig);
}

void
rig_clear(struct rig *rig, uint32_t buffers, double depth)
{
    stream_clear(&rig->stream, buffers, NULL, depth, 0);
    rig_submit(rig);
}

void
rig_draw(struct rig *rig, uint32_t mode, uint32_t count, uint32_t index_bytes)
{
    if (index_bytes)
        PACKET(&rig->stream, CMD_SET_INDEX_BUFFER, RES_INDICES, index_bytes, 0);
    struct error err = {""};
    PACKET(&rig->stream, CMD_DRAW_VBO, 0, count, mode, index_bytes != 0, 1, 0, 0, 0, 0, 0, ~0u, 0);
    rig_submit(rig);
    /* wait for the end of the draw, which would otherwise overlap later commands */
    if (!machine_drain(rig_machine(rig), &err))
        fail_msg("%s", err.text);
}

void
rig_swap(struct rig *rig)
{
    const int32_t size = (int32_t)rig->size;
    player_take(&rig->player,
                (struct message){.kind = MESSAGE_SWAP,
                                 .transfer = {RES_COLOR, 0, {0, 0, 0, size, size, 1}}},
                NULL, 0);
}

uint64_t
rig_figure(const struct rig *rig, const char *name)
{
    uint64_t value;
    if (!stat_set_sum(&rig_machine(rig)->stats, rig->values, name, &value))
        fail_msg("there is no %s", name);
    return value;
}

void
rig_assert_figure(const struct rig *rig, const char *name, uint64_t expected)
{
    const uint64_t value = rig_figure(rig, name);
    if (value != expected)
        fail_msg("%s is %llu, not %llu", name, (unsigned long long)value,
                 (unsigned long long)expected);
}

void
rig_upload_corner(struct rig *rig, float size, float z)
{
    const float far = size / (SIZE / 2) - 1;
    const float vertices[3][4] = {{-1, -1, z, 1}, {far, -1, z, 1}, {-1, far, z, 1}};
    rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
}
