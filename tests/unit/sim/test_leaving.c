/* Resources that go while the machine works: their memory is free for others at once, wherever time
 * is; only draws that use it are waited for; and who gets it next finds zeros there, not what
 * caches still have of the one before. */
#include "rigs/rig.h"

enum {
    RES_FIRST = 20,
    RES_SECOND,
    RES_BUFFER,
    OBJ_FIRST = 200,
    OBJ_SECOND,
    OBJ_NEAREST,
    OBJ_TEXTURED,
    WHITE = 0xffffffff,
};

static uint32_t
address_of(struct rig *rig, uint32_t handle)
{
    return gpu_resource(&rig->player.sim.device, 1, handle)->address;
}

static void
unref(struct rig *rig, uint32_t handle)
{
    player_take(&rig->player,
                (struct message){.kind = MESSAGE_RESOURCE_UNREF, .resource.handle = handle}, NULL,
                0);
}

/* A texture under a view that is bound. */
static void
create_texture(struct rig *rig, uint32_t handle, uint32_t view)
{
    struct stream *s = &rig->stream;
    player_create(&rig->player, (struct resource_desc){handle, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                       BIND_SAMPLER_VIEW, SIZE, SIZE, 1, 1, 0, 0});
    stream_view(s, view, handle, FORMAT_B8G8R8A8_UNORM, 0);
    PACKET(s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, view);
    rig_submit(rig);
}

static void
paint(struct rig *rig, uint32_t handle, uint8_t value)
{
    static uint8_t bytes[SIZE * SIZE * 4];
    memset(bytes, value, sizeof bytes);
    struct message put = {.kind = MESSAGE_PUT, .bytes = bytes, .size_bytes = sizeof bytes};
    put.transfer.handle = handle;
    put.transfer.box = (struct box){0, 0, 0, SIZE, SIZE, 1};
    player_take(&rig->player, put, NULL, 0);
}

/* Neither bound nor to be found any more. */
static void
destroy_view(struct rig *rig, uint32_t view)
{
    PACKET(&rig->stream, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, 0);
    stream_destroy(&rig->stream, VOBJ_SAMPLER_VIEW, view);
    rig_submit(rig);
}

static void
start(struct rig *rig)
{
    static const float corners[4][4] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}};
    struct stream *s = &rig->stream;
    struct error err = {""};
    rig->has_depth = false;
    rig->params.COMMANDPROCESSOR.PipelinedBatchRendering = true;
    rig_start(rig);
    rig_upload(rig, RES_VERTICES, corners, sizeof corners);
    stream_sampler(s, OBJ_NEAREST, FILTER_NEAREST);
    stream_shader(s, OBJ_TEXTURED, VSTAGE_FRAGMENT, rig_textured_fs);
    PACKET(s, CMD_BIND_SAMPLER_STATES, VSTAGE_FRAGMENT, 0, OBJ_NEAREST);
    create_texture(rig, RES_FIRST, OBJ_FIRST);
    paint(rig, RES_FIRST, 0xff);
    assert_true(machine_drain(rig_machine(rig), &err));
}

/* All of the surface, and goes on behind what comes. */
static void
draw(struct rig *rig, bool textured)
{
    stream_bind_shader(&rig->stream, textured ? OBJ_TEXTURED : OBJ_FS, VSTAGE_FRAGMENT);
    stream_draw(&rig->stream, PRIM_TRIANGLE_STRIP, 0, 4);
    rig_submit(rig);
}

static void
assert_surface(struct rig *rig, uint32_t word)
{
    uint32_t words[SIZE * SIZE];
    player_get(&rig->player, RES_COLOR, SIZE, SIZE, words);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        assert_int_equal(words[i], word);
}

static uint32_t
running(const struct rig *rig)
{
    return rig_machine(rig)->cmdproc->batch_ring.count;
}

/* A texture whose view is the last to hold it is sampled between the loss of its handle and of its
 * view. */
static void
texture_begins_as_zeros(void **state)
{
    struct rig *rig = *state;
    start(rig);
    const uint32_t address = address_of(rig, RES_FIRST);
    unref(rig, RES_FIRST);
    draw(rig, true); /* and nothing that empties the caches */
    destroy_view(rig, OBJ_FIRST);
    create_texture(rig, RES_SECOND, OBJ_SECOND);
    assert_int_equal(address_of(rig, RES_SECOND), address);
    draw(rig, true);
    assert_surface(rig, 0);
}

/* Another one in the place of the vertices, whose binding is the last to hold them. */
static void
change_vertices(struct rig *rig)
{
    const uint32_t address = address_of(rig, RES_VERTICES);
    unref(rig, RES_VERTICES);
    PACKET(&rig->stream, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_INDICES);
    rig_submit(rig);
    player_create(&rig->player, (struct resource_desc){RES_BUFFER, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                       BIND_VERTEX_BUFFER, 4096, 1, 1, 1, 0, 0});
    assert_int_equal(address_of(rig, RES_BUFFER), address);
}

/* The same of a buffer: four times the same vertex is no triangle. */
static void
buffer_begins_as_zeros(void **state)
{
    struct rig *rig = *state;
    start(rig);
    draw(rig, true);
    assert_surface(rig, WHITE);
    rig_clear(rig, MASK_COLOR0, 0);
    change_vertices(rig);
    PACKET(&rig->stream, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_BUFFER);
    draw(rig, true);
    assert_surface(rig, 0);
}

/* What no draw uses goes, and comes again in its place, in no time. */
static void
unused_goes_at_once(void **state)
{
    struct rig *rig = *state;
    start(rig);
    player_create(&rig->player, (struct resource_desc){RES_BUFFER, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                       BIND_VERTEX_BUFFER, 4096, 1, 1, 1, 0, 0});
    const uint32_t address = address_of(rig, RES_BUFFER);
    draw(rig, true);
    draw(rig, true);
    const uint64_t now = rig_machine(rig)->clock.now;
    assert_int_equal(running(rig), 2);
    unref(rig, RES_BUFFER);
    assert_int_equal(rig_machine(rig)->clock.now, now);
    assert_int_equal(running(rig), 2);
    player_create(&rig->player, (struct resource_desc){RES_SECOND, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                       BIND_SAMPLER_VIEW, 32, 32, 1, 1, 0, 0});
    assert_int_equal(address_of(rig, RES_SECOND), address);
    assert_surface(rig, WHITE);
}

/* A draw that samples the texture ends first; one behind it, that does not, is not waited for. */
static void
users_are_waited_for(void **state)
{
    struct rig *rig = *state;
    start(rig);
    const uint32_t address = address_of(rig, RES_FIRST);
    draw(rig, true);
    draw(rig, false);
    assert_int_equal(running(rig), 2);
    unref(rig, RES_FIRST);
    assert_int_equal(running(rig), 2); /* its view has it */
    destroy_view(rig, OBJ_FIRST);
    assert_int_equal(running(rig), 1);
    create_texture(rig, RES_SECOND, OBJ_SECOND);
    assert_int_equal(address_of(rig, RES_SECOND), address);
    assert_surface(rig, 0xffff0000);
}

/* Its texels are those that it had, not those of the next one in its place. */
static void
users_see_what_was(void **state)
{
    struct rig *rig = *state;
    start(rig);
    draw(rig, true);
    unref(rig, RES_FIRST);
    destroy_view(rig, OBJ_FIRST);
    create_texture(rig, RES_SECOND, OBJ_SECOND);
    assert_surface(rig, WHITE);
}

/* Nor are its vertices. */
static void
vertices_are_what_was(void **state)
{
    struct rig *rig = *state;
    start(rig);
    draw(rig, true);
    change_vertices(rig);
    assert_surface(rig, WHITE);
}

/* Nor does an upload that is on its way come after its resource. */
static void
uploads_are_waited_for(void **state)
{
    struct rig *rig = *state;
    start(rig);
    const uint32_t address = address_of(rig, RES_FIRST);
    paint(rig, RES_FIRST, 0x55);
    destroy_view(rig, OBJ_FIRST);
    unref(rig, RES_FIRST);
    create_texture(rig, RES_SECOND, OBJ_SECOND);
    assert_int_equal(address_of(rig, RES_SECOND), address);
    draw(rig, true);
    assert_surface(rig, 0);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, rig_set_up, rig_tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(texture_begins_as_zeros), CASE(buffer_begins_as_zeros), CASE(unused_goes_at_once),
        CASE(users_are_waited_for),    CASE(users_see_what_was),     CASE(vertices_are_what_was),
        CASE(uploads_are_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
