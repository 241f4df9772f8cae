#include "report/timeline/perfetto_packets.h"

#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Field numbers of Perfetto's .proto files. */
enum { TRACE_PACKET = 1 };
enum trace_packet {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE_ID = 10, /* trusted_packet_sequence_id */
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TRACK_DESCRIPTOR = 60,
};
enum sequence_flags { INCREMENTAL_STATE_CLEARED = 1, NEEDS_INCREMENTAL_STATE = 2 };
enum track_event { EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_NAME = 10, EVENT_TRACK = 11 };
enum { EVENT_COUNTER_VALUE = 30, EVENT_FLOW = 47, EVENT_LAST_OF_FLOW = 48 };
enum event_type { TYPE_SLICE_BEGIN = 1, TYPE_SLICE_END = 2, TYPE_COUNTER = 4 };
enum debug_annotation { ANNOTATION_NAME_IID = 1, ANNOTATION_UINT = 3, ANNOTATION_TEXT = 6 };
enum { ANNOTATION_NAME = 10 };
enum interned_data { INTERNED_EVENT_NAME = 2, INTERNED_ANNOTATION_NAME = 3 };
enum interned { INTERNED_IID = 1, INTERNED_NAME = 2 };
enum track_descriptor {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_CHILD_ORDERING = 11,
    TRACK_RANK = 12, /* sibling_order_rank */
};
enum { ORDERING_EXPLICIT = 3, COUNTER_UNIT_NAME = 6 };

/* Interned names of the annotations that every slice has. */
enum { ANNOTATION_CYCLE = 1, ANNOTATION_CYCLES };

static size_t
begin_packet(struct packets *packets, uint32_t flags)
{
    packets->out.count = 0;
    const size_t packet = proto_begin(&packets->out, TRACE_PACKET);
    proto_uint(&packets->out, PACKET_SEQUENCE_ID, 1);
    proto_uint(&packets->out, PACKET_SEQUENCE_FLAGS, flags);
    return packet;
}

static void
end_packet(struct packets *packets, size_t packet)
{
    proto_end(&packets->out, packet);
    fwrite(packets->out.items, 1, packets->out.count, packets->file);
}

static void
put_interned(struct packets *packets, enum interned_data field, uint64_t iid, const char *name)
{
    const size_t interned = proto_begin(&packets->out, field);
    proto_uint(&packets->out, INTERNED_IID, iid);
    proto_text(&packets->out, INTERNED_NAME, name);
    proto_end(&packets->out, interned);
}

bool
packets_open(struct packets *packets, const char *path, uint32_t mhz, struct error *err)
{
    *packets = (struct packets){.mhz = mhz};
    packets->part = file_is_device(path) ? mem_strdup(path) : mem_printf("%s.part", path);
    packets->file = file_create_named(packets->part, err);
    if (!packets->file) {
        free(packets->part);
        return false;
    }
    packets->path = mem_strdup(path);
    const size_t packet = begin_packet(packets, INCREMENTAL_STATE_CLEARED);
    const size_t data = proto_begin(&packets->out, PACKET_INTERNED_DATA);
    put_interned(packets, INTERNED_ANNOTATION_NAME, ANNOTATION_CYCLE, "cycle of the frame");
    put_interned(packets, INTERNED_ANNOTATION_NAME, ANNOTATION_CYCLES, "cycles");
    proto_end(&packets->out, data);
    end_packet(packets, packet);
    return true;
}

bool
packets_close(struct packets *packets, struct error *err)
{
    bool ok = !ferror(packets->file);
    ok = fclose(packets->file) == 0 && ok;
    const bool is_part = strcmp(packets->part, packets->path) != 0;
    ok = ok && (!is_part || rename(packets->part, packets->path) == 0);
    if (!ok) {
        fail(err, "cannot write %s: %s", packets->path, strerror(errno));
        if (is_part)
            unlink(packets->part);
    }
    free(packets->part);
    free(packets->path);
    VEC_FREE(&packets->out);
    return ok;
}

uint64_t
packets_track(struct packets *packets, uint64_t parent, const char *name, const char *unit)
{
    struct proto *out = &packets->out;
    const size_t packet = begin_packet(packets, NEEDS_INCREMENTAL_STATE);
    const size_t track = proto_begin(out, PACKET_TRACK_DESCRIPTOR);
    proto_uint(out, TRACK_UUID, ++packets->tracks);
    proto_text(out, TRACK_NAME, name);
    if (parent)
        proto_uint(out, TRACK_PARENT, parent);
    if (unit) {
        const size_t counter = proto_begin(out, TRACK_COUNTER);
        proto_text(out, COUNTER_UNIT_NAME, unit);
        proto_end(out, counter);
    }
    proto_uint(out, TRACK_CHILD_ORDERING, ORDERING_EXPLICIT);
    proto_uint(out, TRACK_RANK, packets->tracks);
    proto_end(out, track);
    end_packet(packets, packet);
    return packets->tracks;
}

uint64_t
packets_name(struct packets *packets, const char *name)
{
    const size_t packet = begin_packet(packets, NEEDS_INCREMENTAL_STATE);
    const size_t data = proto_begin(&packets->out, PACKET_INTERNED_DATA);
    put_interned(packets, INTERNED_EVENT_NAME, ++packets->names, name);
    proto_end(&packets->out, data);
    end_packet(packets, packet);
    return packets->names;
}

uint64_t
packets_lane(struct packets *packets, struct packets_lanes *lanes, uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < lanes->lanes.count; i++) {
        struct packets_lane *lane = &lanes->lanes.items[i];
        if (lane->free > from)
            continue;
        lane->free = to;
        return lane->track;
    }
    const struct packets_lane lane = {packets_track(packets, lanes->parent, lanes->name, NULL), to};
    VEC_PUSH(&lanes->lanes, lane);
    return lane.track;
}

/* Start of a cycle in nanoseconds, rounded down. */
static uint64_t
time_of(const struct packets *packets, uint64_t cycle)
{
    return cycle / packets->mhz * 1000 + cycle % packets->mhz * 1000 / packets->mhz;
}

/* Begins an event. The caller ends it. */
static size_t
begin_event(struct packets *packets, uint64_t track, enum event_type type, uint64_t cycle)
{
    proto_uint(&packets->out, PACKET_TIMESTAMP, time_of(packets, cycle));
    const size_t event = proto_begin(&packets->out, PACKET_TRACK_EVENT);
    proto_uint(&packets->out, EVENT_TYPE, type);
    proto_uint(&packets->out, EVENT_TRACK, track);
    return event;
}

static void
put_number(struct packets *packets, uint64_t name, uint64_t value)
{
    const size_t annotation = proto_begin(&packets->out, EVENT_ANNOTATION);
    proto_uint(&packets->out, ANNOTATION_NAME_IID, name);
    proto_uint(&packets->out, ANNOTATION_UINT, value);
    proto_end(&packets->out, annotation);
}

static void
put_fact(struct packets *packets, const struct packets_fact *fact)
{
    const size_t annotation = proto_begin(&packets->out, EVENT_ANNOTATION);
    proto_text(&packets->out, ANNOTATION_NAME, fact->name);
    if (fact->value)
        proto_text(&packets->out, ANNOTATION_TEXT, fact->value);
    else
        proto_uint(&packets->out, ANNOTATION_UINT, fact->number);
    proto_end(&packets->out, annotation);
}

void
packets_slice(struct packets *packets, uint64_t track, uint64_t name, uint64_t from, uint64_t to,
              const struct packets_fact *facts, uint32_t count, struct packets_flow flow)
{
    size_t packet = begin_packet(packets, NEEDS_INCREMENTAL_STATE);
    size_t event = begin_event(packets, track, TYPE_SLICE_BEGIN, from);
    proto_uint(&packets->out, EVENT_NAME, name);
    put_number(packets, ANNOTATION_CYCLE, from - packets->frame_start);
    put_number(packets, ANNOTATION_CYCLES, to - from);
    for (uint32_t i = 0; i < count; i++)
        put_fact(packets, &facts[i]);
    if (flow.id)
        proto_fixed64(&packets->out, flow.ends ? EVENT_LAST_OF_FLOW : EVENT_FLOW, flow.id);
    proto_end(&packets->out, event);
    end_packet(packets, packet);
    packet = begin_packet(packets, NEEDS_INCREMENTAL_STATE);
    event = begin_event(packets, track, TYPE_SLICE_END, to);
    proto_end(&packets->out, event);
    end_packet(packets, packet);
}

void
packets_counter(struct packets *packets, uint64_t track, uint64_t cycle, uint64_t value)
{
    const size_t packet = begin_packet(packets, NEEDS_INCREMENTAL_STATE);
    const size_t event = begin_event(packets, track, TYPE_COUNTER, cycle);
    proto_uint(&packets->out, EVENT_COUNTER_VALUE, value);
    proto_end(&packets->out, event);
    end_packet(packets, packet);
}
