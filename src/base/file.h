/* Files and paths. */
#ifndef AETIUS_BASE_FILE_H
#define AETIUS_BASE_FILE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

bool file_exists(const char *path);
/* Returns whether a name from an untrusted source names a file in our folder and nothing else: only
 * letters, digits, '-', '_' and '.', and not "." or "..". */
bool file_name_is_plain(const char *name);
bool dir_create(const char *path, struct error *err); /* and its parents; true if it exists */

/* Locks a folder so that one process at a time works in it. Waits up to two seconds for another
 * process to end. dir_unlock() releases the lock, as does the end of the process and its forked
 * children. */
bool dir_lock(const char *path, int *lock, struct error *err);
void dir_unlock(int lock); /* -1: no lock */

bool dir_has_files(const char *path, bool (*is_ours)(const char *name));
/* Deletes the files for which is_ours() returns true (NULL: all files). The folder need not
 * exist. */
void dir_clear(const char *path, bool (*is_ours)(const char *name));
/* Does the same, then removes the folder if it is empty. Never follows a symbolic link at
 * `path`. */
void dir_remove_files(const char *path, bool (*is_ours)(const char *name));

/* Opens a regular file for reading. Returns -1 with an error for any other file type, because reads
 * of a pipe or a device may never end. */
int file_open(const char *path, struct error *err);

enum {
    FILE_MOST_TEXT = 1 << 20,  /* files that users write: parameters, plans */
    FILE_MOST_FACTS = 1 << 24, /* files that this program writes: run.json, results */
};
/* Reads a whole regular file of at most `most` bytes. *bytes ends with a NUL, which *size does not
 * count. The caller frees *bytes. */
bool file_read(const char *path, size_t most, char **bytes, size_t *size, struct error *err);

/* Creates a file, replacing an existing file or symbolic link at `path`. */
FILE *file_create(const char *path, struct error *err);

/* Writes the file atomically: writes a temporary file beside `path`, flushes it and renames it. On
 * failure `path` is unchanged. */
bool file_write(const char *path, const void *bytes, size_t size, struct error *err);
/* Does the same for a path that the user named. If the path is a device or a FIFO, or a link to
 * one, the function writes into it, as a shell's > does. */
bool file_write_named(const char *path, const void *bytes, size_t size, struct error *err);

/* Finds a data file of the program in the build or the installation. `kind` is "configs" (presets,
 * *.ini), "studies" (*.ini), "shim" (libaetius-shim.so) or "bench" (benchmarks/gl/model). Returns
 * NULL if no folder has it. The caller frees the path. */
char *data_path(const char *kind, const char *name);

/* 8-bit RGBA image, stored as PNG. Row 0 is the top row. If `has_alpha` is false, the PNG file has
 * only RGB. */
struct picture {
    uint32_t width, height;
    bool has_alpha;
    uint8_t *rgba; /* width * height * 4 bytes */
};
bool picture_has_one_color(const struct picture *picture); /* also true for an empty picture */
/* Encodes the picture as PNG. The caller frees *bytes. */
bool picture_encode(const struct picture *picture, uint8_t **bytes, size_t *size,
                    struct error *err);
bool picture_write_png(const struct picture *picture, const char *path, struct error *err);
bool picture_read_png(struct picture *picture, const char *path, struct error *err);
/* Writes DIR/frames/frame-NNNN.png. */
bool picture_write_frame(const struct picture *picture, const char *dir, uint32_t number,
                         struct error *err);
void picture_fini(struct picture *picture);

/* Creates a file for writing. A regular file at `path` is unlinked first, so that its readers keep
 * it. A device or a link that the user named is opened and truncated instead. Returns -1 with an
 * error on failure. */
int file_make(const char *path, struct error *err);
/* Opens an empty file, which this process alone writes until it closes the file. `path` must be a
 * name that this program chose. The function overwrites a file that a killed process left, and
 * removes a link or a FIFO. While another process writes the file, it waits, or returns -1 with
 * errno EWOULDBLOCK. It returns -1 with another errno on other failures. */
int file_open_alone(const char *path, bool waits);
/* Removes a symbolic link at a name that this program chose. Writing through the link would leave
 * the user's folder. */
void file_remove_link(const char *path);

#endif
