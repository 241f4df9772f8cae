/* A wall of an armory with two shields and a carpet below. Each surface has a color map, a normal
 * map and a gloss map, each 512 texels wide, with mipmaps. The maps are stored with 4 bytes per
 * texel. Fixed: they are compressed. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#define MAP      512
#define SURFACES 4
#define KINDS    3

static bool fixed;
static GLuint maps[SURFACES][KINDS];
static GLuint buffer, program;
static GLint lamp_at;

static const char *vertex_source = "#version 120\n"
                                   "void main()\n"
                                   "{\n"
                                   "    gl_TexCoord[0] = gl_MultiTexCoord0;\n"
                                   "    gl_Position = ftransform();\n"
                                   "}\n";

static const char *fragment_source =
    "#version 120\n"
    "uniform sampler2D color, normal, gloss;\n"
    "uniform vec3 lamp, half_way;\n"
    "void main()\n"
    "{\n"
    "    vec3 n = texture2D(normal, gl_TexCoord[0].st).rgb - 0.5;\n"
    "    gl_FragColor = texture2D(color, gl_TexCoord[0].st) * dot(n, lamp)\n"
    "                 + texture2D(gloss, gl_TexCoord[0].st) * dot(n, half_way);\n"
    "}\n";

static void
paint(uint8_t *texel, uint32_t x, uint32_t y, uint32_t surface, uint32_t kind)
{
    uint8_t high = noise(x, y, MAP, 32, surface), right = noise(x + 4, y, MAP, 32, surface);
    uint8_t above = noise(x, (y + 4) % MAP, MAP, 32, surface);
    if (kind == 0) {
        texel[0] = (uint8_t)(90 + 40 * surface / 2 + high / 4);
        texel[1] = (uint8_t)(110 - 15 * surface + high / 4);
        texel[2] = (uint8_t)(80 + high / 3);
    } else if (kind == 1) {
        texel[0] = (uint8_t)(128 + (high - right) * 2);
        texel[1] = (uint8_t)(128 + (high - above) * 2);
        texel[2] = 240;
    } else {
        texel[0] = texel[1] = texel[2] = (uint8_t)(surface % 2 ? high : high / 4);
    }
    texel[3] = 255;
}

static void
load(uint32_t surface, uint32_t kind)
{
    static uint8_t image[MAP * MAP][4];
    for (uint32_t i = 0; i < MAP * MAP; i++)
        paint(image[i], i % MAP, i / MAP, surface, kind);
    glBindTexture(GL_TEXTURE_2D, maps[surface][kind]);
    load_texture(fixed ? GL_COMPRESSED_RGB_S3TC_DXT1_EXT : GL_RGBA8, MAP, true, image);
}

static void
setup(void)
{
    /* x, y, z, s, t: two shields, the wall, the carpet */
    static const GLfloat corners[SURFACES * 4][5] = {
        {-0.95f, -0.4f, 0.1f, 0, 0},       {-0.05f, -0.4f, 0.1f, 0.75f, 0},
        {-0.05f, 0.7f, 0.1f, 0.75f, 0.9f}, {-0.95f, 0.7f, 0.1f, 0, 0.9f},
        {0.05f, -0.4f, 0.1f, 0, 0},        {0.95f, -0.4f, 0.1f, 0.75f, 0},
        {0.95f, 0.7f, 0.1f, 0.75f, 0.9f},  {0.05f, 0.7f, 0.1f, 0, 0.9f},
        {-1.4f, -0.7f, 0, 0, 0},           {1.4f, -0.7f, 0, 2.3f, 0},
        {1.4f, 1.2f, 0, 2.3f, 1.6f},       {-1.4f, 1.2f, 0, 0, 1.6f},
        {-1.4f, -0.7f, 0, 0, 0},           {-1.4f, -1.0f, 1, 0, 0.7f},
        {1.4f, -1.0f, 1, 2.3f, 0.7f},      {1.4f, -0.7f, 0, 2.3f, 0},
    };
    static const char *const names[KINDS] = {"color", "normal", "gloss"};
    program = make_program(vertex_source, fragment_source);
    glUseProgram(program);
    glGenTextures(SURFACES * KINDS, &maps[0][0]);
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        glUniform1i(glGetUniformLocation(program, names[kind]), (GLint)kind);
        for (uint32_t surface = 0; surface < SURFACES; surface++)
            load(surface, kind);
    }
    lamp_at = glGetUniformLocation(program, "lamp");
    glUniform3f(glGetUniformLocation(program, "half_way"), 0.2f, 0.3f, 0.8f);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    glVertexPointer(3, GL_FLOAT, sizeof corners[0], NULL);
    glTexCoordPointer(2, GL_FLOAT, sizeof corners[0], (void *)(3 * sizeof(GLfloat)));
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    glEnable(GL_DEPTH_TEST);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.4, 0.4, -0.3, 0.3, 1.0, 10.0);
    glTranslatef(0.0f, 0.0f, -2.6f);
}

static void
draw(uint32_t frame)
{
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glUniform3f(lamp_at, 0.9f + 0.1f * (float)frame, 1.2f, 1.6f);
    for (int surface = 0; surface < SURFACES; surface++) {
        for (GLuint kind = 0; kind < KINDS; kind++) {
            glActiveTexture(GL_TEXTURE0 + kind);
            glBindTexture(GL_TEXTURE_2D, maps[surface][kind]);
        }
        glDrawArrays(GL_QUADS, 4 * surface, 4);
    }
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "armory",
                                        .about = "Shields with three uncompressed maps each.",
                                        .width = 640,
                                        .height = 480,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
