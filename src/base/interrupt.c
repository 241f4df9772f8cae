#include "base/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof signals[0], TURN_MS = 100 };

/* First signal that arrived, or 0. Only signal handlers set it; interrupt_grace() clears it. */
static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t last; /* most recent signal */
static int forgiven;               /* signal that interrupt_grace() cleared */

static void
end(int signal)
{
    static const char text[] = "aetius: interrupted\n";
    const ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);
    (void)n;
    _exit(128 + signal);
}

static void
note_first(int signal)
{
    if (!interrupted)
        interrupted = signal;
}

static void
note(int signal)
{
    if (last == signal)
        end(signal);
    last = signal;
    note_first(signal);
}

/* Omits SA_RESTART, because a restarted read of a pipe would miss the signal. Signals that were
 * ignored at program start stay ignored: SIGHUP under nohup, SIGINT in background jobs of a
 * script. */
static void
install(void (*handler)(int signal))
{
    struct sigaction action = {.sa_handler = handler}, old;
    for (size_t i = 0; i < SIGNALS; i++)
        if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

void
interrupt_init(void)
{
    install(end);
    /* Reaching the file size limit becomes a failed write(), like a full disk. */
    signal(SIGXFSZ, SIG_IGN);
    /* The parent may have set SIG_IGN, with which the kernel would discard the exit status of
     * children. */
    signal(SIGCHLD, SIG_DFL);
}

void
interrupt_watch(void)
{
    install(note);
}

bool
interrupt_pending(void)
{
    return interrupted != 0;
}

void
interrupt_grace(unsigned seconds)
{
    const struct sigaction end_of_grace = {.sa_handler = note_first};
    forgiven = interrupted;
    interrupted = last = 0;
    interrupt_watch();
    sigaction(SIGALRM, &end_of_grace, NULL);
    alarm(seconds);
}

bool
interrupt_check(struct error *err)
{
    return !interrupted || fail(err, "interrupted");
}

/* Polls in short intervals, because a signal that arrives just before poll() does not interrupt
 * it. */
bool
interrupt_await(int fd, int milliseconds)
{
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    for (int waited = 0; waited < milliseconds && !interrupted; waited += TURN_MS)
        if (poll(&polled, 1, TURN_MS) > 0)
            return true;
    return false;
}

ssize_t
interrupt_read(int fd, void *bytes, size_t size, struct error *err)
{
    size_t done = 0;
    while (done < size) {
        while (!interrupt_await(fd, TURN_MS))
            if (!interrupt_check(err))
                return -1;
        const ssize_t n = read(fd, (char *)bytes + done, size - done);
        if (n == 0)
            break;
        if (n < 0 && errno != EINTR) {
            fail(err, "%s", strerror(errno));
            return -1;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)done;
}

int
interrupt_status(int status)
{
    const int number = forgiven ? forgiven : interrupted;
    return status && number ? 128 + number : status;
}

void
interrupt_hold(sigset_t *before)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaddset(&set, signals[i]);
    sigprocmask(SIG_BLOCK, &set, before);
}

void
interrupt_release(const sigset_t *before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
}
