/* Writes and reads a sample as an INI file. */
#include "analysis/sampling.h"

#include "base/args.h"
#include "base/file.h"
#include "base/ini_file.h"
#include "base/memory_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] =
    "; Frames that represent a whole trace: aetius sim TRACE --sample FILE -o DIR\n"
    ";\n"
    "; [sample]     frames: of the trace; trace: the SHA-256 of its file; seed: of what was "
    "drawn;\n"
    ";              seconds: that looking at all frames took\n"
    "; [cluster N]  frames that are alike. frames: how many; known: the sum of the cycles that "
    "were\n"
    ";              guessed of them; drawn: a frame that is simulated, and what was guessed of "
    "it\n";

bool
sample_write(const struct sample *sample, const char *path, struct error *err)
{
    struct memory_text memory;
    FILE *out = memory_text_open(&memory);
    fprintf(out, "%s\n[sample]\nframes = %u\nseed = %llu\n", head, sample->frames,
            (unsigned long long)sample->seed);
    if (*sample->trace)
        fprintf(out, "trace = %s\n", sample->trace);
    fprintf(out, "seconds = %.3f\n", sample->seconds);
    for (size_t i = 0; i < sample->clusters.count; i++) {
        const struct sample_cluster *cluster = &sample->clusters.items[i];
        fprintf(out, "\n[cluster %zu]\nframes = %u\nknown = %.17g\n", i + 1, cluster->frames,
                cluster->known);
        for (size_t j = 0; j < cluster->drawn.count; j++)
            fprintf(out, "drawn = %u %.17g\n", cluster->drawn.items[j].frame,
                    cluster->drawn.items[j].known);
    }
    char *text = memory_text_take(&memory);
    const bool ok = file_write_named(path, text, memory.size, err);
    free(text);
    return ok;
}

/* Parses a nonnegative decimal number. Sets *rest to the text after it. */
static bool
take_number(const char *text, double *value, const char **rest)
{
    char *end;
    if (*text < '0' || *text > '9' || strpbrk(text, "xX"))
        return false;
    *value = strtod(text, &end);
    *rest = end;
    return isfinite(*value);
}

static bool
take_whole(const char *text, double most, double *value)
{
    const char *rest;
    return take_number(text, value, &rest) && !*rest && *value == floor(*value) && *value <= most;
}

static bool
take_drawn(struct sample *sample, struct sample_cluster *cluster, const char *text,
           struct error *err)
{
    const char *rest, *end;
    double frame, known;
    if (!take_number(text, &frame, &rest) || *rest != ' ' ||
        !take_number(rest + strspn(rest, " "), &known, &end) || *end || frame != floor(frame) ||
        frame >= sample->frames)
        return fail(err, "drawn = %.60s: expected a frame below %u and a number", text,
                    sample->frames);
    if (sample_drawn(sample) == FRAME_RANGES)
        return fail(err, "the sample contains more than %d frames", FRAME_RANGES);
    if (sample_has(sample, (uint32_t)frame))
        return fail(err, "frame %.0f is listed twice", frame);
    VEC_PUSH(&cluster->drawn, ((struct sample_frame){(uint32_t)frame, known}));
    return true;
}

static bool
take_of_sample(struct sample *sample, const char *name, const char *value, struct error *err)
{
    const char *rest;
    double number;
    if (!strcmp(name, "frames") && take_whole(value, 1e9, &number))
        sample->frames = (uint32_t)number;
    else if (!strcmp(name, "seed") && *value >= '0' && *value <= '9')
        sample->seed = strtoull(value, NULL, 10);
    else if (!strcmp(name, "trace") && strlen(value) < sizeof sample->trace)
        snprintf(sample->trace, sizeof sample->trace, "%s", value);
    else if (!strcmp(name, "seconds") && take_number(value, &number, &rest) && !*rest)
        sample->seconds = number;
    else
        return fail(err, "%.60s = %.60s: unknown name in [sample]", name, value);
    return true;
}

static bool
sampling_plan_take(void *data, const struct ini_entry *entry, struct error *err)
{
    const char *section = entry->section, *name = entry->name, *value = entry->value;
    struct sample *sample = data;
    const bool clusters = ini_section_name(section, "cluster") != NULL;
    double number;
    const char *rest;
    if (!clusters && strcmp(section, "sample") != 0)
        return fail(err, "[%.60s]: expected [sample] or [cluster N]", section);
    if (!name) {
        if (clusters)
            VEC_PUSH(&sample->clusters, (struct sample_cluster){0});
        return true;
    }
    if (!clusters)
        return take_of_sample(sample, name, value, err);
    struct sample_cluster *cluster = &sample->clusters.items[sample->clusters.count - 1];
    if (!strcmp(name, "drawn"))
        return take_drawn(sample, cluster, value, err);
    if (!strcmp(name, "frames") && take_whole(value, sample->frames, &number))
        cluster->frames = (uint32_t)number;
    else if (!strcmp(name, "known") && take_number(value, &number, &rest) && !*rest)
        cluster->known = number;
    else
        return fail(err, "%.60s = %.60s: unknown name in [cluster N]", name, value);
    return true;
}

/* Checks that the clusters contain all frames, and that each cluster has sampled frames. A cluster
 * of several frames needs at least two. */
static bool
check(const struct sample *sample, const char *path, struct error *err)
{
    double frames = 0;
    for (size_t i = 0; i < sample->clusters.count; i++) {
        const struct sample_cluster *cluster = &sample->clusters.items[i];
        const size_t drawn = cluster->drawn.count;
        if (!drawn || drawn > cluster->frames || (drawn < 2 && cluster->frames > 1))
            return fail(err, "%s: cluster %zu: invalid sample of %zu of %u frames", path, i + 1,
                        drawn, cluster->frames);
        frames += cluster->frames;
    }
    return (frames > 0 && frames == sample->frames) ||
           fail(err, "%s: the clusters contain %.0f frames, expected %u", path, frames,
                sample->frames);
}

bool
sample_read(struct sample *sample, const char *path, struct error *err)
{
    *sample = (struct sample){0};
    if (ini_file_read(path, INI_INDENT_GOES_ON, sampling_plan_take, sample, err) &&
        check(sample, path, err))
        return true;
    sample_fini(sample);
    return false;
}
