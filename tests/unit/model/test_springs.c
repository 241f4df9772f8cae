/* The mass-spring program of the staged model computes the physics of its sheet: on llvmpipe, in
 * the functional renderer, and on the machine (tests/gl/springs.c). */
#include "base/file.h"
#include "base/mem.h"
#include "rigs/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const char *aetius, *springs;
static char dir[] = "/tmp/aetius-springs-XXXXXX";

static void
test_positions(void **state)
{
    (void)state;
    char *commands[] = {
        mem_printf("GALLIUM_DRIVER=llvmpipe LIBGL_ALWAYS_SOFTWARE=1 EGL_PLATFORM=surfaceless %s",
                   springs),
        mem_printf("EGL_PLATFORM=surfaceless DISPLAY=none %s run --functional --force -o %s/run -- "
                   "%s",
                   aetius, dir, springs),
        mem_printf("EGL_PLATFORM=surfaceless DISPLAY=none %s run --force -o %s/run -- %s", aetius,
                   dir, springs)};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        char *whole = mem_printf("%s >%s/out 2>&1", commands[i], dir);
        const int status = system(whole);
        if (status) {
            char *path = mem_printf("%s/out", dir), *said = NULL;
            struct error err;
            size_t size;
            file_read(path, SIZE_MAX, &said, &size, &err);
            fail_msg("%s: status %d: %.2000s", commands[i], status, said ? said : "");
        }
        free(whole);
        free(commands[i]);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_positions)};
    if (argc != 3 || !mkdtemp(dir)) {
        fprintf(stderr, "usage: test_springs AETIUS SPRINGS\n");
        return 2;
    }
    aetius = argv[1];
    springs = argv[2];
    const int failed = cmocka_run_group_tests_name("springs", tests, NULL, NULL);
    return failed || !remove_folder(dir);
}
