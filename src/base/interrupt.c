#include "base/interrupt.h"

#include <signal.h>
#include <stddef.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

/* Written by the handler alone. */
static volatile sig_atomic_t interrupted;

static void
on_signal(int signal)
{
    (void)signal;
    interrupted = 1;
}

void
interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, NULL);
}

bool
interrupt_pending(void)
{
    sigset_t set;
    bool pending = interrupted;
    sigpending(&set);
    for (size_t i = 0; i < SIGNALS; i++)
        pending |= sigismember(&set, signals[i]) == 1;
    return pending;
}
