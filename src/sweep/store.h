/* The store: a folder a run, under the hash of what the run depends on. A run is made as KEY.part
 * and renamed when it is whole. Who makes it holds the key's lock, which ends with its process: a
 * byte of the file STORE/lock. Stores may be copied, put together and shared over a network. */
#ifndef AETIUS_SWEEP_STORE_H
#define AETIUS_SWEEP_STORE_H

#include "base/error.h"
#include "base/sha256.h"

#include <stdint.h>

bool store_has(const char *store, const char *key);
char *store_path(const char *store, const char *key);      /* STORE/KEY; the caller frees */
char *store_part_path(const char *store, const char *key); /* STORE/KEY.part */

/* Whoever works on the key; *lock is -1 when another process does and `wait` is false. */
bool store_lock(const char *store, const char *key, bool wait, int *lock, struct error *err);
void store_unlock(int lock);
bool store_is_busy(const char *store, const char *key);

/* What a run took: for estimates of others. Beside its tables, as STORE/KEY/sweep.json. */
struct store_record {
    char trace[SHA256_TEXT];
    char *frames; /* the caller's to free after a reading */
    uint64_t draws, bytes;
    double seconds;
};
bool store_write_record(const char *folder, const struct store_record *record, struct error *err);
bool store_read_record(const char *store, const char *key, struct store_record *record);

/* The key's part becomes the run. */
bool store_finish(const char *store, const char *key, struct error *err);

/* The hash of a trace's bytes, from the store's list where size and time are as they were. */
bool store_hash_trace(const char *store, const char *path, char hash[SHA256_TEXT],
                      struct error *err);

/* Removes what killed runs left: how many there were. */
uint32_t store_clean(const char *store);

bool tree_remove(const char *path, struct error *err); /* it may be missing */
uint64_t tree_bytes(const char *path);                 /* on the disk */

#endif
