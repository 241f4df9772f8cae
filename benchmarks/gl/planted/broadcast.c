/* The picture of a sports broadcast: a stadium, and nine panels with text that moves to the left.
 * When the interface reaches a panel, the CPU moves the panel's text by
 * a few pixels, and uploads the panel into the texture of the previous panel. Fixed: the texts of
 * all panels are in one compressed texture from the start, and the texture coordinates move. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <string.h>

#define PANELS 9
#define LINE   256 /* width of a panel's texture */
#define TALL   32

static bool fixed;
static GLuint panel_texture, stadium;
static GLubyte texts[16 * TALL][LINE][2]; /* luminance and alpha */

/* One of 64 characters, 12 x 20 pixels in cells of 16 x 32. */
static bool
ink(uint32_t character, uint32_t x, uint32_t y)
{
    if (x < 2 || x >= 14 || y < 6 || y >= 26)
        return false;
    uint32_t bars = (character * 2654435761u) >> 12, column = (x - 2) / 4, row = (y - 6) / 4;
    return bars >> (row * 3 + column) & 1;
}

static void
write_texts(void)
{
    for (uint32_t y = 0; y < PANELS * TALL; y++) {
        for (uint32_t x = 0; x < LINE; x++) {
            bool lit = ink(y / TALL * 17 + x / 16 + 1, x % 16, y % TALL);
            texts[y][x][0] = lit ? 255 : 0;
            texts[y][x][1] = lit ? 255 : 128;
        }
    }
}

static void
compile_stadium(void)
{
    stadium = glGenLists(1);
    glNewList(stadium, GL_COMPILE);
    glBegin(GL_QUADS);
    for (int i = 0; i < 12; i++) { /* the lawn, mown in stripes */
        float left = 32.0f * (float)i, top = 150.0f;
        glColor3f(0.2f, i % 2 ? 0.55f : 0.5f, 0.2f);
        glVertex2f(left, 0), glVertex2f(left + 32, 0);
        glVertex2f(96 + left * 0.5f + 16, top), glVertex2f(96 + left * 0.5f, top);
    }
    glColor3f(0.5f, 0.5f, 0.6f), glVertex2f(0, 150), glVertex2f(384, 150);
    glColor3f(0.25f, 0.3f, 0.5f), glVertex2f(384, 288), glVertex2f(0, 288);
    glEnd();
    glPointSize(3.0f);
    glBegin(GL_POINTS);
    for (int i = 0; i < 1500; i++) { /* the crowd */
        float shade = (float)(i * 37 % 101) / 101.0f;
        glColor3f(0.4f + 0.5f * shade, 0.7f - 0.4f * shade, 0.3f + (float)(i % 7) * 0.1f);
        glVertex2f((float)(i * 59 % 384), 158.0f + (float)(i % 25) * 4.0f);
    }
    glEnd();
    glColor3f(1, 1, 1);
    glEndList();
}

static void
setup(void)
{
    const int lines = fixed ? 16 : 1;
    write_texts();
    compile_stadium();
    glGenTextures(1, &panel_texture);
    glBindTexture(GL_TEXTURE_2D, panel_texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, fixed ? GL_COMPRESSED_RGBA_S3TC_DXT5_EXT : GL_LUMINANCE8_ALPHA8,
                 LINE, lines * TALL, 0, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, texts);
    glOrtho(0, 384, 0, 288, -1, 1);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

static void
panel_quad(int panel, float left, float bottom, float top)
{
    float x = panel % 2 ? 120.0f : 8.0f, y = 4.0f + 31.0f * (float)panel;
    glTexCoord2f(left, bottom), glVertex2f(x, y);
    glTexCoord2f(left + 1, bottom), glVertex2f(x + LINE, y);
    glTexCoord2f(left + 1, top), glVertex2f(x + LINE, y + TALL);
    glTexCoord2f(left, top), glVertex2f(x, y + TALL);
}

/* Uploads the text of a panel, which begins at the pixel `start`. */
static void
upload_panel(int panel, uint32_t start)
{
    static GLubyte pixels[TALL][LINE][2];
    for (int y = 0; y < TALL; y++) {
        const GLubyte(*line)[2] = texts[panel * TALL + y];
        memcpy(pixels[y], line[start], (LINE - start) * 2);
        memcpy(pixels[y][LINE - start], line, start * 2);
    }
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, LINE, TALL, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE,
                    pixels);
}

static void
draw_panels(uint32_t frame)
{
    const float line = 1.0f / 16.0f;
    if (fixed)
        glBegin(GL_QUADS);
    for (int panel = 0; panel < PANELS; panel++) {
        uint32_t start = ((uint32_t)panel * 19 + frame * 2) % LINE;
        if (fixed) {
            panel_quad(panel, (float)start / LINE, line * (float)panel, line * (float)(panel + 1));
            continue;
        }
        upload_panel(panel, start);
        glBegin(GL_QUADS);
        panel_quad(panel, 0, 0, 1);
        glEnd();
    }
    if (fixed)
        glEnd();
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT);
    glCallList(stadium);
    glEnable(GL_TEXTURE_2D);
    glEnable(GL_BLEND);
    draw_panels(frame);
    glDisable(GL_BLEND);
    glDisable(GL_TEXTURE_2D);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "broadcast",
                                        .about = "Panels that are uploaded during the frame.",
                                        .width = 384,
                                        .height = 288,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
