/* Constants that meson.build generates: AETIUS_VERSION and the folders of the program's data files.
 * AETIUS_DATA_DIR, AETIUS_LIB_DIR and AETIUS_LIBEXEC_DIR are the installed folders.
 * AETIUS_SOURCE_DIR is the source tree, which data_path() searches last; "" in a build without
 * tests. */
#ifndef AETIUS_BASE_BUILD_H
#define AETIUS_BASE_BUILD_H

#include <build_facts.h>

#endif
