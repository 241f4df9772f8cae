/* The client's end of the vtest protocol: how this program speaks to a virgl_test_server. */
#ifndef AETIUS_TRACE_VTEST_WIRE_H
#define AETIUS_TRACE_VTEST_WIRE_H

#include "trace/message.h"

/* Connects and agrees on protocol version 2; -1 with err. */
int wire_connect(const char *path, const char *program, struct error *err);

/* Only connects. */
int wire_connect_raw(const char *path, struct error *err);

bool wire_create(int fd, const struct resource_desc *desc, uint32_t memory_bytes, uint8_t **mapping,
                 struct error *err);
bool wire_unref(int fd, uint32_t handle, struct error *err);
bool wire_submit(int fd, const uint8_t *bytes, uint32_t size_bytes, struct error *err);
/* GET2 (false) or PUT2 (true) of a box at an offset of the resource's memory. */
bool wire_transfer(int fd, bool put, const struct message *message, uint32_t offset,
                   struct error *err);
/* Returns when the server has done all that came before; and, with `idle`, its renderer too. */
bool wire_wait(int fd, uint32_t handle, bool idle, struct error *err);

#endif
