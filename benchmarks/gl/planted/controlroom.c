/* A camera picture is rendered into a 512 x 512 texture, then shown on 70 small control-room
 * monitors in one draw. The texture has no mipmaps. Fixed: they are generated after the camera's
 * picture is rendered. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

static const int camera_size = 512;
static const int across = 10, down = 7;

static bool fixed;
static GLuint camera, screen, depth, room_list;

static void
monitor(float x, float y, float lean)
{
    glTexCoord2f(0.0f, 0.0f), glVertex2f(x, y);
    glTexCoord2f(1.0f, 0.0f), glVertex2f(x + 0.16f, y + lean);
    glTexCoord2f(1.0f, 1.0f), glVertex2f(x + 0.16f, y + 0.2f + lean);
    glTexCoord2f(0.0f, 1.0f), glVertex2f(x, y + 0.2f);
}

static void
setup(void)
{
    glGenTextures(1, &screen);
    glBindTexture(GL_TEXTURE_2D, screen);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, camera_size, camera_size, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                    fixed ? GL_LINEAR_MIPMAP_NEAREST : GL_LINEAR);
    if (fixed)
        glGenerateMipmap(GL_TEXTURE_2D);
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, camera_size, camera_size);
    glGenFramebuffers(1, &camera);
    glBindFramebuffer(GL_FRAMEBUFFER, camera);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, screen, 0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);

    room_list = glGenLists(1);
    glNewList(room_list, GL_COMPILE);
    glBegin(GL_QUADS);
    for (int i = 0; i < across * down; i++)
        monitor(-0.96f + 0.195f * (float)(i % across), -0.95f + 0.27f * (float)(i / across),
                0.02f * (float)(i % across - across / 2) / 5.0f);
    glEnd();
    glEndList();
    glClearColor(0.05f, 0.06f, 0.08f, 1.0f);
}

/* The yard of a plant: tanks in front of a wall, the nearest first. */
static void
film(uint32_t frame)
{
    glBindFramebuffer(GL_FRAMEBUFFER, camera);
    glViewport(0, 0, camera_size, camera_size);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glBegin(GL_QUADS);
    for (int tank = 0; tank < 8; tank++) {
        float x = -0.8f + 0.23f * (float)tank + 0.01f * (float)frame;
        float top = 0.4f * sine(0.13f * (float)tank), z = -0.9f + 0.1f * (float)tank;
        for (int i = 0; i < 8; i++) {
            float left = -cosine((float)i / 16.0f), right = -cosine((float)(i + 1) / 16.0f);
            float shade = 0.3f + 0.6f * sine(((float)i + 0.5f) / 16.0f);
            glColor3f(shade, shade * 0.2f * (float)(tank % 5), shade * 0.8f);
            glVertex3f(x + 0.15f * left, -0.9f, z), glVertex3f(x + 0.15f * right, -0.9f, z);
            glVertex3f(x + 0.15f * right, top, z), glVertex3f(x + 0.15f * left, top, z);
        }
    }
    glColor3f(0.5f, 0.45f, 0.4f), glVertex3f(-1, -1, 0.5f), glVertex3f(1, -1, 0.5f);
    glColor3f(0.6f, 0.7f, 0.9f), glVertex3f(1, 1, 0.5f), glVertex3f(-1, 1, 0.5f);
    glEnd();
    glDisable(GL_DEPTH_TEST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    if (fixed)
        glGenerateMipmap(GL_TEXTURE_2D);
}

static void
draw(uint32_t frame)
{
    film(frame);
    glViewport(0, 0, 600, 400);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_TEXTURE_2D);
    glColor3f(1.0f, 1.0f, 1.0f);
    glCallList(room_list);
    glDisable(GL_TEXTURE_2D);
}

int
main(int argc, char **argv)
{
    struct scene room = {.name = "controlroom", .about = "One camera on many small monitors."};
    room.width = 600;
    room.height = 400;
    room.frames = 4;
    room.setup = setup;
    room.draw = draw;
    return planted_main(&room, &fixed, argc, argv);
}
