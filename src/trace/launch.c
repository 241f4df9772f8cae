/* Spec: frontend.md, "The road" and "The socket". */
#include "trace/launch.h"

#include "base/args.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "trace/process.h"
#include "trace/vtest_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct session {
    char *folder, *socket;
    pid_t x_server, program; /* 0: not running */
    char *display;           /* of our X server, or NULL */
    int signals;             /* signalfd of SIGCHLD, SIGINT, SIGTERM, SIGHUP */
    sigset_t old_mask;
    struct vtest_server *server;
};

/* Reads the display's number that Xvfb chose. */
static bool
read_display(int fd, char *number, size_t size)
{
    size_t n = 0;
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    while (n + 1 < size && poll(&polled, 1, 20000) == 1) {
        ssize_t got = read(fd, number + n, size - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
        number[n] = '\0';
        if (number[n - 1] == '\n') {
            number[n - 1] = '\0';
            return n > 1;
        }
    }
    return false;
}

static bool
start_x_server(struct session *session, struct error *err)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC))
        return fail(err, "cannot make a pipe: %s", strerror(errno));
    char *fd_text = mem_printf("%d", report[1]);
    char *log = mem_printf("%s/x-log", session->folder);
    char name[] = "Xvfb", displayfd[] = "-displayfd", screen[] = "-screen", zero[] = "0";
    char size[] = "1280x1024x24", nolisten[] = "-nolisten", tcp[] = "tcp", noreset[] = "-noreset";
    /* With shared memory Mesa's virpipe crashes where a pixmap becomes a texture (GTK 3,
     * compositors): it asks its resource for a handle (drisw_update_tex_buffer), which vtest does
     * not have. */
    char extension[] = "-extension", shm[] = "MIT-SHM";
    char *argv[] = {name,     displayfd, fd_text, screen,    zero, size,
                    nolisten, tcp,       noreset, extension, shm,  NULL};
    struct process_setup setup = {.argv = argv, .log = log, .kept_fd = report[1], .helper = true};
    char number[16];
    bool ok = process_start(&session->x_server, &setup, err);
    close(report[1]);
    if (!ok)
        fail_prefix(err, "DISPLAY is not set, and the X server for it (package xvfb)");
    else if (!(ok = read_display(report[0], number, sizeof number)))
        fail(err, "DISPLAY is not set, and Xvfb does not start");
    else
        session->display = mem_printf("DISPLAY=:%s", number);
    close(report[0]);
    free(fd_text);
    free(log);
    return ok;
}

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
    const char *const environment[] = {"LIBGL_ALWAYS_SOFTWARE=1",
                                       "GALLIUM_DRIVER=virpipe",
                                       preload,
                                       ours,
                                       newer,
                                       session->display,
                                       NULL};
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
    sigaddset(&mask, SIGINT);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGHUP);
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

/* What the signals say: this process shall end, or a child has ended. */
static void
hear_signals(struct session *session, struct launch_result *result)
{
    struct signalfd_siginfo info;
    while (read(session->signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD)
            result->interrupted = true;
    int status;
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
        ok = vtest_server_poll(session->server, session->signals, -1, err);
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
    if (session->x_server > 0)
        process_end(session->x_server, 1000);
    if (session->signals >= 0) {
        close(session->signals);
        sigprocmask(SIG_SETMASK, &session->old_mask, NULL);
    }
    if (session->folder)
        private_folder_remove(session->folder);
    free(session->folder);
    free(session->socket);
    free(session->display);
}

bool
launch(char **argv, struct message_sink *sink, const bool *stop, struct launch_result *result,
       struct error *err)
{
    struct session session = {.signals = -1};
    *result = (struct launch_result){0};
    const char *display = getenv("DISPLAY");
    result->privileged = warn_of_privilege(argv[0]);
    bool ok = private_folder_create(&session.folder, err);
    if (ok) {
        session.socket = mem_printf("%s/vtest", session.folder);
        ok = watch_signals(&session, err) &&
             vtest_server_create(&session.server, session.socket, sink, err) &&
             ((display && *display) || start_x_server(&session, err)) &&
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
