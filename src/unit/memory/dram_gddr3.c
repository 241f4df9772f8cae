/* GDDR3. The times are parameters (V2GDDR_*) in GPU cycles. Their defaults come from a data sheet
 * (docs/memory.md). */
#include "unit/memory/dram_model.h"

static void
time(const struct params *params, struct dram_timing *timing)
{
    *timing = (struct dram_timing){
        .tRRD = params->MEMORYCONTROLLER.V2GDDR_tRRD,
        .tRCD = params->MEMORYCONTROLLER.V2GDDR_tRCD,
        .tRCDW = params->MEMORYCONTROLLER.V2GDDR_tRCDW,
        .tRAS = params->MEMORYCONTROLLER.V2GDDR_tRAS,
        .tRC = params->MEMORYCONTROLLER.V2GDDR_tRC,
        .tRP = params->MEMORYCONTROLLER.V2GDDR_tRP,
        .tWTR = params->MEMORYCONTROLLER.V2GDDR_tWTR,
        .tRTW = params->MEMORYCONTROLLER.V2GDDR_tRTW,
        .tWR = params->MEMORYCONTROLLER.V2GDDR_tWR,
        .CAS = params->MEMORYCONTROLLER.V2GDDR_CAS,
        .WL = params->MEMORYCONTROLLER.V2GDDR_WL,
    };
}

const struct dram_model dram_gddr3 = {dram_banks_shape, time, dram_banks_locate, dram_banks_clock};
