/* Limits on growth between two runs, and their check: the gate of a regression test. */
#ifndef AETIUS_REPORT_REGRESSION_LIMITS_H
#define AETIUS_REPORT_REGRESSION_LIMITS_H

#include "base/mem.h"
#include "report/compare/compare_runs.h"
#include "report/draw/draws.h"

struct regression_limit {
    /* a statistic ("unit.statistic", all instances), a metric, "cycles" or "pictures" */
    char *name;
    double limit; /* largest growth allowed, in percent of the first run, or absolute */
    bool is_percent;
};

struct regression_check {
    const struct regression_limit *limit;
    char *where;   /* for a draw: "FRAME:DRAW HASH"; otherwise "" */
    char *label;   /* the program's label of that draw; "": no label */
    double a, b;   /* for pictures: 0, and the number of differing pixels */
    double growth; /* in the limit's unit; infinite if `a` is 0 */
    bool exceeded;
};

struct regression_limits {
    VEC(struct regression_limit) limits;
    VEC(struct regression_check) checks;
    uint32_t exceeded;
    bool across; /* also compare runs of different programs or frames */
};

/* Parses "cycles=2%,memctl.bytes_read=1%,pictures=0". */
bool regression_limits_parse(struct regression_limits *regression, const char *text,
                             struct error *err);
/* Result of comparing the pictures of two runs. */
struct regression_pictures {
    uint64_t pixels;                /* differing pixels of all frames */
    uint32_t compared, only_in_one; /* numbers of pictures */
};
/* Checks whole runs. Call it after compare_runs(). Returns false if the runs are not comparable: a
 * name is missing in a run, program or frames differ, or a run was not completed. */
bool regression_limits_check_runs(struct regression_limits *regression,
                                  const struct run_comparison *runs,
                                  const struct regression_pictures *pictures, struct error *err);
/* Returns false if both runs have draws, no draws match, and `across` is not set. */
bool regression_limits_check_join(const struct regression_limits *regression,
                                  const struct draws_join *join, struct error *err);
/* Checks each draw that both runs have against the same limits, except the limit on pictures. A
 * draw exceeds a limit only if its growth is also more than DRAW_SHARE of the whole run's figure.
 * Otherwise, draws of a few cycles would fail when cache contents change. */
#define DRAW_SHARE 0.001
bool regression_limits_check_draws(struct regression_limits *regression, const struct draws *a,
                                   const struct draws *b, const struct draws_join *join,
                                   struct error *err);
void regression_limits_fini(struct regression_limits *regression);

/* Prints all checks of the run, and the checks of draws that exceed their limit. */
void regression_limits_print(const struct regression_limits *regression, FILE *out);
/* Prints the same checks as a Markdown table. If `join` is not NULL, adds the draws with the
 * largest changes. */
void regression_limits_print_markdown(const struct regression_limits *regression,
                                      const struct run_comparison *runs,
                                      const struct draws_join *join, FILE *out);
/* Prints one test case per check, in JUnit's XML format. */
void regression_limits_print_junit(const struct regression_limits *regression, FILE *out);
/* Both functions report that runs could not be compared, and why. The report replaces an older one,
 * which might be mistaken for the current one. */
void regression_limits_print_failure(const char *why, bool markdown, FILE *out);
cJSON *regression_limits_json(const struct regression_limits *regression);

/* Copies a run to the folder `base`, as far as comparisons need it: run.json, machine.ini, the
 * tables per frame and draw, and the frames. Removes the old run in `base` when the copy is
 * complete. If the process is killed, `base` contains the old run, the new run, or no run until the
 * next renewal. Returns false for an incomplete run, or if `base` is the run's folder. Without
 * `force`, also returns false if `base` has more tables than a baseline. */
bool baseline_renew(const char *base, const char *run, bool force, struct error *err);
/* Whether a renewal was killed while it moved files into place. */
bool baseline_is_unfinished(const char *base);

#endif
