/* Sheds on a pier above calm water, lit per pixel. The reflection of the sheds must not contain
 * what is below the water, so the shader discards it. The same shader draws the main view, where it
 * discards nothing. Fixed: the shader discards nothing, and the reflection has a clip plane. */
#include "planted.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

enum { WIDTH = 400, HEIGHT = 280, MIRROR = 128, ROWS = 8, PER_ROW = 7 };

static bool fixed;
static GLuint program, water, buffer, mirror, target, mirror_depth;
static GLsizei corners;

static const char vertex_shader[] = "#version 120\n"
                                    "varying vec3 place, normal, paint;\n"
                                    "void main() {\n"
                                    "    place = gl_Vertex.xyz;\n"
                                    "    normal = gl_Normal;\n"
                                    "    paint = gl_Color.rgb;\n"
                                    "    gl_Position = ftransform();\n"
                                    "    gl_ClipVertex = gl_ModelViewMatrix * gl_Vertex;\n"
                                    "}\n";

#define LIT_SHADER(CUT)                                                                            \
    "#version 120\n"                                                                               \
    "varying vec3 place, normal, paint;\n"                                                         \
    "uniform float level;\n"                                                                       \
    "vec3 lamp(vec3 at, vec3 color) {\n"                                                           \
    "    vec3 way = at - place;\n"                                                                 \
    "    return color * max(dot(normal, normalize(way)), 0.0) / (0.4 + 0.15 * dot(way, way));\n"   \
    "}\n"                                                                                          \
    "void main() {\n" CUT                                                                          \
    "    vec3 light = vec3(0.25) + lamp(vec3(-2, 2, 0), vec3(1, 0.8, 0.5));\n"                     \
    "    light += lamp(vec3(2, 2.5, -2), vec3(1, 0.7, 0.4));\n"                                    \
    "    light += lamp(vec3(0, 3, -6), vec3(0.5, 0.6, 1));\n"                                      \
    "    float plank = 0.85 + 0.15 * step(0.15, fract(5.0 * place.y));\n"                          \
    "    gl_FragColor = vec4(paint * plank * light, 1.0);\n"                                       \
    "}\n"

static const char flat_vertex[] = "#version 120\n"
                                  "void main() { gl_Position = ftransform(); }\n";

static const char water_shader[] =
    "#version 120\n"
    "uniform sampler2D mirror;\n"
    "void main() {\n"
    "    vec2 at = gl_FragCoord.xy * vec2(1.0 / 400.0, 1.0 / 280.0);\n"
    "    gl_FragColor = vec4(0.05, 0.1, 0.15, 0) + 0.6 * texture2D(mirror, at);\n"
    "}\n";

/* The front, the top and both sides of a shed that begins below the water. */
static void
add_shed(GLfloat (*data)[9], float x, float z, float half, float top, float hue)
{
    static const float quads[4][4][3] = {
        {{-1, 0, 1}, {1, 0, 1}, {1, 1, 1}, {-1, 1, 1}},
        {{-1, 1, 1}, {1, 1, 1}, {1, 1, -1}, {-1, 1, -1}},
        {{-1, 0, -1}, {-1, 0, 1}, {-1, 1, 1}, {-1, 1, -1}},
        {{1, 0, 1}, {1, 0, -1}, {1, 1, -1}, {1, 1, 1}},
    };
    static const float normals[4][3] = {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}, {1, 0, 0}};
    for (int i = 0; i < 16; i++) {
        const float *p = quads[i / 4][i % 4];
        const GLfloat vertex[9] = {
            x + half * p[0],   p[1] > 0 ? top : -0.3f, z + half * p[2],   normals[i / 4][0],
            normals[i / 4][1], normals[i / 4][2],      0.9f - 0.4f * hue, 0.5f,
            0.4f + 0.4f * hue};
        for (int c = 0; c < 9; c++)
            data[i][c] = vertex[c];
    }
}

static void
build_sheds(void)
{
    static GLfloat data[ROWS * PER_ROW * 16][9];
    for (int i = 0; i < ROWS * PER_ROW; i++, corners += 16) { /* the nearest row first */
        float z = -2.0f - 1.2f * (float)(i / PER_ROW), column = (float)(i % PER_ROW) - 3.0f;
        add_shed(data + corners, column * (1.0f + 0.1f * (float)(i / PER_ROW)), z, 0.43f,
                 0.9f + 0.12f * (float)(i * 5 % 9), (float)(i * 3 % 7) / 7.0f);
    }
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof data, data, GL_STATIC_DRAW);
    glVertexPointer(3, GL_FLOAT, sizeof data[0], NULL);
    glNormalPointer(GL_FLOAT, sizeof data[0], (void *)(3 * sizeof(GLfloat)));
    glColorPointer(3, GL_FLOAT, sizeof data[0], (void *)(6 * sizeof(GLfloat)));
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

static void
build_mirror(void)
{
    glGenTextures(1, &mirror);
    glBindTexture(GL_TEXTURE_2D, mirror);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, MIRROR, MIRROR, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glGenRenderbuffers(1, &mirror_depth);
    glBindRenderbuffer(GL_RENDERBUFFER, mirror_depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, MIRROR, MIRROR);
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, mirror, 0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, mirror_depth);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

static void
setup(void)
{
    program = make_program(vertex_shader,
                           fixed ? LIT_SHADER("") : LIT_SHADER("if (place.y < level) discard;\n"));
    water = make_program(flat_vertex, water_shader);
    build_sheds();
    build_mirror();
    glEnable(GL_DEPTH_TEST);
    glClearColor(0.1f, 0.12f, 0.25f, 1.0f);
    glMatrixMode(GL_PROJECTION);
    glFrustum(-0.6, 0.6, -0.4, 0.44, 0.8, 30.0);
    glMatrixMode(GL_MODELVIEW);
}

/* `flip` is 1, or -1 for the reflection, which has nothing below `level`. */
static void
draw_sheds(float flip, float level, uint32_t frame)
{
    const GLdouble above_water[4] = {0, 1, 0, 0};
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLoadIdentity();
    glTranslatef(0.03f * (float)frame, -0.7f, 0);
    glScalef(1, flip, 1);
    glUseProgram(program);
    if (fixed && flip < 0.0f) {
        glClipPlane(GL_CLIP_PLANE0, above_water);
        glEnable(GL_CLIP_PLANE0);
    } else {
        glUniform1f(glGetUniformLocation(program, "level"), level);
    }
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_NORMAL_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    glDrawArrays(GL_QUADS, 0, corners);
    glDisableClientState(GL_VERTEX_ARRAY);
    glDisableClientState(GL_NORMAL_ARRAY);
    glDisableClientState(GL_COLOR_ARRAY);
    glDisable(GL_CLIP_PLANE0);
}

static void
draw(uint32_t frame)
{
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glViewport(0, 0, MIRROR, MIRROR);
    draw_sheds(-1.0f, 0.0f, frame);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, WIDTH, HEIGHT);
    draw_sheds(1.0f, -100.0f, frame);
    glUseProgram(water);
    glBegin(GL_QUADS);
    glVertex3f(-15, 0, 0), glVertex3f(15, 0, 0), glVertex3f(15, 0, -25), glVertex3f(-15, 0, -25);
    glEnd();
}

int
main(int argc, char **argv)
{
    return planted_main(&(struct scene){.name = "pier",
                                        .about = "A shader that discards only in a reflection.",
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .frames = 4,
                                        .setup = setup,
                                        .draw = draw},
                        &fixed, argc, argv);
}
