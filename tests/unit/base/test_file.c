/* Files are written completely or not at all, even if several processes write them. */
#include "base/file.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { WRITERS = 4, ROUNDS = 200, BYTES = 200000 };

static char dir[] = "/tmp/aetius-file-XXXXXX";

static char *
in_dir(const char *name)
{
    return mem_printf("%s/%s", dir, name);
}

/* Returns whether the file consists of one letter, BYTES times. */
static bool
is_whole(const char *path)
{
    char *bytes;
    size_t size;
    struct error err;
    if (!file_read(path, BYTES, &bytes, &size, &err))
        return false;
    size_t same = 0;
    while (same < size && bytes[same] == bytes[0])
        same++;
    free(bytes);
    return size == BYTES && same == size;
}

static void
write_often(const char *path, char letter)
{
    char *bytes = mem_alloc(BYTES);
    struct error err;
    memset(bytes, letter, BYTES);
    for (int i = 0; i < ROUNDS; i++)
        if (!file_write(path, bytes, BYTES, &err) || !is_whole(path))
            _exit(1);
    _exit(0);
}

/* Every write succeeds, and a reader finds a complete file at any time. */
static void
writers_of_one_path(void **state)
{
    (void)state;
    char *path = in_dir("shared"), *part = in_dir("shared.part");
    for (char i = 0; i < WRITERS; i++)
        if (fork() == 0)
            write_often(path, (char)('a' + i));
    for (int i = 0; i < WRITERS; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_true(is_whole(path));
    assert_int_equal(access(part, F_OK), -1);
    unlink(path);
    free(part);
    free(path);
}

/* A killed process may leave a file under the temporary name, which does not prevent writing. A
 * link under that name is not followed. */
static void
leftovers_are_no_obstacle(void **state)
{
    (void)state;
    char *path = in_dir("file"), *part = in_dir("file.part"), *other = in_dir("other"), *bytes;
    struct error err;
    size_t size;
    assert_true(file_write(part, "left over and longer", 20, &err));
    assert_true(file_write(path, "new", 3, &err));
    assert_true(file_read(path, 100, &bytes, &size, &err));
    assert_string_equal(bytes, "new");
    free(bytes);
    assert_true(file_write(other, "mine", 4, &err));
    assert_int_equal(symlink(other, part), 0);
    assert_true(file_write(path, "newer", 5, &err));
    assert_true(file_read(other, 100, &bytes, &size, &err));
    assert_string_equal(bytes, "mine");
    free(bytes);
    assert_int_equal(mkfifo(part, 0600), 0);
    assert_true(file_write(path, "newest", 6, &err));
    assert_true(file_read(path, 100, &bytes, &size, &err));
    assert_string_equal(bytes, "newest");
    free(bytes);
    assert_int_equal(access(part, F_OK), -1);
    assert_int_equal(mkdir(part, 0700), 0);
    assert_false(file_write(path, "never", 5, &err));
    assert_non_null(strstr(err.text, "file.part"));
    rmdir(part);
    unlink(path);
    unlink(other);
    free(other);
    free(part);
    free(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writers_of_one_path),
        cmocka_unit_test(leftovers_are_no_obstacle),
    };
    assert_non_null(mkdtemp(dir));
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(dir);
    return failed;
}
