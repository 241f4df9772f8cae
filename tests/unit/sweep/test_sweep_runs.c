/* The command `aetius sweep` with a small trace. Its results equal those of `aetius sim`, and it
 * does not repeat finished runs. After any interruption the same command produces the same
 * database. */
#include "rigs/endings.h"
#include "sweep/database.h"
#include "sweep/store.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <math.h>

enum { SWEEP_MS = 120000 };

/* Writes a plan with the tiny trace, whose file name has special characters. */
static void
write_plan(const char *sweep, const char *rest)
{
    char *text =
        mem_printf("[sweep]\noutputs = cycles frame_rate\n%s\n[input tiny]\nfile = a 'b.trace\n"
                   "%s",
                   sweep, rest);
    char *link = in_dir("a 'b.trace");
    if (!file_exists(link))
        assert_int_equal(symlink(TINY, link), 0);
    free(link);
    put_text("plan.ini", text);
    free(text);
}

/* Returns the result of a query as CSV; the caller frees it. */
static char *
ask(const char *folder, const char *sql)
{
    char *at = in_dir(folder);
    assert_int_equal(RUN("sweep", "query", at, sql, "--csv"), 0);
    free(at);
    return file_text("out");
}

static bool
same_bytes(const char *a, const char *b)
{
    char *command = mem_printf("cd '%s' && cmp -s '%s' '%s'", dir, a, b);
    const int status = system(command);
    free(command);
    return !status;
}

static uint32_t
count_names(const char *folder, const char *end)
{
    char *path = in_dir(folder);
    DIR *open = opendir(path);
    uint32_t count = 0;
    for (const struct dirent *entry; open && (entry = readdir(open));) {
        const size_t length = strlen(entry->d_name), tail = strlen(end);
        count += length == 32 + tail && !strcmp(entry->d_name + 32, end);
    }
    if (open)
        closedir(open);
    free(path);
    return count;
}

/* Returns a number of a JSON output, or one of its metrics. */
static double
number_in(const char *file, const char *name)
{
    char *text = file_text(file);
    cJSON *root = cJSON_Parse(text);
    const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(root, "metrics");
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, name);
    item = item ? item : cJSON_GetObjectItemCaseSensitive(metrics, name);
    assert_true(cJSON_IsNumber(item));
    const double number = item->valuedouble;
    cJSON_Delete(root);
    free(text);
    return number;
}

static void
a_sweep_comes_to_what_sim_does(void **state)
{
    static const char *const tables[] = {"stats.frames.csv.gz", "stats.draws.csv.gz",
                                         "stats.cycles.csv.gz", "machine.ini",
                                         "frames/frame-0001.png"};
    char key[40], *text, *want;
    write_plan("baseline = large",
               "[machine large]\n[machine small]\nset = GPU.NumFragmentShaders=1\n"
               "[output shaded]\nformula = shader.instructions / cycles\n"
               "by = run frame draw\n");
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@s"), 0);
    assert_int_equal(RUN("sim", TINY, "-o", "@large"), 0);
    assert_int_equal(RUN("sim", TINY, "-o", "@small", "--set", "GPU.NumFragmentShaders=1"), 0);
    const double large = number_in("large/run.json", "cycles");
    const double small = number_in("small/run.json", "cycles");
    assert_true(small > large);
    text = ask("s", "SELECT machine, \"GPU.NumFragmentShaders\", cycles FROM results");
    want = mem_printf("machine,GPU.NumFragmentShaders,cycles\nlarge,4,%.1f\nsmall,1,%.1f\n", large,
                      small);
    assert_string_equal(text, want);
    free(text);
    free(want);
    text = ask("s", "SELECT value FROM outputs WHERE name = 'frame_rate' AND run = 1");
    assert_true(
        fabs(strtod(text + strlen("value\n"), NULL) / number_in("large/run.json", "frame_rate") -
             1) < 1e-12);
    free(text);
    /* relative to the baseline */
    text = ask("s", "SELECT relative FROM outputs WHERE name = 'cycles' AND run = 2");
    assert_true(fabs(strtod(text + strlen("relative\n"), NULL) - small / large) < 1e-12);
    free(text);
    /* tables are equal byte for byte; the folder of a run can be loaded into SQL */
    text = ask("s", "SELECT key FROM runs WHERE machine = 'small'");
    snprintf(key, sizeof key, "%.32s", text + strlen("key\n"));
    free(text);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        char *mine = mem_printf("s/runs/%s/%s", key, tables[i]),
             *sims = mem_printf("small/%s", tables[i]);
        if (!same_bytes(mine, sims))
            fail_msg("%s differs", tables[i]);
        free(mine);
        free(sims);
    }
    text = ask("s",
               "SELECT sum(f.cycles) FROM frames f JOIN runs USING (run) WHERE machine = 'small'");
    want = mem_printf("sum(f.cycles)\n%.0f\n", small);
    assert_string_equal(text, want);
    free(text);
    free(want);
    /* each draw appears once per frame */
    text = ask("s", "SELECT count(*), count(DISTINCT frame), count(DISTINCT draw) FROM outputs "
                    "WHERE run = 1 AND draw IS NOT NULL");
    assert_non_null(strstr(text, "\n18,2,9\n"));
    free(text);
    text = ask("s", "SELECT count(*) FROM draws_shader WHERE run = 1 AND instance = 3");
    assert_null(strstr(text, "\n0\n"));
    free(text);
    assert_int_equal(RUN("sweep", "query", "@s", "SELECT * FROM nowhere"), 1);
    assert_true(reports("no such table: nowhere"));
    assert_int_equal(RUN("sweep", "query", "@s", "DELETE FROM runs"), 1);
    assert_int_equal(RUN("sweep", "query", "@s", "SELECT 1; SELECT 2"), 1);
}

/* If an axis has more values, any plan with the same store simulates only the new ones. */
static void
only_what_is_new_is_done(void **state)
{
    char *store = in_dir("a store\n'");
    write_plan("axis GPU.ClockMHz = 100 200", "");
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@s", "--store", store), 0);
    assert_int_equal(count_names("a store\n'", ""), 2);
    assert_int_equal(count_names("s/logs", ""), 2);
    write_plan("axis GPU.ClockMHz = 100 200 300", "[machine other]\n[output twice]\n"
                                                  "formula = 2 * cycles\n");
    assert_int_equal(RUN("sweep", "@plan.ini", "-n", "-o", "@t", "--store", store, "--json"), 0);
    assert_int_equal((int)number_in("out", "todo"), 1);
    assert_true(number_in("out", "seconds") > 0);
    assert_false(is_there("t"));
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@t", "--store", store), 0);
    assert_int_equal(count_names("a store\n'", ""), 3);
    assert_int_equal(count_names("t/logs", ""), 1);
    char *text = ask("t", "SELECT \"GPU.ClockMHz\", twice / cycles FROM results");
    assert_string_equal(text, "GPU.ClockMHz,twice / cycles\n100,2.0\n200,2.0\n300,2.0\n");
    free(text);
    assert_int_equal(RUN("sweep", "clean", "@t", "--all"), 0);
    assert_int_equal(count_names("a store\n'", ""), 3);
    assert_false(is_there("t/results.db"));
    free(store);
}

/* The folder name has special characters of shells, ninja and SQL. */
static void
any_name_of_a_folder_will_do(void **state)
{
    char *folder = in_dir("it's a $HOME: \"x\"\n%41?#");
    write_plan("axis GPU.ClockMHz = 100 200", "");
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", folder), 0);
    assert_int_equal(RUN("sweep", "query", folder, "SELECT count(*) FROM frames", "--csv"), 0);
    char *text = file_text("out");
    assert_string_equal(text, "count(*)\n4\n");
    free(text);
    /* the commands of the list also execute the runs */
    assert_int_equal(RUN("sweep", "clean", folder, "--all"), 0);
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", folder, "--engine", "list"), 0);
    char *command = mem_printf("cd '%s' && sh out", dir);
    assert_int_equal(system(command), 0);
    assert_int_equal(RUN("sweep", "status", folder, "--json"), 0);
    assert_int_equal((int)number_in("out", "done"), 2);
    assert_int_equal(RUN("sweep", "collect", folder), 0);
    assert_int_equal(RUN("sweep", "query", folder, "SELECT count(*) FROM frames", "--csv"), 0);
    text = file_text("out");
    assert_string_equal(text, "count(*)\n4\n");
    free(text);
    assert_int_equal(RUN("sweep", "collect", "@nowhere"), 1);
    free(command);
    free(folder);
}

/* Returns what sha256sum prints about the tiny trace. */
static char *
hash_of_tiny(void)
{
    char *command = mem_printf("sha256sum <%s | cut -c 1-64 >'%s/hash'", TINY, dir);
    assert_int_equal(system(command), 0);
    free(command);
    char *hash = file_text("hash");
    hash[strcspn(hash, "\n")] = '\0';
    return hash;
}

/* A file with the hash of the plan is accepted. The message names an input whose file has another
 * hash, or is missing. With --keep-going, such inputs are omitted. */
static void
hashes_are_checked(void **state)
{
    char *hash = hash_of_tiny();
    char *right = mem_printf("sha256 = %s\n", hash);
    write_plan("", right);
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@s"), 0);
    hash[0] = hash[0] == '0' ? '1' : '0';
    char *wrong = mem_printf("%s[input other]\nfile = a 'b.trace\nsha256 = %s\n"
                             "[input gone]\nfile = gone.trace\nsha256 = %s\n",
                             right, hash, hash);
    write_plan("", wrong);
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@t"), 1);
    assert_true(reports("but the plan's [input other] has"));
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@u", "--keep-going"), 1);
    assert_true(reports("but the plan's [input other] has"));
    assert_true(reports("gone.trace"));
    assert_true(reports("2 inputs are omitted"));
    char *text = ask("u", "SELECT count(*) FROM results");
    assert_string_equal(text, "count(*)\n1\n");
    free(text);
    free(wrong);
    free(right);
    free(hash);
    (void)state;
}

/* One machine is impossible. The sweep executes the other runs, and the message contains the error
 * of the failed run. */
static void
failures_are_reported(void **state)
{
    write_plan("", "[machine impossible]\nset = MEMORYCONTROLLER.MemorySize=1048576\n"
                   "[machine fine]\n[machine good]\nset = GPU.ClockMHz=100\n");
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@s", "--keep-going"), 1);
    assert_true(reports("tiny on impossible failed"));
    assert_true(reports("1 of 3 runs failed"));
    assert_true(reports("MEMORYCONTROLLER.MemorySize")); /* the last line of the log */
    assert_int_equal(count_names("s/logs", ".failed"), 1);
    assert_int_equal(count_names("s/runs", ".part"), 0);
    assert_int_equal(RUN("sweep", "status", "@s", "--json"), 0);
    assert_int_equal((int)number_in("out", "failed"), 1);
    assert_int_equal((int)number_in("out", "done"), 2);
    char *text = ask("s", "SELECT machine FROM results");
    assert_string_equal(text, "machine\nfine\ngood\n");
    free(text);
    write_plan("", "[output x]\nformula = 1 + no.such\n");
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@t"), 1);
    assert_true(reports("[output x]: formula '1 + no.such': unknown name no.such"));
    for (uint32_t i = 0; i < 2; i++) {
        write_plan("", i ? "[output frame_rate]\nformula = 1 + cycles\n"
                         : "[output cycles]\nformula = fraggen.fragments\n");
        assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@t"), 1);
        assert_true(reports("the name is already used by"));
    }
    assert_int_equal(RUN("sweep", "@nothing.ini", "-o", "@t"), 1);
    assert_int_equal(RUN("sweep", "@plan.ini", "--engine", "cloud"), 2);
    assert_true(reports("expected one of local, slurm, list"));
    assert_int_equal(RUN("sweep", "status", "@never"), 1);
    assert_true(reports("is not a sweep folder"));
}

/* With one row of statistics per cycle, the run takes minutes. */
static void
limits_end_a_run(void **state)
{
    char *text = mem_printf(
        "[input w]\nfile = %s\n[machine slow]\nset = SIMULATOR.StatisticsRate=1\n", WORKLOADS);
    put_text("plan.ini", text);
    free(text);
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@s", "--time-limit", "1"), 1);
    assert_true(reports("took longer than 1 s (--time-limit)"));
    assert_int_equal(count_names("s/runs", ".part"), 0);
    assert_int_equal(count_names("s/runs", ""), 0);
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@s", "--memory-limit", "4M"), 1);
    assert_true(reports("the run used more memory than 4 MB (--memory-limit)"));
    assert_true(reports("w on slow failed"));
    assert_int_equal(count_names("s/runs", ".part"), 0);
    write_plan("", "");
    assert_int_equal(
        RUN("sweep", "@plan.ini", "-o", "@t", "--memory-limit", "2G", "--time-limit", "100"), 0);
}

/* A query loads a table that is larger than SQLite's memory limit. Each number of a row has at
 * least one byte, its type (SQLite's record format). Then the database is built with the limit in
 * place. */
static void
tables_may_exceed_the_memory_of_queries(void **state)
{
    enum { LIMIT = 3 << 20 };
    struct sweep sweep;
    struct sweep_plan plan;
    struct error err = {""};
    struct text_table sizes = {0}, rows = {0};
    sqlite3 *db;
    write_plan("set = SIMULATOR.StatisticsRate=5\naxis GPU.ClockMHz = 100 200", "");
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@s"), 0);
    char *folder = in_dir("s"), *path = in_dir("plan.ini");
    assert_true(sweep_load(&sweep, folder, &err));
    assert_true(database_open(&sweep, &db, &err));
    sqlite3_hard_heap_limit64(LIMIT);
    if (!database_query(&sweep, db, "SELECT count(*), sum(cycles) FROM cycles", &sizes, &err))
        fail_msg("%s", err.text);
    assert_true(database_query(&sweep, db, "SELECT * FROM cycles LIMIT 1", &rows, &err));
    const double bytes = strtod(sizes.cells.items[2], NULL) * rows.columns;
    if (bytes < 2 * LIMIT)
        fail_msg("the table has only %.0f bytes", bytes);
    sqlite3_close(db);
    sqlite3_hard_heap_limit64(1 << 10);
    assert_true(sweep_plan_load(&plan, path, &err));
    if (!database_build(&sweep, &plan, &err))
        fail_msg("%s", err.text);
    text_table_fini(&sizes);
    text_table_fini(&rows);
    sweep_plan_fini(&plan);
    sweep_fini(&sweep);
    free(folder);
    free(path);
}

/* Kills the sweep with several signals at pseudo-random times, then completes it. */
static void
whatever_stops_it_the_result_is_the_same(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGKILL, SIGINT, SIGKILL};
    uint32_t random = 2026;
    write_plan("axis GPU.ClockMHz = 101..106\naxis GPU.NumFragmentShaders = 2 4", "");
    assert_int_equal(
        await(start((const char *const[]){"sweep", "@plan.ini", "-o", "@whole", NULL}, 0),
              SWEEP_MS),
        0);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        const pid_t child =
            start((const char *const[]){"sweep", "@plan.ini", "-o", "@cut", NULL}, 0);
        random = random * 1664525 + 1013904223;
        pause_ms(20 + (int)(random >> 16) % 300);
        kill(child, signals[i]);
        const int status = await(child, 20000);
        if (signals[i] != SIGKILL && status != 0)
            assert_int_equal(status, 128 + signals[i]);
        if (signals[i] != SIGKILL)
            assert_int_equal(count_names("cut/runs", ".part"), 0);
    }
    assert_int_equal(
        await(start((const char *const[]){"sweep", "@plan.ini", "-o", "@cut", NULL}, 0), SWEEP_MS),
        0);
    assert_int_equal(count_names("cut/runs", ""), 12);
    assert_int_equal(count_names("cut/runs", ".part"), 0);
    assert_true(same_bytes("whole/results.db", "cut/results.db"));
}

/* If another process executes a run, the sweep waits for it and does not repeat it. The sweep
 * removes files of a killed process. */
static void
runs_are_locked(void **state)
{
    struct error err;
    int lock;
    write_plan("", "");
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@s"), 0);
    char *text = ask("s", "SELECT key FROM runs"), key[40];
    snprintf(key, sizeof key, "%.32s", text + strlen("key\n"));
    free(text);
    char *store = in_dir("s/runs"), *folder = store_path(store, key), *aside = in_dir("aside");
    char *part = store_part_path(store, key), *file = mem_printf("%s/run.json", part);
    assert_int_equal(rename(folder, aside), 0);
    assert_true(store_lock(store, key, false, &lock, &err) && lock >= 0);
    assert_true(store_is_busy(store, key));
    assert_int_equal(RUN("sweep", "status", "@s", "--json"), 0);
    assert_int_equal((int)number_in("out", "at_work"), 1);
    assert_true(dir_create(part, &err) && file_write(file, "x", 1, &err));
    assert_int_equal(RUN("sweep", "clean", "@s"), 0);
    assert_true(file_exists(part));
    const pid_t child = start((const char *const[]){"sweep", "run", "@s", key, NULL}, 0);
    pause_ms(300);
    assert_int_equal(waitpid(child, NULL, WNOHANG), 0); /* the run waits for the lock */
    /* the process with the lock has finished the run */
    assert_int_equal(rename(aside, folder), 0);
    store_unlock(lock);
    assert_int_equal(await(child, 10000), 0);
    assert_false(store_is_busy(store, key));
    assert_true(file_exists(part)); /* the sweep has not started a run */
    assert_int_equal(RUN("sweep", "clean", "@s"), 0);
    assert_false(file_exists(part));
    assert_true(file_exists(folder));
    assert_int_equal(RUN("sweep", "run", "@s", "0123"), 1);
    assert_true(reports("0123 is not the key of a run"));
    free(file);
    free(part);
    free(aside);
    free(folder);
    free(store);
}

/* Runs with the most draws start first, so that no long run starts last. Otherwise runs start in
 * the order of the plan. */
static void
most_draws_go_first(void **state)
{
    static const uint32_t order[] = {1, 3, 0, 2};
    put_text("plan.ini", "[machine a]\n[machine b]\nset = GPU.NumFragmentShaders=1\n"
                         "[input one]\nfile = " TINY "\nframes = 0\n"
                         "[input two]\nfile = " TINY "\nframes = 0-1\n");
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@s", "--engine", "list"), 0);
    char *runs = file_text("s/runs.jsonl"), *commands = file_text("out"), *rest = runs;
    const char *keys[4], *at = commands;
    for (uint32_t i = 0; i < 4; i++) {
        keys[i] = strstr(rest, "\"key\":\"") + strlen("\"key\":\"");
        rest = strchr(keys[i], '"');
        *rest++ = '\0';
    }
    for (uint32_t i = 0; i < 4; i++) {
        at = strstr(at, keys[order[i]]);
        assert_non_null(at);
    }
    free(runs);
    free(commands);
}

/* If a trace changes after planning, it is not simulated as the old one. */
static void
a_changed_trace_is_noticed(void **state)
{
    char *command = mem_printf("cp %s '%s/t.trace'", TINY, dir);
    put_text("plan.ini", "[input t]\nfile = t.trace\n");
    assert_int_equal(system(command), 0);
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@s", "--engine", "list"), 0);
    free(command);
    command = mem_printf("cp %s '%s/t.trace' && cd '%s' && sh out >said 2>&1", WORKLOADS, dir, dir);
    assert_int_not_equal(system(command), 0);
    assert_int_equal(count_names("s/runs", ""), 0);
    assert_int_equal(count_names("s/logs", ".failed"), 1);
    free(command);
}

/* Writes a program to the test's folder, which is first in the PATH. */
static void
put_program(const char *name, const char *script)
{
    char *text = mem_printf("#!/bin/sh\n%s\n", script), *path = in_dir(name);
    put_text(name, text);
    assert_int_equal(chmod(path, 0755), 0);
    free(path);
    free(text);
}

static uint32_t
count_lines(const char *name, const char *with)
{
    char *text = file_text(name);
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, with)); at++)
        count++;
    free(text);
    return count;
}

/* Scripts replace sbatch and squeue. sbatch records its arguments and numbers jobs; squeue prints
 * the file `queue`. */
static void
slurm_gets_what_it_has_not(void **state)
{
    char *path = mem_printf("%s:%s", dir, getenv("PATH")), *before = mem_strdup(getenv("PATH"));
    char *bin = mem_printf("echo \"$*\" >>'%s/told'; wc -l <'%s/told'", dir, dir);
    char *squeue = mem_printf("cat '%s/queue'; sh '%s/meanwhile'", dir, dir);
    put_program("sbatch", bin);
    put_program("squeue", squeue);
    put_text("queue", "");
    put_text("meanwhile", ":\n");
    write_plan("axis GPU.ClockMHz = 101..105", "");
    setenv("PATH", path, 1);
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@s", "--engine=slurm", "--per-element=2",
                         "--max-array-size=2", "--jobs=7", "--time-limit=50", "--memory-limit=1G",
                         "--sbatch=--partition=x"),
                     0);
    /* five runs in elements of two, two and one; arrays of two elements and of one; a collector */
    char *calls = file_text("told");
    assert_non_null(
        strstr(calls, "--array=0-1%7 --time=3 --mem=1040M --partition=x slurm/array-1.sh\n"));
    assert_non_null(strstr(calls, "--array=0-0%7 "));
    assert_non_null(strstr(calls, "--dependency=afterany:1:2 "));
    free(calls);
    assert_int_equal(count_lines("s/slurm/keys-1", "\n"), 4);
    assert_int_equal(count_lines("s/slurm/keys-2", "\n"), 1);
    /* the second element executes its runs, the first is still queued, and the second array is lost
     */
    char *command = mem_printf("cd '%s/s' && SLURM_ARRAY_TASK_ID=1 sh slurm/array-1.sh", dir);
    assert_int_equal(system(command), 0);
    assert_int_equal(count_names("s/runs", ""), 2);
    put_text("queue", "1 0\n77 1\n");
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@s", "--engine", "slurm"), 0);
    assert_true(reports("2 runs are already submitted to slurm"));
    assert_int_equal(count_lines("s/slurm/keys-3", "\n"), 1);
    assert_int_equal(count_lines("told", "array="), 3);
    assert_int_equal(count_lines("told", "--array=0-0 "),
                     1); /* with the largest number of simultaneous elements */
    char *lost = file_text("s/slurm/keys-2"), *again = file_text("s/slurm/keys-3");
    assert_string_equal(lost, again);
    /* if squeue fails, the state of jobs is unknown */
    put_text("queue", "");
    put_text("meanwhile", "echo no controller; exit 1\n");
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@s", "--engine", "slurm"), 1);
    assert_true(reports("squeue: no controller"));
    /* runs that finish during the query count: all runs are complete, and the sweep collects them
     * at once */
    free(command);
    command = mem_printf("cd '%s/s' && SLURM_ARRAY_TASK_ID=0 sh slurm/array-1.sh && "
                         "SLURM_ARRAY_TASK_ID=0 sh slurm/array-3.sh\n",
                         dir);
    put_text("meanwhile", command);
    assert_int_equal(RUN("sweep", "@plan.ini", "-o", "@s", "--engine", "slurm"), 0);
    assert_int_equal(count_lines("told", "array="), 3);
    assert_true(reports("5 of 5 runs"));
    setenv("PATH", before, 1);
    free(again);
    free(lost);
    free(command);
    free(squeue);
    free(bin);
    free(before);
    free(path);
}

/* A missing program is reported before any capture, with the source of the program. --keep-going
 * continues without it. */
static void
programs_that_are_not_there(void **state)
{
    (void)state;
    char *path = mem_strdup(getenv("PATH"));
    write_plan("", "[input gone]\nprogram = ./gone --fast\nframes = 0\n"
                   "[input scene]\nprogram = glmark2 -b build\nframes = 0\n"
                   "[input again]\nprogram = glmark2 -b bump\nframes = 0\n");
    char *ninja = in_dir("bin");
    assert_int_equal(mkdir(ninja, 0777), 0);
    char *link = in_dir("bin/ninja");
    assert_int_equal(symlink("/usr/bin/ninja", link), 0);
    setenv("PATH", ninja, 1);
    const int first = RUN("sweep", "@plan.ini", "-o", "s");
    assert_true(reports("not installed: ./gone, glmark2 (Debian: glmark2-x11) (--keep-going"));
    assert_false(is_there("s/traces"));
    const int kept = RUN("sweep", "@plan.ini", "-o", "s", "-k");
    assert_true(reports("not installed: ./gone, glmark2 (Debian: glmark2-x11)"));
    assert_true(reports("3 inputs are omitted"));
    put_text("p.ini", "[sweep]\noutputs = cycles\n[input tiny]\nfile = " TINY
                      "\nframes = 0\n[input gone]\nprogram = glmark2\nframes = 0\n"
                      "[table t]\nsql = SELECT input, cycles FROM results\ntitle = T\n");
    const int study = RUN("study", "shader", "--plan", "p.ini", "-o", "new/s", "-k");
    assert_true(reports("1 input is omitted"));
    setenv("PATH", path, 1);
    assert_int_equal(first, 1);
    assert_int_equal(kept, 1);
    assert_int_equal(study, 1);
    char *answer = ask("s", "SELECT input FROM results"), *table = file_text("new/s/t.csv");
    assert_string_equal(answer, "input\ntiny\n");
    assert_non_null(strstr(table, "\ntiny,"));
    free(table);
    free(answer);
    free(link);
    free(ninja);
    free(path);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_sweep_comes_to_what_sim_does, clean),
        cmocka_unit_test_teardown(only_what_is_new_is_done, clean),
        cmocka_unit_test_teardown(any_name_of_a_folder_will_do, clean),
        cmocka_unit_test_teardown(hashes_are_checked, clean),
        cmocka_unit_test_teardown(failures_are_reported, clean),
        cmocka_unit_test_teardown(limits_end_a_run, clean),
        cmocka_unit_test_teardown(tables_may_exceed_the_memory_of_queries, clean),
        cmocka_unit_test_teardown(whatever_stops_it_the_result_is_the_same, clean),
        cmocka_unit_test_teardown(runs_are_locked, clean),
        cmocka_unit_test_teardown(most_draws_go_first, clean),
        cmocka_unit_test_teardown(a_changed_trace_is_noticed, clean),
        cmocka_unit_test_teardown(slurm_gets_what_it_has_not, clean),
        cmocka_unit_test_teardown(programs_that_are_not_there, clean),
    };
    return endings_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
