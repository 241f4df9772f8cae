/* The program in a process of its own, in a folder of its own, for tests of how it ends: started,
 * awaited, and what it said and left. `endings_main` runs the tests. */
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

extern const char *self; /* the test program */
extern char dir[];       /* its folder */

char *in_dir(const char *name);
void pause_ms(int ms);

/* Words that begin with @ are names in the test's folder. Output goes to files there; standard
 * input is a pipe that stays open. */
pid_t start(const char *const *words, rlim_t file_bytes);

/* The exit status; -1 when it did not end in time, -2 when a signal ended it. */
int await(pid_t child, int most_ms);
#define RUN(...) await(start((const char *const[]){__VA_ARGS__, NULL}, 0), 60000)

char *said(const char *where);
bool says(const char *words);
bool is_there(const char *name);
int clean(void **state);
void put(const char *name, size_t size);
void put_text(const char *name, const char *text);

/* Resources of that shape after a picture, and no draw; where they are textures one texel of each
 * is written. Then a swap. */
void write_trace(const char *path, const struct resource_desc *shape, uint32_t count);

/* The operands of the test: aetius, and which of the tests (a pattern) or nothing: all. */
int endings_main(int argc, char **argv, const struct CMUnitTest *tests, size_t count);

#endif
