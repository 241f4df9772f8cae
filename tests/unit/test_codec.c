/* Every codec gives back what it took, at the size that its level says, on blocks that lie at and
 * beyond the limits of its levels. */
#include "codec/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static uint32_t random_state = 1;

static uint32_t
random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static int32_t
round_trip(const struct codec *codec, struct codec_shape shape, const uint32_t *block)
{
    uint8_t packed[CODEC_BLOCK_BYTES + 1];
    uint32_t unpacked[CODEC_WORDS];
    int32_t level = codec->choose(block, shape);
    if (level == CODEC_RAW)
        return level;
    assert_true(level >= 0 && level < (int32_t)codec->levels[shape.bus].count);
    uint32_t bytes = codec_level_bytes(codec, shape.bus, level);
    packed[bytes] = 0xa5;
    codec->compress(block, shape, level, packed);
    assert_int_equal(packed[bytes], 0xa5);
    codec->decompress(packed, shape, level, unpacked);
    assert_memory_equal(block, unpacked, sizeof unpacked);
    return level;
}

static void
test_round_trip(void **state)
{
    (void)state;
    for (const struct codec *const *codec = codecs; *codec; codec++) {
        for (uint32_t n = 0; n < 20000; n++) {
            uint32_t block[CODEC_WORDS], spread = random_word() % 33, base = random_word();
            uint32_t mask = spread == 32 ? UINT32_MAX : (1u << spread) - 1;
            for (uint32_t i = 0; i < CODEC_WORDS; i++)
                block[i] = base + (random_word() & mask);
            for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++)
                round_trip(*codec, (struct codec_shape){bus, 1}, block);
        }
    }
}

static void
test_level_sizes(void **state)
{
    (void)state;
    static const uint32_t bus_bytes[CODEC_BUSES] = {64, 32};
    for (const struct codec *const *codec = codecs; *codec; codec++) {
        assert_ptr_equal(codec_find((*codec)->name), *codec);
        for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++) {
            const struct codec_levels *levels = &(*codec)->levels[bus];
            for (uint32_t l = 0; l < levels->count; l++) {
                assert_int_equal(levels->bytes[l] % bus_bytes[bus], 0);
                assert_true(l == 0 || levels->bytes[l] >= levels->bytes[l - 1]);
            }
        }
    }
    assert_null(codec_find("none such"));
}

/* hilo at k = 5: min 0x1000 reaches 0x103f (min and min + 32), max 0x2000 down to 0x1fe0. */
static void
test_hilo_limits(void **state)
{
    (void)state;
    uint32_t block[CODEC_WORDS];
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        block[i] = i % 2 ? 0x2000 - ((i & 31) ^ 1) : 0x1000 + i;
    assert_int_equal(round_trip(&codec_hilo, (struct codec_shape){CODEC_BUS_64, 1}, block), 0);
    block[7] = 0x1040; /* its high part is two above min's */
    assert_int_equal(round_trip(&codec_hilo, (struct codec_shape){CODEC_BUS_64, 1}, block), 1);
    block[7] = 0x1fdf; /* two below max's */
    assert_int_equal(round_trip(&codec_hilo, (struct codec_shape){CODEC_BUS_64, 1}, block), 1);
    block[0] = 0; /* k = 13: 0 to 0x3fff */
    block[7] = 0x3fff;
    assert_int_equal(round_trip(&codec_hilo, (struct codec_shape){CODEC_BUS_64, 1}, block), 1);
    block[8] = UINT32_MAX;
    assert_int_equal(round_trip(&codec_hilo, (struct codec_shape){CODEC_BUS_64, 1}, block), 1);
    block[9] = 0x4000; /* 13 bits: parts 0, 1, top, top - 1; this one is 2 */
    assert_int_equal(round_trip(&codec_hilo, (struct codec_shape){CODEC_BUS_64, 1}, block), 2);
    block[9] = 0x80000000; /* 21 bits: the same argument */
    assert_int_equal(round_trip(&codec_hilo, (struct codec_shape){CODEC_BUS_64, 1}, block),
                     CODEC_RAW);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_level_sizes),
        cmocka_unit_test(test_hilo_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
