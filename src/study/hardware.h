/* Measurements of real cards, and results of machines modelled after them: the data lines of
 * `aetius study hardware`. */
#ifndef AETIUS_STUDY_HARDWARE_H
#define AETIUS_STUDY_HARDWARE_H

#include "study/study.h"

#include <stdbool.h>
#include <stdio.h>

/* A measurement. Its strings point into the data. `input` is simulated on `machine`. `unit` is the
 * unit of the result:
 *   Mpixel/s    million pixels per second at the card's clock
 *   %           that rate relative to the rate of the input `against`
 *   % of peak   instructions per clock and pipe (`per_pixel` of them per pixel), relative to `peak`
 *   cycles      additional cycles per pipe and pixel of `input` compared with `against`, divided by
 *               `per_pixel` */
struct hardware_line {
    const char *card, *test, *unit;
    /* Resource that limits the card. "given": the value is a parameter of the machine. "variant":
     * repeats a line on another machine. */
    const char *bound;
    const char *input, *against, *machine; /* machine "": not modelled, for the reason in `note` */
    const char *source, *place, *note;
    double core_mhz, memory_mhz, value, per_pixel, peak;
    double simulated;
    const char *verdict; /* resource that bounds the machine, by `aetius topdown` */
    char causes[2][48];  /* the two largest causes of the work's cycles, largest first */
    double shares[2];    /* their shares of these cycles */
};

/* A machine of the plan, as shown on the page. */
struct hardware_machine {
    char *name, *preset;
    double clock_mhz;
    uint32_t pipes, rops; /* fragments per cycle */
    double bytes;         /* peak memory bytes per cycle */
};

struct hardware {
    struct text_table data, sources;
    VEC(struct hardware_line) lines;
    VEC(struct hardware_machine) machines;
    bool has_plot; /* DIR/measured.svg exists */
};

/* Reads the two files. On failure, `err` names the line and the fault. */
bool hardware_read(struct hardware *hardware, const char *data, const char *sources,
                   struct error *err);
void hardware_fini(struct hardware *hardware);

/* Signed relative error: 0.1 means 10 % too high. */
double hardware_error(const struct hardware_line *line);
static inline bool
hardware_is_modelled(const struct hardware_line *line)
{
    return *line->machine;
}
/* Score of the lines bound by `bound`. NULL: all lines except "given" and "variant". */
struct hardware_score {
    uint32_t lines;
    double mean, median, offset; /* mean and median of |error|; offset: mean of the signed errors */
};
struct hardware_score hardware_score(const struct hardware *hardware, const char *bound);

/* The page as Markdown, and its measurements as CSV and JSON. */
void hardware_page(const struct hardware *hardware, FILE *out);
void hardware_csv(const struct hardware *hardware, FILE *out);
void hardware_json(const struct hardware *hardware, FILE *out);
/* Writes DIR/measured.svg: the rates in pixels per second, grouped by the resource that bounds the
 * card. */
bool hardware_plot(const struct hardware *hardware, const struct study *to, struct error *err);

#endif
