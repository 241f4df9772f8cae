/* One client connection of the virtual GPU: reads vtest messages, keeps the client's resources, and
 * converts commands to messages for the sink (docs/design/frontend.md, Socket).
 *
 * The client owns its descriptor, its resources and their mappings. It also owns the bytes of a
 * message, which are valid only while the sink processes the message. The buffers for input and
 * payload are freed after a large message.
 *
 * An error ends the connection, and the caller reports it. Errors are violations of the protocol,
 * rejection by the sink, lack of shared memory, and a client that does not read its replies for
 * ANSWER_SECONDS. */
#include "trace/virgl/vtest/vtest_client.h"

#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "trace/virgl/vtest/caps.h"
#include "trace/virgl/vtest/fd_message.h"
#include "trace/virgl/vtest/guest.h"
#include "base/handles.h"
#include "trace/virgl/vtest/vtest_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define DIRECT_MIN_BYTES (1u << 18)
enum { ANSWER_SECONDS = 10, TURN_MS = 100 };

struct shared_resource {
    struct resource_desc desc;
    struct guest_layout layout;
    uint8_t *mapping; /* NULL if there is no shared memory */
    uint32_t mapping_bytes;
};

struct vtest_client {
    int fd;
    uint32_t number;
    struct message_sink *sink;
    enum gl_offer offer;
    char name[256];
    bool begun;
    struct handle_map resources;
    VEC(uint8_t) input;
    VEC(uint32_t) payload; /* aligned copy of the current message's payload */
    VEC(uint8_t) rows;     /* rows of the current transfer */

    /* Rule for swaps: a GET of a display target is a swap if a BUSY_WAIT on the target directly
     * follows it, and none directly precedes it. A GET without a preceding wait is therefore held
     * until the next message. A wait that completes a GET does not count as preceding the next
     * GET. */
    uint32_t waited; /* handle if the last message was a BUSY_WAIT; otherwise 0 */
    uint32_t read;   /* handle if the last message was a GET; otherwise 0 */
    struct message held;
    uint32_t held_offset;
    bool holds;
};

struct vtest_client *
vtest_client_create(int fd, uint32_t number, enum gl_offer offer, struct message_sink *sink)
{
    struct vtest_client *client = mem_alloc(sizeof *client);
    client->fd = fd;
    client->number = number;
    client->offer = offer;
    client->sink = sink;
    return client;
}

static void
free_resource(void *data)
{
    struct shared_resource *resource = data;
    if (resource->mapping)
        munmap(resource->mapping, resource->mapping_bytes);
    free(resource);
}

static bool
pass_to_sink(struct vtest_client *client, const struct message *message, struct error *err)
{
    return client->sink->take(client->sink->data, message, NULL, 0, err);
}

bool
vtest_client_destroy(struct vtest_client *client, struct error *err)
{
    struct message end = {.kind = MESSAGE_CLIENT_END, .client = client->number};
    bool ok = !client->begun || pass_to_sink(client, &end, err);
    handle_map_fini_with(&client->resources, free_resource);
    VEC_FREE(&client->input);
    VEC_FREE(&client->payload);
    VEC_FREE(&client->rows);
    close(client->fd);
    free(client);
    return ok;
}

int
vtest_client_fd(const struct vtest_client *client)
{
    return client->fd;
}

uint32_t
vtest_client_number(const struct vtest_client *client)
{
    return client->number;
}

void
vtest_client_write_back(struct vtest_client *client, uint32_t handle, uint32_t offset,
                        const void *bytes, uint32_t size_bytes)
{
    struct shared_resource *resource = handle_map_get(&client->resources, handle);
    if (resource && resource->mapping && offset <= resource->mapping_bytes &&
        size_bytes <= resource->mapping_bytes - offset)
        memcpy(resource->mapping + offset, bytes, size_bytes);
}

/* Waits until the client can receive more of its reply, at most until `until` (wall_seconds()). A
 * client that does not read must not block the others. Polls in short intervals, because a signal
 * may arrive just before poll(). */
static bool
await_room(const struct vtest_client *client, double until, struct error *err)
{
    struct pollfd polled = {.fd = client->fd, .events = POLLOUT};
    if (errno != EINTR && errno != EAGAIN)
        return fail(err, "it does not read replies: %s", strerror(errno));
    while (wall_seconds() < until && interrupt_check(err))
        if (poll(&polled, 1, TURN_MS) > 0)
            return true;
    return interrupt_check(err) && fail(err, "it does not read replies");
}

static bool
reply(struct vtest_client *client, uint32_t length, uint32_t command, const void *bytes,
      size_t size, struct error *err)
{
    uint8_t packet[VTEST_HEADER_BYTES + sizeof(struct caps_v2)];
    size_t total = VTEST_HEADER_BYTES + size;
    memcpy(packet, &length, 4);
    memcpy(packet + 4, &command, 4);
    if (size)
        memcpy(packet + VTEST_HEADER_BYTES, bytes, size);
    const double until = wall_seconds() + ANSWER_SECONDS;
    for (size_t done = 0; done < total;) {
        ssize_t n = send(client->fd, packet + done, total - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && !await_room(client, until, err))
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool
send_memory(struct vtest_client *client, int memory, struct error *err)
{
    struct fd_message message;
    fd_message_init(&message);
    struct cmsghdr *c = CMSG_FIRSTHDR(&message.header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof memory);
    memcpy(CMSG_DATA(c), &memory, sizeof memory);
    const double until = wall_seconds() + ANSWER_SECONDS;
    while (sendmsg(client->fd, &message.header, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
        if (!await_room(client, until, err))
            return false;
    return true;
}

/* Shares memory with the client. The memfd is sealed against shrinking, because a client that
 * truncates it would crash this process. */
static bool
share_memory(struct vtest_client *client, struct shared_resource *resource, uint32_t bytes,
             struct error *err)
{
    int fd = memfd_create("aetius-resource", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return fail(err, "cannot create shared memory: %s", strerror(errno));
    bool ok = !ftruncate(fd, bytes) && !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL);
    void *mapping = ok ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (mapping == MAP_FAILED) {
        fail(err, "cannot allocate %u bytes of shared memory: %s", bytes, strerror(errno));
        close(fd);
        return false;
    }
    resource->mapping = mapping;
    resource->mapping_bytes = bytes;
    ok = send_memory(client, fd, err);
    close(fd);
    return ok;
}

static bool
do_create(struct vtest_client *client, const uint32_t *p, struct error *err)
{
    uint32_t bytes = p[VTEST_CREATE_MEMORY_BYTES];
    struct resource_desc desc;
    struct guest_layout layout;
    /* the values need no conversion, see numbers.h */
    memcpy(&desc, p + VTEST_CREATE_DESC, sizeof desc);
    if (desc.handle == 0 || handle_map_get(&client->resources, desc.handle))
        return fail(err, "the handle %u is in use", desc.handle);
    if (!guest_layout_init(&layout, &desc, err))
        return false;
    if (bytes && (bytes < layout.size_bytes || bytes > RESOURCE_MOST_BYTES))
        return fail(err, "resource %u requests %u bytes of memory, but needs %u", desc.handle,
                    bytes, layout.size_bytes);
    struct shared_resource *resource = mem_alloc(sizeof *resource);
    resource->desc = desc;
    resource->layout = layout;
    handle_map_put(&client->resources, desc.handle, resource);
    struct message message = {
        .kind = MESSAGE_RESOURCE_CREATE, .client = client->number, .resource = desc};
    return pass_to_sink(client, &message, err) &&
           (bytes == 0 || share_memory(client, resource, bytes, err));
}

static bool
do_unref(struct vtest_client *client, uint32_t handle, struct error *err)
{
    struct shared_resource *resource = handle_map_remove(&client->resources, handle);
    if (!resource)
        return fail(err, "resource %u does not exist", handle);
    struct message message = {
        .kind = MESSAGE_RESOURCE_UNREF, .client = client->number, .resource = resource->desc};
    free_resource(resource);
    return pass_to_sink(client, &message, err);
}

/* Clips the box of a transfer to its level. Returns false if the result is empty. */
static bool
cut_transfer(struct vtest_client *client, struct message *message, uint32_t *offset)
{
    const struct shared_resource *resource =
        handle_map_get(&client->resources, message->transfer.handle);
    return !resource || guest_cut_box(&resource->layout, message->transfer.level,
                                      &message->transfer.box, offset);
}

/* Finds the resource and the region of a GET2 or PUT2. The client chooses the offset in memory,
 * which determines the position of the rows in partial and whole swaps. */
static struct shared_resource *
find_region(struct vtest_client *client, const struct message *message, uint32_t offset,
            struct guest_region *region, struct error *err)
{
    uint32_t handle = message->transfer.handle;
    struct shared_resource *resource = handle_map_get(&client->resources, handle);
    if (!resource || !resource->mapping) {
        fail(err, "resource %u does not exist or has no memory", handle);
        return NULL;
    }
    if (!guest_region_init(region, &resource->layout, message->transfer.level,
                           &message->transfer.box, err)) {
        fail_prefix(err, "resource %u", handle);
        return NULL;
    }
    region->offset = offset;
    if (!guest_region_fits(region, resource->mapping_bytes)) {
        fail(err, "the box at offset %u is outside resource %u's memory of %u bytes", offset,
             handle, resource->mapping_bytes);
        return NULL;
    }
    return resource;
}

static struct message
transfer_message(const struct vtest_client *client, enum message_kind kind, const uint32_t *p)
{
    struct message message = {.kind = kind, .client = client->number};
    message.transfer.handle = p[VTEST_TRANSFER_HANDLE];
    message.transfer.level = p[VTEST_TRANSFER_LEVEL];
    memcpy(&message.transfer.box, p + VTEST_TRANSFER_BOX, sizeof message.transfer.box);
    return message;
}

static bool
do_put(struct vtest_client *client, const uint32_t *p, struct error *err)
{
    struct message message = transfer_message(client, MESSAGE_PUT, p);
    struct guest_region region;
    uint32_t offset = p[VTEST_TRANSFER_OFFSET];
    if (!cut_transfer(client, &message, &offset))
        return true;
    struct shared_resource *resource = find_region(client, &message, offset, &region, err);
    if (!resource)
        return false;
    /* Large data is not copied, because the client does not change it before it gets a reply. */
    if (region.tight_bytes >= DIRECT_MIN_BYTES && guest_region_is_tight(&region)) {
        message.bytes = resource->mapping + region.offset;
    } else {
        VEC_RESERVE(&client->rows, region.tight_bytes);
        guest_gather(&region, resource->mapping, client->rows.items);
        message.bytes = client->rows.items;
    }
    message.size_bytes = region.tight_bytes;
    return pass_to_sink(client, &message, err);
}

static bool
read_rows(struct vtest_client *client, const struct message *message, uint32_t offset,
          struct error *err)
{
    struct guest_region region;
    struct shared_resource *resource = find_region(client, message, offset, &region, err);
    if (!resource)
        return false;
    VEC_RESERVE(&client->rows, region.tight_bytes);
    if (!client->sink->take(client->sink->data, message, client->rows.items, region.tight_bytes,
                            err))
        return false;
    guest_scatter(&region, client->rows.items, resource->mapping);
    return true;
}

static bool
do_get(struct vtest_client *client, const uint32_t *p, struct error *err)
{
    struct message message = transfer_message(client, MESSAGE_GET, p);
    const uint32_t handle = message.transfer.handle;
    struct shared_resource *resource = handle_map_get(&client->resources, handle);
    bool display = resource && resource_is_display(&resource->desc);
    uint32_t offset = p[VTEST_TRANSFER_OFFSET];
    if (!cut_transfer(client, &message, &offset))
        return true;
    client->holds = display && client->waited != handle;
    if (!client->holds)
        return read_rows(client, &message, offset, err);
    client->held = message;
    client->held_offset = offset;
    return true;
}

/* Executes the held GET. The next message has shown whether it is a swap. */
static bool
release_held(struct vtest_client *client, bool is_swap, struct error *err)
{
    if (!client->holds)
        return true;
    client->holds = false;
    client->held.kind = is_swap ? MESSAGE_SWAP : MESSAGE_GET;
    return read_rows(client, &client->held, client->held_offset, err);
}

static bool
do_version(struct vtest_client *client, uint32_t version, struct error *err)
{
    if (version < VTEST_PROTOCOL)
        return fail(err, "its Mesa speaks version %u of the protocol; version 2 is needed",
                    version);
    uint32_t ours = VTEST_PROTOCOL;
    return reply(client, VTEST_VERSION_DWORDS, VTEST_VERSION, &ours, sizeof ours, err);
}

static bool
do_caps(struct vtest_client *client, uint32_t command, struct error *err)
{
    struct caps_v2 caps;
    caps_fill(&caps, client->offer);
    bool second = command == VTEST_GET_CAPS2;
    uint32_t size = second ? sizeof caps : sizeof caps.v1;
    return reply(client, size + 1, second ? 2 : 1, &caps, size, err);
}

static bool
do_begin(struct vtest_client *client, uint32_t size, struct error *err)
{
    const uint8_t *name = (const uint8_t *)client->payload.items;
    if (client->begun)
        return fail(err, "the connection already has a renderer");
    size_t n = strnlen((const char *)name, size);
    if (n >= sizeof client->name)
        n = sizeof client->name - 1;
    memcpy(client->name, name, n);
    client->begun = true;
    struct message message = {.kind = MESSAGE_CLIENT_BEGIN,
                              .client = client->number,
                              .bytes = (const uint8_t *)client->name,
                              .size_bytes = (uint32_t)n};
    return pass_to_sink(client, &message, err);
}

static bool
do_submit(struct vtest_client *client, uint32_t dwords, struct error *err)
{
    struct message message = {.kind = MESSAGE_SUBMIT,
                              .client = client->number,
                              .bytes = (const uint8_t *)client->payload.items,
                              .size_bytes = dwords * 4};
    return pass_to_sink(client, &message, err);
}

static bool
execute_request(struct vtest_client *client, uint32_t command, uint32_t length, struct error *err)
{
    const uint32_t *p = client->payload.items;
    uint32_t idle = 0;
    switch (command) {
    case VTEST_CREATE_RENDERER: return do_begin(client, length, err);
    case VTEST_PING: return reply(client, 0, VTEST_PING, NULL, 0, err);
    case VTEST_VERSION: return do_version(client, p[VTEST_VERSION_NUMBER], err);
    case VTEST_GET_CAPS:
    case VTEST_GET_CAPS2: return do_caps(client, command, err);
    case VTEST_CREATE2: return do_create(client, p, err);
    case VTEST_UNREF: return do_unref(client, p[VTEST_UNREF_HANDLE], err);
    case VTEST_SUBMIT: return do_submit(client, length, err);
    case VTEST_PUT2: return do_put(client, p, err);
    case VTEST_GET2: return do_get(client, p, err);
    /* Messages are executed in order, so all earlier work is complete here. */
    case VTEST_BUSY_WAIT: return reply(client, 1, VTEST_BUSY_WAIT, &idle, sizeof idle, err);
    default: return fail(err, "protocol version 2 does not have this command");
    }
}

static const char *
command_name(uint32_t command)
{
    static const char *const names[] = {
        [VTEST_GET_CAPS] = "GET_CAPS",
        [VTEST_CREATE] = "RESOURCE_CREATE",
        [VTEST_UNREF] = "RESOURCE_UNREF",
        [VTEST_GET] = "TRANSFER_GET",
        [VTEST_PUT] = "TRANSFER_PUT",
        [VTEST_SUBMIT] = "SUBMIT_CMD",
        [VTEST_BUSY_WAIT] = "RESOURCE_BUSY_WAIT",
        [VTEST_CREATE_RENDERER] = "CREATE_RENDERER",
        [VTEST_GET_CAPS2] = "GET_CAPS2",
        [VTEST_PING] = "PING_PROTOCOL_VERSION",
        [VTEST_VERSION] = "PROTOCOL_VERSION",
        [VTEST_CREATE2] = "RESOURCE_CREATE2",
        [VTEST_GET2] = "TRANSFER_GET2",
        [VTEST_PUT2] = "TRANSFER_PUT2",
    };
    bool known = command < sizeof names / sizeof names[0] && names[command];
    return known ? names[command] : "an unknown command";
}

/* Stores the size of the payload after a header in *bytes. */
static bool
payload_bytes(uint32_t command, uint32_t length, uint32_t *bytes, struct error *err)
{
    uint32_t wanted = 0;
    switch (command) {
    case VTEST_CREATE_RENDERER:
        if (length > VTEST_NAME_MAX)
            return fail(err, "a name of %u bytes is too long", length);
        *bytes = length;
        return true;
    case VTEST_SUBMIT:
        if (length > VTEST_SUBMIT_MAX_DWORDS)
            return fail(err, "%u dwords exceed %u", length, VTEST_SUBMIT_MAX_DWORDS);
        *bytes = length * 4;
        return true;
    case VTEST_GET_CAPS:
    case VTEST_GET_CAPS2:
    case VTEST_PING: wanted = 0; break;
    case VTEST_UNREF: wanted = VTEST_UNREF_DWORDS; break;
    case VTEST_BUSY_WAIT: wanted = VTEST_BUSY_WAIT_DWORDS; break;
    case VTEST_VERSION: wanted = VTEST_VERSION_DWORDS; break;
    case VTEST_CREATE2: wanted = VTEST_CREATE2_DWORDS; break;
    case VTEST_GET2: wanted = VTEST_TRANSFER2_DWORDS; break;
    case VTEST_PUT2: wanted = length = VTEST_TRANSFER2_DWORDS; break;
    case VTEST_CREATE:
    case VTEST_GET:
    case VTEST_PUT: return fail(err, "it belongs to protocol version 0; version 2 is needed");
    default: return fail(err, "its number is %u", command);
    }
    if (length != wanted)
        return fail(err, "it has %u dwords instead of %u", length, wanted);
    *bytes = wanted * 4;
    return true;
}

/* Applies the rule for swaps to a new message: determines whether a held GET is a swap, and records
 * waits. */
static bool
follow_waits(struct vtest_client *client, uint32_t command, struct error *err)
{
    const uint32_t *p = client->payload.items;
    const uint32_t waited = command == VTEST_BUSY_WAIT ? p[VTEST_WAIT_HANDLE] : 0;
    bool completes = waited && waited == client->read;
    bool is_swap = client->holds && completes && p[VTEST_WAIT_FLAGS] & VTEST_WAIT_FLAG;
    if (!release_held(client, is_swap, err))
        return false;
    if (command != VTEST_GET2)
        client->waited = completes ? 0 : waited;
    return true;
}

static bool
handle_message(struct vtest_client *client, uint32_t command, uint32_t length, const uint8_t *bytes,
               uint32_t size, struct error *err)
{
    VEC_RESERVE(&client->payload, size / 4 + 1);
    memcpy(client->payload.items, bytes, size);
    bool first = command == VTEST_CREATE_RENDERER || command == VTEST_PING ||
                 command == VTEST_VERSION || command == VTEST_BUSY_WAIT;
    if (!client->begun && !first)
        return fail(err, "it was sent before CREATE_RENDERER");
    if (!follow_waits(client, command, err) || !execute_request(client, command, length, err))
        return false;
    client->read = command == VTEST_GET2 ? client->payload.items[0] : 0;
    if (command == VTEST_GET2)
        client->waited = 0;
    return true;
}

/* Frees buffers that a large message has enlarged. */
static void
free_large(struct vtest_client *client)
{
    enum { LARGE = 1 << 20 };
    if (client->input.capacity > LARGE)
        VEC_FREE(&client->input);
    if (client->payload.capacity * sizeof *client->payload.items > LARGE)
        VEC_FREE(&client->payload);
}

static bool
handle_input(struct vtest_client *client, struct error *err)
{
    size_t at = 0;
    bool ok = true;
    while (ok && !interrupt_pending() && client->input.count - at >= VTEST_HEADER_BYTES) {
        uint32_t header[2], size = 0;
        memcpy(header, client->input.items + at, sizeof header);
        ok = payload_bytes(header[1], header[0], &size, err);
        if (ok && client->input.count - at - VTEST_HEADER_BYTES < size)
            break;
        ok = ok && handle_message(client, header[1], header[0],
                                  client->input.items + at + VTEST_HEADER_BYTES, size, err);
        if (!ok)
            fail_prefix(err, "client %u (%s): %s", client->number, client->name,
                        command_name(header[1]));
        at += VTEST_HEADER_BYTES + size;
    }
    if (ok) {
        client->input.count -= at;
        memmove(client->input.items, client->input.items + at, client->input.count);
        if (client->input.count == 0)
            free_large(client);
    }
    return ok;
}

size_t
vtest_client_waiting_bytes(const struct vtest_client *client)
{
    return client->input.count;
}

enum vtest_client_state
vtest_client_serve(struct vtest_client *client, struct error *err)
{
    enum { STEP = 1 << 16 };
    VEC_RESERVE(&client->input, client->input.count + STEP);
    size_t room = client->input.capacity - client->input.count;
    ssize_t n = recv(client->fd, client->input.items + client->input.count, room, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return VTEST_CLIENT_GOES_ON;
    if (n < 0 && errno != ECONNRESET) {
        fail(err, "client %u (%s): %s", client->number, client->name, strerror(errno));
        return VTEST_CLIENT_BROKEN;
    }
    if (n <= 0)
        return VTEST_CLIENT_LEFT;
    client->input.count += (size_t)n;
    return handle_input(client, err) ? VTEST_CLIENT_GOES_ON : VTEST_CLIENT_BROKEN;
}
