/* A shader unit of its own (a vertex shader, whose parameters are VERTEXSHADER) between a source of
 * groups, a sink, and texture units that answer each request after a time of its own. */
#ifndef AETIUS_TESTS_SHADER_BENCH_H
#define AETIUS_TESTS_SHADER_BENCH_H

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

/* Gives the groups, takes them back, and answers texture requests: what stands around the unit. */
struct bench {
    struct params params;
    struct clock clock;
    struct pools pools;
    struct module module;
    struct queue groups, finished;
    struct queue requests[MAX_TEXTURE_UNITS], texels[MAX_TEXTURE_UNITS];
    struct shader shader;
    struct draw draw;
    struct program *program;
    bool runs;                          /* what follows is in use */
    uint32_t group_count, threads;      /* to run, and vertices in each */
    uint32_t taken_from;                /* cycle before which no group is taken back */
    uint32_t finished_depth;            /* of the queue of groups that have ended */
    uint64_t answer_cycles[MAX_GROUPS]; /* from a request's arrival to its answer's departure */
    /* state and results */
    uint32_t given, taken, made;
    struct group *order[MAX_GROUPS]; /* as they were given */
    uint64_t over[MAX_GROUPS];
    struct {
        struct texture_item item;
        uint32_t unit;
        uint64_t due;
    } pending[MAX_GROUPS * MAX_THREADS / 4];
    uint32_t pending_count;
    uint8_t asked[MAX_GROUPS * MAX_THREADS / 4]; /* the texture unit of each request */
    uint32_t asked_count;
    bool done;
};

/* For cmocka: a bench that has run nothing. */
int bench_set_up(void **state);
int bench_tear_down(void **state);

/* Runs a program, given as lines, on a unit of its own; what an earlier run left goes. Settings:
 * words as settings_apply() takes them, those without a section of VERTEXSHADER; and of the bench
 *   groups=N threads=N   to run; a group and a thread
 *   texels=N             cycles after which a group goes on behind its TEX
 *   first_texels=N       of the first group
 *   ports=N              threads that come in, and leave, in a cycle (also more than the parameters
 *                        allow); 64
 *   depth=N              of the queue of groups that have ended; 8
 *   taken_from=N         cycle before which no group is taken from it
 * NULL: none. */
void bench_run(struct bench *b, const char *settings, const char *const *lines);

#endif
