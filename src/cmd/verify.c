/* aetius verify: draws a trace on the timed machine and functionally, side by side, and compares
 * every frame, every readback and every query result, bit for bit. Queries of time are left out:
 * one of the two has none. */
#include "base/log.h"
#include "base/mem.h"
#include "cmd/options.h"
#include "sim/memory_need.h"
#include "sim/simulation.h"
#include "trace/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_verify(int argc, char **argv);

enum { TOLD_DIFFERENCES = 10 };

struct side {
    const char *name;
    struct simulation sim;
    struct executor_sink sink;
    uint8_t *out; /* of the readback in hand */
    uint32_t capacity;
    VEC(uint8_t) results; /* query results that the message in hand wrote back */
    bool asks_time;       /* the next one is of time */
    uint64_t times;       /* of these, so far */
};

struct verify {
    struct side sides[2]; /* functional, timed */
    uint64_t frames, readbacks, results, differences;
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
execute(void *data, const struct gpu_cmd *cmd, uint8_t *out, uint32_t out_bytes, struct error *err)
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
    const struct executor executor = {side, &side->sim.device, execute};
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
compare_bytes(struct verify *v, const char *what, uint64_t number, const uint8_t *a,
              const uint8_t *b, uint32_t bytes)
{
    uint32_t off = 0;
    for (uint32_t i = 0; i < bytes; i++)
        off += a[i] != b[i];
    if (off && v->differences++ < TOLD_DIFFERENCES)
        log_note("%s %llu: %u of %u bytes differ", what, (unsigned long long)number, off, bytes);
}

/* One message on both sides, and what came back. */
static bool
take(struct verify *v, const struct message *message, struct error *err)
{
    uint32_t bytes[2];
    struct side *f = &v->sides[0], *t = &v->sides[1];
    if (!side_take(f, message, &bytes[0], err) || !side_take(t, message, &bytes[1], err))
        return false;
    if (bytes[0] != bytes[1] || f->results.count != t->results.count)
        return fail(err, "the two sides answered with different sizes");
    if (message_ends_frame(message))
        compare_bytes(v, "frame", v->frames++, f->out, t->out, bytes[0]);
    else if (bytes[0])
        compare_bytes(v, "readback", v->readbacks++, f->out, t->out, bytes[0]);
    if (f->results.count) {
        v->results += f->results.count / sizeof(struct gpu_query_record);
        compare_bytes(v, "query results up to", v->results, f->results.items, t->results.items,
                      (uint32_t)f->results.count);
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
        ok = trace_reader_next(reader, &message, &end, err);
        if (!ok || end)
            break;
        ok = take(v, &message, err);
        progress_at(&progress, v->frames, NULL);
    }
    progress_end(&progress);
    return ok;
}

static void
print(const struct verify *v, bool json)
{
    if (!json) {
        printf("%llu frames, %llu readbacks, %llu query results: %llu differ",
               (unsigned long long)v->frames, (unsigned long long)v->readbacks,
               (unsigned long long)v->results, (unsigned long long)v->differences);
        if (v->sides[1].times)
            printf("; not compared: %llu of time", (unsigned long long)v->sides[1].times);
        printf("\n");
        return;
    }
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "frames", (double)v->frames);
    cJSON_AddNumberToObject(root, "readbacks", (double)v->readbacks);
    cJSON_AddNumberToObject(root, "query_results", (double)v->results);
    cJSON_AddNumberToObject(root, "times_not_compared", (double)v->sides[1].times);
    cJSON_AddNumberToObject(root, "differences", (double)v->differences);
    print_json_tree(root);
}

/* A memory whose size was asked for is there besides what the functional side needs of it. */
static bool
init_sides(struct verify *v, const struct params *params, struct budget *budget, struct error *err)
{
    const struct frame_set all = {0};
    const uint64_t asked =
        params->MEMORYCONTROLLER.MemoryGrows ? 0 : params->MEMORYCONTROLLER.MemorySize;
    if (!side_init(&v->sides[0], "functional", params, NULL, err) ||
        !side_init(&v->sides[1], "timed", params, &all, err))
        return false;
    if (asked > budget->most_bytes / 3)
        budget->most_bytes = 3 * asked;
    gpu_device_limit(&v->sides[0].sim.device, budget);
    gpu_device_limit(&v->sides[1].sim.device, budget);
    return true;
}

static bool
verify(const char *path, const struct machine_options *machine, struct budget *budget, bool json,
       struct error *err)
{
    struct verify v = {0};
    struct params params;
    struct trace_reader *reader;
    struct error warning = {""};
    if (!machine_options_apply(machine, &params, err) ||
        !trace_reader_open(&reader, path, &warning, err))
        return false;
    if (*warning.text)
        log_warning("%s", warning.text);
    trace_reader_limit(reader, budget);
    const bool ok = init_sides(&v, &params, budget, err) && run(&v, reader, err);
    if (ok)
        print(&v, json);
    side_fini(&v.sides[0]);
    side_fini(&v.sides[1]);
    if (!ok)
        memory_need_tell(reader, &params, UINT32_MAX, err);
    trace_reader_close(reader);
    return ok && (v.differences == 0 || fail(err, "%s: the timed machine differs", path));
}

int
cmd_verify(int argc, char **argv)
{
    struct machine_options machine = {0};
    bool json = false;
    struct budget budget = {FILE_MEMORY_BYTES, 0, "--memory"};
    const struct arg_option options[] = {
        MACHINE_OPTIONS(&machine),
        OPTION_MEMORY(&budget.most_bytes),
        OPTION_JSON(&json, "counts as JSON"),
        {0},
    };
    const struct arg_spec spec = {
        "verify", "FILE [options]",
        "Draws a trace on the timed machine and functionally, side by side, and compares every\n"
        "frame, every readback and every query result but those of time, bit for bit. Exit 1 when\n"
        "one differs.",
        options, ONE_TRACE};
    struct args args;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    return conclude(verify(args.operands[0], &machine, &budget, json, &err), &err);
}
