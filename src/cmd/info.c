/* aetius info: describes the contents of a trace. */
#include "base/handles.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/log.h"
#include "base/plural.h"
#include "base/wrap.h"
#include "cmd/options.h"
#include "base/schema.h"
#include "report/draw/describe_command.h"
#include "report/draw/describe_draw.h"
#include "sim/inspect.h"
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

/* The first frame. Its size is shown as the size of the trace, although frames may differ in
 * size. */
static struct trace_frame
first_frame(const struct trace_reader *reader)
{
    return trace_frame_count(reader) ? *trace_frame(reader, 0) : (struct trace_frame){0};
}

/* The list of draws for --draws. */
struct draw_list {
    bool wanted;
    struct inspection inspection;
    cJSON **frames; /* JSON list per frame; NULL: print as text */
    uint32_t first, last;
    struct text_table table; /* draws of `frame` that are not printed yet */
    uint32_t frame;          /* frame of the draws in `table` */
};

static bool
list_draw(void *data, const struct functional *renderer, const struct draw *draw, struct error *err)
{
    struct draw_list *list = data;
    const uint32_t frame = renderer->device->frame;
    (void)err;
    if (frame < list->first || frame >= list->last)
        return true;
    if (list->frames) {
        cJSON_AddItemToArray(list->frames[frame - list->first], describe_json(draw));
        return true;
    }
    if (list->frame != frame)
        text_table_put(&list->table, TEXT_TABLE_TEXT, stdout);
    list->frame = frame;
    if (!text_table_rows(&list->table)) {
        text_table_line(&list->table, "frame %u", frame);
        text_table_cells(&list->table, "draw|hash|vertex|fragment|"
                                       "primitive and vertices  target  state  textures");
        text_table_end_row(&list->table);
    }
    describe_row(draw, &list->table);
    return true;
}

static bool
list_draws(struct draw_list *list, struct trace_reader *reader, struct error *err)
{
    struct frame_set *frames = &list->inspection.frames;
    if (list->first == list->last)
        return true;
    frames->count = 1;
    frames->ranges[0].first = list->first;
    frames->ranges[0].last = list->last - 1;
    list->inspection.watch = (struct draw_watch){.data = list, .before = list_draw};
    const bool ok = inspect_draws(&list->inspection, reader, err);
    text_table_put(&list->table, TEXT_TABLE_TEXT, stdout);
    return ok;
}

/* The list of commands for --commands, printed command by command, since a trace may have more than
 * fits into memory. */
struct command_list {
    uint32_t first, last; /* frames; commands after the last frame have its number + 1 */
    bool json;
    uint64_t printed;
    uint32_t frame, draw; /* frame of the previous command; next draw in it */
    /* For each client, a handle map of its buffers. A view does not contain the target of its
     * resource. */
    struct handle_map clients;
};

static void
free_buffers(void *buffers)
{
    handle_map_fini(buffers);
    free(buffers);
}

/* Notes the creation of buffers. Returns whether the command creates a view of one. */
static bool
note_buffers(struct command_list *list, const struct gpu_cmd *cmd)
{
    struct handle_map *buffers = handle_map_make(&list->clients, cmd->client, sizeof *buffers);
    switch (cmd->op) {
    case GPU_RESOURCE_CREATE:
        if (cmd->resource.target == TARGET_BUFFER)
            handle_map_put(buffers, cmd->resource.handle, buffers);
        return false;
    case GPU_RESOURCE_UNREF: handle_map_remove(buffers, cmd->unref.handle); return false;
    case GPU_CREATE_OBJECT:
        return cmd->create.type == OBJECT_SAMPLER_VIEW &&
               handle_map_get(buffers, cmd->create.view.resource);
    case GPU_CLIENT_END: free_buffers(handle_map_remove(&list->clients, cmd->client)); return false;
    default: return false;
    }
}

/* Draws without vertices have no number, as in `aetius show`. */
static bool
is_draw(const struct gpu_cmd *cmd)
{
    return cmd->op == GPU_DRAW && cmd->draw.count && cmd->draw.instance_count;
}

static void
print_command_json(const struct command_list *list, const struct gpu_cmd *cmd,
                   const char *arguments)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "frame", list->frame);
    if (is_draw(cmd))
        cJSON_AddNumberToObject(o, "draw", list->draw);
    cJSON_AddNumberToObject(o, "client", cmd->client);
    cJSON_AddStringToObject(o, "command", gpu_op_name(cmd->op));
    cJSON_AddStringToObject(o, "arguments", arguments);
    cJSON_AddNumberToObject(o, "bytes", cmd->trace_bytes);
    fputs(list->printed ? ",\n" : "\n", stdout);
    json_put(o, stdout);
}

enum { FOLLOWING_LINES = 8 }; /* indent of an argument's next lines on a narrow terminal */

/* Prints the last column of a line that contains `column` characters, wrapped to the width. */
static void
print_arguments(int column, const char *text)
{
    const uint32_t width = line_width(stdout), at = column > 0 ? (uint32_t)column : 0;
    print_wrapped_at(stdout, width, at, 2, width < 2 * (at + 2) ? FOLLOWING_LINES : at + 2, text);
    putchar('\n');
}

static void
print_command(const struct command_list *list, const struct gpu_cmd *cmd, const char *arguments)
{
    char draw[16] = "";
    if (is_draw(cmd))
        snprintf(draw, sizeof draw, "%u", list->draw);
    if (!list->printed)
        print_arguments(printf("frame  draw  client  command                   bytes"),
                        "arguments");
    print_arguments(printf("%5u  %4s  %6u  %-20s  %9u", list->frame, draw, cmd->client,
                           gpu_op_name(cmd->op), cmd->trace_bytes),
                    arguments);
}

static bool
list_command(void *data, uint32_t frame, const struct gpu_cmd *cmd)
{
    struct command_list *list = data;
    if (frame != list->frame)
        list->draw = 0;
    list->frame = frame;
    const bool of_buffer = note_buffers(list, cmd);
    if (frame >= list->first && frame <= list->last) {
        char *arguments = describe_arguments(cmd, of_buffer);
        if (list->json)
            print_command_json(list, cmd, arguments);
        else
            print_command(list, cmd, arguments);
        list->printed++;
        free(arguments);
    }
    list->draw += is_draw(cmd);
    return frame <= list->last;
}

static bool
list_commands(struct command_list *list, struct trace_reader *reader, struct budget *budget,
              struct error *err)
{
    trace_reader_limit(reader, budget);
    if (list->json)
        printf("{\"schema\":%d,\"commands\":[", AETIUS_SCHEMA);
    const bool ok = inspect_commands(reader, list_command, list, err);
    handle_map_fini_with(&list->clients, free_buffers);
    if (!ok)
        return fail_at(err, "frame %u", list->frame);
    if (list->json)
        puts("\n]}");
    return true;
}

static void
add_frame(cJSON *list, const struct trace_reader *reader, uint32_t index, cJSON **draws)
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
    if (draws)
        *draws = cJSON_AddArrayToObject(o, "draw_list");
    cJSON_AddItemToArray(list, o);
}

/* Adds the capabilities that were offered to the program, compared with those of this version. */
static void
add_caps(cJSON *o, const struct caps_v2 *caps)
{
    struct caps_v2 now;
    enum gl_offer offer;
    char text[32];
    caps_find_offer(caps, &offer);
    caps_fill(&now, offer);
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
    enum gl_offer offer;
    char then_text[32], now_text[32];
    caps_find_offer(caps, &offer);
    caps_fill(&now, offer);
    print_wrapped(stdout, line_width(stdout), 0, 2,
                  "offered: GLSL level %u, %u draw buffer%s, %u sample%s; capabilities %08x, %s",
                  caps->v1.glsl_level, caps->v1.max_render_targets,
                  plural(caps->v1.max_render_targets), caps->v1.max_samples,
                  plural(caps->v1.max_samples), caps_digest(caps),
                  caps_digest(caps) == caps_digest(&now) ? "same as this aetius"
                                                         : "different from this aetius:");
    for (size_t i = 0; i < caps_field_count; i++) {
        if (!caps_field_differs(&caps_fields[i], caps, &now))
            continue;
        caps_field_text(&caps_fields[i], caps, then_text, sizeof then_text);
        caps_field_text(&caps_fields[i], &now, now_text, sizeof now_text);
        printf("    %s %s (now %s)\n", caps_fields[i].name, then_text, now_text);
    }
}

static bool
print_info_json(struct trace_reader *reader, const char *path, struct draw_list *draws,
                struct error *err)
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
    cJSON_AddBoolToObject(o, "whole", !*trace_damage(reader));
    add_caps(o, trace_caps(reader));
    cJSON *list = cJSON_AddArrayToObject(o, "per_frame");
    if (draws->wanted)
        draws->frames = mem_array(draws->last - draws->first + 1, sizeof(cJSON *));
    for (uint32_t i = draws->first; i < draws->last; i++)
        add_frame(list, reader, i, draws->frames ? &draws->frames[i - draws->first] : NULL);
    const bool ok = !draws->wanted || list_draws(draws, reader, err);
    free(draws->frames);
    if (ok)
        print_json_tree(o);
    else
        cJSON_Delete(o);
    return ok;
}

static void
print_info_text(const struct trace_reader *reader, const char *path, bool per_frame, uint32_t first,
                uint32_t last)
{
    struct trace_frame one = first_frame(reader);
    const uint32_t frames = trace_frame_count(reader);
    const unsigned long long draws = total_draws(reader);
    print_wrapped(stdout, line_width(stdout), 0, 2,
                  "%s: %s, %u frame%s of %ux%u, %llu draw%s, %llu bytes", path,
                  trace_program(reader), frames, plural(frames), one.width, one.height, draws,
                  plural(draws), (unsigned long long)trace_bytes(reader));
    if (trace_first_frame(reader))
        printf("frame 0 is frame %u of the original\n", trace_first_frame(reader));
    if (trace_rest(reader)->messages)
        printf("after the last frame: %u message%s, %u draw%s\n", trace_rest(reader)->messages,
               plural(trace_rest(reader)->messages), trace_rest(reader)->draws,
               plural(trace_rest(reader)->draws));
    print_caps(trace_caps(reader));
    for (uint32_t i = first; per_frame && i < last; i++) {
        const struct trace_frame *f = trace_frame(reader, i);
        printf("frame %u: client %u, %ux%u, %u draw%s, %u message%s, %llu bytes\n", i, f->client,
               f->width, f->height, f->draws, plural(f->draws), f->messages, plural(f->messages),
               (unsigned long long)f->packed_bytes);
    }
}

int
cmd_info(int argc, char **argv)
{
    bool json = false, commands = false;
    uint64_t frame = UINT64_MAX;
    struct draw_list draws = {.inspection.budget = {FILE_MEMORY_BYTES, 0, "--memory"}};
    const struct arg_option table[] = {
        {"draws", 0, ARG_FLAG, &draws.wanted, NULL,
         "list the draws: hash, programs, primitive and vertices, target, state, textures", false},
        {"commands", 0, ARG_FLAG, &commands, NULL,
         "list the commands: frame, draw, client, command, bytes before compression, arguments",
         false},
        OPTION_JSON(&json, "print JSON: all frames with their draw counts"),
        OPTION_MEMORY(&draws.inspection.budget.most_bytes),
        {"frame", 0, ARG_UINT, &frame, "N", "describe this frame", false},
        {0},
    };
    const struct arg_spec spec = {
        "info", "FILE [--draws | --commands] [--frame N] [--json]",
        "Describes a trace. --draws renders its frames without timing. --commands renders\n"
        "nothing. Its draws have the numbers of --draws, unless a render condition or\n"
        "other state suppresses a draw of the frame. Commands after the last frame have\n"
        "the next frame number.",
        table, ONE_TRACE};
    struct args args;
    struct error err;
    struct trace_reader *reader;
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (commands && draws.wanted)
        return args_usage_error(&spec, "--commands and --draws cannot be combined");
    interrupt_watch();
    if (!trace_reader_open_warn(&reader, args.operands[0], &err))
        return conclude(false, &err);
    const uint32_t count = trace_frame_count(reader);
    const bool one = frame != UINT64_MAX;
    uint32_t first = frame < UINT32_MAX ? (uint32_t)frame : UINT32_MAX;
    bool ok =
        !one || frame_locate(&first, trace_first_frame(reader), count, args.operands[0], &err);
    draws.first = one && ok ? first : 0;
    draws.last = one ? draws.first + 1 : count;
    struct command_list list = {
        .first = draws.first, .last = one ? draws.first : UINT32_MAX, .json = json};
    if (ok && commands)
        ok = list_commands(&list, reader, &draws.inspection.budget, &err);
    else if (ok && json)
        ok = print_info_json(reader, args.operands[0], &draws, &err);
    else if (ok && draws.wanted)
        ok = list_draws(&draws, reader, &err);
    else if (ok)
        print_info_text(reader, args.operands[0], one, draws.first, draws.last);
    trace_reader_close(reader);
    return conclude(ok, &err);
}
