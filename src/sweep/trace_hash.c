/* Caches hashes of traces in the store: STORE/traces.json. */
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/schema.h"
#include "sweep/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* A file rewritten within this time may keep its size and time stamp. */
enum { FRESH_SECONDS = 3 };

/* Text with the size and modification time of a file. */
static char *
stamp_of(const struct stat *st)
{
    return mem_printf("%lld bytes, %lld.%09ld", (long long)st->st_size,
                      (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
}

static cJSON *
read_list(const char *path)
{
    struct error err;
    char *text = NULL;
    size_t size;
    cJSON *root = file_exists(path) && file_read(path, FILE_MOST_FACTS, &text, &size, &err)
                      ? cJSON_Parse(text)
                      : NULL;
    free(text);
    return cJSON_IsObject(root) ? root : (cJSON_Delete(root), cJSON_CreateObject());
}

/* Adds a hash and writes the list. Frees `list`. */
static void
remember(cJSON *list, const char *at, const char *path, const char *stamp, const char *hash)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "stamp", stamp);
    cJSON_AddStringToObject(item, "hash", hash);
    cJSON_DeleteItemFromObjectCaseSensitive(list, path);
    cJSON_AddItemToObject(list, path, item);
    json_write(list, at, NULL); /* if this fails, the next caller computes the hash again */
}

bool
store_hash_trace(const char *store, const char *path, char hash[SHA256_TEXT], struct error *err)
{
    struct stat st;
    if (stat(path, &st))
        return fail(err, "cannot open %s: %s", path, strerror(errno));
    char *at = mem_printf("%s/traces.json", store), *stamp = stamp_of(&st);
    cJSON *list = read_list(at);
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(list, path);
    const char *known = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "hash"));
    const char *was = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "stamp"));
    bool ok = true;
    if (known && was && !strcmp(was, stamp) && strlen(known) == SHA256_TEXT - 1) {
        memcpy(hash, known, SHA256_TEXT);
        cJSON_Delete(list);
    } else {
        ok = sha256_file(path, hash, err);
        if (ok && file_exists(store) && time(NULL) - st.st_mtim.tv_sec >= FRESH_SECONDS)
            remember(list, at, path, stamp, hash);
        else
            cJSON_Delete(list);
    }
    free(stamp);
    free(at);
    return ok;
}
