/* SHA-256 (FIPS 180-4), for content-derived names that must not collide.
 *
 *     struct sha256 sha;
 *     sha256_begin(&sha);
 *     sha256_add(&sha, bytes, size);
 *     sha256_end(&sha, text); */
#ifndef AETIUS_BASE_SHA256_H
#define AETIUS_BASE_SHA256_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { SHA256_TEXT = 65 }; /* 64 hexadecimal digits and a NUL */

struct sha256 {
    uint32_t state[8];
    uint8_t block[64];
    uint64_t bytes; /* bytes added so far */
};

void sha256_begin(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t size);
void sha256_end(struct sha256 *sha, char text[SHA256_TEXT]);

/* Hashes a regular file. A signal is an error. */
bool sha256_file(const char *path, char text[SHA256_TEXT], struct error *err);

#endif
