/* Every codec restores its input, at the size of its level: random, structured, nearly fitting and
 * captured blocks, both buses, all numbers of samples. Damaged compressed blocks decompress to some
 * block.
 *
 * AETIUS_SEEDS is the number of blocks. AETIUS_BLOCKS lists block files, separated by colons
 * (default: some of OpenArena, 1 and 4 samples). */
#include "base/build.h"
#include "base/mem.h"
#include "codec/blocks_file.h"
#include "codec/codec.h"
#include "codec/grid.h"
#include "gfx/samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
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

static uint32_t
random_below(uint32_t limit)
{
    return random_word() % limit;
}

static uint32_t
block_count(uint32_t usual)
{
    const char *text = getenv("AETIUS_SEEDS");
    return text ? (uint32_t)strtoul(text, NULL, 10) : usual;
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
    if (memcmp(block, unpacked, sizeof unpacked))
        fail_msg("%s, bus %d, %u samples, level %d", codec->name, shape.bus, shape.samples, level);
    return level;
}

static void
round_trips(const uint32_t *block, uint32_t samples)
{
    for (uint32_t c = 0; c < CODEC_COUNT; c++)
        for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++)
            round_trip(codecs[c], (struct codec_shape){bus, samples}, block);
}

/* Kinds of blocks: each function fills one. */
static void
make_noise(uint32_t *block)
{
    uint32_t spread = random_below(33), base = random_word();
    uint32_t mask = spread == 32 ? UINT32_MAX : (1u << spread) - 1;
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        block[i] = base + (random_word() & mask);
}

static void
make_component_noise(uint32_t *block)
{
    uint32_t base = random_word(), mask = 0;
    for (uint32_t c = 0; c < 4; c++)
        mask = mask << 8 | ((1u << random_below(9)) - 1);
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        block[i] = (base & ~mask) | (random_word() & mask);
}

static void
make_few_words(uint32_t *block)
{
    uint32_t words[6], count = 1 + random_below(6), run = 1u << random_below(6);
    for (uint32_t i = 0; i < count; i++)
        words[i] = random_word();
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        block[i] = i % run ? block[i - 1] : words[random_below(count)];
}

/* Planes of depth with an edge between them, rounded, with some small deviations; two stencil
 * values. */
static void
make_depth(uint32_t *block)
{
    uint32_t z[2] = {random_word(), random_word()}, shift = random_below(20);
    int32_t dx[2], dy[2];
    for (uint32_t p = 0; p < 2; p++) {
        dx[p] = (int32_t)(random_word() >> 1 >> shift) - (int32_t)(UINT32_MAX >> 2 >> shift);
        dy[p] = (int32_t)(random_word() >> 1 >> shift) - (int32_t)(UINT32_MAX >> 2 >> shift);
    }
    const struct grid grid = grid_of((struct codec_shape){0, 1u << random_below(4)});
    const uint32_t edge = random_below(2 * 8), noise = random_below(4);
    const uint32_t stencils = random_below(8) ? 0 : 1 + random_below(3);
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t x = grid_x(&grid, i), y = grid_y(&grid, i), p = x + y > edge;
        const struct grid_position at = grid_sample_position(&grid, i % grid.samples);
        const uint32_t far_x = 16 * x + (uint32_t)at.x, far_y = 16 * y + (uint32_t)at.y;
        const uint32_t depth = z[p] + (uint32_t)dx[p] * far_x + (uint32_t)dy[p] * far_y;
        block[i] = ((depth >> 8) + (noise ? random_below(1 << noise) : 0)) << 8;
        block[i] |= stencils ? random_below(stencils + 1) : 7;
    }
}

/* A gradient of colors. */
static void
make_gradient(uint32_t *block)
{
    const struct grid grid = grid_of((struct codec_shape){0, 1u << random_below(4)});
    uint32_t base = random_word(), dx[4], dy[4], noise = random_below(4);
    for (uint32_t c = 0; c < 4; c++) {
        dx[c] = random_below(5) - 2;
        dy[c] = random_below(5) - 2;
    }
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        block[i] = 0;
        for (uint32_t c = 0; c < 4; c++) {
            uint32_t value = (base >> 8 * c) + dx[c] * grid_x(&grid, i) + dy[c] * grid_y(&grid, i);
            block[i] |= ((value + (noise ? random_below(noise) : 0)) & 0xff) << 8 * c;
        }
    }
}

static void
make_block(uint32_t *block)
{
    static void (*const kinds[])(uint32_t *) = {make_noise, make_component_noise, make_few_words,
                                                make_depth, make_gradient};
    kinds[random_below(sizeof kinds / sizeof kinds[0])](block);
    for (uint32_t strays = random_below(4) ? 0 : random_below(4); strays; strays--)
        block[random_below(CODEC_WORDS)] ^= 1u << random_below(32);
}

static void
test_round_trip(void **state)
{
    (void)state;
    const uint32_t count = block_count(60000);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t block[CODEC_WORDS];
        make_block(block);
        round_trips(block, 1u << n % 4);
    }
}

/* Words at the ends of their range. */
static void
test_extremes(void **state)
{
    (void)state;
    static const uint32_t words[] = {0,          1,          0x7fffffff, 0x80000000,
                                     0xff000000, 0x00ffffff, 0xfffffffe, UINT32_MAX};
    for (uint32_t a = 0; a < 8; a++)
        for (uint32_t b = 0; b < 8; b++)
            for (uint32_t pattern = 0; pattern < 64; pattern++) {
                uint32_t block[CODEC_WORDS];
                for (uint32_t i = 0; i < CODEC_WORDS; i++)
                    block[i] = i * pattern / 8 % 2 || i == pattern ? words[b] : words[a];
                round_trips(block, 1u << pattern % 4);
            }
}

/* Every level is used. */
static void
test_every_level_is_reached(void **state)
{
    (void)state;
    static uint32_t reached[CODEC_COUNT][CODEC_BUSES][CODEC_MAX_LEVELS];
    for (uint32_t n = 0; n < 60000; n++) {
        uint32_t block[CODEC_WORDS];
        make_block(block);
        for (uint32_t c = 0; c < CODEC_COUNT; c++)
            for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++) {
                int32_t level = codecs[c]->choose(block, (struct codec_shape){bus, 1u << n % 4});
                if (level >= 0)
                    reached[c][bus][level]++;
            }
    }
    for (uint32_t c = 0; c < CODEC_COUNT; c++)
        for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++)
            for (uint32_t l = 0; l < codecs[c]->levels[bus].count; l++)
                if (!reached[c][bus][l])
                    fail_msg("%s: no block took level %u of bus %d", codecs[c]->name, l, bus);
}

static void
test_level_sizes(void **state)
{
    (void)state;
    static const uint32_t bus_bytes[CODEC_BUSES] = {64, 32};
    for (uint32_t c = 0; c < CODEC_COUNT; c++) {
        assert_ptr_equal(codec_find(codecs[c]->name), codecs[c]);
        for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++) {
            const struct codec_levels *levels = &codecs[c]->levels[bus];
            assert_true(levels->count > 0);
            for (uint32_t l = 0; l < levels->count; l++) {
                assert_int_equal(levels->bytes[l] % bus_bytes[bus], 0);
                assert_true(l == 0 || levels->bytes[l] >= levels->bytes[l - 1]);
            }
        }
    }
    assert_null(codec_find("none such"));
}

/* Any bytes in memory decompress to some block, and reads stay inside the bytes of the level.
 * Sanitizers check this, since the buffer has the size of the level. The block is compressed like
 * any other. */
static void
test_damaged_blocks(void **state)
{
    (void)state;
    const uint32_t wanted = block_count(60000) / 20, count = wanted < 20000 ? wanted : 20000;
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t c = 0; c < CODEC_COUNT; c++)
            for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++)
                for (uint32_t l = 0; l < codecs[c]->levels[bus].count; l++) {
                    const struct codec_shape shape = {bus, 1u << n % 4};
                    const uint32_t bytes = codecs[c]->levels[bus].bytes[l];
                    uint8_t *packed = malloc(bytes);
                    uint32_t block[CODEC_WORDS];
                    for (uint32_t i = 0; i < bytes; i++)
                        packed[i] = n == 0 ? 0 : n == 1 ? 0xff : (uint8_t)random_word();
                    codecs[c]->decompress(packed, shape, (int32_t)l, block);
                    free(packed);
                    round_trip(codecs[c], shape, block);
                }
}

/* Fills the stack below the next call. */
__attribute__((noinline)) static void
fill_stack(int value)
{
    volatile uint8_t bytes[16384];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)value;
}

/* The result for a damaged block depends on its bytes only. */
static void
test_damage_is_read_alike(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 200; n++)
        for (uint32_t c = 0; c < CODEC_COUNT; c++)
            for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++)
                for (uint32_t l = 0; l < codecs[c]->levels[bus].count; l++) {
                    const struct codec_shape shape = {bus, 1u << n % 4};
                    uint8_t packed[CODEC_BLOCK_BYTES];
                    uint32_t once[CODEC_WORDS], again[CODEC_WORDS];
                    for (uint32_t i = 0; i < sizeof packed; i++)
                        packed[i] = n == 0 ? 0xff : (uint8_t)random_word();
                    fill_stack(0x11);
                    codecs[c]->decompress(packed, shape, (int32_t)l, once);
                    fill_stack(0x77);
                    codecs[c]->decompress(packed, shape, (int32_t)l, again);
                    assert_memory_equal(once, again, sizeof once);
                }
}

/* The six codecs of the 2008 study have its latencies (docs/design/compression.md, Offset codecs).
 * The others observe the same limit, 12 levels of comparators. The exception is entropy, whose code
 * is read serially: 64 words and 8. */
static void
test_latencies(void **state)
{
    static const struct {
        const char *name;
        uint32_t cycles;
    } cmd[] = {{"hilo", 10},       {"hilore", 9}, {"hilorebi", 8},
               {"hilore4ref", 12}, {"comp", 7},   {"msaa", 6}};
    (void)state;
    for (size_t i = 0; i < sizeof cmd / sizeof cmd[0]; i++)
        assert_int_equal(codec_latency(codec_find(cmd[i].name)), cmd[i].cycles);
    for (uint32_t c = 0; c < CODEC_COUNT; c++)
        assert_true(codec_latency(codecs[c]) <= (strcmp(codecs[c]->name, "entropy") ? 12 : 72));
    static const char *const parts[] = {"ddpcm", "anchor", "depth-offset", "depth-plane", "msaa"};
    uint32_t slowest = 0; /* depth-mix tries them in parallel, and then selects */
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const uint32_t cycles = codec_latency(codec_find(parts[i]));
        slowest = cycles > slowest ? cycles : slowest;
    }
    assert_int_equal(codec_latency(&codec_depth_mix), slowest + 1);
}

/* Any flipped bit of a compressed block gives some block, which is compressed like any other. */
static void
test_turned_bits(void **state)
{
    (void)state;
    const uint32_t count = block_count(60000) / 1000 < 800 ? block_count(60000) / 1000 : 800;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t block[CODEC_WORDS], damaged[CODEC_WORDS];
        make_block(block);
        for (uint32_t c = 0; c < CODEC_COUNT; c++) {
            const struct codec_shape shape = {n / 4 % CODEC_BUSES, 1u << n % 4};
            const int32_t level = codecs[c]->choose(block, shape);
            if (level == CODEC_RAW)
                continue;
            const uint32_t bytes = codecs[c]->levels[shape.bus].bytes[level];
            uint8_t *packed = malloc(bytes);
            codecs[c]->compress(block, shape, level, packed);
            for (uint32_t bit = 0; bit < 8 * bytes; bit += 1 + (bit > 256) * 7) {
                packed[bit / 8] ^= (uint8_t)(1u << bit % 8);
                codecs[c]->decompress(packed, shape, level, damaged);
                packed[bit / 8] ^= (uint8_t)(1u << bit % 8);
                round_trip(codecs[c], shape, damaged);
            }
            free(packed);
        }
    }
}

/* Only the first bytes of a compressed block, followed by zeros, as in a truncated line. */
static void
test_cut_off_blocks(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 40; n++) {
        uint32_t block[CODEC_WORDS], damaged[CODEC_WORDS];
        make_block(block);
        for (uint32_t c = 0; c < CODEC_COUNT; c++)
            for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++) {
                const struct codec_shape shape = {bus, 1u << n % 4};
                const int32_t level = codecs[c]->choose(block, shape);
                if (level == CODEC_RAW)
                    continue;
                uint32_t bytes = codecs[c]->levels[bus].bytes[level];
                uint8_t *packed = malloc(bytes);
                codecs[c]->compress(block, shape, level, packed);
                while (bytes--) {
                    packed[bytes] = 0;
                    codecs[c]->decompress(packed, shape, level, damaged);
                    round_trip(codecs[c], shape, damaged);
                }
                free(packed);
            }
    }
}

static void
round_trip_file(const char *path)
{
    struct blocks_reader *reader;
    struct blocks_segment segment;
    struct error err;
    bool end;
    if (!blocks_reader_open(&reader, path, &err))
        fail_msg("%s", err.text);
    for (;;) {
        if (!blocks_reader_next(reader, &segment, &end, &err))
            fail_msg("%s", err.text);
        if (end)
            break;
        for (uint32_t i = 0; i < segment.count_count; i++)
            round_trips(segment.blocks[segment.counts[i].block], segment.counts[i].tag.samples);
    }
    blocks_reader_close(reader);
}

static void
test_captured_blocks(void **state)
{
    (void)state;
    static const char golden[] = AETIUS_SOURCE_DIR "/tests/golden/";
    const char *paths = getenv("AETIUS_BLOCKS");
    char *list = paths
                     ? mem_strdup(paths)
                     : mem_printf("%sx0.blocks.color:%sx0.blocks.z:%sx4.blocks.color:%sx4.blocks.z",
                                  golden, golden, golden, golden);
    for (char *rest = list, *path; (path = strtok_r(rest, ":", &rest));)
        round_trip_file(path);
    free(list);
}

/* Samples are at the rasterizer's positions. */
static void
test_sample_places(void **state)
{
    (void)state;
    for (uint32_t samples = 1; samples <= 8; samples *= 2) {
        const struct grid grid = grid_of((struct codec_shape){CODEC_BUS_64, samples});
        assert_int_equal(grid.samples * grid.width * grid.height, CODEC_WORDS);
        for (uint32_t s = 0; s < samples; s++) {
            assert_int_equal(grid_sample_position(&grid, s).x, sample_positions(samples)[s].x);
            assert_int_equal(grid_sample_position(&grid, s).y, sample_positions(samples)[s].y);
        }
        for (uint32_t i = 0; i < CODEC_WORDS; i++)
            assert_int_equal(grid_at(&grid, grid_x(&grid, i), grid_y(&grid, i), i % samples), i);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_every_level_is_reached),
        cmocka_unit_test(test_level_sizes),
        cmocka_unit_test(test_damaged_blocks),
        cmocka_unit_test(test_damage_is_read_alike),
        cmocka_unit_test(test_latencies),
        cmocka_unit_test(test_turned_bits),
        cmocka_unit_test(test_cut_off_blocks),
        cmocka_unit_test(test_captured_blocks),
        cmocka_unit_test(test_sample_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
