/* The map of a role-playing game: 40 x 30 tiles of 16 pixels from one sheet. Each tile is a
 * separate draw, with its position in a uniform. Fixed: one draw of a buffer with all tiles. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { COLUMNS = 40, ROWS = 30, TILE = 16, KINDS = 8 };

static bool fixed;
static GLuint program, unit_square, whole_map;
static GLint place, kind;

/* A vertex is x, y, and its place in the sheet. */
static const char vertex_shader[] =
    "#version 120\n"
    "uniform vec2 place;\n"
    "uniform float kind;\n"
    "varying vec2 at;\n"
    "void main() {\n"
    "    at = gl_MultiTexCoord0.xy + vec2(kind / 8.0, 0.0);\n"
    "    gl_Position = vec4((gl_Vertex.xy + place) / vec2(20.0, 15.0) - 1.0, 0.0, 1.0);\n"
    "}\n";

static const char fragment_shader[] = "#version 120\n"
                                      "uniform sampler2D sheet;\n"
                                      "varying vec2 at;\n"
                                      "void main() { gl_FragColor = texture2D(sheet, at); }\n";

static void
load_sheet(void)
{
    static uint8_t texels[TILE][KINDS * TILE][4];
    for (uint32_t y = 0; y < TILE; y++) {
        for (uint32_t x = 0; x < KINDS * TILE; x++) {
            uint32_t k = x / TILE;
            uint8_t grain = noise(x, y, 128, 4, 3);
            texels[y][x][0] = (uint8_t)(30 * k + grain / 8);
            texels[y][x][1] = (uint8_t)(200 - 20 * k + grain / 8);
            texels[y][x][2] = (uint8_t)(k % 2 ? 160 : 40);
            texels[y][x][3] = 255;
        }
    }
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, KINDS * TILE, TILE, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

static uint32_t
kind_of(uint32_t i)
{
    return noise(i % COLUMNS, i / COLUMNS, 64, 8, 12) / 32;
}

static void
fill_buffers(void)
{
    static const float corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    static float map[COLUMNS * ROWS * 4][4], square[4][4];
    for (uint32_t i = 0; i < COLUMNS * ROWS * 4; i++) {
        const float *corner = corners[i % 4];
        map[i][0] = corner[0] + (float)(i / 4 % COLUMNS);
        map[i][1] = corner[1] + (float)(i / 4 / COLUMNS);
        map[i][2] = ((float)kind_of(i / 4) + corner[0]) / KINDS;
        map[i][3] = corner[1];
    }
    for (uint32_t i = 0; i < 4; i++) {
        square[i][0] = corners[i][0];
        square[i][1] = corners[i][1];
        square[i][2] = corners[i][0] / KINDS;
        square[i][3] = corners[i][1];
    }
    glGenBuffers(1, &unit_square);
    glBindBuffer(GL_ARRAY_BUFFER, unit_square);
    glBufferData(GL_ARRAY_BUFFER, sizeof square, square, GL_STATIC_DRAW);
    glGenBuffers(1, &whole_map);
    glBindBuffer(GL_ARRAY_BUFFER, whole_map);
    glBufferData(GL_ARRAY_BUFFER, sizeof map, map, GL_STATIC_DRAW);
}

static void
setup(void)
{
    load_sheet();
    fill_buffers();
    program = make_program(vertex_shader, fragment_shader);
    place = glGetUniformLocation(program, "place");
    kind = glGetUniformLocation(program, "kind");
    glUseProgram(program);
    glBindBuffer(GL_ARRAY_BUFFER, fixed ? whole_map : unit_square);
    glVertexPointer(2, GL_FLOAT, 4 * sizeof(float), NULL);
    glTexCoordPointer(2, GL_FLOAT, 4 * sizeof(float), (void *)(2 * sizeof(float)));
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
}

static void
draw(uint32_t frame)
{
    (void)frame;
    glClear(GL_COLOR_BUFFER_BIT);
    if (fixed) {
        glDrawArrays(GL_QUADS, 0, COLUMNS * ROWS * 4);
        return;
    }
    for (uint32_t i = 0; i < COLUMNS * ROWS; i++) {
        glUniform2f(place, (float)(i % COLUMNS), (float)(i / COLUMNS));
        glUniform1f(kind, (float)kind_of(i));
        glDrawArrays(GL_TRIANGLE_FAN, 0, 4);
    }
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "tilemap",
                                        .about = "A map with one draw per tile.",
                                        .width = COLUMNS * TILE,
                                        .height = ROWS * TILE,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
