/* Damaged trace files: thousands of bit flips, truncations and insertions, each determined by a
 * seed. The reader never crashes or hangs. It returns unchanged whole frames from the start of the
 * trace, or reports that there are none. */
#include "base/file.h"
#include "base/mem.h"
#include "trace/file_format.h"
#include "trace/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

enum { FRAMES = 5, PER_FRAME = 4, PUT_BYTES = 300, SEEDS = 3000 };

static uint32_t
next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 33);
}

/* Returns the n-th message of the synthetic trace. Each frame has create, put, submit and swap. */
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
        m.size_bytes = PUT_BYTES - frame; /* includes sizes that are not multiples of a dword */
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

/* Reads a trace. Returns the number of frames, or -1 if the file was refused. */
static int
read_trace(const char *path, bool *sound)
{
    struct trace_reader *reader;
    struct error err = {""};
    struct message m;
    bool end = false;
    uint32_t n = 0;
    *sound = false;
    if (!trace_reader_open(&reader, path, &err)) {
        assert_true(err.text[0]);
        return -1;
    }
    *sound = !*trace_damage(reader);
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
    assert_true(file_read(path, SIZE_MAX, &whole, &whole_size, &err));
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

/* The file is truncated at every length. The reader returns exactly the complete frames, and never
 * fewer than for a shorter file. */
static void
test_every_cut(void **state)
{
    char *path = scratch_file(), *whole;
    size_t whole_size;
    struct error err;
    int before = -1;
    write_trace(path);
    assert_true(file_read(path, SIZE_MAX, &whole, &whole_size, &err));
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

/* Writes a trace without messages, with this version and the first `bytes` of the capabilities. */
static void
write_header(const char *path, uint32_t version, const struct caps_v2 *caps, uint32_t bytes)
{
    static uint8_t file[8192];
    const uint32_t fields[4] = {version, 0, 0, bytes};
    memset(file, 0, sizeof file);
    memcpy(file, TRACE_MAGIC, 8);
    memcpy(file + 8, fields, sizeof fields);
    memcpy(file + TRACE_HEADER_BYTES, caps, bytes < sizeof *caps ? bytes : sizeof *caps);
    uint32_t crc = (uint32_t)crc32_z(0, file, TRACE_HEADER_CRC_AT);
    crc = (uint32_t)crc32_z(crc, file + TRACE_HEADER_BYTES, bytes);
    memcpy(file + TRACE_HEADER_CRC_AT, &crc, 4);
    overwrite(path, file, TRACE_HEADER_BYTES + bytes);
}

/* Overwrites the file with zeros. */
static void
memset_file(const char *path, uint64_t size)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    for (uint64_t i = 0; i < size; i++)
        putc(0, file);
    assert_int_equal(fclose(file), 0);
}

/* The capabilities come from the trace, whatever this version offers. Only a GLSL level without
 * integers is refused. */
static void
test_offer(void **state)
{
    char *path = scratch_file();
    struct trace_reader *reader;
    struct caps_v2 caps, other;
    struct error err;
    bool sound;
    caps_fill(&caps, GL_OFFER_DEFAULT);
    write_trace(path);
    assert_true(trace_reader_open(&reader, path, &err));
    assert_memory_equal(trace_caps(reader), &caps, sizeof caps);
    trace_reader_close(reader);

    other = caps;
    other.v1.max_render_targets = 1;
    write_header(path, TRACE_VERSION, &other, sizeof other);
    assert_false(trace_reader_open(&reader, path, &err));
    assert_non_null(strstr(err.text, "no complete frame")); /* the header was accepted */
    write_header(path, TRACE_VERSION, &other, sizeof other + 40);
    assert_false(trace_reader_open(&reader, path, &err));
    assert_non_null(strstr(err.text, "no complete frame"));
    write_header(path, TRACE_VERSION, &other, offsetof(struct caps_v2, max_texture_lod_bias));
    assert_false(trace_reader_open(&reader, path, &err));
    assert_non_null(strstr(err.text, "no complete frame"));

    other.v1.glsl_level = 120;
    write_header(path, TRACE_VERSION, &other, sizeof other);
    assert_false(trace_reader_open(&reader, path, &err));
    assert_non_null(strstr(err.text, "GLSL level 120"));
    write_header(path, 1, &caps, sizeof caps); /* version 1 has no GLSL level */
    assert_false(trace_reader_open(&reader, path, &err));
    assert_non_null(strstr(err.text, "GLSL level 120"));
    write_header(path, TRACE_VERSION + 1, &caps, sizeof caps);
    assert_int_equal(read_trace(path, &sound), -1);
    unlink(path);
    free(path);
}

/* The file is truncated or overwritten while it is read. This gives an error, not a crash. */
static void
test_a_file_that_changes(void **state)
{
    char *path = scratch_file();
    for (uint32_t way = 0; way < 2; way++) {
        struct trace_reader *reader;
        struct message message;
        struct error err = {""};
        bool end = false;
        write_trace(path);
        assert_true(trace_reader_open(&reader, path, &err));
        const uint64_t size = trace_bytes(reader);
        if (way == 0)
            assert_int_equal(truncate(path, TRACE_HEADER_BYTES), 0);
        else
            memset_file(path, size);
        while (trace_reader_next(reader, &message, &end, &err))
            assert_false(end);
        assert_non_null(strstr(err.text, way == 0 ? "the file ends" : "has changed"));
        trace_reader_close(reader);
    }
    unlink(path);
    free(path);
}

/* The list of fields covers each byte of the capabilities exactly once. A change to a field changes
 * only the text of that field. */
static void
test_capability_fields(void **state)
{
    struct caps_v2 caps, changed;
    size_t at = 0;
    caps_fill(&caps, GL_OFFER_DEFAULT);
    for (size_t i = 0; i < caps_field_count; i++) {
        const struct caps_field *field = &caps_fields[i];
        char before[32], after[32];
        assert_int_equal(field->offset, at);
        at += field->size_bytes;
        changed = caps;
        ((uint8_t *)&changed)[field->offset] ^= 1;
        assert_true(caps_digest(&changed) != caps_digest(&caps));
        for (size_t k = 0; k < caps_field_count; k++)
            assert_true(caps_field_differs(&caps_fields[k], &caps, &changed) == (k == i));
        caps_field_text(field, &caps, before, sizeof before);
        caps_field_text(field, &changed, after, sizeof after);
        /* the text of a real has six digits, so small changes do not appear */
        assert_true(field->kind == CAPS_REAL || strcmp(before, after));
    }
    assert_int_equal(at, sizeof caps);
}

/* If a trace is followed by zeros, all its frames can still be read, and the damage message says
 * what is wrong. */
static void
test_bytes_after_the_end(void **state)
{
    static const size_t counts[] = {1, 4, 5000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char *path = scratch_file(), zeros[5000] = {0};
        struct trace_reader *reader;
        struct error err;
        bool sound;
        write_trace(path);
        FILE *f = fopen(path, "ab");
        assert_int_equal(fwrite(zeros, 1, counts[i], f), counts[i]);
        assert_int_equal(fclose(f), 0);
        assert_int_equal(read_trace(path, &sound), FRAMES);
        assert_false(sound);
        assert_true(trace_reader_open(&reader, path, &err));
        assert_non_null(strstr(trace_damage(reader), "or bytes follow it"));
        trace_reader_close(reader);
        unlink(path);
        free(path);
    }
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
        cmocka_unit_test(test_sound),     cmocka_unit_test(test_random_damage),
        cmocka_unit_test(test_every_cut), cmocka_unit_test(test_a_file_that_changes),
        cmocka_unit_test(test_offer),     cmocka_unit_test(test_capability_fields),
        cmocka_unit_test(test_full_disk), cmocka_unit_test(test_bytes_after_the_end),
    };
    return cmocka_run_group_tests_name("trace damage", tests, NULL, NULL);
}
