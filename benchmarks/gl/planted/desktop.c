/* A desktop of opaque windows with client arrays. Each window has a depth, and the compositor draws
 * the stack from back to front. Fixed: it draws the stack from front to back. */
#include "planted.h"

#include <GL/gl.h>
#include <stdlib.h>

enum { WIDTH = 512, HEIGHT = 384, WINDOWS = 12, PAGE = 256 };

struct pane {
    GLfloat position[4][3];
    GLfloat texel[4][2];
    GLuint page;
};

static bool fixed;
static struct pane panes[WINDOWS];

static GLuint
make_page(uint32_t seed)
{
    GLubyte *texels = malloc(PAGE * PAGE * 4), *next = texels;
    for (uint32_t y = 0; y < PAGE; y++) {
        for (uint32_t x = 0; x < PAGE; x++) {
            bool ink = y % 12 > 4 && noise(x, y / 12, PAGE, 2, seed) > 140;
            *next++ = ink ? 30 : 240;
            *next++ = ink ? 30 : (GLubyte)(200 + 10 * (seed % 5));
            *next++ = y > PAGE - 16 ? 200 : 150;
            *next++ = 255;
        }
    }
    GLuint page;
    glGenTextures(1, &page);
    glBindTexture(GL_TEXTURE_2D, page);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, PAGE, PAGE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    free(texels);
    return page;
}

/* Window 0 is at the bottom. */
static void
open_pane(struct pane *pane, uint32_t number)
{
    float x = 6.0f * (float)(number * 5 % WINDOWS), y = 5.0f * (float)(number * 7 % WINDOWS);
    float right = x + 430.0f, top = y + 310.0f;
    for (uint32_t i = 0; i < 4; i++) {
        bool at_right = i == 1 || i == 2, at_top = i > 1;
        pane->position[i][0] = at_right ? right : x;
        pane->position[i][1] = at_top ? top : y;
        pane->position[i][2] = (float)number;
        pane->texel[i][0] = at_right ? 430.0f / PAGE : 0.0f;
        pane->texel[i][1] = at_top ? 310.0f / PAGE : 0.0f;
    }
    pane->page = make_page(number + 1);
}

static void
setup(void)
{
    for (uint32_t i = 0; i < WINDOWS; i++)
        open_pane(&panes[i], i);
    glMatrixMode(GL_PROJECTION);
    glOrtho(0.0, WIDTH, 0.0, HEIGHT, -100.0, 100.0);
    glEnable(GL_TEXTURE_2D);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glClearColor(0.1f, 0.3f, 0.4f, 1.0f);
}

static void
draw(uint32_t frame)
{
    (void)frame;
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    for (uint32_t i = 0; i < WINDOWS; i++) {
        const struct pane *pane = &panes[fixed ? WINDOWS - 1 - i : i];
        glBindTexture(GL_TEXTURE_2D, pane->page);
        glVertexPointer(3, GL_FLOAT, 0, pane->position);
        glTexCoordPointer(2, GL_FLOAT, 0, pane->texel);
        glDrawArrays(GL_TRIANGLE_FAN, 0, 4);
    }
    glDisableClientState(GL_TEXTURE_COORD_ARRAY);
    glDisableClientState(GL_VERTEX_ARRAY);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "desktop",
                                        .about = "A stack of opaque windows, the lowest first.",
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
