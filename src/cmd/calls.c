#include "cmd/calls.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/subprocess.h"
#include "state/resource.h"

#include <cjson/cJSON.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_INFO = 1 << 16,  /* bytes of a description */
    MOST_CALLS = 1 << 20, /* bytes of the first calls as text */
    MOST_MESSAGE = 400,   /* bytes of a message of apitrace that an error repeats */
    MOST_LINE = 4096,     /* maximum length of a log line, in bytes */
};

/* Runs apitrace, and collects the first `most` bytes of its messages and its output. */
static bool
run_apitrace(char *const *argv, size_t most, char **text, int *status, struct error *err)
{
    struct subprocess child;
    const struct subprocess_setup setup = {
        .argv = argv, .package = "apitrace", .output = SUBPROCESS_PIPE, .no_input = true};
    size_t size;
    return subprocess_start(&child, &setup, err) &&
           subprocess_collect(&child, most, text, &size, status, err);
}

/* Whether a line is a complete message. apitrace repeats names of a damaged file, which may contain
 * control characters and line ends. */
static bool
is_message(const char *line)
{
    int open = 0;
    for (const char *at = line; *at; at++) {
        if (!isprint((unsigned char)*at))
            return false;
        open += (*at == '(') - (*at == ')');
    }
    return open == 0 && strlen(line) < MOST_MESSAGE;
}

/* Ends the text after the first line that begins with "error: " or "warning: ", and returns this
 * line. *is_there states whether there is such a line; the result is NULL if it cannot be shown. */
static const char *
first_message(char *text, bool *is_there)
{
    *is_there = false;
    for (char *next = text; next; next = strchr(next, '\n')) {
        char *line = next += *next == '\n';
        *is_there = !strncmp(line, "error: ", 7) || !strncmp(line, "warning: ", 9);
        if (*is_there) {
            line[strcspn(line, "\n")] = '\0';
            return is_message(line) ? line : NULL;
        }
    }
    return NULL;
}

/* Reads the description that `apitrace info` prints. */
static bool
read_info(struct calls *calls, char *text, int status, struct error *err)
{
    cJSON *root = status ? NULL : cJSON_Parse(text + strcspn(text, "{"));
    const char *api = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "API"));
    const cJSON *frames = cJSON_GetObjectItemCaseSensitive(root, "FramesCount");
    const bool is_opengl = api && !strncmp(api, "OpenGL", 6);
    calls->swaps = cJSON_IsNumber(frames) ? (uint32_t)frames->valueint : 0;
    const bool is_whole = !status && !strstr(text, "unexpected end of file");
    bool has_message = false;
    const char *message = is_whole ? NULL : first_message(text, &has_message);
    if (message)
        fail(err, "%s: damaged, or not a trace of apitrace, which reports \"%s\"", calls->path,
             message);
    else if (has_message)
        fail(err, "%s: damaged, or not a trace of apitrace", calls->path);
    else if (!is_whole || !is_opengl)
        fail(err, "%s: no OpenGL calls%s%s%s, expected a file that `apitrace trace` has recorded",
             calls->path, api ? " (" : "", api ? api : "", api ? ")" : "");
    cJSON_Delete(root);
    return is_whole && is_opengl;
}

/* Reads the size of the first viewport. apitrace records the viewport of each new context, and that
 * is the size of its window. A larger window would take gigabytes and minutes before the simulator
 * rejects its surfaces. */
static bool
find_window(struct calls *calls, const char *text, struct error *err)
{
    static const char name[] = " glViewport(";
    unsigned width, height;
    const char *call = strstr(text, name);
    if (!call || sscanf(call + strlen(name), "%*d, %*d, %u, %u)", &width, &height) != 2 || !width ||
        !height)
        return true;
    if (width > RESOURCE_MOST_SIDE || height > RESOURCE_MOST_SIDE)
        return fail(err, "%s: the first viewport has %ux%u pixels; at most %ux%u are supported",
                    calls->path, width, height, RESOURCE_MOST_SIDE, RESOURCE_MOST_SIDE);
    snprintf(calls->window, sizeof calls->window, "%ux%u", width, height);
    return true;
}

/* Checks that the file ends with its last chunk. apitrace stops reading at a chunk without bytes,
 * and ignores what follows. Snappy files begin with "at", and a chunk with its size. Other
 * containers are not checked. */
static bool
check_end(const char *path, int fd, struct error *err)
{
    struct stat st;
    uint8_t head[4];
    off_t at = 2;
    if (fstat(fd, &st) || pread(fd, head, 2, 0) != 2 || memcmp(head, "at", 2) != 0)
        return true;
    while (pread(fd, head, sizeof head, at) == sizeof head) {
        const uint32_t size = head[0] | head[1] << 8 | head[2] << 16 | (uint32_t)head[3] << 24;
        if (!size)
            break;
        at += (off_t)sizeof head + size;
    }
    return at >= st.st_size || /* beyond the end: apitrace reports a truncated file */
           fail(err, "%s: damaged, %lld byte%s after the last call", path,
                (long long)(st.st_size - at), plural((uint64_t)(st.st_size - at)));
}

bool
calls_open(struct calls *calls, const char *path, struct error *err)
{
    const int fd = file_open(path, err); /* refuses pipes and folders */
    if (fd < 0)
        return false;
    const bool is_whole = check_end(path, fd, err);
    close(fd);
    if (!is_whole)
        return false;
    char *operand = calls_operand(path), *text;
    char name[] = "apitrace", info[] = "info", dump[] = "dump", colors[] = "--color=never",
         names[] = "--arg-names=no";
    char *const info_argv[] = {name, info, operand, NULL};
    char *const dump_argv[] = {name, dump, colors, names, operand, NULL};
    int status;
    *calls = (struct calls){.path = path};
    bool ok = run_apitrace(info_argv, MOST_INFO, &text, &status, err);
    if (ok) {
        ok = read_info(calls, text, status, err);
        free(text);
    }
    ok = ok && run_apitrace(dump_argv, MOST_CALLS, &text, &status, err);
    if (ok) {
        ok = find_window(calls, text, err);
        free(text);
    }
    free(operand);
    return ok;
}

char *
calls_operand(const char *path)
{
    return mem_printf("%s%s", *path == '-' ? "./" : "", path);
}

char *
calls_path(const char *trace)
{
    static const char end[] = ".trace";
    const size_t length = strlen(trace), cut = sizeof end - 1;
    const bool has_end = length > cut && !strcmp(trace + length - cut, end);
    return mem_printf("%.*s.api%s", (int)(has_end ? length - cut : length), trace, end);
}

/* Reads a line of a log without its end. A longer line is cut. */
static bool
read_line(FILE *in, char line[MOST_LINE])
{
    if (!fgets(line, MOST_LINE, in))
        return false;
    const size_t length = strcspn(line, "\n");
    for (int c = line[length] ? '\n' : 0; c != '\n' && c != EOF;)
        c = fgetc(in);
    line[length] = '\0';
    return true;
}

bool
calls_error(const char *log, char *text, uint32_t size)
{
    char line[MOST_LINE];
    bool is_there = false;
    FILE *in = fopen(log, "re");
    while (in && read_line(in, line)) {
        const char *at = strstr(line, "error: ");
        if (at && snprintf(text, size, "%s", at) > 0)
            is_there = true;
    }
    if (in)
        fclose(in);
    return is_there;
}

void
calls_report_warnings(const char *log)
{
    static const char tracer[] = "apitrace: "; /* messages about signals, not about calls */
    char line[MOST_LINE], first[MOST_MESSAGE] = "";
    uint32_t count = 0;
    FILE *in = fopen(log, "re");
    while (in && read_line(in, line))
        if (strncmp(line, tracer, sizeof tracer - 1) != 0 && strstr(line, "warning: ") && !count++)
            snprintf(first, sizeof first, "%.*s", MOST_MESSAGE - 1, line);
    if (in)
        fclose(in);
    if (count)
        log_warning("glretrace printed %u warning%s, the first: \"%s\"", count, plural(count),
                    first);
}
