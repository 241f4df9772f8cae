#include "report/run/profile_table.h"

#include "base/file.h"
#include "base/memory_text.h"
#include "base/schema.h"

#include <stdlib.h>
#include <string.h>

bool
profile_table_open(struct table *table, const char *dir, struct error *err)
{
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    fputs("schema,frame,draw,work,nth,program,instruction,stage,slots_cycle", out);
    for (uint32_t i = 0; i < PROFILE_COUNTS; i++)
        fprintf(out, ",%s", profile_count_names[i]);
    char *header = memory_text_take(&text);
    char *path = mem_printf("%s/" PROFILE_FILE, dir),
         *texts = mem_printf("%s/" PROGRAMS_FOLDER, dir);
    const bool ok = dir_create(texts, err) && table_open_single(table, path, header, err);
    free(header);
    free(path);
    free(texts);
    return ok;
}

void
profile_table_rows(struct table *table, struct shader_profile *profile, const char *key)
{
    struct csv *csv = table->files[0];
    shader_profile_sort(profile);
    for (size_t i = 0; i < profile->touched.count; i++) {
        const struct profiled_instruction *instruction = profile->touched.items[i];
        const struct profiled_program *program = instruction->program;
        char hash[24] = "";
        if (program)
            snprintf(hash, sizeof hash, PROGRAM_HASH, program->hash);
        csv_number(csv, AETIUS_SCHEMA);
        csv_text(csv, key);
        csv_text(csv, hash);
        csv_number(csv, instruction->number);
        csv_text(csv, program ? shader_stage_name(program->stage) : "");
        csv_number(csv, program ? program->slots_cycle : 0);
        for (uint32_t c = 0; c < PROFILE_COUNTS; c++)
            csv_number(csv, instruction->counts[c]);
        csv_end_row(csv);
    }
    shader_profile_clear(profile);
}

char *
profile_program_path(const char *dir, const char *hash)
{
    return mem_printf("%s/" PROGRAMS_FOLDER "/%s.tgsi", dir, hash);
}

static bool
store_program(struct profiled_program *program, const char *dir, struct error *err)
{
    char hash[24];
    if (program->is_stored)
        return true;
    snprintf(hash, sizeof hash, PROGRAM_HASH, program->hash);
    char *path = profile_program_path(dir, hash);
    program->is_stored = file_write(path, program->text, strlen(program->text), err);
    free(path);
    return program->is_stored;
}

bool
profile_store_programs(struct shader_profile *profile, const char *dir, struct error *err)
{
    bool ok = true;
    for (size_t i = 0; i < profile->programs.capacity; i++)
        for (struct profiled_program *p = profile->programs.slots[i].value; p && ok; p = p->next)
            ok = store_program(p, dir, err);
    return ok;
}
