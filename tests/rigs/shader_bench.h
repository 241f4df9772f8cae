/* A single shader unit between a source of groups, a sink, and Texture Units that answer each
 * request after a fixed time. The unit is a vertex shader, so VERTEXSHADER contains its parameters.
 */
#ifndef AETIUS_TESTS_SHADER_BENCH_H
#define AETIUS_TESTS_SHADER_BENCH_H

#include "unit/shader/shader_profile.h"
#include "unit/shader/thread_source.h"

#include "base/mem.h"
#include "gfx/vertex.h"
#include "rigs/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_GROUPS = 8, MAX_THREADS = 1024, FIRST_ISSUE = 2 };

/* The environment of the unit. It supplies groups, takes them back, and answers texture requests.
 */
struct bench {
    struct params params;
    struct clock clock;
    struct pools pools;
    struct module module;
    struct queue groups, finished, lines;
    struct queue requests[MAX_TEXTURE_UNITS], texels[MAX_TEXTURE_UNITS];
    struct shader shader;
    struct draw draw;
    struct program *program;
    struct shader_profile *profile; /* of the last run */
    bool runs;                      /* whether there are objects that need clear() */
    uint32_t group_count, threads;  /* number of groups, and vertices per group */
    uint32_t taken_from;            /* first cycle in which a finished group may be taken */
    uint32_t finished_depth;        /* size of the queue of finished groups */
    /* cycles from the arrival of a request to the departure of its answer, per group */
    uint64_t answer_cycles[MAX_GROUPS];
    /* state and results */
    uint32_t given, taken, made;
    struct group *order[MAX_GROUPS]; /* in the order of supply */
    uint64_t over[MAX_GROUPS];
    struct {
        struct texture_item item;
        uint32_t unit;
        uint64_t due;
    } pending[MAX_GROUPS * MAX_THREADS / 4];
    uint32_t pending_count;
    uint8_t asked[MAX_GROUPS * MAX_THREADS / 4]; /* the Texture Unit of each request */
    uint32_t asked_count;
    bool done;
};

/* For cmocka: creates a bench that has not run a program. */
int bench_set_up(void **state);
int bench_tear_down(void **state);

/* Runs a program, given as lines, on a new unit; discards the previous run. `settings` has the form
 * of settings_apply(); names without a section belong to VERTEXSHADER. NULL: no settings. The bench
 * adds these settings, with defaults in parentheses:
 *   groups=N threads=N   groups, and threads per group (1)
 *   texels=N             cycles from a TEX to the resumption of its group
 *   first_texels=N       the same, for the first group
 *   ports=N              threads that enter and leave per cycle; may exceed the parameter's
 *                        maximum (64)
 *   depth=N              size of the queue of finished groups (8)
 *   taken_from=N         first cycle in which a group is taken from it (0) */
void bench_run(struct bench *b, const char *settings, const char *const *lines);

#endif
