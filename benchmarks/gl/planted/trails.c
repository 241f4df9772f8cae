/* Kites with motion blur: the picture so far is copied to a texture, which fades in at the end. The
 * copy is inside the loop over the kites, so that each copy but the last is overwritten unread.
 * Fixed: the copy is after the loop. */
#include "planted.h"

#include <GL/gl.h>

enum { SIZE = 256, KITES = 8 };

static bool fixed;
static GLuint history;

static void
setup(void)
{
    glGenTextures(1, &history);
    glBindTexture(GL_TEXTURE_2D, history);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, SIZE, SIZE, 0, GL_RGB, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glClearColor(0.5f, 0.7f, 0.95f, 1.0f);
}

static void
draw_kite(float x, float y, uint32_t number)
{
    glBegin(GL_TRIANGLE_FAN);
    glColor3f(1.0f, 1.0f, 0.9f);
    glVertex2f(x, y + 0.05f);
    glColor3f((float)(number % 2), 0.3f, (float)(number % 3) / 2.0f);
    glVertex2f(x, y + 0.2f);
    glVertex2f(x + 0.15f, y);
    glVertex2f(x, y - 0.3f);
    glVertex2f(x - 0.15f, y);
    glVertex2f(x, y + 0.2f);
    glEnd();
}

/* Shows the copy a little to the right, half transparent. */
static void
fade_in(void)
{
    static const float corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    glEnable(GL_TEXTURE_2D);
    glEnable(GL_BLEND);
    glColor4f(1.0f, 1.0f, 1.0f, 0.5f);
    glBegin(GL_QUADS);
    for (uint32_t i = 0; i < 4; i++) {
        glTexCoord2fv(corners[i]);
        glVertex2f(2.0f * corners[i][0] - 1.0f + 0.03125f, 2.0f * corners[i][1] - 1.0f);
    }
    glEnd();
    glDisable(GL_BLEND);
    glDisable(GL_TEXTURE_2D);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT);
    for (uint32_t i = 0; i < KITES; i++) {
        float angle = (float)i / KITES + 0.02f * (float)frame;
        draw_kite(0.6f * cosine(angle), 0.6f * sine(angle), i);
        if (!fixed)
            glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, SIZE, SIZE);
    }
    if (fixed)
        glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, SIZE, SIZE);
    fade_in();
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "trails",
                                        .about = "A copy of the picture after each kite.",
                                        .width = SIZE,
                                        .height = SIZE,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
