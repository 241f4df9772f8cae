/* A moor seen from above, as in a strategy game. Its shader mixes peat, heather, grass and gravel,
 * 512 texels wide, with mipmaps. The four textures are stored with 4 bytes per texel. Fixed: they
 * are compressed. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#define TEXELS  512
#define GROUNDS 4
#define COLUMNS 32
#define ROWS    24

static bool fixed;
static const char *const grounds[GROUNDS] = {"peat", "heather", "grass", "gravel"};

static void
load_ground(uint32_t ground)
{
    static uint8_t texels[TEXELS * TEXELS][4];
    static const uint8_t tones[GROUNDS][3] = {
        {50, 40, 30}, {90, 50, 90}, {60, 90, 30}, {90, 90, 85}};
    for (uint32_t i = 0; i < TEXELS * TEXELS; i++) {
        uint8_t coarse = noise(i % TEXELS, i / TEXELS, TEXELS, 32, ground);
        uint8_t fine = noise(i % TEXELS, i / TEXELS, TEXELS, 4, ground + 20);
        for (int c = 0; c < 3; c++)
            texels[i][c] = (uint8_t)(tones[ground][c] + coarse / 4 + fine / 8);
        texels[i][3] = 255;
    }
    load_texture(fixed ? GL_COMPRESSED_RGB_S3TC_DXT1_EXT : GL_RGBA8, TEXELS, true, texels);
}

static void
build_ground(void)
{
    static GLfloat vertices[(COLUMNS + 1) * (ROWS + 1)][7];
    static GLushort indices[COLUMNS * ROWS * 6];
    GLushort *next = indices;
    GLuint names[2];
    for (uint32_t i = 0; i < (COLUMNS + 1) * (ROWS + 1); i++) {
        uint32_t x = i % (COLUMNS + 1), y = i / (COLUMNS + 1);
        float left = 1.0f;
        vertices[i][0] = (float)x / COLUMNS * 2.4f - 1.2f;
        vertices[i][1] = (float)y / ROWS * 2.4f - 1.2f;
        vertices[i][2] = (float)noise(x, y, 64, 8, 3) / 2000.0f;
        for (uint32_t c = 0; c < GROUNDS - 1; c++) {
            vertices[i][3 + c] = left * (float)noise(x, y, 64, 8, 40 + c) / 255.0f;
            left -= vertices[i][3 + c];
        }
        vertices[i][6] = left;
    }
    /* Columns of cells, six wide, so that the vertex cache holds a row of each. */
    for (uint32_t strip = 0; strip < COLUMNS; strip += 6) {
        for (uint32_t y = 0; y < ROWS; y++) {
            for (uint32_t x = strip; x < strip + 6 && x < COLUMNS; x++) {
                uint32_t a = y * (COLUMNS + 1) + x, b = a + COLUMNS + 1;
                const uint32_t corners[6] = {a, a + 1, b, b, a + 1, b + 1};
                for (int c = 0; c < 6; c++)
                    *next++ = (GLushort)corners[c];
            }
        }
    }
    glGenBuffers(2, names);
    glBindBuffer(GL_ARRAY_BUFFER, names[0]);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, names[1]);
    glBufferData(GL_ARRAY_BUFFER, sizeof vertices, vertices, GL_STATIC_DRAW);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
    glVertexPointer(3, GL_FLOAT, sizeof vertices[0], NULL);
    glColorPointer(4, GL_FLOAT, sizeof vertices[0], (void *)(3 * sizeof(GLfloat)));
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
}

static void
setup(void)
{
    GLuint textures[GROUNDS];
    GLuint program = make_program("#version 120\n"
                                  "varying vec2 at;\n"
                                  "varying vec4 share;\n"
                                  "void main() {\n"
                                  "    at = gl_Vertex.xy;\n"
                                  "    share = gl_Color;\n"
                                  "    gl_Position = ftransform();\n"
                                  "}\n",
                                  "#version 120\n"
                                  "uniform sampler2D peat, heather, grass, gravel;\n"
                                  "varying vec2 at;\n"
                                  "varying vec4 share;\n"
                                  "void main() {\n"
                                  "    gl_FragColor = texture2D(peat, at) * share.x\n"
                                  "                 + texture2D(heather, at) * share.y\n"
                                  "                 + texture2D(grass, at) * share.z\n"
                                  "                 + texture2D(gravel, at) * share.w;\n"
                                  "}\n");
    glUseProgram(program);
    glGenTextures(GROUNDS, textures);
    for (uint32_t i = 0; i < GROUNDS; i++) {
        glActiveTexture(GL_TEXTURE0 + i);
        glBindTexture(GL_TEXTURE_2D, textures[i]);
        load_ground(i);
        glUniform1i(glGetUniformLocation(program, grounds[i]), (GLint)i);
    }
    build_ground();
    glEnable(GL_DEPTH_TEST);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.5, 0.5, -0.375, 0.375, 1.0, 4.0);
    glMatrixMode(GL_MODELVIEW);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glTranslatef(0.01f * (float)frame, 0.0f, -1.7f);
    glRotatef(-15.0f, 1.0f, 0.0f, 0.1f);
    glDrawElements(GL_TRIANGLES, COLUMNS * ROWS * 6, GL_UNSIGNED_SHORT, NULL);
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "moor",
                                        .about = "Ground of four uncompressed textures.",
                                        .width = 640,
                                        .height = 480,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
