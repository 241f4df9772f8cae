/* aetius info: what a trace holds. */
#include "base/log.h"
#include "cmd/options.h"
#include "trace/file.h"

#include <stdio.h>
#include <stdlib.h>

int cmd_info(int argc, char **argv);

static uint64_t
total_draws(const struct trace_reader *reader)
{
    uint64_t draws = 0;
    for (uint32_t i = 0; i < trace_frame_count(reader); i++)
        draws += trace_frame(reader, i)->draws;
    return draws;
}

/* The size of the first frame stands for the trace's; a frame tells its own. */
static struct trace_frame
first_frame(const struct trace_reader *reader)
{
    return trace_frame_count(reader) ? *trace_frame(reader, 0) : (struct trace_frame){0};
}

static void
add_frame(cJSON *list, const struct trace_reader *reader, uint32_t index)
{
    const struct trace_frame *f = trace_frame(reader, index);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "frame", index);
    cJSON_AddNumberToObject(o, "original_frame", (double)trace_first_frame(reader) + index);
    cJSON_AddNumberToObject(o, "client", f->client);
    cJSON_AddNumberToObject(o, "width", f->width);
    cJSON_AddNumberToObject(o, "height", f->height);
    cJSON_AddNumberToObject(o, "draws", f->draws);
    cJSON_AddNumberToObject(o, "messages", f->messages);
    cJSON_AddNumberToObject(o, "bytes", (double)f->packed_bytes);
    cJSON_AddItemToArray(list, o);
}

/* What the program was offered, against what this program offers. */
static void
add_caps(cJSON *o, const struct caps_v2 *caps)
{
    struct caps_v2 now;
    char text[32];
    caps_fill(&now);
    snprintf(text, sizeof text, "%08x", caps_digest(caps));
    cJSON *offered = cJSON_AddObjectToObject(o, "offered");
    cJSON_AddStringToObject(offered, "digest", text);
    cJSON_AddBoolToObject(offered, "current", caps_digest(caps) == caps_digest(&now));
    for (size_t i = 0; i < caps_field_count; i++) {
        caps_field_text(&caps_fields[i], caps, text, sizeof text);
        if (caps_fields[i].kind == CAPS_BITS)
            cJSON_AddStringToObject(offered, caps_fields[i].name, text);
        else
            cJSON_AddRawToObject(offered, caps_fields[i].name, text);
    }
}

static void
print_caps(const struct caps_v2 *caps)
{
    struct caps_v2 now;
    char then_text[32], now_text[32];
    caps_fill(&now);
    printf("offered: GLSL level %u, %u draw buffers, %u samples; capabilities %08x, ",
           caps->v1.glsl_level, caps->v1.max_render_targets, caps->v1.max_samples,
           caps_digest(caps));
    printf(caps_digest(caps) == caps_digest(&now) ? "as this aetius offers\n"
                                                  : "other than this aetius offers:\n");
    for (size_t i = 0; i < caps_field_count; i++) {
        if (!caps_field_differs(&caps_fields[i], caps, &now))
            continue;
        caps_field_text(&caps_fields[i], caps, then_text, sizeof then_text);
        caps_field_text(&caps_fields[i], &now, now_text, sizeof now_text);
        printf("    %s %s (now %s)\n", caps_fields[i].name, then_text, now_text);
    }
}

static void
print_json(const struct trace_reader *reader, const char *path, const char *warning, uint32_t first,
           uint32_t last)
{
    struct trace_frame one = first_frame(reader);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "file", path);
    cJSON_AddStringToObject(o, "program", trace_program(reader));
    cJSON_AddNumberToObject(o, "frames", trace_frame_count(reader));
    cJSON_AddNumberToObject(o, "first_frame", trace_first_frame(reader));
    cJSON_AddNumberToObject(o, "width", one.width);
    cJSON_AddNumberToObject(o, "height", one.height);
    cJSON_AddNumberToObject(o, "bytes", (double)trace_bytes(reader));
    cJSON_AddNumberToObject(o, "draws", (double)total_draws(reader));
    cJSON_AddNumberToObject(o, "messages_after_last_frame", trace_rest(reader)->messages);
    cJSON_AddBoolToObject(o, "whole", !*warning);
    add_caps(o, trace_caps(reader));
    cJSON *list = cJSON_AddArrayToObject(o, "per_frame");
    for (uint32_t i = first; i < last; i++)
        add_frame(list, reader, i);
    print_json_tree(o);
}

static void
print_text(const struct trace_reader *reader, const char *path, bool per_frame, uint32_t first,
           uint32_t last)
{
    struct trace_frame one = first_frame(reader);
    printf("%s: %s, %u frames of %ux%u, %llu draws, %llu bytes\n", path, trace_program(reader),
           trace_frame_count(reader), one.width, one.height,
           (unsigned long long)total_draws(reader), (unsigned long long)trace_bytes(reader));
    if (trace_first_frame(reader))
        printf("frame 0 is frame %u of the original\n", trace_first_frame(reader));
    if (trace_rest(reader)->messages)
        printf("after the last frame: %u messages, %u draws\n", trace_rest(reader)->messages,
               trace_rest(reader)->draws);
    print_caps(trace_caps(reader));
    for (uint32_t i = first; per_frame && i < last; i++) {
        const struct trace_frame *f = trace_frame(reader, i);
        printf("frame %u: client %u, %ux%u, %u draws, %u messages, %llu bytes\n", i, f->client,
               f->width, f->height, f->draws, f->messages, (unsigned long long)f->packed_bytes);
    }
}

int
cmd_info(int argc, char **argv)
{
    bool json = false;
    uint64_t frame = UINT64_MAX;
    const struct arg_option table[] = {
        OPTION_JSON(&json, "answer in JSON: all frames with their draws"),
        {"frame", 0, ARG_UINT, &frame, "N", "tell of this frame", false},
        {0},
    };
    const struct arg_spec spec = {"info", "FILE [--frame N] [--json]", "What a trace holds.", table,
                                  ONE_TRACE};
    struct args args;
    struct error err, warning;
    struct trace_reader *reader;
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (!trace_reader_open(&reader, args.operands[0], &warning, &err))
        return conclude(false, &err);
    if (warning.text[0])
        log_warning("%s", warning.text);
    uint32_t count = trace_frame_count(reader);
    bool one = frame != UINT64_MAX, ok = !one || frame < count;
    uint32_t first = one && ok ? (uint32_t)frame : 0, last = one ? first + 1 : count;
    if (!ok)
        fail(&err, "%s has %u frames", args.operands[0], count);
    else if (json)
        print_json(reader, args.operands[0], warning.text, first, last);
    else
        print_text(reader, args.operands[0], one, first, last);
    trace_reader_close(reader);
    return conclude(ok, &err);
}
