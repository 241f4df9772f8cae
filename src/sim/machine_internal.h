/* What the files of the machine (sim/machine*.c) have in common. Private to them. */
#ifndef AETIUS_SIM_MACHINE_INTERNAL_H
#define AETIUS_SIM_MACHINE_INTERNAL_H

#include "base/mem.h"
#include "sim/machine.h"

/* A work (sim/work_accounting.h) of the steps that were added to the command processor, over with
 * the event: when they are (SENT), or when nothing else is on its way. */
bool machine_run_work(struct machine *m, enum work_kind kind, enum cmdproc_event event,
                      struct error *err);
/* Runs until the command processor has come so far (unit/frontend/cmdproc.h). */
bool machine_run_until(struct machine *m, enum cmdproc_event event, uint64_t number,
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
/* What is in the ROP caches alone of the resource goes to memory; it stays bound. */
bool machine_write_back(struct machine *m, const struct resource *res, struct error *err);
/* Its blocks are made raw in memory as `parts` say (struct control_item); it keeps its states. */
bool machine_resolve_surface(struct machine *m, bool color, const struct block_surface *surface,
                             const uint8_t *parts, struct error *err);
/* All surfaces are made whole, forgotten and left. */
bool machine_resolve_surfaces(struct machine *m, struct error *err);
/* Outside time: memory has the bytes of the resource, as far as these left the ROPs. */
void machine_settle_surfaces(struct machine *m, const struct resource *res);
/* Nobody will look at the resource again, and no draw that is on its way does. */
bool machine_discard_surfaces(struct machine *m, const struct resource *res, struct error *err);

/* machine_transfer.c: PUT and GET, and what else goes over the bus as transactions */
struct move_list {
    VEC(struct cmdproc_move) moves;
};
/* Adds those of a run of bytes. */
void machine_list_bytes(struct machine *m, uint32_t address, uint32_t bytes, bool write,
                        struct move_list *list);
/* They are a work of this kind, until all are over; frees the list. */
bool machine_run_moves(struct machine *m, struct move_list *list, enum work_kind kind,
                       struct error *err);
bool machine_put(struct machine *m, const struct gpu_cmd *cmd, struct error *err);
bool machine_get(struct machine *m, const struct gpu_cmd *cmd, uint8_t *out, struct error *err);

/* machine_blit.c: BLIT and COPY_REGION */
bool machine_blit(struct machine *m, const struct gpu_cmd *cmd, struct error *err);
/* What it allocates for its own time, once gpu_apply() has taken the command: 0 for most. */
bool machine_blit_copy(struct gpu_device *device, const struct gpu_cmd *cmd, uint32_t *bytes,
                       struct error *err);

#endif
