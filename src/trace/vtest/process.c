#include "trace/vtest/process.h"

#include "base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void
set_environment(const char *const *environment)
{
    for (; environment && *environment; environment++) {
        const char *equals = strchr(*environment, '=');
        char name[64];
        if (!equals) {
            unsetenv(*environment);
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)(equals - *environment), *environment);
        setenv(name, equals + 1, 1);
    }
}

/* In the child; on return errno says why the program does not run. */
static void
become(const struct process_setup *setup, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    setpgid(0, 0);
    if (setup->helper) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
    }
    int in = open("/dev/null", O_RDONLY);
    if (setup->helper && in >= 0)
        dup2(in, STDIN_FILENO);
    if (setup->out_fd > 0)
        dup2(setup->out_fd, STDOUT_FILENO);
    if (setup->log) {
        int out = open(setup->log, O_WRONLY | O_CREAT | O_APPEND, 0600);
        if (out >= 0) {
            dup2(out, STDOUT_FILENO);
            dup2(out, STDERR_FILENO);
        }
    }
    if (setup->kept_fd >= 0)
        fcntl(setup->kept_fd, F_SETFD, 0);
    set_environment(setup->environment);
    execvp(setup->argv[0], setup->argv);
}

bool
process_start(pid_t *pid, const struct process_setup *setup, struct error *err)
{
    int report[2], why = 0;
    if (pipe2(report, O_CLOEXEC))
        return fail(err, "cannot make a pipe: %s", strerror(errno));
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        become(setup, parent);
        why = errno;
        ssize_t n = write(report[1], &why, sizeof why);
        _exit(n > 0 ? 127 : 126);
    }
    close(report[1]);
    ssize_t n = 0;
    while (child > 0 && (n = read(report[0], &why, sizeof why)) < 0 && errno == EINTR)
        ;
    close(report[0]);
    if (child < 0)
        return fail(err, "cannot start %s: %s", setup->argv[0], strerror(errno));
    if (n > 0) {
        waitpid(child, NULL, 0);
        return fail(err, "cannot run %s: %s", setup->argv[0], strerror(why));
    }
    *pid = child;
    return true;
}

int
process_end(pid_t pid, int grace_ms)
{
    int status = 0;
    kill(-pid, SIGTERM);
    for (int waited = 0; waited < (interrupt_pending() ? PROCESS_HURRIED_MS : grace_ms);
         waited += 10) {
        siginfo_t ended = {.si_pid = 0};
        if (!waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) && ended.si_pid)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    kill(-pid, SIGKILL); /* before it is reaped: its group keeps its number until then */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

void
process_tell_status(int status, char *text, unsigned size)
{
    if (WIFSIGNALED(status))
        snprintf(text, size, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(text, size, "exit status %d", WEXITSTATUS(status));
}
