/* Formats the commands of a trace as human-readable text. */
#ifndef AETIUS_REPORT_DESCRIBE_COMMAND_H
#define AETIUS_REPORT_DESCRIBE_COMMAND_H

#include "state/cmd.h"

/* Returns the main arguments on one line of printable text. "#7" is a resource; other handles are
 * plain numbers. of_buffer: the command creates a view of a buffer, which has elements instead of
 * levels. The caller frees the text. */
char *describe_arguments(const struct gpu_cmd *cmd, bool of_buffer);

#endif
