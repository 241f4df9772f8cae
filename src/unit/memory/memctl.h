/* Memory Controller: moves transactions of 64 bytes between clients and channels
 * (docs/design/memory.md, Memory Controller).
 *
 * Input: struct memory_request. Its address must be aligned to TRANSACTION_BYTES and inside the
 * memory. Any other address is a BUG. Output: struct memory_reply with the request's tag. Replies
 * to one client may leave in another order than its requests. No transaction overtakes an older one
 * to the same 64 bytes. The controller owns its channels. The simulated memory belongs to the
 * device. */
#ifndef AETIUS_UNIT_MEMCTL_H
#define AETIUS_UNIT_MEMCTL_H

#include "params/params.h"
#include "state/memory.h"
#include "unit/env.h"
#include "unit/memory/dram.h"
#include "unit/stats.h"

enum { MEMCTL_MAX_CLIENTS = 192, MEMCTL_MAX_CHANNELS = 64, MEMCTL_FAULT_TAG = 1 };

struct memctl {
    struct module module;
    struct memctl_stats stats;
    const struct params *params;
    struct gpu_memory *memory;
    struct memory_port ports[MEMCTL_MAX_CLIENTS]; /* ports of the clients */
    enum memory_client kinds[MEMCTL_MAX_CLIENTS];
    uint32_t port_count, rr_next;
    uint32_t in_turn,
        first_in_turn; /* clients that take turns; the number at the start of a frame */
    /* the channels of the memory, then the bus to system memory if there is one */
    struct dram channels[MEMCTL_MAX_CHANNELS + 1];
    struct channel_stats channel_stats[MEMCTL_MAX_CHANNELS + 1];
    uint32_t channel_count;
    struct dram_shape shape; /* shape of the memory's channels */
    struct dram *system;     /* the bus to system memory, or NULL */
    /* contents of the controller's buffers */
    uint32_t waiting, writes_waiting; /* transactions in the channels' queues */
    uint64_t *read_ends;              /* per buffered read: cycle in which its data has left */
    uint32_t buffered_reads;
    /* A schedule of the transactions in which only the channels' work and the number of waiting
     * transactions limit them, in memory clock cycles (stats.packed_cycles). */
    struct {
        uint64_t start, channel_ends[MEMCTL_MAX_CHANNELS];
        uint64_t *ends; /* of the last RequestQueueSize transactions, a ring */
        uint32_t next;  /* place in the ring */
    } packed;
    /* fault injection: number of the read whose reply gets a wrong tag */
    uint64_t reads_served, fault_tag_at;
    uint64_t fault_drop_at; /* fault injection: number of the transaction to drop */
    uint64_t now, wake;     /* current cycle and next wake-up cycle, for may_reply() */
    bool refused;           /* may_reply() returned false */
};

void memctl_init(struct memctl *memctl, const struct unit_env *env, uint32_t index);
/* Adds a client before the first cycle. Having more than MEMCTL_MAX_CLIENTS
 * clients is a BUG. */
void memctl_add_port(struct memctl *memctl, enum memory_client kind, struct queue *requests,
                     struct queue *replies);
/* Lets the clients that only some frames use take turns with the others, until the end of the
 * frame. These are the constant caches, stream output and emitted vertices. Turns of other frames
 * do not depend on them. */
void memctl_join(struct memctl *memctl);
/* Ends the schedule of the transactions so far, since work of another kind begins. Updates
 * stats.packed_cycles. */
void memctl_end_row(struct memctl *memctl);
/* Copies the transaction at `address` as it will be in memory after all pending writes of the
 * controller and of its clients' queues. Does not change the memory. */
void memctl_peek(const struct memctl *memctl, uint32_t address, uint8_t bytes[TRANSACTION_BYTES]);

#endif
