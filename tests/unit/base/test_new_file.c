/* New files that replace an existing file on commit, with one writer at a time. */
#include "base/new_file.h"

#include "base/file.h"
#include "base/mem.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { WRITERS = 3, ROUNDS = 100 };

static char dir[] = "/tmp/aetius-new-file-XXXXXX";

static char *
in_dir(const char *name)
{
    return mem_printf("%s/%s", dir, name);
}

static void
expect(const char *path, const char *wanted)
{
    char *bytes = NULL;
    size_t size;
    struct error err;
    const bool is_there = file_read(path, 1000, &bytes, &size, &err);
    assert_int_equal(is_there, wanted != NULL);
    if (wanted)
        assert_string_equal(bytes, wanted);
    free(bytes);
}

static void
put(const char *path, const char *text)
{
    struct error err;
    assert_true(file_write(path, text, strlen(text), &err));
}

static void
give_text(const struct new_file *file, const char *text)
{
    assert_int_equal(write(file->fd, text, strlen(text)), strlen(text));
}

static void
open_new(struct new_file *file, const char *path)
{
    struct error err = {""};
    if (!new_file_open(file, path, &err))
        fail_msg("%s", err.text);
}

static void
expect_held(const char *path)
{
    struct new_file file;
    struct error err = {""};
    assert_false(new_file_open(&file, path, &err));
    assert_non_null(strstr(err.text, "another process is writing"));
}

/* The existing file stays until the new one replaces it. Open readers can still read it after that.
 */
static void
the_old_file_stays(void **state)
{
    char *path = in_dir("a"), *unfinished = in_dir("a.unfinished"), byte;
    struct new_file file;
    struct error err;
    (void)state;
    put(path, "old");
    const int reader = open(path, O_RDONLY | O_CLOEXEC);
    open_new(&file, path);
    give_text(&file, "new");
    expect(path, "old");
    new_file_discard(&file);
    expect(path, "old");
    expect(unfinished, NULL);
    open_new(&file, path);
    give_text(&file, "new");
    assert_true(new_file_commit(&file, &err));
    expect(path, "new");
    give_text(&file, "er");
    assert_true(new_file_commit(&file, &err));
    assert_true(new_file_close(&file, &err));
    expect(path, "newer");
    expect(unfinished, NULL);
    assert_int_equal(read(reader, &byte, 1), 1);
    assert_int_equal(byte, 'o');
    close(reader);
    open_new(&file, path); /* the previous new file was closed without a commit */
    give_text(&file, "newest");
    assert_true(new_file_close(&file, &err));
    expect(path, "newest");
    unlink(path);
    free(unfinished);
    free(path);
}

static void
one_writer_at_a_time(void **state)
{
    char *path = in_dir("b");
    struct new_file file;
    struct error err;
    (void)state;
    for (int is_there = 0; is_there < 2; is_there++) {
        if (is_there)
            put(path, "old");
        open_new(&file, path);
        expect_held(path);
        give_text(&file, "mine");
        assert_true(new_file_commit(&file, &err));
        expect_held(path);
        assert_true(new_file_close(&file, &err));
        expect(path, "mine");
        open_new(&file, path);
        new_file_discard(&file);
        unlink(path);
    }
    free(path);
}

/* Returns whether the path leads to the file. */
static bool
is_at(const struct new_file *file, const char *path)
{
    struct stat mine, there;
    return !fstat(file->fd, &mine) && !stat(path, &there) && mine.st_ino == there.st_ino;
}

static void
write_often(const char *path)
{
    for (uint32_t written = 0; written < ROUNDS;) {
        struct new_file file;
        struct error err;
        if (!new_file_open(&file, path, &err)) {
            usleep(20); /* another process is writing the file */
            continue;
        }
        if (!new_file_commit(&file, &err) || !is_at(&file, path))
            _exit(1);
        usleep(written % 3 * 50);
        if (!is_at(&file, path) || !new_file_close(&file, &err))
            _exit(2); /* another file replaced this one */
        written++;
    }
    _exit(0);
}

/* A file that is being written is never replaced by another writer. */
static void
writers_that_meet(void **state)
{
    char *path = in_dir("c");
    (void)state;
    for (int i = 0; i < WRITERS; i++)
        if (fork() == 0)
            write_often(path);
    for (int i = 0; i < WRITERS; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    unlink(path);
    free(path);
}

/* Neither a file left by a killed process nor a link prevents writing. */
static void
leftovers_are_no_obstacle(void **state)
{
    char *path = in_dir("d"), *unfinished = in_dir("d.unfinished"), *other = in_dir("other");
    struct new_file file;
    struct error err;
    (void)state;
    put(unfinished, "left over and longer");
    open_new(&file, path);
    give_text(&file, "new");
    assert_true(new_file_close(&file, &err));
    expect(path, "new");
    put(other, "other");
    assert_int_equal(symlink(other, unfinished), 0);
    open_new(&file, path);
    give_text(&file, "newer");
    assert_true(new_file_close(&file, &err));
    expect(path, "newer");
    expect(other, "other");
    unlink(other);
    unlink(path);
    free(other);
    free(unfinished);
    free(path);
}

/* Devices may have several writers. A link is replaced, and its target is left unchanged, except
 * for a link to a device. */
static void
what_is_no_file_stays(void **state)
{
    char *link = in_dir("link"), *mine = in_dir("mine"), *folder = in_dir("folder");
    char *null = in_dir("null");
    struct new_file file, again;
    struct error err;
    struct stat st;
    (void)state;
    open_new(&file, "/dev/null");
    open_new(&again, "/dev/null");
    new_file_discard(&again);
    assert_true(new_file_close(&file, &err));
    assert_true(!lstat("/dev/null", &st) && S_ISCHR(st.st_mode));
    put(mine, "something longer");
    assert_int_equal(symlink(mine, link), 0);
    open_new(&file, link);
    give_text(&file, "new");
    expect_held(link);
    assert_true(new_file_close(&file, &err));
    expect(mine, "something longer");
    expect(link, "new");
    assert_true(!lstat(link, &st) && S_ISREG(st.st_mode));
    assert_int_equal(symlink("/dev/null", null), 0);
    open_new(&file, null);
    give_text(&file, "new");
    assert_true(new_file_close(&file, &err));
    assert_true(!lstat(null, &st) && S_ISLNK(st.st_mode));
    unlink(null);
    free(null);
    char *descriptor = mem_printf("/proc/self/fd/%d", open(mine, O_WRONLY | O_CLOEXEC));
    open_new(&file, descriptor); /* like /dev/stdout */
    give_text(&file, "out");
    assert_true(new_file_close(&file, &err));
    expect(mine, "out");
    free(descriptor);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_false(new_file_open(&file, folder, &err));
    assert_non_null(strstr(err.text, "cannot create"));
    rmdir(folder);
    unlink(link);
    unlink(mine);
    free(folder);
    free(mine);
    free(link);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_old_file_stays),    cmocka_unit_test(one_writer_at_a_time),
        cmocka_unit_test(writers_that_meet),     cmocka_unit_test(leftovers_are_no_obstacle),
        cmocka_unit_test(what_is_no_file_stays),
    };
    assert_non_null(mkdtemp(dir));
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(dir);
    return failed;
}
