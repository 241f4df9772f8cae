/* A space shooter in two dimensions with rings of 1,536 bullets. Its sprite batcher moves the
 * bullets of a ring, writes them over the vertex buffer of the last ring, and draws them. Fixed:
 * the buffer contains all rings, is filled before the first frame, and each ring has a matrix. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { RINGS = 32, BULLETS = 48, SHEETS = 6, SHEET = 64, STARS = 150 };

struct corner {
    GLfloat x, y, s, t;
};

static bool fixed;
static GLuint sheets[SHEETS], buffer, stars;
static struct corner corners[RINGS][BULLETS][4];

static void
load_sheet(uint32_t sheet)
{
    static GLubyte texels[SHEET * SHEET][4];
    for (uint32_t i = 0; i < SHEET * SHEET; i++) {
        float x = (float)(i % 32) / 16.0f - 1.0f, y = (float)(i / SHEET % 32) / 16.0f - 1.0f;
        float wings = x < 0.0f ? -x : x;
        bool body = sheet % 2 ? wings * wings + y * y < 0.8f : y + 1.6f * wings < 0.8f;
        texels[i][0] = (GLubyte)(80 + 30 * sheet);
        texels[i][1] = (GLubyte)(200 - 25 * sheet + noise(i % SHEET, i / SHEET, SHEET, 4, 2) / 5);
        texels[i][2] = (GLubyte)(120.0f + 100.0f * y);
        texels[i][3] = body ? 255 : 0;
    }
    glBindTexture(GL_TEXTURE_2D, sheets[sheet]);
    load_texture(GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, SHEET, true, texels);
}

static void
place_bullets(int ring)
{
    for (int i = 0; i < BULLETS; i++) {
        float turn = (float)i / BULLETS, radius = 8.0f + 3.1f * (float)ring;
        float x = 124.0f + (radius + 5.0f * sine(6.0f * turn)) * cosine(turn);
        float y = 124.0f + (radius + 5.0f * sine(6.0f * turn)) * sine(turn);
        float side = (float)(5 + ring / 16), s = 0.5f * (float)(i % 2);
        struct corner *c = corners[ring][i];
        c[0] = (struct corner){x, y, s, 0};
        c[1] = (struct corner){x + side, y, s + 0.5f, 0};
        c[2] = (struct corner){x + side, y + side, s + 0.5f, 0.5f};
        c[3] = (struct corner){x, y + side, s, 0.5f};
    }
}

static void
compile_stars(void)
{
    struct random random = {3};
    stars = glGenLists(1);
    glNewList(stars, GL_COMPILE);
    glBegin(GL_POINTS);
    for (int i = 0; i < STARS; i++) {
        float glow = 0.3f + 0.7f * random_next(&random), x = 256.0f * random_next(&random);
        glColor3f(glow, glow, 0.8f);
        glVertex2f(x, 256.0f * random_next(&random));
    }
    glEnd();
    glColor3f(1, 1, 1);
    glEndList();
}

static void
setup(void)
{
    glGenTextures(SHEETS, sheets);
    for (uint32_t sheet = 0; sheet < SHEETS; sheet++)
        load_sheet(sheet);
    for (int ring = 0; ring < RINGS; ring++)
        place_bullets(ring);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, fixed ? sizeof corners : sizeof corners[0], corners,
                 fixed ? GL_STATIC_DRAW : GL_DYNAMIC_DRAW);
    glVertexPointer(2, GL_FLOAT, sizeof(struct corner), NULL);
    glTexCoordPointer(2, GL_FLOAT, sizeof(struct corner), (void *)(2 * sizeof(GLfloat)));
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    compile_stars();
    glMatrixMode(GL_PROJECTION);
    glOrtho(0, 256, 0, 256, -1, 1);
    glMatrixMode(GL_MODELVIEW);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

/* Writes the moved bullets over those of the last ring. */
static void
refill(int ring, float x, float y)
{
    static struct corner moved[BULLETS * 4];
    for (int i = 0; i < BULLETS * 4; i++) {
        moved[i] = corners[ring][i / 4][i % 4];
        moved[i].x += x;
        moved[i].y += y;
    }
    glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof moved, moved);
}

static void
draw_rings(uint32_t frame)
{
    for (int ring = 0; ring < RINGS; ring++) {
        float x = 14.0f * sine(0.02f * (float)frame + 0.05f * (float)ring);
        float y = 9.0f * sine(0.03f * (float)frame + 0.08f * (float)ring);
        glLoadIdentity();
        if (fixed)
            glTranslatef(x, y, 0);
        else
            refill(ring, x, y);
        glBindTexture(GL_TEXTURE_2D, sheets[ring % SHEETS]);
        glDrawArrays(GL_QUADS, fixed ? ring * BULLETS * 4 : 0, BULLETS * 4);
    }
    glLoadIdentity();
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT);
    glCallList(stars);
    glEnable(GL_TEXTURE_2D);
    glEnable(GL_BLEND);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    draw_rings(frame);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glDisableClientState(GL_TEXTURE_COORD_ARRAY);
    glDisableClientState(GL_VERTEX_ARRAY);
    glDisable(GL_BLEND);
    glDisable(GL_TEXTURE_2D);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "arcade",
                                        .about = "One small vertex buffer for all rings.",
                                        .width = 256,
                                        .height = 256,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
