/* Joins two runs draw by draw. Frames are matched in order. If both frames have the same number of
 * draws with one hash, these draws are paired in order. Their positions do not matter, because
 * programs may sort their draws. The remaining draws are aligned in order for the largest total
 * similarity (Needleman-Wunsch, gap penalty 0). Draws with too little in common stay unpaired. */
#include "report/draw/draws.h"
#include "base/memory_text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAME_HASH = 32,  /* more than the sum of the weights below, which is 15 */
    LEAST_SCORE = 8, /* least score of a changed draw */
    MOST_CELLS = 1 << 26,
};

struct side { /* one frame of one run */
    const struct draw_row **draws;
    const struct draw_row **other; /* partner of each draw, or NULL */
    uint32_t count;
};

/* Removes the resource handles, which are specific to a run: "256x256 DXT1; ...". */
static char *
texture_kinds(const char *textures)
{
    char *out = mem_alloc(strlen(textures) + 1);
    size_t n = 0;
    while (*textures) {
        if (*textures == '#')
            textures += strcspn(textures, " ");
        else
            out[n++] = *textures++;
    }
    out[n] = '\0';
    return out;
}

static bool
same_textures(const struct draw_row *a, const struct draw_row *b)
{
    char *kinds_a = texture_kinds(a->textures), *kinds_b = texture_kinds(b->textures);
    const bool same = !strcmp(kinds_a, kinds_b);
    free(kinds_a);
    free(kinds_b);
    return same;
}

static const struct {
    const char *name;
    size_t offset;
    uint32_t weight;
} parts[] = {
    {"vertex program", offsetof(struct draw_row, vertex_program), 3},
    {"fragment program", offsetof(struct draw_row, fragment_program), 3},
    {"primitive", offsetof(struct draw_row, primitive), 1},
    {"vertices", offsetof(struct draw_row, vertices), 2},
    {"instances", offsetof(struct draw_row, instances), 0},
    {"target", offsetof(struct draw_row, target), 2},
    {"state", offsetof(struct draw_row, state), 2},
};

static bool
same_part(const struct draw_row *a, const struct draw_row *b, size_t part)
{
    const char *x, *y;
    memcpy(&x, (const char *)a + parts[part].offset, sizeof x);
    memcpy(&y, (const char *)b + parts[part].offset, sizeof y);
    return !strcmp(x, y);
}

char *
draws_pair_difference(const struct draws_pair *pair)
{
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    const char *separator = "";
    if (pair->a && pair->b && strcmp(pair->a->hash, pair->b->hash) != 0) {
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            if (!same_part(pair->a, pair->b, i)) {
                fprintf(out, "%s%s", separator, parts[i].name);
                separator = "; ";
            }
        if (!same_textures(pair->a, pair->b)) {
            fprintf(out, "%stextures", separator);
            separator = "; ";
        }
        if (!*separator)
            fputs("attributes; samplers or details of state", out);
    }
    return memory_text_take(&text);
}

static uint32_t
score(const struct draw_row *a, const struct draw_row *b)
{
    uint32_t sum = 0;
    if (!strcmp(a->hash, b->hash))
        return SAME_HASH;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        sum += same_part(a, b, i) ? parts[i].weight : 0;
    sum += same_textures(a, b) ? 2 : 0;
    return sum < LEAST_SCORE ? 0 : sum;
}

/* Sorts by hash, then by order. */
static int
compare_places(const void *left, const void *right)
{
    const struct draw_row *a = **(const struct draw_row **const *)left;
    const struct draw_row *b = **(const struct draw_row **const *)right;
    const int order = strcmp(a->hash, b->hash);
    return order ? order : a < b ? -1 : a > b;
}

static const struct draw_row ***
sorted(const struct side *side)
{
    const struct draw_row ***places = mem_array(side->count + 1, sizeof *places);
    for (uint32_t i = 0; i < side->count; i++)
        places[i] = &side->draws[i];
    qsort(places, side->count, sizeof *places, compare_places);
    return places;
}

static uint32_t
run_of(const struct draw_row ***places, uint32_t from, uint32_t count)
{
    uint32_t n = 0;
    while (from + n < count && !strcmp((*places[from])->hash, (*places[from + n])->hash))
        n++;
    return n;
}

static void
join_two(struct side *a, uint32_t i, struct side *b, uint32_t j)
{
    a->other[i] = b->draws[j];
    b->other[j] = a->draws[i];
}

static void
join_by_hash(struct side *a, struct side *b)
{
    const struct draw_row ***in_a = sorted(a), ***in_b = sorted(b);
    uint32_t i = 0, j = 0;
    while (i < a->count && j < b->count) {
        const int order = strcmp((*in_a[i])->hash, (*in_b[j])->hash);
        const uint32_t n = run_of(in_a, i, a->count), m = run_of(in_b, j, b->count);
        for (uint32_t k = 0; !order && n == m && k < n; k++)
            join_two(a, (uint32_t)(in_a[i + k] - a->draws), b, (uint32_t)(in_b[j + k] - b->draws));
        i += order <= 0 ? n : 0;
        j += order >= 0 ? m : 0;
    }
    free(in_a);
    free(in_b);
}

/* Indices of unpaired draws. */
static uint32_t *
left_over(const struct side *side, uint32_t *count)
{
    uint32_t *places = mem_array(side->count + 1, sizeof *places);
    *count = 0;
    for (uint32_t i = 0; i < side->count; i++)
        if (!side->other[i])
            places[(*count)++] = i;
    return places;
}

enum step { SKIP_A, SKIP_B, TAKE_BOTH };

static void
fill_cells(const struct side *a, const uint32_t *in_a, uint32_t n, const struct side *b,
           const uint32_t *in_b, uint32_t m, uint8_t *steps)
{
    /* The previous row, which the current one overwrites. */
    uint32_t *best = mem_array((size_t)m + 1, sizeof *best);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t diagonal = 0;
        for (uint32_t j = 0; j < m; j++) {
            const uint32_t points = score(a->draws[in_a[i]], b->draws[in_b[j]]);
            const uint32_t above = best[j + 1], left = best[j];
            uint8_t *step = &steps[(size_t)i * m + j];
            *step = above >= left ? SKIP_A : SKIP_B;
            best[j + 1] = above >= left ? above : left;
            if (points && diagonal + points > best[j + 1]) {
                *step = TAKE_BOTH;
                best[j + 1] = diagonal + points;
            }
            diagonal = above;
        }
    }
    free(best);
}

static void
align(struct side *a, struct side *b)
{
    uint32_t n, m;
    uint32_t *in_a = left_over(a, &n), *in_b = left_over(b, &m);
    if (n && m && (uint64_t)n * m <= MOST_CELLS) {
        uint8_t *steps = mem_array(n, m);
        fill_cells(a, in_a, n, b, in_b, m, steps);
        const size_t width = m;
        while (n && m) {
            const uint8_t step = steps[(n - 1) * width + m - 1];
            if (step == TAKE_BOTH)
                join_two(a, in_a[n - 1], b, in_b[m - 1]);
            n -= step != SKIP_B;
            m -= step != SKIP_A;
        }
        free(steps);
    }
    free(in_a);
    free(in_b);
}

/* Takes the draws of the frame at row *at. Sets *at to the first row after them. */
static struct side
take_frame(const struct draws *draws, size_t *at)
{
    struct side side = {0};
    const size_t first = *at, count = draws->rows.count;
    const uint32_t frame = first < count ? draws->rows.items[first].frame : 0;
    while (*at < count && draws->rows.items[*at].frame == frame)
        ++*at;
    side.draws = mem_array(*at - first + 1, sizeof *side.draws);
    side.other = mem_array(*at - first + 1, sizeof *side.other);
    for (size_t i = first; i < *at; i++)
        if (draws->rows.items[i].is_draw)
            side.draws[side.count++] = &draws->rows.items[i];
    return side;
}

static void
add_pair(struct draws_join *join, const struct draw_row *a, const struct draw_row *b)
{
    VEC_PUSH(&join->pairs, ((struct draws_pair){a, b}));
    if (!a)
        join->only_b++;
    else if (!b)
        join->only_a++;
    else if (!strcmp(a->hash, b->hash))
        join->same_hash++;
    else
        join->changed++;
}

/* Adds pairs in the order of b, then draws that only a has. */
static void
add_pairs(struct draws_join *join, const struct side *a, const struct side *b)
{
    for (uint32_t j = 0; j < b->count; j++)
        add_pair(join, b->other[j], b->draws[j]);
    for (uint32_t i = 0; i < a->count; i++)
        if (!a->other[i])
            add_pair(join, a->draws[i], NULL);
    join->draws_a += a->count;
    join->draws_b += b->count;
}

void
draws_join_make(struct draws_join *join, const struct draws *a, const struct draws *b)
{
    size_t at_a = 0, at_b = 0;
    memset(join, 0, sizeof *join);
    while (at_a < a->rows.count || at_b < b->rows.count) {
        struct side sides[2] = {take_frame(a, &at_a), take_frame(b, &at_b)};
        join_by_hash(&sides[0], &sides[1]);
        align(&sides[0], &sides[1]);
        add_pairs(join, &sides[0], &sides[1]);
        for (uint32_t i = 0; i < 2; i++) {
            free(sides[i].draws);
            free(sides[i].other);
        }
    }
}

void
draws_join_fini(struct draws_join *join)
{
    VEC_FREE(&join->pairs);
}
