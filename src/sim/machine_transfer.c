/* Uploads and readbacks on the timed machine, as transactions on the command processor's bus.
 *
 * Of a surface that has block states an upload makes those blocks raw that it touches, and what it
 * covers wholly is not looked at before; a readback leaves all of them as they are, and decodes
 * what it reads: memory moves the bytes that a block's state says, the bus all that are wanted. */
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

/* A part of a resource at the start of a memory of its own: to lay bytes out there. */
struct part {
    struct resource res;        /* a copy in which the level starts with the part */
    struct box box;             /* in the part: its first slice is slice 0 */
    uint32_t first, size_bytes; /* of the part, from the resource's address; whole transactions */
};

/* The part that holds the box: the slices of its level, or the bytes of a buffer. */
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

/* The part's bytes, those of the box not 0: the box's rows are written into a copy of it. */
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

/* The bytes of a transaction that are marked, a bit each. */
static uint64_t
marked_bytes(const uint8_t *marks)
{
    uint64_t marked = 0;
    for (uint32_t i = 0; i < TRANSACTION_BYTES; i++)
        marked |= (uint64_t)(marks[i] != 0) << i;
    return marked;
}

/* The transactions that hold the box. */
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

/* In which the block has a state that is not raw; NULL: none. */
static const struct blocks *
table_of(struct machine *m, uint32_t address)
{
    for (int color = 0; color < 2; color++)
        if (!blocks_is_raw(blocks_state(machine_blocks(m, color), address)))
            return machine_blocks(m, color);
    return NULL;
}

/* What memory has of a block of which `wanted` transactions are wanted; the bus takes the rest of
 * them without it. */
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

/* Decodes the blocks of the part that are wanted, and tells what it takes to read them. Memory does
 * not change until it is read: nothing else is at work. */
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

/* The bytes that an upload's transactions write, laid out as they will lie in memory. */
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

/* The upload is put in line. */
static void
add_upload(struct machine *m, const struct resource *res, const struct gpu_cmd *cmd)
{
    struct upload *upload = &m->uploads[m->upload_count++];
    struct move_list list = {0};
    arena_init(&upload->bytes);
    list_writes(m, res, cmd, &upload->bytes, &list);
    lay_out(res, cmd, &upload->bytes, &list);
    struct cmdproc_step *step = cmdproc_add(m->cmdproc, STEP_MOVE);
    step->moves = upload->moves = list.moves.items;
    step->move_count = (uint32_t)list.moves.count;
    upload->number = m->cmdproc->transfers_added;
    const struct hazard_range range = hazard_range_of(res, &cmd->transfer.box);
    step->after = hazards_before_upload(&m->hazards, range);
    hazards_note_upload(&m->hazards, upload->number, range);
    work_accounting_begin_upload(&m->accounting, m->clock.now);
}

/* What an upload whose bytes are marked does to the blocks of a surface, which begins at `first` of
 * the part. */
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

/* Blocks that the upload touches are raw, and no ROP has lines of them. */
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

/* Draws that read what is about to change have read it: of a buffer, when they are fetched; of a
 * texture, when they have ended, which the orders to invalidate wait for. */
bool
machine_put(struct machine *m, const struct gpu_cmd *cmd, struct error *err)
{
    const struct resource *res = gpu_resource(m->device, cmd->client, cmd->transfer.resource);
    const bool alone = !m->params.COMMANDPROCESSOR.UploadsInFlight;
    if ((alone && !machine_drain(m, err)) || !make_raw(m, res, cmd, err))
        return false;
    const struct hazard_range range = hazard_range_of(res, &cmd->transfer.box);
    const uint64_t draw = hazards_before_buffer_changes(&m->hazards, range);
    if (draw && !machine_run_until(m, CMDPROC_FETCHED, draw, err))
        return false;
    machine_invalidate_readers(m, res);
    add_upload(m, res, cmd);
    return machine_run_until(m, alone ? CMDPROC_ALL : CMDPROC_SENT, 0, err);
}

/* Of a texture: its states decide what is read. */
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
