#include "report/timeline/vcd.h"

#include "base/build.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUEUE_SIGNALS = 3, PICOSECONDS = 1000000 /* length of a cycle at 1 MHz */ };

struct vcd {
    FILE *file;
    char *path;
    struct clock *clock;
    uint32_t mhz;         /* clock frequency */
    uint64_t first, last; /* cycles to write */
    /* Last written value per signal: units, queues x (held, pushed, popped), parts of units. */
    uint64_t *values;
    uint32_t signals;
    uint64_t shown;   /* last cycle written to the file */
    uint64_t stamped; /* cycle of the file's last time stamp */
    bool moved;       /* a push or pop count of that cycle was not 0 */
    bool started, has_parts;
};

/* Start of a cycle in picoseconds. */
static uint64_t
time_of(const struct vcd *vcd, uint64_t cycle)
{
    return cycle / vcd->mhz * PICOSECONDS + cycle % vcd->mhz * PICOSECONDS / vcd->mhz;
}

/* VCD identifier codes: numbers in base 94, written in printable characters. */
static const char *
code(uint32_t signal, char text[8])
{
    uint32_t n = 0;
    do {
        text[n++] = (char)('!' + signal % 94);
        signal /= 94;
    } while (signal);
    text[n] = '\0';
    return text;
}

/* Replaces characters that VCD reserves: "shader[1]" becomes "shader_1". */
static void
print_name(FILE *file, const char *name)
{
    for (; *name; name++)
        if (*name != ']')
            fputc(*name == '[' ? '_' : *name, file);
}

static void
declare(struct vcd *vcd, uint32_t signal, const char *type, const char *owner, const char *name)
{
    char text[8];
    fprintf(vcd->file, "$var %s %s ", type, code(signal, text));
    print_name(vcd->file, owner);
    fprintf(vcd->file, ".%s $end\n", name);
}

static uint32_t
first_part(const struct clock *clock)
{
    return clock->module_count + clock->queue_count * QUEUE_SIGNALS;
}

static void
declare_parts(struct vcd *vcd)
{
    uint32_t signal = first_part(vcd->clock);
    for (uint32_t i = 0; i < vcd->clock->module_count; i++)
        for (uint32_t part = 0; part < vcd->clock->modules[i]->part_count; part++)
            declare(vcd, signal++, "string 1", vcd->clock->modules[i]->parts[part].name, "state");
}

static void
write_header(struct vcd *vcd)
{
    static const char *const names[QUEUE_SIGNALS] = {"held", "pushed", "popped"};
    const struct clock *clock = vcd->clock;
    fprintf(vcd->file,
            "$version aetius " AETIUS_VERSION " $end\n"
            "$comment a cycle at %u MHz has %u ps $end\n"
            "$timescale 1 ps $end\n$scope module unit $end\n",
            vcd->mhz, PICOSECONDS / vcd->mhz);
    for (uint32_t i = 0; i < clock->module_count; i++)
        declare(vcd, i, "string 1", clock->modules[clock->module_count - 1 - i]->name, "state");
    declare_parts(vcd);
    fprintf(vcd->file, "$upscope $end\n$scope module queue $end\n");
    for (uint32_t i = 0; i < clock->queue_count; i++)
        for (uint32_t s = 0; s < QUEUE_SIGNALS; s++)
            declare(vcd, clock->module_count + i * QUEUE_SIGNALS + s, "wire 16",
                    clock->queues[i]->name, names[s]);
    fprintf(vcd->file, "$upscope $end\n$enddefinitions $end\n");
}

static void
write_change(struct vcd *vcd, uint32_t signal, uint64_t value)
{
    char text[8], bits[65];
    uint32_t n = 64;
    if (vcd->started && vcd->values[signal] == value)
        return;
    vcd->values[signal] = value;
    bits[n] = '\0';
    do {
        bits[--n] = (char)('0' + (value & 1));
        value >>= 1;
    } while (value);
    fprintf(vcd->file, "b%s %s\n", bits + n, code(signal, text));
}

/* Writes the state as a string, which viewers display. */
static void
change_state(struct vcd *vcd, uint32_t signal, enum unit_state state)
{
    char text[8];
    if (vcd->started && vcd->values[signal] == state)
        return;
    vcd->values[signal] = state;
    fprintf(vcd->file, "s%s %s\n", unit_state_names[state], code(signal, text));
}

/* Begins the changes of a cycle. */
static void
stamp(struct vcd *vcd, uint64_t cycle)
{
    if (vcd->stamped != cycle)
        fprintf(vcd->file, "#%" PRIu64 "\n", time_of(vcd, cycle));
    vcd->stamped = cycle;
}

/* Writes the states of the parts, which can change while their module sleeps. */
static void
write_parts(struct vcd *vcd, uint64_t cycle)
{
    uint32_t signal = first_part(vcd->clock);
    for (uint32_t i = 0; i < vcd->clock->module_count; i++) {
        const struct module *module = vcd->clock->modules[i];
        module_view(module, cycle);
        for (uint32_t part = 0; part < module->part_count; part++, signal++) {
            const enum unit_state state = module->parts[part].state;
            if (!vcd->started || vcd->values[signal] != state)
                stamp(vcd, cycle);
            change_state(vcd, signal, state);
        }
    }
}

static void
write_cycle(struct vcd *vcd, uint64_t now)
{
    const struct clock *clock = vcd->clock;
    stamp(vcd, now);
    vcd->moved = false;
    for (uint32_t i = 0; i < clock->module_count; i++)
        change_state(vcd, i, clock->modules[clock->module_count - 1 - i]->state);
    for (uint32_t i = 0; i < clock->queue_count; i++) {
        const struct queue *q = clock->queues[i];
        uint32_t signal = clock->module_count + i * QUEUE_SIGNALS;
        uint64_t pushed = q->push_cycle == now ? q->pushed : 0;
        uint64_t popped = q->pop_cycle == now ? q->popped : 0;
        write_change(vcd, signal, q->count);
        write_change(vcd, signal + 1, pushed);
        write_change(vcd, signal + 2, popped);
        vcd->moved |= pushed || popped;
    }
    write_parts(vcd, now);
    vcd->shown = now;
    vcd->started = true;
}

/* Writes zeros for the cycle after the last written one if that cycle was skipped, since nothing
 * was pushed or popped in it. */
static void
write_zeros(struct vcd *vcd)
{
    stamp(vcd, vcd->shown + 1);
    for (uint32_t i = 0; i < vcd->clock->queue_count; i++) {
        uint32_t signal = vcd->clock->module_count + i * QUEUE_SIGNALS;
        write_change(vcd, signal + 1, 0);
        write_change(vcd, signal + 2, 0);
    }
    vcd->moved = false;
}

/* Writes the cycles before `now` in which no module was clocked. */
static void
close_gap(struct vcd *vcd, uint64_t now)
{
    if (!vcd->started || vcd->shown + 1 >= now)
        return;
    if (vcd->moved)
        write_zeros(vcd);
    for (uint64_t cycle = vcd->shown + 1; vcd->has_parts && cycle < now; cycle++)
        write_parts(vcd, cycle);
}

static void
on_cycle(void *data, uint64_t now)
{
    struct vcd *vcd = data;
    close_gap(vcd, now);
    write_cycle(vcd, now);
}

struct vcd *
vcd_create(const char *path, struct clock *clock, uint32_t mhz, uint64_t first, uint64_t last,
           struct error *err)
{
    FILE *file = file_create_named(path, err);
    if (!file)
        return NULL;
    struct vcd *vcd = mem_alloc(sizeof *vcd);
    vcd->file = file;
    vcd->path = mem_strdup(path);
    vcd->clock = clock;
    vcd->mhz = mhz;
    vcd->signals = first_part(clock);
    for (uint32_t i = 0; i < clock->module_count; i++)
        vcd->signals += clock->modules[i]->part_count;
    vcd->has_parts = vcd->signals > first_part(clock);
    vcd->values = mem_array(vcd->signals, sizeof *vcd->values);
    write_header(vcd);
    vcd->stamped = CYCLE_NEVER;
    vcd->first = first;
    vcd->last = last;
    clock_observe(clock, (struct clock_observer){on_cycle, vcd, first, last});
    return vcd;
}

bool
vcd_destroy(struct vcd *vcd, struct error *err)
{
    if (!vcd)
        return true;
    clock_unobserve(vcd->clock, vcd);
    close_gap(vcd, vcd->clock->now <= vcd->last ? vcd->clock->now : vcd->last + 1);
    if (vcd->clock->now <= vcd->first)
        log_warning("%s was not written: it begins at cycle %" PRIu64
                    ", but the run ended at %" PRIu64,
                    vcd->path, vcd->first, vcd->clock->now);
    bool ok = !ferror(vcd->file);
    if (!vcd->started && !file_is_device(vcd->path))
        unlink(vcd->path);
    ok = fclose(vcd->file) == 0 && ok;
    if (!ok)
        fail(err, "cannot write %s: %s", vcd->path, strerror(errno));
    free(vcd->path);
    free(vcd->values);
    free(vcd);
    return ok;
}
