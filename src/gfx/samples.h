/* Multisampling: sample positions in a pixel, and masks of a quad's samples.
 *
 * A sample mask has four bits per sample, one per fragment of the quad: fragment f of sample s is
 * bit 4 * s + f. With one sample it is the mask of the fragments. */
#ifndef AETIUS_GFX_SAMPLES_H
#define AETIUS_GFX_SAMPLES_H

#include <stdint.h>
#include <string.h>

enum { MAX_SAMPLES = 8, SAMPLE_UNITS = 16 /* side of a pixel */ };

struct sample_position {
    int8_t x, y; /* offset from the pixel's center, right and down in memory rows, 1/16 pixel */
};

/* Positions for 1, 2, 4 or 8 samples per pixel. */
const struct sample_position *sample_positions(uint32_t samples);

/* Returns the fragments with at least one sample in the mask. */
static inline uint32_t
mask_fragments(uint32_t mask)
{
    mask |= mask >> 16;
    mask |= mask >> 8;
    mask |= mask >> 4;
    return mask & 15;
}

/* Replicates the bits of the fragments for each sample. */
static inline uint32_t
mask_of_fragments(uint32_t fragments, uint32_t samples)
{
    return (uint32_t)((fragments * UINT64_C(0x11111111)) & ~(~UINT64_C(0) << (4 * samples)));
}

/* Copy the quad's four elements of sample `s` from or to the bytes in memory order, in which the
 * samples of a pixel are adjacent. */
static inline void
sample_gather(const uint8_t *bytes, uint32_t element_bytes, uint32_t samples, uint32_t s,
              uint8_t *quad)
{
    for (uint32_t i = 0; i < 4; i++)
        memcpy(quad + (size_t)i * element_bytes, bytes + (size_t)(i * samples + s) * element_bytes,
               element_bytes);
}

static inline void
sample_scatter(const uint8_t *quad, uint32_t element_bytes, uint32_t samples, uint32_t s,
               uint8_t *bytes)
{
    for (uint32_t i = 0; i < 4; i++)
        memcpy(bytes + (size_t)(i * samples + s) * element_bytes, quad + (size_t)i * element_bytes,
               element_bytes);
}

#endif
