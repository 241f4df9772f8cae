/* One connection of the virtual GPU: its input, its resources, and what its commands mean. */
#ifndef AETIUS_TRACE_VTEST_CLIENT_H
#define AETIUS_TRACE_VTEST_CLIENT_H

#include "trace/message.h"

struct vtest_client;

/* Takes the descriptor. */
struct vtest_client *vtest_client_create(int fd, uint32_t number, struct message_sink *sink);
/* Tells the sink of the end; false when the sink fails at that. The client is gone either way. */
bool vtest_client_destroy(struct vtest_client *client, struct error *err);

int vtest_client_fd(const struct vtest_client *client);
uint32_t vtest_client_number(const struct vtest_client *client);

enum vtest_client_state {
    VTEST_CLIENT_GOES_ON,
    VTEST_CLIENT_LEFT,
    VTEST_CLIENT_BROKEN, /* err says why */
};
/* Reads what is there and executes the whole messages in it. */
enum vtest_client_state vtest_client_serve(struct vtest_client *client, struct error *err);

/* What was read of a message that is not whole yet. */
size_t vtest_client_waiting_bytes(const struct vtest_client *client);

/* Puts bytes into a resource's shared memory; what lies outside of it is not written. */
void vtest_client_write_back(struct vtest_client *client, uint32_t handle, uint32_t offset,
                             const void *bytes, uint32_t size_bytes);

#endif
