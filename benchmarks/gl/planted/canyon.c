/* A height field of 48 x 48 cells in buffer objects. Its shader mixes a rock, a grass and a detail
 * texture. None has mipmaps. Fixed: all have. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { CELLS = 48, SIDE = CELLS + 1, IMAGE = 512, IMAGES = 3 };

static bool fixed;
static GLuint program, textures[IMAGES];

static const char vertex_shader[] = "#version 120\n"
                                    "varying vec2 at;\n"
                                    "varying float steep;\n"
                                    "void main() {\n"
                                    "    at = gl_Vertex.xz;\n"
                                    "    steep = gl_Vertex.y;\n"
                                    "    gl_Position = ftransform();\n"
                                    "}\n";

static const char fragment_shader[] =
    "#version 120\n"
    "uniform sampler2D rock, grass, detail;\n"
    "varying vec2 at;\n"
    "varying float steep;\n"
    "void main() {\n"
    "    vec4 low = texture2D(grass, at * 0.5);\n"
    "    vec4 high = texture2D(rock, at * 0.7);\n"
    "    vec4 fine = texture2D(detail, at * 1.9);\n"
    "    gl_FragColor = mix(low, high, clamp(steep, 0.0, 1.0)) * (0.5 + fine);\n"
    "}\n";

static void
load_image(uint32_t unit)
{
    static uint8_t texels[IMAGE * IMAGE][4];
    static const uint8_t tones[IMAGES][3] = {{130, 100, 80}, {60, 110, 40}, {90, 90, 90}};
    for (uint32_t i = 0; i < IMAGE * IMAGE; i++) {
        uint8_t coarse = noise(i % IMAGE, i / IMAGE, IMAGE, 64, unit);
        uint8_t fine = noise(i % IMAGE, i / IMAGE, IMAGE, 8, unit + 9);
        for (uint32_t c = 0; c < 3; c++)
            texels[i][c] = (uint8_t)(tones[unit][c] + coarse / 8 + fine / 8);
        texels[i][3] = 255;
    }
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_2D, textures[unit]);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, IMAGE, IMAGE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                    fixed ? GL_LINEAR_MIPMAP_NEAREST : GL_LINEAR);
    if (fixed)
        glGenerateMipmap(GL_TEXTURE_2D);
}

static void
build_field(void)
{
    static float vertices[SIDE * SIDE][3];
    static GLushort indices[CELLS * CELLS * 6];
    GLushort *next = indices;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        uint32_t x = i % SIDE, z = i / SIDE;
        float away = (float)x - CELLS / 2.0f;
        vertices[i][0] = away;
        vertices[i][1] = away * away * 0.012f + (float)noise(x, z, 64, 8, 4) / 160.0f - 1.0f;
        vertices[i][2] = -(float)z;
    }
    for (uint32_t z = 0; z < CELLS; z++) {
        for (uint32_t x = 0; x < CELLS; x++) {
            uint32_t at = z * SIDE + x;
            const uint32_t corners[] = {at, at + 1, at + SIDE, at + SIDE, at + 1, at + SIDE + 1};
            for (uint32_t c = 0; c < 6; c++)
                *next++ = (GLushort)corners[c];
        }
    }
    GLuint buffers[2];
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof vertices, vertices, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    glVertexPointer(3, GL_FLOAT, 0, NULL);
    glEnableClientState(GL_VERTEX_ARRAY);
}

static void
setup(void)
{
    static const char *const names[IMAGES] = {"rock", "grass", "detail"};
    program = make_program(vertex_shader, fragment_shader);
    glUseProgram(program);
    glGenTextures(IMAGES, textures);
    for (uint32_t i = 0; i < IMAGES; i++) {
        load_image(i);
        glUniform1i(glGetUniformLocation(program, names[i]), (GLint)i);
    }
    build_field();
    glEnable(GL_DEPTH_TEST);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.8, 0.8, -0.6, 0.6, 1.0, 60.0);
    glMatrixMode(GL_MODELVIEW);
    glClearColor(0.9f, 0.8f, 0.7f, 1.0f);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glRotatef(20.0f, 1.0f, 0.0f, 0.0f);
    glTranslatef(0.0f, -3.0f, 0.2f * (float)frame);
    glDrawElements(GL_TRIANGLES, CELLS * CELLS * 6, GL_UNSIGNED_SHORT, NULL);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "canyon",
                                        .about = "A height field with three textures.",
                                        .width = 480,
                                        .height = 360,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
