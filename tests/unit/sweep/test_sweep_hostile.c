/* A plan, a query or a folder must not harm the user: no writes elsewhere, no use of foreign files,
 * no unlimited growth, no endless run. */
#include "rigs/endings.h"

#include "base/file.h"
#include "sweep/plan.h"

#include <sqlite3.h>

static void
write_plan(const char *rest)
{
    char *text = mem_printf("[input t]\nfile = %s\n[sweep]\n%s", TINY, rest);
    put_text("p.ini", text);
    free(text);
}

static void
expect_text(const char *name, const char *want)
{
    char *text = file_text(name);
    assert_string_equal(text, want);
    free(text);
}

/* Queries that write are refused, because the database is opened for reading. */
static void
questions_write_nothing(void **state)
{
    static const char *const writing[] = {"VACUUM INTO 'escaped'",
                                          "ATTACH 'escaped' AS a",
                                          "ATTACH 'file:escaped?mode=rwc' AS a",
                                          "CREATE TEMP TABLE x AS SELECT 1",
                                          "PRAGMA journal_mode = WAL",
                                          "VACUUM",
                                          "DROP TABLE runs"};
    write_plan("");
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@s"), 0);
    for (size_t i = 0; i < sizeof writing / sizeof *writing; i++) {
        assert_int_equal(RUN("sweep", "query", "@s", writing[i]), 1);
        assert_true(reports("the query must be a SELECT"));
    }
    assert_false(is_there("escaped"));
    assert_int_equal(RUN("sweep", "query", "@s", "SELECT count(*) FROM frames"), 0);
}

#define ENDLESS "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x"

/* Foreign databases and pipes are refused. */
static void
other_databases_are_refused(void **state)
{
    static const char *const made[] = {"true", "mkfifo s/results.db",
                                       "ln -s /dev/zero s/results.db", "mkdir s/results.db",
                                       "head -c 9000 " TINY " >s/results.db"};
    write_plan("");
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@s"), 0);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        char *command = mem_printf("cd %s && rm -rf s/results.db && %s", dir, made[i]);
        assert_int_equal(system(command), 0);
        assert_int_equal(RUN("sweep", "query", "@s", "SELECT 1"), 1);
        assert_int_equal(RUN("sweep", "sensitivity", "@s"), 1);
        free(command);
    }
}

/* A table is replaced with a view that has endless rows. */
static void
views_are_no_tables(void **state)
{
    sqlite3 *db;
    char *path = in_dir("s/results.db");
    write_plan("");
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@s"), 0);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "DROP TABLE outputs; CREATE VIEW outputs AS " ENDLESS
                                  " AS run, NULL AS frame, NULL AS draw, 'cycles' AS name, 1.0 AS "
                                  "value FROM c",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(RUN("sweep", "sensitivity", "@s"), 1);
    assert_true(reports("is damaged, or another version made it"));
    free(path);
}

static void
answers_do_not_grow_without_end(void **state)
{
    write_plan("");
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@s"), 0);
    assert_int_equal(RUN("sweep", "query", "@s", ENDLESS " FROM c"), 1);
    assert_true(reports("shorten it with LIMIT"));
    assert_int_equal(RUN("sweep", "query", "@s", ENDLESS " FROM c LIMIT 3"), 0);
}

/* If a folder contains files that a sweep would overwrite or remove, the sweep refuses the folder
 * and does not change it. */
static void
what_others_made_stays(void **state)
{
    static const char *const names[] = {"traces",   "logs",        "runs",
                                        "plan.ini", "build.ninja", "results.db"};
    write_plan("");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *folder = mem_printf("u%zu", i), *path = in_dir(folder);
        char *file = mem_printf("%s/%s%s", folder, names[i], i < 3 ? "/mine" : "");
        char *inner = mem_printf("%s/%s", path, i < 3 ? names[i] : "");
        struct error err;
        assert_true(dir_create(inner, &err));
        put_text(file, "mine");
        assert_int_equal(RUN("sweep", "p.ini", "-o", path), 1);
        assert_true(reports("exists"));
        expect_text(file, "mine");
        assert_int_equal(RUN("sweep", "clean", path, "--all"), 1);
        expect_text(file, "mine");
        free(inner);
        free(file);
        free(path);
        free(folder);
    }
}

/* The plan may be in the folder. If a sweep is stopped at its start, its folder is still recognized
 * as that of a sweep. */
static void
a_sweep_goes_on_in_its_folder(void **state)
{
    struct error err;
    char *folder = in_dir("s");
    assert_true(dir_create(folder, &err));
    write_plan("");
    char *text = file_text("p.ini");
    put_text("s/plan.ini", text);
    free(text);
    assert_int_equal(RUN("sweep", "s/plan.ini", "-o", "s", "--engine", "list"), 0);
    assert_int_equal(RUN("sweep", "s/plan.ini", "-o", "s"), 0);
    put_text("p.ini", "[input t]\nfile = nowhere\n");
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@t"), 1);
    write_plan("");
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@t"), 0);
    free(folder);
}

static void
links_lead_nowhere(void **state)
{
    struct error err;
    char *elsewhere = in_dir("elsewhere"), *logs = in_dir("s/logs"), *lock = in_dir("s/runs/lock");
    char *made = in_dir("made");
    write_plan("");
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@s", "--engine", "list"), 0);
    char *command = file_text("out"), key[33] = "";
    memcpy(key, command + strlen(command) - 33, 32); /* the last word is the key */
    free(command);
    assert_false(file_exists(lock)); /* no run has started there; status leaves no file */
    assert_int_equal(symlink(made, lock), 0);
    assert_int_equal(RUN("sweep", "status", "@s"), 0);
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@s"), 1);
    assert_false(file_exists(made));
    assert_int_equal(unlink(lock), 0);
    assert_true(dir_create(elsewhere, &err));
    assert_int_equal(rmdir(logs), 0);
    assert_int_equal(symlink(elsewhere, logs), 0);
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@s"), 1);
    assert_true(reports("exists"));
    assert_int_equal(RUN("sweep", "run", "@s", key), 1);
    assert_true(reports("exists"));
    assert_int_equal(rmdir(elsewhere), 0); /* rmdir() succeeds only if the folder is empty */
    free(made);
    free(lock);
    free(logs);
    free(elsewhere);
}

/* A signal arrives during the expansion of 900,000 machines, or while a Slurm command does not
 * answer. */
static void
signals_are_heeded(void **state)
{
    write_plan("axis GPU.ClockMHz = 1..1000\naxis SIMULATOR.StatisticsRate = 1..900\n");
    pid_t child = start((const char *const[]){"sweep", "p.ini", "-n", "-o", "@s", NULL}, 0);
    pause_ms(1000);
    kill(child, SIGTERM);
    assert_int_equal(await(child, 10000), 143);
    write_plan("");
    put_text("sbatch", "#!/bin/sh\necho >&2\nsleep 60\n");
    char *program = in_dir("sbatch"), *path = mem_printf("%s:%s", dir, getenv("PATH"));
    assert_int_equal(chmod(program, 0755), 0);
    setenv("PATH", path, 1);
    child =
        start((const char *const[]){"sweep", "p.ini", "-o", "@t", "--engine", "slurm", NULL}, 0);
    pause_ms(2000);
    kill(child, SIGTERM);
    assert_int_equal(await(child, 10000), 143);
    free(path);
    free(program);
}

/* The names of inputs are parts of commands and file names, so any file name must give a plain one.
 */
static void
files_give_plain_names(void **state)
{
    static const struct {
        const char *file, *name;
    } cases[] = {{"a'`touch x`;b.trace", "a__touch_x__b"},
                 {"two\nlines.trace", "two_lines"},
                 {"a.b.trace", "a.b"},
                 {"...", "__"}};
    char folder[] = "/tmp/aetius-names-XXXXXX";
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sweep_plan plan = {0};
        struct error err;
        char *path = mem_printf("%s/%s", folder, cases[i].file);
        assert_true(file_write(path, "", 0, &err));
        assert_true(sweep_plan_use_files(&plan, (const char *const[]){path}, 1, &err));
        assert_string_equal(plan.inputs.items[0].name, cases[i].name);
        unlink(path);
        free(path);
        sweep_plan_fini(&plan);
    }
    rmdir(folder);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(questions_write_nothing, clean),
        cmocka_unit_test_teardown(other_databases_are_refused, clean),
        cmocka_unit_test_teardown(views_are_no_tables, clean),
        cmocka_unit_test_teardown(answers_do_not_grow_without_end, clean),
        cmocka_unit_test_teardown(what_others_made_stays, clean),
        cmocka_unit_test_teardown(a_sweep_goes_on_in_its_folder, clean),
        cmocka_unit_test_teardown(links_lead_nowhere, clean),
        cmocka_unit_test_teardown(signals_are_heeded, clean),
        cmocka_unit_test(files_give_plain_names),
    };
    return endings_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
