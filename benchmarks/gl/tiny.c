/* A mix of features in a small picture: fixed function with lighting, a mipmapped texture in
 * perspective, a texture without mipmaps, a cube map on an indexed mesh. Also depth (with hidden
 * parts), stencil, alpha test, blending, scissor, and a GLSL 1.20 program with discard. The
 * repository has its capture (tests/golden/tiny.trace). */
#include "window.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { TEXTURE_SIZE = 16, CUBE_SIZE = 8, MESH = 9 };

static GLuint texture, flat_texture, cube, program;

static void
set_up_program(void)
{
    program = make_program("#version 120\n"
                           "uniform float turn;\n"
                           "varying vec2 at;\n"
                           "void main() {\n"
                           "    at = gl_Vertex.xy * 3.0 + vec2(turn, 0.0);\n"
                           "    gl_Position = gl_Vertex;\n"
                           "}\n",
                           "#version 120\n"
                           "uniform sampler2D image;\n"
                           "varying vec2 at;\n"
                           "void main() {\n"
                           "    float ring = fract(dot(at, at));\n"
                           "    if (ring > 0.8)\n"
                           "        discard;\n"
                           "    vec4 texel = texture2D(image, at);\n"
                           "    gl_FragColor = mix(texel, vec4(ring, 0.2, 1.0, 1.0), 0.5);\n"
                           "}\n");
}

/* A checkerboard with all levels specified, each in a different tone, so that a wrong level is
 * visible. */
static void
make_texture(void)
{
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    GLint level = 0;
    for (uint32_t size = TEXTURE_SIZE; size; size /= 2, level++) {
        uint8_t texels[TEXTURE_SIZE * TEXTURE_SIZE][4];
        for (uint32_t i = 0; i < size * size; i++) {
            bool light = (i % size / 2 + i / size / 2) % 2 == 0;
            texels[i][0] = light ? 250 : 30;
            texels[i][1] = light ? 220 : (uint8_t)(60 + 40 * level);
            texels[i][2] = (uint8_t)(200 - 45 * level);
            texels[i][3] = light ? 255 : 90;
        }
        glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, (GLsizei)size, (GLsizei)size, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, texels);
    }
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
}

/* Stripes without mipmaps, sampled without a filter. The texture changes during the frame. */
static void
paint_flat_texture(uint32_t turn)
{
    uint8_t texels[8 * 8][4];
    for (uint32_t i = 0; i < 64; i++) {
        bool light = (i % 8 + i / 8 + turn) % 4 < 2;
        texels[i][0] = light ? 200 : 90;
        texels[i][1] = light ? 160 : 40;
        texels[i][2] = (uint8_t)(60 + 40 * turn);
        texels[i][3] = 255;
    }
    glBindTexture(GL_TEXTURE_2D, flat_texture);
    if (turn)
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    else
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindTexture(GL_TEXTURE_2D, texture);
}

/* One color per face, lighter in the centre. */
static void
make_cube(void)
{
    glGenTextures(1, &cube);
    glBindTexture(GL_TEXTURE_CUBE_MAP, cube);
    for (uint32_t face = 0; face < 6; face++) {
        uint8_t texels[CUBE_SIZE * CUBE_SIZE][4];
        for (uint32_t i = 0; i < CUBE_SIZE * CUBE_SIZE; i++) {
            uint32_t x = i % CUBE_SIZE, y = i / CUBE_SIZE;
            bool middle = x > 1 && x < CUBE_SIZE - 2 && y > 1 && y < CUBE_SIZE - 2;
            texels[i][0] = (uint8_t)((face & 1 ? 150 : 40) + (middle ? 80 : 0));
            texels[i][1] = (uint8_t)((face & 2 ? 150 : 40) + (middle ? 80 : 0));
            texels[i][2] = (uint8_t)((face & 4 ? 150 : 40) + (middle ? 80 : 0));
            texels[i][3] = 255;
        }
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA8, CUBE_SIZE, CUBE_SIZE, 0,
                     GL_RGBA, GL_UNSIGNED_BYTE, texels);
    }
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

static void
setup(void)
{
    static const float light[] = {1.0f, 2.0f, 3.0f, 0.0f};
    make_texture();
    glGenTextures(1, &flat_texture);
    make_cube();
    set_up_program();
    glLightfv(GL_LIGHT0, GL_POSITION, light);
    glEnable(GL_LIGHT0);
    glEnable(GL_COLOR_MATERIAL);
    glEnable(GL_NORMALIZE);
}

static void
perspective(uint32_t frame)
{
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glFrustum(-0.5, 0.5, -0.5, 0.5, 1.0, 10.0);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glTranslatef(0.0f, 0.0f, -3.0f);
    glRotatef(30.0f + 20.0f * (float)frame, 0.0f, 1.0f, 0.0f);
}

/* The floor extends past the eye, so that it must be clipped. */
static void
draw_floor(void)
{
    glEnable(GL_TEXTURE_2D);
    glColor4f(1.0f, 1.0f, 1.0f, 1.0f);
    glBegin(GL_QUADS);
    glTexCoord2f(0.0f, 0.0f);
    glVertex3f(-5.0f, -0.9f, -5.0f);
    glTexCoord2f(0.0f, 6.0f);
    glVertex3f(-5.0f, -0.9f, 5.0f);
    glTexCoord2f(6.0f, 6.0f);
    glVertex3f(5.0f, -0.9f, 5.0f);
    glTexCoord2f(6.0f, 0.0f);
    glVertex3f(5.0f, -0.9f, -5.0f);
    glEnd();
    glDisable(GL_TEXTURE_2D);
}

/* Hides most of the later draws, which are farther away. Extends from y to y + 1.5. */
static void
draw_curtain(float y)
{
    glEnable(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D, flat_texture);
    glColor4f(0.8f, 0.9f, 1.0f, 1.0f);
    glBegin(GL_QUADS);
    glTexCoord2f(0.0f, 0.0f);
    glVertex3f(-1.3f, y, 0.6f);
    glTexCoord2f(1.0f, 0.0f);
    glVertex3f(-0.5f, y, 1.0f);
    glTexCoord2f(1.0f, 2.0f);
    glVertex3f(-0.5f, y + 1.5f, 1.0f);
    glTexCoord2f(0.0f, 2.0f);
    glVertex3f(-1.3f, y + 1.5f, 0.6f);
    glEnd();
    glBindTexture(GL_TEXTURE_2D, texture);
    glDisable(GL_TEXTURE_2D);
}

/* A wavy background mesh with shared vertices that shows the cube map. */
static void
draw_mesh(void)
{
    float vertices[MESH * MESH][3], directions[MESH * MESH][3];
    GLushort indices[(MESH - 1) * (MESH - 1) * 6], *next = indices;
    for (uint32_t i = 0; i < MESH * MESH; i++) {
        float x = (float)(i % MESH) / (MESH - 1) * 2 - 1,
              y = (float)(i / MESH) / (MESH - 1) * 2 - 1;
        vertices[i][0] = 1.7f * x;
        vertices[i][1] = 2.0f * y;
        vertices[i][2] = -1.5f + x * x * y;
        directions[i][0] = 2 * x;
        directions[i][1] = 3 * y * y * y;
        directions[i][2] = x * y + 0.7f;
    }
    for (uint32_t i = 0; i < MESH * (MESH - 1) - 1; i++) {
        if (i % MESH == MESH - 1)
            continue;
        const GLushort corner = (GLushort)i;
        const GLushort six[] = {corner,
                                (GLushort)(corner + 1),
                                (GLushort)(corner + MESH),
                                (GLushort)(corner + MESH),
                                (GLushort)(corner + 1),
                                (GLushort)(corner + MESH + 1)};
        for (uint32_t k = 0; k < 6; k++)
            *next++ = six[k];
    }
    glEnable(GL_TEXTURE_CUBE_MAP);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    glVertexPointer(3, GL_FLOAT, 0, vertices);
    glTexCoordPointer(3, GL_FLOAT, 0, directions);
    glColor4f(1.0f, 1.0f, 1.0f, 1.0f);
    glDrawElements(GL_TRIANGLES, (GLsizei)(next - indices), GL_UNSIGNED_SHORT, indices);
    glDisableClientState(GL_TEXTURE_COORD_ARRAY);
    glDisableClientState(GL_VERTEX_ARRAY);
    glDisable(GL_TEXTURE_CUBE_MAP);
}

/* A lit octahedron with culled back faces. Marks its pixels in the stencil buffer. */
static void
draw_solid(void)
{
    static const float corners[6][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                                        {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    glEnable(GL_LIGHTING);
    glEnable(GL_CULL_FACE);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_ALWAYS, 1, 0xff);
    glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    glBegin(GL_TRIANGLES);
    for (uint32_t face = 0; face < 8; face++) {
        uint32_t x = face & 1 ? 3 : 0, y = face & 2 ? 4 : 1, z = face & 4 ? 5 : 2;
        bool mirrored = (face ^ face >> 1 ^ face >> 2) & 1;
        glColor3f(face & 1 ? 0.9f : 0.2f, face & 2 ? 0.9f : 0.3f, face & 4 ? 0.9f : 0.4f);
        glNormal3f(face & 1 ? -1.0f : 1.0f, face & 2 ? -1.0f : 1.0f, face & 4 ? -1.0f : 1.0f);
        glVertex3fv(corners[x]);
        glVertex3fv(corners[mirrored ? z : y]);
        glVertex3fv(corners[mirrored ? y : z]);
    }
    glEnd();
    glDisable(GL_STENCIL_TEST);
    glDisable(GL_CULL_FACE);
    glDisable(GL_LIGHTING);
}

/* A transparent strip over the solid, and an alpha-tested corner. */
static void
draw_overlays(void)
{
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_EQUAL, 1, 0xff);
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glBegin(GL_TRIANGLE_STRIP);
    glColor4f(1.0f, 0.0f, 0.0f, 0.8f);
    glVertex2f(-1.0f, -0.2f);
    glVertex2f(-1.0f, 0.3f);
    glColor4f(0.0f, 1.0f, 0.0f, 0.1f);
    glVertex2f(1.0f, -0.2f);
    glVertex2f(1.0f, 0.3f);
    glEnd();
    glDisable(GL_BLEND);
    glDisable(GL_STENCIL_TEST);

    glEnable(GL_ALPHA_TEST);
    glAlphaFunc(GL_GREATER, 0.5f);
    glEnable(GL_TEXTURE_2D);
    glColor4f(1.0f, 1.0f, 1.0f, 1.0f);
    glBegin(GL_TRIANGLES);
    glTexCoord2f(0.0f, 0.0f);
    glVertex2f(0.4f, 0.4f);
    glTexCoord2f(1.0f, 0.0f);
    glVertex2f(1.0f, 0.4f);
    glTexCoord2f(1.0f, 1.0f);
    glVertex2f(1.0f, 1.0f);
    glEnd();
    glDisable(GL_TEXTURE_2D);
    glDisable(GL_ALPHA_TEST);
    glEnable(GL_DEPTH_TEST);
}

static void
draw_shader(uint32_t frame)
{
    static const float corners[] = {-0.9f, 0.3f, -0.5f, -0.2f, 0.4f, -0.5f, -0.6f, 0.95f, -0.5f};
    glEnable(GL_SCISSOR_TEST);
    glScissor(4, 72, 44, 52);
    glUseProgram(program);
    glUniform1f(glGetUniformLocation(program, "turn"), 0.25f * (float)frame);
    glUniform1i(glGetUniformLocation(program, "image"), 0);
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(3, GL_FLOAT, 0, corners);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDisableClientState(GL_VERTEX_ARRAY);
    glUseProgram(0);
    glDisable(GL_SCISSOR_TEST);
}

/* Stacks of points of one quad each. The last point of a stack is on top, so a wrong order is
 * visible. */
static void
draw_sparks(void)
{
    glDisable(GL_DEPTH_TEST);
    glPointSize(2.0f);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glBegin(GL_POINTS);
    for (uint32_t i = 0; i < 128; i++) {
        uint32_t x = 97 + 2 * (i / 4 % 16), y = 97 + 2 * (i / 64);
        glColor4f((float)(i % 4) / 3, 1.0f - (float)(i % 2), (float)(i % 3) / 2, 0.75f);
        glVertex2f((float)x / 64.0f - 1.0f, (float)y / 64.0f - 1.0f);
    }
    glEnd();
    glDisable(GL_BLEND);
    glEnable(GL_DEPTH_TEST);
}

static void
draw(uint32_t frame)
{
    glClearColor(0.1f, 0.2f, 0.35f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    perspective(frame);
    paint_flat_texture(2 * frame);
    draw_curtain(-1.5f);
    paint_flat_texture(2 * frame + 1);
    draw_curtain(0.0f);
    draw_floor();
    draw_solid();
    draw_mesh();
    draw_overlays();
    draw_shader(frame);
    draw_sparks();
}

int
main(int argc, char **argv)
{
    return scene_main(&(struct scene){.name = "tiny",
                                      .about = "Two small frames with a little of everything.",
                                      .width = 128,
                                      .height = 128,
                                      .frames = 2,
                                      .setup = setup,
                                      .draw = draw},
                      argc, argv);
}
