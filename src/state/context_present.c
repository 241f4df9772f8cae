/* Front surfaces keep the picture that was presented last.
 *
 * The driver presents a back surface by reading it back. It creates a front surface only when the
 * program first uses the front buffer, and the stream never copies between the two. On a real
 * system the GPU that owns the screen makes the copy: a front surface holds the last presented
 * picture until the program draws into it. A front surface is a display target like the back
 * surface, but is created later. The driver first uploads the window's content into it, which does
 * not count as drawing. */
#include "state/context_internal.h"

#include <string.h>

/* Excludes pairs in which only one surface has forced samples so far. */
static bool
same_window(const struct resource *back, const struct resource *front)
{
    return resource_may_be_front(&front->desc, &back->desc) && back->samples == front->samples;
}

void
note_blit(struct resource *src, struct resource *dst)
{
    if (!src || !dst)
        return;
    dst->drawn = true;
    cleared_note_write(dst, true);
    if (src->desc.width != dst->desc.width || src->desc.height != dst->desc.height)
        return;
    if (resource_is_display(&src->desc) &&
        dst->samples > 1) { /* the driver fills a new multisampled surface */
        dst->twin = src->desc.handle;
        dst->drawn = false;
    }
    if (resource_is_display(&dst->desc) && src->samples > 1) /* resolved for presentation */
        src->drawn = false;
}

struct shown_state
gpu_shown_state(struct gpu_device *device, uint32_t client, const struct resource *res)
{
    const struct gpu_client *of = find_client(device, client);
    return (struct shown_state){res->drawn, of && of->shown == res->desc.handle, res->twin};
}

void
shown_restore(struct gpu_client *client, struct resource *res, const struct shown_state *state)
{
    res->drawn = state->drawn != 0;
    res->twin = state->twin;
    if (state->is_last)
        client->shown = res->desc.handle;
}

static struct box
whole(const struct resource *res)
{
    return (struct box){0, 0, 0, (int32_t)res->desc.width, (int32_t)res->desc.height, 1};
}

static void
copy_command(struct gpu_cmd *command, const struct resource *from, const struct resource *to)
{
    command->op = GPU_COPY_REGION;
    command->copy.dst = to->desc.handle;
    command->copy.src = from->desc.handle;
    command->copy.src_box = whole(from);
}

static void
blit_command(struct gpu_cmd *command, const struct resource *from, const struct resource *to)
{
    command->op = GPU_BLIT;
    command->blit.mask = BLIT_COLOR;
    command->blit.src = (struct blit_side){from->desc.handle, 0, from->desc.format, whole(from)};
    command->blit.dst = (struct blit_side){to->desc.handle, 0, to->desc.format, whole(to)};
}

static bool
is_twin(const struct resource *res, const struct resource *front)
{
    return res->twin == front->desc.handle && !res->drawn && res->desc.format == front->desc.format;
}

/* Returns the client's oldest resource for which `matches` is true, or NULL. */
static struct resource *
find_matching(struct gpu_client *client, const struct resource *to,
              bool (*matches)(const struct resource *res, const struct resource *to))
{
    struct resource *oldest = NULL;
    for (size_t i = 0; i < client->resources.capacity; i++) {
        struct resource *res = client->resources.slots[i].value;
        if (res && matches(res, to) && (!oldest || res->created < oldest->created))
            oldest = res;
    }
    return oldest;
}

static bool
is_front(const struct resource *res, const struct resource *shown)
{
    return !res->drawn && same_window(shown, res);
}

uint32_t
gpu_present(struct gpu_device *device, const struct gpu_cmd *cmd, struct gpu_cmd commands[2])
{
    struct gpu_client *client = find_client(device, cmd->client);
    struct resource *shown, *front, *twin;
    if (!client)
        return 0;
    if (cmd->op == GPU_RESOURCE_CREATE) {
        shown = handle_map_get(&client->resources, client->shown);
        front = handle_map_get(&client->resources, cmd->resource.handle);
        if (!shown || !front || !same_window(shown, front))
            return 0;
    } else {
        shown = handle_map_get(&client->resources, cmd->transfer.resource);
        if (!shown)
            return 0;
        client->shown = shown->desc.handle;
        shown->drawn = false;
        front = find_matching(client, shown, is_front);
        if (!front)
            return 0;
    }
    memset(commands, 0, 2 * sizeof *commands);
    commands[0].client = commands[1].client = cmd->client;
    commands[0].shows = commands[1].shows = cmd->op == GPU_SWAP;
    copy_command(&commands[0], shown, front);
    twin = find_matching(client, front, is_twin);
    if (!twin || !client->states)
        return 1;
    commands[1].sub_context = client->states->id;
    blit_command(&commands[1], front, twin);
    return 2;
}

void
gpu_presented(struct gpu_device *device, const struct gpu_cmd *command)
{
    const uint32_t handle =
        command->op == GPU_BLIT ? command->blit.dst.resource : command->copy.dst;
    gpu_resource(device, command->client, handle)->drawn = false;
}
