/* Sets parameters of machines from text. Defines a memory whose timing is easy to calculate. */
#ifndef AETIUS_TESTS_SETTINGS_H
#define AETIUS_TESTS_SETTINGS_H

#include "params/params.h"

/* Applies "SECTION.NAME=VALUE ...", separated by single spaces. A name without a section belongs to
 * `section` (NULL: each name needs a section). */
void settings_apply(struct params *params, const char *section, const char *words);

/* Shaders of reference-2005 without its pipeline stages: fetch, decode, read and write-back take no
 * cycles of their own, and no instruction is fetched again. */
#define NO_STAGES                                                                                  \
    "SHADER.FetchStages=0 SHADER.DecodeStages=0 SHADER.ReadStages=0 SHADER.WriteBackStages=0 "     \
    "SHADER.Replay=FALSE"

/* Formats a text for settings_apply(). The text is valid until the next call. */
const char *settings(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns a machine with one channel of the simple model: 64 bits, bursts of 8 transfers (4
 * cycles), read latency 10, write latency 5, write-to-read 5 cycles, no pages. */
struct params simple_memory(void);

#endif
