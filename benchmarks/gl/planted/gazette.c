/* A newspaper page in a script with many characters. The images of characters are in a cache
 * texture, and each line of text has eight that the cache lacks. The program uploads them when it
 * comes to the line, after it has drawn the lines before. Fixed: it uploads the missing characters
 * of the page at once, and then draws the page. */
#include "planted.h"

#include <GL/gl.h>
#include <string.h>

#define LINES        24
#define COLUMNS      24
#define MISSING      8  /* characters of a line that are missing from the glyph cache */
#define GLYPH        16 /* pixels */
#define SLOTS_ACROSS 32
#define SLOTS_DOWN   16

struct glyph_vertex {
    GLfloat s, t, x, y;
};

static bool fixed;
static struct glyph_vertex text[LINES * COLUMNS * 4];
static GLsizei text_length;
static GLubyte cache[SLOTS_DOWN * GLYPH][SLOTS_ACROSS * GLYPH];

/* Strokes that are the same for the same character. */
static void
rasterize(uint32_t slot, uint32_t character)
{
    struct random random = {character * 2654435761u + 1};
    uint32_t left = slot % SLOTS_ACROSS * GLYPH, top = slot / SLOTS_ACROSS * GLYPH;
    for (uint32_t y = 0; y < GLYPH; y++)
        memset(&cache[top + y][left], 0, GLYPH);
    for (int stroke = 0; stroke < 5; stroke++) {
        uint32_t at = 2 + (uint32_t)(random_next(&random) * 12.0f);
        uint32_t from = 1 + (uint32_t)(random_next(&random) * 6.0f);
        for (uint32_t i = from; i < from + 8; i++)
            *(stroke % 2 ? &cache[top + i][left + at] : &cache[top + at][left + i]) = 255;
    }
}

static void
upload(uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    glPixelStorei(GL_UNPACK_ROW_LENGTH, SLOTS_ACROSS * GLYPH);
    glTexSubImage2D(GL_TEXTURE_2D, 0, (GLint)x, (GLint)y, (GLsizei)width, (GLsizei)height, GL_ALPHA,
                    GL_UNSIGNED_BYTE, &cache[y][x]);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
}

/* The slots of the missing characters of a line are neighbors. */
static void
load_characters(uint32_t line, uint32_t frame)
{
    uint32_t first = line * MISSING;
    for (uint32_t i = 0; i < MISSING; i++) {
        rasterize(first + i, frame * 1000 + first + i);
        if (!fixed)
            upload((first + i) % SLOTS_ACROSS * GLYPH, (first + i) / SLOTS_ACROSS * GLYPH, GLYPH,
                   GLYPH);
    }
}

static void
setup(void)
{
    for (uint32_t slot = 0; slot < SLOTS_ACROSS * SLOTS_DOWN; slot++)
        rasterize(slot, slot);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_ALPHA8, SLOTS_ACROSS * GLYPH, SLOTS_DOWN * GLYPH, 0, GL_ALPHA,
                 GL_UNSIGNED_BYTE, cache);
    glVertexPointer(2, GL_FLOAT, sizeof *text, &text->x);
    glTexCoordPointer(2, GL_FLOAT, sizeof *text, &text->s);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    glEnable(GL_TEXTURE_2D);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glMatrixMode(GL_PROJECTION);
    glOrtho(0.0, 448.0, 480.0, 0.0, -1.0, 1.0);
    glClearColor(0.93f, 0.91f, 0.85f, 1.0f);
}

static void
append_line(uint32_t line, uint32_t frame)
{
    static const GLfloat corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (uint32_t column = 0; column < COLUMNS; column++) {
        uint32_t slot =
            column % 3 ? 256 + (line * 37 + column * 11) % 256 : line * MISSING + column / 3;
        for (int c = 0; c < 4; c++) {
            struct glyph_vertex *next = &text[text_length++];
            next->s = ((float)(slot % SLOTS_ACROSS) + corner[c][0]) / SLOTS_ACROSS;
            next->t = ((float)(slot / SLOTS_ACROSS) + corner[c][1]) / SLOTS_DOWN;
            next->x = 32.0f + 16.0f * ((float)column + corner[c][0]);
            next->y = 20.0f + 18.0f * (float)line + 16.0f * corner[c][1] - (float)(frame % 8);
        }
    }
}

static void
draw_text(void)
{
    glDrawArrays(GL_QUADS, 0, text_length);
    text_length = 0;
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT);
    glColor3f(0.1f, 0.1f, 0.15f);
    for (uint32_t line = 0; line < LINES; line++) {
        if (!fixed && line)
            draw_text();
        load_characters(line, frame);
        append_line(line, frame);
    }
    if (fixed)
        upload(0, 0, SLOTS_ACROSS * GLYPH, LINES * MISSING / SLOTS_ACROSS * GLYPH);
    draw_text();
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "gazette",
                                        .about = "Text whose characters are uploaded line by line.",
                                        .width = 448,
                                        .height = 480,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
