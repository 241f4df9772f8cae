/* A member is cloned with CLONE_PARENT and without an exit signal. CLONE_PARENT makes every member
 * a child of the coordinator. Without an exit signal, __WCLONE waits only for members, not for
 * other children of the process.
 *
 * Only the member itself writes its pid into its slot, and removes it before it exits with status
 * 0. Only the coordinator reaps members, and only its thread sends signals. Therefore a pid that
 * worker_pool_signal() loads belongs to an unreaped member and cannot have been reused. */
#include "base/worker_pool.h"

#include "base/mem.h"

#include <errno.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MILLISECONDS = 200 };

struct worker_slot {
    _Atomic pid_t pid;       /* 0: free; -1: reserved for a new member */
    _Atomic pid_t signalled; /* pid of the last member in this slot that was sent a signal */
    _Atomic uint32_t part;
};

struct shared {
    struct worker_slot slots[WORKER_MAX];
    _Atomic uint64_t counted;
    _Atomic uint32_t stop; /* members must not begin this part or a later one */
    _Atomic int signal;    /* last signal sent to all members; 0: none */
};

struct worker_pool {
    struct shared *shared;
    uint32_t limit;
    pid_t coordinator;
    int sockets[2];           /* [0]: coordinator, [1]: members */
    struct worker_slot *slot; /* the member's slot; NULL in the coordinator */
    uint8_t *message;
};

struct worker_pool *
worker_pool_create(uint32_t limit, struct error *err)
{
    struct worker_pool *pool = mem_alloc(sizeof *pool);
    pool->limit = limit < WORKER_MAX ? limit : WORKER_MAX;
    pool->coordinator = getpid();
    pool->shared =
        mmap(NULL, sizeof *pool->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pool->shared == MAP_FAILED ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pool->sockets)) {
        fail(err, "cannot start several processes: %s", strerror(errno));
        if (pool->shared != MAP_FAILED)
            munmap(pool->shared, sizeof *pool->shared);
        free(pool);
        return NULL;
    }
    pool->shared->stop = UINT32_MAX;
    pool->message = mem_alloc(WORKER_MESSAGE_BYTES);
    return pool;
}

void
worker_pool_destroy(struct worker_pool *pool)
{
    if (!pool)
        return;
    close(pool->sockets[0]);
    close(pool->sockets[1]);
    munmap(pool->shared, sizeof *pool->shared);
    free(pool->message);
    free(pool);
}

static struct worker_slot *
take_slot(struct worker_pool *pool)
{
    for (uint32_t i = 0; i < pool->limit; i++) {
        pid_t nobody = 0;
        if (atomic_compare_exchange_strong(&pool->shared->slots[i].pid, &nobody, -1))
            return &pool->shared->slots[i];
    }
    return NULL;
}

/* Sends each member at most one signal, because a second one would end it during its cleanup
 * (base/interrupt.h). */
static bool
is_first_signal(struct worker_slot *slot, pid_t pid)
{
    return atomic_exchange(&slot->signalled, pid) != pid;
}

/* Makes the kernel kill the member when the coordinator exits. A signal sent to all members before
 * the pid was in the slot has missed this member, so it raises that signal itself. */
static void
worker_pool_begin(struct worker_pool *pool, struct worker_slot *slot)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != pool->coordinator)
        _exit(1);
    pool->slot = slot;
    slot->pid = getpid();
    if (pool->shared->signal && is_first_signal(slot, getpid()))
        raise(pool->shared->signal);
}

/* Like fork(), with `flags` for clone() and the exit signal in their low byte. */
static long
clone_process(unsigned long flags)
{
#if defined(__s390x__)
    return syscall(SYS_clone, NULL, flags, NULL, NULL, NULL);
#else
    return syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
#endif
}

int
worker_pool_fork(struct worker_pool *pool, uint32_t part, struct error *err)
{
    struct worker_slot *slot = take_slot(pool);
    err->text[0] = '\0';
    if (!slot)
        return -1;
    slot->part = part;
    const long pid = clone_process(pool->slot ? CLONE_PARENT : 0);
    if (pid < 0) {
        slot->pid = 0;
        fail(err, "cannot start a process: %s", strerror(errno));
        return -1;
    }
    if (pid == 0) {
        worker_pool_begin(pool, slot);
        return 1;
    }
    return 0;
}

void
worker_pool_works_on(struct worker_pool *pool, uint32_t part)
{
    pool->slot->part = part;
}

void
worker_pool_count(struct worker_pool *pool)
{
    atomic_fetch_add(&pool->shared->counted, 1);
}

bool
worker_pool_send(struct worker_pool *pool, const void *message, size_t size)
{
    ssize_t sent;
    BUG_ON(size > WORKER_MESSAGE_BYTES, "a message of %zu bytes is too large", size);
    while ((sent = send(pool->sockets[1], message, size, MSG_NOSIGNAL)) < 0 && errno == EINTR)
        ;
    return sent == (ssize_t)size;
}

void
worker_pool_leave(struct worker_pool *pool, int status)
{
    if (status == 0)
        pool->slot->pid = 0;
    _exit(status);
}

void
worker_pool_stop_at(struct worker_pool *pool, uint32_t part)
{
    uint32_t stop = pool->shared->stop;
    while (part < stop && !atomic_compare_exchange_weak(&pool->shared->stop, &stop, part))
        ;
}

bool
worker_pool_may_begin(const struct worker_pool *pool, uint32_t part)
{
    return part < pool->shared->stop;
}

static bool
receive(struct worker_pool *pool, struct worker_pool_report *report, int wait_milliseconds)
{
    struct pollfd ready = {pool->sockets[0], POLLIN, 0};
    if (poll(&ready, 1, wait_milliseconds) <= 0)
        return false;
    const ssize_t n = recv(pool->sockets[0], pool->message, WORKER_MESSAGE_BYTES, 0);
    if (n <= 0)
        return false;
    report->message = pool->message;
    report->size = (size_t)n;
    return true;
}

/* Returns the slot of a member that has exited without releasing its slot. */
static struct worker_slot *
slot_of_pid(struct worker_pool *pool, pid_t pid)
{
    for (uint32_t i = 0; i < pool->limit; i++)
        if (pool->shared->slots[i].pid == pid)
            return &pool->shared->slots[i];
    return NULL;
}

enum worker_pool_event
worker_pool_wait(struct worker_pool *pool, struct worker_pool_report *report)
{
    if (receive(pool, report, POLL_MILLISECONDS))
        return WORKER_MESSAGE;
    for (;;) {
        const pid_t pid = waitpid(-1, &report->status, __WCLONE | WNOHANG);
        if (pid == 0)
            return WORKER_NOTHING;
        if (pid < 0) /* no member is left, but a last message may still be queued */
            return receive(pool, report, 0) ? WORKER_MESSAGE : WORKER_DONE;
        if (report->status == 0)
            continue;
        struct worker_slot *slot = slot_of_pid(pool, pid);
        report->part = slot ? slot->part : 0;
        if (slot)
            slot->pid = 0;
        return WORKER_FAILED;
    }
}

void
worker_pool_signal(const struct worker_pool *pool, int signal)
{
    pool->shared->signal = signal;
    for (uint32_t i = 0; i < pool->limit; i++) {
        const pid_t pid = pool->shared->slots[i].pid;
        if (pid > 0 && is_first_signal(&pool->shared->slots[i], pid)) {
            kill(pid, signal);
            /* a stopped member receives the signal only once it continues */
            kill(pid, SIGCONT);
        }
    }
}

uint64_t
worker_pool_counted(const struct worker_pool *pool)
{
    return pool->shared->counted;
}

uint32_t
worker_pool_limit(const struct worker_pool *pool)
{
    return pool->limit;
}

uint32_t
worker_pool_size(const struct worker_pool *pool)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < pool->limit; i++)
        size += pool->shared->slots[i].pid != 0;
    return size;
}
