/* The identities that every run ends with. */
#include "sim/machine.h"

#include <inttypes.h>

static bool
check_states(const struct machine *m, struct error *err)
{
    for (uint32_t i = 0; i < m->clock.module_count; i++) {
        const struct module *module = m->clock.modules[i];
        uint64_t sum = 0;
        for (uint32_t s = 0; s < UNIT_STATES; s++)
            sum += module->cycles[s];
        if (sum != m->clock.now)
            return fail(err, "identity: states of %s add up to %" PRIu64 " of %" PRIu64 " cycles",
                        module->name, sum, m->clock.now);
    }
    return true;
}

static bool
check_queues(const struct machine *m, struct error *err)
{
    for (uint32_t i = 0; i < m->clock.queue_count; i++) {
        const struct queue *q = m->clock.queues[i];
        if (q->items_in != q->items_out + q->count || q->count)
            return fail(err,
                        "identity: queue %s took %" PRIu64 " items, gave %" PRIu64 " and holds %u",
                        q->name, q->items_in, q->items_out, q->count);
    }
    return true;
}

static bool
equal(const char *what, uint64_t a, uint64_t b, struct error *err)
{
    return a == b || fail(err, "identity: %s: %" PRIu64 " is not %" PRIu64, what, a, b);
}

/* Bytes that the clients moved, counted on their side of the queues. */
static bool
check_bytes(const struct machine *m, struct error *err)
{
    const struct memctl_stats *s = &m->memctl->stats;
    uint64_t transactions = m->cmdproc->stats.transactions + m->dac->stats.transactions +
                            m->streamer->index_memory.requests->items_in +
                            m->streamer->cache.transactions;
    uint64_t z = 0, color = 0, texture = 0;
    for (uint32_t i = 0; i < m->rops; i++) {
        z += m->zstencil[i].rop.cache.transactions;
        color += m->colorwrite[i].rop.cache.transactions;
    }
    for (uint32_t i = 0; i < m->texunits; i++)
        texture += m->texunit[i].cache.behind.transactions;
    return equal("transactions of the clients and of the memory controller",
                 transactions + z + color + texture, s->transactions, err) &&
           equal("z bytes of the ROPs and of the memory controller", z * TRANSACTION_BYTES,
                 s->z_bytes_read + s->z_bytes_written, err) &&
           equal("color bytes of the ROPs and of the memory controller", color * TRANSACTION_BYTES,
                 s->color_bytes_read + s->color_bytes_written, err) &&
           equal("texture bytes of the units and of the memory controller",
                 texture * TRANSACTION_BYTES, s->texture_bytes_read, err) &&
           equal("bytes of all clients",
                 s->command_bytes_read + s->command_bytes_written + s->index_bytes_read +
                     s->attribute_bytes_read + s->z_bytes_read + s->z_bytes_written +
                     s->color_bytes_read + s->color_bytes_written + s->texture_bytes_read +
                     s->dac_bytes_read,
                 s->bytes_read + s->bytes_written, err);
}

/* Every fragment is generated once and meets one end. */
static bool
check_fragments(const struct machine *m, struct error *err)
{
    uint64_t failed = 0, killed = 0, written = 0, accesses = 0, found = 0;
    for (uint32_t i = 0; i < m->rops; i++) {
        const struct zstencil_stats *z = &m->zstencil[i].stats;
        const struct colorwrite_stats *c = &m->colorwrite[i].stats;
        failed += z->fragments_z_failed + z->fragments_stencil_failed;
        written += c->fragments_in;
        accesses += z->cache_accesses + c->cache_accesses;
        found += z->cache_hits + z->cache_misses + c->cache_hits + c->cache_misses;
    }
    for (uint32_t i = 0; i < m->shaders; i++)
        killed += m->shader[i].stats.fragments_killed;
    for (uint32_t i = 0; i < m->texunits; i++) {
        const struct texunit_stats *t = &m->texunit[i].stats;
        accesses += t->cache_accesses + t->cache_l1_accesses;
        found += t->cache_hits + t->cache_misses + t->cache_l1_hits + t->cache_l1_misses;
    }
    return equal("fragments generated, and culled by HZ, failed, killed or written",
                 m->fraggen->stats.fragments,
                 m->hz->stats.fragments_culled + failed + killed + written, err) &&
           equal("cache accesses, and hits and misses", accesses, found, err) &&
           equal("vertices out of the streamer, and into primitive assembly",
                 m->streamer->stats.vertices_out, m->primasm->stats.vertices_in, err) &&
           equal("indices, and vertices reused or shaded",
                 m->streamer->stats.vertices_reused + m->streamer->stats.vertices_shaded,
                 m->streamer->stats.vertices_out, err);
}

bool
machine_check(const struct machine *m, struct error *err)
{
    return check_states(m, err) && check_queues(m, err) && check_bytes(m, err) &&
           check_fragments(m, err);
}
