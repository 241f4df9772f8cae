#include "study/traffic_clients.h"

#include <stddef.h>

const char *const traffic_clients[TRAFFIC_CLIENTS] = {
    [TRAFFIC_TRANSFERS] = "transfers", [TRAFFIC_GEOMETRY] = "geometry",
    [TRAFFIC_TEXTURE] = "texture",     [TRAFFIC_Z] = "z",
    [TRAFFIC_COLOR] = "color",         [TRAFFIC_DAC] = "dac",
};

static const struct {
    const char *name;
    enum traffic_client client;
} columns[] = {
    {"memctl.command_bytes_read", TRAFFIC_TRANSFERS},
    {"memctl.command_bytes_written", TRAFFIC_TRANSFERS},
    {"memctl.index_bytes_read", TRAFFIC_GEOMETRY},
    {"memctl.attribute_bytes_read", TRAFFIC_GEOMETRY},
    {"memctl.texture_bytes_read", TRAFFIC_TEXTURE},
    {"memctl.z_bytes_read", TRAFFIC_Z},
    {"memctl.z_bytes_written", TRAFFIC_Z},
    {"memctl.color_bytes_read", TRAFFIC_COLOR},
    {"memctl.color_bytes_written", TRAFFIC_COLOR},
    {"memctl.blit_bytes_read", TRAFFIC_TRANSFERS},
    {"memctl.blit_bytes_written", TRAFFIC_TRANSFERS},
    {"memctl.dac_bytes_read", TRAFFIC_DAC},
    {"memctl.constant_bytes_read", TRAFFIC_TRANSFERS},
    {"memctl.stream_bytes_read", TRAFFIC_GEOMETRY},
    {"memctl.stream_bytes_written", TRAFFIC_GEOMETRY},
    {"memctl.emitted_stream_bytes_read", TRAFFIC_GEOMETRY},
    {"memctl.emitted_stream_bytes_written", TRAFFIC_GEOMETRY},
    {"memctl.emission_bytes_read", TRAFFIC_GEOMETRY},
    {"memctl.emission_bytes_written", TRAFFIC_GEOMETRY},
};

static bool
value_of(const struct csv_table *table, uint32_t row, const char *path, const char *name,
         uint64_t *value, struct error *err)
{
    const double number = csv_value(table, row, csv_column(table, name));
    *value = number >= 0 ? (uint64_t)number : 0;
    return number >= 0 || fail(err, "%s: no numeric column '%s'", path, name);
}

bool
traffic_add(const struct csv_table *table, uint32_t row, const char *path,
            uint64_t bytes[TRAFFIC_CLIENTS], struct error *err)
{
    uint64_t one, read, written, shared = 0;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        if (!value_of(table, row, path, columns[i].name, &one, err))
            return false;
        bytes[columns[i].client] += one;
        shared += one;
    }
    if (!value_of(table, row, path, "memctl.bytes_read", &read, err) ||
        !value_of(table, row, path, "memctl.bytes_written", &written, err))
        return false;
    return shared == read + written ||
           fail(err, "%s: a memory client is missing in the study's chart", path);
}
