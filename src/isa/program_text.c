/* Tokenizer for TGSI text. */
#include "isa/program_parser.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
parse_fail(struct parser *parser, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return fail(parser->err, "shader line %u: %s", parser->line, text);
}

void
parse_blanks(struct parser *parser)
{
    while (*parser->at == ' ' || *parser->at == '\t' || *parser->at == '\r')
        parser->at++;
}

bool
parse_accept(struct parser *parser, char c)
{
    parse_blanks(parser);
    if (*parser->at != c)
        return false;
    parser->at++;
    return true;
}

bool
parse_expect(struct parser *parser, char c)
{
    if (parse_accept(parser, c))
        return true;
    return parse_fail(parser, "expected '%c' at \"%.24s\"", c, parser->at);
}

bool
parse_at_end(struct parser *parser)
{
    parse_blanks(parser);
    return *parser->at == '\0';
}

size_t
parse_word(struct parser *parser, char *word, size_t size)
{
    size_t n = 0;
    parse_blanks(parser);
    while ((isalnum((unsigned char)parser->at[n]) || parser->at[n] == '_') && n + 1 < size) {
        word[n] = parser->at[n];
        n++;
    }
    word[n] = '\0';
    parser->at += n;
    return n;
}

int
parse_name(const char *word, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (names[i] && !strcmp(word, names[i]))
            return (int)i;
    return -1;
}

bool
parse_uint(struct parser *parser, uint64_t limit, const char *what, uint32_t *value)
{
    uint64_t v = 0;
    parse_blanks(parser);
    if (!isdigit((unsigned char)*parser->at))
        return parse_fail(parser, "expected %s at \"%.24s\"", what, parser->at);
    while (isdigit((unsigned char)*parser->at)) {
        v = v * 10 + (uint64_t)(*parser->at++ - '0');
        if (v > UINT32_MAX)
            v = (uint64_t)UINT32_MAX + 1; /* exceeds every limit, so more digits do not matter */
    }
    if (v >= limit)
        return parse_fail(parser, "%s is not below %llu", what, (unsigned long long)limit);
    *value = (uint32_t)v;
    return true;
}

bool
parse_int(struct parser *parser, int32_t *value)
{
    uint32_t magnitude;
    bool negative = parse_accept(parser, '-');
    if (!negative)
        parse_accept(parser, '+');
    if (!parse_uint(parser, 32768, "index", &magnitude))
        return false;
    *value = negative ? -(int32_t)magnitude : (int32_t)magnitude;
    return true;
}

static bool
parse_hexadecimal(struct parser *parser, uint32_t *bits)
{
    uint64_t v = 0;
    uint32_t digits = 0;
    for (parser->at += 2; isxdigit((unsigned char)*parser->at); parser->at++, digits++) {
        int c = tolower((unsigned char)*parser->at);
        v = v << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
        if (digits >= 8)
            return parse_fail(parser, "a hexadecimal number has more than 8 digits");
    }
    if (!digits)
        return parse_fail(parser, "expected hexadecimal digits at \"%.24s\"", parser->at);
    *bits = (uint32_t)v;
    return true;
}

static bool
at_hexadecimal(struct parser *parser)
{
    parse_blanks(parser);
    return parser->at[0] == '0' && (parser->at[1] == 'x' || parser->at[1] == 'X');
}

bool
parse_float_bits(struct parser *parser, uint32_t *bits)
{
    if (at_hexadecimal(parser))
        return parse_hexadecimal(parser, bits);
    char *end;
    float value = strtof(parser->at, &end);
    if (end == parser->at)
        return parse_fail(parser, "expected a number at \"%.24s\"", parser->at);
    parser->at = end;
    memcpy(bits, &value, sizeof *bits);
    return true;
}

bool
parse_integer_bits(struct parser *parser, uint32_t *bits)
{
    if (at_hexadecimal(parser))
        return parse_hexadecimal(parser, bits);
    bool negative = parse_accept(parser, '-');
    uint32_t magnitude;
    if (!parse_uint(parser, (uint64_t)UINT32_MAX + 1, "number", &magnitude))
        return false;
    *bits = negative ? 0u - magnitude : magnitude;
    return true;
}
