#include "base/interrupt.h"

#include <stddef.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

/* The first that came; written by the handler alone. */
static volatile sig_atomic_t interrupted;

static void
note(int signal)
{
    if (!interrupted)
        interrupted = signal;
}

static void
end(int signal)
{
    static const char text[] = "aetius: interrupted\n";
    const ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);
    (void)n;
    _exit(128 + signal);
}

/* Calls that wait are not gone on with: a read of a pipe would not see that a signal came. */
static void
install(void (*handler)(int signal), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
    for (size_t i = 0; i < SIGNALS; i++)
        if (signals[i] != SIGHUP || (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN))
            sigaction(signals[i], &action, NULL); /* SIGHUP is ignored under nohup */
}

void
interrupt_init(void)
{
    install(end, 0);
}

void
interrupt_watch(void)
{
    install(note, (int)SA_RESETHAND);
}

bool
interrupt_pending(void)
{
    return interrupted != 0;
}

bool
interrupt_check(struct error *err)
{
    return !interrupted || fail(err, "interrupted");
}

int
interrupt_status(int status)
{
    return status && interrupted ? 128 + interrupted : status;
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
