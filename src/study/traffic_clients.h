/* Who moves bytes between the GPU and memory, as studies show it: clients of the memory controller,
 * some of them together. */
#ifndef AETIUS_STUDY_TRAFFIC_CLIENTS_H
#define AETIUS_STUDY_TRAFFIC_CLIENTS_H

#include "report/run/csv.h"

enum traffic_client {
    TRAFFIC_TRANSFERS, /* uploads and copies */
    TRAFFIC_GEOMETRY,  /* indices and attributes */
    TRAFFIC_TEXTURE,
    TRAFFIC_Z,
    TRAFFIC_COLOR,
    TRAFFIC_DAC,
    TRAFFIC_CLIENTS
};
extern const char *const traffic_clients[TRAFFIC_CLIENTS];

/* Adds the bytes of a row of a run's table of frames, read and written. False, with `path` in the
 * message: a column is not there, or some client of the memory has no share. */
bool traffic_add(const struct csv_table *table, uint32_t row, const char *path,
                 uint64_t bytes[TRAFFIC_CLIENTS], struct error *err);

#endif
