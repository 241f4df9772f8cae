/* Measures how often verdicts are right. Frames are simulated with one resource ideal at a time,
 * and the gains are compared with the expected gains (report/compare/ideals.h). Prints scores and a
 * page. */
#ifndef AETIUS_REPORT_VERDICTS_H
#define AETIUS_REPORT_VERDICTS_H

#include "report/compare/ideals.h"

#include <stdio.h>

/* Shares of the cycles. A resource is accused if its upper bound is at least VERDICT_ACCUSED. An
 * answer is right if the largest gain exceeds the answer's gain by at most VERDICT_WITHIN. Errors
 * of expected gains are averaged over resources with an upper bound of at least VERDICT_JUDGED. */
#define VERDICT_ACCUSED 0.03
#define VERDICT_WITHIN  0.02
#define VERDICT_JUDGED  0.05

/* One frame on one machine. */
struct verdict_case {
    const char *trace, *machine;
    bool develops; /* development half, used to find the rule; otherwise judging half */
    struct ideal_gains gains;
    double gained[IDEALS]; /* in cycles; NAN: not simulated */
};

/* Whether to simulate the resource as ideal. The resource is accused, or is the answer of the rule
 * or of a rule compared with it. */
bool verdict_tries(const struct verdict_case *one, uint32_t ideal, enum ideal_number commonest);
/* Answer of the metrics bound_*: the resource with the longest work. */
enum ideal_number verdict_by_bounds(const struct verdict_case *one);
/* Answer that ignores the frame: the most frequent verdict of the development half, or of all
 * frames if that half is empty. */
enum ideal_number verdicts_commonest(const struct verdict_case *cases, size_t count);
/* The resource with the largest gain. */
enum ideal_number verdict_best(const struct verdict_case *one);
bool verdict_is_right(const struct verdict_case *one, enum ideal_number answer);

struct verdict_score {
    uint32_t frames, right, right_by_bounds, right_by_commonest;
    uint32_t causes;      /* number of errors averaged */
    double error;         /* mean of |expected - gained|, as a share of the cycles */
    double error_of_most; /* the same error if the upper bound were expected */
};
/* Score of one half on one machine (NULL: all machines). */
struct verdict_score verdicts_score(const struct verdict_case *cases, size_t count, bool develops,
                                    const char *machine);

/* The page as Markdown, and one CSV line per frame and simulated resource. */
void verdicts_page(const struct verdict_case *cases, size_t count, FILE *out);
void verdicts_csv(const struct verdict_case *cases, size_t count, FILE *out);
void verdicts_json(const struct verdict_case *cases, size_t count, FILE *out);

#endif
