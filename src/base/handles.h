/* A map from a client's handles (any 32-bit number) to what they name. */
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

void handle_map_fini(struct handle_map *map); /* the values are the caller's */

/* NULL when the handle names nothing. */
void *handle_map_get(const struct handle_map *map, uint32_t handle);
void handle_map_put(struct handle_map *map, uint32_t handle, void *value);
/* Takes the handle out and returns what it named. */
void *handle_map_remove(struct handle_map *map, uint32_t handle);

/* All values, in no order of meaning:
 * for (size_t i = 0; i < map.capacity; i++) if (map.slots[i].value) ... */

#endif
