/* Damaged trace files: bit flips, cuts and insertions, thousands of them by seed. A reader never
 * crashes or hangs; it hands out whole frames from the start of what was written, unchanged, or
 * says that there is none. */
#include "base/file.h"
#include "base/mem.h"
#include "trace/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { FRAMES = 5, PER_FRAME = 4, PUT_BYTES = 300, SEEDS = 3000 };

static uint32_t
next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 33);
}

/* The n-th message of the synthetic trace: of each frame create, put, submit, swap. */
static struct message
nth_message(uint32_t n, uint8_t bytes[PUT_BYTES])
{
    uint32_t frame = n / PER_FRAME;
    struct message m = {.client = 1};
    for (uint32_t i = 0; i < PUT_BYTES; i++)
        bytes[i] = (uint8_t)(i * 7 + frame * 31 + n);
    switch (n % PER_FRAME) {
    case 0:
        m.kind = MESSAGE_RESOURCE_CREATE;
        m.resource = (struct resource_desc){.handle = n + 1, .target = TARGET_2D, .width = frame};
        break;
    case 1:
        m.kind = MESSAGE_PUT;
        m.transfer.handle = n;
        m.transfer.box = (struct box){0, 0, 0, PUT_BYTES, 1, 1};
        m.bytes = bytes;
        m.size_bytes = PUT_BYTES - frame; /* also sizes that are no whole dwords */
        break;
    case 2:
        m.kind = MESSAGE_SUBMIT;
        m.bytes = bytes;
        m.size_bytes = 64;
        break;
    default:
        m.kind = MESSAGE_SWAP;
        m.transfer.handle = n;
        m.transfer.box = (struct box){0, 0, 0, 320, 240, 1};
        break;
    }
    return m;
}

static void
write_trace(const char *path)
{
    struct trace_writer *writer;
    uint8_t bytes[PUT_BYTES];
    struct error err;
    assert_true(trace_writer_create(&writer, path, "synthetic", &err));
    for (uint32_t n = 0; n < FRAMES * PER_FRAME; n++) {
        struct message m = nth_message(n, bytes);
        assert_true(trace_writer_add(writer, &m, &err));
    }
    assert_int_equal(trace_writer_frames(writer), FRAMES);
    assert_true(trace_writer_close(writer, &err));
}

static void
check_message(const struct message *got, uint32_t n)
{
    uint8_t bytes[PUT_BYTES];
    struct message m = nth_message(n, bytes);
    assert_int_equal(got->kind, m.kind);
    assert_int_equal(got->client, m.client);
    assert_int_equal(got->size_bytes, m.size_bytes);
    if (m.kind == MESSAGE_RESOURCE_CREATE)
        assert_memory_equal(&got->resource, &m.resource, sizeof m.resource);
    else if (m.kind != MESSAGE_SUBMIT)
        assert_memory_equal(&got->transfer, &m.transfer, sizeof m.transfer);
    if (m.size_bytes)
        assert_memory_equal(got->bytes, m.bytes, m.size_bytes);
}

/* Reads what is there; returns the frames, or -1 when the file was refused. */
static int
read_trace(const char *path, bool *sound)
{
    struct trace_reader *reader;
    struct error warning, err = {""};
    struct message m;
    bool end = false;
    uint32_t n = 0;
    *sound = false;
    if (!trace_reader_open(&reader, path, &warning, &err)) {
        assert_true(err.text[0]);
        return -1;
    }
    *sound = !warning.text[0];
    uint32_t frames = trace_frame_count(reader);
    assert_in_range(frames, 0, FRAMES);
    for (;; n++) {
        assert_true(trace_reader_next(reader, &m, &end, &err));
        if (end)
            break;
        check_message(&m, n);
    }
    assert_int_equal(n, frames * PER_FRAME);
    trace_reader_close(reader);
    return (int)frames;
}

static void
damage(uint8_t *bytes, size_t *size, uint64_t *state)
{
    uint32_t kind = next_random(state) % 4, where = next_random(state) % (uint32_t)*size;
    switch (kind) {
    case 0:
    case 1: /* flip one to eight bits */
        for (uint32_t i = next_random(state) % 8 + 1; i; i--)
            bytes[next_random(state) % *size] ^= (uint8_t)(1u << next_random(state) % 8);
        break;
    case 2: *size = where; break;
    default: /* insert one to sixteen bytes */
        for (uint32_t i = next_random(state) % 16 + 1; i; i--, ++*size) {
            memmove(bytes + where + 1, bytes + where, *size - where);
            bytes[where] = (uint8_t)next_random(state);
        }
    }
}

static void
overwrite(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static char *
scratch_file(void)
{
    char *path = mem_strdup("/tmp/aetius-damage-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    return path;
}

static void
test_sound(void **state)
{
    char *path = scratch_file();
    bool sound;
    write_trace(path);
    assert_int_equal(read_trace(path, &sound), FRAMES);
    assert_true(sound);
    unlink(path);
    free(path);
}

static void
test_random_damage(void **state)
{
    char *path = scratch_file(), *whole;
    size_t whole_size;
    struct error err;
    write_trace(path);
    assert_true(file_read(path, &whole, &whole_size, &err));
    uint8_t *bytes = mem_alloc(whole_size + 64);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t random = seed;
        size_t size = whole_size;
        bool sound;
        memcpy(bytes, whole, whole_size);
        damage(bytes, &size, &random);
        overwrite(path, bytes, size);
        bool same = size == whole_size && !memcmp(bytes, whole, size);
        int frames = read_trace(path, &sound);
        assert_true(sound == same);
        assert_true(!same || frames == FRAMES);
    }
    free(bytes);
    free(whole);
    unlink(path);
    free(path);
}

/* Cut at every length: as many frames as were whole, never fewer than at a shorter cut. */
static void
test_every_cut(void **state)
{
    char *path = scratch_file(), *whole;
    size_t whole_size;
    struct error err;
    int before = -1;
    write_trace(path);
    assert_true(file_read(path, &whole, &whole_size, &err));
    for (size_t size = 0; size < whole_size; size++) {
        bool sound;
        overwrite(path, (uint8_t *)whole, size);
        int frames = read_trace(path, &sound);
        assert_false(sound);
        assert_true(frames >= before);
        before = frames;
    }
    assert_int_equal(before, FRAMES);
    free(whole);
    unlink(path);
    free(path);
}

static void
test_full_disk(void **state)
{
    struct trace_writer *writer;
    struct error err = {""};
    if (!file_exists("/dev/full"))
        skip();
    assert_false(trace_writer_create(&writer, "/dev/full", "synthetic", &err));
    assert_non_null(strstr(err.text, "No space left"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),
        cmocka_unit_test(test_random_damage),
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests_name("trace damage", tests, NULL, NULL);
}
