/* Counts of the lanes of thread groups. A lane is active, active for a helper pixel or killed
 * fragment, switched off by divergence, or empty. The tests draw one triangle in groups of one quad
 * (reference-2005) or more. */
#include "rigs/rig.h"

#define WITH_PLACE                                                                                 \
    "FRAG\n"                                                                                       \
    "DCL IN[0], GENERIC[0], PERSPECTIVE\n"                                                         \
    "DCL OUT[0], COLOR\n"                                                                          \
    "DCL TEMP[0]\n"

static const char place_vs[] = "VERT\n"
                               "DCL IN[0]\n"
                               "DCL OUT[0], POSITION\n"
                               "DCL OUT[1], GENERIC[0]\n"
                               "  0: MOV OUT[0], IN[0]\n"
                               "  1: MOV OUT[1], IN[0]\n"
                               "  2: END\n";

/* After the ADD, x is below 0 for pixels with x < -1 + 2 / 64, which are the first column. */
static const char kill_fs[] = WITH_PLACE "IMM[0] FLT32 {0.96875, 0.0, 0.0, 1.0}\n"
                                         "  0: ADD TEMP[0], IN[0].xxxx, IMM[0].xxxx\n"
                                         "  1: KILL_IF TEMP[0].xxxx\n"
                                         "  2: MOV OUT[0], IMM[0].wyyw\n"
                                         "  3: END\n";
static const char branch_fs[] = WITH_PLACE "IMM[0] FLT32 {-0.96875, 0.0, 0.0, 1.0}\n"
                                           "  0: SLT TEMP[0], IN[0].xxxx, IMM[0].xxxx\n"
                                           "  1: MOV OUT[0], IMM[0].wyyw\n"
                                           "  2: IF TEMP[0].xxxx :4\n"
                                           "  3: MOV OUT[0], IMM[0].ywyw\n"
                                           "  4: ENDIF\n"
                                           "  5: END\n";

static int
set_up(void **state)
{
    if (rig_set_up(state))
        return -1;
    ((struct rig *)*state)->has_depth = false;
    return 0;
}

/* Draws one triangle over all pixels, so that no quad is on an edge. */
static void
draw_everything(struct rig *rig)
{
    static const float corners[3][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
    rig_upload(rig, RES_VERTICES, corners, sizeof corners);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
}

/* The 28 pixels with x + y <= 6 are in the 10 quads with x / 2 + y / 2 <= 3. Each quad executes a
 * MOV, and so does the group of the three vertices. The fourth lane of that group is empty. */
static void
helper_pixels(void **state)
{
    struct rig *rig = *state;
    rig_start(rig);
    rig_upload_corner(rig, 8, 0);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
    rig_assert_figure(rig, "shader.lane_slots", 4 * (10 + 1));
    rig_assert_figure(rig, "shader.lanes_active", 28 + 3);
    rig_assert_figure(rig, "shader.lanes_helper", 4 * 10 - 28);
    rig_assert_figure(rig, "shader.lanes_diverged", 0);
    rig_assert_figure(rig, "shader.lanes_empty", 1);
    rig_assert_figure(rig, "sched.groups", 10 + 1);
    rig_assert_figure(rig, "sched.lanes", 4 * (10 + 1));
    rig_assert_figure(rig, "sched.lanes_used", 4 * 10 + 3);
    /* programs without temporaries have two registers per thread */
    assert_true(rig_figure(rig, "shader.group_cycles") > 10 + 1);
    rig_assert_figure(rig, "shader.register_cycles",
                      2 * 4 * rig_figure(rig, "shader.group_cycles"));
}

/* The same in groups of 16. A group has 16 lanes, however many quads it contains. */
static void
room_of_groups(void **state)
{
    struct rig *rig = *state;
    rig->params.FRAGMENTSHADER.ThreadGroup = 16;
    rig_start(rig);
    rig_upload_corner(rig, 8, 0);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
    const uint64_t groups = rig_figure(rig, "sched.groups");
    assert_in_range(groups, 1 + 3, 1 + 10);
    rig_assert_figure(rig, "sched.lanes", 16 * groups);
    rig_assert_figure(rig, "sched.lanes_used", 4 * 10 + 3);
    rig_assert_figure(rig, "shader.lane_slots", 16 * groups);
    rig_assert_figure(rig, "shader.lanes_empty", 16 * groups - (4 * 10 + 3));
    rig_assert_figure(rig, "shader.lanes_helper", 4 * 10 - 28);
}

/* The second of three instructions kills the 64 fragments of the first column. In the third
 * instruction they are helpers for the other fragments of their quads. */
static void
killed_fragments(void **state)
{
    struct rig *rig = *state;
    rig_start(rig);
    rig_use_programs(rig, place_vs, kill_fs);
    draw_everything(rig);
    rig_assert_figure(rig, "shader.fragments_killed", SIZE);
    rig_assert_figure(rig, "shader.lanes_helper", SIZE);
    rig_assert_figure(rig, "shader.lanes_active", 3 * SIZE * SIZE - SIZE + 2 * 3);
    rig_assert_figure(rig, "shader.lanes_diverged", 0);
}

/* In each of the 32 quads of the first two columns, two of four lanes enter the IF. The other two
 * are off during its MOV and the ENDIF. The other 992 quads jump to the ENDIF with all four lanes
 * off. */
static void
divergence(void **state)
{
    struct rig *rig = *state;
    rig_start(rig);
    rig_use_programs(rig, place_vs, branch_fs);
    draw_everything(rig);
    rig_assert_figure(rig, "shader.lanes_diverged", 32 * 2 * 2 + 992 * 4);
    rig_assert_figure(rig, "shader.lanes_helper", 0);
    rig_assert_figure(rig, "shader.lanes_empty", 2 * 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(helper_pixels, set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(room_of_groups, set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(killed_fragments, set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(divergence, set_up, rig_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
