/* Writes the folder of a run: frames/frame-NNNN.png, statistics per frame, draw and interval
 * (report/run/table.h), machine.ini and run.json (docs/design/report.md, Run folder). Observes a
 * simulation and writes after each frame, so that completed frames survive a crash. */
#ifndef AETIUS_REPORT_RUN_FOLDER_H
#define AETIUS_REPORT_RUN_FOLDER_H

#include "base/worker_pool.h"
#include "report/compare/ideals.h"
#include "report/draw/maps.h"
#include "report/draw/pixel.h"
#include "report/run/run.h"
#include "report/run/run_output.h"
#include "report/run/table.h"
#include "sim/simulation.h"

enum { TABLE_FRAMES, TABLE_DRAWS, TABLE_CYCLES, TABLE_PROFILE, TABLES };

struct run_folder {
    const char *dir; /* NULL: only count, write nothing */
    struct run_output output;
    struct simulation *sim;      /* set by run_folder_attach(); NULL: only pictures */
    struct table_layout *layout; /* NULL: no statistics */
    struct table tables[TABLES]; /* requested tables have open files */
    uint64_t *values, *draw_before, *interval_before, *totals;
    /* Expected gains per draw or per frame: `ideals` for the current frame, `gains` for completed
     * frames. */
    struct ideal_sum *ideals; /* NULL: gains are not computed */
    bool ideals_by_draw;
    struct ideal_gains gains;
    /* State of the current frame's rows, for the key of the next row. */
    uint32_t last_draw, rows_of_kind[WORK_KINDS];
    uint64_t last_cycle;
    struct run_facts facts;
    VEC(struct run_frame) frames;
    double started, reported; /* wall times in seconds; reported: last write of run.json */
    uint32_t only_timed;      /* write pictures and rows of timed frames only */
    /* counts draws if their total is known, otherwise frames; may be NULL */
    struct progress *progress;
    uint64_t draws; /* timed draws */
    uint32_t maps;  /* bit mask of fragment map modes */
    bool has_pixel; /* the machine's watch has a pixel */
    struct pixel_log pixel;
    bool needs_pixel;     /* frames must contain the pixel until one frame has contained it */
    bool pixel_is_inside; /* a frame so far contained the pixel */
    /* with several processes: counts this process's draws; otherwise NULL */
    struct worker_pool *pool;
    uint32_t next_part;       /* one more than the last joined frame */
    double parts_seconds;     /* time in timed simulation of other processes */
    uint64_t parts_rss_bytes; /* largest peak of other processes */
    int room; /* descriptor of an unnamed file that reserves disk space for run.json; -1: no file */
    bool shows_draws, shows_units; /* in the text summary */
    bool silent; /* the run gave no results: write no run.json and print no summary */
};

/* Takes the folder like run_output_take(). `dir` NULL: no folder. */
bool run_folder_open(struct run_folder *folder, const char *dir, bool force,
                     const struct params *params, struct error *err);
/* Returns the listener for creating the simulation. */
struct simulation_listener run_folder_listener(struct run_folder *folder);
/* Opens the tables and writes machine.ini. Call it when the simulation exists. */
bool run_folder_attach(struct run_folder *folder, struct simulation *sim, struct error *err);
/* A run by several processes, one frame at a time (cmd/jobs.h). The coordinator opens and closes
 * the parts. A worker begins a part at each of its frames, collects the part's results at the end
 * of the frame, and closes its last part. The coordinator joins the parts in frame order, and then
 * the work after the last frame. */
struct run_part {
    struct run_frame frame;
    struct ideal_gains gains;
    uint32_t width, height;
    double timed_seconds;
    uint64_t peak_rss_bytes; /* peak of the process so far */
};
bool run_folder_open_parts(struct run_folder *folder, struct error *err);
void run_folder_begin_part(struct run_folder *folder, uint32_t frame);
/* `values`: totals, one per statistic of the machine. */
void run_folder_take_part(struct run_folder *folder, struct run_part *part, uint64_t *values);
/* Drops all records since the last frame, because another process writes them. */
void run_folder_leave_frame(struct run_folder *folder);
bool run_folder_end_parts(struct run_folder *folder, struct error *err);
bool run_folder_join(struct run_folder *folder, const struct run_part *part, const uint64_t *values,
                     struct error *err);
bool run_folder_join_rest(struct run_folder *folder, struct error *err);
void run_folder_close_parts(struct run_folder *folder);

/* Closes the tables and writes run.json. After an incomplete run, the tables contain the completed
 * frames. If no frame was completed, no file remains. Writes the text summary to `out`, or run.json
 * if `json` is set. */
bool run_folder_close(struct run_folder *folder, bool complete, FILE *out, bool json,
                      struct error *err);

#endif
