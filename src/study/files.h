/* Tracks the files of a study by name, in DIR/files.txt. A study overwrites only its own files.
 * Files of an earlier study that are not written again are removed. */
#ifndef AETIUS_STUDY_FILES_H
#define AETIUS_STUDY_FILES_H

#include "study/study.h"

struct study_files {
    struct word_list old, made; /* old: files of earlier studies; made: files of this study */
    bool has_list;
    bool is_known; /* a sweep's folder without a list: any existing file may be an old one */
};

/* Reads the list. Call it before the sweep is opened. */
bool study_files_read(struct study_files *files, const char *dir, struct error *err);
void study_files_fini(struct study_files *files);
/* Fails if a file that the study will write already exists and no study wrote it. Starts the list.
 * Call it before capturing. */
bool study_files_check(const struct study *study, struct error *err);
/* Adds a file to the list. Call it before writing the file. */
bool study_claim(const struct study *study, const char *name, struct error *err);
/* Removes old files that were not written again, and prints the files made. Call it at the end. */
bool study_files_finish(const struct study *study, struct error *err);

#endif
