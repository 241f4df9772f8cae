/* The registry of codecs (codecs.def). */
#include "codec/codec.h"

#include <string.h>

const struct codec *const codecs[] = {
#define CODEC(symbol) &codec_##symbol,
#include "codec/codecs.def"
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
