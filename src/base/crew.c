/* A member is cloned with CLONE_PARENT and without an exit signal. So every member is a child of
 * the coordinator, and __WCLONE waits for members alone, not for other children of the process.
 *
 * Only the member writes its pid into its place, and takes it out before it exits. Only the
 * coordinator reaps, and only its thread signals. So a pid that crew_signal() loads belongs to a
 * member that was not reaped, and cannot have been given to another process. */
#include "base/crew.h"

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

struct place {
    _Atomic pid_t pid;       /* 0: free; -1: being taken */
    _Atomic pid_t signalled; /* the member here that crew_signal() reached last */
    _Atomic uint32_t part;
};

struct shared {
    struct place places[CREW_MAX];
    _Atomic uint64_t counted;
    _Atomic uint32_t stop; /* no part from this one on */
    _Atomic int signal;    /* the last one that was sent to all; 0: none */
};

struct crew {
    struct shared *shared;
    uint32_t limit;
    pid_t coordinator;
    int sockets[2];      /* coordinator's, members' */
    struct place *place; /* a member's own */
    uint8_t *message;
};

struct crew *
crew_create(uint32_t limit, struct error *err)
{
    struct crew *crew = mem_alloc(sizeof *crew);
    crew->limit = limit < CREW_MAX ? limit : CREW_MAX;
    crew->coordinator = getpid();
    crew->shared =
        mmap(NULL, sizeof *crew->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (crew->shared == MAP_FAILED ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, crew->sockets)) {
        fail(err, "cannot start several processes: %s", strerror(errno));
        if (crew->shared != MAP_FAILED)
            munmap(crew->shared, sizeof *crew->shared);
        free(crew);
        return NULL;
    }
    crew->shared->stop = UINT32_MAX;
    crew->message = mem_alloc(CREW_MESSAGE_BYTES);
    return crew;
}

void
crew_destroy(struct crew *crew)
{
    if (!crew)
        return;
    close(crew->sockets[0]);
    close(crew->sockets[1]);
    munmap(crew->shared, sizeof *crew->shared);
    free(crew->message);
    free(crew);
}

static struct place *
take_place(struct crew *crew)
{
    for (uint32_t i = 0; i < crew->limit; i++) {
        pid_t nobody = 0;
        if (atomic_compare_exchange_strong(&crew->shared->places[i].pid, &nobody, -1))
            return &crew->shared->places[i];
    }
    return NULL;
}

/* A second signal would end a member in the middle of its own end (base/interrupt.h). */
static bool
is_first_signal(struct place *place, pid_t pid)
{
    return atomic_exchange(&place->signalled, pid) != pid;
}

/* A member does not outlive its coordinator. It raises the signal that was sent to all before its
 * pid was in its place. */
static void
begin(struct crew *crew, struct place *place)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != crew->coordinator)
        _exit(1);
    crew->place = place;
    place->pid = getpid();
    if (crew->shared->signal && is_first_signal(place, getpid()))
        raise(crew->shared->signal);
}

/* As fork(), for a child with the exit signal of `flags`. */
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
crew_fork(struct crew *crew, uint32_t part, struct error *err)
{
    struct place *place = take_place(crew);
    err->text[0] = '\0';
    if (!place)
        return -1;
    place->part = part;
    const long pid = clone_process(crew->place ? CLONE_PARENT : 0);
    if (pid < 0) {
        place->pid = 0;
        fail(err, "cannot start a process: %s", strerror(errno));
        return -1;
    }
    if (pid == 0) {
        begin(crew, place);
        return 1;
    }
    return 0;
}

void
crew_works_on(struct crew *crew, uint32_t part)
{
    crew->place->part = part;
}

void
crew_count(struct crew *crew)
{
    atomic_fetch_add(&crew->shared->counted, 1);
}

bool
crew_send(struct crew *crew, const void *message, size_t size)
{
    ssize_t sent;
    BUG_ON(size > CREW_MESSAGE_BYTES, "a message of %zu bytes", size);
    while ((sent = send(crew->sockets[1], message, size, MSG_NOSIGNAL)) < 0 && errno == EINTR)
        ;
    return sent == (ssize_t)size;
}

void
crew_leave(struct crew *crew, int status)
{
    if (status == 0)
        crew->place->pid = 0;
    _exit(status);
}

void
crew_stop_at(struct crew *crew, uint32_t part)
{
    uint32_t stop = crew->shared->stop;
    while (part < stop && !atomic_compare_exchange_weak(&crew->shared->stop, &stop, part))
        ;
}

bool
crew_may_begin(const struct crew *crew, uint32_t part)
{
    return part < crew->shared->stop;
}

static bool
receive(struct crew *crew, struct crew_report *report, int wait_milliseconds)
{
    struct pollfd ready = {crew->sockets[0], POLLIN, 0};
    if (poll(&ready, 1, wait_milliseconds) <= 0)
        return false;
    const ssize_t n = recv(crew->sockets[0], crew->message, CREW_MESSAGE_BYTES, 0);
    if (n <= 0)
        return false;
    report->message = crew->message;
    report->size = (size_t)n;
    return true;
}

/* The place of a member that left without giving it back. */
static struct place *
place_of(struct crew *crew, pid_t pid)
{
    for (uint32_t i = 0; i < crew->limit; i++)
        if (crew->shared->places[i].pid == pid)
            return &crew->shared->places[i];
    return NULL;
}

enum crew_event
crew_wait(struct crew *crew, struct crew_report *report)
{
    if (receive(crew, report, POLL_MILLISECONDS))
        return CREW_MESSAGE;
    for (;;) {
        const pid_t pid = waitpid(-1, &report->status, __WCLONE | WNOHANG);
        if (pid == 0)
            return CREW_NOTHING;
        if (pid < 0) /* all are gone: what they said last may still lie there */
            return receive(crew, report, 0) ? CREW_MESSAGE : CREW_DONE;
        if (report->status == 0)
            continue;
        struct place *place = place_of(crew, pid);
        report->part = place ? place->part : 0;
        if (place)
            place->pid = 0;
        return CREW_FAILED;
    }
}

void
crew_signal(const struct crew *crew, int signal)
{
    crew->shared->signal = signal;
    for (uint32_t i = 0; i < crew->limit; i++) {
        const pid_t pid = crew->shared->places[i].pid;
        if (pid > 0 && is_first_signal(&crew->shared->places[i], pid)) {
            kill(pid, signal);
            kill(pid, SIGCONT); /* a stopped member does not receive it */
        }
    }
}

uint64_t
crew_counted(const struct crew *crew)
{
    return crew->shared->counted;
}

uint32_t
crew_limit(const struct crew *crew)
{
    return crew->limit;
}

uint32_t
crew_size(const struct crew *crew)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < crew->limit; i++)
        size += crew->shared->places[i].pid != 0;
    return size;
}
