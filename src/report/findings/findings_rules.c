/* Each rule estimates the cycles per row of the table of draws (docs/topdown.md, Findings). An
 * estimate is never below 0. */
#include "report/findings/findings_rules.h"

#include "report/draw/describe_draw.h"
#include "state/draw_run.h"
#include "state/format_encode.h"
#include "state/vertex_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void
finding_list_init(struct finding_list *list, const struct draws *draws, const struct params *params)
{
    static const char *const names[FINDING_COLUMN_COUNT] = {
#define NAME(name, column) [COLUMN_##name] = column,
        FINDING_COLUMNS(NAME)
#undef NAME
    };
    memset(list, 0, sizeof *list);
    list->draws = draws;
    list->shaders = params->GPU.NumFragmentShaders;
    list->vertex_shaders = params->GPU.UnifiedShader ? 0 : params->GPU.NumVertexShaders;
    list->index_rate = params->STREAMER.IndicesCycle;
    list->setup_cycles =
        (double)params->RASTERIZER.SetupStartLatency / params->RASTERIZER.SetupUnits;
    list->load_rate = params->FRAGMENTSHADER.InputsPerCycle;
    list->vertex_units = list->vertex_shaders ? list->vertex_shaders : list->shaders;
    list->vertex_lanes = list->vertex_shaders ? params->VERTEXSHADER.ThreadGroup
                                              : params->FRAGMENTSHADER.ThreadGroup;
    list->vertex_window = (double)params->STREAMER.OutputFIFOSize /
                          (list->vertex_units * fmax(params->RASTERIZER.BusyGroups, 1));
    list->vertex_cache = params->STREAMER.OutputMemorySize;
    if (list->vertex_cache > VERTEX_ORDER_CACHE)
        list->vertex_cache = VERTEX_ORDER_CACHE;
    for (uint32_t c = 0; c < FINDING_COLUMN_COUNT; c++)
        list->columns[c] = csv_column(&draws->table, names[c]);
}

/* The value of a column; 0 if the run does not have it. */
static double
value(const struct finding_list *list, const struct draw_row *row, enum finding_column column)
{
    const double number = csv_value(&list->draws->table, row->row, list->columns[column]);
    return isfinite(number) ? number : 0;
}

static void
add(struct finding_list *list, const struct draw_row *row, double cycles)
{
    if (cycles > 0)
        VEC_PUSH(&list->found, ((struct finding_draw){row, cycles, false}));
}

/* Cycles that a draw saves if a share of its fragments is not shaded. Those attributed to shading,
 * texturing and writing shrink. Latencies do not: a draw of few fragments has them too. Each shader
 * unit runs whole groups, so the rounds of groups shrink, not the fragments. */
static double
saved_shading(const struct finding_list *list, const struct draw_row *row, double share)
{
    static const enum finding_column causes[] = {
        COLUMN_interpolate, COLUMN_fragment_issue, COLUMN_lookup,
        COLUMN_fill,        COLUMN_filter,         COLUMN_blend,
        COLUMN_blend_lines, COLUMN_bandwidth,      COLUMN_bandwidth_color};
    const double rest =
        fmax(value(list, row, COLUMN_bound_geometry),
             fmax(value(list, row, COLUMN_bound_raster), value(list, row, COLUMN_bound_z)));
    const double groups = value(list, row, COLUMN_groups) / list->shaders;
    double cycles = 0;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        cycles += value(list, row, causes[i]);
    cycles = fmin(cycles, row->cost.cycles - rest);
    return groups > 0 ? cycles * (1 - ceil(groups * (1 - share)) / ceil(groups)) : 0;
}

static bool
has_word(const char *text, const char *word)
{
    return strstr(text, word) != NULL;
}

/* Whether fragments that a later draw hides need not have been shaded. */
static bool
can_be_hidden(const struct finding_list *list, const struct draw_row *row)
{
    return (has_word(row->state, "depth less") || has_word(row->state, "depth lequal")) &&
           !has_word(row->state, "no write") && !has_word(row->state, "blend ") &&
           !has_word(row->state, "stencil") && value(list, row, COLUMN_late) == 0;
}

/* A draw that can be hidden. */
struct front {
    const struct draw_row *row;
    double fragments, left; /* in front after the draw, and still */
};

struct fronts {
    VEC(struct front) items;
};

static void
end_fronts(struct finding_list *list, struct fronts *fronts)
{
    for (size_t i = 0; i < fronts->items.count; i++) {
        const struct front *front = &fronts->items.items[i];
        add(list, front->row, saved_shading(list, front->row, 1 - front->left / front->fragments));
    }
    fronts->items.count = 0;
}

static bool
same_target(const struct front *front, const struct draw_row *row)
{
    return front->left > 0 && !strcmp(front->row->target, row->target);
}

/* Hides fragments of earlier draws, in proportion to those that are still in front. */
static void
hide(struct fronts *fronts, const struct draw_row *row, double covering)
{
    double in_front = 0;
    for (size_t i = 0; i < fronts->items.count; i++)
        if (same_target(&fronts->items.items[i], row))
            in_front += fronts->items.items[i].left;
    for (size_t i = 0; i < fronts->items.count && in_front > 0; i++) {
        struct front *front = &fronts->items.items[i];
        if (same_target(front, row))
            front->left -= front->left * fmin(covering / in_front, 1);
    }
}

/* Fragments of earlier draws that the draw would hide if it came first. In exchange, its fragments
 * that other draws hide now would be shaded. Draws that overlap in depth gain nothing. */
static double
net_covering(const struct finding_list *list, const struct draw_row *row)
{
    return fmax(value(list, row, COLUMN_covering) - value(list, row, COLUMN_failed_behind) -
                    value(list, row, COLUMN_culled_behind),
                0);
}

/* Draws that are not opaque keep their place, so sorting does not move a draw past them. */
void
find_back_to_front(struct finding_list *list)
{
    struct fronts fronts = {0};
    for (size_t r = 0; r < list->draws->rows.count; r++) {
        const struct draw_row *row = &list->draws->rows.items[r];
        const double covering = net_covering(list, row);
        const double visible =
            value(list, row, COLUMN_passed) - value(list, row, COLUMN_covering_own);
        const bool is_opaque = row->is_draw && can_be_hidden(list, row);
        if ((row->is_draw && !is_opaque) || !strcmp(row->work, "clear") ||
            !strcmp(row->work, "swap"))
            end_fronts(list, &fronts);
        if (covering > 0)
            hide(&fronts, row, covering);
        if (is_opaque && visible > 0)
            VEC_PUSH(&fronts.items, ((struct front){row, visible, visible}));
    }
    end_fronts(list, &fronts);
    VEC_FREE(&fronts.items);
}

bool
finding_has_alpha_test(const struct draw_row *row)
{
    return has_word(row->state, "alpha_test");
}

/* Whether the program could avoid the late test. It needs an alpha test that discards fragments. */
static bool
needs_no_late_test(const struct finding_list *list, const struct draw_row *row)
{
    return !finding_has_alpha_test(row) || value(list, row, COLUMN_killed) == 0;
}

void
find_late_z(struct finding_list *list)
{
    for (size_t r = 0; r < list->draws->rows.count; r++) {
        const struct draw_row *row = &list->draws->rows.items[r];
        const double tested = value(list, row, COLUMN_tested);
        if (row->is_draw && tested > 0 && value(list, row, COLUMN_late) > 0 &&
            needs_no_late_test(list, row))
            add(list, row, saved_shading(list, row, value(list, row, COLUMN_failed) / tested));
    }
}

/* Whether a copy writes the texture. A driver can neither compress it nor keep its mipmaps. */
static bool
is_copied_to(const struct finding_list *list, uint32_t number)
{
    for (size_t r = 0; r < list->draws->rows.count; r++) {
        const struct draw_row *row = &list->draws->rows.items[r];
        unsigned written;
        if (!strcmp(row->work, "blit") && sscanf(row->target, "#%u", &written) == 1 &&
            written == number)
            return true;
    }
    return false;
}

/* Cycles of a draw that are attributed to the rates of units other than the texture units, and to
 * memory for other clients. They overlap with the work of all units. */
static double
other_rates(const struct finding_list *list, const struct draw_row *row)
{
    static const enum finding_column causes[] = {
        COLUMN_interpolate, COLUMN_fragment_issue, COLUMN_blend, COLUMN_bandwidth_color,
        COLUMN_bandwidth_z, COLUMN_turns,          COLUMN_rows};
    double cycles = 0;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        cycles += value(list, row, causes[i]);
    return cycles;
}

/* Cycles that a draw saves if only a `part` of the cycles of its reads of textures is left. At
 * best, the work of the other units still overlaps with the reads. At worst, it follows. The
 * expected time is the mean of both. */
static double
saved_reads(const struct finding_list *list, const struct draw_row *row, double reads, double part)
{
    static const enum finding_column bounds[] = {COLUMN_bound_geometry, COLUMN_bound_raster,
                                                 COLUMN_bound_shader, COLUMN_bound_rop};
    const double rates = other_rates(list, row), left = reads * part;
    double other = rates;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        other = fmax(other, value(list, row, bounds[i]));
    return reads + rates - (fmax(rates + left, other) + left + other) / 2;
}

/* Whether uploads in the middle of frames take so many cycles that they are a finding. A program
 * that changes a texture while it draws can neither compress it nor make its mipmaps in advance. */
static bool
streams_textures(const struct finding_list *list)
{
    struct finding_list uploads = *list;
    double cycles = 0;
    memset(&uploads.found, 0, sizeof uploads.found);
    find_uploads(&uploads);
    for (size_t i = 0; i < uploads.found.count; i++)
        cycles += uploads.found.items[i].cycles;
    VEC_FREE(&uploads.found);
    return cycles >= FINDING_LEAST * list->draws->total.cycles && cycles > 0;
}

/* Whether all these textures of a draw can be changed in advance: no upload of the frame, and no
 * copy, has written them. */
static bool
can_change_textures(const struct finding_list *list, const struct draw_row *row,
                    const char *textures, bool (*can_change)(const struct format_info *format))
{
    const struct format_info *format;
    const char *at = textures;
    uint32_t number = 0;
    if (value(list, row, COLUMN_textures_uploaded) > 0)
        return false;
    while (finding_next_texture(&at, &number, &format))
        if (!format || !can_change(format) || is_copied_to(list, number))
            return false;
    return *textures;
}

static bool
can_have_mipmaps(const struct format_info *format)
{
    return format->pack || s3tc_texels_of(format);
}

/* With mipmaps, a quad reads the texels of its level and a quarter as many of the next. Its misses
 * become as rare. The misses of other textures remain. */
void
find_mipmaps(struct finding_list *list)
{
    if (streams_textures(list))
        return;
    for (size_t r = 0; r < list->draws->rows.count; r++) {
        const struct draw_row *row = &list->draws->rows.items[r];
        const double quads = value(list, row, COLUMN_reduced);
        const double misses = value(list, row, COLUMN_misses);
        if (!(quads > 0) || !(misses > 0) ||
            !can_change_textures(list, row, row->single_level, can_have_mipmaps))
            continue;
        const double part = fmin(1.25 * pow(0.25, value(list, row, COLUMN_levels) / quads), 1);
        const double reads = value(list, row, COLUMN_bandwidth) + value(list, row, COLUMN_latency) +
                             value(list, row, COLUMN_fill);
        add(list, row,
            saved_reads(list, row, reads,
                        1 - (1 - part) * value(list, row, COLUMN_misses_reduced) / misses));
    }
}

static bool
can_be_compressed(const struct format_info *format)
{
    return s3tc_format_for(format) != NULL;
}

/* The largest ratio of compressed to uncompressed size among the draw's textures. */
static double
compressed_part(const struct draw_row *row)
{
    const struct format_info *format;
    const char *at = row->textures;
    uint32_t number = 0;
    double part = 0;
    while (finding_next_texture(&at, &number, &format))
        part = fmax(part, s3tc_format_for(format)->block_bytes / (16.0 * format->block_bytes));
    return part;
}

/* Misses of a compressed texture take less bandwidth, but are not rarer. A texture that is much
 * larger than drawn is left out: its reads skip texels, and mipmaps save more. The table does not
 * state which textures of a draw are uncompressed, so all of them must be. */
void
find_uncompressed(struct finding_list *list)
{
    if (streams_textures(list))
        return;
    for (size_t r = 0; r < list->draws->rows.count; r++) {
        const struct draw_row *row = &list->draws->rows.items[r];
        const double quads = value(list, row, COLUMN_compressible);
        if (value(list, row, COLUMN_reduced) == 0 && quads > 0 &&
            (!strchr(row->textures, ';') || quads >= value(list, row, COLUMN_quads)) &&
            can_change_textures(list, row, row->textures, can_be_compressed))
            add(list, row,
                saved_reads(list, row, value(list, row, COLUMN_bandwidth), compressed_part(row)));
    }
}

/* Time for two amounts of work: the mean of that with overlap and that without. */
static double
overlapped(double a, double b)
{
    return (fmax(a, b) + a + b) / 2;
}

/* Share of the lanes of all shader units that a draw's thread groups fill. At best, a larger draw
 * fills all lanes. At worst, its groups are no fuller, because its vertices arrive too slowly. */
static double
filled_lanes(const struct finding_list *list, const struct draw_row *row)
{
    const double slots = value(list, row, COLUMN_lane_slots);
    return slots > 0 ? 1 - value(list, row, COLUMN_lanes_empty) / slots : 1;
}

/* Cycles in which a shader unit loads the draw. The other cycles attributed to loading are
 * latency. */
static double
load_of(const struct finding_list *list, const struct draw_row *row)
{
    const double vertices = list->vertex_shaders ? 0 : value(list, row, COLUMN_shaded);
    return fmin(value(list, row, COLUMN_load),
                (4 * value(list, row, COLUMN_loaded) + vertices) / list->load_rate);
}

/* Cycles in which the shader units would load and run groups if the draw were part of a larger draw
 * whose groups run on all shader units. */
static double
issue_merged(const struct finding_list *list, const struct draw_row *row)
{
    const double rounds = value(list, row, COLUMN_groups) / list->shaders;
    const double busy = rounds > 0 ? rounds / ceil(rounds) : 1;
    return filled_lanes(list, row) * busy *
           (load_of(list, row) + value(list, row, COLUMN_fragment_issue));
}

/* Minimum cycles of triangle setup. */
static double
bound_of_setup(const struct finding_list *list, const struct draw_row *row)
{
    return list->setup_cycles *
           (value(list, row, COLUMN_set_up) + value(list, row, COLUMN_set_up_extra));
}

/* Cycles to transfer the draw's constants as a row of a table. */
static double
transfer_of_table(const struct finding_list *list, const struct draw_row *row)
{
    const bool has_row = value(list, row, COLUMN_merges) == MERGES_CONSTANTS;
    return has_row ? value(list, row, COLUMN_bound_transfers) : 0;
}

/* Cycles that the draw would take as a part of a larger draw: those of its limiting unit. Cycles
 * attributed to shading and texturing remain if they exceed the minimum, because the units are not
 * perfectly balanced. Minimum cycles of the shader units: the mean of full and equally full groups.
 * A table of constants is sent before the larger draw begins. `indices`: those of the larger draw,
 * relative to those now. */
static double
cycles_merged(const struct finding_list *list, const struct draw_row *row, double indices)
{
    static const enum finding_column bounds[] = {COLUMN_bound_geometry, COLUMN_bound_raster,
                                                 COLUMN_bound_texture, COLUMN_bound_rop,
                                                 COLUMN_bound_memory};
    static const enum finding_column causes[] = {
        COLUMN_lookup,    COLUMN_fill,    COLUMN_filter,          COLUMN_address,
        COLUMN_bandwidth, COLUMN_latency, COLUMN_bandwidth_color, COLUMN_bandwidth_z};
    double most = (1 + filled_lanes(list, row)) / 2 * value(list, row, COLUMN_bound_shader);
    double reads = 0;
    most = fmax(most, bound_of_setup(list, row));
    most = fmax(most, indices * value(list, row, COLUMN_indices) / list->index_rate);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        most = fmax(most, value(list, row, bounds[i]));
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        reads += value(list, row, causes[i]);
    most = fmax(most, overlapped(issue_merged(list, row), reads));
    return most + transfer_of_table(list, row);
}

/* Cycles in which a draw waits for results of instructions, or for its first triangles and
 * fragments to pass the units. This includes cycles in which other shader units are idle. More
 * threads hide them. */
static double
small_latency(const struct finding_list *list, const struct draw_row *row)
{
    static const enum finding_column causes[] = {
        COLUMN_streamer,        COLUMN_assembly,           COLUMN_clip,
        COLUMN_gather,          COLUMN_vertex_issue,       COLUMN_result,
        COLUMN_transit,         COLUMN_latency_index,      COLUMN_latency_attribute,
        COLUMN_bandwidth_index, COLUMN_bandwidth_attribute};
    double cycles = value(list, row, COLUMN_load) + value(list, row, COLUMN_fragment_issue) -
                    issue_merged(list, row);
    cycles += fmax(value(list, row, COLUMN_setup) - bound_of_setup(list, row), 0);
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        cycles += value(list, row, causes[i]);
    return cycles;
}

static bool
is_part(const struct finding_list *list, const struct draw_row *row)
{
    return row->is_draw && value(list, row, COLUMN_merges) > 0;
}

/* PRIM_COUNT: unknown. */
static enum primitive
primitive_of(const struct draw_row *row)
{
    uint32_t mode = 0;
    while (mode < PRIM_COUNT && strcmp(row->primitive, primitive_names[mode]) != 0)
        mode++;
    return mode;
}

/* Indices of one draw for rows [first, end), relative to those now. */
static double
indices_merged(const struct finding_list *list, size_t first, size_t end)
{
    const struct draw_row *rows = list->draws->rows.items;
    uint64_t indices[FORM_COUNT] = {0};
    enum primitive kind = PRIM_COUNT;
    double now = 0;
    for (size_t r = first; r < end; r++) {
        const enum primitive mode = primitive_of(&rows[r]);
        if (mode == PRIM_COUNT)
            continue;
        kind = kind == PRIM_COUNT ? mode : kind;
        draw_form_add(indices, kind, mode, (uint32_t)strtoul(rows[r].vertices, NULL, 10));
        now += value(list, &rows[r], COLUMN_indices);
    }
    return now > 0 ? (double)indices[draw_form_best(indices)] / now : 1;
}

/* Adds the parts among rows [first, end) if a larger draw saves at least half of their time, and at
 * least half of the saving is latency that only small draws have. */
static void
add_parts(struct finding_list *list, size_t first, size_t end)
{
    const struct draw_row *rows = list->draws->rows.items;
    const double indices = indices_merged(list, first, end);
    double cycles = 0, saved = 0, latency = 0, parts = 0, table = 0;
    for (size_t r = first; r < end; r++) {
        if (!is_part(list, &rows[r]))
            continue;
        cycles += rows[r].cost.cycles;
        saved += fmax(rows[r].cost.cycles - cycles_merged(list, &rows[r], indices), 0);
        latency += small_latency(list, &rows[r]);
        table += transfer_of_table(list, &rows[r]);
        parts++;
    }
    /* The table also has a row for the first draw. */
    const double row_each = parts > 0 ? table / (parts * parts) : 0;
    for (size_t r = first; r < end && saved >= cycles / 2 && latency >= saved / 2; r++)
        if (is_part(list, &rows[r]))
            add(list, &rows[r],
                rows[r].cost.cycles - cycles_merged(list, &rows[r], indices) - row_each);
}

/* A merged draw has the latencies of its parts only once. */
void
find_tiny_draws(struct finding_list *list)
{
    const size_t count = list->draws->rows.count;
    size_t first = 0;
    for (size_t r = 0; r < count; r++) {
        const struct draw_row *row = &list->draws->rows.items[r];
        if (!row->is_draw || value(list, row, COLUMN_merges) > 0)
            continue;
        add_parts(list, first, r);
        first = r;
    }
    add_parts(list, first, count);
}

/* Cycles of a row, and of the flush before it that it causes. */
static double
with_flush(const struct finding_list *list, size_t r)
{
    const struct draw_row *rows = list->draws->rows.items;
    const bool flushes =
        r > 0 && !strcmp(rows[r - 1].work, "flush") && rows[r - 1].frame == rows[r].frame;
    return rows[r].cost.cycles + (flushes ? rows[r - 1].cost.cycles : 0);
}

/* Whether draws of the same frame follow row `r`. Rows are visited backwards; `follow` keeps the
 * answer between rows. */
static bool
draws_follow(const struct finding_list *list, size_t r, bool *follow)
{
    const struct draw_row *rows = list->draws->rows.items;
    if (r + 1 < list->draws->rows.count && rows[r + 1].frame != rows[r].frame)
        *follow = false;
    *follow |= rows[r].is_draw;
    return *follow;
}

/* A readback and the flush before it wait for all earlier draws. A later draw of the frame waits
 * for both. */
void
find_readbacks(struct finding_list *list)
{
    bool follow = false;
    for (size_t r = list->draws->rows.count; r-- > 0;) {
        const struct draw_row *row = &list->draws->rows.items[r];
        if (draws_follow(list, r, &follow) && !strcmp(row->work, "readback"))
            add(list, row, with_flush(list, r));
    }
}

/* Share of the shaded vertices that remains in the best order. In a regular mesh, triangles in
 * bands use each vertex twice in the cache, and only vertices between two bands are shaded twice.
 * The two rows of a band fill the cache. */
static double
remaining_vertices(const struct finding_list *list, const struct draw_row *row)
{
    const double shaded = value(list, row, COLUMN_shaded);
    const double different = shaded - value(list, row, COLUMN_repeated);
    const double band = fmax(list->vertex_cache / 2.0 - 1, 1);
    return shaded > 0 ? fmin(different * (1 + 1 / band) / shaded, 1) : 1;
}

/* Minimum cycles of the units whose work does not change with the order. */
static double
bound_of_others(const struct finding_list *list, const struct draw_row *row)
{
    return fmax(
        fmax(value(list, row, COLUMN_bound_geometry), value(list, row, COLUMN_bound_raster)),
        fmax(value(list, row, COLUMN_bound_texture), value(list, row, COLUMN_bound_rop)));
}

/* Minimum cycles of the shader units and of memory, if only parts of the vertices and of the memory
 * traffic remain. */
static double
bound_of_vertices(const struct finding_list *list, const struct draw_row *row, double vertices,
                  double memory)
{
    const double instructions = value(list, row, COLUMN_instructions);
    const double share =
        instructions > 0 ? value(list, row, COLUMN_vertex_instructions) / instructions : 0;
    const double issue = value(list, row, COLUMN_issue_cycles);
    const double traffic = memory * value(list, row, COLUMN_bound_memory);
    if (!list->vertex_shaders)
        return fmax(traffic, issue * (1 - share + share * vertices) / list->shaders);
    return fmax(traffic, fmax(issue * share * vertices / list->vertex_shaders,
                              issue * (1 - share) / list->shaders));
}

/* Share of the cycles of vertices that remains with a share of the vertices. A unit with few thread
 * groups gets partial groups. The fewer vertices, the more indices each needs, of which only so
 * many are in flight. Groups therefore do not become larger. */
static double
remaining_issue(const struct finding_list *list, const struct draw_row *row, double vertices)
{
    const double groups = value(list, row, COLUMN_vertex_groups);
    const double shaded = value(list, row, COLUMN_shaded);
    const double indices = value(list, row, COLUMN_indices);
    if (!(groups > 0 && shaded > 0 && indices > 0))
        return vertices;
    const double before = shaded / groups, rounds = groups / list->vertex_units;
    const double window = list->vertex_window * vertices * shaded / indices;
    const double after = fmax(fmin(fmin(window, before), list->vertex_lanes), 1);
    const double remaining = fmin(vertices * before / after, 1);
    return ceil(remaining * rounds) / ceil(rounds);
}

/* In the best case, the draw becomes faster in proportion to its limiting unit. In the worst case,
 * only the cycles attributed to vertices and to memory shrink. Those of vertices shrink in
 * proportion to the vertex groups, those of memory in proportion to the traffic. The expected
 * saving is the mean of both cases. */
static double
saved_vertices(const struct finding_list *list, const struct draw_row *row)
{
    static const enum finding_column causes[] = {COLUMN_bandwidth_attribute,
                                                 COLUMN_latency_attribute,
                                                 COLUMN_bandwidth_index,
                                                 COLUMN_latency_index,
                                                 COLUMN_bandwidth,
                                                 COLUMN_latency,
                                                 COLUMN_bandwidth_color,
                                                 COLUMN_latency_color,
                                                 COLUMN_bandwidth_z,
                                                 COLUMN_latency_z,
                                                 COLUMN_turns,
                                                 COLUMN_rows};
    const double vertices = remaining_vertices(list, row);
    const double issue = remaining_issue(list, row, vertices);
    const double bytes =
        value(list, row, COLUMN_bytes_read) + value(list, row, COLUMN_bytes_written);
    const double fetched = bytes > 0 ? value(list, row, COLUMN_attribute_bytes) / bytes : 0;
    const double memory = 1 - fetched * (1 - vertices);
    const double others = bound_of_others(list, row);
    const double before = overlapped(bound_of_vertices(list, row, 1, 1), others);
    const double after = overlapped(bound_of_vertices(list, row, issue, memory), others);
    double waits = 0;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        waits += value(list, row, causes[i]);
    const double worst =
        (1 - memory) * waits +
        (1 - issue) * (value(list, row, COLUMN_vertex_issue) + value(list, row, COLUMN_streamer));
    const double best = before > 0 ? row->cost.cycles * (1 - after / before) : 0;
    const double most = fmax(row->cost.cycles - after, 0);
    return (fmin(worst, most) + fmin(best, most)) / 2;
}

void
find_index_order(struct finding_list *list)
{
    for (size_t r = 0; r < list->draws->rows.count; r++) {
        const struct draw_row *row = &list->draws->rows.items[r];
        if (row->is_draw && value(list, row, COLUMN_repeated) > 0)
            add(list, row, saved_vertices(list, row));
    }
}

/* A row of clears states how many of the draws before it are erased. */
void
find_erased_draws(struct finding_list *list)
{
    const struct draw_row *rows = list->draws->rows.items;
    for (size_t r = 0; r < list->draws->rows.count; r++) {
        double left = value(list, &rows[r], COLUMN_erases);
        for (size_t d = r; d-- > 0 && left > 0 && rows[d].frame == rows[r].frame;)
            if (rows[d].is_draw) {
                add(list, &rows[d], rows[d].cost.cycles);
                left--;
            }
    }
}

/* An upload owns a cycle only if no draw is in progress. */
void
find_uploads(struct finding_list *list)
{
    bool follow = false;
    for (size_t r = list->draws->rows.count; r-- > 0;) {
        const struct draw_row *row = &list->draws->rows.items[r];
        if (draws_follow(list, r, &follow) && row->draw > 0 && !strcmp(row->work, "upload"))
            add(list, row, row->cost.cycles);
    }
}

/* The transactions of an upload are transferred one after another on a bus of constant width. */
void
find_repeated_uploads(struct finding_list *list)
{
    for (size_t r = 0; r < list->draws->rows.count; r++) {
        const struct draw_row *row = &list->draws->rows.items[r];
        const double transactions = value(list, row, COLUMN_transactions);
        if (!strcmp(row->work, "upload") && transactions > 0)
            add(list, row,
                row->cost.cycles * value(list, row, COLUMN_transactions_repeated) / transactions);
    }
}

/* Cycles of a row, except those attributed to waits for memory. */
static double
without_waits(const struct finding_list *list, const struct draw_row *row)
{
    static const enum finding_column waits[] = {COLUMN_bandwidth_z, COLUMN_bandwidth_color,
                                                COLUMN_latency_z,   COLUMN_latency_color,
                                                COLUMN_turns,       COLUMN_rows};
    double cycles = row->cost.cycles;
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        cycles -= value(list, row, waits[i]);
    return cycles;
}

/* A clear shows that the one before the last draws is unneeded. */
static void
add_unneeded(struct finding_list *list, size_t r)
{
    const struct draw_row *rows = list->draws->rows.items;
    size_t before = r;
    while (before-- > 0 && rows[before].frame == rows[r].frame &&
           strcmp(rows[before].work, "clear") != 0)
        ;
    if (before >= r || rows[before].frame != rows[r].frame ||
        value(list, &rows[before], COLUMN_clears) != 1)
        return;
    const double cycles = without_waits(list, &rows[before]);
    if (cycles > 0)
        VEC_PUSH(&list->found, ((struct finding_draw){&rows[before], cycles, true}));
}

/* Apart from memory waits, clears of the same buffers take the same time. The first clear reads
 * what draws have written; the others read cleared blocks, which are compressed. */
void
find_repeated_clears(struct finding_list *list)
{
    for (size_t r = 0; r < list->draws->rows.count; r++) {
        const struct draw_row *row = &list->draws->rows.items[r];
        const double clears = value(list, row, COLUMN_clears);
        if (strcmp(row->work, "clear") != 0 || !(clears > 0))
            continue;
        add(list, row,
            without_waits(list, row) * value(list, row, COLUMN_clears_repeated) / clears);
        if (value(list, row, COLUMN_clears_unneeded) > 0)
            add_unneeded(list, r);
    }
}

/* A row whose copies are all repeated also saves the flush that they cause. */
void
find_repeated_copies(struct finding_list *list)
{
    for (size_t r = 0; r < list->draws->rows.count; r++) {
        const struct draw_row *row = &list->draws->rows.items[r];
        const double copies = value(list, row, COLUMN_copies);
        const double repeated = value(list, row, COLUMN_copies_repeated);
        if (strcmp(row->work, "blit") != 0 || !(copies > 0))
            continue;
        add(list, row,
            repeated < copies ? row->cost.cycles * repeated / copies : with_flush(list, r));
    }
}

/* Whether a row reads the resource "#N". Work of unknown resources may read it. */
static bool
may_read(const struct draw_row *row, const char *resource)
{
    const size_t length = strlen(resource);
    if (!strcmp(row->work, "readback") || !strcmp(row->work, "swap") ||
        (!strcmp(row->work, "blit") && !*row->target))
        return true;
    for (const char *at = row->textures; (at = strstr(at, resource)); at += length)
        if (at[length] < '0' || at[length] > '9')
            return true;
    return false;
}

/* Whether a later copy of the frame writes the same box before anything reads the resource. */
static bool
is_unused(const struct finding_list *list, size_t r)
{
    const struct draw_row *copy = &list->draws->rows.items[r];
    char resource[16];
    snprintf(resource, sizeof resource, "%.*s", (int)strcspn(copy->target, " "), copy->target);
    for (size_t later = r + 1; later < list->draws->rows.count; later++) {
        const struct draw_row *row = &list->draws->rows.items[later];
        if (row->frame != copy->frame || may_read(row, resource))
            return false;
        if (!strcmp(row->work, "blit") && !strcmp(row->target, copy->target))
            return true;
    }
    return false;
}

void
find_unused_copies(struct finding_list *list)
{
    for (size_t r = 0; r < list->draws->rows.count; r++) {
        const struct draw_row *row = &list->draws->rows.items[r];
        if (!strcmp(row->work, "blit") && *row->target && is_unused(list, r))
            add(list, row, with_flush(list, r));
    }
}
