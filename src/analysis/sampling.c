#include "analysis/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Determines the number of clusters. Several sampled frames per cluster show its spread. */
    DRAWN_A_CLUSTER = 3,
    TRIES = 8, /* clusterings from different starts; the tightest is used */
    ROUNDS = 100,
};
/* The first figure predicts time best, so it has this weight. All others have weight 1. */
#define FIRST_WEIGHT 3.0

/* SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). */
static uint64_t
next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Random number in [0, 1). */
static double
random_share(uint64_t *state)
{
    return (double)(next_random(state) >> 11) / (double)(UINT64_C(1) << 53);
}

/* Scales the figures to mean 0 and deviation 1. Constant figures become 0. */
static double *
standardize(const struct sampling_figures *from)
{
    double *to = mem_array((size_t)from->frames * from->figures, sizeof *to);
    for (uint32_t c = 0; c < from->figures; c++) {
        double sum = 0, squares = 0;
        for (uint32_t f = 0; f < from->frames; f++)
            sum += from->values[(size_t)f * from->figures + c];
        const double mean = sum / from->frames;
        for (uint32_t f = 0; f < from->frames; f++) {
            const double d = from->values[(size_t)f * from->figures + c] - mean;
            squares += d * d;
        }
        const double deviation = sqrt(squares / from->frames);
        const double scale = deviation > 1e-9 * fabs(mean) ? (c ? 1 : FIRST_WEIGHT) / deviation : 0;
        for (uint32_t f = 0; f < from->frames; f++)
            to[(size_t)f * from->figures + c] =
                (from->values[(size_t)f * from->figures + c] - mean) * scale;
    }
    return to;
}

struct clustering {
    uint32_t frames, figures, clusters;
    const double *points;
    double *centres;
    uint32_t *cluster_of; /* per frame */
    double *distance;     /* per frame: squared distance to its centre */
};

static double
distance_of(const struct clustering *k, uint32_t frame, uint32_t cluster)
{
    const double *a = k->points + (size_t)frame * k->figures;
    const double *b = k->centres + (size_t)cluster * k->figures;
    double sum = 0;
    for (uint32_t c = 0; c < k->figures; c++)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

static void
put_centre(struct clustering *k, uint32_t cluster, uint32_t frame)
{
    memcpy(k->centres + (size_t)cluster * k->figures, k->points + (size_t)frame * k->figures,
           k->figures * sizeof *k->centres);
}

/* k-means++ (Arthur and Vassilvitskii, 2007). The probability that a frame becomes the next centre
 * is proportional to its squared distance from the existing centres. */
static void
choose_centres(struct clustering *k, uint64_t *random)
{
    put_centre(k, 0, (uint32_t)(random_share(random) * k->frames));
    for (uint32_t f = 0; f < k->frames; f++)
        k->distance[f] = distance_of(k, f, 0);
    for (uint32_t i = 1; i < k->clusters; i++) {
        double sum = 0;
        for (uint32_t f = 0; f < k->frames; f++)
            sum += k->distance[f];
        double left = random_share(random) * sum;
        uint32_t chosen = 0;
        while (chosen + 1 < k->frames && (left -= k->distance[chosen]) >= 0)
            chosen++;
        put_centre(k, i, chosen);
        for (uint32_t f = 0; f < k->frames; f++)
            k->distance[f] = fmin(k->distance[f], distance_of(k, f, i));
    }
}

/* Assigns each frame to the nearest centre. Returns false if no frame moved. */
static bool
assign(struct clustering *k)
{
    bool moved = false;
    for (uint32_t f = 0; f < k->frames; f++) {
        uint32_t nearest = 0;
        double least = distance_of(k, f, 0);
        for (uint32_t i = 1; i < k->clusters; i++) {
            const double d = distance_of(k, f, i);
            if (d < least) {
                least = d;
                nearest = i;
            }
        }
        moved |= k->cluster_of[f] != nearest;
        k->cluster_of[f] = nearest;
        k->distance[f] = least;
    }
    return moved;
}

/* Moves each centre to the mean of its frames. A centre without frames stays. */
static void
centre(struct clustering *k)
{
    for (uint32_t i = 0; i < k->clusters; i++) {
        double *at = k->centres + (size_t)i * k->figures;
        uint32_t count = 0;
        for (uint32_t f = 0; f < k->frames; f++)
            count += k->cluster_of[f] == i;
        if (!count)
            continue;
        memset(at, 0, k->figures * sizeof *at);
        for (uint32_t f = 0; f < k->frames; f++)
            for (uint32_t c = 0; c < k->figures && k->cluster_of[f] == i; c++)
                at[c] += k->points[(size_t)f * k->figures + c] / count;
    }
}

/* Returns the cluster of each frame in the tightest of several clusterings. The caller frees the
 * array. */
static uint32_t *
cluster_frames(const struct sampling_figures *figures, uint32_t clusters, uint64_t *random)
{
    const uint32_t frames = figures->frames;
    double *points = standardize(figures), least = INFINITY;
    struct clustering k = {frames, figures->figures, clusters, points, NULL, NULL, NULL};
    uint32_t *best = mem_array(frames, sizeof *best);
    k.centres = mem_array((size_t)clusters * k.figures, sizeof *k.centres);
    k.cluster_of = mem_array(frames, sizeof *k.cluster_of);
    k.distance = mem_array(frames, sizeof *k.distance);
    for (uint32_t try = 0; try < TRIES; try++) {
        double sum = 0;
        choose_centres(&k, random);
        memset(k.cluster_of, 0xff, frames * sizeof *k.cluster_of);
        for (uint32_t round = 0; round < ROUNDS && assign(&k); round++)
            centre(&k);
        for (uint32_t f = 0; f < frames; f++)
            sum += k.distance[f];
        if (sum < least) {
            least = sum;
            memcpy(best, k.cluster_of, frames * sizeof *best);
        }
    }
    free(points);
    free(k.centres);
    free(k.cluster_of);
    free(k.distance);
    return best;
}

/* State of a cluster before its frames are sampled. */
struct stratum {
    VEC(uint32_t) members;
    double known, deviation;
    uint32_t take;
};

static void
measure_stratum(struct stratum *s, const struct sampling_figures *figures)
{
    const size_t count = s->members.count;
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        s->known += figures->values[(size_t)s->members.items[i] * figures->figures];
    const double mean = s->known / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double d = figures->values[(size_t)s->members.items[i] * figures->figures] - mean;
        squares += d * d;
    }
    /* Adds 2 % of the mean, because the estimated value varies even where the known figure does
     * not. */
    s->deviation = count > 1 ? sqrt(squares / (double)(count - 1)) + 0.02 * fabs(mean) : 0;
    s->take = count < 2 ? (uint32_t)count : 2;
}

/* Neyman's allocation, one frame at a time. Each frame goes to the cluster where it reduces the
 * variance most. */
static void
allocate(struct stratum *strata, uint32_t clusters, uint32_t count)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < clusters; i++)
        taken += strata[i].take;
    for (; taken < count; taken++) {
        struct stratum *most = NULL;
        double gain = -1;
        for (uint32_t i = 0; i < clusters; i++) {
            struct stratum *s = &strata[i];
            const double spread = (double)s->members.count * s->deviation;
            const double g = spread * spread / ((double)s->take * (s->take + 1));
            if (s->take < s->members.count && g > gain) {
                most = s;
                gain = g;
            }
        }
        if (!most)
            return;
        most->take++;
    }
}

static int
compare_drawn(const void *a, const void *b)
{
    const uint32_t x = ((const struct sample_frame *)a)->frame;
    const uint32_t y = ((const struct sample_frame *)b)->frame;
    return x < y ? -1 : x > y;
}

/* Samples `take` of the members at random; all subsets are equally likely (Fisher and Yates). */
static void
draw_members(struct sample_cluster *cluster, struct stratum *s,
             const struct sampling_figures *figures, uint64_t *random)
{
    const uint32_t count = (uint32_t)s->members.count;
    *cluster = (struct sample_cluster){.frames = count, .known = s->known};
    for (uint32_t i = 0; i < s->take; i++) {
        const uint32_t j = i + (uint32_t)(random_share(random) * (count - i));
        const uint32_t frame = s->members.items[j];
        s->members.items[j] = s->members.items[i];
        VEC_PUSH(&cluster->drawn,
                 ((struct sample_frame){frame, figures->values[(size_t)frame * figures->figures]}));
    }
    qsort(cluster->drawn.items, cluster->drawn.count, sizeof *cluster->drawn.items, compare_drawn);
}

void
sample_draw(struct sample *sample, const struct sampling_figures *figures, uint32_t count,
            uint64_t seed)
{
    uint64_t random = seed;
    const uint32_t most = count < DRAWN_A_CLUSTER ? 1 : count / DRAWN_A_CLUSTER;
    uint32_t *cluster_of = cluster_frames(figures, most, &random);
    struct stratum *strata = mem_array(most, sizeof *strata);
    uint32_t clusters = 0;
    *sample = (struct sample){.frames = figures->frames, .seed = seed};
    for (uint32_t i = 0; i < most; i++) {
        struct stratum *s = &strata[clusters];
        for (uint32_t f = 0; f < figures->frames; f++)
            if (cluster_of[f] == i)
                VEC_PUSH(&s->members, f);
        if (s->members.count) {
            measure_stratum(s, figures);
            clusters++;
        }
    }
    allocate(strata, clusters, count);
    for (uint32_t i = 0; i < clusters; i++) {
        struct sample_cluster cluster;
        draw_members(&cluster, &strata[i], figures, &random);
        VEC_PUSH(&sample->clusters, cluster);
        VEC_FREE(&strata[i].members);
    }
    free(strata);
    free(cluster_of);
}

void
sample_fini(struct sample *sample)
{
    for (size_t i = 0; i < sample->clusters.count; i++)
        VEC_FREE(&sample->clusters.items[i].drawn);
    VEC_FREE(&sample->clusters);
}

uint32_t
sample_drawn(const struct sample *sample)
{
    size_t size = 0;
    for (size_t i = 0; i < sample->clusters.count; i++)
        size += sample->clusters.items[i].drawn.count;
    return (uint32_t)size;
}

bool
sample_has(const struct sample *sample, uint32_t frame)
{
    for (size_t i = 0; i < sample->clusters.count; i++)
        for (size_t j = 0; j < sample->clusters.items[i].drawn.count; j++)
            if (sample->clusters.items[i].drawn.items[j].frame == frame)
                return true;
    return false;
}
