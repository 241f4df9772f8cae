/* Jobs of a study side by side, a process each. */
#include "base/crew.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/study_runs.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct message {
    uint32_t job;
    bool ok;
    double seconds;
    struct error err;
};

/* What the job says goes to its log; it reads nothing. */
static void
redirect(const char *dir, const char *label)
{
    char *path = mem_printf("%s/logs/%s", dir, label);
    const int nothing = open("/dev/null", O_RDONLY);
    file_remove_link(path);
    const int log = file_make(path, NULL);
    free(path);
    fflush(NULL);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    if (log >= 0) {
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
    }
}

static noreturn void
work(struct crew *crew, const struct study_run *run, const struct study_job *job, uint32_t number)
{
    struct message message;
    memset(&message, 0, sizeof message);
    const double start = wall_seconds();
    redirect(run->dir, job->label);
    message.job = number;
    message.ok = job->work(run, job, &message.err);
    message.seconds = wall_seconds() - start;
    fflush(NULL);
    crew_send(crew, &message, sizeof message);
    crew_leave(crew, 0);
}

struct counts {
    size_t begun, done, failed;
};

static void
take(const struct study_run *run, const struct study_job *jobs, size_t count,
     const struct crew_report *report, struct counts *counts, struct error *err)
{
    struct message message;
    memcpy(&message, report->message, sizeof message);
    counts->done++;
    if (message.ok) {
        log_note("%zu of %zu: %s, %.0f s", counts->done, count, jobs[message.job].label,
                 message.seconds);
        return;
    }
    if (!counts->failed++)
        fail(err, "%s: %s (%s/logs/%s)", jobs[message.job].label, message.err.text, run->dir,
             jobs[message.job].label);
    if (!interrupt_pending())
        log_warning("%s: %s", jobs[message.job].label, message.err.text);
}

static void
take_death(const struct study_job *jobs, const struct crew_report *report, struct counts *counts,
           struct error *err)
{
    counts->done++;
    if (!counts->failed++)
        fail(err, "%s: ended by signal %d", jobs[report->part].label,
             WIFSIGNALED(report->status) ? WTERMSIG(report->status) : 0);
}

/* Starts what there is place for; false: no process can be started. */
static bool
begin(struct crew *crew, const struct study_run *run, const struct study_job *jobs, size_t count,
      struct counts *counts, struct error *err)
{
    while (counts->begun < count && crew_size(crew) < crew_limit(crew) && !interrupt_pending()) {
        struct error why;
        const int made = crew_fork(crew, (uint32_t)counts->begun, &why);
        if (made > 0)
            work(crew, run, &jobs[counts->begun], (uint32_t)counts->begun);
        if (made < 0)
            return fail(err, "%s", why.text);
        counts->begun++;
    }
    return true;
}

bool
study_do(const struct study_run *run, const struct study_job *jobs, size_t count, uint32_t limit,
         const char *what, struct error *err)
{
    struct counts counts = {0};
    struct crew_report report;
    struct progress progress;
    struct crew *crew = count ? crew_create(limit, err) : NULL;
    bool told = false;
    if (!crew)
        return !count;
    progress_begin(&progress, what, count);
    bool ok = begin(crew, run, jobs, count, &counts, err);
    for (bool going = true; going;) {
        const enum crew_event event = crew_wait(crew, &report);
        const size_t begun = counts.begun;
        if (event == CREW_MESSAGE)
            take(run, jobs, count, &report, &counts, err);
        else if (event == CREW_FAILED)
            take_death(jobs, &report, &counts, err);
        if (interrupt_pending() && !told) {
            crew_signal(crew, SIGTERM);
            told = true;
        }
        ok = ok && begin(crew, run, jobs, count, &counts, err);
        progress_at(&progress, counts.done,
                    counts.begun ? jobs[counts.begun - 1].label : jobs[0].label);
        /* all may have left before the next one found a place: that is not the end */
        going = event != CREW_DONE || counts.begun > begun;
    }
    progress_end(&progress);
    crew_destroy(crew);
    if (interrupt_pending())
        return fail(err, "interrupted; the same command goes on with what is left");
    if (ok && !counts.failed && counts.done < count)
        return fail(err, "%s: a process left without a word", what);
    return ok && !counts.failed;
}
