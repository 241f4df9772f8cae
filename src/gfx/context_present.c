/* What is shown stays in the window's front surface.
 *
 * The driver presents a back surface by reading it out, and makes a front surface only when the
 * program first asks for the front buffer; the stream never copies from one into the other. The
 * GPU that owns the screen does: a front surface has the picture that was presented last, until it
 * is drawn into. A window's front surface is a display target like its back surface, made later;
 * the driver uploads the window's content into it at first, which does not count as drawing. */
#include "gfx/context_internal.h"

static bool
is_display(const struct resource *res)
{
    return res->desc.bind & (BIND_DISPLAY_TARGET | BIND_SCANOUT);
}

static bool
same_window(const struct resource *back, const struct resource *front)
{
    return is_display(back) && is_display(front) && front->desc.handle > back->desc.handle &&
           back->desc.width == front->desc.width && back->desc.height == front->desc.height &&
           back->desc.format == front->desc.format && back->desc.target == front->desc.target &&
           back->samples == front->samples;
}

static bool
copy_command(struct gpu_cmd *copy, uint32_t client, const struct resource *from,
             const struct resource *to)
{
    *copy = (struct gpu_cmd){.op = GPU_COPY_REGION, .client = client};
    copy->copy.dst = to->desc.handle;
    copy->copy.src = from->desc.handle;
    copy->copy.src_box =
        (struct box){0, 0, 0, (int32_t)from->desc.width, (int32_t)from->desc.height, 1};
    return true;
}

bool
gpu_present(struct gpu_device *device, const struct gpu_cmd *cmd, struct gpu_cmd *copy)
{
    struct gpu_client *client = find_client(device, cmd->client);
    if (!client)
        return false;
    if (cmd->op == GPU_RESOURCE_CREATE) {
        struct resource *made = table_find(&client->resources, cmd->resource.handle);
        struct resource *shown = table_find(&client->resources, client->shown);
        return shown && made && same_window(shown, made) && copy_command(copy, cmd->client, shown, made);
    }
    struct resource *shown = table_find(&client->resources, cmd->transfer.resource);
    if (!shown)
        return false;
    client->shown = shown->desc.handle;
    shown->drawn = false;
    for (uint32_t i = 0; i < client->resources.capacity; i++) {
        struct resource *front = client->resources.entries[i].value;
        if (client->resources.entries[i].handle != 0 && !front->drawn && same_window(shown, front))
            return copy_command(copy, cmd->client, shown, front);
    }
    return false;
}
