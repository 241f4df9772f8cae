/* Frames in which several units run at one pace, so that no resource alone limits them:
 * - 1: flat opaque layers: one quad per cycle and ROP in every unit from generator to color write
 * - 2: layers with one bilinear texture read per pixel
 * - 3: a loop of dependent texture reads per pixel
 *
 * Frame 0 draws all of them, so that one-time uploads happen there.
 * tests/unit/report/test_pace.c tests the verdicts of `aetius topdown` with the capture
 * (tests/golden/pace.trace). */
#include "window.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { SIZE = 192, LAYERS = 8, TEXELS = 128 };

static GLuint image, read_program;

static void
setup(void)
{
    static uint8_t texels[TEXELS][TEXELS][4];
    for (uint32_t y = 0; y < TEXELS; y++)
        for (uint32_t x = 0; x < TEXELS; x++) {
            texels[y][x][0] = (uint8_t)(x * 2 + y);
            texels[y][x][1] = (uint8_t)(y * 2 + x);
            texels[y][x][2] = (uint8_t)(x ^ y);
            texels[y][x][3] = 255;
        }
    glGenTextures(1, &image);
    glBindTexture(GL_TEXTURE_2D, image);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, TEXELS, TEXELS, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    read_program = make_program("#version 120\n"
                                "varying vec2 at;\n"
                                "void main() {\n"
                                "    at = gl_MultiTexCoord0.xy;\n"
                                "    gl_Position = gl_Vertex;\n"
                                "}\n",
                                "#version 120\n"
                                "varying vec2 at;\n"
                                "uniform sampler2D image;\n"
                                "uniform float turns;\n"
                                "void main() {\n"
                                "    vec4 c = vec4(0.0);\n"
                                "    for (float i = 0.0; i < turns; i += 1.0)\n"
                                "        c = texture2D(image, at + 0.02 * c.xy);\n"
                                "    gl_FragColor = c;\n"
                                "}\n");
    glUseProgram(read_program);
    glUniform1f(glGetUniformLocation(read_program, "turns"), 8.0f);
    glUseProgram(0);
}

static void
quad(void)
{
    glBegin(GL_QUADS);
    for (uint32_t corner = 0; corner < 4; corner++) {
        const float x = corner == 1 || corner == 2, y = corner > 1;
        glTexCoord2f(x, y);
        glVertex2f(2 * x - 1, 2 * y - 1);
    }
    glEnd();
}

static void
draw_flat(void)
{
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        glColor4f((float)(layer % 4) / 3.0f, (float)(layer % 3) / 2.0f, (float)(layer % 2), 1.0f);
        quad();
    }
}

static void
draw_textured(void)
{
    glColor4f(1.0f, 1.0f, 1.0f, 1.0f);
    glEnable(GL_TEXTURE_2D);
    for (uint32_t layer = 0; layer < LAYERS; layer++)
        quad();
    glDisable(GL_TEXTURE_2D);
}

static void
draw_reads(void)
{
    glUseProgram(read_program);
    quad();
    glUseProgram(0);
}

static void
draw(uint32_t frame)
{
    static void (*const scenes[])(void) = {draw_flat, draw_textured, draw_reads};
    const uint32_t count = sizeof scenes / sizeof scenes[0];
    glClear(GL_COLOR_BUFFER_BIT);
    for (uint32_t i = 0; i < count; i++)
        if (frame == 0 || frame % (count + 1) == i + 1)
            scenes[i]();
}

int
main(int argc, char **argv)
{
    return scene_main(&(struct scene){.name = "pace",
                                      .about = "Frames in which several units run at one pace.",
                                      .width = SIZE,
                                      .height = SIZE,
                                      .frames = 4,
                                      .setup = setup,
                                      .draw = draw},
                      argc, argv);
}
