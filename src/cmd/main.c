/* aetius: finds the subcommand and passes it its arguments. */
#include "base/build.h"
#include "base/args.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/text_table.h"
#include "base/wrap.h"

#include <commit.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COMMAND(name, function, summary) int function(int argc, char **argv);
#include "cmd/commands.def"
#undef COMMAND

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
#define COMMAND(name, function, summary) {#name, function, summary},
#include "cmd/commands.def"
#undef COMMAND
    {NULL, NULL, NULL},
};

static void
print_commands(FILE *out)
{
    const uint32_t width = line_width(out);
    struct text_table table = {0};
    fprintf(out, "usage: aetius COMMAND ...\n\n");
    print_wrapped(out, width, 0, 0,
                  "Runs OpenGL programs on a simulated GPU: rendered frames, cycle counts, and a "
                  "breakdown of the cycles.");
    fprintf(out, "\ncommands:\n");
    for (size_t i = 0; commands[i].name; i++) {
        text_table_cell(&table, "%s", commands[i].name);
        text_table_left(&table, "%s", commands[i].summary);
        text_table_end_row(&table);
    }
    text_table_put(&table, TEXT_TABLE_TEXT, out);
    fprintf(out, "\n");
    print_wrapped(
        out, width < 88 ? width : 88, 0, 0,
        "`aetius COMMAND --help` lists the options of a command; `aetius --version` prints the "
        "version. Exit status: 0 success, 1 failure, 2 usage error, 3 limit of `--fail-over` "
        "exceeded; 130 and 143 after SIGINT and SIGTERM (128 + signal), with complete "
        "results kept.");
}

/* Detects output that was not written, for example because a disk is full. A reader that closes the
 * pipe early is not an error. */
static int
check_stdout(int status)
{
    struct pollfd reader = {STDOUT_FILENO, POLLOUT, 0};
    status = interrupt_status(status);
    const bool ok = !fflush(stdout) && !ferror(stdout);
    if (ok || status != EXIT_WELL || (poll(&reader, 1, 0) == 1 && reader.revents & POLLERR))
        return status;
    log_error("cannot write to standard output");
    return EXIT_FAILED;
}

/* Reserves the numbers of closed standard streams. Otherwise the first opened file would get such a
 * number and receive messages. The placeholder fails like a closed stream. */
static void
hold_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
            _exit(EXIT_FAILED);
}

int
main(int argc, char **argv)
{
    hold_streams();
    signal(SIGPIPE, SIG_IGN);
    interrupt_init();
    if (argc < 2) {
        print_commands(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
        print_commands(stdout);
        return check_stdout(EXIT_WELL);
    }
    if (!strcmp(argv[1], "--version")) {
        puts("aetius " AETIUS_VERSION " (" AETIUS_COMMIT ")");
        return check_stdout(EXIT_WELL);
    }
    for (size_t i = 0; commands[i].name; i++)
        if (!strcmp(argv[1], commands[i].name))
            return check_stdout(commands[i].run(argc - 1, argv + 1));
    print_shown(stderr, "aetius: unknown command '%s'; `aetius --help` lists the commands\n",
                argv[1]);
    return EXIT_USAGE;
}
