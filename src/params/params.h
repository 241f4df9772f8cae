/* Parameters of the machine. params/params.def generates the struct fields, defaults, INI reader
 * with its error checks, `--set`, and the list of `aetius params`.
 *
 *     struct params params;
 *     params_init(&params);                                    defaults: reference-2008
 *     params_load_preset(&params, "reference-2005", err)       a preset replaces all values
 *     params_load_file(&params, "mine.ini", err)               each later layer overrides
 *     params_set(&params, "GPU.NumStampPipes=2", err)
 *     ... params.GPU.NumStampPipes ...
 *
 * params.def marks parameters that are accepted but not modelled, with the reason. params_set()
 * warns about them. A file causes a warning only if it changes their value, so the reference files
 * load without warnings.
 *
 * params.def also lists conditions for parameters that have an effect only with certain values of
 * other parameters. A caller that lets a user set parameters collects their names, and warns once
 * the machine is complete:
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

/* Plain data, which can be copied by assignment. */
struct params {
#define SECTION(section, doc)                                         struct {
#define UINT(section, name, kind, value, min, max, unit, doc, effect) uint32_t name;
#define POW2(section, name, kind, value, min, max, unit, doc, effect) uint32_t name;
#define BOOL(section, name, kind, value, doc, effect)                 bool name;
#define TEXT(section, name, kind, value, doc, effect)                 char name[PARAM_TEXT_BYTES];
#define ENUM(section, name, kind, value, choices, doc, effect)        uint32_t name;
#define END_SECTION(section)                                                                       \
    }                                                                                              \
    section;
#include "params/params.def"
};

/* Values of enumerated parameters. */
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
    SCHEDULER_FIFO,         /* one queue per channel, in order */
    SCHEDULER_RW_FIFO,      /* per channel, one queue for reads and one for writes */
    SCHEDULER_BANK_FIFO,    /* one queue per bank */
    SCHEDULER_BANK_RW_FIFO, /* per bank, one queue for reads and one for writes */
    SCHEDULER_LOOK_AHEAD,
};

/* A condition on parameter values, from CONDITION in params.def. */
struct param_condition {
    const char *text; /* "RASTERIZER.Generator=seven-level" */
    bool (*holds)(const struct params *params);
};

/* Returns RASTERIZER.Generator. Resolves `auto` with RASTERIZER.RecursiveMode, so the result is
 * never GENERATOR_AUTO. */
enum generator_choice params_generator(const struct params *params);

/* Resolves a rate whose value 0 means as many as there are ROPs (GPU.NumStampPipes). */
static inline uint32_t
params_or_rops(const struct params *params, uint32_t rate)
{
    return rate ? rate : params->GPU.NumStampPipes;
}

enum param_type { PARAM_UINT, PARAM_POW2, PARAM_BOOL, PARAM_TEXT, PARAM_ENUM };

/* What the value of a parameter determines. */
enum param_kind {
    PARAM_RATE,        /* items per cycle, or cycles per item */
    PARAM_WIDTH,       /* bytes or registers per cycle, or parallel units, banks or ports */
    PARAM_CAPACITY,    /* entries of a queue, a buffer or a cache; items in flight */
    PARAM_GRANULARITY, /* size of the pieces in which something is divided */
    PARAM_LATENCY,     /* a delay that does not limit the rate by itself */
    PARAM_SWITCH,      /* an alternative of the machine, or an output of the simulation */
    PARAM_KINDS
};
const char *param_kind_name(enum param_kind kind); /* "rate", ... */

struct param_info {
    const char *section, *name;
    enum param_type type;
    enum param_kind kind;
    size_t offset; /* offset of the field in struct params */
    uint32_t min, max;
    uint32_t value;             /* default, except for text parameters */
    const char *text;           /* default of a text parameter, written as in a file */
    const char *choices;        /* of an enumeration: "timed|instant"; the value is an index */
    const char *unit, *doc;     /* unit: "" if there is none */
    const char *unmodelled;     /* reason why the parameter has no effect; NULL if it is modelled */
    uint8_t needs[PARAM_NEEDS]; /* numbers (from 1) of conditions that must all hold; 0: end */
};
const struct param_info *param_infos(size_t *count); /* in the order of params.def */
const struct param_info *param_find(const char *section, const char *name);    /* or NULL */
const char *param_section_doc(const char *section);                            /* or NULL */
bool param_nearest(const char *full_name, char *nearest, size_t nearest_size); /* "SECTION.Name" */

/* Returns the condition with the given number from `needs`. */
const struct param_condition *param_condition(uint32_t number);
/* Returns whether the parameter is modelled and all of its conditions hold. */
bool param_has_effect(const struct param_info *info, const struct params *params);
/* Writes the parameter's conditions, separated by " and ", or "" if there are none. */
void param_format_conditions(const struct param_info *info, char *out, size_t out_size);

/* Set of parameters that the user has set: one bit each, in the order of param_infos(). */
struct param_names {
    uint64_t bits[PARAMS_MOST / 64];
};
bool param_names_have(const struct param_names *names, const struct param_info *info);
void param_names_add(struct param_names *names, const struct param_info *info);
/* Warns that the parameter was set but has no effect because its conditions do not hold. */
void param_warn_idle(const struct param_info *info);
/* Warns about each parameter in `names` that has no effect on this machine. */
void params_warn_idle(const struct params *params, const struct param_names *names);

void params_init(struct params *params);
/* Resets all parameters to their defaults, then reads configs/NAME.ini. */
bool params_load_preset(struct params *params, const char *name, struct error *err);
bool params_has_preset(const char *name); /* whether configs/NAME.ini exists */
bool params_load_file(struct params *params, const char *path, struct error *err);
/* Parses "SECTION.Name=value". Spaces around the three items are allowed. */
bool params_set(struct params *params, const char *assignment, struct error *err);
/* Like params_load_file() and params_set(), but also add the set parameters to `names`. A file that
 * sets more than half of all parameters describes a whole machine, such as a run's machine.ini, and
 * adds no names. */
bool params_load_file_named(struct params *params, const char *path, struct param_names *names,
                            struct error *err);
bool params_set_named(struct params *params, const char *assignment, struct param_names *names,
                      struct error *err);

/* Formats the value as in a file, without quotes. */
void param_format(const struct param_info *info, const struct params *params, char *out,
                  size_t out_size);
/* Formats the allowed values: "1 to 64 indices", "TRUE or FALSE", "timed or instant". */
void param_format_allowed(const struct param_info *info, char *out, size_t out_size);

/* Returns the whole machine as an INI file, from which params_load_file() restores identical
 * parameters. The file begins with `comment` (lines without the leading ';', or NULL). The caller
 * frees the text. */
char *params_to_ini(const struct params *params, const char *comment);

#endif
