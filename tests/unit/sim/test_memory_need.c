/* Memory that grows on demand: when it may grow, which addresses stay the same, and which
 * sufficient size the error messages report. */
#include "rigs/rig.h"
#include "rigs/scene.h"
#include "rigs/settings.h"
#include "sim/memory_need.h"

#include <string.h>
#include <unistd.h>

enum { MB = 1 << 20, SIDE = 512, TEXTURES = 6, FIRST_TEXTURE = 50 }; /* one megabyte each */

/* Memory may not grow if the user sets its size. It may grow if a preset sets the size. The file of
 * a run restores the setting. */
static void
test_who_lets_it_grow(void **state)
{
    struct params params, again;
    struct error err;
    char path[] = "/tmp/aetius-grow-XXXXXX";
    assert_true(params_load_preset(&params, "reference-2008", &err));
    assert_true(params.MEMORYCONTROLLER.MemoryGrows);
    char *ini = params_to_ini(&params, NULL);
    const int file = mkstemp(path);
    assert_int_equal(write(file, ini, strlen(ini)), strlen(ini));
    close(file);
    assert_true(params_load_preset(&again, "reference-2005", &err));
    assert_true(params_load_file(&again, path, &err));
    assert_true(again.MEMORYCONTROLLER.MemoryGrows);
    unlink(path);
    free(ini);
    assert_true(params_set(&again, "MEMORYCONTROLLER.MemorySize=201326592", &err));
    assert_false(again.MEMORYCONTROLLER.MemoryGrows);
    assert_true(params_set(&again, "MEMORYCONTROLLER.MemoryGrows=TRUE", &err));
    assert_true(again.MEMORYCONTROLLER.MemoryGrows);
}

/* Addresses are the same as in a memory that is large from the start. */
static void
test_addresses_stay(void **state)
{
    static const uint32_t sizes[] = {3 * MB, 100, 9 * MB, 5 * MB, 256, 40 * MB, 2 * MB, 70000};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    struct gpu_memory small, large;
    struct error err;
    uint32_t of_small[COUNT], of_large[COUNT];
    assert_true(gpu_memory_init(&small, 4 * MB, &err) && gpu_memory_let_grow(&small, &err));
    assert_true(gpu_memory_init(&large, 512 * MB, &err));
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(gpu_memory_alloc(&small, sizes[i], &of_small[i], &err));
        assert_true(gpu_memory_alloc(&large, sizes[i], &of_large[i], &err));
        assert_int_equal(of_small[i], of_large[i]);
        small.bytes[of_small[i] + sizes[i] - 1] = 1;
        if (i == 3) {
            gpu_memory_free(&small, of_small[2], sizes[2]);
            gpu_memory_free(&large, of_large[2], sizes[2]);
        }
    }
    assert_int_equal(small.used_bytes, large.used_bytes);
    assert_int_equal(small.size_bytes % (16 * MB), 0);
    uint32_t address;
    assert_true(gpu_memory_alloc_at(&small, 1024u * MB, 4096, &err)); /* as in a trimmed trace */
    assert_true(gpu_memory_alloc(&small, 2000u * MB, &address, &err));
    assert_int_equal(address, 1024u * MB + 4096);
    /* the address space is exhausted */
    assert_false(gpu_memory_alloc(&small, 2000u * MB, &address, &err));
    gpu_memory_fini(&small);
    gpu_memory_fini(&large);
}

/* The memory grows up to the limit of a budget. Other memory uses a part of the budget. */
static void
test_an_end_to_growing(void **state)
{
    struct gpu_memory memory;
    struct error err;
    uint32_t address;
    assert_true(gpu_memory_init(&memory, 4 * MB, &err) && gpu_memory_let_grow(&memory, &err));
    struct budget budget = {64 * MB, 16 * MB, "--memory"};
    memory.option = "MEMORYCONTROLLER.MemorySize";
    gpu_memory_limit(&memory, &budget);
    assert_true(gpu_memory_alloc(&memory, 40 * MB, &address, &err));
    assert_int_equal(budget.used_bytes, 64 * MB);
    assert_false(gpu_memory_alloc(&memory, 8 * MB, &address, &err));
    assert_non_null(strstr(err.text, "raise --memory to at least "));
    assert_true(gpu_memory_alloc(&memory, 6 * MB, &address, &err));
    memory.bytes[address + 6 * MB - 1] = 1;
    budget.most_bytes = 80 * MB;
    assert_true(gpu_memory_alloc(&memory, 8 * MB, &address, &err));
    gpu_memory_fini(&memory);
    assert_int_equal(budget.used_bytes, 16 * MB);
}

static void
create_texture(struct player *player, uint32_t handle)
{
    player_create(player, (struct resource_desc){handle, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                 BIND_SAMPLER_VIEW, SIDE, SIDE, 1, 1, 0, 0});
}

static void
test_the_machine_grows(void **state)
{
    struct rig *rig = *state;
    rig->params.MEMORYCONTROLLER.MemoryGrows = true;
    rig_start(rig);
    for (uint32_t i = 0; i < TEXTURES; i++)
        create_texture(&rig->player, FIRST_TEXTURE + i);
    assert_true(rig->player.sim.device.memory.size_bytes > TEXTURES * MB);
    rig_clear(rig, MASK_COLOR0 | MASK_DEPTH, 1.0);
    rig_upload_corner(rig, 16, 0);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
    assert_int_equal(rig->pixels[0] & 0xff, 255);
}

/* Six textures of one megabyte each. The first three are destroyed one by one, each after a later
 * texture is created. At most four textures exist at the same time. */
static void
test_what_would_do(void **state)
{
    char path[] = "/tmp/aetius-need-XXXXXX";
    struct rig *rig = *state;
    struct player player = {0};
    struct trace_reader *reader;
    struct memory_need need;
    struct error err;
    close(mkstemp(path));
    assert_true(trace_writer_create(&player.writer, path, "test", &err));
    rig->params.MEMORYCONTROLLER.MemorySize = 64 * MB;
    player_start(&player, &rig->params, false, NULL);
    for (uint32_t i = 0; i < TEXTURES; i++) {
        create_texture(&player, FIRST_TEXTURE + i);
        if (i >= 3)
            player_take(&player,
                        (struct message){.kind = MESSAGE_RESOURCE_UNREF,
                                         .resource = {.handle = FIRST_TEXTURE + i - 3}},
                        NULL, 0);
    }
    assert_true(trace_writer_close(player.writer, &err));
    player_end(&player);
    assert_true(trace_reader_open(&reader, path, &err));
    assert_true(memory_need_find(&need, reader, &rig->params, UINT32_MAX, &err));
    assert_int_equal(need.used_bytes, 4 * MB);
    assert_int_equal(need.size_bytes, 16 * MB); /* the size of one step of growth */
    strcpy(err.text, "frame 3: " MEMORY_EXHAUSTED ": raise MemorySize");
    memory_need_explain(reader, &rig->params, UINT32_MAX, &err);
    assert_non_null(strstr(err.text, "16777216 is enough"));
    strcpy(err.text, "something else");
    memory_need_explain(reader, &rig->params, UINT32_MAX, &err);
    assert_string_equal(err.text, "something else");
    trace_reader_close(reader);
    unlink(path);
    rig->params.MEMORYCONTROLLER.MemorySize = 1 << 20;
}

/* Moves rows 0 to 1019 of a texture of 10 MB by four rows. The machine reads the rows from a copy
 * of the whole texture. */
static void
copy_in_place(struct player *player)
{
    struct stream s = {.count = 0};
    player_create(player, (struct resource_desc){FIRST_TEXTURE, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                 BIND_SAMPLER_VIEW, 2560, 1024, 1, 1, 0, 0});
    PACKET(&s, CMD_RESOURCE_COPY_REGION, FIRST_TEXTURE, 0, 0, 4, 0, FIRST_TEXTURE, 0, 0, 0, 0, 2560,
           1020, 1);
    player_submit(player, &s);
}

/* The computed need equals the peak use of the machine, rounded up to a step of growth. */
static void
test_copies_of_blits_count(void **state)
{
    char path[] = "/tmp/aetius-need-XXXXXX";
    struct rig *rig = *state;
    struct player player = {0};
    struct trace_reader *reader;
    struct memory_need need;
    struct error err;
    close(mkstemp(path));
    assert_true(trace_writer_create(&player.writer, path, "test", &err));
    rig->params.MEMORYCONTROLLER.MemorySize = 32 * MB;
    player_start(&player, &rig->params, true, NULL);
    copy_in_place(&player);
    assert_int_equal(player.sim.device.memory.peak_bytes, 20 * MB);
    assert_true(trace_writer_close(player.writer, &err));
    player_end(&player);
    assert_true(trace_reader_open(&reader, path, &err));
    assert_true(memory_need_find(&need, reader, &rig->params, UINT32_MAX, &err));
    assert_int_equal(need.used_bytes, 20 * MB);
    assert_int_equal(need.size_bytes, 32 * MB);
    trace_reader_close(reader);
    unlink(path);
    rig->params.MEMORYCONTROLLER.MemorySize = 1 << 20;
}

/* A point of 256 vertices with two outputs of 16 bytes: 8192 bytes per primitive. */
static const char points_gs[] = "GEOM\n"
                                "PROPERTY GS_INPUT_PRIMITIVE POINTS\n"
                                "PROPERTY GS_OUTPUT_PRIMITIVE POINTS\n"
                                "PROPERTY GS_MAX_OUTPUT_VERTICES 256\n"
                                "PROPERTY GS_INVOCATIONS 1\n"
                                "DCL IN[][0], POSITION\n"
                                "DCL OUT[0], POSITION\n"
                                "DCL OUT[1], GENERIC[0]\n"
                                "IMM[0] UINT32 {0, 0, 0, 0}\n"
                                "MOV OUT[0], IN[0][0]\n"
                                "MOV OUT[1], IN[0][0]\n"
                                "EMIT IMM[0].xxxx\n"
                                "END\n";

/* Prepares a draw of one point with the geometry program. */
static void
prepare_point(struct player *player, struct stream *s)
{
    static const char vs[] = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n"
                             "  1: END\n";
    static const char fs[] = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\n"
                             "  0: MOV OUT[0], IMM[0]\n  1: END\n";
    static const float position[4] = {0, 0, 0, 1};
    player_scene(player, s, vs, fs, position, sizeof position, 16);
    stream_shader(s, 140, VSTAGE_GEOMETRY, points_gs);
    stream_bind_shader(s, 140, VSTAGE_GEOMETRY);
    stream_draw(s, PRIM_POINTS, 0, 1);
}

/* Draws the point. Returns the need for memory that is computed from the trace, which equals the
 * peak use of the machine. */
static uint32_t
need_of_point(const struct params *params)
{
    char path[] = "/tmp/aetius-need-XXXXXX";
    struct player player = {0};
    struct stream s = {0};
    struct trace_reader *reader;
    struct memory_need need;
    struct error err;
    close(mkstemp(path));
    assert_true(trace_writer_create(&player.writer, path, "test", &err));
    player_start(&player, params, true, NULL);
    prepare_point(&player, &s);
    player_submit(&player, &s);
    const uint32_t peak = player.sim.device.memory.peak_bytes;
    assert_true(trace_writer_close(player.writer, &err));
    player_end(&player);
    assert_true(trace_reader_open(&reader, path, &err));
    assert_true(memory_need_find(&need, reader, params, UINT32_MAX, &err));
    assert_int_equal(need.used_bytes, peak);
    trace_reader_close(reader);
    unlink(path);
    return need.used_bytes;
}

/* The ring for emitted vertices counts. It has room for as many primitives as there are entries,
 * but not more than OverflowSize, in whole transactions of 64 bytes, and at least for one
 * primitive. */
static void
test_emitted_vertices_count(void **state)
{
    static const struct {
        const char *settings;
        uint32_t ring_bytes;
    } cases[] = {
        {"OnChipPrimitives=0", 0},
        {"OnChipPrimitives=4", 0}, /* 4 x 8192 bytes are the buffer of 32768 bytes */
        {"OnChipPrimitives=5 Entries=64", 64 * 8192},
        {"OnChipPrimitives=32 BufferSize=262144", 0},
        {"OnChipPrimitives=32 BufferSize=262143", 1048576}, /* less than 256 x 8192 bytes */
        /* 10937 x 64 bytes; memory is allocated in units of 256 bytes */
        {"OnChipPrimitives=32 OverflowSize=700000", 2735 * 256},
        {"OnChipPrimitives=32 OverflowSize=64", 8192},
    };
    uint32_t without_ring = 0;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct params params;
        struct error err;
        assert_true(params_load_preset(&params, "reference-2008", &err));
        params.MEMORYCONTROLLER.MemorySize = 4 * MB;
        settings_apply(&params, "GEOMETRYASSEMBLY", cases[i].settings);
        const uint32_t need = need_of_point(&params);
        without_ring = i ? without_ring : need;
        if (need != without_ring + cases[i].ring_bytes)
            fail_msg("%s: %u bytes, without the ring %u", cases[i].settings, need, without_ring);
    }
}

/* A draw whose ring does not fit ends with an error. */
static void
test_ring_does_not_fit(void **state)
{
    struct params params;
    struct error err = {""};
    struct player player = {0};
    struct stream s = {0};
    (void)state;
    assert_true(params_load_preset(&params, "reference-2008", &err));
    params.MEMORYCONTROLLER.MemorySize = 1 * MB;
    params.MEMORYCONTROLLER.MemoryGrows = false;
    player_start(&player, &params, true, NULL);
    prepare_point(&player, &s);
    const struct message message = stream_message(&s, 1);
    assert_false(player.sink.sink.take(player.sink.sink.data, &message, NULL, 0, &err));
    assert_non_null(strstr(err.text, MEMORY_EXHAUSTED));
    player_end(&player);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_lets_it_grow),
        cmocka_unit_test(test_addresses_stay),
        cmocka_unit_test(test_an_end_to_growing),
        cmocka_unit_test_setup_teardown(test_the_machine_grows, rig_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(test_what_would_do, rig_set_up, rig_tear_down),
        cmocka_unit_test(test_emitted_vertices_count),
        cmocka_unit_test(test_ring_does_not_fit),
        cmocka_unit_test_setup_teardown(test_copies_of_blits_count, rig_set_up, rig_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
