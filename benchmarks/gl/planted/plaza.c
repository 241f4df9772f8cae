/* A paved plaza to the horizon, in immediate mode. The paving has no mipmaps. Fixed: it has. */
#include "planted.h"

#include <GL/gl.h>
#include <GL/glext.h>

enum { STONE = 1024 };

static bool fixed;

static void
setup(void)
{
    static GLubyte texels[STONE][STONE][4];
    for (uint32_t y = 0; y < STONE; y++) {
        for (uint32_t x = 0; x < STONE; x++) {
            bool joint = x % 128 < 6 || (y + x / 128 % 2 * 64) % 128 < 6;
            GLubyte grain = noise(x, y, STONE, 32, 5);
            texels[y][x][0] = joint ? 60 : (GLubyte)(120 + grain / 3);
            texels[y][x][1] = joint ? 60 : (GLubyte)(110 + grain / 3);
            texels[y][x][2] = joint ? 55 : (GLubyte)(100 + grain / 4);
            texels[y][x][3] = 255;
        }
    }
    if (fixed)
        glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, GL_TRUE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                    fixed ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, STONE, STONE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-1.0, 1.0, -0.75, 0.75, 1.0, 100.0);
    glMatrixMode(GL_MODELVIEW);
    glClearColor(0.4f, 0.6f, 0.9f, 1.0f);
}

/* A cube of two metres on the plaza. */
static void
draw_block(float x, float z)
{
    glBegin(GL_QUADS);
    glColor3f(0.8f, 0.3f, 0.2f);
    glVertex3f(x - 1, -1.5f, z);
    glVertex3f(x + 1, -1.5f, z);
    glVertex3f(x + 1, 0.5f, z);
    glVertex3f(x - 1, 0.5f, z);
    glColor3f(0.6f, 0.2f, 0.15f);
    glVertex3f(x + 1, -1.5f, z);
    glVertex3f(x + 1, -1.5f, z - 2);
    glVertex3f(x + 1, 0.5f, z - 2);
    glVertex3f(x + 1, 0.5f, z);
    glEnd();
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glTranslatef(0.0f, 0.0f, 0.1f * (float)frame);
    glEnable(GL_DEPTH_TEST);
    draw_block(-6.0f, -8.0f);
    draw_block(5.0f, -14.0f);
    glEnable(GL_TEXTURE_2D);
    glColor3f(1.0f, 1.0f, 1.0f);
    glBegin(GL_QUADS);
    glTexCoord2f(0.0f, 0.0f);
    glVertex3f(-90.0f, -1.5f, -0.5f);
    glTexCoord2f(40.0f, 0.0f);
    glVertex3f(90.0f, -1.5f, -0.5f);
    glTexCoord2f(40.0f, 20.0f);
    glVertex3f(90.0f, -1.5f, -90.0f);
    glTexCoord2f(0.0f, 20.0f);
    glVertex3f(-90.0f, -1.5f, -90.0f);
    glEnd();
    glDisable(GL_TEXTURE_2D);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "plaza",
                                        .about = "Paving to the horizon, without mipmaps.",
                                        .width = 512,
                                        .height = 384,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
