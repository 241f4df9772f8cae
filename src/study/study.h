/* Studies: experiments with many simulations. A study consists of a plan (studies/NAME.ini, in the
 * format of a sweep: docs/sweeps.md), a source file in this folder, and a line of studies.def.
 *
 * The source file contains the function that makes the study's page. This function executes the
 * plan's runs with study_do(), and may add runs. Then it reads the runs from the store, or queries
 * the database, and writes the results. */
#ifndef AETIUS_STUDY_STUDY_H
#define AETIUS_STUDY_STUDY_H

#include "analysis/plot.h"
#include "base/memory_text.h"
#include "base/text_table.h"
#include "sweep/work.h"

struct study {
    const struct study_kind *kind;
    const struct sweep_plan *plan;
    const struct work_options *options;
    struct sweep sweep;
    size_t planned; /* number of runs of the plan; index of a run: machine * traces + trace */
    struct word_list machines; /* names of the plan's machines, including all values of axes */
    struct study_files *files; /* files in the study's folder */
    const char *with;          /* options that differ from the plan, as a text; or NULL */
    bool json;                 /* print JSON instead of the page */
    uint32_t formats;          /* of plots besides SVG: bits 1 << enum plot_format */
    bool has_plan_inputs;      /* the inputs are from the plan's file */
    bool is_whole;   /* has_plan_inputs, and all inputs and machines of the plan are used */
    bool is_checked; /* the inputs were checked */
    bool waits;      /* an engine that is not awaited still has runs */
};

typedef bool study_make_fn(struct study *study, struct error *err);
struct study_kind {
    const char *name, *help; /* help: lines for --help */
    const char *words;       /* keys allowed in [study], separated by blanks */
    const char *files; /* files written in addition to tables of the plan, separated by blanks */
    study_make_fn *make;
};
#define STUDY(name, words, files, help) study_make_fn study_##name;
#include "study/studies.def"
extern const struct study_kind study_kinds[];
extern const size_t study_kind_count;
const struct study_kind *study_find(const char *name); /* NULL: unknown name */
char *study_names(void); /* "compression, verdicts"; the caller frees the text */

struct study_request {
    const struct study_kind *kind;
    const struct sweep_plan *plan;
    const struct work_options *options;
    const char *dir;
    const char *with;
    bool json;
    uint32_t formats;               /* as in struct study */
    bool has_plan_inputs, is_whole; /* as in struct study */
};
/* Performs a whole study. Sets *waits if an engine that is not awaited still has runs; repeat the
 * command later. */
bool study_perform(const struct study_request *request, bool *waits, struct error *err);

/* ---- for the functions that make pages ---- */

/* Values of a key of [study]. */
const struct word_list *study_words(const struct study *study, const char *name);
/* Check that each value of a key names a trace or a machine. If the plan is not whole, all values
 * are accepted. */
bool study_check_traces(const struct study *study, const char *name, struct error *err);
bool study_check_machines(const struct study *study, const char *name, struct error *err);
/* Whether the key `name` of [study] lists the trace or machine. */
bool study_names_trace(const struct study *study, const char *name, size_t trace);
bool study_names_machine(const struct study *study, const char *name, size_t machine);
/* Whether the key `name` of [study] lists the trace. Returns true for every trace that is not from
 * the plan. */
bool study_picks_trace(const struct study *study, const char *name, size_t trace);
const char *study_trace_name(const struct study *study, size_t trace);
/* Whether a machine of this name exists, alone or with values of axes: "small" in
 * "small,SHADER.Count=2". */
bool study_has_machine(const struct study *study, const char *name);
/* Index of a run of the plan. */
size_t study_run(const struct study *study, size_t trace, size_t machine);
/* Folder of a completed run. The caller frees the path. */
char *study_folder(const struct study *study, size_t run);
/* Parameters of a run's machine. */
bool study_params(const struct study *study, size_t run, struct params *params, struct error *err);

/* Executes the incomplete runs and builds the database of all runs. The first call executes the
 * plan's runs. Later calls execute the added runs. With keep_going, the first call omits inputs
 * that cannot be simulated, which reduces traces, planned runs and machines. */
bool study_do(struct study *study, struct error *err);
/* Adds a run of the same trace as `run` on another machine. The name is that of the machine of
 * `run` plus ",SUFFIX". Sets *added to the index of the new run. */
bool study_add_run(struct study *study, size_t run, const char *suffix, const struct params *params,
                   size_t *added, struct error *err);

/* Sums a column of a run's table of frames. */
bool study_sum(const struct study *study, size_t run, const char *column, double *sum,
               struct error *err);
/* Queries the database of all runs so far (docs/sweeps.md). The first row has the column names. */
bool study_query(const struct study *study, const char *sql, struct text_table *rows,
                 struct error *err);

/* Writes DIR/NAME.dat and NAME.gnuplot; also NAME.svg and the other formats, if gnuplot is
 * installed. */
bool study_put_plot(const struct study *study, const struct plot *plot, const char *name,
                    struct error *err);
/* Whether DIR/NAME.svg exists. Plots without rows, or without gnuplot, have no such file. */
bool study_has_plot(const struct study *study, const char *name);
/* Writes the study's page to DIR/NAME, and to standard output unless JSON is printed. If options
 * differ from the plan, inserts a line "Run with: ..." below the title. */
bool study_put_page(const struct study *study, const char *name, const char *text,
                    struct error *err);
/* Writes a text or a table to DIR/NAME. */
bool study_write(const struct study *study, const char *name, const char *text, struct error *err);
/* Like study_put_page() and study_write(), but these functions free `text`. */
bool study_put_text(const struct study *study, const char *name, struct memory_text *text,
                    struct error *err);
bool study_write_text(const struct study *study, const char *name, struct memory_text *text,
                      struct error *err);
bool study_write_sheet(const struct study *study, const char *name, const struct text_table *table,
                       enum text_table_style style, struct error *err);

#endif
