#include "trace/features.h"

#include "trace/virgl/submit.h"

#include <string.h>

const char *const trace_feature_names[FEATURE_COUNT] = {
#define FEATURE(symbol, name, what) [FEATURE_##symbol] = name,
#include "trace/features.def"
};

static bool
is_array(uint32_t target)
{
    return target == TARGET_1D_ARRAY || target == TARGET_2D_ARRAY || target == TARGET_CUBE_ARRAY;
}

uint32_t
trace_features_of(const struct message *message)
{
    bool streams, blocks;
    switch (message->kind) {
    case MESSAGE_STATE: return 1u << FEATURE_INITIAL_STATE;
    case MESSAGE_FRAME: return 1u << FEATURE_FRAME_READS;
    case MESSAGE_RESOURCE_CREATE:
        return is_array(message->resource.target) ? 1u << FEATURE_TEXTURE_ARRAYS : 0;
    case MESSAGE_SUBMIT:
        submit_find_bindings(message->bytes, message->size_bytes, &streams, &blocks);
        return (streams ? 1u << FEATURE_STREAM_OUTPUT : 0) |
               (blocks ? 1u << FEATURE_UNIFORM_BLOCKS : 0);
    default: return 0;
    }
}

enum trace_feature
trace_feature_find(const char *name)
{
    uint32_t f = 0;
    while (f < FEATURE_COUNT && strcmp(trace_feature_names[f], name) != 0)
        f++;
    return f;
}
