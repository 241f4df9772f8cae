/* Client side of the vtest protocol, for connections to virgl_test_server (docs/design/frontend.md,
 * Socket). Pitfalls of the server: docs/design/reference.md, virgl_test_server.
 *
 * The caller owns descriptors and mappings, and closes and unmaps them. Calls block. They fail if
 * the server ends, replies incorrectly, or does not reply for ANSWER_SECONDS. They fail immediately
 * after a signal. After a failure the connection is unusable. */
#include "trace/virgl/vtest/vtest_wire.h"

#include "base/interrupt.h"
#include "trace/virgl/vtest/fd_message.h"
#include "trace/virgl/vtest/vtest_protocol.h"

#include <errno.h>
#include <poll.h>

#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_SECONDS 300

static bool
lost(struct error *err)
{
    if (errno == EAGAIN)
        return fail(err, "virgl_test_server does not reply (it reports no reason)");
    return fail(err, "lost the connection to virgl_test_server: %s",
                errno ? strerror(errno) : "it exited");
}

static bool
send_bytes(int fd, const void *bytes, size_t size, struct error *err)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = send(fd, (const uint8_t *)bytes + done, size - done, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR && interrupt_check(err))
            continue;
        if (n < 0)
            return interrupt_check(err) && lost(err);
        done += (size_t)n;
    }
    return true;
}

/* Waits for a reply. Stops after a signal, because the server may not respond. */
static bool
await_answer(int fd, struct error *err)
{
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    for (int tenths = 0; tenths < ANSWER_SECONDS * 10; tenths++) {
        if (poll(&polled, 1, 100) > 0)
            return true;
        if (interrupt_pending())
            return fail(err, "interrupted while virgl_test_server draws");
    }
    return fail(err, "virgl_test_server has not replied for %d seconds", ANSWER_SECONDS);
}

static bool
receive_bytes(int fd, void *bytes, size_t size, struct error *err)
{
    for (size_t done = 0; done < size;) {
        if (!await_answer(fd, err))
            return false;
        errno = 0;
        ssize_t n = recv(fd, (uint8_t *)bytes + done, size - done, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return lost(err);
        done += (size_t)n;
    }
    return true;
}

static bool
send_dwords(int fd, uint32_t length, uint32_t command, const uint32_t *dwords, uint32_t count,
            struct error *err)
{
    uint32_t packet[2 + VTEST_CREATE2_DWORDS] = {length, command};
    if (count)
        memcpy(packet + 2, dwords, count * 4);
    return send_bytes(fd, packet, VTEST_HEADER_BYTES + count * 4, err);
}

/* Receives a reply of one dword. */
static bool
receive_answer(int fd, uint32_t command, uint32_t *value, struct error *err)
{
    struct {
        uint32_t length, command, value;
    } answer;
    if (!receive_bytes(fd, &answer, sizeof answer, err))
        return false;
    if (answer.length != 1 || answer.command != command)
        return fail(err, "virgl_test_server replied to command %u with %u", command,
                    answer.command);
    *value = answer.value;
    return true;
}

bool
wire_wait(int fd, uint32_t handle, bool idle, struct error *err)
{
    uint32_t body[VTEST_BUSY_WAIT_DWORDS] = {[VTEST_WAIT_HANDLE] = handle}, busy;
    body[VTEST_WAIT_FLAGS] = idle ? VTEST_WAIT_FLAG : 0;
    return send_dwords(fd, VTEST_BUSY_WAIT_DWORDS, VTEST_BUSY_WAIT, body, VTEST_BUSY_WAIT_DWORDS,
                       err) &&
           receive_answer(fd, VTEST_BUSY_WAIT, &busy, err);
}

/* The server reads its limit of buffer textures only when it is asked for its capabilities. */
static bool
ask_capabilities(int fd, struct error *err)
{
    uint32_t header[2], word;
    if (!send_dwords(fd, 0, VTEST_GET_CAPS, NULL, 0, err) ||
        !receive_bytes(fd, header, sizeof header, err))
        return false;
    if (header[1] != VTEST_GET_CAPS || header[0] < 1 || header[0] > VTEST_NAME_MAX)
        return fail(err, "virgl_test_server replied to command %u with %u", VTEST_GET_CAPS,
                    header[1]);
    for (uint32_t bytes = header[0] - 1; bytes >= sizeof word; bytes -= sizeof word)
        if (!receive_bytes(fd, &word, sizeof word, err))
            return false;
    return true;
}

static bool
agree(int fd, const char *program, struct error *err)
{
    uint32_t name_bytes = (uint32_t)strlen(program) + 1;
    uint32_t header[2] = {name_bytes, VTEST_CREATE_RENDERER}, ping[2];
    uint32_t version = VTEST_PROTOCOL, nothing[VTEST_BUSY_WAIT_DWORDS] = {0}, answered = 0;
    if (!send_bytes(fd, header, sizeof header, err) || !send_bytes(fd, program, name_bytes, err) ||
        !send_dwords(fd, 0, VTEST_PING, NULL, 0, err) ||
        !send_dwords(fd, VTEST_BUSY_WAIT_DWORDS, VTEST_BUSY_WAIT, nothing, VTEST_BUSY_WAIT_DWORDS,
                     err) ||
        !receive_bytes(fd, ping, sizeof ping, err))
        return false;
    if (ping[1] != VTEST_PING)
        return fail(err, "virgl_test_server is too old: it does not support protocol versions");
    if (!receive_answer(fd, VTEST_BUSY_WAIT, &answered, err) ||
        !send_dwords(fd, VTEST_VERSION_DWORDS, VTEST_VERSION, &version, VTEST_VERSION_DWORDS,
                     err) ||
        !receive_answer(fd, VTEST_VERSION, &answered, err))
        return false;
    if (answered != VTEST_PROTOCOL)
        return fail(err, "virgl_test_server speaks protocol version %u, not %d", answered,
                    VTEST_PROTOCOL);
    return ask_capabilities(fd, err);
}

int
wire_connect_raw(const char *path, struct error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        fail(err, "the socket path %s is too long", path);
        return -1;
    }
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct timeval patience = {.tv_sec = 50};
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    /* The socket file exists shortly before the server listens. */
    for (int tries = 0; fd >= 0 && tries < 500 && !interrupt_pending(); tries++) {
        if (!connect(fd, (struct sockaddr *)&address, sizeof address))
            return fd;
        if (errno != ECONNREFUSED)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        errno = ECONNREFUSED;
    }
    if (interrupt_check(err))
        fail(err, "cannot connect to virgl_test_server: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

int
wire_connect(const char *path, const char *program, struct error *err)
{
    int fd = wire_connect_raw(path, err);
    if (fd < 0 || agree(fd, program, err))
        return fd;
    close(fd);
    return -1;
}

static int
receive_memory(int fd, struct error *err)
{
    struct fd_message message;
    fd_message_init(&message);
    if (!await_answer(fd, err))
        return -1;
    errno = 0;
    ssize_t n = recvmsg(fd, &message.header, MSG_CMSG_CLOEXEC);
    struct cmsghdr *c = n == 1 ? CMSG_FIRSTHDR(&message.header) : NULL;
    int memory = -1;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(&memory, CMSG_DATA(c), sizeof memory);
    else if (n <= 0)
        lost(err);
    else
        fail(err, "virgl_test_server cannot create such a resource");
    return memory;
}

bool
wire_create(int fd, const struct resource_desc *desc, uint32_t memory_bytes, uint8_t **mapping,
            struct error *err)
{
    uint32_t body[VTEST_CREATE2_DWORDS];
    /* the values need no conversion, see numbers.h */
    memcpy(body + VTEST_CREATE_DESC, desc, sizeof *desc);
    body[VTEST_CREATE_MEMORY_BYTES] = memory_bytes;
    *mapping = NULL;
    if (!send_dwords(fd, VTEST_CREATE2_DWORDS, VTEST_CREATE2, body, VTEST_CREATE2_DWORDS, err))
        return false;
    if (memory_bytes == 0)
        return true;
    /* The server does not reply if it cannot create the resource. Therefore a wait follows, which
     * always gets a reply. If the resource was not created, the first byte arrives without a
     * descriptor. */
    uint32_t nothing[VTEST_BUSY_WAIT_DWORDS] = {0}, busy;
    if (!send_dwords(fd, VTEST_BUSY_WAIT_DWORDS, VTEST_BUSY_WAIT, nothing, VTEST_BUSY_WAIT_DWORDS,
                     err))
        return false;
    int memory = receive_memory(fd, err);
    if (memory < 0)
        return false;
    if (!receive_answer(fd, VTEST_BUSY_WAIT, &busy, err)) {
        close(memory);
        return false;
    }
    void *map = mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    close(memory);
    if (map == MAP_FAILED)
        return fail(err, "cannot map a resource of virgl_test_server: %s", strerror(errno));
    *mapping = map;
    return true;
}

bool
wire_unref(int fd, uint32_t handle, struct error *err)
{
    return send_dwords(fd, VTEST_UNREF_DWORDS, VTEST_UNREF, &handle, VTEST_UNREF_DWORDS, err);
}

bool
wire_submit(int fd, const uint8_t *bytes, uint32_t size_bytes, struct error *err)
{
    return send_dwords(fd, size_bytes / 4, VTEST_SUBMIT, NULL, 0, err) &&
           send_bytes(fd, bytes, size_bytes, err);
}

bool
wire_transfer(int fd, bool put, const struct message *message, uint32_t offset, struct error *err)
{
    uint32_t body[VTEST_TRANSFER2_DWORDS] = {
        [VTEST_TRANSFER_HANDLE] = message->transfer.handle,
        [VTEST_TRANSFER_LEVEL] = message->transfer.level,
        [VTEST_TRANSFER_DATA_BYTES] = 0, /* no data is sent */
        [VTEST_TRANSFER_OFFSET] = offset,
    };
    memcpy(body + VTEST_TRANSFER_BOX, &message->transfer.box, sizeof message->transfer.box);
    return send_dwords(fd, VTEST_TRANSFER2_DWORDS, put ? VTEST_PUT2 : VTEST_GET2, body,
                       VTEST_TRANSFER2_DWORDS, err);
}
