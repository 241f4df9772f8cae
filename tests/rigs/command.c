/* Runs the program and captures its output. */
#include "rigs/command.h"

static void
command_take(char *text, size_t size, int file)
{
    size_t n = 0;
    for (ssize_t got; n + 1 < size && (got = read(file, text + n, size - 1 - n)) > 0;)
        n += (size_t)got;
    text[n] = '\0';
    close(file);
}

size_t
longest_line(const char *text)
{
    size_t longest = 0;
    for (const char *at = text; *at;) {
        const size_t n = strcspn(at, "\n"), indent = strspn(at, " ");
        const bool is_word = strcspn(at + indent, " \n") == n - indent;
        const bool is_command = !strncmp(at, "  ncu ", 6) || !strncmp(at, "  nvprof ", 9) ||
                                !strncmp(at, "next: ", 6) || !strncmp(at, "page: ", 6);
        if (n > longest && !is_word && !is_command)
            longest = n;
        at += n + (at[n] == '\n');
    }
    return longest;
}

void
run_within(struct command_result *cmd, rlim_t file_bytes, const char *const *words)
{
    char out[] = "/tmp/aetius-out-XXXXXX", err[] = "/tmp/aetius-err-XXXXXX";
    const char *all[32] = {aetius};
    int outs = mkstemp(out), errs = mkstemp(err);
    for (size_t i = 0; words[i]; i++)
        all[i + 1] = words[i];
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {file_bytes, file_bytes};
        signal(SIGXFSZ, SIG_IGN);
        if (file_bytes)
            setrlimit(RLIMIT_FSIZE, &limit);
        dup2(outs, STDOUT_FILENO);
        dup2(errs, STDERR_FILENO);
        execv(aetius, (char *const *)all);
        _exit(127);
    }
    assert_true(child > 0);
    struct rusage usage;
    wait4(child, &cmd->status, 0, &usage);
    cmd->rss_kb = usage.ru_maxrss;
    cmd->status = WIFEXITED(cmd->status) ? WEXITSTATUS(cmd->status) : 128;
    lseek(outs, 0, SEEK_SET);
    lseek(errs, 0, SEEK_SET);
    command_take(cmd->out, sizeof cmd->out, outs);
    command_take(cmd->err, sizeof cmd->err, errs);
    unlink(out);
    unlink(err);
}

void
run_shell(const char *fmt, ...)
{
    char command[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(command, sizeof command, fmt, args);
    va_end(args);
    if (system(command))
        fail_msg("%s", command);
}
