/* aetius: finds the subcommand and passes it its arguments. */
#include "base/build.h"
#include "base/args.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text_table.h"
#include "base/wrap.h"
#include "cmd/options.h"
#include "base/nearest.h"

#include <commit.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LEAST_STACK_BYTES = 1 << 19 };

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
        "`aetius COMMAND --help` or `aetius help COMMAND` lists the options of a command; "
        "`aetius --version` prints the version. Exit status: 0 success, 1 failure, 2 usage error, "
        "3 limit of `--fail-over` "
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

static const struct command *
find_command(const char *name)
{
    for (const struct command *c = commands; c->name; c++)
        if (!strcmp(name, c->name))
            return c;
    return NULL;
}

static int
complain(const char *name)
{
    struct nearest nearest = {.wanted = name};
    for (const struct command *c = commands; c->name; c++)
        nearest_offer(&nearest, c->name);
    print_shown(stderr, "aetius: unknown command '%s'", name);
    if (nearest_found(&nearest))
        fprintf(stderr, "; did you mean %s?", nearest.best);
    fprintf(stderr, "%s `aetius --help` lists the commands\n", nearest_found(&nearest) ? "" : ";");
    return EXIT_USAGE;
}

/* aetius help COMMAND [PART]: runs `aetius COMMAND [PART] --help`. */
static int
help(int argc, char **argv)
{
    char option[] = "--help", *words[4] = {NULL};
    const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;
    if (argc < 2) {
        print_commands(stdout);
        return EXIT_WELL;
    }
    if (!command)
        return complain(argv[1]);
    const int count = argc < 4 ? argc - 1 : 2;
    memcpy(words, argv + 1, (size_t)count * sizeof *words);
    words[count] = option;
    return command->run(count + 1, words);
}

/* Raises a stack limit below LEAST_STACK_BYTES, if the hard limit permits it. Otherwise a command
 * would end with a segmentation fault. */
static bool
has_stack(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= LEAST_STACK_BYTES)
        return true;
    limit.rlim_cur = LEAST_STACK_BYTES;
    if (limit.rlim_max >= LEAST_STACK_BYTES && !setrlimit(RLIMIT_STACK, &limit))
        return true;
    log_error("the stack may have only %llu KB, at least %d KB are required (`ulimit -s`)",
              (unsigned long long)limit.rlim_max >> 10, LEAST_STACK_BYTES >> 10);
    return false;
}

int
main(int argc, char **argv)
{
    version_text = AETIUS_VERSION " (" AETIUS_COMMIT ")";
    hold_streams();
    json_init();
    if (!has_stack())
        return EXIT_FAILED;
    signal(SIGPIPE, SIG_IGN);
    interrupt_init();
    if (argc < 2) {
        print_commands(stderr);
        return EXIT_USAGE;
    }
    const char *first = argv[1];
    if (!strcmp(first, "--help") || !strcmp(first, "-h"))
        return check_stdout(help(1, argv));
    if (!strcmp(first, "help"))
        return check_stdout(help(argc - 1, argv + 1));
    if (!strcmp(first, "--version") || !strcmp(first, "-V")) {
        printf("aetius %s\n", version_text);
        return check_stdout(EXIT_WELL);
    }
    const struct command *command = find_command(first);
    return command ? check_stdout(command->run(argc - 1, argv + 1)) : complain(first);
}
