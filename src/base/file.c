#include "base/file.h"

#include "base/build.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
file_exists(const char *path)
{
    return access(path, F_OK) == 0;
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
            ok = fail(err, "cannot make the folder %s: %s", copy, strerror(errno));
        *p = saved;
        if (!saved)
            break;
    }
    free(copy);
    return ok;
}

void
dir_remove_files(const char *path, bool (*is_ours)(const char *name))
{
    DIR *dir = opendir(path);
    if (!dir)
        return;
    for (const struct dirent *entry; (entry = readdir(dir));)
        if (!is_ours || is_ours(entry->d_name))
            unlinkat(dirfd(dir), entry->d_name, 0); /* not "." and "..": they are folders */
    closedir(dir);
    rmdir(path); /* when nothing is left in it */
}

bool
file_read(const char *path, char **bytes, size_t *size, struct error *err)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return fail(err, "cannot open %s: %s", path, strerror(errno));
    size_t capacity = 1 << 16, n = 0, got;
    char *buffer = mem_alloc(capacity + 1);
    while ((got = fread(buffer + n, 1, capacity - n, f)) > 0) {
        n += got;
        if (n == capacity)
            buffer = mem_realloc(buffer, (capacity *= 2) + 1);
    }
    bool bad = ferror(f);
    int why = errno;
    fclose(f);
    if (bad) {
        free(buffer);
        return fail(err, "cannot read %s: %s", path, strerror(why));
    }
    buffer[n] = '\0';
    *bytes = buffer;
    *size = n;
    return true;
}

bool
file_write(const char *path, const void *bytes, size_t size, struct error *err)
{
    char *temporary = mem_printf("%s.part", path);
    FILE *f = fopen(temporary, "wb");
    bool ok = f != NULL;
    if (f) {
        ok = fwrite(bytes, 1, size, f) == size;
        ok = fflush(f) == 0 && ok;
        ok = fclose(f) == 0 && ok;
        ok = ok && rename(temporary, path) == 0;
    }
    if (!ok) {
        fail(err, "cannot write %s: %s", path, strerror(errno));
        if (f)
            unlink(temporary);
    }
    free(temporary);
    return ok;
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
    const bool shim = !strcmp(kind, "shim");
    const char *folder = !strcmp(kind, "studies") ? "studies" : "configs";
    char *dir = binary_dir();
    char *candidates[] = {
        /* beside the binary in the build folder, beside an installed (or moved) binary, as built */
        shim ? mem_printf("%s/%s", dir, name) : mem_printf("%s/../%s/%s", dir, folder, name),
        shim ? mem_printf("%s/../lib/aetius/%s", dir, name)
             : mem_printf("%s/../share/aetius/%s/%s", dir, folder, name),
        shim ? mem_printf("%s/%s", AETIUS_LIB_DIR, name)
             : mem_printf("%s/%s/%s", AETIUS_DATA_DIR, folder, name),
        shim ? mem_strdup("") : mem_printf("%s/%s/%s", AETIUS_SOURCE_DIR, folder, name),
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

bool
file_make_way(const char *path, struct error *err)
{
    struct stat st;
    if (lstat(path, &st) || !S_ISREG(st.st_mode) || !unlink(path))
        return true;
    return fail(err, "cannot replace %s: %s", path, strerror(errno));
}
