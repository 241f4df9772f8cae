/* Runs a program as a filter between two buffers of this process. */
#include "base/subprocess.h"

#include "base/mem.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_MESSAGE_BYTES = 1 << 20, MOST_OUTPUT_BYTES = 1 << 26 };

/* Returns the contents of the whole file with a final NUL. The caller frees the text. */
static char *
read_back(int file, const char *program, size_t *size, struct error *err)
{
    const off_t end = lseek(file, 0, SEEK_END);
    *size = end > 0 ? (size_t)end : 0;
    char *bytes = *size <= MOST_OUTPUT_BYTES ? mem_alloc(*size + 1) : NULL;
    if (bytes && pread(file, bytes, *size, 0) == (ssize_t)*size) {
        bytes[*size] = 0;
        return bytes;
    }
    free(bytes);
    fail(err, "%s wrote more than %d MB", program, MOST_OUTPUT_BYTES >> 20);
    return NULL;
}

/* Returns the last non-empty line of the message. Removes the white space after it, in place. */
static const char *
last_line(char *text)
{
    size_t length = strlen(text);
    while (length && strchr("\n ", text[length - 1]))
        text[--length] = '\0';
    const char *newline = strrchr(text, '\n'), *line = newline ? newline + 1 : text;
    return line + strspn(line, " ");
}

bool
subprocess_filter(const struct subprocess_filter *filter, const char *input, size_t size,
                  char **output, size_t *output_size, bool *missing, struct error *err)
{
    const char *program = filter->argv[0];
    struct subprocess child;
    int status = 0;
    char *message = NULL;
    size_t message_size;
    const int in = memfd_create("input", MFD_CLOEXEC);
    const int out = memfd_create("output", MFD_CLOEXEC);
    *missing = false;
    if (in < 0 || out < 0 || write(in, input, size) != (ssize_t)size || lseek(in, 0, SEEK_SET)) {
        fail(err, "cannot start %s: %s", program, strerror(errno));
        close(in);
        close(out);
        return false;
    }
    const struct subprocess_setup setup = {.argv = filter->argv,
                                           .package = filter->package,
                                           .folder = filter->folder,
                                           .output = SUBPROCESS_PIPE,
                                           .out_fd = out,
                                           .in_fd = in,
                                           .death_signal = SIGTERM};
    const bool started = subprocess_start(&child, &setup, err);
    *missing = !started && child.not_found;
    close(in);
    bool ok = started &&
              subprocess_collect(&child, MOST_MESSAGE_BYTES, &message, &message_size, &status, err);
    if (ok && (status || !lseek(out, 0, SEEK_END)))
        ok = fail(err, "%s failed: %s", program, last_line(message));
    ok = ok && (*output = read_back(out, program, output_size, err));
    close(out);
    free(message);
    return ok;
}
