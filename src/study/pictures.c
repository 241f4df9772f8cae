#include "study/pictures.h"

#include "base/log.h"
#include "report/compare/compare.h"
#include "study/files.h"
#include "study/inputs.h"

#include <stdlib.h>
#include <string.h>

enum { BRIGHTER = 8, PARTS = 3 };

/* Copies a picture at half size into part `part` of the sheet, brightened by a factor. Averages
 * blocks of four pixels. */
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
    sheet.rgba = mem_array((size_t)sheet.width * sheet.height + 1, 4);
    put_half(ours, 1, &sheet, 0);
    for (uint32_t part = 1; part < PARTS; part++) {
        struct picture difference;
        picture_subtract(reference, ours, part == 1 ? 1 : -1, &difference);
        put_half(&difference, BRIGHTER, &sheet, part);
        picture_fini(&difference);
    }
    const bool ok = study_claim(study, file, err) && picture_write_png(&sheet, path, err);
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

/* The first simulated frame of a trace. */
static bool
first_frame(const struct sweep_trace *trace, uint32_t *frame, struct error *err)
{
    struct frame_set frames;
    const bool ok = frame_set_parse(&frames, trace->frames, err);
    *frame = ok ? frames.ranges[0].first : 0;
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
    char *number = mem_printf("%u", frame);
    const bool ok = study_draw(study, trace->path, "reference", number, folder, err) &&
                    picture_read_png(reference, a, err) && picture_read_png(ours, b, err);
    free(number);
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
    bool ok = read_pictures(study, run, &reference, &ours, err);
    /* Pictures of one color are not compared, because equality would prove nothing. */
    const bool is_plain = ok && (picture_has_one_color(&ours) || picture_has_one_color(&reference));
    if (is_plain)
        log_note("%s has only one color: its picture is not compared", name);
    ok = ok && (is_plain || (picture_compare(&reference, &ours, &difference, err) &&
                             write_sheet(study, name, &reference, &ours, err)));
    if (ok && !is_plain)
        put_row(name, &difference, table);
    picture_fini(&reference);
    picture_fini(&ours);
    return ok;
}

static bool
write_page(const struct study *study, const struct text_table *table, struct error *err)
{
    struct memory_text text;
    FILE *page = memory_text_open(&text);
    text_table_write(table, TEXT_TABLE_MARKDOWN, page);
    for (size_t row = 1; row < text_table_rows(table); row++) {
        const char *name = text_table_at(table, row, 0);
        fprintf(page, "\n%s\n\n![%s](<pictures/%s.png>)\n", name, name, name);
    }
    return study_write_text(study, "pictures.md", &text, err);
}

bool
study_put_pictures(const struct study *study, struct error *err)
{
    static const char *const names[] = {"picture",     "pixels", "identical, %", "off by 1, %",
                                        "off by 2, %", "edge",   "interior",     "largest"};
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
    ok = ok && (text_table_rows(&table) < 2 || write_page(study, &table, err));
    text_table_fini(&table);
    free(dir);
    return ok;
}
