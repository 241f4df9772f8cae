/* Is the verdict right? Frames whose resources were made ideal one by one, beside what was expected
 * of each (report/compare/ideals.h): scores, and the page that tells them. */
#ifndef AETIUS_REPORT_VERDICTS_H
#define AETIUS_REPORT_VERDICTS_H

#include "report/compare/ideals.h"

#include <stdio.h>

/* A resource is accused when it can give this share of the cycles at most; an answer is right when
 * no resource gives more by this share of the cycles; and of the resources that can give the last
 * share it is judged how far what was expected is off. */
#define VERDICT_ACCUSED 0.03
#define VERDICT_WITHIN  0.02
#define VERDICT_JUDGED  0.05

/* A frame on a machine. */
struct verdict_case {
    const char *trace, *machine;
    bool develops; /* the rule was found on it; else it is judged by it */
    struct ideal_gains gains;
    double gained[IDEALS]; /* cycles; NAN: not tried */
};

/* Whether to try the resource: accused, or the answer of the rule or of what it is compared with.
 */
bool verdict_tries(const struct verdict_case *one, uint32_t ideal, enum ideal_number commonest);
/* The answer of the metrics bound_*: whose own work takes the longest. */
enum ideal_number verdict_by_bounds(const struct verdict_case *one);
/* The resource that most of the frames of the developing half (of all, when there is none) are
 * bound by: the answer that looks at nothing. */
enum ideal_number verdicts_commonest(const struct verdict_case *cases, size_t count);
/* The one that gave the most. */
enum ideal_number verdict_best(const struct verdict_case *one);
bool verdict_is_right(const struct verdict_case *one, enum ideal_number answer);

struct verdict_score {
    uint32_t frames, right, right_by_bounds, right_by_commonest;
    uint32_t causes;      /* that are judged */
    double error;         /* mean of |expected - gained| of those, as a share of the cycles */
    double error_of_most; /* were the most that each can give expected */
};
/* Of one half, and one machine (NULL: of all). */
struct verdict_score verdicts_score(const struct verdict_case *cases, size_t count, bool develops,
                                    const char *machine);

/* The page, in Markdown; and a line of CSV a frame and resource that was tried. */
void verdicts_page(const struct verdict_case *cases, size_t count, FILE *out);
void verdicts_csv(const struct verdict_case *cases, size_t count, FILE *out);
void verdicts_json(const struct verdict_case *cases, size_t count, FILE *out);

#endif
