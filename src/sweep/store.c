#include "sweep/store.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/schema.h"
#include "sweep/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KEY_DIGITS = 15, LOCK_TURN_US = 100000 };

char *
store_path(const char *store, const char *key)
{
    return mem_printf("%s/%s", store, key);
}

char *
store_part_path(const char *store, const char *key)
{
    return mem_printf("%s/%s.part", store, key);
}

bool
store_has(const char *store, const char *key)
{
    char *path = store_path(store, key);
    const bool has = file_exists(path);
    free(path);
    return has;
}

/* Byte range of a key's lock. The offset is 60 bits of the key. */
static struct flock
byte_of(const char *key)
{
    char digits[KEY_DIGITS + 1];
    memcpy(digits, key, KEY_DIGITS);
    digits[KEY_DIGITS] = '\0';
    return (struct flock){.l_type = F_WRLCK,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)strtoull(digits, NULL, 16),
                          .l_len = 1};
}

/* Does not follow a link, which could lead out of the store. */
static int
open_locks(const char *store, int flags)
{
    char *path = mem_printf("%s/lock", store);
    const int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    free(path);
    return fd;
}

bool
store_lock(const char *store, const char *key, bool wait, int *lock, struct error *err)
{
    struct flock byte = byte_of(key);
    *lock = open_locks(store, O_RDWR | O_CREAT);
    if (*lock < 0)
        return fail(err, "cannot write %s/lock: %s", store, strerror(errno));
    while (fcntl(*lock, F_OFD_SETLK, &byte)) {
        const int why = errno;
        const bool busy = why == EAGAIN || why == EACCES || why == EINTR;
        if (busy && wait && !interrupt_pending()) {
            usleep(LOCK_TURN_US);
            continue;
        }
        close(*lock);
        *lock = -1;
        if (!busy)
            return fail(err, "cannot lock files in %s: %s", store, strerror(why));
        return wait ? interrupt_check(err) : true;
    }
    return true;
}

void
store_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}

bool
store_is_busy(const char *store, const char *key)
{
    struct flock byte = byte_of(key);
    const int fd = open_locks(store, O_RDONLY); /* a query does not create the file */
    const bool busy = fd >= 0 && !fcntl(fd, F_OFD_GETLK, &byte) && byte.l_type != F_UNLCK;
    store_unlock(fd);
    return busy;
}

bool
store_write_record(const char *folder, const struct store_record *record, struct error *err)
{
    cJSON *root = cJSON_CreateObject();
    char *path = mem_printf("%s/sweep.json", folder);
    cJSON_AddNumberToObject(root, "schema", AETIUS_SCHEMA);
    cJSON_AddStringToObject(root, "model", sweep_model());
    cJSON_AddStringToObject(root, "trace_hash", record->trace);
    cJSON_AddStringToObject(root, "frames", record->frames);
    cJSON_AddNumberToObject(root, "draws", (double)record->draws);
    cJSON_AddNumberToObject(root, "wall_seconds", record->seconds);
    cJSON_AddNumberToObject(root, "bytes", (double)record->bytes);
    const bool ok = json_write(root, path, err);
    free(path);
    return ok;
}

static double
number_of(const cJSON *object, const char *name)
{
    const double number = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return number > 0 && number < 9e15 ? number : 0;
}

bool
store_read_record(const char *store, const char *key, struct store_record *record)
{
    struct error err;
    char *path = mem_printf("%s/%s/sweep.json", store, key), *text = NULL;
    size_t size;
    cJSON *root = file_read(path, FILE_MOST_TEXT, &text, &size, &err) ? cJSON_Parse(text) : NULL;
    const char *trace = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "trace_hash"));
    const char *frames = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "frames"));
    const bool ok = trace && strlen(trace) == SHA256_TEXT - 1 && frames;
    if (ok) {
        memcpy(record->trace, trace, SHA256_TEXT);
        record->frames = mem_strdup(frames);
        record->draws = (uint64_t)number_of(root, "draws");
        record->bytes = (uint64_t)number_of(root, "bytes");
        record->seconds = number_of(root, "wall_seconds");
    }
    cJSON_Delete(root);
    free(text);
    free(path);
    return ok;
}

bool
store_finish(const char *store, const char *key, struct error *err)
{
    char *part = store_part_path(store, key), *path = store_path(store, key);
    const bool ok = !rename(part, path) || fail(err, "cannot rename %s: %s", part, strerror(errno));
    free(part);
    free(path);
    return ok;
}

static int
remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)ftw;
    return kind == FTW_DP ? rmdir(path) : unlink(path);
}

bool
tree_remove(const char *path, struct error *err)
{
    struct stat st;
    if (lstat(path, &st) && errno == ENOENT)
        return true;
    return !nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) ||
           fail(err, "cannot remove %s: %s", path, strerror(errno));
}

static _Thread_local uint64_t counted; /* result of nftw(), whose callback has no user data */

static int
count_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)path;
    (void)ftw;
    if (kind != FTW_NS)
        counted += (uint64_t)st->st_blocks * 512;
    return 0;
}

uint64_t
tree_bytes(const char *path)
{
    counted = 0;
    nftw(path, count_entry, 16, FTW_PHYS);
    return counted;
}

uint32_t
store_clean(const char *store)
{
    static const char end[] = ".part";
    DIR *dir = opendir(store);
    uint32_t removed = 0;
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        const size_t key = SWEEP_KEY_TEXT - 1;
        char name[SWEEP_KEY_TEXT];
        int lock = -1;
        if (strlen(entry->d_name) != key + strlen(end) || strcmp(entry->d_name + key, end) != 0)
            continue;
        memcpy(name, entry->d_name, key);
        name[key] = '\0';
        char *path = store_part_path(store, name);
        if (sweep_key_is_one(name) && store_lock(store, name, false, &lock, NULL) && lock >= 0)
            removed += tree_remove(path, NULL);
        free(path);
        store_unlock(lock);
    }
    if (dir)
        closedir(dir);
    return removed;
}
