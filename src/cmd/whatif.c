/* aetius whatif: simulates frames of a trace twice, as they are and with changes of the program. */
#include "sim/whatif.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/plural.h"
#include "base/text_table.h"
#include "base/mem.h"
#include "base/whole_number.h"
#include "cmd/run_input.h"
#include "report/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int cmd_whatif(int argc, char **argv);

enum { MOST_TGSI = 1 << 22 };

struct whatif_options {
    struct machine_options machine;
    struct frame_set frames;
    const char *path, *dir, *trace, *scale; /* path: a trace or a run */
    struct arg_list dropped, unblended, untested, uncopied, uncleared, programs,
        textures[WHATIF_TEXTURE_KINDS];
    bool front_to_back, merge_draws, index_order, early_uploads, no_readbacks, no_repeated_uploads,
        no_repeated_clears, no_repeated_copies, json;
    uint64_t memory;
};

struct frame_result {
    uint32_t number;
    uint64_t cycles[2]; /* before, after */
    struct picture_difference difference;
};

enum { BEFORE, AFTER, SIDES };

static const char *const side_names[SIDES] = {"before", "after"};

struct side {
    struct comparison *comparison;
    struct simulation sim;
    struct executor_sink sink;
    struct budget budget;
    struct picture picture; /* of the last frame */
};

struct comparison {
    const struct whatif_options *options;
    struct whatif whatif;
    struct trace_writer *writer; /* of the changed trace, or NULL */
    struct side sides[SIDES];
    VEC(struct frame_result) frames;
};

/* Fraction of the cycles that the change saves. */
static double
gain_of(uint64_t before, uint64_t after)
{
    return before ? 1 - (double)after / (double)before : 0;
}

static struct picture
copy_picture(const struct picture *from)
{
    struct picture copy = *from;
    const size_t bytes = (size_t)from->width * from->height * 4;
    copy.rgba = mem_alloc(bytes + 1);
    memcpy(copy.rgba, from->rgba, bytes);
    return copy;
}

/* Stores the cycles and the picture of a frame. The side `before` comes first. */
static bool
end_frame(void *data, const struct simulation_frame *frame, struct error *err)
{
    struct side *side = data;
    struct comparison *comparison = side->comparison;
    const size_t s = (size_t)(side - comparison->sides);
    if (!frame->timed)
        return true;
    picture_fini(&side->picture);
    side->picture = copy_picture(frame->picture);
    if (s == BEFORE)
        VEC_PUSH(&comparison->frames, (struct frame_result){.number = frame->number});
    struct frame_result *result = &comparison->frames.items[comparison->frames.count - 1];
    result->cycles[s] = frame->cycles;
    if (comparison->options->dir) {
        char *dir = mem_printf("%s/%s", comparison->options->dir, side_names[s]);
        const bool ok = picture_write_frame(&side->picture, dir, frame->number, err);
        free(dir);
        if (!ok)
            return false;
    }
    return s == BEFORE || picture_compare(&comparison->sides[BEFORE].picture, &side->picture,
                                          &result->difference, err);
}

static bool
side_init(struct comparison *comparison, size_t s, const struct params *params,
          struct trace_reader *reader, struct error *err)
{
    struct side *side = &comparison->sides[s];
    const struct simulation_listener listener = {.data = side, .frame = end_frame};
    side->comparison = comparison;
    side->budget = (struct budget){comparison->options->memory, 0, "--memory"};
    if (!simulation_init(&side->sim, params, &comparison->options->frames, &listener, err))
        return false;
    struct executor executor = side->sim.executor;
    gpu_device_limit(&side->sim.device, &side->budget);
    const bool ok =
        s == BEFORE || whatif_attach(&comparison->whatif, &side->sim, reader, &executor, err);
    executor_sink_init(&side->sink, &executor);
    return ok;
}

static void
side_fini(struct side *side)
{
    if (side->sink.decoder) {
        executor_sink_fini(&side->sink);
        simulation_fini(&side->sim);
    }
    picture_fini(&side->picture);
}

/* States how many draws --merge-draws did not merge although only constants differ, and why. */
static void
note_unmerged(const struct machine *machine)
{
    static const char *const reasons[DRAW_JOIN_COUNT] = {
        [DRAW_ADDRESSED] = "an address selects constants, and constants differ",
        [DRAW_ATTRIBUTES] = "all attributes or address registers are in use",
        [DRAW_VARYINGS] = "too many constants of the fragment program differ",
        [DRAW_LONG_TABLE] = "the constants of all draws exceed the largest array of uniforms"};
    for (uint32_t i = 0; i < DRAW_JOIN_COUNT; i++)
        if (reasons[i] && machine->unmerged[i])
            log_note("%u draw%s not merged with the draw before: %s", machine->unmerged[i],
                     machine->unmerged[i] == 1 ? " is" : "s are", reasons[i]);
}

/* Writes the message, as far as it was not left out, to the changed trace. */
static bool
write_changed(struct comparison *comparison, const struct message *message, struct error *err)
{
    struct message changed;
    return !comparison->writer || !whatif_change_message(&comparison->whatif, message, &changed) ||
           trace_writer_add(comparison->writer, &changed, err);
}

static bool
create_trace(struct comparison *comparison, const struct trace_reader *reader, struct error *err)
{
    const char *path = comparison->options->trace;
    if (!path)
        return true;
    if (trace_is_at(reader, path))
        return fail(err, "--trace %s: this is the trace that is read", path);
    return whatif_is_trace(&comparison->whatif, err) &&
           trace_writer_create_part(&comparison->writer, path, reader, trace_first_frame(reader),
                                    err);
}

static bool
close_trace(struct comparison *comparison, bool ok, struct error *err)
{
    if (!comparison->writer)
        return ok;
    if (ok)
        return trace_writer_close(comparison->writer, err);
    trace_writer_discard(comparison->writer);
    return false;
}

/* Gives each message to both sides, up to the last frame. */
static bool
feed(struct comparison *comparison, struct trace_reader *reader, struct error *err)
{
    struct side *before = &comparison->sides[BEFORE];
    const uint32_t last = frame_set_last(&comparison->options->frames);
    struct progress progress;
    bool ok = true, end = false;
    progress_begin(&progress, "simulating: frame", trace_frame_count(reader));
    while (ok && before->sim.frame <= last) {
        struct message message;
        ok = trace_reader_next(reader, &message, &end, err);
        if (!ok || end)
            break;
        whatif_begin_message(&comparison->whatif);
        for (size_t s = 0; s < SIDES && ok; s++) {
            struct message_sink *sink = &comparison->sides[s].sink.sink;
            const uint32_t frame = comparison->sides[s].sim.frame;
            ok = sink->take(sink->data, &message, NULL, 0, err);
            if (!ok && s == AFTER)
                fail_prefix(err, "after the change");
            if (!ok)
                fail_at(err, "frame %u", frame);
        }
        ok = ok && write_changed(comparison, &message, err);
        progress_at(&progress, before->sim.frame, NULL);
    }
    progress_end(&progress);
    return ok;
}

static void
print_text(const struct comparison *comparison, const struct frame_result *all)
{
    struct text_table table = {0};
    text_table_cells(&table, "frame|before|after|change|differing pixels|largest difference");
    text_table_end_row(&table);
    for (size_t i = 0; i <= comparison->frames.count; i++) {
        const bool is_all = i == comparison->frames.count;
        const struct frame_result *r = is_all ? all : &comparison->frames.items[i];
        const struct picture_difference *d = &r->difference;
        if (is_all && comparison->frames.count == 1)
            break;
        if (is_all)
            text_table_cell(&table, "all");
        else
            text_table_cell(&table, "%u", r->number);
        for (size_t s = 0; s < SIDES; s++)
            text_table_cell(&table, "%llu", (unsigned long long)r->cycles[s]);
        const double gain = 100 * gain_of(r->cycles[BEFORE], r->cycles[AFTER]);
        text_table_cell(&table, fabs(gain) < 0.05 ? "%.1f %%" : "%+.1f %%",
                        fabs(gain) < 0.05 ? 0 : -gain);
        text_table_cell(&table, "%.2f %%",
                        d->pixels ? 100 * (double)(d->pixels - d->identical) / (double)d->pixels
                                  : 0);
        text_table_cell(&table, "%u", d->max_difference);
        text_table_end_row(&table);
    }
    text_table_put(&table, TEXT_TABLE_TEXT, stdout);
}

static void
add_result(cJSON *o, const struct frame_result *result)
{
    const struct picture_difference *d = &result->difference;
    cJSON_AddNumberToObject(o, "cycles_before", (double)result->cycles[BEFORE]);
    cJSON_AddNumberToObject(o, "cycles_after", (double)result->cycles[AFTER]);
    cJSON_AddNumberToObject(o, "gain", gain_of(result->cycles[BEFORE], result->cycles[AFTER]));
    cJSON_AddNumberToObject(o, "pixels", (double)d->pixels);
    cJSON_AddNumberToObject(o, "differing_pixels", (double)(d->pixels - d->identical));
    cJSON_AddNumberToObject(o, "max_difference", d->max_difference);
}

static void
print_json(const struct comparison *comparison, const struct frame_result *all)
{
    cJSON *root = cJSON_CreateObject();
    add_result(root, all);
    cJSON *frames = cJSON_AddArrayToObject(root, "frames");
    for (size_t i = 0; i < comparison->frames.count; i++) {
        cJSON *frame = cJSON_CreateObject();
        cJSON_AddNumberToObject(frame, "frame", comparison->frames.items[i].number);
        add_result(frame, &comparison->frames.items[i]);
        cJSON_AddItemToArray(frames, frame);
    }
    print_json_tree(root);
}

static void
print_result(const struct comparison *comparison)
{
    struct frame_result all = {0};
    for (size_t i = 0; i < comparison->frames.count; i++) {
        const struct frame_result *r = &comparison->frames.items[i];
        for (size_t s = 0; s < SIDES; s++)
            all.cycles[s] += r->cycles[s];
        picture_difference_add(&all.difference, &r->difference);
    }
    if (comparison->options->json)
        print_json(comparison, &all);
    else
        print_text(comparison, &all);
}

/* Reads F:D or F:D-E. */
static bool
read_range(const char *text, struct whatif_draw *draw, struct error *err)
{
    const size_t length = strcspn(text, "-");
    char *first = mem_printf("%.*s", (int)length, text);
    uint64_t last = 0;
    bool ok = parse_draw(first, &draw->frame, &draw->draw, err);
    free(first);
    draw->last = draw->draw;
    if (!ok || !text[length])
        return ok;
    ok = whole_number_parse(text + length + 1, &last) && last >= draw->draw && last < UINT32_MAX;
    draw->last = (uint32_t)last;
    return ok || fail(err, "expected FRAME:DRAW or FRAME:FIRST-LAST");
}

/* Reads draws of the simulated frames. `may_end`: D may be the number of draws. */
static bool
read_draws(const struct whatif_options *options, const struct arg_list *list, const char *option,
           const struct trace_reader *reader, bool may_end, struct whatif_draw *draws,
           struct error *err)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct whatif_draw *draw = &draws[i];
        *draw = (struct whatif_draw){0};
        if (!read_range(list->items[i], draw, err) ||
            !frame_locate(&draw->frame, trace_first_frame(reader), trace_frame_count(reader),
                          options->path, err))
            return fail_prefix(err, "%s %s", option, list->items[i]);
        if (!frame_set_has(&options->frames, draw->frame))
            return fail(err, "%s %s: frame %u is not among the --frames", option, list->items[i],
                        draw->frame);
        const uint32_t count = trace_frame(reader, draw->frame)->draws;
        if (draw->last >= count + may_end)
            return fail(err, "%s %s: frame %u has %u draw%s, counted from 0", option,
                        list->items[i], draw->frame, count, plural(count));
    }
    return true;
}

#define READ_DRAWS(options, list, name, reader, may_end, vec, err)                                 \
    (VEC_RESERVE(vec, (list)->count), (vec)->count = (list)->count,                                \
     !(list)->count || read_draws(options, list, name, reader, may_end, (vec)->items, err))

static bool
read_textures(const struct whatif_options *options, struct whatif *whatif, struct error *err)
{
    for (uint32_t k = 0; k < WHATIF_TEXTURE_KINDS; k++)
        for (uint32_t i = 0; i < options->textures[k].count; i++) {
            const char *text = options->textures[k].items[i];
            struct whatif_texture texture = {.kind = (enum whatif_texture_kind)k};
            uint64_t number;
            if (!whole_number_parse(text, &number) || !number || number > UINT32_MAX)
                return fail(err, "%s '%s': expected the number of a texture, without #",
                            whatif_texture_option(texture.kind), text);
            texture.handle = (uint32_t)number;
            VEC_PUSH(&whatif->textures, texture);
        }
    return true;
}

/* Reduces the output of `aetius show FILE program HASH` to the TGSI text: removes the columns of
 * cycles, and the lines before and after the text. A TGSI text stays as it is. */
static void
strip_listing(char *text)
{
    char *to = text;
    bool begun = false, ended = false;
    for (char *line = text; *line && !ended;) {
        char *end = line + strcspn(line, "\n"), *at = line + strspn(line, " ");
        const bool more = *end == '\n';
        *end = '\0';
        for (size_t digits; (digits = strspn(at, "0123456789")) && at[digits] == ' ';)
            at += digits + strspn(at + digits, " ");
        begun = begun || !strcmp(at, "VERT") || !strcmp(at, "FRAG");
        ended = strstr(at, ": END") && !strcmp(strstr(at, ": END"), ": END");
        const size_t bytes = begun ? strlen(at) : 0;
        memmove(to, at, bytes);
        to += bytes;
        if (begun && more)
            *to++ = '\n';
        line = end + more;
    }
    *to = '\0';
}

/* Reads HASH=FILE. */
static bool
read_program(struct whatif_program *program, const char *text, struct error *err)
{
    const char *equals = strchr(text, '=');
    size_t size;
    if (!equals || equals == text || strspn(text, "0123456789abcdef") != (size_t)(equals - text))
        return fail(err, "expected HASH=FILE, with hexadecimal digits");
    if (!file_read(equals + 1, MOST_TGSI, &program->text, &size, err))
        return false;
    snprintf(program->hash, sizeof program->hash, "%.*s", (int)(equals - text), text);
    strip_listing(program->text);
    program->stage = program_text_stage(program->text);
    struct program *parsed = program_create(program->stage, program->text, NULL, err);
    program_destroy(parsed);
    return parsed || fail_prefix(err, "%s", equals + 1);
}

static bool
read_programs(const struct whatif_options *options, struct whatif *whatif, struct error *err)
{
    for (uint32_t i = 0; i < options->programs.count; i++) {
        struct whatif_program program = {0};
        const bool ok = read_program(&program, options->programs.items[i], err);
        VEC_PUSH(&whatif->programs, program);
        if (!ok)
            return fail_prefix(err, "--replace-program %s", options->programs.items[i]);
    }
    return true;
}

static bool
read_scale(const struct whatif_options *options, struct whatif *whatif, struct error *err)
{
    char *end;
    if (!options->scale)
        return true;
    whatif->viewport_scale = strtod(options->scale, &end);
    return (end != options->scale && !*end && whatif->viewport_scale > 0 &&
            whatif->viewport_scale <= 1) ||
           fail(err, "--scale-viewport '%s': expected a factor above 0 and at most 1",
                options->scale);
}

static bool
create_folders(const char *dir, struct error *err)
{
    bool ok = !dir || dir_create(dir, err);
    for (size_t s = 0; s < SIDES && ok && dir; s++) {
        char *side = mem_printf("%s/%s", dir, side_names[s]);
        char *frames = mem_printf("%s/frames", side);
        ok = dir_create(side, err) && dir_create(frames, err);
        free(side);
        free(frames);
    }
    return ok;
}

static bool
compare(struct comparison *comparison, const struct params *params, struct trace_reader *reader,
        struct error *err)
{
    const struct whatif_options *options = comparison->options;
    struct needed_draws *needed = NULL;
    struct whatif *whatif = &comparison->whatif;
    whatif->frames = options->frames;
    whatif->front_to_back = options->front_to_back;
    whatif->merge_draws = options->merge_draws;
    whatif->index_order = options->index_order;
    whatif->early_uploads = options->early_uploads;
    whatif->no_repeated_uploads = options->no_repeated_uploads;
    whatif->no_repeated_clears = options->no_repeated_clears;
    whatif->no_repeated_copies = options->no_repeated_copies;
    whatif->no_readbacks = options->no_readbacks;
    bool ok =
        READ_DRAWS(options, &options->dropped, "--drop", reader, false, &whatif->dropped, err) &&
        READ_DRAWS(options, &options->unblended, "--no-blend", reader, false, &whatif->unblended,
                   err) &&
        READ_DRAWS(options, &options->untested, "--no-alpha-test", reader, false, &whatif->untested,
                   err) &&
        READ_DRAWS(options, &options->uncopied, "--drop-copy", reader, true, &whatif->uncopied,
                   err) &&
        READ_DRAWS(options, &options->uncleared, "--drop-clear", reader, true, &whatif->uncleared,
                   err) &&
        (!options->frames.count ||
         needed_draws_find(&needed, reader, &options->frames, WARM_UP_ALL, err));
    for (size_t s = 0; s < SIDES && ok; s++) {
        ok = side_init(comparison, s, params, reader, err);
        comparison->sides[s].sim.needed = needed;
    }
    simulation_warn(&comparison->sides[BEFORE].sim, machine_options_preset(&options->machine),
                    NULL);
    ok = ok && create_trace(comparison, reader, err) && feed(comparison, reader, err) &&
         whatif_check(whatif, err);
    ok = close_trace(comparison, ok, err);
    if (ok)
        note_unmerged(comparison->sides[AFTER].sim.machine);
    for (size_t s = 0; s < SIDES; s++)
        side_fini(&comparison->sides[s]);
    needed_draws_destroy(needed);
    if (ok)
        print_result(comparison);
    VEC_FREE(&comparison->frames);
    return ok;
}

static bool
simulate(struct whatif_options *options, struct whatif *changes, struct error *err)
{
    struct comparison *comparison = mem_alloc(sizeof *comparison);
    struct budget budget = {options->memory, 0, "--memory"};
    struct run_input input = {0};
    struct trace_reader *reader = NULL;
    struct params params;
    *comparison = (struct comparison){.options = options, .whatif = *changes};
    bool ok = run_input_open(&input, &options->path, &options->frames, &options->machine, err) &&
              machine_options_apply(&options->machine, &params, err) &&
              trace_reader_open_warn(&reader, options->path, err);
    if (ok) {
        trace_reader_limit(reader, &budget);
        ok = frame_set_locate(&options->frames, trace_first_frame(reader),
                              trace_frame_count(reader), options->path, err) &&
             create_folders(options->dir, err) && compare(comparison, &params, reader, err);
        trace_reader_close(reader);
    }
    whatif_fini(&comparison->whatif);
    run_input_fini(&input);
    free(comparison);
    return ok;
}

static bool
has_change(const struct whatif_options *options)
{
    bool any = options->dropped.count || options->unblended.count || options->untested.count ||
               options->uncopied.count || options->uncleared.count || options->programs.count ||
               options->scale || options->front_to_back || options->merge_draws ||
               options->index_order || options->early_uploads || options->no_readbacks ||
               options->no_repeated_uploads || options->no_repeated_clears ||
               options->no_repeated_copies;
    for (uint32_t k = 0; k < WHATIF_TEXTURE_KINDS; k++)
        any |= options->textures[k].count > 0;
    return any;
}

int
cmd_whatif(int argc, char **argv)
{
    struct whatif_options options = {.memory = FILE_MEMORY_BYTES};
    struct whatif changes = {0};
    const struct arg_option table[] = {
        {"front-to-back", 0, ARG_FLAG, &options.front_to_back, NULL,
         "draw opaque objects in order of depth, the nearest first", false},
        {"merge-draws", 0, ARG_FLAG, &options.merge_draws, NULL,
         "merge consecutive draws with the same state into one; constants may differ", false},
        {"index-order", 0, ARG_FLAG, &options.index_order, NULL,
         "reorder the triangles of draws so that shaded vertices are reused", false},
        {"early-uploads", 0, ARG_FLAG, &options.early_uploads, NULL,
         "uploads after the first draw of a frame are in memory before the frame", false},
        {"no-repeated-uploads", 0, ARG_FLAG, &options.no_repeated_uploads, NULL,
         "leave out uploads of bytes that this frame or the one before has already uploaded",
         false},
        {"no-repeated-clears", 0, ARG_FLAG, &options.no_repeated_clears, NULL,
         "leave out clears that the next clear overwrites", false},
        {"no-repeated-copies", 0, ARG_FLAG, &options.no_repeated_copies, NULL,
         "leave out copies that an equal copy has made before, with nothing changed since", false},
        {"drop", 0, ARG_LIST, &options.dropped, "F:D[-E]",
         "leave out draw D of frame F, or draws D to E", false},
        {"drop-copy", 0, ARG_LIST, &options.uncopied, "F:D",
         "leave out the copies and blits right before draw D of frame F", false},
        {"drop-clear", 0, ARG_LIST, &options.uncleared, "F:D",
         "leave out the clears right before draw D of frame F", false},
        {"no-blend", 0, ARG_LIST, &options.unblended, "F:D",
         "draw D of frame F replaces the color instead of blending", false},
        {"no-alpha-test", 0, ARG_LIST, &options.untested, "F:D[-E]",
         "remove the alpha test of draw D of frame F, or of draws D to E", false},
        {"halve-texture", 0, ARG_LIST, &options.textures[WHATIF_HALVE], "ID",
         "halve the width and the height of texture ID", false},
        {"mipmaps", 0, ARG_LIST, &options.textures[WHATIF_MIPMAPS], "ID",
         "add mipmaps to texture ID, and filter between them", false},
        {"compress", 0, ARG_LIST, &options.textures[WHATIF_COMPRESS], "ID",
         "compress texture ID to DXT1, or to DXT5 if it has alpha", false},
        {"replace-program", 0, ARG_LIST, &options.programs, "HASH=FILE",
         "replace a program by the text of FILE: TGSI, as `aetius show FILE program HASH` prints "
         "it",
         false},
        {"scale-viewport", 0, ARG_STRING, &options.scale, "FACTOR",
         "scale the width and the height of all viewports, e.g. 0.5", false},
        {"no-readbacks", 0, ARG_FLAG, &options.no_readbacks, NULL, "leave out all readbacks",
         false},
        OPTION_FRAMES(&options.frames, "simulate only these frames"),
        MACHINE_OPTIONS(&options.machine),
        OPTION_OUTPUT(&options.dir, "DIR", "write the pictures to DIR/before and DIR/after", false),
        {"trace", 0, ARG_STRING, &options.trace, "FILE",
         "write the changed trace to FILE, up to the last simulated frame; for changes that leave "
         "out "
         "draws, copies or readbacks",
         false},
        OPTION_MEMORY(&options.memory),
        OPTION_JSON(&options.json, "print JSON"),
        {0}};
    const struct arg_spec spec = {
        "whatif",
        "FILE|RUN CHANGE... [options]",
        "Changes the program of a trace and simulates it: prints the cycles before and\n"
        "after, and the difference of the pictures. A RUN stands for its trace, its frames\n"
        "and its machine. F:D is FRAME:DRAW as in `aetius draws`. ID is the number of a\n"
        "texture in `aetius show FILE draw F:D`, HASH a program there or a prefix.\n"
        "Textures and programs change in the whole trace, draws in the simulated frames.",
        table,
        1,
        1,
        "one trace FILE or RUN",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    options.path = args.operands[0];
    if (!has_change(&options))
        return args_usage_error(&spec, "expected a change, e.g. --front-to-back");
    if (!read_textures(&options, &changes, &err) || !read_scale(&options, &changes, &err)) {
        whatif_fini(&changes);
        return args_usage_error(&spec, "%s", err.text);
    }
    interrupt_watch();
    if (!read_programs(&options, &changes, &err)) {
        whatif_fini(&changes);
        return conclude(false, &err);
    }
    return conclude(simulate(&options, &changes, &err), &err);
}
