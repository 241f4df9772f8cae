/* Block files: they are read as written, and equal blocks are stored once with their counts.
 * Truncated or damaged data is reported, and the data before it is read. */
#include "base/mem.h"
#include "codec/blocks_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Replaces the host's close(): fails, as on network file systems or with quotas, when the test sets
 * fails_to_close. */
static bool fails_to_close;

int
close(int fd)
{
    const int result = (int)syscall(SYS_close, fd);
    errno = fails_to_close ? EDQUOT : errno;
    return fails_to_close ? -1 : result;
}

static int memory_file;
static char *path;

static int
set_up(void **state)
{
    (void)state;
    memory_file = memfd_create("blocks", MFD_CLOEXEC);
    path = mem_printf("/proc/self/fd/%d", memory_file);
    return memory_file < 0;
}

static int
tear_down(void **state)
{
    (void)state;
    free(path);
    return close(memory_file);
}

static void
fill_block(uint32_t block[CODEC_WORDS], uint32_t seed)
{
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        block[i] = seed * 64 + i;
}

static struct blocks_writer *
create(enum codec_kind kind)
{
    struct blocks_writer *writer;
    struct error err;
    if (!blocks_writer_create(&writer, path, kind, &err))
        fail_msg("%s", err.text);
    return writer;
}

static struct blocks_reader *
open_reader(void)
{
    struct blocks_reader *reader;
    struct error err;
    if (!blocks_reader_open(&reader, path, &err))
        fail_msg("%s", err.text);
    return reader;
}

static const struct block_tag written = {0, 64, 4, BLOCK_WRITE}, read_back = {1, 64, 4, 0};

/* Writes `count` different blocks, each written once and read twice, in that order. */
static void
write_blocks(uint32_t count)
{
    struct blocks_writer *writer = create(CODEC_DEPTH);
    for (uint32_t i = 0; i < 3 * count; i++) {
        uint32_t block[CODEC_WORDS];
        fill_block(block, i % count);
        assert_true(blocks_writer_add(writer, block, i < count ? &written : &read_back, NULL));
    }
    assert_true(blocks_writer_close(writer, NULL));
}

static void
test_equal_blocks_once(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    struct blocks_segment segment;
    bool end;
    write_blocks(COUNT);
    struct blocks_reader *reader = open_reader();
    assert_int_equal(blocks_reader_kind(reader), CODEC_DEPTH);
    assert_true(blocks_reader_next(reader, &segment, &end, NULL) && !end);
    assert_int_equal(segment.block_count, COUNT);
    assert_int_equal(segment.count_count, 2 * COUNT);
    for (uint32_t i = 0; i < 2 * COUNT; i++) {
        const struct block_count *count = &segment.counts[i];
        uint32_t block[CODEC_WORDS];
        fill_block(block, i % COUNT);
        assert_memory_equal(segment.blocks[count->block], block, sizeof block);
        assert_memory_equal(&count->tag, i < COUNT ? &written : &read_back, sizeof count->tag);
        assert_int_equal(count->count, i < COUNT ? 1 : 2);
    }
    assert_true(blocks_reader_next(reader, &segment, &end, NULL) && end);
    blocks_reader_close(reader);
}

/* Blocks beyond the limit of a segment start another one. */
static void
test_segments(void **state)
{
    (void)state;
    const uint32_t count = BLOCKS_SEGMENT_BLOCKS + 5;
    struct blocks_segment segment;
    bool end;
    write_blocks(count);
    struct blocks_reader *reader = open_reader();
    uint64_t transfers = 0;
    uint32_t segments = 0;
    for (; blocks_reader_next(reader, &segment, &end, NULL) && !end; segments++)
        for (uint32_t i = 0; i < segment.count_count; i++)
            transfers += segment.counts[i].count;
    assert_true(end);
    assert_true(segments > 1);
    assert_int_equal(transfers, 3 * (uint64_t)count);
    blocks_reader_close(reader);
}

static void
test_empty(void **state)
{
    (void)state;
    struct blocks_segment segment;
    bool end;
    assert_true(blocks_writer_close(create(CODEC_COLOR), NULL));
    struct blocks_reader *reader = open_reader();
    assert_int_equal(blocks_reader_kind(reader), CODEC_COLOR);
    assert_true(blocks_reader_next(reader, &segment, &end, NULL) && end);
    blocks_reader_close(reader);
}

/* Reads all data. Returns false with a message if the file is incomplete. */
static bool
read_all(uint64_t *transfers, struct error *err)
{
    struct blocks_reader *reader;
    struct blocks_segment segment;
    bool end = false, ok;
    *transfers = 0;
    if (!blocks_reader_open(&reader, path, err))
        return false;
    while ((ok = blocks_reader_next(reader, &segment, &end, err)) && !end)
        for (uint32_t i = 0; i < segment.count_count; i++)
            *transfers += segment.counts[i].count;
    blocks_reader_close(reader);
    return ok;
}

static void
replace(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static size_t
load(uint8_t *bytes, size_t limit)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, limit, file);
    fclose(file);
    return size;
}

static void
test_cut_off(void **state)
{
    (void)state;
    static uint8_t bytes[1 << 16];
    uint64_t transfers;
    struct error err;
    write_blocks(10);
    size_t size = load(bytes, sizeof bytes);
    assert_true(read_all(&transfers, &err));
    for (size_t kept = 0; kept < size; kept++) {
        replace(bytes, kept);
        assert_false(read_all(&transfers, &err));
        if (kept >= 20) /* after the header */
            assert_non_null(strstr(err.text, "is truncated"));
        /* The whole segment can be read if only the end record is missing. */
        assert_int_equal(transfers, kept + 32 >= size ? 30 : 0);
    }
}

static void
test_damage(void **state)
{
    (void)state;
    static uint8_t bytes[1 << 16];
    uint64_t transfers;
    struct error err;
    write_blocks(10);
    size_t size = load(bytes, sizeof bytes);
    for (size_t i = 0; i < 8 * size; i++) {
        bytes[i / 8] ^= (uint8_t)(1 << i % 8);
        replace(bytes, size);
        assert_false(read_all(&transfers, &err));
        bytes[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    bytes[size] = 0;
    replace(bytes, size + 1);
    assert_false(read_all(&transfers, &err));
}

/* Only close() reports that the disk is full. */
static void
a_failed_close_is_an_error(void **state)
{
    struct blocks_writer *writer = create(CODEC_COLOR);
    struct error err = {""};
    (void)state;
    fails_to_close = true;
    const bool closes = blocks_writer_close(writer, &err);
    fails_to_close = false;
    assert_false(closes);
    assert_non_null(strstr(err.text, strerror(EDQUOT)));
}

/* If nothing can be read, the file type is unknown. */
static void
what_cannot_be_read_is_named_so(void **state)
{
    struct blocks_reader *reader;
    struct error err = {""};
    (void)state;
    assert_false(blocks_reader_open(&reader, "/proc/self/mem", &err)); /* page 0 does not exist */
    assert_non_null(strstr(err.text, "cannot read /proc/self/mem"));
    assert_non_null(strstr(err.text, strerror(EIO)));
}

static void
a_full_disk_is_reported(void **state)
{
    struct blocks_writer *writer;
    struct error err = {""};
    (void)state;
    assert_false(blocks_writer_create(&writer, "/dev/full", CODEC_DEPTH, &err));
    assert_non_null(strstr(err.text, strerror(ENOSPC)));
    assert_false(blocks_writer_create(&writer, "/dev/full", CODEC_DEPTH, NULL));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_blocks_once),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(a_failed_close_is_an_error),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(what_cannot_be_read_is_named_so),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
