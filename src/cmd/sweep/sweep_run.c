/* aetius sweep run DIR KEY...: executes runs of a sweep one after the other, each in a separate
 * process, and adds them to the store. All engines call this command. */
#include "analysis/compression.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/subprocess.h"
#include "cmd/simulate.h"
#include "cmd/sweep/sweep.h"
#include "sweep/store.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURN_MS = 100 }; /* interval at which limits are checked */

struct run_request {
    const char *list; /* a file with one key per line, or NULL */
    uint64_t element, per_element;
    bool with_parent;
};

/* Checks that the run is still the planned one: same trace, presets and simulator. */
static bool
check_key(const struct sweep *sweep, const struct sweep_run *run, const struct params *params,
          struct error *err)
{
    const struct sweep_trace *trace = &sweep->traces.items[run->trace];
    char hash[SHA256_TEXT], key[SWEEP_KEY_TEXT];
    if (!store_hash_trace(sweep->store, trace->path, hash, err))
        return false;
    if (strcmp(hash, trace->hash) != 0)
        return fail(err, "%s differs from the planned trace: run `aetius sweep` on the plan again",
                    trace->path);
    sweep_key(key, params, hash, trace->frames, run->blocks);
    return !strcmp(key, run->key) ||
           fail(err, "this aetius or its presets differ from those that planned the run: run "
                     "`aetius sweep` on the plan again");
}

/* Measures each codec on the blocks that the run captured, and writes DIR/compression.json. */
static bool
count_blocks(const char *dir, enum sweep_blocks blocks, struct error *err)
{
    struct compression buses[CODEC_BUSES] = {0};
    bool ok = true;
    for (uint32_t bus = 0; bus < CODEC_BUSES; bus++) {
        buses[bus].bus = bus;
        buses[bus].threads = 1;
        for (uint32_t kind = 0; ok && kind < COMPRESSION_KINDS; kind++) {
            char *path = mem_printf("%s/blocks.%s", dir, compression_kinds[kind]);
            ok = compression_add_file(&buses[bus], path, err);
            if (ok && bus + 1 == CODEC_BUSES && blocks != SWEEP_BLOCKS_KEEP)
                unlink(path);
            free(path);
        }
    }
    return ok && compression_write(buses, dir, err);
}

static bool
simulate(const struct sweep *sweep, const struct sweep_run *run, struct error *err)
{
    const struct sweep_trace *trace = &sweep->traces.items[run->trace];
    struct preset_cache presets = {0};
    struct params params;
    char *part = store_part_path(sweep->store, run->key);
    struct simulate_options options = {.dir = part, .params = &params, .warm_up = WARM_UP_ALL};
    options.machine.preset = run->preset;
    options.capture_blocks = run->blocks;
    const bool ok = machine_make(&presets, run->preset, &run->sets, &params, err) &&
                    check_key(sweep, run, &params, err) &&
                    frame_set_parse(&options.timed, trace->frames, err) && tree_remove(part, err) &&
                    dir_create(part, err) && simulate_trace(&options, trace->path, err) &&
                    (!run->blocks || count_blocks(part, run->blocks, err));
    preset_cache_fini(&presets);
    free(part);
    return ok;
}

struct run_task {
    const struct sweep *sweep;
    const struct sweep_run *run;
};

/* Body of the child process. Returns its exit status. */
static int
do_run(void *data)
{
    const struct run_task *task = data;
    struct error err = {""};
    work_log_begin(task->sweep, task->run->key);
    const bool ok = simulate(task->sweep, task->run, &err);
    if (!ok)
        log_error("%s", err.text);
    return ok ? EXIT_WELL : EXIT_FAILED;
}

/* Resident memory of the process in bytes, without memory that is only reserved; 0: the process has
 * exited. */
static uint64_t
used_bytes(pid_t process)
{
    unsigned long long all, used = 0;
    char *path = mem_printf("/proc/%d/statm", (int)process);
    FILE *in = fopen(path, "re");
    free(path);
    if (!in)
        return 0;
    if (fscanf(in, "%llu %llu", &all, &used) != 2)
        used = 0;
    fclose(in);
    return used * (uint64_t)sysconf(_SC_PAGESIZE);
}

enum ending { LEFT, LATE, LARGE };

/* Waits until the child exceeds a limit, or exits and thereby closes its end of the pipe. */
static enum ending
wait_for_child(const struct subprocess *child, const struct sweep *sweep)
{
    const double started = wall_seconds();
    bool reported = false;
    for (;;) {
        struct pollfd polled = {.fd = child->output, .events = POLLIN};
        const double left = (double)sweep->limit_seconds - (wall_seconds() - started);
        if (sweep->limit_seconds && left <= 0)
            return LATE;
        if (sweep->limit_bytes && used_bytes(child->pid) > sweep->limit_bytes)
            return LARGE;
        if (interrupt_pending() && !reported) {
            subprocess_signal(child, SIGTERM);
            reported = true;
        }
        /* Polls with a timeout, since a signal may arrive just before poll(). */
        const bool soon = sweep->limit_seconds && left < TURN_MS / 1000.0;
        if (poll(&polled, 1, soon ? (int)(left * 1000) + 1 : TURN_MS) > 0)
            return LEFT;
    }
}

/* Executes the run in a child process. On failure, `err` states how the process ended. */
static bool
do_apart(const struct sweep *sweep, const struct sweep_run *run, struct error *err)
{
    struct run_task task = {sweep, run};
    struct subprocess child;
    if (!subprocess_fork(&child, do_run, &task, SIGKILL, err))
        return false;
    const enum ending ending = wait_for_child(&child, sweep);
    if (ending != LEFT)
        subprocess_signal(&child, SIGKILL);
    const int status = subprocess_wait(&child);
    if (!interrupt_check(err))
        return false;
    if (ending == LATE)
        fail(err, "the run took longer than %llu s (--time-limit)",
             (unsigned long long)sweep->limit_seconds);
    else if (ending == LARGE)
        fail(err, "the run used more memory than %llu MB (--memory-limit)",
             (unsigned long long)sweep->limit_bytes >> 20);
    else if (WIFSIGNALED(status))
        fail(err, "terminated by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        return !status || fail(err, "failed");
    work_log_append(sweep, run->key, err->text);
    return false;
}

/* Finishes the partial run and moves it into the store. */
static bool
keep(const struct sweep *sweep, const struct sweep_run *run, double seconds, struct error *err)
{
    const struct sweep_trace *trace = &sweep->traces.items[run->trace];
    char *part = store_part_path(sweep->store, run->key);
    struct store_record record = {.frames = trace->frames,
                                  .draws = trace->draws,
                                  .bytes = tree_bytes(part),
                                  .seconds = seconds};
    memcpy(record.trace, trace->hash, sizeof record.trace);
    const bool ok =
        store_write_record(part, &record, err) && store_finish(sweep->store, run->key, err);
    free(part);
    if (!ok)
        work_log_append(sweep, run->key, err->text);
    return ok;
}

/* Executes a run that was still missing after its lock was acquired. */
static bool
do_locked(const struct sweep *sweep, const struct sweep_run *run, struct error *err)
{
    const double started = wall_seconds();
    const bool ok = do_apart(sweep, run, err) && keep(sweep, run, wall_seconds() - started, err);
    if (!ok) {
        char *part = store_part_path(sweep->store, run->key);
        tree_remove(part, NULL);
        free(part);
    }
    work_log_end(sweep, run->key, ok);
    return ok;
}

static bool
do_key(const char *dir, const char *key, struct error *err)
{
    struct sweep sweep;
    int lock = -1;
    if (!sweep_key_is_one(key))
        return fail(err, "%s is not the key of a run", key);
    if (!sweep_load_run(&sweep, dir, key, err))
        return false;
    bool ok = true;
    if (!store_has(sweep.store, key)) {
        ok = sweep_check_folders(&sweep, err) && store_lock(sweep.store, key, true, &lock, err);
        /* another process may have completed the run meanwhile */
        if (ok && !store_has(sweep.store, key))
            ok = do_locked(&sweep, &sweep.runs.items[0], err);
        store_unlock(lock);
    }
    sweep_fini(&sweep);
    return ok;
}

/* Appends the keys of this array element's runs, from the list. */
static bool
add_keys(struct word_list *keys, const struct run_request *request, struct error *err)
{
    char *text, *rest = NULL;
    size_t size;
    uint64_t line = 0;
    const uint64_t first = request->element * request->per_element;
    if (!request->list)
        return true;
    if (!file_read(request->list, FILE_MOST_FACTS * 4, &text, &size, err))
        return false;
    for (char *key = strtok_r(text, "\n", &rest); key; key = strtok_r(NULL, "\n", &rest), line++)
        if (line >= first && line < first + request->per_element)
            word_list_add(keys, key);
    free(text);
    return true;
}

/* Executes the runs, and continues after a failure. Returns the exit status. */
static int
do_keys(const char *dir, const struct word_list *keys)
{
    int status = EXIT_WELL;
    for (size_t i = 0; i < keys->count && !interrupt_pending(); i++) {
        struct error err = {""};
        if (do_key(dir, keys->items[i], &err))
            continue;
        status = EXIT_FAILED;
        if (!interrupt_pending())
            log_error("%s: %s", keys->items[i], err.text);
    }
    return interrupt_pending() ? EXIT_FAILED : status;
}

int
sweep_run_command(int argc, char **argv)
{
    struct run_request request = {.per_element = 1};
    const struct arg_option options[] = {
        {"list", 0, ARG_STRING, &request.list, "FILE",
         "also execute the runs with the keys in FILE, one per line", false},
        {"element", 0, ARG_UINT, &request.element, "N", "array element of the list (0)", false},
        {"per-element", 0, ARG_UINT, &request.per_element, "N", "runs per element (1)", false},
        SWEEP_WITH_PARENT(&request.with_parent),
        {0},
    };
    const struct arg_spec spec = {"sweep run",
                                  "DIR [KEY...] [options]",
                                  "Executes pending runs of a sweep; called by the engines.",
                                  options,
                                  1,
                                  UINT32_MAX,
                                  "the sweep's folder",
                                  .program = ARG_NO_PROGRAM};
    struct args args;
    struct word_list keys = {0};
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (request.with_parent)
        prctl(PR_SET_PDEATHSIG, SIGTERM);
    interrupt_watch();
    for (uint32_t i = 1; i < args.operand_count; i++)
        word_list_add(&keys, args.operands[i]);
    status =
        add_keys(&keys, &request, &err) ? do_keys(args.operands[0], &keys) : conclude(false, &err);
    word_list_fini(&keys);
    return status;
}
