#include "trace/virgl/submit.h"

#include "trace/virgl/packets.h"

#include <string.h>

static uint32_t
dword_at(const struct submit_walk *walk, uint32_t i)
{
    uint32_t value;
    memcpy(&value, walk->bytes + (size_t)i * 4, 4);
    return value;
}

bool
submit_walk_next(struct submit_walk *walk)
{
    if (walk->at >= walk->dwords)
        return false;
    uint32_t header = dword_at(walk, walk->at);
    walk->command = header_command(header);
    walk->object = header_object(header);
    walk->length = header_length(header);
    if (walk->length >= walk->dwords - walk->at)
        return false;
    walk->at += 1 + walk->length;
    return true;
}

uint32_t
submit_walk_dword(const struct submit_walk *walk, uint32_t i)
{
    return dword_at(walk, walk->at - walk->length + i);
}

uint32_t
submit_walk_field(const struct submit_walk *walk, struct bit_field field)
{
    return bit_field_get(submit_walk_dword(walk, field.word), field);
}

uint32_t
submit_walk_target(const struct submit_walk *walk)
{
    const bool target = walk->object == VOBJ_SURFACE || walk->object == VOBJ_MSAA_SURFACE ||
                        walk->object == VOBJ_STREAMOUT_TARGET;
    if (walk->command == CMD_CREATE_OBJECT && target && walk->length > AT_OBJECT_RESOURCE)
        return submit_walk_dword(walk, AT_OBJECT_RESOURCE);
    if (walk->command == CMD_BLIT && walk->length >= LEN_BLIT)
        return submit_walk_dword(walk, AT_BLIT_DST + AT_SIDE_RESOURCE);
    if (walk->command == CMD_RESOURCE_COPY_REGION && walk->length >= LEN_COPY_REGION)
        return submit_walk_dword(walk, AT_COPY_DST);
    return 0;
}

void
submit_find_bindings(const uint8_t *bytes, uint32_t size_bytes, bool *streams, bool *blocks)
{
    struct submit_walk walk = submit_walk(bytes, size_bytes);
    *streams = *blocks = false;
    while (submit_walk_next(&walk)) {
        if (walk.command == CMD_SET_UNIFORM_BUFFER && walk.length >= LEN_UNIFORM_BUFFER)
            *blocks |= submit_walk_dword(&walk, AT_UNIFORM_INDEX) > 0 &&
                       submit_walk_dword(&walk, AT_UNIFORM_RESOURCE) != 0;
        if (walk.command == CMD_SET_STREAMOUT_TARGETS) /* a mask, then the targets */
            for (uint32_t i = 1; i < walk.length; i++)
                *streams |= submit_walk_dword(&walk, i) != 0;
    }
}

uint32_t
submit_count_draws(const uint8_t *bytes, uint32_t size_bytes)
{
    struct submit_walk walk = submit_walk(bytes, size_bytes);
    uint32_t draws = 0;
    while (submit_walk_next(&walk))
        draws += walk.command == CMD_DRAW_VBO;
    return draws;
}
