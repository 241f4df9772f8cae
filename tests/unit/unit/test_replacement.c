/* Replacement policies: expected victims of access sequences. A test of every cache of the machine
 * checks that fills and uses are distinguished. */
#include "rigs/ideal_rig.h"

#include "unit/replacement.h"

enum { NOBODY = -1, MAX_WAYS = 8 };

/* A cache of one set whose lines contain letters. */
struct toy {
    struct replacement replacement;
    uint32_t ways;
    char holds[MAX_WAYS]; /* 0: empty */
    bool locked[MAX_WAYS];
};

static enum line_state
state_of(const void *cache, uint32_t line)
{
    const struct toy *toy = cache;
    return toy->locked[line] ? LINE_STAYS : toy->holds[line] ? LINE_MAY_GO : LINE_EMPTY;
}

/* Uses the line of the letter, and fills it on a miss. Returns the evicted letter, or 0 if there is
 * none. */
static char
access(struct toy *toy, char letter)
{
    for (uint32_t i = 0; i < toy->ways; i++)
        if (toy->holds[i] == letter) {
            replacement_use(&toy->replacement, i);
            return 0;
        }
    const int32_t victim = replacement_victim(&toy->replacement, 0, state_of, toy);
    assert_true(victim >= 0);
    const char gone = toy->holds[victim];
    toy->holds[victim] = letter;
    replacement_fill(&toy->replacement, (uint32_t)victim);
    return gone;
}

/* Access sequences. Below each access is the letter that it evicts ('.': none). */
static const struct {
    enum replacement_policy policy;
    uint32_t ways;
    const char *accesses, *gone;
} sequences[] = {
    /* E arrives after A was used again. B is the least recently used line, and A was filled first.
     * In the tree of four, the use of A points the root to the upper half. The node of that half
     * points to C since the use of D. */
    {REPLACEMENT_LRU, 4, "ABCDAE", ".....B"},
    {REPLACEMENT_FIFO, 4, "ABCDAE", ".....A"},
    {REPLACEMENT_PSEUDO_LRU, 4, "ABCDAE", ".....C"},
    /* Without reuse the three policies evict lines in the order of the fills. */
    {REPLACEMENT_LRU, 4, "ABCDEFGH", "....ABCD"},
    {REPLACEMENT_FIFO, 4, "ABCDEFGH", "....ABCD"},
    /* E takes the place of A. The root then points up, and the lower node points to B. F takes the
     * place of C, because the upper node has pointed to C since the use of D. After F the root
     * points down, and the upper node points to D. G takes the place of B, and H that of D. */
    {REPLACEMENT_PSEUDO_LRU, 4, "ABCDEFGH", "....ACBD"},
    /* In Belady's sequence first in, first out misses 9 times of 12 with three ways, and 10 times
     * with four. Three of these misses fill empty ways. */
    {REPLACEMENT_FIFO, 3, "ABCDABEABCDE", "...ABCD..AB."},
    {REPLACEMENT_FIFO, 4, "ABCDABEABCDE", "......ABCDEA"},
    {REPLACEMENT_LRU, 3, "ABCDABEABCDE", "...ABCD..EAB"},
    {REPLACEMENT_LRU, 4, "ABCDABEABCDE", "......C..DEA"},
    /* A tree of four with a missing leaf. After C the root points down. The lower node has pointed
     * to A since the use of B, so D takes the place of A. Then the root points up to way 3, which
     * does not exist, so E evicts C. After that the root points down. The lower node has pointed to
     * B since the use of D, so F evicts B. */
    {REPLACEMENT_PSEUDO_LRU, 3, "ABCDEF", "...ACB"},
    /* A filled line is the next victim until it is used: first D, then E. A stays after its use,
     * and F is the next victim. */
    {REPLACEMENT_LIP, 4, "ABCDEFAGBH", "....DE.F.G"},
    /* Three letters alternate in two ways. With LRU no access hits, with LIP A always hits. */
    {REPLACEMENT_LRU, 2, "ABCABCABC", "..ABCABCA"},
    {REPLACEMENT_LIP, 2, "ABCABCABC", "..B.CB.CB"},
    {REPLACEMENT_LIP, 1, "AAB", "..A"},
    {REPLACEMENT_LRU, 1, "AAB", "..A"},
    {REPLACEMENT_FIFO, 1, "AAB", "..A"},
    {REPLACEMENT_PSEUDO_LRU, 1, "AAB", "..A"},
};

static void
begin(struct toy *toy, enum replacement_policy policy, uint32_t ways)
{
    memset(toy, 0, sizeof *toy);
    toy->ways = ways;
    replacement_init(&toy->replacement, policy, 1, ways);
}

static void
test_sequences(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof sequences / sizeof sequences[0]; s++) {
        struct toy toy;
        char gone[32] = "";
        begin(&toy, sequences[s].policy, sequences[s].ways);
        for (int again = 0; again < 2; again++) { /* a reset forgets the history */
            memset(toy.holds, 0, sizeof toy.holds);
            replacement_reset(&toy.replacement);
            for (size_t i = 0; sequences[s].accesses[i]; i++) {
                const char letter = access(&toy, sequences[s].accesses[i]);
                gone[i] = letter ? letter : '.';
            }
            assert_string_equal(gone, sequences[s].gone);
        }
        replacement_fini(&toy.replacement);
    }
}

/* Locked lines are skipped. The victim is the next line in order, or none if all lines are locked.
 */
static void
test_locked(void **state)
{
    (void)state;
    static const struct {
        enum replacement_policy policy;
        int32_t victims[5]; /* after ABCDA; each victim is locked before the next one is chosen */
    } cases[] = {
        {REPLACEMENT_LRU, {1, 2, 3, 0, NOBODY}},
        {REPLACEMENT_FIFO, {0, 1, 2, 3, NOBODY}},
        {REPLACEMENT_LIP, {3, 2, 1, 0, NOBODY}},
        /* the root points up, the upper node to way 2, the lower one to way 1 */
        {REPLACEMENT_PSEUDO_LRU, {2, 3, 1, 0, NOBODY}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct toy toy;
        begin(&toy, cases[c].policy, 4);
        for (const char *letter = "ABCDA"; *letter; letter++)
            access(&toy, *letter);
        for (uint32_t i = 0; i < 5; i++) {
            const int32_t victim = replacement_victim(&toy.replacement, 0, state_of, &toy);
            assert_int_equal(victim, cases[c].victims[i]);
            if (victim >= 0)
                toy.locked[victim] = true;
        }
        replacement_fini(&toy.replacement);
    }
}

/* Each cache of the machine is accessed in turns. Each turn accesses one line more than the cache
 * has. With LRU no access hits. With LIP, where a fill is not a use, all lines except the last two
 * hit. */
enum { TURNS = 4 };

/* Draws one pixel of tile `tile` of the first row, nearer than in the previous draw. */
static void
draw_in_tile(struct rig *rig, uint32_t tile, uint32_t number)
{
    const float x = (float)tile * 16 / SIZE - 1, leg = 2 * 1.5f / SIZE;
    const float z = -.01f * (float)number;
    const float vertices[3][4] = {{x, -1, z, 1}, {x + leg, -1, z, 1}, {x, -1 + leg, z, 1}};
    rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
}

static void
tiles(struct rig *rig)
{
    rig_clear(rig, MASK_DEPTH | MASK_COLOR0, 1);
    for (uint32_t i = 0; i < 3 * TURNS; i++)
        draw_in_tile(rig, i % 3, i);
    rig_swap(rig);
}

/* One quad samples one texel in each of three lines. A line has 64 bytes, 4x4 texels. */
static const char three_texels_fs[] = "FRAG\n"
                                      "DCL OUT[0], COLOR\n"
                                      "DCL SAMP[0]\n"
                                      "DCL SVIEW[0], 2D, FLOAT\n"
                                      "DCL TEMP[0..2]\n"
                                      "IMM[0] FLT32 {0.125, 0.125, 0.0, 1.0}\n"
                                      "IMM[1] FLT32 {0.625, 0.125, 0.0, 1.0}\n"
                                      "IMM[2] FLT32 {0.125, 0.625, 0.0, 1.0}\n"
                                      "  0: TEX TEMP[0], IMM[0], SAMP[0], 2D\n"
                                      "  1: TEX TEMP[1], IMM[1], SAMP[0], 2D\n"
                                      "  2: TEX TEMP[2], IMM[2], SAMP[0], 2D\n"
                                      "  3: MOV OUT[0], TEMP[2]\n"
                                      "  4: END\n";

static void
three_texels(struct rig *rig)
{
    rig_clear(rig, MASK_DEPTH, 1);
    rig_set_texels(rig);
    stream_shader(&rig->stream, OBJ_PROGRAM + 2, VSTAGE_FRAGMENT, three_texels_fs);
    stream_bind_shader(&rig->stream, OBJ_PROGRAM + 2, VSTAGE_FRAGMENT);
    rig_submit(rig);
    for (uint32_t i = 0; i < TURNS; i++)
        draw_in_tile(rig, 0, i);
    rig_swap(rig);
}

/* Draws nine vertices, each on a separate line. */
static void
nine_vertices(struct rig *rig)
{
    enum { APART = 64 };
    float vertices[9][APART / 4] = {{0}};
    for (uint32_t i = 0; i < 9; i++)
        memcpy(vertices[i], (float[]){0.002f, 0.002f, 0, 1}, 16);
    rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
    PACKET(&rig->stream, CMD_SET_VERTEX_BUFFERS, APART, 0, RES_VERTICES);
    for (uint32_t i = 0; i < TURNS; i++)
        rig_draw(rig, PRIM_TRIANGLES, 9, 0);
    rig_swap(rig);
}

static const struct {
    const char *policy, *settings, *unit;
    uint32_t lines; /* lines accessed per turn, one more than the cache has */
    void (*scene)(struct rig *rig);
} cached[] = {
    {"COLORWRITE.ColorCacheReplacement",
     "GPU.NumStampPipes=1 COLORWRITE.ColorCacheLines=1 COLORWRITE.ColorCacheWays=2",
     "colorwrite.cache", 3, tiles},
    {"ZSTENCILTEST.ZCacheReplacement",
     "GPU.NumStampPipes=1 ZSTENCILTEST.ZCacheLines=1 ZSTENCILTEST.ZCacheWays=2 "
     "RASTERIZER.DisableHZ=TRUE",
     "zstencil.cache", 3, tiles},
    {"RASTERIZER.HZCacheReplacement", "RASTERIZER.HZCacheLines=2 RASTERIZER.HZCacheLineSize=1",
     "hz.cache", 3, tiles},
    {"FRAGMENTSHADER.TextureCacheReplacement",
     "GPU.NumFragmentShaders=1 FRAGMENTSHADER.TwoLevelTextureCache=FALSE "
     "FRAGMENTSHADER.TextureCacheLineSize=64 "
     "FRAGMENTSHADER.TextureCacheLines=1 FRAGMENTSHADER.TextureCacheWays=2",
     "texunit.cache", 3, three_texels},
    {"FRAGMENTSHADER.TextureCacheReplacementL1",
     "GPU.NumFragmentShaders=1 FRAGMENTSHADER.TwoLevelTextureCache=TRUE "
     "FRAGMENTSHADER.TextureCacheLines=1 FRAGMENTSHADER.TextureCacheWays=1 "
     "FRAGMENTSHADER.TextureCacheLineSize=64 FRAGMENTSHADER.TextureCacheLineSizeL1=64 "
     "FRAGMENTSHADER.TextureCacheLinesL1=1 FRAGMENTSHADER.TextureCacheWaysL1=2",
     "texunit.cache_l1", 3, three_texels},
    {"STREAMER.InputCacheReplacement", "STREAMER.InputCacheLines=8 STREAMER.InputCacheLineSize=64",
     "streamer.cache", 9, nine_vertices},
};

static void
test_fills_are_no_uses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cached / sizeof cached[0]; i++)
        for (uint32_t lip = 0; lip < 2; lip++) {
            char text[128];
            struct rig *rig = rig_create();
            rig_set(rig, cached[i].settings);
            snprintf(text, sizeof text, "%s=%s", cached[i].policy, lip ? "lip" : "lru");
            rig_set(rig, text);
            rig_start(rig);
            cached[i].scene(rig);
            snprintf(text, sizeof text, "%s_accesses", cached[i].unit);
            rig_assert_figure(rig, text, cached[i].lines * TURNS);
            snprintf(text, sizeof text, "%s_hits", cached[i].unit);
            rig_assert_figure(rig, text, lip ? (cached[i].lines - 2) * (TURNS - 1) : 0);
            rig_destroy(rig);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_locked),
        cmocka_unit_test(test_fills_are_no_uses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
