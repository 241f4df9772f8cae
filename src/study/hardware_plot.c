/* Plots simulated rates against measured rates. */
#include "study/hardware.h"

#include "analysis/plot.h"

#include <math.h>
#include <string.h>

bool
hardware_plot(const struct hardware *hardware, const struct study *to, struct error *err)
{
    static const char *const bounds[] = {"rop", "z", "memory", "texture", "shader"};
    enum { SERIES = sizeof bounds / sizeof bounds[0] + 1 };
    struct plot plot;
    plot_init(&plot, PLOT_POINTS, "Simulated and measured pixel rates", "simulated, Mpixel/s");
    plot.x_label = "measured, Mpixel/s";
    plot.extra = "set logscale xy\nset xrange [500:20000]\nset yrange [500:20000]";
    for (uint32_t b = 0; b < SERIES - 1; b++)
        plot_add_series(&plot, bounds[b]);
    plot_add_series(&plot, "equal");
    for (size_t i = 0; i < hardware->lines.count; i++) {
        const struct hardware_line *line = &hardware->lines.items[i];
        double values[SERIES];
        if (!hardware_is_modelled(line) || strcmp(line->unit, "Mpixel/s") != 0)
            continue;
        for (uint32_t b = 0; b < SERIES - 1; b++)
            values[b] = strcmp(line->bound, bounds[b]) ? (double)NAN : line->simulated;
        values[SERIES - 1] = line->value;
        plot_add_at(&plot, line->value, values);
    }
    const bool ok = study_put_plot(to, &plot, "measured", err);
    plot_fini(&plot);
    return ok;
}
