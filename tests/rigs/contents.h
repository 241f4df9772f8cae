/* A trace of only frame 1, with the contents that a renderer had in memory before this frame. */
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
#include <cmocka.h> /* after the project's headers: cmocka.h defines a macro fail() */

enum contents {
    CONTENTS_OURS,  /* all contents that the functional renderer can determine */
    CONTENTS_OTHER, /* contents as from a renderer that keeps fewer */
    CONTENTS_NONE,  /* no resource could be read */
};

void cut_with_contents(const char *from, enum contents contents, const char *to);

#endif
