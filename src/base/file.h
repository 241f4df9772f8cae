/* Files and paths. */
#ifndef AETIUS_BASE_FILE_H
#define AETIUS_BASE_FILE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

bool file_exists(const char *path);
bool file_exists_in(const char *dir, const char *name);
/* Returns whether an untrusted `name` is safe to use as a file name within our folder. It may
 * contain only letters, digits, '-', '_' and '.', and must not be "." or "..". */
bool file_name_is_plain(const char *name);
bool dir_create(const char *path, struct error *err); /* with parents; true if it already exists */

/* Locks a folder so that only one process at a time works in it. Waits up to two seconds for
 * another process to exit. dir_unlock() releases the lock. The kernel also releases it when this
 * process and its forked children exit. */
bool dir_lock(const char *path, int *lock, struct error *err);
void dir_unlock(int lock); /* -1: nothing to unlock */

bool dir_has_files(const char *path, bool (*is_ours)(const char *name));
/* Deletes the files for which is_ours() returns true; NULL selects all files. A missing folder is
 * not an error. */
void dir_clear(const char *path, bool (*is_ours)(const char *name));
/* Like dir_clear(), but then also removes the folder if it is empty. Never follows a symbolic link
 * at `path`. */
void dir_remove_files(const char *path, bool (*is_ours)(const char *name));

/* Opens a regular file for reading. Returns -1 with an error for any other file type, because a
 * read of a pipe or a device might never return. */
int file_open(const char *path, struct error *err);

enum {
    FILE_MOST_TEXT = 1 << 20,  /* limit for files that users write: parameters, plans */
    FILE_MOST_FACTS = 1 << 24, /* limit for files that this program writes: run.json, results */
};
/* Reads a whole regular file of at most `most` bytes. Appends a NUL, which *size does not count.
 * The caller frees *bytes. */
bool file_read(const char *path, size_t most, char **bytes, size_t *size, struct error *err);

/* Creates a file, replacing an existing file or symbolic link at `path`. */
FILE *file_create(const char *path, struct error *err);

/* Whether the path is a device, a FIFO or a socket, a link to one, or a system link such as
 * /dev/stdout. Such a file is written to, never replaced or removed, if the user named it. */
bool file_is_device(const char *path);
/* Like file_create(), but for a user-supplied path. */
FILE *file_create_named(const char *path, struct error *err);

/* Writes the file atomically: writes a temporary file in the same folder, flushes it and renames
 * it. On failure the file at `path` is unchanged. */
bool file_write(const char *path, const void *bytes, size_t size, struct error *err);
/* Copies a regular file. Writes like file_write(). */
bool file_copy(const char *from, const char *to, struct error *err);
/* Like file_write(), but for a user-supplied path. */
bool file_write_named(const char *path, const void *bytes, size_t size, struct error *err);

/* Finds a data file of the program in the build or the installation. `kind` is "configs" (presets,
 * *.ini), "studies" (*.ini), "shim" (libaetius-shim.so) or "bench" (benchmarks/gl/model). Returns
 * NULL if no folder has it. The caller frees the path. */
char *data_path(const char *kind, const char *name);

/* 8-bit RGBA image, stored as PNG. Row 0 is the top row. If `has_alpha` is false, the PNG file has
 * no alpha channel. */
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

/* Creates a file for writing. A regular file at `path` is first unlinked, so that processes that
 * have it open keep the old contents. A link is also unlinked, unless it leads to a device or a
 * FIFO. A device or a FIFO is opened instead. Returns -1 with an error on failure. */
int file_make(const char *path, struct error *err);
/* Opens an empty file for exclusive writing: other processes are locked out until it is closed.
 * `path` must be a name that this program chose. The function truncates a leftover file of a killed
 * process, and removes a link or a FIFO. While another process writes the file, the function waits
 * if `waits` is true. Otherwise it returns -1 with errno EWOULDBLOCK. Other failures return -1 with
 * another errno. */
int file_open_alone(const char *path, bool waits);
/* Removes a symbolic link at a name that this program chose. A write through the link could reach a
 * file outside the user's folder. */
void file_remove_link(const char *path);

#endif
