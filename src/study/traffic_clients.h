/* Clients of the memory controller, grouped as studies show them. */
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

/* Adds the bytes read and written in a row of a run's table of frames. Returns false if a column is
 * missing, or if a memory client belongs to no group. `path` is for the message. */
bool traffic_add(const struct csv_table *table, uint32_t row, const char *path,
                 uint64_t bytes[TRAFFIC_CLIENTS], struct error *err);

#endif
