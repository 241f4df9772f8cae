#include "trace/virgl/vtest/frame_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool
frame_clock_take(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
                 struct error *err)
{
    struct frame_clock *clock = data;
    message_sink_share_listener(clock->inner, &clock->sink);
    const bool ok = clock->inner->take(clock->inner->data, message, out, out_bytes, err);
    if (message->kind == MESSAGE_SWAP) {
        clock->frames++;
        __atomic_store_n(clock->page, clock->frames * 1000000000 / clock->frames_per_second,
                         __ATOMIC_RELEASE);
    }
    return ok;
}

bool
frame_clock_init(struct frame_clock *clock, const char *path, uint32_t frames_per_second,
                 struct message_sink *inner, struct error *err)
{
    *clock = (struct frame_clock){.sink = {.data = clock, .take = frame_clock_take},
                                  .inner = inner,
                                  .frames_per_second = frames_per_second};
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool made = fd >= 0 && !ftruncate(fd, sizeof *clock->page);
    void *page = made ? mmap(NULL, sizeof *clock->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                      : MAP_FAILED;
    const bool ok = page != MAP_FAILED || fail(err, "cannot create %s: %s", path, strerror(errno));
    clock->page = ok ? page : NULL;
    if (fd >= 0)
        close(fd);
    return ok;
}

void
frame_clock_fini(struct frame_clock *clock)
{
    if (clock->page)
        munmap(clock->page, sizeof *clock->page);
    clock->page = NULL;
}
