/* Client side of the vtest protocol, for connections to virgl_test_server. */
#ifndef AETIUS_TRACE_VTEST_WIRE_H
#define AETIUS_TRACE_VTEST_WIRE_H

#include "trace/message.h"

/* Connects and negotiates protocol version 2. Returns -1 with an error on failure. */
int wire_connect(const char *path, const char *program, struct error *err);

/* Connects without negotiating a protocol version. */
int wire_connect_raw(const char *path, struct error *err);

bool wire_create(int fd, const struct resource_desc *desc, uint32_t memory_bytes, uint8_t **mapping,
                 struct error *err);
bool wire_unref(int fd, uint32_t handle, struct error *err);
bool wire_submit(int fd, const uint8_t *bytes, uint32_t size_bytes, struct error *err);
/* Sends a GET2 (`put` is false) or PUT2 (true) for a box at an offset in the resource's memory. */
bool wire_transfer(int fd, bool put, const struct message *message, uint32_t offset,
                   struct error *err);
/* Waits until the server has executed all earlier commands. With `idle`, also waits until its
 * renderer has finished them. */
bool wire_wait(int fd, uint32_t handle, bool idle, struct error *err);

#endif
