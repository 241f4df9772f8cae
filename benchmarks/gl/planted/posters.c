/* Ten brick walls behind each other with posters on them, the nearest wall first. One shader draws
 * walls and posters. A uniform offsets the depth so that a poster passes the depth test against the
 * wall behind it. Fixed: the shader leaves the depth alone, and the posters have a polygon offset.
 */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { WALLS = 10, POSTERS = 6, TEXELS = 128 };

static bool fixed;
static GLuint program;
static GLint lift_at, tint_at;

static const char vertex_text[] = "#version 120\n"
                                  "varying vec2 uv; varying vec3 place;\n"
                                  "void main() {\n"
                                  "    uv = gl_MultiTexCoord0.st;\n"
                                  "    place = (gl_ModelViewMatrix * gl_Vertex).xyz;\n"
                                  "    gl_Position = ftransform();\n"
                                  "}\n";

#define SURFACE                                                                                    \
    "#version 120\n"                                                                               \
    "uniform sampler2D bricks; uniform vec3 tint; uniform float lift;\n"                           \
    "varying vec2 uv; varying vec3 place;\n"                                                       \
    "float lamp(vec3 at) {\n"                                                                      \
    "    vec3 d = at - place;\n"                                                                   \
    "    return 4.0 * abs(normalize(d).z) / (1.0 + dot(d, d));\n"                                  \
    "}\n"                                                                                          \
    "void main() {\n"                                                                              \
    "    vec3 stone = texture2D(bricks, uv).rgb * tint;\n"                                         \
    "    float light = 0.3 + lamp(vec3(-1.0, 1.0, -1.5)) + lamp(vec3(1.2, 0.4, -4.0))\n"           \
    "                + lamp(vec3(0.3, 1.5, -7.0));\n"                                              \
    "    gl_FragColor = vec4(stone * light, 1.0);\n"

static const char lifted[] = SURFACE "    gl_FragDepth = gl_FragCoord.z - lift;\n}\n";
static const char plain[] = SURFACE "}\n";

static void
setup(void)
{
    static GLubyte bricks[TEXELS * TEXELS][4];
    for (uint32_t i = 0; i < TEXELS * TEXELS; i++) {
        uint32_t x = i % TEXELS, y = i / TEXELS;
        bool mortar = y % 16 < 2 || (x + y / 16 % 2 * 16) % 32 < 2;
        uint32_t grain = noise(x, y, TEXELS, 4, 1) / 4u;
        bricks[i][0] = (GLubyte)((mortar ? 150 : 170) + grain);
        bricks[i][1] = (GLubyte)((mortar ? 145 : 110) + grain);
        bricks[i][2] = (GLubyte)((mortar ? 140 : 90) + grain);
        bricks[i][3] = 255;
    }
    load_texture(GL_COMPRESSED_RGB_S3TC_DXT1_EXT, TEXELS, true, bricks);
    program = make_program(vertex_text, fixed ? plain : lifted);
    lift_at = glGetUniformLocation(program, "lift");
    tint_at = glGetUniformLocation(program, "tint");
    glUseProgram(program);
    glEnable(GL_DEPTH_TEST);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.64, 0.64, -0.48, 0.48, 1.0, 20.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
rectangle(float x, float y, float width, float height, float z)
{
    glTexCoord2f(x, y), glVertex3f(x, y, z);
    glTexCoord2f(x + width, y), glVertex3f(x + width, y, z);
    glTexCoord2f(x + width, y + height), glVertex3f(x + width, y + height, z);
    glTexCoord2f(x, y + height), glVertex3f(x, y + height, z);
}

/* A wall with a gap at one end, which lets a part of the next walls be seen. */
static void
draw_wall(int wall)
{
    float z = -1.6f - 0.8f * (float)wall, half = 0.7f * -z, low = -0.5f * -z;
    float start = wall % 2 ? -half : -half + 0.4f;
    glUniform1f(lift_at, 0.0f);
    glUniform3f(tint_at, 1.0f, 0.9f + 0.01f * (float)wall, 0.8f);
    glBegin(GL_QUADS);
    rectangle(start, low, 2.0f * half - 0.4f, -1.75f * low, z);
    glEnd();
    glUniform1f(lift_at, 0.0005f);
    glUniform3f(tint_at, 0.4f, 0.7f, 0.3f + 0.07f * (float)wall);
    if (fixed)
        glEnable(GL_POLYGON_OFFSET_FILL);
    glBegin(GL_QUADS);
    for (int poster = 0; poster < POSTERS; poster++)
        rectangle(start + half * (0.1f + 0.27f * (float)poster), low * 0.4f, half * 0.16f,
                  half * 0.35f, z);
    glEnd();
    glDisable(GL_POLYGON_OFFSET_FILL);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glRotatef(2.0f * (float)frame, 0.0f, 1.0f, 0.2f);
    glPolygonOffset(-2.0f, -2.0f);
    for (int wall = 0; wall < WALLS; wall++)
        draw_wall(wall);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "posters",
                                        .about = "Walls with posters whose shader moves the depth.",
                                        .width = 320,
                                        .height = 240,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
