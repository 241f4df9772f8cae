/* Random depth-tested triangles of mixed sizes: geometry, setup, and a depth test that rejects
 * about half of the fragments. */
#include "window.h"

#include <GL/gl.h>

static uint32_t count = 500;
static uint32_t size_percent = 40;

static void
setup(void)
{
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
}

static void
draw(uint32_t frame)
{
    struct random random = {.state = 12345u + frame};
    float size = (float)size_percent / 100.0f;
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glBegin(GL_TRIANGLES);
    for (uint32_t i = 0; i < count; i++) {
        float x = random_next(&random) * 2.0f - 1.0f;
        float y = random_next(&random) * 2.0f - 1.0f;
        float z = random_next(&random) * 1.8f - 0.9f;
        for (uint32_t corner = 0; corner < 3; corner++) {
            float red = random_next(&random), green = random_next(&random);
            glColor3f(red, green, random_next(&random));
            float dx = (random_next(&random) - 0.5f) * size;
            float dy = (random_next(&random) - 0.5f) * size;
            glVertex3f(x + dx, y + dy, z + (random_next(&random) - 0.5f) * 0.1f);
        }
    }
    glEnd();
}

int
main(int argc, char **argv)
{
    static const struct scene_option options[] = {
        {"count", &count, NULL, "triangles per frame (500)"},
        {"extent", &size_percent, NULL, "largest side, in percent of half the window (40)"},
        {0},
    };
    return scene_main(&(struct scene){.name = "triangles",
                                      .about = "Random, Gouraud-shaded, depth-tested triangles.",
                                      .width = 320,
                                      .height = 240,
                                      .frames = 3,
                                      .options = options,
                                      .setup = setup,
                                      .draw = draw},
                      argc, argv);
}
