/* Errors. The user's fault (option, file, trace) travels upwards as a `struct error` holding one
 * line; the simulator's own fault is a BUG(), which prints the context and aborts.
 *
 * Functions that can fail return bool (true = well) and take a `struct error *` last:
 *
 *     if (size > limit)
 *         return fail(err, "%s:%d: size %u is above %u", path, line, size, limit);
 */
#ifndef AETIUS_BASE_ERROR_H
#define AETIUS_BASE_ERROR_H

#include <stdbool.h>
#include <stdnoreturn.h>

struct error {
    char text[1024];
};

/* Sets the message and returns false, always. `err` may be NULL. */
bool fail(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts "what: " in front of the message there is; returns false, always. */
bool fail_prefix(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for where it happened ("frame 7", "message 30"), unless the message begins with its
 * frame
 * ("frame 7, draw 2: ..."). */
bool fail_at(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A function that prints where the simulator stands (cycle, unit, queues) to stderr. */
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
