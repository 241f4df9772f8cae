/* Describes machines as a preset plus differences, and computes the key of a run: a hash of all
 * inputs that affect its result. */
#ifndef AETIUS_SWEEP_MACHINE_H
#define AETIUS_SWEEP_MACHINE_H

#include "params/params.h"
#include "sweep/plan.h"

/* Cache of the presets read so far. */
struct preset_cache {
    VEC(struct preset_entry {
        char *name;
        struct params params;
    })
    entries;
};
/* Initial parameters of `aetius sim --preset NAME`, with all tables enabled. */
bool preset_cache_get(struct preset_cache *cache, const char *name, struct params *params,
                      struct error *err);
void preset_cache_fini(struct preset_cache *cache);

/* Applies "SECTION.Name=value". Unlike params_set(), does not warn about parameters without
 * effect. */
bool machine_set(struct params *params, const char *assignment, struct error *err);

/* Finds the assignments "SECTION.Name=value" that turn the preset into `params`. */
bool machine_differences(struct preset_cache *cache, const char *preset,
                         const struct params *params, struct word_list *sets, struct error *err);
bool machine_make(struct preset_cache *cache, const char *preset, const struct word_list *sets,
                  struct params *params, struct error *err);

/* Whether a parameter has the same value in `a` and `b`. */
bool param_is_same(const struct param_info *info, const struct params *a, const struct params *b);

enum { SWEEP_KEY_TEXT = 33 }; /* 32 hexadecimal digits and NUL */
/* `trace`: hash of its bytes. `frames`: text from sweep_frames_text(). */
void sweep_key(char key[SWEEP_KEY_TEXT], const struct params *params, const char *trace,
               const char *frames, enum sweep_blocks blocks);
extern const char *const sweep_blocks_names[]; /* "", "count", "keep" */
bool sweep_key_is_one(const char *text);
/* Version of the simulator: hash of the sources that affect a run's result. */
const char *sweep_model(void);

#endif
