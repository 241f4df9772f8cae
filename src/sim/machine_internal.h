/* What the files of the machine (sim/machine*.c) have in common. Private to them. */
#ifndef AETIUS_SIM_MACHINE_INTERNAL_H
#define AETIUS_SIM_MACHINE_INTERNAL_H

#include "sim/machine.h"

/* A work (sim/work.h) of the steps that were added to the command processor, over with the event:
 * when they are (SENT), or when nothing else is on its way. */
bool machine_run_work(struct machine *m, enum work_kind kind, enum cmdproc_event event,
                      struct error *err);
void machine_add_control(struct machine *m, enum control_kind kind, uint32_t targets);
void machine_invalidate_textures(struct machine *m);
/* What caches of reading units may hold of a resource that is about to change. */
void machine_invalidate_readers(struct machine *m, const struct resource *res);

/* For `leaving` of the device. */
void machine_end_resource(void *machine, const struct resource *res);

/* machine_surfaces.c */
bool machine_is_live(const struct machine *m, const struct resource *res); /* it is bound */
struct blocks *machine_blocks(struct machine *m, bool color);
/* How many surfaces with states there are of the resource. */
uint32_t machine_surfaces_of(struct machine *m, const struct resource *res);
bool machine_leave_surfaces(struct machine *m, struct error *err);
bool machine_use_surfaces(struct machine *m, const struct bound_surface *color, uint32_t count,
                          const struct bound_surface *depth, struct error *err);
bool machine_begin_surface(struct machine *m, const struct bound_surface *bound, bool color,
                           struct error *err);
bool machine_resolve_surfaces(struct machine *m, const struct resource *res, struct error *err);
/* Nobody will look at the resource again, and no draw that is on its way does. */
bool machine_discard_surfaces(struct machine *m, const struct resource *res, struct error *err);

/* machine_blit.c: BLIT and COPY_REGION */
bool machine_blit(struct machine *m, const struct gpu_cmd *cmd, struct error *err);

#endif
