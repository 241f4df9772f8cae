/* Child processes that run in a temporary folder. */
#include "rigs/endings.h"
#include "rigs/folder.h"

const char *self;
char dir[] = "/tmp/aetius-endings-XXXXXX";

char *
in_dir(const char *name)
{
    return mem_printf("%s/%s", dir, name);
}

void
pause_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

pid_t
start(const char *const *words, rlim_t file_bytes)
{
    int ends[2];
    const char *all[WORDS + 2] = {aetius};
    for (uint32_t i = 0; words[i]; i++)
        all[i + 1] = words[i][0] == '@' ? in_dir(words[i] + 1) : words[i];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {file_bytes, file_bytes};
        if (file_bytes)
            setrlimit(RLIMIT_FSIZE, &limit);
        signal(SIGINT, SIG_DFL); /* as in a terminal; a shell ignores SIGINT in background jobs */
        signal(SIGTERM, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        chdir(dir);
        unsetenv("DISPLAY");
        setenv("TMPDIR", dir, 1);
        dup2(ends[0], STDIN_FILENO);
        dup2(open("out", O_WRONLY | O_CREAT | O_TRUNC, 0666), STDOUT_FILENO);
        dup2(open("err", O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
        fcntl(ends[1], F_SETFD, 0);
        execv(aetius, (char *const *)all);
        _exit(127);
    }
    assert_true(child > 0);
    close(ends[0]);
    close(ends[1]);
    for (uint32_t i = 0; words[i]; i++)
        if (words[i][0] == '@')
            free((char *)all[i + 1]);
    return child;
}

int
await(pid_t child, int most_ms)
{
    int status;
    for (int waited = 0; waited < most_ms; waited += 10, pause_ms(10))
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
}

char *
file_text(const char *where)
{
    char *path = in_dir(where), *text;
    size_t size;
    struct error err;
    if (!file_read(path, SIZE_MAX, &text, &size, &err))
        fail_msg("%s", err.text);
    free(path);
    return text;
}

bool
reports(const char *words)
{
    char *text = file_text("err");
    const bool does = strstr(text, words);
    if (!does)
        print_message("expected '%s', found '%s'\n", words, text);
    free(text);
    return does;
}

bool
is_there(const char *name)
{
    char *path = in_dir(name);
    const bool there = file_exists(path);
    free(path);
    return there;
}

int
clean(void **state)
{
    char *command = mem_printf("rm -rf %s/*", dir);
    const int status = system(command);
    free(command);
    return status;
}

void
put(const char *name, size_t size)
{
    char *path = in_dir(name), *bytes = mem_alloc(size + 1);
    struct error err;
    memset(bytes, ';', size);
    assert_true(file_write(path, bytes, size, &err));
    free(bytes);
    free(path);
}

void
put_text(const char *name, const char *text)
{
    struct error err;
    char *path = in_dir(name);
    assert_true(file_write(path, text, strlen(text), &err));
    free(path);
}

void
write_trace(const char *path, const struct resource_desc *shape, uint32_t count)
{
    static const uint8_t texel[4] = {1, 2, 3, 4};
    struct trace_writer *writer;
    struct error err;
    struct message begin = {.kind = MESSAGE_CLIENT_BEGIN, .client = 1};
    struct message create = {.kind = MESSAGE_RESOURCE_CREATE, .client = 1};
    struct message swap = {.kind = MESSAGE_SWAP, .client = 1};
    create.resource = (struct resource_desc){.handle = 1,
                                             .target = TARGET_2D,
                                             .format = FORMAT_B8G8R8A8_UNORM,
                                             .bind = BIND_RENDER_TARGET | BIND_DISPLAY_TARGET,
                                             .width = 8,
                                             .height = 8,
                                             .depth = 1,
                                             .array_size = 1};
    swap.transfer.handle = 1;
    swap.transfer.box = (struct box){0, 0, 0, 8, 8, 1};
    assert_true(trace_writer_create(&writer, path, "many", &err));
    trace_writer_add(writer, &begin, &err);
    trace_writer_add(writer, &create, &err);
    create.resource = *shape;
    for (uint32_t i = 0; i < count; i++) {
        struct message put = {
            .kind = MESSAGE_PUT, .client = 1, .bytes = texel, .size_bytes = sizeof texel};
        create.resource.handle = put.transfer.handle = i + 2;
        put.transfer.box = (struct box){5, 5, 0, 1, 1, 1};
        trace_writer_add(writer, &create, &err);
        if (shape->target == TARGET_2D)
            trace_writer_add(writer, &put, &err);
    }
    trace_writer_add(writer, &swap, &err);
    assert_true(trace_writer_close(writer, &err));
}

int
endings_main(int argc, char **argv, const struct CMUnitTest *tests, size_t count)
{
    aetius = argc > 1 ? argv[1] : "build/aetius";
    self = realpath("/proc/self/exe", NULL);
    if (argc > 2)
        cmocka_set_test_filter(argv[2]);
    assert_non_null(mkdtemp(dir));
    const int failed = _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
    const bool removed = remove_folder(dir);
    free((char *)self);
    return failed || !removed;
}
