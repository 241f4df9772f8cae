/* Eight piles of playing cards on a table, with the face and a linen texture, in client arrays. The
 * game draws the table, then the lowest card of each pile, then the next cards up, although each
 * card has its own depth. Fixed: it starts with the highest cards, and ends with the table. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { PILES = 8, HEIGHT_OF_PILE = 12, FACES = 256, LINEN = 64 };

typedef struct {
    GLfloat face[2], linen[2], place[3];
} Corner;

static bool fixed;
static GLuint faces, linen;

static void
setup(void)
{
    static uint8_t texels[FACES * FACES][4];
    for (uint32_t i = 0; i < FACES * FACES; i++) {
        uint32_t x = i % FACES % 64, y = i / FACES % 64, suit = i % FACES / 64 + i / FACES / 64 * 4;
        bool pip = (x / 8 + suit) % 3 == 1 && y / 8 % 2 == 1, edge = x < 2 || y < 2;
        texels[i][0] = edge ? 90 : pip && suit % 2 ? 200 : pip ? 20 : 245;
        texels[i][1] = texels[i][2] = edge ? 90 : pip ? 25 : 240;
        texels[i][3] = 255;
    }
    glGenTextures(1, &faces);
    glBindTexture(GL_TEXTURE_2D, faces);
    load_texture(GL_COMPRESSED_RGB_S3TC_DXT1_EXT, FACES, true, texels);
    glEnable(GL_TEXTURE_2D);
    for (uint32_t i = 0; i < LINEN * LINEN; i++) {
        texels[i][0] = texels[i][1] = texels[i][2] = (uint8_t)(i % 2 ^ i / LINEN % 2 ? 255 : 225);
        texels[i][3] = 255;
    }
    glActiveTexture(GL_TEXTURE1);
    glGenTextures(1, &linen);
    glBindTexture(GL_TEXTURE_2D, linen);
    load_texture(GL_LUMINANCE8, LINEN, true, texels);
    glEnable(GL_TEXTURE_2D);
    glEnable(GL_DEPTH_TEST);
    glMatrixMode(GL_PROJECTION);
    glOrtho(0, 640, 0, 480, -1, 1);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    glClientActiveTexture(GL_TEXTURE1);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
}

static void
rectangle(Corner *corner, int card, float x, float y, float width, float height, float z)
{
    for (int i = 0; i < 4; i++) {
        int right = i == 1 || i == 2, top = i / 2;
        corner[i] = (Corner){{(float)(card % 4 + right) / 4, (float)(card / 4 % 4 + top) / 4},
                             {(float)right * width / LINEN, (float)top * height / LINEN},
                             {x + (float)right * width, y + (float)top * height, z}};
    }
}

static void
draw_corners(const Corner *corners, GLsizei count)
{
    glVertexPointer(3, GL_FLOAT, sizeof *corners, corners->place);
    glClientActiveTexture(GL_TEXTURE0);
    glTexCoordPointer(2, GL_FLOAT, sizeof *corners, corners->face);
    glClientActiveTexture(GL_TEXTURE1);
    glTexCoordPointer(2, GL_FLOAT, sizeof *corners, corners->linen);
    glDrawArrays(GL_QUADS, 0, count);
}

/* The cards at one height of all piles; the piles sway. */
static void
draw_level(int level, uint32_t frame)
{
    Corner corners[PILES * 4];
    for (int pile = 0; pile < PILES; pile++) {
        float x = 8.0f + 158.0f * (float)(pile % 4) +
                  3.0f * sine(0.07f * (float)(level + pile) + 0.02f * (float)frame);
        float y = 12.0f + 236.0f * (float)(pile / 4) + 1.5f * (float)level;
        rectangle(corners + 4 * pile, level * 5 + pile, x, y, 144, 200, 0.05f * (float)level);
    }
    draw_corners(corners, PILES * 4);
}

static void
draw_table(uint32_t frame)
{
    Corner corners[4];
    glColor3f(0.2f + 0.01f * (float)(frame % 4), 0.5f, 0.3f);
    rectangle(corners, 0, 0, 0, 640, 480, -0.5f);
    for (int i = 0; i < 4; i++)
        corners[i].face[0] = corners[i].face[1] = 0.05f;
    draw_corners(corners, 4);
    glColor3f(1.0f, 1.0f, 1.0f);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    if (!fixed)
        draw_table(frame);
    for (int i = 0; i < HEIGHT_OF_PILE; i++)
        draw_level(fixed ? HEIGHT_OF_PILE - 1 - i : i, frame);
    if (fixed)
        draw_table(frame);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "cards",
                                        .about = "Piles of cards, the lowest first.",
                                        .width = 640,
                                        .height = 480,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
