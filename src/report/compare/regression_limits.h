/* Limits on what may grow between two runs, and what they find: the gate of a regression test. */
#ifndef AETIUS_REPORT_REGRESSION_LIMITS_H
#define AETIUS_REPORT_REGRESSION_LIMITS_H

#include "base/mem.h"
#include "report/compare/compare_runs.h"
#include "report/draw/draws.h"

struct regression_limit {
    char *name; /* a statistic ("unit.statistic", all instances), a metric, "cycles", "pictures" */
    double limit; /* that it may grow by: per cent of a, or so much */
    bool is_percent;
};

struct regression_check {
    const struct regression_limit *limit;
    char *where;   /* of a draw "FRAME:DRAW HASH", else "" */
    char *label;   /* what the program calls that draw; "": nothing */
    double a, b;   /* of pictures: 0 and the pixels that differ */
    double growth; /* as the limit counts it; infinite: from 0 */
    bool exceeded;
};

struct regression_limits {
    VEC(struct regression_limit) limits;
    VEC(struct regression_check) checks;
    uint32_t exceeded;
    bool across; /* also runs that are not of the same program and frames */
};

/* "cycles=2%,memctl.bytes_read=1%,pictures=0". */
bool regression_limits_parse(struct regression_limits *regression, const char *text,
                             struct error *err);
/* What comparing the pictures of two runs gave. */
struct regression_pictures {
    uint64_t pixels;                /* that differ, of all frames */
    uint32_t compared, only_in_one; /* pictures */
};
/* The runs as wholes, after compare_runs(). False when something cannot be compared: a name that a
 * run has not, another program or other frames, a run that was not completed. */
bool regression_limits_check_runs(struct regression_limits *regression,
                                  const struct run_comparison *runs,
                                  const struct regression_pictures *pictures, struct error *err);
/* False, unless across: both runs draw, and no draw of one has a partner in the other. */
bool regression_limits_check_join(const struct regression_limits *regression,
                                  const struct draws_join *join, struct error *err);
/* Each draw that both runs have, against the same limits; pictures have none. A draw is over its
 * limit only when what it grew by is also more than DRAW_SHARE of the whole run's figure: draws of
 * a few cycles move by per cents when a cache holds something else. */
#define DRAW_SHARE 0.001
bool regression_limits_check_draws(struct regression_limits *regression, const struct draws *a,
                                   const struct draws *b, const struct draws_join *join,
                                   struct error *err);
void regression_limits_fini(struct regression_limits *regression);

/* The checks that matter: all of the run, of draws those over their limit. */
void regression_limits_print(const struct regression_limits *regression, FILE *out);
/* The same as a table in Markdown, with the draws that changed most when there is a join. */
void regression_limits_print_markdown(const struct regression_limits *regression,
                                      const struct run_comparison *runs,
                                      const struct draws_join *join, FILE *out);
/* A test case a check, for what reads JUnit's XML. */
void regression_limits_print_junit(const struct regression_limits *regression, FILE *out);
/* Both for runs that could not be compared, and why: nobody takes an older report for theirs. */
void regression_limits_print_failure(const char *why, bool markdown, FILE *out);
cJSON *regression_limits_json(const struct regression_limits *regression);

/* Makes the folder `base` hold what a comparison wants of the run: run.json, machine.ini, the
 * tables by frame and draw, the frames. All that it held of a run before goes, once the copy is
 * whole. Killed at any moment it leaves the old run, the new one, or a folder that is no run until
 * it is renewed again. Refused: a run that was not completed, and the run's own folder. */
bool baseline_renew(const char *base, const char *run, struct error *err);
/* Whether a renewal was killed while it put the files in place. */
bool baseline_is_unfinished(const char *base);

#endif
