/* A terminal of 72 x 24 characters over its background picture. The outlines of the characters are
 * in one vertex buffer. Each character is a draw with a separate matrix. Fixed: all characters
 * are in one client array, and are one draw. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { COLUMNS = 72, ROWS = 24, LETTERS = 64, FONT = 128, CELL_X = 8, CELL_Y = 14 };

struct point {
    GLshort x, y;
    GLfloat s, t;
};

static bool fixed;
static GLuint font, shapes;
static struct point letters[LETTERS][4];

static void
make_font(void)
{
    static GLubyte bits[FONT][FONT];
    struct random random = {99};
    for (int letter = 0; letter < LETTERS; letter++) {
        int left = letter % 8 * 16, top = letter / 8 * 16;
        for (int y = 1; y < 15; y++)
            for (int x = 2; x < 14; x++)
                bits[top + y][left + x] =
                    (x / 3 + y / 3) % 2 || random_next(&random) < 0.3f ? 0 : 255;
        for (int c = 0; c < 4; c++) {
            int right = c == 1 || c == 2, up = c >= 2;
            letters[letter][c] = (struct point){(GLshort)(right * CELL_X), (GLshort)(up * CELL_Y),
                                                (GLfloat)(left + 16 * right) / FONT,
                                                (GLfloat)(top + 16 * up) / FONT};
        }
    }
    glGenTextures(1, &font);
    glBindTexture(GL_TEXTURE_2D, font);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, GL_TRUE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_ALPHA8, FONT, FONT, 0, GL_ALPHA, GL_UNSIGNED_BYTE, bits);
}

static void
setup(void)
{
    make_font();
    glGenBuffers(1, &shapes);
    glBindBuffer(GL_ARRAY_BUFFER, shapes);
    glBufferData(GL_ARRAY_BUFFER, sizeof letters, letters, GL_STATIC_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glMatrixMode(GL_PROJECTION);
    glOrtho(0, 600, 0, 360, -1, 1);
    glMatrixMode(GL_MODELVIEW);
}

static int
letter_at(int row, int column, uint32_t frame)
{
    uint32_t hash = ((uint32_t)row + frame) * 2246822519u + (uint32_t)column * 374761393u;
    return (int)((hash ^ hash >> 15) % LETTERS);
}

static void
all_at_once(uint32_t frame)
{
    static struct point text[ROWS * COLUMNS * 4];
    for (int i = 0; i < ROWS * COLUMNS * 4; i++) {
        int row = i / 4 / COLUMNS, column = i / 4 % COLUMNS;
        text[i] = letters[letter_at(row, column, frame)][i % 4];
        text[i].x = (GLshort)(text[i].x + 12 + column * CELL_X);
        text[i].y = (GLshort)(text[i].y + 12 + row * CELL_Y);
    }
    glVertexPointer(2, GL_SHORT, sizeof text[0], &text->x);
    glTexCoordPointer(2, GL_FLOAT, sizeof text[0], &text->s);
    glDrawArrays(GL_QUADS, 0, ROWS * COLUMNS * 4);
}

static void
letter_by_letter(int row, uint32_t frame)
{
    glBindBuffer(GL_ARRAY_BUFFER, shapes);
    glVertexPointer(2, GL_SHORT, sizeof(struct point), (void *)offsetof(struct point, x));
    glTexCoordPointer(2, GL_FLOAT, sizeof(struct point), (void *)offsetof(struct point, s));
    for (int column = 0; column < COLUMNS; column++) {
        glLoadIdentity();
        glTranslatef((float)(12 + column * CELL_X), (float)(12 + row * CELL_Y), 0.0f);
        glDrawArrays(GL_QUADS, 4 * letter_at(row, column, frame), 4);
    }
    glLoadIdentity();
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

static void
background(void)
{
    glBegin(GL_QUADS);
    glColor3f(0.0f, 0.05f, 0.1f), glVertex2i(0, 0), glVertex2i(600, 0);
    glColor3f(0.1f, 0.1f, 0.3f), glVertex2i(600, 360), glVertex2i(0, 360);
    glColor3f(0.3f, 0.3f, 0.3f), glVertex2i(590, 20), glVertex2i(596, 20);
    glVertex2i(596, 120), glVertex2i(590, 120);
    glEnd();
}

static void
draw(uint32_t frame)
{
    background();
    glEnable(GL_TEXTURE_2D);
    glEnable(GL_BLEND);
    glColor3f(0.6f, 1.0f, 0.6f);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    if (fixed)
        all_at_once(frame);
    for (int row = 0; !fixed && row < ROWS; row++)
        letter_by_letter(row, frame);
    glDisable(GL_BLEND);
    glDisable(GL_TEXTURE_2D);
}

int
main(int argc, char **argv)
{
    struct scene terminal = {
        "terminal", "Text with one draw per character.", 600, 360, 4, NULL, setup, draw};
    return planted_main(&terminal, &fixed, argc, argv);
}
