/* Constants that meson.build writes: AETIUS_VERSION and the folders with the program's data.
 * AETIUS_DATA_DIR and AETIUS_LIB_DIR are the installed folders. AETIUS_SOURCE_DIR is the source
 * tree, which data_path() tries last. */
#ifndef AETIUS_BASE_BUILD_H
#define AETIUS_BASE_BUILD_H

#include <build_facts.h>

#endif
