/* Runs a fuzz target on all files of a folder without a fuzzer, which makes the corpus a regression
 * test. */
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
replay(const char *folder, const char *name)
{
    struct error err;
    char *path = mem_printf("%s/%s", folder, name), *text;
    size_t size;
    bool ok = file_read(path, SIZE_MAX, &text, &size, &err);
    if (ok) {
        LLVMFuzzerTestOneInput((const uint8_t *)text, size);
        free(text);
    } else {
        log_error("%s", err.text);
    }
    free(path);
    return ok;
}

int
main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    uint32_t count = 0;
    if (!folder) {
        log_error("%s", argc == 2 ? strerror(errno) : "usage: replay FOLDER");
        return 1;
    }
    bool ok = true;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        ok = replay(argv[1], entry->d_name) && ok;
        count++;
    }
    closedir(folder);
    printf("%u files\n", count);
    return ok && count ? 0 : 1;
}
