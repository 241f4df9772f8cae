/* Numbers as profilers print them: with thousands separators, in a locale's style, followed by a
 * unit. */
#ifndef AETIUS_ANALYSIS_PROFILE_NUMBER_H
#define AETIUS_ANALYSIS_PROFILE_NUMBER_H

#include <stdbool.h>

/* Decimal separator: `.` as in 1,362.20, or `,` as in 1.362,20. */
enum number_style {
    NUMBER_POINT,
    NUMBER_COMMA,
    NUMBER_EITHER, /* ambiguous, for example 117.344 */
    NUMBER_PLAIN,  /* no separator: equal in both styles */
};

/* Style that the separators of `text` imply. The caller interprets an ambiguous number in the style
 * of its file. */
enum number_style number_style_of(const char *text);
/* Parses the number at the start of `text`. Sets *rest to the text after the number and its
 * trailing spaces. Returns false if there is no number or it is not finite. */
bool number_parse(const char *text, enum number_style style, double *value, const char **rest);

/* Nanoseconds per unit of time ("ms", "msecond", "second"); 0 for any other unit. */
double number_time_unit(const char *unit);

#endif
