/* aetius report: shows runs, sweeps and tables as a page in a browser. */
#include "base/log.h"
#include "cmd/options.h"
#include "cmd/report.h"
#include "report/run/run_json.h"

#include <stdlib.h>
#include <sys/stat.h>

int cmd_report(int argc, char **argv);

/* Adds a table that is not a run. */
static bool
add_table(cJSON *page, const char *path, struct error *err)
{
    struct stat st;
    if (stat(path, &st))
        return fail(err, "%s does not exist", path);
    if (!S_ISDIR(st.st_mode))
        return report_add_file(page, path, err);
    return report_is_sweep(path) ? report_add_sweep(page, path, err)
                                 : report_add_folder(page, path, err);
}

bool
report_write(const char *const *operands, uint32_t operand_count, const char *path, bool force,
             struct error *err)
{
    struct stat st;
    if (!check_output(path, force, err))
        return false;
    cJSON *page = page_create();
    const char *runs[PAGE_MOST_RUNS];
    uint32_t count = 0;
    bool ok = true;
    for (uint32_t i = 0; i < operand_count && ok; i++) {
        if (!is_run_folder(operands[i]))
            ok = add_table(page, operands[i], err);
        else if (count == PAGE_MOST_RUNS)
            ok = fail(err, "a report contains at most %d runs", PAGE_MOST_RUNS);
        else
            runs[count++] = operands[i];
    }
    ok = ok && (!count || page_add_runs(page, runs, count, err));
    if (ok && count)
        report_add_trees(page);
    ok = ok && page_write(page, path, err);
    cJSON_Delete(page);
    if (ok && !stat(path, &st) && S_ISREG(st.st_mode))
        log_note("%s: %.2f MB", path, (double)st.st_size / 1e6);
    return ok;
}

int
cmd_report(int argc, char **argv)
{
    const char *path = NULL;
    bool force = false;
    const struct arg_option options[] = {
        OPTION_OUTPUT(&path, "FILE.html", "HTML file to write (NAME.html for the first operand)",
                      false),
        OPTION_FORCE(&force, "overwrite FILE.html"),
        {0},
    };
    const struct arg_spec spec = {
        "report",
        "RUN... | SWEEP | STUDY | FILE ... [-o FILE.html]",
        "Writes a self-contained HTML report that needs no network: frames with maps, a\n"
        "timeline of the units, draws, memory, Top-Down, the machine. Several runs are\n"
        "compared with the first; draws are matched by hash.\n"
        "The content depends on the run: `sim --map all` adds maps and draws per tile,\n"
        "`--set SIMULATOR.StatisticsRate=2000` refines the timeline.\n"
        "For a sweep, a folder with tables (a study), a CSV file, or a JSON file with\n"
        "\"rows\" (model check --json), the report contains plots and tables.",
        options,
        1,
        64,
        "RUNs (at most 16 output folders of `aetius sim`), sweeps, studies or files",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct error err = {""};
    char name[OUTPUT_NAME];
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (!path)
        path = default_output(name, args.operands[0], ".html");
    return conclude(report_write(args.operands, args.operand_count, path, force, &err), &err);
}
