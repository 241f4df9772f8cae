/* Socket of the virtual GPU (docs/design/frontend.md, Socket): accepts clients and serves those
 * with input. The server reads each client's input into a buffer without blocking, and executes it
 * message by message. Replies are small and are sent immediately.
 *
 * The server owns its listener and its clients. The creator owns the sink. An error of a client is
 * logged and ends only that client. The server stores the first such error. */
#include "trace/virgl/vtest/vtest_server.h"

#include "base/log.h"
#include "base/mem.h"
#include "trace/virgl/vtest/offscreen.h"
#include "trace/virgl/vtest/vtest_client.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A program has one connection per screen, which is rarely more than a few. */
enum { MOST_CONNECTED = 256 };
enum { MOST_REPORTED = 16 }; /* failures of clients; a final message reports the number of others */
/* Limit of the incomplete messages of all clients. A client with at most WAITING_SMALL_BYTES of its
 * own is never rejected for it, so that large messages of others do not disconnect it. */
enum { WAITING_MAX_BYTES = 64 << 20, WAITING_SMALL_BYTES = 64 << 10 };

struct vtest_server {
    int listener;
    char *path;
    enum gl_offer offer;        /* capabilities of all clients */
    struct offscreen offscreen; /* forwards to the caller's sink */
    VEC(struct vtest_client *) clients;
    VEC(struct pollfd) polled;
    uint32_t connections;
    struct error failure;
    uint64_t failures;
};

static void
write_back(void *listener, uint32_t number, uint32_t handle, uint32_t offset, const void *bytes,
           uint32_t size_bytes)
{
    struct vtest_server *server = listener;
    for (size_t i = 0; i < server->clients.count; i++)
        if (vtest_client_number(server->clients.items[i]) == number)
            vtest_client_write_back(server->clients.items[i], handle, offset, bytes, size_bytes);
}

bool
vtest_server_create(struct vtest_server **out, const char *path, enum gl_offer offer,
                    struct message_sink *sink, struct error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return fail(err, "the socket path %s is too long", path);
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return fail(err, "cannot create a socket: %s", strerror(errno));
    if (bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 64)) {
        fail(err, "cannot listen at %s: %s", path, strerror(errno));
        close(fd);
        return false;
    }
    struct vtest_server *server = mem_alloc(sizeof *server);
    server->listener = fd;
    server->path = mem_strdup(path);
    server->offer = offer;
    offscreen_init(&server->offscreen, sink);
    server->offscreen.sink.write_back = write_back;
    server->offscreen.sink.listener = server;
    *out = server;
    return true;
}

/* Reports the first MOST_REPORTED failures, so that a program cannot fill the disk through the log.
 */
static void
report_failure(struct vtest_server *server, const struct error *err)
{
    if (server->failures++ < MOST_REPORTED)
        log_error("%s", err->text);
    if (!server->failure.text[0])
        server->failure = *err;
}

void
vtest_server_destroy(struct vtest_server *server)
{
    struct error err;
    for (size_t i = 0; i < server->clients.count; i++)
        if (!vtest_client_destroy(server->clients.items[i], &err))
            report_failure(server, &err);
    if (server->failures > MOST_REPORTED)
        log_error("%" PRIu64 " more clients were disconnected because of errors",
                  server->failures - MOST_REPORTED);
    server->offscreen.inner->write_back = NULL;
    server->offscreen.inner->listener = NULL;
    offscreen_fini(&server->offscreen);
    close(server->listener);
    unlink(server->path);
    free(server->path);
    VEC_FREE(&server->clients);
    VEC_FREE(&server->polled);
    free(server);
}

static bool
accept_client(struct vtest_server *server, struct error *err)
{
    int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) {
        if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
            return true;
        return fail(err, "cannot accept a connection: %s", strerror(errno));
    }
    if (server->clients.count == MOST_CONNECTED) {
        struct error why;
        close(fd);
        fail(&why, "a client was rejected: %d are already connected", MOST_CONNECTED);
        report_failure(server, &why);
        return true;
    }
    struct vtest_client *client =
        vtest_client_create(fd, ++server->connections, server->offer, &server->offscreen.sink);
    VEC_PUSH(&server->clients, client);
    return true;
}

static void
drop_client(struct vtest_server *server, size_t index, const struct error *why)
{
    struct vtest_client *client = server->clients.items[index];
    struct error err;
    if (why)
        report_failure(server, why);
    server->clients.count--;
    memmove(&server->clients.items[index], &server->clients.items[index + 1],
            (server->clients.count - index) * sizeof client);
    if (!vtest_client_destroy(client, &err))
        report_failure(server, &err);
}

/* Serves a client. Fails if its incomplete message is large and those of all clients exceed
 * WAITING_MAX_BYTES. */
static enum vtest_client_state
serve(struct vtest_server *server, struct vtest_client *client, struct error *why)
{
    size_t waiting_bytes = 0;
    const enum vtest_client_state state = vtest_client_serve(client, why);
    for (size_t i = 0; i < server->clients.count; i++)
        waiting_bytes += vtest_client_waiting_bytes(server->clients.items[i]);
    if (state != VTEST_CLIENT_GOES_ON || waiting_bytes <= WAITING_MAX_BYTES ||
        vtest_client_waiting_bytes(client) <= WAITING_SMALL_BYTES)
        return state;
    fail(why, "client %u: incomplete messages need more than %d MiB", vtest_client_number(client),
         WAITING_MAX_BYTES >> 20);
    return VTEST_CLIENT_BROKEN;
}

bool
vtest_server_poll(struct vtest_server *server, int wake, int timeout_ms, struct error *err)
{
    server->polled.count = 0;
    VEC_PUSH(&server->polled, ((struct pollfd){.fd = server->listener, .events = POLLIN}));
    VEC_PUSH(&server->polled, ((struct pollfd){.fd = wake, .events = POLLIN}));
    for (size_t i = 0; i < server->clients.count; i++) {
        int fd = vtest_client_fd(server->clients.items[i]);
        VEC_PUSH(&server->polled, ((struct pollfd){.fd = fd, .events = POLLIN}));
    }
    int ready = poll(server->polled.items, server->polled.count, timeout_ms);
    if (ready < 0 && errno != EINTR)
        return fail(err, "cannot wait for clients: %s", strerror(errno));
    if (ready <= 0)
        return true;
    /* Iterates backwards, so that removing a client moves only clients that have already been
     * served. */
    for (size_t i = server->polled.count; i-- > 2;) {
        struct error why = {""};
        if (!server->polled.items[i].revents)
            continue;
        enum vtest_client_state state = serve(server, server->clients.items[i - 2], &why);
        if (state != VTEST_CLIENT_GOES_ON)
            drop_client(server, i - 2, state == VTEST_CLIENT_BROKEN ? &why : NULL);
    }
    return !server->polled.items[0].revents || accept_client(server, err);
}

uint32_t
vtest_server_clients(const struct vtest_server *server)
{
    return (uint32_t)server->clients.count;
}

uint32_t
vtest_server_connections(const struct vtest_server *server)
{
    return server->connections;
}

const char *
vtest_server_failure(const struct vtest_server *server)
{
    return server->failure.text;
}
