/* Messages to standard error, safe printing of untrusted strings, and progress with the time
 * left. */
#ifndef AETIUS_BASE_LOG_H
#define AETIUS_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* log_error() prefixes "aetius: ", log_warning() "aetius: warning: ", log_note() nothing. */
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* printf() for text with words from a file or the command line; escapes them like
 * mem_printable(). */
void print_shown(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A progress line on a terminal. It first appears after two seconds and is redrawn at most 5 times
 * per second. Nothing is printed if standard error is not a terminal. */
struct progress {
    const char *what;
    uint64_t total; /* 0: unknown */
    double started, drawn;
    bool visible;
};

void progress_begin(struct progress *progress, const char *what, uint64_t total);
void progress_at(struct progress *progress, uint64_t done, const char *detail);
void progress_end(struct progress *progress);

double wall_seconds(void); /* monotonic; only for progress and for the speed in run.json */

#endif
