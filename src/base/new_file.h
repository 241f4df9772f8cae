/* A file that takes long to write, such as a capture: what lies at its path stays there until the
 * new file is put in its place, and one process at a time writes a path. Until then the new file is
 * PATH.unfinished. A device, a FIFO or a link at the path is written into as it is, from the start.
 */
#ifndef AETIUS_BASE_NEW_FILE_H
#define AETIUS_BASE_NEW_FILE_H

#include "base/error.h"

struct new_file {
    int fd; /* to write to */
    char *path;
    char *unfinished; /* NULL: it is in place */
};

/* On failure there is nothing to close. */
bool new_file_open(struct new_file *file, const char *path, struct error *err);
/* Renames it to its path; nothing when it is in place. It can be written to further. */
bool new_file_commit(struct new_file *file, struct error *err);
/* Checks that the host has all that was written, puts it in place and closes it. On failure a file
 * that was not in place is removed; err may be NULL. */
bool new_file_close(struct new_file *file, struct error *err);
/* Closes it; a file that is not in place is removed. */
void new_file_discard(struct new_file *file);

#endif
