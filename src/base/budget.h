/* What a stranger's file gets of this host's memory. Several hold parts of it (the reader of a
 * trace, what follows it, devices), each by a share; together they stay below the end. */
#ifndef AETIUS_BASE_BUDGET_H
#define AETIUS_BASE_BUDGET_H

#include "base/error.h"

#include <stdint.h>

struct budget {
    uint64_t most_bytes, used_bytes;
    const char *option; /* what raises it, for the message */
};
#define FILE_MEMORY_BYTES ((uint64_t)1536 << 20) /* unless told more */

/* One holder's part; its bytes change as the holder says. Without a budget it has an end of its
 * own, or none. */
struct budget_share {
    struct budget *budget;
    uint64_t most_bytes; /* without a budget; 0: there is no end */
    uint64_t bytes;
};

/* Whether the share may become so large. */
bool budget_fits(const struct budget_share *share, uint64_t bytes);
/* Makes it so large; false, with the message, leaves it as it was. What is less always fits. */
bool budget_set(struct budget_share *share, uint64_t bytes, struct error *err);
/* From another budget on, which must have room. */
void budget_move(struct budget_share *share, struct budget *budget);

#endif
