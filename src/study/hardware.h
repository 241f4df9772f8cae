/* Measurements of real cards, and what machines after them come to: the lines of the data of
 * `aetius study hardware`. */
#ifndef AETIUS_STUDY_HARDWARE_H
#define AETIUS_STUDY_HARDWARE_H

#include "study/study.h"

#include <stdbool.h>
#include <stdio.h>

/* A line; its texts are the data's. What is simulated: the input's work, on the machine. Of what
 * the unit says Mpixel/s   pixels a second, at the card's clock %          that rate, of the rate
 * of the input `against` % of peak  instructions (`per_pixel` of them) a clock and pipe, of `peak`
 * a clock and pipe cycles     of a pipe and pixel that one of the `per_pixel` pieces of `input`
 * takes longer than one of `against` */
struct hardware_line {
    const char *card, *test, *unit;
    const char *bound; /* what bounds the card; "given": the machine was told the value; "variant":
                        * a line again, on another machine */
    const char *input, *against, *machine; /* machine "": it cannot be modelled, `note` says why */
    const char *source, *place, *note;
    double core_mhz, memory_mhz, value, per_pixel, peak;
    double simulated;
    const char *verdict; /* what `aetius topdown` says bounds the machine */
    char causes[2][48];  /* what most of the work's cycles were lost to, most first */
    double shares[2];    /* of those cycles */
};

/* A machine of the plan, as the page tells of it. */
struct hardware_machine {
    char *name, *preset;
    double clock_mhz;
    uint32_t pipes, rops; /* fragments a cycle */
    double bytes;         /* of memory a cycle, at most */
};

struct hardware {
    struct text_table data, sources;
    VEC(struct hardware_line) lines;
    VEC(struct hardware_machine) machines;
    bool has_plot; /* DIR/measured.svg is there */
};

/* The two files; false, with what is wrong in which line. */
bool hardware_read(struct hardware *hardware, const char *data, const char *sources,
                   struct error *err);
void hardware_fini(struct hardware *hardware);

/* Signed, of the measured value: 0.1 is 10 % too much. */
double hardware_error(const struct hardware_line *line);
static inline bool
hardware_is_modelled(const struct hardware_line *line)
{
    return *line->machine;
}
/* Of some lines: those bound by `bound`, or (NULL) all but given and variants. */
struct hardware_score {
    uint32_t lines;
    double mean, median, offset; /* of |error|, and the mean of the signed errors */
};
struct hardware_score hardware_score(const struct hardware *hardware, const char *bound);

/* The page (Markdown), its measurements as CSV, and JSON. */
void hardware_page(const struct hardware *hardware, FILE *out);
void hardware_csv(const struct hardware *hardware, FILE *out);
void hardware_json(const struct hardware *hardware, FILE *out);
/* DIR/measured.svg: what is in pixels a second, by what bounds the card. */
bool hardware_plot(const struct hardware *hardware, const struct study *to, struct error *err);

#endif
