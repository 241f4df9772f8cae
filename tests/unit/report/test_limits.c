/* Every rate and every width of the machine belongs to a limit of a resource (src/ideals.def), or
 * is listed here with the reason why no limit lifts it. Each limit can bound a frame. */
#include "params/params.h"
#include "report/compare/ideals.h"
#include "report/run/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define UNITS "number of units: an ideal resource raises the rate of each unit instead"
#define CLOCK "length of a cycle: the same for all resources"

/* Rates and widths that no limit lifts. */
static const struct {
    const char *parameter, *why;
} exceptions[] = {
    {"GPU.NumVertexShaders", UNITS},
    {"GPU.NumFragmentShaders", UNITS},
    {"GPU.NumStampPipes", UNITS},
    {"FRAGMENTSHADER.TextureUnits", UNITS},
    {"GPU.ClockMHz", CLOCK},
    {"MEMORYCONTROLLER.MemoryClockMultiplier", "clock of the simple memory model, whose bus "
                                               "width and number of channels are lifted"},
    {"MEMORYCONTROLLER.MemoryFrequency", "as MemoryClockMultiplier"},
    {"RASTERIZER.MSAASamplesCycle", "shared by the generator and all ROPs, which belong to three "
                                    "resources: each of them processes more quads per cycle "
                                    "instead"},
    {"DAC.BytesPerPixel", "not modelled"},
    {"DAC.BlocksUpdatedPerCycle", "the display has no resource: no other work depends on it"},
    {"DAC.RefreshRate", "interval between images: a demand, not a rate of the machine"},
};

static const char *
exception_of(const char *parameter)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++)
        if (!strcmp(exceptions[i].parameter, parameter))
            return exceptions[i].why;
    return NULL;
}

/* Whether the settings contain the parameter "SECTION.Name". */
static bool
sets(const char *settings, const char *parameter)
{
    const size_t length = strlen(parameter);
    for (const char *at = settings; (at = strstr(at, parameter)); at += length)
        if (at[length] == '=' && (at == settings || at[-1] == ' '))
            return true;
    return false;
}

/* Number of limits that lift the parameter. */
static uint32_t
limits_of(const char *parameter)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < LIMITS; i++)
        count += sets(limits[i].settings, parameter);
    return count;
}

static void
rates_and_widths_have_limits(void **state)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s.%s", infos[i].section, infos[i].name);
        const bool limits_rate = infos[i].kind == PARAM_RATE || infos[i].kind == PARAM_WIDTH;
        const char *why = exception_of(name);
        if (limits_rate && limits_of(name) != (why ? 0 : 1))
            fail_msg("%s is a %s: it needs one limit in src/ideals.def, or an exception with a "
                     "reason here",
                     name, param_kind_name(infos[i].kind));
        if (!limits_rate && why)
            fail_msg("%s is a %s and needs no exception", name, param_kind_name(infos[i].kind));
    }
}

/* Each exception names a parameter and has a reason. */
static void
exceptions_are_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++) {
        char section[32];
        const char *name = strchr(exceptions[i].parameter, '.');
        snprintf(section, sizeof section, "%.*s", (int)(name - exceptions[i].parameter),
                 exceptions[i].parameter);
        if (!param_find(section, name + 1))
            fail_msg("no parameter %s", exceptions[i].parameter);
        assert_true(strlen(exceptions[i].why) > 0);
    }
}

/* A limit never makes a rate or a width smaller than the default, except an interval in cycles. */
static void
limits_raise_rates(void **state)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    (void)state;
    for (uint32_t i = 0; i < LIMITS; i++)
        for (size_t k = 0; k < count; k++) {
            char name[96];
            struct params usual, lifted;
            struct error err;
            double before, after;
            snprintf(name, sizeof name, "%s.%s", infos[k].section, infos[k].name);
            if ((infos[k].kind != PARAM_RATE && infos[k].kind != PARAM_WIDTH) ||
                !sets(limits[i].settings, name))
                continue;
            params_init(&usual);
            lifted = usual;
            assert_true(limit_apply(&limits[i], &lifted, &err));
            assert_true(param_number(&usual, name, &before) && param_number(&lifted, name, &after));
            const bool interval = !strcmp(infos[k].unit, "cycles");
            /* 0 registers: unlimited */
            if (interval ? after > before : after < before && after != 0)
                fail_msg("%s lowers %s from %g to %g", limits[i].name, name, before, after);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_and_widths_have_limits),
        cmocka_unit_test(exceptions_are_parameters),
        cmocka_unit_test(limits_raise_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
