/* Runs a program on the virtual GPU (docs/design/frontend.md, Processes). Creates the private
 * folder, the socket, an X server if there is none, and the program's environment. Serves the
 * clients, then cleans up.
 *
 * The session on launch()'s stack owns all of these. The caller owns the sink. launch() fails if
 * one of them cannot be created or the server cannot continue. A failure of the program is part of
 * the result, and is not a failure of launch(). */
#include "trace/virgl/vtest/launch.h"

#include "base/args.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "trace/virgl/vtest/frame_clock.h"
#include "trace/virgl/vtest/keeper.h"
#include "trace/virgl/vtest/private_folder.h"
#include "trace/virgl/vtest/vtest_server.h"
#include "trace/virgl/vtest/x_server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    POLL_MS = 200,       /* limits the delay of a signal just before poll() */
    SHELLS_SIGNAL = 128, /* a shell's exit status is this + the signal number */
};

struct session {
    const struct launch_options *options;
    struct private_folder folder;
    char *socket;
    struct x_server x_server;
    struct keeper keeper;
    struct subprocess keys; /* program that presses keys; pid 0: none */
    bool runs;              /* the program itself is running */
    struct vtest_server *server;
    struct frame_clock clock;
    char *clock_path;
    char *refused_path; /* file that shim/context.c writes */
};

char *
launch_find(const char *name)
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

static char *
find_keys(struct error *err)
{
    char *program = data_path("shim", "aetius-keys");
    if (!program)
        fail(err, "this build has no --keys: install libxtst-dev and build Aetius again");
    return program;
}

bool
launch_check_keys(const char *keys, struct error *err)
{
    char *program = find_keys(err), *words = mem_strdup(keys), check[] = "--check", *text = NULL;
    char *const argv[] = {program, check, words, NULL};
    struct subprocess child;
    size_t size;
    int status = 0;
    bool ok = program &&
              subprocess_start(
                  &child, &(struct subprocess_setup){.argv = argv, .output = SUBPROCESS_PIPE}, err);
    ok = ok && subprocess_collect(&child, 256, &text, &size, &status, err);
    if (ok && status)
        ok = fail(err,
                  "--keys '%s': expected the name of a key (Return), +KEY or -KEY, seconds (8s), a "
                  "position of the pointer (320,200) or click",
                  text);
    free(text);
    free(words);
    free(program);
    return ok;
}

/* Warns if the program is setuid or setgid, because the loader then ignores LD_PRELOAD. */
static bool
warn_of_privilege(const char *program)
{
    struct stat st;
    char *file = launch_find(program), start[2] = "";
    const int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is_read = fd >= 0 && read(fd, start, sizeof start) == (ssize_t)sizeof start;
    /* setuid and setgid have no effect on scripts */
    const bool is_script = is_read && !memcmp(start, "#!", 2);
    const bool there = !stat(file, &st) && S_ISREG(st.st_mode) && !is_script;
    const bool user = there && st.st_mode & S_ISUID && st.st_uid != geteuid();
    const bool group = there && st.st_mode & S_ISGID && st.st_gid != getegid();
    if (user || group)
        log_warning("%s runs as another %s (it is %s), so the system ignores LD_PRELOAD and the "
                    "program cannot use the virtual GPU: run a copy without that bit, `cp %s .`",
                    file, user ? "user" : "group", user ? "setuid" : "setgid", file);
    if (fd >= 0)
        close(fd);
    free(file);
    return user || group;
}

/* Returns a path of the library that is valid in LD_PRELOAD, where a space or a colon ends a path.
 * The result is `library`, or a link in the private folder. The caller frees the result. The
 * function takes ownership of `library`. */
static char *
loadable_name(const struct session *session, const char *name, char *library, struct error *err)
{
    if (!strpbrk(library, " :"))
        return library;
    char *link = mem_printf("%s/%s", session->folder.path, name);
    if (!strpbrk(link, " :") && (!symlink(library, link) || errno == EEXIST)) {
        free(library);
        return link;
    }
    fail(err,
         "the loader cannot preload %s: the path (or TMPDIR) must not contain a space or a colon",
         library);
    free(library);
    free(link);
    return NULL;
}

/* Returns an LD_PRELOAD entry with the libraries of this program, then those of the user. Returns
 * NULL if one of the former is missing. The caller frees the result. */
static char *
find_preload(const struct session *session, struct error *err)
{
    const char *const names[] = {"libaetius-shim.so",
                                 session->options->clock ? "libaetius-clock.so" : NULL,
                                 session->options->window ? "libaetius-window.so" : NULL};
    const char *preloaded = getenv("LD_PRELOAD");
    char *all = mem_strdup("LD_PRELOAD=");
    for (uint32_t i = 0; all && i < sizeof names / sizeof *names; i++) {
        if (!names[i])
            continue;
        char *library = data_path("shim", names[i]);
        const bool is_there = library != NULL;
        library = is_there ? loadable_name(session, names[i], library, err) : NULL;
        char *longer = library ? mem_printf("%s%s%s", all, i ? ":" : "", library) : NULL;
        if (!is_there)
            fail(err, "cannot find %s: it is neither next to this program nor installed", names[i]);
        free(library);
        free(all);
        all = longer;
    }
    if (!all || !preloaded || !*preloaded)
        return all;
    char *longer = mem_printf("%s:%s", all, preloaded);
    free(all);
    return longer;
}

/* Starts the program. If its clock advances with its frames, disables address randomization. Mesa's
 * compiler iterates over tables in address order, so only fixed addresses always give the same
 * shaders. If the system does not permit fixed addresses, captures may differ. */
static bool
run_program(struct session *session, const struct subprocess_setup *setup, struct error *err)
{
    const int before = session->options->clock ? personality(0xffffffff) /* query */ : -1;
    if (before >= 0 && personality((unsigned long)before | ADDR_NO_RANDOMIZE) < 0)
        log_warning("cannot disable address randomization (%s): two captures may differ",
                    strerror(errno));
    /* apitrace completes its file at signals 1 to 15 if the program does not handle them. Many
     * programs handle SIGTERM, and then wait for the virtual GPU. */
    const int end_signal = session->options->apitrace ? SIGALRM : SIGTERM;
    session->runs = keeper_start(&session->keeper, setup, end_signal, err);
    if (before >= 0)
        personality((unsigned long)before);
    return session->runs;
}

static bool
start_program(struct session *session, char **argv, struct error *err)
{
    char *preload = find_preload(session, err);
    if (!preload)
        return false;
    const struct launch_options *options = session->options;
    char *clock = options->clock ? mem_printf("AETIUS_CLOCK=%s", session->clock_path)
                                 : mem_strdup("AETIUS_CLOCK");
    char *window = options->window ? mem_printf("AETIUS_WINDOW=%s", options->window)
                                   : mem_strdup("AETIUS_WINDOW");
    char *refused = mem_printf("AETIUS_REFUSED=%s", session->refused_path);
    char *ours = mem_printf("AETIUS_SOCKET=%s", session->socket);
    char *newer = mem_printf("VTEST_SOCKET_NAME=%s", session->socket);
    /* Otherwise glvnd replaces libGL's functions with Mesa's, which bypasses the wrappers of the
     * shim. */
    const char *const environment[] = {"LIBGL_ALWAYS_SOFTWARE=1",
                                       "GALLIUM_DRIVER=virpipe",
                                       "__GLVND_DISALLOW_PATCHING=1",
                                       preload,
                                       clock,
                                       window,
                                       options->apitrace ? "AETIUS_APITRACE=1" : "AETIUS_APITRACE",
                                       refused,
                                       ours,
                                       newer,
                                       session->x_server.display,
                                       session->x_server.authority,
                                       NULL};
    const struct subprocess_setup setup = {.argv = argv,
                                           .package = options->apitrace ? "apitrace" : NULL,
                                           .environment = environment,
                                           .log = options->log,
                                           .own_group = true};
    const bool ok = run_program(session, &setup, err);
    free(preload);
    free(clock);
    free(window);
    free(refused);
    free(ours);
    free(newer);
    return ok;
}

/* Starts the program that presses keys. */
static bool
start_keys(struct session *session, struct error *err)
{
    const char *keys = session->options->keys;
    const char *const environment[] = {session->x_server.display, session->x_server.authority,
                                       NULL};
    if (!keys)
        return true;
    char *program = find_keys(err),
         *words = mem_strdup(keys), *const argv[] = {program, words, NULL};
    const bool ok =
        program && subprocess_start(&session->keys,
                                    &(struct subprocess_setup){.argv = argv,
                                                               .environment = environment,
                                                               .no_input = true,
                                                               .own_group = true,
                                                               .death_signal = SIGKILL},
                                    err);
    free(words);
    free(program);
    return ok;
}

static void
program_ended(struct session *session, int status, struct launch_result *result)
{
    session->runs = false;
    subprocess_describe(status, result->how, sizeof result->how);
    result->failed = status != 0 && !result->interrupted && !result->stopped;
    result->segfault =
        result->failed && (WIFSIGNALED(status) ? WTERMSIG(status) == SIGSEGV
                                               : WEXITSTATUS(status) == SHELLS_SIGNAL + SIGSEGV);
}

/* Checks whether this process received a signal, and whether the program has ended. */
static void
hear_news(struct session *session, struct launch_result *result)
{
    int status;
    result->interrupted = interrupt_pending();
    if (session->runs && keeper_heard(&session->keeper, &status))
        program_ended(session, status, result);
}

/* Serves clients even after the program has ended, because processes that it left running
 * (background jobs of a shell) may still be clients. */
static bool
serve(struct session *session, const bool *stop, struct launch_result *result, struct error *err)
{
    const uint32_t most = session->options->most_seconds;
    const double started = wall_seconds();
    bool ok = true;
    while (ok && !result->interrupted && !result->stopped &&
           (session->runs || vtest_server_clients(session->server))) {
        const int wake = session->runs ? session->keeper.line : -1;
        ok = vtest_server_poll(session->server, wake, POLL_MS, err);
        hear_news(session, result);
        if (session->options->watch)
            session->options->watch(session->options->watch_data);
        result->stopped = (stop && *stop) || (most && wall_seconds() - started > most);
    }
    result->connections = vtest_server_connections(session->server);
    fail(&result->refused, "%s", vtest_server_failure(session->server));
    return ok;
}

/* Reads the description of a context that the program did not get. */
static void
read_wanted(const struct session *session, struct launch_result *result)
{
    struct error err;
    char *text;
    size_t size;
    if (!session->refused_path ||
        !file_read(session->refused_path, sizeof result->wanted - 1, &text, &size, &err))
        return;
    snprintf(result->wanted, sizeof result->wanted, "%.*s", (int)strcspn(text, "\n"), text);
    free(text);
}

/* After a normal end, lets processes that the program left running continue. */
static void
end_program(struct session *session, bool served, struct launch_result *result)
{
    if (served && !session->runs && !result->interrupted && !result->stopped) {
        keeper_leave(&session->keeper);
        return;
    }
    const int status = keeper_end(&session->keeper);
    if (session->runs)
        program_ended(session, status, result);
}

static void
clean_up(struct session *session, bool served, struct launch_result *result)
{
    subprocess_end(&session->keys, 0);
    if (session->keeper.process.pid > 0)
        end_program(session, served, result);
    if (session->server)
        vtest_server_destroy(session->server);
    frame_clock_fini(&session->clock);
    x_server_end(&session->x_server);
    read_wanted(session, result);
    private_folder_remove(&session->folder);
    free(session->refused_path);
    free(session->clock_path);
    free(session->socket);
}

static bool
start_server(struct session *session, struct message_sink *sink, struct error *err)
{
    const uint32_t clock = session->options->clock;
    session->socket = mem_printf("%s/vtest", session->folder.path);
    session->clock_path = mem_printf("%s/clock", session->folder.path);
    session->refused_path = mem_printf("%s/refused", session->folder.path);
    if (clock && !frame_clock_init(&session->clock, session->clock_path, clock, sink, err))
        return false;
    return vtest_server_create(&session->server, session->socket, session->options->offer,
                               clock ? &session->clock.sink : sink, err);
}

bool
launch(char **argv, const struct launch_options *options, struct message_sink *sink,
       const bool *stop, struct launch_result *result, struct error *err)
{
    struct session session = {.options = options};
    *result = (struct launch_result){.offer = options->offer};
    const char *display = getenv("DISPLAY");
    result->users_display = display && *display && !options->keys;
    result->privileged = warn_of_privilege(argv[0]);
    interrupt_watch();
    bool ok = private_folder_create(&session.folder, err);
    ok = ok && start_server(&session, sink, err) &&
         (result->users_display || x_server_start(&session.x_server, session.folder.path, err)) &&
         start_program(&session, argv, err) && start_keys(&session, err) &&
         serve(&session, stop, result, err);
    clean_up(&session, ok, result);
    return ok;
}

char *
launch_wanted(const struct launch_result *result)
{
    const bool is_es = !strncmp(result->wanted, "OpenGL ES", 9);
    const char *offered = gl_offer_version(result->offer, is_es);
    const double version = strtod(result->wanted + strcspn(result->wanted, "0123456789"), NULL);
    const char *option = gl_offer_with(version, is_es);
    if (!*result->wanted)
        return mem_strdup("");
    if (version <= strtod(offered, NULL) || !option)
        return mem_printf("; it wanted %s, but %s is offered", result->wanted, offered);
    return mem_printf("; it wanted %s, but %s is offered: use --gl %s", result->wanted, offered,
                      option);
}

/* Explains why the program never opened the virtual GPU. */
static void
report_unopened(const struct launch_result *result, const char *program, const char *wanted)
{
    if (result->privileged || *wanted)
        log_error("%s never opened the virtual GPU%s", program, wanted);
    else if (result->failed)
        log_error("%s ended with %s before it opened the virtual GPU (`aetius doctor` checks the "
                  "driver)",
                  program, result->how);
    else
        log_error("%s never opened the virtual GPU: it did not use OpenGL, or not Mesa's with the "
                  "virpipe driver (is OpenGL linked statically? `aetius doctor` checks the driver)",
                  program);
}

int
launch_conclude(const struct launch_result *result, const char *program)
{
    const bool is_opened = result->connections || result->stopped;
    if (result->interrupted) {
        log_error("interrupted");
        return EXIT_FAILED;
    }
    char *wanted = launch_wanted(result);
    if (!is_opened)
        report_unopened(result, program, wanted);
    else if (result->failed)
        log_error("%s ended with %s%s", program, result->how, wanted);
    free(wanted);
    if (result->segfault && result->users_display && result->connections)
        log_note("Mesa's virpipe crashes on an X server with MIT-SHM if a pixmap becomes a texture "
                 "(GTK 3, compositors): run with `env -u DISPLAY`, so that aetius starts a server "
                 "without MIT-SHM");
    const char *slash = strrchr(program, '/');
    if (!result->connections && !result->stopped &&
        !strncmp(slash ? slash + 1 : program, "wine", 4))
        log_note(
            "a Wine that still runs without this display, for example after `wineboot`, cannot "
            "open a window: wait for its end with `wineserver --wait`");
    return !result->failed && !result->refused.text[0] && is_opened ? EXIT_WELL : EXIT_FAILED;
}
