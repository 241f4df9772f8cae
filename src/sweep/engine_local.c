/* Executes runs on this machine with DIR/build.ninja. The file contains no paths, because ninja
 * cannot express some of them, such as a path with a line break. Instead, ninja runs in DIR, and an
 * environment variable contains this program's path. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/memory_text.h"
#include "sweep/engine.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURN_MS = 200 };

char *
ninja_file(const struct ninja_work *work)
{
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    fprintf(out,
            "# Written by aetius sweep: the pending runs. No rule writes a file with the name of "
            "its target.\nninja_required_version = 1.3\nbuilddir = ninja\nrule run\n  command = "
            "exec \"$${AETIUS:-aetius}\" sweep %s --with-parent . $name\n  description = $name\n",
            work->command);
    for (size_t i = 0; i < work->names.count; i++)
        fprintf(out, "build do-%s: run\n  name = %s\n", work->names.items[i], work->names.items[i]);
    return memory_text_take(&text);
}

static bool
write_file(const struct sweep *sweep, const struct ninja_work *work, struct error *err)
{
    char *text = ninja_file(work), *path = sweep_path(sweep, "build.ninja");
    const bool ok = file_write(path, text, strlen(text), err);
    free(text);
    free(path);
    return ok;
}

/* Parses "[12/40] KEY", which reports the end of a run. */
static void
take_line(const char *line, struct progress *progress)
{
    unsigned long ended;
    if (sscanf(line, "[%lu/", &ended) == 1)
        progress_at(progress, ended, "");
}

/* Buffer for a line of ninja's output, which arrives in pieces. */
struct line {
    char text[256];
    size_t length;
};

static void
take_bytes(struct line *line, const char *bytes, size_t size, struct progress *progress)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '\n') {
            line->text[line->length] = bytes[i];
            line->length += line->length + 1 < sizeof line->text;
            continue;
        }
        line->text[line->length] = '\0';
        line->length = 0;
        take_line(line->text, progress);
    }
}

/* Reads ninja's output to its end, and forwards a signal. Polls in short intervals, because a
 * signal may arrive just before a wait. */
static void
follow(const struct subprocess *ninja, const struct ninja_work *work)
{
    struct progress progress;
    struct line line = {.length = 0};
    bool reported = false;
    progress_begin(&progress, work->what, work->names.count);
    for (;;) {
        struct pollfd polled = {.fd = ninja->output, .events = POLLIN};
        char bytes[4096];
        if (interrupt_pending() && !reported) {
            subprocess_signal(ninja, SIGINT);
            reported = true;
        }
        if (poll(&polled, 1, TURN_MS) <= 0)
            continue;
        const ssize_t got = read(ninja->output, bytes, sizeof bytes);
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        take_bytes(&line, bytes, got > 0 ? (size_t)got : 0, &progress);
    }
    progress_end(&progress);
}

bool
ninja_do(const struct sweep *sweep, const struct ninja_work *work, struct error *err)
{
    char *jobs = mem_printf("%llu", (unsigned long long)work->jobs), *self = engine_self();
    char *words[] = {(char *)"ninja",
                     (char *)"-j",
                     jobs,
                     (char *)"-k",
                     (char *)(work->keep_going ? "0" : "1"),
                     NULL};
    struct subprocess ninja;
    int status = 0;
    if (!write_file(sweep, work, err)) {
        free(self);
        free(jobs);
        return false;
    }
    setenv("AETIUS", self, true);
    setenv("NINJA_STATUS", "[%f/%t] ", true);
    const bool started =
        engine_start(&ninja, sweep->dir, words, "ninja-build; or use --engine list", err);
    free(self);
    free(jobs);
    if (started) {
        follow(&ninja, work);
        status = subprocess_wait(&ninja);
    }
    if (!started || !interrupt_check(err))
        return false;
    return !WIFSIGNALED(status) || fail(err, "ninja was terminated by signal %d", WTERMSIG(status));
}

static bool
engine_local_begin(const struct engine_request *request, struct error *err)
{
    struct ninja_work work = {
        .command = "run", .what = "runs", .jobs = request->jobs, .keep_going = request->keep_going};
    for (size_t i = 0; i < request->count; i++)
        word_list_add(&work.names, request->sweep->runs.items[request->todo[i]].key);
    const bool ok = ninja_do(request->sweep, &work, err);
    word_list_fini(&work.names);
    return ok;
}

const struct sweep_engine engine_local = {
    .name = "local", .is_awaited = true, .begin = engine_local_begin};
