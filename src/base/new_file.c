#include "base/new_file.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
fail_held(const char *path, struct error *err)
{
    return fail(err, "another process is writing %s", path);
}

/* Returns false with an error if another process holds the lock of `path`. */
static bool
is_free(const char *path, struct error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is_held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return !is_held || fail_held(path, err);
}

/* Opens an existing device or FIFO, or a link to one. Does not lock it, because it may have several
 * writers. */
static bool
open_in_place(struct new_file *file, struct error *err)
{
    file->fd = open(file->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    return file->fd >= 0 || fail(err, "cannot create %s: %s", file->path, strerror(errno));
}

/* Opens the unfinished file before checking the lock of `path`. A writer that renames its
 * unfinished file in between already holds the lock at `path`. */
static bool
open_beside(struct new_file *file, struct error *err)
{
    char *unfinished = mem_printf("%s.unfinished", file->path);
    file->fd = file_open_alone(unfinished, false);
    if (file->fd >= 0) {
        file->unfinished = unfinished;
        return is_free(file->path, err);
    }
    const int why = errno;
    free(unfinished);
    return why == EWOULDBLOCK ? fail_held(file->path, err)
                              : fail(err, "cannot create %s: %s", file->path, strerror(why));
}

bool
new_file_open(struct new_file *file, const char *path, struct error *err)
{
    struct stat st;
    *file = (struct new_file){.fd = -1, .path = mem_strdup(path)};
    const bool is_folder = !stat(path, &st) && S_ISDIR(st.st_mode); /* opening it fails */
    if (is_folder || file_is_device(path) ? open_in_place(file, err) : open_beside(file, err))
        return true;
    new_file_discard(file);
    return false;
}

bool
new_file_commit(struct new_file *file, struct error *err)
{
    if (file->unfinished && rename(file->unfinished, file->path))
        return fail(err, "cannot write %s: %s", file->path, strerror(errno));
    free(file->unfinished);
    file->unfinished = NULL;
    return true;
}

/* Closes the descriptor, and with it the lock, last. Until then no other process can open the
 * unfinished file. */
bool
new_file_close(struct new_file *file, struct error *err)
{
    /* Network file systems and file systems with quotas may report write errors only at close(). */
    const bool ok =
        (!close(dup(file->fd)) || fail(err, "cannot write %s: %s", file->path, strerror(errno))) &&
        new_file_commit(file, err);
    new_file_discard(file);
    return ok;
}

void
new_file_discard(struct new_file *file)
{
    if (file->unfinished)
        unlink(file->unfinished);
    if (file->fd >= 0)
        close(file->fd);
    free(file->unfinished);
    free(file->path);
    *file = (struct new_file){.fd = -1};
}
