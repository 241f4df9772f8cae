/* Messages to standard error, lines with words of others, and progress with the time left. */
#ifndef AETIUS_BASE_LOG_H
#define AETIUS_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));   /* "aetius: ..." */
void log_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* "...warning..." */
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* printf() where words of a file or of the command line are among them: as mem_printable(). */
void print_shown(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One line on a terminal, redrawn at most 5 times a second, first after two seconds; silent when
 * standard error is no terminal. */
struct progress {
    const char *what;
    uint64_t total; /* 0: not known */
    double started, drawn;
    bool visible;
};

void progress_begin(struct progress *progress, const char *what, uint64_t total);
void progress_at(struct progress *progress, uint64_t done, const char *detail);
void progress_end(struct progress *progress);

double wall_seconds(void); /* monotonic; for progress and run.json's speed only */

#endif
