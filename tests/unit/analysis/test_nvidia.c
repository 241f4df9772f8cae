/* The equations of the Top-Down method with artificial counters, the table of chips, and the
 * names of counters. */
#include "analysis/nvidia.h"

#include <math.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define NEAR(a, b) assert_float_equal(a, b, 1e-9)

/* Counts of a launch; counts that are not set are NAN. */
struct launch {
    struct nvidia_counts counts;
    double stalls[FAMILIES][REASON_VALUES];
};

static void
launch_init(struct launch *launch, enum nvidia_tool tool)
{
    *launch = (struct launch){.counts = {.tool = tool}};
    for (uint32_t i = 0; i < FIGURES; i++)
        launch->counts.figures[i] = NAN;
    for (uint32_t f = 0; f < FAMILIES; f++)
        for (uint32_t r = 0; r < REASON_VALUES; r++)
            launch->stalls[f][r] = NAN;
}

static void
set_stall(struct launch *launch, enum nvidia_family family, enum nvidia_reason reason, double value)
{
    launch->stalls[family][reason] = value;
    launch->counts.stalls[family] = launch->stalls[family];
}

/* Sets all stall reasons of the tool to 0, as in a file that has all of them. */
static void
set_all(struct launch *launch, enum nvidia_family family, enum nvidia_tool tool)
{
    for (uint32_t r = 0; r < REASONS; r++)
        if ((r < REASON_no_instruction) == (tool == NVPROF))
            set_stall(launch, family, r, 0);
}

/* IPC 2, issued 2.5, 75 % of the threads active. */
static void
set_figures(struct launch *launch)
{
    launch->counts.figures[FIGURE_ipc] = 2;
    launch->counts.figures[FIGURE_issued] = 2.5;
    launch->counts.figures[FIGURE_efficiency] = 75;
}

static uint32_t
tree_of(const struct launch *launch, uint32_t major, uint32_t minor, struct topdown_tree *tree)
{
    struct nvidia_counters counters;
    const uint32_t problems =
        nvidia_counters(&launch->counts, nvidia_capability(major, minor), &counters);
    nvidia_tree(&counters, tree);
    return problems;
}

static void
ipc_maximum(void **state)
{
    static const struct {
        uint32_t major, minor, ipc_max;
    } chips[] = {
        /* 4 schedulers with 2 instructions each */
        {3, 0, 8},
        {3, 5, 8},
        {3, 7, 8},
        {5, 0, 8},
        {5, 2, 8},
        {5, 3, 8},
        {6, 1, 8},
        {6, 2, 8},
        {6, 0, 4}, /* 2 schedulers with 2 each */
        /* 4 schedulers with 1 each */
        {7, 0, 4},
        {7, 2, 4},
        {7, 5, 4},
        {8, 0, 4},
        {8, 6, 4},
        {8, 9, 4},
        {9, 0, 4},
        {10, 0, 4},
        {12, 0, 4},
    };
    struct error err;
    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++) {
        const struct nvidia_capability *chip = nvidia_capability(chips[i].major, chips[i].minor);
        assert_non_null(chip);
        assert_int_equal(chip->ipc_max, chips[i].ipc_max);
        assert_int_equal(chip->warp_size, 32);
        const uint32_t number = chips[i].major * 10 + chips[i].minor;
        assert_int_equal(nvidia_tool_for(chip), number < 72 ? NVPROF : NCU);
    }
    /* cores of a GTX 1070 with 15 SMs and of a Quadro RTX 4000 with 36 */
    assert_int_equal(15 * nvidia_capability(6, 1)->cores, 1920);
    assert_int_equal(36 * nvidia_capability(7, 5)->cores, 2304);
    /* a P100 has 56 SMs with 2 schedulers, and 3584 cores */
    assert_int_equal(56 * nvidia_capability(6, 0)->cores, 3584);
    assert_int_equal(nvidia_capability(6, 0)->schedulers, 2);
    assert_null(nvidia_capability_parse("2.0", &err));
    assert_non_null(strstr(err.text, "unknown compute capability"));
    assert_null(nvidia_capability_parse("8.6x", &err));
    assert_null(nvidia_capability_parse("8", &err));
    assert_int_equal(nvidia_capability_parse("8.6", &err)->minor, 6);
    assert_int_equal(nvidia_capability_of_device("Tesla K40c (0)")->major, 3);
    assert_int_equal(nvidia_capability_of_device("GeForce GTX 1070 (0)")->major, 6);
    assert_int_equal(nvidia_capability_of_device("GeForce GTX 980 Ti")->major, 5);
    assert_int_equal(nvidia_capability_of_device("Tesla P100-PCIE-16GB (0)")->ipc_max, 4);
    assert_null(nvidia_capability_of_device("Quadro of tomorrow"));
}

/* Compute capability 6.1: 8 instructions per cycle. */
static void
equations_of_nvprof(void **state)
{
    struct launch launch;
    struct topdown_tree tree;
    launch_init(&launch, NVPROF);
    set_figures(&launch);
    set_stall(&launch, FAMILY_PERCENT, REASON_inst_fetch, 6);
    set_stall(&launch, FAMILY_PERCENT, REASON_sync, 4);
    set_stall(&launch, FAMILY_PERCENT, REASON_other, 5);
    set_stall(&launch, FAMILY_PERCENT, REASON_memory_dependency, 20);
    set_stall(&launch, FAMILY_PERCENT, REASON_texture, 10);
    set_stall(&launch, FAMILY_PERCENT, REASON_constant_memory_dependency, 3);
    set_stall(&launch, FAMILY_PERCENT, REASON_memory_throttle, 7);
    set_stall(&launch, FAMILY_PERCENT, REASON_pipe_busy, 9);
    set_stall(&launch, FAMILY_PERCENT, REASON_exec_dependency, 16);
    set_stall(&launch, FAMILY_PERCENT, REASON_not_selected, 20);
    assert_int_equal(tree_of(&launch, 6, 1, &tree), NVIDIA_FINE);
    const double *v = tree.values;
    NEAR(v[NVIDIA_all], 8);
    NEAR(v[NVIDIA_retire], 1.5);     /* 2 x 0.75 */
    NEAR(v[NVIDIA_branch], 0.5);     /* 2 x 0.25 */
    NEAR(v[NVIDIA_replay], 0.5);     /* 2.5 - 2 */
    NEAR(v[NVIDIA_divergence], 1.0); /* 0.5 + 0.5 */
    /* stall = 8 - 1 - 1.5 = 5.5; T = 6 + 4 + 5 + 20 + 10 + 3 + 7 + 9 + 16 = 80, without "not
     * selected" */
    NEAR(v[NVIDIA_fetch], 5.5 * 10 / 80);
    NEAR(v[NVIDIA_decode], 5.5 * 5 / 80);
    NEAR(v[NVIDIA_frontend], 5.5 * 15 / 80);
    NEAR(v[NVIDIA_memory_bound], 5.5 * 40 / 80); /* 20 + 10 + 3 + 7 */
    NEAR(v[NVIDIA_core_bound], 5.5 * 25 / 80);   /* 9 + 16 */
    NEAR(v[NVIDIA_backend], 5.5 * 65 / 80);
    NEAR(v[NVIDIA_texture], 5.5 * 10 / 80);
    NEAR(v[NVIDIA_exec_dependency], 5.5 * 16 / 80);
    assert_true(isnan(v[NVIDIA_stall]) && isnan(v[NVIDIA_long_scoreboard]));
    assert_true(topdown_tree_adds_up(&tree, 1e-12));
    topdown_tree_fini(&tree);
}

/* Compute capability 9.0: 4 instructions per cycle, ratios in cycles, 24 of 32 threads active. */
static void
equations_of_ncu(void **state)
{
    struct launch launch;
    struct topdown_tree tree;
    launch_init(&launch, NCU);
    launch.counts.figures[FIGURE_ipc] = 1;
    launch.counts.figures[FIGURE_issued] = 1.25;
    launch.counts.figures[FIGURE_threads] = 24;
    set_all(&launch, FAMILY_RATIO, NCU);
    static const struct {
        enum nvidia_reason reason;
        double ratio;
    } shares[] = {
        {REASON_no_instruction, 1},
        {REASON_barrier, 2},
        {REASON_membar, 0.5},
        {REASON_sleeping, 0.25},
        {REASON_branch_resolving, 0.25}, /* sum of fetch: 4 */
        {REASON_misc, 0.5},
        {REASON_dispatch_stall, 1.5}, /* sum of decode: 2 */
        {REASON_long_scoreboard, 6},
        {REASON_imc_miss, 0.5},
        {REASON_drain, 0.5},
        {REASON_lg_throttle, 1},
        {REASON_tex_throttle, 1},
        {REASON_mio_throttle, 1},
        {REASON_short_scoreboard, 2}, /* sum of memory: 12 */
        {REASON_math_pipe_throttle, 3},
        {REASON_wait, 2},
        {REASON_gmma, 2}, /* sum of core: 7 */
        {REASON_selected, 1},
        {REASON_not_selected, 9},
    };
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        set_stall(&launch, FAMILY_RATIO, shares[i].reason, shares[i].ratio);
    assert_int_equal(tree_of(&launch, 9, 0, &tree), NVIDIA_FINE);
    const double *v = tree.values;
    NEAR(v[NVIDIA_retire], 0.75);
    NEAR(v[NVIDIA_branch], 0.25);
    NEAR(v[NVIDIA_replay], 0.25);
    /* stall = 4 - 1.25 = 2.75, T = 4 + 2 + 12 + 7 = 25 */
    NEAR(v[NVIDIA_fetch], 2.75 * 4 / 25);
    NEAR(v[NVIDIA_decode], 2.75 * 2 / 25);
    NEAR(v[NVIDIA_frontend], 2.75 * 6 / 25);
    NEAR(v[NVIDIA_memory_bound], 2.75 * 12 / 25);
    NEAR(v[NVIDIA_core_bound], 2.75 * 7 / 25);
    NEAR(v[NVIDIA_backend], 2.75 * 19 / 25);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0] - 2; i++)
        NEAR(v[NVIDIA_inst_fetch + shares[i].reason], 2.75 * shares[i].ratio / 25);
    assert_true(topdown_tree_adds_up(&tree, 1e-12));
    topdown_tree_fini(&tree);
}

/* If one reason causes all stalls, its node and the parents of that node have all lost slots. */
static void
each_reason_has_its_place(void **state)
{
    static const struct {
        enum nvidia_reason reason;
        enum nvidia_node group, side;
    } places[REASONS] = {
        {REASON_inst_fetch, NVIDIA_fetch, NVIDIA_frontend},
        {REASON_sync, NVIDIA_fetch, NVIDIA_frontend},
        {REASON_other, NVIDIA_decode, NVIDIA_frontend},
        {REASON_memory_dependency, NVIDIA_memory_bound, NVIDIA_backend},
        {REASON_texture, NVIDIA_memory_bound, NVIDIA_backend},
        {REASON_asleep, NVIDIA_fetch, NVIDIA_frontend},
        {REASON_constant_memory_dependency, NVIDIA_memory_bound, NVIDIA_backend},
        {REASON_memory_throttle, NVIDIA_memory_bound, NVIDIA_backend},
        {REASON_pipe_busy, NVIDIA_core_bound, NVIDIA_backend},
        {REASON_exec_dependency, NVIDIA_core_bound, NVIDIA_backend},
        {REASON_no_instruction, NVIDIA_fetch, NVIDIA_frontend},
        {REASON_barrier, NVIDIA_fetch, NVIDIA_frontend},
        {REASON_membar, NVIDIA_fetch, NVIDIA_frontend},
        {REASON_sleeping, NVIDIA_fetch, NVIDIA_frontend},
        {REASON_branch_resolving, NVIDIA_fetch, NVIDIA_frontend},
        {REASON_dispatch_stall, NVIDIA_decode, NVIDIA_frontend},
        {REASON_misc, NVIDIA_decode, NVIDIA_frontend},
        {REASON_long_scoreboard, NVIDIA_memory_bound, NVIDIA_backend},
        {REASON_lg_throttle, NVIDIA_memory_bound, NVIDIA_backend},
        {REASON_tex_throttle, NVIDIA_memory_bound, NVIDIA_backend},
        {REASON_imc_miss, NVIDIA_memory_bound, NVIDIA_backend},
        {REASON_drain, NVIDIA_memory_bound, NVIDIA_backend},
        {REASON_mio_throttle, NVIDIA_memory_bound, NVIDIA_backend},
        {REASON_short_scoreboard, NVIDIA_memory_bound, NVIDIA_backend},
        {REASON_math_pipe_throttle, NVIDIA_core_bound, NVIDIA_backend},
        {REASON_wait, NVIDIA_core_bound, NVIDIA_backend},
        {REASON_gmma, NVIDIA_core_bound, NVIDIA_backend},
    };
    for (uint32_t i = 0; i < REASONS; i++) {
        const enum nvidia_tool tool = i < REASON_no_instruction ? NVPROF : NCU;
        struct launch launch;
        struct topdown_tree tree;
        launch_init(&launch, tool);
        set_figures(&launch);
        set_all(&launch, FAMILY_PERCENT, tool);
        assert_int_equal(places[i].reason, i);
        set_stall(&launch, FAMILY_PERCENT, i, 30);
        tree_of(&launch, tool == NVPROF ? 7 : 9, 0, &tree);
        NEAR(tree.values[NVIDIA_inst_fetch + i], 4 - 2.5);
        NEAR(tree.values[places[i].group], 4 - 2.5);
        NEAR(tree.values[places[i].side], 4 - 2.5);
        const bool is_l1 =
            i == REASON_long_scoreboard || i == REASON_lg_throttle || i == REASON_tex_throttle;
        assert_int_equal(topdown_level(tree.shape, NVIDIA_inst_fetch + i), is_l1 ? 4 : 3);
        assert_int_equal(topdown_is_below(tree.shape, NVIDIA_inst_fetch + i, NVIDIA_l1), is_l1);
        if (tool == NCU)
            NEAR(tree.values[NVIDIA_l1], is_l1 ? 4 - 2.5 : 0);
        else
            assert_true(isnan(tree.values[NVIDIA_l1]));
        assert_int_equal(topdown_tree_verdict(&tree), NVIDIA_inst_fetch + i);
        topdown_tree_fini(&tree);
    }
}

static void
what_is_missing_is_named(void **state)
{
    struct launch launch;
    struct topdown_tree tree;
    launch_init(&launch, NVPROF);
    assert_int_equal(tree_of(&launch, 3, 5, &tree),
                     NVIDIA_NO_IPC | NVIDIA_NO_EFFICIENCY | NVIDIA_NO_ISSUED | NVIDIA_NO_REASONS);
    topdown_tree_fini(&tree);

    /* one reason is missing: the lost slots are not divided */
    set_figures(&launch);
    set_all(&launch, FAMILY_PERCENT, NVPROF);
    set_stall(&launch, FAMILY_PERCENT, REASON_asleep, NAN);
    set_stall(&launch, FAMILY_PERCENT, REASON_memory_dependency, 40);
    set_stall(&launch, FAMILY_PERCENT, REASON_pipe_busy, NAN);
    assert_int_equal(tree_of(&launch, 3, 5, &tree), NVIDIA_NO_REASONS);
    NEAR(tree.values[NVIDIA_stall], 8 - 2.5);
    assert_true(isnan(tree.values[NVIDIA_frontend]) && isnan(tree.values[NVIDIA_backend]));
    assert_true(topdown_tree_adds_up(&tree, 1e-12));
    char *missing = nvidia_missing(&launch.counts, nvidia_capability(3, 5), NVIDIA_NO_REASONS);
    assert_string_equal(missing, "stall_pipe_busy");
    free(missing);
    topdown_tree_fini(&tree);

    /* percentages that add up to 100 leave nothing for the missing reason */
    set_stall(&launch, FAMILY_PERCENT, REASON_not_selected, 60);
    assert_int_equal(tree_of(&launch, 3, 5, &tree), NVIDIA_FINE);
    NEAR(tree.values[NVIDIA_memory_dependency], 8 - 2.5);
    topdown_tree_fini(&tree);

    /* the chip may report a reason that is missing in the file */
    set_stall(&launch, FAMILY_PERCENT, REASON_pipe_busy, 0);
    set_stall(&launch, FAMILY_PERCENT, REASON_not_selected, 20);
    set_stall(&launch, FAMILY_PERCENT, REASON_texture, NAN);
    assert_int_equal(tree_of(&launch, 3, 5, &tree), NVIDIA_PERHAPS_MORE);
    NEAR(tree.values[NVIDIA_memory_dependency], 8 - 2.5);
    missing = nvidia_missing(&launch.counts, nvidia_capability(3, 5), NVIDIA_PERHAPS_MORE);
    assert_string_equal(missing, "stall_texture");
    free(missing);
    topdown_tree_fini(&tree);
}

static void
figures_stand_in_for_others(void **state)
{
    struct launch launch;
    struct topdown_tree tree;
    launch_init(&launch, NVPROF);
    set_figures(&launch);
    /* executed = issued / (1 + replays per executed instruction) */
    launch.counts.figures[FIGURE_ipc] = NAN;
    launch.counts.figures[FIGURE_replays] = 0.25;
    assert_false(tree_of(&launch, 3, 5, &tree) & NVIDIA_NO_IPC);
    NEAR(tree.values[NVIDIA_retire], 2 * 0.75);
    NEAR(tree.values[NVIDIA_replay], 0.5);
    topdown_tree_fini(&tree);
    /* without "issued": replay is unknown, and its slots are part of the stalls */
    launch.counts.figures[FIGURE_ipc] = 2;
    launch.counts.figures[FIGURE_issued] = launch.counts.figures[FIGURE_replays] = NAN;
    assert_true(tree_of(&launch, 3, 5, &tree) & NVIDIA_NO_ISSUED);
    assert_true(isnan(tree.values[NVIDIA_replay]));
    NEAR(tree.values[NVIDIA_divergence], 0.5);
    NEAR(tree.values[NVIDIA_stall], 6);
    topdown_tree_fini(&tree);
    /* Four schedulers, each with one instruction in 25 % of the cycles. Of 10 issued instructions,
     * 8 are executed. With two instructions per scheduler and cycle, the slots do not determine the
     * number. */
    launch.counts.figures[FIGURE_ipc] = NAN;
    launch.counts.figures[FIGURE_slots] = 25;
    launch.counts.figures[FIGURE_issued_count] = 10;
    launch.counts.figures[FIGURE_executed_count] = 8;
    assert_false(tree_of(&launch, 7, 0, &tree) & (NVIDIA_NO_IPC | NVIDIA_NO_ISSUED));
    NEAR(tree.values[NVIDIA_retire], 0.8 * 0.75);
    NEAR(tree.values[NVIDIA_replay], 0.2);
    topdown_tree_fini(&tree);
    assert_true(tree_of(&launch, 6, 1, &tree) & NVIDIA_NO_IPC);
    topdown_tree_fini(&tree);
    /* a partition is a quarter of an SM */
    assert_float_equal(nvidia_metric("smsp__inst_issued.avg.per_cycle_active").scale, 4, 0);
}

/* 264.5 on 132 SMs are 2.00378 each, which is 2.00 after rounding. A sum of other SMs is ignored.
 */
static void
sums_have_more_digits(void **state)
{
    static const struct {
        double sum, sms, ipc;
    } cases[] = {{264.5, 132, 264.5 / 132}, {264.5, 66, 2}, {264.5, NAN, 2}, {NAN, 132, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct launch launch;
        struct nvidia_counters x;
        launch_init(&launch, NCU);
        set_figures(&launch);
        launch.counts.figures[FIGURE_ipc_sum] = cases[i].sum;
        launch.counts.figures[FIGURE_sms] = cases[i].sms;
        nvidia_counters(&launch.counts, nvidia_capability(9, 0), &x);
        NEAR(x.ipc, cases[i].ipc);
        NEAR(x.issued, 2.5);
    }
}

static void
impossible_counters_are_refused(void **state)
{
    struct launch launch;
    struct topdown_tree tree;
    launch_init(&launch, NCU);
    set_figures(&launch);
    launch.counts.figures[FIGURE_issued] = 4.5; /* the maximum is 4 */
    assert_true(tree_of(&launch, 8, 6, &tree) & NVIDIA_ABOVE_MAXIMUM);
    topdown_tree_fini(&tree);
    launch.counts.figures[FIGURE_issued] = 2.5;
    launch.counts.figures[FIGURE_efficiency] = 101;
    assert_true(tree_of(&launch, 8, 6, &tree) & NVIDIA_ABOVE_MAXIMUM);
    topdown_tree_fini(&tree);
    /* separate passes: more instructions executed than issued */
    launch.counts.figures[FIGURE_efficiency] = 75;
    launch.counts.figures[FIGURE_issued] = 1.5;
    assert_true(tree_of(&launch, 8, 6, &tree) & NVIDIA_BELOW_EXECUTED);
    NEAR(tree.values[NVIDIA_replay], 0);
    assert_true(topdown_tree_adds_up(&tree, 1e-12));
    topdown_tree_fini(&tree);
    /* inconsistent counters: 2.5 / 2 is not 1 + 0.001 */
    launch.counts.figures[FIGURE_issued] = 2.5;
    launch.counts.figures[FIGURE_replays] = 0.001;
    assert_true(tree_of(&launch, 8, 6, &tree) & NVIDIA_UNSTEADY);
    topdown_tree_fini(&tree);
}

/* A family with all reasons has priority over a preferred family with only some. */
static void
families_do_not_mix(void **state)
{
    struct launch launch;
    struct topdown_tree tree;
    launch_init(&launch, NCU);
    set_figures(&launch);
    set_stall(&launch, FAMILY_PERCENT, REASON_barrier, 50);
    set_all(&launch, FAMILY_RATIO, NCU);
    set_stall(&launch, FAMILY_RATIO, REASON_wait, 3);
    set_stall(&launch, FAMILY_RATIO, REASON_gmma, NAN);
    assert_int_equal(tree_of(&launch, 8, 6, &tree), NVIDIA_FINE); /* 8.6 does not have gmma */
    NEAR(tree.values[NVIDIA_wait], 1.5);
    NEAR(tree.values[NVIDIA_barrier], 0);
    assert_true(isnan(tree.values[NVIDIA_gmma]));
    topdown_tree_fini(&tree);
}

static void
names_of_counters(void **state)
{
    static const struct {
        const char *name;
        enum nvidia_family family;
        enum nvidia_reason reason;
    } stalls[] = {
        {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", FAMILY_RATIO,
         REASON_long_scoreboard},
        {"smsp__average_warp_latency_issue_stalled_long_scoreboard.ratio", FAMILY_LATENCY,
         REASON_long_scoreboard},
        {"smsp__average_warp_latency_issue_stalled_imc_miss", FAMILY_LATENCY, REASON_imc_miss},
        {"smsp__warp_issue_stalled_wait_per_warp_active.pct", FAMILY_PERCENT, REASON_wait},
        {"smsp__warps_issue_stalled_wait_per_warp_active.pct", FAMILY_PERCENT, REASON_wait},
        {"smsp__warp_issue_stalled_wait_per_warp_active.avg.pct", FAMILY_PERCENT, REASON_wait},
        {"smsp__average_warps_issue_stalled_wait_per_warp_active.pct", FAMILY_PERCENT, REASON_wait},
        {"smsp__pcsamp_warps_issue_stalled_no_instructions", FAMILY_SAMPLES, REASON_no_instruction},
        {"smsp__pcsamp_warps_issue_stalled_warpgroup_arrive", FAMILY_SAMPLES, REASON_gmma},
        {"smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", FAMILY_RATIO,
         REASON_selected},
        {"smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio", FAMILY_RATIO,
         REASON_not_selected},
        {"stall_memory_dependency", FAMILY_PERCENT, REASON_memory_dependency},
        {"Issue Stall Reasons (Data Request)", FAMILY_PERCENT, REASON_memory_dependency},
        {"Issue Stall Reasons (Not Selected)", FAMILY_PERCENT, REASON_not_selected},
        {"stall_not_selected", FAMILY_PERCENT, REASON_not_selected},
    };
    for (size_t i = 0; i < sizeof stalls / sizeof stalls[0]; i++) {
        const struct nvidia_metric metric = nvidia_metric(stalls[i].name);
        assert_int_equal(metric.kind, METRIC_STALL);
        assert_int_equal(metric.family, stalls[i].family);
        assert_int_equal(metric.reason, stalls[i].reason);
    }
    static const struct {
        const char *name;
        enum nvidia_figure figure;
    } figures[] = {
        {"ipc", FIGURE_ipc},
        {"Executed IPC", FIGURE_ipc},
        {"sm__inst_executed.avg.per_cycle_active", FIGURE_ipc},
        {"Executed Ipc Active", FIGURE_ipc},
        {"issued_ipc", FIGURE_issued},
        {"sm__inst_issued.avg.per_cycle_active", FIGURE_issued},
        {"Warp Execution Efficiency", FIGURE_efficiency},
        {"smsp__thread_inst_executed_per_inst_executed.ratio", FIGURE_threads},
        {"smsp__thread_inst_executed_per_inst_executed.pct", FIGURE_efficiency},
        {"gpu__time_duration.sum", FIGURE_time_ns},
        {"elapsed_cycles_sm", FIGURE_cycles_sm},
        {"sm__cycles_elapsed.sum", FIGURE_cycles_sm},
    };
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        const struct nvidia_metric metric = nvidia_metric(figures[i].name);
        assert_int_equal(metric.kind, METRIC_FIGURE);
        assert_int_equal(metric.figure, figures[i].figure);
    }
    static const char *const none[] = {"ipc_instance",
                                       "sm__inst_executed.avg.per_cycle_elapsed",
                                       "dram__bytes_read.sum",
                                       "smsp__pcsamp_warps_issue_stalled_wait_not_issued",
                                       "stallion",
                                       "sm__inst_executed.avg.pct_of_peak_sustained_elapsed"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_int_equal(nvidia_metric(none[i]).kind, METRIC_NONE);
    assert_int_equal(nvidia_metric("stall_new_reason").kind, METRIC_UNKNOWN_STALL);
    assert_int_equal(
        nvidia_metric("smsp__average_warps_issue_stalled_new_per_issue_active.ratio").kind,
        METRIC_UNKNOWN_STALL);
}

/* Each command collects every metric that nvidia_missing() may name for its chip. */
static void
commands_collect_what_is_missing(void **state)
{
    static const uint32_t chips[][2] = {{3, 5}, {6, 1}, {7, 0}, {7, 5}, {8, 6}, {9, 0}, {12, 0}};
    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++) {
        const struct nvidia_capability *chip = nvidia_capability(chips[i][0], chips[i][1]);
        struct launch launch;
        launch_init(&launch, nvidia_tool_for(chip));
        char *missing = nvidia_missing(&launch.counts, chip, ~0U);
        const struct nvidia_request request = {.log = "log file"};
        char **words = nvidia_command(chip, &request);
        const char *metrics = NULL;
        assert_string_equal(words[0], launch.counts.tool == NVPROF ? "nvprof" : "ncu");
        for (uint32_t w = 1; words[w]; w++) {
            metrics = strcmp(words[w - 1], "--metrics") ? metrics : words[w];
            assert_true(strcmp(words[w - 1], "--log-file") || !strcmp(words[w], "log file"));
        }
        uint32_t count = 0;
        for (char *save, *name = strtok_r(missing, ", ", &save); name;
             name = strtok_r(NULL, ", ", &save), count++) {
            assert_non_null(strstr(metrics, name));
            assert_int_not_equal(nvidia_metric(name).kind, METRIC_NONE);
        }
        assert_true(count >= 12);
        assert_int_equal(strstr(metrics, "gmma") != NULL, chips[i][0] == 9);
        free(missing);
        nvidia_command_free(words);
    }
}

/* A launch with all reasons of the chip and their sum. */
static void
full_launch(struct launch *launch, const struct nvidia_capability *chip)
{
    const enum nvidia_tool tool = nvidia_tool_for(chip);
    launch_init(launch, tool);
    set_figures(launch);
    for (uint32_t r = 0; r < REASONS; r++)
        if ((r < REASON_no_instruction) == (tool == NVPROF))
            set_stall(launch, tool == NVPROF ? FAMILY_PERCENT : FAMILY_RATIO, r,
                      tool == NVPROF ? 8 : r % 5);
    if (tool == NVPROF) { /* nine reasons of 8, and `sleeping` only from 7.0 on */
        set_stall(launch, FAMILY_PERCENT, REASON_asleep, NAN);
        set_stall(launch, FAMILY_PERCENT, REASON_not_selected, 100 - 9 * 8);
        return;
    }
    if (chip->major != 9)
        set_stall(launch, FAMILY_RATIO, REASON_gmma, NAN);
    set_stall(launch, FAMILY_RATIO, REASON_selected, 1);
    set_stall(launch, FAMILY_RATIO, REASON_not_selected, 6);
    double *sum = &launch->counts.figures[FIGURE_warp_cycles];
    *sum = 0;
    for (uint32_t r = 0; r < REASON_VALUES; r++)
        *sum += isnan(launch->stalls[FAMILY_RATIO][r]) ? 0 : launch->stalls[FAMILY_RATIO][r];
}

/* Copies a metric from one launch to another. */
static void
copy_metric(struct launch *to, const struct launch *from, const char *name)
{
    const struct nvidia_metric metric = nvidia_metric(name);
    if (metric.kind == METRIC_FIGURE)
        to->counts.figures[metric.figure] = from->counts.figures[metric.figure];
    else if (metric.kind == METRIC_STALL)
        set_stall(to, metric.family, metric.reason, from->stalls[metric.family][metric.reason]);
    else
        fail_msg("%s", name);
}

/* The metrics that are asked for a level give the same nodes down to it as all metrics, and each
 * level asks for more. */
static void
levels_ask_for_what_they_need(void **state)
{
    static const uint32_t chips[][2] = {{3, 5}, {6, 1}, {7, 5}, {9, 0}};
    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++) {
        const struct nvidia_capability *chip = nvidia_capability(chips[i][0], chips[i][1]);
        struct launch full;
        struct topdown_tree whole;
        uint32_t before = 0;
        full_launch(&full, chip);
        assert_int_equal(tree_of(&full, chips[i][0], chips[i][1], &whole), NVIDIA_FINE);
        for (uint32_t level = 1; level <= 3; level++) {
            const struct nvidia_request request = {.log = "log", .level = level};
            char **words = nvidia_command(chip, &request), *save;
            struct launch launch;
            struct topdown_tree tree;
            uint32_t count = 0, last = 0;
            launch_init(&launch, nvidia_tool_for(chip));
            launch.counts.figures[FIGURE_efficiency] = full.counts.figures[FIGURE_efficiency];
            while (words[last + 1])
                last++;
            for (char *name = strtok_r(words[last], ",", &save); name;
                 name = strtok_r(NULL, ",", &save), count++)
                copy_metric(&launch, &full, name);
            assert_true(count > before);
            before = count;
            assert_int_equal(tree_of(&launch, chips[i][0], chips[i][1], &tree),
                             level == 3 ? NVIDIA_FINE : NVIDIA_SHALLOW);
            for (uint32_t n = 0; n < NVIDIA_NODES; n++)
                if (topdown_level(&nvidia_shape, n) <= level && topdown_tree_has(&whole, n))
                    NEAR(tree.values[n], whole.values[n]);
            assert_int_equal(topdown_tree_has(&tree, NVIDIA_memory_bound), level > 1);
            assert_true(topdown_tree_adds_up(&tree, 1e-12));
            topdown_tree_fini(&tree);
            nvidia_command_free(words);
        }
        topdown_tree_fini(&whole);
    }
}

/* Reasons that are missing get the rest, as far as one node contains them. IPC_MAX 4, issued 2.5:
 * the stalls are 1.5. Each of the 16 reasons has 2 cycles, `selected` 1 and `not_selected` 6. */
static void
the_rest_is_known(void **state)
{
    struct launch launch;
    struct topdown_tree tree;
    launch_init(&launch, NCU);
    set_figures(&launch);
    for (uint32_t r = REASON_no_instruction; r < REASON_gmma; r++)
        set_stall(&launch, FAMILY_RATIO, r, 2);
    set_stall(&launch, FAMILY_RATIO, REASON_not_selected, 6);
    launch.counts.figures[FIGURE_warp_cycles] = 16 * 2 + 1 + 6;
    /* one reason: its leaf */
    set_stall(&launch, FAMILY_RATIO, REASON_wait, NAN);
    assert_int_equal(tree_of(&launch, 8, 6, &tree), NVIDIA_FINE);
    NEAR(tree.values[NVIDIA_wait], 1.5 * 2 / 32);
    topdown_tree_fini(&tree);
    /* both reasons of a part: the part, whose leaves are unknown */
    set_stall(&launch, FAMILY_RATIO, REASON_math_pipe_throttle, NAN);
    assert_int_equal(tree_of(&launch, 8, 6, &tree), NVIDIA_SHALLOW);
    NEAR(tree.values[NVIDIA_core_bound], 1.5 * 4 / 32);
    NEAR(tree.values[NVIDIA_drain], 1.5 * 2 / 32);
    assert_false(topdown_tree_has(&tree, NVIDIA_wait));
    topdown_tree_fini(&tree);
    /* one of memory too: the backend, without its parts; 9 reasons */
    set_stall(&launch, FAMILY_RATIO, REASON_drain, NAN);
    assert_int_equal(tree_of(&launch, 8, 6, &tree), NVIDIA_SHALLOW);
    NEAR(tree.values[NVIDIA_backend], 1.5 * 18 / 32);
    assert_false(topdown_tree_has(&tree, NVIDIA_memory_bound));
    assert_true(topdown_tree_adds_up(&tree, 1e-12));
    topdown_tree_fini(&tree);
    /* of both sides: nothing is known */
    set_stall(&launch, FAMILY_RATIO, REASON_barrier, NAN);
    assert_int_equal(tree_of(&launch, 8, 6, &tree), NVIDIA_NO_REASONS);
    assert_false(topdown_tree_has(&tree, NVIDIA_backend));
    topdown_tree_fini(&tree);
    /* without the sum, or without `not_selected` */
    set_stall(&launch, FAMILY_RATIO, REASON_barrier, 2);
    set_stall(&launch, FAMILY_RATIO, REASON_not_selected, NAN);
    assert_int_equal(tree_of(&launch, 8, 6, &tree), NVIDIA_NO_REASONS);
    topdown_tree_fini(&tree);
    set_stall(&launch, FAMILY_RATIO, REASON_not_selected, 6);
    launch.counts.figures[FIGURE_warp_cycles] = NAN;
    assert_int_equal(tree_of(&launch, 8, 6, &tree), NVIDIA_NO_REASONS);
    topdown_tree_fini(&tree);
}

/* Returns the argument of an option in the command, or "" without it; the caller frees it. */
static char *
argument_of(uint32_t major, uint32_t minor, const struct nvidia_request *request,
            const char *option)
{
    char **words = nvidia_command(nvidia_capability(major, minor), request), *argument = NULL;
    for (uint32_t w = 0; words[w] && !argument; w++)
        if (!strcmp(words[w], option))
            argument = strdup(words[w + 1]);
    nvidia_command_free(words);
    return argument ? argument : strdup("");
}

/* The profilers get the function's name and the numbers of the launches. */
static void
kernels_to_profile(void **state)
{
    static const struct {
        const char *kernel;
        uint64_t launches;
        const char *nvprof, *ncu;
    } cases[] = {
        {NULL, 0, "", ""},
        {"srad", 0, "::srad:", "::regex:srad:"},
        {"void a::f<int, 3>(g*)", 0, "::f:", "::regex:f:"},
        {"(anonymous namespace)::f_2(int)", 0, "::f_2:", "::regex:f_2:"},
        {"<2>", 0, "", ""},
        {NULL, 1, ":::^(1)$", ":::^(1)$"},
        {"f", 20, "::f:^([1-9]|1[0-9]|20)$", "::regex:f:^([1-9]|1[0-9]|20)$"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct nvidia_request request = {
            .log = "log", .kernel = cases[i].kernel, .launches = cases[i].launches};
        char *nvprof = argument_of(6, 1, &request, "--kernels");
        char *ncu = argument_of(7, 5, &request, "--kernel-id");
        assert_string_equal(nvprof, cases[i].nvprof);
        assert_string_equal(ncu, cases[i].ncu);
        free(nvprof);
        free(ncu);
    }
    /* the expression matches exactly the numbers from 1 on */
    static const uint64_t limits[] = {1, 9, 10, 11, 99, 100, 120, 205, 999, 1000, 3070};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        const struct nvidia_request request = {.log = "log", .launches = limits[i]};
        char *argument = argument_of(7, 5, &request, "--kernel-id"), number[16];
        regex_t regex;
        assert_int_equal(regcomp(&regex, argument + 3, REG_EXTENDED | REG_NOSUB), 0);
        for (uint32_t n = 0; n < 4000; n++) {
            snprintf(number, sizeof number, "%u", n);
            assert_int_equal(!regexec(&regex, number, 0, NULL, 0), n >= 1 && n <= limits[i]);
        }
        regfree(&regex);
        free(argument);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ipc_maximum),
        cmocka_unit_test(equations_of_nvprof),
        cmocka_unit_test(equations_of_ncu),
        cmocka_unit_test(each_reason_has_its_place),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(figures_stand_in_for_others),
        cmocka_unit_test(sums_have_more_digits),
        cmocka_unit_test(impossible_counters_are_refused),
        cmocka_unit_test(families_do_not_mix),
        cmocka_unit_test(names_of_counters),
        cmocka_unit_test(commands_collect_what_is_missing),
        cmocka_unit_test(levels_ask_for_what_they_need),
        cmocka_unit_test(the_rest_is_known),
        cmocka_unit_test(kernels_to_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
