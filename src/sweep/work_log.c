/* Logs of a sweep's captures and runs, one file each. */
#include "base/file.h"
#include "base/interrupt.h"
#include "sweep/work.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LAST_LINES = 5, MOST_LOG = 1 << 26 };

char *
work_log_path(const struct sweep *sweep, const char *name, const char *end)
{
    return mem_printf("%s/logs/%s%s", sweep->dir, name, end);
}

void
work_log_begin(const struct sweep *sweep, const char *name)
{
    char *path = work_log_path(sweep, name, ""), *failed = work_log_path(sweep, name, ".failed");
    const int nothing = open("/dev/null", O_RDONLY);
    unlink(failed);
    file_remove_link(path);
    const int log = file_make(path, NULL);
    free(failed);
    free(path);
    fflush(NULL);
    dup2(nothing, STDIN_FILENO);
    if (log >= 0) {
        /* Keeps the original pipe open. If it closed, ninja would consider this command finished.
         * ninja would then wait for this command alone, start no other command, and ignore
         * signals. */
        fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
    }
}

void
work_log_append(const struct sweep *sweep, const char *name, const char *text)
{
    char *path = work_log_path(sweep, name, "");
    FILE *out = fopen(path, "ae");
    free(path);
    if (!out)
        return;
    fprintf(out, "aetius: %s\n", text);
    fclose(out);
}

void
work_log_end(const struct sweep *sweep, const char *name, bool ok)
{
    char *log = work_log_path(sweep, name, ""), *failed = work_log_path(sweep, name, ".failed");
    if (!ok && interrupt_pending())
        unlink(log);
    else if (!ok)
        rename(log, failed);
    free(failed);
    free(log);
}

char *
work_log_last(const struct sweep *sweep, const char *name)
{
    struct error err;
    char *path = work_log_path(sweep, name, ".failed"), *text = NULL;
    size_t size, lines = 0;
    const bool ok = file_read(path, MOST_LOG, &text, &size, &err);
    free(path);
    if (!ok)
        return mem_strdup("(cannot read its log)");
    while (size && text[size - 1] == '\n')
        text[--size] = '\0';
    size_t at = size;
    while (at && !(text[at - 1] == '\n' && ++lines == LAST_LINES))
        at--;
    char *words = mem_printable(text + at);
    free(text);
    return words;
}
