#include "trace/virgl/vtest/keeper.h"

#include "base/interrupt.h"
#include "base/mem.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GRACE_MS = 2000, UNKILLABLE_MS = 500, LEAVE = 'l', HURRY = 'h' };

struct kin { /* a process */
    pid_t pid, parent;
    /* Clock ticks since boot. Together with the pid this identifies the process. */
    unsigned long long started;
    bool ours;
};

struct kin_list {
    struct kin *items;
    size_t count, capacity;
};

static int64_t
now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool
read_kin(const char *name, struct kin *kin)
{
    char path[300], text[512];
    snprintf(path, sizeof path, "/proc/%s/stat", name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    const char *behind = strrchr(text, ')'); /* the name in parentheses may contain anything */
    char state;
    *kin = (struct kin){.pid = (pid_t)strtol(name, NULL, 10)};
    /* Fields 3, 4 and 22 of /proc/PID/stat, see proc(5). */
    return behind &&
           sscanf(behind + 1,
                  " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d"
                  " %llu",
                  &state, &kin->parent, &kin->started) == 3;
}

/* Marks the children of marked processes. Returns whether it marked any new process. */
static bool
mark_children(struct kin_list *list)
{
    bool more = false;
    for (size_t i = 0; i < list->count; i++)
        for (size_t p = 0; p < list->count && !list->items[i].ours; p++)
            if (list->items[p].ours && list->items[i].parent == list->items[p].pid)
                more = list->items[i].ours = true;
    return more;
}

/* Signals the process that `kin` describes, unless another process has reused its pid. */
static void
signal_kin(const struct kin *kin, int number)
{
    char name[16];
    struct kin now;
    const int process = pidfd_open(kin->pid, 0);
    snprintf(name, sizeof name, "%d", (int)kin->pid);
    if (process >= 0 && read_kin(name, &now) && now.started == kin->started)
        pidfd_send_signal(process, number, NULL, 0);
    if (process >= 0)
        close(process);
}

/* Signals all descendants of this process. */
static void
signal_descendants(int number)
{
    struct kin_list list = {0};
    struct kin kin;
    DIR *dir = opendir("/proc");
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (!isdigit((unsigned char)entry->d_name[0]) || !read_kin(entry->d_name, &kin))
            continue;
        kin.ours = kin.parent == getpid();
        VEC_PUSH(&list, kin);
    }
    if (dir)
        closedir(dir);
    while (mark_children(&list))
        ;
    for (size_t i = 0; i < list.count; i++)
        if (list.items[i].ours)
            signal_kin(&list.items[i], number);
    VEC_FREE(&list);
}

/* Reaps children and sends the wait status of the program. Returns false if no child is left. */
static bool
reap(int line, pid_t program)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (pid == program)
            send(line, &status, sizeof status, MSG_NOSIGNAL);
    return pid == 0;
}

/* Ends all descendants. Gives up on processes that it may not kill, because they run as another
 * user. */
static void
end_all(int line, pid_t program, int end_signal, int64_t grace_ms)
{
    const int64_t began = now_ms();
    signal_descendants(end_signal);
    while (reap(line, program)) {
        const int64_t passed = now_ms() - began;
        if (passed > grace_ms + UNKILLABLE_MS)
            return;
        if (passed > grace_ms)
            signal_descendants(SIGKILL);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
}

struct keep {
    int parent, line; /* parent, line: the two ends of the socket */
    const struct subprocess_setup *setup;
    int end_signal;
};

/* Main function of the keeper process. If the parent closes the socket without sending a message,
 * the keeper ends all processes. */
static int
keep(void *data)
{
    const struct keep *k = data;
    struct error err = {""};
    struct subprocess program;
    sigset_t mask;
    char word;
    close(k->parent);
    sigfillset(&mask);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    setpgid(0, 0);
    prctl(PR_SET_NAME, "aetius-keeper");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const bool well = subprocess_start(&program, k->setup, &err);
    send(k->line, &err, sizeof err, MSG_NOSIGNAL);
    if (!well)
        return 1;
    /* Close the other inherited descriptors, so that readers of pipes see end-of-file when the
     * parent closes its copies. */
    const int own = STDERR_FILENO + 1;
    dup2(k->line, own);
    close_range((unsigned)own + 1, ~0u, 0);
    struct pollfd polled[2] = {{.fd = own, .events = POLLIN}, {.events = POLLIN}};
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    polled[1].fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    for (struct signalfd_siginfo info; reap(own, program.pid);) {
        poll(polled, 2, -1);
        if (polled[0].revents)
            break;
        while (read(polled[1].fd, &info, sizeof info) > 0)
            ;
    }
    const bool received = recv(own, &word, 1, 0) == 1;
    if (!received || word == HURRY)
        end_all(own, program.pid, k->end_signal, received ? SUBPROCESS_HURRIED_MS : GRACE_MS);
    return 0;
}

/* Receives a packet, and continues after signals. Returns 0 if the other end is closed. */
static ssize_t
receive(int line, void *bytes, size_t size, int flags)
{
    ssize_t n;
    while ((n = recv(line, bytes, size, flags)) < 0 && errno == EINTR)
        ;
    return n;
}

bool
keeper_start(struct keeper *keeper, const struct subprocess_setup *setup, int end_signal,
             struct error *err)
{
    struct error why = {"its monitor process was terminated"};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return fail(err, "cannot create a socket: %s", strerror(errno));
    struct keep keeping = {ends[0], ends[1], setup, end_signal};
    const bool started = subprocess_fork(&keeper->process, keep, &keeping, 0, err);
    close(ends[1]);
    keeper->line = ends[0];
    if (started && receive(ends[0], &why, sizeof why, 0) == (ssize_t)sizeof why && !why.text[0])
        return true;
    close(ends[0]);
    if (!started)
        return false;
    subprocess_wait(&keeper->process);
    return fail(err, "%s", why.text);
}

/* If the keeper was killed, its program counts as killed as well. */
static bool
hear(struct keeper *keeper, int *status, int flags)
{
    const ssize_t n = receive(keeper->line, status, sizeof *status, flags);
    if (n < 0)
        return false;
    if (n != (ssize_t)sizeof *status)
        *status = SIGKILL;
    return true;
}

bool
keeper_heard(struct keeper *keeper, int *status)
{
    return hear(keeper, status, MSG_DONTWAIT);
}

static void
release(struct keeper *keeper)
{
    close(keeper->line);
    subprocess_wait(&keeper->process);
    *keeper = (struct keeper){0};
}

int
keeper_end(struct keeper *keeper)
{
    const char word = HURRY;
    int status = 0;
    if (interrupt_pending())
        send(keeper->line, &word, 1, MSG_NOSIGNAL);
    shutdown(keeper->line, SHUT_WR);
    subprocess_signal(&keeper->process, SIGCONT); /* the keeper may be stopped */
    hear(keeper, &status, 0);
    release(keeper);
    return status;
}

void
keeper_leave(struct keeper *keeper)
{
    const char word = LEAVE;
    send(keeper->line, &word, 1, MSG_NOSIGNAL);
    release(keeper);
}
