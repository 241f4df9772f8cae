/* GDDR5: four bank groups, and tFAW. The times come from the data sheet of Hynix's H5GQ1H24AFR (1
 * Gbit, rev. 1.0 of November 2009). They apply to 4 Gbit/s per pin, where the clock CK runs at 1
 * GHz. Both gem5 (GDDR5_4000_2x32) and GPGPU-Sim (its GDDR5 timing) use the same data sheet. The
 * sheet does not give CL, tRTW and WL. CL is set to tRCD, tRTW to 2 CK (as in gem5), and WL to 4 CK
 * (as in GPGPU-Sim).
 *
 * A burst of 8 transfers of 32 bits takes 2 CK, so a chip moves 16 bytes per nanosecond. For a GPU
 * of 500 MHz this requires V2BurstElementsPerCycle = 8 and V2BanksPerMemoryChannel = 16. A
 * transaction of 64 bytes is two bursts. Bursts in one bank group are tCCDL apart instead of 2 CK.
 * Times are rounded up to whole GPU cycles.
 *
 * Not modelled: t32AW; tRRD, tWTR and tWR per bank group; the omissions of dram_banks.c. */
#include "unit/memory/dram_model.h"

enum { /* picoseconds */
       CK = 1000,
       T_RRD = 6 * CK, /* 5.5 ns, rounded up to whole CK */
       T_RCD = 12000,
       T_RAS = 28000,
       T_RC = 40000,
       T_RP = 12000,
       T_WTR = 5000,
       T_RTW = 2 * CK,
       T_WR = 12000,
       T_CL = 12000,
       T_WL = 4 * CK,
       T_FAW = 23000,
       T_CCDL = 3 * CK,
       BURST_BYTES = 32,
       BANK_GROUPS = 4,
};

static void
time(const struct params *params, struct dram_timing *timing)
{
#define CYCLES(ps) (uint32_t)(((uint64_t)(ps)*params->GPU.ClockMHz + 999999) / 1000000)
    *timing = (struct dram_timing){
        .tRRD = CYCLES(T_RRD),
        .tRCD = CYCLES(T_RCD),
        .tRCDW = CYCLES(T_RCD),
        .tRAS = CYCLES(T_RAS),
        .tRC = CYCLES(T_RC),
        .tRP = CYCLES(T_RP),
        .tWTR = CYCLES(T_WTR),
        .tRTW = CYCLES(T_RTW),
        .tWR = CYCLES(T_WR),
        .CAS = CYCLES(T_CL),
        .WL = CYCLES(T_WL),
        .tFAW = CYCLES(T_FAW),
        .bank_groups = BANK_GROUPS,
        .group_cycles = CYCLES(TRANSACTION_BYTES / BURST_BYTES * T_CCDL),
    };
#undef CYCLES
}

const struct dram_model dram_gddr5 = {dram_banks_shape, time, dram_banks_locate, dram_banks_clock};
