/* Shows shader programs: the text with each instruction's cost, registers, threads per unit, and
 * textures read. unit/shader/static_cost.h computes the costs. */
#ifndef AETIUS_REPORT_SHOW_PROGRAM_H
#define AETIUS_REPORT_SHOW_PROGRAM_H

#include "sim/inspect.h"
#include "unit/shader/static_cost.h"

#include <cjson/cJSON.h>
#include <stdio.h>

struct shown_program {
    struct program *program;
    struct static_cost cost;
};

struct shown_programs {
    const char *wanted; /* a hash or its prefix; NULL: all programs */
    const struct params *params;
    VEC(struct shown_program) programs; /* each program once, in creation order */
};

/* Whether the file is a program's text, not a trace. */
bool is_tgsi_file(const char *path);
bool shown_program_is_hash(const char *text); /* a hash or its prefix */
/* Fails if the hash differs from the wanted one. */
bool show_program_file(struct shown_programs *shown, const char *path, struct error *err);
/* Reads the programs of a trace, from its start. Fails unless exactly one program has the wanted
 * hash. */
bool show_programs(struct shown_programs *shown, struct trace_reader *reader, struct error *err);

/* Prints a single program in full, several programs as a list. */
void shown_programs_print(const struct shown_programs *shown, FILE *out);
cJSON *shown_programs_json(const struct shown_programs *shown);
void shown_programs_fini(struct shown_programs *shown);

#endif
