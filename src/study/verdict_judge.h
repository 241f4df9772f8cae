/* Judges the verdicts of `aetius topdown` by the gains that simulations with ideal resources
 * measured. The verdict of a case is a resource, or the group of resources that topdown expects to
 * gain more together. It is right if
 * - no other resource, and no pair among the VERDICT_PAIRED resources with the most attributed
 *   cycles, gains over VERDICT_WITHIN of the cycles more, and
 * - each member of a group adds at least VERDICT_WITHIN to the gain of the others.
 *
 * The older definition compares only single resources, with the settings of older_ideals.def. */
#ifndef AETIUS_STUDY_VERDICT_JUDGE_H
#define AETIUS_STUDY_VERDICT_JUDGE_H

#include "base/mem.h"
#include "report/compare/steps.h"
#include "report/compare/verdicts.h"

/* Numbers of resources with the most attributed cycles: those that form pairs, and those whose
 * parameters give the candidates for the best step. Errors of expected gains are averaged over
 * resources to which at least the share VERDICT_JUDGED of the cycles is attributed. */
enum { VERDICT_PAIRED = 8, VERDICT_STEPPED = 10 };
#define VERDICT_JUDGED 0.05

/* A frame is large if it has this many draws or cycles. */
#define VERDICT_LARGE_DRAWS  100
#define VERDICT_LARGE_CYCLES 1000000

enum verdict_part { VERDICT_JUDGING, VERDICT_MICRO, VERDICT_DEVELOP, VERDICT_PARTS };

/* The settings of a resource in the older definition. */
struct older_ideal {
    enum ideal_number ideal;
    const char *settings;
};
extern const struct older_ideal older_ideals[];
extern const size_t older_ideal_count;
/* Applies the older settings of each resource in the set. A resource that the older definition
 * lacks gets today's settings. */
bool older_set_apply(uint32_t set, struct params *params, struct error *err);

/* Gains are in cycles. */
struct verdict_trial {
    uint32_t set;   /* bits of enum ideal_number */
    bool is_rival;  /* the verdict must not gain less by more than VERDICT_WITHIN */
    bool is_part;   /* the verdict without one of its members */
    bool is_judged; /* the gain is compared with the expected one */
    double most;    /* proven upper bound of the gain (verdict_floors.h) */
    double gained;  /* NAN: not simulated */
    size_t run;     /* of the study; 0: none */
};
struct verdict_trials {
    struct verdict_trial *items; /* the first one is the verdict */
    size_t count, capacity;
};

struct verdict_step {
    struct step step;
    double most, gained; /* as in struct verdict_trial */
    size_t run;
};

/* One frame on one machine. */
struct verdict_case {
    char *trace, *program; /* frames of one program are not independent; both owned */
    const char *machine;
    uint32_t frames;
    double draws; /* per frame */
    enum verdict_part part;
    struct ideal_gains gains;
    uint32_t verdict; /* set of resources */
    double expected;  /* gain of the verdict, in cycles */
    struct verdict_trials trials, older;
    VEC(struct verdict_step) steps; /* candidates */
    size_t advised;                 /* index in steps; steps.count: no step is advised */
};
void verdict_case_fini(struct verdict_case *one);

/* Takes the verdict from the gains, and lists the trials of both definitions. `unused`: resources
 * whose units have no work. An ideal resource of this kind changes nothing, so it is left out of
 * sets, and gains 0 alone. */
void verdict_list_trials(struct verdict_case *one, uint32_t unused);
/* The `count` resources with the most attributed cycles, as a set. No cycles are attributed to
 * drain; its upper bound is used instead. */
uint32_t verdict_most_charged(const struct ideal_gains *gains, uint32_t count);
double verdict_charged(const struct ideal_gains *gains, uint32_t ideal);
/* The trial of a set; NULL: it is not listed. */
const struct verdict_trial *verdict_trial(const struct verdict_trials *trials, uint32_t set);

/* Whether the trial must be simulated: its upper bound does not decide. The gain of the verdict
 * (trials->items[0]) must be known. */
bool verdict_is_open(const struct verdict_trials *trials, size_t i, double cycles);
/* Whether the step may be better than the advised one, whose gain must be known. */
bool verdict_step_is_open(const struct verdict_case *one, size_t i);

bool verdict_is_right(const struct verdict_case *one);
bool verdict_is_right_by_older(const struct verdict_case *one);
/* The trial with the largest gain. */
const struct verdict_trial *verdict_best(const struct verdict_trials *trials);
/* The step with the largest gain; NULL: no step gains anything. */
const struct verdict_step *verdict_best_step(const struct verdict_case *one);
/* Gain of the advised step; 0 if no step is advised. */
double verdict_step_gained(const struct verdict_case *one);
bool verdict_step_is_good(const struct verdict_case *one);

/* Numerator and denominator of a share. */
struct verdict_share {
    double part;
    uint32_t whole;
};
/* 95 % interval of a share by Wilson's method. */
void verdict_interval(const struct verdict_share *share, double *low, double *high);

struct verdict_score {
    struct verdict_share right, older, steps; /* of cases */
    /* Mean over programs of the share of right cases: `whole` programs. */
    struct verdict_share programs;
    double verdict_error; /* mean of |expected - gained| of verdicts, as a share of the cycles */
    double error;         /* the same for resources with a share of at least VERDICT_JUDGED */
    uint32_t resources;   /* number of these resources */
    uint32_t large;       /* cases whose frames are large */
};
/* Score of one part on one machine (NULL: all machines). */
struct verdict_score verdicts_score(const struct verdict_case *cases, size_t count,
                                    enum verdict_part part, const char *machine);

#endif
