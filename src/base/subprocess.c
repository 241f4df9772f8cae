#include "base/subprocess.h"

#include "base/interrupt.h"
#include "base/mem.h"

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

enum { POLL_MS = 10, FIRST_BYTES = 4096 };

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

/* Runs in the child. Exits if the parent has exited before prctl() took effect. */
static void
follow_parent(int death_signal, pid_t parent)
{
    if (!death_signal)
        return;
    prctl(PR_SET_PDEATHSIG, death_signal);
    if (getppid() != parent)
        _exit(126);
}

static void
redirect(const struct subprocess_setup *setup, int pipe_end)
{
    const int nothing = setup->no_input ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
    const int in = setup->in_fd ? setup->in_fd : nothing;
    if (in >= 0)
        dup2(in, STDIN_FILENO);
    if (setup->output != SUBPROCESS_AS_OURS)
        dup2(pipe_end, STDOUT_FILENO);
    if (setup->output == SUBPROCESS_PIPE)
        dup2(pipe_end, STDERR_FILENO);
    if (setup->out_fd)
        dup2(setup->out_fd, STDOUT_FILENO);
    const int log =
        setup->log ? open(setup->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (log >= 0) {
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
    }
    if (setup->kept_fd)
        fcntl(setup->kept_fd, F_SETFD, 0);
}

/* Runs in the child. Returns only on failure, with the reason in errno. */
static void
exec_program(const struct subprocess_setup *setup, int pipe_end, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    if (setup->own_group) {
        setpgid(0, 0);
        /* The terminal would stop a background process group. Because these signals are ignored,
         * reads fail and writes succeed instead. */
        signal(SIGTTIN, SIG_IGN);
        signal(SIGTTOU, SIG_IGN);
    }
    follow_parent(setup->death_signal, parent);
    redirect(setup, pipe_end);
    set_environment(setup->environment);
    if (setup->folder && chdir(setup->folder))
        return;
    execvp(setup->argv[0], setup->argv);
}

/* Returns the errno of a failed exec, or 0 on success. A successful exec closes the write end
 * without writing to the pipe. */
static int
hear_refusal(int report)
{
    int why = 0;
    ssize_t n;
    while ((n = read(report, &why, sizeof why)) < 0 && errno == EINTR)
        ;
    return n == (ssize_t)sizeof why ? why : 0;
}

static void
close_both(const int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

static bool
fail_start(const struct subprocess_setup *setup, int why, struct error *err)
{
    if (why == ENOENT && setup->package)
        return fail(err, "%s is not installed (Debian: %s)", setup->argv[0], setup->package);
    return fail(err, "cannot run %s: %s", setup->argv[0], strerror(why));
}

bool
subprocess_start(struct subprocess *child, const struct subprocess_setup *setup, struct error *err)
{
    const bool has_pipe = setup->output != SUBPROCESS_AS_OURS;
    const pid_t parent = getpid();
    int report[2], output[2] = {-1, -1}, why;
    *child = (struct subprocess){.output = -1};
    if (pipe2(report, O_CLOEXEC))
        return fail_start(setup, errno, err);
    if (has_pipe && pipe2(output, O_CLOEXEC)) {
        why = errno;
        close_both(report);
        return fail_start(setup, why, err);
    }
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        exec_program(setup, output[1], parent);
        why = errno;
        const ssize_t n = write(report[1], &why, sizeof why);
        _exit(n > 0 ? 127 : 126);
    }
    why = pid < 0 ? errno : 0;
    close(report[1]);
    if (has_pipe)
        close(output[1]);
    *child = (struct subprocess){
        .pid = pid > 0 ? pid : 0, .output = output[0], .own_group = setup->own_group};
    why = pid > 0 ? hear_refusal(report[0]) : why;
    close(report[0]);
    if (!why)
        return true;
    subprocess_wait(child);
    child->not_found = why == ENOENT;
    return fail_start(setup, why, err);
}

bool
subprocess_fork(struct subprocess *child, int (*work)(void *data), void *data, int death_signal,
                struct error *err)
{
    const pid_t parent = getpid();
    int ends[2];
    *child = (struct subprocess){.output = -1};
    if (pipe2(ends, O_CLOEXEC))
        return fail(err, "cannot start a process: %s", strerror(errno));
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        follow_parent(death_signal, parent);
        const int status = work(data);
        fflush(NULL);
        _exit(status);
    }
    const int why = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return fail(err, "cannot start a process: %s", strerror(why));
    }
    *child = (struct subprocess){.pid = pid, .output = ends[0]};
    return true;
}

void
subprocess_signal(const struct subprocess *child, int number)
{
    if (child->pid > 0 && (!child->own_group || kill(-child->pid, number)))
        kill(child->pid, number); /* the child may not have created its process group yet */
}

static void
close_output(struct subprocess *child)
{
    if (child->output >= 0)
        close(child->output);
    child->output = -1;
}

bool
subprocess_has_ended(struct subprocess *child, int *status)
{
    if (child->pid <= 0 || waitpid(child->pid, status, WNOHANG) != child->pid)
        return false;
    child->pid = 0;
    close_output(child);
    return true;
}

int
subprocess_wait(struct subprocess *child)
{
    int status = 0;
    close_output(child);
    while (child->pid > 0 && waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    child->pid = 0;
    return status;
}

int
subprocess_end(struct subprocess *child, int grace_ms)
{
    subprocess_signal(child, SIGTERM);
    for (int waited = 0; child->pid > 0; waited += POLL_MS) {
        siginfo_t ended = {.si_pid = 0};
        if (waitid(P_PID, (id_t)child->pid, &ended, WEXITED | WNOHANG | WNOWAIT) || ended.si_pid)
            break;
        if (waited >= grace_ms || (interrupt_pending() && waited >= SUBPROCESS_HURRIED_MS))
            break;
        nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000}, NULL);
    }
    /* Must precede the wait: until the child is reaped, no other process can get its pid. */
    subprocess_signal(child, SIGKILL);
    return subprocess_wait(child);
}

bool
subprocess_collect(struct subprocess *child, size_t most, char **text, size_t *size, int *status,
                   struct error *err)
{
    size_t capacity = most < FIRST_BYTES ? most : FIRST_BYTES;
    ssize_t got;
    *text = mem_alloc(capacity + 1);
    *size = 0;
    while ((got = interrupt_read(child->output, *text + *size, capacity - *size, err)) > 0) {
        *size += (size_t)got;
        if (*size == capacity && capacity < most) {
            capacity = capacity < most / 2 ? capacity * 2 : most;
            *text = mem_realloc(*text, capacity + 1);
        }
    }
    if (got < 0) {
        subprocess_end(child, SUBPROCESS_HURRIED_MS);
        free(*text);
        *text = NULL;
        return false;
    }
    (*text)[*size] = 0;
    *status = subprocess_wait(child);
    return true;
}

void
subprocess_describe(int status, char *text, unsigned size)
{
    if (WIFSIGNALED(status))
        snprintf(text, size, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(text, size, "exit status %d", WEXITSTATUS(status));
}

bool
subprocess_check(int status, const char *name, struct error *err)
{
    char how[128];
    subprocess_describe(status, how, sizeof how);
    return status == 0 || fail(err, "%s ended with %s", name, how);
}
