/* Findings: what a program does wrong, according to the draw table of a run. Each finding has the
 * cycles that the program is expected to save, its draws, and the `aetius whatif` command that
 * simulates the change. Findings overlap: their savings do not add up. docs/topdown.md describes
 * the estimates. */
#ifndef AETIUS_REPORT_FINDINGS_H
#define AETIUS_REPORT_FINDINGS_H

#include "report/draw/draws.h"

enum finding_number {
#define FINDING(name, what, advice) FINDING_##name,
#include "findings.def"
    FINDINGS
};

struct finding_info {
    const char *name, *what, *advice;
};
extern const struct finding_info finding_infos[FINDINGS];

struct finding_draw {
    const struct draw_row *row; /* a draw, or the readback before it */
    double cycles;              /* expected saving */
    bool unneeded;              /* a clear that no later draw needs */
};

struct finding {
    enum finding_number number;
    double cycles;              /* expected saving of all draws */
    struct finding_draw *draws; /* the largest saving first */
    size_t draw_count;
    char *command; /* without the program's name: "whatif RUN --front-to-back" */
};

struct findings {
    struct finding items[FINDINGS]; /* the largest saving first */
    size_t count;
    double cycles; /* of all rows */
};

/* Findings below this share of the cycles are left out. */
#define FINDING_LEAST 0.05

/* The draws must outlive the findings. `frames`: the frames to which the rows belong, by numbers of
 * the run; NULL: all frames of the run. */
void findings_make(struct findings *findings, const struct draws *draws,
                   const struct params *params, const struct frame_set *frames);
void findings_fini(struct findings *findings);

void findings_print(const struct findings *findings, FILE *out);
cJSON *findings_json(const struct findings *findings);
/* Lines of TOPDOWN_CSV_COLUMNS (analysis/topdown_print.h). `lead`: the first field. */
void findings_csv(const struct findings *findings, const char *lead, FILE *out);

#endif
