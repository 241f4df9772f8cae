/* Statistics: names, sums over instances, differences. */
#include "base/bits.h"
#include "base/hash.h"
#include "unit/stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include <string.h>

static void
names_and_values(void **state)
{
    struct stat_set set;
    struct clipper_stats clipper = {.primitives_in = 5, .to_clip = 3};
    struct shader_stats shaders[2] = {{.instructions = 10}, {.instructions = 32}};
    uint64_t busy = 7, values[256], sum;
    stat_set_init(&set);
    stat_set_add(&set, &clipper_stat_group, -1, &clipper);
    for (int32_t i = 0; i < 2; i++)
        stat_set_add(&set, &shader_stat_group, i, &shaders[i]);
    stat_set_add_counter(&set, "clipper.busy_cycles", "cycles", "cycles busy", &busy);
    assert_true(set.count < 256);
    assert_string_equal(set.entries[0].name,
                        "clipper.primitives_in"); /* columns are in the order of adding */
    stat_set_snapshot(&set, values);

    assert_true(stat_set_sum(&set, values, "clipper.to_clip", &sum));
    assert_int_equal(sum, 3);
    assert_true(stat_set_sum(&set, values, "clipper.busy_cycles", &sum));
    assert_int_equal(sum, 7);
    assert_true(stat_set_sum(&set, values, "shader.instructions", &sum));
    assert_int_equal(sum, 42);
    assert_true(stat_set_sum(&set, values, "shader[1].instructions", &sum));
    assert_int_equal(sum, 32);
    assert_false(stat_set_sum(&set, values, "shader[2].instructions", &sum));
    assert_false(stat_set_sum(&set, values, "shade.instructions", &sum));
    assert_string_equal(stat_set_find(&set, "shader[0].instructions")->measure, "instructions");
    assert_null(stat_set_find(&set, "shader.instructions"));

    stat_set_rebase(&set);
    clipper.primitives_in += 4;
    stat_set_snapshot(&set, values);
    assert_true(stat_set_sum(&set, values, "clipper.primitives_in", &sum));
    assert_int_equal(sum, 4);
    assert_true(stat_set_sum(&set, values, "clipper.to_clip", &sum));
    assert_int_equal(sum, 0);
    stat_set_fini(&set);
}

static void
many_entries_are_found(void **state)
{
    struct stat_set set;
    uint64_t counters[3000];
    char name[32];
    stat_set_init(&set);
    for (uint32_t i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "unit[%u].x", i);
        counters[i] = i;
        stat_set_add_counter(&set, name, "things", "a test", &counters[i]);
    }
    for (uint32_t i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "unit[%u].x", i);
        assert_int_equal(*stat_set_find(&set, name)->value, i);
    }
    stat_set_fini(&set);
}

/* The low 32 bits of FNV-1a are equal for the names of each pair. */
static void
names_with_the_same_hash_are_found(void **state)
{
    static const char *const names[] = {"unit.n147081", "unit.n713190", "unit.n147080",
                                        "unit.n713191"};
    struct stat_set set;
    uint64_t counters[4] = {1, 2, 3, 4};
    stat_set_init(&set);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal((uint32_t)hash_bytes(HASH_START, names[i], strlen(names[i])),
                         (uint32_t)hash_bytes(HASH_START, names[i ^ 1], strlen(names[i ^ 1])));
        assert_null(stat_set_find(&set, names[i]));
        stat_set_add_counter(&set, names[i], "things", "a test", &counters[i]);
    }
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(*stat_set_find(&set, names[i])->value, i + 1);
    stat_set_fini(&set);
}

/* Only the names of instances contain an index. */
static void
instances_have_their_family(void **state)
{
    static const char *const yes[][2] = {
        {"unit[0].x", "unit.x"}, {"unit[12].x", "unit.x"}, {"frame.x", "frame.x"}, {"a[3]", "a"}};
    static const char *const no[][2] = {{"unit[0].x", "unit[0].x"}, {"unit[0].x", "unit.xy"},
                                        {"unit[0].xy", "unit.x"},   {"unit[0].x", "units.x"},
                                        {"units[0].x", "unit.x"},   {"unit.x", "unit.xy"},
                                        {"unit.xy", "unit.x"},      {"unit[0.x", "unit.x"}};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(stat_is_instance(yes[i][0], yes[i][1]));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(stat_is_instance(no[i][0], no[i][1]));
}

static void
bits_are_counted(void **state)
{
    for (uint64_t seed = 1, i = 0; i < 2000; i++) {
        uint32_t bits = 0;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const uint64_t word = i == 0 ? 0 : i == 1 ? UINT64_MAX : i < 66 ? 1ull << (i - 2) : seed;
        for (uint32_t b = 0; b < 64; b++)
            bits += word >> b & 1;
        assert_int_equal(bits_count(word), bits);
    }
}

static void
every_unit_documents_its_statistics(void **state)
{
    size_t count;
    const struct unit_doc *docs = unit_docs(&count);
    assert_true(count >= 15);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < docs[i].group->count; k++) {
            assert_true(strlen(docs[i].group->infos[k].doc) > 8);
            assert_true(strlen(docs[i].group->infos[k].measure) > 3);
            /* each counter has only one name */
            for (size_t other = 0; other < k; other++)
                assert_true(docs[i].group->infos[other].offset != docs[i].group->infos[k].offset);
            assert_non_null(unit_question(docs[i].group, k));
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_values),
        cmocka_unit_test(many_entries_are_found),
        cmocka_unit_test(names_with_the_same_hash_are_found),
        cmocka_unit_test(instances_have_their_family),
        cmocka_unit_test(bits_are_counted),
        cmocka_unit_test(every_unit_documents_its_statistics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
