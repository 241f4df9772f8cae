/* Library that is preloaded into the captured program. Mesa 22.3 always connects to one fixed
 * socket path, which would limit a host to one virtual GPU. The connect() wrapper redirects that
 * path to the socket in AETIUS_SOCKET. Newer Mesa reads VTEST_SOCKET_NAME and never uses the fixed
 * path. */
#include "shim/context.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define VTEST_SOCKET_OF_MESA "/tmp/.virgl_test"

typedef int connect_fn(int fd, const struct sockaddr *address, socklen_t size);

__attribute__((visibility("default"))) int
connect(int fd, const struct sockaddr *address, socklen_t size)
{
    connect_fn *next;
    void *symbol = dlsym(RTLD_NEXT, "connect");
    memcpy(&next, &symbol, sizeof next);
    const char *path = getenv("AETIUS_SOCKET");
    const struct sockaddr_un *asked = (const struct sockaddr_un *)(const void *)address;
    struct sockaddr_un ours = {.sun_family = AF_UNIX};
    size_t named = offsetof(struct sockaddr_un, sun_path) + sizeof VTEST_SOCKET_OF_MESA;
    if (path && strlen(path) < sizeof ours.sun_path && size >= named &&
        address->sa_family == AF_UNIX &&
        !memcmp(asked->sun_path, VTEST_SOCKET_OF_MESA, sizeof VTEST_SOCKET_OF_MESA)) {
        strcpy(ours.sun_path, path);
        context_watch();
        return next(fd, (const struct sockaddr *)&ours, sizeof ours);
    }
    return next(fd, address, size);
}
