#include "state/upload_history.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* An upload. Those with equal hashes form a list. */
struct entry {
    struct entry *next;
    struct resource_desc desc; /* of the resource */
    struct box box;
    uint32_t level, size_bytes;
    uint8_t bytes[];
};

static void
free_list(void *list)
{
    for (struct entry *entry = list, *next; entry; entry = next) {
        next = entry->next;
        free(entry);
    }
}

static uint64_t
bytes_in(const struct handle_map *map)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < map->capacity; i++)
        for (const struct entry *entry = map->slots[i].value; entry; entry = entry->next)
            bytes += sizeof *entry + entry->size_bytes;
    return bytes;
}

static void
forget(struct upload_history *history, uint32_t which)
{
    budget_set(&history->share, history->share.bytes - bytes_in(&history->frames[which]), NULL);
    handle_map_fini_with(&history->frames[which], free_list);
    memset(&history->frames[which], 0, sizeof history->frames[which]);
}

static void
begin_frame(struct upload_history *history, uint32_t frame)
{
    if (frame != history->frame + 1)
        forget(history, history->current);
    history->current = !history->current;
    forget(history, history->current);
    history->frame = frame;
}

/* Hashes at most 128 words and the end. Equal hashes are followed by a comparison of all bytes. */
static uint32_t
hash_upload(const uint8_t *bytes, uint32_t size)
{
    enum { WORDS = 128 };
    uint64_t hash = size, word;
    const uint32_t step = (uint32_t)sizeof word * (size / (WORDS * (uint32_t)sizeof word) + 1);
    for (uint32_t i = 0; i + sizeof word <= size; i += step) {
        memcpy(&word, bytes + i, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    word = 0;
    memcpy(&word, bytes + size / sizeof word * sizeof word, size % sizeof word);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash ^ hash >> 32);
}

static bool
same_place(const struct entry *entry, const struct resource *res, const struct gpu_cmd *put)
{
    if (entry->desc.target == TARGET_BUFFER)
        return res->desc.target == TARGET_BUFFER;
    return resource_same_picture(&entry->desc, &res->desc) && entry->level == put->transfer.level &&
           !memcmp(&entry->box, &put->transfer.box, sizeof entry->box);
}

static bool
has(const struct handle_map *map, uint32_t hash, const struct resource *res,
    const struct gpu_cmd *put, uint32_t size)
{
    for (const struct entry *entry = handle_map_get(map, hash); entry; entry = entry->next)
        if (entry->size_bytes == size && same_place(entry, res, put) &&
            !memcmp(entry->bytes, put->transfer.bytes, size))
            return true;
    return false;
}

static void
keep(struct upload_history *history, uint32_t hash, const struct resource *res,
     const struct gpu_cmd *put, uint32_t size)
{
    struct handle_map *map = &history->frames[history->current];
    const uint64_t bytes = history->share.bytes + sizeof(struct entry) + size;
    if (bytes > UPLOAD_HISTORY_MOST_BYTES || !budget_fits(&history->share, 2 * bytes) ||
        !budget_set(&history->share, bytes, NULL))
        return;
    struct entry *entry = mem_alloc(sizeof *entry + size);
    entry->next = handle_map_get(map, hash);
    entry->desc = res->desc;
    entry->box = put->transfer.box;
    entry->level = put->transfer.level;
    entry->size_bytes = size;
    memcpy(entry->bytes, put->transfer.bytes, size);
    handle_map_put(map, hash, entry);
}

bool
upload_history_add(struct upload_history *history, uint32_t frame, const struct resource *res,
                   const struct gpu_cmd *put)
{
    const uint32_t size = resource_box_bytes(res, &put->transfer.box);
    const uint32_t hash = hash_upload(put->transfer.bytes, size);
    const struct handle_map *frames = history->frames;
    if (frame != history->frame)
        begin_frame(history, frame);
    if (has(&frames[history->current], hash, res, put, size))
        return true;
    const bool repeats = has(&frames[!history->current], hash, res, put, size);
    keep(history, hash, res, put, size);
    return repeats;
}

void
upload_history_fini(struct upload_history *history)
{
    for (uint32_t i = 0; i < 2; i++)
        forget(history, i);
    budget_move(&history->share, NULL);
}
