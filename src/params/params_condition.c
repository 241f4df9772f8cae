/* Conditions of params.def, which determine whether a parameter has an effect on a machine, and
 * warnings about set parameters without effect. */
#include "params/params_value.h"

#include "base/log.h"

#include <string.h>

/* Returns whether an enumerated parameter has the value `choice`. */
static bool
params_choice_is(const struct params *params, const char *section, const char *name,
                 const char *choice)
{
    char value[PARAM_TEXT_BYTES];
    param_format(param_find(section, name), params, value, sizeof value);
    return !strcmp(value, choice);
}

#define CONDITION(symbol, text, expression)                                                        \
    static bool holds_##symbol(const struct params *p)                                             \
    {                                                                                              \
        return expression;                                                                         \
    }
#include "params/params.def"

static const struct param_condition conditions[] = {
#define CONDITION(symbol, text, expression) [symbol] = {text, holds_##symbol},
#include "params/params.def"
};

const struct param_condition *
param_condition(uint32_t number)
{
    return &conditions[number];
}

bool
param_has_effect(const struct param_info *info, const struct params *params)
{
    for (uint32_t i = 0; i < PARAM_NEEDS && info->needs[i]; i++)
        if (!conditions[info->needs[i]].holds(params))
            return false;
    return !info->unmodelled;
}

void
param_format_conditions(const struct param_info *info, char *out, size_t out_size)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < PARAM_NEEDS && info->needs[i] && used < out_size; i++)
        used += (size_t)snprintf(out + used, out_size - used, "%s%s", i ? " and " : "",
                                 conditions[info->needs[i]].text);
}

static size_t
index_of_param(const struct param_info *info)
{
    size_t count;
    const size_t index = (size_t)(info - param_infos(&count));
    BUG_ON(count > PARAMS_MOST, "too many parameters");
    return index;
}

bool
param_names_have(const struct param_names *names, const struct param_info *info)
{
    const size_t index = index_of_param(info);
    return names->bits[index / 64] >> index % 64 & 1;
}

void
param_names_add(struct param_names *names, const struct param_info *info)
{
    const size_t index = index_of_param(info);
    names->bits[index / 64] |= UINT64_C(1) << index % 64;
}

void
param_warn_idle(const struct param_info *info)
{
    char conditions_text[512];
    param_format_conditions(info, conditions_text, sizeof conditions_text);
    log_warning("%s.%s has no effect: it requires %s", info->section, info->name, conditions_text);
}

void
params_warn_idle(const struct params *params, const struct param_names *names)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    for (size_t i = 0; i < count; i++)
        if (infos[i].needs[0] && param_names_have(names, &infos[i]) &&
            !param_has_effect(&infos[i], params))
            param_warn_idle(&infos[i]);
}
