/* Files of nvprof and ncu, as the tools print them and as shells, locales and full disks change
 * them. The tests check which values are read, matched and weighted, and the positions that
 * refusals report. */
#include "analysis/application.h"
#include "analysis/profile_number.h"
#include "base/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { MOST_TEXTS = 4 };

/* Reads files with these texts, in this order. */
static bool
read_texts(struct profile *profile, const char *const *texts, const char *cc, struct error *err)
{
    char paths[MOST_TEXTS][32];
    const char *list[MOST_TEXTS];
    uint32_t count = 0;
    struct error writing;
    for (; texts[count]; count++) {
        snprintf(paths[count], sizeof paths[count], "/tmp/aetius-profile-XXXXXX");
        close(mkstemp(paths[count]));
        assert_true(file_write(paths[count], texts[count], strlen(texts[count]), &writing));
        list[count] = paths[count];
    }
    profile_init(profile);
    const bool ok =
        profile_read(profile, list, count, cc ? nvidia_capability_parse(cc, err) : NULL, err);
    while (count > 0)
        unlink(paths[--count]);
    return ok;
}
/* Adds the applications of the profile, with the kernels of this name or all. */
#define ADD(name)                                                                                  \
    application_list_add(&list, &profile, "a", &(struct application_filter){.kernel = (name)}, &err)
#define READ(profile, cc, ...)                                                                     \
    read_texts(profile, (const char *const[]){__VA_ARGS__, NULL}, cc, &err)

/* Asserts that the text is refused with a message that contains each part of `expected`. A bar
 * separates two parts. */
static void
refuse(const char *text, const char *expected)
{
    struct profile profile;
    struct error err;
    assert_false(READ(&profile, NULL, text));
    char *parts = mem_strdup(expected);
    for (char *save, *part = strtok_r(parts, "|", &save); part; part = strtok_r(NULL, "|", &save))
        if (!strstr(err.text, part))
            fail_msg("'%s' lacks '%s'", err.text, part);
    free(parts);
    profile_fini(&profile);
}

static const struct nvidia_counts *
counts_of(const struct profile *profile, uint32_t launch)
{
    assert_true(launch < profile->launches.count);
    return &profile->launches.items[launch].counts;
}

#define NCU_HEADER                                                                                 \
    "\"ID\",\"Process ID\",\"Kernel Name\",\"CC\",\"Metric Name\",\"Metric Unit\",\"Metric "       \
    "Value\"\n"
#define NCU_ROW(id, kernel, metric, unit, value)                                                   \
    "\"" id "\",\"7\",\"" kernel "\",\"8.6\",\"" metric "\",\"" unit "\",\"" value "\"\n"
#define IPC    "sm__inst_executed.avg.per_cycle_active"
#define ISSUED "sm__inst_issued.avg.per_cycle_active"
#define TIME   "gpu__time_duration.sum"

static void
numbers(void **state)
{
    static const struct {
        const char *text;
        enum number_style style;
        double value; /* expected value; in an ambiguous text the point is a decimal point */
        const char *rest;
    } cases[] = {
        {"12", NUMBER_PLAIN, 12, ""},
        {"1,362.20", NUMBER_POINT, 1362.2, ""},
        {"1.362,20", NUMBER_COMMA, 1362.2, ""},
        {"27.595.520", NUMBER_COMMA, 27595520, ""},
        {"27,595,520", NUMBER_POINT, 27595520, ""},
        {"65,77", NUMBER_COMMA, 65.77, ""},
        {"0.220405", NUMBER_POINT, 0.220405, ""},
        {"0,123", NUMBER_COMMA, 0.123, ""},
        {"117.344", NUMBER_EITHER, 117.344, ""},
        {"1234.567", NUMBER_POINT, 1234.567, ""},
        {"12.3%", NUMBER_POINT, 12.3, "%"},
        {"5.1GB/s", NUMBER_POINT, 5.1, "GB/s"},
        {"1.930000e-04", NUMBER_POINT, 1.93e-4, ""},
        {"9 elements", NUMBER_PLAIN, 9, "elements"},
        {"928ns", NUMBER_PLAIN, 928, "ns"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *rest;
        double value;
        assert_int_equal(number_style_of(cases[i].text), cases[i].style);
        const enum number_style style =
            cases[i].style == NUMBER_COMMA ? NUMBER_COMMA : NUMBER_POINT;
        assert_true(number_parse(cases[i].text, style, &value, &rest));
        assert_float_equal(value, cases[i].value, 1e-9 * cases[i].value);
        assert_string_equal(rest, cases[i].rest);
    }
    static const char *const none[] = {"", "n/a", "nan", "inf", "-", ".", "Low (2)", "%", "e5"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        const char *rest;
        double value;
        assert_false(number_parse(none[i], NUMBER_POINT, &value, &rest));
    }
    assert_float_equal(number_time_unit("msecond"), 1e6, 0);
    assert_float_equal(number_time_unit("furlong"), 0, 0);
}

/* The profiler and the program print before, between and after the rows, also without an end of
 * line. Rows of a launch are not adjacent. The reader handles units and missing values. */
static void
ncu_long(void **state)
{
    struct profile profile;
    struct error err;
    assert_true(READ(
        &profile, NULL,
        "==PROF== Connected to process 7 (/bin/a)\nresult: 1, 2, \"3\"\n"
        "no end of line here:" NCU_HEADER NCU_ROW("0", "f(int)", IPC, "inst/cycle", "1.50") NCU_ROW(
            "1", "g()", IPC, "inst/cycle",
            "2.5") "==PROF== Disconnected\nprinted \"in\",\"between\"\n\n"
                   "half a line: " NCU_ROW("0", "f(int)", TIME, "usecond", "1,211.94") NCU_ROW(
                       "1", "g()", TIME, "ns", "7") NCU_ROW("1", "g()", ISSUED, "inst/cycle", "n/a")
                       NCU_ROW("1", "g()", "device__attribute_x", "", "Some text") "bye\n"));
    assert_int_equal(profile.launches.count, 2);
    assert_string_equal(profile.kernels.items[0].name, "f(int)");
    assert_float_equal(counts_of(&profile, 0)->figures[FIGURE_ipc], 1.5, 0);
    assert_float_equal(counts_of(&profile, 0)->figures[FIGURE_time_ns], 1211940, 1e-6);
    assert_float_equal(counts_of(&profile, 1)->figures[FIGURE_ipc], 2.5, 0);
    assert_float_equal(counts_of(&profile, 1)->figures[FIGURE_time_ns], 7, 0);
    assert_true(isnan(counts_of(&profile, 1)->figures[FIGURE_issued]));
    assert_int_equal(profile.devices.items[0].capability->minor, 6);
    assert_int_equal(profile.notes.count, 0);
    profile_fini(&profile);
}

/* The name of a kernel may contain quotes, and a cell may contain an end of line. */
static void
cells(void **state)
{
    struct profile profile;
    struct error err;
    assert_true(READ(&profile, "8.6",
                     "\357\273\277\"ID\",\"Kernel Name\",\"Comment\",\"" IPC "\",\"Unknown\"\r\n"
                     "\"\",\"\",\"\",\"inst/cycle\",\"\"\r\n"
                     "\"0\",\"f<\"\"a\"\">(int, int)\",\"one\r\ntwo\",\"1.5\",\"x\"\r\n"
                     "\"1\",\"f<\"\"a\"\">(int,int)\",\"\",\"2.5\",\"\"\r\n"));
    assert_int_equal(profile.kernels.count, 1); /* spaces are ignored */
    assert_string_equal(profile.kernels.items[0].name, "f<\"a\">(int, int)");
    assert_int_equal(profile.launches.count, 2);
    assert_float_equal(counts_of(&profile, 1)->figures[FIGURE_ipc], 2.5, 0);
    profile_fini(&profile);
}

static void
ncu_summary(void **state)
{
    struct profile profile;
    struct error err;
    assert_true(READ(&profile, NULL,
                     "\"Process ID\",\"Kernel Name\",\"CC\",\"Invocations\",\"Metric Name\","
                     "\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n"
                     "\"7\",\"f\",\"9.0\",\"5\",\"" IPC "\",\"\",\"1\",\"3\",\"2.25\"\n"
                     "\"7\",\"f\",\"9.0\",\"5\",\"other\",\"\",\"1\",\"3\",\"2\"\n"
                     "\"7\",\"f\",\"9.0\",\"5\",\"" TIME "\",\"ms\",\"1\",\"3\",\"2\"\n"
                     /* the same kernel with a different grid is a second launch */
                     "\"7\",\"f\",\"9.0\",\"3\",\"" IPC "\",\"\",\"1\",\"1\",\"1.25\"\n"));
    assert_int_equal(profile.launches.count, 2);
    assert_int_equal(profile.launches.items[0].invocations, 5);
    assert_float_equal(counts_of(&profile, 0)->figures[FIGURE_ipc], 2.25, 0);
    assert_float_equal(counts_of(&profile, 0)->figures[FIGURE_time_ns], 2e6, 0);
    assert_int_equal(profile.launches.items[1].invocations, 3);
    profile_fini(&profile);
}

/* Descriptions name the metrics and are not unique (ipc, ipc_instance). The first one counts. */
static void
nvprof_wide(void **state)
{
    struct profile profile;
    struct error err;
    assert_true(READ(&profile, NULL,
                     "==1== NVPROF is profiling process 1, command: a\n==1== Profiling result:\n"
                     "\"Device\",\"Context\",\"Stream\",\"Kernel\",\"83886182\",\"Executed IPC\","
                     "\"Executed IPC\",\"Issue Stall Reasons (Data Request)\"\n"
                     ",,,,,,,%\n"
                     "\"Tesla K40c (0)\",\"1\",\"7\",\"f(int) [107]\",12,1.5,0.25,33.25\n"
                     "\"Tesla K40c (0)\",\"1\",\"7\",\"f(int) [109]\",12,2.5,0.25,\"44.5%\"\n"));
    assert_int_equal(profile.kernels.count, 1);
    assert_string_equal(profile.kernels.items[0].name, "f(int)");
    assert_int_equal(profile.launches.count, 2);
    assert_float_equal(counts_of(&profile, 0)->figures[FIGURE_ipc], 1.5, 0);
    assert_float_equal(counts_of(&profile, 1)->stalls[FAMILY_PERCENT][REASON_memory_dependency],
                       44.5, 0);
    assert_string_equal(profile.devices.items[0].name, "Tesla K40c");
    profile_fini(&profile);
}

#define NVPROF_HEADER                                                                              \
    "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\","        \
    "\"Max\",\"Avg\"\n"
#define NVPROF_ROW(kernel, count, metric, value)                                                   \
    "\"Tesla K40c (0)\",\"" kernel "\"," count ",\"" metric "\",\"x\",0,0," value "\n"

/* Times are in another file, as CSV in milliseconds or as text. The reader ignores API calls,
 * copies and times of other kernels. */
static void
times_are_matched(void **state)
{
    static const char *const tables[] = {
        "\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n%,ms,,us,us,us,\n"
        "60,6.0,3,2,2,2,\"f(int, int)\"\n30,3,1,3,3,3,\"[CUDA memcpy HtoD]\"\n"
        "10,1,1,1,1,1,\"g()\"\n\n==1== API calls:\n"
        "\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n%,ms,,us,us,us,\n"
        "60,60,3,2,2,2,\"f(int, int)\"\n",
        "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n,%,us,,us,us,us,"
        "\n"
        "\"GPU activities\",60,6000,3,2,2,2,\"f(int, int)\"\n"
        "\"API calls\",60,60,3,2,2,2,\"f(int, int)\"\n",
        "Time(%),Time,Calls,Avg,Min,Max,Name\n60%,6.0ms,3,2ms,2ms,2ms,f(int, int)\n",
        "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n"
        " GPU activities:   60.00%  6.0000ms         3  2.0000ms  2.0000ms  2.0000ms  f(int, int)\n"
        "                   40.00%  4.0000ms         1  4.0000ms  4.0000ms  4.0000ms  [CUDA "
        "memset]\n"
        "      API calls:   60.00%  60.000ms         3  2.0000ms  2.0000ms  2.0000ms  f(int, "
        "int)\n",
        /* per call */
        "   Start  Duration            Grid Size      Block Size    Context  Name\n"
        "  1.00ms  1.0000ms              (8 1 1)         (1 1 1)          1  f(int, int) [1]\n"
        "  2.00ms  2.0000ms              (8 1 1)         (1 1 1)          1  f(int, int) [2]\n"
        "  4.00ms  3.0000ms              (8 1 1)         (1 1 1)          1  f(int, int) [3]\n"
        "  8.00ms  3.0000ms                    -               -          1  [CUDA memset] [4]\n",
        "\"Start\",\"Duration\",\"Grid X\",\"Device\",\"Name\"\nms,us,,,\n"
        "1,1000,8,\"Tesla K40c (0)\",\"f(int, int) [1]\"\n2,2000,8,\"Tesla K40c (0)\",\"f(int, "
        "int)\"\n"
        "3,3000,8,\"Tesla K40c (0)\",\"f(int, int)\"\n4,9,,\"Tesla K40c (0)\",\"[CUDA memset]\"\n",
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (int swapped = 0; swapped < 2; swapped++) {
            static const char metrics[] =
                NVPROF_HEADER NVPROF_ROW("f(int, int)", "3", "ipc", "2.5");
            struct profile profile;
            struct error err = {""};
            application_list list = {0};
            if (!READ(&profile, NULL, swapped ? tables[i] : metrics, swapped ? metrics : tables[i]))
                fail_msg("%zu: %s", i, err.text);
            const uint32_t k = profile_find_kernel(&profile, "f(int,int)", 0);
            assert_int_not_equal(k, UINT32_MAX);
            assert_int_equal(profile.kernels.items[k].invocations, 3);
            assert_float_equal(profile.kernels.items[k].table_ns, 6e6, 1e-6);
            assert_true(ADD("f"));
            application_list_fini(&list);
            profile_fini(&profile);
        }
}

/* Files complement each other. The reader matches launches by their order, whatever their numbers
 * in the files. A different time does not mean that a file is of another run. */
static void
launches_are_matched(void **state)
{
    struct profile profile;
    struct error err;
    assert_true(READ(
        &profile, NULL,
        NCU_HEADER NCU_ROW("0", "f(int *)", IPC, "", "1.5")
            NCU_ROW("0", "f(int *)", TIME, "ns", "10") NCU_ROW("1", "g()", IPC, "", "2.5")
                NCU_ROW("2", "f(int *)", IPC, "", "3.5"),
        NCU_HEADER NCU_ROW("4", "f(int*)", ISSUED, "", "1.75")
            NCU_ROW("4", "f(int*)", TIME, "ns", "11") NCU_ROW("9", "f(int*)", ISSUED, "", "3.75")));
    assert_int_equal(profile.launches.count, 3);
    assert_float_equal(counts_of(&profile, 0)->figures[FIGURE_issued], 1.75, 0);
    assert_float_equal(counts_of(&profile, 0)->figures[FIGURE_time_ns], 10, 0);
    assert_true(isnan(counts_of(&profile, 1)->figures[FIGURE_issued]));
    assert_float_equal(counts_of(&profile, 2)->figures[FIGURE_ipc], 3.5, 0);
    assert_float_equal(counts_of(&profile, 2)->figures[FIGURE_issued], 3.75, 0);
    profile_fini(&profile);
    /* the same file again is another run; a value that differs beside new values gives a note */
    assert_true(READ(&profile, NULL, NCU_HEADER NCU_ROW("0", "f", IPC, "", "1.5"),
                     NCU_HEADER NCU_ROW("0", "f", IPC, "", "1.75")));
    assert_int_equal(profile.launches.count, 2);
    assert_int_equal(profile.notes.count, 0);
    profile_fini(&profile);
    assert_true(READ(&profile, NULL, NCU_HEADER NCU_ROW("0", "f", IPC, "", "1.5"),
                     NCU_HEADER NCU_ROW("0", "f", IPC, "", "1.75")
                         NCU_ROW("0", "f", ISSUED, "", "1.8")));
    assert_int_equal(profile.launches.count, 1);
    assert_float_equal(counts_of(&profile, 0)->figures[FIGURE_ipc], 1.5, 0);
    assert_int_equal(profile.notes.count, 1);
    profile_fini(&profile);
}

static void
plain_text(void **state)
{
    struct profile profile;
    struct error err;
    assert_true(READ(
        &profile, NULL,
        "==1== NVPROF is profiling process 1, command: a\n==1== Event result:\n"
        "Invocations          Event Name         Min         Max         Avg       Total\n"
        "Device \"GeForce GTX 1070 (0)\"\n    Kernel: f(int*, int)\n"
        "          2   elapsed_cycles_sm         100         300         200         400\n"
        "          2       inst_executed         100         300         200         400\n\n"
        "==1== Metric result:\n"
        "Invocations     Metric Name                    Metric Description   Min   Max   Avg\n"
        "Device \"GeForce GTX 1070 (0)\"\n    Kernel: f(int*, int)\n"
        "          2             ipc                          Executed IPC   1.0   2.0   1.5\n"
        "          2   inst_executed                 Instructions Executed   100   300   250\n"
        "          2      stall_sync  Issue Stall Reasons (Synchronization)  1%    3%    2.5%\n"
        "          2  l2_utilization                  L2 Cache Utilization  Low (1) Low (2) Low "
        "(1)\n"
        "         oops\nthe program's last words 3 4 5\n"));
    assert_int_equal(profile.launches.count, 1);
    assert_int_equal(profile.launches.items[0].invocations, 2);
    assert_float_equal(counts_of(&profile, 0)->figures[FIGURE_cycles_sm], 200, 0);
    assert_float_equal(counts_of(&profile, 0)->figures[FIGURE_ipc], 1.5, 0);
    /* the metric, not the event of the same name */
    assert_float_equal(counts_of(&profile, 0)->figures[FIGURE_executed_count], 250, 0);
    assert_float_equal(counts_of(&profile, 0)->stalls[FAMILY_PERCENT][REASON_sync], 2.5, 0);
    assert_int_equal(profile.devices.items[0].capability->major, 6);
    profile_fini(&profile);

    assert_true(
        READ(&profile, NULL,
             "==PROF== Connected\n"
             "  f(int, float) (196, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 7.5\n"
             "    Section: Command line profiler metrics\n"
             "    Metric Name                              Metric Unit Metric Value\n"
             "    --------------------------------------- ----------- ------------\n"
             "    " IPC "   inst/cycle         1,50\n"
             "    Duration                                    usecond     1.234,50\n"
             "    Executed Ipc Active                      inst/cycle         9,99\n"
             "    Issued Ipc Active                        inst/cycle         1,75\n"));
    assert_string_equal(profile.kernels.items[0].name, "f(int, float)");
    assert_float_equal(counts_of(&profile, 0)->figures[FIGURE_ipc], 1.5, 0);
    /* cmocka treats NAN as equal to any number, so compare directly */
    assert_true(counts_of(&profile, 0)->figures[FIGURE_issued] == 1.75);
    assert_float_equal(counts_of(&profile, 0)->figures[FIGURE_time_ns], 1234500, 1e-6);
    assert_int_equal(profile.devices.items[0].capability->minor, 5);
    profile_fini(&profile);
}

/* A file has one number style. Its unambiguous numbers determine the style. */
static void
locales(void **state)
{
    struct profile profile;
    struct error err;
    /* 117.344 precedes the number that determines the style; it means 117,344 */
    assert_true(READ(&profile, NULL,
                     NCU_HEADER NCU_ROW("0", "f", "sm__cycles_elapsed.sum", "cycle", "117.344")
                         NCU_ROW("0", "f", IPC, "", "0,25")));
    assert_float_equal(counts_of(&profile, 0)->figures[FIGURE_cycles_sm], 117344, 0);
    assert_float_equal(counts_of(&profile, 0)->figures[FIGURE_ipc], 0.25, 0);
    profile_fini(&profile);
    assert_true(READ(&profile, NULL,
                     NCU_HEADER NCU_ROW("0", "f", "sm__cycles_elapsed.sum", "cycle", "117.344")
                         NCU_ROW("0", "f", IPC, "", "0.25")));
    assert_float_equal(counts_of(&profile, 0)->figures[FIGURE_cycles_sm], 117.344, 0);
    profile_fini(&profile);
    /* if no number is unambiguous, the reader prints a note */
    assert_true(READ(&profile, NULL,
                     NCU_HEADER NCU_ROW("0", "f", "sm__cycles_elapsed.sum", "cycle", "117.344")));
    assert_int_equal(profile.notes.count, 1);
    profile_fini(&profile);
    refuse(NCU_HEADER NCU_ROW("0", "f", IPC, "", "0,25") NCU_ROW("0", "f", ISSUED, "", "0.5"),
           ":3:|number format|line 2");
}

static void
malformed_files(void **state)
{
    refuse("hello\n", "contains no table of nvprof or ncu");
    refuse("", "contains no table of nvprof or ncu");
    refuse("NVR?", "no table");
    /* the position is that of the quote before g, of the end of the last cell, or of the first
     * extra cell */
    refuse(NCU_HEADER NCU_ROW("0", "f", IPC, "", "1.5") "\"1\",\"7\",\"g\n",
           ":3:9: unclosed quote");
    refuse(NCU_HEADER NCU_ROW("0", "f", IPC, "", "1.5") "\"1\",\"7\"\n",
           ":3:8: 2 cells, but the header has 7");
    refuse(NCU_HEADER "\"0\",\"7\",\"f\",\"8.6\",\"x\",\"\",\"1\",\"more\"\n",
           ":2:30: 8 cells, but the header has 7");
    refuse(NCU_HEADER "\"0\",\"7\"f,\"f\",\"8.6\",\"x\",\"\",\"1\"\n", ":2:8: expected a comma");
    refuse(NVPROF_HEADER "\"Tesla K40c (0)\",\"f\",1,\"ipc\"\n", ":2:29: 4 cells");
    /* after a cell of two lines, the column counts from the start of the second line */
    refuse(NCU_HEADER "\"0\",\"7\",\"f\ng\"x,\"8.6\",\"x\",\"\",\"1\"\n", ":3:3: expected a comma");
    /* lines outside the table are not errors */
    struct profile profile;
    struct error err;
    assert_true(
        READ(&profile, NULL, NCU_HEADER NCU_ROW("0", "f", IPC, "", "1.5") "a, b, c\n1,2\n"));
    profile_fini(&profile);
}

#define CSV_TIMES(name)                                                                            \
    "\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n%,ms,,us,us,us,\n"           \
    "60,6.0,3,2,2,2,\"" name "\"\n"
#define TEXT_TIMES(name)                                                                           \
    "Time(%)      Time     Calls       Avg       Min       Max  Name\n"                            \
    " 60.00%  6.0000ms         3  2.0000ms  2.0000ms  2.0000ms  " name "\n"

/* The program prints no end of line, so the next banner of the profiler is on the program's last
 * line. The text after the API calls still belongs to another run, and so do rows that begin with a
 * stall reason. */
static void
banners_after_output(void **state)
{
    static const char *const times[][2] = {{CSV_TIMES("f"), CSV_TIMES("g")},
                                           {TEXT_TIMES("f"), TEXT_TIMES("g")}};
    struct profile profile;
    struct error err;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        char *text = mem_printf("==1== NVPROF is profiling process 1, command: a\n"
                                "==1== Profiling result:\n%s\n==1== API calls:\n%s"
                                "last words==22== NVPROF is profiling process 22, command: a\n"
                                "100 %% == done==22== Profiling result:\n%s",
                                times[i][0], times[i][1], times[i][1]);
        assert_true(READ(&profile, "6.1", text));
        assert_int_equal(profile.kernels.count, 2);
        const uint32_t g = profile_find_kernel(&profile, "g", PROFILE_ANY_DEVICE);
        assert_int_not_equal(g, UINT32_MAX);
        assert_true(profile.kernels.items[g].table_ns == 6e6);
        profile_fini(&profile);
        free(text);
    }
    static const char rows[] =
        "Invocations     Metric Name   Metric Description   Min   Max   Avg\n"
        "Device \"GeForce GTX 1070 (0)\"\n    Kernel: f(int*, int)\n"
        "  1  stall_sync  Issue Stall Reasons (Synchronization)  %s %s %s\n"
        "  1  ipc                                  Executed IPC  1  1  1\n";
    char *first = mem_printf(rows, "1%", "1%", "1%"), *second = mem_printf(rows, "3%", "3%", "3%");
    char *text = mem_printf("==1== NVPROF is profiling process 1, command: a\n%s"
                            "words==2== NVPROF is profiling process 2, command: a\n%s",
                            first, second);
    assert_true(READ(&profile, NULL, text));
    assert_int_equal(profile.launches.count, 2);
    assert_true(counts_of(&profile, 1)->stalls[FAMILY_PERCENT][REASON_sync] == 3);
    profile_fini(&profile);
    free(text);
    free(first);
    free(second);
}

/* The program prints no end of line, so its output precedes a row. The values of that row are not
 * quoted. */
static void
rows_after_output(void **state)
{
    static const char rows[] =
        "==1== NVPROF is profiling process 1, command: a\n==1== Profiling result:\n"
        "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric "
        "Description\",\"Min\",\"Max\","
        "\"Avg\"\n"
        "%s\"GeForce GTX 1070 (0)\",\"f(int*, int)\",1,\"ipc\",\"Executed IPC\",2.5,2.5,2.5\n";
    static const char *const words[] = {"", "50 % done ", "a, b: "};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct profile profile;
        struct error err;
        char *text = mem_printf(rows, words[i]);
        assert_true(READ(&profile, "6.1", text));
        assert_int_equal(profile.launches.count, 1);
        assert_true(counts_of(&profile, 0)->figures[FIGURE_ipc] == 2.5);
        profile_fini(&profile);
        free(text);
    }
}

/* Tables of other tools follow the tables of the profiler or are between them. Only the rows of the
 * profiler count, and a note lists the ignored lines. */
static void
other_tables(void **state)
{
    static const struct {
        const char *table, *lines;
    } cases[] = {
        {"\"Counter\",\"Value\"\n\"watts\",\"17\"\n\"18\",\"19\"\n", "lines 3 to 5"},
        {"\"Counter\",\"Value\"\n0,17\n1,18\n", "lines 3 to 5"},
        {"\"Device\",\"Watts\"\n\"0\",\"17\"\n", "lines 3 to 4"},
        {"ID,Watts\n0,17\n", "lines 3 to 4"},
        {"\"Counter\",\"Value\"\n", "line 3"},
        /* a table with as many columns as ncu's */
        {"\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\"\n"
         "\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\"\n",
         "lines 3 to 4"},
        {"\"#\",\"Address\",\"Source\",\"Sampling Data (All)\"\n\"1\",\"0\",\"MOV R1\",\"0\"\n",
         "lines 3 to 4 are the source page of ncu"},
    };
    struct profile profile;
    struct error err;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int is_between = 0; is_between < 2; is_between++) {
            char *text =
                mem_printf("%s%s%s", NCU_HEADER NCU_ROW("0", "f", IPC, "", "1.5"), cases[i].table,
                           is_between ? NCU_HEADER NCU_ROW("0", "f", ISSUED, "", "1.75") : "");
            if (!READ(&profile, NULL, text))
                fail_msg("%s: %s", cases[i].table, err.text);
            assert_int_equal(profile.launches.count, 1);
            assert_true(counts_of(&profile, 0)->figures[FIGURE_ipc] == 1.5);
            assert_int_equal(!isnan(counts_of(&profile, 0)->figures[FIGURE_issued]), is_between);
            assert_int_equal(profile.notes.count, 1);
            if (!strstr(profile.notes.items[0], cases[i].lines))
                fail_msg("'%s' lacks '%s'", profile.notes.items[0], cases[i].lines);
            profile_fini(&profile);
            free(text);
        }
    /* the same for nvprof's tables, whose rows begin with a device */
    assert_true(READ(&profile, NULL,
                     NVPROF_HEADER NVPROF_ROW("f", "1", "ipc", "2.5") "\"Counter\",\"Value\"\n"
                                                                      "\"watts\",\"17\"\n"));
    assert_int_equal(profile.launches.count, 1);
    assert_int_equal(profile.notes.count, 1);
    profile_fini(&profile);
}

/* Other output of NVIDIA's tools is refused, and the message names the kind of output. */
static void
other_pages(void **state)
{
    refuse("\"Kernel Name\",\"f(int)\"\n"
           "\"Address\",\"Source\",\"Warp Stall Sampling (All Samples)\",\"# Samples\"\n"
           "\"0x7f00\",\"IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]\",\"3\",\"3\"\n",
           "the source page of ncu|--page raw");
    refuse("\"#\",\"Address\",\"Source\",\"Sampling Data (All)\"\n\"1\",\"0\",\"MOV R1\",\"0\"\n",
           "the source page of ncu");
    refuse(
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
        "100.0,100,1,100.0,100.0,100,100,0.0,f(int)\n",
        "nsys");
}

static void
odd_values(void **state)
{
    struct profile profile;
    struct error err;
    assert_true(READ(&profile, NULL,
                     NCU_HEADER NCU_ROW("0", "f", TIME, "furlong", "12.5")
                         NCU_ROW("0", "f", IPC, "", "-1.5") NCU_ROW("0", "f", ISSUED, "", "1.5 (x)")
                             NCU_ROW("0", "f",
                                     "smsp__average_warps_issue_stalled_new_per_issue_active.ratio",
                                     "inst", "3.5")));
    assert_true(isnan(counts_of(&profile, 0)->figures[FIGURE_time_ns]));
    assert_true(isnan(counts_of(&profile, 0)->figures[FIGURE_ipc]));
    assert_true(isnan(counts_of(&profile, 0)->figures[FIGURE_issued]));
    assert_int_equal(profile.notes.count, 3);
    profile_fini(&profile);
}

/* ---- the whole application ---- */

/* clang-format off */
#define STALLS(id, kernel)                                                                         \
    NCU_ROW(id, kernel, "smsp__thread_inst_executed_per_inst_executed.ratio", "", "32")            \
    STALL_ROWS(id, kernel, "barrier", "1")                                                         \
    STALL_ROWS(id, kernel, "branch_resolving", "0")                                                \
    STALL_ROWS(id, kernel, "dispatch_stall", "0")                                                  \
    STALL_ROWS(id, kernel, "drain", "0")                                                           \
    STALL_ROWS(id, kernel, "imc_miss", "0")                                                        \
    STALL_ROWS(id, kernel, "lg_throttle", "0")                                                     \
    STALL_ROWS(id, kernel, "long_scoreboard", "3")                                                 \
    STALL_ROWS(id, kernel, "math_pipe_throttle", "0")                                              \
    STALL_ROWS(id, kernel, "membar", "0")                                                          \
    STALL_ROWS(id, kernel, "mio_throttle", "0")                                                    \
    STALL_ROWS(id, kernel, "misc", "0")                                                            \
    STALL_ROWS(id, kernel, "no_instruction", "0")                                                  \
    STALL_ROWS(id, kernel, "short_scoreboard", "0")                                                \
    STALL_ROWS(id, kernel, "sleeping", "0")                                                        \
    STALL_ROWS(id, kernel, "tex_throttle", "0")                                                    \
    STALL_ROWS(id, kernel, "wait", "0")
/* clang-format on */
#define STALL_ROWS(id, kernel, reason, value)                                                      \
    NCU_ROW(id, kernel, "smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio",     \
            "inst", value)
#define LAUNCH(id, kernel, ipc, ns)                                                                \
    NCU_ROW(id, kernel, IPC, "", ipc)                                                              \
    NCU_ROW(id, kernel, ISSUED, "", ipc) NCU_ROW(id, kernel, TIME, "ns", ns) STALLS(id, kernel)

/* Weights are times: 3 at IPC 1 and 1 at IPC 3, and another kernel with 4 at IPC 2. */
static void
weights(void **state)
{
    struct profile profile;
    struct error err;
    application_list list = {0};
    assert_true(READ(&profile, NULL,
                     NCU_HEADER LAUNCH("0", "f(int)", "1", "3") LAUNCH("1", "f(int)", "3", "1")
                         LAUNCH("2", "void g<2>()", "2", "5") NCU_ROW("3", "h", IPC, "", "1.5")));
    assert_true(ADD(NULL));
    const struct application *application = &list.items[0];
    assert_int_equal(application->weight_kind, WEIGHT_TIME);
    assert_string_equal(application->kernels.items[0].name, "void g<2>()");
    assert_float_equal(application->kernels.items[1].tree.values[NVIDIA_retire], 6.0 / 4, 1e-12);
    assert_float_equal(application->tree.values[NVIDIA_retire], (3 * 1 + 1 * 3 + 5 * 2) / 9.0,
                       1e-12);
    /* barriers have a quarter of the lost slots */
    assert_float_equal(application->tree.values[NVIDIA_barrier], (3 * 3 + 1 * 1 + 5 * 2) / 9.0 / 4,
                       1e-12);
    assert_float_equal(application->weight, 9, 0);
    assert_true(topdown_tree_adds_up(&application->tree, 1e-12));
    assert_false(application->kernels.items[2].has_tree); /* h has no thread count */
    application_list_fini(&list);
    static const struct {
        const char *name, *found;
    } names[] = {
        {"f(int)", "f(int)"}, {"f", "f(int)"}, {"g", "void g<2>()"}, {"<2>", "void g<2>()"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_true(ADD(names[i].name));
        assert_int_equal(list.items[0].kernels.count, 1);
        assert_string_equal(list.items[0].kernels.items[0].name, names[i].found);
        application_list_fini(&list);
    }
    /* the first launch of each kernel: IPC 1 of f, IPC 2 of g */
    assert_true(application_list_add(&list, &profile, "a",
                                     &(struct application_filter){.launches = 1}, &err));
    assert_int_equal(list.items[0].kernels.items[1].launches, 1);
    assert_float_equal(list.items[0].kernels.items[1].tree.values[NVIDIA_retire], 1, 1e-12);
    assert_float_equal(list.items[0].tree.values[NVIDIA_retire], (3 * 1 + 5 * 2) / 8.0, 1e-12);
    assert_float_equal(application_mean_measures(&list.items[0].mean).values[MEASURE_ipc],
                       (3 * 1 + 5 * 2) / 8.0, 1e-12);
    application_list_fini(&list);
    assert_false(ADD("none"));
    application_list_fini(&list);
    profile_fini(&profile);
}

/* Both profilers report how often they ran a kernel. */
static void
passes(void **state)
{
    static const struct {
        const char *text;
        uint32_t passes;
    } cases[] = {
        {"==7== Replaying kernel \"g(int*)\" (1 of 3)..Replaying kernel \"g(int*)\" (done)\n"
         "==7== Replaying kernel \"f\" (1 of 2)...\n" NVPROF_HEADER NVPROF_ROW("f", "1", "ipc",
                                                                               "2.5"),
         3},
        {"==7== Replaying kernel \"f\" (done)\n" NVPROF_HEADER NVPROF_ROW("f", "1", "ipc", "2.5"),
         0},
        {"==PROF== Connected to process 9\n"
         "==PROF== Profiling \"f\" - 0: 0%....50%....100% - 8 passes\n"
         "==PROF== Profiling \"g\" - 1: 0%....50%....100% - 1 pass\n" NCU_HEADER NCU_ROW(
             "0", "f", IPC, "", "1.5"),
         8},
        {"3 4 ==PROF== Profiling \"f\" - 0: 0%....50%....100% - 7 passes\n" NCU_HEADER NCU_ROW(
             "0", "f", IPC, "", "1.5"),
         7},
        {NCU_HEADER NCU_ROW("0", "f", IPC, "", "1.5")
             NCU_ROW("0", "f", "profiler__replayer_passes", "", "5")
                 NCU_ROW("1", "f", "profiler__replayer_passes", "", "4"),
         5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct profile profile;
        struct error err;
        application_list list = {0};
        assert_true(READ(&profile, NULL, cases[i].text));
        assert_true(ADD(NULL));
        assert_int_equal(application_passes(&list.items[0]), cases[i].passes);
        application_list_fini(&list);
        profile_fini(&profile);
    }
}

/* Kernels of two GPUs are two applications. If the compute capability is missing, the message asks
 * for it. */
static void
devices(void **state)
{
    struct profile profile;
    struct error err;
    application_list list = {0};
    assert_true(READ(&profile, NULL, NVPROF_HEADER NVPROF_ROW("f", "1", "ipc", "2.5"),
                     NCU_HEADER LAUNCH("0", "f", "1", "3")));
    assert_true(ADD(NULL));
    assert_int_equal(list.count, 2);
    assert_int_equal(list.items[0].capability->ipc_max, 8);
    assert_int_equal(list.items[1].capability->ipc_max, 4);
    application_list_fini(&list);
    profile_fini(&profile);
    static const char nameless[] = "\"ID\",\"Kernel Name\",\"" IPC "\"\n\"0\",\"f\",\"0.5\"\n";
    assert_true(READ(&profile, NULL, nameless));
    assert_false(ADD(NULL));
    assert_non_null(strstr(err.text, "--cc"));
    application_list_fini(&list);
    profile_fini(&profile);
    assert_true(READ(&profile, "8.6", nameless));
    assert_true(ADD(NULL));
    application_list_fini(&list);
    profile_fini(&profile);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(ncu_long),
        cmocka_unit_test(cells),
        cmocka_unit_test(ncu_summary),
        cmocka_unit_test(nvprof_wide),
        cmocka_unit_test(times_are_matched),
        cmocka_unit_test(launches_are_matched),
        cmocka_unit_test(plain_text),
        cmocka_unit_test(locales),
        cmocka_unit_test(malformed_files),
        cmocka_unit_test(banners_after_output),
        cmocka_unit_test(rows_after_output),
        cmocka_unit_test(other_tables),
        cmocka_unit_test(other_pages),
        cmocka_unit_test(odd_values),
        cmocka_unit_test(weights),
        cmocka_unit_test(passes),
        cmocka_unit_test(devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
