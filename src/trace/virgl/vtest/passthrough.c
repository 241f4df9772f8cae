/* Message sink that forwards to virgl_test_server (docs/design/reference.md, virgl_test_server).
 * The server forks for each connection, so that clients have separate handles. With --multi-clients
 * all connections would share the handles.
 *
 * The pass-through owns the server process, its private folder, and for each client a connection
 * and mappings. If the connection breaks, the error includes the last line of the server's log. */
#include "trace/virgl/vtest/passthrough.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/subprocess.h"
#include "trace/virgl/vtest/guest.h"
#include "base/handles.h"
#include "trace/virgl/vtest/private_folder.h"
#include "trace/virgl/packets.h"
#include "trace/virgl/submit.h"
#include "trace/virgl/vtest/vtest_protocol.h"
#include "trace/virgl/vtest/vtest_wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct far_resource {
    struct guest_layout layout;
    uint8_t *mapping;
    /* Range of PUT2s that the server may not have read yet. Valid only while `answers` equals
     * unread_since. */
    uint32_t unread_from, unread_to;
    uint64_t unread_since;
};

struct far_query {
    uint32_t resource, offset;
};

struct far_client {
    int fd;
    /* Number of replies requested so far. Each reply proves that the server has executed all
     * earlier commands. */
    uint64_t answers;
    struct handle_map resources, queries;
};

struct passthrough {
    struct message_sink sink;
    struct private_folder folder;
    char *socket, *log;
    struct subprocess server;
    bool single_sampled; /* the driver supports only one sample per pixel */
    struct handle_map clients;
};

static void
free_resource(void *data)
{
    struct far_resource *resource = data;
    if (resource->mapping)
        munmap(resource->mapping, resource->layout.size_bytes);
    free(resource);
}

static void
free_client(void *data)
{
    struct far_client *client = data;
    handle_map_fini_with(&client->resources, free_resource);
    handle_map_fini_with(&client->queries, free);
    close(client->fd);
    free(client);
}

static bool
begin_client(struct passthrough *passthrough, const struct message *message, struct error *err)
{
    char name[64];
    if (handle_map_get(&passthrough->clients, message->client))
        return fail(err, "client %u is already connected", message->client);
    uint32_t n = message->size_bytes < sizeof name ? message->size_bytes : sizeof name - 1;
    memcpy(name, message->bytes, n);
    name[n] = '\0';
    int fd = wire_connect(passthrough->socket, name, err);
    if (fd < 0)
        return false;
    struct far_client *client = mem_alloc(sizeof *client);
    client->fd = fd;
    handle_map_put(&passthrough->clients, message->client, client);
    return true;
}

static bool
create_resource(const struct passthrough *passthrough, struct far_client *client,
                const struct message *message, struct error *err)
{
    if (passthrough->single_sampled && message->resource.samples > 1)
        return fail(err,
                    "softpipe has one sample per pixel, but resource %u requires %u: use "
                    "--reference=llvmpipe (4 samples), or `replay --single-sampled`",
                    message->resource.handle, message->resource.samples);
    const uint32_t handle = message->resource.handle;
    if (handle_map_get(&client->resources, handle))
        return fail(err, "resource %u already exists", handle);
    struct far_resource *resource = mem_alloc(sizeof *resource);
    if (!guest_layout_init(&resource->layout, &message->resource, err)) {
        free(resource);
        return false;
    }
    handle_map_put(&client->resources, handle, resource);
    return wire_create(client->fd, &message->resource, resource->layout.size_bytes,
                       &resource->mapping, err) ||
           fail_prefix(err, "resource %u of format %s", handle, resource->layout.format->name);
}

static bool
unref_resource(struct far_client *client, uint32_t handle, struct error *err)
{
    struct far_resource *resource = handle_map_remove(&client->resources, handle);
    if (!resource)
        return fail(err, "resource %u does not exist", handle);
    free_resource(resource);
    return wire_unref(client->fd, handle, err);
}

static struct far_resource *
find_region(struct far_client *client, const struct message *message, struct guest_region *region,
            struct error *err)
{
    uint32_t handle = message->transfer.handle;
    struct far_resource *resource = handle_map_get(&client->resources, handle);
    if (!resource || !resource->mapping) {
        fail(err, "resource %u does not exist or has no memory", handle);
        return NULL;
    }
    if (!guest_region_init(region, &resource->layout, message->transfer.level,
                           &message->transfer.box, err))
        return NULL;
    return resource;
}

static bool
wait_for_server(struct far_client *client, uint32_t handle, bool idle, struct error *err)
{
    client->answers++;
    return wire_wait(client->fd, handle, idle, err);
}

/* Called before a PUT2 overwrites the region. Waits until the server has read earlier PUT2s that
 * overlap it. */
static bool
await_unread(struct far_client *client, struct far_resource *resource, uint32_t handle,
             const struct guest_region *region, struct error *err)
{
    const uint32_t from = region->offset, to = guest_region_end(region);
    const bool is_pending =
        resource->unread_to > resource->unread_from && resource->unread_since == client->answers;
    if (is_pending && from < resource->unread_to && to > resource->unread_from) {
        if (!wait_for_server(client, handle, false, err))
            return false;
    } else if (is_pending) {
        resource->unread_from = from < resource->unread_from ? from : resource->unread_from;
        resource->unread_to = to > resource->unread_to ? to : resource->unread_to;
        return true;
    }
    resource->unread_from = from;
    resource->unread_to = to;
    resource->unread_since = client->answers;
    return true;
}

static bool
send_put(struct far_client *client, const struct message *message, struct error *err)
{
    struct guest_region region;
    struct far_resource *resource = find_region(client, message, &region, err);
    if (!resource)
        return false;
    if (message->size_bytes != region.tight_bytes)
        return fail(err, "a PUT of %u bytes, but the box has %u", message->size_bytes,
                    region.tight_bytes);
    if (!await_unread(client, resource, message->transfer.handle, &region, err))
        return false;
    guest_scatter(&region, message->bytes, resource->mapping);
    return wire_transfer(client->fd, true, message, region.offset, err);
}

static uint32_t
whole_tiles(uint32_t blocks)
{
    return (blocks + TILE_SIZE - 1) / TILE_SIZE * TILE_SIZE;
}

/* Sends the contents of a level as PUTs. The contents are padded to whole tiles, but the PUTs are
 * not. Contents of multisampled resources are lost, because these have no shared memory. */
static bool
put_contents(struct far_client *client, const struct message *message, struct error *err)
{
    struct far_resource *resource = handle_map_get(&client->resources, message->contents.handle);
    uint32_t level = message->contents.level;
    if (!resource || level >= resource->layout.level_count)
        return fail(err, "resource %u has no level %u", message->contents.handle, level);
    if (!resource->mapping)
        return true;
    const struct guest_level *l = &resource->layout.levels[level];
    const struct format_info *format = resource->layout.format;
    struct message inner = *message;
    inner.kind = MESSAGE_PUT;
    inner.transfer.box = (struct box){0, 0, 0, (int32_t)l->width, (int32_t)l->height, 1};
    if (resource->layout.buffer)
        return send_put(client, &inner, err);
    const uint32_t width = message->contents.width, height = message->contents.height;
    uint32_t blocks = (l->width + format->block_width - 1) / format->block_width;
    uint32_t rows = (l->height + format->block_height - 1) / format->block_height;
    uint32_t padded = whole_tiles(blocks), padded_rows = whole_tiles(rows);
    size_t padded_bytes = (size_t)padded * format->block_bytes;
    size_t row_bytes = (size_t)blocks * format->block_bytes;
    if (width != padded * format->block_width || height != padded_rows * format->block_height ||
        message->size_bytes != padded_bytes * padded_rows * l->slices)
        return fail(err, "%u bytes of %ux%u are not valid contents of level %u",
                    message->size_bytes, width, height, level);
    uint8_t *bytes = mem_array(rows + 1, row_bytes);
    bool ok = true;
    inner.bytes = bytes;
    inner.size_bytes = (uint32_t)(row_bytes * rows);
    /* One PUT per slice, because the server would use only the first of several cube faces. */
    for (uint32_t z = 0; ok && z < l->slices; z++) {
        for (uint32_t y = 0; y < rows; y++)
            memcpy(bytes + y * row_bytes,
                   message->bytes + (z * (size_t)padded_rows + y) * padded_bytes, row_bytes);
        inner.transfer.box.z = (int32_t)z;
        ok = send_put(client, &inner, err);
    }
    free(bytes);
    return ok;
}

static bool
get(struct far_client *client, const struct message *message, uint8_t *out, uint32_t out_bytes,
    struct error *err)
{
    struct guest_region region;
    struct far_resource *resource = find_region(client, message, &region, err);
    if (!resource)
        return false;
    if (out && out_bytes != region.tight_bytes)
        return fail(err, "a readback of %u bytes, but the box of resource %u has %u", out_bytes,
                    message->transfer.handle, region.tight_bytes);
    if (!wire_transfer(client->fd, false, message, region.offset, err) ||
        !wait_for_server(client, message->transfer.handle, true, err))
        return false;
    if (out)
        guest_gather(&region, resource->mapping, out);
    return true;
}

/* Records the location of query results. Marks the results that this SUBMIT requests as pending. */
static void
follow_queries(struct far_client *client, struct submit_walk walk)
{
    const uint32_t waits = VTEST_QUERY_WAITS;
    while (submit_walk_next(&walk)) {
        if (walk.command == CMD_CREATE_OBJECT && walk.object == VOBJ_QUERY &&
            walk.length >= LEN_QUERY) {
            uint32_t handle = submit_walk_dword(&walk, AT_OBJECT_HANDLE);
            struct far_query *query = mem_alloc(sizeof *query);
            query->offset = submit_walk_dword(&walk, AT_QUERY_OFFSET);
            query->resource = submit_walk_dword(&walk, AT_QUERY_RESOURCE);
            free(handle_map_remove(&client->queries, handle));
            handle_map_put(&client->queries, handle, query);
        } else if (walk.command == CMD_DESTROY_OBJECT && walk.object == VOBJ_QUERY &&
                   walk.length >= LEN_OBJECT) {
            free(handle_map_remove(&client->queries, submit_walk_dword(&walk, AT_OBJECT_HANDLE)));
        } else if (walk.command == CMD_GET_QUERY_RESULT && walk.length > AT_QUERY_HANDLE) {
            struct far_query *query =
                handle_map_get(&client->queries, submit_walk_dword(&walk, AT_QUERY_HANDLE));
            struct far_resource *r =
                query ? handle_map_get(&client->resources, query->resource) : NULL;
            if (r && r->mapping && query->offset + 16ull <= r->layout.size_bytes)
                memcpy(r->mapping + query->offset, &waits, sizeof waits);
        }
    }
}

/* Waits for a query result and passes it to the client. The server writes results to memory when it
 * polls its renderer during a later wait. In rare cases it needs several polls. */
static bool
fetch_result(struct passthrough *passthrough, uint32_t number, struct far_client *client,
             const struct far_query *query, struct error *err)
{
    struct far_resource *resource = handle_map_get(&client->resources, query->resource);
    struct vtest_query_result result;
    if (!resource || !resource->mapping ||
        query->offset + (uint64_t)sizeof result > resource->layout.size_bytes)
        return fail(err, "the result of a query does not fit into resource %u", query->resource);
    for (int tries = 0;; tries++) {
        if (!wait_for_server(client, query->resource, true, err))
            return false;
        memcpy(&result, resource->mapping + query->offset, sizeof result);
        if (result.state == VTEST_QUERY_DONE)
            break;
        if (!interrupt_check(err))
            return false;
        if (tries == 1000)
            return fail(err, "virgl_test_server returns no result for a query");
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    struct message_sink *sink = &passthrough->sink;
    if (sink->write_back)
        sink->write_back(sink->listener, number, query->resource, query->offset, &result,
                         sizeof result);
    return true;
}

static bool
submit(struct passthrough *passthrough, struct far_client *client, const struct message *message,
       struct error *err)
{
    struct submit_walk walk = submit_walk(message->bytes, message->size_bytes);
    if (message->size_bytes % 4)
        return fail(err, "SUBMIT: size %u is not a multiple of 4 bytes", message->size_bytes);
    follow_queries(client, walk);
    if (!wire_submit(client->fd, message->bytes, message->size_bytes, err))
        return false;
    while (submit_walk_next(&walk)) {
        if (walk.command != CMD_GET_QUERY_RESULT || walk.length <= AT_QUERY_HANDLE)
            continue;
        struct far_query *query =
            handle_map_get(&client->queries, submit_walk_dword(&walk, AT_QUERY_HANDLE));
        if (query && !fetch_result(passthrough, message->client, client, query, err))
            return false;
    }
    return true;
}

static bool
end_client(struct passthrough *passthrough, uint32_t number)
{
    struct far_client *client = handle_map_remove(&passthrough->clients, number);
    if (client)
        free_client(client);
    return true;
}

/* Appends the last line of the server's log to the error of a broken connection, because it is more
 * specific than errno. Always returns false. */
static bool
add_log(const struct passthrough *passthrough, struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    if (!err || !strstr(err->text, "virgl_test_server") ||
        !file_read(passthrough->log, FILE_MOST_FACTS, &text, &size, NULL))
        return false;
    while (size && (text[size - 1] == '\n' || text[size - 1] == ' '))
        text[--size] = '\0';
    char *line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    if (*line) {
        struct error longer;
        fail(&longer, "%.400s (its last line: %.400s)", err->text, line);
        *err = longer;
    }
    free(text);
    return false;
}

static bool
passthrough_take(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
                 struct error *err)
{
    struct passthrough *passthrough = data;
    struct far_client *client = handle_map_get(&passthrough->clients, message->client);
    bool ok = true;
    if (message->kind == MESSAGE_CLIENT_BEGIN)
        return begin_client(passthrough, message, err) || add_log(passthrough, err);
    if (message->kind == MESSAGE_CLIENT_END)
        return end_client(passthrough, message->client);
    if (message->kind == MESSAGE_STATE || message->kind == MESSAGE_ADDRESS ||
        message->kind == MESSAGE_RESULT)
        return true; /* only the simulated GPU uses these messages */
    if (message->kind == MESSAGE_FRAME && !out)
        return true; /* the caller does not need the picture */
    if (!client)
        return fail(err, "client %u does not exist", message->client);
    switch (message->kind) {
    case MESSAGE_CONTENTS: ok = put_contents(client, message, err); break;
    case MESSAGE_RESOURCE_CREATE: ok = create_resource(passthrough, client, message, err); break;
    case MESSAGE_RESOURCE_UNREF: ok = unref_resource(client, message->resource.handle, err); break;
    case MESSAGE_PUT: ok = send_put(client, message, err); break;
    case MESSAGE_SUBMIT: ok = submit(passthrough, client, message, err); break;
    default: ok = get(client, message, out, out_bytes, err); break;
    }
    return ok || add_log(passthrough, err);
}

static bool
start_server(struct passthrough *passthrough, const char *driver, struct error *err)
{
    char *socket_option = mem_printf("--socket-path=%s", passthrough->socket);
    char *driver_variable = mem_printf("GALLIUM_DRIVER=%s", driver);
    char name[] = "virgl_test_server", egl[] = "--use-egl-surfaceless";
    char *argv[] = {name, egl, socket_option, NULL};
    const char *const environment[] = {driver_variable, LLVMPIPE_FILTER_SETTING,
                                       "LIBGL_ALWAYS_SOFTWARE=1", "LD_PRELOAD", NULL};
    const struct subprocess_setup setup = {.argv = argv,
                                           .environment = environment,
                                           .log = passthrough->log,
                                           .no_input = true,
                                           .own_group = true,
                                           .death_signal = SIGKILL};
    bool ok = subprocess_start(&passthrough->server, &setup, err);
    if (!ok)
        fail_prefix(err, "the reference renderer (package virgl-server)");
    free(socket_option);
    free(driver_variable);
    return ok;
}

static bool
await_server(struct passthrough *passthrough, struct error *err)
{
    for (int tries = 0; tries < 1000; tries++) {
        int status;
        if (!interrupt_check(err))
            return false;
        if (!access(passthrough->socket, F_OK))
            return true;
        if (subprocess_has_ended(&passthrough->server, &status)) {
            fail(err, "virgl_test_server exited before it accepted connections");
            return add_log(passthrough, err);
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    fail(err, "virgl_test_server does not accept connections");
    return add_log(passthrough, err);
}

bool
passthrough_create(struct passthrough **out, const char *driver, struct error *err)
{
    if (strcmp(driver, "llvmpipe") && strcmp(driver, "softpipe"))
        return fail(err,
                    "unknown reference renderer '%s': expected llvmpipe, softpipe, or native (only "
                    "`aetius replay`)",
                    driver);
    struct passthrough *passthrough = mem_alloc(sizeof *passthrough);
    passthrough->sink.data = passthrough;
    passthrough->sink.take = passthrough_take;
    passthrough->single_sampled = !strcmp(driver, "softpipe");
    if (!private_folder_create(&passthrough->folder, err)) {
        free(passthrough);
        return false;
    }
    passthrough->socket = mem_printf("%s/virgl", passthrough->folder.path);
    passthrough->log = mem_printf("%s/log", passthrough->folder.path);
    if (!start_server(passthrough, driver, err) || !await_server(passthrough, err)) {
        passthrough_destroy(passthrough);
        return false;
    }
    *out = passthrough;
    return true;
}

void
passthrough_destroy(struct passthrough *passthrough)
{
    handle_map_fini_with(&passthrough->clients, free_client);
    subprocess_end(&passthrough->server, 500);
    private_folder_remove(&passthrough->folder);
    free(passthrough->socket);
    free(passthrough->log);
    free(passthrough);
}

struct message_sink *
passthrough_sink(struct passthrough *passthrough)
{
    return &passthrough->sink;
}

bool
passthrough_keeps(uint32_t format)
{
    const struct format_info *info = format_get(format);
    return info && !(info->depth_bits == 24 && info->stencil_bits == 0);
}
