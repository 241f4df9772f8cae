#include "cmd/native.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/subprocess.h"
#include "trace/virgl/vtest/passthrough.h"
#include "trace/virgl/vtest/private_folder.h"
#include "trace/virgl/vtest/x_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LINE = 1024, END_MS = 2000 };

struct native {
    const struct native_options *options;
    struct private_folder folder; /* snapshots, each of which is removed after it was read */
    struct x_server x_server;
    uint32_t swaps, written;
    uint32_t last; /* swap of the last requested frame */
    bool warned;   /* of a size */
    char line[MOST_LINE];
    size_t length;
    char error[MOST_LINE]; /* last error of glretrace */
    struct progress progress;
};

/* Warns once if a picture cannot be compared with the frame. */
static void
check_size(struct native *native, const struct picture *picture, uint32_t frame)
{
    const struct trace_frame *ours = trace_frame(native->options->reader, frame);
    if (native->warned || (picture->width == ours->width && picture->height == ours->height))
        return;
    native->warned = true;
    log_warning("frame %u has %ux%u pixels, but swap %u of the calls has %ux%u", frame, ours->width,
                ours->height, native->swaps, picture->width, picture->height);
}

/* Copies a snapshot to the output if its frame is requested. */
static bool
take_snapshot(struct native *native, const char *path, struct error *err)
{
    const struct native_options *options = native->options;
    const uint32_t first = trace_first_frame(options->reader);
    const uint32_t frame = native->swaps - first; /* wraps around before the first */
    struct picture picture = {0};
    bool ok = true;
    if (native->swaps >= first && frame < trace_frame_count(options->reader) &&
        frame_set_has(options->wanted, frame)) {
        ok = picture_read_png(&picture, path, err);
        if (ok)
            check_size(native, &picture, frame);
        picture.has_alpha = false;
        ok = ok && picture_write_frame(&picture, options->dir, frame, err);
        native->written += ok;
        picture_fini(&picture);
    }
    native->swaps++;
    unlink(path);
    progress_at(&native->progress, native->swaps, NULL);
    return ok;
}

/* Handles a line of glretrace. The calls may print any text, so a snapshot must have the expected
 * path. */
static bool
take_line(struct native *native, struct error *err)
{
    const char *error = strstr(native->line, "error: ");
    if (error)
        snprintf(native->error, sizeof native->error, ": %s", error);
    char *wrote = mem_printf("Wrote %s/%010u.png", native->folder.path, native->swaps);
    const bool ok =
        strcmp(native->line, wrote) != 0 || take_snapshot(native, wrote + sizeof "Wrote " - 1, err);
    free(wrote);
    return ok;
}

/* Splits the output of glretrace into lines. A longer line is cut. */
static bool
take_bytes(struct native *native, const char *bytes, size_t size, struct error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < size; i++) {
        if (bytes[i] != '\n') {
            native->line[native->length] = bytes[i];
            native->length += native->length + 1 < MOST_LINE;
            continue;
        }
        native->line[native->length] = '\0';
        native->length = 0;
        ok = take_line(native, err);
    }
    return ok;
}

/* Reads the output until the last requested frame, or the end. */
static bool
follow(struct native *native, struct subprocess *child, struct error *err)
{
    char bytes[4096];
    ssize_t got = 1;
    bool ok = true;
    while (ok && got > 0 && native->swaps <= native->last) {
        got = interrupt_read(child->output, bytes, sizeof bytes, err);
        ok = got >= 0 && take_bytes(native, bytes, (size_t)got, err);
    }
    if (!ok || got > 0) {
        subprocess_end(child, END_MS);
        return ok;
    }
    if (subprocess_check(subprocess_wait(child), "glretrace", err))
        return fail(err, "%s: swap %u is missing: the calls have %u swap%s",
                    native->options->calls->path, native->last, native->swaps,
                    native->swaps == 1 ? "" : "s");
    struct error longer;
    fail(&longer, "%.300s%.600s", err->text, native->error);
    *err = longer;
    return false;
}

static bool
start(struct native *native, struct subprocess *child, struct error *err)
{
    const struct calls *calls = native->options->calls;
    char *library = data_path("shim", "libaetius-window.so"), replayer[] = "glretrace";
    char *operand = calls_operand(calls->path);
    char *prefix = mem_printf("--snapshot-prefix=%s/", native->folder.path);
    char numbers[] = "--call-nos=no";
    char *preload = mem_printf("LD_PRELOAD=%s", library ? library : "");
    char *window = mem_printf("AETIUS_WINDOW=%s", calls->window);
    char *argv[] = {replayer, numbers, prefix, operand, NULL};
    const char *const environment[] = {window,
                                       preload,
                                       LLVMPIPE_FILTER_SETTING,
                                       native->x_server.display,
                                       native->x_server.authority,
                                       NULL};
    const struct subprocess_setup setup = {.argv = argv,
                                           .package = "apitrace",
                                           .environment = environment,
                                           .output = SUBPROCESS_PIPE,
                                           .no_input = true,
                                           .own_group = true};
    /* LD_PRELOAD separates paths with spaces and colons. */
    const bool is_loadable = library && !strpbrk(library, " :");
    const bool ok = is_loadable
                        ? subprocess_start(child, &setup, err)
                        : fail(err, "cannot preload libaetius-window.so: it is missing, or its "
                                    "path contains a space or a colon");
    free(library);
    free(operand);
    free(prefix);
    free(preload);
    free(window);
    return ok;
}

bool
native_render(const struct native_options *options, uint32_t *written, struct error *err)
{
    const char *display = getenv("DISPLAY");
    const uint32_t most = trace_frame_count(options->reader) - 1;
    const uint32_t last = frame_set_last(options->wanted);
    struct native native = {.options = options,
                            .last =
                                trace_first_frame(options->reader) + (last < most ? last : most)};
    struct subprocess child;
    *written = 0;
    if (!options->calls->swaps)
        return fail(err, "%s: no swap of buffers, at which a native picture is taken",
                    options->calls->path);
    if (most == UINT32_MAX)
        return fail(err, "the trace has no frame");
    bool ok =
        private_folder_create(&native.folder, err) &&
        ((display && *display) || x_server_start(&native.x_server, native.folder.path, err)) &&
        start(&native, &child, err);
    if (ok) {
        progress_begin(&native.progress, "native: frame", native.last + 1);
        ok = follow(&native, &child, err);
        progress_end(&native.progress);
    }
    x_server_end(&native.x_server);
    private_folder_remove(&native.folder);
    *written = native.written;
    return ok;
}
