#include "cmd/run_cache.h"

#include "base/build.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "cmd/simulate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
file_identity(const char *path, uint64_t *hash, size_t *size, struct error *err)
{
    uint8_t bytes[1 << 16];
    ssize_t got;
    const int fd = file_open(path, err);
    if (fd < 0)
        return false;
    *hash = HASH_START;
    *size = 0;
    while ((got = read(fd, bytes, sizeof bytes)) > 0 && !interrupt_pending()) {
        *hash = hash_bytes(*hash, bytes, (size_t)got);
        *size += (size_t)got;
    }
    const int why = errno;
    close(fd);
    return interrupt_check(err) && (!got || fail(err, "cannot read %s: %s", path, strerror(why)));
}

/* What it is the run of, as text. */
static char *
make_key(const struct cached_run *run, struct error *err)
{
    struct params params;
    uint64_t hash;
    size_t size;
    if (!file_identity(run->trace, &hash, &size, err) ||
        !machine_options_apply(&run->machine, &params, err))
        return NULL;
    char *machine = params_to_ini(&params, NULL);
    char *key =
        mem_printf("trace %016llx of %zu bytes\nframes %s\naetius %s\n%s", (unsigned long long)hash,
                   size, run->frames ? run->frames : "all", AETIUS_VERSION, machine);
    free(machine);
    return key;
}

static char *
folder_of(const struct cached_run *run, const char *key)
{
    const uint64_t name = hash_bytes(HASH_START, key, strlen(key));
    return mem_printf("%s/%016llx", run->root, (unsigned long long)name);
}

char *
run_cache_folder(const struct cached_run *run, bool *is_there, struct error *err)
{
    char *key = make_key(run, err), *found = NULL;
    struct error ignored;
    size_t size;
    if (!key)
        return NULL;
    char *dir = folder_of(run, key);
    char *path = mem_printf("%s/key", dir);
    *is_there = file_exists(path) && file_read(path, FILE_MOST_TEXT, &found, &size, &ignored) &&
                !strcmp(found, key);
    free(found);
    free(path);
    free(key);
    return dir;
}

bool
run_cache_make(const struct cached_run *run, struct error *err)
{
    struct simulate_options options = {
        .machine = run->machine, .force = true, .warm_up = WARM_UP_ALL};
    char *key = make_key(run, err);
    if (!key)
        return false;
    char *dir = folder_of(run, key), *path = mem_printf("%s/key", dir);
    options.dir = dir;
    unlink(path);
    const bool ok = (!run->frames || frame_set_parse(&options.timed, run->frames, err)) &&
                    dir_create(dir, err) && simulate_trace(&options, run->trace, err) &&
                    interrupt_check(err) && file_write(path, key, strlen(key), err);
    free(path);
    free(dir);
    free(key);
    return ok;
}
