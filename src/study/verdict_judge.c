#include "study/verdict_judge.h"

#include "base/bits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BIT(i) (1u << (i))

const struct older_ideal older_ideals[] = {
#define OLDER(name, settings) {IDEAL_##name, settings},
#include "study/older_ideals.def"
};
const size_t older_ideal_count = sizeof older_ideals / sizeof older_ideals[0];

static const struct older_ideal *
older_of(uint32_t ideal)
{
    for (size_t i = 0; i < older_ideal_count; i++)
        if (older_ideals[i].ideal == ideal)
            return &older_ideals[i];
    return NULL;
}

bool
older_set_apply(uint32_t set, struct params *params, struct error *err)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < IDEALS; i++) {
        if (!(set & BIT(i)))
            continue;
        const struct older_ideal *older = older_of(i);
        const struct limit as_limit = {.settings = older ? older->settings : NULL};
        ok = older ? limit_apply(&as_limit, params, err) : ideal_apply(&ideals[i], params, err);
    }
    return ok;
}

void
verdict_case_fini(struct verdict_case *one)
{
    free(one->trace);
    free(one->program);
    VEC_FREE(&one->trials);
    VEC_FREE(&one->older);
    VEC_FREE(&one->steps);
}

/* ---- trials ---- */

double
verdict_charged(const struct ideal_gains *gains, uint32_t ideal)
{
    return ideal == IDEAL_drain ? gains->most[ideal] : gains->charged[ideal];
}

uint32_t
verdict_most_charged(const struct ideal_gains *gains, uint32_t count)
{
    uint32_t set = 0;
    for (uint32_t n = 0; n < count && n < IDEALS; n++) {
        uint32_t next = IDEALS;
        for (uint32_t i = 0; i < IDEALS; i++)
            if (!(set & BIT(i)) &&
                (next == IDEALS || verdict_charged(gains, i) > verdict_charged(gains, next)))
                next = i;
        set |= BIT(next);
    }
    return set;
}

/* Finds the trial of the set, or adds it. */
static struct verdict_trial *
take_trial(struct verdict_trials *trials, uint32_t set, double cycles)
{
    for (size_t i = 0; i < trials->count; i++)
        if (trials->items[i].set == set)
            return &trials->items[i];
    VEC_PUSH(trials, ((struct verdict_trial){
                         .set = set, .most = set ? cycles : 0, .gained = set ? (double)NAN : 0}));
    return &trials->items[trials->count - 1];
}

static void
add_rival(struct verdict_trials *trials, uint32_t set, double cycles)
{
    struct verdict_trial *trial = take_trial(trials, set, cycles);
    trial->is_rival = trial != trials->items;
}

static void
list_pairs(struct verdict_case *one, uint32_t unused)
{
    const uint32_t among = verdict_most_charged(&one->gains, VERDICT_PAIRED) & ~unused;
    for (uint32_t i = 0; i < IDEALS; i++)
        for (uint32_t k = i + 1; k < IDEALS; k++)
            if (among & BIT(i) && among & BIT(k))
                add_rival(&one->trials, BIT(i) | BIT(k), one->gains.cycles);
}

static void
list_parts(struct verdict_case *one)
{
    const uint32_t verdict = one->trials.items[0].set;
    for (uint32_t i = 0; i < IDEALS; i++)
        if (verdict & BIT(i) && verdict != BIT(i))
            take_trial(&one->trials, verdict & ~BIT(i), one->gains.cycles)->is_part = true;
}

void
verdict_list_trials(struct verdict_case *one, uint32_t unused)
{
    const double cycles = one->gains.cycles;
    struct ideal_group group;
    const enum ideal_number single = ideals_verdict(&one->gains);
    const bool together = ideals_together(&one->gains, &group);
    one->verdict = together ? group.set : BIT(single);
    one->expected = together ? group.expected : one->gains.expected[single];
    take_trial(&one->trials, one->verdict & ~unused, cycles);
    take_trial(&one->older, one->verdict & ~unused, cycles);
    for (uint32_t i = 0; i < IDEALS; i++) {
        add_rival(&one->trials, BIT(i) & ~unused, cycles);
        if (verdict_charged(&one->gains, i) >= VERDICT_JUDGED * cycles)
            take_trial(&one->trials, BIT(i) & ~unused, cycles)->is_judged = true;
    }
    list_pairs(one, unused);
    list_parts(one);
    for (size_t i = 0; i < older_ideal_count; i++)
        add_rival(&one->older, BIT(older_ideals[i].ideal) & ~unused, cycles);
}

const struct verdict_trial *
verdict_trial(const struct verdict_trials *trials, uint32_t set)
{
    for (size_t i = 0; i < trials->count; i++)
        if (trials->items[i].set == set)
            return &trials->items[i];
    return NULL;
}

/* ---- decisions ---- */

/* The gain, or its upper bound if the trial was not simulated. */
static double
reaches(const struct verdict_trial *trial)
{
    return isnan(trial->gained) ? trial->most : trial->gained;
}

static bool
beats(const struct verdict_trials *trials, size_t i, double cycles)
{
    return trials->items[i].is_rival &&
           reaches(&trials->items[i]) > trials->items[0].gained + VERDICT_WITHIN * cycles;
}

/* Whether the verdict gains nearly as much without a member. */
static bool
replaces(const struct verdict_trials *trials, size_t i, double cycles)
{
    return trials->items[i].is_part &&
           reaches(&trials->items[i]) > trials->items[0].gained - VERDICT_WITHIN * cycles;
}

bool
verdict_is_open(const struct verdict_trials *trials, size_t i, double cycles)
{
    const struct verdict_trial *trial = &trials->items[i];
    return isnan(trial->gained) &&
           (trial->is_judged || beats(trials, i, cycles) || replaces(trials, i, cycles));
}

static bool
is_right(const struct verdict_trials *trials, double cycles)
{
    for (size_t i = 1; i < trials->count; i++)
        if (beats(trials, i, cycles) || replaces(trials, i, cycles))
            return false;
    return true;
}

bool
verdict_is_right(const struct verdict_case *one)
{
    return is_right(&one->trials, one->gains.cycles);
}

bool
verdict_is_right_by_older(const struct verdict_case *one)
{
    return is_right(&one->older, one->gains.cycles);
}

const struct verdict_trial *
verdict_best(const struct verdict_trials *trials)
{
    const struct verdict_trial *best = trials->items;
    for (size_t i = 1; i < trials->count; i++)
        if (trials->items[i].is_rival && trials->items[i].gained > best->gained)
            best = &trials->items[i];
    return best;
}

/* ---- steps ---- */

double
verdict_step_gained(const struct verdict_case *one)
{
    return one->advised < one->steps.count ? one->steps.items[one->advised].gained : 0;
}

bool
verdict_step_is_open(const struct verdict_case *one, size_t i)
{
    const struct verdict_step *step = &one->steps.items[i];
    return isnan(step->gained) &&
           step->most > verdict_step_gained(one) + VERDICT_WITHIN * one->gains.cycles;
}

const struct verdict_step *
verdict_best_step(const struct verdict_case *one)
{
    const struct verdict_step *best = NULL;
    double most = 0;
    for (size_t i = 0; i < one->steps.count; i++)
        if (one->steps.items[i].gained > most) {
            best = &one->steps.items[i];
            most = best->gained;
        }
    return best;
}

bool
verdict_step_is_good(const struct verdict_case *one)
{
    const struct verdict_step *best = verdict_best_step(one);
    return !best || best->gained <= verdict_step_gained(one) + VERDICT_WITHIN * one->gains.cycles;
}

/* ---- scores ---- */

void
verdict_interval(const struct verdict_share *share, double *low, double *high)
{
    const double z = 1.959964, n = share->whole; /* z: 97.5 % quantile of the normal distribution */
    *low = 0;
    *high = 1;
    if (!share->whole)
        return;
    const double p = share->part / n, scale = 1 + z * z / n;
    const double middle = p + z * z / (2 * n);
    const double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    *low = fmax(0, (middle - half) / scale);
    *high = fmin(1, (middle + half) / scale);
}

static bool
is_of(const struct verdict_case *one, enum verdict_part part, const char *machine)
{
    return one->part == part && (!machine || !strcmp(one->machine, machine));
}

/* Whether an earlier case of the score has the same program. */
static bool
repeats_program(const struct verdict_case *cases, size_t i, enum verdict_part part,
                const char *machine)
{
    for (size_t k = 0; k < i; k++)
        if (is_of(&cases[k], part, machine) && !strcmp(cases[k].program, cases[i].program))
            return true;
    return false;
}

/* Share of right cases of the program of cases[i]. */
static double
right_of_program(const struct verdict_case *cases, size_t count, size_t i, enum verdict_part part,
                 const char *machine)
{
    double right = 0, whole = 0;
    for (size_t k = i; k < count; k++)
        if (is_of(&cases[k], part, machine) && !strcmp(cases[k].program, cases[i].program)) {
            right += verdict_is_right(&cases[k]);
            whole++;
        }
    return right / whole;
}

static void
count(struct verdict_share *share, bool is_part)
{
    share->part += is_part;
    share->whole++;
}

static void
add_errors(struct verdict_score *score, const struct verdict_case *one)
{
    const double cycles = one->gains.cycles;
    score->verdict_error += fabs(one->expected - one->trials.items[0].gained) / cycles;
    for (uint32_t i = 0; i < IDEALS; i++) {
        const struct verdict_trial *trial = verdict_trial(&one->trials, BIT(i));
        if (!trial || !(verdict_charged(&one->gains, i) >= VERDICT_JUDGED * cycles))
            continue;
        score->resources++;
        score->error += fabs(one->gains.expected[i] - trial->gained) / cycles;
    }
}

struct verdict_score
verdicts_score(const struct verdict_case *cases, size_t cases_count, enum verdict_part part,
               const char *machine)
{
    struct verdict_score score = {0};
    for (size_t i = 0; i < cases_count; i++) {
        const struct verdict_case *one = &cases[i];
        if (!is_of(one, part, machine))
            continue;
        count(&score.right, verdict_is_right(one));
        count(&score.older, verdict_is_right_by_older(one));
        count(&score.steps, verdict_step_is_good(one));
        score.large += one->draws >= VERDICT_LARGE_DRAWS ||
                       one->gains.cycles / one->frames >= VERDICT_LARGE_CYCLES;
        add_errors(&score, one);
        if (repeats_program(cases, i, part, machine))
            continue;
        score.programs.part += right_of_program(cases, cases_count, i, part, machine);
        score.programs.whole++;
    }
    score.verdict_error /= score.right.whole ? score.right.whole : 1;
    score.error /= score.resources ? score.resources : 1;
    return score;
}
