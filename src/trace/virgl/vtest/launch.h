/* Runs an OpenGL program on the virtual GPU. Creates the socket, an X server if there is none, and
 * the program's environment, and cleans them up afterwards. After Ctrl-C or SIGTERM it first ends
 * the program, then finishes its work. */
#ifndef AETIUS_TRACE_LAUNCH_H
#define AETIUS_TRACE_LAUNCH_H

#include "trace/message.h"
#include "trace/virgl/vtest/caps.h"

struct launch_options {
    enum gl_offer offer;
    uint32_t clock;  /* frames per second of the program's clock (frame_clock.h); 0: host's clock */
    const char *log; /* standard output and error are appended to this file; NULL: inherited */
    const char *window; /* "WxH": first size of glretrace's window (shim/window.c); or NULL */
    const char *keys;   /* input for the program (shim/keys.c), in a private X server; or NULL */
    /* Called several times per second while clients are served; or NULL. */
    void (*watch)(void *data);
    void *watch_data;
    uint32_t most_seconds; /* the program is stopped after this time; 0: no limit */
    bool apitrace;         /* the program is apitrace, which records a program (shim/labels.c) */
};

struct launch_result {
    bool interrupted;     /* this process received a signal */
    bool stopped;         /* *stop became true */
    bool failed;          /* the program itself failed */
    bool segfault;        /* a segmentation fault ended the program */
    bool users_display;   /* the program used an existing X server */
    char how[512];        /* description of how the program ended */
    uint32_t connections; /* number of connections from the program */
    bool privileged;      /* the program is setuid or setgid; a warning was printed */
    char wanted[64];      /* context that the program requested and did not get, e.g. "OpenGL 3.3
                           * core"; "": it got one, or requested no version */
    enum gl_offer offer;  /* as in launch_options */
    struct error refused; /* why the first rejected client was disconnected; "": none was */
};

/* Checks the words of `keys`. */
bool launch_check_keys(const char *keys, struct error *err);

/* Returns the path of the file that execvp() would run, or `name` if there is none. The caller
 * frees the result. */
char *launch_find(const char *name);

/* Serves clients until the program has ended and all clients have disconnected, or until *stop is
 * true. Returns false if the program could not be started, or if the server failed. */
bool launch(char **argv, const struct launch_options *options, struct message_sink *sink,
            const bool *stop, struct launch_result *result, struct error *err);

/* Returns the end of a sentence about a program without a context: "; it wanted OpenGL 3.3 core,
 * but 2.1 is offered", or "". The caller frees the text. */
char *launch_wanted(const struct launch_result *result);

/* Prints how the program failed, if it did. Returns the exit status of the command. */
int launch_conclude(const struct launch_result *result, const char *program);

#endif
