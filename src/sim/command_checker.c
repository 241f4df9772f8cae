#include "sim/command_checker.h"

#include "base/log.h"
#include "gfx/transfer.h"

#include <stdio.h>
#include <string.h>

static bool
check_clear(struct command_checker *checker, const struct gpu_cmd *cmd, struct error *err)
{
    struct bound_surface color[MAX_COLOR_BUFFERS], depth;
    uint32_t count;
    return gpu_bake_framebuffer(&checker->device, cmd, color, &count, &depth, err);
}

static bool
check_work(struct command_checker *checker, const struct gpu_cmd *cmd, struct error *err)
{
    struct draw *draw;
    switch (cmd->op) {
    case GPU_DRAW: return gpu_bake_draw(&checker->device, cmd, &checker->draws, &draw, err);
    case GPU_CLEAR: return check_clear(checker, cmd, err);
    case GPU_BLIT: return blit_check(&checker->device, cmd, err);
    case GPU_COPY_REGION: return copy_check(&checker->device, cmd, err);
    default: return true;
    }
}

/* Returns the message without its position in the stream: the part after "DRAW at dword 9: ". */
static const char *
kind_of(const char *text)
{
    const char *at = strstr(text, " at dword "), *colon = at ? strstr(at, ": ") : NULL;
    return colon ? colon + 2 : text;
}

static void
warn_once(struct command_checker *checker, const struct error *err)
{
    const char *kind = kind_of(err->text);
    for (uint32_t i = 0; i < checker->refusal_count; i++)
        if (!strncmp(checker->refusals[i], kind, CHECKER_TEXT_BYTES - 1))
            return;
    if (checker->refusal_count == CHECKER_REFUSALS)
        return;
    snprintf(checker->refusals[checker->refusal_count++], CHECKER_TEXT_BYTES, "%.*s",
             CHECKER_TEXT_BYTES - 1, kind);
    checker->warnings++;
    log_warning("`aetius sim` will refuse frame %u: %s", checker->frame, err->text);
}

static bool
check_command(void *data, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes,
              struct error *err)
{
    struct command_checker *checker = data;
    struct error refused;
    if (!gpu_apply(&checker->device, cmd, err))
        return false;
    if (!check_work(checker, cmd, &refused))
        warn_once(checker, &refused);
    arena_reset(&checker->draws);
    return true;
}

static bool
command_checker_take(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
                     struct error *err)
{
    struct command_checker *checker = data;
    struct error refused;
    message_sink_share_listener(checker->inner, &checker->sink);
    if (!checker->ended &&
        !checker->executor.sink.take(checker->executor.sink.data, message, NULL, 0, &refused)) {
        checker->ended = true;
        checker->warnings++;
        log_warning("`aetius sim` will refuse frame %u: %s", checker->frame, refused.text);
    }
    checker->frame += message_ends_frame(message);
    return checker->inner->take(checker->inner->data, message, out, out_bytes, err);
}

bool
command_checker_init(struct command_checker *checker, struct message_sink *inner, struct error *err)
{
    memset(checker, 0, sizeof *checker);
    checker->sink = (struct message_sink){.data = checker, .take = command_checker_take};
    checker->inner = inner;
    if (!gpu_device_init(&checker->device, 1 << 20, err))
        return false;
    if (!gpu_memory_let_grow(&checker->device.memory, err)) {
        gpu_device_fini(&checker->device);
        return false;
    }
    const struct executor executor = {checker, &checker->device, check_command};
    executor_sink_init(&checker->executor, &executor);
    arena_init(&checker->draws);
    return true;
}

void
command_checker_fini(struct command_checker *checker)
{
    executor_sink_fini(&checker->executor);
    arena_fini(&checker->draws);
    gpu_device_fini(&checker->device);
}
