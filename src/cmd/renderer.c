#include "cmd/renderer.h"

#include "sim/functional.h"

#include <string.h>

enum { REFERENCE_SAMPLES = 4 }; /* the only number of samples that llvmpipe supports */

static bool
init_reference(struct renderer *renderer, const char *driver, uint32_t forced_samples,
               struct error *err)
{
    if (forced_samples && (forced_samples != REFERENCE_SAMPLES || strcmp(driver, "llvmpipe")))
        return fail(err,
                    "%s cannot draw with %u samples per pixel: the reference for ForceMSAA is "
                    "llvmpipe with 4",
                    driver, forced_samples);
    if (!passthrough_create(&renderer->reference, driver, err))
        return false;
    renderer->sink = passthrough_sink(renderer->reference);
    if (forced_samples) {
        renderer->force = force_samples_create(renderer->sink, forced_samples);
        renderer->sink = force_samples_sink(renderer->force);
    }
    return true;
}

bool
renderer_init(struct renderer *renderer, const char *reference, uint32_t forced_samples,
              struct error *err)
{
    *renderer = (struct renderer){0};
    if (reference)
        return init_reference(renderer, *reference ? reference : "llvmpipe", forced_samples, err);
    if (!render_sink_create(&renderer->ours, FUNCTIONAL_MEMORY_BYTES, forced_samples, err))
        return false;
    renderer->sink = render_sink_sink(renderer->ours);
    return true;
}

void
renderer_fini(struct renderer *renderer)
{
    if (renderer->force)
        force_samples_destroy(renderer->force);
    if (renderer->reference)
        passthrough_destroy(renderer->reference);
    if (renderer->ours)
        render_sink_destroy(renderer->ours);
}
