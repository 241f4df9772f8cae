#include "sweep/estimate.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RECORDS = 4096 };

void
estimator_add(struct estimator *estimator, const struct store_record *record)
{
    struct store_record copy = *record;
    copy.frames = mem_strdup(record->frames);
    VEC_PUSH(&estimator->records, copy);
}

void
estimator_read(struct estimator *estimator, const char *store)
{
    DIR *dir = opendir(store);
    for (const struct dirent *entry;
         dir && estimator->records.count < MOST_RECORDS && (entry = readdir(dir));) {
        struct store_record record;
        if (!sweep_key_is_one(entry->d_name) || !store_read_record(store, entry->d_name, &record))
            continue;
        estimator_add(estimator, &record);
        free(record.frames);
    }
    if (dir)
        closedir(dir);
}

struct estimate
estimator_ask(const struct estimator *estimator, const struct sweep_trace *trace)
{
    double seconds = 0, bytes = 0, all_seconds = 0, all_bytes = 0, draws = 0;
    uint32_t same = 0;
    for (size_t i = 0; i < estimator->records.count; i++) {
        const struct store_record *record = &estimator->records.items[i];
        all_seconds += record->seconds;
        all_bytes += (double)record->bytes;
        draws += (double)record->draws;
        if (strcmp(record->trace, trace->hash) != 0 || strcmp(record->frames, trace->frames) != 0)
            continue;
        seconds += record->seconds;
        bytes += (double)record->bytes;
        same++;
    }
    if (same)
        return (struct estimate){seconds / same, bytes / same};
    if (draws > 0)
        return (struct estimate){all_seconds / draws * (double)trace->draws,
                                 all_bytes / draws * (double)trace->draws};
    return (struct estimate){(double)NAN, (double)NAN};
}

void
estimator_fini(struct estimator *estimator)
{
    for (size_t i = 0; i < estimator->records.count; i++)
        free(estimator->records.items[i].frames);
    VEC_FREE(&estimator->records);
}
