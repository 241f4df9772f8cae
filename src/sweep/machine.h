/* Machines as a preset and what differs from it, and the key of a run: what its result depends on,
 * as a hash. */
#ifndef AETIUS_SWEEP_MACHINE_H
#define AETIUS_SWEEP_MACHINE_H

#include "params/params.h"
#include "sweep/plan.h"

/* Presets that were read. */
struct preset_cache {
    VEC(struct preset_entry {
        char *name;
        struct params params;
    })
    entries;
};
/* The parameters that `aetius sim --preset NAME` begins with: all tables are written. */
bool preset_cache_get(struct preset_cache *cache, const char *name, struct params *params,
                      struct error *err);
void preset_cache_fini(struct preset_cache *cache);

/* "SECTION.Name=value", without a word where that changes nothing (params_set() warns). */
bool machine_set(struct params *params, const char *assignment, struct error *err);

/* "SECTION.Name=value" that make `params` of the preset's. */
bool machine_differences(struct preset_cache *cache, const char *preset,
                         const struct params *params, struct word_list *sets, struct error *err);
bool machine_make(struct preset_cache *cache, const char *preset, const struct word_list *sets,
                  struct params *params, struct error *err);

/* Whether a parameter has the same value in both. */
bool param_is_same(const struct param_info *info, const struct params *a, const struct params *b);

enum { SWEEP_KEY_TEXT = 33 }; /* 32 hexadecimal digits and a NUL */
/* `trace`: the hash of its bytes; `frames`: as sweep_frames_text() gives them. */
void sweep_key(char key[SWEEP_KEY_TEXT], const struct params *params, const char *trace,
               const char *frames, enum sweep_blocks blocks);
extern const char *const sweep_blocks_names[]; /* "", "count", "keep" */
bool sweep_key_is_one(const char *text);
/* The hash of the sources that a run's result comes from: which simulator made it. */
const char *sweep_model(void);

#endif
