/* The message that passes a descriptor over a Unix socket: one byte, and the descriptor beside it.
 */
#ifndef AETIUS_TRACE_VTEST_FD_MESSAGE_H
#define AETIUS_TRACE_VTEST_FD_MESSAGE_H

#include <sys/socket.h>
#include <sys/uio.h>

struct fd_message {
    char byte;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    struct iovec part;
    struct msghdr header; /* for sendmsg() and recvmsg(); refers to the members above */
};

static inline void
fd_message_init(struct fd_message *message)
{
    *message = (struct fd_message){.part = {&message->byte, 1}};
    message->header = (struct msghdr){.msg_iov = &message->part,
                                      .msg_iovlen = 1,
                                      .msg_control = message->control,
                                      .msg_controllen = sizeof message->control};
}

#endif
