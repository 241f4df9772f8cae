/* The timeline for Perfetto. The wire format is tested with the examples of its documentation.
 * protoc decodes the file of the tiny trace, and the test compares the result with the statistics
 * of the same run. */
#include "rigs/needs.h"
#include "rigs/tiny_run.h"

#include "base/protobuf.h"
#include "report/timeline/perfetto.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAX_TRACKS = 4096, MAX_TRACK_NAME = 64, MAX_FLOWS = 60000, TEXT_BYTES = 1 << 16 };

struct track {
    char name[MAX_TRACK_NAME];
    uint64_t parent;
    uint64_t begins, ends, cycles, last_ns; /* of slices; last_ns is the time of the latest event */
    uint64_t values, largest;               /* of a counter */
    bool open;
};

struct flow { /* a slice of a flow */
    uint64_t id, track, ns;
    bool ends;
};

struct decoded {
    struct track tracks[MAX_TRACKS]; /* array index is the uuid */
    struct flow flows[MAX_FLOWS];
    uint32_t flow_count;
    uint64_t packets, unknown;
    /* fields of the packet that is being read */
    uint64_t timestamp, uuid, parent, type, value, number, fact, flow, last_of_flow;
    char name[MAX_TRACK_NAME];
    bool is_descriptor;
};

static void
assert_bytes(struct proto *out, const char *bytes, size_t count)
{
    assert_int_equal(out->count, count);
    assert_memory_equal(out->items, bytes, count);
    out->count = 0;
}

/* Expected bytes: the three messages of https://protobuf.dev/programming-guides/encoding, and its
 * varint of 300. */
static void
wire_format(void **state)
{
    (void)state;
    struct proto out = {0};
    proto_uint(&out, 1, 150);
    assert_bytes(&out, "\x08\x96\x01", 3);
    proto_text(&out, 2, "testing");
    assert_bytes(&out, "\x12\x07testing", 9);
    const size_t begin = proto_begin(&out, 3);
    proto_uint(&out, 1, 150);
    proto_end(&out, begin);
    assert_bytes(&out, "\x1a\x03\x08\x96\x01", 5);
    proto_uint(&out, 1, 300);
    assert_bytes(&out, "\x08\xac\x02", 3);
    proto_fixed64(&out, 1, 0x0102030405060708); /* wire type 1: eight bytes, little-endian */
    assert_bytes(&out, "\x09\x08\x07\x06\x05\x04\x03\x02\x01", 9);
    /* a message of 300 bytes: its length takes two bytes, so the content moves */
    char text[298];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    const size_t large = proto_begin(&out, 3);
    proto_text(&out, 2, text); /* 1 + 2 + 297 bytes */
    proto_end(&out, large);
    assert_int_equal(out.count, 1 + 2 + 300);
    assert_memory_equal(out.items, "\x1a\xac\x02\x12\xa9\x02x", 7);
    proto_uint(&out, 1, UINT64_MAX);
    assert_memory_equal(out.items + 303, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
    VEC_FREE(&out);
}

/* Takes an event. Slices of a track must neither nest nor overlap. */
static void
take_event(struct decoded *d)
{
    struct track *track = &d->tracks[d->uuid];
    assert_true(track->name[0] != '\0'); /* a packet before this one described the track */
    assert_true(d->timestamp >= track->last_ns);
    track->last_ns = d->timestamp;
    if (d->type == 4) {
        track->values++;
        if (d->value > track->largest)
            track->largest = d->value;
        return;
    }
    assert_int_equal(track->open, d->type == 2);
    track->open = d->type == 1;
    track->begins += d->type == 1;
    track->ends += d->type == 2;
    track->cycles += d->type == 1 ? d->number : 0;
    if (d->flow || d->last_of_flow) {
        assert_true(d->flow_count < MAX_FLOWS);
        d->flows[d->flow_count++] = (struct flow){d->flow ? d->flow : d->last_of_flow, d->uuid,
                                                  d->timestamp, d->last_of_flow != 0};
    }
}

static void
take_packet(struct decoded *d)
{
    assert_true(d->uuid < MAX_TRACKS);
    if (d->is_descriptor) {
        snprintf(d->tracks[d->uuid].name, MAX_TRACK_NAME, "%s", d->name);
        d->tracks[d->uuid].parent = d->parent;
    } else if (d->type) {
        take_event(d);
    }
    d->packets++;
    d->timestamp = d->uuid = d->parent = d->type = d->value = d->number = d->fact = d->flow =
        d->last_of_flow = 0;
    d->is_descriptor = false;
}

static bool
number_of(const char *line, const char *field, uint64_t *value)
{
    const size_t length = strlen(field);
    if (strncmp(line, field, length) || line[length] != ':')
        return false;
    *value = strtoull(line + length + 1, NULL, 10);
    return true;
}

/* Takes a line of the text that protoc prints. A field that is not in the schema begins with its
 * number. */
static void
take_line(struct decoded *d, const char *line)
{
    if (line[0] == '}')
        take_packet(d);
    line += strspn(line, " ");
    d->unknown += *line >= '0' && *line <= '9';
    d->is_descriptor |= !strncmp(line, "track_descriptor", 16);
    if (sscanf(line, "name: \"%63[^\"]", d->name) == 1)
        return;
    if (number_of(line, "timestamp", &d->timestamp) || number_of(line, "uuid", &d->uuid) ||
        number_of(line, "track_uuid", &d->uuid) || number_of(line, "parent_uuid", &d->parent) ||
        number_of(line, "counter_value", &d->value) || number_of(line, "name_iid", &d->fact) ||
        number_of(line, "flow_ids", &d->flow) ||
        number_of(line, "terminating_flow_ids", &d->last_of_flow))
        return;
    if (d->fact == 2) /* the fact is "cycles" */
        number_of(line, "uint_value", &d->number);
    d->type = strstr(line, "TYPE_SLICE_BEGIN") ? 1
              : strstr(line, "TYPE_SLICE_END") ? 2
              : strstr(line, "TYPE_COUNTER")   ? 4
                                               : d->type;
}

static void
decode(struct decoded *d, const char *path)
{
    static char line[TEXT_BYTES];
    snprintf(line, sizeof line,
             "protoc --proto_path=" AETIUS_SOURCE_DIR "/tests --decode=Trace perfetto.proto <%s",
             path);
    FILE *text = popen(line, "r");
    assert_non_null(text);
    while (fgets(line, sizeof line, text))
        take_line(d, line);
    assert_int_equal(pclose(text), 0);
}

/* Returns the sum over all tracks of this name. */
static struct track
sum_of(const struct decoded *d, const char *name)
{
    struct track sum = {0};
    for (uint32_t i = 0; i < MAX_TRACKS; i++) {
        const struct track *track = &d->tracks[i];
        if (strcmp(track->name, name))
            continue;
        sum.begins += track->begins;
        sum.ends += track->ends;
        sum.cycles += track->cycles;
        sum.values += track->values;
    }
    return sum;
}

struct asked {
    char path[64];
    struct perfetto *perfetto;
    bool items; /* of all cycles */
};

static void
begin(struct tiny_run *run)
{
    struct asked *asked = run->data;
    struct error err;
    asked->perfetto = perfetto_create(asked->path, &run->sim, &err);
    assert_non_null(asked->perfetto);
    if (asked->items)
        perfetto_show_items(asked->perfetto, 0, UINT64_MAX);
}

static uint64_t
total(const struct tiny_run *run, const char *name)
{
    uint64_t all = 0, sum = 0;
    for (uint32_t i = 0; i < run->frame_count; i++) {
        assert_true(stat_set_sum(&run->sim.machine->stats, run->frame[i].values, name, &sum));
        all += sum;
    }
    return all;
}

static void
compare(const struct decoded *d, const struct tiny_run *run)
{
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < run->frame_count; i++)
        cycles += run->frame[i].cycles;
    const uint64_t draws = total(run, "cmdproc.draws");
    const struct track frames = sum_of(d, "frames"), work = sum_of(d, "work");
    assert_int_equal(frames.begins, run->frame_count);
    assert_int_equal(frames.cycles, cycles);
    assert_int_equal(work.cycles, cycles); /* each cycle belongs to one row of work */
    assert_true(work.begins > draws);
    /* every draw passes through these units, and each unit has one slice per draw */
    static const char *const units[] = {"cmdproc", "streamer", "primasm", "clipper",
                                        "setup",   "fraggen",  "hz",      "sched"};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const struct track unit = sum_of(d, units[i]);
        assert_int_equal(unit.begins, draws);
        assert_int_equal(unit.ends, draws);
    }
    assert_true(sum_of(d, "color").values > 1 && sum_of(d, "texunit hits").values > 1);
    assert_true(sum_of(d, "level1").values > 1 && sum_of(d, "level7").values > 1);
    for (uint32_t i = 0; i < MAX_TRACKS; i++) {
        const struct track *track = &d->tracks[i];
        assert_false(track->open);
        const char *parent = d->tracks[track->parent].name;
        if (track->parent && (!strcmp(parent, "queues") || !strcmp(parent, "levels")))
            assert_in_range(track->largest, 0, 100);
    }
}

static void
protoc_reads_it(void **state)
{
    (void)state;
    static struct decoded decoded;
    struct asked asked = {.path = "/tmp/aetius-perfetto-XXXXXX"};
    struct tiny_run plain, run;
    struct error err;
    needs_program("protoc");
    close(mkstemp(asked.path));
    tiny_init(&plain);
    plain.params.RASTERIZER.Generator = GENERATOR_seven_level;
    tiny_go(&plain, false);
    tiny_init(&run);
    run.params = plain.params;
    run.data = &asked;
    run.prepare = begin;
    tiny_go(&run, true);
    assert_true(plain.ok && run.ok);
    assert_true(perfetto_destroy(asked.perfetto, &err));
    decode(&decoded, asked.path);
    assert_int_equal(decoded.unknown, 0);
    compare(&decoded, &run);
    /* the listener does not change the statistics */
    for (uint32_t i = 0; i < plain.frame_count; i++)
        assert_memory_equal(plain.frame[i].values, run.frame[i].values,
                            run.values_count * sizeof(uint64_t));
    unlink(asked.path);
    simulation_fini(&run.sim);
    tiny_fini(&plain);
    tiny_fini(&run);
}

/* Whether the flow has a slice in a queue of this name that begins before `ns`. */
static bool
was_in(const struct decoded *d, const struct flow *flow, const char *queue, uint64_t ns)
{
    const size_t length = strlen(queue);
    for (uint32_t i = 0; i < d->flow_count; i++) {
        const struct flow *other = &d->flows[i];
        const char *name = d->tracks[other->track].name;
        if (other->id == flow->id && other->ns < ns && !strncmp(name, queue, length) &&
            (name[length] == '\0' || name[length] == '['))
            return true;
    }
    return false;
}

static uint32_t
run_with_items(struct tiny_run *run, struct decoded *d, uint32_t last_frame)
{
    struct asked asked = {.path = "/tmp/aetius-perfetto-XXXXXX", .items = true};
    struct error err;
    uint32_t items = 0;
    memset(d, 0, sizeof *d);
    close(mkstemp(asked.path));
    tiny_init(run);
    assert_true(frame_set_parse(&run->frames, last_frame ? "0-1" : "0", &err));
    run->data = &asked;
    run->prepare = begin;
    tiny_go(run, true);
    assert_true(run->ok);
    assert_true(perfetto_destroy(asked.perfetto, &err));
    decode(d, asked.path);
    assert_int_equal(d->unknown, 0);
    unlink(asked.path);
    for (uint32_t i = 0; i < MAX_TRACKS; i++)
        if (!strcmp(d->tracks[d->tracks[i].parent].name, "items"))
            items += (uint32_t)d->tracks[i].begins;
    return items;
}

/* Each item that left a queue has a slice on the track of the queue. For each queue, the machine
 * determines which queue its items were in before (docs/design/machine.md). */
static void
items_are_flows(void **state)
{
    static const char *const before[][2] = {
        {"clipped", "primitives"},
        {"triangles", "clipped"},

        {"shaded_quads", "interpolated_quads"},
        {"finished_groups", "groups"},
        {"texels", "texture_requests"},
        {"dac_memory_replies", "dac_memory_requests"},
        {"color_memory_replies", "color_memory_requests"},
    };
    static struct decoded d;
    struct tiny_run run;
    (void)state;
    needs_program("protoc");
    const uint32_t items = run_with_items(&run, &d, 0);
    const struct clock *clock = &run.sim.machine->clock;
    uint64_t all = 0;
    for (uint32_t i = 0; i < clock->queue_count; i++) {
        const struct queue *queue = clock->queues[i];
        uint64_t begins = 0;
        for (uint32_t t = 0; t < MAX_TRACKS; t++)
            if (!strcmp(d.tracks[t].name, queue->name) &&
                !strcmp(d.tracks[d.tracks[t].parent].name, "items"))
                begins += d.tracks[t].begins;
        assert_int_equal(begins, queue->items_out);
        all += begins;
    }
    assert_int_equal(items, all);
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        uint32_t seen = 0;
        for (uint32_t f = 0; f < d.flow_count; f++) {
            const struct flow *flow = &d.flows[f];
            const char *name = d.tracks[flow->track].name;
            if (strcspn(name, "[") != strlen(before[i][0]) ||
                strncmp(name, before[i][0], strlen(before[i][0])) != 0)
                continue;
            seen++;
            if (!was_in(&d, flow, before[i][1], flow->ns))
                fail_msg("%s: no flow from %s", name, before[i][1]);
            assert_int_equal(flow->ends, strstr(name, "replies") || strstr(name, "texels"));
        }
        assert_true(seen > 0);
    }
    simulation_fini(&run.sim);
    tiny_fini(&run);
}

static void
items_are_limited(void **state)
{
    static struct decoded d;
    struct tiny_run run;
    (void)state;
    needs_program("protoc");
    assert_int_equal(run_with_items(&run, &d, 1), PERFETTO_MOST_ITEMS);
    simulation_fini(&run.sim);
    tiny_fini(&run);
}

/* The file appears under its name only when it is complete, and not at all if it cannot be
 * completed. */
static void
whole_or_none(void **state)
{
    (void)state;
    struct asked asked = {.path = "/tmp/aetius-perfetto-XXXXXX"};
    struct tiny_run run;
    struct error err = {""};
    close(mkstemp(asked.path));
    unlink(asked.path);
    tiny_init(&run);
    run.data = &asked;
    run.prepare = begin;
    tiny_go(&run, true);
    assert_int_not_equal(access(asked.path, F_OK), 0);
    assert_true(perfetto_destroy(asked.perfetto, &err));
    assert_int_equal(access(asked.path, F_OK), 0);
    unlink(asked.path);
    assert_null(perfetto_create("/nowhere/run.pftrace", &run.sim, &err));
    assert_non_null(strstr(err.text, "/nowhere/run.pftrace"));
    simulation_fini(&run.sim);
    tiny_fini(&run);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wire_format),     cmocka_unit_test(protoc_reads_it),
        cmocka_unit_test(items_are_flows), cmocka_unit_test(items_are_limited),
        cmocka_unit_test(whole_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
