/* Computes the results of the compression study: ratios, means, ranks, and the codecs chosen for
 * the machine. */
#include "study/codec_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool
codec_study_result_check(const struct codec_study_result *result,
                         const struct codec *const codec_of[], struct error *err)
{
    static const enum traffic_client client[COMPRESSION_KINDS] = {TRAFFIC_COLOR, TRAFFIC_Z};
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++) {
        const struct compression *compression = &result->buses[CODEC_BUS_64];
        uint64_t bytes = compression_bytes_in(&compression->kinds[kind]);
        for (uint32_t c = 0; c < CODEC_COUNT; c++)
            if (codecs[c] == codec_of[kind])
                bytes = compression_bytes_out(compression, kind, c);
        if (bytes != result->bytes[client[kind]])
            return fail(
                err,
                "the memory controller counted %llu bytes of %s, but the captured blocks have %llu",
                (unsigned long long)result->bytes[client[kind]], compression_kinds[kind],
                (unsigned long long)bytes);
    }
    return true;
}

const struct codec_study_result *
codec_study_plain(const struct codec_study *study, size_t trace, size_t configuration)
{
    return &study->plain[trace * study->machines->count + configuration];
}

const struct codec_study_result *
codec_study_machine(const struct codec_study *study, size_t trace, size_t configuration)
{
    return &study->machine[trace * study->machines->count + configuration];
}

struct compression
codec_study_sum(const struct codec_study *study, size_t configuration, enum codec_bus bus)
{
    struct compression sum = {.bus = bus};
    for (size_t t = 0; t < study->traces->count; t++)
        compression_add(&sum, &codec_study_plain(study, t, configuration)->buses[bus]);
    return sum;
}

uint32_t
codec_study_movers(const struct codec_study *study, size_t configuration, uint32_t kind)
{
    uint32_t count = 0;
    for (size_t t = 0; t < study->traces->count; t++) {
        const struct compression *of =
            &codec_study_plain(study, t, configuration)->buses[CODEC_BUS_64];
        count += compression_bytes_in(&of->kinds[kind]) != 0;
    }
    return count;
}

double
codec_study_ratio(const struct codec_study *study, size_t trace, size_t configuration,
                  enum codec_bus bus, uint32_t kind, uint32_t codec)
{
    return compression_ratio(&codec_study_plain(study, trace, configuration)->buses[bus], kind,
                             codec);
}

static double
mean(const struct codec_study *study, size_t configuration, enum codec_bus bus, uint32_t kind,
     uint32_t codec, bool geometric)
{
    double sum = 0, count = 0;
    for (size_t t = 0; t < study->traces->count; t++) {
        const double ratio = codec_study_ratio(study, t, configuration, bus, kind, codec);
        if (ratio > 0) {
            sum += geometric ? log(ratio) : ratio;
            count++;
        }
    }
    if (count == 0)
        return 0;
    return geometric ? exp(sum / count) : sum / count;
}

double
codec_study_geometric(const struct codec_study *study, size_t configuration, enum codec_bus bus,
                      uint32_t kind, uint32_t codec)
{
    return mean(study, configuration, bus, kind, codec, true);
}

double
codec_study_arithmetic(const struct codec_study *study, size_t configuration, enum codec_bus bus,
                       uint32_t kind, uint32_t codec)
{
    return mean(study, configuration, bus, kind, codec, false);
}

/* Geometric mean of the configurations' means. `names` selects configurations. NULL selects all of
 * them. Returns 0 if a selected configuration has no mean. */
static double
mean_over(const struct codec_study *study, const struct word_list *names, enum codec_bus bus,
          uint32_t kind, uint32_t codec)
{
    double sum = 0, count = 0;
    for (size_t c = 0; c < study->machines->count; c++) {
        if (names && !word_list_has(names, study->machines->items[c]))
            continue;
        const double ratio = codec_study_geometric(study, c, bus, kind, codec);
        if (ratio <= 0)
            return 0;
        sum += log(ratio);
        count++;
    }
    return count > 0 ? exp(sum / count) : 0;
}

double
codec_study_overall(const struct codec_study *study, enum codec_bus bus, uint32_t kind,
                    uint32_t codec)
{
    return mean_over(study, NULL, bus, kind, codec);
}

uint32_t
codec_study_place(const struct codec_study *study, size_t configuration, enum codec_bus bus,
                  uint32_t kind, uint32_t codec)
{
    const double own = codec_study_geometric(study, configuration, bus, kind, codec);
    uint32_t place = 1;
    if (own <= 0)
        return 0;
    for (uint32_t c = 0; c < CODEC_COUNT; c++)
        place += codec_study_geometric(study, configuration, bus, kind, c) > own;
    return place;
}

struct rank {
    double overall, last; /* last: mean of the last configuration */
    uint32_t codec;
};

static int
better_first(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->overall != y->overall)
        return x->overall < y->overall ? 1 : -1;
    if (x->last != y->last)
        return x->last < y->last ? 1 : -1;
    return x->codec < y->codec ? -1 : 1;
}

uint32_t
codec_study_rank(const struct codec_study *study, enum codec_bus bus, uint32_t kind,
                 uint32_t codec_of[CODEC_COUNT])
{
    const enum codec_kind applies = kind == COMPRESSION_COLOR ? CODEC_COLOR : CODEC_DEPTH;
    const size_t last = study->machines->count - 1;
    struct rank ranks[CODEC_COUNT];
    uint32_t count = 0;
    for (uint32_t c = 0; c < CODEC_COUNT; c++)
        if (codecs[c]->applies & applies)
            ranks[count++] = (struct rank){codec_study_overall(study, bus, kind, c),
                                           codec_study_geometric(study, last, bus, kind, c), c};
    qsort(ranks, count, sizeof *ranks, better_first);
    for (uint32_t i = 0; i < count; i++)
        codec_of[i] = ranks[i].codec;
    return count;
}

void
codec_study_choose(struct codec_study *study, bool (*can)(uint32_t kind, const struct codec *codec))
{
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++) {
        const char *name = study->wanted[kind];
        double best = 0;
        study->chosen[kind] = strcmp(name, "best") ? codec_find(name) : NULL;
        for (uint32_t c = 0; !strcmp(name, "best") && c < CODEC_COUNT; c++) {
            const double ratio = mean_over(study, study->chosen_over, CODEC_BUS_64, kind, c);
            if (ratio > best && can(kind, codecs[c])) {
                best = ratio;
                study->chosen[kind] = codecs[c];
            }
        }
    }
}
