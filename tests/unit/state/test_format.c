/* The format table. Loops test every line of the table, and independent arithmetic checks the
 * conversions. */
#include "state/format.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static uint32_t
next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void
test_table(void **state)
{
    for (size_t i = 0; i < format_count(); i++) {
        const struct format_info *f = format_at(i);
        assert_ptr_equal(format_get(f->number), f);
        assert_true(f->uses != 0 && f->unpack != NULL && f->block_bytes > 0);
        assert_int_equal(f->pack == NULL, f->block_width > 1);
        if (f->uses & (FORMAT_COLOR | FORMAT_DEPTH))
            assert_non_null(f->pack);
        if (i > 0)
            assert_true(f->number > format_at(i - 1)->number);
    }
    assert_null(format_get(0));
    assert_null(format_get(321));
    assert_null(format_get(UINT32_MAX));
}

/* unpack() restores values that pack() has stored once. This holds for formats whose values fit
 * into the 24 bits of a float; others lose precision. */
static void
test_round_trip(void **state)
{
    uint32_t random = 1;
    for (size_t i = 0; i < format_count(); i++) {
        const struct format_info *f = format_at(i);
        if (!f->pack)
            continue;
        for (int n = 0; n < 3000; n++) {
            uint8_t block[32] = {0}, again[32] = {0}, third[32] = {0};
            float rgba[4], back[4];
            for (int b = 0; b < f->block_bytes; b++)
                block[b] = (uint8_t)next_random(&random);
            if (n < 256 && f->block_bytes <= 4)
                memset(block, n, f->block_bytes);
            f->unpack(block, 0, 0, rgba);
            bool finite = true;
            for (int c = 0; c < 4; c++)
                finite = finite && isfinite(rgba[c]);
            if (!finite)
                continue;
            f->pack(rgba, again);
            f->unpack(again, 0, 0, back);
            for (int c = 0; c < 4; c++)
                if (rgba[c] != back[c])
                    fail_msg("%s: channel %d: %.9g then %.9g", f->name, c, (double)rgba[c],
                             (double)back[c]);
            f->pack(back, third);
            assert_memory_equal(again, third, f->block_bytes);
        }
    }
}

/* Every bit of a format with all four channels is significant, so equal values have equal bytes. */
static void
test_exact_bytes(void **state)
{
    static const uint32_t numbers[] = {1, 3, 5, 6, 7, 8, 64, 65, 67, 100, 104, 12, 48, 49, 51, 130};
    uint32_t random = 7;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct format_info *f = format_get(numbers[i]);
        for (int n = 0; n < 70000; n++) {
            uint8_t block[8], again[8];
            float rgba[4];
            uint32_t bits = n < 65536 ? (uint32_t)n * 65537u : next_random(&random) << 8;
            memcpy(block, &bits, 4);
            memcpy(block + 4, &bits, 4);
            f->unpack(block, 0, 0, rgba);
            f->pack(rgba, again);
            if (memcmp(block, again, f->block_bytes) != 0)
                fail_msg("%s: %08x", f->name, bits);
        }
    }
}

static void
unpack_one(uint32_t number, uint32_t word, float rgba[4])
{
    uint8_t bytes[32] = {0};
    memcpy(bytes, &word, 4);
    format_get(number)->unpack(bytes, 0, 0, rgba);
}

static void
expect(uint32_t number, uint32_t word, double r, double g, double b, double a)
{
    float rgba[4];
    double want[4] = {r, g, b, a};
    unpack_one(number, word, rgba);
    for (int c = 0; c < 4; c++)
        if (rgba[c] != (float)want[c])
            fail_msg("format %u, %08x, channel %d: %.9g, not %.9g", number, word, c,
                     (double)rgba[c], want[c]);
}

static void
test_layouts(void **state)
{
    uint32_t w = 0x44332211; /* bytes 11 22 33 44 */
    double b0 = 0x11 / 255.0, b1 = 0x22 / 255.0, b2 = 0x33 / 255.0, b3 = 0x44 / 255.0;
    expect(67, w, b0, b1, b2, b3);
    expect(1, w, b2, b1, b0, b3);
    expect(2, w, b2, b1, b0, 1);
    expect(3, w, b1, b2, b3, b0);
    expect(68, w, b3, b2, b1, 1);
    expect(66, w, b0, b1, b2, 1);
    expect(65, w, b0, b1, 0, 1);
    expect(9, w, b0, b0, b0, 1);
    expect(10, w, 0, 0, 0, b0);
    expect(11, w, b0, b0, b0, b0);
    expect(12, w, b0, b0, b0, b1);
    expect(7, 0xf800 | 0x20, 1, 1 / 63.0, 0, 1);
    expect(5, 0x8000 | 0x7c00 | 3, 1, 0, 3 / 31.0, 1);
    expect(6, 0x1234, 2 / 15.0, 3 / 15.0, 4 / 15.0, 1 / 15.0);
    expect(8, 0xc0000000u | 5 << 20 | 6 << 10 | 7, 7 / 1023.0, 6 / 1023.0, 5 / 1023.0, 1);
    expect(131, 5 << 20 | 6 << 10 | 7, 5 / 1023.0, 6 / 1023.0, 7 / 1023.0, 0);
    expect(72, w, 0x11, 0x22, 0x33, 0x44);
    expect(85, 0x80ff7f01, 1, 127, -1, -128);
    expect(77, 0x80817f01, 1 / 127.0, 1, -1, -1);
    expect(173, 0x1ffu | 0x200u << 10 | 0x201u << 20 | 0xc0000000u, 1, -1, -1, -1);
    expect(87, 0xffff8000u, -0.5, 0, 0, 1);
    expect(16, 0xffff, 1, 0, 0, 1);
    expect(19, 0xff800000, 0x800000 / 16777215.0, 0, 0, 1);
    expect(20, 0x800000ff, 0x800000 / 16777215.0, 0, 0, 1);
    expect(21, 0xab000001, 1 / 16777215.0, 0, 0, 1);
}

/* Half floats are compared with ldexp(), and packing with a search for the nearest value. */
static void
test_half(void **state)
{
    const struct format_info *f = format_get(91);
    float values[0x7c01];
    for (uint32_t h = 0; h <= 0x7c00; h++) {
        float rgba[4];
        unpack_one(91, h, rgba);
        values[h] = rgba[0];
        uint32_t e = h >> 10, m = h & 1023;
        double want = e == 31 ? INFINITY : ldexp(e ? 1024 + m : m, e ? (int)e - 25 : -24);
        assert_true((double)rgba[0] == want);
        unpack_one(91, h | 0x8000, rgba);
        assert_true((double)rgba[0] == -want && signbit(rgba[0]));
    }
    for (uint32_t h = 0; h < 0x7c00; h++) {
        double low = values[h], high = h == 0x7bff ? 65536 : (double)values[h + 1];
        float probes[3] = {(float)((low + high) / 2), (float)(low + (high - low) * 0.49),
                           (float)(low + (high - low) * 0.51)};
        uint32_t want[3] = {h & 1 ? h + 1 : h, h, h + 1};
        for (int i = 0; i < 3; i++) {
            uint8_t block[2];
            float rgba[4] = {-probes[i]};
            f->pack(rgba, block);
            assert_int_equal(block[0] | block[1] << 8, want[i] | 0x8000);
        }
    }
    float rgba[4];
    unpack_one(91, 0x7e00, rgba);
    assert_true(isnan(rgba[0]));
    uint8_t block[2];
    f->pack(rgba, block);
    assert_int_equal(block[1] & 0x7c, 0x7c);
    assert_true((block[0] | (block[1] & 3)) != 0);
}

static double
srgb_decode(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static void
test_srgb(void **state)
{
    const struct format_info *f = format_get(104);
    for (uint32_t i = 0; i < 256; i++) {
        float rgba[4];
        unpack_one(104, i * 0x01010101u, rgba);
        double want = srgb_decode(i / 255.0);
        assert_true(fabs((double)rgba[0] - want) <= want * 1e-6);
        assert_true(rgba[3] == (float)(i / 255.0));
    }
    for (int i = 0; i <= 20000; i++) {
        float rgba[4] = {(float)i / 20000, -1, 2, NAN};
        uint8_t bytes[4];
        f->pack(rgba, bytes);
        double v = rgba[0];
        double code = 255 * (v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055);
        assert_true(fabs(code - bytes[0]) <= 0.5001);
        assert_int_equal(bytes[1], 0);
        assert_int_equal(bytes[2], 255);
        assert_int_equal(bytes[3], 0);
    }
}

/* Rounding to nearest, clamping and NaN, compared with double arithmetic. */
static void
test_unorm_rounding(void **state)
{
    uint32_t random = 3;
    for (int n = 0; n < 200000; n++) {
        float v = (float)next_random(&random) / 0x800000 - 0.5f;
        float rgba[4] = {v, v, v, v};
        uint8_t b8[4], b16[8], z24[4];
        format_get(67)->pack(rgba, b8);
        format_get(51)->pack(rgba, b16);
        format_get(21)->pack(rgba, z24);
        double c = v < 0 ? 0 : v > 1 ? 1 : v;
        assert_true(fabs(c * 255 - b8[2]) <= 0.5);
        assert_true(fabs(c * 65535 - (b16[2] | b16[3] << 8)) <= 0.5);
        assert_true(fabs(c * 16777215 - (z24[0] | z24[1] << 8 | z24[2] << 16)) <= 0.5);
    }
    float odd[4] = {NAN, INFINITY, -INFINITY, 0.5f};
    uint8_t bytes[4];
    format_get(67)->pack(odd, bytes);
    assert_memory_equal(bytes, ((uint8_t[]){0, 255, 0, 128}), 4);
    format_get(77)->pack(odd, bytes);
    assert_memory_equal(bytes, ((uint8_t[]){0, 127, 0x81, 64}), 4);
    format_get(2)->pack(odd, bytes); /* the unused channel X is 0xff */
    assert_int_equal(bytes[3], 255);
}

static void
expect_texel(uint32_t number, const uint8_t *block, uint32_t x, uint32_t y, double r, double g,
             double b, double a)
{
    float rgba[4];
    double want[4] = {r, g, b, a};
    format_get(number)->unpack(block, x, y, rgba);
    for (int c = 0; c < 4; c++)
        if (fabs((double)rgba[c] - want[c]) > 1e-6)
            fail_msg("format %u texel %u %u channel %d: %g, not %g", number, x, y, c,
                     (double)rgba[c], want[c]);
}

static void
test_s3tc(void **state)
{
    /* red 31 and blue 31: color 0 > color 1; row 0 has codes 0 1 2 3 */
    uint8_t four[8] = {0x00, 0xf8, 0x1f, 0x00, 0xe4, 0, 0, 0x80};
    expect_texel(105, four, 0, 0, 1, 0, 0, 1);
    expect_texel(105, four, 1, 0, 0, 0, 1, 1);
    expect_texel(105, four, 2, 0, 170 / 255.0, 0, 85 / 255.0, 1);
    expect_texel(106, four, 3, 0, 85 / 255.0, 0, 170 / 255.0, 1);
    expect_texel(106, four, 3, 3, 170 / 255.0, 0, 85 / 255.0, 1);
    /* reversed order: three colors; the fourth is black, and transparent in DXT1_RGBA */
    uint8_t three[8] = {0x1f, 0x00, 0x00, 0xf8, 0xe4, 0, 0, 0};
    expect_texel(105, three, 2, 0, 127 / 255.0, 0, 127 / 255.0, 1);
    expect_texel(105, three, 3, 0, 0, 0, 0, 1);
    expect_texel(106, three, 3, 0, 0, 0, 0, 0);
    /* DXT3: alpha nibbles 0 to 15; a block always has four colors */
    uint8_t dxt3[16] = {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe};
    memcpy(dxt3 + 8, three, 8);
    for (uint32_t i = 4; i < 16; i++)
        expect_texel(107, dxt3, i % 4, i / 4, 0, 0, 1, i * 17 / 255.0);
    expect_texel(107, dxt3, 3, 0, 170 / 255.0, 0, 85 / 255.0, 3 * 17 / 255.0);
    /* DXT5: alpha from 240 to 30 in eight steps of 30; texel i has code i % 8 */
    uint64_t codes = 0;
    for (uint32_t i = 0; i < 16; i++)
        codes |= (uint64_t)(i % 8) << (3 * i);
    uint8_t dxt5[16] = {240, 30};
    memcpy(dxt5 + 2, &codes, 6);
    memcpy(dxt5 + 8, four, 8);
    static const double steps8[8] = {240, 30, 210, 180, 150, 120, 90, 60};
    for (uint32_t i = 4; i < 15; i++)
        expect_texel(108, dxt5, i % 4, i / 4, 1, 0, 0, steps8[i % 8] / 255);
    dxt5[0] = 0;
    dxt5[1] = 250;
    static const double steps6[8] = {0, 250, 50, 100, 150, 200, 0, 255};
    for (uint32_t i = 4; i < 15; i++)
        expect_texel(108, dxt5, i % 4, i / 4, 1, 0, 0, steps6[i % 8] / 255);
    /* the same codes in RGTC and LATC, and signed: 105 to -105 in steps of 30 */
    dxt5[0] = 240, dxt5[1] = 30;
    uint8_t two[16];
    memcpy(two, dxt5, 8);
    memset(two + 8, 0, 8);
    two[8] = 51;
    two[9] = 51;
    static const double signed8[8] = {105, -105, 75, 45, 15, -15, -45, -75};
    uint8_t sign[8];
    memcpy(sign, dxt5, 8);
    sign[0] = 105;
    sign[1] = (uint8_t)-105;
    for (uint32_t i = 0; i < 16; i++) {
        double v = steps8[i % 8] / 255, s = signed8[i % 8] / 127;
        expect_texel(113, two, i % 4, i / 4, v, 0, 0, 1);
        expect_texel(115, two, i % 4, i / 4, v, 0.2, 0, 1);
        expect_texel(143, two, i % 4, i / 4, v, v, v, 1);
        expect_texel(145, two, i % 4, i / 4, v, v, v, 0.2);
        expect_texel(114, sign, i % 4, i / 4, s, 0, 0, 1);
    }
    /* sRGB: decoded color is linearized, alpha is not */
    expect_texel(112, dxt5, 2, 0, srgb_decode(170 / 255.0), 0, srgb_decode(85 / 255.0),
                 210 / 255.0);
}

static void
expect_integers(uint32_t number, const void *bytes, int64_t r, int64_t g, int64_t b, int64_t a)
{
    const int64_t want[4] = {r, g, b, a};
    float rgba[4];
    uint32_t bits[4];
    format_get(number)->unpack(bytes, 0, 0, rgba);
    memcpy(bits, rgba, sizeof bits);
    for (int c = 0; c < 4; c++)
        assert_int_equal(bits[c], (uint32_t)want[c]);
}

/* Integers are not converted. Missing channels are 0, and alpha is the integer 1. Values outside a
 * format's range become the nearest value. */
static void
test_integers(void **state)
{
    static const uint8_t bytes[16] = {0xff, 0x80, 0x7f, 0x01, 0, 0, 0, 0x80};
    static const struct {
        uint32_t number;
        int64_t value, stored;
    } clamped[] = {
        {FORMAT_R8_UINT, 256, 255},
        {FORMAT_R8_UINT, 255, 255},
        {FORMAT_R8_UINT, 0xffffffff, 255},
        {FORMAT_R8_SINT, 128, 127},
        {FORMAT_R8_SINT, -129, -128},
        {FORMAT_R8_SINT, -128, -128},
        {FORMAT_R16_UINT, 65536, 65535},
        {FORMAT_R16_SINT, -32769, -32768},
        {FORMAT_R16_SINT, 32768, 32767},
        {FORMAT_R32_UINT, 0xffffffff, 0xffffffff},
        {FORMAT_R32_SINT, INT32_MIN, INT32_MIN},
        {FORMAT_R10G10B10A2_UINT, 1024, 1023},
    };
    (void)state;
    expect_integers(FORMAT_R8_UINT, bytes, 255, 0, 0, 1);
    expect_integers(FORMAT_R8G8_SINT, bytes, -1, -128, 0, 1);
    expect_integers(FORMAT_R8G8B8A8_SINT, bytes, -1, -128, 127, 1);
    expect_integers(FORMAT_R16G16_UINT, bytes, 0x80ff, 0x017f, 0, 1);
    expect_integers(FORMAT_R16G16_SINT, bytes, (int16_t)0x80ff, 0x017f, 0, 1);
    expect_integers(FORMAT_R32G32_SINT, bytes, 0x017f80ff, INT32_MIN, 0, 1);
    expect_integers(FORMAT_R10G10B10A2_UINT, bytes, 0xff, 0x3e0, 0x17, 0);
    for (size_t i = 0; i < sizeof clamped / sizeof *clamped; i++) {
        const struct format_info *f = format_get(clamped[i].number);
        const uint32_t value = (uint32_t)clamped[i].value;
        float rgba[4] = {0};
        uint8_t block[16] = {0};
        memcpy(rgba, &value, sizeof value);
        f->pack(rgba, block);
        f->unpack(block, 0, 0, rgba);
        uint32_t bits;
        memcpy(&bits, rgba, sizeof bits);
        assert_int_equal(bits, (uint32_t)clamped[i].stored);
    }
}

/* A small float is 2^(e - 15) * (1 + m / 2^bits), or 2^-14 * m / 2^bits if e is 0. Packing finds
 * the nearest value. */
static void
test_small_floats(void **state)
{
    const struct format_info *f = format_get(FORMAT_R11G11B10_FLOAT);
    uint32_t random = 5;
    (void)state;
    for (uint32_t code = 0; code < 31 << 6; code++) {
        const uint32_t e = code >> 6, m = code & 63;
        const double value = e ? ldexp(1 + m / 64.0, (int)e - 15) : ldexp(m / 64.0, -14);
        expect(FORMAT_R11G11B10_FLOAT, code, value, 0, 0, 1);
        expect(FORMAT_R11G11B10_FLOAT, code << 11, 0, value, 0, 1);
        if (code % 2 == 0)
            expect(FORMAT_R11G11B10_FLOAT, code / 2 << 22, 0, 0, value, 1);
    }
    for (int n = 0; n < 20000; n++) {
        const float value = ldexpf((float)next_random(&random), -(int)(next_random(&random) % 40));
        float rgba[4] = {value, value, value}, below[4], above[4], packed[4];
        uint8_t block[4];
        uint32_t word;
        f->pack(rgba, block);
        memcpy(&word, block, 4);
        f->unpack(block, 0, 0, packed);
        for (int c = 0; c < 3; c++) {
            const uint32_t shift = c == 0   ? 0
                                   : c == 1 ? 11
                                            : 22,
                           most = (c == 2 ? 32 * 31 : 64 * 31) - 1;
            const uint32_t code = word >> shift & (c == 2 ? 0x3ff : 0x7ff);
            assert_true(code <= most);
            unpack_one(FORMAT_R11G11B10_FLOAT, (code ? code - 1 : 0) << shift, below);
            unpack_one(FORMAT_R11G11B10_FLOAT, (code < most ? code + 1 : most) << shift, above);
            assert_true(fabsf(packed[c] - value) <= fabsf(below[c] - value));
            assert_true(fabsf(packed[c] - value) <= fabsf(above[c] - value));
        }
    }
    /* the sign, the largest finite value, infinity and NaN */
    const float special[4] = {-1.0f, 1e9f, INFINITY};
    uint8_t block[4];
    uint32_t word;
    f->pack(special, block);
    memcpy(&word, block, 4);
    assert_int_equal(word, 0u | (31u * 64 - 1) << 11 | 31u * 32 << 22);
    f->pack((const float[4]){NAN, 0, 0}, block);
    memcpy(&word, block, 4);
    assert_true(word > 31 * 64 && word < 32 * 64);
}

/* A channel is m * 2^(e - 24), with a mantissa of 9 bits (OpenGL 3.0 specification, 3.9.1). */
static void
test_shared_exponent(void **state)
{
    const struct format_info *f = format_get(FORMAT_R9G9B9E5_FLOAT);
    uint32_t random = 9;
    (void)state;
    expect(FORMAT_R9G9B9E5_FLOAT, 1u | 2u << 9 | 511u << 18 | 24u << 27, 1, 2, 511, 1);
    expect(FORMAT_R9G9B9E5_FLOAT, 511u | 31u << 27, 65408, 0, 0, 1);
    for (int n = 0; n < 20000; n++) {
        float rgba[4], back[4];
        uint8_t block[4];
        float most = 0;
        for (int c = 0; c < 3; c++) {
            rgba[c] =
                ldexpf((float)(next_random(&random) % 4096), (int)(next_random(&random) % 24) - 20);
            rgba[c] = rgba[c] < 65408 ? rgba[c] : 65408;
            most = rgba[c] > most ? rgba[c] : most;
        }
        f->pack(rgba, block);
        f->unpack(block, 0, 0, back);
        /* half a step: the largest channel uses at least 256 of 511 steps, or the smallest exponent
         */
        const float half = fmaxf(most / 256, ldexpf(1, -24)) / 2;
        for (int c = 0; c < 3; c++)
            assert_true(fabsf(back[c] - rgba[c]) <= half);
    }
    uint8_t block[4];
    float back[4];
    f->pack((const float[4]){-1, 1e9f, NAN}, block);
    f->unpack(block, 0, 0, back);
    assert_true(back[0] == 0 && back[1] == 65408 && back[2] == 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_exact_bytes),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_half),
        cmocka_unit_test(test_srgb),
        cmocka_unit_test(test_unorm_rounding),
        cmocka_unit_test(test_s3tc),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_small_floats),
        cmocka_unit_test(test_shared_exponent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
