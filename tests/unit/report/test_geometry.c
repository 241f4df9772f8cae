/* The geometry that `aetius show TRACE draw` prints. Draw 0 has an index bias, a primitive restart
 * and an index beyond the buffer. Draw 1 has instances. The test computes the expected numbers from
 * the rule that fills the buffers. */
#include "rigs/scene.h"

#include "base/file.h"
#include "base/text_table.h"
#include "rigs/folder.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

#include <cjson/cJSON.h>

enum {
    CLIENT = 1,
    COUNT = 20,  /* indices of the draw */
    LISTED = 16, /* vertices listed without --all */
    BIAS = 1,
    RESTART = 0xffff,
    BEYOND = 200, /* its vertex is outside of the buffer */
    STRIDE = 12,
    BUFFER_OFFSET = 24,
    POSITION_OFFSET = 4, /* in an element, after the color */
    INDEX_OFFSET = 6,
    UNIFORM_OFFSET = 16,
    /* draw 1 */
    OBJ_INSTANCED = 120,
    START = 10,
    VERTICES = 2,
    INSTANCES = 5,
    FIRST_INSTANCE = 3,
    DIVISOR = 2,
};

static const char vs[] = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\n"
                         "DCL CONST[0][0..1]\n  0: ADD OUT[0], IN[0], CONST[0][0]\n"
                         "  1: MUL OUT[1], IN[1], CONST[0][1]\n  2: END\n";
static const char fs[] = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0][0]\n"
                         "  0: MOV OUT[0], CONST[0][0]\n  1: END\n";

static char dir[] = "/tmp/aetius-geometry-XXXXXX";
static char *trace;

/* Position 3 separates two strips; position 5 is beyond the buffer. */
static uint32_t
index_of(uint32_t nth)
{
    return nth == 3 ? RESTART : nth == 5 ? BEYOND : nth;
}

static void
put(struct trace_writer *writer, uint32_t handle, const void *bytes, int32_t size)
{
    struct message message = {.kind = MESSAGE_PUT, .bytes = bytes, .size_bytes = (uint32_t)size};
    message.transfer.handle = handle;
    message.transfer.box = (struct box){0, 0, 0, size, 1, 1};
    write_message(writer, CLIENT, message);
}

/* Vertex v has the color v/255, 51/255, 1, 0 and the position v + 0.5, -v. */
static void
put_buffers(struct trace_writer *writer)
{
    static uint8_t vertices[1024], indices[64], uniforms[64];
    const float four[4] = {0.25f, -8, 1e20f, 3};
    for (uint32_t v = 0; BUFFER_OFFSET + (v + 1) * STRIDE <= sizeof vertices; v++) {
        uint8_t *element = vertices + BUFFER_OFFSET + v * STRIDE;
        const uint8_t color[4] = {(uint8_t)v, 51, 255, 0};
        const float position[2] = {(float)v + 0.5f, -(float)v};
        memcpy(element, color, sizeof color);
        memcpy(element + POSITION_OFFSET, position, sizeof position);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint16_t index = (uint16_t)index_of(i);
        memcpy(indices + INDEX_OFFSET + 2 * i, &index, sizeof index);
    }
    memcpy(uniforms + UNIFORM_OFFSET, four, sizeof four);
    put(writer, RES_VERTICES, vertices, sizeof vertices);
    put(writer, RES_INDICES, indices, sizeof indices);
    put(writer, RES_QUERY, uniforms, sizeof uniforms);
}

static void
make_stream(struct stream *s)
{
    scene_states(s, 0);
    scene_shaders(s, vs, fs);
    CREATE(s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, POSITION_OFFSET, 0, 1, FORMAT_R32G32_FLOAT, 0, 0,
           1, FORMAT_R8G8B8A8_UNORM);
    scene_surfaces(s, FORMAT_B8G8R8A8_UNORM, 0);
    scene_bind(s);
    scene_viewport(s, 64, 32);
    PACKET(s, CMD_SET_VERTEX_BUFFERS, 0, 0, 0, STRIDE, BUFFER_OFFSET, RES_VERTICES);
    PACKET(s, CMD_SET_INDEX_BUFFER, RES_INDICES, 2, INDEX_OFFSET);
    PACKET(s, CMD_SET_CONSTANT_BUFFER, VSTAGE_VERTEX, 0, float_bits(1), float_bits(2),
           float_bits(3), float_bits(4), float_bits(0.5f), float_bits(-1), 0x7f800000, 0);
    PACKET(s, CMD_SET_UNIFORM_BUFFER, VSTAGE_FRAGMENT, 0, UNIFORM_OFFSET, 16, RES_QUERY);
    PACKET(s, CMD_DRAW_VBO, 0, COUNT, PRIM_TRIANGLE_STRIP, 1, 1, BIAS, 0, 1, RESTART, 0, ~0u, 0);
    CREATE(s, VOBJ_VERTEX_ELEMENTS, OBJ_INSTANCED, POSITION_OFFSET, 0, 1, FORMAT_R32G32_FLOAT, 0,
           DIVISOR, 1, FORMAT_R8G8B8A8_UNORM);
    stream_bind(s, VOBJ_VERTEX_ELEMENTS, OBJ_INSTANCED);
    PACKET(s, CMD_DRAW_VBO, START, VERTICES, PRIM_POINTS, 0, INSTANCES, 0, FIRST_INSTANCE, 0, 0, 0,
           ~0u, 0);
}

static int
write_trace(void **state)
{
    struct trace_writer *writer;
    struct stream s = {0};
    struct error err;
    struct message swap = {.kind = MESSAGE_SWAP};
    (void)state;
    assert_non_null(mkdtemp(dir));
    trace = mem_printf("%s/geometry.trace", dir);
    assert_true(trace_writer_create(&writer, trace, "geometry", &err));
    write_message(writer, CLIENT, (struct message){.kind = MESSAGE_CLIENT_BEGIN});
    for (size_t i = 0; i < sizeof scene_resources / sizeof *scene_resources; i++)
        write_message(
            writer, CLIENT,
            (struct message){.kind = MESSAGE_RESOURCE_CREATE, .resource = scene_resources[i]});
    put_buffers(writer);
    make_stream(&s);
    write_message(writer, CLIENT, stream_message(&s, CLIENT));
    swap.transfer.handle = RES_COLOR;
    swap.transfer.box = (struct box){0, 0, 0, 64, 32, 1};
    write_message(writer, CLIENT, swap);
    assert_true(trace_writer_close(writer, &err));
    return 0;
}

static int
remove_trace(void **state)
{
    (void)state;
    free(trace);
    return !remove_folder(dir);
}

/* The values of attribute 0 (x, y), then of attribute 1 (x, y, z, w). */
static void
expected_values(uint32_t nth, float values[6])
{
    const uint32_t v = index_of(nth) + BIAS;
    const float inside[6] = {(float)v + 0.5f, -(float)v, (float)v / 255, 0.2f, 1, 0};
    const float outside[6] = {0, 0, 0, 0, 0, 1};
    memcpy(values, index_of(nth) == BEYOND ? outside : inside, sizeof inside);
}

static double
number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    if (!cJSON_IsNumber(item))
        fail_msg("no number %s", name);
    return item->valuedouble;
}

static void
expect_vertices(const cJSON *json, int count)
{
    const cJSON *list = cJSON_GetObjectItem(json, "vertex_list"), *vertex;
    uint32_t nth = 0;
    assert_int_equal(cJSON_GetArraySize(list), count);
    cJSON_ArrayForEach(vertex, list)
    {
        const cJSON *values = cJSON_GetObjectItem(vertex, "values");
        float wanted[6];
        assert_true(number(vertex, "nth") == nth && number(vertex, "index") == index_of(nth));
        assert_int_equal(cJSON_HasObjectItem(vertex, "restart"), nth == 3);
        assert_int_equal(cJSON_HasObjectItem(vertex, "vertex"), nth != 3);
        expected_values(nth, wanted);
        for (int i = 0; nth != 3 && i < 6; i++) {
            const cJSON *attribute = cJSON_GetArrayItem(values, i < 2 ? 0 : 1);
            assert_int_equal(cJSON_GetArraySize(attribute), i < 2 ? 2 : 4);
            const double got = cJSON_GetArrayItem(attribute, i < 2 ? i : i - 2)->valuedouble;
            assert_true((float)got == wanted[i]);
        }
        if (nth != 3)
            assert_true(number(vertex, "vertex") == index_of(nth) + BIAS);
        nth++;
    }
}

static void
expect_buffer(const cJSON *json, int i, const char *use, const uint32_t wanted[5])
{
    static const char *const names[5] = {"slot", "resource", "bytes", "stride", "offset"};
    const cJSON *buffer = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "buffers"), i);
    assert_non_null(buffer);
    assert_string_equal(cJSON_GetObjectItem(buffer, "use")->valuestring, use);
    for (int n = 0; n < 5; n++)
        assert_true(number(buffer, names[n]) == wanted[n]);
}

/* Vertices in JSON. Without --all the list has the first 16. */
static void
json_lists_vertices_and_buffers(void **state)
{
    static struct command_result cmd;
    (void)state;
    RUN(&cmd, "show", trace, "draw", "0:0", "--json");
    assert_int_equal(cmd.status, 0);
    cJSON *json = cJSON_Parse(cmd.out);
    expect_vertices(json, LISTED);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "buffers")), 3);
    expect_buffer(json, 0, "vertex",
                  (const uint32_t[]){1, RES_VERTICES, 1024, STRIDE, BUFFER_OFFSET});
    expect_buffer(json, 1, "index", (const uint32_t[]){0, RES_INDICES, 64, 2, INDEX_OFFSET});
    expect_buffer(json, 2, "fragment constants",
                  (const uint32_t[]){0, RES_QUERY, 64, 0, UNIFORM_OFFSET});
    cJSON_Delete(json);
    RUN(&cmd, "show", trace, "draw", "0:0", "--json", "--all");
    json = cJSON_Parse(cmd.out);
    expect_vertices(json, COUNT);
    cJSON_Delete(json);
}

/* Constants come from a command or from a buffer. JSON has null for an infinity. */
static void
json_lists_constants(void **state)
{
    static struct command_result cmd;
    (void)state;
    RUN(&cmd, "show", trace, "draw", "0:0", "--json");
    cJSON *json = cJSON_Parse(cmd.out);
    const cJSON *constants = cJSON_GetObjectItem(json, "constants");
    const cJSON *vertex = cJSON_GetObjectItem(constants, "vertex");
    const cJSON *fragment = cJSON_GetObjectItem(constants, "fragment");
    assert_true(number(vertex, "count") == 2 && number(fragment, "count") == 1);
    char *text = cJSON_PrintUnformatted(cJSON_GetObjectItem(vertex, "values"));
    assert_string_equal(text, "[[1,2,3,4],[0.5,-1,null,0]]");
    free(text);
    const cJSON *four = cJSON_GetArrayItem(cJSON_GetObjectItem(fragment, "values"), 0);
    const float wanted[4] = {0.25f, -8, 1e20f, 3};
    for (int c = 0; c < 4; c++)
        assert_true((float)cJSON_GetArrayItem(four, c)->valuedouble == wanted[c]);
    cJSON_Delete(json);
}

static void
text_lists_geometry(void **state)
{
    static struct command_result cmd;
    static const char *const lines[] = {
        "  vertex buffer 1     #4, 1024 bytes, stride 12, offset 24\n",
        "  index buffer        #5, 64 bytes, stride 2, offset 6\n",
        "  fragment constants  #6, 64 bytes, stride 0, offset 16\n",
        "  attribute 0         R32G32_FLOAT, vertex buffer 1, offset 4\n",
        "  attribute 1         R8G8B8A8_UNORM, vertex buffer 1, offset 0\n",
        "  nth  index   vertex  attribute 0  attribute 1\n",
        "  2        2        3  3.5 -3       0.0117647 0.2 1 0\n",
        "  3    65535  restart\n",
        "  5      200      201  0 0          0 0 0 1\n",
        "  15      15       16  16.5 -16     0.0627451 0.2 1 0\n",
        "and 4 more (--all)\n",
        "  1                0.5   -1  inf    0\n",
    };
    (void)state;
    RUN(&cmd, "show", trace, "draw", "0:0");
    assert_int_equal(cmd.status, 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(cmd.out, lines[i]))
            fail_msg("missing: %sin:\n%s", lines[i], cmd.out);
    assert_null(strstr(cmd.out, "\n  16 "));
    RUN(&cmd, "show", trace, "draw", "0:0", "--all");
    assert_non_null(strstr(cmd.out, "\n  19      19       20  20.5 -20"));
    assert_null(strstr(cmd.out, "more (--all)"));
    RUN(&cmd, "show", trace, "program", "--all");
    assert_int_equal(cmd.status, 2);
}

/* The CSV file has all vertices, with or without --all. */
static void
csv_has_all_vertices(void **state)
{
    static struct command_result cmd;
    struct text_table table = {0};
    struct error err;
    char *out = mem_printf("%s/shown", dir), *path = mem_printf("%s/vertices.csv", out);
    static const char *const names[6] = {"attribute0.x", "attribute0.y", "attribute1.x",
                                         "attribute1.y", "attribute1.z", "attribute1.w"};
    (void)state;
    RUN(&cmd, "show", trace, "draw", "0:0", "-o", out);
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, path));
    if (!text_table_read(&table, path, &err))
        fail_msg("%s", err.text);
    assert_int_equal(text_table_rows(&table), COUNT + 1);
    for (uint32_t nth = 0; nth < COUNT; nth++) {
        float wanted[6];
        assert_int_equal(strtoul(text_table_at(&table, nth + 1, 2), NULL, 10), index_of(nth));
        expected_values(nth, wanted);
        for (uint32_t i = 0; i < 6; i++) {
            const int32_t column = text_table_column(&table, names[i]);
            assert_true(column >= 0);
            const char *cell = text_table_at(&table, nth + 1, (uint32_t)column);
            if (nth == 3)
                assert_string_equal(cell, "");
            else
                assert_true(strtof(cell, NULL) == wanted[i]);
        }
    }
    text_table_fini(&table);
    run_within(&cmd, 400,
               (const char *const[]){"show", trace, "draw", "0:0", "-o", out, "-f", NULL});
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "cannot write "));
    assert_non_null(strstr(cmd.err, "vertices.csv: File too large\n"));
    free(out);
    free(path);
}

/* Instance i reads element FIRST_INSTANCE + i / DIVISOR of the attribute with a divisor. */
static void
instances_read_their_elements(void **state)
{
    static struct command_result cmd;
    const cJSON *vertex;
    uint32_t n = 0;
    (void)state;
    RUN(&cmd, "show", trace, "draw", "0:1", "--json");
    assert_int_equal(cmd.status, 0);
    cJSON *json = cJSON_Parse(cmd.out);
    const cJSON *attributes = cJSON_GetObjectItem(json, "attributes");
    assert_true(number(cJSON_GetArrayItem(attributes, 0), "divisor") == 0);
    assert_true(number(cJSON_GetArrayItem(attributes, 1), "divisor") == DIVISOR);
    cJSON_ArrayForEach(vertex, cJSON_GetObjectItem(json, "vertex_list"))
    {
        const cJSON *values = cJSON_GetObjectItem(vertex, "values");
        const uint32_t instance = n / VERTICES, v = START + n % VERTICES;
        const float x = (float)cJSON_GetArrayItem(cJSON_GetArrayItem(values, 0), 0)->valuedouble;
        const float red = (float)cJSON_GetArrayItem(cJSON_GetArrayItem(values, 1), 0)->valuedouble;
        assert_true(number(vertex, "instance") == instance);
        assert_true(number(vertex, "nth") == n % VERTICES && number(vertex, "vertex") == v);
        assert_true(x == (float)v + 0.5f);
        assert_true(red == (float)(FIRST_INSTANCE + instance / DIVISOR) / 255);
        n++;
    }
    assert_int_equal(n, VERTICES * INSTANCES);
    cJSON_Delete(json);
    RUN(&cmd, "show", trace, "draw", "0:1");
    static const char *const lines[] = {
        "  attribute 1         R8G8B8A8_UNORM, vertex buffer 1, offset 0, divisor 2\n",
        "  instance  nth  vertex  attribute 0  attribute 1\n",
        "  4           1      11  11.5 -11     0.0196078 0.2 1 0\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(cmd.out, lines[i]))
            fail_msg("missing: %sin:\n%s", lines[i], cmd.out);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_lists_vertices_and_buffers),
        cmocka_unit_test(json_lists_constants),
        cmocka_unit_test(text_lists_geometry),
        cmocka_unit_test(csv_has_all_vertices),
        cmocka_unit_test(instances_read_their_elements),
    };
    aetius = argc > 1 ? argv[1] : "aetius";
    return cmocka_run_group_tests(tests, write_trace, remove_trace);
}
