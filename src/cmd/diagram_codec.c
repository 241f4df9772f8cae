/* Block diagram of a codec's compressor, as Graphviz DOT. */
#include "cmd/diagram_codec.h"

#include "base/memory_text.h"

#include <stdio.h>

/* One box per level, or one box for all. */
static uint32_t
boxes_of(const struct codec *codec, enum codec_bus bus, uint32_t stage)
{
    return codec->stages[stage].per_level ? codec->levels[bus].count : 1;
}

static void
put_stage(const struct codec *codec, enum codec_bus bus, uint32_t stage, FILE *out)
{
    const struct codec_stage *of = &codec->stages[stage];
    for (uint32_t box = 0; box < boxes_of(codec, bus, stage); box++) {
        fprintf(out, "  s%u_%u [label=\"%s\\n", stage, box, of->name);
        if (of->per_level)
            fprintf(out, "level %u: %u bytes\\n", box, codec->levels[bus].bytes[box]);
        fprintf(out, "%u %s\"];\n", of->cycles, of->cycles == 1 ? "cycle" : "cycles");
    }
}

/* Joins each level's boxes; a box for all levels is joined with every box next to it. */
static void
put_edges(const struct codec *codec, enum codec_bus bus, uint32_t stage, FILE *out)
{
    const uint32_t from = boxes_of(codec, bus, stage), to = boxes_of(codec, bus, stage + 1);
    for (uint32_t i = 0; i < (from > to ? from : to); i++)
        fprintf(out, "  s%u_%u -> s%u_%u;\n", stage, from == 1 ? 0 : i, stage + 1, to == 1 ? 0 : i);
}

char *
codec_diagram(const struct codec *codec, enum codec_bus bus)
{
    struct memory_text text = {0};
    FILE *out = memory_text_open(&text);
    uint32_t count = 0;
    fprintf(out,
            "digraph codec {\n"
            "  label=\"%s: %s; latency %u cycles\";\n"
            "  fontname=\"DejaVu Sans,sans-serif\";\n"
            "  node [shape=box, style=filled, fillcolor=\"#e8eef7\", fontname=\"DejaVu "
            "Sans,sans-serif\"];\n"
            "  in [label=\"block\\n%u bytes\", fillcolor=\"#f2dcc2\"];\n"
            "  out [label=\"",
            codec->name, codec->doc, codec_latency(codec), CODEC_BLOCK_BYTES);
    for (uint32_t level = 0; level < codec->levels[bus].count; level++)
        if (!level || codec->levels[bus].bytes[level] != codec->levels[bus].bytes[level - 1])
            fprintf(out, "%u, ", codec->levels[bus].bytes[level]);
    fprintf(out, "or %u bytes\", fillcolor=\"#f2dcc2\"];\n", CODEC_BLOCK_BYTES);
    for (; count < CODEC_MAX_STAGES && codec->stages[count].name; count++)
        put_stage(codec, bus, count, out);
    for (uint32_t box = 0; box < boxes_of(codec, bus, 0); box++)
        fprintf(out, "  in -> s0_%u;\n", box);
    for (uint32_t stage = 0; stage + 1 < count; stage++)
        put_edges(codec, bus, stage, out);
    for (uint32_t box = 0; box < boxes_of(codec, bus, count - 1); box++)
        fprintf(out, "  s%u_%u -> out;\n", count - 1, box);
    fprintf(out, "}\n");
    return memory_text_take(&text);
}
