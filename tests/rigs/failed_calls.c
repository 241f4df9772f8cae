/* Library that tests preload into aetius, for failures that the system rarely causes.
 *
 *     LD_PRELOAD=libfailed_calls.so AETIUS_FAULT=malloc:N aetius ...
 *
 * The Nth call of a function from main() on fails, in each process. `malloc` stands for malloc(),
 * calloc() and realloc(), and `fclose` for fclose() and fflush() of a file that was written, but
 * not standard output. The other names are those of `names` below. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* glibc's own names of the functions */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);

enum { MALLOC, FTRUNCATE, WRITE, FCLOSE, RENAME, FORK, OPEN, MKDIR, PIPE, FUNCTIONS };

static long fails_at[FUNCTIONS]; /* 0: never */
static atomic_long calls[FUNCTIONS];

__attribute__((constructor)) static void
begin(void)
{
    static const char *const names[] = {"malloc:", "ftruncate:", "write:", "fclose:", "rename:",
                                        "fork:",   "open:",      "mkdir:", "pipe:"};
    const char *fault = getenv("AETIUS_FAULT");
    for (size_t i = 0; fault && i < FUNCTIONS; i++)
        if (!strncmp(fault, names[i], strlen(names[i])))
            fails_at[i] = atol(fault + strlen(names[i]));
}

static int
fails(int function, int why)
{
    if (!fails_at[function] || ++calls[function] != fails_at[function])
        return 0;
    errno = why;
    return 1;
}

void *
malloc(size_t bytes)
{
    return fails(MALLOC, ENOMEM) ? NULL : __libc_malloc(bytes);
}

void *
calloc(size_t count, size_t bytes)
{
    return fails(MALLOC, ENOMEM) ? NULL : __libc_calloc(count, bytes);
}

void *
realloc(void *old, size_t bytes)
{
    return fails(MALLOC, ENOMEM) ? NULL : __libc_realloc(old, bytes);
}

int
ftruncate(int fd, off_t bytes)
{
    return fails(FTRUNCATE, EDQUOT) ? -1 : (int)syscall(SYS_ftruncate, fd, bytes);
}

ssize_t
write(int fd, const void *bytes, size_t count)
{
    return fails(WRITE, ENOSPC) ? -1 : syscall(SYS_write, fd, bytes, count);
}

int
rename(const char *old, const char *new)
{
    return fails(RENAME, EACCES) ? -1 : (int)syscall(SYS_rename, old, new);
}

int
mkdir(const char *path, mode_t mode)
{
    return fails(MKDIR, EDQUOT) ? -1 : (int)syscall(SYS_mkdir, path, mode);
}

int
pipe2(int ends[2], int flags)
{
    return fails(PIPE, EMFILE) ? -1 : (int)syscall(SYS_pipe2, ends, flags);
}

pid_t
fork(void)
{
    pid_t (*real)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
    return fails(FORK, EAGAIN) ? -1 : real();
}

int
open64(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    return fails(OPEN, EMFILE) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int
fflush(FILE *file)
{
    int (*real)(FILE *) = (int (*)(FILE *))dlsym(RTLD_NEXT, "fflush");
    const int status = real(file);
    return file && file != stderr && file != stdout && __fwriting(file) && fails(FCLOSE, ENOSPC)
               ? EOF
               : status;
}

int
fclose(FILE *file)
{
    int (*real)(FILE *) = (int (*)(FILE *))dlsym(RTLD_NEXT, "fclose");
    const int is_written = __fwriting(file);
    const int status = real(file);
    return is_written && fails(FCLOSE, ENOSPC) ? EOF : status;
}
