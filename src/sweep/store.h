/* The store has one folder per run, named by the hash of all inputs that affect the run's result. A
 * run is written to KEY.part, which is renamed when the run is complete. The writer holds the key's
 * lock: a byte of the file STORE/lock, released when the writer's process ends. Stores may be
 * copied, merged and shared over a network. */
#ifndef AETIUS_SWEEP_STORE_H
#define AETIUS_SWEEP_STORE_H

#include "base/error.h"
#include "base/sha256.h"

#include <stdint.h>

bool store_has(const char *store, const char *key);
char *store_path(const char *store, const char *key); /* STORE/KEY; the caller frees the path */
/* STORE/KEY.part; the caller frees the path */
char *store_part_path(const char *store, const char *key);

/* Locks the key. If another process holds the lock and `wait` is false, sets *lock to -1. */
bool store_lock(const char *store, const char *key, bool wait, int *lock, struct error *err);
void store_unlock(int lock);
bool store_is_busy(const char *store, const char *key);

/* Cost of a run, used for estimates. Stored with the run's tables, as STORE/KEY/sweep.json. */
struct store_record {
    char trace[SHA256_TEXT];
    char *frames; /* the caller frees it after store_read_record() */
    uint64_t draws, bytes;
    double seconds;
};
bool store_write_record(const char *folder, const struct store_record *record, struct error *err);
bool store_read_record(const char *store, const char *key, struct store_record *record);

/* Marks the run as complete by renaming the key's .part folder. */
bool store_finish(const char *store, const char *key, struct error *err);

/* Hash of a trace's bytes. Uses the store's list if the file's size and time are unchanged. */
bool store_hash_trace(const char *store, const char *path, char hash[SHA256_TEXT],
                      struct error *err);

/* Removes the incomplete folders of killed runs. Returns their number. */
uint32_t store_clean(const char *store);

bool tree_remove(const char *path, struct error *err); /* succeeds if `path` does not exist */
uint64_t tree_bytes(const char *path);                 /* disk usage */

#endif
