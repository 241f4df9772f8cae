#include "sim/judge.h"

#include "base/log.h"
#include "gfx/transfer.h"

#include <stdio.h>
#include <string.h>

static bool
check_clear(struct judge *judge, const struct gpu_cmd *cmd, struct error *err)
{
    struct bound_surface color[MAX_COLOR_BUFFERS], depth;
    uint32_t count;
    return gpu_bake_framebuffer(&judge->device, cmd, color, &count, &depth, err);
}

static bool
check_work(struct judge *judge, const struct gpu_cmd *cmd, struct error *err)
{
    struct draw *draw;
    switch (cmd->op) {
    case GPU_DRAW: return gpu_bake_draw(&judge->device, cmd, &judge->draws, &draw, err);
    case GPU_CLEAR: return check_clear(judge, cmd, err);
    case GPU_BLIT: return blit_check(&judge->device, cmd, err);
    case GPU_COPY_REGION: return copy_check(&judge->device, cmd, err);
    default: return true;
    }
}

/* The part of the message that does not name one place in the stream: behind "DRAW at dword 9: ".
 */
static const char *
kind_of(const char *text)
{
    const char *at = strstr(text, " at dword "), *colon = at ? strstr(at, ": ") : NULL;
    return colon ? colon + 2 : text;
}

static void
tell_once(struct judge *judge, const struct error *err)
{
    const char *kind = kind_of(err->text);
    for (uint32_t i = 0; i < judge->told_count; i++)
        if (!strncmp(judge->told[i], kind, JUDGE_TEXT - 1))
            return;
    if (judge->told_count == JUDGE_TOLD)
        return;
    snprintf(judge->told[judge->told_count++], JUDGE_TEXT, "%.*s", JUDGE_TEXT - 1, kind);
    judge->warnings++;
    log_warning("`aetius sim` will refuse frame %u: %s", judge->frame, err->text);
}

static bool
check_command(void *data, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes,
              struct error *err)
{
    struct judge *judge = data;
    struct error refused;
    if (!gpu_apply(&judge->device, cmd, err))
        return false;
    if (!check_work(judge, cmd, &refused))
        tell_once(judge, &refused);
    arena_reset(&judge->draws);
    return true;
}

static bool
judge_take(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
           struct error *err)
{
    struct judge *judge = data;
    struct error refused;
    message_sink_hand_on(judge->inner, &judge->sink);
    if (!judge->ended &&
        !judge->executor.sink.take(judge->executor.sink.data, message, NULL, 0, &refused)) {
        judge->ended = true;
        judge->warnings++;
        log_warning("`aetius sim` will refuse frame %u: %s", judge->frame, refused.text);
    }
    judge->frame += message_ends_frame(message);
    return judge->inner->take(judge->inner->data, message, out, out_bytes, err);
}

bool
judge_init(struct judge *judge, struct message_sink *inner, struct error *err)
{
    memset(judge, 0, sizeof *judge);
    judge->sink = (struct message_sink){.data = judge, .take = judge_take};
    judge->inner = inner;
    if (!gpu_device_init(&judge->device, 1 << 20, err))
        return false;
    if (!gpu_memory_let_grow(&judge->device.memory, err)) {
        gpu_device_fini(&judge->device);
        return false;
    }
    const struct executor executor = {judge, &judge->device, check_command};
    executor_sink_init(&judge->executor, &executor);
    arena_init(&judge->draws);
    return true;
}

void
judge_fini(struct judge *judge)
{
    executor_sink_fini(&judge->executor);
    arena_fini(&judge->draws);
    gpu_device_fini(&judge->device);
}
