/* Changes the text of programs (program_palette.h). Declarations and instructions are added before
 * the first instruction, so instructions and labels get higher numbers. */
#include "isa/program_palette.h"

#include "base/memory_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct change {
    FILE *out;
    const struct program_palette *palette;
    bool is_vertex;
    uint32_t added; /* instructions before the first one */
};

static uint32_t
row_length(const struct program_palette *palette)
{
    return palette->vertex_count + palette->fragment_count;
}

static const char *
skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

static bool
is_instruction(const char *line)
{
    static const char *const others[] = {"VERT", "FRAG", "DCL", "PROPERTY", "IMM"};
    const char *at = skip_blanks(line);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strncmp(at, others[i], strlen(others[i])))
            return false;
    return *at != '\0' && *at != '\n' && *at != '\r';
}

/* Reads "[5]". Returns the text after it, or NULL if an address is in the brackets. */
static const char *
read_index(const char *at, uint32_t *index)
{
    char *end;
    at = skip_blanks(at);
    if (*at != '[' || !isdigit((unsigned char)*skip_blanks(at + 1)))
        return NULL;
    *index = (uint32_t)strtoul(at + 1, &end, 10);
    end += strspn(end, " \t");
    return *end == ']' ? end + 1 : NULL;
}

/* Finds a constant of buffer 0 at `at`, after "CONST". Returns the text after it, or NULL. */
static const char *
read_constant(const char *at, uint32_t *index)
{
    const char *end = read_index(at, index);
    if (!end || *skip_blanks(end) != '[')
        return end;
    return *index == 0 ? read_index(end, index) : NULL;
}

/* The index of a constant in its program's list of differing constants; `count` if the constant
 * does not differ. */
static uint32_t
place_of(const uint16_t *constants, uint32_t count, uint32_t index)
{
    uint32_t i = 0;
    while (i < count && constants[i] != index)
        i++;
    return i;
}

static void
put_entry(const struct change *change, uint32_t column)
{
    const struct program *vertex = change->palette->vertex;
    fprintf(change->out, "CONST[0][ADDR[%u].x+%u]", vertex->address_count,
            vertex->constant_buffers[0].count + column);
}

/* Writes what replaces the constant. Returns false if the constant stays. */
static bool
put_replacement(const struct change *change, uint32_t index)
{
    const struct program_palette *p = change->palette;
    const uint16_t *constants = change->is_vertex ? p->vertex_constants : p->fragment_constants;
    const uint32_t count = change->is_vertex ? p->vertex_count : p->fragment_count;
    const uint32_t place = place_of(constants, count, index);
    if (place == count)
        return false;
    if (change->is_vertex)
        put_entry(change, place);
    else
        fprintf(change->out, "IN[%u]", p->fragment->input_count + place);
    return true;
}

/* Writes the instruction with its constants replaced, and with its number and label increased. */
static void
put_instruction(const struct change *change, const char *line, const char *end)
{
    const char *at = skip_blanks(line);
    if (isdigit((unsigned char)*at)) {
        char *rest;
        fprintf(change->out, "%lu", strtoul(at, &rest, 10) + change->added);
        at = rest;
        while (at < end && *at != ':')
            at++;
        fputc(*at++, change->out);
    }
    while (at < end) {
        uint32_t index;
        const bool is_constant = !strncmp(at, "CONST", 5) && at > line && !isalnum(at[-1]);
        const char *after = is_constant ? read_constant(at + 5, &index) : NULL;
        if (after && put_replacement(change, index)) {
            at = after;
            continue;
        }
        fputc(*at, change->out);
        if (*at++ == ':' && isdigit((unsigned char)*skip_blanks(at))) {
            char *rest;
            fprintf(change->out, "%lu", strtoul(at, &rest, 10) + change->added);
            at = rest;
        }
    }
}

static void
declare_vertex(const struct change *change)
{
    const struct program_palette *p = change->palette;
    const struct program *vertex = p->vertex;
    const uint32_t first = vertex->constant_buffers[0].count;
    FILE *out = change->out;
    fprintf(out, "DCL IN[%u]\n", vertex->input_count);
    fprintf(out, "DCL ADDR[%u]\n", vertex->address_count);
    fprintf(out, "DCL CONST[0][%u..%u]\n", first, first + p->rows * row_length(p) - 1);
    for (uint32_t i = 0; i < vertex->output_count; i++) /* also one that the text lacks */
        if (vertex->outputs[i].semantic == SEMANTIC_POSITION)
            fprintf(out, "DCL OUT[%u], POSITION\n", i);
    for (uint32_t i = 0; i < p->fragment_count; i++)
        fprintf(out, "DCL OUT[%u], GENERIC[%u]\n", vertex->output_count + i, PALETTE_SEMANTIC + i);
    fprintf(out, "0: ARL ADDR[%u].x, IN[%u].xxxx\n", vertex->address_count, vertex->input_count);
    for (uint32_t i = 0; i < p->fragment_count; i++) {
        fprintf(out, "%u: MOV OUT[%u], ", 1 + i, vertex->output_count + i);
        put_entry(change, p->vertex_count + i);
        fputc('\n', out);
    }
}

static void
declare_fragment(const struct change *change)
{
    const struct program_palette *p = change->palette;
    for (uint32_t i = 0; i < p->fragment_count; i++)
        fprintf(change->out, "DCL IN[%u], GENERIC[%u], CONSTANT\n", p->fragment->input_count + i,
                PALETTE_SEMANTIC + i);
}

static char *
change_text(const struct program_palette *palette, bool is_vertex)
{
    struct memory_text text;
    struct change change = {.out = memory_text_open(&text),
                            .palette = palette,
                            .is_vertex = is_vertex,
                            .added = is_vertex ? 1 + palette->fragment_count : 0};
    bool begun = false;
    const char *next = is_vertex ? palette->vertex->text : palette->fragment->text;
    while (*next) {
        const char *line = next;
        next += strcspn(next, "\n");
        if (!is_instruction(line)) {
            fprintf(change.out, "%.*s\n", (int)(next - line), line);
        } else {
            if (!begun)
                (is_vertex ? declare_vertex : declare_fragment)(&change);
            begun = true;
            put_instruction(&change, line, next);
            fputc('\n', change.out);
        }
        next += *next == '\n';
    }
    return memory_text_take(&text);
}

char *
program_palette_vertex(const struct program_palette *palette)
{
    return change_text(palette, true);
}

char *
program_palette_fragment(const struct program_palette *palette)
{
    return change_text(palette, false);
}
