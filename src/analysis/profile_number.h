/* Numbers as profilers print them: with separators of thousands, in the style of some country, with
 * units behind. */
#ifndef AETIUS_ANALYSIS_PROFILE_NUMBER_H
#define AETIUS_ANALYSIS_PROFILE_NUMBER_H

#include <stdbool.h>

/* Which of `,` and `.` parts the decimals: 1,362.20 or 1.362,20. */
enum number_style {
    NUMBER_POINT,
    NUMBER_COMMA,
    NUMBER_EITHER, /* cannot be told: 117.344 */
    NUMBER_PLAIN,  /* no separator, so the same in both */
};

/* What the separators in `text` say of its style. A number that may be both is taken to be in the
 * style of the others of its file. */
enum number_style number_style_of(const char *text);
/* The number at the start of `text`; *rest: what stands behind it, past spaces. false: there is
 * none, or it is not finite. */
bool number_parse(const char *text, enum number_style style, double *value, const char **rest);

/* Nanoseconds in one of a unit of time ("ms", "msecond", "second"); 0: it is none. */
double number_time_unit(const char *unit);

#endif
