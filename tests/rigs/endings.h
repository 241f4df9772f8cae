/* Starts the program in a child process with a temporary folder, for tests of how the program ends.
 * A test waits for the process and checks its output and files. `endings_main` runs the tests. */
#ifndef AETIUS_TESTS_ENDINGS_H
#define AETIUS_TESTS_ENDINGS_H

#include "base/build.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "trace/file.h"
#include "rigs/aetius.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define TINY      AETIUS_SOURCE_DIR "/tests/golden/tiny.trace"
#define WORKLOADS AETIUS_SOURCE_DIR "/tests/golden/workloads.trace"

enum { WORDS = 16 };

extern const char *self; /* path of the test program */
extern char dir[];       /* folder of the test */

char *in_dir(const char *name);
void pause_ms(int ms);

/* Starts a process. A word that begins with @ becomes a path in the folder of the test. Output goes
 * to files in that folder. Standard input is a pipe that stays open. */
pid_t start(const char *const *words, rlim_t file_bytes);

/* Returns the exit status, -1 if the process did not end in time, or -2 if a signal ended it. */
int await(pid_t child, int most_ms);
#define RUN(...) await(start((const char *const[]){__VA_ARGS__, NULL}, 0), 60000)

char *file_text(const char *where);
bool reports(const char *words);
bool is_there(const char *name);
int clean(void **state);
void put(const char *name, size_t size);
void put_text(const char *name, const char *text);

/* Writes a trace without draws. It creates a display target and `count` resources of this shape,
 * writes one texel of each texture, and swaps. */
void write_trace(const char *path, const struct resource_desc *shape, uint32_t count);

/* The operands of a test program are the path of aetius, and a pattern of test names (default: all
 * tests). */
int endings_main(int argc, char **argv, const struct CMUnitTest *tests, size_t count);

#endif
