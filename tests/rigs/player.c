/* Sends the messages of one client to a simulation. */
#include "rigs/player.h"

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
