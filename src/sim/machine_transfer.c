/* Uploads and readbacks on the timed machine, as transactions on the command processor's bus.
 *
 * An upload into a surface with block states makes the touched blocks raw. Blocks that the upload
 * covers completely are not read first. A readback decodes the blocks that it reads and changes
 * none. Memory transfers the bytes that the block's state requires. The bus carries all requested
 * bytes. */
#include "sim/machine_internal.h"

#include <stdlib.h>
#include <string.h>

static void
add_move(struct machine *m, struct move_list *list, uint32_t address, uint64_t bytes_written,
         bool write)
{
    VEC_PUSH(&list->moves, ((struct cmdproc_move){.address = address,
                                                  .write = write,
                                                  .bytes_written = bytes_written,
                                                  .bytes = m->device->memory.bytes + address}));
}

void
machine_list_bytes(struct machine *m, uint32_t address, uint32_t bytes, bool write,
                   struct move_list *list)
{
    for (uint32_t end = address + bytes; address < end;) {
        uint32_t first = address % TRANSACTION_BYTES, count = TRANSACTION_BYTES - first;
        if (count > end - address)
            count = end - address;
        add_move(m, list, address - first, transaction_bytes(first, count), write);
        address += count;
    }
}

/* A part of a resource, moved to address 0 of a separate memory in which bytes are laid out. */
struct part {
    struct resource res;        /* copy whose level starts at offset 0 */
    struct box box;             /* relative to the part, whose first slice is slice 0 */
    uint32_t first, size_bytes; /* offset and size in the resource; whole transactions */
};

/* Returns the part that contains the box: the slices of its level, or the bytes of a buffer. */
static struct part
part_of(const struct resource *res, uint32_t level, const struct box *box)
{
    struct part part = {.res = *res, .box = *box};
    const struct resource_level *l = &res->levels[level];
    uint64_t first = (uint64_t)l->offset + (uint64_t)box->z * l->slice_bytes;
    uint64_t end = first + (uint64_t)box->depth * l->slice_bytes;
    part.res.address = 0;
    if (res->desc.target != TARGET_BUFFER) {
        part.first = (uint32_t)first;
        part.size_bytes = (uint32_t)(end - first);
        part.res.levels[level].offset = 0;
        part.box.z = 0;
    }
    return part;
}

/* Returns an array with 0xff for the part's bytes inside the box and 0 for the others. `scratch`
 * owns the array. */
static const uint8_t *
mark_box(const struct part *part, uint32_t level, struct arena *scratch)
{
    const uint32_t rows = resource_box_bytes(&part->res, &part->box);
    uint8_t *bytes = arena_alloc(scratch, rows);
    struct gpu_memory mark = {.bytes = arena_alloc(scratch, part->size_bytes),
                              .size_bytes = part->size_bytes};
    memset(bytes, 0xff, rows);
    resource_write_box(&part->res, &mark, level, &part->box, bytes);
    return mark.bytes;
}

/* Mask of the marked bytes of a transaction, one bit per byte. */
static uint64_t
marked_bytes(const uint8_t *marks)
{
    uint64_t marked = 0;
    for (uint32_t i = 0; i < TRANSACTION_BYTES; i++)
        marked |= (uint64_t)(marks[i] != 0) << i;
    return marked;
}

/* Lists the transactions that the box touches. */
static void
list_writes(struct machine *m, const struct resource *res, const struct gpu_cmd *cmd,
            struct arena *scratch, struct move_list *list)
{
    const struct box *box = &cmd->transfer.box;
    if (res->desc.target == TARGET_BUFFER) {
        machine_list_bytes(m, res->address + (uint32_t)box->x, (uint32_t)box->width, true, list);
        return;
    }
    const struct part part = part_of(res, cmd->transfer.level, box);
    const uint8_t *marks = mark_box(&part, cmd->transfer.level, scratch);
    for (uint32_t at = 0; at < part.size_bytes; at += TRANSACTION_BYTES) {
        const uint64_t marked = marked_bytes(marks + at);
        if (marked)
            add_move(m, list, res->address + part.first + at, marked, true);
    }
}

/* Table in which the block has a state other than raw; NULL: no table. */
static const struct blocks *
table_of(struct machine *m, uint32_t address)
{
    for (int color = 0; color < 2; color++)
        if (!blocks_is_raw(blocks_state(machine_blocks(m, color), address)))
            return machine_blocks(m, color);
    return NULL;
}

/* Lists the transactions that a packed block occupies in memory. If the caller wants more, the
 * others are synthetic: the bus carries them without a memory access. */
static void
list_packed(struct machine *m, const struct blocks *blocks, uint32_t address, uint32_t wanted,
            struct move_list *list)
{
    const uint32_t has = blocks_bytes(blocks, blocks_state(blocks, address)) / TRANSACTION_BYTES;
    for (uint32_t i = 0; i < has || i < wanted; i++) {
        add_move(m, list, address + i * TRANSACTION_BYTES, 0, false);
        list->moves.items[list->moves.count - 1].synthetic = i >= has;
    }
}

/* Decodes the wanted blocks of the part into `bytes`, and lists the transactions that read them.
 * Memory cannot change before these transactions run, since nothing else is in flight. */
static void
list_reads(struct machine *m, const struct part *part, uint32_t address, const uint8_t *marks,
           uint8_t *bytes, struct move_list *list)
{
    memcpy(bytes, m->device->memory.bytes + address, part->size_bytes);
    for (uint32_t at = 0; at < part->size_bytes;) {
        const struct blocks *blocks = table_of(m, address + at);
        const uint32_t end = at + (blocks ? blocks->block_bytes : TRANSACTION_BYTES);
        uint32_t wanted = 0;
        for (uint32_t i = at; i < end && i < part->size_bytes; i += TRANSACTION_BYTES)
            wanted += marked_bytes(marks + i) != 0;
        if (blocks && wanted) {
            list_packed(m, blocks, address + at, wanted, list);
            blocks_unpack(blocks, address + at, blocks_state(blocks, address + at), bytes + at,
                          bytes + at);
        } else if (wanted) {
            add_move(m, list, address + at, 0, false);
        }
        at = end;
    }
}

bool
machine_run_moves(struct machine *m, struct move_list *list, enum work_kind kind, struct error *err)
{
    struct cmdproc_step *step = cmdproc_add(m->cmdproc, STEP_MOVE);
    step->moves = list->moves.items;
    step->move_count = (uint32_t)list->moves.count;
    bool ok = machine_run_work(m, kind, CMDPROC_ALL, err);
    VEC_FREE(&list->moves);
    return ok;
}

/* Lays out the uploaded bytes in memory order, and assigns them to the transactions. */
static void
lay_out(const struct resource *res, const struct gpu_cmd *cmd, struct arena *scratch,
        struct move_list *list)
{
    const struct box *box = &cmd->transfer.box;
    bool buffer = res->desc.target == TARGET_BUFFER;
    uint32_t first = buffer ? (uint32_t)box->x / TRANSACTION_BYTES * TRANSACTION_BYTES : 0;
    struct part part = part_of(res, cmd->transfer.level, box);
    uint8_t *bytes;
    if (buffer) {
        bytes = arena_alloc(scratch, (uint32_t)box->width + 2 * TRANSACTION_BYTES);
        memcpy(bytes + ((uint32_t)box->x - first), cmd->transfer.bytes, (uint32_t)box->width);
    } else {
        first = part.first;
        bytes = arena_alloc(scratch, part.size_bytes);
        struct gpu_memory copy = {.bytes = bytes, .size_bytes = part.size_bytes};
        resource_write_box(&part.res, &copy, cmd->transfer.level, &part.box, cmd->transfer.bytes);
    }
    for (size_t i = 0; i < list->moves.count; i++)
        list->moves.items[i].bytes = bytes + (list->moves.items[i].address - res->address - first);
}

/* Whether the resource already holds the bytes in memory. Bytes of a surface may be in the ROP
 * caches instead, and those of earlier uploads may be on their way. */
static bool
holds_already(struct machine *m, const struct resource *res, const struct gpu_cmd *cmd)
{
    const struct box *box = &cmd->transfer.box;
    if (hazards_before_upload(&m->hazards, hazard_range_of(res, box)) || machine_is_live(m, res) ||
        machine_surfaces_of(m, res))
        return false;
    const uint32_t bytes = resource_box_bytes(res, box);
    if (res->desc.target == TARGET_BUFFER)
        return !memcmp(m->device->memory.bytes + res->address + box->x, cmd->transfer.bytes, bytes);
    uint8_t *held = mem_alloc(bytes + 1);
    resource_read_box(res, &m->device->memory, cmd->transfer.level, box, held);
    const bool equal = !memcmp(held, cmd->transfer.bytes, bytes);
    free(held);
    return equal;
}

static void
add_upload(struct machine *m, const struct resource *res, const struct gpu_cmd *cmd, bool repeats)
{
    struct upload *upload = &m->uploads[m->upload_count++];
    struct move_list list = {0};
    arena_init(&upload->bytes);
    list_writes(m, res, cmd, &upload->bytes, &list);
    lay_out(res, cmd, &upload->bytes, &list);
    for (size_t i = 0; i < list.moves.count; i++)
        list.moves.items[i].repeats = repeats;
    struct cmdproc_step *step = cmdproc_add(m->cmdproc, STEP_MOVE);
    step->moves = upload->moves = list.moves.items;
    step->move_count = (uint32_t)list.moves.count;
    upload->number = m->cmdproc->transfers_added;
    const struct hazard_range range = hazard_range_of(res, &cmd->transfer.box);
    step->after = hazards_before_upload(&m->hazards, range);
    hazards_note_upload(&m->hazards, upload->number, range);
    work_accounting_begin_upload(&m->accounting, m->clock.now);
}

/* Classifies each block of a surface by the upload's effect on it. `marks` starts at the surface's
 * first byte. */
static void
find_parts(const struct blocks *blocks, const struct block_surface *surface, const uint8_t *marks,
           uint8_t *parts)
{
    for (uint32_t n = 0; n < blocks_of_surface(blocks, surface); n++) {
        uint32_t marked = 0;
        for (uint32_t i = 0; i < blocks->block_bytes; i++)
            marked += marks[n * blocks->block_bytes + i] != 0;
        parts[n] = !marked                         ? PART_STAYS
                   : marked == blocks->block_bytes ? PART_OVERWRITTEN
                                                   : PART_RAW;
    }
}

/* Makes the blocks that the upload touches raw, and drops their lines from the ROP caches. */
static bool
make_raw(struct machine *m, const struct resource *res, const struct gpu_cmd *cmd,
         struct error *err)
{
    const struct box *box = &cmd->transfer.box;
    bool ok = !machine_is_live(m, res) || machine_leave_surfaces(m, err);
    if (!ok || !machine_surfaces_of(m, res))
        return ok;
    struct arena scratch;
    arena_init(&scratch);
    const struct part part = part_of(res, cmd->transfer.level, box);
    const uint8_t *marks = mark_box(&part, cmd->transfer.level, &scratch);
    for (int color = 0; color < 2; color++) {
        const struct blocks *blocks = machine_blocks(m, color);
        for (uint32_t s = 0; s < blocks->surface_count && ok; s++) {
            const struct block_surface *surface = &blocks->surfaces[s];
            const uint32_t first = surface->first - res->address - part.first;
            if (surface->bound.res != res || surface->bound.level != cmd->transfer.level ||
                surface->bound.layer - (uint32_t)box->z >= (uint32_t)box->depth)
                continue;
            uint8_t *parts = arena_alloc(&scratch, blocks_of_surface(blocks, surface));
            find_parts(blocks, surface, marks + first, parts);
            ok = machine_resolve_surface(m, color, surface, parts, err);
        }
    }
    arena_fini(&scratch);
    return ok;
}

/* Waits until the draws that read the old bytes of a buffer have done so. */
static bool
await_buffer_readers(struct machine *m, struct hazard_range range, struct error *err)
{
    const uint64_t draw = hazards_before_buffer_changes(&m->hazards, range);
    const uint64_t sampling = hazards_before_texel_changes(&m->hazards, range);
    return (!draw || machine_run_until(m, CMDPROC_FETCHED, draw, err)) &&
           (!sampling || machine_run_until(m, CMDPROC_ENDED, sampling, err));
}

/* Ends uploads into the resource, and the draws that may read it as a texture. */
static bool
end_users(struct machine *m, const struct resource *res, struct error *err)
{
    for (uint64_t upload; (upload = hazards_before_use(&m->hazards, res));)
        if (!machine_run_until(m, CMDPROC_TRANSFER, upload, err))
            return false;
    const uint64_t draw = hazards_before_end(&m->hazards, res);
    return !draw || machine_run_until(m, CMDPROC_ENDED, draw, err);
}

/* Earlier draws must read the old contents before the upload changes them. An upload into a buffer
 * waits until those draws are fetched, and until those that sample the buffer have ended. The
 * invalidation of a texture waits until they have ended. */
bool
machine_put(struct machine *m, const struct gpu_cmd *cmd, struct error *err)
{
    const struct resource *res = gpu_resource(m->device, cmd->client, cmd->transfer.resource);
    const bool alone = !m->params.COMMANDPROCESSOR.UploadsInFlight;
    if (machine_is_live(m, res))
        machine_forget_clears(m);
    if ((alone && !machine_drain(m, err)) || !make_raw(m, res, cmd, err))
        return false;
    if (!await_buffer_readers(m, hazard_range_of(res, &cmd->transfer.box), err))
        return false;
    machine_invalidate_readers(m, res);
    if (!machine_forget_blocks(m, res, err))
        return false;
    const bool repeats = m->device->put_repeats || holds_already(m, res, cmd);
    const bool is_free =
        (m->early_uploads && m->device->draw_in_frame) || (m->no_repeated_uploads && repeats);
    if (is_free && !end_users(m, res, err))
        return false;
    if (is_free ||
        gpu_memory_is_mapped(&m->device->memory, res->address)) { /* the host writes it */
        resource_write_box(res, &m->device->memory, cmd->transfer.level, &cmd->transfer.box,
                           cmd->transfer.bytes);
        return true;
    }
    add_upload(m, res, cmd, repeats);
    return machine_run_until(m, alone ? CMDPROC_ALL : CMDPROC_SENT, 0, err);
}

/* Reads a texture. Its block states determine which bytes memory transfers. */
static bool
get_texels(struct machine *m, const struct resource *res, const struct gpu_cmd *cmd, uint8_t *out,
           struct error *err)
{
    const uint32_t level = cmd->transfer.level;
    const struct part part = part_of(res, level, &cmd->transfer.box);
    struct move_list list = {0};
    struct arena scratch;
    arena_init(&scratch);
    struct gpu_memory read = {.bytes = arena_alloc(&scratch, part.size_bytes),
                              .size_bytes = part.size_bytes};
    list_reads(m, &part, res->address + part.first, mark_box(&part, level, &scratch), read.bytes,
               &list);
    const bool ok = machine_run_moves(m, &list, WORK_READBACK, err);
    if (ok && out)
        resource_read_box(&part.res, &read, level, &part.box, out);
    arena_fini(&scratch);
    return ok;
}

bool
machine_get(struct machine *m, const struct gpu_cmd *cmd, uint8_t *out, struct error *err)
{
    const struct resource *res = gpu_resource(m->device, cmd->client, cmd->transfer.resource);
    const struct box *box = &cmd->transfer.box;
    struct move_list list = {0};
    if (!machine_write_back(m, res, err))
        return false;
    if (res->desc.target != TARGET_BUFFER)
        return get_texels(m, res, cmd, out, err);
    machine_list_bytes(m, res->address + (uint32_t)box->x, (uint32_t)box->width, false, &list);
    const bool ok = machine_run_moves(m, &list, WORK_READBACK, err);
    if (ok && out)
        resource_read_box(res, &m->device->memory, cmd->transfer.level, box, out);
    return ok;
}
