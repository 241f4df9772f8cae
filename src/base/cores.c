#include "base/cores.h"

#include <sched.h>
#include <unistd.h>

uint32_t
cores_count(void)
{
    cpu_set_t set; /* 1,024 processors; on larger hosts the call below fails */
    if (!sched_getaffinity(0, sizeof set, &set))
        return (uint32_t)CPU_COUNT(&set);
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}
