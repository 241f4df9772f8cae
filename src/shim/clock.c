/* Library that --clock preloads into the program. It replaces the program's clocks with a time that
 * advances with the rendered frames. Two captures of a program that animates by wall clock
 * therefore render the same frames. AETIUS_CLOCK names a file that contains one uint64_t: the time
 * of all frames so far in nanoseconds (trace/virgl/vtest/frame_clock.h). All processes of the
 * program map this file.
 *
 * The time of a thread is the latest of three: the time of the frames, the main thread's time, and
 * the thread's local time. Sleeps, and waits that time out, advance the local time by their
 * duration. A program that sleeps until its next frame therefore reaches the time of that frame.
 * Other threads do not affect the time of the main thread. Sleeps still take their real duration.
 *
 * Each clock read advances the time by STEP_NS. Successive reads therefore differ, and a loop that
 * polls the clock terminates.
 *
 * The time of day starts at EPOCH, and monotonic clocks start at BEGIN. CPU-time clocks start at 0
 * and advance like the others. Other common seeds of random numbers are fixed as well. getpid()
 * returns PID, which Linux assigns to no process. Random numbers come from a fixed sequence of
 * RANDOM_BYTES.
 *
 * Not covered: timers that send signals or are read (timerfd), direct use of futexes, the CPU's
 * time-stamp counter, and the CPU's random number instructions. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

enum {
    STEP_NS = 1000,
    NS = 1000000000,
    EPOCH = 1577836800,  /* seconds: 2020-01-01 */
    BEGIN = 1000,        /* seconds */
    PID = (1 << 22) + 1, /* above Linux's largest pid, 1 << 22 */
    RANDOM_BYTES = 1 << 16,
};

static const volatile uint64_t *page; /* mapping of the file; NULL: not opened yet */
static const uint64_t none;           /* `page` points here if there is no file */
static uint64_t main_ns;              /* local time of the main thread */

static __thread struct {
    uint64_t own_ns;
} now;

static void __attribute__((constructor)) open_page(void)
{
    const int saved = errno;
    const char *path = getenv("AETIUS_CLOCK");
    const int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC) : -1;
    void *bytes = fd >= 0 ? mmap(NULL, sizeof *page, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    page = bytes == MAP_FAILED ? &none : bytes;
    if (fd >= 0)
        close(fd);
    errno = saved;
}

static bool
is_on(void)
{
    if (!page)
        open_page();
    return page != &none;
}

static bool
is_main(void)
{
    return syscall(SYS_getpid) == syscall(SYS_gettid);
}

/* Returns the thread's current time without advancing it. */
static uint64_t
find_now(void)
{
    const uint64_t frames = *page, mains = __atomic_load_n(&main_ns, __ATOMIC_RELAXED);
    now.own_ns = now.own_ns > frames ? now.own_ns : frames;
    now.own_ns = now.own_ns > mains ? now.own_ns : mains;
    return now.own_ns;
}

static void
go_on_to(uint64_t ns)
{
    if (ns <= find_now())
        return;
    now.own_ns = ns;
    if (is_main())
        __atomic_store_n(&main_ns, ns, __ATOMIC_RELAXED);
}

static void
go_on_by(uint64_t ns)
{
    go_on_to(find_now() + ns);
}

static uint64_t
read_clock(void)
{
    go_on_by(STEP_NS);
    return now.own_ns;
}

static uint64_t
begin_of(clockid_t clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI: return (uint64_t)EPOCH * NS;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME: return (uint64_t)BEGIN * NS;
    default: /* CPU-time clocks */ return 0;
    }
}

static struct timespec
spec_of(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / NS), (long)(ns % NS)};
}

static uint64_t
ns_of(const struct timespec *time)
{
    return time->tv_sec < 0 ? 0 : (uint64_t)time->tv_sec * NS + (uint64_t)time->tv_nsec;
}

/* ---- clock reads ---- */

SHOWN int
clock_gettime(clockid_t clock, struct timespec *time)
{
    if (!is_on())
        return (int)syscall(SYS_clock_gettime, clock, time);
    *time = spec_of(begin_of(clock) + read_clock());
    return 0;
}

SHOWN int
gettimeofday(struct timeval *time, void *zone)
{
    if (!is_on())
        return (int)syscall(SYS_gettimeofday, time, zone);
    const uint64_t us = ((uint64_t)EPOCH * NS + read_clock()) / 1000;
    *time = (struct timeval){(time_t)(us / 1000000), (suseconds_t)(us % 1000000)};
    if (zone)
        memset(zone, 0, sizeof(struct timezone));
    return 0;
}

SHOWN time_t
time(time_t *out)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (out)
        *out = t.tv_sec;
    return t.tv_sec;
}

SHOWN int
timespec_get(struct timespec *time, int base)
{
    return base == TIME_UTC && !clock_gettime(CLOCK_REALTIME, time) ? base : 0;
}

SHOWN clock_t
clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (clock_t)(ns_of(&t) / (NS / CLOCKS_PER_SEC));
}

SHOWN clock_t
times(struct tms *out)
{
    if (!is_on())
        return (clock_t)syscall(SYS_times, out);
    const clock_t ticks = (clock_t)(read_clock() / (NS / 100));
    if (out)
        *out = (struct tms){.tms_utime = ticks};
    return ticks;
}

/* ---- sleeping ---- */

SHOWN int
clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    struct timespec wait = *time;
    if (!is_on())
        return syscall(SYS_clock_nanosleep, clock, flags, time, left) ? errno : 0;
    if (flags & TIMER_ABSTIME) {
        const uint64_t at = begin_of(clock) + find_now(), until = ns_of(time);
        wait = spec_of(until > at ? until - at : 0);
        left = NULL;
    }
    if (syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &wait, left))
        return errno;
    go_on_by(ns_of(&wait));
    return 0;
}

SHOWN int
nanosleep(const struct timespec *time, struct timespec *left)
{
    const int error = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

SHOWN int
usleep(useconds_t us)
{
    const struct timespec time = spec_of((uint64_t)us * 1000);
    return nanosleep(&time, NULL);
}

SHOWN unsigned int
sleep(unsigned int seconds)
{
    const struct timespec time = spec_of((uint64_t)seconds * NS);
    struct timespec left = {0};
    return nanosleep(&time, &left) ? (unsigned int)left.tv_sec + (left.tv_nsec > 0) : 0;
}

/* ---- waits with a timeout, which advance the time if they time out ---- */

/* Looks up the current version of a libc function, because dlsym() alone may return an old
 * version. */
#define NEXT(name, version, type)                                                                  \
    static type *next;                                                                             \
    if (!next) {                                                                                   \
        void *symbol = (version) ? dlvsym(RTLD_NEXT, name, version) : NULL;                        \
        symbol = symbol ? symbol : dlsym(RTLD_NEXT, name);                                         \
        memcpy(&next, &symbol, sizeof next);                                                       \
    }

static const char *const no_version;

SHOWN int
poll(struct pollfd *fds, nfds_t count, int ms)
{
    const int ready = (int)syscall(SYS_poll, fds, count, ms);
    if (!ready && ms > 0 && is_on())
        go_on_by((uint64_t)ms * 1000000);
    return ready;
}

SHOWN int
ppoll(struct pollfd *fds, nfds_t count, const struct timespec *time, const sigset_t *mask)
{
    NEXT("ppoll", no_version, __typeof__(ppoll))
    const int ready = next(fds, count, time, mask);
    if (!ready && time && is_on())
        go_on_by(ns_of(time));
    return ready;
}

SHOWN int
select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *time)
{
    const uint64_t ns = time ? (uint64_t)time->tv_sec * NS + (uint64_t)time->tv_usec * 1000 : 0;
    const int ready = (int)syscall(SYS_select, count, in, out, other, time);
    if (!ready && time && is_on())
        go_on_by(ns);
    return ready;
}

SHOWN int
pselect(int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *time,
        const sigset_t *mask)
{
    NEXT("pselect", no_version, __typeof__(pselect))
    const int ready = next(count, in, out, other, time, mask);
    if (!ready && time && is_on())
        go_on_by(ns_of(time));
    return ready;
}

SHOWN int
epoll_wait(int fd, struct epoll_event *events, int most, int ms)
{
    const int ready = (int)syscall(SYS_epoll_wait, fd, events, most, ms);
    if (!ready && ms > 0 && is_on())
        go_on_by((uint64_t)ms * 1000000);
    return ready;
}

/* Converts `until`, a time of the program's `clock`, to the deadline in real time. */
static struct timespec
deadline_of(const struct timespec *until, clockid_t clock)
{
    struct timespec real;
    const uint64_t at = begin_of(clock) + find_now(), end = ns_of(until);
    syscall(SYS_clock_gettime, clock, &real);
    return spec_of(ns_of(&real) + (end > at ? end - at : 0));
}

/* Guesses the clock of a deadline for pthread_cond_timedwait(), which does not state it. Only the
 * time of day can be at or after EPOCH. */
static clockid_t
clock_of(const struct timespec *until)
{
    return until->tv_sec >= EPOCH ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

static void
waited_until(int error, const struct timespec *until, clockid_t clock)
{
    const uint64_t ns = ns_of(until), begin = begin_of(clock);
    if (error == ETIMEDOUT && ns > begin)
        go_on_to(ns - begin);
}

SHOWN int
pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
    NEXT("pthread_cond_timedwait", "GLIBC_2.3.2", __typeof__(pthread_cond_timedwait))
    if (!is_on())
        return next(cond, mutex, until);
    const clockid_t clock = clock_of(until);
    const struct timespec deadline = deadline_of(until, clock);
    const int error = next(cond, mutex, &deadline);
    waited_until(error, until, clock);
    return error;
}

SHOWN int
pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                       const struct timespec *until)
{
    NEXT("pthread_cond_clockwait", no_version, __typeof__(pthread_cond_clockwait))
    if (!is_on())
        return next(cond, mutex, clock, until);
    const struct timespec deadline = deadline_of(until, clock);
    const int error = next(cond, mutex, clock, &deadline);
    waited_until(error, until, clock);
    return error;
}

SHOWN int
pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    NEXT("pthread_mutex_timedlock", no_version, __typeof__(pthread_mutex_timedlock))
    if (!is_on())
        return next(mutex, until);
    const struct timespec deadline = deadline_of(until, CLOCK_REALTIME);
    const int error = next(mutex, &deadline);
    waited_until(error, until, CLOCK_REALTIME);
    return error;
}

SHOWN int
sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
    NEXT("sem_timedwait", no_version, __typeof__(sem_timedwait))
    if (!is_on())
        return next(semaphore, until);
    const struct timespec deadline = deadline_of(until, CLOCK_REALTIME);
    const int failed = next(semaphore, &deadline);
    waited_until(failed ? errno : 0, until, CLOCK_REALTIME);
    return failed;
}

SHOWN int
sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
    NEXT("sem_clockwait", no_version, __typeof__(sem_clockwait))
    if (!is_on())
        return next(semaphore, clock, until);
    const struct timespec deadline = deadline_of(until, clock);
    const int failed = next(semaphore, clock, &deadline);
    waited_until(failed ? errno : 0, until, clock);
    return failed;
}

/* ---- the process ---- */

SHOWN pid_t
getpid(void)
{
    return is_on() ? PID : (pid_t)syscall(SYS_getpid);
}

SHOWN int
kill(pid_t pid, int number)
{
    return (int)syscall(SYS_kill, pid == PID ? (pid_t)syscall(SYS_getpid) : pid, number);
}

/* ---- random numbers ---- */

static uint8_t
next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return (uint8_t)(*state >> 24);
}

static bool
is_random(const char *path)
{
    return is_on() && path && (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random"));
}

/* Returns the descriptor of a file with the fixed random numbers, or -1. */
static int
open_random(void)
{
    uint8_t bytes[RANDOM_BYTES];
    uint32_t state = 1;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = next_random(&state);
    const int fd = (int)syscall(SYS_memfd_create, "random", 0);
    if (fd >= 0 &&
        (write(fd, bytes, sizeof bytes) != (ssize_t)sizeof bytes || lseek(fd, 0, SEEK_SET) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* With 64-bit file offsets, the headers rename open to open64 and fopen to fopen64. Assembler names
 * allow the definition of both. */
#define OPEN(function, name)                                                                       \
    SHOWN int function(const char *path, int flags, ...) __asm__(name);                            \
    SHOWN int function(const char *path, int flags, ...)                                           \
    {                                                                                              \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;              \
        va_end(rest);                                                                              \
        return is_random(path) ? open_random()                                                     \
                               : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);            \
    }
OPEN(open_of_old, "open")
OPEN(open_of_64, "open64")

#define FOPEN(function, name)                                                                      \
    SHOWN FILE *function(const char *path, const char *mode) __asm__(name);                        \
    SHOWN FILE *function(const char *path, const char *mode)                                       \
    {                                                                                              \
        NEXT(name, no_version, __typeof__(fopen))                                                  \
        const int fd = is_random(path) ? open_random() : -1;                                       \
        return fd >= 0 ? fdopen(fd, "r") : next(path, mode);                                       \
    }
FOPEN(fopen_of_old, "fopen")
FOPEN(fopen_of_64, "fopen64")

SHOWN ssize_t
getrandom(void *buffer, size_t size, unsigned int flags)
{
    static uint32_t state = 2;
    uint8_t *bytes = buffer;
    if (!is_on())
        return syscall(SYS_getrandom, buffer, size, flags);
    for (size_t i = 0; i < size; i++)
        bytes[i] = next_random(&state);
    return (ssize_t)size;
}

SHOWN int
getentropy(void *buffer, size_t size)
{
    return getrandom(buffer, size, 0) == (ssize_t)size ? 0 : -1;
}
