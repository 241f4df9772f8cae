/* Prints the summary of a run: verdict, results, most expensive draws and simulation speed. On
 * request also prints the states of the units, memory traffic and hit rates. */
#include "base/log.h"
#include "base/memory_text.h"
#include "base/text_table.h"
#include "base/wrap.h"
#include "report/run/run.h"

#include "base/plural.h"
#include "report/compare/ideals.h"
#include "report/draw/draws.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char busy_suffix[] = ".busy_cycles";

/* Formats 1234567 as "1.23 M". */
static const char *
with_prefix(char out[16], double value)
{
    static const char prefixes[] = " kMGTP";
    size_t i = 0;
    while (value >= 999.5 && i + 2 < sizeof prefixes) {
        value /= 1000;
        i++;
    }
    if (i == 0)
        snprintf(out, 16, "%.0f ", value);
    else
        snprintf(out, 16, "%.*f %c", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, prefixes[i]);
    return out;
}

static bool
look_up(const struct totals *totals, const char *unit, const char *statistic, double *value)
{
    char name[96];
    struct totals copy = *totals;
    snprintf(name, sizeof name, "%s%s", unit, statistic);
    return totals_lookup(&copy, name, value);
}

/* Extracts "shader" from "shader[0].busy_cycles", and counts the unit's instances. Returns false if
 * entry `i` is not a unit, or not the first instance of a unit. */
static bool
unit_at(const struct totals *totals, size_t i, char unit[48], uint32_t *count)
{
    const char *name = totals->names[i], *dot = strchr(name, '.');
    char family[96];
    if (!dot || strcmp(dot, busy_suffix))
        return false;
    size_t n = strcspn(name, "[.");
    if (name[n] == '[' && strncmp(name + n, "[0]", 3))
        return false;
    snprintf(unit, 48, "%.*s", (int)n, name);
    snprintf(family, sizeof family, "%s%s", unit, busy_suffix);
    *count = 0;
    for (size_t k = 0; k < totals->count; k++)
        *count += stat_is_instance(totals->names[k], family);
    return true;
}

/* A unit's states as shares of the cycles, averaged over its instances. */
static bool
unit_shares(const struct totals *totals, const char *unit, double shares[4])
{
    static const char *const states[] = {".busy_cycles", ".starved_cycles", ".blocked_cycles",
                                         ".waiting_cycles"};
    double sum = 0;
    for (int s = 0; s < 4; s++) {
        if (!look_up(totals, unit, states[s], &shares[s]))
            return false;
        sum += shares[s];
    }
    for (int s = 0; s < 4; s++)
        shares[s] = sum > 0 ? 100 * shares[s] / sum : 0;
    return true;
}

/* Prints the verdict: the resource to improve first, its charged cycles and its expected gain. */
static void
print_verdict(const struct ideal_gains *gains, FILE *out)
{
    if (!gains || !(gains->cycles > 0))
        return;
    const enum ideal_number first = ideals_verdict(gains);
    char words[IDEALS_WORDS];
    ideals_describe(gains, first, words);
    fputs(color_code(out, COLOR_VERDICT), out);
    print_wrapped(out, line_width(out), 0, 2, "bound by %s: %s", ideals[first].name, words);
    fputs(color_code(out, COLOR_END), out);
    if (ideals_describe_together(gains, words))
        print_wrapped(out, line_width(out), 0, 2, "%s", words);
}

/* Prints units in pipeline order, which is the set's order reversed. */
static void
print_units(const struct totals *totals, FILE *out)
{
    char unit[48];
    uint32_t count;
    double shares[4];
    struct text_table table = {0};
    text_table_cells(&table, "% of cycles|busy|starved|blocked|waiting");
    text_table_end_row(&table);
    for (size_t i = totals->count; i-- > 0;) {
        if (!unit_at(totals, i, unit, &count) || !unit_shares(totals, unit, shares))
            continue;
        if (count > 1)
            text_table_cell(&table, "%s x%u", unit, count);
        else
            text_table_cell(&table, "%s", unit);
        for (int s = 0; s < 4; s++)
            text_table_cell(&table, "%.1f", shares[s]);
        text_table_end_row(&table);
    }
    if (text_table_rows(&table) > 1) {
        fputc('\n', out);
        text_table_write(&table, TEXT_TABLE_TEXT, out);
    }
    text_table_fini(&table);
}

static void
put_traffic(struct text_table *table, const char *client, double read, double written, double all,
            double fragments)
{
    text_table_cell(table, "%s", client);
    text_table_cell(table, "%.3f", read / 1e6);
    text_table_cell(table, "%.3f", written / 1e6);
    text_table_cell(table, "%.1f", all > 0 ? 100 * (read + written) / all : 0);
    if (fragments > 0)
        text_table_cell(table, "%.2f", (read + written) / fragments);
    text_table_end_row(table);
}

/* memctl counts X_bytes_read and X_bytes_written for each client X. */
static void
print_traffic(const struct totals *totals, double fragments, FILE *out)
{
    static const char unit[] = "memctl.", suffix[] = "_bytes_read";
    struct text_table table = {0};
    double read, written, all_read = 0, all_written = 0;
    if (!look_up(totals, unit, "bytes_read", &all_read) ||
        !look_up(totals, unit, "bytes_written", &all_written))
        return;
    text_table_cells(&table, "memory|MB read|written|% of all");
    if (fragments > 0)
        text_table_cell(&table, "B/fragment");
    text_table_end_row(&table);
    for (size_t i = 0; i < totals->count; i++) {
        const char *name = totals->names[i];
        size_t n = strlen(name);
        char client[48], statistic[64];
        if (strncmp(name, unit, sizeof unit - 1) || n < sizeof unit + sizeof suffix - 1 ||
            strcmp(name + n + 1 - sizeof suffix, suffix))
            continue;
        snprintf(client, sizeof client, "%.*s", (int)(n + 2 - sizeof unit - sizeof suffix),
                 name + sizeof unit - 1);
        read = totals->values[i];
        written = 0;
        snprintf(statistic, sizeof statistic, "%s_bytes_written", client);
        look_up(totals, unit, statistic, &written);
        if (read + written > 0)
            put_traffic(&table, client, read, written, all_read + all_written, fragments);
    }
    put_traffic(&table, "all", all_read, all_written, all_read + all_written, fragments);
    fputc('\n', out);
    text_table_put(&table, TEXT_TABLE_TEXT, out);
}

/* Prints metrics that are percentages: either hit rates or fates of fragments. */
static void
print_shares(const struct totals *totals, bool hits, const char *title, FILE *out)
{
    size_t count;
    const struct metric *all = metrics_all(&count);
    struct memory_text memory;
    FILE *line = memory_text_open(&memory);
    const char *between = "";
    for (size_t i = 0; i < count; i++) {
        const char *tail = strstr(all[i].name, "_hits");
        double value = metric_value(&all[i], totals);
        if (strcmp(all[i].unit, "%") || hits != (tail != NULL) || !isfinite(value))
            continue;
        if (!*between)
            fprintf(line, "%s:", title);
        fprintf(line, "%s ", between);
        for (const char *c = all[i].name; *c && c != tail; c++)
            fputc(*c == '_' ? ' ' : *c, line);
        fprintf(line, " %.1f %%", value);
        between = ",";
    }
    char *text = memory_text_take(&memory);
    if (*between)
        print_wrapped(out, line_width(out), 0, 2, "%s", text);
    free(text);
}

static void
print_head(const struct run_facts *facts, const struct totals *totals, FILE *out)
{
    double rate, clock;
    print_shown(out, "%s%s%u frame%s of %ux%u%s", facts->program ? facts->program : "",
                facts->program ? ": " : "", facts->frame_count, plural(facts->frame_count),
                facts->width, facts->height, facts->complete ? "" : " (interrupted)");
    if (!totals) {
        fputs(", without timing\n", out);
        return;
    }
    fprintf(out, " on %s\n%" PRIu64 " cycles, %" PRIu64 " per frame",
            facts->preset ? facts->preset : "the machine", facts->cycles,
            facts->cycles / facts->frame_count);
    const struct metric *frame_rate = metric_find("frame_rate");
    if (frame_rate && isfinite(rate = metric_value(frame_rate, totals)) &&
        look_up(totals, "GPU.ClockMHz", "", &clock))
        fprintf(out, ": %.*f frames/s at %.0f MHz", rate < 100 ? 1 : 0, rate, clock);
    fputc('\n', out);
}

/* Prints the average of steady frames, because loading frames would distort the average of all
 * frames. */
static void
print_steady(const struct run_facts *facts, const struct totals *totals, FILE *out)
{
    const struct steady steady = run_steady(facts);
    double clock;
    if (steady.frames == facts->frame_count)
        return;
    const uint32_t loading = facts->frame_count - steady.frames;
    fprintf(out, "%u frame%s at least half of %s cycles on uploads", loading,
            loading == 1 ? " spends" : "s spend", loading == 1 ? "its" : "their");
    if (steady.frames) {
        const double cycles = (double)steady.cycles / steady.frames;
        fprintf(out, "; the other%s: %.0f cycles per frame", plural(steady.frames), cycles);
        if (look_up(totals, "GPU.ClockMHz", "", &clock))
            fprintf(out, ", %.1f frames/s", clock * 1e6 / cycles);
        fprintf(out, ", uploads %.1f %%",
                100 * (double)steady.upload_cycles / (double)steady.cycles);
    }
    fputc('\n', out);
}

static double
part_of(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* Prints the sample's estimate for all frames, and the time that the sample saved. Assumes that the
 * simulation time per cycle is constant. */
static void
print_sample(const struct run_facts *facts, FILE *out)
{
    const struct run_sample *sample = &facts->sample;
    if (!sample->frames)
        return;
    const double here = facts->timed_seconds + sample->known_seconds;
    const double whole = part_of(sample->cycles, (double)facts->cycles) * facts->timed_seconds;
    fprintf(
        out,
        "\nestimate from %u of %u frames: %.0f cycles, 95 %% interval %.0f to %.0f (+-%.2f %%)\n",
        facts->frame_count, sample->frames, sample->cycles, sample->cycles - sample->half,
        sample->cycles + sample->half, 100 * part_of(sample->half, sample->cycles));
    fprintf(out,
            "%.1f s, including %.1f s for the analysis of all frames; simulating all of them: "
            "about %.0f s, %.1f times as long\n",
            here, sample->known_seconds, whole, part_of(whole, here));
}

static void
print_speed(const struct run_facts *facts, const struct totals *totals, FILE *out)
{
    struct speed speed = run_speed(facts, totals);
    const uint32_t width = line_width(out);
    char a[16], b[16], fragments[96] = "";
    if (speed.fragments > 0)
        snprintf(fragments, sizeof fragments, ", %.0f ns per shaded fragment (of %.0f)",
                 speed.wall_ns_per_fragment, speed.fragments);
    fputc('\n', out);
    print_wrapped(out, width, 0, 2, "simulator: %.1f s, %.1f ms per frame%s, memory %sB",
                  facts->wall_seconds, speed.wall_ms_per_frame, fragments,
                  with_prefix(a, (double)facts->peak_rss_bytes));
    if (totals)
        print_wrapped(out, width, 0, 2,
                      "%s cycles per second, %s of them with a shader, texture unit or ROP busy",
                      with_prefix(a, speed.cycles_per_second),
                      with_prefix(b, speed.busy_cycles_per_second));
}

/* Prints the programs whose draws take most cycles together, if that is a large part, which the
 * most expensive single draws may not show. Draws that are bound by the drain between them are many
 * and small, so then the programs are always printed. */
static void
print_group(const struct draws *draws, uint32_t shown, FILE *out)
{
    enum { LARGE_PERCENT = 25 };
    const bool drains = ideals_verdict(&draws->total.gains) == IDEAL_drain;
    struct draws_list list;
    draws_list_make(&list, draws, GROUP_PROGRAM);
    const struct draws_line *largest = list.lines.count ? list.lines.items : NULL;
    const double percent =
        largest && draws->total.cycles > 0 ? 100 * largest->cost.cycles / draws->total.cycles : 0;
    if (largest && largest->count > shown && (drains || percent >= LARGE_PERCENT))
        print_wrapped(
            out, line_width(out), 0, 2,
            "%u draws with programs %s: %.1f %% of the cycles%s (`aetius draws %s --group "
            "program`)",
            largest->count, largest->name, percent, drains ? ", with a drain between them" : "",
            draws->dir);
    draws_list_fini(&list);
}

void
run_print_draws(const struct draws *draws, FILE *out)
{
    enum { SHOWN = 5 };
    struct draws_list list;
    draws_list_make(&list, draws, draws_have_frames(draws) ? GROUP_FRAMES : GROUP_NONE);
    if (list.lines.count) {
        fprintf(out, "\nmost expensive draws\n");
        draws_list_print_top(&list, draws, SHOWN, out);
        print_group(draws, SHOWN, out);
    }
    draws_list_fini(&list);
}

static void
print_units_and_memory(const struct run_facts *facts, const struct totals *totals, FILE *out)
{
    print_units(totals, out);
    print_traffic(totals, run_speed(facts, totals).fragments, out);
    fputc('\n', out);
    print_shares(totals, true, "hits", out);
    print_shares(totals, false, "shares", out);
}

void
run_print_summary(const struct run_facts *facts, const struct totals *totals,
                  const struct ideal_gains *gains, const struct draws *draws, bool units, FILE *out)
{
    if (!facts->frame_count) {
        fprintf(out, "no frame was drawn%s\n",
                facts->complete
                    ? ": the program ended before it swapped buffers or read anything back"
                    : "");
        return;
    }
    if (totals)
        print_verdict(gains, out);
    print_head(facts, totals, out);
    if (totals)
        print_steady(facts, totals, out);
    if (draws)
        run_print_draws(draws, out);
    if (totals && units)
        print_units_and_memory(facts, totals, out);
    if (totals)
        print_sample(facts, out);
    if (facts->wall_seconds > 0)
        print_speed(facts, totals, out);
}
