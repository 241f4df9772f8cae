#include "report/run/run_frames.h"

#include "report/run/run_json.h"

#include <stdio.h>

/* Returns 0 if run.json does not give the number. */
static uint32_t
first_frame(const char *dir)
{
    struct run_json run;
    struct error ignored;
    if (!run_json_read(&run, dir, &ignored))
        return 0;
    const double number = run.first_frame;
    run_json_fini(&run);
    return number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
}

/* Whether the table has a row of one of these frames. The numbers in `frames` are `first` larger
 * than the table's. */
static bool
has_one(const struct frame_set *frames, const struct csv_table *table, uint32_t first)
{
    const int32_t column = csv_column(table, "frame");
    for (uint32_t row = 0; column >= 0 && row < table->rows; row++)
        if (frame_set_has(frames, first + (uint32_t)csv_value(table, row, column)))
            return true;
    return false;
}

/* Whether the frame numbers can be numbers of the program. If not, they cannot be converted. */
static bool
is_from(const struct frame_set *frames, uint32_t first)
{
    for (uint32_t i = 0; i < frames->count; i++)
        if (frames->ranges[i].first < first)
            return false;
    return first > 0;
}

static void
put_range(char *text, size_t size, uint32_t low, uint32_t high)
{
    if (low == high)
        snprintf(text, size, "%u", low);
    else
        snprintf(text, size, "%u-%u", low, high);
}

bool
run_locate_frames(struct frame_set *frames, const char *dir, const struct csv_table *table,
                  struct error *err)
{
    const int32_t column = csv_column(table, "frame");
    if (!frames->count)
        return true;
    const uint32_t first = first_frame(dir);
    if (has_one(frames, table, 0)) {
        if (is_from(frames, first) && has_one(frames, table, first))
            frame_set_note_numbers(frames, first, dir);
        return true;
    }
    if (is_from(frames, first) && has_one(frames, table, first)) {
        frame_set_shift(frames, first, dir);
        return true;
    }
    if (column < 0 || !table->rows)
        return fail(err, "%s has no frames", dir);
    const uint32_t low = (uint32_t)csv_value(table, 0, column);
    const uint32_t high = (uint32_t)csv_value(table, table->rows - 1, column);
    char own[32], programs[32];
    put_range(own, sizeof own, low, high);
    put_range(programs, sizeof programs, first + low, first + high);
    return first ? fail(err, "%s has frames %s (%s of the program)", dir, own, programs)
                 : fail(err, "%s has frames %s", dir, own);
}
