/* A night sky in eight passes. Each pass dims the texture of the sky and adds fireworks, and the
 * texture is blitted to a second one after each pass. Only the last of these copies is read. Fixed:
 * one blit, after the last pass. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#define WIDTH  384
#define HEIGHT 288
#define PASSES 8
#define SPARKS 40

static bool fixed;

static struct {
    GLuint framebuffer, texture;
} work, result;

static void
create(GLuint *framebuffer, GLuint *texture)
{
    glGenTextures(1, texture);
    glBindTexture(GL_TEXTURE_2D, *texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, WIDTH, HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGenFramebuffers(1, framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, *framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, *texture, 0);
}

static void
setup(void)
{
    create(&work.framebuffer, &work.texture);
    create(&result.framebuffer, &result.texture);
}

static void
dim(void)
{
    glBlendFunc(GL_ZERO, GL_SRC_COLOR);
    glColor3f(0.85f, 0.87f, 0.9f);
    glRectf(-1.0f, -1.0f, 1.0f, 1.0f);
}

static void
draw_burst(int pass, uint32_t frame)
{
    struct random random = {((uint32_t)pass + 1) * 2654435761u};
    float x = -0.8f + 1.6f * random_next(&random), y = 0.7f * random_next(&random);
    float reach = 0.2f + 0.04f * (float)((frame + (uint32_t)pass) % 8);
    glBlendFunc(GL_ONE, GL_ONE);
    glBegin(GL_TRIANGLES);
    for (int spark = 0; spark < SPARKS; spark++) {
        float turn = random_next(&random), far = reach * (0.4f + random_next(&random));
        float tip_x = x + far * cosine(turn), tip_y = y + far * sine(turn);
        glColor3f(0.3f * (float)(pass % 3), 0.25f, 0.3f * (float)((pass + 1) % 3));
        glVertex2f(x, y);
        glColor3f(0.4f, 0.3f, 0.1f);
        glVertex2f(tip_x + 0.03f * sine(turn), tip_y - 0.03f * cosine(turn));
        glVertex2f(tip_x - 0.03f * sine(turn), tip_y + 0.03f * cosine(turn));
    }
    glEnd();
}

static void
keep_result(void)
{
    glBindFramebuffer(GL_READ_FRAMEBUFFER, work.framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, result.framebuffer);
    glBlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, work.framebuffer);
}

/* The picture above its reflection in the lake. */
static void
present(void)
{
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glEnable(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D, result.texture);
    glBegin(GL_QUADS);
    glColor3f(1.0f, 1.0f, 1.0f);
    glTexCoord2f(0, 0.4f), glVertex2f(-1, -0.2f), glTexCoord2f(1, 0.4f), glVertex2f(1, -0.2f);
    glTexCoord2f(1, 1), glVertex2f(1, 1), glTexCoord2f(0, 1), glVertex2f(-1, 1);
    glColor3f(0.4f, 0.5f, 0.6f);
    glTexCoord2f(0, 0.8f), glVertex2f(-1, -1), glTexCoord2f(1, 0.8f), glVertex2f(1, -1);
    glTexCoord2f(1, 0.4f), glVertex2f(1, -0.2f), glTexCoord2f(0, 0.4f), glVertex2f(-1, -0.2f);
    glEnd();
    glDisable(GL_TEXTURE_2D);
}

static void
draw(uint32_t frame)
{
    glBindFramebuffer(GL_FRAMEBUFFER, work.framebuffer);
    glClearColor(0.1f, 0.1f, 0.3f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    for (int pass = 0; pass < PASSES; pass++) {
        glEnable(GL_BLEND);
        dim();
        draw_burst(pass, frame);
        glDisable(GL_BLEND);
        if (!fixed || pass == PASSES - 1)
            keep_result();
    }
    present();
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "passes",
                                        .about = "Passes that are each followed by a blit.",
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
