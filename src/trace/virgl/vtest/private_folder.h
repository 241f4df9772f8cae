/* A folder for sockets and logs that no other user can enter, /tmp/aetius-PID-XXXXXX (or in
 * TMPDIR). It is locked while its process lives: what a killed process left is removed when the
 * next folder is made. */
#ifndef AETIUS_TRACE_PRIVATE_FOLDER_H
#define AETIUS_TRACE_PRIVATE_FOLDER_H

#include "base/error.h"

struct private_folder {
    char *path;
    int lock;
};

bool private_folder_create(struct private_folder *folder, struct error *err);
/* With the files in it; well where none was made (path NULL). */
void private_folder_remove(struct private_folder *folder);

#endif
