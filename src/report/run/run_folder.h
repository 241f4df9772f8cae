/* The folder that a run leaves: frames/frame-NNNN.png, tables of statistics by frame, draw and
 * interval (report/run/table.h), machine.ini and run.json (docs/design/report.md, Run folder). It
 * listens to a simulation and writes as the run goes, so that what is finished is whole whatever
 * happens next.
 */
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

enum { TABLE_FRAMES, TABLE_DRAWS, TABLE_CYCLES, TABLES };

struct run_folder {
    const char *dir; /* NULL: nothing is written, only counted */
    struct run_output output;
    struct simulation *sim;      /* set by run_folder_attach(); NULL: pictures alone */
    struct table_layout *layout; /* NULL: there are no statistics */
    struct table tables[TABLES]; /* those that are wanted have files */
    uint64_t *values, *draw_before, *interval_before, *totals;
    /* what would be gained, by draw or by frame: of the frame so far, and of those that are whole
     */
    struct ideal_sum *ideals; /* NULL: it is not told */
    bool ideals_by_draw;
    struct ideal_gains gains;
    /* of the rows of the frame so far, for the keys of the next */
    uint32_t last_draw, rows_of_kind[WORK_KINDS];
    uint64_t last_cycle;
    struct run_facts facts;
    VEC(struct run_frame) frames;
    double started, told;      /* told: when run.json was written last */
    uint32_t only_timed;       /* pictures and rows of timed frames alone */
    struct progress *progress; /* or NULL; in draws when its total is known, else in frames */
    uint64_t draws;            /* timed, in all */
    uint32_t maps;             /* modes of fragment maps, a bit each */
    bool has_pixel;            /* the machine's watch has one */
    struct pixel_log pixel;
    bool needs_pixel;         /* ends with an error at a frame before one that has the pixel */
    bool pixel_is_inside;     /* of some frame */
    struct worker_pool *pool; /* of several processes: this one counts its draws there; or NULL */
    uint32_t next_part;       /* behind the last one joined */
    double parts_seconds;     /* on the machine, by other processes */
    uint64_t parts_rss_bytes; /* the largest of them */
    int room;                 /* a file without a name, whose space run.json gets; -1: none */
    bool silent;              /* nothing came of the run: no run.json and no summary */
};

/* Takes the folder (`dir` NULL: none) as run_output_take() does. */
bool run_folder_open(struct run_folder *folder, const char *dir, bool force,
                     const struct params *params, struct error *err);
/* The listener to make the simulation with. */
struct simulation_listener run_folder_listener(struct run_folder *folder);
/* When the simulation is made: opens the tables, writes machine.ini. */
bool run_folder_attach(struct run_folder *folder, struct simulation *sim, struct error *err);
/* A run by several processes, a frame each time (cmd/jobs.h). One opens and closes the parts; the
 * others begin a part at each frame of theirs, take what it came to when it is done, and end the
 * last; the one joins them in the order of frames, and last the work behind the last frame. */
struct run_part {
    struct run_frame frame;
    struct ideal_gains gains;
    uint32_t width, height;
    double timed_seconds;
    uint64_t peak_rss_bytes; /* of the process, so far */
};
bool run_folder_open_parts(struct run_folder *folder, struct error *err);
void run_folder_begin_part(struct run_folder *folder, uint32_t frame);
/* `values`: totals, as many as the machine has statistics. */
void run_folder_take_part(struct run_folder *folder, struct run_part *part, uint64_t *values);
/* What was written since the last frame belongs to another process. */
void run_folder_leave_frame(struct run_folder *folder);
bool run_folder_end_parts(struct run_folder *folder, struct error *err);
bool run_folder_join(struct run_folder *folder, const struct run_part *part, const uint64_t *values,
                     struct error *err);
bool run_folder_join_rest(struct run_folder *folder, struct error *err);
void run_folder_close_parts(struct run_folder *folder);

/* Ends the tables and writes run.json; of a run that is not complete they hold the frames that are
 * whole, and when there is none, no file stays. `out` gets the summary for a person, or run.json.
 */
bool run_folder_close(struct run_folder *folder, bool complete, FILE *out, bool json,
                      struct error *err);

#endif
