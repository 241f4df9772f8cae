/* Shader programs for people: the text with what each instruction costs, registers, threads that a
 * unit holds at once, textures read. The cost is told by unit/shader/static_cost.h. */
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
    const char *wanted; /* a hash or its beginning; NULL: all programs */
    const struct params *params;
    VEC(struct shown_program) programs; /* each once, in the order in which they were made */
};

/* Whether the file is the text of a program, not a trace. */
bool is_tgsi_file(const char *path);
bool shown_program_is_hash(const char *text); /* or the beginning of one */
/* Fails when it has another hash than is wanted. */
bool show_program_file(struct shown_programs *shown, const char *path, struct error *err);
/* Of a trace, from its start. Fails when none, or more than one, has the wanted hash. */
bool show_programs(struct shown_programs *shown, struct trace_reader *reader, struct error *err);

/* One program whole, several as a list. */
void shown_programs_print(const struct shown_programs *shown, FILE *out);
cJSON *shown_programs_json(const struct shown_programs *shown);
void shown_programs_fini(struct shown_programs *shown);

#endif
