/* aetius topdown --profile: runs nvprof or ncu with the metrics that the equations need. */
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/topdown/topdown.h"
#include "trace/virgl/vtest/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POLL_MS = 200 };

/* Waits for the profiler to exit. After a signal, terminates the profiler and its children. */
static bool
wait_for_profiler(struct keeper *keeper, const char *name, struct error *err)
{
    int status;
    bool ended;
    while (!(ended = keeper_heard(keeper, &status)) && !interrupt_pending())
        interrupt_await(keeper->line, POLL_MS);
    if (ended)
        keeper_leave(keeper);
    else
        status = keeper_end(keeper);
    if (!interrupt_check(err))
        return false;
    return subprocess_check(status, name, err);
}

/* Runs a program; `words`: it and its arguments, maybe below a profiler. */
static bool
run_program(char **words, const struct topdown_program *program, double *seconds, struct error *err)
{
    struct keeper keeper;
    const double begun = wall_seconds();
    const struct subprocess_setup setup = {.argv = words,
                                           .folder = program->folder,
                                           .log = program->log,
                                           .out_fd = program->log ? 0 : STDERR_FILENO,
                                           .own_group = true};
    fflush(NULL);
    const bool ok =
        keeper_start(&keeper, &setup, SIGTERM, err) && wait_for_profiler(&keeper, words[0], err);
    *seconds = wall_seconds() - begun;
    return ok;
}

const struct nvidia_capability *
topdown_find_capability(struct error *err)
{
    char *words[] = {"nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", NULL};
    char text[64] = "";
    struct error ignored;
    struct keeper keeper;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) {
        fail(err, "cannot create a pipe: %s", strerror(errno));
        return NULL;
    }
    const struct subprocess_setup setup = {.argv = words, .out_fd = ends[1], .own_group = true};
    fflush(NULL);
    const bool started = keeper_start(&keeper, &setup, SIGTERM, &ignored);
    close(ends[1]);
    const bool heard = started && interrupt_read(ends[0], text, sizeof text - 1, &ignored) >= 0;
    close(ends[0]);
    text[strcspn(text, " \r\n")] = '\0';
    const bool ok = started && wait_for_profiler(&keeper, words[0], &ignored) && heard && *text;
    if (!interrupt_check(err))
        return NULL;
    if (ok)
        return nvidia_capability_parse(text, err);
    fail(err, "nvidia-smi does not report the GPU's compute capability: give it with --cc X.Y");
    return NULL;
}

/* Joins the words of the profiler and of the program. The caller frees only the array. */
static char **
join_words(char **profiler, char **program)
{
    size_t n = 0, m = 0;
    while (profiler[n])
        n++;
    while (program && program[m])
        m++;
    char **words = mem_array(n + m + 1, sizeof *words);
    memcpy(words, profiler, n * sizeof *words);
    if (m)
        memcpy(words + n, program, m * sizeof *words);
    return words;
}

struct nvidia_request
topdown_asks(const struct topdown_request *request, const char *log)
{
    return (struct nvidia_request){.log = log,
                                   .each_launch = request->over_time,
                                   .level = request->published ? 0 : request->level,
                                   .kernel = request->kernel,
                                   .launches = request->launches};
}

/* Appends the profiler's first error message, which is in the file of its tables. */
static void
add_message(const char *path, struct error *err)
{
    static const char *const marks[] = {"==ERROR== ", "======== Error: "}; /* ncu, nvprof */
    char *line = NULL;
    const char *message = NULL;
    size_t size = 0;
    struct error longer;
    FILE *in = fopen(path, "r");
    while (in && !message && getline(&line, &size, in) > 0)
        for (size_t i = 0; i < 2; i++)
            if (!strncmp(line, marks[i], strlen(marks[i])))
                message = line + strlen(marks[i]);
    if (message) {
        line[strcspn(line, "\r\n")] = '\0';
        fail(&longer, "%.300s: %.300s", err->text, message);
        *err = longer;
    }
    free(line);
    if (in)
        fclose(in);
}

bool
topdown_profile(const struct nvidia_capability *capability, const struct nvidia_request *request,
                const struct topdown_program *program, double *seconds, struct error *err)
{
    char **profiler = nvidia_command(capability, request);
    char **words = join_words(profiler, program->words);
    const bool ok = run_program(words, program, seconds, err);
    if (!ok && !interrupt_pending())
        add_message(request->log, err);
    free(words);
    nvidia_command_free(profiler);
    return ok;
}

bool
topdown_run_alone(const struct topdown_program *program, double *seconds, struct error *err)
{
    return run_program(program->words, program, seconds, err);
}

/* Quotes the word if a shell would split it. */
static void
put_word(const char *word, FILE *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./:,@%";
    if (*word && !word[strspn(word, plain)]) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

void
topdown_print_command(const struct nvidia_capability *capability,
                      const struct nvidia_request *request, char **program, FILE *out)
{
    char **profiler = nvidia_command(capability, request);
    char **words = join_words(profiler, program);
    for (size_t i = 0; words[i]; i++) {
        if (i)
            fputc(' ', out);
        put_word(words[i], out);
    }
    if (!program)
        fputs(" PROGRAM", out);
    free(words);
    nvidia_command_free(profiler);
}
