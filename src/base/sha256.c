#include "base/sha256.h"

#include "base/file.h"
#include "base/interrupt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* First 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t
turn(uint32_t word, uint32_t right)
{
    return word >> right | word << (32 - right);
}

static void
spread(uint32_t words[64], const uint8_t block[64])
{
    for (uint32_t i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (uint32_t i = 16; i < 64; i++) {
        const uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + words[i - 7] +
                   (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
}

static void
take_block(struct sha256 *sha, const uint8_t block[64])
{
    uint32_t words[64], s[8];
    spread(words, block);
    memcpy(s, sha->state, sizeof s);
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const uint32_t most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        const uint32_t one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choice +
                             rounds[i] + words[i];
        const uint32_t two = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + most;
        memmove(s + 1, s, 7 * sizeof s[0]);
        s[4] += one;
        s[0] = one + two;
    }
    for (uint32_t i = 0; i < 8; i++)
        sha->state[i] += s[i];
}

void
sha256_begin(struct sha256 *sha)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(sha->state, start, sizeof start);
    sha->bytes = 0;
}

void
sha256_add(struct sha256 *sha, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    while (size) {
        const size_t used = sha->bytes % 64, room = 64 - used, part = size < room ? size : room;
        if (part == 64) {
            take_block(sha, from);
        } else {
            memcpy(sha->block + used, from, part);
            if (part == room)
                take_block(sha, sha->block);
        }
        sha->bytes += part;
        from += part;
        size -= part;
    }
}

void
sha256_end(struct sha256 *sha, char text[SHA256_TEXT])
{
    static const uint8_t padding[64] = {0x80};
    const uint64_t bits = sha->bytes * 8;
    uint8_t length[8];
    for (uint32_t i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    sha256_add(sha, padding, 64 - (sha->bytes + 8) % 64);
    sha256_add(sha, length, sizeof length);
    for (uint32_t i = 0; i < 8; i++)
        snprintf(text + 8 * i, 9, "%08x", sha->state[i]);
}

bool
sha256_file(const char *path, char text[SHA256_TEXT], struct error *err)
{
    struct sha256 sha;
    uint8_t bytes[1 << 16];
    ssize_t got;
    const int fd = file_open(path, err);
    if (fd < 0)
        return false;
    sha256_begin(&sha);
    while ((got = read(fd, bytes, sizeof bytes)) > 0 && !interrupt_pending())
        sha256_add(&sha, bytes, (size_t)got);
    const int why = errno;
    close(fd);
    sha256_end(&sha, text);
    return interrupt_check(err) && (!got || fail(err, "cannot read %s: %s", path, strerror(why)));
}
