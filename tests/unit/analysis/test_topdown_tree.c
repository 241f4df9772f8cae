/* Trees of Top-Down analysis: sums, flags, order, and the printed tree. */
#include "analysis/topdown.h"
#include "analysis/topdown_print.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct topdown_node nodes[] = {
    {"all", 0, false, 0, "", NULL, NULL},     {"work", 0, false, 0, "", NULL, NULL},
    {"lost", 0, true, 0.2, "", NULL, NULL},   {"small", 0, true, 0.2, "", NULL, NULL},
    {"a", 2, true, 0.1, "", "do less", NULL}, {"b", 2, true, 0.5, "", NULL, NULL},
    {"c", 3, true, 0.05, "", NULL, NULL},
};
static const struct topdown_shape shape = {nodes, 7, "cycles"};

static void
trees(void **state)
{
    struct topdown_tree tree, other;
    topdown_tree_init(&tree, &shape);
    tree.values[1] = 50;
    tree.values[4] = 12;
    tree.values[5] = 20;
    tree.values[6] = 18;
    topdown_tree_sum(&tree);
    assert_float_equal(tree.values[0], 100, 0);
    assert_float_equal(tree.values[2], 32, 0);
    assert_true(topdown_tree_adds_up(&tree, 0));
    assert_true(topdown_tree_flagged(&tree, 4));
    assert_false(topdown_tree_flagged(&tree, 5)); /* 0.2 < 0.5 */
    assert_false(topdown_tree_flagged(&tree, 6)); /* 0.18 > 0.05, but its parent is below 0.2 */
    assert_int_equal(topdown_tree_verdict(&tree), 4);
    assert_int_equal(topdown_level(&shape, 6), 2);
    assert_int_equal(topdown_find(&shape, "c"), 6);
    assert_int_equal(topdown_find(&shape, "d"), 0);
    assert_true(topdown_is_below(&shape, 6, 3) && topdown_is_below(&shape, 6, 6));
    assert_false(topdown_is_below(&shape, 6, 2));
    static const uint32_t order[] = {1, 2, 4, 5, 3, 6, 0}; /* each child follows its parent */
    for (uint32_t i = 0, node = 0; i < 7; i++)
        assert_int_equal(node = topdown_next(&shape, node), order[i]);
    tree.values[6] = 19;
    assert_false(topdown_tree_adds_up(&tree, 0.001));
    /* the other tree has 0 in c */
    topdown_tree_init(&other, &shape);
    other.values[1] = 10;
    topdown_tree_sum(&other);
    topdown_tree_add(&other, &tree, 0.5);
    topdown_tree_scale(&other, 2);
    assert_float_equal(other.values[1], 2 * (10 + 25), 0);
    assert_float_equal(other.values[6], 19, 0);
    topdown_tree_fini(&other);
    topdown_tree_fini(&tree);
}

/* Returns the tree as printed in this style; the caller frees the string. */
static __attribute__((noinline)) char *
printed(const struct topdown_tree *tree, struct topdown_style style)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    topdown_print(tree, &style, out);
    fclose(out);
    return text;
}

static void
printing(void **state)
{
    struct topdown_tree tree;
    topdown_tree_init(&tree, &shape);
    tree.values[1] = 50;
    tree.values[4] = 12;
    tree.values[5] = 20;
    tree.values[6] = 18;
    topdown_tree_sum(&tree);
    for (uint32_t width = 40; width <= 160; width++) {
        char *text = printed(&tree, (struct topdown_style){.width = width, .level = 3});
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
            assert_true(strcspn(line, "\n") <= (width < 62 ? 62 : width));
            /* the bar of "work" is half of the full width */
            if (!strncmp(line, "  work ", 7))
                assert_int_equal(strspn(line + strcspn(line, "#\n"), "#"),
                                 width > 62 ? lround((width - 62) / 2.0) : 0);
        }
        free(text);
    }
    char *text = printed(&tree, (struct topdown_style){.width = 80, .level = 3});
    assert_non_null(strstr(text, "\n    a "));
    assert_null(strstr(text, "\n    c ")); /* its parent is below the threshold */
    assert_null(strchr(text, '\033'));
    assert_ptr_equal(strstr(text, "<=="), strstr(strstr(text, "    a "), "<=="));
    free(text);
    text = printed(&tree, (struct topdown_style){
                              .width = 80, .level = 3, .shows_all = true, .has_color = true});
    assert_non_null(strstr(text, "\n    c "));
    assert_non_null(strchr(text, '\033'));
    free(text);
    text = printed(&tree, (struct topdown_style){.width = 80, .level = 3, .node = 3});
    assert_memory_equal(text, "  small ", 8);
    assert_non_null(strstr(text, "\n    c ")); /* the node is below its threshold */
    assert_null(strstr(text, "  a "));
    free(text);
    text = printed(&tree, (struct topdown_style){.width = 80, .level = 1});
    assert_null(strstr(text, "\n    "));
    free(text);
    topdown_tree_fini(&tree);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees),
        cmocka_unit_test(printing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
