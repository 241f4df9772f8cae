/* Studies: questions that are answered by many simulations. A study is a plan (studies/NAME.ini:
 * the file of a sweep, docs/sweeps.md) and a maker of its page: a file of this folder and a line of
 * studies.def. The maker has the plan's runs done by study_do(), reads them from the store or asks
 * the database, may add runs that follow from them, and writes what it found. */
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
    size_t planned;            /* runs of the plan: machine * traces + trace */
    struct word_list machines; /* of the plan, their axes spelled out */
    struct study_files *files; /* in its folder */
    const char *with;          /* what of the command differs from the plan, or NULL */
    bool json;                 /* the maker prints JSON instead of its page */
    bool has_plan_inputs;      /* inputs are of the plan's file */
    bool is_whole;             /* and they, and the machines, are all of it */
    bool is_checked;           /* the inputs are */
    bool waits;                /* an engine has runs that are not awaited */
};

typedef bool study_make_fn(struct study *study, struct error *err);
struct study_kind {
    const char *name, *help; /* help: lines for --help */
    const char *words;       /* what [study] of its plan may say, blanks between */
    const char *files;       /* that it writes besides tables of its plan, blanks between */
    study_make_fn *make;
};
#define STUDY(name, words, files, help) study_make_fn study_##name;
#include "study/studies.def"
extern const struct study_kind study_kinds[];
extern const size_t study_kind_count;
const struct study_kind *study_find(const char *name); /* or NULL */
char *study_names(void);                               /* "compression, verdicts" */

struct study_request {
    const struct study_kind *kind;
    const struct sweep_plan *plan;
    const struct work_options *options;
    const char *dir;
    const char *with;
    bool json;
    bool has_plan_inputs, is_whole; /* as in struct study */
};
/* All of it. *waits: an engine has runs that are not awaited; the same command goes on later. */
bool study_perform(const struct study_request *request, bool *waits, struct error *err);

/* ---- for makers ---- */

/* What [study] says under a name. */
const struct word_list *study_words(const struct study *study, const char *name);
/* Whether all that is named there is a trace, or a machine (of a plan that is whole). */
bool study_check_traces(const struct study *study, const char *name, struct error *err);
bool study_check_machines(const struct study *study, const char *name, struct error *err);
/* Whether [study] names the trace or the machine under `name`. */
bool study_names_trace(const struct study *study, const char *name, size_t trace);
bool study_names_machine(const struct study *study, const char *name, size_t machine);
/* What [study] names under `name`; of other inputs than the plan's: each. */
bool study_picks_trace(const struct study *study, const char *name, size_t trace);
const char *study_trace_name(const struct study *study, size_t trace);
/* Whether there is a machine of this name, or one of its axes: "small" of "small,SHADER.Count=2".
 */
bool study_has_machine(const struct study *study, const char *name);
/* A run of the plan. */
size_t study_run(const struct study *study, size_t trace, size_t machine);
/* The folder of a run that is done; the caller frees. */
char *study_folder(const struct study *study, size_t run);
/* The machine of a run. */
bool study_params(const struct study *study, size_t run, struct params *params, struct error *err);

/* Does the runs that are not done, first those of the plan, later what was added, and makes the
 * database of all. With keep_going the first call leaves out inputs that cannot be simulated: then
 * there are fewer traces, planned runs and machines. */
bool study_do(struct study *study, struct error *err);
/* One more run: the trace of `run` on another machine, called as that of `run` with ",SUFFIX"; its
 * number. */
bool study_add_run(struct study *study, size_t run, const char *suffix, const struct params *params,
                   size_t *added, struct error *err);

/* The sum over a run's frames of a column of its table of frames. */
bool study_sum(const struct study *study, size_t run, const char *column, double *sum,
               struct error *err);
/* A question to the database of all runs so far (docs/sweeps.md); the columns' names come first. */
bool study_query(const struct study *study, const char *sql, struct text_table *rows,
                 struct error *err);

/* DIR/NAME.dat, NAME.gnuplot and, where gnuplot is installed, NAME.svg. */
bool study_put_plot(const struct study *study, const struct plot *plot, const char *name,
                    struct error *err);
/* DIR/NAME.svg is there: without gnuplot, or without rows, a plot is not drawn. */
bool study_has_plot(const struct study *study, const char *name);
/* The study's page, with a line "Run with: ..." below its title when the command says more than the
 * plan: DIR/NAME, and without JSON to standard output. */
bool study_put_page(const struct study *study, const char *name, const char *text,
                    struct error *err);
/* Writes DIR/NAME: a text, or a table. */
bool study_write(const struct study *study, const char *name, const char *text, struct error *err);
/* The same two of a text that was printed, which they free. */
bool study_put_text(const struct study *study, const char *name, struct memory_text *text,
                    struct error *err);
bool study_write_text(const struct study *study, const char *name, struct memory_text *text,
                      struct error *err);
bool study_write_sheet(const struct study *study, const char *name, const struct text_table *table,
                       enum text_table_style style, struct error *err);

#endif
