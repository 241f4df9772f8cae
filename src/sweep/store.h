/* The store: one folder per run, named by the hash of everything that the run depends on. A run is
 * written as KEY.part and renamed when complete. The writer holds the key's lock: a byte of the
 * file STORE/lock, released when its process ends. Stores may be copied, merged and shared over a
 * network. */
#ifndef AETIUS_SWEEP_STORE_H
#define AETIUS_SWEEP_STORE_H

#include "base/error.h"
#include "base/sha256.h"

#include <stdint.h>

bool store_has(const char *store, const char *key);
char *store_path(const char *store, const char *key);      /* STORE/KEY; the caller frees */
char *store_part_path(const char *store, const char *key); /* STORE/KEY.part */

/* Locks the key. If another process holds it and `wait` is false, *lock becomes -1. */
bool store_lock(const char *store, const char *key, bool wait, int *lock, struct error *err);
void store_unlock(int lock);
bool store_is_busy(const char *store, const char *key);

/* Cost of a run, used for estimates. Stored with its tables, as STORE/KEY/sweep.json. */
struct store_record {
    char trace[SHA256_TEXT];
    char *frames; /* after store_read_record() the caller frees it */
    uint64_t draws, bytes;
    double seconds;
};
bool store_write_record(const char *folder, const struct store_record *record, struct error *err);
bool store_read_record(const char *store, const char *key, struct store_record *record);

/* Renames the key's .part folder: the run is complete. */
bool store_finish(const char *store, const char *key, struct error *err);

/* Hash of a trace's bytes. Uses the store's list if the file's size and time are unchanged. */
bool store_hash_trace(const char *store, const char *path, char hash[SHA256_TEXT],
                      struct error *err);

/* Removes the remains of killed runs. Returns their number. */
uint32_t store_clean(const char *store);

bool tree_remove(const char *path, struct error *err); /* succeeds if `path` is missing */
uint64_t tree_bytes(const char *path);                 /* disk usage */

#endif
