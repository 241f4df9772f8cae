/* Resources that are destroyed while the machine works. Their memory is available at once. Only
 * draws that use the resource must end first. The next resource at the address reads zeros, not the
 * lines of the previous one that caches still contain. */
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

/* Creates a texture and binds a view of it. */
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

/* Unbinds the view and destroys it. */
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

/* Draws the whole surface without waiting for the end of the draw. */
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

/* A texture is sampled after its handle is destroyed, while its view still references it. */
static void
texture_begins_as_zeros(void **state)
{
    struct rig *rig = *state;
    start(rig);
    const uint32_t address = address_of(rig, RES_FIRST);
    unref(rig, RES_FIRST);
    draw(rig, true); /* no step before this empties the caches */
    destroy_view(rig, OBJ_FIRST);
    create_texture(rig, RES_SECOND, OBJ_SECOND);
    assert_int_equal(address_of(rig, RES_SECOND), address);
    draw(rig, true);
    assert_surface(rig, 0);
}

/* Creates another buffer at the address of the vertices. Their binding was the last reference to
 * them. */
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

/* The same for a buffer. Its four vertices are identical, so there is no triangle. */
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

/* A resource that no draw uses is destroyed and created again at the same address. This takes no
 * cycles. */
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

/* A draw that samples the texture must end first. A later draw that does not sample it may still
 * run. */
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
    assert_int_equal(running(rig), 2); /* the view still references it */
    destroy_view(rig, OBJ_FIRST);
    assert_int_equal(running(rig), 1);
    create_texture(rig, RES_SECOND, OBJ_SECOND);
    assert_int_equal(address_of(rig, RES_SECOND), address);
    assert_surface(rig, 0xffff0000);
}

/* The draw samples the texels of its texture, not those of the next resource at the same address.
 */
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

/* The same for vertices. */
static void
vertices_are_what_was(void **state)
{
    struct rig *rig = *state;
    start(rig);
    draw(rig, true);
    change_vertices(rig);
    assert_surface(rig, WHITE);
}

/* An upload in flight completes before its resource is destroyed. */
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
