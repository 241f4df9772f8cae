/* aetius diagram: draws the units and queues of a machine, or the stages of a codec, by Graphviz.
 */
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/subprocess.h"
#include "base/memory_text.h"
#include "cmd/diagram_codec.h"
#include "cmd/options.h"
#include "core/queue.h"
#include "sim/simulation.h"
#include "unit/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_diagram(int argc, char **argv);

struct diagram_options {
    struct machine_options machine;
    const char *out;    /* NULL: DOT on standard output */
    const char *format; /* of `out`, one of formats */
    const char *codec;  /* NULL: the machine */
    bool all, dot, force;
};

/* Formats selected by the file name extension. Graphviz has the same names for them. */
#define DOT_FORMAT "dot"
static const char *const formats[] = {"svg", "png", "pdf", DOT_FORMAT};

/* Length of a name without its instance index, as in "shader[1]". */
static int
family_length(const char *name)
{
    return (int)strcspn(name, "[");
}

static bool
is_family(const char *name, const char *other)
{
    const int length = family_length(name);
    return length == family_length(other) && !strncmp(name, other, (size_t)length);
}

static bool
ends_with(const char *name, const char *end)
{
    const size_t length = (size_t)family_length(name), tail = strlen(end);
    return length >= tail && !strncmp(name + length - tail, end, tail);
}

static const char *
doc_of_unit(const char *name)
{
    size_t count;
    const struct unit_doc *units = unit_docs(&count);
    for (size_t i = 0; i < count; i++)
        if (is_family(name, units[i].group->unit))
            return units[i].doc;
    return "";
}

/* Position in the pipeline, from 0, of the first unit of this family. Sets *count to the number of
 * its units. */
static uint32_t
pipeline_place(const struct clock *clock, const char *name, uint32_t *count)
{
    uint32_t first = 0;
    *count = 0;
    for (uint32_t i = clock->module_count; i-- > 0;)
        if (is_family(name, clock->modules[i]->name)) {
            first = *count ? first : clock->module_count - 1 - i;
            ++*count;
        }
    return first;
}

static void
put_units(const struct clock *clock, FILE *out)
{
    for (uint32_t place = 0; place < clock->module_count; place++) {
        const char *name = clock->modules[clock->module_count - 1 - place]->name;
        uint32_t count;
        if (pipeline_place(clock, name, &count) != place)
            continue;
        const char *doc = doc_of_unit(name);
        fprintf(out, "  %.*s [label=\"%.*s", family_length(name), name, family_length(name), name);
        if (count > 1)
            fprintf(out, " x%u", count);
        fprintf(out, "\\n%.*s\"];\n", (int)strcspn(doc, ":,"), doc);
    }
}

/* Whether the edge points against the order of the pipeline. Such edges must not influence the
 * placement of units. */
static bool
runs_backward(const struct clock *clock, const struct queue *queue)
{
    uint32_t count;
    return pipeline_place(clock, queue->receiver->name, &count) <
           pipeline_place(clock, queue->sender->name, &count);
}

/* Draws all instances of a queue as one edge, at the first instance. Requests and replies of a
 * memory client also share one edge. */
static void
put_queues(const struct clock *clock, bool all, FILE *out)
{
    for (uint32_t i = 0; i < clock->queue_count; i++) {
        const struct queue *queue = clock->queues[i];
        const char *name = queue->name, *bracket = strchr(name, '[');
        const bool is_reply = ends_with(name, "_memory_replies"),
                   is_request = ends_with(name, "_memory_requests"),
                   is_control = ends_with(name, "_orders") || ends_with(name, "_done") ||
                                ends_with(name, "fetched_draws");
        if ((bracket && strncmp(bracket, "[0]", 3)) || is_reply || (is_control && !all))
            continue;
        const char *sender = queue->sender->name, *receiver = queue->receiver->name;
        const int length = family_length(name) - (is_request ? (int)strlen("_requests") : 0);
        fprintf(out, "  %.*s -> %.*s [label=\"%.*s\\n%u wide, %u deep, latency %u\"%s%s];\n",
                family_length(sender), sender, family_length(receiver), receiver, length, name,
                queue->width, queue->depth, queue->latency,
                is_request   ? ", dir=both, color=\"#3b6fb6\""
                : is_control ? ", style=dashed, color=\"#7d7d7d\""
                             : "",
                runs_backward(clock, queue) ? ", constraint=false" : "");
    }
}

/* Draws the parts of each unit, such as the levels of the seven-level generator, as a chain in a
 * box with their unit. The unit hands its work to the first part and takes it from the last one. */
static void
put_parts(const struct clock *clock, FILE *out)
{
    for (uint32_t i = 0; i < clock->module_count; i++) {
        const struct module *module = clock->modules[i];
        const char *before = module->name;
        if (!module->part_count)
            continue;
        fprintf(out, "  subgraph cluster_%s {\n    label=\"\";\n", module->name);
        for (uint32_t k = 0; k < module->part_count; k++) {
            const struct module_part *part = &module->parts[k];
            const char *doc = doc_of_unit(part->name), *work = strstr(doc, ": ");
            fprintf(out, "    %s [label=\"%s\\n%s\"];\n", part->name, part->name,
                    work ? work + 2 : doc);
            fprintf(out, "    %s -> %s [label=\"%u deep\"];\n", before, part->name, part->depth);
            before = part->name;
        }
        fprintf(out, "    %s -> %s [constraint=false];\n  }\n", before, module->name);
    }
}

static char *
machine_diagram(const struct clock *clock, const char *preset, bool all)
{
    struct memory_text text = {0};
    FILE *out = memory_text_open(&text);
    fprintf(out,
            "digraph machine {\n"
            "  label=\"%s: units (instances) and queues; widths in items per cycle, depths in "
            "items, latencies in cycles\";\n"
            "  fontname=\"DejaVu Sans,sans-serif\";\n"
            "  node [shape=box, style=filled, fillcolor=\"#e8eef7\", fontname=\"DejaVu "
            "Sans,sans-serif\"];\n"
            "  edge [fontname=\"DejaVu Sans,sans-serif\", fontsize=9];\n",
            preset);
    put_units(clock, out);
    put_queues(clock, all, out);
    put_parts(clock, out);
    fprintf(out, "}\n");
    return memory_text_take(&text);
}

static bool
write_picture(const char *path, const char *format, const char *text, struct error *err)
{
    char dot[] = "dot", *option = mem_printf("-T%s", format), *picture = NULL;
    char *words[] = {dot, option, NULL};
    const struct subprocess_filter filter = {words, "graphviz", "/"};
    size_t bytes;
    bool missing;
    const bool ok =
        subprocess_filter(&filter, text, strlen(text), &picture, &bytes, &missing, err) &&
        file_write_named(path, picture, bytes, err);
    free(option);
    free(picture);
    return ok;
}

static bool
choose_format(struct diagram_options *options, struct error *err)
{
    const char *end = options->out ? strrchr(options->out, '.') : NULL;
    if (!options->out || options->dot)
        options->format = DOT_FORMAT;
    for (size_t i = 0; i < sizeof formats / sizeof *formats && !options->format; i++)
        if (end && !strcmp(end + 1, formats[i]))
            options->format = formats[i];
    return options->format ||
           fail(err, "%s: expected a name with the ending .svg, .png, .pdf or .dot", options->out);
}

static void
refuse_codec(const char *name, struct error *err)
{
    struct memory_text memory;
    FILE *out = memory_text_open(&memory);
    for (size_t i = 0; codecs[i]; i++)
        fprintf(out, "%s%s", i ? ", " : "", codecs[i]->name);
    char *names = memory_text_take(&memory);
    fail(err, "--codec: unknown codec '%s': expected one of %s", name, names);
    free(names);
}

/* Returns the DOT text, which the caller frees. NULL: *err has the reason. */
static char *
diagram_text(const struct diagram_options *options, struct error *err)
{
    struct simulation simulation;
    if (options->codec) {
        const struct codec *codec = codec_find(options->codec);
        if (!codec)
            refuse_codec(options->codec, err);
        return codec ? codec_diagram(codec, CODEC_BUS_64) : NULL;
    }
    if (!machine_options_build(&options->machine, &simulation, err))
        return NULL;
    char *text = machine_diagram(&simulation.machine->clock,
                                 machine_options_preset(&options->machine), options->all);
    simulation_fini(&simulation);
    return text;
}

static bool
draw(struct diagram_options *options, struct error *err)
{
    const bool can_write =
        choose_format(options, err) && check_output(options->out, options->force, err);
    char *text = can_write ? diagram_text(options, err) : NULL;
    bool ok = text != NULL;
    if (ok && !options->out)
        fputs(text, stdout);
    else if (ok && !strcmp(options->format, DOT_FORMAT))
        ok = file_write_named(options->out, text, strlen(text), err);
    else if (ok)
        ok = write_picture(options->out, options->format, text, err);
    free(text);
    return ok;
}

int
cmd_diagram(int argc, char **argv)
{
    struct diagram_options request = {0};
    const struct arg_option options[] = {
        MACHINE_OPTIONS(&request.machine),
        OPTION_OUTPUT(&request.out, "FILE",
                      "file to write: .svg, .png, .pdf (drawn by Graphviz) or .dot", false),
        {"dot", 0, ARG_FLAG, &request.dot, NULL, "write Graphviz DOT, with any file name", false},
        {"codec", 0, ARG_STRING, &request.codec, "NAME",
         "draw the stages of a codec with their cycles, 64-byte bus, instead of the machine",
         false},
        {"all", 0, ARG_FLAG, &request.all, NULL, "also show the order and completion queues",
         false},
        OPTION_FORCE(&request.force, "overwrite FILE"),
        {0},
    };
    const struct arg_spec spec = {
        "diagram", "[-o FILE] [--preset NAME] [--all] | [-o FILE] --codec NAME",
        "Draws the units and queues of a GPU, or the stages of a codec. The ending of FILE\n"
        "selects the format: svg, png, pdf or dot. Without -o, prints DOT on standard output.",
        options, NO_OPERAND};
    struct args args;
    struct error err;
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (request.codec && (request.all || machine_options_given(&request.machine)))
        return args_usage_error(&spec, "--codec cannot be combined with options of the machine");
    return conclude(draw(&request, &err), &err);
}
