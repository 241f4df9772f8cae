#include "base/log.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/wrap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void
write_line(const char *prefix, const char *escape, const char *fmt, va_list args)
{
    char text[2048];
    vsnprintf(text, sizeof text, fmt, args);
    if (escape && has_color(stderr)) {
        fprintf(stderr, "%s%s%s", escape, prefix, COLOR_END);
        prefix = "";
    }
    print_shown(stderr, "%s%s\n", prefix, text);
}

void
print_shown(FILE *out, const char *fmt, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, fmt);
    const int length = vasprintf(&text, fmt, args);
    va_end(args);
    if (length < 0)
        mem_exhausted("line");
    char *shown = mem_printable(text);
    fputs(shown, out);
    free(shown);
    free(text);
}

void
log_error(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    write_line("aetius: ", COLOR_VERDICT, fmt, args);
    va_end(args);
}

void
log_warning(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    write_line("aetius: warning: ", COLOR_FLAG, fmt, args);
    va_end(args);
}

void
log_note(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    write_line("", NULL, fmt, args);
    va_end(args);
}

double
wall_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void
progress_begin(struct progress *progress, const char *what, uint64_t total)
{
    memset(progress, 0, sizeof *progress);
    progress->what = what;
    progress->total = total;
    progress->started = wall_seconds();
    progress->visible = isatty(STDERR_FILENO);
}

void
progress_at(struct progress *progress, uint64_t done, const char *detail)
{
    if (!progress->visible)
        return;
    double now = wall_seconds(), spent = now - progress->started;
    if (spent < 2 || now - progress->drawn < 0.2)
        return;
    progress->drawn = now;
    fprintf(stderr, "\r\033[K%s: ", progress->what);
    if (progress->total)
        fprintf(stderr, "%llu of %llu (%.0f%%)", (unsigned long long)done,
                (unsigned long long)progress->total,
                100.0 * (double)done / (double)progress->total);
    else
        fprintf(stderr, "%llu", (unsigned long long)done);
    if (detail && *detail)
        fprintf(stderr, ", %s", detail);
    if (progress->total && done && done < progress->total)
        fprintf(stderr, ", %.0f s left", spent * (double)(progress->total - done) / (double)done);
    fflush(stderr);
}

void
progress_end(struct progress *progress)
{
    if (progress->visible && progress->drawn > 0)
        fprintf(stderr, "\r\033[K");
}
