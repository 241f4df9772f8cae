/* aetius topdown RUN --diff RUN: the causes that grew, and the draws where each grew most. */
#include "base/json.h"
#include "base/mem.h"
#include "base/text_table.h"
#include "base/wrap.h"
#include "cmd/topdown/topdown.h"

#include <stdlib.h>
#include <string.h>

enum { CAUSES_SHOWN = 8, DRAWS_SHOWN = 3 };

/* A cause has grown if it takes more cycles, by at least this share of the first run's cycles. */
static const double grown_share = 0.002;

struct grown_draw {
    char name[48]; /* "12:3", "12 upload" */
    double cycles;
};

struct grown {
    uint32_t node;
    double cycles;
    struct grown_draw draws[DRAWS_SHOWN]; /* largest growth first */
    uint32_t draw_count;
};

/* A row of a table of draws. */
struct place {
    const struct csv_table *table;
    uint32_t row;
};
typedef VEC(struct place) place_list;

static const char *
text_at(const struct place *place, const char *column)
{
    return csv_field(place->table, place->row, csv_column(place->table, column));
}

static double
number_at(const struct place *place, const char *column)
{
    return csv_value(place->table, place->row, csv_column(place->table, column));
}

/* Lists the rows of the selected frames. Lists none if the table is not one of draws. */
static place_list
places_of(const struct topdown_side *side)
{
    place_list places = {0};
    const int32_t frame = csv_column(side->table, "frame");
    for (uint32_t r = 0; csv_column(side->table, "hash") >= 0 && r < side->table->rows; r++)
        if (frame_set_has(side->frames, (uint32_t)csv_value(side->table, r, frame)))
            VEC_PUSH(&places, ((struct place){side->table, r}));
    return places;
}

/* Whether both places are the same work of one trace. */
static bool
is_same(const struct place *a, const struct place *b)
{
    static const char *const numbers[] = {"frame", "draw", "nth"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (number_at(a, numbers[i]) != number_at(b, numbers[i]))
            return false;
    return !strcmp(text_at(a, "work"), text_at(b, "work")) &&
           !strcmp(text_at(a, "hash"), text_at(b, "hash"));
}

/* Keeps the rows of both runs that represent the same work. Uploads may differ, because they
 * overlap with draws. Returns false unless all draws of both runs are the same. */
static bool
pair_places(place_list *a, place_list *b)
{
    size_t i = 0, j = 0, kept = 0;
    while (i < a->count && j < b->count) {
        const struct place x = a->items[i], y = b->items[j];
        const bool draws = !strcmp(text_at(&x, "work"), "draw"),
                   other = !strcmp(text_at(&y, "work"), "draw");
        if (is_same(&x, &y)) {
            a->items[kept] = x;
            b->items[kept++] = y;
            i++;
            j++;
        } else if (!draws) {
            i++;
        } else if (!other) {
            j++;
        } else {
            return false;
        }
    }
    for (; i < a->count; i++)
        if (!strcmp(text_at(&a->items[i], "work"), "draw"))
            return false;
    for (; j < b->count; j++)
        if (!strcmp(text_at(&b->items[j], "work"), "draw"))
            return false;
    a->count = b->count = kept;
    return kept > 0;
}

static void
name_place(char *name, size_t size, const struct place *place)
{
    const char *work = text_at(place, "work");
    if (!strcmp(work, "draw"))
        snprintf(name, size, "%.0f:%.0f", number_at(place, "frame"), number_at(place, "draw"));
    else
        snprintf(name, size, "%.0f %s", number_at(place, "frame"), work);
}

static void
find_draws(struct grown *grown, const struct topdown_shape *shape, const place_list *a,
           const place_list *b)
{
    char column[64];
    snprintf(column, sizeof column, "lost.%s", shape->nodes[grown->node].name);
    for (size_t i = 0; i < a->count; i++) {
        struct grown_draw draw = {.cycles = number_at(&b->items[i], column) -
                                            number_at(&a->items[i], column)};
        uint32_t at = grown->draw_count;
        while (at && grown->draws[at - 1].cycles < draw.cycles)
            at--;
        if (at == DRAWS_SHOWN || !(draw.cycles > 0))
            continue;
        name_place(draw.name, sizeof draw.name, &a->items[i]);
        grown->draw_count += grown->draw_count < DRAWS_SHOWN;
        memmove(&grown->draws[at + 1], &grown->draws[at],
                (grown->draw_count - 1 - at) * sizeof draw);
        grown->draws[at] = draw;
    }
}

static bool
is_leaf(const struct topdown_shape *shape, uint32_t node)
{
    for (uint32_t n = node + 1; n < shape->count; n++)
        if (shape->nodes[n].parent == node)
            return false;
    return node > 0;
}

/* Finds the causes that grew, largest first. Returns their number. */
static uint32_t
find_grown(struct grown *grown, const struct topdown_tree *a, const struct topdown_tree *b)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < a->shape->count; n++) {
        const double more = b->values[n] - a->values[n];
        uint32_t at = count;
        if (!is_leaf(a->shape, n) || !(more > 0) || more < grown_share * a->values[0])
            continue;
        while (at && grown[at - 1].cycles < more)
            at--;
        if (at == CAUSES_SHOWN)
            continue;
        count += count < CAUSES_SHOWN;
        memmove(&grown[at + 1], &grown[at], (count - 1 - at) * sizeof *grown);
        grown[at] = (struct grown){.node = n, .cycles = more};
    }
    return count;
}

static uint32_t
find_all(struct grown *grown, const struct topdown_side *a, const struct topdown_side *b)
{
    const uint32_t count = find_grown(grown, a->tree, b->tree);
    place_list places_a = places_of(a), places_b = places_of(b);
    if (pair_places(&places_a, &places_b))
        for (uint32_t i = 0; i < count; i++)
            find_draws(&grown[i], a->tree->shape, &places_a, &places_b);
    VEC_FREE(&places_a);
    VEC_FREE(&places_b);
    return count;
}

static char *
draws_text(const struct grown *grown)
{
    char *text = mem_strdup("");
    for (uint32_t i = 0; i < grown->draw_count; i++) {
        char *more = mem_printf("%s%s%s %+.0f", text, i ? ", " : "", grown->draws[i].name,
                                grown->draws[i].cycles);
        free(text);
        text = more;
    }
    return text;
}

void
topdown_growth_print(const struct topdown_side *a, const struct topdown_side *b)
{
    struct grown grown[CAUSES_SHOWN];
    const uint32_t count = find_all(grown, a, b);
    const double before = a->tree->values[0], more = b->tree->values[0] - before;
    struct text_table table = {0};
    const bool has_draws = count && grown[0].draw_count;
    print_wrapped(stdout, line_width(stdout), 0, 2, "b takes %.0f cycles %s than a (%+.1f %%); %s",
                  more < 0 ? -more : more, more < 0 ? "fewer" : "more",
                  before > 0 ? 100 * more / before : 0,
                  count ? "causes that grew, in points of a's cycles:" : "no cause grew");
    if (!count)
        return;
    text_table_cells(&table, has_draws ? "cause|cycles|points|draws where it grew most"
                                       : "cause|cycles|points");
    text_table_end_row(&table);
    for (uint32_t i = 0; i < count; i++) {
        text_table_cell(&table, "%s", a->tree->shape->nodes[grown[i].node].name);
        text_table_cell(&table, "%+.0f", grown[i].cycles);
        text_table_cell(&table, "%+.1f", 100 * grown[i].cycles / before);
        char *draws = draws_text(&grown[i]);
        if (has_draws)
            text_table_left(&table, "%s", draws);
        free(draws);
        text_table_end_row(&table);
    }
    text_table_put(&table, TEXT_TABLE_TEXT, stdout);
}

cJSON *
topdown_growth_json(const struct topdown_side *a, const struct topdown_side *b)
{
    struct grown grown[CAUSES_SHOWN];
    const uint32_t count = find_all(grown, a, b);
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < count; i++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "name", a->tree->shape->nodes[grown[i].node].name);
        cJSON_AddItemToObject(one, "cycles", json_number(grown[i].cycles));
        cJSON_AddItemToObject(one, "share", json_number(grown[i].cycles / a->tree->values[0]));
        cJSON *draws = cJSON_AddArrayToObject(one, "draws");
        for (uint32_t d = 0; d < grown[i].draw_count; d++) {
            cJSON *draw = cJSON_CreateObject();
            cJSON_AddStringToObject(draw, "draw", grown[i].draws[d].name);
            cJSON_AddItemToObject(draw, "cycles", json_number(grown[i].draws[d].cycles));
            cJSON_AddItemToArray(draws, draw);
        }
        cJSON_AddItemToArray(list, one);
    }
    return list;
}
