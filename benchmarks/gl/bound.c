/* Frames with a known bottleneck each:
 * - 1: a chain of dependent reads, where each coordinate is a texel read before
 * - 2: a branch that diverges between neighbouring pixels
 * - 3: triangles of about one pixel
 * - 4: a mesh with expensive vertices and no visible pixels
 * - 5: layers, for eight samples per pixel
 * - 6: a chain of targets, each of which reads the previous one
 * - 7: textures that are uploaded again before every use
 *
 * Frame 0 draws all of them, so that one-time uploads happen there.
 * tests/unit/report/test_verdicts.c tests the verdicts of `aetius topdown` with the capture
 * (tests/golden/bound.trace). */
#include "window.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { SIZE = 128, MAZE = 256, GRID = 97, LINKS = 8, TARGET = 256, SHEET = 256, UPLOADS = 4 };

static GLuint maze, sheet, chase_program, branch_program, costly_program, pass_program;
static GLuint vertices, triangles, targets[2], images[2];

static GLuint
make_image(GLsizei size, const void *texels)
{
    GLuint image;
    glGenTextures(1, &image);
    glBindTexture(GL_TEXTURE_2D, image);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return image;
}

/* Red and green of a texel are the next coordinate: far away, in another line of any cache. */
static void
make_maze(void)
{
    static uint8_t texels[MAZE * MAZE][4];
    for (uint32_t y = 0; y < MAZE; y++)
        for (uint32_t x = 0; x < MAZE; x++) {
            texels[y * MAZE + x][0] = (uint8_t)(x * 5 + y * 67 + 91);
            texels[y * MAZE + x][1] = (uint8_t)(y * 13 + x * 37 + 59);
        }
    maze = make_image(MAZE, texels);
}

static void
make_programs(void)
{
    static const char *const plain = "#version 120\n"
                                     "varying vec2 at;\n"
                                     "void main() {\n"
                                     "    at = gl_MultiTexCoord0.xy;\n"
                                     "    gl_Position = gl_Vertex;\n"
                                     "}\n";
    chase_program = make_program(plain, "#version 120\n"
                                        "varying vec2 at;\n"
                                        "uniform sampler2D maze;\n"
                                        "void main() {\n"
                                        "    vec2 place = at;\n"
                                        "    for (int i = 0; i < 24; i++)\n"
                                        "        place = texture2D(maze, place).rg;\n"
                                        "    gl_FragColor = vec4(place, 0.0, 1.0);\n"
                                        "}\n");
    branch_program = make_program(plain, "#version 120\n"
                                         "varying vec2 at;\n"
                                         "void main() {\n"
                                         "    vec4 a = vec4(at, at * 0.7);\n"
                                         "    float n = 12.0;\n"
                                         "    if (mod(floor(gl_FragCoord.x), 2.0) < 1.0) {\n"
                                         "        for (float i = 0.0; i < n; i += 1.0)\n"
                                         "            a = a.yzwx * a + vec4(0.3, 0.1, 0.2, 0.4);\n"
                                         "    } else {\n"
                                         "        for (float i = 0.0; i < n; i += 1.0)\n"
                                         "            a = a.wxyz * 0.9 - a * a;\n"
                                         "    }\n"
                                         "    gl_FragColor = fract(a);\n"
                                         "}\n");
    costly_program = make_program("#version 120\n"
                                  "void main() {\n"
                                  "    vec4 p = gl_Vertex;\n"
                                  "    for (int i = 0; i < 12; i++)\n"
                                  "        p.xyz = sin(p.yzx * 2.0) * 0.5 + p.xyz * 0.5;\n"
                                  "    gl_Position = vec4(p.xy * 0.05, 0.0, 1.0);\n"
                                  "}\n",
                                  "#version 120\n"
                                  "void main() { gl_FragColor = vec4(1.0); }\n");
    pass_program =
        make_program(plain, "#version 120\n"
                            "varying vec2 at;\n"
                            "uniform sampler2D before;\n"
                            "void main() { gl_FragColor = texture2D(before, at * 0.98); }\n");
}

/* A flat mesh of GRID x GRID vertices, with two triangles per cell. */
static void
make_mesh(void)
{
    static float places[GRID * GRID][2];
    static uint16_t indices[(GRID - 1) * (GRID - 1) * 6];
    uint32_t n = 0;
    for (uint32_t i = 0; i < GRID * GRID; i++) {
        places[i][0] = 2.0f * (float)(i % GRID) / (GRID - 1) - 1.0f;
        places[i][1] = 2.0f * (float)(i / GRID) / (GRID - 1) - 1.0f;
    }
    for (uint32_t y = 0; y < GRID - 1; y++)
        for (uint32_t x = 0; x < GRID - 1; x++) {
            const uint16_t corner = (uint16_t)(y * GRID + x), above = (uint16_t)(corner + GRID);
            const uint16_t two[6] = {corner, (uint16_t)(corner + 1), above,
                                     above,  (uint16_t)(corner + 1), (uint16_t)(above + 1)};
            for (uint32_t i = 0; i < 6; i++)
                indices[n++] = two[i];
        }
    glGenBuffers(1, &vertices);
    glBindBuffer(GL_ARRAY_BUFFER, vertices);
    glBufferData(GL_ARRAY_BUFFER, sizeof places, places, GL_STATIC_DRAW);
    glGenBuffers(1, &triangles);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, triangles);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
}

static void
make_targets(void)
{
    glGenFramebuffers(2, targets);
    for (uint32_t i = 0; i < 2; i++) {
        images[i] = make_image(TARGET, NULL);
        glBindFramebuffer(GL_FRAMEBUFFER, targets[i]);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, images[i], 0);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

static void
setup(void)
{
    make_maze();
    sheet = make_image(SHEET, NULL);
    make_programs();
    make_mesh();
    make_targets();
}

static void
quad(float half)
{
    glBegin(GL_QUADS);
    for (uint32_t corner = 0; corner < 4; corner++) {
        const float x = corner == 1 || corner == 2, y = corner > 1;
        glTexCoord2f(x, y);
        glVertex2f(half * (2 * x - 1), half * (2 * y - 1));
    }
    glEnd();
}

static void
draw_chase(void)
{
    glUseProgram(chase_program);
    glBindTexture(GL_TEXTURE_2D, maze);
    quad(0.25f);
    glUseProgram(0);
}

static void
draw_branch(void)
{
    glUseProgram(branch_program);
    quad(1);
    glUseProgram(0);
}

static void
draw_mesh(void)
{
    glBindBuffer(GL_ARRAY_BUFFER, vertices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, triangles);
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, NULL);
    glColor4f(0.4f, 0.7f, 0.2f, 1);
    glDrawElements(GL_TRIANGLES, (GRID - 1) * (GRID - 1) * 6, GL_UNSIGNED_SHORT, NULL);
    glDisableClientState(GL_VERTEX_ARRAY);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
}

static void
draw_costly_mesh(void)
{
    glUseProgram(costly_program);
    draw_mesh();
    glUseProgram(0);
}

/* Blended layers whose color varies per pixel. The machine uses eight samples for each pixel
 * (SIMULATOR.ForceMSAA), since programs are offered only four. */
static void
draw_layers(void)
{
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    for (uint32_t layer = 0; layer < 12; layer++) {
        glBegin(GL_QUADS);
        for (uint32_t corner = 0; corner < 4; corner++) {
            glColor4f(0.03f * (float)corner, 0.01f * (float)layer, corner == 2 ? 0.1f : 0, 1);
            glVertex2f(corner == 1 || corner == 2 ? 1.0f : -1.0f, corner < 2 ? -1.0f : 1.0f);
        }
        glEnd();
    }
    glDisable(GL_BLEND);
}

static void
draw_chain(void)
{
    glUseProgram(pass_program);
    glViewport(0, 0, TARGET, TARGET);
    for (uint32_t i = 0; i < LINKS; i++) {
        glBindFramebuffer(GL_FRAMEBUFFER, targets[i % 2]);
        glBindTexture(GL_TEXTURE_2D, images[(i + 1) % 2]);
        quad(1);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, SIZE, SIZE);
    glBindTexture(GL_TEXTURE_2D, images[(LINKS + 1) % 2]);
    quad(1);
    glUseProgram(0);
}

static void
draw_streaming(void)
{
    static uint8_t texels[SHEET * SHEET][4];
    glUseProgram(pass_program);
    glBindTexture(GL_TEXTURE_2D, sheet);
    for (uint32_t i = 0; i < UPLOADS; i++) {
        for (uint32_t t = 0; t < SHEET * SHEET; t++)
            texels[t][i % 4] = (uint8_t)(t / SHEET / 8 * 8 + 30 * i);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SHEET, SHEET, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        quad(0.9f - 0.2f * (float)i);
    }
    glUseProgram(0);
}

static void
draw(uint32_t frame)
{
    static void (*const scenes[])(void) = {draw_chase,       draw_branch, draw_mesh,
                                           draw_costly_mesh, draw_layers, draw_chain,
                                           draw_streaming};
    const uint32_t count = sizeof scenes / sizeof scenes[0];
    glClearColor(0.1f, 0.1f, 0.2f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    for (uint32_t i = 0; i < count; i++)
        if (frame == 0 || frame % (count + 1) == i + 1)
            scenes[i]();
}

int
main(int argc, char **argv)
{
    static const struct scene scene = {
        .name = "bound",
        .about = "Eight frames: all of it, then each bound by one thing.",
        .width = SIZE,
        .height = SIZE,
        .frames = 8,
        .setup = setup,
        .draw = draw,
    };
    return scene_main(&scene, argc, argv);
}
