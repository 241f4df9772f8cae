/* Messages on standard error, safe printing of untrusted strings, and a progress line with the
 * estimated time left. */
#ifndef AETIUS_BASE_LOG_H
#define AETIUS_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* log_error() adds the prefix "aetius: ", log_warning() adds "aetius: warning: ", and log_note()
 * adds none. */
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Like fprintf(), for text that contains strings from a file or the command line. Escapes the
 * output like mem_printable(). */
void print_shown(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Progress line on a terminal. It first appears after two seconds and is redrawn at most 5 times
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
