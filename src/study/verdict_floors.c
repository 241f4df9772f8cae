#include "study/verdict_floors.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    enum ideal_number ideal;
    const char *formula;
} floors_of[] = {
#define FLOOR(resource, formula, why) {IDEAL_##resource, formula},
#include "study/verdict_floors.def"
};

/* Resources that may have no work, and the statistic that counts it. */
static const struct {
    enum ideal_number ideal;
    const char *work;
} may_be_unused[] = {
    {IDEAL_blitter, "blitter.samples"},
    {IDEAL_constants, "shader.constant_accesses"},
};

bool
verdict_work_read(struct verdict_work *work, const char *dir, struct error *err)
{
    char *path = mem_printf("%s/stats.frames.csv.gz", dir);
    const bool ok = csv_read(&work->table, path, err);
    if (!ok)
        work->table = (struct csv_table){0};
    work->values = mem_array((size_t)work->table.columns + 1, sizeof *work->values);
    for (uint32_t c = 0; c < work->table.columns; c++)
        for (uint32_t r = 0; work->table.is_number[c] && r < work->table.rows; r++)
            work->values[c] += csv_value(&work->table, r, (int32_t)c);
    free(path);
    return ok;
}

void
verdict_work_fini(struct verdict_work *work)
{
    free(work->values);
    csv_table_fini(&work->table);
}

/* Evaluates a formula. A value that is not a number is 0. */
static bool
evaluate(const struct verdict_work *work, const struct params *params, const char *formula,
         double *value, struct error *err)
{
    struct totals totals = {.names = (const char *const *)work->table.names,
                            .values = work->values,
                            .count = work->table.columns,
                            .params = params};
    const bool ok = formula_evaluate(formula, totals_lookup, &totals, value, err);
    *value = ok && !isnan(*value) ? *value : 0;
    return ok;
}

bool
verdict_floors_of(const struct verdict_work *work, const struct params *params,
                  struct verdict_floors *floors, struct error *err)
{
    bool ok = true;
    *floors = (struct verdict_floors){0};
    for (size_t i = 0; ok && i < sizeof floors_of / sizeof floors_of[0]; i++)
        ok = evaluate(work, params, floors_of[i].formula, &floors->cycles[floors_of[i].ideal], err);
    return ok;
}

double
verdict_least_cycles(const struct verdict_floors *floors, uint32_t set)
{
    double least = 0;
    for (uint32_t i = 0; i < IDEALS; i++)
        if (!(set >> i & 1))
            least = fmax(least, floors->cycles[i]);
    return least;
}

bool
verdict_unused(const struct verdict_work *work, uint32_t *set, struct error *err)
{
    bool ok = true;
    *set = 0;
    for (size_t i = 0; ok && i < sizeof may_be_unused / sizeof may_be_unused[0]; i++) {
        double amount;
        ok = evaluate(work, NULL, may_be_unused[i].work, &amount, err);
        *set |= ok && amount == 0 ? 1u << may_be_unused[i].ideal : 0;
    }
    return ok;
}
