/* Frame 1 of a trace, cut out with what a renderer had drawn by then: its memory read back. */
#ifndef AETIUS_TESTS_CONTENTS_H
#define AETIUS_TESTS_CONTENTS_H

#include "sim/render_sink.h"
#include "sim/trim.h"
#include "trace/virgl/read_back.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h> /* behind our own headers: it has a macro fail() */

enum contents {
    CONTENTS_OURS,  /* all that our own renderer can determine */
    CONTENTS_OTHER, /* as if it were one that keeps less */
    CONTENTS_NONE,  /* nothing could be read */
};

void cut_with_contents(const char *from, enum contents contents, const char *to);

#endif
