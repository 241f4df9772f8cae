/* aetius study traffic: bytes between GPU and memory per frame and client. Measures long parts of
 * games, on machines with different numbers of samples per pixel. */
#include "study/traffic_clients.h"

#include "base/json.h"
#include "base/schema.h"
#include "study/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Traffic of a run. */
struct run_traffic {
    uint32_t frames;
    uint64_t (*bytes)[TRAFFIC_CLIENTS]; /* per frame */
};

static double
megabytes_of(const struct run_traffic *traffic, uint32_t frame)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++)
        sum += traffic->bytes[frame][i];
    return (double)sum / 1e6;
}

/* Mean MB per frame, by client. */
static void
mean_of(const struct run_traffic *traffic, double mean[TRAFFIC_CLIENTS])
{
    for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++) {
        uint64_t sum = 0;
        for (uint32_t f = 0; f < traffic->frames; f++)
            sum += traffic->bytes[f][i];
        mean[i] = (double)sum / traffic->frames / 1e6;
    }
}

static bool
read_run(const struct study *study, size_t run, struct run_traffic *traffic, struct error *err)
{
    char *dir = study_folder(study, run), *path = mem_printf("%s/stats.frames.csv.gz", dir);
    struct csv_table table = {0};
    bool ok =
        csv_read(&table, path, err) && (table.rows || fail(err, "%s contains no frames", path));
    traffic->frames = ok ? table.rows : 0;
    traffic->bytes = mem_array(traffic->frames + 1, sizeof *traffic->bytes);
    for (uint32_t f = 0; ok && f < traffic->frames; f++)
        ok = traffic_add(&table, f, path, traffic->bytes[f], err);
    csv_table_fini(&table);
    free(path);
    free(dir);
    return ok;
}

/* Finds the next run of a trace, at or after index *run. Returns false if there is no such run. */
static bool
next_run(const struct study *study, size_t trace, size_t *run)
{
    while (*run < study->planned && study->sweep.runs.items[*run].trace != trace)
        ++*run;
    return *run < study->planned;
}

/* Run of a trace on the first machine of the plan that simulates it. */
static size_t
first_run(const struct study *study, size_t trace)
{
    size_t run = 0;
    next_run(study, trace, &run);
    return run;
}

/* One row per run: input, machine, mean, minimum and maximum MB per frame, and the mean by
 * client. */
static void
put_row(const struct study *study, size_t run, const struct run_traffic *all,
        struct text_table *table)
{
    const struct sweep_run *of = &study->sweep.runs.items[run];
    const struct run_traffic *traffic = &all[run];
    double mean[TRAFFIC_CLIENTS], sum = 0, least = INFINITY, most = 0, first = 0;
    mean_of(traffic, mean);
    for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++)
        sum += mean[i];
    for (uint32_t f = 0; f < traffic->frames; f++) {
        least = fmin(least, megabytes_of(traffic, f));
        most = fmax(most, megabytes_of(traffic, f));
    }
    const struct run_traffic *other = &all[first_run(study, of->trace)];
    for (uint32_t f = 0; f < other->frames; f++)
        first += megabytes_of(other, f) / other->frames;
    text_table_cell(table, "%s", study_trace_name(study, of->trace));
    text_table_cell(table, "%s", of->machine);
    text_table_cell(table, "%u", traffic->frames);
    text_table_cell(table, "%.2f", sum);
    text_table_cell(table, "%.2f", sum / first);
    text_table_cell(table, "%.2f", least);
    text_table_cell(table, "%.2f", most);
    for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++)
        text_table_cell(table, "%.2f", mean[i]);
    text_table_cell(table, "%.1f", 100 * (mean[TRAFFIC_Z] + mean[TRAFFIC_COLOR]) / sum);
    text_table_end_row(table);
}

static void
make_table(const struct study *study, const struct run_traffic *all, struct text_table *table)
{
    static const char *const names[] = {
        "game", "samples", "frames", "MB per frame", "relative to first", "minimum", "maximum"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        text_table_cell(table, "%s", names[i]);
    for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++)
        text_table_cell(table, "%s", traffic_clients[i]);
    text_table_cell(table, "z + color, %%");
    text_table_end_row(table);
    for (size_t t = 0; t < study->sweep.traces.count; t++)
        for (size_t run = 0; next_run(study, t, &run); run++)
            put_row(study, run, all, table);
}

/* One row per frame. */
static void
make_csv(const struct study *study, const struct run_traffic *all, struct text_table *table)
{
    text_table_cells(table, "game|samples|frame");
    for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++)
        text_table_cell(table, "%s_bytes", traffic_clients[i]);
    text_table_end_row(table);
    for (size_t t = 0; t < study->sweep.traces.count; t++)
        for (size_t run = 0; next_run(study, t, &run); run++)
            for (uint32_t f = 0; f < all[run].frames; f++) {
                text_table_cell(table, "%s", study_trace_name(study, t));
                text_table_cell(table, "%s", study->sweep.runs.items[run].machine);
                text_table_cell(table, "%u", f);
                for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++)
                    text_table_cell(table, "%" PRIu64, all[run].bytes[f][i]);
                text_table_end_row(table);
            }
}

typedef void plot_fn(const struct study *study, size_t trace, const struct run_traffic *all,
                     struct plot *plot);

/* One curve per machine, with a point per frame. */
static void
plot_curve(const struct study *study, size_t trace, const struct run_traffic *all,
           struct plot *plot)
{
    double *values = mem_array(study->machines.count, sizeof *values);
    plot->x_label = "frame";
    plot->extra = "set yrange [0:*]";
    for (size_t run = 0; next_run(study, trace, &run); run++)
        plot_add_series(plot, study->sweep.runs.items[run].machine);
    for (uint32_t f = 0; f < all[first_run(study, trace)].frames; f++) {
        size_t series = 0;
        for (size_t run = 0; next_run(study, trace, &run); run++)
            values[series++] = megabytes_of(&all[run], f);
        plot_add_at(plot, f, values);
    }
    free(values);
}

/* One bar per machine, stacked by client. */
static void
plot_clients(const struct study *study, size_t trace, const struct run_traffic *all,
             struct plot *plot)
{
    for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++)
        plot_add_series(plot, traffic_clients[i]);
    for (size_t run = 0; next_run(study, trace, &run); run++) {
        double mean[TRAFFIC_CLIENTS];
        mean_of(&all[run], mean);
        plot_add(plot, study->sweep.runs.items[run].machine, mean);
    }
}

static bool
write_plot(const struct study *study, size_t trace, const struct run_traffic *all,
           const char *prefix, enum plot_kind kind, plot_fn *put, struct error *err)
{
    struct plot plot;
    const char *game = study_trace_name(study, trace);
    char *title = mem_printf("%s: memory traffic", game);
    char *name = mem_printf("%s-%s", prefix, game);
    plot_init(&plot, kind, title, "MB per frame");
    put(study, trace, all, &plot);
    const bool ok = study_put_plot(study, &plot, name, err);
    plot_fini(&plot);
    free(name);
    free(title);
    return ok;
}

/* Prints bytes per game, machine, client and frame. */
static void
print_traffic_json(const struct study *study, const struct run_traffic *all)
{
    cJSON *root = cJSON_CreateObject(), *games = cJSON_AddObjectToObject(root, "games");
    cJSON_AddNumberToObject(root, "schema", AETIUS_SCHEMA);
    for (size_t run = 0; run < study->planned; run++) {
        const struct sweep_run *of = &study->sweep.runs.items[run];
        const char *name = study_trace_name(study, of->trace);
        cJSON *game = cJSON_GetObjectItemCaseSensitive(games, name);
        if (!game)
            game = cJSON_AddObjectToObject(games, name);
        cJSON *machine = cJSON_AddObjectToObject(game, of->machine);
        for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++) {
            cJSON *bytes = cJSON_AddArrayToObject(machine, traffic_clients[i]);
            for (uint32_t f = 0; f < all[run].frames; f++)
                cJSON_AddItemToArray(bytes, cJSON_CreateNumber((double)all[run].bytes[f][i]));
        }
    }
    json_print(root, stdout);
}

/* Adds the existing plots of a game. */
static void
put_plots(const struct study *study, const char *game, FILE *page)
{
    static const char *const plots[][2] = {{"curve", "frame by frame"}, {"clients", "by client"}};
    bool has_title = false;
    for (size_t i = 0; i < sizeof plots / sizeof plots[0]; i++) {
        char *name = mem_printf("%s-%s", plots[i][0], game);
        if (study_has_plot(study, name)) {
            if (!has_title)
                fprintf(page, "\n## %s\n\n", game);
            has_title = true;
            fprintf(page, "![%s, %s](%s.svg)\n", game, plots[i][1], name);
        }
        free(name);
    }
}

/* Writes the table, and links to the plots. Call it after the plots are written. */
static bool
write_page(const struct study *study, const struct text_table *table, struct error *err)
{
    struct memory_text text;
    FILE *page = memory_text_open(&text);
    fputs("# Tables of `aetius study traffic`\n\n", page);
    text_table_write(table, TEXT_TABLE_MARKDOWN, page);
    for (size_t t = 0; t < study->sweep.traces.count; t++)
        put_plots(study, study_trace_name(study, t), page);
    return study_put_text(study, "traffic.md", &text, err);
}

static bool
write_all(const struct study *study, const struct run_traffic *all, struct error *err)
{
    struct text_table table = {0}, frames = {0};
    make_table(study, all, &table);
    make_csv(study, all, &frames);
    bool ok = study_write_sheet(study, "traffic.csv", &frames, TEXT_TABLE_CSV, err);
    for (size_t t = 0; ok && t < study->sweep.traces.count; t++)
        ok = write_plot(study, t, all, "curve", PLOT_LINES, plot_curve, err) &&
             write_plot(study, t, all, "clients", PLOT_STACKED, plot_clients, err);
    ok = ok && write_page(study, &table, err);
    if (ok && study->json)
        print_traffic_json(study, all);
    text_table_fini(&table);
    text_table_fini(&frames);
    return ok;
}

bool
study_traffic(struct study *study, struct error *err)
{
    struct run_traffic *all = mem_array(study->planned + 1, sizeof *all);
    bool ok = study_do(study, err);
    for (size_t run = 0; ok && run < study->planned; run++)
        ok = read_run(study, run, &all[run], err);
    ok = ok && write_all(study, all, err);
    for (size_t run = 0; run < study->planned; run++)
        free(all[run].bytes);
    free(all);
    return ok;
}
