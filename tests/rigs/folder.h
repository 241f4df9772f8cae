/* Temporary folders of tests. */
#ifndef AETIUS_TESTS_FOLDER_H
#define AETIUS_TESTS_FOLDER_H

#include <stdbool.h>

/* Removes a folder and its content. Prints a message if this fails. */
bool remove_folder(const char *folder);

#endif
