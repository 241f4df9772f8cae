#include "cmd/jobs.h"

#include "base/worker_pool.h"
#include "base/interrupt.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* FRAME_WEIGHT: weight of a frame in addition to its draws. WALK_SHARE: cost of skipping a frame
 * relative to simulating it. Both are estimates that distribute the work and do not change
 * results. */
#define FRAME_WEIGHT 16
#define WALK_SHARE   0.12

enum job_message_kind { JOB_FRAME, JOB_PIXEL, JOB_ERROR };

struct job_message {
    enum job_message_kind kind;
    struct run_part part; /* part of a frame; its values follow this struct */
};

struct jobs {
    struct simulate *s;
    struct trace_reader *reader;
    struct worker_pool *pool;
    uint32_t frames; /* number of frames in the trace */
    uint32_t values; /* per part */
    uint32_t end;    /* end of the member's frames, exclusive */
    /* Members used by the coordinator only. */
    struct job_message **done; /* indexed by frame */
    uint32_t next;             /* next frame to join */
    bool failed;
    uint32_t failed_at; /* the earliest frame that failed */
};

static bool
is_wanted(const struct jobs *jobs, uint32_t frame)
{
    return frame < jobs->frames && frame_set_has(&jobs->s->frames, frame);
}

static double
weight(const struct jobs *jobs, uint32_t frame)
{
    return trace_frame(jobs->reader, frame)->draws + FRAME_WEIGHT;
}

/* Chooses the requested frame at which to split the frames starting at `first`, if `places` more
 * processes are available. Returns 0 if fewer than two requested frames remain. */
static uint32_t
choose_part(const struct jobs *jobs, uint32_t first, uint32_t places)
{
    const uint32_t end = jobs->end < jobs->frames ? jobs->end : jobs->frames;
    double rest = 0, own = 0, walk = 0, best = 0;
    uint32_t chosen = 0;
    for (uint32_t f = first; f < end; f++)
        rest += is_wanted(jobs, f) ? weight(jobs, f) : 0;
    for (uint32_t f = first; f < end; f++) {
        const double behind = walk + rest / places;
        const double longest = own > behind ? own : behind;
        if (own > 0 && is_wanted(jobs, f) && (!chosen || longest < best)) {
            chosen = f;
            best = longest;
        }
        walk += weight(jobs, f) * WALK_SHARE;
        own += is_wanted(jobs, f) ? weight(jobs, f) : 0;
        rest -= is_wanted(jobs, f) ? weight(jobs, f) : 0;
    }
    return chosen;
}

/* ---- member processes ---- */

static void
member_fails(struct jobs *jobs, const struct error *err)
{
    struct {
        struct job_message head;
        struct error err;
    } message;
    memset(&message, 0, sizeof message);
    message.head.kind = JOB_ERROR;
    message.err = *err;
    worker_pool_send(jobs->pool, &message, sizeof message);
    worker_pool_leave(jobs->pool, 1);
}

/* Gives the later part of its frames to a new member, if another process is permitted. */
static void
share(struct jobs *jobs)
{
    struct simulation *sim = &jobs->s->sim;
    struct error err;
    const uint32_t size = worker_pool_size(jobs->pool), limit = worker_pool_limit(jobs->pool);
    const uint32_t part = size < limit ? choose_part(jobs, sim->frame, limit - size) : 0;
    if (!part)
        return;
    const int made = worker_pool_fork(jobs->pool, part, &err);
    if (made < 0)
        return; /* no process is available, so the frames stay here */
    if (made == 0) {
        jobs->end = part;
    } else {
        simulation_leave_frame(sim);
        run_folder_leave_frame(&jobs->s->folder);
        sim->first = part;
    }
    sim->end = jobs->end;
}

/* Sends the records of the watched pixel, in as many messages as needed. */
static bool
send_pixel(struct jobs *jobs, struct job_message *message)
{
    struct pixel_log *log = &jobs->s->folder.pixel;
    const size_t room = (WORKER_MESSAGE_BYTES - sizeof *message) / sizeof *log->fragments.items;
    message->kind = JOB_PIXEL;
    for (size_t at = 0; at < log->fragments.count; at += room) {
        const size_t left = log->fragments.count - at, count = left < room ? left : room;
        const size_t bytes = count * sizeof *log->fragments.items;
        memcpy(message + 1, log->fragments.items + at, bytes);
        if (!worker_pool_send(jobs->pool, message, sizeof *message + bytes))
            return false;
    }
    log->fragments.count = 0;
    return true;
}

/* Sends a completed frame to the coordinator. */
static bool
send_frame(struct jobs *jobs, struct error *err)
{
    struct job_message *message = mem_alloc(WORKER_MESSAGE_BYTES);
    const size_t size = sizeof *message + jobs->values * sizeof(uint64_t);
    BUG_ON(size > WORKER_MESSAGE_BYTES, "%u statistics are too many", jobs->values);
    message->kind = JOB_FRAME;
    run_folder_take_part(&jobs->s->folder, &message->part, (uint64_t *)(message + 1));
    bool ok = worker_pool_send(jobs->pool, message, size);
    ok = ok && send_pixel(jobs, message);
    free(message);
    return ok || fail(err, "cannot pass a frame to the main process");
}

/* Called between two frames. Returns false if this process has no work left. */
static bool
begin_frame(struct jobs *jobs, bool first, struct error *err, bool *ok)
{
    struct simulation *sim = &jobs->s->sim;
    const uint32_t frame = sim->frame;
    const bool was_own = !first && frame > sim->first && is_wanted(jobs, frame - 1);
    *ok = !was_own || send_frame(jobs, err);
    if (!*ok || frame >= jobs->end || frame > frame_set_last(&jobs->s->frames) ||
        !worker_pool_may_begin(jobs->pool, frame))
        return false;
    share(jobs);
    if (frame < sim->first)
        return true;
    worker_pool_works_on(jobs->pool, frame);
    if (frame_set_has(&jobs->s->frames, frame))
        run_folder_begin_part(&jobs->s->folder, frame);
    return true;
}

static void
run_member(struct jobs *jobs)
{
    struct simulate *s = jobs->s;
    struct error err = {""};
    bool ok = true, end = false;
    uint32_t frame = UINT32_MAX;
    s->folder.progress = NULL;
    s->folder.pool = jobs->pool;
    while (ok && !s->sim.stopped) {
        struct message message;
        if (frame != s->sim.frame && !begin_frame(jobs, frame == UINT32_MAX, &err, &ok))
            break;
        frame = s->sim.frame;
        ok = trace_reader_next(jobs->reader, &message, &end, &err);
        if (!ok || end)
            break;
        ok = s->sink.sink.take(s->sink.sink.data, &message, NULL, 0, &err);
        if (!ok)
            fail_at(&err, "frame %u", s->sim.frame);
    }
    ok = ok && run_folder_end_parts(&s->folder, &err);
    if (!ok)
        member_fails(jobs, &err);
    worker_pool_leave(jobs->pool, 0);
}

/* ---- coordinator ---- */

/* Joins completed frames up to the first missing one. With `rest`, skips missing frames. */
static bool
join(struct jobs *jobs, bool rest, struct error *err)
{
    for (; jobs->next < jobs->frames; jobs->next++) {
        struct job_message *done = jobs->done[jobs->next];
        if (!done && !rest && is_wanted(jobs, jobs->next))
            return true;
        if (done && !run_folder_join(&jobs->s->folder, &done->part, (uint64_t *)(done + 1), err))
            return false;
    }
    return true;
}

static void
take_message(struct jobs *jobs, const struct worker_pool_report *report, struct error *err)
{
    const struct job_message *head = report->message;
    if (head->kind == JOB_ERROR) {
        if (!jobs->failed)
            memcpy(err, head + 1, sizeof *err);
        jobs->failed = true;
        return;
    }
    if (head->kind == JOB_PIXEL) {
        const size_t bytes = report->size - sizeof *head;
        pixel_log_add(&jobs->s->folder.pixel, (const struct watched_fragment *)(head + 1),
                      bytes / sizeof(struct watched_fragment));
        return;
    }
    struct job_message *copy = mem_alloc(report->size);
    memcpy(copy, head, report->size);
    free(jobs->done[head->part.frame.number]);
    jobs->done[head->part.frame.number] = copy;
}

static void
take_failure(struct jobs *jobs, const struct worker_pool_report *report, struct error *err)
{
    worker_pool_stop_at(jobs->pool, report->part);
    if (!jobs->failed && WIFSIGNALED(report->status))
        fail(err, "frame %u: its process was terminated by signal %d (%s)", report->part,
             WTERMSIG(report->status), strsignal(WTERMSIG(report->status)));
    else if (!jobs->failed)
        fail(err, "frame %u: its process exited with status %d", report->part,
             WEXITSTATUS(report->status));
    jobs->failed = true;
}

static bool
coordinate(struct jobs *jobs, struct error *err)
{
    struct worker_pool_report report;
    struct error joining;
    struct simulation *sim = &jobs->s->sim;
    enum worker_pool_event event;
    bool ok = true;
    while ((event = worker_pool_wait(jobs->pool, &report)) != WORKER_DONE) {
        char detail[64];
        if (event == WORKER_MESSAGE)
            take_message(jobs, &report, err);
        else if (event == WORKER_FAILED)
            take_failure(jobs, &report, err);
        if (ok && event == WORKER_MESSAGE)
            ok = join(jobs, false, &joining);
        if (!sim->stopped && (!ok || interrupt_pending())) {
            sim->stopped = ok;
            worker_pool_stop_at(jobs->pool, 0);
            worker_pool_signal(jobs->pool, SIGTERM);
        }
        snprintf(detail, sizeof detail, "%u process%s, frame %u", worker_pool_size(jobs->pool),
                 worker_pool_size(jobs->pool) == 1 ? "" : "es", jobs->next);
        progress_at(&jobs->s->progress, worker_pool_counted(jobs->pool), detail);
    }
    ok = ok && join(jobs, true, &joining) &&
         (jobs->failed || sim->stopped || run_folder_join_rest(&jobs->s->folder, &joining));
    if (!ok && !jobs->failed)
        *err = joining;
    return ok && !jobs->failed;
}

bool
jobs_drive(struct simulate *s, struct trace_reader *reader, uint32_t count, struct error *err)
{
    struct jobs jobs = {.s = s,
                        .reader = reader,
                        .frames = trace_frame_count(reader),
                        .values = s->sim.machine->stats.count,
                        .end = UINT32_MAX};
    jobs.pool = worker_pool_create(count, err);
    if (!jobs.pool || !run_folder_open_parts(&s->folder, err)) {
        worker_pool_destroy(jobs.pool);
        return false;
    }
    jobs.done = mem_array(jobs.frames + 1, sizeof *jobs.done);
    const int made = worker_pool_fork(jobs.pool, 0, err);
    if (made > 0)
        run_member(&jobs);
    bool ok = made == 0 && coordinate(&jobs, err);
    run_folder_close_parts(&s->folder);
    for (uint32_t f = 0; f < jobs.frames; f++)
        free(jobs.done[f]);
    free(jobs.done);
    worker_pool_destroy(jobs.pool);
    return ok;
}
