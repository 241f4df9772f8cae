/* Socket of the virtual GPU. One thread serves any number of clients and forwards their messages to
 * a sink. Bulk data is in memfds that are shared with the clients. The server copies data from and
 * to them, so that rows in messages have no padding.
 *
 * If a client violates the protocol, or the sink rejects its message, the server disconnects that
 * client and prints one line on standard error, for the first 16 clients. The other clients
 * continue. */
#ifndef AETIUS_TRACE_VTEST_SERVER_H
#define AETIUS_TRACE_VTEST_SERVER_H

#include "trace/message.h"
#include "trace/virgl/vtest/caps.h"

struct vtest_server;

/* Listens at `path`. Sets the sink's `write_back` and `listener`. The caller keeps the sink valid
 * until the server is destroyed. */
bool vtest_server_create(struct vtest_server **server, const char *path, enum gl_offer offer,
                         struct message_sink *sink, struct error *err);
/* Disconnects the remaining clients, sends a MESSAGE_CLIENT_END for each, and frees the server. */
void vtest_server_destroy(struct vtest_server *server);

/* Waits until a client or the descriptor `wake` (-1: none) has input, or until the timeout (-1:
 * none). Serves the clients that have input. Returns false if the server itself cannot continue. */
bool vtest_server_poll(struct vtest_server *server, int wake, int timeout_ms, struct error *err);

uint32_t vtest_server_clients(const struct vtest_server *server); /* connected now */
/* Returns the number of connections since the server was created. */
uint32_t vtest_server_connections(const struct vtest_server *server);
/* Returns why the first rejected client was disconnected; "" if none was. */
const char *vtest_server_failure(const struct vtest_server *server);

#endif
