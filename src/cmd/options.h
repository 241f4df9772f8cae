/* Options that several subcommands share. */
#ifndef AETIUS_CMD_OPTIONS_H
#define AETIUS_CMD_OPTIONS_H

#include "base/args.h"
#include "kernel/params.h"

/* Layers: preset (NULL: reference-2008), --config files in order, --set in order. */
struct machine_options {
    const char *preset;
    struct arg_list configs, sets;
};
#define MACHINE_OPTIONS(options)                                                                   \
    {"preset",   0,                                                                                \
     ARG_STRING, &(options)->preset,                                                               \
     "NAME",     "the machine: reference-2008 (default), reference-2005, g70-like, r580-like"},    \
        {"config", 0, ARG_LIST, &(options)->configs, "INI", "parameters from a file, on top"},     \
    {                                                                                              \
        "set", 0, ARG_LIST, &(options)->sets, "SECTION.Name=VALUE", "one parameter, on top of all" \
    }

/* The preset's name. */
const char *machine_options_preset(const struct machine_options *options);
bool machine_options_apply(const struct machine_options *options, struct params *params,
                           struct error *err);

#endif
