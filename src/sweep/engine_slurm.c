#include "sweep/engine.h"
static bool
begin(const struct engine_request *request, struct error *err)
{
    (void)request;
    return fail(err, "later");
}
const struct sweep_engine engine_slurm = {.name = "slurm", .begin = begin};
