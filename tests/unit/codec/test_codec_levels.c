/* Blocks at the limits of each codec's levels. The available low bits, distances and corrections
 * are derived from the bit counts of the specification's layouts. A block that needs exactly the
 * available bits takes the level; one that needs one bit more takes the next level. */
#include "codec/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static const uint32_t all_sizes[CODEC_BUSES][7] = {{64, 128, 192},
                                                   {32, 64, 96, 128, 160, 192, 224}};
static const uint32_t size_count[CODEC_BUSES] = {3, 7};

/* Returns the bytes that the block takes. Checks that it is restored. */
static uint32_t
bytes_of(const struct codec *codec, struct codec_shape shape, const uint32_t *block)
{
    uint8_t packed[CODEC_BLOCK_BYTES];
    uint32_t unpacked[CODEC_WORDS];
    const int32_t level = codec->choose(block, shape);
    if (level != CODEC_RAW) {
        codec->compress(block, shape, level, packed);
        codec->decompress(packed, shape, level, unpacked);
        assert_memory_equal(block, unpacked, sizeof unpacked);
    }
    return codec_level_bytes(codec, shape.bus, level);
}

static void
fill(uint32_t *block, uint32_t word)
{
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        block[i] = word;
}

/* Position of an element in a block of one sample: Morton order. */
static uint32_t
x_of(uint32_t i)
{
    return (i & 1) | (i >> 1 & 2) | (i >> 2 & 4);
}

static uint32_t
y_of(uint32_t i)
{
    return x_of(i >> 1);
}

/* Returns the smallest size whose bits, without `fixed`, suffice for `need` bits for each of
 * `each`. */
static uint32_t
smallest_size(enum codec_bus bus, uint32_t fixed, uint32_t each, uint32_t need)
{
    for (uint32_t s = 0; s < size_count[bus]; s++) {
        const uint32_t bits = 8 * all_sizes[bus][s];
        if (bits >= fixed && (bits - fixed) / each >= need)
            return all_sizes[bus][s];
    }
    return CODEC_BLOCK_BYTES;
}

/* The specification's row of hilo's bytes for k = 0 to 22, and its lists of k, the largest whose
 * bits fit. The blocks below show that the codecs have them. */
static void
test_k_of_the_study(void **state)
{
    static const uint32_t hilo_bytes[23] = {24,  32,  40,  48,  55,  63,  71,  79,
                                            86,  94,  102, 110, 117, 125, 133, 141,
                                            148, 156, 164, 172, 179, 187, 195};
    static const struct {
        uint32_t index_bits, references, k[3];
    } rows[] = {{2, 2, {5, 13, 21}}, {1, 2, {6, 14, 22}}, {2, 4, {4, 12, 21}}};
    static const uint32_t comp_k[3] = {0, 2, 4}, hilo_k_32[7] = {1, 5, 9, 13, 17, 21, 25};
    (void)state;
    for (uint32_t k = 0; k < 23; k++)
        assert_int_equal((64 * (k + 2) + 2 * (32 - k) + 7) / 8, hilo_bytes[k]);
    for (uint32_t r = 0; r < 3; r++)
        for (uint32_t s = 0; s < 3; s++) {
            uint32_t k = 0;
            while (64 * (k + 1 + rows[r].index_bits) + rows[r].references * (32 - (k + 1)) <=
                   512 * (s + 1))
                k++;
            assert_int_equal(k, rows[r].k[s]);
        }
    for (uint32_t s = 0; s < 3; s++)
        assert_int_equal((512 * (s + 1) - 4 * 80) / (4 * 62), comp_k[s]);
    for (uint32_t s = 0; s < 7; s++)
        assert_int_equal((256 * (s + 1) - 192) / 62, hilo_k_32[s]);
}

/* Smallest size at which bit `bit` of component c (0: R) of a reordered word is a low bit. A size
 * has the k with each * k + fixed bits. Each component has k / 4 low bits, and A also those that
 * are left over. */
static uint32_t
reordered_size(enum codec_bus bus, uint32_t fixed, uint32_t each, uint32_t c, uint32_t bit)
{
    for (uint32_t s = 0; s < size_count[bus]; s++) {
        const uint32_t bits = 8 * all_sizes[bus][s], k = bits < fixed ? 0 : (bits - fixed) / each;
        if (bit < k / 4 + (c == 3 ? k % 4 : 0))
            return all_sizes[bus][s];
    }
    return CODEC_BLOCK_BYTES;
}

/* Min 0 and max all ones in both halves and at both ends. One word in the middle has a single bit
 * set; it is neither min nor max unless that bit is a low one. */
static void
make_ends(uint32_t *block, uint32_t word)
{
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        block[i] = i % 2 ? UINT32_MAX : 0;
    block[20] = word;
}

static void
test_offset_limits(void **state)
{
    (void)state;
    static const struct {
        const struct codec *codec;
        uint32_t fixed, each;
    } reordered[] = {
        {&codec_hilore, 128, 62}, {&codec_hilorebi, 256, 60}, {&codec_hilore4ref, 256, 60}};
    uint32_t block[CODEC_WORDS];
    for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++) {
        const struct codec_shape shape = {bus, 1};
        for (uint32_t position = 0; position < 32; position++) {
            make_ends(block, 1u << position);
            for (uint32_t i = 0; i < 3; i++)
                assert_int_equal(bytes_of(reordered[i].codec, shape, block),
                                 reordered_size(bus, reordered[i].fixed, reordered[i].each,
                                                3 - position / 8, position % 8));
        }
        /* hilo: min + 2^k is a reference, too. */
        for (uint32_t k = 0; k < 30; k++) {
            make_ends(block, 1u << k);
            assert_int_equal(bytes_of(&codec_hilo, shape, block), smallest_size(bus, 192, 62, k));
        }
        for (uint32_t k = 0; k < 8; k++)
            for (uint32_t c = 0; c < 4; c++) {
                make_ends(block, 1u << (8 * c + k));
                assert_int_equal(bytes_of(&codec_comp, shape, block),
                                 smallest_size(bus, 4 * 80, 4 * 62, k + 1));
            }
    }
}

/* hilo at k = 5: min 0x1000 reaches up to 0x103f (min and min + 32), max 0x2000 down to 0x1fe0. */
static void
test_hilo_references(void **state)
{
    (void)state;
    const struct codec_shape shape = {CODEC_BUS_64, 1};
    uint32_t block[CODEC_WORDS];
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        block[i] = i % 2 ? 0x2000 - ((i & 31) ^ 1) : 0x1000 + i;
    assert_int_equal(bytes_of(&codec_hilo, shape, block), 64);
    block[7] = 0x1040; /* its high part is two above that of min */
    assert_int_equal(bytes_of(&codec_hilo, shape, block), 128);
    block[7] = 0x1fdf; /* two below that of max */
    assert_int_equal(bytes_of(&codec_hilo, shape, block), 128);
    block[0] = 0; /* k = 13: 0 to 0x3fff */
    block[7] = 0x3fff;
    assert_int_equal(bytes_of(&codec_hilo, shape, block), 128);
    block[8] = UINT32_MAX;
    assert_int_equal(bytes_of(&codec_hilo, shape, block), 128);
    block[9] = 0x4000; /* 13 bits: the high parts are 0, 1, top and top - 1, and this one is 2 */
    assert_int_equal(bytes_of(&codec_hilo, shape, block), 192);
    block[9] = 0x80000000; /* 21 bits: the same reason */
    assert_int_equal(bytes_of(&codec_hilo, shape, block), CODEC_BLOCK_BYTES);
}

/* The layout bit by bit: 27 bits of min and of max, then index and 5 low bits. */
static void
test_hilo_bytes(void **state)
{
    (void)state;
    uint32_t block[CODEC_WORDS];
    uint8_t packed[64];
    fill(block, 0x20);
    block[0] = 0x41; /* max */
    codec_hilo.compress(block, (struct codec_shape){CODEC_BUS_64, 1}, 0, packed);
    /* 1 in 27 bits; 2 from bit 27 on: bit 28; word 0 from bit 54 on: index 1, low bits 1 */
    static const uint8_t expected[8] = {1, 0, 0, 0x10, 0, 0, 0x40, 1};
    assert_memory_equal(packed, expected, sizeof expected);
    for (uint32_t i = 8; i < sizeof packed; i++) /* index 0, low bits 0 */
        assert_int_equal(packed[i], 0);
}

/* References that the codecs find when min and max do not suffice. */
static void
test_more_references(void **state)
{
    (void)state;
    const struct codec_shape shape = {CODEC_BUS_64, 1};
    /* high parts differ at every k */
    const uint32_t a = 0, b = 0x40000000, c = 0x80000000, d = 0xc0000000;
    uint32_t block[CODEC_WORDS];
    fill(block, a);
    block[63] = d;
    block[5] = b;
    block[40] = c;
    /* Min, max, the first that is not min (b) and the last that is not max (a): c is missing. */
    assert_int_equal(bytes_of(&codec_hilore4ref, shape, block), CODEC_BLOCK_BYTES);
    block[62] = c; /* now the last one is c */
    assert_int_equal(bytes_of(&codec_hilore4ref, shape, block), 64);
    /* Halves: a and b, then a (or c) and d: c is not min or max of a half. */
    assert_int_equal(bytes_of(&codec_hilorebi, shape, block), CODEC_BLOCK_BYTES);
    for (uint32_t i = 32; i < 62; i++)
        block[i] = c;
    assert_int_equal(bytes_of(&codec_hilorebi, shape, block), 64);
    /* Any word may use any reference: a to d in the first half with b inside, b to c in the
     * second. */
    block[3] = d;
    block[63] = b;
    assert_int_equal(bytes_of(&codec_hilorebi, shape, block), 64);
    assert_int_equal(bytes_of(&codec_hilore, shape, block), CODEC_BLOCK_BYTES);
    /* All words are max except a, b and, as the last word, c, which is the last that is not max. */
    fill(block, d);
    block[0] = a;
    block[1] = b;
    block[63] = c;
    assert_int_equal(bytes_of(&codec_hilore4ref, shape, block), 64);
}

/* Evaluates the definition in the specification, word by word. */
static bool
fits_sub_blocks(const uint32_t *block, uint32_t references, uint32_t n)
{
    for (uint32_t first = 0; first < CODEC_WORDS; first += n) {
        uint32_t words[2] = {block[first], block[first]};
        for (uint32_t i = first; i < first + n; i++) {
            if (block[i] == words[0] || block[i] == words[1])
                continue;
            if (references == 1 || words[1] != words[0])
                return false;
            words[1] = block[i];
        }
    }
    return true;
}

static void
test_msaa_levels(void **state)
{
    (void)state;
    static const struct {
        uint32_t references, n, bits;
    } tried[CODEC_BUSES][7] = {
        {{1, 4, 16 * 32}, {2, 16, 4 * 80}, {1, 2, 32 * 32}, {2, 8, 8 * 72}, {2, 4, 16 * 68}},
        {{1, 8, 8 * 32},
         {2, 32, 2 * 96},
         {1, 4, 16 * 32},
         {2, 16, 4 * 80},
         {2, 8, 8 * 72},
         {1, 2, 32 * 32},
         {2, 4, 16 * 68}},
    };
    uint32_t random = 1;
    for (uint32_t n = 0; n < 200000; n++) {
        uint32_t block[CODEC_WORDS];
        const uint32_t run = 1u << n % 7, colors = 1 + n / 7 % 4, changes = n / 28 % 4;
        for (uint32_t i = 0; i < CODEC_WORDS; i++) {
            random = random * 1664525 + 1013904223;
            block[i] = i % run ? block[i - 1] : random >> 8 & 1 ? i / 16 : (random >> 16) % colors;
        }
        for (uint32_t i = 0; i < changes; i++) {
            random = random * 1664525 + 1013904223;
            block[random >> 26] = (random >> 16) % 3;
        }
        for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++) {
            int32_t expected = CODEC_RAW;
            for (int32_t l = (int32_t)codec_msaa.levels[bus].count - 1; l >= 0; l--) {
                const uint32_t bits = tried[bus][l].bits, bytes = codec_msaa.levels[bus].bytes[l];
                assert_true(bits <= 8 * bytes && bits > 8 * (bytes - (bus ? 32 : 64)));
                if (fits_sub_blocks(block, tried[bus][l].references, tried[bus][l].n))
                    expected = l;
            }
            const struct codec_shape shape = {bus, 4};
            assert_int_equal(codec_msaa.choose(block, shape), expected);
            bytes_of(&codec_msaa, shape, block);
        }
    }
}

/* Bits of component c (R, G, B, and A if it varies) in a level: an even share, with the rest to G,
 * R, B. */
static uint32_t
share(uint32_t sum, uint32_t components, uint32_t c)
{
    static const uint32_t rank[4] = {1, 0, 2, 3};
    return sum / components + (rank[c] < sum % components);
}

/* The size in which component c (R, G, B, A) has `need` bits, if it alone needs any. */
static uint32_t
color_size(enum codec_bus bus, uint32_t c, uint32_t need, uint32_t fixed_opaque, uint32_t fixed)
{
    for (uint32_t s = 0; s < size_count[bus]; s++) {
        const uint32_t bits = 8 * all_sizes[bus][s];
        if (c < 3 && bits >= fixed_opaque && share((bits - fixed_opaque) / 64, 3, c) >= need)
            return all_sizes[bus][s];
        if (bits >= fixed && share((bits - fixed) / 64, 4, c) >= need)
            return all_sizes[bus][s];
    }
    return CODEC_BLOCK_BYTES;
}

static void
test_color_offset_limits(void **state)
{
    (void)state;
    uint32_t block[CODEC_WORDS];
    for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++)
        for (uint32_t c = 0; c < 4; c++)
            for (uint32_t need = 1; need <= 7; need++) {
                const uint32_t shift = 24 - 8 * c;
                fill(block, 0x80808080 & ~(0xffu << shift));
                block[1] |= 0xffu << shift;                 /* max */
                block[2] |= ((1u << need) - 1) << shift;    /* above min */
                block[3] |= (256u - (1u << need)) << shift; /* below max */
                assert_int_equal(bytes_of(&codec_color_offset, (struct codec_shape){bus, 1}, block),
                                 color_size(bus, c, need, 56 + 3 * 64, 64 + 4 * 64));
            }
}

static void
test_color_plane_limits(void **state)
{
    (void)state;
    uint32_t block[CODEC_WORDS];
    for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++)
        for (uint32_t c = 0; c < 4; c++)
            for (uint32_t need = 1; need <= 8; need++) {
                const uint32_t shift = 24 - 8 * c;
                /* Four steps per column, two per row: exact, since 7 x 4 and 7 x 2 are integers. */
                for (uint32_t i = 0; i < CODEC_WORDS; i++) {
                    const uint32_t x = x_of(i), y = y_of(i);
                    block[i] = (64 + 4 * x + 2 * y) * 0x01010101u;
                }
                assert_int_equal(bytes_of(&codec_color_plane, (struct codec_shape){bus, 1}, block),
                                 bus == CODEC_BUS_64 ? 64 : 32);
                const uint32_t old = block[9] >> shift & 0xff;
                block[9] &= ~(0xffu << shift); /* -2^(need - 1) needs exactly `need` bits */
                block[9] |= ((old - (1u << (need - 1))) & 0xff) << shift;
                assert_int_equal(bytes_of(&codec_color_plane, (struct codec_shape){bus, 1}, block),
                                 color_size(bus, c, need, 96, 96));
            }
}

/* With 8 samples, 56 elements are predicted from the previous sample, so their differences are
 * arbitrary. Makes `ones` differences of 1 in total (3 bits instead of 1), and one of `size`. */
static void
make_differences(uint32_t *block, uint32_t ones, int32_t size)
{
    uint32_t left = ones, up = 1;
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        block[i] = i % 8 ? block[i - 1] : 0;
        if (i % 8 == 0)
            continue;
        for (uint32_t c = 0; c < 4; c++) {
            uint32_t value = block[i] >> 8 * c & 0xff;
            if (i == 1 && c == 0)
                value += (uint32_t)size;
            else if (left && left--)
                value += up ? 1u : 255u;
            block[i] = (block[i] & ~(0xffu << 8 * c)) | (value & 0xff) << 8 * c;
        }
    }
}

static void
test_entropy_code(void **state)
{
    (void)state;
    static const struct {
        int32_t from, to;
        uint32_t bits;
    } rows[] = {{0, 0, 1}, {1, 1, 3},   {2, 2, 4},    {3, 4, 6},
                {5, 8, 8}, {9, 16, 10}, {17, 32, 12}, {33, 127, 16}};
    const struct codec_shape shape = {CODEC_BUS_64, 8};
    uint32_t block[CODEC_WORDS];
    for (uint32_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int32_t size = rows[r].from; size <= rows[r].to; size++)
            for (int32_t sign = -1; sign <= 1; sign += 2) {
                /* 32 bits, 252 codes, and the maximum number of codes of 3 bits */
                const uint32_t ones = (512 - 32 - 251 - rows[r].bits) / 2;
                make_differences(block, ones, sign * size);
                assert_int_equal(bytes_of(&codec_entropy, shape, block), 64);
                make_differences(block, ones + 1, sign * size);
                assert_int_equal(bytes_of(&codec_entropy, shape, block), 128);
            }
}

/* Codes of 16, 3 and 1 bits that fill each level to the last bit, and two bits more. The number of
 * 16-bit codes is even, so that the remaining bits are even, too. */
static void
test_entropy_limits(void **state)
{
    /* FREE: differences of samples after the first one of a pixel */
    enum { CODES = 4 * 63, FREE = 4 * 56 };
    uint32_t block[CODEC_WORDS];
    (void)state;
    for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++)
        for (uint32_t l = 0; l < codec_entropy.levels[bus].count; l++) {
            const struct codec_shape shape = {bus, 8};
            const uint32_t bytes = codec_entropy.levels[bus].bytes[l];
            uint32_t longs = 0, left = 8 * bytes - 32 - CODES;
            for (; left / 2 + longs + 1 > FREE; left -= 2 * 15)
                longs += 2;
            for (uint32_t more = 0; more < 2; more++) {
                uint32_t threes = left / 2 + more, sixteens = longs;
                for (uint32_t i = 0; i < CODEC_WORDS; i++) {
                    block[i] = i % 8 ? block[i - 1] : 0;
                    for (uint32_t c = 0; i % 8 && c < 4; c++) {
                        const uint32_t step = sixteens ? 100 : threes != 0;
                        const uint32_t value = (block[i] >> 8 * c) + step;
                        block[i] = (block[i] & ~(0xffu << 8 * c)) | (value & 0xff) << 8 * c;
                        if (sixteens)
                            sixteens--;
                        else if (threes)
                            threes--;
                    }
                }
                const uint32_t next = bytes + (bus == CODEC_BUS_64 ? 64 : 32);
                assert_int_equal(bytes_of(&codec_entropy, shape, block), more ? next : bytes);
            }
        }
}

/* Predictions from the left, from above, and from the same pixel: a step in x, in y or between
 * samples gives one difference. */
static void
test_entropy_neighbours(void **state)
{
    (void)state;
    uint32_t block[CODEC_WORDS];
    /* the right half is brighter by 1, the lower half by 2 */
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t x = x_of(i), y = y_of(i);
        block[i] = (x >= 4 ? 1 : 0) + (y >= 4 ? 2u : 0);
    }
    uint8_t packed[64];
    const struct codec_shape shape = {CODEC_BUS_64, 1};
    assert_int_equal(bytes_of(&codec_entropy, shape, block), 64);
    codec_entropy.compress(block, shape, 0, packed);
    /* 8 rows step by 1 (`100`), and the first pixel of row 4 by 2 (`1100`): 32 + 252 + 16 + 3 bits.
     * The rest of the 64 bytes is zero. */
    uint32_t ones = 0;
    for (uint32_t i = 4; i < 64; i++)
        ones += (uint32_t)__builtin_popcount(packed[i]);
    assert_int_equal(ones, 8 + 2);
}

/* Depth codecs: one element deviates by a value that needs `need` bits. */
static void
test_depth_limits(void **state)
{
    (void)state;
    uint32_t block[CODEC_WORDS];
    for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++)
        for (uint32_t two = 0; two < 2; two++)
            for (uint32_t need = 1; need <= 22; need++) {
                const struct codec_shape shape = {bus, 1};
                const uint32_t stencil_bits = two ? 81 : 9;
                for (uint32_t i = 0; i < CODEC_WORDS; i++) {
                    const uint32_t x = x_of(i), y = y_of(i);
                    block[i] = (0x800000 + 1000 * x + 70 * y) << 8 | (two && i == 5 ? 9 : 4);
                }
                /* the last element, from which no other one is predicted */
                block[63] -= (1u << (need - 1)) << 8;
                assert_int_equal(bytes_of(&codec_ddpcm, shape, block),
                                 smallest_size(bus, stencil_bits + 72, 61, need));
                assert_int_equal(bytes_of(&codec_anchor, shape, block),
                                 smallest_size(bus, stencil_bits + 72, 61, need));
                for (uint32_t i = 0; i < CODEC_WORDS; i++)
                    block[i] = 0x100000 << 8 | (two && i == 5 ? 9 : 4);
                block[10] += 0xc00000u << 8;
                block[11] += ((1u << need) - 1) << 8;
                assert_int_equal(bytes_of(&codec_depth_offset, shape, block),
                                 smallest_size(bus, stencil_bits + 48 + 64, 64, need));
            }
}

static void
test_three_stencils_do_not_fit(void **state)
{
    (void)state;
    static const struct codec *const depth[] = {&codec_ddpcm, &codec_anchor, &codec_depth_offset,
                                                &codec_depth_plane};
    uint32_t block[CODEC_WORDS];
    fill(block, 0x12345600);
    block[7]++;
    for (uint32_t c = 0; c < 4; c++)
        assert_true(bytes_of(depth[c], (struct codec_shape){CODEC_BUS_64, 1}, block) == 64);
    block[8] += 2;
    for (uint32_t c = 0; c < 4; c++)
        assert_int_equal(bytes_of(depth[c], (struct codec_shape){CODEC_BUS_64, 1}, block),
                         CODEC_BLOCK_BYTES);
}

/* 1 to 9 level planes: 90 P + 64 log2 P bits, with log2 P rounded up. */
static void
test_depth_plane_limits(void **state)
{
    (void)state;
    static const uint32_t sizes[CODEC_BUSES][8] = {
        {64, 64, 64, 64, 128, 128, 128, 128},
        {32, 32, 64, 64, 96, 96, 128, 128},
    };
    uint32_t block[CODEC_WORDS];
    for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++)
        for (uint32_t planes = 1; planes <= 9; planes++) {
            for (uint32_t i = 0; i < CODEC_WORDS; i++)
                block[i] = (i % planes * (i % planes) * 0x10001) << 8 | 3;
            assert_int_equal(bytes_of(&codec_depth_plane, (struct codec_shape){bus, 1}, block),
                             planes <= 8 ? sizes[bus][planes - 1] : CODEC_BLOCK_BYTES);
        }
}

/* A plane of whole steps: one plane, in 32 bytes. */
static void
test_depth_plane_slopes(void **state)
{
    (void)state;
    uint32_t block[CODEC_WORDS];
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t x = x_of(i), y = y_of(i);
        block[i] = (5000 + 300 * x - 17 * y) << 8;
    }
    assert_int_equal(bytes_of(&codec_depth_plane, (struct codec_shape){CODEC_BUS_32, 1}, block),
                     32);
    block[63] += 1 << 8; /* one element that deviates: another plane */
    assert_int_equal(bytes_of(&codec_depth_plane, (struct codec_shape){CODEC_BUS_32, 1}, block),
                     32);
    block[40] += 5 << 8; /* and another one without such a neighbor: three planes */
    assert_int_equal(bytes_of(&codec_depth_plane, (struct codec_shape){CODEC_BUS_32, 1}, block),
                     64);
}

/* A quarter step per column or per row: still one plane, whatever fraction the first element
 * has. */
static void
test_depth_plane_fractions(void **state)
{
    (void)state;
    uint32_t block[CODEC_WORDS];
    for (uint32_t quarters = 0; quarters < 4; quarters++)
        for (uint32_t rows = 0; rows < 2; rows++) {
            for (uint32_t i = 0; i < CODEC_WORDS; i++)
                block[i] = (4 * 5000 + quarters + (rows ? y_of(i) : x_of(i))) / 4 << 8;
            const struct codec_shape shape = {CODEC_BUS_32, 1};
            assert_int_equal(bytes_of(&codec_depth_plane, shape, block), 32);
        }
}

/* Four samples per pixel at the standard positions of Direct3D, in 1/16 pixel. A plane of whole
 * steps per sixteenth is one plane. With samples at other positions no single plane fits. */
static void
test_depth_plane_samples(void **state)
{
    enum { SAMPLES = 4 };
    static const int32_t places[SAMPLES][2] = {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}};
    (void)state;
    uint32_t block[CODEC_WORDS];
    for (uint32_t turned = 0; turned < 2; turned++) {
        for (uint32_t i = 0; i < CODEC_WORDS; i++) {
            const uint32_t pixel = i / SAMPLES, s = (i + turned) % SAMPLES;
            const int32_t x = 16 * (int32_t)x_of(pixel) + places[s][0];
            const int32_t y = 16 * (int32_t)y_of(pixel) + places[s][1];
            block[i] = (uint32_t)(50000 + 3 * x - 2 * y) << 8;
        }
        const uint32_t bytes =
            bytes_of(&codec_depth_plane, (struct codec_shape){CODEC_BUS_32, SAMPLES}, block);
        if (turned)
            assert_true(bytes > 32);
        else
            assert_int_equal(bytes, 32);
    }
}

/* depth_mix is the best of its parts. */
static void
test_depth_mix(void **state)
{
    (void)state;
    static const struct codec *const parts[] = {&codec_ddpcm, &codec_anchor, &codec_depth_offset,
                                                &codec_depth_plane, &codec_msaa};
    uint32_t random = 1;
    for (uint32_t n = 0; n < 20000; n++) {
        uint32_t block[CODEC_WORDS], base = 0;
        for (uint32_t i = 0; i < CODEC_WORDS; i++) {
            random = random * 1664525 + 1013904223;
            base = i % (1u << n % 7) ? base : random;
            block[i] = base + ((random >> 8) % (1u << n % 20) << 8);
        }
        for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++) {
            const struct codec_shape shape = {bus, 1u << n % 4};
            uint32_t best = CODEC_BLOCK_BYTES;
            for (uint32_t p = 0; p < 5; p++) {
                const uint32_t bytes = bytes_of(parts[p], shape, block);
                best = bytes < best ? bytes : best;
            }
            assert_int_equal(bytes_of(&codec_depth_mix, shape, block), best);
        }
    }
}

/* quads: one color, and a few groups with another color far from it. This takes 35 bits, the
 * classes of 21 groups in 3 bits each (the fourth profile), and 27 bits per group with two
 * colors. */
static void
test_quads_limits(void **state)
{
    (void)state;
    uint32_t block[CODEC_WORDS];
    for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++)
        for (uint32_t groups = 0; groups <= 16; groups++) {
            fill(block, 0x103050ff);
            for (uint32_t g = 0; g < groups; g++)
                block[4 * g + 1 + g % 3] = 0xe0c0a0ff;
            const uint32_t bits = 35 + 3 * 21 + 27 * groups, step = bus == CODEC_BUS_64 ? 512 : 256;
            assert_int_equal(bytes_of(&codec_quads, (struct codec_shape){bus, 1}, block),
                             (bits + step - 1) / step * step / 8);
        }
}

/* Kinds of groups, by the values added to R, G and B of a for b and c. d is b + c - a, except in
 * the last two kinds. Bits in the fourth profile:
 * - QUAD_30: 3 x 10, 6 of G, 2 of R - G and of B - G
 * - QUAD_24: 3 x 8
 * - QUAD_18: 3 x 6, only G
 * - OTHER_COLOR_27: 3 + 24, another color
 * - WIDE_72: 3 x 24, 8 bits each */
enum quad { QUAD_30, QUAD_24, QUAD_18, OTHER_COLOR_27, WIDE_72, QUAD_KINDS };

static void
add_quad(uint32_t *block, uint32_t first, uint32_t step, enum quad kind)
{
    static const uint8_t added[QUAD_KINDS][3][3] = {
        [QUAD_30] = {{21, 20, 20}, {25, 25, 26}, {46, 45, 46}},
        [QUAD_24] = {{64, 64, 64}, {25, 25, 25}, {89, 89, 89}},
        [QUAD_18] = {{20, 20, 20}, {25, 25, 25}, {45, 45, 45}},
        [OTHER_COLOR_27] = {{208, 144, 80}},
        [WIDE_72] = {{228, 100, 100}, {0, 1, 2}, {0, 2, 1}}, /* R - G deviates by 128, too */
    };
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t word = block[first] & 0xff;
        for (uint32_t c = 0; c < 3; c++)
            word |= (((block[first] >> (24 - 8 * c)) + added[kind][i][c]) & 0xff) << (24 - 8 * c);
        block[first + (i + 1) * step] = word;
    }
}

/* 98 bits (35, and 21 classes of 3) plus multiples of three: the largest sum that fits a level, and
 * the next one, which does not. The other profiles take 119 bits, and at least as many for each
 * group. */
static void
test_quads_sums(void **state)
{
    static const struct {
        uint32_t counts[QUAD_KINDS], bits, bytes;
    } rows[] = {
        {{0, 0, 2, 14, 0}, 98 + 2 * 18 + 14 * 27, 64}, /* 512 */
        {{0, 1, 1, 14, 0}, 98 + 24 + 18 + 14 * 27, 128},
        {{0, 1, 2, 0, 12}, 98 + 24 + 2 * 18 + 12 * 72, 128}, /* 1022 */
        {{0, 2, 1, 0, 12}, 98 + 2 * 24 + 18 + 12 * 72, 192},
        {{2, 0, 0, 0, 19}, 98 + 2 * 30 + 19 * 72, 192}, /* 1526 */
        {{0, 0, 0, 0, 20}, 98 + 20 * 72, 256},
    };
    (void)state;
    for (uint32_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint32_t block[CODEC_WORDS];
        fill(block, 0x103050ff);
        uint32_t groups[21], count = 0;
        for (uint32_t kind = 0; kind < QUAD_KINDS; kind++)
            for (uint32_t used = 0; used < rows[r].counts[kind]; used++)
                groups[count++] = kind;
        /* Starts at group 21 - count, so that a precedes the elements made from it. */
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t g = 21 - count + i;
            const uint32_t first = g == 0 ? 0 : g < 5 ? (g - 1) * 16 : (g - 5) * 4;
            add_quad(block, first, g == 0 ? 16 : g < 5 ? 4 : 1, (enum quad)groups[i]);
        }
        assert_int_equal((rows[r].bits + 511) / 512 * 64, rows[r].bytes);
        assert_int_equal(bytes_of(&codec_quads, (struct codec_shape){CODEC_BUS_64, 1}, block),
                         rows[r].bytes);
    }
}

/* Gray steps of one per element to the right and down: d is on the plane through a, b and c and
 * costs nothing. In the first profile a group whose G differs by -1 or 1 takes (2, 0): 6 bits. */
static void
test_quads_plane(void **state)
{
    (void)state;
    uint32_t block[CODEC_WORDS];
    fill(block, 0x404040ff);
    for (uint32_t g = 0; g < 16; g++) {
        block[4 * g + 1] = 0x414141ff;
        block[4 * g + 2] = 0x414141ff;
        block[4 * g + 3] = 0x424242ff;
    }
    /* First profile: 35 + 4 x 21 + 16 x 6 = 215 bits; the fourth: 35 + 63 + 16 x 12 = 290. */
    assert_int_equal(bytes_of(&codec_quads, (struct codec_shape){CODEC_BUS_32, 1}, block), 32);
    block[3] = 0x444444ff; /* its difference, 2, needs 3 bits: (4, 0), 12 bits; total 221 */
    assert_int_equal(bytes_of(&codec_quads, (struct codec_shape){CODEC_BUS_32, 1}, block), 32);
    for (uint32_t g = 1; g < 8; g++) /* 8 groups of 12 bits, 8 of 6: 263 */
        block[4 * g + 3] = 0x444444ff;
    assert_int_equal(bytes_of(&codec_quads, (struct codec_shape){CODEC_BUS_32, 1}, block), 64);
}

/* The position of the single min or max word of a block does not matter. */
static void
test_ends_anywhere(void **state)
{
    static const struct codec *const offsets[] = {&codec_hilo, &codec_hilore, &codec_comp,
                                                  &codec_color_offset, &codec_depth_offset};
    static const uint32_t ends[2] = {0x102030ff, 0xd0e0f0ff};
    (void)state;
    for (size_t c = 0; c < sizeof offsets / sizeof offsets[0]; c++)
        for (uint32_t bus = 0; bus < CODEC_BUSES; bus++)
            for (uint32_t i = 0; i < CODEC_WORDS; i++)
                for (uint32_t end = 0; end < 2; end++) {
                    const struct codec_shape shape = {(enum codec_bus)bus, 1};
                    uint32_t block[CODEC_WORDS];
                    fill(block, ends[!end]);
                    block[i] = ends[end];
                    if (bytes_of(offsets[c], shape, block) != offsets[c]->levels[bus].bytes[0])
                        fail_msg("%s: word %u is another", offsets[c]->name, i);
                }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_k_of_the_study),
        cmocka_unit_test(test_offset_limits),
        cmocka_unit_test(test_hilo_references),
        cmocka_unit_test(test_hilo_bytes),
        cmocka_unit_test(test_more_references),
        cmocka_unit_test(test_msaa_levels),
        cmocka_unit_test(test_color_offset_limits),
        cmocka_unit_test(test_color_plane_limits),
        cmocka_unit_test(test_entropy_code),
        cmocka_unit_test(test_entropy_limits),
        cmocka_unit_test(test_entropy_neighbours),
        cmocka_unit_test(test_depth_limits),
        cmocka_unit_test(test_three_stencils_do_not_fit),
        cmocka_unit_test(test_depth_plane_limits),
        cmocka_unit_test(test_depth_plane_slopes),
        cmocka_unit_test(test_depth_plane_fractions),
        cmocka_unit_test(test_depth_plane_samples),
        cmocka_unit_test(test_depth_mix),
        cmocka_unit_test(test_ends_anywhere),
        cmocka_unit_test(test_quads_limits),
        cmocka_unit_test(test_quads_sums),
        cmocka_unit_test(test_quads_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
