/* Private X server (Xvfb) for hosts without one. Only processes that can read its cookie can
 * connect. The cookie is in a private folder, and the program gets its path. */
#ifndef AETIUS_TRACE_X_SERVER_H
#define AETIUS_TRACE_X_SERVER_H

#include "base/subprocess.h"

#include <sys/types.h>

struct x_server {
    struct subprocess process; /* pid 0: no server; the other members are then NULL */
    char *display, *authority; /* "DISPLAY=...", "XAUTHORITY=..." */
};

/* `folder` is a private folder for the cookie and the log. The caller must call x_server_end() even
 * after a failure. */
bool x_server_start(struct x_server *server, const char *folder, struct error *err);
void x_server_end(struct x_server *server);

#endif
