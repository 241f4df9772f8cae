/* quads: differences inside groups of four elements, each group as wide as it needs. This project
 * designed the codec for two properties of rendered surfaces: colors change slowly inside a
 * triangle, and there are two colors along its edge.
 *
 * The block is a tree of 21 groups of four: elements 0, 16, 32, 48; then elements 0, 4, 8, 12 of
 * each quarter; then the four elements of each sixteenth (a 2x2 quad, or the samples of a pixel).
 * The first element a of a group is known from the group above. The others, b, c, d, are stored as
 * the differences b - a, c - a and (d - c) - (b - a); the last is 0 on a plane. Components are G,
 * R, B and A, or in a turned profile G, R - G, B - G and A (modulo 256, two's complement).
 *
 * Each group has a class: the bits of G's differences and those of R's and B's. The last class is
 * for groups of two different colors. It has one bit for each of b, c, d (1: the other color), and
 * the other color's difference from a (8 bits per component). Alpha takes no bits if the whole
 * block has one value, else as many as G.
 *
 * A profile is a table of classes; four are tried. Layout: one bit (1: alpha is constant), the
 * profile (2 bits), the first element (32 bits), the classes of all groups in order (3 or 4 bits),
 * then b, c, d of each group: G, R, B, A of each.
 *
 * The tables were fitted to color blocks from one half of some glmark2 scenes and OpenArena frames.
 * docs/studies/compression.md names the halves, and evaluates the codec on the other half.
 *
 * Latency of compression: adders count as comparators, and two levels of byte operations fit in one
 * cycle as in comp. The first stage has four byte levels:
 * - b - a, c - a, d - c and the comparisons for two colors
 * - (d - c) - (b - a), and in the profiles that transform colors the subtraction of G's differences
 *   from R's and B's (equal to transforming first)
 * - the same for d
 * - the comparison of each difference with all powers of two
 * The class is read from a table with two widths as index. The size is that of the class, or that
 * of two colors if smaller. The sum of the 21 sizes also gives the position of each group (prefix
 * sums). With a full cycle per byte level (4 cycles), but three numbers of up to 11 bits added per
 * cycle (21 in 3 levels), the total is 12 as well. With neither assumption it is 14.
 *
 * Decompression takes 10 cycles: sizes of the classes 1, positions 5, shifting 1, then five byte
 * levels in 3. Two of these levels compute d. Two add the levels of the tree: an element is the sum
 * of three differences, added as they arrive. One turns the colors back. */
#include "codec/bits.h"
#include "codec/codec.h"
#include "codec/grid.h"

#include <stdbool.h>

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef int8_t signed16 __attribute__((vector_size(16)));

enum {
    GROUPS = 21,
    PROFILES = 4,
    WIDTHS = 9,
    PROFILE_BITS = 2,
    FIXED_BITS = 1 + PROFILE_BITS + 32
};

struct profile {
    bool turned;
    uint8_t class_bits; /* 2^class_bits classes; the last is for two colors */
    struct {
        uint8_t g, rb; /* bits per difference */
    } classes[15];     /* smallest first */
};
static const struct profile profiles[PROFILES] = {
    {true,
     4,
     {{0, 0},
      {2, 0},
      {2, 1},
      {4, 0},
      {1, 2},
      {2, 2},
      {3, 2},
      {2, 3},
      {4, 2},
      {5, 2},
      {4, 3},
      {5, 4},
      {8, 3},
      {6, 6},
      {8, 8}}},
    {true,
     4,
     {{0, 0},
      {3, 0},
      {0, 2},
      {2, 2},
      {2, 3},
      {3, 3},
      {4, 3},
      {4, 4},
      {5, 4},
      {7, 3},
      {5, 5},
      {6, 5},
      {7, 6},
      {7, 7},
      {8, 8}}},
    {false,
     4,
     {{0, 0},
      {0, 1},
      {2, 0},
      {0, 2},
      {5, 0},
      {0, 3},
      {0, 4},
      {8, 0},
      {0, 5},
      {4, 3},
      {0, 7},
      {5, 5},
      {0, 8},
      {6, 7},
      {8, 8}}},
    {true, 3, {{0, 0}, {0, 1}, {4, 0}, {6, 0}, {8, 0}, {6, 2}, {8, 8}}},
};
/* The first class that fits differences with the given number of bits, [profile][bits of G][bits of
 * R and B]. */
static const uint8_t class_of[PROFILES][WIDTHS][WIDTHS] = {
    {{0, 2, 4, 7, 11, 13, 13, 14, 14},
     {1, 2, 4, 7, 11, 13, 13, 14, 14},
     {1, 2, 5, 7, 11, 13, 13, 14, 14},
     {3, 6, 6, 10, 11, 13, 13, 14, 14},
     {3, 8, 8, 10, 11, 13, 13, 14, 14},
     {9, 9, 9, 11, 11, 13, 13, 14, 14},
     {12, 12, 12, 12, 13, 13, 13, 14, 14},
     {12, 12, 12, 12, 14, 14, 14, 14, 14},
     {12, 12, 12, 12, 14, 14, 14, 14, 14}},
    {{0, 2, 2, 4, 7, 10, 12, 13, 14},
     {1, 3, 3, 4, 7, 10, 12, 13, 14},
     {1, 3, 3, 4, 7, 10, 12, 13, 14},
     {1, 5, 5, 5, 7, 10, 12, 13, 14},
     {6, 6, 6, 6, 7, 10, 12, 13, 14},
     {8, 8, 8, 8, 8, 10, 12, 13, 14},
     {9, 9, 9, 9, 11, 11, 12, 13, 14},
     {9, 9, 9, 9, 12, 12, 12, 13, 14},
     {14, 14, 14, 14, 14, 14, 14, 14, 14}},
    {{0, 1, 3, 5, 6, 8, 10, 10, 12},
     {2, 9, 9, 9, 11, 11, 13, 13, 14},
     {2, 9, 9, 9, 11, 11, 13, 13, 14},
     {4, 9, 9, 9, 11, 11, 13, 13, 14},
     {4, 9, 9, 9, 11, 11, 13, 13, 14},
     {4, 11, 11, 11, 11, 11, 13, 13, 14},
     {7, 13, 13, 13, 13, 13, 13, 13, 14},
     {7, 14, 14, 14, 14, 14, 14, 14, 14},
     {7, 14, 14, 14, 14, 14, 14, 14, 14}},
    {{0, 1, 5, 6, 6, 6, 6, 6, 6},
     {2, 5, 5, 6, 6, 6, 6, 6, 6},
     {2, 5, 5, 6, 6, 6, 6, 6, 6},
     {2, 5, 5, 6, 6, 6, 6, 6, 6},
     {2, 5, 5, 6, 6, 6, 6, 6, 6},
     {3, 5, 5, 6, 6, 6, 6, 6, 6},
     {3, 5, 5, 6, 6, 6, 6, 6, 6},
     {4, 6, 6, 6, 6, 6, 6, 6, 6},
     {4, 6, 6, 6, 6, 6, 6, 6, 6}},
};

/* The elements of a group: `first`, then every `step`. */
struct group {
    uint32_t first, step;
};

static struct group
group_at(uint32_t g)
{
    if (g == 0)
        return (struct group){0, 16};
    return g < 5 ? (struct group){(g - 1) * 16, 4} : (struct group){(g - 5) * 4, 1};
}

/* Widths that determine the size of a group. */
struct widths {
    uint8_t g, rb, alpha;
};

struct analysis {
    bool one_alpha;
    bool two_colors[GROUPS];
    struct widths widths[2][GROUPS]; /* plain, turned */
};

/* Bytes of a word from the lowest: A, B, G, R. */
static uint32_t
turn_color(uint32_t word)
{
    const uint32_t g = word >> 16 & 0xff;
    return (((word >> 24) - g) & 0xff) << 24 | g << 16 | (((word >> 8) - g) & 0xff) << 8 |
           (word & 0xff);
}

static uint32_t
turn_color_back(uint32_t word)
{
    const uint32_t g = word >> 16 & 0xff;
    return (((word >> 24) + g) & 0xff) << 24 | g << 16 | (((word >> 8) + g) & 0xff) << 8 |
           (word & 0xff);
}

/* Moves the sign to the low bit, so that the highest bit set gives the width. */
static bytes16
fold(bytes16 difference)
{
    const bytes16 sign = (bytes16)((signed16)difference < 0);
    return ((difference ^ sign) << 1) | (sign & 1);
}

/* The widths of four groups. a, b, c, d each hold that word of all four groups. */
static void
find_widths(bytes16 a, bytes16 b, bytes16 c, bytes16 d, struct widths widths[4])
{
    const bytes16 right = b - a, down = c - a;
    const bytes16 all = fold(right) | fold(down) | fold((d - c) - right);
    for (uint32_t i = 0; i < 4; i++)
        widths[i] = (struct widths){
            .g = (uint8_t)bits_of(all[4 * i + 2]),
            .rb = (uint8_t)bits_of((uint32_t)all[4 * i + 3] | all[4 * i + 1]),
            .alpha = (uint8_t)bits_of(all[4 * i]),
        };
}

static void
analyse_widths(const uint32_t *block, struct widths widths[GROUPS])
{
    for (uint32_t g = 1; g < GROUPS; g += 4) {
        uint32_t turned[4][4];
        bytes16 words[4];
        for (uint32_t i = 0; i < 4; i++) {
            const struct group group = group_at(g + i);
            for (uint32_t j = 0; j < 4; j++)
                turned[j][i] = block[group.first + j * group.step];
        }
        memcpy(words, turned, sizeof words);
        find_widths(words[0], words[1], words[2], words[3], widths + g);
    }
    const struct group top = group_at(0);
    bytes16 words[4] = {{0}};
    struct widths of_top[4];
    for (uint32_t j = 0; j < 4; j++)
        memcpy(&words[j], &block[j * top.step], sizeof *block);
    find_widths(words[0], words[1], words[2], words[3], of_top);
    widths[0] = of_top[0];
}

static void
analyse(const uint32_t *block, struct analysis *analysis)
{
    uint32_t turned[CODEC_WORDS], differ = 0;
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        turned[i] = turn_color(block[i]);
        differ |= block[i] ^ block[0];
    }
    analysis->one_alpha = !(differ & 0xff);
    analyse_widths(block, analysis->widths[0]);
    analyse_widths(turned, analysis->widths[1]);
    for (uint32_t g = 0; g < GROUPS; g++) {
        const struct group group = group_at(g);
        const uint32_t *at = block + group.first, step = group.step;
        const uint32_t a = at[0], b = at[step], c = at[2 * step], d = at[3 * step];
        const uint32_t other = b != a ? b : c != a ? c : d;
        analysis->two_colors[g] = (b == a || b == other) & (c == a || c == other);
        analysis->two_colors[g] &= d == a || d == other;
    }
}

static uint32_t
body_bits(const struct profile *profile, uint32_t class, bool one_alpha)
{
    if (class + 1 == 1u << profile->class_bits)
        return 3 + (one_alpha ? 24 : 32);
    const uint32_t g = profile->classes[class].g, rb = profile->classes[class].rb;
    return 3 * (g + 2 * rb + (one_alpha ? 0 : g));
}

static uint32_t
find_class(const struct analysis *analysis, uint32_t p, uint32_t g)
{
    const struct profile *profile = &profiles[p];
    const struct widths *need = &analysis->widths[profile->turned][g];
    const uint32_t wide = analysis->one_alpha || need->g > need->alpha ? need->g : need->alpha;
    const uint32_t class = class_of[p][wide][need->rb];
    const uint32_t two = (1u << profile->class_bits) - 1;
    if (analysis->two_colors[g] && body_bits(profile, two, analysis->one_alpha) <
                                       body_bits(profile, class, analysis->one_alpha))
        return two;
    return class;
}

/* Finds the profile with the fewest bits. */
static uint32_t
find_profile(const struct analysis *analysis, uint32_t *bits)
{
    uint32_t best = 0;
    *bits = UINT32_MAX;
    for (uint32_t p = 0; p < PROFILES; p++) {
        uint32_t sum = FIXED_BITS + GROUPS * profiles[p].class_bits;
        for (uint32_t g = 0; g < GROUPS; g++)
            sum += body_bits(&profiles[p], find_class(analysis, p, g), analysis->one_alpha);
        if (sum < *bits) {
            best = p;
            *bits = sum;
        }
    }
    return best;
}

static int32_t
quads_choose(const uint32_t *block, struct codec_shape shape)
{
    const struct codec_levels *levels = &codec_quads.levels[shape.bus];
    struct analysis analysis;
    uint32_t bits;
    analyse(block, &analysis);
    find_profile(&analysis, &bits);
    for (int32_t level = 0; level < (int32_t)levels->count; level++)
        if (bits <= 8u * levels->bytes[level])
            return level;
    return CODEC_RAW;
}

/* Writes G, R, B and, if it varies, A of a difference. */
static void
put_difference(struct bit_writer *writer, uint32_t difference, uint32_t g, uint32_t rb, uint32_t a)
{
    bits_put(writer, difference >> 16 & ((1u << g) - 1), g);
    bits_put(writer, difference >> 24 & ((1u << rb) - 1), rb);
    bits_put(writer, difference >> 8 & ((1u << rb) - 1), rb);
    bits_put(writer, difference & ((1u << a) - 1), a);
}

static uint32_t
get_signed(struct bit_reader *reader, uint32_t bits)
{
    uint32_t value = bits_get(reader, bits);
    if (bits && value >> (bits - 1))
        value -= 1u << bits;
    return value & 0xff;
}

static uint32_t
get_difference(struct bit_reader *reader, uint32_t g, uint32_t rb, uint32_t a)
{
    const uint32_t green = get_signed(reader, g), red = get_signed(reader, rb);
    const uint32_t blue = get_signed(reader, rb), alpha = get_signed(reader, a);
    return red << 24 | green << 16 | blue << 8 | alpha;
}

/* Adds each byte modulo 256. */
static uint32_t
add(uint32_t a, uint32_t b)
{
    const uint32_t low = 0x7f7f7f7f;
    return ((a & low) + (b & low)) ^ ((a ^ b) & ~low);
}

static uint32_t
subtract(uint32_t a, uint32_t b)
{
    const uint32_t high = 0x80808080;
    return ((a | high) - (b & ~high)) ^ ((a ^ ~b) & high);
}

static void
put_group(struct bit_writer *writer, const uint32_t *words, struct group group,
          const struct profile *profile, uint32_t class, bool one_alpha)
{
    uint32_t off[4];
    for (uint32_t i = 0; i < 4; i++)
        off[i] = subtract(words[group.first + i * group.step], words[group.first]);
    if (class + 1 == 1u << profile->class_bits) {
        const uint32_t other = off[1] ? off[1] : off[2] ? off[2] : off[3];
        for (uint32_t i = 1; i < 4; i++)
            bits_put(writer, off[i] != 0, 1);
        put_difference(writer, other, 8, 8, one_alpha ? 0 : 8);
        return;
    }
    const uint32_t g = profile->classes[class].g, rb = profile->classes[class].rb;
    off[3] = subtract(subtract(off[3], off[2]), off[1]);
    for (uint32_t i = 1; i < 4; i++)
        put_difference(writer, off[i], g, rb, one_alpha ? 0 : g);
}

static void
get_group(struct bit_reader *reader, uint32_t *words, struct group group,
          const struct profile *profile, uint32_t class, bool one_alpha)
{
    uint32_t off[4] = {0};
    if (class + 1 == 1u << profile->class_bits) {
        const uint32_t which = bits_get(reader, 3);
        const uint32_t other = get_difference(reader, 8, 8, one_alpha ? 0 : 8);
        for (uint32_t i = 1; i < 4; i++)
            off[i] = which >> (i - 1) & 1 ? other : 0;
    } else {
        const uint32_t g = profile->classes[class].g, rb = profile->classes[class].rb;
        for (uint32_t i = 1; i < 4; i++)
            off[i] = get_difference(reader, g, rb, one_alpha ? 0 : g);
        off[3] = add(off[3], add(off[1], off[2]));
    }
    for (uint32_t i = 1; i < 4; i++)
        words[group.first + i * group.step] = add(words[group.first], off[i]);
}

static void
quads_compress(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out)
{
    struct bit_writer writer = bits_begin(out, codec_quads.levels[shape.bus].bytes[level]);
    struct analysis analysis;
    uint32_t words[CODEC_WORDS], classes[GROUPS], bits;
    analyse(block, &analysis);
    const uint32_t p = find_profile(&analysis, &bits);
    const struct profile *profile = &profiles[p];
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        words[i] = profile->turned ? turn_color(block[i]) : block[i];
    bits_put(&writer, analysis.one_alpha | p << 1, 1 + PROFILE_BITS);
    bits_put(&writer, words[0], 32);
    for (uint32_t g = 0; g < GROUPS; g++) {
        classes[g] = find_class(&analysis, p, g);
        bits_put(&writer, classes[g], profile->class_bits);
    }
    for (uint32_t g = 0; g < GROUPS; g++)
        put_group(&writer, words, group_at(g), profile, classes[g], analysis.one_alpha);
    bits_end(&writer);
}

static void
quads_decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    struct bit_reader reader = bits_open(in, codec_quads.levels[shape.bus].bytes[level]);
    uint32_t classes[GROUPS];
    const bool one_alpha = bits_get(&reader, 1);
    const struct profile *profile = &profiles[bits_get(&reader, PROFILE_BITS)];
    block[0] = bits_get(&reader, 32);
    for (uint32_t g = 0; g < GROUPS; g++)
        classes[g] = bits_get(&reader, profile->class_bits);
    for (uint32_t g = 0; g < GROUPS; g++)
        get_group(&reader, block, group_at(g), profile, classes[g], one_alpha);
    if (profile->turned)
        for (uint32_t i = 0; i < CODEC_WORDS; i++)
            block[i] = turn_color_back(block[i]);
}

const struct codec codec_quads = {
    CODEC_IS(quads),
    .doc = "differences in groups of four, each as wide as it must be, or two colors",
    .stages = {{"differences and their widths, two levels of byte operations per cycle", 2, false},
               {"class of each group", 1, false},
               {"size of each group", 1, false},
               {"sum of the sizes, for four profiles in parallel", 5, false},
               {"comparison with the levels and among the profiles", 1, false},
               {"selection of profile and level", 1, false},
               {"shifting into place", 1, false}},
    .levels = {{3, {64, 128, 192}}, {7, {32, 64, 96, 128, 160, 192, 224}}},
    .choose = quads_choose,
    .compress = quads_compress,
    .decompress = quads_decompress,
};
