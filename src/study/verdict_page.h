/* Page, tables and JSON of the study of verdicts. */
#ifndef AETIUS_STUDY_VERDICT_PAGE_H
#define AETIUS_STUDY_VERDICT_PAGE_H

#include "study/study.h"
#include "study/verdict_judge.h"
#include "sweep/store.h"

struct verdict_cost {
    uint32_t simulations;
    double hours; /* sum of their wall times */
};

struct verdict_set {
    const struct verdict_case *cases;
    size_t count;
    struct verdict_cost cost;
};

/* The page as Markdown. */
void verdict_page(const struct verdict_set *set, FILE *out);
/* One line per frame and machine. */
void verdict_pairs_csv(const struct verdict_set *set, FILE *out);
/* One line per trial and step, including those that were not simulated. */
void verdict_trials_csv(const struct verdict_set *set, FILE *out);
void verdict_json(const struct verdict_set *set, FILE *out);

#endif
