/* Address textures from files and drawn by chance, and the published lines for dependent reads. */
#include "rigs/endings.h"
#include "rigs/near.h"
#include "model/cache_shape.h"
#include "model/model.h"

#include <math.h>

enum { HEADER = 8 };

static void
put_word(char *bytes, uint32_t word)
{
    for (uint32_t i = 0; i < 4; i++)
        bytes[i] = (char)(uint8_t)(word >> 8 * i);
}

static void
put_float(char *bytes, float number)
{
    uint32_t word;
    memcpy(&word, &number, sizeof word);
    put_word(bytes, word);
}

/* Writes a file of numbers in which texel (x, y) reads position (x / width, y / height). Returns
 * its path. `size`: bytes to write; 0: all. */
static char *
put_numbers(const char *name, uint32_t width, uint32_t height, size_t size)
{
    const size_t all = HEADER + (size_t)width * height * 8;
    char *bytes = mem_alloc(all), *path = in_dir(name);
    struct error err = {""};
    put_word(bytes, width);
    put_word(bytes + 4, height);
    for (uint32_t i = 0; i < width * height; i++) {
        put_float(bytes + HEADER + 8 * i, (float)(i % width) / (float)width);
        put_float(bytes + HEADER + 8 * i + 4, (float)(i / width) / (float)height);
    }
    assert_true(file_write(path, bytes, size ? size : all, &err));
    free(bytes);
    return path;
}

static double
misses_of(const char *name, uint32_t side, struct cache_shape shape)
{
    struct pattern pattern;
    struct cache_reads reads;
    struct error err = {""};
    if (!pattern_make(&pattern, name, &err))
        fail_msg("%s", err.text);
    cache_reads_find(&reads, &pattern, side, 16);
    struct cache_misses misses;
    cache_misses(&shape, &reads, &misses);
    cache_reads_fini(&reads);
    pattern_fini(&pattern);
    return misses.by_channels[0];
}

/* At 1,024 texels per side, neighbours of these textures are two squares of 8x8 texels or more
 * apart. Each texel therefore reads another line. */
static void
numbers_are_read(void **state)
{
    char *wide = put_numbers("wide.raw", 64, 32, 0), *small = put_numbers("small.raw", 16, 16, 0);
    char *odd = put_numbers("odd.raw", 20, 3, 0);
    assert_true(misses_of(wide, 1024, (struct cache_shape){1, 64, 1, 2048}) == 0);
    assert_true(misses_of(wide, 1024, (struct cache_shape){1, 64, 1, 1024}) == 1);
    /* each of two units has half of the tiles, and so half of the lines */
    assert_true(misses_of(wide, 1024, (struct cache_shape){2, 64, 1, 1024}) == 0);
    assert_true(misses_of(wide, 1024, (struct cache_shape){2, 64, 1, 512}) == 1);
    /* 2x2 tiles, which repeat: each of four units has one of them */
    assert_true(misses_of(small, 1024, (struct cache_shape){1, 64, 1, 256}) == 0);
    assert_true(misses_of(small, 1024, (struct cache_shape){1, 64, 1, 255}) > 0);
    assert_true(misses_of(small, 1024, (struct cache_shape){4, 64, 1, 64}) == 0);
    assert_true(misses_of(small, 1024, (struct cache_shape){4, 64, 1, 32}) > 0);
    assert_true(misses_of(odd, 1024, (struct cache_shape){1, 64, 1, 60}) == 0);
    assert_true(misses_of(odd, 1024, (struct cache_shape){1, 64, 1, 59}) > 0);
    /* the pattern `ramp` has the same positions */
    char *ramp = put_numbers("ramp.raw", 32, 32, 0);
    for (uint32_t ways = 1; ways <= 1024; ways *= 2) {
        const struct cache_shape shape = {1, 64, 16, ways};
        assert_true(misses_of(ramp, 300, shape) == misses_of("ramp", 300, shape));
    }
    free(ramp);
    free(odd);
    free(small);
    free(wide);
}

/* An 8-bit texture has the values 0 / 255 to 255 / 255. 0.5 is 127.5 / 255, and 1 / 32 is 7.97 /
 * 255.
 */
static void
bytes_are_rounded(void **state)
{
    struct pattern pattern;
    pattern_init(&pattern, 1, 1);
    pattern.texcoords[0][0] = 0.5f;
    pattern.texcoords[0][1] = 1 / 32.0f;
    pattern_round(&pattern);
    assert_true(is_near(pattern.texcoords[0][0], 128 / 255.0, 1e-6));
    assert_true(is_near(pattern.texcoords[0][1], 8 / 255.0, 1e-6));
    pattern_fini(&pattern);
}

/* u is red / 255 and v is green / 255. Blue and alpha have no effect. */
static void
pictures_are_read(void **state)
{
    uint8_t rgba[2 * 4] = {0, 51, 7, 255, 255, 102, 9, 255};
    const struct picture picture = {.width = 2, .height = 1, .rgba = rgba};
    struct pattern pattern;
    struct error err = {""};
    char *path = in_dir("two.png");
    assert_true(picture_write_png(&picture, path, &err));
    assert_true(pattern_make(&pattern, path, &err));
    assert_true(pattern.width == 2 && pattern.height == 1);
    assert_true(pattern.texcoords[0][0] == 0 && pattern.texcoords[1][0] == 1);
    assert_true(fabsf(pattern.texcoords[0][1] - 0.2f) < 1e-6f);
    assert_true(fabsf(pattern.texcoords[1][1] - 0.4f) < 1e-6f);
    pattern_fini(&pattern);
    free(path);
}

/* A file of the current folder needs no dot or slash in its name. A pattern of the sweep keeps its
 * name. */
static void
plain_names_are_files(void **state)
{
    struct pattern pattern;
    struct error err = {""};
    const int here = open(".", O_RDONLY | O_DIRECTORY);
    free(put_numbers("plainraw", 8, 4, HEADER + 8 * 4 * 8));
    free(put_numbers("ramp", 8, 4, HEADER + 8 * 4 * 8));
    assert_true(here >= 0 && chdir(dir) == 0);
    assert_true(pattern_make(&pattern, "plainraw", &err));
    assert_true(pattern.width == 8 && pattern.height == 4);
    pattern_fini(&pattern);
    assert_true(pattern_make(&pattern, "ramp", &err));
    assert_true(pattern.width == PATTERN_SIZE);
    pattern_fini(&pattern);
    assert_true(fchdir(here) == 0 && close(here) == 0);
}

static void
refuse(const char *path, const char *words)
{
    struct pattern pattern;
    struct error err = {""};
    assert_false(pattern_make(&pattern, path, &err));
    if (!strstr(err.text, words) || !strstr(err.text, path) || strchr(err.text, '\n'))
        fail_msg("%s: '%s' lacks '%s'", path, err.text, words);
    assert_null(pattern.texcoords);
}

static void
bad_files(void **state)
{
    char *path = put_numbers("bad.raw", 8, 4, HEADER + 8 * 4 * 8 - 1);
    struct error err = {""};
    refuse(path, "expected 264 bytes for 8x4 texels, found 263");
    free(path);
    path = put_numbers("bad.raw", 8, 4, 7);
    refuse(path, "neither a PNG file nor an address texture: 7 bytes");
    assert_true(file_write(path, "", 0, &err));
    refuse(path, "0 bytes");
    char bytes[HEADER + 8] = {0};
    put_word(bytes, 1);
    put_word(bytes + 4, 2049);
    assert_true(file_write(path, bytes, HEADER, &err));
    refuse(path, "1x2049 texels: expected 1 to 2048 per side");
    put_word(bytes, 0);
    assert_true(file_write(path, bytes, HEADER, &err));
    refuse(path, "0x2049 texels");
    static const float wrong[] = {-0.5f, 1.5f, NAN, INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        put_word(bytes, 1);
        put_word(bytes + 4, 1);
        put_float(bytes + HEADER + 4, wrong[i]);
        assert_true(file_write(path, bytes, sizeof bytes, &err));
        refuse(path, "v of texel 0 is not a number from 0 to 1");
    }
    assert_true(file_write(path, "\211PNG\r\n\032\n and no more", 20, &err));
    refuse(path, "is not a valid PNG file");
    /* the header alone states the size: 8192 = 0x2000 */
    static const char large[] = "\211PNG\r\n\032\n\0\0\0\015IHDR\0\0\040\0\0\0\040\0\010\2";
    assert_true(file_write(path, large, sizeof large, &err));
    refuse(path, "an address texture of 8192x8192 texels: expected 1 to 2048 per side");
    free(path);
    path = in_dir("huge.raw"); /* sparse */
    const int fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0 && !ftruncate(fd, 1LL << 40));
    close(fd);
    refuse(path, "huge.raw");
    unlink(path);
    free(path);
    path = in_dir("nowhere.png");
    refuse(path, "nowhere.png");
    free(path);
}

/* A seed always draws the same texture. Seeds draw each kind, and different textures. */
static void
chance_is_repeatable(void **state)
{
    struct error err = {""};
    struct pattern one, again, next;
    uint32_t sizes = 0;
    for (uint32_t seed = 1; seed <= 40; seed++) {
        char name[16], other[16];
        snprintf(name, sizeof name, "chance%u", seed);
        snprintf(other, sizeof other, "chance%u", seed + 1);
        assert_true(pattern_make(&one, name, &err) && pattern_make(&again, name, &err) &&
                    pattern_make(&next, other, &err));
        const size_t count = (size_t)one.width * one.height;
        assert_true(one.width >= 16 && one.width <= 128 && one.width == one.height);
        assert_memory_equal(one.texcoords, again.texcoords, count * sizeof *one.texcoords);
        assert_true(one.width != next.width ||
                    memcmp(one.texcoords, next.texcoords, count * sizeof *one.texcoords) != 0);
        for (size_t i = 0; i < count; i++)
            for (uint32_t part = 0; part < 2; part++)
                assert_true(one.texcoords[i][part] >= 0 && one.texcoords[i][part] <= 1);
        sizes |= one.width;
        pattern_fini(&one);
        pattern_fini(&again);
        pattern_fini(&next);
    }
    assert_int_equal(sizes, 16 | 32 | 64 | 128);
    static const char *const unknown[] = {"chance", "chance-1", "chance1x", "chance1234567890"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_false(pattern_make(&one, unknown[i], &err));
        assert_non_null(strstr(err.text, "is not an address pattern"));
    }
}

/* ---- published lines ---- */

/* Frequencies in cycles per 32 texels. Neighbours of step N repeat every N texels. The first
 * harmonic of step4 is at 16. Step2 and chequer alternate, and in addition rise once per row. */
static const struct known {
    const char *name;
    double fx1;
    bool high, stripes;
} known[] = {{"stripes", 1, false, true}, {"chequer", 16, false, false},
             {"step2", 16, false, false}, {"step4", 8, true, false},
             {"step8", 4, false, false},  {"ramp", 1, false, false}};

/* Time per texel with the coefficients of equations 5.8 and 5.9, lines that meet at 100 and 600
 * texels, and a fixed time. */
static double
published_seconds(const struct known *of, double texture)
{
    const double second = fmax(texture - 100, 0), third = fmax(texture - 600, 0), flat = 1e-3;
    if (of->stripes)
        return flat + 1e-8 * second;
    return flat + (6.07e-7 + 9.49e-8 * of->fx1) * second + (of->high ? 1.18e-6 : 1.30e-7) * third;
}

static void
add_reads(struct model_rows *rows, const struct known *of, double texture)
{
    struct model_row row = {
        .fragments = 1, .reads = 2, .dependent = 1, .texture = texture, .cycles = 1};
    strcpy(row.sweep, "dependent");
    strcpy(row.format, "RGBA8");
    strcpy(row.pattern, of->name);
    row.seconds = published_seconds(of, texture);
    VEC_PUSH(rows, row);
}

static void
published_lines_come_back(void **state)
{
    static const double sizes[] = {20, 50, 100, 150, 300, 500, 600, 700, 900, 1200};
    static const struct {
        const char *name;
        double value;
    } expected[] = {{"first", 100},    {"second", 600},       {"flat", 1e-3},
                    {"stripes", 1e-8}, {"slope", 6.07e-7},    {"low", 1.30e-7},
                    {"high", 1.18e-6}, {"slope_fx1", 9.49e-8}};
    struct model model = {0};
    struct model_rows rows = {0};
    struct model_dependent found;
    struct error err = {""};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
            add_reads(&rows, &known[k], sizes[s]);
    model_set_factor(&model, "start", 0, 0);
    model_set_factor(&model, "dependent.most", 1200, 0);
    assert_false(model_published_find(&found, &model, &rows.items[0], &err));
    assert_non_null(strstr(err.text, "no published lines"));
    model_fit_published(&model, &rows, NULL);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "published.%s", expected[i].name);
        const double value = model_factor(&model, name);
        if (!(fabs(value / expected[i].value - 1) < 1e-4))
            fail_msg("%s: %g", name, value);
    }
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        struct model_row row = rows.items[k];
        row.texture = 1000;
        assert_true(model_published_find(&found, &model, &row, &err));
        assert_true(fabs(found.seconds / published_seconds(&known[k], 1000) - 1) < 1e-6);
        assert_false(found.extrapolated);
        row.texture = 1201;
        assert_true(model_published_find(&found, &model, &row, &err) && found.extrapolated);
    }
    char *large = put_numbers("large.raw", 257, 1, 0);
    struct model_row row = rows.items[0];
    snprintf(row.pattern, sizeof row.pattern, "%s", large);
    assert_false(model_published_find(&found, &model, &row, &err));
    assert_non_null(strstr(err.text, "at most 256 texels per side, not 257x1"));
    free(large);
    model_fini(&model);
    VEC_FREE(&rows);
}

/* ---- the command ---- */

/* With the file of the pattern `ramp`, the prediction is that of the name. A larger address texture
 * also takes time to be read. */
static void
commands(void **state)
{
    char *model = in_dir("model"), *shapes[3];
    static const char csv[] = AETIUS_SOURCE_DIR "/tests/golden/model-points.csv";
    static const char usual[] = "fragments=1e6\ncycles=4\nreads=2\ndependent=1\ntexture=200\n"
                                "format=RGBA32F\npattern=";
    char *out[4],
        *files[] = {put_numbers("ramp.raw", 32, 32, 0), put_numbers("ramp512.raw", 512, 512, 0)};
    assert_int_equal(RUN("model", "fit", csv, "-o", model), 0);
    shapes[0] = mem_printf("%sramp\n", usual);
    shapes[1] = mem_printf("%s%s\n", usual, files[0]);
    shapes[2] = mem_printf("%s%s\n", usual, files[1]);
    for (size_t i = 0; i < 3; i++) {
        put_text("workload", shapes[i]);
        assert_int_equal(RUN("model", "predict", model, "--workload", "@workload"), 0);
        out[i] = file_text("out");
    }
    assert_string_equal(out[0], out[1]);
    assert_string_not_equal(out[0], out[2]);
    put_text("workload", shapes[0]);
    assert_int_equal(
        RUN("model", "predict", model, "--workload", "@workload", "--dependent", "published"), 0);
    out[3] = file_text("out");
    assert_string_not_equal(out[0], out[3]);
    assert_int_equal(
        RUN("model", "predict", model, "--workload", "@workload", "--dependent", "lines"), 1);
    assert_true(reports("expected caches or published"));
    assert_int_equal(RUN("model", "check", model, csv, "--dependent=published"), 0);
    put_text("bad.raw", "12345");
    char *bad = mem_printf("pattern=%s/bad.raw", dir);
    assert_int_equal(RUN("model", "predict", model, "--workload", "@workload", "--set", bad), 1);
    assert_true(reports("neither a PNG file nor an address texture: 5 bytes"));
    assert_int_equal(RUN("model", "bench", "--patterns", "a/b.png", "-o", "@other"), 2);
    assert_true(reports("files of the current folder"));
    free(bad);
    for (size_t i = 0; i < 4; i++)
        free(out[i]);
    for (size_t i = 0; i < 3; i++)
        free(shapes[i]);
    free(files[0]);
    free(files[1]);
    free(model);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(numbers_are_read, clean),
        cmocka_unit_test(bytes_are_rounded),
        cmocka_unit_test_teardown(pictures_are_read, clean),
        cmocka_unit_test_teardown(plain_names_are_files, clean),
        cmocka_unit_test_teardown(bad_files, clean),
        cmocka_unit_test(chance_is_repeatable),
        cmocka_unit_test_teardown(published_lines_come_back, clean),
        cmocka_unit_test_teardown(commands, clean),
    };
    return endings_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
