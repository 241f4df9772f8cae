/* Library that tests preload into aetius, for failures that the system rarely causes.
 *
 *     LD_PRELOAD=libfailed_calls.so AETIUS_FAULT=malloc:N aetius ...
 *
 * The Nth call of malloc(), calloc() or realloc() from main() on fails, in each process. With
 * ftruncate:N, the Nth call of ftruncate() fails, as on a file system with a quota. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* glibc's own names of the functions */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);

enum { MALLOC, FTRUNCATE, FUNCTIONS };

static long fails_at[FUNCTIONS]; /* 0: never */
static atomic_long calls[FUNCTIONS];

__attribute__((constructor)) static void
begin(void)
{
    static const char *const names[] = {"malloc:", "ftruncate:"};
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
