/* Many tiny draws, each with a different color: measures the cost of a draw rather than of its
 * pixels. */
#include "window.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

static uint32_t count = 400;

static void
setup(void)
{
    static const float corners[] = {0.0f, 0.0f, 0.08f, 0.0f, 0.0f, 0.08f};
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    glVertexPointer(2, GL_FLOAT, 0, NULL);
    glEnableClientState(GL_VERTEX_ARRAY);
    glMatrixMode(GL_MODELVIEW);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = (i + frame) % 400;
        glLoadIdentity();
        glTranslatef((float)(place % 20) * 0.1f - 1.0f, (float)(place / 20) * 0.1f - 1.0f, 0.0f);
        glColor3f((float)(i % 8) / 7.0f, (float)(i % 5) / 4.0f, (float)(i % 3) / 2.0f);
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
}

int
main(int argc, char **argv)
{
    static const struct scene_option options[] = {
        {"count", &count, NULL, "draws a frame (400)"},
        {0},
    };
    return scene_main(
        &(struct scene){.name = "batches",
                        .about = "Draws of one small triangle each, a matrix and a color a draw.",
                        .width = 320,
                        .height = 240,
                        .frames = 3,
                        .options = options,
                        .setup = setup,
                        .draw = draw},
        argc, argv);
}
