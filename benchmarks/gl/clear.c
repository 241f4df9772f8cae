/* Only clear and swap: the cost of an empty frame, and of fast clears. */
#include "window.h"

#include <GL/gl.h>

static void
draw(uint32_t frame)
{
    glClearColor((float)(frame % 5) * 0.25f, 0.5f, 0.25f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

int
main(int argc, char **argv)
{
    return scene_main(&(struct scene){.name = "clear",
                                      .about = "Clears color, depth and stencil, and swaps.",
                                      .width = 320,
                                      .height = 240,
                                      .frames = 3,
                                      .draw = draw},
                      argc, argv);
}
