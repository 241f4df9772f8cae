/* Errors. A user error (option, file, trace) propagates to the caller as a `struct error` with a
 * one-line message. An internal error of the simulator is a BUG(), which prints its context and
 * aborts.
 *
 * Functions that can fail return bool (true on success) and take a `struct error *` last:
 *
 *     if (size > limit)
 *         return fail(err, "%s:%d: size %u is above %u", path, line, size, limit); */
#ifndef AETIUS_BASE_ERROR_H
#define AETIUS_BASE_ERROR_H

#include <stdbool.h>
#include <stdnoreturn.h>

struct error {
    char text[1024];
};

/* Sets the message. Always returns false. `err` may be NULL. */
bool fail(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts the formatted text and ": " in front of the current message. If the message already begins
 * with this location, it is not repeated. Always returns false. */
bool fail_prefix(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Like fail_prefix(), for a location such as "frame 7" or "message 30". A message that already
 * begins with its frame ("frame 7, draw 2: ...") gets no prefix. */
bool fail_at(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Callback that prints the simulator's state (cycle, unit, queues) to stderr for a BUG(). */
typedef void bug_context_fn(void *data);
void bug_set_context(bug_context_fn *fn, void *data);

noreturn void bug_at(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
#define BUG_ON(condition, ...)                                                                     \
    do {                                                                                           \
        if (__builtin_expect(!!(condition), 0))                                                    \
            bug_at(__FILE__, __LINE__, __VA_ARGS__);                                               \
    } while (0)

#endif
