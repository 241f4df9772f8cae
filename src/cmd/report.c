/* aetius report: runs, sweeps and tables as a page that opens in a browser. */
#include "base/log.h"
#include "cmd/options.h"
#include "report/compare_runs.h"
#include "report/page.h"

#include <stdlib.h>
#include <sys/stat.h>

int cmd_report(int argc, char **argv);

static bool
write_report(const char *const *operands, uint32_t count, const char *path, struct error *err)
{
    bool ok = true;
    for (uint32_t i = 0; i < count && ok; i++)
        ok = check_run_folder(operands[i], err);
    if (!ok)
        return false;
    cJSON *page = page_create();
    ok = page_add_runs(page, operands, count, err) && page_write(page, path, err);
    cJSON_Delete(page);
    return ok;
}

int
cmd_report(int argc, char **argv)
{
    const char *path = NULL;
    const struct arg_option options[] = {
        OPTION_OUTPUT(&path, "FILE.html", "the page", true),
        {0},
    };
    const struct arg_spec spec = {
        "report",
        "RUN... -o FILE.html",
        "A page that opens in a browser, from disk and without a network: the frame with its "
        "maps,\n"
        "a timeline of the units, draws, memory, Top-Down, the machine. Several runs are held\n"
        "against the first, draws joined by their hash. What there is to see depends on the run:\n"
        "`sim --map all` leaves the maps and what was drawn where,\n"
        "`--set SIMULATOR.StatisticsRate=2000` a timeline of finer steps.",
        options,
        1,
        PAGE_MOST_RUNS,
        "1 to 16 RUNs, folders that sim has left",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct error err = {""};
    struct stat st;
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    const bool ok = write_report(args.operands, args.operand_count, path, &err);
    if (ok && !stat(path, &st) && S_ISREG(st.st_mode))
        log_note("%s: %.2f MB", path, (double)st.st_size / 1e6);
    return conclude(ok, &err);
}
