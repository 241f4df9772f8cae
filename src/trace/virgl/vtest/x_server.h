/* An X server of our own (Xvfb), where there is none. Only who can read its cookie is let in: that
 * lies in a private folder, and the program gets its path. */
#ifndef AETIUS_TRACE_X_SERVER_H
#define AETIUS_TRACE_X_SERVER_H

#include "base/subprocess.h"

#include <sys/types.h>

struct x_server {
    struct subprocess process; /* pid 0: there is none, and the others are NULL */
    char *display, *authority; /* DISPLAY=..., XAUTHORITY=... */
};

/* `folder`: a private one, for the cookie and the log. Pair with x_server_end() in any case. */
bool x_server_start(struct x_server *server, const char *folder, struct error *err);
void x_server_end(struct x_server *server);

#endif
