/* Starts Xvfb with a private cookie, and reads the display number from a pipe
 * (docs/design/frontend.md, Processes). The cookie file has the layout of Xau(3): family, address,
 * display, name and data. The length of each string precedes it, in big-endian order.
 *
 * The caller owns the x_server, and calls x_server_end() even after a failed start. The start fails
 * if Xvfb is not installed, if it reports no number within DISPLAY_SECONDS, or after a signal. */
#include "trace/virgl/vtest/x_server.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { COOKIE_BYTES = 16, DISPLAY_SECONDS = 20 };

/* Writes one entry, which is valid for every address and display. */
static bool
write_cookie(const char *path, struct error *err)
{
    static const char name[] = "MIT-MAGIC-COOKIE-1";
    enum { NAME_BYTES = sizeof name - 1 };
    uint8_t entry[10 + NAME_BYTES + COOKIE_BYTES] = {0xff, 0xff, 0, 0, 0, 0, 0, NAME_BYTES};
    memcpy(entry + 8, name, NAME_BYTES);
    entry[9 + NAME_BYTES] = COOKIE_BYTES;
    if (getrandom(entry + 10 + NAME_BYTES, COOKIE_BYTES, 0) != COOKIE_BYTES)
        return fail(err, "cannot read random bytes: %s", strerror(errno));
    return file_write(path, entry, sizeof entry, err);
}

/* Reads the display number that Xvfb has chosen. */
static bool
read_display(int fd, char *number, size_t size)
{
    size_t n = 0;
    while (n + 1 < size && interrupt_await(fd, DISPLAY_SECONDS * 1000)) {
        ssize_t got = read(fd, number + n, size - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
        number[n] = '\0';
        if (number[n - 1] == '\n') {
            number[n - 1] = '\0';
            return n > 1;
        }
    }
    return false;
}

/* Starts Xvfb with its cookie and log. Xvfb writes its display number to `report`. */
static bool
start(struct x_server *server, const char *cookie, const char *log, int report, struct error *err)
{
    char *fd_text = mem_printf("%d", report), *auth_text = mem_strdup(cookie);
    char name[] = "Xvfb", displayfd[] = "-displayfd", screen[] = "-screen", zero[] = "0";
    char size[] = "1280x1024x24", nolisten[] = "-nolisten", tcp[] = "tcp", noreset[] = "-noreset";
    /* Disable MIT-SHM, with which Mesa's virpipe crashes when a pixmap becomes a texture (GTK 3,
     * compositors). Mesa then requests a resource handle (drisw_update_tex_buffer), which vtest
     * does not support. */
    char auth[] = "-auth", extension[] = "-extension", shm[] = "MIT-SHM";
    char *argv[] = {name,      displayfd, fd_text, screen,  zero,      size, auth,
                    auth_text, nolisten,  tcp,     noreset, extension, shm,  NULL};
    const struct subprocess_setup setup = {.argv = argv,
                                           .log = log,
                                           .no_input = true,
                                           .kept_fd = report,
                                           .own_group = true,
                                           .death_signal = SIGKILL};
    const bool ok = subprocess_start(&server->process, &setup, err);
    free(auth_text);
    free(fd_text);
    return ok || fail_prefix(err, "DISPLAY is not set, and the X server for it (package xvfb)");
}

bool
x_server_start(struct x_server *server, const char *folder, struct error *err)
{
    int report[2];
    char number[16];
    *server = (struct x_server){0};
    if (pipe2(report, O_CLOEXEC))
        return fail(err, "cannot create a pipe: %s", strerror(errno));
    char *cookie = mem_printf("%s/x-cookie", folder), *log = mem_printf("%s/x-log", folder);
    bool ok = write_cookie(cookie, err) && start(server, cookie, log, report[1], err);
    close(report[1]);
    if (ok && !read_display(report[0], number, sizeof number))
        ok = interrupt_check(err) && fail(err, "DISPLAY is not set, and Xvfb does not start");
    if (ok) {
        server->display = mem_printf("DISPLAY=:%s", number);
        server->authority = mem_printf("XAUTHORITY=%s", cookie);
    }
    close(report[0]);
    free(cookie);
    free(log);
    return ok;
}

void
x_server_end(struct x_server *server)
{
    subprocess_end(&server->process, 1000);
    free(server->display);
    free(server->authority);
    *server = (struct x_server){0};
}
