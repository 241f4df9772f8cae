/* Spec: frontend.md, "The road" and "The socket". */
#include "trace/vtest/launch.h"

#include "base/args.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "trace/vtest/private_folder.h"
#include "trace/vtest/process.h"
#include "trace/vtest/vtest_server.h"
#include "trace/vtest/x_server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MS = 200 }; /* a signal that comes just before the wait is seen after it */

struct session {
    struct private_folder folder;
    char *socket;
    struct x_server x_server;
    pid_t program; /* 0: not running */
    int signals;   /* signalfd of SIGCHLD */
    sigset_t old_mask;
    struct vtest_server *server;
};

/* The file that execvp() would run; the caller's to free. */
static char *
find_program(const char *name)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/') || !path)
        return mem_strdup(name);
    for (;; path++) {
        const int length = (int)strcspn(path, ":");
        char *file = mem_printf("%.*s%s%s", length, path, length ? "/" : "", name);
        if (!access(file, X_OK))
            return file;
        free(file);
        path += length;
        if (!*path)
            return mem_strdup(name);
    }
}

/* The system takes LD_PRELOAD away from a program that it gives another user or group. */
static bool
warn_of_privilege(const char *program)
{
    struct stat st;
    char *file = find_program(program), start[2] = "";
    const int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is_read = fd >= 0 && read(fd, start, sizeof start) == (ssize_t)sizeof start;
    const bool is_script = is_read && !memcmp(start, "#!", 2); /* these get nothing */
    const bool there = !stat(file, &st) && S_ISREG(st.st_mode) && !is_script;
    const bool user = there && st.st_mode & S_ISUID && st.st_uid != geteuid();
    const bool group = there && st.st_mode & S_ISGID && st.st_gid != getegid();
    if (user || group)
        log_warning("%s runs as another %s (it is %s), so the system hides the virtual GPU from it "
                    "(LD_PRELOAD): run a copy instead, `cp %s .`, which has not that bit",
                    file, user ? "user" : "group", user ? "setuid" : "setgid", file);
    if (fd >= 0)
        close(fd);
    free(file);
    return user || group;
}

static bool
start_program(struct session *session, char **argv, struct error *err)
{
    char *shim = data_path("shim", "libaetius-shim.so");
    if (!shim)
        return fail(err, "libaetius-shim.so is neither beside this program nor installed");
    const char *preloaded = getenv("LD_PRELOAD");
    char *preload = preloaded && *preloaded ? mem_printf("LD_PRELOAD=%s:%s", shim, preloaded)
                                            : mem_printf("LD_PRELOAD=%s", shim);
    char *ours = mem_printf("AETIUS_SOCKET=%s", session->socket);
    char *newer = mem_printf("VTEST_SOCKET_NAME=%s", session->socket);
    const char *const environment[] = {
        "LIBGL_ALWAYS_SOFTWARE=1", "GALLIUM_DRIVER=virpipe",    preload, ours, newer,
        session->x_server.display, session->x_server.authority, NULL};
    struct process_setup setup = {.argv = argv, .environment = environment, .kept_fd = -1};
    bool ok = process_start(&session->program, &setup, err);
    free(shim);
    free(preload);
    free(ours);
    free(newer);
    return ok;
}

static bool
watch_signals(struct session *session, struct error *err)
{
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigprocmask(SIG_BLOCK, &mask, &session->old_mask);
    session->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    return session->signals >= 0 || fail(err, "cannot watch signals: %s", strerror(errno));
}

static void
program_ended(struct session *session, int status, struct launch_result *result)
{
    session->program = 0;
    process_tell_status(status, result->how, sizeof result->how);
    result->failed = status != 0 && !result->interrupted && !result->stopped;
}

/* This process shall end, or a child has ended. */
static void
hear_signals(struct session *session, struct launch_result *result)
{
    struct signalfd_siginfo info;
    int status;
    while (read(session->signals, &info, sizeof info) == (ssize_t)sizeof info)
        ;
    result->interrupted = interrupt_pending();
    if (session->program > 0 && waitpid(session->program, &status, WNOHANG) == session->program)
        program_ended(session, status, result);
}

/* Clients outlive the program when it left others behind (a shell's background jobs): they are
 * served until they go. */
static bool
serve(struct session *session, const bool *stop, struct launch_result *result, struct error *err)
{
    bool ok = true;
    while (ok && !result->interrupted && !result->stopped &&
           (session->program > 0 || vtest_server_clients(session->server))) {
        ok = vtest_server_poll(session->server, session->signals, POLL_MS, err);
        hear_signals(session, result);
        result->stopped = stop && *stop;
    }
    result->connections = vtest_server_connections(session->server);
    fail(&result->refused, "%s", vtest_server_failure(session->server));
    return ok;
}

static void
clean_up(struct session *session, struct launch_result *result)
{
    if (session->program > 0)
        program_ended(session, process_end(session->program, 2000), result);
    if (session->server)
        vtest_server_destroy(session->server);
    x_server_end(&session->x_server);
    if (session->signals >= 0) {
        close(session->signals);
        sigprocmask(SIG_SETMASK, &session->old_mask, NULL);
    }
    private_folder_remove(&session->folder);
    free(session->socket);
}

bool
launch(char **argv, struct message_sink *sink, const bool *stop, struct launch_result *result,
       struct error *err)
{
    struct session session = {.signals = -1};
    *result = (struct launch_result){0};
    const char *display = getenv("DISPLAY");
    result->privileged = warn_of_privilege(argv[0]);
    interrupt_watch();
    bool ok = private_folder_create(&session.folder, err);
    if (ok) {
        session.socket = mem_printf("%s/vtest", session.folder.path);
        ok = watch_signals(&session, err) &&
             vtest_server_create(&session.server, session.socket, sink, err) &&
             ((display && *display) ||
              x_server_start(&session.x_server, session.folder.path, err)) &&
             start_program(&session, argv, err) && serve(&session, stop, result, err);
    }
    clean_up(&session, result);
    return ok;
}

int
launch_conclude(const struct launch_result *result, const char *program)
{
    if (result->interrupted) {
        log_error("interrupted");
        return EXIT_FAILED;
    }
    if (result->failed)
        log_error("%s ended with %s", program, result->how);
    if (result->privileged && !result->connections && !result->stopped)
        log_error("%s never opened the virtual GPU", program);
    else if (!result->connections && !result->stopped)
        log_error("%s never opened the virtual GPU: it drew nothing with OpenGL, or its OpenGL is "
                  "not Mesa's with the virpipe driver (linked statically? package libgl1-mesa-dri "
                  "missing?)",
                  program);
    bool well =
        !result->failed && !result->refused.text[0] && (result->connections || result->stopped);
    return well ? EXIT_WELL : EXIT_FAILED;
}
