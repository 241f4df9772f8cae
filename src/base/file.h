/* Files and paths. */
#ifndef AETIUS_BASE_FILE_H
#define AETIUS_BASE_FILE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

bool file_exists(const char *path);
/* Whether a name that a stranger gave is one of a file in our folder and of nothing else: letters,
 * digits, '-', '_' and '.', but not "." and "..". */
bool file_name_is_plain(const char *name);
bool dir_create(const char *path, struct error *err); /* with its parents; well when it is there */

/* One process at a time works in a folder: waits two seconds for another one to end. The lock goes
 * with dir_unlock(), or with the process and those that it forked. */
bool dir_lock(const char *path, int *lock, struct error *err);
void dir_unlock(int lock); /* -1: none */

bool dir_has_files(const char *path, bool (*is_ours)(const char *name));
/* Removes the files of a folder whose names are ours (NULL: all). It may be missing. */
void dir_clear(const char *path, bool (*is_ours)(const char *name));
/* The same, and the folder when nothing is left in it; not where a link in its place leads to. */
void dir_remove_files(const char *path, bool (*is_ours)(const char *name));

/* Opens a regular file to be read, and nothing else: a pipe or a device may never end. -1: it is
 * none, or cannot be opened. */
int file_open(const char *path, struct error *err);

enum {
    FILE_MOST_TEXT = 1 << 20,  /* what a person wrote: parameters, plans */
    FILE_MOST_FACTS = 1 << 24, /* what this program wrote: run.json, results */
};
/* The whole of a regular file of at most so many bytes, with a NUL behind it that does not count;
 * the caller frees. */
bool file_read(const char *path, size_t most, char **bytes, size_t *size, struct error *err);

/* A new file in place of what lies there; where that is a link, in place of the link. */
FILE *file_create(const char *path, struct error *err);

/* Writes to a temporary file beside `path`, flushes, renames: `path` is whole or as it was. */
bool file_write(const char *path, const void *bytes, size_t size, struct error *err);
/* The same for a path that the user named: a device, a FIFO or what a link to one leads to is
 * written into, as a shell's > does, and stays. */
bool file_write_named(const char *path, const void *bytes, size_t size, struct error *err);

/* Where an installed or a just built binary finds its own files: "machines" (the presets, *.ini),
 * "studies" (*.ini), "shim" (libaetius-shim.so) or "bench" (benchmarks/gl/model). NULL when it is
 * nowhere; the caller frees. */
char *data_path(const char *kind, const char *name);

/* 8-bit RGBA pictures as PNG; row 0 is the top. `has_alpha` false writes (and says of) RGB. */
struct picture {
    uint32_t width, height;
    bool has_alpha;
    uint8_t *rgba; /* width * height * 4 bytes */
};
bool picture_has_one_color(const struct picture *picture); /* or none */
/* As the bytes of a PNG file, which the caller frees. */
bool picture_encode(const struct picture *picture, uint8_t **bytes, size_t *size,
                    struct error *err);
bool picture_write_png(const struct picture *picture, const char *path, struct error *err);
bool picture_read_png(struct picture *picture, const char *path, struct error *err);
/* DIR/frames/frame-NNNN.png */
bool picture_write_frame(const struct picture *picture, const char *dir, uint32_t number,
                         struct error *err);
void picture_fini(struct picture *picture);

/* A new file of that name, to be written, in the place of a plain file that lies there (who reads
 * that keeps it); or what else lies there, a device or a link that the user named. -1, with the
 * message, when it cannot. */
int file_make(const char *path, struct error *err);
/* Opens an empty file at a name of ours that this process alone writes until it closes it. What a
 * killed process left there is written over; a link or a FIFO is removed. While another process
 * writes it, waits, or is -1 with errno EWOULDBLOCK; -1 with another errno when it cannot. */
int file_open_alone(const char *path, bool waits);
/* A link at a name that is ours, not the user's: it would be a way out of his folder. */
void file_remove_link(const char *path);

#endif
