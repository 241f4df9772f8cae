/* An image editor: a large document with a frame, and a toolbar of 24 icons that are 24 pixels
 * wide. Four icons share a sheet and a draw. The artist's sheets have 512 x 512 texels per icon.
 * Fixed: they have 32 x 32, and mipmaps. */
#include "planted.h"

#include <GL/gl.h>

enum { SHEETS = 6, LARGE = 512, SMALL = 32, PAPER = 256 };

static bool fixed;
static GLuint sheets[SHEETS], paper;

/* A disc, a ring or bars, antialiased by the size of a texel. */
static void
paint_icon(GLubyte texel[4], float x, float y, int icon)
{
    float r = x * x + y * y, bars = sine(x * (float)(1 + icon % 4));
    float cover = icon % 3 == 0 ? r < 0.8f : icon % 3 == 1 ? r < 0.9f && r > 0.3f : bars > 0.0f;
    texel[0] = (GLubyte)(60 + 8 * icon);
    texel[1] = (GLubyte)(220 - 7 * icon);
    texel[2] = (GLubyte)(120.0f + 60.0f * y);
    texel[3] = (GLubyte)(255.0f * cover);
}

static void
load_sheet(int sheet)
{
    static GLubyte pixels[4 * LARGE * LARGE][4];
    const int size = fixed ? SMALL : LARGE;
    for (int i = 0; i < 4 * size * size; i++) {
        int x = i % (2 * size), y = i / (2 * size);
        paint_icon(pixels[i], 2.0f * (float)(x % size) / (float)size - 1.0f,
                   2.0f * (float)(y % size) / (float)size - 1.0f,
                   4 * sheet + x / size + y / size * 2);
    }
    glBindTexture(GL_TEXTURE_2D, sheets[sheet]);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP);
    load_texture(GL_RGBA8, 2u * (uint32_t)size, fixed, pixels);
}

static void
setup(void)
{
    static GLubyte grain[PAPER * PAPER];
    for (uint32_t i = 0; i < PAPER * PAPER; i++)
        grain[i] = (GLubyte)(200 + noise(i % PAPER, i / PAPER, PAPER, 8, 1) / 5);
    glGenTextures(SHEETS, sheets);
    for (int sheet = 0; sheet < SHEETS; sheet++)
        load_sheet(sheet);
    glGenTextures(1, &paper);
    glBindTexture(GL_TEXTURE_2D, paper);
    glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, GL_TRUE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE8, PAPER, PAPER, 0, GL_LUMINANCE, GL_UNSIGNED_BYTE,
                 grain);
    glOrtho(0, 640, 0, 360, -1, 1);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glClearColor(0.35f, 0.35f, 0.38f, 1.0f);
}

static void
rectangle(float x, float y, float width, float height, float s, float t, float s_end, float t_end)
{
    glTexCoord2f(s, t), glVertex2f(x, y);
    glTexCoord2f(s_end, t), glVertex2f(x + width, y);
    glTexCoord2f(s_end, t_end), glVertex2f(x + width, y + height);
    glTexCoord2f(s, t_end), glVertex2f(x, y + height);
}

/* A page, and a stroke of the brush on it. */
static void
draw_document(uint32_t frame)
{
    glEnable(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D, paper);
    glColor3f(1.0f, 0.98f, 0.9f);
    glBegin(GL_QUADS);
    rectangle(70, 20, 540, 320, 0, 0, 540.0f / PAPER, 320.0f / PAPER);
    glEnd();
    glDisable(GL_TEXTURE_2D);
    glBegin(GL_TRIANGLE_STRIP);
    for (int i = 0; i < 60; i++) {
        float at = (float)i / 60.0f, y = 180.0f + 90.0f * sine(at * 2.0f + 0.02f * (float)frame);
        glColor3f(0.2f + 0.5f * at, 0.3f, 0.7f - 0.5f * at);
        glVertex2f(100.0f + 470.0f * at, y);
        glVertex2f(106.0f + 470.0f * at, y + 30.0f);
    }
    glEnd();
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT);
    draw_document(frame);
    glEnable(GL_TEXTURE_2D);
    glEnable(GL_BLEND);
    glColor3f(1.0f, 1.0f, 1.0f);
    for (int sheet = 0; sheet < SHEETS; sheet++) {
        glBindTexture(GL_TEXTURE_2D, sheets[sheet]);
        glBegin(GL_QUADS);
        for (int icon = 0; icon < 4; icon++) {
            float s = 0.5f * (float)(icon % 2), t = 0.5f * (float)(icon / 2);
            rectangle(4.0f + 28.0f * (float)(icon % 2),
                      8.0f + 28.0f * (float)(2 * sheet + icon / 2), 24, 24, s, t, s + 0.5f,
                      t + 0.5f);
        }
        glEnd();
    }
    glDisable(GL_BLEND);
    glDisable(GL_TEXTURE_2D);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "toolbar",
                                        .about = "Small icons with large textures.",
                                        .width = 640,
                                        .height = 360,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
