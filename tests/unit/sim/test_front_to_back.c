/* Draws that wait to be sorted by depth (sim/machine_reorder.c) use their objects as of the draw.
 */
#include "rigs/rig.h"

enum { OBJ_RED = 300, RED = 0xff0000ff };

/* Issues `count` draws, whose program is destroyed while the draws wait. */
static void
draw_and_destroy(uint32_t count)
{
    struct rig *rig = rig_create();
    struct stream *s = &rig->stream;
    rig_start(rig);
    rig_machine(rig)->front_to_back = true;
    rig_clear(rig, MASK_COLOR0 | MASK_DEPTH, 1.0);
    rig_upload_corner(rig, 16, 0);
    stream_shader(s, OBJ_RED, VSTAGE_FRAGMENT, rig_fs);
    stream_bind_shader(s, OBJ_RED, VSTAGE_FRAGMENT);
    rig_submit(rig);
    for (uint32_t i = 0; i < count; i++)
        rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    stream_bind_shader(s, OBJ_FS, VSTAGE_FRAGMENT);
    stream_destroy(s, VOBJ_SHADER, OBJ_RED);
    rig_submit(rig);
    assert_int_equal(rig_machine(rig)->held.count, count);
    rig_swap(rig);
    assert_int_equal(rig_machine(rig)->held.count, 0);
    assert_int_equal(rig->pixels[0], RED);
    rig_destroy(rig);
}

static void
objects_remain(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= 3; count++)
        draw_and_destroy(count);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(objects_remain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
