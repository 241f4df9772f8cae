#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bug_context_fn *context_fn;
static void *context_data;

bool
fail(struct error *err, const char *fmt, ...)
{
    if (!err)
        return false;
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    return false;
}

/* Returns the message without a location that `prefix` already ends with: "resource 3" before
 * "resource 3: no memory" leaves "no memory". */
static const char *
without_repeated(const char *text, const char *prefix)
{
    const char *end = strstr(text, ": ");
    const size_t length = end ? (size_t)(end - text) : 0, whole = strlen(prefix);
    if (!length || length > whole || strncmp(prefix + whole - length, text, length) != 0)
        return text;
    const bool is_location = length == whole || !strncmp(prefix + whole - length - 2, ", ", 2);
    return is_location ? end + 2 : text;
}

static void
put_before(struct error *err, const char *fmt, va_list args)
{
    char text[sizeof err->text];
    memcpy(text, err->text, sizeof text);
    int n = vsnprintf(err->text, sizeof err->text, fmt, args);
    const char *old = without_repeated(text, err->text);
    int room = (int)sizeof err->text - n - 3; /* remaining size for the old text */
    if (n >= 0 && room > 0)
        snprintf(err->text + n, sizeof err->text - (size_t)n, ": %.*s", room, old);
}

bool
fail_prefix(struct error *err, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (err)
        put_before(err, fmt, args);
    va_end(args);
    return false;
}

bool
fail_at(struct error *err, const char *fmt, ...)
{
    static const char frame[] = "frame ";
    va_list args;
    va_start(args, fmt);
    if (err && strncmp(err->text, frame, sizeof frame - 1))
        put_before(err, fmt, args);
    va_end(args);
    return false;
}

void
bug_set_context(bug_context_fn *fn, void *data)
{
    context_fn = fn;
    context_data = data;
}

noreturn void
bug_at(const char *file, int line, const char *fmt, ...)
{
    va_list args;
    fprintf(stderr, "aetius: BUG at %s:%d: ", file, line);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    if (context_fn) {
        bug_context_fn *fn = context_fn;
        context_fn = NULL; /* a BUG in the callback must not recurse */
        fn(context_data);
    }
    abort();
}
