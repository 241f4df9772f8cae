/* The registry of codecs (codecs.def). */
#include "codec/codec.h"

#include <string.h>

#define CODEC(symbol, name, blocks) const char codec_name_##symbol[] = name;
#include "codecs.def"

const struct codec *const codecs[] = {
#define CODEC(symbol, name, blocks) &codec_##symbol,
#include "codecs.def"
    NULL,
};

const struct codec *
codec_find(const char *name)
{
    for (const struct codec *const *codec = codecs; *codec; codec++)
        if (!strcmp((*codec)->name, name))
            return *codec;
    return NULL;
}

uint32_t
codec_latency(const struct codec *codec)
{
    uint32_t cycles = 0;
    for (uint32_t i = 0; i < CODEC_MAX_STAGES && codec->stages[i].name; i++)
        cycles += codec->stages[i].cycles;
    return cycles;
}
