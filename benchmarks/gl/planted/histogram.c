/* A nautical chart whose contrast is adjusted to its own histogram. The lower layers are copied to
 * a texture; the program reads it back and counts its tones before it draws the upper layers.
 * Fixed: after the last draw, the GPU reduces the texture to a smaller one, which the program reads
 * back. The counts are used in the next frame. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { WIDTH = 320, HEIGHT = 256, PART = 192, SMALL = 32, RINGS = 14 };

static bool fixed;
static GLuint part, sheet, small, small_target;
static float gain = 1.0f;

static void
setup(void)
{
    static GLubyte waves[256 * 256];
    for (uint32_t i = 0; i < 256 * 256; i++)
        waves[i] = (GLubyte)(96 + noise(i % 256, i / 256, 256, 32, 2) / 2);
    glGenTextures(1, &sheet);
    glBindTexture(GL_TEXTURE_2D, sheet);
    glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, GL_TRUE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE8, 256, 256, 0, GL_LUMINANCE, GL_UNSIGNED_BYTE,
                 waves);
    glGenTextures(1, &part);
    glBindTexture(GL_TEXTURE_2D, part);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, PART, PART, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGenRenderbuffers(1, &small);
    glBindRenderbuffer(GL_RENDERBUFFER, small);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SMALL, SMALL);
    glGenFramebuffers(1, &small_target);
    glBindFramebuffer(GL_FRAMEBUFFER, small_target);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, small);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glOrtho(0, WIDTH, 0, HEIGHT, -1, 1);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

static void
draw_sea(uint32_t frame)
{
    glEnable(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D, sheet);
    glBegin(GL_QUADS);
    glColor3f(0.3f * gain, 0.5f * gain, 0.8f * gain);
    glTexCoord2f(0.01f * (float)frame, 0), glVertex2i(0, 0);
    glTexCoord2f(0.01f * (float)frame + WIDTH / 256.0f, 0), glVertex2i(WIDTH, 0);
    glTexCoord2f(0.01f * (float)frame + WIDTH / 256.0f, 1), glVertex2i(WIDTH, HEIGHT);
    glTexCoord2f(0.01f * (float)frame, 1), glVertex2i(0, HEIGHT);
    glEnd();
    glDisable(GL_TEXTURE_2D);
}

static void
blob(float x, float y, float radius, float red, float green, float blue, float alpha)
{
    glColor4f(red, green, blue, alpha);
    for (int i = 0; i < 24; i++) {
        float from = (float)i / 24.0f, to = (float)(i + 1) / 24.0f;
        glVertex2f(x, y);
        glVertex2f(x + radius * cosine(from) * 1.2f, y + radius * sine(from));
        glVertex2f(x + radius * cosine(to) * 1.2f, y + radius * sine(to));
    }
}

/* Depth contours around two islands. */
static void
draw_depths(void)
{
    glEnable(GL_BLEND);
    glBegin(GL_TRIANGLES);
    for (int ring = 0; ring < RINGS; ring++)
        blob(ring % 2 ? 210.0f : 100.0f, ring % 2 ? 150.0f : 110.0f, 90.0f - 5.0f * (float)ring,
             0.3f * gain, 0.6f * gain, 0.9f * gain, 0.2f);
    glEnd();
    glDisable(GL_BLEND);
}

static void
draw_land(uint32_t frame)
{
    glEnable(GL_BLEND);
    glBegin(GL_TRIANGLES);
    blob(100, 110, 24, 0.8f * gain, 0.75f * gain, 0.5f * gain, 1.0f);
    blob(210, 150, 20, 0.75f * gain, 0.7f * gain, 0.5f * gain, 1.0f);
    for (int ship = 0; ship < 6; ship++)
        blob(30.0f + 50.0f * (float)ship + (float)frame, 60.0f + 28.0f * (float)(ship % 4), 14.0f,
             0.9f, 0.2f, 0.2f, 0.5f);
    glEnd();
    glDisable(GL_BLEND);
}

static void
copy_part(void)
{
    glBindTexture(GL_TEXTURE_2D, part);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 64, 32, PART, PART);
}

/* The gain puts the median tone at the middle. */
static void
count_tones(GLubyte (*texels)[4], uint32_t count)
{
    uint32_t counts[256] = {0}, below = 0, median = 0;
    for (uint32_t i = 0; i < count; i++)
        counts[texels[i][1]]++;
    while (median < 255 && below + counts[median] < count / 2)
        below += counts[median++];
    gain = 0.8f + 25.0f / (float)(median + 1);
}

static void
fetch_part(void)
{
    static GLubyte texels[PART * PART][4];
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    count_tones(texels, PART * PART);
}

static void
reduce_part(void)
{
    GLubyte texels[SMALL * SMALL][4];
    glBindFramebuffer(GL_FRAMEBUFFER, small_target);
    glBindTexture(GL_TEXTURE_2D, part);
    glViewport(0, 0, SMALL, SMALL);
    glEnable(GL_TEXTURE_2D);
    glColor3f(1.0f, 1.0f, 1.0f);
    glBegin(GL_QUADS);
    glTexCoord2f(0, 0), glVertex2i(0, 0), glTexCoord2f(1, 0), glVertex2i(WIDTH, 0);
    glTexCoord2f(1, 1), glVertex2i(WIDTH, HEIGHT), glTexCoord2f(0, 1), glVertex2i(0, HEIGHT);
    glEnd();
    glDisable(GL_TEXTURE_2D);
    glReadPixels(0, 0, SMALL, SMALL, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, WIDTH, HEIGHT);
    count_tones(texels, SMALL * SMALL);
}

/* The first frame has the gain 1. */
static void
draw(uint32_t frame)
{
    draw_sea(frame);
    draw_depths();
    copy_part();
    if (!fixed && frame)
        fetch_part();
    draw_land(frame);
    if (fixed && frame)
        reduce_part();
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "histogram",
                                        .about = "A chart that counts its own tones.",
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
