#include "base/memory_text.h"

#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>

FILE *
memory_text_open(struct memory_text *text)
{
    text->out = open_memstream(&text->bytes, &text->size);
    if (!text->out)
        mem_exhausted("text");
    return text->out;
}

char *
memory_text_take(struct memory_text *text)
{
    const bool is_whole = !ferror(text->out);
    if (fclose(text->out) || !is_whole || !text->bytes)
        mem_exhausted("text");
    return text->bytes;
}

bool
memory_text_write(struct memory_text *text, const char *path, struct error *err)
{
    char *bytes = memory_text_take(text);
    const bool ok = file_write_named(path, bytes, text->size, err);
    free(bytes);
    return ok;
}
