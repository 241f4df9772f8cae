/* Hundreds of shaders (tests/gl) with indexed arrays, matrices and structs, integers, and single
 * features. llvmpipe, the functional renderer and the machine draw them. The program calculates the
 * expected pixels of each tile. All three renderers must agree on every pixel. */
#include "base/file.h"
#include "base/mem.h"
#include "rigs/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *aetius, *shaders;
static char dir[] = "/tmp/aetius-shaders-XXXXXX";

/* A context of version 2.1 compiles only GLSL 1.20. Mesa can report version 3.0, which covers more
 * opcodes. */
#define CALLED_30 "MESA_GL_VERSION_OVERRIDE=3.0"

static const struct {
    const char *name, *environment;
} languages[] = {{"120", ""}, {"130", CALLED_30}, {"es", ""}};

/* Runs a command, which must succeed, and returns its output. */
static char *
output_of(const char *language, char *command)
{
    char *out, *whole = mem_printf("%s >%s/out 2>%s/err", command, dir, dir);
    char *out_path = mem_printf("%s/out", dir), *err_path = mem_printf("%s/err", dir);
    struct error err;
    size_t size;
    const int status = system(whole);
    if (status) {
        char *text = NULL;
        file_read(err_path, SIZE_MAX, &text, &size, &err);
        fail_msg("GLSL %s: status %d of %s: %.3000s", language, status, command, text ? text : "");
    }
    assert_true(file_read(out_path, SIZE_MAX, &out, &size, &err));
    free(whole);
    free(out_path);
    free(err_path);
    free(command);
    return out;
}

static bool
is_tile(const char *line, size_t length)
{
    static const char *const kinds[] = {"local-", "uniform-", "varying-", "feature-"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (length > strlen(kinds[i]) && !strncmp(line, kinds[i], strlen(kinds[i])))
            return true;
    return false;
}

/* Returns the next line of a tile. */
static const char *
next_tile(const char **rest, size_t *length)
{
    while (**rest) {
        const char *line = *rest;
        *length = strcspn(line, "\n");
        *rest = line + *length + (line[*length] == '\n');
        if (is_tile(line, *length))
            return line;
    }
    return NULL;
}

static void
compare(const char *language, const char *who, const char *reference, const char *ours)
{
    uint32_t count = 0;
    for (;; count++) {
        size_t length, our_length;
        const char *line = next_tile(&reference, &length);
        const char *our_line = next_tile(&ours, &our_length);
        if (!line || !our_line) {
            assert_true(!line && !our_line);
            break;
        }
        if (length != our_length || memcmp(line, our_line, length))
            fail_msg("GLSL %s: llvmpipe: %.*s\n%s: %.*s", language, (int)length, line, who,
                     (int)our_length, our_line);
    }
    assert_true(count > 300);
}

static void
test_language(void **state)
{
    const size_t i = (size_t)*state;
    const char *name = languages[i].name;
    char *reference = output_of(name, mem_printf("GALLIUM_DRIVER=llvmpipe LIBGL_ALWAYS_SOFTWARE=1 "
                                                 "EGL_PLATFORM=surfaceless %s %s",
                                                 shaders, name));
    for (int timed = 0; timed < 2; timed++) {
        /* DISPLAY: no X server is needed, and none may be started */
        char *ours = output_of(name, mem_printf("%s EGL_PLATFORM=surfaceless DISPLAY=none "
                                                "%s run %s --force -o %s/run -- %s %s",
                                                languages[i].environment, aetius,
                                                timed ? "" : "--functional", dir, shaders, name));
        compare(name, timed ? "the machine" : "the functional renderer", reference, ours);
        free(ours);
    }
    free(reference);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_language, (void *)0),
        cmocka_unit_test_prestate(test_language, (void *)1),
        cmocka_unit_test_prestate(test_language, (void *)2),
    };
    if (argc != 3 || !mkdtemp(dir)) {
        fprintf(stderr, "usage: test_shaders AETIUS SHADERS\n");
        return 2;
    }
    aetius = argv[1];
    shaders = argv[2];
    const int failed = cmocka_run_group_tests_name("shaders", tests, NULL, NULL);
    return failed || !remove_folder(dir);
}
