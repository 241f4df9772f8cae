/* Facts of the build, written by meson.build: AETIUS_VERSION, and the folders that a binary looks
 * for its own files in: AETIUS_DATA_DIR, AETIUS_LIB_DIR (installed), AETIUS_SOURCE_DIR (else). */
#ifndef AETIUS_BASE_BUILD_H
#define AETIUS_BASE_BUILD_H

#include <build_facts.h>

#endif
