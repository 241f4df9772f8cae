/* Folder for sockets and logs that only this user can access: aetius-PID-XXXXXX in TMPDIR or /tmp.
 * The process holds a lock on the folder until it exits. Creating a folder also removes the folders
 * of killed processes. */
#ifndef AETIUS_TRACE_PRIVATE_FOLDER_H
#define AETIUS_TRACE_PRIVATE_FOLDER_H

#include "base/error.h"

struct private_folder {
    char *path;
    int lock;
};

bool private_folder_create(struct private_folder *folder, struct error *err);
/* Removes the folder and its files. Does nothing if none was created (path NULL). */
void private_folder_remove(struct private_folder *folder);

#endif
