/* Changes a program: an executor between the decoder and a simulation changes the commands, and the
 * device's callback `alter` changes the draws. Changes of draws apply to the simulated frames.
 * Textures and programs change in the whole trace. */
#ifndef AETIUS_SIM_WHATIF_H
#define AETIUS_SIM_WHATIF_H

#include "base/args.h"
#include "base/handles.h"
#include "base/mem.h"
#include "sim/simulation.h"
#include "trace/file.h"

struct whatif_draw {
    uint32_t frame, draw, last; /* draws from `draw` to `last` */
    bool found;                 /* a command that the change concerns */
};

enum whatif_texture_kind { WHATIF_HALVE, WHATIF_MIPMAPS, WHATIF_COMPRESS, WHATIF_TEXTURE_KINDS };

struct whatif_texture {
    enum whatif_texture_kind kind;
    uint32_t handle;             /* number of the resource */
    struct handle_map originals; /* client to a struct original of the texture */
    bool found;
};

struct whatif_program {
    char hash[24]; /* hash or its prefix */
    enum shader_stage stage;
    char *text; /* TGSI text that replaces it */
    bool found;
};

struct whatif {
    /* The caller fills these members. whatif_fini() frees the arrays and the texts. */
    VEC(struct whatif_draw) dropped, unblended, untested; /* the last: by alpha */
    VEC(struct whatif_draw) uncopied;  /* copies right before a draw, or after the last one */
    VEC(struct whatif_draw) uncleared; /* likewise, clears */
    VEC(struct whatif_texture) textures;
    VEC(struct whatif_program) programs;
    double viewport_scale; /* 0: unchanged */
    bool front_to_back, merge_draws, index_order, early_uploads, no_readbacks, no_repeated_uploads,
        no_repeated_clears, no_repeated_copies;
    struct frame_set frames; /* simulated frames */

    struct simulation *sim;
    /* Commands of the current message that are left out, by their dword in a SUBMIT. */
    VEC(uint32_t) left_out;
    bool leaves_out_draw;
    VEC(uint8_t) bytes;    /* of the changed SUBMIT */
    uint32_t free_address; /* end of the restored resources of a trimmed trace */
};

/* Name of the option that makes the change, for messages: "--mipmaps". */
const char *whatif_texture_option(enum whatif_texture_kind kind);

/* Makes the changes apply to the simulation. Pass the result to executor_sink_init(). Call it
 * before the first command, with the reader at the first message. Without a reader, the commands do
 * not come from a trimmed trace. */
bool whatif_attach(struct whatif *whatif, struct simulation *sim, struct trace_reader *reader,
                   struct executor *executor, struct error *err);
/* The changes of a trace's messages. Each message is executed between whatif_begin_message() and
 * whatif_change_message(). The latter returns false if the message is left out. *changed is valid
 * until the next message. Only commands that are left out change messages: whatif_is_trace() fails
 * for the other changes. */
bool whatif_is_trace(const struct whatif *whatif, struct error *err);
void whatif_begin_message(struct whatif *whatif);
bool whatif_change_message(struct whatif *whatif, const struct message *message,
                           struct message *changed);

/* After the run: fails if a texture or program to change did not exist. */
bool whatif_check(const struct whatif *whatif, struct error *err);
void whatif_fini(struct whatif *whatif);

#endif
