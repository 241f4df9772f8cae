/* The functional renderer as a message sink, for `run --functional` and `replay`. */
#ifndef AETIUS_SIM_RENDER_SINK_H
#define AETIUS_SIM_RENDER_SINK_H

#include "trace/message.h"

struct needed_draws;
struct render_sink;

/* `forced_samples`: samples of display targets and renderbuffers; 0: as the program
 * requests. */
bool render_sink_create(struct render_sink **render, uint32_t memory_bytes, uint32_t forced_samples,
                        struct error *err);
/* Skips draws that are not needed from now on. The caller owns `needed`. */
void render_sink_need(struct render_sink *render, const struct needed_draws *needed);
/* Takes host memory from the budget. Call it before the first message. */
void render_sink_limit(struct render_sink *render, struct budget *budget);
/* Observes the executed draws (functional.h). The caller owns `watch`. */
struct draw_watch;
void render_sink_watch(struct render_sink *render, const struct draw_watch *watch);
void render_sink_destroy(struct render_sink *render);
struct message_sink *render_sink_sink(struct render_sink *render);

#endif
