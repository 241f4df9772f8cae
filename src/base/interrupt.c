#include "base/interrupt.h"

#include <signal.h>
#include <stddef.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

void
interrupt_block(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaddset(&set, signals[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

bool
interrupt_pending(void)
{
    sigset_t set;
    bool pending = false;
    sigpending(&set);
    for (size_t i = 0; i < SIGNALS; i++)
        pending |= sigismember(&set, signals[i]) == 1;
    return pending;
}
