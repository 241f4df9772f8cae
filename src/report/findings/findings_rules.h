/* The rules of the findings: each adds the draws that save cycles to a list. */
#ifndef AETIUS_REPORT_FINDINGS_RULES_H
#define AETIUS_REPORT_FINDINGS_RULES_H

#include "report/findings/findings.h"
#include "state/format.h"

/* Columns of the table of draws that the rules read. */
#define FINDING_COLUMNS(X)                                                                         \
    X(covering, "zstencil.fragments_covering")                                                     \
    X(covering_own, "zstencil.fragments_covering_own")                                             \
    X(passed, "zstencil.fragments_out")                                                            \
    X(tested, "zstencil.fragments_in")                                                             \
    X(culled_behind, "hz.fragments_behind")                                                        \
    X(failed_behind, "zstencil.fragments_behind")                                                  \
    X(failed, "zstencil.fragments_z_failed")                                                       \
    X(groups, "shader.fragment_groups")                                                            \
    X(lane_slots, "shader.lane_slots")                                                             \
    X(lanes_empty, "shader.lanes_empty")                                                           \
    X(merges, "merges")                                                                            \
    X(late, "late_quads.items_in")                                                                 \
    X(killed, "shader.fragments_killed")                                                           \
    X(quads, "texunit.quads")                                                                      \
    X(reduced, "texunit.quads_reduced")                                                            \
    X(levels, "texunit.levels_missing")                                                            \
    X(misses, "texunit.cache_misses")                                                              \
    X(misses_reduced, "texunit.misses_reduced")                                                    \
    X(compressible, "texunit.quads_compressible")                                                  \
    X(bandwidth, "lost.bandwidth_texture")                                                         \
    X(latency, "lost.latency_texture")                                                             \
    X(streamer, "lost.streamer")                                                                   \
    X(assembly, "lost.assembly")                                                                   \
    X(clip, "lost.clip")                                                                           \
    X(setup, "lost.setup")                                                                         \
    X(set_up, "setup.primitives_in")                                                               \
    X(set_up_extra, "setup.extra_triangles")                                                       \
    X(gather, "lost.gather")                                                                       \
    X(load, "lost.load")                                                                           \
    X(loaded, "sched.quads")                                                                       \
    X(result, "lost.result")                                                                       \
    X(vertex_issue, "lost.vertex_issue")                                                           \
    X(transit, "lost.transit")                                                                     \
    X(latency_index, "lost.latency_index")                                                         \
    X(latency_attribute, "lost.latency_attribute")                                                 \
    X(bandwidth_index, "lost.bandwidth_index")                                                     \
    X(bandwidth_attribute, "lost.bandwidth_attribute")                                             \
    X(address, "lost.address")                                                                     \
    X(bandwidth_z, "lost.bandwidth_z")                                                             \
    X(bandwidth_color, "lost.bandwidth_color")                                                     \
    X(interpolate, "lost.interpolate")                                                             \
    X(fragment_issue, "lost.fragment_issue")                                                       \
    X(lookup, "lost.lookup")                                                                       \
    X(fill, "lost.fill")                                                                           \
    X(filter, "lost.filter")                                                                       \
    X(blend, "lost.blend")                                                                         \
    X(blend_lines, "lost.blend_lines")                                                             \
    X(shaded, "streamer.vertices_shaded")                                                          \
    X(repeated, "streamer.vertices_repeated")                                                      \
    X(textures_uploaded, "textures_uploaded")                                                      \
    X(transactions, "cmdproc.transactions")                                                        \
    X(transactions_repeated, "transactions_repeated")                                              \
    X(clears, "cmdproc.clears")                                                                    \
    X(clears_unneeded, "clears_unneeded")                                                          \
    X(clears_repeated, "clears_repeated")                                                          \
    X(copies, "cmdproc.blits")                                                                     \
    X(copies_repeated, "copies_repeated")                                                          \
    X(erases, "erases")                                                                            \
    X(vertex_instructions, "shader.vertex_instructions")                                           \
    X(instructions, "shader.instructions")                                                         \
    X(issue_cycles, "shader.issue_cycles")                                                         \
    X(attribute_bytes, "memctl.attribute_bytes_read")                                              \
    X(bytes_read, "memctl.bytes_read")                                                             \
    X(bytes_written, "memctl.bytes_written")                                                       \
    X(turns, "lost.turns")                                                                         \
    X(rows, "lost.rows")                                                                           \
    X(latency_z, "lost.latency_z")                                                                 \
    X(latency_color, "lost.latency_color")                                                         \
    X(indices, "streamer.indices")                                                                 \
    X(vertex_groups, "shader.vertex_groups")                                                       \
    X(bound_transfers, "bound_transfers")                                                          \
    X(bound_geometry, "bound_geometry")                                                            \
    X(bound_raster, "bound_raster")                                                                \
    X(bound_shader, "bound_shader")                                                                \
    X(bound_texture, "bound_texture")                                                              \
    X(bound_z, "bound_z")                                                                          \
    X(bound_rop, "bound_rop")                                                                      \
    X(bound_memory, "bound_memory")

enum finding_column {
#define FINDING_COLUMN(name, column) COLUMN_##name,
    FINDING_COLUMNS(FINDING_COLUMN)
#undef FINDING_COLUMN
        FINDING_COLUMN_COUNT
};

struct finding_list {
    const struct draws *draws;
    uint32_t shaders;        /* units that shade fragments */
    uint32_t vertex_shaders; /* units that shade only vertices; 0: `shaders` also do */
    uint32_t vertex_lanes;   /* vertices of a thread group */
    uint32_t vertex_units;   /* units that shade vertices */
    uint32_t index_rate;     /* indices per cycle */
    double setup_cycles;     /* per triangle */
    uint32_t load_rate;      /* fragments or vertices that a shader unit loads per cycle */
    double vertex_window;    /* indices in flight per thread group that the units wait for */
    uint32_t vertex_cache;   /* shaded vertices kept for reuse */
    int32_t columns[FINDING_COLUMN_COUNT];
    VEC(struct finding_draw) found;
};

void finding_list_init(struct finding_list *list, const struct draws *draws,
                       const struct params *params);

#define FINDING(name, what, advice) void find_##name(struct finding_list *list);
#include "findings.def"

bool finding_has_alpha_test(const struct draw_row *row);

/* Number and format of the next texture in draw_row.textures. The format is NULL if the text names
 * none. Returns false at the end. */
bool finding_next_texture(const char **at, uint32_t *number, const struct format_info **format);

#endif
