#include "base/file.h"

#include "base/build.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_TRIES = 20, MOST_TRIES = 1000 };

bool
file_name_is_plain(const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_.";
    return *name && !name[strspn(name, plain)] && strcmp(name, ".") && strcmp(name, "..");
}

bool
file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool
file_exists_in(const char *dir, const char *name)
{
    char *path = mem_printf("%s/%s", dir, name);
    const bool exists = file_exists(path);
    free(path);
    return exists;
}

bool
dir_create(const char *path, struct error *err)
{
    char *copy = mem_strdup(path);
    bool ok = true;
    for (char *p = copy + 1; ok && *copy; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char saved = *p;
        *p = '\0';
        struct stat st;
        if (mkdir(copy, 0777) && !(errno == EEXIST && !stat(copy, &st) && S_ISDIR(st.st_mode)))
            ok = fail(err, "cannot create the folder %s: %s", copy, strerror(errno));
        *p = saved;
        if (!saved)
            break;
    }
    free(copy);
    return ok;
}

bool
dir_lock(const char *path, int *lock, struct error *err)
{
    *lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0)
        return fail(err, "cannot open the folder %s: %s", path, strerror(errno));
    for (uint32_t tries = 0; flock(*lock, LOCK_EX | LOCK_NB); tries++) {
        if (errno != EWOULDBLOCK) { /* the file system does not support locks */
            log_warning("cannot lock %s: %s", path, strerror(errno));
            return true;
        }
        if (tries == LOCK_TRIES || interrupt_pending()) {
            dir_unlock(*lock);
            return fail(err, "another process is using %s", path);
        }
        usleep(100000); /* worker processes of a killed run may still be exiting */
    }
    return true;
}

void
dir_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}

/* Opens the folder at `path`. A symbolic link is an error. */
static DIR *
open_own(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !dir)
        close(fd);
    return dir;
}

bool
dir_has_files(const char *path, bool (*is_ours)(const char *name))
{
    DIR *dir = opendir(path);
    bool has = false;
    for (const struct dirent *entry; dir && !has && (entry = readdir(dir));)
        has = is_ours(entry->d_name);
    if (dir)
        closedir(dir);
    return has;
}

static void
clear_dir(DIR *dir, bool (*is_ours)(const char *name))
{
    if (!dir)
        return;
    for (const struct dirent *entry; (entry = readdir(dir));)
        if (!is_ours || is_ours(entry->d_name))
            unlinkat(dirfd(dir), entry->d_name, 0); /* fails for "." and "..", which are folders */
    closedir(dir);
}

void
dir_clear(const char *path, bool (*is_ours)(const char *name))
{
    clear_dir(opendir(path), is_ours);
}

void
dir_remove_files(const char *path, bool (*is_ours)(const char *name))
{
    clear_dir(open_own(path), is_ours);
    rmdir(path); /* fails if the folder is not empty */
}

int
file_open(const char *path, struct error *err)
{
    struct stat st;
    /* Without O_NONBLOCK, open() would block on a FIFO that has no writer. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        fail(err, "cannot open %s: %s", path, strerror(errno));
        return -1;
    }
    if (!fstat(fd, &st) && S_ISREG(st.st_mode))
        return fd;
    fail(err, "%s is not a regular file", path);
    close(fd);
    return -1;
}

bool
file_read(const char *path, size_t most, char **bytes, size_t *size, struct error *err)
{
    const int fd = file_open(path, err);
    size_t capacity = 1 << 16, n = 0;
    ssize_t got;
    if (fd < 0)
        return false;
    char *buffer = mem_alloc(capacity + 1);
    while ((got = read(fd, buffer + n, capacity - n)) > 0 && n + (size_t)got <= most) {
        n += (size_t)got;
        if (n == capacity)
            buffer = mem_realloc(buffer, (capacity *= 2) + 1);
    }
    const int why = errno;
    close(fd);
    if (got) {
        free(buffer);
        return got < 0 ? fail(err, "cannot read %s: %s", path, strerror(why))
                       : fail(err, "%s is larger than %zu bytes", path, most);
    }
    buffer[n] = '\0';
    *bytes = buffer;
    *size = n;
    return true;
}

FILE *
file_create(const char *path, struct error *err)
{
    int fd = unlink(path) && errno != ENOENT
                 ? -1
                 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!f)
        fail(err, "cannot write %s: %s", path, strerror(errno));
    if (!f && fd >= 0) {
        unlink(path);
        close(fd);
    }
    return f;
}

bool
file_is_device(const char *path)
{
    struct stat st;
    const bool is_system = !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6);
    if (is_system && !lstat(path, &st) && S_ISLNK(st.st_mode))
        return true;
    return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

FILE *
file_create_named(const char *path, struct error *err)
{
    if (!file_is_device(path))
        return file_create(path, err);
    const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!file)
        fail(err, "cannot write %s: %s", path, strerror(errno));
    return file;
}

/* Opens a regular file for overwriting and locks it. On failure returns -1 with errno, which is
 * ESTALE if another process has just replaced the file. */
static int
open_locked(const char *path, bool waits)
{
    struct stat opened, there;
    const int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    int why = fstat(fd, &opened) || !S_ISREG(opened.st_mode) ? ENXIO : 0;
    /* If the file system has no locks, the last writer wins. */
    if (!why && flock(fd, waits ? LOCK_EX : LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        why = EWOULDBLOCK;
    if (!why &&
        (stat(path, &there) || there.st_ino != opened.st_ino || there.st_dev != opened.st_dev))
        why = ESTALE;
    if (!why && ftruncate(fd, 0)) {
        why = errno;
        unlink(path); /* no other process writes the file while it is locked */
    }
    if (!why)
        return fd;
    close(fd);
    errno = why;
    return -1;
}

int
file_open_alone(const char *path, bool waits)
{
    int fd = -1;
    for (uint32_t tries = 0; fd < 0 && tries < MOST_TRIES; tries++) {
        fd = open_locked(path, waits);
        if (fd < 0 && (errno == ELOOP || errno == ENXIO))
            unlink(path);
        else if (fd < 0 && errno != ESTALE)
            break;
    }
    return fd;
}

static FILE *
open_part(const char *path, struct error *err)
{
    const int fd = file_open_alone(path, true);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!f)
        fail(err, "cannot write %s: %s", path, strerror(errno));
    return f;
}

/* Blocks signals while writing, so that no partial file remains. */
bool
file_write(const char *path, const void *bytes, size_t size, struct error *err)
{
    char *temporary = mem_printf("%s.part", path);
    sigset_t before;
    interrupt_hold(&before);
    FILE *f = open_part(temporary, err);
    bool ok = f != NULL;
    if (f) {
        ok = fwrite(bytes, 1, size, f) == size;
        ok = fflush(f) == 0 && ok;
        ok = ok && close(dup(fileno(f))) == 0; /* network file systems report errors here */
        ok = ok && rename(temporary, path) == 0;
    }
    if (f && !ok) {
        fail(err, "cannot write %s: %s", path, strerror(errno));
        unlink(temporary);
    }
    if (f)
        fclose(f); /* also releases the lock; other processes can then open the temporary file */
    interrupt_release(&before);
    free(temporary);
    return ok;
}

bool
file_copy(const char *from, const char *to, struct error *err)
{
    char *bytes;
    size_t size;
    if (!file_read(from, SIZE_MAX, &bytes, &size, err))
        return false;
    const bool ok = file_write(to, bytes, size, err);
    free(bytes);
    return ok;
}

/* Writes directly into a device or FIFO. Signals stay unblocked, because the open may wait
 * indefinitely for a reader of the FIFO. */
static bool
write_into(const char *path, const void *bytes, size_t size, struct error *err)
{
    const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!f)
        return fail(err, "cannot write %s: %s", path, strerror(errno));
    bool ok = fwrite(bytes, 1, size, f) == size;
    ok = fflush(f) == 0 && ok;
    ok = fclose(f) == 0 && ok;
    return ok || fail(err, "cannot write %s: %s", path, strerror(errno));
}

bool
file_write_named(const char *path, const void *bytes, size_t size, struct error *err)
{
    return file_is_device(path) ? write_into(path, bytes, size, err)
                                : file_write(path, bytes, size, err);
}

static char *
binary_dir(void)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0)
        return mem_strdup(".");
    path[n] = '\0';
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    return mem_strdup(path);
}

char *
data_path(const char *kind, const char *name)
{
    const bool bench = !strcmp(kind, "bench"), is_built = bench || !strcmp(kind, "shim");
    const char *folder = !strcmp(kind, "studies") ? "studies" : "configs";
    char *dir = binary_dir();
    char *candidates[] = {
        /* In this order: the build folder, the installation relative to the binary, the configured
         * folders. */
        is_built ? mem_printf("%s/%s%s", dir, bench ? "benchmarks/gl/" : "", name)
                 : mem_printf("%s/../%s/%s", dir, folder, name),
        is_built ? mem_printf("%s/../%s/aetius/%s", dir, bench ? "libexec" : "lib", name)
                 : mem_printf("%s/../share/aetius/%s/%s", dir, folder, name),
        is_built ? mem_printf("%s/%s", bench ? AETIUS_LIBEXEC_DIR : AETIUS_LIB_DIR, name)
                 : mem_printf("%s/%s/%s", AETIUS_DATA_DIR, folder, name),
        is_built || !*AETIUS_SOURCE_DIR ? mem_strdup("")
                                        : mem_printf("%s/%s/%s", AETIUS_SOURCE_DIR, folder, name),
    };
    char *found = NULL;
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        if (!found && *candidates[i] && file_exists(candidates[i]))
            found = candidates[i];
        else
            free(candidates[i]);
    }
    free(dir);
    return found;
}

int
file_make(const char *path, struct error *err)
{
    struct stat st;
    const bool is_there = !lstat(path, &st), makes_way = is_there && !file_is_device(path);
    if (makes_way && unlink(path)) {
        fail(err, "cannot replace %s: %s", path, strerror(errno));
        return -1;
    }
    /* O_EXCL prevents overwriting a file that another process has created since lstat(). */
    const int fd = open(
        path, O_WRONLY | O_CREAT | O_CLOEXEC | (is_there && !makes_way ? O_TRUNC : O_EXCL), 0666);
    if (fd < 0)
        fail(err, "cannot create %s: %s", path, strerror(errno));
    return fd;
}

void
file_remove_link(const char *path)
{
    struct stat st;
    if (!lstat(path, &st) && S_ISLNK(st.st_mode))
        unlink(path);
}
