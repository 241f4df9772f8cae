/* aetius verify: renders a trace on the timed machine and on the functional renderer, side by side.
 * Compares every frame, every readback and every query result, bit for bit. Time queries are
 * excluded, because the functional renderer has no timing. */
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/plural.h"
#include "cmd/verify.h"
#include "sim/memory_need.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_verify(int argc, char **argv);

enum { TOLD_DIFFERENCES = 10 };

struct side {
    const char *name;
    struct simulation sim;
    struct executor_sink sink;
    uint8_t *out; /* buffer for the current readback */
    uint32_t capacity;
    VEC(uint8_t) results; /* query results that the current message wrote back */
    bool asks_time;       /* the next result is that of a time query */
    uint64_t times;       /* number of time query results so far */
};

/* The first texel that differs. */
struct first_difference {
    bool is_there, is_color; /* is_color: the difference is in color, so its draw can be found */
    bool is_found;           /* pixel.cause and pixel.draw are valid */
    struct wrong_pixel pixel;
    char text[320]; /* "frame 3, pixel 12,40: ..." */
};

struct verify {
    struct side sides[2]; /* functional, timed */
    uint64_t messages, frames, readbacks, results, differences;
    struct first_difference first;
};

static void
keep_result(void *listener, uint32_t client, uint32_t handle, uint32_t offset, const void *bytes,
            uint32_t size_bytes)
{
    struct side *side = listener;
    (void)client;
    (void)handle;
    (void)offset;
    side->times += side->asks_time;
    for (uint32_t i = 0; i < size_bytes && !side->asks_time; i++)
        VEC_PUSH(&side->results, ((const uint8_t *)bytes)[i]);
}

static bool
execute_side(void *data, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes,
             struct error *err)
{
    struct side *side = data;
    struct simulation *sim = &side->sim;
    if (cmd->op == GPU_GET_QUERY_RESULT) {
        const struct gpu_query *query = gpu_find_query(&sim->device, cmd, cmd->query_result.handle);
        side->asks_time =
            query && (query->type == QUERY_TIMESTAMP || query->type == QUERY_TIME_ELAPSED);
    }
    return sim->executor.execute(sim->executor.data, cmd, out, out_bytes, err);
}

static bool
side_init(struct side *side, const char *name, const struct params *params,
          const struct frame_set *timed, struct error *err)
{
    side->name = name;
    if (!simulation_init(&side->sim, params, timed, NULL, err))
        return false;
    const struct executor executor = {side, &side->sim.device, execute_side};
    executor_sink_init(&side->sink, &executor);
    side->sink.sink.write_back = keep_result;
    side->sink.sink.listener = side;
    return true;
}

static void
side_fini(struct side *side)
{
    if (!side->sink.decoder)
        return;
    executor_sink_fini(&side->sink);
    simulation_fini(&side->sim);
    free(side->out);
    VEC_FREE(&side->results);
}

static bool
side_take(struct side *side, const struct message *message, uint32_t *out_bytes, struct error *err)
{
    bool reads = message->kind == MESSAGE_GET || message_ends_frame(message);
    const struct resource *res =
        reads ? gpu_resource(&side->sim.device, message->client, message->transfer.handle) : NULL;
    *out_bytes = res && resource_box_ok(res, message->transfer.level, &message->transfer.box)
                     ? resource_box_bytes(res, &message->transfer.box)
                     : 0;
    if (*out_bytes > side->capacity) {
        side->capacity = *out_bytes;
        side->out = mem_realloc(side->out, side->capacity);
    }
    side->results.count = 0;
    return side->sink.sink.take(side->sink.sink.data, message, *out_bytes ? side->out : NULL,
                                *out_bytes, err) ||
           fail_prefix(err, "%s", side->name);
}

static void
compare_results(struct verify *v, const uint8_t *functional, const uint8_t *timed, uint32_t bytes)
{
    uint32_t off = 0;
    for (uint32_t i = 0; i < bytes; i++)
        off += functional[i] != timed[i];
    if (off && v->differences++ < TOLD_DIFFERENCES)
        log_note("query results up to %llu: %u of %u bytes differ", (unsigned long long)v->results,
                 off, bytes);
}

enum { TEXEL_TEXT = 64 };

/* Prints channels with enough digits to show the difference, or else bytes. */
static void
put_texels(char a_text[TEXEL_TEXT], char b_text[TEXEL_TEXT], const struct format_info *format,
           const uint8_t *a, const uint8_t *b)
{
    float x[4], y[4];
    *a_text = *b_text = '\0';
    for (int digits = 3; format_is_shown(format) && digits <= 9; digits += 3) {
        format->unpack(a, 0, 0, x);
        format->unpack(b, 0, 0, y);
        snprintf(a_text, TEXEL_TEXT, "%.*g,%.*g,%.*g,%.*g", digits, (double)x[0], digits,
                 (double)x[1], digits, (double)x[2], digits, (double)x[3]);
        snprintf(b_text, TEXEL_TEXT, "%.*g,%.*g,%.*g,%.*g", digits, (double)y[0], digits,
                 (double)y[1], digits, (double)y[2], digits, (double)y[3]);
        if (strcmp(a_text, b_text) != 0)
            return;
    }
    for (uint32_t i = 0; i < format->block_bytes; i++) {
        snprintf(a_text + 2 * i, TEXEL_TEXT - 2 * i, "%02x", a[i]);
        snprintf(b_text + 2 * i, TEXEL_TEXT - 2 * i, "%02x", b[i]);
    }
}

/* Describes the position of texel number `at` in the message's box, and both of its values. */
static void
describe_first(struct verify *v, const struct message *message, const struct resource *res,
               uint32_t at)
{
    struct first_difference *first = &v->first;
    const struct box *box = &message->transfer.box;
    const struct format_info *format = res->format;
    const uint32_t width = (uint32_t)box->width / format->block_width;
    const uint32_t height = (uint32_t)box->height / format->block_height;
    const size_t byte = (size_t)at * format->block_bytes;
    const uint8_t *functional = v->sides[0].out + byte, *timed = v->sides[1].out + byte;
    char right[TEXEL_TEXT], wrong[TEXEL_TEXT];
    first->is_there = true;
    first->is_color = format_is_shown(format) && res->desc.target != TARGET_BUFFER;
    first->pixel =
        (struct wrong_pixel){.message = v->messages,
                             .frame = (uint32_t)v->frames,
                             .level = message->transfer.level,
                             .layer = (uint32_t)box->z + at / (width * height),
                             .x = (uint32_t)box->x + at % width * format->block_width,
                             .y = (uint32_t)box->y + at / width % height * format->block_height};
    put_texels(right, wrong, format, functional, timed);
    snprintf(first->text, sizeof first->text, "%s %llu, pixel %u,%u: timed %s, functional %s",
             message_ends_frame(message) ? "frame" : "readback",
             (unsigned long long)(message_ends_frame(message) ? v->frames : v->readbacks),
             first->pixel.x, first->pixel.y, wrong, right);
}

/* Compares a frame or a readback. */
static void
compare_box(struct verify *v, const struct message *message, uint32_t bytes)
{
    struct side *f = &v->sides[0], *t = &v->sides[1];
    const struct resource *res =
        gpu_resource(&f->sim.device, message->client, message->transfer.handle);
    const bool is_frame = message_ends_frame(message);
    const uint32_t size = res ? res->format->block_bytes : 1, count = bytes / size;
    uint32_t off = 0, first = 0;
    for (uint32_t i = count; i-- > 0;)
        if (memcmp(f->out + (size_t)i * size, t->out + (size_t)i * size, size) != 0) {
            off++;
            first = i;
        }
    if (!off)
        return;
    if (v->differences++ < TOLD_DIFFERENCES)
        log_note("%s %llu: %u of %u %s differ", is_frame ? "frame" : "readback",
                 (unsigned long long)(is_frame ? v->frames : v->readbacks), off, count,
                 size == 1 ? "bytes" : "pixels");
    if (!v->first.is_there && res)
        describe_first(v, message, res, first);
}

/* Executes one message on both sides and compares the results. */
static bool
verify_take(struct verify *v, const struct message *message, struct error *err)
{
    uint32_t bytes[2];
    struct side *f = &v->sides[0], *t = &v->sides[1];
    if (!side_take(f, message, &bytes[0], err) || !side_take(t, message, &bytes[1], err))
        return false;
    if (bytes[0] != bytes[1] || f->results.count != t->results.count)
        return fail(err, "the timed and the functional GPU returned different sizes");
    if (bytes[0])
        compare_box(v, message, bytes[0]);
    v->frames += message_ends_frame(message);
    v->readbacks += bytes[0] && !message_ends_frame(message);
    v->messages++;
    if (f->results.count) {
        v->results += f->results.count / sizeof(struct gpu_query_record);
        compare_results(v, f->results.items, t->results.items, (uint32_t)f->results.count);
    }
    return true;
}

static bool
run(struct verify *v, struct trace_reader *reader, struct error *err)
{
    struct progress progress;
    bool ok = true, end = false;
    progress_begin(&progress, "verifying: frame", trace_frame_count(reader));
    while (ok) {
        struct message message;
        ok = interrupt_check(err) && trace_reader_next(reader, &message, &end, err);
        if (!ok || end)
            break;
        ok = verify_take(v, &message, err);
        progress_at(&progress, v->frames, NULL);
    }
    progress_end(&progress);
    return ok;
}

static void
add_first(cJSON *root, const struct verify *v)
{
    const struct wrong_pixel *pixel = &v->first.pixel;
    cJSON *first = cJSON_AddObjectToObject(root, "first_difference");
    cJSON_AddNumberToObject(first, "frame", pixel->frame);
    cJSON_AddNumberToObject(first, "x", pixel->x);
    cJSON_AddNumberToObject(first, "y", pixel->y);
    if (v->first.is_found && pixel->cause != WRONG_UNDRAWN)
        cJSON_AddNumberToObject(first, "draw", pixel->draw);
    else
        cJSON_AddNullToObject(first, "draw");
    cJSON_AddStringToObject(first, "text", v->first.text);
}

static void
print(const struct verify *v, bool json)
{
    if (!json) {
        printf("%llu frame%s, %llu readback%s, %llu query result%s: %llu differ",
               (unsigned long long)v->frames, plural(v->frames), (unsigned long long)v->readbacks,
               plural(v->readbacks), (unsigned long long)v->results, plural(v->results),
               (unsigned long long)v->differences);
        if (v->sides[1].times)
            printf("; not compared: %llu time %s", (unsigned long long)v->sides[1].times,
                   v->sides[1].times == 1 ? "query" : "queries");
        printf("\n");
        return;
    }
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "frames", (double)v->frames);
    cJSON_AddNumberToObject(root, "readbacks", (double)v->readbacks);
    cJSON_AddNumberToObject(root, "query_results", (double)v->results);
    cJSON_AddNumberToObject(root, "times_not_compared", (double)v->sides[1].times);
    cJSON_AddNumberToObject(root, "differences", (double)v->differences);
    if (v->first.is_there)
        add_first(root, v);
    print_json_tree(root);
}

/* Raises the budget to three times a requested memory size. Each side allocates one memory, and a
 * third remains for other use. */
static bool
init_sides(struct verify *v, const struct machine_options *machine, const struct params *params,
           struct budget *budget, struct error *err)
{
    const struct frame_set all = {0};
    const uint64_t asked =
        params->MEMORYCONTROLLER.MemoryGrows ? 0 : params->MEMORYCONTROLLER.MemorySize;
    if (!side_init(&v->sides[0], "functional", params, NULL, err) ||
        !side_init(&v->sides[1], "timed", params, &all, err))
        return false;
    simulation_warn(&v->sides[1].sim, machine_options_preset(machine), NULL);
    if (asked > budget->most_bytes / 3)
        budget->most_bytes = 3 * asked;
    gpu_device_limit(&v->sides[0].sim.device, budget);
    gpu_device_limit(&v->sides[1].sim.device, budget);
    return true;
}

/* Finds the draw that caused a different color by running both sides again. */
static void
add_draw(struct first_difference *first, const struct wrong_run *run)
{
    struct error err;
    if (!first->is_color)
        return;
    first->is_found = wrong_pixel_find(&first->pixel, run, &err);
    char *text = first->is_found ? wrong_pixel_text(&first->pixel)
                                 : mem_printf("cannot find the draw: %s", err.text);
    const size_t used = strlen(first->text);
    snprintf(first->text + used, sizeof first->text - used, "; %s", text);
    free(text);
}

bool
verify_trace(struct verify_options *options, const char *path, struct error *err)
{
    const struct frame_set all = {0};
    struct verify v = {0};
    struct params params;
    struct trace_reader *reader;
    if (!machine_options_apply(&options->machine, &params, err) ||
        !trace_reader_open_warn(&reader, path, err))
        return false;
    trace_reader_limit(reader, &options->budget);
    bool ok = init_sides(&v, &options->machine, &params, &options->budget, err);
    if (ok && options->prepare)
        options->prepare(options->data, &v.sides[1].sim);
    ok = ok && run(&v, reader, err);
    side_fini(&v.sides[0]);
    side_fini(&v.sides[1]);
    if (!ok)
        memory_need_explain(reader, &params, UINT32_MAX, err);
    trace_reader_limit(reader, NULL);
    if (ok && v.first.is_there)
        add_draw(&v.first, &(struct wrong_run){.reader = reader,
                                               .params = &params,
                                               .timed = &all,
                                               .prepare = options->prepare,
                                               .data = options->data});
    if (ok)
        print(&v, options->json);
    trace_reader_close(reader);
    return ok && (v.differences == 0 ||
                  fail(err,
                       v.first.is_there ? "%s: the timed machine differs, first in %s"
                                        : "%s: the timed machine differs",
                       path, v.first.text));
}

int
cmd_verify(int argc, char **argv)
{
    struct verify_options request = {.budget = {FILE_MEMORY_BYTES, 0, "--memory"}};
    const struct arg_option options[] = {
        MACHINE_OPTIONS(&request.machine),
        OPTION_MEMORY(&request.budget.most_bytes),
        OPTION_JSON(&request.json, "print the counts and the first difference as JSON"),
        {0},
    };
    const struct arg_spec spec = {
        "verify", "FILE [options]",
        "Renders a trace on the timed GPU and without timing, and compares every frame,\n"
        "readback and query result bit for bit, except time queries. Exits with 1 on a\n"
        "difference. For the first difference, prints the pixel, both values and the\n"
        "draw.",
        options, ONE_TRACE};
    struct args args;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    interrupt_watch();
    return conclude(verify_trace(&request, args.operands[0], &err), &err);
}
