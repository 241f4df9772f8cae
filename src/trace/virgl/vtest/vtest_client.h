/* One client connection of the virtual GPU: its input, its resources and its commands. */
#ifndef AETIUS_TRACE_VTEST_CLIENT_H
#define AETIUS_TRACE_VTEST_CLIENT_H

#include "trace/message.h"
#include "trace/virgl/vtest/caps.h"

struct vtest_client;

/* Takes ownership of `fd`. */
struct vtest_client *vtest_client_create(int fd, uint32_t number, enum gl_offer offer,
                                         struct message_sink *sink);
/* Sends MESSAGE_CLIENT_END to the sink and frees the client, even on failure. Returns false if the
 * sink fails. */
bool vtest_client_destroy(struct vtest_client *client, struct error *err);

int vtest_client_fd(const struct vtest_client *client);
uint32_t vtest_client_number(const struct vtest_client *client);

enum vtest_client_state {
    VTEST_CLIENT_GOES_ON,
    VTEST_CLIENT_LEFT,
    VTEST_CLIENT_BROKEN, /* err has the reason */
};
/* Reads the available input and executes the complete messages in it. */
enum vtest_client_state vtest_client_serve(struct vtest_client *client, struct error *err);

/* Returns the number of input bytes that belong to an incomplete message. */
size_t vtest_client_waiting_bytes(const struct vtest_client *client);

/* Writes bytes to a resource's shared memory. Does nothing unless the whole range is inside it. */
void vtest_client_write_back(struct vtest_client *client, uint32_t handle, uint32_t offset,
                             const void *bytes, uint32_t size_bytes);

#endif
