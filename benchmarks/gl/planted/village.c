/* Houses of a village, the nearest first, with stone and tiles per pixel. Houses that come into
 * range appear through a pattern of pixels. One shader draws all houses, and discards the pixels of
 * a dither pattern; only the last two houses are fading in. Fixed: the other houses have a shader
 * without the pattern. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { ROWS = 9, PER_ROW = 6, HOUSES = ROWS * PER_ROW, APPEARING = 2 };

static bool fixed;
static GLuint appearing, solid, house;

static const char vertex_shader[] = "#version 120\n"
                                    "varying vec3 place, normal;\n"
                                    "varying vec4 paint;\n"
                                    "void main() {\n"
                                    "    place = gl_Vertex.xyz;\n"
                                    "    normal = gl_Normal;\n"
                                    "    paint = gl_Color;\n"
                                    "    gl_Position = ftransform();\n"
                                    "}\n";

static const char *const surface =
    "varying vec3 place, normal;\n"
    "varying vec4 paint;\n"
    "vec4 surface() {\n"
    "    vec2 at = vec2(place.x + place.z, place.y) * vec2(6.0, 12.0);\n"
    "    at.x += 0.5 * step(0.5, fract(0.5 * floor(at.y)));\n"
    "    vec2 joint = smoothstep(0.0, 0.12, fract(at)) * smoothstep(0.0, 0.12, 1.0 - fract(at));\n"
    "    float stone = fract(sin(dot(floor(at), vec2(12.9, 78.2))) * 437.5);\n"
    "    vec3 color = paint.rgb * (0.7 + 0.3 * stone) * (0.6 + 0.4 * joint.x * joint.y);\n"
    "    float sun = max(dot(normalize(normal), vec3(0.48, 0.6, 0.64)), 0.0);\n"
    "    return vec4(color * (0.35 + 0.65 * sun), 1.0);\n"
    "}\n";

static GLuint
make_house_program(const char *body)
{
    const char *const parts[3] = {"#version 120\n", surface, body};
    GLuint fragment = glCreateShader(GL_FRAGMENT_SHADER);
    glShaderSource(fragment, 3, (const GLchar *const *)parts, NULL);
    glCompileShader(fragment);
    GLuint vertex = glCreateShader(GL_VERTEX_SHADER), program = glCreateProgram();
    const char *text = vertex_shader;
    glShaderSource(vertex, 1, &text, NULL);
    glCompileShader(vertex);
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    return program;
}

static void
wall(float nx, float ny, float nz, const float (*corners)[3], int n)
{
    glNormal3f(nx, ny, nz);
    for (int i = 2; i < n; i++) {
        glVertex3fv(corners[0]);
        glVertex3fv(corners[i - 1]);
        glVertex3fv(corners[i]);
    }
}

/* A house of 1 x 1, with a gable on the front; the color of the roof is darker. */
static void
compile_house(void)
{
    static const float front[5][3] = {
        {-0.5f, 0, 0}, {0.5f, 0, 0}, {0.5f, 0.8f, 0}, {0, 1.3f, 0}, {-0.5f, 0.8f, 0}};
    static const float right[4][3] = {
        {0.5f, 0, 0}, {0.5f, 0, -1}, {0.5f, 0.8f, -1}, {0.5f, 0.8f, 0}};
    static const float left[4][3] = {
        {-0.5f, 0, -1}, {-0.5f, 0, 0}, {-0.5f, 0.8f, 0}, {-0.5f, 0.8f, -1}};
    static const float roof[2][4][3] = {
        {{0.5f, 0.8f, 0}, {0.5f, 0.8f, -1}, {0, 1.3f, -1}, {0, 1.3f, 0}},
        {{-0.5f, 0.8f, -1}, {-0.5f, 0.8f, 0}, {0, 1.3f, 0}, {0, 1.3f, -1}}};
    house = glGenLists(1);
    glNewList(house, GL_COMPILE);
    glBegin(GL_TRIANGLES);
    wall(0, 0, 1, front, 5);
    wall(1, 0, 0, right, 4);
    wall(-1, 0, 0, left, 4);
    wall(0.7f, 0.7f, 0, roof[0], 4);
    wall(-0.7f, 0.7f, 0, roof[1], 4);
    glEnd();
    glEndList();
}

static void
setup(void)
{
    appearing = make_house_program("uniform float shown;\n"
                                   "void main() {\n"
                                   "    vec2 at = floor(gl_FragCoord.xy);\n"
                                   "    if (fract(dot(at, vec2(0.25, 0.618))) > shown) discard;\n"
                                   "    gl_FragColor = surface();\n"
                                   "}\n");
    solid = make_house_program("void main() { gl_FragColor = surface(); }\n");
    compile_house();
    glEnable(GL_DEPTH_TEST);
    glClearColor(0.6f, 0.75f, 0.9f, 1.0f);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.5, 0.5, -0.3, 0.3, 0.7, 40.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
draw_house(int i)
{
    float row = (float)(i / PER_ROW), size = 0.85f + 0.1f * (float)(i * 5 % 4);
    glPushMatrix();
    glTranslatef(((float)(i % PER_ROW) - 2.5f) * (1.15f + 0.12f * row) + 0.3f * sine(0.21f * row),
                 0, -2.2f - 1.4f * row);
    glScalef(size, size * (0.9f + 0.06f * row), size);
    glColor3f(0.9f - 0.1f * (float)(i % 3), 0.8f - 0.07f * (float)(i % 4), 0.6f);
    glCallList(house);
    glPopMatrix();
}

static void
draw(uint32_t frame)
{
    GLint shown = glGetUniformLocation(appearing, "shown");
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glTranslatef(0.02f * (float)frame, -0.9f, 0);
    glUseProgram(appearing);
    glUniform1f(shown, 1.0f);
    if (fixed)
        glUseProgram(solid);
    for (int i = 0; i < HOUSES - APPEARING; i++)
        draw_house(i);
    glUseProgram(0);
    glColor3f(0.4f, 0.5f, 0.3f);
    glBegin(GL_QUADS);
    glVertex3f(-20, 0, 0), glVertex3f(20, 0, 0), glVertex3f(20, 0, -30), glVertex3f(-20, 0, -30);
    glEnd();
    glUseProgram(appearing);
    glUniform1f(shown, 0.2f + 0.05f * (float)frame);
    for (int i = HOUSES - APPEARING; i < HOUSES; i++)
        draw_house(i);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "village",
                                        .about = "A pattern of pixels in the shader of all houses.",
                                        .width = 440,
                                        .height = 264,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
