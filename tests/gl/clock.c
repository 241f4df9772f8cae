/* A program whose animation depends on the time of day and on random numbers. Its operand selects
 * the function that waits between frames. For each frame the program prints the milliseconds of its
 * clocks since the first frame. tests/unit/shim/test_clock.c checks them. */
#include "../../benchmarks/gl/window.h"

#include <GL/gl.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { FRAMES = 6, WAIT_MS = 50 };

static const char *way;
static volatile sig_atomic_t signals;

static double
read_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double
day_ms(void)
{
    struct timeval t;
    gettimeofday(&t, NULL);
    return 1e3 * (double)t.tv_sec + 1e-3 * (double)t.tv_usec;
}

static struct timespec
later(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += WAIT_MS * 1000000l;
    t.tv_sec += t.tv_nsec / 1000000000l;
    t.tv_nsec %= 1000000000l;
    return t;
}

static sem_t posted;

static void *
post_later(void *nothing)
{
    usleep(20000);
    sem_post(&posted);
    return nothing;
}

/* Returns whether sem_timedwait() returns early when another thread posts the semaphore. */
static bool
is_woken(void)
{
    pthread_t thread;
    struct timespec until = later(CLOCK_REALTIME);
    until.tv_sec += 20;
    sem_init(&posted, 0, 0);
    pthread_create(&thread, NULL, post_later, NULL);
    const bool woken = !sem_timedwait(&posted, &until);
    pthread_join(thread, NULL);
    return woken;
}

/* Waits WAIT_MS with the selected function. Exits with 3 unless the wait times out. */
static void
wait_for_nothing(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    const struct timespec span = {0, WAIT_MS * 1000000l};
    struct timeval micro = {0, WAIT_MS * 1000l};
    struct timespec until = later(CLOCK_REALTIME);
    const double start = read_ms(CLOCK_MONOTONIC);
    sem_t semaphore;
    int error = 0;
    if (!strcmp(way, "usleep"))
        usleep(WAIT_MS * 1000);
    else if (!strcmp(way, "nanosleep"))
        nanosleep(&span, NULL);
    else if (!strcmp(way, "until")) {
        until = later(CLOCK_MONOTONIC);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    } else if (!strcmp(way, "poll"))
        poll(NULL, 0, WAIT_MS);
    else if (!strcmp(way, "select"))
        select(0, NULL, NULL, NULL, &micro);
    else if (!strcmp(way, "cond")) {
        pthread_mutex_lock(&mutex);
        error = pthread_cond_timedwait(&cond, &mutex, &until) - ETIMEDOUT;
        pthread_mutex_unlock(&mutex);
    } else if (!strcmp(way, "sem")) {
        sem_init(&semaphore, 0, 0);
        error = !sem_timedwait(&semaphore, &until) || errno != ETIMEDOUT;
    } else if (!strcmp(way, "woken"))
        error = !is_woken();
    else if (!strcmp(way, "busy"))
        while (read_ms(CLOCK_MONOTONIC) < start + WAIT_MS)
            ;
    if (error)
        exit(3);
}

/* Reads the clock and sleeps in an endless loop, as often as the scheduler permits. */
static void *
other_thread(void *nothing)
{
    for (;;) {
        read_ms(CLOCK_MONOTONIC);
        usleep(300);
    }
    return nothing;
}

/* Returns a seed from random bytes of /dev/urandom, /dev/random and getrandom(). */
static unsigned
draw_seed(void)
{
    unsigned from_file = 0, from_call = 0, from_fd = 0;
    FILE *file = fopen("/dev/urandom", "r");
    const int fd = open("/dev/random", O_RDONLY);
    if (!file || fread(&from_file, sizeof from_file, 1, file) != 1 ||
        read(fd, &from_fd, sizeof from_fd) != (ssize_t)sizeof from_fd ||
        getrandom(&from_call, sizeof from_call, 0) != (ssize_t)sizeof from_call)
        exit(4);
    fclose(file);
    close(fd);
    return from_file ^ 3 * from_call ^ 7 * from_fd;
}

static void
setup(void)
{
    pthread_t thread;
    srand((unsigned)time(NULL) ^ (unsigned)getpid() ^ draw_seed());
    if (!strcmp(way, "thread"))
        pthread_create(&thread, NULL, other_thread, NULL);
}

static void
draw(uint32_t frame)
{
    static double first_mono, first_day;
    const double mono = read_ms(CLOCK_MONOTONIC), day = day_ms();
    if (!frame) {
        first_mono = mono;
        first_day = day;
    }
    printf("%u %.3f %.3f\n", frame, mono - first_mono, day - first_day);
    fflush(stdout);
    const double phase = day / 1000 - (double)(long)(day / 1000);
    glClearColor((float)phase, (float)rand() / (float)RAND_MAX, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glBegin(GL_TRIANGLES);
    glVertex2f(-1, -1);
    glVertex2f((float)phase, -1);
    glVertex2f(0, 1);
    glEnd();
    wait_for_nothing();
}

static void
count(int number)
{
    signals += number == SIGUSR1;
}

int
main(int argc, char **argv)
{
    way = argc > 1 ? argv[1] : "";
    signal(SIGUSR1, count);
    kill(getpid(), SIGUSR1); /* fails unless getpid() returns the real process ID */
    if (signals != 1)
        return 2;
    const int status = scene_main(&(struct scene){.name = "clock",
                                                  .about = "Animated by the time of day.",
                                                  .width = 64,
                                                  .height = 64,
                                                  .frames = FRAMES,
                                                  .setup = setup,
                                                  .draw = draw},
                                  1, argv);
    printf("addresses %p %p\n", (void *)&status, (void *)&signals);
    return status;
}
