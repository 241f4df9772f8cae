#include "report/run/run_folder.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "report/draw/describe_draw.h"
#include "report/draw/draws.h"
#include "report/run/profile_table.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PROGRESS_SECONDS = 2, ROOM_BYTES = 1 << 16 };

/* Reserves disk space for run.json with an unnamed file, because run.json must list the completed
 * frames even if the disk is full. The kernel frees that file when the process ends. */
static int
keep_room(const char *dir)
{
    const int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    /* The disk is too small: continue without a reserve. */
    if (fd >= 0 && posix_fallocate(fd, 0, ROOM_BYTES)) {
        close(fd);
        return -1;
    }
    return fd;
}

static void
give_room(struct run_folder *folder)
{
    if (folder->room >= 0)
        close(folder->room);
    folder->room = -1;
}

bool
run_folder_open(struct run_folder *folder, const char *dir, bool force, const struct params *params,
                struct error *err)
{
    memset(folder, 0, sizeof *folder);
    folder->dir = dir;
    folder->output.lock = -1;
    folder->room = -1;
    folder->started = wall_seconds();
    folder->facts.picture_hash = HASH_START;
    if (!dir)
        return true;
    if (!run_output_take(&folder->output, dir, force, params, err))
        return false;
    folder->room = keep_room(dir);
    return true;
}

static bool
is_open(const struct run_folder *folder, uint32_t table)
{
    return folder->tables[table].count > 0;
}

/* Returns the counts since the last call with this `before`. */
static const uint64_t *
take_delta(struct run_folder *folder, uint64_t *before)
{
    const struct stat_set *set = &folder->sim->machine->stats;
    uint64_t *now = folder->values, *delta = folder->values + set->count;
    stat_set_snapshot(set, now);
    stat_set_subtract(set, delta, now, before);
    memcpy(before, now, set->count * sizeof *before);
    return delta;
}

/* Number of earlier rows in the frame with the same draw and kind. */
static uint32_t
nth_row(struct run_folder *folder, const struct work *row)
{
    if (row->draw != folder->last_draw) {
        folder->last_draw = row->draw;
        memset(folder->rows_of_kind, 0, sizeof folder->rows_of_kind);
    }
    return folder->rows_of_kind[row->kind]++;
}

static void
on_work(void *data, uint32_t frame, const struct work *row)
{
    struct run_folder *folder = data;
    char text[64];
    if (row->kind == WORK_DRAW && folder->progress) {
        snprintf(text, sizeof text, "frame %u, draw %u", frame, row->draw);
        progress_at(folder->progress, ++folder->draws, text);
    }
    if (row->kind == WORK_DRAW && folder->pool)
        worker_pool_count(folder->pool);
    const bool by_draw = folder->ideals && folder->ideals_by_draw;
    const char *kind = work_kind_names[row->kind];
    snprintf(text, sizeof text, "%u,%u,%s,%u", frame, row->draw, kind, nth_row(folder, row));
    if (is_open(folder, TABLE_PROFILE))
        profile_table_rows(&folder->tables[TABLE_PROFILE], folder->sim->machine->profile, text);
    if (!by_draw && !is_open(folder, TABLE_DRAWS))
        return;
    const uint64_t *delta = take_delta(folder, folder->draw_before);
    if (by_draw)
        ideals_row(folder->ideals, table_layout_numbers(folder->layout, delta), kind);
    if (!is_open(folder, TABLE_DRAWS))
        return;
    char *facts = describe_facts(row);
    table_row(&folder->tables[TABLE_DRAWS], text, facts, delta, (double)NAN);
    free(facts);
}

static void
on_interval(void *data, uint32_t frame, uint64_t cycle)
{
    struct run_folder *folder = data;
    char key[64];
    /* The remainder at a frame's end may have the same cycle as the last interval. */
    snprintf(key, sizeof key, "%u,%" PRIu64 ",%d", frame, cycle, cycle == folder->last_cycle);
    folder->last_cycle = cycle;
    if (is_open(folder, TABLE_CYCLES))
        table_row(&folder->tables[TABLE_CYCLES], key, "",
                  take_delta(folder, folder->interval_before), (double)NAN);
}

/* A frame is in all tables or in no table. Keeps the frame's rows if `ok` is true, otherwise
 * removes them. */
static bool
keep_rows(struct run_folder *folder, bool ok)
{
    for (uint32_t i = 0; i < TABLES; i++)
        (ok ? table_commit : table_roll_back)(&folder->tables[i]);
    return ok;
}

static bool
flush_tables(struct run_folder *folder, struct error *err)
{
    bool ok = true;
    for (uint32_t i = 0; i < TABLES && ok; i++)
        ok = table_flush(&folder->tables[i], err);
    return keep_rows(folder, ok);
}

/* Starts counting the rows of a new frame. */
static void
begin_rows(struct run_folder *folder)
{
    const size_t bytes = folder->sim->machine->stats.count * sizeof(uint64_t);
    memset(folder->draw_before, 0, bytes);
    memset(folder->interval_before, 0, bytes);
    memset(folder->rows_of_kind, 0, sizeof folder->rows_of_kind);
    folder->last_draw = 0;
    folder->last_cycle = 0;
}

/* Adds the gains of the frame that just ended. */
static void
take_gains(struct run_folder *folder)
{
    struct ideal_gains gains;
    if (!folder->ideals)
        return;
    if (!folder->ideals_by_draw)
        ideals_row(folder->ideals, table_layout_numbers(folder->layout, folder->values), NULL);
    ideals_take(folder->ideals, &gains);
    ideals_add(&folder->gains, &gains);
}

static bool
write_rows(struct run_folder *folder, const struct simulation_frame *frame, struct error *err)
{
    const struct stat_set *set = &folder->sim->machine->stats;
    on_interval(folder, frame->number, frame->cycles); /* the rest of the last interval */
    stat_set_snapshot(set, folder->values);
    char key[16];
    snprintf(key, sizeof key, "%u", frame->number);
    if (is_open(folder, TABLE_FRAMES))
        table_row(&folder->tables[TABLE_FRAMES], key, "", folder->values, 1);
    begin_rows(folder);
    take_gains(folder);
    if (is_open(folder, TABLE_PROFILE) &&
        !profile_store_programs(folder->sim->machine->profile, folder->dir, err))
        return false;
    if (!flush_tables(folder, err))
        return false;
    stat_set_accumulate(set, folder->totals, folder->values);
    return true;
}

/* Adds a frame to the facts of the run. */
static void
add_frame(struct run_folder *folder, const struct run_frame *frame, uint32_t width, uint32_t height)
{
    VEC_PUSH(&folder->frames, *frame);
    folder->facts.picture_hash =
        hash_bytes(folder->facts.picture_hash, &frame->hash, sizeof frame->hash);
    if (frame->memory_bytes > folder->facts.memory_bytes)
        folder->facts.memory_bytes = frame->memory_bytes;
    folder->facts.width = width;
    folder->facts.height = height;
    folder->facts.cycles += frame->cycles;
}

/* Writes the watch's records of the frame: pixel history and maps. */
static bool
write_watched(struct run_folder *folder, const struct simulation_frame *frame, struct error *err)
{
    const struct machine *machine = folder->sim->machine;
    const struct map_source source = {machine, machine->pools.watch, frame->shown, frame->picture,
                                      !resource_is_display(&frame->shown->desc)};
    if (!source.watch)
        return true;
    if (folder->has_pixel)
        pixel_log_take(&folder->pixel, source.watch, frame->shown);
    return !folder->maps || !folder->dir ||
           maps_write(&source, folder->maps, folder->dir, frame->number, err);
}

static uint64_t
peak_rss_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024;
}

/* Updates the facts with the current state. */
static void
take_stock(struct run_folder *folder)
{
    folder->facts.frames = folder->frames.items;
    folder->facts.frame_count = (uint32_t)folder->frames.count;
    folder->facts.timed_seconds =
        folder->sim ? folder->sim->timed_seconds + folder->parts_seconds : 0;
    folder->facts.wall_seconds = wall_seconds() - folder->started;
    folder->facts.peak_rss_bytes = peak_rss_bytes();
    if (folder->parts_rss_bytes > folder->facts.peak_rss_bytes)
        folder->facts.peak_rss_bytes = folder->parts_rss_bytes;
}

static struct totals
totals_so_far(const struct run_folder *folder)
{
    return folder->sim ? run_totals(&folder->facts, &folder->sim->machine->stats, folder->totals,
                                    &folder->sim->machine->params)
                       : (struct totals){0};
}

static bool
write_json(const struct run_folder *folder, const char *text, struct error *err)
{
    char *path = mem_printf("%s/run.json", folder->dir);
    const bool ok = file_write(path, text, strlen(text), err);
    free(path);
    return ok;
}

/* Writes run.json for the completed frames, at most every PROGRESS_SECONDS, in case the process is
 * killed. */
static bool
write_progress(struct run_folder *folder, struct error *err)
{
    const double now = wall_seconds();
    if (!folder->dir || folder->pool || now - folder->reported < PROGRESS_SECONDS)
        return true;
    folder->reported = now;
    take_stock(folder);
    struct totals totals = totals_so_far(folder);
    char *text = run_to_json(&folder->facts, folder->sim ? &totals : NULL);
    const bool ok = write_json(folder, text, err);
    free(text);
    if (folder->sim)
        totals_free(&totals);
    return ok;
}

/* Upload cycles of the frame that just ended. */
static uint64_t
upload_cycles(const struct run_folder *folder)
{
    const struct stat_entry *entry =
        stat_set_find(&folder->sim->machine->stats, "work.upload_cycles");
    return *entry->value - entry->base;
}

/* In a live run, the size of a frame is known only when the frame is shown. Once a frame has
 * contained the pixel, later frames may be smaller. */
static bool
check_pixel(struct run_folder *folder, const struct simulation_frame *frame, struct error *err)
{
    if (!folder->needs_pixel || folder->pixel_is_inside)
        return true;
    const struct resource_level *size = &frame->shown->levels[0];
    folder->pixel_is_inside = folder->pixel.x < size->width && folder->pixel.y < size->height;
    return folder->pixel_is_inside ||
           fail(err, "--pixel %u,%u is outside: frame %u is %ux%u", folder->pixel.x,
                folder->pixel.y, frame->number, size->width, size->height);
}

static bool
on_frame(void *data, const struct simulation_frame *frame, struct error *err)
{
    struct run_folder *folder = data;
    const struct picture *picture = frame->picture;
    if (!check_pixel(folder, frame, err))
        return false;
    if (folder->only_timed && !frame->timed) {
        if (folder->progress)
            progress_at(folder->progress, 0, "executing the skipped frames");
        return true;
    }
    if (folder->dir && !picture_write_frame(picture, folder->dir, frame->number, err))
        return false;
    if (frame->timed && !(write_watched(folder, frame, err) && write_rows(folder, frame, err)))
        return false;
    uint64_t hash =
        hash_bytes(HASH_START, picture->rgba, (size_t)picture->width * picture->height * 4);
    const struct run_frame facts = {.number = frame->number,
                                    .client = frame->client,
                                    .cycles = frame->cycles,
                                    .upload_cycles = frame->timed ? upload_cycles(folder) : 0,
                                    .hash = hash,
                                    .memory_bytes =
                                        folder->sim ? folder->sim->device.memory.size_bytes : 0};
    add_frame(folder, &facts, picture->width, picture->height);
    return write_progress(folder, err);
}

struct simulation_listener
run_folder_listener(struct run_folder *folder)
{
    return (struct simulation_listener){folder, on_frame, on_work, on_interval};
}

static const struct table_kind kinds[] = {
    [TABLE_FRAMES] = {"frame", "", true},
    [TABLE_DRAWS] = {"frame,draw,work,nth", DRAW_FACTS, false},
    [TABLE_CYCLES] = {"frame,cycle,nth", "", false},
};

static const char *
table_name(const struct params *p, uint32_t table)
{
    return table == TABLE_FRAMES  ? p->SIMULATOR.StatsFilePerFrame
           : table == TABLE_DRAWS ? p->SIMULATOR.StatsFilePerBatch
                                  : p->SIMULATOR.StatsFile;
}

static bool
open_tables(struct run_folder *folder, struct error *err)
{
    const struct params *p = &folder->sim->machine->params;
    const bool wanted[] = {[TABLE_FRAMES] = p->SIMULATOR.PerFrameStatistics,
                           [TABLE_DRAWS] = p->SIMULATOR.PerBatchStatistics,
                           [TABLE_CYCLES] = true};
    bool ok = !folder->sim->machine->profile ||
              profile_table_open(&folder->tables[TABLE_PROFILE], folder->dir, err);
    for (uint32_t i = 0; i <= TABLE_CYCLES && ok && folder->layout; i++) {
        char *path = mem_printf("%s/%s", folder->dir, table_name(p, i));
        ok = !wanted[i] || table_open(&folder->tables[i], path, &kinds[i], folder->layout, err);
        free(path);
    }
    return ok;
}

/* Starts computing gains if the machine's statistics include the causes. */
static void
begin_gains(struct run_folder *folder)
{
    const struct params *p = &folder->sim->machine->params;
    uint32_t count;
    const char *const *names = table_layout_names(folder->layout, &count);
    folder->ideals = ideals_begin(names, count, p, NULL);
    folder->ideals_by_draw = p->SIMULATOR.PerBatchStatistics;
}

static bool
write_machine(struct run_folder *folder, struct error *err)
{
    char *path = mem_printf("%s/machine.ini", folder->dir);
    char *ini = params_to_ini(&folder->sim->machine->params, NULL);
    bool ok = file_write(path, ini, strlen(ini), err);
    free(ini);
    free(path);
    return ok;
}

bool
run_folder_attach(struct run_folder *folder, struct simulation *sim, struct error *err)
{
    if (!sim->machine)
        return true;
    uint32_t count = sim->machine->stats.count;
    folder->sim = sim;
    folder->only_timed = true;
    folder->values = mem_array(2 * count, sizeof(uint64_t));
    folder->draw_before = mem_array(count, sizeof(uint64_t));
    folder->interval_before = mem_array(count, sizeof(uint64_t));
    folder->totals = mem_array(count, sizeof(uint64_t));
    if (sim->machine->params.SIMULATOR.Statistics) {
        folder->layout = table_layout_create(&sim->machine->stats, &sim->machine->params);
        begin_gains(folder);
    }
    if (!folder->dir)
        return true;
    return write_machine(folder, err) &&
           (!folder->maps || maps_write_legends(folder->maps, folder->dir, err)) &&
           open_tables(folder, err);
}

static char *
part_path(const struct run_folder *folder, uint32_t frame, uint32_t table)
{
    return mem_printf("%s/parts/%04u-%u.csv.gz", folder->dir, frame, table);
}

bool
run_folder_open_parts(struct run_folder *folder, struct error *err)
{
    if (!folder->dir)
        return true;
    char *path = mem_printf("%s/parts", folder->dir);
    bool ok = dir_create(path, err);
    free(path);
    return ok;
}

void
run_folder_begin_part(struct run_folder *folder, uint32_t frame)
{
    for (uint32_t i = 0; i < TABLES; i++) {
        char *path = part_path(folder, frame, i);
        table_redirect(&folder->tables[i], path);
        free(path);
    }
}

void
run_folder_take_part(struct run_folder *folder, struct run_part *part, uint64_t *values)
{
    const size_t bytes = folder->sim->machine->stats.count * sizeof *values;
    *part = (struct run_part){.frame = folder->frames.items[folder->frames.count - 1],
                              .gains = folder->gains,
                              .width = folder->facts.width,
                              .height = folder->facts.height,
                              .timed_seconds = folder->sim->timed_seconds,
                              .peak_rss_bytes = peak_rss_bytes()};
    memcpy(values, folder->totals, bytes);
    memset(folder->totals, 0, bytes);
    memset(&folder->gains, 0, sizeof folder->gains);
    folder->sim->timed_seconds = 0;
}

void
run_folder_leave_frame(struct run_folder *folder)
{
    for (uint32_t i = 0; i < TABLES; i++)
        table_discard(&folder->tables[i]);
    if (folder->ideals)
        ideals_take(folder->ideals, &(struct ideal_gains){0});
    begin_rows(folder);
}

bool
run_folder_end_parts(struct run_folder *folder, struct error *err)
{
    return flush_tables(folder, err);
}

static bool
join_tables(struct run_folder *folder, uint32_t frame, struct error *err)
{
    bool ok = true;
    for (uint32_t i = 0; i < TABLES && ok; i++) {
        char *path = part_path(folder, frame, i);
        ok = table_append(&folder->tables[i], path, err);
        free(path);
    }
    return keep_rows(folder, ok);
}

bool
run_folder_join(struct run_folder *folder, const struct run_part *part, const uint64_t *values,
                struct error *err)
{
    if (!join_tables(folder, part->frame.number, err))
        return false;
    add_frame(folder, &part->frame, part->width, part->height);
    ideals_add(&folder->gains, &part->gains);
    folder->parts_seconds += part->timed_seconds;
    if (part->peak_rss_bytes > folder->parts_rss_bytes)
        folder->parts_rss_bytes = part->peak_rss_bytes;
    stat_set_accumulate(&folder->sim->machine->stats, folder->totals, values);
    folder->next_part = part->frame.number + 1;
    return write_progress(folder, err);
}

bool
run_folder_join_rest(struct run_folder *folder, struct error *err)
{
    return join_tables(folder, folder->next_part, err);
}

void
run_folder_close_parts(struct run_folder *folder)
{
    if (!folder->dir)
        return;
    char *path = mem_printf("%s/parts", folder->dir);
    dir_remove_files(path, run_output_is_part);
    free(path);
}

static void
report_growth(const struct run_folder *folder)
{
    const uint32_t wished = folder->sim->machine->params.MEMORYCONTROLLER.MemorySize;
    if (folder->facts.memory_bytes > wished)
        log_note("the resources do not fit into the %u MB of MEMORYCONTROLLER.MemorySize: the "
                 "memory grew to %u MB",
                 wished >> 20, folder->facts.memory_bytes >> 20);
}

/* Whether a frame is complete, or the run ended normally without frames. */
static bool
is_worth_keeping(const struct run_folder *folder)
{
    return !folder->silent && (folder->frames.count || folder->facts.complete);
}

/* Prints the summary. Reads the table of draws, unless that would take too long. */
static void
print_summary(const struct run_folder *folder, const struct totals *totals, FILE *out)
{
    struct draws draws;
    struct error err;
    bool there;
    const bool has_draws = folder->shows_draws && folder->dir && folder->draws <= DRAWS_SUMMARY &&
                           is_worth_keeping(folder) && draws_find(folder->dir, &there, &err) &&
                           there && draws_read(&draws, folder->dir, UINT32_MAX, &err);
    /* Only the table names resources that hide each other. */
    const struct ideal_gains *gains = has_draws        ? &draws.total.gains
                                      : folder->ideals ? &folder->gains
                                                       : NULL;
    run_print_summary(&folder->facts, totals, gains, has_draws ? &draws : NULL, folder->shows_units,
                      out);
    if (has_draws)
        draws_fini(&draws);
}

static bool
report(struct run_folder *folder, FILE *out, bool json, struct error *err)
{
    bool timed = folder->sim != NULL, ok = true;
    struct totals totals = totals_so_far(folder), *known = timed ? &totals : NULL;
    if (timed)
        report_growth(folder);
    pixel_log_sort(&folder->pixel);
    char *text = run_to_json(&folder->facts, known);
    const bool keeps = folder->dir && is_worth_keeping(folder);
    if (keeps)
        ok = write_json(folder, text, err);
    if (folder->has_pixel && keeps)
        ok = pixel_log_write(&folder->pixel, folder->dir, err) && ok;
    if (json)
        fprintf(out, "%s\n", text);
    else
        print_summary(folder, known, out);
    if (folder->has_pixel && !json)
        pixel_log_print(&folder->pixel, out);
    free(text);
    if (timed)
        totals_free(&totals);
    return ok;
}

static bool
close_tables(struct run_folder *folder, bool complete, struct error *err)
{
    bool ok = true;
    for (uint32_t i = 0; i < TABLES; i++)
        ok = table_close(&folder->tables[i], complete, ok ? err : NULL) && ok;
    ideals_end(folder->ideals);
    table_layout_destroy(folder->layout);
    return ok;
}

static bool
is_whole(const void *data, uint64_t number)
{
    const struct run_folder *folder = data;
    for (size_t i = 0; i < folder->frames.count; i++)
        if (folder->frames.items[i].number == number)
            return true;
    return false;
}

bool
run_folder_close(struct run_folder *folder, bool complete, FILE *out, bool json, struct error *err)
{
    bool ok = close_tables(folder, complete, err);
    folder->facts.complete = complete && ok;
    take_stock(folder);
    give_room(folder);
    if (folder->dir && !is_worth_keeping(folder))
        run_output_discard(&folder->output);
    else if (folder->dir && !folder->facts.complete)
        run_output_drop_others(&folder->output, is_whole, folder);
    ok = (folder->silent || report(folder, out, json, err)) && ok;
    run_output_release(&folder->output);
    free(folder->values);
    free(folder->draw_before);
    free(folder->interval_before);
    free(folder->totals);
    VEC_FREE(&folder->frames);
    pixel_log_fini(&folder->pixel);
    return ok;
}
