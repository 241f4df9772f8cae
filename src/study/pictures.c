#include "study/pictures.h"

#include "base/interrupt.h"
#include "report/compare.h"
#include "sweep/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BRIGHTER = 8, PARTS = 3, MOST_SAID = 1 << 16 };

/* aetius replay TRACE --reference, in the study's folder */
static bool
draw_reference(const struct study *study, const char *trace, uint32_t frame, const char *folder,
               struct error *err)
{
    char *self = engine_self(), *number = mem_printf("%u", frame);
    char *words[] = {self,           (char *)"replay",
                     (char *)trace,  (char *)"--reference",
                     (char *)"-f",   (char *)"--frames",
                     number,         (char *)"-o",
                     (char *)folder, NULL};
    struct subprocess child;
    char *said = NULL;
    size_t size;
    int status;
    bool ok = engine_start(&child, study->sweep.dir, words, NULL, err) &&
              subprocess_collect(&child, MOST_SAID, &said, &size, &status, err);
    free(number);
    free(self);
    if (ok && status) {
        said[strcspn(said, "\n")] = 0;
        ok = fail(err, "%s: %s", trace, said);
    }
    free(said);
    return ok;
}

/* The mean of four pixels, brighter by a factor, to a place of the sheet. */
static void
put_half(const struct picture *from, uint32_t factor, struct picture *sheet, uint32_t part)
{
    const uint32_t width = from->width / 2, height = from->height / 2;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < 4; c++) {
                const uint8_t *at = from->rgba + 4 * ((size_t)2 * y * from->width + 2 * x) + c;
                const uint8_t *below = at + (size_t)4 * from->width;
                const uint32_t sum =
                    factor * ((uint32_t)at[0] + at[4] + below[0] + below[4] + 2) / 4;
                sheet->rgba[4 * ((size_t)y * sheet->width + part * width + x) + c] =
                    c == 3 ? 255 : (uint8_t)(sum < 255 ? sum : 255);
            }
}

static bool
write_sheet(const struct study *study, const char *name, const struct picture *reference,
            const struct picture *ours, struct error *err)
{
    char *file = mem_printf("pictures/%s.png", name), *path = sweep_path(&study->sweep, file);
    struct picture sheet = {.width = PARTS * (ours->width / 2), .height = ours->height / 2};
    sheet.rgba = mem_alloc((size_t)4 * sheet.width * sheet.height + 1);
    put_half(ours, 1, &sheet, 0);
    for (uint32_t part = 1; part < PARTS; part++) {
        struct picture difference;
        picture_subtract(reference, ours, part == 1 ? 1 : -1, &difference);
        put_half(&difference, BRIGHTER, &sheet, part);
        picture_fini(&difference);
    }
    const bool ok = picture_write_png(&sheet, path, err);
    picture_fini(&sheet);
    free(path);
    free(file);
    return ok;
}

static void
put_row(const char *name, const struct picture_difference *d, struct text_table *table)
{
    const double percent = 100.0 / (double)d->pixels;
    const uint64_t two = d->pixels - d->within_1 - d->edge_differences - d->interior_errors;
    text_table_cell(table, "%s", name);
    text_table_cell(table, "%llu", (unsigned long long)d->pixels);
    text_table_cell(table, "%.3f", percent * (double)d->identical);
    text_table_cell(table, "%.3f", percent * (double)(d->within_1 - d->identical));
    text_table_cell(table, "%.3f", percent * (double)two);
    text_table_cell(table, "%llu", (unsigned long long)d->edge_differences);
    text_table_cell(table, "%llu", (unsigned long long)d->interior_errors);
    text_table_cell(table, "%u", d->max_difference);
    text_table_end_row(table);
}

/* The first of a trace's frames that are simulated. */
static bool
first_frame(const struct sweep_trace *trace, uint32_t *frame, struct error *err)
{
    struct frame_set frames;
    const bool ok = frame_set_parse(&frames, trace->frames, err);
    *frame = ok ? frames.ranges[0].first : 0;
    return ok;
}

/* Nothing can be wrong in a picture of one color: that it is the same says nothing. */
static bool
read_picture(struct picture *picture, const char *path, struct error *err)
{
    return picture_read_png(picture, path, err) &&
           (!picture_has_one_color(picture) ||
            fail(err, "%s has one color: a comparison wants a frame that shows something", path));
}

/* The pictures that a run left. */
static bool
check_run(const struct study *study, size_t run, struct error *err)
{
    const struct sweep_trace *trace =
        &study->sweep.traces.items[study->sweep.runs.items[run].trace];
    char *folder = study_folder(study, run);
    struct frame_set frames;
    bool ok = frame_set_parse(&frames, trace->frames, err);
    for (uint32_t f = 0; ok && f <= frame_set_last(&frames); f++) {
        char *path = mem_printf("%s/frames/frame-%04u.png", folder, f);
        struct picture picture = {0};
        if (frame_set_has(&frames, f) && file_exists(path))
            ok = picture_read_png(&picture, path, err) &&
                 (!picture_has_one_color(&picture) ||
                  fail(err,
                       "[input %s]: frame %u has one color: a study wants a frame that shows "
                       "something",
                       trace->name, f));
        picture_fini(&picture);
        free(path);
    }
    free(folder);
    return ok && interrupt_check(err);
}

static bool
may_be_plain(const struct study *study, const char *trace)
{
    for (size_t i = 0; i < study->plan->inputs.count; i++)
        if (sweep_input_makes(&study->plan->inputs.items[i], trace))
            return study->plan->inputs.items[i].is_plain;
    return false;
}

bool
study_check_pictures(const struct study *study, struct error *err)
{
    const size_t traces = study->sweep.traces.count;
    bool *seen = mem_array(traces + 1, sizeof *seen);
    bool ok = true;
    for (size_t run = 0; ok && study->has_plan_inputs && run < study->planned; run++) {
        const uint32_t trace = study->sweep.runs.items[run].trace;
        if (!seen[trace] && !may_be_plain(study, study_trace_name(study, trace)))
            ok = check_run(study, run, err);
        seen[trace] = true;
    }
    free(seen);
    return ok;
}

static bool
read_pictures(const struct study *study, size_t run, struct picture *reference,
              struct picture *ours, struct error *err)
{
    const struct sweep_trace *trace =
        &study->sweep.traces.items[study->sweep.runs.items[run].trace];
    uint32_t frame;
    if (!first_frame(trace, &frame, err))
        return false;
    char *folder = mem_printf("pictures/%s", trace->name), *own = study_folder(study, run);
    char *a = mem_printf("%s/%s/frames/frame-%04u.png", study->sweep.dir, folder, frame);
    char *b = mem_printf("%s/frames/frame-%04u.png", own, frame);
    const bool ok = draw_reference(study, trace->path, frame, folder, err) &&
                    read_picture(reference, a, err) && read_picture(ours, b, err);
    free(b);
    free(a);
    free(own);
    free(folder);
    return ok;
}

static bool
compare(const struct study *study, size_t run, struct text_table *table, struct error *err)
{
    const char *name = study_trace_name(study, study->sweep.runs.items[run].trace);
    struct picture reference = {0}, ours = {0};
    struct picture_difference difference = {0};
    const bool ok = read_pictures(study, run, &reference, &ours, err) &&
                    picture_compare(&reference, &ours, &difference, err) &&
                    write_sheet(study, name, &reference, &ours, err);
    if (ok)
        put_row(name, &difference, table);
    picture_fini(&reference);
    picture_fini(&ours);
    return ok;
}

static bool
write_page(const struct study *study, const struct text_table *table, struct error *err)
{
    char *text;
    size_t size;
    FILE *page = open_memstream(&text, &size);
    BUG_ON(!page, "no memory for a page");
    text_table_write(table, TEXT_TABLE_MARKDOWN, page);
    for (size_t row = 1; row < text_table_rows(table); row++) {
        const char *name = text_table_at(table, row, 0);
        fprintf(page, "\n%s\n\n![%s](<pictures/%s.png>)\n", name, name, name);
    }
    fclose(page);
    const bool ok = study_write(study, "pictures.md", text, err);
    free(text);
    return ok;
}

bool
study_put_pictures(const struct study *study, struct error *err)
{
    static const char *const names[] = {"picture", "pixels", "identical, %", "off by 1, %",
                                        "by 2, %", "edge",   "interior",     "largest"};
    struct text_table table = {0};
    char *dir = sweep_path(&study->sweep, "pictures");
    bool ok = study_check_traces(study, "pictures", err) && dir_create(dir, err);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        text_table_cell(&table, "%s", names[i]);
    text_table_end_row(&table);
    for (size_t run = 0; ok && run < study->planned; run++)
        if (study_picks_trace(study, "pictures", study->sweep.runs.items[run].trace) &&
            !strcmp(study->sweep.runs.items[run].machine, study->machines.items[0]))
            ok = compare(study, run, &table, err);
    ok = ok && write_page(study, &table, err);
    text_table_fini(&table);
    free(dir);
    return ok;
}
