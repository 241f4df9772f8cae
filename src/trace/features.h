/* Features of a trace (features.def). */
#ifndef AETIUS_TRACE_FEATURES_H
#define AETIUS_TRACE_FEATURES_H

#include "trace/message.h"

enum trace_feature {
#define FEATURE(symbol, name, what) FEATURE_##symbol,
#include "trace/features.def"
    FEATURE_COUNT
};
extern const char *const trace_feature_names[FEATURE_COUNT];

/* Features that the message uses, one bit each. */
uint32_t trace_features_of(const struct message *message);
/* The feature with the name, or FEATURE_COUNT. */
enum trace_feature trace_feature_find(const char *name);

#endif
