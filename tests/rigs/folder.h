/* Folders that tests make. */
#ifndef AETIUS_TESTS_FOLDER_H
#define AETIUS_TESTS_FOLDER_H

#include <stdbool.h>

/* With all that is in it. If it cannot, it says so. */
bool remove_folder(const char *folder);

#endif
