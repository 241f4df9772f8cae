/* Bytes that the program uploaded in this frame and in the one before. They show which uploads
 * repeat bytes that an earlier upload stored. Bytes are compared, not places: drivers often give
 * an upload a new buffer, or another place in a buffer. */
#ifndef AETIUS_STATE_UPLOAD_HISTORY_H
#define AETIUS_STATE_UPLOAD_HISTORY_H

#include "base/budget.h"
#include "base/handles.h"
#include "state/cmd.h"

enum { UPLOAD_HISTORY_MOST_BYTES = 1 << 26 };

struct upload_history {
    uint32_t frame;
    struct handle_map frames[2]; /* of `frame` and of the one before, the latter at [!current] */
    uint32_t current;
    struct budget_share share;
};

/* Returns whether an upload in the frame `frame` or in the one before had the same bytes. Uploads
 * into textures must also have had the same box of a texture of the same size and format. Adds the
 * upload, unless the history would exceed UPLOAD_HISTORY_MOST_BYTES, or half of the memory that its
 * budget has left. */
bool upload_history_add(struct upload_history *history, uint32_t frame, const struct resource *res,
                        const struct gpu_cmd *put);
void upload_history_fini(struct upload_history *history);

#endif
