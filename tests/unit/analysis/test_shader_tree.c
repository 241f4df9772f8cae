/* The tree of the simulated shaders with artificial counters. */
#include "analysis/shader_tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct counter {
    const char *name;
    double value;
};

/* Returns the value of a counter; counters that are not listed are 0. */
static bool
lookup(void *data, const char *name, double *value)
{
    const struct counter *counters = data;
    *value = 0;
    for (; counters->name; counters++)
        if (!strcmp(counters->name, name))
            *value = counters->value;
    return true;
}

static bool
lookup_without_ports(void *data, const char *name, double *value)
{
    return strcmp(name, "shader.slots_ports") != 0 && lookup(data, name, value);
}

static void
by_hand(void **state)
{
    struct counter counters[] = {
        {"shader.slots", 1025},        {"shader.lane_slots", 160}, /* 10 instructions of 16 lanes */
        {"shader.lanes_active", 80},   {"shader.lanes_helper", 40},
        {"shader.lanes_diverged", 32}, {"shader.lanes_empty", 8},
        {"shader.slots_issued", 200},  {"shader.slots_passes", 40},
        {"shader.slots_replayed", 20}, {"shader.slots_flow", 15},
        {"shader.slots_pair", 60},     {"shader.slots_result", 100},
        {"shader.slots_delay", 5},     {"shader.slots_ports", 25},
        {"shader.slots_texels", 300},  {"shader.slots_texture_queue", 60},
        {"shader.slots_load", 40},     {"shader.slots_output", 10},
        {"shader.slots_starved", 150}, {NULL, 0},
    };
    struct topdown_tree tree;
    struct error err;
    assert_true(shader_tree(lookup, counters, &tree, &err));
    const double *v = tree.values;
    /* turns take 200 + 40 + 60 slots, and half of their lanes are active */
    assert_float_equal(v[SHADER_all], 1025, 1e-9);
    assert_float_equal(v[SHADER_retire], 200 * 80 / 160.0, 1e-9);
    assert_float_equal(v[SHADER_helper], 300 * 40 / 160.0, 1e-9);
    assert_float_equal(v[SHADER_diverged], 300 * 32 / 160.0, 1e-9);
    assert_float_equal(v[SHADER_empty], 300 * 8 / 160.0, 1e-9);
    assert_float_equal(v[SHADER_branch], 150, 1e-9);
    assert_float_equal(v[SHADER_replay], 40 * 80 / 160.0 + 20, 1e-9);
    assert_float_equal(v[SHADER_divergence], 190, 1e-9);
    assert_float_equal(v[SHADER_fetch], 150 + 5 + 40 + 15, 1e-9);
    assert_float_equal(v[SHADER_decode], 25 + 60 * 80 / 160.0, 1e-9);
    assert_float_equal(v[SHADER_frontend], 265, 1e-9);
    assert_float_equal(v[SHADER_memory_bound], 300 + 60 + 10, 1e-9);
    assert_float_equal(v[SHADER_core_bound], 100, 1e-9);
    assert_float_equal(v[SHADER_backend], 470, 1e-9);
    assert_true(topdown_tree_adds_up(&tree, 1e-12));
    assert_int_equal(topdown_tree_verdict(&tree), SHADER_texels);
    topdown_tree_fini(&tree);

    /* one slot without a fate, then a missing counter */
    counters[0].value = 1026;
    assert_false(shader_tree(lookup, counters, &tree, &err));
    assert_non_null(strstr(err.text, "1025 of the shaders' 1026 slots"));
    counters[0].value = 1025;
    assert_false(shader_tree(lookup_without_ports, counters, &tree, &err));
    assert_non_null(strstr(err.text, "shader.slots_ports"));
}

/* 100 instructions have a third of their lanes in each state: 33 1/3, 66 2/3 and 100 become 33, 67
 * and 100. */
static void
whole_slots(void **state)
{
    struct counter counters[] = {
        {"shader.slots", 103},        {"shader.slots_issued", 100},
        {"shader.slots_starved", 3},  {"shader.lane_slots", 3},
        {"shader.lanes_active", 1},   {"shader.lanes_helper", 1},
        {"shader.lanes_diverged", 1}, {NULL, 0},
    };
    struct topdown_tree tree;
    struct error err;
    (void)state;
    assert_true(shader_tree(lookup, counters, &tree, &err));
    assert_float_equal(tree.values[SHADER_retire], 33, 0);
    assert_float_equal(tree.values[SHADER_diverged], 34, 0);
    assert_float_equal(tree.values[SHADER_helper], 33, 0);
    assert_float_equal(tree.values[SHADER_empty], 0, 0);
    assert_float_equal(tree.values[SHADER_branch], 67, 0);
    assert_float_equal(tree.values[SHADER_starved], 3, 0);
    assert_true(topdown_tree_adds_up(&tree, 0));
    topdown_tree_fini(&tree);
}

/* Neighboring lanes of a program alternate between two branches. The units have two slots per turn
 * and never pair instructions. If all lanes took the same branch, 100 of the 200 turns would
 * remain. So 200 of the 400 slots are lost to divergence, with an instruction or beside one. */
static void
two_ways(void **state)
{
    struct counter counters[] = {
        {"shader.slots", 400},
        {"shader.slots_issued", 200},
        {"shader.slots_pair", 200},
        {"shader.lane_slots", 3200},
        {"shader.lanes_active", 1600},
        {"shader.lanes_diverged", 1600},
        {NULL, 0},
    };
    struct topdown_tree tree;
    struct error err;
    (void)state;
    assert_true(shader_tree(lookup, counters, &tree, &err));
    assert_float_equal(tree.values[SHADER_retire], 100, 0);
    assert_float_equal(tree.values[SHADER_diverged], 200, 0);
    assert_float_equal(tree.values[SHADER_pair], 100, 0);
    assert_int_equal(topdown_tree_verdict(&tree), SHADER_diverged);
    topdown_tree_fini(&tree);
}

/* The machine executes no instruction. */
static void
nothing_issued(void **state)
{
    struct counter counters[] = {{"shader.slots", 7}, {"shader.slots_starved", 7}, {NULL, 0}};
    struct topdown_tree tree;
    struct error err;
    assert_true(shader_tree(lookup, counters, &tree, &err));
    assert_float_equal(tree.values[SHADER_all], 7, 0);
    assert_float_equal(tree.values[SHADER_retire], 0, 0);
    assert_int_equal(topdown_tree_verdict(&tree), SHADER_starved);
    topdown_tree_fini(&tree);
    counters[0].value = counters[1].value = 0;
    assert_true(shader_tree(lookup, counters, &tree, &err));
    assert_float_equal(topdown_tree_share(&tree, SHADER_starved), 0, 0);
    topdown_tree_fini(&tree);
}

/* Levels 1 and 2 have the names of NVIDIA's tree. */
static void
names(void **state)
{
    static const char *const parents[][2] = {
        {"retire", "all"},         {"divergence", "all"},    {"frontend", "all"},
        {"backend", "all"},        {"branch", "divergence"}, {"replay", "divergence"},
        {"fetch", "frontend"},     {"decode", "frontend"},   {"memory_bound", "backend"},
        {"core_bound", "backend"},
    };
    uint32_t found = 0;
    for (uint32_t n = 1; n < SHADER_NODES; n++) {
        const struct topdown_node *node = &shader_shape.nodes[n];
        assert_true(node->parent < n);
        assert_true(topdown_level(&shader_shape, n) <= 3);
        if (topdown_level(&shader_shape, n) == 3)
            continue;
        for (size_t i = 0; i < sizeof parents / sizeof parents[0]; i++)
            found += !strcmp(node->name, parents[i][0]) &&
                     !strcmp(shader_shape.nodes[node->parent].name, parents[i][1]);
    }
    assert_int_equal(found, 10);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),        cmocka_unit_test(whole_slots), cmocka_unit_test(two_ways),
        cmocka_unit_test(nothing_issued), cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
