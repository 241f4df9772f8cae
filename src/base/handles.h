/* Map from a client's handles (any 32-bit number) to the caller's objects. */
#ifndef AETIUS_BASE_HANDLES_H
#define AETIUS_BASE_HANDLES_H

#include <stddef.h>
#include <stdint.h>

struct handle_map {
    struct handle_slot {
        uint32_t handle;
        void *value; /* NULL: the slot is free */
    } * slots;
    size_t count, capacity; /* a power of two, or 0 */
};

void handle_map_fini(struct handle_map *map); /* does not free the values; the caller owns them */

/* Frees each value with `free_value`, then the map. */
void handle_map_fini_with(struct handle_map *map, void (*free_value)(void *value));

/* Returns NULL if the handle is not in the map. */
void *handle_map_get(const struct handle_map *map, uint32_t handle);
void handle_map_put(struct handle_map *map, uint32_t handle, void *value);
/* Returns the handle's value. A new handle gets mem_alloc(bytes) as its value. */
void *handle_map_make(struct handle_map *map, uint32_t handle, size_t bytes);
/* Removes the handle. Returns its value, or NULL if it is not in the map. */
void *handle_map_remove(struct handle_map *map, uint32_t handle);

/* To loop over all values, in no particular order:
 * for (size_t i = 0; i < map.capacity; i++) if (map.slots[i].value) ... */

#endif
