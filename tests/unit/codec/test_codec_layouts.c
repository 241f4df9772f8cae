/* The compressed block of each codec, bit by bit. It is packed manually according to the layout in
 * the codec's file. There is one block per codec, in the smallest level of a 64-byte bus unless
 * stated otherwise. */
#include "codec/codec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

struct bits {
    uint8_t bytes[CODEC_BLOCK_BYTES];
    uint32_t count;
};

/* Adds `count` bits of a value, the least significant bit first. */
static void
put(struct bits *bits, uint32_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, bits->count++)
        if (value >> i & 1)
            bits->bytes[bits->count / 8] |= (uint8_t)(1u << bits->count % 8);
}

/* Adds the value `times` times. */
static void
put_many(struct bits *bits, uint32_t value, uint32_t count, uint32_t times)
{
    while (times--)
        put(bits, value, count);
}

static void
put_code(struct bits *bits, const char *code)
{
    for (; *code; code++)
        put(bits, *code == '1', 1);
}

static void
fill(uint32_t *block, uint32_t from, uint32_t to, uint32_t word)
{
    for (uint32_t i = from; i < to; i++)
        block[i] = word;
}

/* The codec chooses this level for the block. Its bytes are these bits followed by zeros, and the
 * block is restored. */
static void
check_level(const struct codec *codec, struct codec_shape shape, int32_t level,
            const uint32_t *block, const struct bits *bits)
{
    uint8_t packed[CODEC_BLOCK_BYTES];
    uint32_t unpacked[CODEC_WORDS];
    const uint32_t bytes = codec->levels[shape.bus].bytes[level];
    assert_int_equal(codec->choose(block, shape), level);
    assert_true(bits->count <= 8 * bytes);
    codec->compress(block, shape, level, packed);
    for (uint32_t i = 0; i < bytes; i++)
        if (packed[i] != bits->bytes[i])
            fail_msg("%s: byte %u is %02x, not %02x", codec->name, i, packed[i], bits->bytes[i]);
    codec->decompress(bits->bytes, shape, level, unpacked);
    assert_memory_equal(unpacked, block, sizeof unpacked);
}

static void
check(const struct codec *codec, int32_t level, const uint32_t *block, const struct bits *bits)
{
    check_level(codec, (struct codec_shape){CODEC_BUS_64, 1}, level, block, bits);
}

/* k = 5: 27 bits of min and of max, then index and low bits. */
static void
test_hilo(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    fill(block, 0, 64, 0x20);
    block[0] = 0x7fff; /* max: high part 0x3ff */
    block[1] = 0x43;   /* min + 2^5 */
    block[2] = 0x7fc4; /* max - 2^5: 0x7fe0 - 0x20 */
    put(&bits, 1, 27);
    put(&bits, 0x3ff, 27);
    put(&bits, 1 | 31 << 2, 7);
    put(&bits, 2 | 3 << 2, 7);
    put(&bits, 3 | 4 << 2, 7);
    put_many(&bits, 0, 7, 61);
    check(&codec_hilo, 0, block, &bits);
}

/* k = 6: one low bit of R, G and B, three of A. */
static void
test_hilore(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    fill(block, 0, 64, 0);
    block[0] = UINT32_MAX;
    block[1] = 0x01010005; /* low bits 1 1 0 101 */
    block[2] = 0xfefffffa; /* all high bits set; low bits 0 1 1 010 */
    put(&bits, 0, 26);
    put(&bits, 0x3ffffff, 26);
    put(&bits, 1 | 0x3f << 1, 7);
    put(&bits, 0 | 0x35 << 1, 7);
    put(&bits, 1 | 0x1a << 1, 7);
    put_many(&bits, 0, 7, 61);
    check(&codec_hilore, 0, block, &bits);
}

/* Returns the seven high bits of each component, all equal to `value`. */
static uint32_t
sevens(uint32_t value)
{
    return value << 21 | value << 14 | value << 7 | value;
}

/* k = 4, one low bit of each component. */
static void
test_hilorebi(void **state)
{
    static const uint32_t words[4] = {0, 0x04040404, 0x08090809, UINT32_MAX};
    static const uint32_t high[4] = {0, 2, 4, 127}, low[4] = {0, 0, 5, 15};
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        fill(block, 16 * i, 16 * i + 16, words[i]);
        put(&bits, sevens(high[i]), 28);
    }
    for (uint32_t i = 0; i < 4; i++)
        put_many(&bits, i | low[i] << 2, 6, 16);
    check(&codec_hilorebi, 0, block, &bits);
}

/* The same bits, with min, max, the first word that is not min, and the last word that is not
 * max. */
static void
test_hilore4ref(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    fill(block, 0, 64, 0);
    block[10] = 0x10101011;
    fill(block, 20, 64, UINT32_MAX);
    block[40] = 0x80808080;
    put(&bits, 0, 28);
    put(&bits, sevens(127), 28);
    put(&bits, sevens(8), 28);
    put(&bits, sevens(64), 28);
    put_many(&bits, 0, 6, 10);
    put(&bits, 2 | 1 << 2, 6);
    put_many(&bits, 0, 6, 9);
    put_many(&bits, 1 | 15 << 2, 6, 20);
    put(&bits, 3, 6);
    put_many(&bits, 1 | 15 << 2, 6, 23);
    check(&codec_hilore4ref, 0, block, &bits);
}

/* k = 2, 128 bytes: R has 0 and 192 with all low bits; G, B and A have one value. */
static void
test_comp(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        block[i] = (192 * (i % 2) + i % 4) << 24 | 0x204180;
    put(&bits, 0, 6);
    put(&bits, 192 >> 2, 6);
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        put(&bits, i % 2 | i % 4 << 1, 3);
    for (uint32_t c = 0; c < 3; c++) {
        static const uint32_t value[3] = {0x20, 0x41, 0x80};
        put(&bits, value[c] >> 2, 6);
        put(&bits, value[c] >> 2, 6);
        put_many(&bits, (value[c] & 3) << 1, 3, 64);
    }
    check(&codec_comp, 1, block, &bits);
}

/* Two words in each sub-block of sixteen: the first one and the other. A sub-block with one word
 * stores it twice. */
static void
test_msaa(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    fill(block, 0, 64, 0x11223344);
    block[5] = block[15] = 0x55667788;
    fill(block, 33, 48, 0x99aabbcc);
    put(&bits, 0x11223344, 32);
    put(&bits, 0x55667788, 32);
    put(&bits, 1 << 5 | 1 << 15, 16);
    for (uint32_t i = 1; i < 4; i++) {
        put(&bits, 0x11223344, 32);
        put(&bits, i == 2 ? 0x99aabbcc : 0x11223344, 32);
        put(&bits, i == 2 ? 0xfffe : 0, 16);
    }
    check(&codec_msaa, 1, block, &bits);
}

/* One, two and one bits of R, G and B; alpha takes 8 bits in total. */
static void
test_color_offset(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    fill(block, 0, 64, 0x102030ff);
    block[1] = 0x50607043; /* max of all components; alpha is corrected below */
    block[2] = 0x4f5d7043; /* 1 and 3 below max, and max */
    block[3] = 0x11233143; /* 1, 3 and 1 above min */
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        block[i] = (block[i] & ~0xffu) | 0x43;
    for (uint32_t c = 0; c < 3; c++) {
        static const uint32_t min[3] = {0x10, 0x20, 0x30}, n[3] = {1, 2, 1};
        static const uint32_t below[3] = {1, 3, 0}, above[3] = {1, 3, 1};
        put(&bits, min[c], 8);
        put(&bits, min[c] + 0x40, 8);
        put(&bits, 0, 1 + n[c]);
        put(&bits, 1, 1 + n[c]);
        put(&bits, 1 | below[c] << 1, 1 + n[c]);
        put(&bits, above[c] << 1, 1 + n[c]);
        put_many(&bits, 0, 1 + n[c], 60);
    }
    put(&bits, 0x43, 8);
    check(&codec_color_offset, 0, block, &bits);
}

/* The plane has 7 steps per column and 14 per row in R. Two bits each of R, G and B are
 * corrections. */
static void
test_color_plane(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t x = (i & 1) | (i >> 1 & 2) | (i >> 2 & 4);
        const uint32_t y = (i >> 1 & 1) | (i >> 2 & 2) | (i >> 3 & 4);
        block[i] = (20 + 7 * x + 14 * y) << 24 | 0x405060;
    }
    block[63] += 1u << 24;     /* R + 1 */
    block[63] -= 2u << 16;     /* G - 2 */
    block[63] -= 1u << 8;      /* B - 1 */
    put(&bits, block[0], 32);  /* x 0, y 0 */
    put(&bits, block[21], 32); /* x 7, y 0 */
    put(&bits, block[42], 32); /* x 0, y 7 */
    put_many(&bits, 0, 6, 63);
    put(&bits, 1 | 2 << 2 | 3 << 4, 6);
    check(&codec_color_plane, 0, block, &bits);
}

/* Planes whose steps from pixel to pixel are sevenths. The elements are the integers nearest to the
 * plane, so every correction is 0. A plane that rounds down or towards zero would differ from some
 * elements by 1. */
static void
test_color_plane_rounds(void **state)
{
    static const double column[4] = {10, -9, 1, 0}, row[4] = {-5, 5, -1, 6};
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t x = (i & 1) | (i >> 1 & 2) | (i >> 2 & 4);
        const uint32_t y = (i >> 1 & 1) | (i >> 2 & 2) | (i >> 3 & 4);
        block[i] = 0;
        for (uint32_t c = 0; c < 4; c++)
            block[i] = block[i] << 8 | (uint32_t)lround(100 + (column[c] * x + row[c] * y) / 7);
    }
    put(&bits, 0x64646464, 32); /* 100: x 0, y 0 */
    put(&bits, 0x6e5b6564, 32); /* 110, 91, 101, 100: x 7, y 0 */
    put(&bits, 0x5f69636a, 32); /* 95, 105, 99, 106: x 0, y 7 */
    put_many(&bits, 0, 6, 64);
    check(&codec_color_plane, 0, block, &bits);
}

/* Eight samples: one differs from the previous one by +1, -2, +4 and -33, and the following ones
 * equal it. */
static void
test_entropy(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    fill(block, 0, 64, 0x10203080);
    fill(block, 1, 8, 0x111e345f);
    put(&bits, 0x10203080, 32);
    put_code(&bits, "100");
    put_code(&bits, "1101");
    put_code(&bits, "111001");
    put_code(&bits, "11111110");
    put(&bits, 256 - 33, 8);
    put_many(&bits, 0, 1, 4 * 62);
    check_level(&codec_entropy, (struct codec_shape){CODEC_BUS_64, 8}, 0, block, &bits);
}

/* The fourth profile, which transforms colors: a group of two colors, and one with a small gray
 * step. */
static void
test_quads(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    fill(block, 0, 64, 0x103050ff);
    block[9] = 0xe0c0a0ff;
    fill(block, 61, 64, 0x133353ff); /* b, c and d are 3 above a: d - c - (b - a) is -3 */
    put(&bits, 1, 1);                /* a single alpha */
    put(&bits, 3, 2);
    put(&bits, 0xe03020ff, 32); /* R - G, G, B - G, A */
    /* Five groups of higher levels, then sixteen; elements 8 to 11 are the third of these. */
    put_many(&bits, 0, 3, 5 + 2);
    put(&bits, 7, 3);
    put_many(&bits, 0, 3, 12);
    put(&bits, 2, 3);            /* four bits of G, and none of R - G and B - G */
    put(&bits, 1, 3);            /* b is the other color */
    put(&bits, 0xc0 - 0x30, 8);  /* G */
    put(&bits, 0x120 - 0xe0, 8); /* e0 - c0, minus 10 - 30 */
    put(&bits, 0xe0 - 0x20, 8);  /* a0 - c0, minus 50 - 30 */
    put(&bits, 3, 4);
    put(&bits, 3, 4);
    put(&bits, 16 - 3, 4);
    check(&codec_quads, 0, block, &bits);
}

static uint32_t
depth_at(uint32_t x, uint32_t y)
{
    return 1000 + 10 * x + 3 * y;
}

static uint32_t
element_at(uint32_t x, uint32_t y)
{
    return (x & 1) | (x & 2) << 1 | (x & 4) << 2 | (y & 1) << 1 | (y & 2) << 2 | (y & 4) << 3;
}

/* A plane of depth with one element, in column 5 and row 2, farther by one; stencil 7. */
static void
make_plane(uint32_t *block)
{
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 8; x++)
            block[element_at(x, y)] = (depth_at(x, y) + (x == 5 && y == 2)) << 8 | 7;
}

static void
put_stencil(struct bits *bits)
{
    put(bits, 0, 1);
    put(bits, 7, 8);
}

/* Seven bits per difference: (512 - 9 - 72) / 61. The element differs by 1. The next two of its
 * column, which are predicted from it, differ by -2 and 1. */
static void
test_ddpcm(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    make_plane(block);
    put_stencil(&bits);
    put(&bits, 1000, 24);
    put(&bits, 10, 24);
    put(&bits, 3, 24);
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 8; x++)
            if (x + y >= 2)
                put(&bits, x != 5 ? 0 : y == 2 || y == 4 ? 1 : y == 3 ? 128 - 2 : 0, 7);
    check(&codec_ddpcm, 0, block, &bits);
    check(&codec_depth_mix, 0, block, &bits); /* its first level is that of ddpcm */
}

/* Four samples per pixel of 4x4: an offset of each from the first, and one depth that is farther by
 * one. This is pixel 2 of row 1, sample 2, from which the pixel to its right is predicted. Six bits
 * per difference: (512 - 9 - 6 * 24) / 58. */
static void
test_ddpcm_samples(void **state)
{
    static const uint32_t offsets[4] = {0, 5, (1 << 24) - 7, 20};
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 4; x++)
            for (uint32_t s = 0; s < 4; s++)
                block[4 * element_at(x, y) + s] =
                    (depth_at(x, y) + offsets[s] + (x == 2 && y == 1 && s == 2)) << 8 | 7;
    put_stencil(&bits);
    put(&bits, 1000, 24);
    put(&bits, 10, 24);
    put(&bits, 3, 24);
    for (uint32_t s = 1; s < 4; s++)
        put(&bits, offsets[s], 24);
    for (uint32_t s = 0; s < 4; s++)
        for (uint32_t y = 0; y < 4; y++)
            for (uint32_t x = 0; x < 4; x++)
                if (s ? x || y : x + y >= 2)
                    put(&bits, s != 2 || y != 1 ? 0 : x == 2 ? 1 : x == 3 ? 64 - 1 : 0, 6);
    check_level(&codec_ddpcm, (struct codec_shape){CODEC_BUS_64, 4}, 0, block, &bits);
}

/* Seven bits per correction, in element order. */
static void
test_anchor(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    make_plane(block);
    put_stencil(&bits);
    put(&bits, depth_at(3, 3), 24);
    put(&bits, 10, 24);
    put(&bits, 3, 24);
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        if (i != element_at(3, 3) && i != element_at(4, 3) && i != element_at(3, 4))
            put(&bits, i == element_at(5, 2), 7);
    check(&codec_anchor, 0, block, &bits);
}

/* Two stencil values; four bits per distance: (512 - 81 - 112) / 64. */
static void
test_depth_offset(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    fill(block, 0, 64, 0x123456 << 8 | 7);
    block[1] = 0x923456u << 8 | 9; /* max, with the second stencil value */
    block[2] = 0x923447u << 8 | 7; /* 15 below max */
    block[63] = 0x123465 << 8 | 9; /* 15 above min */
    put(&bits, 1, 1);
    put(&bits, 7, 8);
    put(&bits, 9, 8);
    put(&bits, 1 << 1, 32);
    put(&bits, 1u << 31, 32);
    put(&bits, 0x123456, 24);
    put(&bits, 0x923456, 24);
    put(&bits, 0, 5);
    put(&bits, 1, 5);
    put(&bits, 1 | 15 << 1, 5);
    put_many(&bits, 0, 5, 60);
    put(&bits, 15 << 1, 5);
    check(&codec_depth_offset, 0, block, &bits);
}

/* Four planes: two level ones, and two unused ones. */
static void
test_depth_plane(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    fill(block, 0, 16, 0xabcdefu << 8 | 7);
    fill(block, 16, 64, 0x000123 << 8 | 7);
    put_stencil(&bits);
    put(&bits, 0xabcdefu << 8, 32);
    put_many(&bits, 0, 29, 2);
    put(&bits, 0x123 << 8, 32);
    put_many(&bits, 0, 29, 2);
    put_many(&bits, 0, 30, 2 * 3);
    put_many(&bits, 0, 2, 16);
    put_many(&bits, 1, 2, 48);
    check(&codec_depth_plane, 0, block, &bits);
}

/* One plane of 10 per column and 3 per row. Its first element has a fraction of two quarters and a
 * half. The others are unused. */
static void
test_depth_plane_slope(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 8; x++)
            block[element_at(x, y)] = depth_at(x, y) << 8 | 7;
    put_stencil(&bits);
    put(&bits, 1000 << 8 | 160, 32);
    put(&bits, 10 << 8, 29);
    put(&bits, 3 << 8, 29);
    put_many(&bits, 0, 30, 3 * 3);
    put_many(&bits, 0, 2, 64);
    check(&codec_depth_plane, 0, block, &bits);
}

/* The plane of 32 per column and 16 per row at four samples. Their positions are -2, -6; 6, -2; -6,
 * 2 and 2, 6 in 1/16 pixel from the center. So their depths differ by -10, 10, -10 and 10 from the
 * depth there. */
static void
test_depth_plane_samples(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 4; x++)
            for (uint32_t s = 0; s < 4; s++)
                block[4 * element_at(x, y) + s] =
                    (1000 + 32 * x + 16 * y + (s % 2 ? 10 : -10)) << 8 | 7;
    put_stencil(&bits);
    put(&bits, 1000 << 8 | 160, 32);
    put(&bits, 32 << 8, 29);
    put(&bits, 16 << 8, 29);
    put_many(&bits, 0, 30, 3 * 3);
    put_many(&bits, 0, 2, 64);
    check_level(&codec_depth_plane, (struct codec_shape){CODEC_BUS_64, 4}, 0, block, &bits);
}

/* Planes are in the order of the first element that no plane covers yet, although another plane
 * might cover more. All elements except three are farther than the first one by one. The elements
 * beside it and below it are so far away that no slope reaches them. */
static void
test_depth_plane_order(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    fill(block, 0, 64, 1001 << 8 | 7);
    block[0] = 1000 << 8 | 7;
    fill(block, 1, 3, (1001 + (1 << 21)) << 8 | 7);
    put_stencil(&bits);
    put(&bits, 1000 << 8, 32);
    put_many(&bits, 0, 29, 2);
    put(&bits, (1001u + (1 << 21)) << 8, 32);
    put_many(&bits, 0, 29, 2);
    put(&bits, 1001 << 8, 32);
    put_many(&bits, 0, 29, 2);
    put_many(&bits, 0, 30, 3);
    put(&bits, 0, 2);
    put_many(&bits, 1, 2, 2);
    put_many(&bits, 2, 2, 61);
    check(&codec_depth_plane, 0, block, &bits);
}

/* Four samples: the plane is that of the first sample of each pixel, and the same at the others. */
static void
test_color_plane_samples(void **state)
{
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t pixel = i / 4, x = (pixel & 1) | (pixel >> 1 & 2);
        const uint32_t y = (pixel >> 1 & 1) | (pixel >> 2 & 2);
        block[i] = (20 + 7 * x + 14 * y) << 24 | 0x405060;
    }
    block[3] += 1u << 24;
    put(&bits, block[0], 32);
    put(&bits, (20u + 21) << 24 | 0x405060, 32); /* x 3, y 0 */
    put(&bits, (20u + 42) << 24 | 0x405060, 32); /* x 0, y 3 */
    put_many(&bits, 0, 6, 3);
    put(&bits, 1, 6);
    put_many(&bits, 0, 6, 60);
    check_level(&codec_color_plane, (struct codec_shape){CODEC_BUS_64, 4}, 0, block, &bits);
}

/* Four samples of the plane of 32 and 16, each predicted at its position. The anchor is the first
 * sample of pixel 1, 1. One sample is farther by 3. */
static void
test_anchor_samples(void **state)
{
    static const uint32_t from_first[4] = {0, 20, 0, 20}; /* see test_depth_plane_samples() */
    uint32_t block[CODEC_WORDS];
    struct bits bits = {0};
    (void)state;
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 4; x++)
            for (uint32_t s = 0; s < 4; s++)
                block[4 * element_at(x, y) + s] = (1000 + 32 * x + 16 * y + from_first[s]) << 8 | 7;
    block[63] += 3 << 8;
    put_stencil(&bits);
    put(&bits, 1000 + 32 + 16, 24);
    put(&bits, 32, 24);
    put(&bits, 16, 24);
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        if (i != 4 * element_at(1, 1) && i != 4 * element_at(2, 1) && i != 4 * element_at(1, 2))
            put(&bits, i == 63 ? 3 : 0, 7);
    check_level(&codec_anchor, (struct codec_shape){CODEC_BUS_64, 4}, 0, block, &bits);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hilo),
        cmocka_unit_test(test_hilore),
        cmocka_unit_test(test_hilorebi),
        cmocka_unit_test(test_hilore4ref),
        cmocka_unit_test(test_comp),
        cmocka_unit_test(test_msaa),
        cmocka_unit_test(test_color_offset),
        cmocka_unit_test(test_color_plane),
        cmocka_unit_test(test_color_plane_rounds),
        cmocka_unit_test(test_entropy),
        cmocka_unit_test(test_quads),
        cmocka_unit_test(test_ddpcm),
        cmocka_unit_test(test_anchor),
        cmocka_unit_test(test_depth_offset),
        cmocka_unit_test(test_depth_plane),
        cmocka_unit_test(test_ddpcm_samples),
        cmocka_unit_test(test_depth_plane_slope),
        cmocka_unit_test(test_depth_plane_samples),
        cmocka_unit_test(test_depth_plane_order),
        cmocka_unit_test(test_color_plane_samples),
        cmocka_unit_test(test_anchor_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
