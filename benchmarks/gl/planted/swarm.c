/* Swarms of bees, whose shapes never change. Before each swarm's draw, the program replaces the
 * contents of its vertex buffer. Fixed: the buffer has room for all swarms, is filled once before
 * the first frame, and drawn at once. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { SWARMS = 24, BEES = 200, VERTICES = BEES * 3 };

struct vertex {
    GLfloat x, y;
    GLubyte color[4];
};

static bool fixed;
static struct vertex swarms[SWARMS][VERTICES];

static void
fly(void)
{
    struct random random = {99};
    for (uint32_t swarm = 0; swarm < SWARMS; swarm++) {
        float center_x = -0.8f + 0.32f * (float)(swarm % 6);
        float center_y = -0.7f + 0.45f * (float)(swarm / 6);
        for (uint32_t bee = 0; bee < BEES; bee++) {
            float angle = random_next(&random);
            float away = 0.2f * random_next(&random);
            float x = center_x + away * cosine(angle), y = center_y + away * sine(angle);
            for (uint32_t corner = 0; corner < 3; corner++) {
                swarms[swarm][3 * bee + corner] =
                    (struct vertex){x + 0.012f * cosine(angle + (float)corner / 3.0f),
                                    y + 0.012f * sine(angle + (float)corner / 3.0f),
                                    {250, (GLubyte)(120 + 5 * swarm), (GLubyte)(bee % 90), 255}};
            }
        }
    }
}

static void
setup(void)
{
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, fixed ? sizeof swarms : sizeof swarms[0], NULL, GL_DYNAMIC_DRAW);
    glVertexPointer(2, GL_FLOAT, sizeof(struct vertex), NULL);
    glColorPointer(4, GL_UNSIGNED_BYTE, sizeof(struct vertex),
                   (void *)offsetof(struct vertex, color));
    fly();
    if (fixed)
        glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof swarms, swarms);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    glClearColor(0.3f, 0.5f, 0.3f, 1.0f);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT);
    glRotatef(0.2f * (float)frame, 0.0f, 0.0f, 1.0f);
    if (fixed) {
        glDrawArrays(GL_TRIANGLES, 0, SWARMS * VERTICES);
        return;
    }
    for (uint32_t swarm = 0; swarm < SWARMS; swarm++) {
        glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof swarms[swarm], swarms[swarm]);
        glDrawArrays(GL_TRIANGLES, 0, VERTICES);
    }
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "swarm",
                                        .about = "Swarms that share one vertex buffer.",
                                        .width = 400,
                                        .height = 300,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
