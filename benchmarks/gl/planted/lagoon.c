/* A lagoon of six tiles around an island with palms. The engine prepares its tiles before it draws
 * them. To prepare a tile, it renders the reflection of the island into the texture that all tiles
 * share. Fixed: the reflection is rendered for the first tile only. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#define TILES  6
#define PALMS  16
#define MIRROR 160

static bool fixed;
static GLuint island, mirror, target, water;

static const char vertex_shader[] = "#version 120\n"
                                    "varying vec3 screen;\n"
                                    "varying vec2 ripple;\n"
                                    "void main() {\n"
                                    "    ripple = 3.0 * gl_Vertex.xz;\n"
                                    "    gl_Position = ftransform();\n"
                                    "    screen = vec3(0.5 * (gl_Position.xy + gl_Position.w),\n"
                                    "                  gl_Position.w);\n"
                                    "}\n";

static const char fragment_shader[] =
    "#version 120\n"
    "varying vec3 screen;\n"
    "varying vec2 ripple;\n"
    "uniform sampler2D mirror;\n"
    "void main() {\n"
    "    vec2 at = screen.xy / screen.z + 0.004 * sin(ripple.yx);\n"
    "    gl_FragColor = mix(vec4(0.05, 0.4, 0.45, 1.0), texture2D(mirror, at), 0.55);\n"
    "}\n";

/* A point of the trunk: its left side, or its right side. */
static void
trunk_point(float x, float z, float height, int ring, float side)
{
    float rise = (float)ring / 5.0f, half = 0.06f - 0.03f * rise;
    glColor3f(0.5f - 0.2f * rise, 0.35f, 0.2f);
    glVertex3f(x + 0.3f * rise * rise + side * half, 0.15f + height * rise, z);
}

static void
palm(float x, float z, float height)
{
    const float top = 0.15f + height;
    for (int i = 0; i < 9; i++) {
        float turn = (float)i / 9.0f;
        glColor3f(0.15f, 0.45f + 0.03f * (float)i, 0.15f);
        glVertex3f(x + 0.3f, top, z);
        glVertex3f(x + 0.3f + 0.7f * cosine(turn), top - 0.2f, z + 0.7f * sine(turn));
        glVertex3f(x + 0.3f + 0.6f * cosine(turn + 0.06f), top + 0.05f,
                   z + 0.6f * sine(turn + 0.06f));
    }
    for (int ring = 0; ring < 5; ring++) {
        trunk_point(x, z, height, ring, -1);
        trunk_point(x, z, height, ring, 1);
        trunk_point(x, z, height, ring + 1, -1);
        trunk_point(x, z, height, ring + 1, -1);
        trunk_point(x, z, height, ring, 1);
        trunk_point(x, z, height, ring + 1, 1);
    }
}

/* The palms, the nearest first, on a mound of sand. */
static void
compile_island(void)
{
    island = glGenLists(1);
    glNewList(island, GL_COMPILE);
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < PALMS; i++) {
        float turn = (float)(i * 5 % PALMS) / PALMS;
        palm(1.7f * cosine(turn), -3.6f - 0.16f * (float)i, 1.1f + 0.5f * sine(0.31f * (float)i));
    }
    glEnd();
    glBegin(GL_TRIANGLE_STRIP);
    for (int i = 0; i <= 32; i++) {
        float turn = (float)i / 32.0f;
        glColor3f(0.95f, 0.88f, 0.65f);
        glVertex3f(1.4f * cosine(turn), 0.3f, -5.0f + 1.2f * sine(turn));
        glColor3f(0.85f, 0.75f, 0.5f);
        glVertex3f(2.4f * cosine(turn), 0, -5.0f + 2.0f * sine(turn));
    }
    glEnd();
    glBegin(GL_TRIANGLE_FAN);
    glColor3f(0.95f, 0.9f, 0.7f);
    for (int i = 0; i < 32; i++)
        glVertex3f(1.4f * cosine((float)i / 32.0f), 0.3f, -5.0f + 1.2f * sine((float)i / 32.0f));
    glEnd();
    glEndList();
}

static void
setup(void)
{
    GLuint depth;
    compile_island();
    water = make_program(vertex_shader, fragment_shader);
    glGenTextures(1, &mirror);
    glBindTexture(GL_TEXTURE_2D, mirror);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, MIRROR, MIRROR, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, MIRROR, MIRROR);
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, mirror, 0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glEnable(GL_DEPTH_TEST);
    glClearColor(0.55f, 0.75f, 0.95f, 1.0f);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.6, 0.6, -0.4, 0.4, 1.0, 30.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
look(float flip, uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glTranslatef(0.02f * (float)frame - 0.05f, -0.9f, 0.6f);
    glScalef(1, flip, 1);
    glCallList(island);
}

static void
prepare_tiles(uint32_t frame)
{
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glViewport(0, 0, MIRROR, MIRROR);
    for (int tile = 0; tile < (fixed ? 1 : TILES); tile++)
        look(-1, frame);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

static void
draw(uint32_t frame)
{
    glUseProgram(0);
    prepare_tiles(frame);
    glViewport(0, 0, 336, 224);
    look(1, frame);
    glUseProgram(water);
    glBegin(GL_QUADS);
    for (int tile = 0; tile < TILES; tile++) {
        float x = 6.0f * (float)(tile % 3) - 9.0f, z = -10.0f * (float)(tile / 3);
        glVertex3f(x, 0, z), glVertex3f(x + 6, 0, z);
        glVertex3f(x + 6, 0, z - 10), glVertex3f(x, 0, z - 10);
    }
    glEnd();
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "lagoon",
                                        .about = "A reflection that is rendered six times.",
                                        .width = 336,
                                        .height = 224,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
