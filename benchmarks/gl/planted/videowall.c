/* A wall of 80 screens that show different pictures. The program has one texture, and uploads each
 * picture before it draws the screen. Fixed: all pictures are uploaded before the first draw, into
 * one large texture. */
#include "planted.h"

#include <GL/gl.h>
#include <stdlib.h>

enum { COLUMNS = 10, ROWS = 8, SCREENS = COLUMNS * ROWS, PICTURE = 32, CELL = 56, ATLAS = 512 };

static bool fixed;
static GLubyte (*pictures)[PICTURE * PICTURE][4];

static void
play(uint32_t frame)
{
    for (uint32_t screen = 0; screen < SCREENS; screen++) {
        for (uint32_t i = 0; i < PICTURE * PICTURE; i++) {
            uint32_t x = i % PICTURE + 3 * frame, y = i / PICTURE;
            pictures[screen][i][0] = noise(x, y, 32, 16, screen);
            pictures[screen][i][1] = noise(x, y, 32, 8, screen + 50);
            pictures[screen][i][2] = (GLubyte)(3 * screen);
            pictures[screen][i][3] = 255;
        }
    }
}

static void
setup(void)
{
    GLsizei size = fixed ? ATLAS : PICTURE;
    pictures = malloc(sizeof *pictures * SCREENS);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glEnable(GL_TEXTURE_2D);
    glMatrixMode(GL_PROJECTION);
    glOrtho(0.0, COLUMNS * CELL, 0.0, ROWS * CELL, -1.0, 1.0);
    glClearColor(0.1f, 0.1f, 0.1f, 1.0f);
}

/* (s, t) is the corner of the picture in the texture. */
static void
draw_screen(uint32_t screen, float s, float t, float extent)
{
    const float corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    float x = (float)(screen % COLUMNS * CELL + 2), y = (float)(screen / COLUMNS * CELL + 2);
    glBegin(GL_QUADS);
    for (uint32_t i = 0; i < 4; i++) {
        glTexCoord2f(s + extent * corners[i][0], t + extent * corners[i][1]);
        glVertex2f(x + corners[i][0] * (CELL - 4), y + corners[i][1] * (CELL - 4));
    }
    glEnd();
}

static void
draw(uint32_t frame)
{
    const uint32_t across = ATLAS / PICTURE;
    play(frame);
    glClear(GL_COLOR_BUFFER_BIT);
    if (fixed)
        for (uint32_t i = 0; i < SCREENS; i++)
            glTexSubImage2D(GL_TEXTURE_2D, 0, (GLint)(i % across * PICTURE),
                            (GLint)(i / across * PICTURE), PICTURE, PICTURE, GL_RGBA,
                            GL_UNSIGNED_BYTE, pictures[i]);
    for (uint32_t i = 0; i < SCREENS; i++) {
        if (fixed) {
            draw_screen(i, (float)(i % across) / (float)across, (float)(i / across) / (float)across,
                        1.0f / (float)across);
            continue;
        }
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, PICTURE, PICTURE, GL_RGBA, GL_UNSIGNED_BYTE,
                        pictures[i]);
        draw_screen(i, 0.0f, 0.0f, 1.0f);
    }
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "videowall",
                                        .about = "Screens whose pictures share one texture.",
                                        .width = COLUMNS * CELL,
                                        .height = ROWS * CELL,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
