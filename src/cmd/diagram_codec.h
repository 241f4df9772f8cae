/* Block diagram of a codec's compressor, as Graphviz DOT (docs/design/compression.md). */
#ifndef AETIUS_CMD_DIAGRAM_CODEC_H
#define AETIUS_CMD_DIAGRAM_CODEC_H

#include "codec/codec.h"

/* Returns the DOT text: a box per stage, with its cycles, and per level where the stage has a copy
 * for each level. The caller frees it. */
char *codec_diagram(const struct codec *codec, enum codec_bus bus);

#endif
