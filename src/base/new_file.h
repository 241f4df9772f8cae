/* Output file that takes long to write, such as a capture. The data goes to PATH.unfinished, which
 * replaces any file at PATH once it is complete. Only one process at a time can write a path. A
 * device or FIFO at PATH, or a link to one, is written directly. Any other link is replaced, and
 * its target is left unchanged. */
#ifndef AETIUS_BASE_NEW_FILE_H
#define AETIUS_BASE_NEW_FILE_H

#include "base/error.h"

struct new_file {
    int fd; /* descriptor for writing */
    char *path;
    char *unfinished; /* name of the unfinished file; NULL once it is renamed to `path` */
};

/* On failure the caller has nothing to close. */
bool new_file_open(struct new_file *file, const char *path, struct error *err);
/* Renames the file to its path, or does nothing if that is already done. The caller may continue to
 * write. */
bool new_file_commit(struct new_file *file, struct error *err);
/* Checks that all data was written, renames the file to its path and closes it. On failure it
 * removes the unfinished file. `err` may be NULL. */
bool new_file_close(struct new_file *file, struct error *err);
/* Closes the file and removes it if it is unfinished. */
void new_file_discard(struct new_file *file);

#endif
