#include "analysis/profile_number.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Length of the leading digits and separators, including a sign. */
static size_t
length_of(const char *text)
{
    size_t n = text[0] == '-' || text[0] == '+';
    return n + strspn(text + n, "0123456789.,");
}

enum number_style
number_style_of(const char *text)
{
    const size_t length = length_of(text);
    uint32_t points = 0, commas = 0;
    size_t last = 0;
    for (size_t i = 0; i < length; i++)
        if (text[i] == '.' || text[i] == ',') {
            points += text[i] == '.';
            commas += text[i] == ',';
            last = i;
        }
    if (points + commas == 0)
        return NUMBER_PLAIN;
    if (points && commas)
        return text[last] == '.' ? NUMBER_POINT : NUMBER_COMMA;
    if (points + commas > 1)
        return commas ? NUMBER_POINT : NUMBER_COMMA;
    const size_t start = !isdigit((unsigned char)text[0]);
    const size_t before = last - start, behind = length - last - 1;
    const bool may_be_thousands = behind == 3 && before >= 1 && before <= 3 && text[start] != '0' &&
                                  tolower((unsigned char)text[length]) != 'e';
    if (may_be_thousands)
        return NUMBER_EITHER;
    return points ? NUMBER_POINT : NUMBER_COMMA;
}

bool
number_parse(const char *text, enum number_style style, double *value, const char **rest)
{
    const char decimal = style == NUMBER_COMMA ? ',' : '.';
    const size_t length = length_of(text);
    char plain[64];
    size_t n = 0;
    if (length == 0 || length >= sizeof plain - 8)
        return false;
    for (size_t i = 0; i < length; i++)
        if (text[i] == decimal)
            plain[n++] = '.';
        else if (text[i] != ',' && text[i] != '.')
            plain[n++] = text[i];
    /* Accepts an exponent, but not a unit that starts with e. */
    size_t at = length;
    if (tolower((unsigned char)text[at]) == 'e') {
        const size_t sign = text[at + 1] == '-' || text[at + 1] == '+';
        const size_t digits = strspn(text + at + 1 + sign, "0123456789");
        if (digits >= 1 && digits <= 4)
            for (const size_t end = at + 1 + sign + digits; at < end; at++)
                plain[n++] = text[at];
    }
    plain[n] = '\0';
    char *end;
    *value = strtod(plain, &end);
    *rest = text + at + strspn(text + at, " ");
    return strpbrk(plain, "0123456789") && !*end && isfinite(*value);
}

double
number_time_unit(const char *unit)
{
    static const struct {
        const char *names[5];
        double ns;
    } units[] = {{{"ns", "nsecond", "nanosecond", "nanoseconds"}, 1},
                 {{"us", "usecond", "microsecond", "microseconds", "\302\265s"}, 1e3},
                 {{"ms", "msecond", "millisecond", "milliseconds"}, 1e6},
                 {{"s", "second", "seconds", "sec"}, 1e9}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        for (size_t k = 0; k < 5 && units[i].names[k]; k++)
            if (!strcmp(units[i].names[k], unit))
                return units[i].ns;
    return 0;
}
