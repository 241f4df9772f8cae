/* aetius show: prints a draw or a shader program of a trace. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/plural.h"
#include "cmd/run_input.h"
#include "report/draw/show_draw.h"
#include "report/draw/show_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_show(int argc, char **argv);

enum { LISTED = 16 }; /* vertices and constants listed without --all */

struct show_options {
    const char *path, *dir;  /* path: a trace, or a TGSI text */
    struct frame_set frames; /* frames with draws to show */
    struct machine_options machine;
    bool json, all, force;
    uint64_t memory;
};

static void
print_draw(struct shown_draw *shown)
{
    struct text_table *table = &shown->table;
    text_table_cell(table, "covers");
    text_table_left(table, "%llu fragment%s passed all tests, on %llu pixel%s",
                    (unsigned long long)shown->fragments, plural(shown->fragments),
                    (unsigned long long)shown->pixels, plural(shown->pixels));
    text_table_end_row(table);
    for (size_t i = 0; i < shown->file_count; i++) {
        text_table_cell(table, "%s", i ? "" : "pictures");
        text_table_left(table, "%s/%s", shown->dir, shown->files[i]);
        text_table_end_row(table);
    }
    if (shown->dir) {
        text_table_cell(table, "vertices");
        text_table_left(table, "%s/%s", shown->dir, SHOWN_VERTICES);
        text_table_end_row(table);
    }
    printf("frame %u, draw %u\n", shown->frame, shown->number);
    text_table_put(table, TEXT_TABLE_TEXT, stdout);
    text_table_put(&shown->vertices, TEXT_TABLE_TEXT, stdout);
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        text_table_put(&shown->constants[stage], TEXT_TABLE_TEXT, stdout);
}

/* Finds the frame of the only draw with this number. */
static bool
find_frame(const struct show_options *options, const struct trace_reader *reader, uint32_t number,
           uint32_t *frame, struct error *err)
{
    uint32_t found = ANY_FRAME;
    for (uint32_t i = 0; i < trace_frame_count(reader); i++) {
        if (!frame_set_has(&options->frames, i) || trace_frame(reader, i)->draws <= number)
            continue;
        if (found != ANY_FRAME)
            return fail(err, "several frames have a draw %u: select one, e.g. %u:%u", number, found,
                        number);
        found = i;
    }
    *frame = found;
    return found != ANY_FRAME || fail(err, "%s: no frame has a draw %u", options->path, number);
}

/* Creates the folder. Refuses one with the files of a draw. */
static bool
take_folder(const char *dir, bool force, struct error *err)
{
    char *vertices = mem_printf("%s/%s", dir, SHOWN_VERTICES);
    const bool ok = check_output(vertices, force, err) && dir_create(dir, err);
    free(vertices);
    return ok;
}

static bool
draw(const struct show_options *options, uint32_t frame, uint32_t number, struct error *err)
{
    struct shown_draw shown = {.dir = options->dir,
                               .frame = frame,
                               .number = number,
                               .json = options->json,
                               .most = options->all ? UINT32_MAX : LISTED};
    struct trace_reader *reader;
    if (!trace_reader_open_warn(&reader, options->path, err))
        return false;
    bool ok = frame == ANY_FRAME ? find_frame(options, reader, number, &shown.frame, err)
                                 : frame_locate(&shown.frame, trace_first_frame(reader),
                                                trace_frame_count(reader), options->path, err);
    ok = ok && (!shown.dir || take_folder(shown.dir, options->force, err)) &&
         show_draw(&shown, reader, options->memory, err);
    if (ok && options->json) {
        print_json_tree(shown.facts);
        shown.facts = NULL;
    } else if (ok) {
        print_draw(&shown);
    }
    shown_draw_fini(&shown);
    trace_reader_close(reader);
    return ok;
}

static bool
program(const struct show_options *options, const char *hash, struct error *err)
{
    struct params params;
    struct shown_programs shown = {.wanted = hash, .params = &params};
    if (!machine_options_apply(&options->machine, &params, err))
        return false;
    bool ok;
    if (is_tgsi_file(options->path)) {
        ok = show_program_file(&shown, options->path, err);
    } else {
        struct budget budget = {options->memory, 0, "--memory"};
        struct trace_reader *reader;
        if (!trace_reader_open_warn(&reader, options->path, err))
            return false;
        trace_reader_limit(reader, &budget);
        ok = show_programs(&shown, reader, err);
        trace_reader_close(reader);
    }
    if (ok && options->json)
        print_json_tree(shown_programs_json(&shown));
    else if (ok)
        shown_programs_print(&shown, stdout);
    shown_programs_fini(&shown);
    return ok;
}

static bool
show(struct show_options *options, bool is_draw, const char *hash, uint32_t frame, uint32_t number,
     struct error *err)
{
    struct run_input input = {0};
    const bool ok =
        run_input_open(&input, &options->path, &options->frames, &options->machine, err) &&
        (is_draw ? draw(options, frame, number, err) : program(options, hash, err));
    run_input_fini(&input);
    return ok;
}

int
cmd_show(int argc, char **argv)
{
    struct show_options options = {.memory = FILE_MEMORY_BYTES};
    const struct arg_option table[] = {
        OPTION_OUTPUT(&options.dir, "DIR",
                      "write a draw's targets before and after, its coverage and its textures as "
                      "PNG, and all "
                      "its vertices as CSV",
                      false),
        OPTION_FORCE(&options.force, "with -o: overwrite the files of a draw in DIR"),
        {"all", 0, ARG_FLAG, &options.all, NULL,
         "list all vertices and constants of a draw, not only the first 16", false},
        OPTION_JSON(&options.json, "print JSON"),
        OPTION_MEMORY(&options.memory),
        MACHINE_OPTIONS(&options.machine),
        {0},
    };
    const struct arg_spec spec = {
        "show",
        "FILE|RUN draw F:D [--all] [-o DIR] | FILE|RUN program [HASH]",
        "Shows a draw of a trace: programs, textures, targets, state, and its geometry:\n"
        "buffers, attributes, vertices with their indices, and constants.\n"
        "Or shows a program, given its hash or a prefix of it: its text, the issue cycle\n"
        "of each instruction for one thread group running alone, and the total cost. The\n"
        "cost follows the timing rules of the shader units, with both sides of branches\n"
        "and one loop iteration. Without HASH, shows all programs of the trace. FILE may\n"
        "also be a TGSI text (first line VERT or FRAG). A RUN stands for its trace and its\n"
        "machine. F:D is FRAME:DRAW as in `aetius draws`; D alone if one frame has draw D.",
        table,
        2,
        3,
        "FILE or RUN, then draw or program, and which one",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    options.path = args.operands[0];
    const bool is_draw = !strcmp(args.operands[1], "draw");
    if (!is_draw && strcmp(args.operands[1], "program"))
        return args_usage_error(&spec, "'%s': expected draw or program", args.operands[1]);
    if (is_draw && args.operand_count < 3)
        return args_usage_error(&spec, "expected FRAME:DRAW or DRAW after draw, e.g. 0:12");
    if (!is_draw && options.dir)
        return args_usage_error(&spec, "--output requires draw: it writes a draw's pictures");
    if (!is_draw && options.all)
        return args_usage_error(&spec, "--all requires draw: it lists a draw's vertices");
    const char *which = args.operand_count > 2 ? args.operands[2] : NULL;
    uint32_t frame = 0, number = 0;
    if (is_draw && !parse_draw(which, &frame, &number, &err))
        return args_usage_error(&spec, "%s", err.text);
    if (!is_draw && which && !shown_program_is_hash(which))
        return args_usage_error(
            &spec,
            "'%s' is not a hash: expected hexadecimal digits, as listed by `aetius info --draws`",
            which);
    interrupt_watch();
    return conclude(show(&options, is_draw, which, frame, number, &err), &err);
}
