/* The virtual GPU's socket: serves any number of clients, one thread, and hands what they say to a
 * message sink. Bulk data live in memfds that are shared with the clients; they are snapshotted and
 * filled here, so that messages carry tight rows.
 *
 * A client that breaks the protocol, or whose message the sink refuses, is dropped with one line on
 * standard error; the others go on. */
#ifndef AETIUS_TRACE_VTEST_SERVER_H
#define AETIUS_TRACE_VTEST_SERVER_H

#include "trace/message.h"

struct vtest_server;

/* Listens at `path`. Sets the sink's write_back and listener. The sink must outlive the server. */
bool vtest_server_create(struct vtest_server **server, const char *path, struct message_sink *sink,
                         struct error *err);
/* Ends what clients are left (MESSAGE_CLIENT_END for each). */
void vtest_server_destroy(struct vtest_server *server);

/* Waits until a client, or the descriptor `wake` (-1: none), has something to say or the time is
 * over (-1: no limit), and serves it. false: the server itself cannot go on. */
bool vtest_server_poll(struct vtest_server *server, int wake, int timeout_ms, struct error *err);

uint32_t vtest_server_clients(const struct vtest_server *server);     /* connected now */
uint32_t vtest_server_connections(const struct vtest_server *server); /* ever made */
/* Why the first client was dropped; "" when none was. */
const char *vtest_server_failure(const struct vtest_server *server);

#endif
