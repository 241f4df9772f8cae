/* The command `aetius verify` on machines with a fault. It must name the first pixel that differs,
 * and the draw with the injected fault. */
#include "cmd/verify.h"
#include "sim/inspect.h"
#include "rigs/tiny_run.h"
#include "rigs/folder.h"
/* last, because cmocka.h defines a macro fail() */
#include "base/file.h"
#include "base/hash.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

struct fault {
    void (*inject)(const struct fault *fault,
                   struct simulation *sim);  /* called before the first command */
    uint32_t frame, draw;                    /* draw that calls on_draw */
    void (*on_draw)(struct simulation *sim); /* after that draw has ended */
    uint64_t at;
    struct simulation *sim;
};

static void
hear_draw(void *data, uint32_t frame, const struct work *row)
{
    struct fault *fault = data;
    if (row->kind == WORK_DRAW && frame == fault->frame && row->draw == fault->draw)
        fault->on_draw(fault->sim);
}

static void
prepare(void *data, struct simulation *sim)
{
    struct fault *fault = data;
    fault->sim = sim;
    if (fault->inject)
        fault->inject(fault, sim);
    if (fault->on_draw) {
        sim->listener.data = fault;
        sim->listener.work = hear_draw;
    }
}

/* ---- expected pixels and draws ---- */

static const struct machine_options machine = {.preset = "reference-2005"};

static void
put_fault(struct tiny_run *run)
{
    if (run->data && ((struct fault *)run->data)->inject)
        ((struct fault *)run->data)->inject(run->data, &run->sim);
}

static void
hear_batch(struct tiny_run *run, uint32_t frame, uint32_t batch)
{
    struct fault *fault = run->data;
    if (fault->on_draw && frame == fault->frame && batch == fault->draw)
        fault->on_draw(&run->sim);
}

/* Finds the first pixel, in row order, of the first frame that differs. Returns false if no frame
 * differs. */
static bool
find_pixel(struct fault *fault, uint32_t *frame, uint32_t *x, uint32_t *y)
{
    struct tiny_run right, wrong;
    struct error err;
    bool found = false;
    tiny_init(&right);
    tiny_init(&wrong);
    assert_true(machine_options_apply(&machine, &right.params, &err));
    wrong.params = right.params;
    right.functional = true;
    wrong.prepare = put_fault;
    wrong.on_batch = hear_batch;
    wrong.data = fault;
    tiny_go(&right, false);
    tiny_go(&wrong, false);
    for (uint32_t f = 0; right.ok && wrong.ok && !found && f < TINY_FRAMES; f++)
        for (uint32_t i = 0; !found && i < right.frame[f].bytes / 4; i++) {
            found = memcmp(right.frame[f].rgba + 4 * i, wrong.frame[f].rgba + 4 * i, 3) != 0;
            *frame = f;
            *x = i % 128;
            *y = i / 128;
        }
    tiny_fini(&right);
    tiny_fini(&wrong);
    return found;
}

/* The last draw of the frame that has a fragment at this pixel which passes its tests. */
struct covering {
    uint32_t frame, x, y, draw;
    const struct draw *at;
    bool is_there;
};

static bool
begin_draw(void *data, const struct functional *renderer, const struct draw *draw,
           struct error *err)
{
    struct covering *covering = data;
    (void)err;
    covering->at = renderer->device->frame == covering->frame ? draw : NULL;
    return true;
}

static void
hear_fragments(void *data, uint32_t x, uint32_t y, uint32_t mask)
{
    struct covering *covering = data;
    for (uint32_t f = 0; covering->at && f < 4; f++)
        if (mask >> f & 1 && x + (f & 1) == covering->x && y + (f >> 1) == covering->y) {
            covering->draw = covering->at->number;
            covering->is_there = true;
        }
}

static uint32_t
last_draw(uint32_t frame, uint32_t x, uint32_t y)
{
    struct covering covering = {.frame = frame, .x = x, .y = y};
    struct inspection inspection = {.budget = {FILE_MEMORY_BYTES, 0, "--memory"}};
    struct trace_reader *reader;
    struct error err;
    inspection.watch =
        (struct draw_watch){.data = &covering, .before = begin_draw, .fragments = hear_fragments};
    assert_true(trace_reader_open(&reader, TINY_TRACE, &err));
    assert_true(inspect_draws(&inspection, reader, &err));
    trace_reader_close(reader);
    assert_true(covering.is_there);
    return covering.draw;
}

/* ---- output of verify ---- */

enum { MOST_TEXT = 4096 };

/* Stores the JSON output of verify, followed by its message. A child process runs verify, so that
 * its notes are discarded. */
static void
verify_file(const char *trace, struct fault *fault, char text[MOST_TEXT])
{
    int ends[2];
    fflush(stdout);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct verify_options options = {.machine = machine,
                                         .budget = {FILE_MEMORY_BYTES, 0, "--memory"},
                                         .json = true,
                                         .prepare = fault ? prepare : NULL,
                                         .data = fault};
        struct error err = {""};
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        signal(SIGABRT, SIG_DFL);
        const bool ok = verify_trace(&options, trace, &err);
        puts(ok ? "" : err.text);
        fflush(stdout);
        _exit(ok);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t got; (got = read(ends[0], text + used, MOST_TEXT - 1 - used)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == !strstr(text, "machine differs"));
}

static void
verify(struct fault *fault, char text[MOST_TEXT])
{
    verify_file(TINY_TRACE, fault, text);
}

static void
expect(const char *text, const char *format, ...)
{
    char wanted[160];
    va_list args;
    va_start(args, format);
    vsnprintf(wanted, sizeof wanted, format, args);
    va_end(args);
    if (!strstr(text, wanted))
        fail_msg("'%s' lacks '%s'", text, wanted);
}

static void
no_fault(void **state)
{
    char text[MOST_TEXT];
    (void)state;
    verify(NULL, text);
    expect(text, "\"differences\":\t0\n");
}

/* verify reports no fault on a correct machine, where each draw leaves the same pixels as in the
 * functional renderer. Some of the multisampled pixels are at edges whose lines were not read. For
 * these only covered samples are in the cache. */
static void
sound_draws(void **state)
{
    static const struct {
        uint32_t frame, x, y;
        bool has_samples;
    } cases[] = {
        {0, 6, 64, false}, {1, 32, 96, false}, {0, 48, 112, false}, {1, 6, 0, false},
        {1, 35, 72, true}, {0, 30, 14, true},  {0, 6, 89, true},    {0, 40, 35, true},
    };
    static const char *const settings[] = {
        "SIMULATOR.ForceMSAA=TRUE", "COLORWRITE.ColorCacheLines=4", "COLORWRITE.ColorCacheWays=2"};
    const struct frame_set all = {0};
    struct trace_reader *reader;
    struct params params;
    struct error err;
    (void)state;
    assert_true(trace_reader_open(&reader, TINY_TRACE, &err));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct wrong_run run = {.reader = reader, .params = &params, .timed = &all};
        struct wrong_pixel pixel = {
            .message = UINT64_MAX, .frame = cases[i].frame, .x = cases[i].x, .y = cases[i].y};
        assert_true(machine_options_apply(&machine, &params, &err));
        for (size_t k = 0; cases[i].has_samples && k < sizeof settings / sizeof settings[0]; k++)
            assert_true(params_set(&params, settings[k], &err));
        assert_true(wrong_pixel_find(&pixel, &run, &err));
        assert_int_equal(pixel.cause, WRONG_AFTER);
        if (!cases[i].has_samples)
            assert_int_equal(pixel.draw, last_draw(pixel.frame, pixel.x, pixel.y));
    }
    trace_reader_close(reader);
}

static void
keep_texels(struct simulation *sim)
{
    for (uint32_t i = 0; i < sim->machine->texunit_count; i++)
        sim->machine->texunit[i].cache.skip_invalidate = true;
}

/* The texture is repainted after draw 0, and draw 1 reads the old texels. */
static void
a_draw_that_writes_wrongly(void **state)
{
    struct fault fault = {.on_draw = keep_texels};
    uint32_t frame, x, y;
    char text[MOST_TEXT];
    (void)state;
    assert_true(find_pixel(&fault, &frame, &x, &y));
    assert_int_equal(frame, 0);
    verify(&fault, text);
    expect(text, "first in frame 0, pixel %u,%u: ", x, y);
    expect(text, "; draw 0:1 is the first that writes a different color");
    expect(text, "\"frame\":\t0,\n\t\t\"x\":\t%u,\n\t\t\"y\":\t%u,\n\t\t\"draw\":\t1,", x, y);
}

/* Writes the tiny trace with a readback of a part of each frame before the swap. */
static void
write_readbacks(const char *path, const struct box *box)
{
    struct trace_reader *reader;
    struct trace_writer *writer;
    struct error err;
    bool end = false;
    assert_true(trace_reader_open(&reader, TINY_TRACE, &err));
    assert_true(trace_writer_create_part(&writer, path, reader, 0, &err));
    for (struct message message;;) {
        assert_true(trace_reader_next(reader, &message, &end, &err));
        if (end)
            break;
        if (message.kind == MESSAGE_SWAP) {
            struct message get = message;
            get.kind = MESSAGE_GET;
            get.transfer.box = *box;
            assert_true(trace_writer_add(writer, &get, &err));
        }
        assert_true(trace_writer_add(writer, &message, &err));
    }
    assert_true(trace_writer_close(writer, &err));
    trace_reader_close(reader);
}

static void
what_is_read_back(void **state)
{
    struct fault fault = {.on_draw = keep_texels};
    char path[] = "/tmp/aetius-wrong-XXXXXX", text[MOST_TEXT];
    uint32_t frame, x, y;
    (void)state;
    assert_true(find_pixel(&fault, &frame, &x, &y));
    /* the pixel is in the last row of the box, and the rows before that are correct */
    const struct box box = {
        .x = 0, .y = 0, .width = (int32_t)x + 5, .height = (int32_t)y + 1, .depth = 1};
    close(mkstemp(path));
    write_readbacks(path, &box);
    verify_file(path, &fault, text);
    expect(text, "first in readback 0, pixel %u,%u: ", x, y);
    expect(text, "; draw 0:1 is the first that writes a different color");
    unlink(path);
}

/* The clear of a block is not recorded. So this block is black where the background should be. */
static void
forget_clear(const struct fault *fault, struct simulation *sim)
{
    (void)fault;
    sim->machine->colorwrite[0].rop.fault_state = 8;
}

/* Writes the files of a run that sim --verify reads, for a machine with a fault. */
static void
write_run(const char *dir, struct fault *fault, const struct params *params)
{
    struct tiny_run run;
    struct error err;
    char path[96], json[256];
    size_t used = 0;
    tiny_init(&run);
    run.params = *params;
    run.prepare = put_fault;
    run.on_batch = hear_batch;
    run.data = fault;
    tiny_go(&run, false);
    assert_true(run.ok);
    for (uint32_t f = 0; f < TINY_FRAMES; f++) {
        const struct picture picture = {.width = 128, .height = 128, .rgba = run.frame[f].rgba};
        assert_true(picture_write_frame(&picture, dir, f, &err));
        used += (size_t)snprintf(json + used, sizeof json - used,
                                 "%s{\"frame\":%u,\"hash\":\"%016" PRIx64 "\"}",
                                 f ? "," : "{\"per_frame\":[", f,
                                 hash_bytes(HASH_START, run.frame[f].rgba, run.frame[f].bytes));
    }
    used += (size_t)snprintf(json + used, sizeof json - used, "]}");
    snprintf(path, sizeof path, "%s/run.json", dir);
    assert_true(file_write(path, json, used, &err));
    tiny_fini(&run);
}

/* sim --verify compares the pictures of a run with those of the functional renderer. */
static void
pictures_of_a_run(void **state)
{
    char dir[] = "/tmp/aetius-wrong-XXXXXX", frames[64];
    struct fault faults[] = {{0}, {.on_draw = keep_texels}, {.inject = forget_clear}};
    static const char *const draws[] = {"", "; draw 0:1 is the first that writes a different color",
                                        "; no draw of the frame covers it"};
    const struct frame_set all = {0};
    struct params params;
    struct error err;
    (void)state;
    assert_true(machine_options_apply(&machine, &params, &err));
    assert_non_null(mkdtemp(dir));
    snprintf(frames, sizeof frames, "%s/frames", dir);
    assert_true(dir_create(frames, &err));
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        uint32_t frame, x, y;
        struct wrong_run run = {
            .params = &params, .timed = &all, .prepare = prepare, .data = &faults[i]};
        assert_int_equal(find_pixel(&faults[i], &frame, &x, &y), i > 0);
        write_run(dir, &faults[i], &params);
        assert_true(trace_reader_open(&run.reader, TINY_TRACE, &err));
        const bool ok = verify_pictures(dir, &run, &err);
        trace_reader_close(run.reader);
        assert_int_equal(ok, i == 0);
        if (ok)
            continue;
        expect(err.text,
               " from drawing without timing, first in frame 0, pixel "
               "%u,%u: ",
               x, y);
        expect(err.text, "%s", draws[i]);
    }
    assert_true(remove_folder(dir));
}

static void
lose_color(const struct fault *fault, struct simulation *sim)
{
    sim->machine->colorwrite[0].rop.cache.lose_writeback_at = fault->at;
}

/* A line is lost after the last draw that covers the pixel, or before a draw that reads it. Draws 5
 * and 8 blend, so they read it. */
static void
a_line_that_is_lost(void **state)
{
    uint32_t later = 0, read = 0;
    char text[MOST_TEXT];
    (void)state;
    for (uint64_t at = 1; at < 300 && !(later && read); at += 3) {
        struct fault fault = {.inject = lose_color, .at = at};
        uint32_t frame, x, y;
        if (!find_pixel(&fault, &frame, &x, &y))
            continue;
        verify(&fault, text);
        expect(text, "first in frame %u, pixel %u,%u: ", frame, x, y);
        if (strstr(text, "all draws write the right color")) {
            later++;
            expect(text, "it changes after draw %u:%u,", frame, last_draw(frame, x, y));
        } else {
            read++;
            expect(text, "it was wrong before draw %u:", frame);
            assert_true(strstr(text, ":5, the first after which") ||
                        strstr(text, ":8, the first after which"));
        }
    }
    assert_true(later && read);
}

static void
a_pixel_without_draws(void **state)
{
    struct fault fault = {.inject = forget_clear};
    uint32_t frame, x, y;
    char text[MOST_TEXT];
    (void)state;
    assert_true(find_pixel(&fault, &frame, &x, &y));
    verify(&fault, text);
    expect(text, "first in frame %u, pixel %u,%u: timed 0,0,0,1", frame, x, y);
    expect(text, "; no draw of the frame covers it");
}

/* Exchanges two quads of blended points of the last draw. */
static void
swap_quads(const struct fault *fault, struct simulation *sim)
{
    for (uint32_t i = 0; i < sim->machine->clock.queue_count; i++)
        if (!strcmp(sim->machine->clock.queues[i]->name, "interpolated_quads")) {
            sim->machine->clock.queues[i]->fault = QUEUE_SWAP;
            sim->machine->clock.queues[i]->fault_at = fault->at;
        }
}

static uint64_t
count_quads(void)
{
    struct tiny_run run;
    struct error err;
    uint64_t count = 0;
    tiny_init(&run);
    assert_true(machine_options_apply(&machine, &run.params, &err));
    tiny_go(&run, true);
    assert_true(run.ok);
    for (uint32_t i = 0; i < run.sim.machine->clock.queue_count; i++)
        if (!strcmp(run.sim.machine->clock.queues[i]->name, "interpolated_quads"))
            count = run.sim.machine->clock.queues[i]->items_in;
    simulation_fini(&run.sim);
    tiny_fini(&run);
    return count;
}

static void
quads_in_another_order(void **state)
{
    const uint64_t count = count_quads();
    uint32_t frame = 0, x = 0, y = 0;
    char text[MOST_TEXT];
    bool found = false;
    (void)state;
    struct fault fault = {.inject = swap_quads};
    for (uint64_t back = 2; back < 40 && !found; back++) {
        fault.at = count - back;
        found = find_pixel(&fault, &frame, &x, &y);
    }
    assert_true(found);
    verify(&fault, text);
    expect(text, "first in frame 1, pixel %u,%u: ", x, y);
    expect(text, "; draw 1:8 is the first that writes a different color");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_fault),
        cmocka_unit_test(sound_draws),
        cmocka_unit_test(a_draw_that_writes_wrongly),
        cmocka_unit_test(what_is_read_back),
        cmocka_unit_test(pictures_of_a_run),
        cmocka_unit_test(a_line_that_is_lost),
        cmocka_unit_test(a_pixel_without_draws),
        cmocka_unit_test(quads_in_another_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
