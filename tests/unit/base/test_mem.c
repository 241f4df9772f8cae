/* If memory is exhausted, the program ends with a message of one line. This is also true if the
 * product of count and size overflows. */
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* By default AddressSanitizer aborts for such a size. With this option it only warns. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

/* If the product wrapped, each allocation would be 16 bytes or less. */
static void
wrap_array(void)
{
    mem_leave(mem_array(SIZE_MAX / 16 + 2, 16));
}

static void
wrap_resize(void)
{
    mem_leave(mem_resize(NULL, SIZE_MAX / 16 + 2, 16));
}

static void
wrap_vector(void)
{
    size_t capacity = 0;
    mem_leave(vec_grow(NULL, &capacity, SIZE_MAX / 16 + 2, 16));
}

static void
wrap_vector_above_half(void)
{
    size_t capacity = 0;
    mem_leave(vec_grow(NULL, &capacity, SIZE_MAX - 1, 1));
}

static void
products_are_checked(void **state)
{
    static void (*const wraps[])(void) = {wrap_array, wrap_resize, wrap_vector,
                                          wrap_vector_above_half};
    (void)state;
    for (size_t i = 0; i < sizeof wraps / sizeof *wraps; i++) {
        int ends[2], status;
        char text[4096] = "", *line;
        ssize_t got;
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            dup2(ends[1], STDERR_FILENO);
            alarm(10);
            wraps[i]();
            _exit(0);
        }
        close(ends[1]);
        for (size_t n = 0; (got = read(ends[0], text + n, sizeof text - 1 - n)) > 0;)
            n += (size_t)got;
        close(ends[0]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
        line = strstr(text, "aetius: out of memory: cannot allocate ");
        assert_non_null(line);
        assert_ptr_equal(strchr(line, '\n'), text + strlen(text) - 1);
    }
}

static void
arrays_are_zeroed(void **state)
{
    (void)state;
    unsigned char *bytes = mem_array(1000, 3);
    for (size_t i = 0; i < 3000; i++)
        assert_int_equal(bytes[i], 0);
    free(bytes);
    free(mem_array(0, 8));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_checked),
        cmocka_unit_test(arrays_are_zeroed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
