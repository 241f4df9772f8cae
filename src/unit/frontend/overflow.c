#include "unit/frontend/overflow.h"

#include "base/mem.h"

#include <string.h>

enum { OUTPUT_BYTES = 16, OUTPUTS_IN_TRANSACTION = TRANSACTION_BYTES / OUTPUT_BYTES };

static uint32_t
outputs(const struct geometry_job *job)
{
    return job->draw->program[STAGE_GEOMETRY]->output_count;
}

/* Number of transactions for the first `n` vertices. */
static uint32_t
transactions(const struct geometry_job *job, uint32_t n)
{
    return (n * outputs(job) + OUTPUTS_IN_TRANSACTION - 1) / OUTPUTS_IN_TRANSACTION;
}

/* Address of transaction `t`. The ring is a whole number of transactions. */
static uint32_t
address_of(const struct overflow *overflow, const struct geometry_job *job, uint32_t t)
{
    return overflow->address +
           (uint32_t)(((uint64_t)job->range.start + (uint64_t)t * TRANSACTION_BYTES) %
                      overflow->size);
}

bool
overflow_reserve(struct overflow *overflow, struct geometry_job *job, uint32_t bytes)
{
    const uint32_t whole = overflow_bytes(bytes);
    struct overflow_range *range = &job->range;
    if (whole > overflow->size - overflow->used)
        return false;
    range->start = overflow->tail;
    range->reserved = whole;
    range->count = range->sent = range->requested = range->arrived = range->freed = 0;
    overflow->used += whole;
    overflow->tail = (uint32_t)(((uint64_t)overflow->tail + whole) % overflow->size);
    return true;
}

void
overflow_write(struct overflow *overflow, struct geometry_job *job)
{
    struct overflow_range *range = &job->range;
    range->count = transactions(job, job->emitted_count);
    if (!range->count)
        return;
    if (range->count > range->capacity) {
        range->has_arrived = mem_realloc(range->has_arrived, range->count);
        range->capacity = range->count;
    }
    memset(range->has_arrived, 0, range->count);
    overflow->writing = job;
}

/* Copies transaction `t` between the emitted vertices and `data`. The vertices that were written
 * are cleared, because only memory holds them then. */
static void
copy(struct geometry_job *job, uint32_t t, uint8_t *data, bool to_vertices)
{
    const uint32_t count = outputs(job);
    for (uint32_t i = 0; i < OUTPUTS_IN_TRANSACTION; i++) {
        const uint32_t n = (t * OUTPUTS_IN_TRANSACTION + i) / count;
        if (n >= job->emitted_count)
            return;
        float *output = job->emitted[n].out[(t * OUTPUTS_IN_TRANSACTION + i) % count];
        if (to_vertices) {
            memcpy(output, data + i * OUTPUT_BYTES, OUTPUT_BYTES);
            continue;
        }
        memcpy(data + i * OUTPUT_BYTES, output, OUTPUT_BYTES);
        memset(output, 0, OUTPUT_BYTES);
    }
}

bool
overflow_send(struct overflow *overflow, uint64_t now)
{
    struct geometry_job *job = overflow->writing;
    if (!job || !queue_space(overflow->port.requests, now))
        return false;
    struct memory_request *request = queue_push(overflow->port.requests, now);
    *request = (struct memory_request){.address = address_of(overflow, job, job->range.sent),
                                       .write = true,
                                       .bytes_written = transaction_bytes(0, TRANSACTION_BYTES)};
    copy(job, job->range.sent, request->data, false);
    overflow->writes++;
    if (++job->range.sent == job->range.count)
        overflow->writing = NULL;
    return true;
}

bool
overflow_request(struct overflow *overflow, struct geometry_job *job, uint32_t entry, uint64_t now)
{
    if (overflow->staged == overflow->places || !queue_space(overflow->port.requests, now))
        return false;
    *(struct memory_request *)queue_push(overflow->port.requests, now) =
        (struct memory_request){.address = address_of(overflow, job, job->range.requested),
                                .tag = entry << 16 | job->range.requested};
    job->range.requested++;
    overflow->staged++;
    return true;
}

bool
overflow_take_replies(struct overflow *overflow, struct geometry_job *entries, uint64_t now)
{
    bool worked = false;
    for (struct memory_reply *reply; (reply = queue_front(overflow->port.replies, now));) {
        worked = true;
        if (reply->write) {
            overflow->writes--;
            queue_pop(overflow->port.replies, now);
            continue;
        }
        struct geometry_job *job = &entries[reply->tag >> 16];
        struct overflow_range *range = &job->range;
        copy(job, reply->tag & UINT16_MAX, reply->data, true);
        range->has_arrived[reply->tag & UINT16_MAX] = true;
        while (range->arrived < range->count && range->has_arrived[range->arrived])
            range->arrived++;
        queue_pop(overflow->port.replies, now);
    }
    return worked;
}

bool
overflow_has_vertex(const struct geometry_job *job, uint32_t n)
{
    return transactions(job, n + 1) <= job->range.arrived;
}

void
overflow_free(struct overflow *overflow, struct geometry_job *job, uint32_t n)
{
    const uint32_t whole =
        n == job->emitted_count ? job->range.count : n * outputs(job) / OUTPUTS_IN_TRANSACTION;
    overflow->staged -= whole - job->range.freed;
    job->range.freed = whole;
}

void
overflow_end(struct overflow *overflow, struct geometry_job *job)
{
    overflow->used -= job->range.reserved;
}
