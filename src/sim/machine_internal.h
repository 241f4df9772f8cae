/* Functions shared by the files of the machine (sim/machine*.c) and private to them. */
#ifndef AETIUS_SIM_MACHINE_INTERNAL_H
#define AETIUS_SIM_MACHINE_INTERNAL_H

#include "base/mem.h"
#include "sim/machine.h"

/* Runs the steps that were added to the command processor as one work (sim/work_accounting.h). The
 * work ends at `event`. CMDPROC_SENT: the steps are executed. CMDPROC_ALL: nothing is in flight. */
bool machine_run_work(struct machine *m, enum work_kind kind, enum cmdproc_event event,
                      struct error *err);
/* Runs until the event of the command processor (unit/frontend/cmdproc.h). */
bool machine_run_until(struct machine *m, enum cmdproc_event event, uint64_t number,
                       struct error *err);
void machine_add_control(struct machine *m, enum control_kind kind, uint32_t targets);
void machine_invalidate_textures(struct machine *m);
/* Invalidates the constant caches if they may hold a part of a resource that is about to change.
 * First waits until all draws have ended. The invalidation takes no time. */
bool machine_forget_blocks(struct machine *m, const struct resource *res, struct error *err);
/* Invalidates lines of a resource that is about to change, in the caches of units that read it. */
void machine_invalidate_readers(struct machine *m, const struct resource *res);

/* Sends a baked draw to the command processor. */
bool machine_place_draw(struct machine *m, const struct draw *draw, struct error *err);

/* Waits until the uploads that the draw uses have ended. */
bool machine_await_uploads(struct machine *m, const struct draw *draw, struct error *err);

/* machine_reorder.c: draws that wait to be sorted or merged, if `front_to_back` or `merge_draws` is
 * set. */
bool machine_hold_draw(struct machine *m, const struct draw *draw, struct error *err);
/* Returns whether the command may be executed before the held draws. */
bool machine_passes_held(const struct machine *m, const struct gpu_cmd *cmd);
bool machine_send_held(struct machine *m, struct error *err);
/* Sets `merges` of a draw that the machine is about to send. A command that depends on the order of
 * draws ends `continued`. */
void machine_note_continued(struct machine *m, struct draw *draw);
void machine_end_continued(struct machine *m, const struct gpu_cmd *cmd);

/* machine_merge.c: makes one draw of the draws of a run. Uploads into their buffers must have
 * ended. */
bool machine_merge(struct machine *m, const struct draw_run *run, const struct draw *const draws[],
                   const struct draw **result, struct error *err);
void machine_free_merged(struct machine *m);
/* Makes a draw read these vertices, through new indices. With primitive restart, a vertex of
 * UINT32_MAX is a restart. */
bool machine_set_indices(struct machine *m, struct draw *draw, const uint32_t *vertices,
                         uint32_t count, struct error *err);
/* machine_indices.c: changes the indices of a draw that can be reordered. */
bool machine_order_indices(struct machine *m, struct draw *draw, struct error *err);

/* The device's `leaving` callback. */
void machine_end_resource(void *machine, const struct resource *res);

/* machine_surfaces.c */
/* Whether the resource is bound. */
bool machine_is_live(const struct machine *m, const struct resource *res);
struct blocks *machine_blocks(struct machine *m, bool color);
/* Number of surfaces of the resource that have block states. */
uint32_t machine_surfaces_of(struct machine *m, const struct resource *res);
bool machine_leave_surfaces(struct machine *m, struct error *err);
bool machine_use_surfaces(struct machine *m, const struct bound_surface *color, uint32_t count,
                          const struct bound_surface *depth, struct error *err);
bool machine_begin_surface(struct machine *m, const struct bound_surface *bound, bool color,
                           struct error *err);
/* Writes dirty lines of the resource from the ROP caches to memory. The resource stays bound. */
bool machine_write_back(struct machine *m, const struct resource *res, struct error *err);
/* Stores blocks of the surface uncompressed in memory. `parts` selects the blocks (struct
 * control_item). The surface keeps its states. */
bool machine_resolve_surface(struct machine *m, bool color, const struct block_surface *surface,
                             const uint8_t *parts, struct error *err);
/* Makes all blocks of all surfaces raw, removes their states and unbinds the surfaces. */
bool machine_resolve_surfaces(struct machine *m, struct error *err);
/* Decodes the resource's blocks in memory, as far as the ROPs have written them. Takes no simulated
 * time. */
void machine_sync_surfaces(struct machine *m, const struct resource *res);
/* Drops the resource's cached contents. No later work may read them, and no draw in flight may use
 * the resource. */
bool machine_discard_surfaces(struct machine *m, const struct resource *res, struct error *err);

/* machine_transfer.c: PUT, GET and other transfers over the bus, as transactions. */
struct move_list {
    VEC(struct cmdproc_move) moves;
};
/* Adds the transactions of a range of bytes. */
void machine_list_bytes(struct machine *m, uint32_t address, uint32_t bytes, bool write,
                        struct move_list *list);
/* Runs the transfer as one work of this kind until nothing is in flight. Frees the list. */
bool machine_run_moves(struct machine *m, struct move_list *list, enum work_kind kind,
                       struct error *err);
bool machine_put(struct machine *m, const struct gpu_cmd *cmd, struct error *err);
bool machine_get(struct machine *m, const struct gpu_cmd *cmd, uint8_t *out, struct error *err);

/* machine_clears.c. machine_note_clear() returns whether the clear before this one is unneeded. */
void machine_forget_clears(struct machine *m);
void machine_note_part(struct machine *m, const struct draw *draw);
bool machine_note_clear(struct machine *m, const struct gpu_cmd *cmd);

/* machine_blit.c: BLIT and COPY_REGION */
bool machine_blit(struct machine *m, const struct gpu_cmd *cmd, struct error *err);
/* Size of the temporary copy that the blit allocates; 0 for most blits. gpu_apply() must have
 * accepted the command. */
bool machine_blit_copy(struct gpu_device *device, const struct gpu_cmd *cmd, uint32_t *bytes,
                       struct error *err);

#endif
