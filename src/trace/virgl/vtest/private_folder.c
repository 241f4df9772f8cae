#include "trace/virgl/vtest/private_folder.h"

#include "base/file.h"
#include "base/mem.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_PARENT = 60 }; /* a socket path in the folder is limited to 107 bytes */
static const char prefix[] = "aetius-";

static const char *
parent_folder(void)
{
    const char *parent = getenv("TMPDIR");
    return parent && *parent && strlen(parent) <= LONGEST_PARENT ? parent : "/tmp";
}

/* Returns the pid in the name of a folder, or 0 if the name does not have the expected form. */
static pid_t
owner_of(const char *name)
{
    const size_t length = sizeof prefix - 1;
    char *end;
    if (strncmp(name, prefix, length) || !isdigit((unsigned char)name[length]))
        return 0;
    const unsigned long pid = strtoul(name + length, &end, 10);
    return end[0] == '-' && strlen(end + 1) == 6 && pid <= INT32_MAX ? (pid_t)pid : 0;
}

static void
remove_dead(int parent, const char *name)
{
    struct stat st;
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    /* The process may be in another pid namespace. It then holds the lock. */
    DIR *dir = !fstat(fd, &st) && st.st_uid == geteuid() && !flock(fd, LOCK_EX | LOCK_NB)
                   ? fdopendir(fd)
                   : NULL;
    if (!dir) {
        close(fd);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(dir));)
        unlinkat(fd, entry->d_name, 0);
    unlinkat(parent, name, AT_REMOVEDIR);
    closedir(dir);
}

/* Removes the folders in `path` whose processes have exited. */
static void
remove_all_dead(const char *path)
{
    DIR *dir = opendir(path);
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        const pid_t pid = owner_of(entry->d_name);
        if (pid && kill(pid, 0) && errno == ESRCH)
            remove_dead(dirfd(dir), entry->d_name);
    }
    if (dir)
        closedir(dir);
}

bool
private_folder_create(struct private_folder *folder, struct error *err)
{
    const char *parent = parent_folder();
    remove_all_dead(parent);
    folder->lock = -1;
    folder->path = mem_printf("%s/%s%d-XXXXXX", parent, prefix, (int)getpid());
    if (mkdtemp(folder->path)) { /* creates the folder with mode 0700 */
        if (dir_lock(folder->path, &folder->lock, err))
            return true;
        rmdir(folder->path);
    } else {
        fail(err, "cannot create a folder in %s: %s", parent, strerror(errno));
    }
    free(folder->path);
    folder->path = NULL;
    return false;
}

void
private_folder_remove(struct private_folder *folder)
{
    if (!folder->path)
        return;
    dir_remove_files(folder->path, NULL);
    dir_unlock(folder->lock);
    free(folder->path);
    *folder = (struct private_folder){.lock = -1};
}
