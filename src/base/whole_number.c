#include "base/whole_number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* Multiplies by the power of ten at *at, if there is one. */
static bool
read_power(const char **at, uint64_t *number)
{
    char *end;
    if ((**at != 'e' && **at != 'E') || !isdigit((unsigned char)(*at)[1]))
        return true;
    unsigned long power = strtoul(*at + 1, &end, 10);
    for (; power && *number; power--)
        if (__builtin_mul_overflow(*number, 10, number))
            return false;
    *at = end;
    return true;
}

bool
whole_number_read(const char **at, uint64_t *number)
{
    const char *text = *at;
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    const bool is_hexadecimal =
        text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && isxdigit((unsigned char)text[2]);
    errno = 0;
    *number = strtoull(text, &end, is_hexadecimal ? 16 : 10);
    const char *after = end;
    if (errno || (!is_hexadecimal && !read_power(&after, number)))
        return false;
    *at = after;
    return true;
}

bool
whole_number_parse(const char *text, uint64_t *number)
{
    return whole_number_read(&text, number) && !*text;
}
