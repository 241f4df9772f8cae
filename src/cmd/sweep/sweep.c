/* aetius sweep: simulates many frames on many machines. Dispatches to its subcommands by name. */
#include "cmd/sweep/sweep.h"

#include <string.h>

int cmd_sweep(int argc, char **argv);

int
cmd_sweep(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } parts[] = {
        {"status", sweep_status_command},
        {"collect", sweep_collect_command},
        {"query", sweep_query_command},
        {"pareto", sweep_pareto_command},
        {"sensitivity", sweep_sensitivity_command},
        {"clean", sweep_clean_command},
        {"run", sweep_run_command},
        {"capture", sweep_capture_command},
    };
    for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof parts[0]; i++)
        if (!strcmp(argv[1], parts[i].name))
            return parts[i].run(argc - 1, argv + 1);
    return sweep_plan_command(argc, argv);
}
