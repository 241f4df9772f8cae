/* Fuzz target: machine parameters. The first byte selects a preset. Each following group of three
 * bytes sets one parameter: two bytes select the parameter, the third selects its value. Every
 * machine that can be built draws the tiny trace. Its pictures must equal those of the functional
 * renderer. */
#include "rigs/tiny_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_PARAMETERS = 64, STEPS = 8 };

static void
note_built(struct tiny_run *run)
{
    *(bool *)run->data = true;
}

/* Returns a value near the minimum or the default, or half, 2, 4 or 8 times the default. Larger
 * values are not tried, because a queue of 65,536 behaves like one of 100. */
static uint32_t
draw_value(const struct param_info *info, uint8_t choice)
{
    const uint32_t step = choice / STEPS % STEPS;
    uint64_t value = info->min;
    switch (choice % STEPS) {
    case 0: value = (uint64_t)info->min + step; break;
    case 1: value = (uint64_t)info->value + step; break;
    case 2: value = info->value > step ? info->value - step : info->min; break;
    case 3: value = info->value / 2; break;
    case 4: value = (uint64_t)info->value * 2; break;
    case 5: value = (uint64_t)info->value * 4; break;
    case 6: value = (uint64_t)info->value * 8; break;
    default: value = (uint64_t)info->min << step; break;
    }
    value = value < info->min ? info->min : value;
    return value > info->max ? info->max : (uint32_t)value;
}

static void
set(struct params *params, const struct param_info *info, uint8_t choice)
{
    uint8_t *field = (uint8_t *)params + info->offset;
    uint32_t value = draw_value(info, choice);
    switch (info->type) {
    case PARAM_TEXT: return;
    case PARAM_BOOL: *(bool *)field = choice & 1; return;
    case PARAM_ENUM: value = choice % (info->max + 1); break;
    case PARAM_POW2:
        while (value & (value - 1))
            value &= value - 1;
        break;
    case PARAM_UINT: break;
    }
    memcpy(field, &value, sizeof value);
}

static void
choose(struct params *params, const uint8_t *data, size_t size)
{
    static const char *const presets[] = {"reference-2005", "reference-2008", "g70-like",
                                          "r580-like"};
    struct error err;
    size_t count;
    const struct param_info *infos = param_infos(&count);
    if (!params_load_preset(params, presets[size ? data[0] % 4 : 0], &err))
        BUG("%s", err.text);
    for (size_t at = 1; at + 3 <= size && at < 3 * MOST_PARAMETERS; at += 3) {
        const struct param_info *info = &infos[(data[at] | (size_t)data[at + 1] << 8) % count];
        if (strcmp(info->section, "SIMULATOR"))
            set(params, info, data[at + 2]);
    }
    params->MEMORYCONTROLLER.MemorySize = TINY_MEMORY;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tiny_run functional, timed;
    bool built = false;
    tiny_init(&timed);
    timed.prepare = note_built;
    timed.data = &built;
    choose(&timed.params, data, size);
    tiny_go(&timed, false);
    BUG_ON(!built && !timed.err.text[0], "a machine is refused without a message");
    if (built) {
        tiny_init(&functional);
        functional.params = timed.params;
        functional.functional = true;
        tiny_go(&functional, false);
        BUG_ON(!functional.ok, "%s", functional.err.text);
        BUG_ON(!timed.ok, "%s", timed.err.text);
        BUG_ON(!tiny_same_pictures(&functional, &timed), "the machine draws something else");
        tiny_fini(&functional);
    }
    tiny_fini(&timed);
    return 0;
}
