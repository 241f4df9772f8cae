/* What a study writes into its folder, by name: DIR/files.txt. A file that is not its own is not
 * written over, and what it wrote earlier and not again is removed. */
#ifndef AETIUS_STUDY_FILES_H
#define AETIUS_STUDY_FILES_H

#include "study/study.h"

struct study_files {
    struct word_list old, made; /* by the studies before; by this one */
    bool has_list;
    bool is_known; /* the folder was a sweep's and had no list: all that lies there may be old */
};

/* Before the sweep is opened. */
bool study_files_read(struct study_files *files, const char *dir, struct error *err);
void study_files_fini(struct study_files *files);
/* Before anything is captured: what the study will write is nobody else's. Begins the list. */
bool study_files_check(const struct study *study, struct error *err);
/* Before each file is written. */
bool study_claim(const struct study *study, const char *name, struct error *err);
/* Once everything is written: removes stale files, and lists what is there. */
bool study_files_finish(const struct study *study, struct error *err);

#endif
