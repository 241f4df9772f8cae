/* The parameters of the machine, all made from params/params.def: struct fields, defaults, the INI
 * reader and its errors, `--set`, the list for `aetius params` (spec: "Parameters").
 *
 *     struct params params;
 *     params_init(&params);                                    defaults: reference-2008
 *     params_load_preset(&params, "reference-2005", err)       a preset, on top of the defaults
 *     params_load_file(&params, "mine.ini", err)               each later layer overrides
 *     params_set(&params, "GPU.NumStampPipes=2", err)
 *     ... params.GPU.NumStampPipes ...
 *
 * A parameter that is read but not modelled is marked in params.def with the reason. Setting it by
 * params_set() warns; a file warns where its value is not the one already there, so that the
 * reference files load in silence.
 *
 * A parameter that has an effect only where others have certain values says so in params.def.
 * Who lets a user name parameters keeps their names, and warns when the machine is complete:
 *
 *     struct param_names names = {0};
 *     params_load_file_named(&params, "mine.ini", &names, err)
 *     params_set_named(&params, "RASTERIZER.SquaresCycle=2", &names, err)
 *     params_warn_idle(&params, &names); */
#ifndef AETIUS_PARAMS_PARAMS_H
#define AETIUS_PARAMS_PARAMS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { PARAM_TEXT_BYTES = 128, PARAM_NEEDS = 4, PARAMS_MOST = 512 };

/* Plain data: copied by assignment. */
struct params {
#define SECTION(section, doc)                                   struct {
#define UINT(section, name, value, min, max, unit, doc, effect) uint32_t name;
#define POW2(section, name, value, min, max, unit, doc, effect) uint32_t name;
#define BOOL(section, name, value, doc, effect)                 bool name;
#define TEXT(section, name, value, doc, effect)                 char name[PARAM_TEXT_BYTES];
#define ENUM(section, name, value, choices, doc, effect)        uint32_t name;
#define END_SECTION(section)                                                                       \
    }                                                                                              \
    section;
#include "params/params.def"
};

/* What the numbers of enumerated parameters mean. */
enum shader_mode { SHADER_TIMED, SHADER_INSTANT };
enum generator_choice { /* GENERATOR_scan, ... */
                        GENERATOR_AUTO,
#define GENERATOR(symbol, name) GENERATOR_##symbol,
#include "generators.def"
};
enum fragment_map { MAP_COLOR, MAP_OVERDRAW, MAP_LATENCY, MAP_SHADER_LATENCY };
enum replacement_policy {
    REPLACEMENT_LRU,
    REPLACEMENT_FIFO,
    REPLACEMENT_PSEUDO_LRU,
    REPLACEMENT_LIP,
};
enum dram_choice { /* DRAM_gddr3, ... */
#define DRAM(symbol, name) DRAM_##symbol,
#include "drams.def"
};
enum page_policy { PAGE_CLOSE, PAGE_OPEN };
enum channel_scheduler {
    SCHEDULER_FIFO,         /* one queue a channel, in order */
    SCHEDULER_RW_FIFO,      /* one queue for reads, one for writes */
    SCHEDULER_BANK_FIFO,    /* one queue a bank */
    SCHEDULER_BANK_RW_FIFO, /* one queue for reads, one for writes, a bank */
    SCHEDULER_LOOK_AHEAD,
};

/* A condition on the values of parameters: CONDITION of params.def. */
struct param_condition {
    const char *text; /* "RASTERIZER.Generator=seven-level" */
    bool (*holds)(const struct params *params);
};

/* RASTERIZER.Generator with `auto` resolved by RASTERIZER.RecursiveMode: never GENERATOR_AUTO. */
enum generator_choice params_generator(const struct params *params);

enum param_kind { PARAM_UINT, PARAM_POW2, PARAM_BOOL, PARAM_TEXT, PARAM_ENUM };

struct param_info {
    const char *section, *name;
    enum param_kind kind;
    size_t offset; /* of the field in struct params */
    uint32_t min, max;
    uint32_t value;             /* default of all kinds but text */
    const char *text;           /* default of a text, as written */
    const char *choices;        /* of an enumeration: "timed|instant"; the value is the index */
    const char *unit, *doc;     /* unit: "" where there is none */
    const char *unmodelled;     /* NULL, or why setting it changes nothing */
    uint8_t needs[PARAM_NEEDS]; /* numbers of conditions that must hold, from 1 on; 0: no more */
};
const struct param_info *param_infos(size_t *count);                           /* in file order */
const struct param_info *param_find(const char *section, const char *name);    /* or NULL */
const char *param_section_doc(const char *section);                            /* or NULL */
bool param_nearest(const char *full_name, char *nearest, size_t nearest_size); /* "SECTION.Name" */

/* The condition of a number in `needs`. */
const struct param_condition *param_condition(uint32_t number);
/* Whether a parameter is modelled, and all of its conditions hold. */
bool param_has_effect(const struct param_info *info, const struct params *params);
/* Its conditions, with "and" between; "": none. */
void param_format_conditions(const struct param_info *info, char *out, size_t out_size);

/* Parameters that were named, a bit each, in file order. */
struct param_names {
    uint64_t bits[PARAMS_MOST / 64];
};
bool param_names_have(const struct param_names *names, const struct param_info *info);
void param_names_add(struct param_names *names, const struct param_info *info);
/* A line of warning: the parameter was set, and no value of it would change anything. */
void param_warn_idle(const struct param_info *info);
/* One for each parameter that was named, and has no effect on this machine. */
void params_warn_idle(const struct params *params, const struct param_names *names);

void params_init(struct params *params);
/* Starts again from the defaults, then reads configs/NAME.ini. */
bool params_load_preset(struct params *params, const char *name, struct error *err);
bool params_load_file(struct params *params, const char *path, struct error *err);
/* "SECTION.Name=value"; spaces around the parts are allowed. */
bool params_set(struct params *params, const char *assignment, struct error *err);
/* The same, and what was named is added to `names`. A file that sets more than half of all
 * parameters describes a machine, as machine.ini of a run does: it names none. */
bool params_load_file_named(struct params *params, const char *path, struct param_names *names,
                            struct error *err);
bool params_set_named(struct params *params, const char *assignment, struct param_names *names,
                      struct error *err);

/* The value as it is written in a file (no quotes). */
void param_format(const struct param_info *info, const struct params *params, char *out,
                  size_t out_size);
/* What a value may be: "1 to 64 indices", "TRUE or FALSE", "timed or instant". */
void param_format_allowed(const struct param_info *info, char *out, size_t out_size);

/* The whole machine as a file that params_load_file() reads back to the same bytes; `comment`
 * (lines without the leading ';', or NULL) opens it. The caller frees. */
char *params_to_ini(const struct params *params, const char *comment);

#endif
