/* Geysers between rocks. The steam fades where it meets a rock, so its shader compares its depth
 * with a copy of the depth buffer. The steam writes no depth, but the depth is copied again before
 * each of eight geysers. Fixed: it is copied once, after the rocks. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { WIDTH = 400, HEIGHT = 300, GEYSERS = 8, PUFFS = 10, ROCKS = 18 };

static bool fixed;
static GLuint depth_copy, steam, rocks;

static const char vertex_shader[] = "#version 120\n"
                                    "varying vec2 at;\n"
                                    "void main() {\n"
                                    "    at = gl_MultiTexCoord0.xy;\n"
                                    "    gl_Position = ftransform();\n"
                                    "}\n";

/* The distances are those of a frustum from 1 to 30. */
static const char fragment_shader[] =
    "#version 120\n"
    "varying vec2 at;\n"
    "uniform sampler2D scene;\n"
    "float distance_of(float depth) { return 30.0 / (30.0 - 29.0 * depth); }\n"
    "void main() {\n"
    "    float rock = texture2D(scene, gl_FragCoord.xy * vec2(1.0 / 400.0, 1.0 / 300.0)).r;\n"
    "    float gap = distance_of(rock) - distance_of(gl_FragCoord.z);\n"
    "    float cover = max(1.0 - dot(at, at), 0.0) * clamp(2.0 * gap, 0.0, 1.0);\n"
    "    gl_FragColor = vec4(0.9, 0.92, 0.95, 0.45 * cover);\n"
    "}\n";

static void
rock(float x, float z, float width, float height)
{
    static const float faces[6][3] = {{-1, 0, 0.2f},      {-0.6f, 0.7f, 0.6f}, {0, 0, 1.0f},
                                      {0.1f, 1.0f, 0.3f}, {1, 0, 0.1f},        {0.7f, 0.5f, -0.2f}};
    glBegin(GL_TRIANGLE_STRIP);
    for (int i = 0; i < 6; i++) {
        float tone = 0.25f + 0.35f * faces[i][1] + 0.1f * (float)(i % 3);
        glColor3f(tone, 0.85f * tone, 0.75f * tone);
        glVertex3f(x + width * faces[i][0], height * faces[i][1], z + 0.6f * width * faces[i][2]);
    }
    glEnd();
}

static void
setup(void)
{
    rocks = glGenLists(1);
    glNewList(rocks, GL_COMPILE);
    for (int i = 0; i < ROCKS; i++) { /* the nearest first */
        float z = -3.0f - 0.5f * (float)i;
        rock(-0.5f * z * 1.3f * (2.0f * (float)(i * 7 % 18) / 17.0f - 1.0f), z, 0.9f,
             0.6f + 0.1f * (float)(i * 5 % 9));
    }
    glBegin(GL_QUADS);
    glColor3f(0.35f, 0.33f, 0.3f), glVertex3f(-12, 0, -1), glVertex3f(12, 0, -1);
    glColor3f(0.55f, 0.5f, 0.45f), glVertex3f(20, 0, -16), glVertex3f(-20, 0, -16);
    glEnd();
    glEndList();
    glGenTextures(1, &depth_copy);
    glBindTexture(GL_TEXTURE_2D, depth_copy);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH24_STENCIL8, WIDTH, HEIGHT, 0, GL_DEPTH_STENCIL,
                 GL_UNSIGNED_INT_24_8, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    steam = make_program(vertex_shader, fragment_shader);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.6, 0.6, -0.45, 0.45, 1.0, 30.0);
    glMatrixMode(GL_MODELVIEW);
    glClearColor(0.55f, 0.7f, 0.85f, 1.0f);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

static void
copy_depth(void)
{
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, WIDTH, HEIGHT);
}

/* A column of puffs that rise; the farthest geyser is number 0. */
static void
draw_geyser(int geyser, uint32_t frame)
{
    float z = -11.0f + 0.95f * (float)geyser, x = z * 0.45f * sine((float)geyser * 0.37f);
    for (int i = 0; i < PUFFS; i++) {
        float rise = (float)i / PUFFS + 0.01f * (float)(frame % 10), size = 0.25f + 0.5f * rise;
        float y = 2.6f * rise, middle = x + 0.3f * rise * sine(0.3f * (float)i);
        glTexCoord2f(-1, -1), glVertex3f(middle - size, y - size, z);
        glTexCoord2f(1, -1), glVertex3f(middle + size, y - size, z);
        glTexCoord2f(1, 1), glVertex3f(middle + size, y + size, z);
        glTexCoord2f(-1, 1), glVertex3f(middle - size, y + size, z);
    }
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glTranslatef(0.02f * (float)frame, -1.3f, 0);
    glEnable(GL_DEPTH_TEST);
    glCallList(rocks);
    if (fixed)
        copy_depth();
    glUseProgram(steam);
    glDepthMask(GL_FALSE);
    glEnable(GL_BLEND);
    if (fixed)
        glBegin(GL_QUADS);
    for (int geyser = 0; geyser < GEYSERS; geyser++) {
        if (!fixed) {
            copy_depth();
            glBegin(GL_QUADS);
        }
        draw_geyser(geyser, frame);
        if (!fixed)
            glEnd();
    }
    if (fixed)
        glEnd();
    glDisable(GL_BLEND);
    glDepthMask(GL_TRUE);
    glUseProgram(0);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "geysers",
                                        .about = "The depth is copied before each geyser.",
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
