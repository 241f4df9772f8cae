/* The writer and the reader of traces: chunk headers with wrong values but correct checksums, and
 * failures of the host. The host either fails to read, or reports a failed write only when the file
 * is closed. The test replaces pread() and close(). */
#include "base/file.h"
#include "base/mem.h"
#include "trace/file.h"
#include "trace/file_format.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

enum { FRAMES = 3, WIDTH = 320, HEIGHT = 240, NEVER = -1 };

/* Number of calls that succeed before all further calls fail. */
static int reads_left = NEVER, closes_left = NEVER;

static bool
is_over(int *left)
{
    if (*left > 0)
        (*left)--;
    return *left == 0;
}

ssize_t
pread(int fd, void *bytes, size_t size, off_t offset)
{
    if (!is_over(&reads_left))
        return syscall(SYS_pread64, fd, bytes, size, offset);
    errno = EIO;
    return -1;
}

int
close(int fd)
{
    const int result = (int)syscall(SYS_close, fd);
    if (!is_over(&closes_left))
        return result;
    errno = EDQUOT;
    return -1;
}

static char *
scratch_file(void)
{
    char *path = mem_strdup("/tmp/aetius-trace-XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    return path;
}

static void
remove_file(char *path)
{
    unlink(path);
    free(path);
}

/* Each frame has a draw and a swap. */
static const uint32_t draw[13] = {8 | 12 << 16};
static const struct message submit = {
    .kind = MESSAGE_SUBMIT, .client = 1, .bytes = (const uint8_t *)draw, .size_bytes = sizeof draw};
static const struct message swap = {
    .kind = MESSAGE_SWAP, .client = 1, .transfer = {5, 0, {0, 0, 0, WIDTH, HEIGHT, 1}}};

static struct trace_writer *
write_frames(const char *path)
{
    struct trace_writer *writer;
    struct error err;
    assert_true(trace_writer_create(&writer, path, "synthetic", &err));
    for (uint32_t i = 0; i < FRAMES; i++)
        assert_true(trace_writer_add(writer, &submit, &err) &&
                    trace_writer_add(writer, &swap, &err));
    return writer;
}

static uint32_t
crc_of(const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(0, bytes, size);
}

/* Returns the header of a chunk with these messages, whose last one ends a frame. Stores the
 * compressed messages in `packed`. */
static struct trace_chunk
chunk_of(const void *messages, size_t raw_bytes, uint8_t *packed, size_t room)
{
    const size_t packed_bytes = ZSTD_compress(packed, room, messages, raw_bytes, 1);
    assert_false(ZSTD_isError(packed_bytes));
    return (struct trace_chunk){.magic = TRACE_CHUNK_MAGIC,
                                .ends_frame = 1,
                                .packed_bytes = (uint32_t)packed_bytes,
                                .raw_bytes = (uint32_t)raw_bytes,
                                .messages = 2,
                                .draws = 1,
                                .client = 1,
                                .width = WIDTH,
                                .height = HEIGHT,
                                .payload_crc = crc_of(packed, packed_bytes)};
}

/* The dwords of the messages of a frame. */
static const uint32_t frame_messages[] = {MESSAGE_SUBMIT,
                                          1,
                                          sizeof draw,
                                          8 | 12 << 16,
                                          0,
                                          0,
                                          0,
                                          0,
                                          0,
                                          0,
                                          0,
                                          0,
                                          0,
                                          0,
                                          0,
                                          0,
                                          MESSAGE_SWAP,
                                          1,
                                          5,
                                          0,
                                          0,
                                          0,
                                          0,
                                          WIDTH,
                                          HEIGHT,
                                          1};
enum { SWAP_AT = 16, FRAME_DWORDS = sizeof frame_messages / 4 };

/* Appends a chunk with correct checksums. */
static void
append_chunk(FILE *file, struct trace_chunk chunk, const uint8_t *packed)
{
    chunk.header_crc = crc_of(&chunk, offsetof(struct trace_chunk, header_crc));
    assert_int_equal(fwrite(&chunk, sizeof chunk, 1, file), 1);
    assert_int_equal(fwrite(packed, 1, chunk.packed_bytes, file), chunk.packed_bytes);
}

/* Creates a trace without frames. The caller appends chunks. */
static FILE *
begin_file(const char *path)
{
    struct trace_writer *writer;
    struct error err;
    assert_true(trace_writer_create(&writer, path, "synthetic", &err));
    assert_true(trace_writer_close(writer, &err));
    assert_int_equal(truncate(path, TRACE_HEADER_BYTES + 9 + sizeof(struct caps_v2)), 0);
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    return file;
}

/* Reads until the end or an error. Returns the number of frames, and in *sound whether all messages
 * agree with the headers. */
static uint32_t
read_frames(const char *path, bool *sound)
{
    struct trace_reader *reader;
    struct message message;
    struct error err = {""};
    bool end = false;
    uint32_t frames = 0;
    if (!trace_reader_open(&reader, path, &err))
        fail_msg("%s", err.text);
    while ((*sound = trace_reader_next(reader, &message, &end, &err)) && !end)
        frames += message_ends_frame(&message);
    if (!*sound && !strstr(err.text, "differ from those in the chunk headers"))
        fail_msg("\"%s\"", err.text);
    if (frames > trace_frame_count(reader))
        fail_msg("%u frames of %u", frames, trace_frame_count(reader));
    trace_reader_close(reader);
    return frames;
}

/* In each case one field of a header has a value that is one too large for its messages. */
static void
heads_are_compared_with_messages(void **state)
{
    static const size_t fields[] = {
        offsetof(struct trace_chunk, messages), offsetof(struct trace_chunk, draws),
        offsetof(struct trace_chunk, client),   offsetof(struct trace_chunk, width),
        offsetof(struct trace_chunk, height),
    };
    const size_t count = sizeof fields / sizeof *fields;
    (void)state;
    for (size_t wrong = 0; wrong <= count; wrong++) {
        char *path = scratch_file();
        FILE *file = begin_file(path);
        uint8_t packed[1024];
        bool sound;
        for (uint32_t i = 0; i < FRAMES; i++) {
            struct trace_chunk chunk =
                chunk_of(frame_messages, sizeof frame_messages, packed, sizeof packed);
            if (i == 1 && wrong < count)
                ++*(uint32_t *)((uint8_t *)&chunk + fields[wrong]);
            append_chunk(file, chunk, packed);
        }
        fclose(file);
        assert_int_equal(read_frames(path, &sound), wrong < count ? 1 : FRAMES);
        assert_int_equal(sound, wrong == count);
        remove_file(path);
    }
}

/* A frame ends exactly where the header states its end. */
static void
frames_end_with_their_chunks(void **state)
{
    static const struct {
        uint32_t swaps, messages, ends_frame;
        uint32_t frames; /* frames that are read */
        bool sound;
    } cases[] = {
        {1, 2, 1, 1, true},  {3, 4, 1, 0, false}, /* more swaps than in the header */
        {3, 2, 1, 0, false},                      /* equal to the header up to the first swap */
        {1, 2, 0, 0, false},                      /* the header lacks the end of the frame */
        {0, 1, 1, 0, false},                      /* the header has a frame end that is missing */
        {0, 1, 0, 0, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = scratch_file();
        FILE *file = begin_file(path);
        uint32_t raw[FRAME_DWORDS * 3], dwords = SWAP_AT;
        uint8_t packed[1024];
        bool sound;
        memcpy(raw, frame_messages, sizeof frame_messages);
        for (uint32_t s = 0; s < cases[i].swaps; s++, dwords += FRAME_DWORDS - SWAP_AT)
            memcpy(raw + dwords, frame_messages + SWAP_AT, (FRAME_DWORDS - SWAP_AT) * 4);
        struct trace_chunk chunk = chunk_of(raw, dwords * sizeof *raw, packed, sizeof packed);
        chunk.messages = cases[i].messages;
        chunk.ends_frame = cases[i].ends_frame;
        append_chunk(file, chunk, packed);
        /* a sound frame follows, because a trace without frames cannot be opened */
        append_chunk(file, chunk_of(frame_messages, sizeof frame_messages, packed, sizeof packed),
                     packed);
        fclose(file);
        assert_int_equal(read_frames(path, &sound), cases[i].frames + cases[i].sound);
        assert_int_equal(sound, cases[i].sound);
        remove_file(path);
    }
}

/* A chunk may contain a PUT of the largest resource, but not more. */
static void
chunks_have_a_limit(void **state)
{
    const uint8_t packed[1] = {0};
    (void)state;
    assert_int_equal(TRACE_RAW_MAX, (1 << 30) + 8 + 4 * message_dwords(MESSAGE_PUT));
    for (uint32_t above = 0; above < 2; above++) {
        char *path = scratch_file();
        FILE *file = begin_file(path);
        struct trace_reader *reader;
        struct error err = {""};
        append_chunk(file,
                     (struct trace_chunk){.magic = TRACE_CHUNK_MAGIC,
                                          .ends_frame = 1,
                                          .packed_bytes = 1,
                                          .raw_bytes = TRACE_RAW_MAX + above,
                                          .payload_crc = crc_of(packed, 1)},
                     packed);
        fclose(file);
        const bool opens = trace_reader_open(&reader, path, &err);
        assert_int_equal(opens, !above);
        if (opens)
            trace_reader_close(reader);
        else
            assert_non_null(strstr(err.text, "it contains 1073741869 bytes"));
        remove_file(path);
    }
}

/* The reader limits the amount of unpacked data by the header. This header states that 600 MiB
 * unpack to 1 GiB. */
static void
what_a_reader_unpacks_has_an_end(void **state)
{
    enum { BLOCK = 1 << 20, BLOCKS = 600 };
    static const uint8_t zeroes[BLOCK];
    struct trace_chunk chunk = {.magic = TRACE_CHUNK_MAGIC,
                                .ends_frame = 1,
                                .packed_bytes = (uint32_t)BLOCK * BLOCKS,
                                .raw_bytes = 1 << 30};
    char *path = scratch_file();
    FILE *file = begin_file(path);
    struct trace_reader *reader;
    struct message message;
    struct error err = {""};
    bool end = false;
    (void)state;
    for (uint32_t i = 0; i < BLOCKS; i++)
        chunk.payload_crc = (uint32_t)crc32_z(chunk.payload_crc, zeroes, BLOCK);
    chunk.header_crc = crc_of(&chunk, offsetof(struct trace_chunk, header_crc));
    assert_int_equal(fwrite(&chunk, sizeof chunk, 1, file), 1);
    const off_t size = ftello(file) + (off_t)chunk.packed_bytes;
    assert_int_equal(fclose(file), 0);
    /* the file is sparse and takes no space on the disk */
    assert_int_equal(truncate(path, size), 0);
    assert_true(trace_reader_open(&reader, path, &err));
    assert_false(trace_reader_next(reader, &message, &end, &err));
    assert_non_null(strstr(err.text, "needs more than 1536 MiB"));
    trace_reader_close(reader);
    remove_file(path);
}

/* Reads the file into memory, which the caller frees. */
static uint8_t *
bytes_of(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    uint8_t *bytes = mem_alloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, file);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

static void
write_bytes(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Header of a command, and its fields. */
#define COMMAND(number, ...)                                                                       \
    (const uint32_t[])                                                                             \
    {                                                                                              \
        (number) | (uint32_t)(sizeof((uint32_t[]){__VA_ARGS__}) / 4) << 16, __VA_ARGS__            \
    }
#define SUBMIT_OF(number, ...)                                                                     \
    {                                                                                              \
        .kind = MESSAGE_SUBMIT, .client = 1,                                                       \
        .bytes = (const uint8_t *)COMMAND(number, __VA_ARGS__),                                    \
        .size_bytes = sizeof((uint32_t[]){0, __VA_ARGS__})                                         \
    }

/* A trace lists the features of its messages, once each. */
static void
features_are_listed(void **state)
{
    enum { STREAMS = 25, UNIFORMS = 27 }; /* commands of virgl */
    const struct {
        struct message message;
        const char *feature; /* NULL: none */
    } cases[] = {
        {{.kind = MESSAGE_STATE, .client = 1}, "initial-state"},
        {{.kind = MESSAGE_RESOURCE_CREATE, .resource = {.target = TARGET_2D}}, NULL},
        {{.kind = MESSAGE_RESOURCE_CREATE, .resource = {.target = TARGET_1D_ARRAY}},
         "texture-arrays"},
        {{.kind = MESSAGE_RESOURCE_CREATE, .resource = {.target = TARGET_2D_ARRAY}},
         "texture-arrays"},
        {SUBMIT_OF(STREAMS, 0), NULL},
        {SUBMIT_OF(STREAMS, 0, 0, 7), "stream-output"},
        {SUBMIT_OF(UNIFORMS, 1, 0, 0, 64, 3), NULL}, /* constant buffer 0 */
        {SUBMIT_OF(UNIFORMS, 1, 2, 0, 64, 0), NULL}, /* no resource */
        {SUBMIT_OF(UNIFORMS, 1, 2, 0, 64, 3), "uniform-blocks"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *path = scratch_file();
        struct trace_writer *writer = write_frames(path);
        struct trace_reader *reader;
        struct error err = {""};
        size_t size, found = 0;
        for (uint32_t n = 0; n < 2; n++)
            assert_true(trace_writer_add(writer, &cases[i].message, &err) &&
                        trace_writer_add(writer, &swap, &err));
        assert_true(trace_writer_close(writer, &err));
        uint8_t *bytes = bytes_of(path, &size);
        for (const uint8_t *at = bytes; (at = memmem(at, size - (size_t)(at - bytes), "FEAT", 4));
             at++, found++)
            assert_memory_equal(at + 12, cases[i].feature, strlen(cases[i].feature));
        assert_int_equal(found, cases[i].feature != NULL);
        free(bytes);
        assert_true(trace_reader_open(&reader, path, &err));
        assert_string_equal(trace_damage(reader), "");
        for (uint32_t n = 0; n < 2 * FRAMES + 4; n++) {
            struct message message;
            bool end;
            assert_true(trace_reader_next(reader, &message, &end, &err) && !end);
        }
        trace_reader_close(reader);
        remove_file(path);
    }
}

static void
an_unknown_feature_is_refused(void **state)
{
    static const struct message begins = {.kind = MESSAGE_STATE, .client = 1};
    char *path = scratch_file();
    struct trace_writer *writer = write_frames(path);
    struct trace_reader *reader;
    struct error err = {""};
    size_t size;
    (void)state;
    assert_true(trace_writer_add(writer, &begins, &err) && trace_writer_add(writer, &swap, &err));
    assert_true(trace_writer_close(writer, &err));
    uint8_t *bytes = bytes_of(path, &size), *at = memmem(bytes, size, "FEAT", 4);
    assert_non_null(at);
    memcpy(at + 12, "initial-magic", 13);
    /* with a wrong checksum it is damage; the frames before it remain */
    write_bytes(path, bytes, size);
    assert_true(trace_reader_open(&reader, path, &err));
    assert_int_equal(trace_frame_count(reader), FRAMES);
    assert_string_not_equal(trace_damage(reader), "");
    trace_reader_close(reader);
    const uint32_t crc = (uint32_t)crc32_z(crc_of(at, 8), at + 12, 13);
    memcpy(at + 8, &crc, 4);
    write_bytes(path, bytes, size);
    assert_false(trace_reader_open(&reader, path, &err));
    assert_non_null(
        strstr(err.text, "uses the feature \"initial-magic\", which this aetius does not know"));
    free(bytes);
    remove_file(path);
}

static const struct message level = {.kind = MESSAGE_CONTENTS,
                                     .client = 1,
                                     .contents = {.handle = 6,
                                                  .level = 0,
                                                  .cleared = {2, 1},
                                                  .shown = {1, 1, 9},
                                                  .width = 8,
                                                  .height = 16,
                                                  .slices = 3},
                                     .bytes = (const uint8_t *)"abcdefg",
                                     .size_bytes = 7};

static void
assert_level(struct trace_reader *reader)
{
    struct message message;
    struct error err;
    bool end;
    assert_true(trace_reader_next(reader, &message, &end, &err) && !end);
    assert_int_equal(message.kind, MESSAGE_CONTENTS);
    assert_memory_equal(&message.contents, &level.contents, sizeof level.contents);
    assert_int_equal(message.size_bytes, level.size_bytes);
    assert_memory_equal(message.bytes, level.bytes, level.size_bytes);
    assert_true(trace_reader_next(reader, &message, &end, &err) && !end);
    assert_int_equal(message.kind, MESSAGE_SWAP);
    trace_reader_close(reader);
}

/* CONTENTS in version 3, and in version 2, where one number holds the fields of `shown`. */
static void
contents_of_both_versions(void **state)
{
    const uint32_t second[] = {
        MESSAGE_CONTENTS, 1, 6, 0, 2, 1, 3 | 9 << 2, 8,     16,     3, 7, 0x64636261, 0x00676665,
        MESSAGE_SWAP,     1, 5, 0, 0, 0, 0,          WIDTH, HEIGHT, 1};
    char *path = scratch_file();
    struct trace_writer *writer;
    struct trace_reader *reader;
    struct error err = {""};
    uint8_t packed[512];
    size_t size;
    (void)state;
    assert_true(trace_writer_create(&writer, path, "synthetic", &err));
    assert_true(trace_writer_add(writer, &level, &err) && trace_writer_add(writer, &swap, &err));
    assert_true(trace_writer_close(writer, &err));
    assert_true(trace_reader_open(&reader, path, &err));
    assert_level(reader);

    uint8_t *bytes = bytes_of(path, &size), *at = memmem(bytes, size, "CHNK", 4);
    assert_non_null(at);
    bytes[8] = 2;
    uint32_t crc = crc_of(bytes, TRACE_HEADER_CRC_AT);
    crc = (uint32_t)crc32_z(crc, bytes + TRACE_HEADER_BYTES,
                            (size_t)(at - bytes) - TRACE_HEADER_BYTES);
    memcpy(bytes + TRACE_HEADER_CRC_AT, &crc, 4);
    struct trace_chunk chunk = chunk_of(second, sizeof second, packed, sizeof packed);
    chunk.draws = 0;
    chunk.header_crc = crc_of(&chunk, offsetof(struct trace_chunk, header_crc));
    memcpy(at, &chunk, sizeof chunk);
    memcpy(at + sizeof chunk, packed, chunk.packed_bytes);
    write_bytes(path, bytes, (size_t)(at - bytes) + sizeof chunk + chunk.packed_bytes);
    assert_true(trace_reader_open(&reader, path, &err));
    assert_level(reader);
    free(bytes);
    remove_file(path);
}

/* The writer refuses a message that no reader would accept, and does not access its bytes. */
static void
messages_have_a_limit(void **state)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *nothing = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static const enum message_kind kinds[] = {MESSAGE_PUT, MESSAGE_SUBMIT, MESSAGE_CONTENTS};
    (void)state;
    assert_ptr_not_equal(nothing, MAP_FAILED);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *path = scratch_file();
        struct trace_writer *writer = write_frames(path);
        struct error err = {""};
        bool sound;
        const uint32_t head = 8 + 4 * message_dwords(kinds[i]);
        const struct message message = {.kind = kinds[i],
                                        .client = 1,
                                        .bytes = nothing,
                                        .size_bytes = TRACE_RAW_MAX - head + 1};
        assert_false(trace_writer_add(writer, &message, &err));
        assert_non_null(strstr(err.text, "exceeds the 1073741868 bytes of a chunk"));
        /* further messages are refused, because the trace would lack the previous one */
        assert_false(trace_writer_add(writer, &swap, &err));
        assert_false(trace_writer_close(writer, &err));
        assert_int_equal(read_frames(path, &sound), FRAMES);
        assert_true(sound);
        remove_file(path);
    }
    munmap(nothing, page);
}

/* If the disk cannot be read, opening fails. The reader does not assume a shorter trace. */
static void
a_disk_that_cannot_be_read(void **state)
{
    char *path = scratch_file();
    struct trace_reader *reader;
    struct message message;
    struct error err = {""};
    int calls = 0;
    bool end = false, fails = true;
    (void)state;
    assert_true(trace_writer_close(write_frames(path), &err));
    for (; fails; calls++) { /* the n-th read of opening fails */
        reads_left = calls + 1;
        fails = !trace_reader_open(&reader, path, &err);
        reads_left = NEVER;
        if (fails && !strstr(err.text, "cannot read /tmp/aetius-trace-"))
            fail_msg("%d: \"%s\"", calls, err.text);
        if (fails)
            assert_non_null(strstr(err.text, strerror(EIO)));
    }
    assert_true(calls > 2 * FRAMES);
    assert_string_equal(trace_damage(reader), "");
    reads_left = 2; /* the header of a chunk can be read, its content cannot */
    assert_false(trace_reader_next(reader, &message, &end, &err));
    assert_non_null(strstr(err.text, strerror(EIO)));
    reads_left = NEVER;
    trace_reader_close(reader);
    remove_file(path);
}

/* If the disk is full, close() is the first call that reports it. */
static void
a_disk_that_is_full_at_the_end(void **state)
{
    char *path = scratch_file();
    struct error err = {""};
    (void)state;
    struct trace_writer *writer = write_frames(path);
    closes_left = 1;
    const bool closes = trace_writer_close(writer, &err);
    closes_left = NEVER;
    assert_false(closes);
    assert_non_null(strstr(err.text, strerror(EDQUOT)));
    remove_file(path);
}

static bool
is_trace_of(const char *path, uint32_t frames)
{
    struct trace_reader *reader;
    if (!trace_reader_open(&reader, path, NULL))
        return false;
    const bool is = trace_frame_count(reader) == frames;
    trace_reader_close(reader);
    return is;
}

/* A new trace replaces an existing one when it has a frame. An extracted part replaces it only when
 * the part is complete. */
static void
an_older_trace_stays(void **state)
{
    char *path = scratch_file(), *whole = scratch_file();
    struct trace_writer *writer;
    struct trace_reader *reader;
    struct error err;
    (void)state;
    assert_true(trace_writer_close(write_frames(path), &err));
    assert_true(trace_writer_create(&writer, path, "synthetic", &err));
    assert_true(is_trace_of(path, FRAMES));
    assert_true(trace_writer_add(writer, &submit, &err));
    assert_true(is_trace_of(path, FRAMES));
    trace_writer_discard(writer);
    assert_true(is_trace_of(path, FRAMES));
    assert_true(trace_writer_create(&writer, path, "synthetic", &err));
    assert_true(trace_writer_add(writer, &swap, &err));
    assert_true(is_trace_of(path, 1)); /* the state that a killed process would leave */
    trace_writer_discard(writer);
    assert_true(is_trace_of(path, 1));

    assert_true(trace_writer_close(write_frames(whole), &err));
    assert_true(trace_reader_open(&reader, whole, &err));
    for (int ok = 0; ok < 2; ok++) {
        assert_true(trace_writer_create_part(&writer, path, reader, 0, &err));
        assert_true(trace_writer_add(writer, &swap, &err) && trace_writer_add(writer, &swap, &err));
        assert_true(is_trace_of(path, 1));
        if (ok)
            assert_true(trace_writer_close(writer, &err));
        else
            trace_writer_discard(writer);
        assert_true(is_trace_of(path, ok ? 2 : 1));
    }
    trace_reader_close(reader);
    remove_file(path);
    remove_file(whole);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_are_compared_with_messages),
        cmocka_unit_test(frames_end_with_their_chunks),
        cmocka_unit_test(chunks_have_a_limit),
        cmocka_unit_test(what_a_reader_unpacks_has_an_end),
        cmocka_unit_test(messages_have_a_limit),
        cmocka_unit_test(features_are_listed),
        cmocka_unit_test(an_unknown_feature_is_refused),
        cmocka_unit_test(contents_of_both_versions),
        cmocka_unit_test(an_older_trace_stays),
        cmocka_unit_test(a_disk_that_cannot_be_read),
        cmocka_unit_test(a_disk_that_is_full_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
