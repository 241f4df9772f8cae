#include "cmd/renderer.h"

#include "sim/functional.h"

bool
renderer_init(struct renderer *renderer, const char *reference, struct error *err)
{
    *renderer = (struct renderer){0};
    if (reference) {
        if (!passthrough_create(&renderer->reference, *reference ? reference : "llvmpipe", err))
            return false;
        renderer->sink = passthrough_sink(renderer->reference);
        return true;
    }
    if (!render_sink_create(&renderer->ours, FUNCTIONAL_MEMORY_BYTES, err))
        return false;
    renderer->sink = render_sink_sink(renderer->ours);
    return true;
}

void
renderer_fini(struct renderer *renderer)
{
    if (renderer->reference)
        passthrough_destroy(renderer->reference);
    if (renderer->ours)
        render_sink_destroy(renderer->ours);
}
