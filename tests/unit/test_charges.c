/* Each cause of the critical path by itself. The machine is ideal (ideals.def) but for one rate or
 * latency, at which the work of a scene takes a time that arithmetic gives: these cycles are
 * charged to that cause, but for the few in which the first item comes and the last one leaves. */
#include "rig.h"

#include "report/ideals.h"

#include <math.h>

enum {
    ALL_IDEAL = IDEALS,
    TRIANGLES = 600,
    LAYERS = 6,
    PIXELS = SIZE * SIZE,
    QUADS = LAYERS * PIXELS / 4,
};

static void
set(struct rig *rig, const char *assignments)
{
    char copy[512], *rest = NULL;
    struct error err;
    snprintf(copy, sizeof copy, "%s", assignments);
    for (char *one = strtok_r(copy, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
        if (!params_set(&rig->params, one, &err))
            fail_msg("%s", err.text);
}

/* All of the machine but what is `real`, and draws one after the other. */
static void
make_ideal(struct rig *rig, int real)
{
    struct error err;
    for (int i = 0; i < IDEALS; i++)
        if (i != real && i != IDEAL_drain && !ideal_apply(&ideals[i], &rig->params, &err))
            fail_msg("%s", err.text);
    set(rig, "MEMORYCONTROLLER.MemorySize=8388608");
}

/* One triangle of the vertices, drawn `count` times at once. */
static void
draw_triangles(struct rig *rig, const float vertices[3][4], uint32_t count)
{
    uint16_t indices[2048];
    assert_true(3 * count <= 2048);
    for (uint32_t i = 0; i < 3 * count; i++)
        indices[i] = (uint16_t)(i % 3);
    rig_upload(rig, RES_VERTICES, vertices, 48);
    rig_upload(rig, RES_INDICES, indices, 3 * count * sizeof indices[0]);
    rig_draw(rig, MODE_TRIANGLES, 3 * count, sizeof indices[0]);
    rig_swap(rig);
}

/* Between the centres of pixels: they come as far as Triangle Setup. */
static void
triangles_without_pixels(struct rig *rig)
{
    static const float vertices[3][4] = {
        {0.002f, 0.002f, 0, 1}, {0.008f, 0.002f, 0, 1}, {0.002f, 0.008f, 0, 1}};
    draw_triangles(rig, vertices, TRIANGLES);
    rig_assert_figure(rig, "fraggen.fragments", 0);
}

/* Blended, with LEQUAL, at the depth where memory begins: all pass. */
static void
set_layers(struct rig *rig)
{
    enum { OBJ_LAYER_BLEND = 300, OBJ_LAYER_DSA };
    struct stream *s = &rig->stream;
    PACKET(s, 1, 1, OBJ_LAYER_BLEND, 0, 0,
           15u << 27 | 1 | FACTOR_SRC_ALPHA << 4 | FACTOR_INV_SRC_ALPHA << 9 |
               FACTOR_SRC_ALPHA << 17 | FACTOR_INV_SRC_ALPHA << 22,
           0, 0, 0, 0, 0, 0, 0);
    PACKET(s, 1, 3, OBJ_LAYER_DSA, 1 | 1 << 1 | FUNC_LEQUAL << 2, 0, 0, 0);
    PACKET(s, 2, 1, OBJ_LAYER_BLEND);
    PACKET(s, 2, 3, OBJ_LAYER_DSA);
    rig_submit(rig);
}

static void
draw_layers(struct rig *rig, uint32_t count)
{
    static const float corners[3][4] = {{-1, -1, -1, 1}, {3, -1, -1, 1}, {-1, 3, -1, 1}};
    set_layers(rig);
    draw_triangles(rig, corners, count);
    rig_assert_figure(rig, "fraggen.quads", count * PIXELS / 4);
}

static void
layers(struct rig *rig)
{
    draw_layers(rig, LAYERS);
}

/* So many in the same quad. */
static void
draw_quads(struct rig *rig, uint32_t count)
{
    static const float corners[3][4] = {
        {-1, -1, -1, 1}, {-1 + 4.f / SIZE, -1, -1, 1}, {-1, -1 + 4.f / SIZE, -1, 1}};
    set_layers(rig);
    draw_triangles(rig, corners, count);
    rig_assert_figure(rig, "fraggen.quads", count);
}

static void
quad(struct rig *rig)
{
    draw_quads(rig, 1);
}

static void
quad_many_times(struct rig *rig)
{
    draw_quads(rig, TRIANGLES);
}

enum { OBJ_PROGRAM = 310, INSTRUCTIONS = 64, ADD_LATENCY = 3, VERTICES = 240 };

/* As many instructions in a row, of independent temporaries or each of the one before. */
static void
set_program(struct rig *rig, uint32_t stage, bool chain)
{
    char text[8192];
    int at = snprintf(text, sizeof text,
                      stage ? "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0..63]\n"
                              "IMM[0] FLT32 {1.0, 0.5, 0.25, 1.0}\n"
                            : "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0..63]\n"
                              "IMM[0] FLT32 {1.0, 0.5, 0.25, 1.0}\n");
    int line = 0;
    for (; line < INSTRUCTIONS - 1; line++)
        if (chain && line)
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "%d: ADD TEMP[0], TEMP[0], IMM[0]\n", line);
        else
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "%d: ADD TEMP[%d], IMM[0], IMM[0]\n", line, chain ? 0 : line);
    snprintf(text + at, sizeof text - (size_t)at, "%d: MOV OUT[0], %s\n%d: END\n", line,
             stage ? "TEMP[0]" : "IN[0]", line + 1);
    stream_shader(&rig->stream, OBJ_PROGRAM, stage, text);
    PACKET(&rig->stream, 31, 0, OBJ_PROGRAM, stage);
    rig_submit(rig);
}

static void
long_fragments(struct rig *rig)
{
    set_program(rig, 1, false);
    draw_layers(rig, 1);
}

static void
vertices(struct rig *rig)
{
    float vertices[VERTICES][4];
    for (uint32_t i = 0; i < VERTICES; i++)
        memcpy(vertices[i], (float[]){0.002f, 0.002f, 0, 1}, sizeof vertices[i]);
    rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
    rig_draw(rig, MODE_TRIANGLES, VERTICES, 0);
    rig_swap(rig);
}

static void
long_vertices(struct rig *rig)
{
    set_program(rig, 0, false);
    vertices(rig);
}

/* One quad, whose instructions wait for one another. */
static void
chain(struct rig *rig)
{
    set_program(rig, 1, true);
    quad(rig);
}

/* Four inputs of a fragment, which come from the interpolator. */
static const char varying_vs[] = "VERT\n"
                                 "DCL IN[0]\n"
                                 "DCL OUT[0], POSITION\n"
                                 "DCL OUT[1..4], GENERIC[0]\n"
                                 "  0: MOV OUT[0], IN[0]\n"
                                 "  1: MOV OUT[1], IN[0]\n"
                                 "  2: MOV OUT[2], IN[0]\n"
                                 "  3: MOV OUT[3], IN[0]\n"
                                 "  4: MOV OUT[4], IN[0]\n"
                                 "  5: END\n";
static const char varying_fs[] = "FRAG\n"
                                 "DCL IN[0..3], GENERIC[0], PERSPECTIVE\n"
                                 "DCL OUT[0], COLOR\n"
                                 "DCL TEMP[0]\n"
                                 "  0: ADD TEMP[0], IN[0], IN[1]\n"
                                 "  1: ADD TEMP[0], TEMP[0], IN[2]\n"
                                 "  2: ADD OUT[0], TEMP[0], IN[3]\n"
                                 "  3: END\n";
/* Eight texels a fragment, one texel for all. */
static const char texels_fs[] = "FRAG\n"
                                "DCL OUT[0], COLOR\n"
                                "DCL SAMP[0]\n"
                                "DCL SVIEW[0], 2D, FLOAT\n"
                                "DCL TEMP[0..7]\n"
                                "IMM[0] FLT32 {0.03, 0.03, 0.0, 1.0}\n"
                                "  0: TEX TEMP[0], IMM[0], SAMP[0], 2D\n"
                                "  1: TEX TEMP[1], IMM[0], SAMP[0], 2D\n"
                                "  2: TEX TEMP[2], IMM[0], SAMP[0], 2D\n"
                                "  3: TEX TEMP[3], IMM[0], SAMP[0], 2D\n"
                                "  4: TEX TEMP[4], IMM[0], SAMP[0], 2D\n"
                                "  5: TEX TEMP[5], IMM[0], SAMP[0], 2D\n"
                                "  6: TEX TEMP[6], IMM[0], SAMP[0], 2D\n"
                                "  7: TEX TEMP[7], IMM[0], SAMP[0], 2D\n"
                                "  8: MOV OUT[0], TEMP[7]\n"
                                "  9: END\n";

static void
set_shaders(struct rig *rig, const char *vs, const char *fs)
{
    struct stream *s = &rig->stream;
    stream_shader(s, OBJ_PROGRAM, 0, vs);
    stream_shader(s, OBJ_PROGRAM + 1, 1, fs);
    PACKET(s, 31, 0, OBJ_PROGRAM, 0);
    PACKET(s, 31, 0, OBJ_PROGRAM + 1, 1);
    rig_submit(rig);
}

/* Of vertices that are shaded once. */
static void
outputs(struct rig *rig)
{
    set_shaders(rig, varying_vs, varying_fs);
    triangles_without_pixels(rig);
}

static void
varied_vertices(struct rig *rig)
{
    set_shaders(rig, varying_vs, varying_fs);
    vertices(rig);
}

static void
varyings(struct rig *rig)
{
    set_shaders(rig, varying_vs, varying_fs);
    draw_layers(rig, LAYERS);
}

enum { TEXELS = 8 };
static void
set_texels(struct rig *rig)
{
    struct stream *s = &rig->stream;
    player_create(&rig->player, (struct resource_desc){RES_TEXTURE, TARGET_2D, FORMAT_BGRA8,
                                                       BIND_SAMPLER_VIEW, 16, 16, 1, 1, 0, 0});
    PACKET(s, 1, 6, OBJ_VIEW, RES_TEXTURE, FORMAT_BGRA8, 0, 0, 0 | 1 << 3 | 2 << 6 | 3 << 9);
    PACKET(s, 1, 7, OBJ_SAMPLER, 1 << 9 | 1 << 13, 0, 0, float_bits(9), 0, 0, 0, 0);
    PACKET(s, 10, 0, 1, 0, OBJ_VIEW);
    PACKET(s, 18, 0, 1, 0, OBJ_SAMPLER);
    set_shaders(rig, rig_vs, texels_fs);
}

static void
texels(struct rig *rig)
{
    set_texels(rig);
    draw_layers(rig, 2);
}

static void
texel_chain(struct rig *rig)
{
    set_texels(rig);
    quad(rig);
}

static void
swap_alone(struct rig *rig)
{
    rig_swap(rig);
}

/* A square of the surface onto another one, sample by sample. */
static void
blit_square(struct rig *rig, uint32_t size)
{
    enum { RES_COPY = 90 };
    player_create(&rig->player, (struct resource_desc){RES_COPY, TARGET_2D, FORMAT_BGRA8,
                                                       BIND_RENDER_TARGET, SIZE, SIZE, 1, 1, 0, 0});
    PACKET(&rig->stream, 16, 0, 15, 0, 0, RES_COPY, 0, FORMAT_BGRA8, 0, 0, 0, size, size, 1,
           RES_COLOR, 0, FORMAT_BGRA8, 0, 0, 0, size, size, 1);
    rig_submit(rig);
    rig_swap(rig);
}

static void
blit(struct rig *rig)
{
    blit_square(rig, SIZE);
}

/* Four transactions. */
static void
small_blit(struct rig *rig)
{
    blit_square(rig, 8);
}

static void
uploads(struct rig *rig)
{
    static uint8_t bytes[4096];
    for (uint32_t i = 0; i < 16; i++)
        rig_upload(rig, RES_VERTICES, bytes, sizeof bytes);
    rig_swap(rig);
}

/* Quads to one shader unit and the other. */
#define IN_TURN "RASTERIZER.TiledShaderDistribution=FALSE RASTERIZER.ShaderInputBatchSize=4"
static const struct {
    int real; /* enum ideal_number, or ALL_IDEAL */
    const char *settings, *cause;
    uint64_t cycles;
    void (*scene)(struct rig *rig);
} cases[] = {
    {ALL_IDEAL, "STREAMER.IndicesCycle=1", "streamer", 3 * TRIANGLES, triangles_without_pixels},
    /* an attribute of 16 bytes */
    {ALL_IDEAL, "STREAMER.AttributesCycle=1 STREAMER.InputCachePortWidth=4", "streamer",
     VERTICES * 16 / 4, vertices},
    {ALL_IDEAL, "STREAMER.AttributesCycle=1", "streamer", VERTICES, vertices},
    {ALL_IDEAL, "STREAMER.VerticesCycle=1 STREAMER.AttributesSentCycle=1", "streamer",
     3 * TRIANGLES * 5, outputs},
    /* which are shaded sooner than they are sent on */
    {IDEAL_shader, "STREAMER.VerticesCycle=1 STREAMER.AttributesSentCycle=1", "streamer",
     VERTICES * 5, varied_vertices},
    /* one at a time */
    {ALL_IDEAL, "ZSTENCILTEST.OpQueueSize=1 ZSTENCILTEST.ZALULatency=10", "test", QUADS / 2 * 10,
     layers},
    {ALL_IDEAL, "COLORWRITE.OpQueueSize=1 COLORWRITE.BlendALULatency=10", "blend", QUADS / 2 * 10,
     layers},
    {ALL_IDEAL, "PRIMITIVEASSEMBLY.TrianglesCycle=1", "assembly", TRIANGLES,
     triangles_without_pixels},
    {ALL_IDEAL, "CLIPPER.ClipperUnits=1 CLIPPER.StartLatency=4", "clip", 4 * TRIANGLES,
     triangles_without_pixels},
    {ALL_IDEAL, "RASTERIZER.TrianglesCycle=1", "setup", TRIANGLES, triangles_without_pixels},
    {ALL_IDEAL, "RASTERIZER.SetupUnits=1 RASTERIZER.SetupStartLatency=4", "setup", 4 * TRIANGLES,
     triangles_without_pixels},
    {ALL_IDEAL, "RASTERIZER.StampsPerCycle=1", "generate", QUADS, layers},
    /* two quads at a time, four attributes */
    {ALL_IDEAL, "RASTERIZER.NumInterpolators=1", "interpolate", QUADS / 2 * 4, varyings},
    /* two units; a quad is four threads */
    {ALL_IDEAL, IN_TURN " FRAGMENTSHADER.InputsPerCycle=1", "load", QUADS / 2 * 4, layers},
    {ALL_IDEAL, IN_TURN " FRAGMENTSHADER.OutputsPerCycle=1", "load", QUADS / 2 * 4, layers},
    {IDEAL_shader, "", "fragment_issue", PIXELS / 4 / 2 * INSTRUCTIONS, long_fragments},
    /* four threads of a vertex each issue in a cycle */
    {IDEAL_shader, "", "vertex_issue", VERTICES / 4 / 2 * INSTRUCTIONS, long_vertices},
    {IDEAL_shader, "", "result", (INSTRUCTIONS - 1) * (ADD_LATENCY - 1), chain},
    /* a bilinear sample of a quad a cycle */
    {ALL_IDEAL, IN_TURN " FRAGMENTSHADER.PerfectTextures=FALSE", "filter",
     PIXELS / 4 * 2 / 2 * TEXELS, texels},
    /* a pixel of 4 bytes takes BytesPerPixel = 2 twice */
    {ALL_IDEAL, "ZSTENCILTEST.StampsPerCycle=1 ZSTENCILTEST.BytesPerPixel=2", "test", QUADS / 2 * 2,
     layers},
    {ALL_IDEAL, "COLORWRITE.StampsPerCycle=1 COLORWRITE.BytesPerPixel=2", "blend", QUADS / 2 * 2,
     layers},
    {ALL_IDEAL, "ZSTENCILTEST.ZALULatency=16", "test_place", (TRIANGLES - 1) * 16, quad_many_times},
    {ALL_IDEAL, "COLORWRITE.BlendALULatency=16", "blend_place", (TRIANGLES - 1) * 16,
     quad_many_times},
    /* each layer reads and writes all of the surface, 16 bytes a cycle */
    {IDEAL_memory,
     "MEMORYCONTROLLER.MemoryBuses=1 RASTERIZER.RasterizationBatchSize=1 "
     "COLORWRITE.ColorCacheWays=1 COLORWRITE.ColorCacheLines=4",
     "bandwidth_color", LAYERS * 2 * PIXELS * 4 / 16, layers},
    /* a slice beside each ROP */
    {ALL_IDEAL, "BLITTER.SamplesCycle=1", "blit", PIXELS / 2, blit},
    {ALL_IDEAL, "MEMORYCONTROLLER.CommandProcessorBusWidth=8", "bus", 16 * 4096 / 8, uploads},
    {ALL_IDEAL, "", "show", PIXELS * 4 / 64, swap_alone},
    /* one quad, for which latencies add up */
    {ALL_IDEAL, "FRAGMENTSHADER.AddressALULatency=50", "address", TEXELS * 50, texel_chain},
    {ALL_IDEAL, "FRAGMENTSHADER.FilterALULatency=50", "filter", TEXELS * 50, texel_chain},
    {ALL_IDEAL, "FRAGMENTSHADER.OutputLatency=200 VERTEXSHADER.OutputLatency=200", "load", 400,
     quad},
    {IDEAL_memory, "MEMORYCONTROLLER.ReadLatency=1000", "latency_z", 1000, quad},
    {IDEAL_memory, "MEMORYCONTROLLER.ReadLatency=1000", "latency_color", 1000, quad},
    {IDEAL_memory, "MEMORYCONTROLLER.ReadLatency=1000", "latency_index", 1000, quad},
    {IDEAL_memory, "MEMORYCONTROLLER.ReadLatency=1000", "latency_attribute", 1000, quad},
    {IDEAL_memory, "MEMORYCONTROLLER.ReadLatency=1000 FRAGMENTSHADER.PerfectTextures=FALSE",
     "latency_texture", 1000, texel_chain},
    {ALL_IDEAL, "RASTERIZER.GroupLinger=500", "gather", 500, quad},
    {ALL_IDEAL, "RASTERIZER.HZAccessLatency=500", "hierarchy", 500, quad},
};

/* Cycles are charged in between too, by the way of what left last: at the end of each interval some
 * of what the item had behind the one rate. */
enum { INTERVAL = 2000, ON_ITS_WAY = 100 };
/* An order takes a cycle; there are at most 16 uploads, a draw and a swap. */
enum { ORDERS = 18 };
static void
end_interval(void *data, uint64_t now)
{
    struct clock *clock = data;
    clock_charge_so_far(clock);
    clock->sample_cycle = now + INTERVAL;
}

/* The scene of a case on its machine, to be torn down. */
static struct rig *
start_case(size_t i)
{
    void *own = NULL;
    assert_int_equal(rig_set_up(&own), 0);
    struct rig *rig = own;
    make_ideal(rig, cases[i].real);
    set(rig, cases[i].settings);
    rig_start(rig);
    return rig;
}

static void
check(size_t i, bool intervals)
{
    char name[64];
    struct rig *rig = start_case(i);
    if (intervals) {
        struct clock *clock = &rig_machine(rig)->clock;
        clock->sample = end_interval;
        clock->sample_data = clock;
        clock->sample_cycle = INTERVAL;
    }
    cases[i].scene(rig);
    snprintf(name, sizeof name, "lost.%s", cases[i].cause);
    const double charged = (double)rig_figure(rig, name), cycles = (double)cases[i].cycles;
    const double last = 6 + (intervals ? cycles / INTERVAL * ON_ITS_WAY : 0);
    if (fabs(charged - cycles) > last + cycles / 40)
        fail_msg("%s%s: %.0f cycles are charged to %s, not %.0f", cases[i].settings,
                 intervals ? ", in intervals" : "", charged, name, cycles);
    if (!intervals && rig_figure(rig, "lost.orders") > ORDERS)
        fail_msg("%s: %llu cycles are charged to orders", cases[i].settings,
                 (unsigned long long)rig_figure(rig, "lost.orders"));
    void *own = rig;
    rig_tear_down(&own);
}

static void
each_by_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(i, false);
}

static void
in_intervals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(i, true);
}

/* Scenes of one item after the other, in which a latency is met so many times: what it is longer is
 * charged to its cause, and not a cycle to another. Those of the front are the hop of the queue
 * behind: the bus to a unit counts for the unit before it, but for that of the vertices. */
enum { LONGER = 15 };
#define SLOW_MEMORY                                                                                \
    "MEMORYCONTROLLER.ReadLatency=700 MEMORYCONTROLLER.WriteLatency=500 "                          \
    "FRAGMENTSHADER.PerfectTextures=FALSE"
static const struct {
    const char *name, *causes; /* with spaces around each */
    int times;
    void (*scene)(struct rig *rig);
} latencies[] = {
    {"PRIMITIVEASSEMBLY.InputBusLatency", " assembly ", 1, quad},
    {"CLIPPER.ExecLatency", " clip ", 1, quad},
    {"CLIPPER.StartLatency", " clip ", 0, quad}, /* there is one triangle */
    {"RASTERIZER.TriangleInputLatency", " clip ", 1, quad},
    {"RASTERIZER.SetupLatency", " setup ", 1, quad},
    {"RASTERIZER.SetupStartLatency", " setup ", 0, quad},
    {"RASTERIZER.TriangleOutputLatency", " setup ", 1, quad},
    {"RASTERIZER.HZAccessLatency", " hierarchy ", 1, quad},
    {"RASTERIZER.GroupLinger", " gather ", 1, quad},
    {"FRAGMENTSHADER.OutputLatency", " load ", 2, quad}, /* unified: of vertices and fragments */
    {"FRAGMENTSHADER.AddressALULatency", " address ", TEXELS, texel_chain},
    {"FRAGMENTSHADER.FilterALULatency", " filter ", TEXELS, texel_chain},
    {"ZSTENCILTEST.ZALULatency", " test ", 1, quad},
    {"COLORWRITE.BlendALULatency", " blend ", 1, quad},
    {"MEMORYCONTROLLER.ReadLatency", " latency_blit ", 1, small_blit},
    {"MEMORYCONTROLLER.WriteLatency", " latency_blit ", 1, small_blit},
    /* commands, the vertices' indices and attributes, a line of depths and one of colors */
    {"MEMORYCONTROLLER.ReadLatency",
     " latency_command latency_index latency_attribute latency_z latency_color ", 1, quad},
    {"MEMORYCONTROLLER.ReadLatency",
     " latency_command latency_index latency_attribute latency_z latency_color latency_texture ", 1,
     texel_chain},
};

static struct rig *
run_latency(size_t i, const char *settings, uint32_t more)
{
    void *own = NULL;
    char section[64], value[96];
    assert_int_equal(rig_set_up(&own), 0);
    struct rig *rig = own;
    make_ideal(rig, *settings ? IDEAL_memory : ALL_IDEAL);
    set(rig, "DAC.RefreshFrame=FALSE");
    set(rig, settings);
    const uint32_t length = (uint32_t)strcspn(latencies[i].name, ".");
    snprintf(section, sizeof section, "%.*s", (int)length, latencies[i].name);
    param_format(param_find(section, latencies[i].name + length + 1), &rig->params, value,
                 sizeof value);
    const uint32_t before = (uint32_t)atoi(value);
    snprintf(value, sizeof value, "%s=%u", latencies[i].name, before + more);
    set(rig, value);
    rig_start(rig);
    latencies[i].scene(rig);
    return rig;
}

static void
check_latency(size_t i, const char *settings)
{
    struct rig *rigs[2];
    char cause[64];
    for (uint32_t r = 0; r < 2; r++)
        rigs[r] = run_latency(i, settings, r * LONGER);
    const struct stat_set *stats = &rig_machine(rigs[0])->stats;
    for (uint32_t v = 0; v < stats->count; v++) {
        const char *name = stats->entries[v].name;
        if (strncmp(name, "lost.", 5))
            continue;
        const int64_t more = (int64_t)(rigs[1]->values[v] - rigs[0]->values[v]);
        snprintf(cause, sizeof cause, " %s ", name + strlen("lost."));
        const int64_t expected =
            strstr(latencies[i].causes, cause) ? latencies[i].times * LONGER : 0;
        if (more != expected)
            fail_msg("%s, %s: %lld cycles more are charged to %s, not %lld", settings,
                     latencies[i].name, (long long)more, name, (long long)expected);
    }
    for (uint32_t r = 0; r < 2; r++) {
        void *own = rigs[r];
        rig_tear_down(&own);
    }
}

static void
longer_latencies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof latencies / sizeof latencies[0]; i++) {
        if (strncmp(latencies[i].name, "MEMORYCONTROLLER.", 17)) /* else it is of no ideal one */
            check_latency(i, "");
        check_latency(i, SLOW_MEMORY);
    }
}

/* In the midst of a frame the counts are brought up to the cycle: what counts cycles of one thing
 * has then counted no more of them than went by. Others are told at the end of a row of work, add
 * up over channels, or count ahead for what will have to wait. */
enum { GLANCE = 97 };
static void
glance(void *data, uint64_t now)
{
    static const char *const others[] = {
        "work.",   "lost.",      "memctl.",     "channel[", "compressor_stalls", "port_wait_cycles",
        "latency", "bus_cycles", "issue_cycles"};
    struct rig *rig = data;
    struct clock *clock = &rig_machine(rig)->clock;
    const struct stat_set *stats = &rig_machine(rig)->stats;
    uint64_t *before = rig->data;
    clock_settle(clock);
    for (uint32_t v = 0; v < stats->count; v++) {
        const struct stat_entry *entry = &stats->entries[v];
        const uint64_t value = *entry->value, more = value - before[v];
        bool other = strcmp(entry->measure, "cycles") != 0;
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
            other |= strstr(entry->name, others[i]) != NULL;
        if (!other && more > GLANCE)
            fail_msg("%s grows by %llu in %d cycles", entry->name, (unsigned long long)more,
                     GLANCE);
        before[v] = value;
    }
    clock->sample_cycle = now + GLANCE;
}

/* How often each is clocked, in which order, and whether anybody looks changes nothing. */
static void
when_clocked(void **state)
{
    static const char *const ways[] = {"", "sleepless", "shuffled", "looked at"};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rigs[4];
        for (uint32_t r = 0; r < 4; r++) {
            rigs[r] = start_case(i);
            struct clock *clock = &rig_machine(rigs[r])->clock;
            clock->sleepless = r == 1;
            if (r == 2)
                clock_shuffle(clock, i + 1);
            if (r == 3) {
                rigs[r]->data = calloc(rig_machine(rigs[r])->stats.count, sizeof(uint64_t));
                clock->sample = glance;
                clock->sample_data = rigs[r];
                clock->sample_cycle = clock->now + GLANCE;
            }
            cases[i].scene(rigs[r]);
        }
        const struct stat_set *stats = &rig_machine(rigs[0])->stats;
        for (uint32_t r = 1; r < 4; r++)
            for (uint32_t v = 0; v < stats->count; v++)
                if (rigs[r]->values[v] != rigs[0]->values[v])
                    fail_msg("%s, %s: %s is %llu, not %llu", cases[i].settings, ways[r],
                             stats->entries[v].name, (unsigned long long)rigs[r]->values[v],
                             (unsigned long long)rigs[0]->values[v]);
        for (uint32_t r = 0; r < 4; r++) {
            void *own = rigs[r];
            rig_tear_down(&own);
        }
    }
}

/* Groups of four threads. */
static void
threads_of_groups(void **state)
{
    struct rig *rig = *state;
    make_ideal(rig, IDEAL_shader);
    rig_start(rig);
    long_fragments(rig);
    const double threads = (double)rig_figure(rig, "shader.thread_cycles");
    const double groups = (double)rig_figure(rig, "shader.group_cycles");
    assert_true(groups > PIXELS / 4 * INSTRUCTIONS);
    assert_true(threads > 3.9 * groups && threads <= 4 * groups);
}

/* Units behind Triangle Setup have nothing to do for triangles without pixels. */
static void
states_without_pixels(void **state)
{
    static const char *const starved[] = {"hz", "interpolator", "sched", "zstencil", "colorwrite"};
    struct rig *rig = *state;
    char name[64];
    make_ideal(rig, ALL_IDEAL);
    set(rig, "RASTERIZER.SetupUnits=1 RASTERIZER.SetupStartLatency=16");
    rig_start(rig);
    triangles_without_pixels(rig);
    for (size_t i = 0; i < sizeof starved / sizeof starved[0]; i++) {
        snprintf(name, sizeof name, "%s.starved_cycles", starved[i]);
        const uint64_t units = i < 3 ? 1 : 2;
        if (rig_figure(rig, name) < units * TRIANGLES * 16)
            fail_msg("%s: %llu", name, (unsigned long long)rig_figure(rig, name));
    }
}

/* What stands before the one slow unit is blocked, and waits for nothing of its own; what has had
 * its triangles has nothing to do, and the slow unit works. */
static void
states_of_the_others(void **state)
{
    static const char *const before[] = {"sched", "interpolator", "zstencil", "hz", "fraggen"};
    static const char *const done[] = {"streamer", "primasm", "clipper"};
    struct rig *rig = *state;
    char name[64];
    make_ideal(rig, ALL_IDEAL);
    set(rig, "COLORWRITE.StampsPerCycle=1 COLORWRITE.BytesPerPixel=1");
    rig_start(rig);
    layers(rig);
    const uint64_t cycles = QUADS / 2 * 4, most = cycles * 9 / 10;
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        snprintf(name, sizeof name, "%s.blocked_cycles", before[i]);
        const uint64_t blocked = rig_figure(rig, name);
        snprintf(name, sizeof name, "%s.waiting_cycles", before[i]);
        if (blocked < cycles / 4 || rig_figure(rig, name) > cycles / 20)
            fail_msg("%s is blocked for %llu cycles", before[i], (unsigned long long)blocked);
    }
    for (size_t i = 0; i < sizeof done / sizeof done[0]; i++) {
        snprintf(name, sizeof name, "%s.starved_cycles", done[i]);
        if (rig_figure(rig, name) < most)
            fail_msg("%s is starved for %llu cycles", done[i],
                     (unsigned long long)rig_figure(rig, name));
    }
    assert_true(rig_figure(rig, "colorwrite.busy_cycles") >= 2 * most); /* of two ROPs */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(threads_of_groups, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(states_without_pixels, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(states_of_the_others, rig_set_up, rig_tear_down),
        cmocka_unit_test(each_by_itself),
        cmocka_unit_test(longer_latencies),
        cmocka_unit_test(in_intervals),
        cmocka_unit_test(when_clocked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
