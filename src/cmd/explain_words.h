/* Words that commands print, other than the names of statistics, metrics, units, queues and
 * parameters: verdicts, causes of lost cycles, states of units, kinds of work, values of
 * parameters. */
#ifndef AETIUS_CMD_EXPLAIN_WORDS_H
#define AETIUS_CMD_EXPLAIN_WORDS_H

#include "base/mem.h"
#include "base/nearest.h"
#include "sim/machine.h"

struct word_meaning {
    char kind[96], doc[512];
    const char *advice, *parameter; /* may be NULL */
};
typedef VEC(struct word_meaning) word_meanings;

/* Adds each meaning of the word. The caller frees the list. */
void word_meanings_find(word_meanings *list, const struct machine *machine, const char *word);
/* Offers all words except names of statistics and values of parameters. */
void words_offer(struct nearest *nearest);

#endif
