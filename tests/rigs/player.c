/* Sends the messages of one client to a simulation. */
#include "rigs/player.h"

#include "rigs/scene.h"

void
player_take(struct player *player, struct message message, void *out, uint32_t out_bytes)
{
    struct error err = {""};
    message.client = 1;
    if (player->writer && !trace_writer_add(player->writer, &message, &err))
        fail_msg("%s", err.text);
    if (!player->sink.sink.take(player->sink.sink.data, &message, out, out_bytes, &err))
        fail_msg("%s", err.text);
}

void
player_record(struct player *player, const char *path)
{
    struct error err = {""};
    if (!trace_writer_create(&player->writer, path, "test", &err))
        fail_msg("%s", err.text);
}

void
player_end_record(struct player *player, uint32_t handle, int32_t width, int32_t height)
{
    struct error err = {""};
    player_take(player,
                (struct message){.kind = MESSAGE_FRAME,
                                 .transfer = {handle, 0, {0, 0, 0, width, height, 1}}},
                NULL, 0);
    if (!trace_writer_close(player->writer, &err))
        fail_msg("%s", err.text);
    player->writer = NULL;
}

void
player_start(struct player *player, const struct params *params, bool timed,
             const struct simulation_listener *listener)
{
    static const struct frame_set all;
    struct error err = {""};
    if (!simulation_init(&player->sim, params, timed ? &all : NULL, listener, &err))
        fail_msg("%s", err.text);
    executor_sink_init(&player->sink, &player->sim.executor);
    player_take(player,
                (struct message){.kind = MESSAGE_CLIENT_BEGIN,
                                 .bytes = (const uint8_t *)"test",
                                 .size_bytes = 4},
                NULL, 0);
}

void
player_end(struct player *player)
{
    executor_sink_fini(&player->sink);
    simulation_fini(&player->sim);
}

void
player_create(struct player *player, struct resource_desc desc)
{
    player_take(player, (struct message){.kind = MESSAGE_RESOURCE_CREATE, .resource = desc}, NULL,
                0);
}

void
player_submit(struct player *player, struct stream *stream)
{
    player_take(player, stream_message(stream, 1), NULL, 0);
    stream->count = 0;
}

void
player_put(struct player *player, uint32_t handle, const void *bytes, uint32_t size_bytes)
{
    player_take(player,
                (struct message){.kind = MESSAGE_PUT,
                                 .transfer = {handle, 0, {0, 0, 0, (int32_t)size_bytes, 1, 1}},
                                 .bytes = bytes,
                                 .size_bytes = size_bytes},
                NULL, 0);
}

void
player_get(struct player *player, uint32_t handle, int32_t width, int32_t height, void *out)
{
    player_take(
        player,
        (struct message){.kind = MESSAGE_GET, .transfer = {handle, 0, {0, 0, 0, width, height, 1}}},
        out, (uint32_t)(width * height) * 4);
}

void
player_scene(struct player *player, struct stream *stream, const char *vs, const char *fs,
             const void *vertices, uint32_t size_bytes, uint32_t size)
{
    player_create(player, (struct resource_desc){RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                 BIND_VERTEX_BUFFER, size_bytes, 1, 1, 1, 0, 0});
    player_create(player, (struct resource_desc){RES_COLOR, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                 BIND_RENDER_TARGET, size, size, 1, 1, 0, 0});
    player_put(player, RES_VERTICES, vertices, size_bytes);
    scene_states(stream, 0);
    scene_shaders(stream, vs, fs);
    CREATE(stream, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT);
    scene_surfaces(stream, FORMAT_B8G8R8A8_UNORM, 0);
    scene_bind(stream);
    PACKET(stream, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_VERTICES);
    scene_viewport(stream, (float)size, (float)size);
}
