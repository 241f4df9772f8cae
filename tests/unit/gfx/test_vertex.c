/* Primitive assembly compared with the figures of the OpenGL 2.1 specification (2.6.1) and its
 * provoking vertices (2.14.7 and ARB_provoking_vertex). Further tests cover the bounds of fetches.
 */
#include "rigs/gfx_support.h"

struct expected {
    uint8_t mode;
    bool first;
    uint32_t vertices, primitives;
    /* "abc.b" per primitive: first the vertices in winding order, then the provoking vertex */
    const char *text;
};

/* The vertices of a triangle may be rotated. Only the winding and the provoking vertex matter. */
static const struct expected table[] = {
    {PRIM_POINTS, false, 3, 3, "0.0 1.1 2.2"},
    {PRIM_LINES, false, 5, 2, "01.1 23.3"},
    {PRIM_LINES, true, 4, 2, "01.0 23.2"},
    {PRIM_LINE_STRIP, false, 4, 3, "01.1 12.2 23.3"},
    {PRIM_LINE_STRIP, true, 4, 3, "01.0 12.1 23.2"},
    {PRIM_LINE_LOOP, false, 3, 3, "01.1 12.2 20.0"},
    {PRIM_LINE_LOOP, true, 3, 3, "01.0 12.1 20.2"},
    {PRIM_LINE_LOOP, false, 1, 0, ""},
    {PRIM_TRIANGLES, false, 7, 2, "012.2 345.5"},
    {PRIM_TRIANGLES, true, 6, 2, "012.0 345.3"},
    {PRIM_TRIANGLE_STRIP, false, 5, 3, "012.2 213.3 234.4"},
    {PRIM_TRIANGLE_STRIP, true, 5, 3, "012.0 132.1 234.2"},
    {PRIM_TRIANGLE_FAN, false, 5, 3, "012.2 023.3 034.4"},
    {PRIM_TRIANGLE_FAN, true, 5, 3, "120.1 230.2 340.3"},
    {PRIM_POLYGON, false, 5, 3, "012.0 023.0 034.0"},
    {PRIM_POLYGON, true, 5, 3, "012.0 023.0 034.0"},
    {PRIM_POLYGON, false, 2, 0, ""},
    {PRIM_QUADS, false, 9, 4, "013.3 123.3 457.7 567.7"},
    {PRIM_QUADS, true, 4, 2, "012.0 023.0"},
    {PRIM_QUAD_STRIP, false, 6, 4, "013.3 032.3 235.5 254.5"},
    {PRIM_QUAD_STRIP, true, 6, 4, "013.0 032.0 235.2 254.2"},
    {PRIM_LINES_ADJACENCY, false, 9, 2, "12.2 56.6"},
    {PRIM_LINES_ADJACENCY, true, 8, 2, "12.1 56.5"},
    {PRIM_LINE_STRIP_ADJACENCY, false, 6, 3, "12.2 23.3 34.4"},
    {PRIM_LINE_STRIP_ADJACENCY, false, 3, 0, ""},
    {PRIM_TRIANGLES_ADJACENCY, false, 11, 1, "024.4"},
    {PRIM_TRIANGLES_ADJACENCY, true, 6, 1, "024.0"},
    {PRIM_TRIANGLE_STRIP_ADJACENCY, false, 10, 3, "024.4 426.6 468.8"},
    {PRIM_TRIANGLE_STRIP_ADJACENCY, true, 10, 3, "024.0 264.2 468.4"},
    {PRIM_TRIANGLE_STRIP_ADJACENCY, false, 5, 0, ""},
};

/* Inputs of a geometry program, in the order of its input: lines are adjacent, first, second,
 * adjacent; triangles alternate (GLSL 1.50, 4.3.8.1; OpenGL 3.2, table 2.4, whose numbers are one
 * higher). */
static const struct {
    uint8_t mode;
    uint32_t vertices, primitives;
    const char *inputs;
} adjacent_table[] = {
    {PRIM_LINES_ADJACENCY, 8, 2, "0123 4567"},
    {PRIM_LINE_STRIP_ADJACENCY, 6, 3, "0123 1234 2345"},
    {PRIM_TRIANGLES_ADJACENCY, 6, 1, "012345"},
    {PRIM_TRIANGLE_STRIP_ADJACENCY, 6, 1, "012543"},
    {PRIM_TRIANGLE_STRIP_ADJACENCY, 7, 1, "012543"},
    {PRIM_TRIANGLE_STRIP_ADJACENCY, 8, 2, "012643 402567"},
    {PRIM_TRIANGLE_STRIP_ADJACENCY, 10, 3, "012643 402568 426987"},
    {PRIM_TRIANGLES, 6, 2, "012 345"},
};

static void
describe(const struct primitive_out *p, char *text)
{
    uint32_t least = 0; /* writes a triangle from its lowest vertex on */
    for (uint32_t i = 1; p->vertices == 3 && i < 3; i++)
        if (p->v[i] < p->v[least])
            least = i;
    for (uint32_t i = 0; i < p->vertices; i++)
        *text++ = (char)('0' + p->v[(least + i) % p->vertices]);
    *text++ = '.';
    *text++ = (char)('0' + p->v[p->provoking]);
    *text = '\0';
}

static void
normalize(const char *text, char *out)
{
    struct primitive_out p = {0};
    for (; text[p.vertices] != '.'; p.vertices++)
        p.v[p.vertices] = (uint32_t)(text[p.vertices] - '0');
    const uint32_t provoking = (uint32_t)(text[p.vertices + 1] - '0');
    for (uint8_t i = 0; i < p.vertices; i++)
        if (p.v[i] == provoking)
            p.provoking = i;
    describe(&p, out);
}

static uint32_t
assemble(struct assembler *assembler, uint32_t count, struct primitive_out *out)
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; i++) {
        made += assembler_vertex(assembler, i, out + made);
        uint32_t held[ASSEMBLER_HELD];
        assert_true(assembler_held(assembler, held) <= ASSEMBLER_HELD);
    }
    return made + assembler_end(assembler, out + made);
}

/* Begins either a draw's primitives, or those that a geometry program emits. */
static void
begin(struct assembler *assembler, const struct expected *row, bool emitted)
{
    const struct program program = {.output_primitive = row->mode};
    const struct draw draw = {.params.mode = emitted ? PRIM_POINTS : row->mode,
                              .rasterizer.flatshade_first = row->first,
                              .program[STAGE_GEOMETRY] = emitted ? &program : NULL};
    if (emitted)
        assembler_begin_emitted(assembler, &draw);
    else
        assembler_begin(assembler, &draw);
}

static void
test_table(void **state)
{
    const size_t count = sizeof table / sizeof table[0];
    for (size_t n = 0; n < 2 * count; n++) {
        const struct expected *row = &table[n / 2];
        struct assembler assembler;
        struct primitive_out out[32];
        if (n % 2 && row->mode != PRIM_LINE_STRIP && row->mode != PRIM_TRIANGLE_STRIP)
            continue; /* not the output of a program */
        begin(&assembler, row, n % 2);
        /* twice, because assembly begins again after a restart */
        for (int again = 0; again < 2; again++) {
            assert_int_equal(assemble(&assembler, row->vertices, out), row->primitives);
            bool used[32] = {false};
            const char *text = row->text;
            for (uint32_t i = 0; i < row->primitives; i++) {
                char wanted[16], got[16];
                bool found = false;
                normalize(text, wanted);
                for (uint32_t k = 0; k < row->primitives && !found; k++) {
                    describe(&out[k], got);
                    found = !used[k] && strcmp(got, wanted) == 0;
                    used[k] = used[k] || found;
                }
                assert_true(found);
                text += strcspn(text, " ");
                text += *text == ' ';
            }
        }
    }
}

/* The inputs do not depend on the provoking vertex. Also numbers the primitives across restarts,
 * from 0 in each instance. */
static void
test_adjacent(void **state)
{
    const size_t count = sizeof adjacent_table / sizeof adjacent_table[0];
    const struct program program = {.stage = STAGE_GEOMETRY};
    for (size_t n = 0; n < 2 * count; n++) {
        const size_t t = n / 2;
        struct draw draw = {.params.mode = adjacent_table[t].mode,
                            .rasterizer.flatshade_first = n % 2,
                            .program[STAGE_GEOMETRY] = &program};
        struct assembler assembler;
        struct primitive_out out[32];
        assembler_begin(&assembler, &draw);
        for (uint32_t again = 0; again < 3; again++) {
            char text[64], *to = text;
            if (again == 2)
                assembler_begin_instance(&assembler);
            const uint32_t made = assemble(&assembler, adjacent_table[t].vertices, out);
            assert_int_equal(made, adjacent_table[t].primitives);
            for (uint32_t p = 0; p < made; p++) {
                assert_int_equal(out[p].id, again == 1 ? made + p : p);
                for (uint32_t i = 0; i < primitive_input_count(&out[p]); i++) {
                    const uint32_t input = primitive_input(&out[p], i);
                    *to++ =
                        (char)('0' + (input < 3 ? out[p].v[input] : out[p].adjacent[input - 3]));
                }
                *to++ = p + 1 < made ? ' ' : '\0';
            }
            assert_string_equal(text, adjacent_table[t].inputs);
        }
    }
}

/* Checks that the edges of a polygon include each outer edge once, and no inner edge. */
static void
check_outline(uint8_t mode, bool first, uint32_t vertices, const uint32_t (*edges)[2],
              uint32_t edge_count)
{
    struct draw draw = {.params.mode = mode, .rasterizer.flatshade_first = first};
    struct assembler assembler;
    struct primitive_out out[32];
    uint32_t seen[8][8] = {{0}}, total = 0;
    assembler_begin(&assembler, &draw);
    const uint32_t made = assemble(&assembler, vertices, out);
    for (uint32_t i = 0; i < made; i++)
        for (uint32_t k = 0; k < 3; k++)
            if (out[i].edge_flags >> k & 1) {
                seen[out[i].v[k]][out[i].v[(k + 1) % 3]]++;
                total++;
            }
    assert_int_equal(total, edge_count);
    for (uint32_t e = 0; e < edge_count; e++)
        assert_int_equal(seen[edges[e][0]][edges[e][1]], 1);
}

static void
test_edge_flags(void **state)
{
    static const uint32_t pentagon[5][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}};
    static const uint32_t triangle[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    static const uint32_t quad[4][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
    static const uint32_t strip[4][2] = {{0, 1}, {1, 3}, {3, 2}, {2, 0}};
    for (int first = 0; first < 2; first++) {
        check_outline(PRIM_POLYGON, first, 5, pentagon, 5);
        check_outline(PRIM_POLYGON, first, 3, triangle, 3);
        check_outline(PRIM_QUADS, first, 4, quad, 4);
        check_outline(PRIM_QUAD_STRIP, first, 4, strip, 4);
        check_outline(PRIM_TRIANGLES, first, 3, triangle, 3);
    }
}

/* The held vertices are sufficient: every primitive consists of held vertices and the new one. */
static void
test_held_covers_later_primitives(void **state)
{
    for (uint8_t mode = 0; mode < PRIM_COUNT; mode++) {
        struct draw draw = {.params.mode = mode};
        struct assembler assembler;
        assembler_begin(&assembler, &draw);
        for (uint32_t i = 0; i < 12; i++) {
            struct primitive_out out[2];
            uint32_t held[ASSEMBLER_HELD];
            const uint32_t held_count = assembler_held(&assembler, held);
            const uint32_t made = assembler_vertex(&assembler, i, out);
            for (uint32_t p = 0; p < made; p++)
                for (uint32_t k = 0; k < out[p].vertices; k++) {
                    bool known = out[p].v[k] == i;
                    for (uint32_t h = 0; h < held_count; h++)
                        known = known || held[h] == out[p].v[k];
                    assert_true(known);
                }
        }
    }
}

static void
unpack_two_floats(const uint8_t *block, uint32_t x, uint32_t y, float rgba[4])
{
    memcpy(rgba, block, 8);
    rgba[2] = 0.0f;
    rgba[3] = 1.0f;
}

static void
test_fetch(void **state)
{
    const struct format_info format = {.block_bytes = 8, .unpack = unpack_two_floats};
    struct draw draw = {.params.start_instance = 5};
    draw.attributes[0] = (struct bound_attribute){
        .address = 1001, .end = 1001 + 3 * 12 + 8, .stride = 12, .format = &format};
    assert_int_equal(fetch_address(&draw, 0, 0, 0), 1001);
    assert_int_equal(fetch_address(&draw, 0, 3, 0), 1037);
    assert_int_equal(fetch_address(&draw, 0, 4, 0), 0);
    assert_int_equal(fetch_address(&draw, 0, UINT32_MAX, 0), 0);
    draw.attributes[0].end--;
    assert_int_equal(fetch_address(&draw, 0, 3, 0), 0);
    assert_int_equal(fetch_address(&draw, 1, 0, 0), 0);
    draw.attributes[0].divisor = 2;
    draw.attributes[0].end = 2000;
    assert_int_equal(fetch_address(&draw, 0, 99, 5), 1001 + 7 * 12);

    uint8_t bytes[16];
    float value[2] = {3.0f, -4.0f}, out[4];
    memcpy(bytes + 3, value, sizeof value); /* not aligned */
    fetch_attribute(&format, bytes + 3, out);
    assert_true(out[0] == 3.0f && out[1] == -4.0f && out[2] == 0.0f && out[3] == 1.0f);
    fetch_attribute(NULL, NULL, out);
    assert_true(out[0] == 0.0f && out[1] == 0.0f && out[2] == 0.0f && out[3] == 1.0f);
}

static void
test_indices(void **state)
{
    struct draw draw = {.index_address = 100, .index_end = 107, .index_bytes = 2};
    const uint8_t bytes[5] = {0xee, 0x12, 0x34, 0x56, 0x78};
    assert_int_equal(draw_index_address(&draw, 2), 104);
    assert_int_equal(draw_index_address(&draw, 3), 0);
    assert_int_equal(draw_decode_index(&draw, bytes + 1), 0x3412);
    draw.index_bytes = 1;
    assert_int_equal(draw_decode_index(&draw, bytes + 1), 0x12);
    assert_int_equal(draw_index_address(&draw, 6), 106);
    draw.index_bytes = 4;
    assert_int_equal(draw_decode_index(&draw, bytes + 1), 0x78563412);
    assert_int_equal(draw_index_address(&draw, 1), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),      cmocka_unit_test(test_adjacent),
        cmocka_unit_test(test_edge_flags), cmocka_unit_test(test_held_covers_later_primitives),
        cmocka_unit_test(test_fetch),      cmocka_unit_test(test_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
