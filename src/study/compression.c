/* aetius study compression: how many bytes do lossless codecs between ROP caches and memory save,
 * and how much do they increase the frame rate? Machines of the plan have no codec. Their runs
 * apply all codecs to the transferred blocks. The best codecs are then simulated in the machine. */
#include "params/params_value.h"
#include "report/run/run_json.h"
#include "study/codec_study.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of traces simulated with codecs if no trace of the plan is present. */
enum { IN_MACHINE = 3 };

static const char *const kind_sections[COMPRESSION_KINDS] = {"COLORWRITE", "ZSTENCILTEST"};

static const struct param_info *
algorithm_info(uint32_t kind)
{
    return param_find(kind_sections[kind], "CompressionAlgorithm");
}

/* Returns NULL if the machine has no codec. */
static const struct codec *
codec_of_machine(const struct params *params, uint32_t kind)
{
    char name[PARAM_TEXT_BYTES];
    param_format(algorithm_info(kind), params, name, sizeof name);
    return codec_find(name);
}

bool
codec_study_fits(uint32_t kind, const struct codec *codec)
{
    const struct param_info *info = algorithm_info(kind);
    char *choices = mem_strdup(info->choices), *rest = NULL;
    bool fits = false;
    for (char *name = strtok_r(choices, "|", &rest); name; name = strtok_r(NULL, "|", &rest))
        fits |= !strcmp(name, codec->name);
    free(choices);
    return fits;
}

/* One capture is used to evaluate all codecs, so the transferred lines must not depend on a codec.
 * Lines must be read before they are written, and must be transferred whole. */
static bool
check_machines(const struct study *study, struct error *err)
{
    for (size_t m = 0; m < study->machines.count; m++) {
        struct params params;
        if (!study_params(study, study_run(study, 0, m), &params, err))
            return false;
        if (!params.COLORWRITE.ReadBeforeWrite || codec_of_machine(&params, COMPRESSION_COLOR) ||
            codec_of_machine(&params, COMPRESSION_DEPTH))
            return fail(err,
                        "%s: machine %s: expected COLORWRITE.ReadBeforeWrite=TRUE and no "
                        "CompressionAlgorithm",
                        study->plan->path, study->machines.items[m]);
    }
    return true;
}

static bool
check(const struct study *study, struct codec_study *ranking, struct error *err)
{
    if (!study->plan->blocks)
        return fail(err, "%s: expected blocks = count in [sweep]", study->plan->path);
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++) {
        const struct word_list *words = study_words(study, compression_kinds[kind]);
        ranking->wanted[kind] = words->count ? words->items[0] : "best";
        if (strcmp(ranking->wanted[kind], "best") != 0 && !codec_find(ranking->wanted[kind]))
            return fail(err, "%s: [study] %s: unknown codec '%s'", study->plan->path,
                        compression_kinds[kind], ranking->wanted[kind]);
    }
    return study_check_traces(study, "inputs", err) && study_check_traces(study, "curves", err) &&
           study_check_machines(study, "machines", err) && check_machines(study, err);
}

/* Reads the memory controller's bytes from the run's table of frames. */
static bool
read_traffic(struct codec_study_result *result, const char *dir, struct error *err)
{
    struct csv_table table = {0};
    char *path = mem_printf("%s/stats.frames.csv.gz", dir);
    bool ok = csv_read(&table, path, err);
    for (uint32_t row = 0; ok && row < table.rows; row++)
        ok = traffic_add(&table, row, path, result->bytes, err);
    csv_table_fini(&table);
    free(path);
    return ok;
}

static bool
read_facts(struct codec_study_result *result, const char *dir, struct error *err)
{
    struct run_json run;
    double rate = NAN;
    if (!run_json_read(&run, dir, err))
        return false;
    bool ok = run_json_metric(&run, dir, "frame_rate", &rate, err);
    if (ok && (isnan(run.frames) || isnan(run.cycles) || isnan(rate)))
        ok = fail(err, "%s/run.json contains no frames", dir);
    if (ok) {
        result->frames = (uint32_t)run.frames;
        result->cycles = (uint64_t)run.cycles;
        result->frame_rate = rate;
    }
    run_json_fini(&run);
    return ok;
}

/* Reads a run. Checks that the bytes of its traffic and of its blocks agree exactly. */
static bool
read_result(const struct study *study, size_t run, struct codec_study_result *result,
            struct error *err)
{
    const struct codec *codec_of[COMPRESSION_KINDS];
    struct params params;
    char *dir = study_folder(study, run);
    *result = (struct codec_study_result){.is_there = true};
    bool ok = study_params(study, run, &params, err);
    for (uint32_t kind = 0; ok && kind < COMPRESSION_KINDS; kind++)
        codec_of[kind] = codec_of_machine(&params, kind);
    ok = ok && read_facts(result, dir, err) && read_traffic(result, dir, err) &&
         compression_read(result->buses, dir, err) &&
         (codec_study_result_check(result, codec_of, err) || fail_prefix(err, "%s", dir));
    free(dir);
    return ok;
}

static bool
read_plain(const struct study *study, struct codec_study *ranking, struct error *err)
{
    bool ok = true;
    for (size_t t = 0; t < study->sweep.traces.count; t++)
        for (size_t m = 0; ok && m < ranking->machines->count; m++)
            ok = read_result(study, study_run(study, t, m),
                             &ranking->plain[t * ranking->machines->count + m], err);
    return ok;
}

static bool
is_for_machine(const struct study *study, size_t trace, size_t machine)
{
    return study_names_machine(study, "machines", machine) &&
           (study->is_whole ? study_names_trace(study, "inputs", trace) : trace < IN_MACHINE);
}

/* Adds a run with the chosen codecs in the machine. */
static bool
add_run(struct study *study, const struct codec_study *ranking, size_t run, size_t *added,
        struct error *err)
{
    struct params params;
    bool ok = study_params(study, run, &params, err);
    char *suffix = mem_strdup("");
    for (uint32_t kind = 0; ok && kind < COMPRESSION_KINDS; kind++) {
        const char *name = ranking->chosen[kind] ? ranking->chosen[kind]->name : "none";
        char *set = mem_printf("%s.CompressionAlgorithm=%s", kind_sections[kind], name);
        char *longer = mem_printf("%s%s%s", suffix, *suffix ? "," : "", set);
        ok = machine_set(&params, set, err);
        free(suffix);
        free(set);
        suffix = longer;
    }
    ok = ok && study_add_run(study, run, suffix, &params, added, err);
    free(suffix);
    return ok;
}

static bool
run_in_machine(struct study *study, struct codec_study *ranking, struct error *err)
{
    const size_t machines = ranking->machines->count, most = ranking->traces->count * machines;
    size_t *numbers = mem_array(most + 1, sizeof *numbers); /* run index; 0: no run */
    bool ok = true;
    for (size_t t = 0; t < ranking->traces->count; t++)
        for (size_t m = 0; ok && m < machines; m++)
            if (is_for_machine(study, t, m))
                ok = add_run(study, ranking, study_run(study, t, m), &numbers[t * machines + m],
                             err);
    ok = ok && study_do(study, err);
    for (size_t i = 0; ok && i < most; i++)
        if (numbers[i])
            ok = read_result(study, numbers[i], &ranking->machine[i], err);
    free(numbers);
    return ok;
}

static bool
put_page(const struct study *study, const struct codec_study *ranking, struct error *err)
{
    char *text = codec_study_tables(ranking), *json = codec_study_to_json(ranking);
    const bool ok = study_put_page(study, "compression.md", text, err);
    if (ok && study->json)
        puts(json);
    free(json);
    free(text);
    return ok;
}

/* Splits the traces: those of curves follow all others. */
static bool
split_traces(const struct study *study, struct word_list *traces, struct word_list *curves,
             struct error *err)
{
    for (size_t t = 0; t < study->sweep.traces.count; t++) {
        const char *name = study_trace_name(study, t);
        const bool is_curve = study->has_plan_inputs && study_names_trace(study, "curves", t);
        if (curves->count && !is_curve)
            return fail(err, "%s: [input %s] follows the inputs of [study] curves",
                        study->plan->path, name);
        word_list_add(is_curve ? curves : traces, name);
    }
    return traces->count || fail(err, "%s: all inputs belong to curves", study->plan->path);
}

bool
study_compression(struct study *study, struct error *err)
{
    const size_t most = study->sweep.traces.count * study->machines.count;
    struct word_list traces = {0}, curve_traces = {0};
    struct codec_study curves = {.traces = &curve_traces,
                                 .machines = &study->machines,
                                 .chosen_over = study_words(study, "machines")};
    struct codec_study ranking = {.traces = &traces,
                                  .machines = &study->machines,
                                  .preset = study->plan->preset,
                                  .chosen_over = study_words(study, "machines"),
                                  .plain = mem_array(most, sizeof *ranking.plain),
                                  .machine = mem_array(most, sizeof *ranking.machine),
                                  .curves = &curves};
    bool ok = check(study, &ranking, err) && study_do(study, err) &&
              split_traces(study, &traces, &curve_traces, err);
    curves.plain = ranking.plain + traces.count * study->machines.count;
    ok = ok && read_plain(study, &ranking, err);
    if (ok) {
        codec_study_choose(&ranking, codec_study_fits);
        ok = run_in_machine(study, &ranking, err) && codec_study_write(&ranking, study, err) &&
             put_page(study, &ranking, err);
    }
    word_list_fini(&traces);
    word_list_fini(&curve_traces);
    free(ranking.plain);
    free(ranking.machine);
    return ok;
}
