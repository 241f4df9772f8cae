/* aetius topdown --profile: nvprof or ncu, run with what the equations need. */
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/topdown.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Begins a process whose standard output goes to `out`. */
static pid_t
begin(char **words, int out)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        dup2(out, STDOUT_FILENO);
        signal(SIGPIPE, SIG_DFL);
        execvp(words[0], words);
        log_error("cannot start %s: %s", words[0], strerror(errno));
        _exit(127);
    }
    return child;
}

/* Waits for it; passes an interruption on, so that a profiler writes what it has. */
static bool
await(pid_t child, const char *name, struct error *err)
{
    int status;
    if (child < 0)
        return fail(err, "cannot start %s: %s", name, strerror(errno));
    while (waitpid(child, &status, 0) < 0)
        if (errno == EINTR && interrupt_pending())
            kill(child, SIGTERM);
    if (!interrupt_check(err))
        return false;
    if (WIFSIGNALED(status))
        return fail(err, "%s was ended by signal %d", name, WTERMSIG(status));
    if (WEXITSTATUS(status))
        return fail(err, "%s ended with status %d", name, WEXITSTATUS(status));
    return true;
}

const struct nvidia_capability *
topdown_find_capability(struct error *err)
{
    char *words[] = {"nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", NULL};
    char text[64] = "";
    struct error ignored;
    int ends[2];
    if (pipe(ends) < 0) {
        fail(err, "no pipe: %s", strerror(errno));
        return NULL;
    }
    const pid_t child = begin(words, ends[1]);
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; n + 1 < sizeof text && (got = read(ends[0], text + n, sizeof text - 1 - n));)
        if (got > 0)
            n += (size_t)got;
        else if (errno != EINTR)
            break;
    close(ends[0]);
    text[strcspn(text, " \r\n")] = '\0';
    if (!await(child, words[0], &ignored) || !*text) {
        fail(err, "nvidia-smi does not tell the GPU's compute capability: --cc X.Y does");
        return NULL;
    }
    return nvidia_capability_parse(text, err);
}

/* The profiler's words, then the program's; free the array alone. */
static char **
join_words(char **profiler, char **program)
{
    size_t n = 0, m = 0;
    while (profiler[n])
        n++;
    while (program && program[m])
        m++;
    char **words = mem_alloc((n + m + 1) * sizeof *words);
    memcpy(words, profiler, n * sizeof *words);
    if (m)
        memcpy(words + n, program, m * sizeof *words);
    return words;
}

bool
topdown_profile(const struct nvidia_capability *capability, const char *log, char **program,
                double *seconds, struct error *err)
{
    char **profiler = nvidia_command(capability, log);
    char **words = join_words(profiler, program);
    const double start = wall_seconds();
    const bool ok = await(begin(words, STDERR_FILENO), words[0], err);
    *seconds = wall_seconds() - start;
    free(words);
    nvidia_command_free(profiler);
    return ok;
}

bool
topdown_run_alone(char **program, double *seconds, struct error *err)
{
    const double start = wall_seconds();
    const bool ok = await(begin(program, STDERR_FILENO), program[0], err);
    *seconds = wall_seconds() - start;
    return ok;
}

/* In quotes where a shell would take a word apart. */
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
topdown_print_command(const struct nvidia_capability *capability, const char *log, char **program,
                      FILE *out)
{
    char **profiler = nvidia_command(capability, log);
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
